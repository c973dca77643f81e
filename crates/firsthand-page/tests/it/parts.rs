//! Parts of a text.

use firsthand_page::{Limits, Page, read};

use crate::{address, page};

fn parts(page: &Page, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let part = page.part(at, limit);
        parts.push(part.text);
        assert!(part.next.is_none_or(|next| next > at), "reading on ends");
        offset = part.next;
    }
    parts
}

#[test]
fn a_part_ends_at_a_paragraph_a_line_or_a_word() {
    let page = page("<p>One two three.<p>Four five six.<p>Seven");
    assert_eq!(parts(&page, 24), ["One two three.\n\n", "Four five six.\n\nSeven"]);
    assert_eq!(parts(&page, 9), ["One two ", "three.\n\n", "Four ", "five ", "six.\n\n", "Seven"]);
}

#[test]
fn a_link_and_an_address_are_never_cut() {
    let page = page("<p>ab <a href=/path>two words</a> https://a.example/long/path?with=query end");
    for limit in 1..90 {
        let parts = parts(&page, limit);
        assert_eq!(parts.concat(), page.text);
        assert!(parts.iter().any(|part| part.contains("[two words](https://shop.example/path)")), "{parts:?}");
        assert!(parts.iter().any(|part| part.contains("https://a.example/long/path?with=query")), "{parts:?}");
    }
}

#[test]
fn addresses_in_json_and_links_in_markdown_are_never_cut() {
    let json = br#"{"a":"https://a.example/one","b":["https://b.example/two?x=1","x"]}"#;
    let page = read(json, Some("application/json"), &address(), Limits::default()).unwrap();
    for limit in 1..80 {
        let parts = parts(&page, limit);
        assert_eq!(parts.concat(), page.text);
        assert!(parts.iter().any(|part| part.contains("https://b.example/two?x=1")), "{parts:?}");
    }
    let page = read(b"See [a b c](../x \"t u\") and on", Some("text/markdown"), &address(), Limits::default()).unwrap();
    for limit in 1..40 {
        assert!(parts(&page, limit).iter().any(|part| part.contains("[a b c](../x \"t u\")")));
    }
}

#[test]
fn an_offset_in_a_link_or_a_character_is_its_beginning() {
    let page = page("<p>\u{20ac}\u{20ac} <a href=/path>x y</a>");
    assert_eq!(page.part(4, 3).start, 3);
    assert_eq!(page.part(12, 100).text, "[x y](https://shop.example/path)");
    assert_eq!(page.part(1_000, 10).text, "");
}

#[test]
fn a_part_tells_where_to_read_on() {
    let page = page("<p>One two three.<p>Four");
    let part = page.part(0, 16);
    assert_eq!(part.next, Some(16));
    assert!(part.marked().ends_with("[Bytes 0 to 16 of 20. Read on with offset 16.]"));
    assert_eq!(page.part(16, 100).marked(), "Four");
}
