//! Unwrapping, on texts made of the signs of Markdown.

use std::collections::BTreeMap;

use firsthand_answer::find::find;
use firsthand_answer::link::Syntax;
use firsthand_answer::unwrap::unwrap;
use firsthand_answer::{Given, finish, finish_with_html};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

const PIECES: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    "](javascript:1)",
    "](javascript:1)",
    "](javascript:1)",
    "](https://e.x)",
    "](<ref-0123456789abcde>)",
    "`",
    "``",
    "*",
    "**",
    "_",
    "~",
    "<",
    "</",
    ">",
    "#",
    " ",
    "\n",
    "-",
    "--",
    "|",
    "!",
    "![",
    "[",
    "[",
    "&",
    "#65",
    "amp",
    ";",
    "\\",
    "a",
    "b",
    "script",
    "1. ",
    "- ",
    "# ",
    "[r]: javascript:1\n",
    "[s]: https://s.x\n",
    "[r]",
    "[s]",
    "[][r]",
    "\n\n",
    "> ",
    "    ",
    "```\n",
    "~~~",
    "\n|-|-|\n",
    "\n---\n",
    ":",
    "https://q.x/y",
    "\t",
    "<javascript:1>",
    "\"",
    "'",
    "=",
    "é",
    "。",
    "[^1]",
    "[^1]: ",
    "http",
    "https:",
    "//e.z",
    "https://u@w.x",
    "@v.x",
    "&#64;",
    "https://p.x",
    ")",
    "https://t.x)u@w.x",
    "x",
];

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 1..24).prop_map(|pieces| pieces.concat())
}

/// How many there are of what unwrapping must not make.
fn shape(text: &str) -> BTreeMap<&'static str, usize> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    let mut shape = BTreeMap::new();
    for event in Parser::new_ext(text, options) {
        let name = match event {
            Event::Html(_) | Event::InlineHtml(_) => "html",
            Event::Code(_) => "code span",
            Event::Rule => "rule",
            Event::Start(Tag::Heading { .. }) => "heading",
            Event::Start(Tag::List(_)) => "list",
            Event::Start(Tag::Item) => "item",
            Event::Start(Tag::BlockQuote(_)) => "quote",
            Event::Start(Tag::CodeBlock(_)) => "code block",
            Event::Start(Tag::Table(_)) => "table",
            Event::Start(Tag::TableCell) => "cell",
            Event::Start(Tag::Image { .. }) => "image",
            Event::Start(Tag::Link { .. }) => "link",
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => "emphasis",
            _ => continue,
        };
        *shape.entry(name).or_default() += 1;
    }
    shape
}

/// A text without what may be put in beside a link that goes: angles around an address, and escapes of a label's brackets.
fn without_breaks(text: &str) -> String {
    text.replace("&#8203;", "").replace("\\[", "[").replace("\\]", "]").replace(['<', '>'], "")
}

fn holds(text: &str) -> Result<(), TestCaseError> {
    let (after, unwrapped) = unwrap(text);
    // A footnote's mark in a link's text becomes text, and the link one that was none for the parser.
    let has_marks = text.contains("[^");
    let doomed: Vec<_> = find(text).into_iter().filter(|link| link.target.is_err()).collect();
    // An address that others read on to another host stands between angles, or is none.
    let may_be_read_on = text.contains('@') || text.contains("://");
    prop_assert!(doomed.is_empty() || !unwrapped.is_empty());
    prop_assert!(!doomed.is_empty() || unwrapped.is_empty() || has_marks || may_be_read_on);
    if doomed.is_empty() && unwrapped.is_empty() && !has_marks {
        prop_assert!(after == text || may_be_read_on && without_breaks(&after) == without_breaks(text));
        let addresses = |text: &str| find(text).iter().map(|link| link.destination().to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(addresses(&after), addresses(text));
    }
    prop_assert!(find(&after).iter().all(|link| link.target.is_ok()), "a link is left in {:?}", after);
    let (again, more) = unwrap(&after);
    prop_assert_eq!(again.as_ref(), after.as_ref());
    prop_assert_eq!(more, []);
    for link in find(&after).iter().filter(|link| link.syntax == Syntax::Bare) {
        let address = &after[link.range.clone()];
        prop_assert!(text.contains(address), "{:?} is no address in {:?}", address, text);
    }
    let (before, now) = (shape(text), shape(&after));
    // What resists is shown as code, with its links as they were written.
    let count = |shape: &BTreeMap<&'static str, usize>, name| shape.get(name).copied().unwrap_or(0);
    let as_code = count(&now, "code block") > count(&before, "code block");
    // Angles make a link of an address in running text, or in the text of a former link.
    let addresses = text.matches("://").count();
    for (name, count) in &now {
        let was = before.get(name).copied().unwrap_or(0) + if *name == "link" { addresses } else { 0 };
        prop_assert!(
            *count <= was || as_code && *name == "code block" || has_marks && matches!(*name, "link" | "image"),
            "{name}: {was} in {text:?}, {count} in {after:?}"
        );
    }
    // Links that only came up once others were gone have their bytes elsewhere.
    let are_apart = doomed.is_sorted_by(|one, other| one.range.end <= other.range.start);
    let in_one_round = are_apart && unwrapped.len() == doomed.len();
    if !as_code
        && !has_marks
        && in_one_round
        && let (Some(first), Some(last)) =
            (doomed.iter().map(|link| link.range.start).min(), doomed.iter().map(|link| link.range.end).max())
    {
        let (now, head, tail) = (without_breaks(&after), without_breaks(&text[..first]), without_breaks(&text[last..]));
        prop_assert!(now.starts_with(&head), "{text:?} {after:?}");
        prop_assert!(now.ends_with(&tail), "{text:?} {after:?}");
    }
    let finished = finish(text, &Given::default());
    prop_assert_eq!(&finished.record.markdown, after.as_ref());
    let (with_html, html) = finish_with_html(text, &Given::default());
    prop_assert_eq!(with_html, finished);
    crate::oracle::is_safe(&html).map_err(TestCaseError::fail)?;
    Ok(())
}

#[test]
fn what_was_found_by_chance_holds() {
    for text in [
        "[r]: javascript:1\n    > [](javascript:1)\n---\n",
        "[<https://q.x/y> ](javascript:1)",
        "[<javascript:1> ](javascript:2)",
        "[<javascript:1> ](https://q.x)",
        "[[<javascript:1>`\n](javascript:1)~~~](javascript:1)",
        "[r]:\n|-|-|\n[1. [][r]",
        "[a [<javascript:1>](b) c](https://q.x)",
    ] {
        holds(text).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unwrapping_makes_nothing_new(text in texts()) {
        holds(&text)?;
    }
}
