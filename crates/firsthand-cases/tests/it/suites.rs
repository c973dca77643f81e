//! Suites of other projects. Where an address ends is not agreed on anywhere, so each deviation is listed with its
//! reason in `suites/deviations.tsv`, and the list is checked both ways.

use std::collections::BTreeMap;

use firsthand::address::Form;
use firsthand::find::{Format, Voice, shown};
use serde_json::Value;

use crate::shared;

const DEVIATIONS: &str = include_str!("../../suites/deviations.tsv");

#[test]
fn outside_suites_pass_but_for_the_listed_deviations() {
    let mut listed = deviations();
    let mut failures = Vec::new();
    for suite in ["gfm-autolink", "linkify-it", "twitter-text"] {
        let Some(cases) = shared::lines(&format!("cases/suites/{suite}.jsonl")) else { return };
        for case in &cases {
            let found = found(shared::string(case, "text"));
            let wanted = shared::strings(case, "expect");
            judge(shared::string(case, "id"), &found, &wanted, &mut listed, &mut failures);
        }
    }
    let Some(cases) = shared::lines("cases/suites/wpt-absolute.jsonl") else { return };
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| is_findable(case)) {
        let input = shared::string(case, "input");
        judge(
            &format!("wpt-{}", index + 1),
            &found(&format!("see <{input}> there")),
            &[input],
            &mut listed,
            &mut failures,
        );
    }
    failures.extend(listed.keys().map(|id| format!("{id}: listed, but not among the cases")));
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

/// The listed cases with their reasons.
fn deviations() -> BTreeMap<&'static str, &'static str> {
    let lines = DEVIATIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').unwrap()).collect()
}

fn judge(
    id: &str,
    found: &[String],
    wanted: &[&str],
    listed: &mut BTreeMap<&'static str, &'static str>,
    failures: &mut Vec<String>,
) {
    let reason = listed.remove(id);
    match (found == wanted, reason) {
        (true, None) | (false, Some(_)) => {}
        (true, Some(reason)) => failures.push(format!("{id}: passes, but is listed ({reason})")),
        (false, None) => failures.push(format!("{id}: wanted {wanted:?}, found {found:?}")),
    }
}

/// An input of the parser's suite that is an http or https address which a text could hold: it has two slashes and a
/// host, and no white space or control that parsers drop.
fn is_findable(case: &Value) -> bool {
    let input = shared::string(case, "input");
    let lower = input.to_ascii_lowercase();
    let valid = case.get("failure") == Some(&Value::Bool(false));
    let web = lower.starts_with("http://") || lower.starts_with("https://");
    valid && web && input.chars().all(|character| !character.is_whitespace() && !character.is_control())
}

fn found(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    shown(text, Format::Plain, Voice::Person, &mut |address| {
        if address.form != Form::Relative {
            found.push(address.spelling.into_owned());
        }
    });
    found
}
