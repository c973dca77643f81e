//! What holds for any bytes.

use firsthand_page::{Limits, Page, read};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::{address, page};

const HEADERS: [&str; 8] = [
    "",
    "text/html",
    "text/html; charset=utf-16le",
    "application/json",
    "application/rss+xml",
    "text/markdown",
    "text/csv",
    "text/plain; charset=shift_jis",
];

/// Pieces from which pages are made that look like markup where they are none.
const PIECES: [&str; 74] = [
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<ul>",
    "<ol start=5>",
    "<li>",
    "</li>",
    "</ul>",
    "</ol>",
    "<table>",
    "<tr>",
    "<td>",
    "<th colspan=2>",
    "<td rowspan=2>",
    "</table>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<blockquote>",
    "</blockquote>",
    "<h2>",
    "</h2>",
    "<a href=/x_(y)>",
    "<a href='https://o.example/a*b?c=1&d;e'>",
    "</a>",
    "<img src=/i alt='a]b'>",
    "<img src=/j>",
    "<br>",
    "<hr>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<details><summary>",
    "</summary>",
    "<q>",
    "</q>",
    "<sup>",
    "</sup>",
    "<b>",
    "</b>",
    " ",
    "\n",
    "x",
    "word",
    "1.",
    "2)",
    "-",
    "+",
    "*",
    "_",
    "__",
    "`",
    "```",
    "~~",
    "#",
    "# ",
    "&gt;",
    "&lt;b>",
    "&lt;/p&gt;",
    "[",
    "](",
    ")",
    "!",
    "&amp;amp;",
    "\\",
    "|",
    "---",
    "===",
    "https://v.example/a_b*c",
    "www.w.example",
    ":",
];

/// What may stand between words and says nothing itself.
const BETWEEN: [&str; 14] = [
    " ",
    "",
    "<br>",
    "<p>",
    "<ul><li>",
    "<li>",
    "<ol><li>",
    "<h3>",
    "</h3>",
    "<b>",
    "<blockquote>",
    "<a href=/x>",
    "</a>",
    "<dl><dt>",
];

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS
}

/// The visible characters of a Markdown text, and where its links lead.
#[expect(clippy::panic, reason = "in a test a panic is the report")]
#[expect(clippy::wildcard_enum_match_arm, reason = "all other markup may be there")]
fn parsed(text: &str) -> (String, Vec<String>) {
    let (mut seen, mut links) = (String::new(), Vec::new());
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Text(text) | Event::Code(text) => {
                seen.extend(text.chars().filter(|character| !character.is_whitespace()))
            }
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Start(
                Tag::Image { .. } | Tag::HtmlBlock | Tag::FootnoteDefinition(_) | Tag::Strikethrough | Tag::Emphasis,
            )
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {
                panic!("markup that nobody wrote: {event:?} in {text:?}")
            }
            _ => {}
        }
    }
    (seen, links)
}

fn in_parts(page: &Page, limit: usize) -> String {
    let (mut whole, mut offset) = (String::new(), Some(0));
    while let Some(at) = offset {
        let part = page.part(at, limit);
        assert!(part.next.is_none_or(|next| next > at), "reading on ends");
        whole.push_str(part.text);
        offset = part.next;
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn any_bytes_give_a_text_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), header in 0..8_usize, limit in 1..200_usize) {
        if let Ok(page) = read(&bytes, HEADERS.get(header).copied(), &address(), Limits::default()) {
            prop_assert_eq!(in_parts(&page, limit), page.text.clone());
            let is_seen = |character: char| matches!(character, '\n' | '\t') || !character.is_control();
            prop_assert!(page.text.chars().all(is_seen));
        }
    }

    #[test]
    fn text_becomes_no_markup_and_links_are_absolute(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        let page = page(&format!("<html>{}", pieces.concat()));
        let (_, links) = parsed(&page.text);
        for link in links {
            prop_assert!(link.starts_with("https://") || link.starts_with("http://"), "{link} in {:?}", page.text);
        }
        prop_assert_eq!(in_parts(&page, 20), page.text.clone());
    }

    #[test]
    fn what_is_said_is_read_again(
        words in prop::collection::vec(("[ -~\u{e4}]{1,9}", prop::sample::select(&BETWEEN[..])), 1..8),
    ) {
        let escaped = |word: &str| word.replace('&', "&amp;").replace('<', "&lt;");
        let html: String = words.iter().map(|(word, between)| format!("{between}{}", escaped(word))).collect();
        let (seen, _) = parsed(&page(&format!("<html><p>{html}")).text);
        let expected: String =
            words.iter().flat_map(|(word, _)| word.chars()).filter(|character| !character.is_whitespace()).collect();
        prop_assert_eq!(seen, expected, "{}", html);
    }
}
