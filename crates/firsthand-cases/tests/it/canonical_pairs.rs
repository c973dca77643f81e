//! Pairs of spellings: one source, one mark, one found by the other.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is the report of a test; a skip is said aloud")]

use std::path::{Path, PathBuf};

use firsthand::address::{Address, Asked, Form, wide_key};
use serde::Deserialize;

#[derive(Deserialize)]
struct Pair {
    id: String,
    a: String,
    b: String,
    permit_same: bool,
    taint_same: bool,
    resolves: bool,
}

fn shared() -> PathBuf {
    match std::env::var_os("FIRSTHAND_SHARED") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    }
}

#[test]
fn each_pair_of_spellings_is_one_or_two_as_the_table_says() {
    let file = shared().join("cases/canonical_pairs.jsonl");
    let Ok(table) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: no canonical_pairs.jsonl among the shared cases");
        return;
    };
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let pair: Pair = serde_json::from_str(line).unwrap();
        let found = (is_one(&pair.a, &pair.b), wide_key(&pair.a) == wide_key(&pair.b), opens(&pair.a, &pair.b));
        let wanted = (pair.permit_same, pair.taint_same, pair.resolves);
        if found != wanted {
            wrong.push(format!("{}: {found:?} instead of {wanted:?}", pair.id));
        }
    }
    assert!(wrong.is_empty(), "one source, one mark, opens:\n{}", wrong.join("\n"));
}

fn source(spelling: &str) -> Option<Address> {
    let form = if spelling.contains(':') { Form::Absolute } else { Form::Bare };
    Address::written(spelling, form)
}

fn is_one(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (source(a), source(b)) else { return false };
    a.identity() == b.identity()
}

/// The steps that a single source can decide.
fn opens(source_spelling: &str, asked: &str) -> bool {
    let (Some(source), Ok(asked)) = (source(source_spelling), Asked::parse(asked)) else {
        return false;
    };
    !source.is_odd()
        && (source.reveal() == asked.raw()
            || source.identity() == asked.address().identity()
            || source.loose() == asked.address().loose())
}
