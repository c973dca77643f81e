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
    // At times without a space, so that one run has many starts.
    let crowded = prop::collection::vec(piece.clone(), 16..48);
    let crowded = crowded.prop_map(|pieces| pieces.concat().replace([' ', '\n', '\t'], ""));
    prop_oneof![4 => prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat()), 1 => crowded]
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

#[test]
fn a_text_that_is_no_json_is_read_whole_though_it_was_said_to_be_json() {
    let found = |text: &str| {
        let mut spellings = Vec::new();
        shown(text, Format::Json, Voice::World, &mut |found| spellings.push(found.spelling.into_owned()));
        spellings
    };
    for text in ["https://a.example/x", "12.example.org/x", "true.example.org/x"] {
        assert_eq!(found(text), [text]);
        assert_eq!(found(&format!("[{text}")), [text]);
    }
    assert_eq!(found("[1, 2.5, null, \"https://a.example/x\"]"), ["https://a.example/x"]);
}

#[test]
fn each_address_of_the_strict_side_is_on_the_generous_one_behind_any_number_of_starts() {
    let before = "*http://a.example".repeat(9);
    for last in [
        "*http://b.example/1.x/2.x/3.x/4.x/5.x/6.x/end",
        "*http://b.example/http://c.example/http://d.example/http://e.example/http://f.example/http://g.example/end",
        "*b.example.org/1.x/2.x/3.x/4.x/5.x/6.x/end",
    ] {
        assert_eq!(missed(&format!("{before}{last}")), Vec::<String>::new());
        assert_eq!(missed(&format!("{{\"a\":\"{before}{last}\"}}")), Vec::<String>::new());
    }
    assert_eq!(missed("http://t/http://http://:http://"), Vec::<String>::new());
}

#[test]
fn an_address_in_a_destination_goes_on_behind_quotes_and_ends_with_the_destination() {
    for inside in [
        r#"a/https://a.example/x"b"#,
        r#"a/https://a.example/x"b"c"#,
        r#"{"a":"hxxp://https://a.example/x{"b":""#,
        r#"(a)/https://a.example/x(y)"b(c)"#,
        r#"(a/https://a.example/x"b)c"#,
        r"a/https://a.example/x<b",
        r"a/https://a.example/x>b",
    ] {
        assert_eq!(missed(&format!("]({inside})")), Vec::<String>::new(), "{inside}");
        assert_eq!(missed(&format!("[t]({inside}) and )")), Vec::<String>::new(), "{inside}");
        assert_eq!(missed(&format!("[t]({inside}){{\"a\":\"({inside}).)")), Vec::<String>::new(), "{inside}");
    }
    // Layers upon layers end before they are all undone.
    let layers = r#"{"a":""#.repeat(4);
    let text = format!(r#"]({layers}hxxp://https://a.example/x{{"a":"{{"a":"{{"u":"{{"a":"){layers}"#);
    assert_eq!(missed(&text), Vec::<String>::new());
}

#[test]
fn a_name_is_found_behind_a_scheme_without_slashes_and_behind_marks() {
    for text in [
        "https:8080f.org&amp;",
        "https:f.example.org",
        ".h\u{301}f.org\u{301}",
        "a.h\u{301}f.org\u{301}",
        "..h\u{301}f.org",
        "a.b\u{301}c.h\u{301}f.org\u{301}.",
    ] {
        assert_eq!(missed(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_escape_that_json_does_not_know_ends_an_address_behind_one_that_it_knows() {
    for text in [r#""\nf.example.org\www.d.example""#, r#""\u002ff.example.org\q""#] {
        assert_eq!(missed(&text.replace(r"\\", r"\")), Vec::<String>::new());
    }
}
