//! The list of an answer's sources.

use hashbrown::HashMap;

use crate::find::Found;
use crate::html::Page;
use crate::known::{Index, Known};
use crate::link::Link;
use crate::record::{Form, Item, Kind, LIMIT, Occurrence, Record, TitleFrom};
use crate::shortcut::Shortcuts;
use crate::target::Target;
use crate::title;
use crate::unwrap::{self, unwrap};
use crate::walk::walk;

/// What an answer is finished with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// What is known of addresses; of two entries with one address the first that says something counts.
    pub known: &'a [Known],
    /// The registered shortcut rules.
    pub shortcuts: Option<&'a Shortcuts>,
    /// How many links of the researchers' reports the text does not carry.
    pub not_carried_over: Option<u64>,
}

/// A finished answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What is stored and given out.
    pub record: Record,
    /// The links of the finished text, in order; each has a target.
    pub links: Vec<Link>,
    /// What is broken in the text, such as a table widget that is no JSON: a sentence each, with its place.
    pub problems: Vec<String>,
}

/// Unwraps what must not stay, and builds the list of the rest.
pub fn finish(markdown: &str, given: &Given<'_>) -> Finished {
    let known = Index::new(given.known);
    let mut found = Found::default();
    walk(markdown, &mut found);
    if found.links.iter().all(|link| link.target.is_ok()) && !unwrap::hides_links(markdown) {
        return finished(markdown.to_owned(), Vec::new(), found, given, &known);
    }
    let (text, unwrapped) = unwrap(markdown);
    let mut found = Found::default();
    walk(&text, &mut found);
    finished(text.into_owned(), unwrapped, found, given, &known)
}

/// The same, and the finished text as safe HTML, without the list; see [`crate::html::sources`].
pub fn finish_with_html(markdown: &str, given: &Given<'_>) -> (Finished, String) {
    let known = Index::new(given.known);
    let mut page = Page::new(markdown.len(), &known);
    walk(markdown, &mut page);
    if page.found.links.iter().all(|link| link.target.is_ok()) && !unwrap::hides_links(markdown) {
        let (found, html) = page.into_parts();
        return (finished(markdown.to_owned(), Vec::new(), found, given, &known), html);
    }
    let (text, unwrapped) = unwrap(markdown);
    let mut page = Page::new(text.len(), &known);
    walk(&text, &mut page);
    let (found, html) = page.into_parts();
    (finished(text.into_owned(), unwrapped, found, given, &known), html)
}

fn finished(
    markdown: String,
    unwrapped: Vec<crate::record::Unwrapped>,
    found: Found,
    given: &Given<'_>,
    known: &Index<'_>,
) -> Finished {
    let Found { links, problems } = found;
    let (items, total) = items(&links, given, known);
    let record = Record {
        object: "firsthand.sources".to_owned(),
        version: 1,
        markdown,
        limit: LIMIT,
        total,
        truncated: total > LIMIT,
        items,
        unwrapped,
        not_carried_over: given.not_carried_over,
    };
    Finished { record, links, problems }
}

/// One address with the links that lead to it.
struct Source<'l> {
    target: &'l Target,
    links: Vec<&'l Link>,
}

/// The list, and how many different addresses there are.
fn items(links: &[Link], given: &Given<'_>, known: &Index<'_>) -> (Vec<Item>, usize) {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(links.len().min(LIMIT));
    let mut sources: Vec<Source<'_>> = Vec::new();
    for link in links {
        let Ok(target) = &link.target else { continue };
        let next = places.len();
        let place = *places.entry(target.key()).or_insert(next);
        match sources.get_mut(place) {
            Some(source) => source.links.push(link),
            None if place < LIMIT => sources.push(Source { target, links: vec![link] }),
            None => {}
        }
    }
    let items = sources.iter().enumerate().map(|(index, source)| item(index + 1, source, given, known)).collect();
    (items, places.len())
}

fn item(n: usize, source: &Source<'_>, given: &Given<'_>, known: &Index<'_>) -> Item {
    let Source { target, links } = source;
    let shortcut = given.shortcuts.and_then(|shortcuts| shortcuts.matching(target.key()));
    let kind = if target.is_document() {
        Kind::Document
    } else if shortcut.is_some() {
        Kind::Record
    } else if known.is_of_connector(target) {
        Kind::Connector
    } else {
        Kind::Web
    };
    let (title, title_from) = title_of(source, known);
    Item {
        n,
        url: target.spelling.clone(),
        kind,
        title,
        title_from,
        host: target.host().map(str::to_owned),
        first: known.first(target),
        shortcut: shortcut.map(|shortcut| shortcut.name.clone()),
        occurrences: links.iter().map(|link| occurrence(link)).collect(),
    }
}

/// The title of an address and where it comes from.
///
/// Where the address stands even once as a chip, texts of links name values beside it and not the address.
fn title_of(source: &Source<'_>, known: &Index<'_>) -> (String, TitleFrom) {
    let Source { target, links } = source;
    let has_chip = links.iter().any(|link| link.form() == Form::Chip);
    let texts = links.iter().filter(|_| !has_chip).find_map(|link| title::title(&link.text, target));
    if let Some(title) = texts {
        return (title, TitleFrom::LinkText);
    }
    match known.title(target) {
        Some(title) => (title, TitleFrom::ToolResult),
        None => (target.host().unwrap_or(&target.spelling).to_owned(), TitleFrom::Host),
    }
}

fn occurrence(link: &Link) -> Occurrence {
    Occurrence {
        start: link.range.start,
        end: link.range.end,
        form: link.form(),
        in_table: link.in_table,
        text: title::clean(&link.text),
    }
}
