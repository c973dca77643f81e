#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use super::*;
use crate::json::Path;
use crate::policy::Field;

fn noted(asked: &str) -> Noted {
    Noted {
        writer: Writer::World,
        error_writer: Writer::Ignored,
        public: false,
        fields: vec![(Path::parse("results[].note").unwrap(), Field::Of(Writer::Ignored))],
        may_echo: true,
        base: None,
        told: None,
        question: None,
        refused: vec![asked.into()],
        query: None,
        tool: 0,
    }
}

fn joined(count: usize) -> Noted {
    (1..count).fold(noted("0.example"), |mut all, number| {
        all.join(noted(&format!("{number}.example")));
        all
    })
}

#[test]
fn the_calls_of_one_id_are_kept_like_one() {
    assert_eq!(joined(1000).fields.len(), 1);
}

#[test]
fn too_many_refused_addresses_close_whatever_the_results_name() {
    let (few, many) = (joined(MAX_REFUSED), joined(MAX_REFUSED + 1));
    assert_eq!(few.refused.len(), MAX_REFUSED);
    assert_eq!(&*many.refused, ["".into()]);
    assert!(crate::address::wide_key_extends("a.example", ""));
}
