//! `docs/rule.md` stays in step with the cases and with the core.

use firsthand::verdict::{Reason, Step};

use crate::cases::root;

/// The steps in the order in which they are tried.
pub(crate) const STEPS: [Step; 8] = [
    Step::Identical,
    Step::Serialized,
    Step::Loose,
    Step::QueryDropped,
    Step::Truncated,
    Step::Convention,
    Step::Grant,
    Step::Reference,
];

const BEGIN: &str = "<!-- reasons: begin, written by `cargo xtask docs` -->\n";
const END: &str = "<!-- reasons: end -->\n";

/// The table of reasons, from the core.
fn reasons() -> String {
    let mut table =
        "| code | error code of the vendor's tool | a person could heal it | what the model is told |\n".to_owned();
    table.push_str("|---|---|---|---|\n");
    for reason in Reason::ALL {
        let heals = if reason.a_person_can_heal_it() { "yes" } else { "no" };
        let row = format!("| `{}` | `{}` | {heals} | {} |\n", reason.code(), reason.error_code(), reason.message());
        table.push_str(&row);
    }
    table
}

#[test]
fn the_reasons_in_the_document_are_those_of_the_core() {
    let path = root().join("docs/rule.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once(BEGIN).expect("the beginning of the table");
    let (table, after) = rest.split_once(END).expect("the end of the table");
    let wanted = reasons();
    if std::env::var_os("FIRSTHAND_WRITE_DOCS").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(table, wanted, "`cargo xtask docs` writes the table anew");
}

#[test]
fn the_document_names_every_step() {
    let document = std::fs::read_to_string(root().join("docs/rule.md")).unwrap();
    for step in STEPS {
        assert!(document.contains(&format!("| `{}` |", step.name())), "{}", step.name());
        // The list above is whole: a new step stops the build here.
        match step {
            Step::Identical
            | Step::Serialized
            | Step::Loose
            | Step::QueryDropped
            | Step::Truncated
            | Step::Convention
            | Step::Grant
            | Step::Reference => {}
        }
    }
}

#[test]
fn every_row_of_a_table_of_the_rule_leads_to_a_case() {
    let document = std::fs::read_to_string(root().join("docs/rule.md")).unwrap();
    let rule = document.split(BEGIN).next().unwrap_or_default();
    // The row after the line of dashes is the first that must lead somewhere.
    let mut in_body = false;
    for line in rule.lines() {
        if line.starts_with("|---") {
            in_body = true;
        } else if !line.starts_with('|') {
            in_body = false;
        } else if in_body {
            assert!(line.contains("](../cases/"), "{line}");
        }
    }
}
