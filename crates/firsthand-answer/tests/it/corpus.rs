//! Real answers, which are not part of the repository: all that another parser finds is found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use comrak::nodes::NodeValue;
use comrak::{Arena, Options};
use firsthand_answer::find::find;
use firsthand_answer::link::Syntax;
use firsthand_answer::stream::Stream;
use firsthand_answer::{Given, finish, finish_with_html};

/// The answers by name; empty, with a printed reason, where they are absent.
pub(crate) fn answers() -> Vec<(String, String)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder =
        std::env::var_os("FIRSTHAND_SHARED").map_or_else(beside, PathBuf::from).join("transcripts/answers-markdown");
    let mut answers = Vec::new();
    let Ok(groups) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no answers in {}", folder.display());
        return answers;
    };
    for group in groups {
        for file in std::fs::read_dir(group.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            if name.ends_with(".md") {
                answers.push((name, text));
            } else if name.ends_with(".jsonl") {
                for (line, json) in text.lines().enumerate() {
                    let value: serde_json::Value = serde_json::from_str(json).unwrap();
                    answers.push((format!("{name}:{}", line + 1), value["article"].as_str().unwrap().to_owned()));
                }
            }
        }
    }
    answers.sort();
    answers
}

/// The destinations of links outside images, as comrak reads a text.
pub(crate) fn peer(text: &str) -> Vec<String> {
    let mut options = Options::default();
    options.extension.autolink = true;
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, text, &options);
    let mut found = Vec::new();
    for node in root.descendants() {
        let in_image = node.ancestors().skip(1).any(|above| matches!(above.data.borrow().value, NodeValue::Image(_)));
        if let NodeValue::Link(link) = &node.data.borrow().value
            && !in_image
        {
            found.push(link.url.clone());
        }
    }
    found
}

/// The exceptions: `answer TAB what the peer finds TAB what is found here TAB why`, sorted.
const EXCEPTIONS: &str = include_str!("corpus_exceptions.tsv");

#[test]
fn every_link_that_a_parser_of_markdown_finds_is_found() {
    let answers = answers();
    if answers.is_empty() {
        return;
    }
    let mut differing = Vec::new();
    let mut count = 0;
    for (name, text) in &answers {
        let mut ours: BTreeMap<String, isize> = BTreeMap::new();
        for link in find(text) {
            *ours.entry(link.destination().to_owned()).or_default() += 1;
        }
        for link in peer(text) {
            count += 1;
            *ours.entry(link).or_default() -= 1;
        }
        for (link, surplus) in ours {
            for _ in 0..surplus.abs() {
                differing.push(format!("{name}\t{}\t{link}", if surplus > 0 { "here" } else { "peer" }));
            }
        }
    }
    let listed: Vec<String> = EXCEPTIONS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.rsplit_once('\t').unwrap().0.to_owned())
        .collect();
    println!("{} answers, {count} links of the peer, {} differ", answers.len(), differing.len());
    assert_eq!(differing, listed, "{}", differing.join("\n"));
}

#[test]
fn ranges_start_and_end_on_links() {
    for (name, text) in answers() {
        for link in find(&text) {
            let written = &text[link.range.clone()];
            let fits = match link.syntax {
                Syntax::Inline => written.starts_with('[') && written.ends_with(')'),
                Syntax::Reference => written.starts_with('[') && written.ends_with(']'),
                Syntax::Auto => written == format!("<{}>", link.destination()),
                Syntax::Bare => written.starts_with("http") && find(written).len() == 1,
                Syntax::Cell => written.starts_with('{') || written.starts_with('"'),
            };
            assert!(fits, "{name}: {written}");
        }
    }
}

#[test]
fn a_list_has_no_duplicate_is_in_order_and_comes_out_again() {
    for (name, text) in answers() {
        let record = finish(&text, &Given::default()).record;
        let firsts: Vec<usize> = record.items.iter().map(|item| item.occurrences[0].start).collect();
        assert!(firsts.is_sorted(), "{name}");
        let mut urls: Vec<&str> = record.items.iter().map(|item| item.url.as_ref()).collect();
        urls.sort_unstable();
        urls.dedup();
        assert_eq!(urls.len(), record.items.len(), "{name}");
        let mut again = finish(&record.markdown, &Given::default()).record;
        assert_eq!(again.unwrapped, [], "{name}");
        again.unwrapped.clone_from(&record.unwrapped);
        assert_eq!(again, record, "{name}");
    }
}

/// How much of each answer is cut at every byte.
const WINDOW: usize = 1200;

fn hrefs(html: &str) -> Vec<&str> {
    html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The part of a text in which most links stand, from the beginning of a line on.
fn densest(text: &str) -> &str {
    let starts = std::iter::once(0).chain(text.match_indices("\n\n").map(|(at, _)| at + 2));
    let window = |start: usize| {
        let end = (start + WINDOW).min(text.len());
        &text[start..(start..=end).rev().find(|&end| text.is_char_boundary(end)).unwrap()]
    };
    starts.map(window).max_by_key(|window| window.matches("://").count()).unwrap()
}

#[test]
fn cut_at_every_byte_no_address_is_shown_that_the_whole_does_not_lead_to() {
    for (name, text) in answers() {
        let text = densest(&text);
        let (_, whole) = finish_with_html(text, &Given::default());
        let wanted = hrefs(&whole);
        let mut stream = Stream::new();
        for byte in text.as_bytes().chunks(1) {
            stream.push(byte).unwrap();
            for patch in stream.flush() {
                let html = patch.html.unwrap_or_default();
                for href in hrefs(&html) {
                    assert!(wanted.contains(&href), "{name}: {href} behind {:?}", stream.text());
                }
                assert!(!html.contains("class=\"chip\""));
            }
        }
        assert_eq!(stream.finish(&Given::default()).unwrap().1, whole);
    }
}

#[test]
fn a_sanitiser_finds_nothing_to_take_away() {
    for (name, text) in answers() {
        crate::oracle::is_safe(&finish_with_html(&text, &Given::default()).1)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
