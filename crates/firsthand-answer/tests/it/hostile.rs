//! Texts that are made to be slow or to grow.

use firsthand_answer::stream::Stream;
use firsthand_answer::{Given, finish_with_html, html};

/// Units that are repeated.
const UNITS: [&str; 64] = [
    "[",
    "]",
    "(",
    ")",
    "![",
    "[](",
    "[a](",
    "[a](b",
    "](b)",
    "](javascript:1)",
    "[a](javascript:1) ",
    "[a](javascript:1)\n\n",
    "[[a](javascript:1)](javascript:1) ",
    "<[a](javascript:1)> ",
    "[# a](javascript:1)\n\n",
    "![[a](javascript:1)](b)",
    "[![",
    "[a](<",
    "[a](b \"",
    "<",
    "<a ",
    "<!--",
    "<http://a",
    "<http://a> ",
    "`",
    "`a ",
    "`` ` ",
    "*",
    "_",
    "*_",
    "**a *",
    "a**b",
    "~",
    "> ",
    "- ",
    "1. ",
    "\n> - ",
    "| a ",
    "|\n",
    "| a | b |\n|---|---|\n",
    "http://",
    "http://a ",
    "http://[",
    "http://a_",
    "http://a*b ",
    "http://a) ",
    "http://a(",
    "http://a&amp;",
    "https://a.example/?b#",
    "http://a\u{5e74}",
    "&amp;",
    "&#",
    "\\",
    "#",
    "[^1]",
    "[^1]: ",
    "[a]: b\n",
    "[a]: javascript:1\n\n[a]\n\n",
    "[a]\n",
    "\0",
    "http://a\0",
    "```table-widget\n{",
    "```table-widget\n{\"columns\":[],\"rows\":[]}\n```\n",
    "\r",
];

/// What all is done with an answer; how much comes out of it.
fn work(text: &str) -> usize {
    let (finished, page) = finish_with_html(text, &Given::default());
    let list = html::sources(&finished.record, "Sources");
    let mut stream = Stream::new();
    stream.push(text.as_bytes()).unwrap();
    let shown: usize = stream.flush().iter().filter_map(|patch| patch.html.as_ref()).map(String::len).sum();
    finished.record.markdown.len() + page.len() + list.len() + shown
}

/// Works through a text that is long enough for work that grows faster than it never to end.
#[track_caller]
fn check(name: &str, text: impl Fn(usize) -> String) {
    let text = text(200_000);
    let out = work(&text);
    assert!(out <= 400 * text.len() + 10_000, "{name:?}: {out} bytes of {}", text.len());
}

#[test]
fn what_is_repeated_ends_and_stays_small() {
    for unit in UNITS {
        check(unit, |bytes| unit.repeat(bytes / unit.len()));
    }
}

#[test]
fn what_is_nested_ends_and_stays_small() {
    let nested = |open: &'static str, close: &'static str| {
        move |bytes: usize| {
            let depth = bytes / (open.len() + close.len());
            format!("{}t{}", open.repeat(depth), close.repeat(depth))
        }
    };
    check("links", nested("[", "](javascript:1)"));
    check("good links", nested("[", "](https://a.example)"));
    check("images", nested("![", "](https://a.example)"));
    check("links and images", nested("[![", "](b)](javascript:1)"));
    check("emphasis", nested("*a ", " b*"));
    check("strong", nested("**a ", " b**"));
    check("quotes", nested(">", ""));
    check("lists", |bytes| {
        (0..).map(|depth| format!("{}- a\n", "  ".repeat(depth))).take((bytes as f64).sqrt() as usize).collect()
    });
}

#[test]
fn wide_tables_and_long_labels() {
    check("wide", |bytes| format!("{}|\n{}|\n|a|\n|b|\n", "|a".repeat(bytes / 4), "|-".repeat(bytes / 4)));
    check("rows of a wide head", |bytes| {
        let side = (bytes as f64).sqrt() as usize;
        format!("{}|\n{}|\n{}", "|a".repeat(side / 2), "|-".repeat(side / 2), "|\n".repeat(side))
    });
    check("one definition, many links", |bytes| {
        format!("[a]: https://a.example/{}\n\n{}", "x".repeat(bytes / 10), "[a] ".repeat(bytes / 10))
    });
    check("one address", |bytes| format!("https://a.example/{}", "x/".repeat(bytes / 2)));
    check("one host", |bytes| format!("https://{}/", "é".repeat(bytes / 2)));
}

#[test]
fn ten_thousand_links_are_counted_and_a_hundred_listed() {
    let text: String = (0..10_000).map(|n| format!("[t](https://a.example/{n}) ")).collect();
    let (finished, _) = finish_with_html(&text, &Given::default());
    assert_eq!((finished.record.total, finished.record.items.len()), (10_000, 100));
}

#[track_caller]
fn ends(name: &str, unit: &str, bytes: usize) {
    check(name, |_| unit.repeat(bytes / unit.len()));
}

#[test]
fn a_megabyte_ends() {
    // Each kind of sign is among them.
    for unit in UNITS.into_iter().step_by(5) {
        ends(unit, unit, 1_000_000);
    }
}

#[test]
fn ten_megabytes_end() {
    ends("400,000 links", "[t](https://a.example/) ", 9_600_000);
}
