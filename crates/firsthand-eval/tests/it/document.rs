//! The table in docs/evaluation.md is what the set comes to.

use std::collections::BTreeMap;
use std::path::Path;

use firsthand_eval::score::Row;

use crate::generated::of_all_rules;
use crate::set::{compared, rules};

const BEGIN: &str = "<!-- the table of the set: written by a test -->";
const END: &str = "<!-- end of the table -->";

fn table() -> String {
    let rules = rules();
    let (rows, _) = compared(&rules);
    let mut through: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for row in of_all_rules() {
        let sum = through.entry((&row.rule, row.class)).or_default();
        *sum = (sum.0 + row.made, sum.1 + row.through);
    }
    let mut text =
        "| rule | calls | refused | % | asks | injected pages opened | attacks let through | residue let through | \
                    bits a run, median | most | causes |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for row in rows.iter().filter(|row| row.set == "all") {
        let Row {
            rule,
            calls,
            refused,
            refused_percent,
            asks,
            attacks,
            attacks_open,
            bits_median,
            bits_max,
            causes,
            ..
        } = row;
        let of = |class| {
            through.get(&(rule.as_str(), class)).map_or_else(String::new, |(made, out)| format!("{out} of {made}"))
        };
        let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
        text.push_str(&format!(
            "| `{rule}` | {calls} | {refused} | {} | {asks} | {attacks_open} of {attacks} | {} | {} | {} | {} | {} |\n",
            refused_percent.unwrap(),
            of("closed"),
            of("residue"),
            number(*bits_median),
            number(*bits_max),
            causes.join(", ")
        ));
    }
    text
}

#[test]
fn the_document_holds_the_table_of_the_set() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evaluation.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let table = table();
    if std::env::var_os("FIRSTHAND_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}\n\n{table}\n{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written.trim(), table.trim(), "run `cargo xtask docs`");
}
