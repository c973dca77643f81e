//! Parts of a text: so many bytes from an offset on, cut where nothing is cut through.

use std::ops::Range;

use crate::limits::MAX_ADDRESS;

/// A part of a page's text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Part<'p> {
    /// The text.
    pub text: &'p str,
    /// Its first byte in the whole text.
    pub start: usize,
    /// The offset to read on from, if the text goes on.
    pub next: Option<usize>,
    /// How many bytes the whole text has.
    pub total: usize,
    /// Whether the page goes on behind its text.
    pub is_cut: bool,
}

impl Part<'_> {
    /// The text, with a line for the model that says where to read on.
    pub fn marked(&self) -> String {
        let Self { text, start, next, total, is_cut } = *self;
        match next {
            Some(next) => format!("{text}\n\n[Bytes {start} to {next} of {total}. Read on with offset {next}.]"),
            None if is_cut => format!("{text}\n\n[The page is longer; what follows is not read.]"),
            None => text.to_owned(),
        }
    }
}

impl std::fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, start, next, total, is_cut } = self;
        let mut part = f.debug_struct("Part");
        part.field("bytes", &text.len()).field("start", start).field("next", next);
        part.field("total", total).field("is_cut", is_cut).finish()
    }
}

/// The end of a part that starts at a byte and has at most so many: never in a character, a link or an address.
///
/// It is behind the start, so that reading on comes to an end: a link that is longer than the limit is one part, and so is
/// an address. Best is the end of a paragraph, then of a line, then of a word.
pub(crate) fn end_of_part(text: &str, links: &[Range<usize>], start: usize, limit: usize) -> usize {
    let most = start.saturating_add(limit);
    if most >= text.len() {
        return text.len();
    }
    let most = text.floor_char_boundary(most);
    let window = text.get(start..most).unwrap_or_default();
    // A cut in the first half would give many small parts.
    let half = text.ceil_char_boundary(start + window.len() / 2);
    let later = text.get(half..most).unwrap_or_default();
    let ends =
        [later.rfind("\n\n").map(|at| at + 2), later.rfind('\n').map(|at| at + 1), later.rfind(' ').map(|at| at + 1)];
    for end in ends.into_iter().flatten().map(|end| half + end) {
        if end > start && whole_around(text, links, end) == (end..end) {
            return end;
        }
    }
    let whole = whole_around(text, links, most);
    if whole.start > start {
        whole.start
    } else if whole.end > start {
        whole.end
    } else {
        // The limit holds no character.
        text.ceil_char_boundary(start + 1)
    }
}

/// Where a part may start at or before a byte: what ends a part never moves.
pub(crate) fn start_of_part(text: &str, links: &[Range<usize>], offset: usize) -> usize {
    let at = text.floor_char_boundary(offset);
    link_around(links, at).map_or(at, |link| link.start)
}

fn link_around(links: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let behind = links.partition_point(|link| link.end <= at);
    links.get(behind).filter(|link| link.start < at)
}

/// What must not be cut around a byte; empty where nothing would be.
fn whole_around(text: &str, links: &[Range<usize>], at: usize) -> Range<usize> {
    if let Some(link) = link_around(links, at) {
        return link.clone();
    }
    // An address in the text may touch a link; each stays whole.
    let behind = links.partition_point(|link| link.end <= at);
    let next = links.get(behind).map_or(text.len(), |link| link.start);
    let last = behind.checked_sub(1).and_then(|before| links.get(before)).map_or(0, |link| link.end);
    address_around(text, at).map_or(at..at, |address| address.start.max(last)..address.end.min(next))
}

/// The address with a scheme that a byte stands in, if it is not longer than one may be.
fn address_around(text: &str, at: usize) -> Option<Range<usize>> {
    let ends = |character: char| character.is_whitespace() || matches!(character, '"' | '<' | '>' | '`');
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_ADDRESS));
    let before = text.get(from..at)?;
    let word = from
        + before.rfind(ends).map_or(0, |space| {
            space + before.get(space..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
        });
    let to = text.floor_char_boundary(at.saturating_add(MAX_ADDRESS).min(text.len()));
    let after = text.get(at..to)?;
    let end = at + after.find(ends).unwrap_or(after.len());
    let mark = word + text.get(word..end)?.find("://")?;
    let scheme = text.get(word..mark)?.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let start = mark - scheme;
    (start < at && at < end).then_some(start..end)
}
