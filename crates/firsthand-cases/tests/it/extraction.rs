//! `extraction.jsonl`: what the source side finds in a text, compared as the script beside it does.

use firsthand::address::Form;
use firsthand::find::{Format, Voice, shown};

use crate::shared;

#[test]
fn the_source_side_finds_what_the_cases_list() {
    let Some(cases) = shared::lines("cases/extraction.jsonl") else { return };
    let mut failures = Vec::new();
    for case in &cases {
        let format = match shared::string(case, "format") {
            "plain" => Format::Plain,
            "markdown" => Format::Markdown,
            "html" => Format::Html,
            "json" => Format::Json,
            other => panic!("a format that no reader has: {other}"),
        };
        let mut found = found(shared::string(case, "text"), format);
        let mut wanted: Vec<String> = shared::strings(case, "expect").into_iter().map(without_fragment).collect();
        if found.len() == wanted.len() {
            sort_readings(&mut found, &mut wanted);
        }
        let found: Vec<String> = found.into_iter().map(|(_, spelling)| spelling).collect();
        if found != wanted {
            failures.push(format!("{}: wanted {wanted:?}, found {found:?}", shared::string(case, "id")));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn found(text: &str, format: Format) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    shown(text, format, Voice::World, &mut |address| {
        assert!(text.get(address.start..address.end).is_some(), "a range outside the text");
        if address.form != Form::Relative {
            found.push((address.start, without_fragment(&address.spelling)));
        }
    });
    found
}

/// Readings that start at one byte may come in either order.
fn sort_readings(found: &mut [(usize, String)], wanted: &mut [String]) {
    let mut from = 0;
    for group in found.chunk_by_mut(|one, other| one.0 == other.0) {
        group.sort();
        let to = from + group.len();
        wanted.get_mut(from..to).unwrap().sort();
        from = to;
    }
}

fn without_fragment(address: &str) -> String {
    address.split_once('#').map_or(address, |(address, _)| address).to_owned()
}
