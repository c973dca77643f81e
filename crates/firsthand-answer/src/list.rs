//! The list of an answer's sources.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::find::Found;
use crate::html::Page;
use crate::known::{Index, Known};
use crate::link::Link;
use crate::record::{Form, Item, Kind, LIMIT, Occurrence, Record, TitleFrom, Unwrapped};
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
pub struct Finished<'a> {
    /// What is stored and given out.
    pub record: Record<'a>,
    /// The links of the finished text, in order; each has a target.
    pub links: Vec<Link<'a>>,
    /// What is broken in the text, such as a table widget that is no JSON: a sentence each, with its place.
    pub problems: Vec<String>,
}

impl Finished<'_> {
    /// The same, whatever becomes of the answer that was given.
    pub fn into_owned(self) -> Finished<'static> {
        Finished {
            record: self.record.into_owned(),
            links: self.links.into_iter().map(Link::into_owned).collect(),
            problems: self.problems,
        }
    }
}

/// Unwraps what must not stay, and builds the list of the rest.
pub fn finish<'a>(markdown: &'a str, given: &Given<'_>) -> Finished<'a> {
    let known = Index::new(given.known);
    let mut found = Found::of(markdown.len());
    walk(markdown, &mut found);
    if stays(markdown, &found) {
        return finished(markdown, found, given, &known);
    }
    let (text, unwrapped) = unwrap(markdown);
    let mut found = Found::of(text.len());
    walk(&text, &mut found);
    anew(&text, unwrapped, found, given, &known)
}

/// The same, and the finished text as safe HTML, without the list; see [`crate::html::sources`].
pub fn finish_with_html<'a>(markdown: &'a str, given: &Given<'_>) -> (Finished<'a>, String) {
    let known = Index::new(given.known);
    let mut page = Page::new(markdown.len(), &known);
    walk(markdown, &mut page);
    if stays(markdown, &page.found) {
        let (found, html) = page.into_parts();
        return (finished(markdown, found, given, &known), html);
    }
    let (text, unwrapped) = unwrap(markdown);
    let mut page = Page::new(text.len(), &known);
    walk(&text, &mut page);
    let (found, html) = page.into_parts();
    (anew(&text, unwrapped, found, given, &known), html)
}

/// Whether all links of a text may stay.
fn stays(markdown: &str, found: &Found<'_>) -> bool {
    found.links.iter().all(|link| link.target.is_ok()) && !unwrap::may_hide_links(markdown, &found.links)
}

/// An answer whose text is not the one that was given.
fn anew(
    text: &str,
    unwrapped: Vec<Unwrapped>,
    found: Found<'_>,
    given: &Given<'_>,
    known: &Index<'_>,
) -> Finished<'static> {
    let mut finished = finished(text, found, given, known).into_owned();
    finished.record.unwrapped = unwrapped;
    finished
}

fn finished<'a>(markdown: &'a str, found: Found<'a>, given: &Given<'_>, known: &Index<'_>) -> Finished<'a> {
    let Found { links, problems } = found;
    let (items, total) = items(&links, given, known);
    let record = Record {
        object: Cow::Borrowed("firsthand.sources"),
        version: 1,
        markdown: Cow::Borrowed(markdown),
        limit: LIMIT,
        total,
        truncated: total > LIMIT,
        items,
        unwrapped: Vec::new(),
        not_carried_over: given.not_carried_over,
    };
    Finished { record, links, problems }
}

/// The list, and how many different addresses there are.
fn items<'a>(links: &[Link<'a>], given: &Given<'_>, known: &Index<'_>) -> (Vec<Item<'a>>, usize) {
    let most = links.len().min(LIMIT);
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(most);
    let mut targets: Vec<&Target<'a>> = Vec::with_capacity(most);
    let mut items: Vec<Item<'a>> = Vec::with_capacity(most);
    for link in links {
        let Ok(target) = &link.target else { continue };
        let next = places.len();
        let place = *places.entry(target.key()).or_insert(next);
        match items.get_mut(place) {
            Some(item) => item.occurrences.push(occurrence(link)),
            None if place < LIMIT => {
                targets.push(target);
                items.push(untitled(place + 1, target, vec![occurrence(link)], given, known));
            }
            None => {}
        }
    }
    for (item, target) in items.iter_mut().zip(targets) {
        (item.title, item.title_from) = title_of(target, &item.occurrences, known);
    }
    (items, places.len())
}

/// A source whose links are not all known, and whose title is not.
fn untitled<'a>(
    n: usize,
    target: &Target<'a>,
    occurrences: Vec<Occurrence<'a>>,
    given: &Given<'_>,
    known: &Index<'_>,
) -> Item<'a> {
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
    Item {
        n,
        url: target.spelling.clone(),
        kind,
        title: Cow::Borrowed(""),
        title_from: TitleFrom::Host,
        host: target.lasting_host(),
        first: known.first(target),
        shortcut: shortcut.map(|shortcut| shortcut.name.clone()),
        occurrences,
    }
}

/// The title of an address and where it comes from.
///
/// Where the address stands even once as a chip, texts of links name values beside it and not the address.
fn title_of<'a>(target: &Target<'a>, occurrences: &[Occurrence<'a>], known: &Index<'_>) -> (Cow<'a, str>, TitleFrom) {
    let has_chip = occurrences.iter().any(|one| one.form == Form::Chip);
    let texts = occurrences.iter().filter(|_| !has_chip);
    if let Some(title) = texts.map(|one| &one.text).find_map(|text| title::title_of_clean(text, target)) {
        return (title, TitleFrom::LinkText);
    }
    match known.title(target) {
        Some(title) => (Cow::Owned(title), TitleFrom::ToolResult),
        None => (target.lasting_host().unwrap_or_else(|| target.spelling.clone()), TitleFrom::Host),
    }
}

fn occurrence<'a>(link: &Link<'a>) -> Occurrence<'a> {
    Occurrence {
        start: link.range.start,
        end: link.range.end,
        form: link.form(),
        in_table: link.in_table,
        text: title::cleaned(link.text.clone()),
    }
}
