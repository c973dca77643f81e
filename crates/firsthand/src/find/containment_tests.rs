//! The generous side holds whatever the strict side finds.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Format, Found, Voice, shown, shown_in_json, written, written_in_json};
use crate::address::{Address, wide_key};
use crate::json::looks_like_json;

/// What the strict side finds in a text and the generous one does not, as spellings.
fn missed(text: &str) -> Vec<String> {
    let mut keys = BTreeSet::new();
    written(text, &mut |written| {
        keys.insert(written.key.to_owned());
    });
    let mut missed = Vec::new();
    let mut look = |found: Found<'_>| {
        // What does not parse becomes no source.
        let Some(address) = Address::written(&found.spelling, found.form) else { return };
        if [address.wide(), wide_key(&found.spelling)].iter().any(|key| !key.is_empty() && !keys.contains(key)) {
            missed.push(found.spelling.into_owned());
        }
    };
    for format in [Format::Plain, Format::Markdown, Format::Html, Format::Json, Format::Auto] {
        // A text that is no JSON at all is cut where that is noticed, which nobody does to the model's.
        if format == Format::Json && !looks_like_json(text) {
            continue;
        }
        for voice in [Voice::Person, Voice::World] {
            shown(text, format, voice, &mut look);
        }
    }
    let mut json_keys = BTreeSet::new();
    written_in_json(text, &mut |written| {
        json_keys.insert(written.key.to_owned());
    });
    let mut look_json = |found: Found<'_>| {
        let address = Address::written(&found.spelling, found.form);
        if address.is_some_and(|address| !json_keys.contains(&address.wide()) && !address.wide().is_empty()) {
            missed.push(found.spelling.into_owned());
        }
    };
    if looks_like_json(text) {
        shown_in_json(text, Voice::Person, &mut |_, found| look_json(found));
    }
    missed
}

/// Pieces of texts in every format, so that addresses meet what may end, hide or split them.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{\"a\":\"",
        "https://a.example/x",
        "http://b.example",
        "HTTPS://C.Example/Y?z=1&w=2",
        "www.d.example",
        "e.example/p",
        "co.uk/x",
        "f.org",
        "https",
        "://",
        "http://",
        "g.",
        ".h",
        "/i.j/",
        "?q=",
        "&amp;",
        "&#46;",
        "&",
        "=",
        "#f",
        "(",
        ")",
        "[",
        "](",
        "]",
        "<",
        ">",
        "<a href=\"",
        "\">",
        "'",
        "\"",
        "`",
        "|",
        "\\",
        "\\/",
        "\\u002e",
        "\\n",
        "{\"u\":\"",
        "\"}",
        ",",
        ";",
        ".",
        "!",
        "*",
        "**",
        "_",
        "~",
        "%2e",
        "%20",
        "+",
        " ",
        "\n",
        "\n> ",
        "\t",
        "- url: ",
        "见",
        "。",
        "，",
        "（",
        "é",
        "\u{301}",
        "\u{200b}",
        "\u{200d}",
        "…",
        "“",
        "”",
        "'s",
        ":8080",
        ":",
        "@",
        "[::1]",
        "1.2.3.4",
        "localhost",
        "<!-- ",
        "&lt;",
        "[r]: ",
        "<wbr>",
        "hxxp://",
        "[.]",
        "\u{202e}",
        "ß",
        "K",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_address_of_the_strict_side_is_on_the_generous_one(text in texts()) {
        prop_assert_eq!(missed(&text), Vec::<String>::new());
    }

    #[test]
    fn no_text_breaks_the_generous_side(text in ".{0,200}", pieces in texts()) {
        let mut empty = false;
        for text in [text, pieces] {
            written(&text, &mut |written| empty |= written.key.is_empty());
            written_in_json(&text, &mut |written| empty |= written.key.is_empty());
        }
        prop_assert!(!empty);
    }
}
