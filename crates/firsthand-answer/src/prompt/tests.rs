//! What the prompt parts say, in each language.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use super::*;
use crate::list::{Given, finish};

const RULES: &str = r#"
[[shortcut]]
name = "order"
template = "https://erp.example/orders/{order_no}"
description = "A single order, by its number."
example = { order_no = "ORD 7" }
"#;

#[test]
fn every_language_has_every_section_filled() {
    let shortcuts = Shortcuts::read(RULES).unwrap();
    for (language, text) in LANGUAGES {
        for name in ["links", "shortcuts", "shortcut", "example", "carry over"] {
            assert!(section(text, name).len() > 8, "{language} says nothing under `{name}`");
        }
        assert!(!heading(language).unwrap().is_empty());
        let filled = prompt(language, &Part::ALL, &shortcuts).unwrap();
        for wanted in
            ["`https://erp.example/orders/{order_no}`", "A single order", "/orders/ORD%207", "`/documents/`", "`ref-`"]
        {
            assert!(filled.contains(wanted), "{language}: {wanted}");
        }
        assert!(!filled.contains("{example}") && !filled.contains("{template}"), "{filled}");
        // A prompt that a model repeats is no list of sources but for the example's address.
        assert_eq!(finish(&filled, &Given::default()).record.total, 1, "{filled}");
    }
}

#[test]
fn a_part_is_there_when_it_is_asked_for_and_has_something_to_say() {
    let none = Shortcuts::default();
    assert_eq!(prompt("en", &[Part::Shortcuts], &none).unwrap(), "");
    assert_eq!(prompt("xx", &Part::ALL, &none), None);
    assert!(!prompt("en", &[Part::Links], &none).unwrap().contains("reports"));
}

#[test]
fn the_parts_in_english() {
    insta::assert_snapshot!(prompt("en", &Part::ALL, &Shortcuts::read(RULES).unwrap()).unwrap());
}

#[test]
fn the_parts_in_korean() {
    insta::assert_snapshot!(prompt("ko", &Part::ALL, &Shortcuts::read(RULES).unwrap()).unwrap());
}

#[test]
fn nothing_is_said_of_rules_where_there_are_none() {
    assert_eq!(prompt("en", &[Part::Shortcuts], &Shortcuts::default()).as_deref(), Some(""));
}
