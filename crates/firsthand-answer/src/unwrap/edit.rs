//! What is left in the place of a link, from the lightest to the heaviest.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::outline::Doomed;
use crate::bare::{self, Extent};
use crate::target::Target;

/// What stands where a link without a text would leave nothing that keeps its line one of text: it is not seen, begins
/// no block, and ends an address.
pub(super) const NOTHING: &str = "&#8203;";

/// The character that [`NOTHING`] is.
pub(super) const NOTHING_SEEN: char = '\u{200b}';

/// A space that is none at the edge of a line.
const SPACE: &str = "&#32;";

/// How a link is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// By what stood between its brackets.
    Inner,
    /// By its text, with a backslash before each sign that Markdown may know; an address in it stands between angles.
    Escaped,
    /// The same, with the first letter as an entity: no tag, entity or label starts with one.
    Entity,
    /// By its text with every letter and sign as an entity.
    Entities,
}

impl Level {
    /// Where to begin. What readers may take differently is escaped at once.
    pub(super) fn first(text: &str, link: &Doomed) -> Self {
        let inner = text.get(link.inner.clone()).unwrap_or_default();
        let before = text.get(..link.range.start).unwrap_or_default();
        let behind = text.get(link.range.end..).unwrap_or_default();
        if may_be_read_differently(before, inner, behind) { Self::Escaped } else { Self::Inner }
    }

    /// The next heavier one. Behind `<` the first letter is what makes a tag.
    pub(super) fn next(self, behind_angle: bool) -> Option<Self> {
        match self {
            Self::Inner if behind_angle => Some(Self::Entity),
            Self::Inner => Some(Self::Escaped),
            Self::Escaped => Some(Self::Entity),
            Self::Entity => Some(Self::Entities),
            Self::Entities => None,
        }
    }
}

/// Whether readers differ about what a text is between two others: about where a table may begin, about how many signs
/// strike through, about what may stand behind a definition, and about the marks of footnotes, behind which `!` may stand
/// before the brackets of a link.
fn may_be_read_differently(before: &str, inner: &str, behind: &str) -> bool {
    let begins_line = before.trim_end_matches([' ', '\t', '>']);
    let begins_line = begins_line.is_empty() || begins_line.ends_with('\n');
    let first = inner.bytes().chain(behind.bytes()).next();
    let at_edge = inner.trim_matches([' ', '\t']);
    inner.contains(['|', '~'])
        || at_edge.starts_with(['\n', '\r'])
        || at_edge.ends_with(['\n', '\r'])
        || begins_line && matches!(first, Some(b' ' | b'\t' | b'<'))
        || rules_off(before, inner, behind)
        || inner.ends_with('!') && behind.starts_with('[')
}

/// Whether a line of a text between two others would hold nothing but the signs that rule a table off.
fn rules_off(before: &str, inner: &str, behind: &str) -> bool {
    let is_sign = |byte: u8| matches!(byte, b'|' | b'-' | b':' | b'>' | b' ' | b'\t' | b'\r');
    let tail = before.len() - before.bytes().rev().take_while(|&byte| is_sign(byte)).count();
    let head = behind.bytes().take_while(|&byte| is_sign(byte)).count();
    let is_whole = before.get(..tail).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    let ends = behind.get(head..).is_some_and(|behind| behind.is_empty() || behind.starts_with('\n'));
    let (tail, head) = (before.get(tail..).unwrap_or_default(), behind.get(..head).unwrap_or_default());
    let last = inner.matches('\n').count();
    inner.split('\n').enumerate().any(|(line, inner)| {
        let (is_first, is_last) = (line == 0, line == last);
        let (tail, head) = (if is_first { tail } else { "" }, if is_last { head } else { "" });
        (is_whole || !is_first)
            && (ends || !is_last)
            && inner.bytes().all(is_sign)
            && [tail, inner, head].iter().any(|part| part.contains('-'))
    })
}

/// What stands in a link's place.
pub(super) fn replacement<'t>(text: &'t str, link: &Doomed, level: Level) -> Cow<'t, str> {
    match level {
        Level::Inner => Cow::Borrowed(text.get(link.inner.clone()).unwrap_or_default()),
        Level::Escaped | Level::Entity | Level::Entities if link.text.is_empty() => Cow::Borrowed(NOTHING),
        Level::Escaped | Level::Entity | Level::Entities if link.text.trim_ascii().is_empty() => Cow::Borrowed(SPACE),
        Level::Escaped => Cow::Owned(within_spaces(&link.text, |text| escaped(text, false))),
        Level::Entity => Cow::Owned(within_spaces(&link.text, |text| escaped(text, true))),
        Level::Entities => Cow::Owned(within_spaces(&link.text, entities)),
    }
}

/// A text whose white space at its edges indents and breaks no line.
fn within_spaces(text: &str, inner: impl Fn(&str) -> String) -> String {
    let space = |is_there: bool| if is_there { SPACE } else { "" };
    let (before, behind) = (text.trim_ascii_start().len() < text.len(), text.trim_ascii_end().len() < text.len());
    [space(before), &inner(text.trim_ascii()), space(behind)].concat()
}

fn escaped(text: &str, first_as_entity: bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut first = first_as_entity;
    for piece in pieces(text) {
        let text = match piece {
            Piece::Text(text) => text,
            Piece::Address(address) => {
                out.extend(["<", address, ">"]);
                continue;
            }
        };
        for character in text.chars() {
            if first && character.is_alphanumeric() {
                entity(&mut out, character);
                first = false;
            } else {
                if character.is_ascii_punctuation() {
                    out.push('\\');
                }
                push(&mut out, character);
            }
        }
    }
    out
}

/// A piece of a link's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// An address that may stay, and that stands between angles as it is.
    Address(&'t str),
}

/// The pieces of a link's text that is to be escaped.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for colon in memchr::memmem::find_iter(text.as_bytes(), b"://") {
        let Some(start) = bare::scheme_before(text, colon, from) else { continue };
        let (before, rest) = text.split_at_checked(start).unwrap_or_default();
        let end = Extent::new(before.chars().next_back()).read(rest).unwrap_or(rest.len());
        let address = bare::without_sentence(rest.get(..end).unwrap_or_default());
        if address.contains(['&', '|']) || Target::read(address).is_err() {
            continue;
        }
        pieces.extend(text.get(from..start).filter(|text| !text.is_empty()).map(Piece::Text));
        pieces.push(Piece::Address(address));
        from = start + address.len();
    }
    pieces.extend(text.get(from..).filter(|text| !text.is_empty()).map(Piece::Text));
    pieces
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 6);
    for character in text.chars() {
        if character.is_alphanumeric() || character.is_ascii_punctuation() {
            entity(&mut out, character);
        } else {
            push(&mut out, character);
        }
    }
    out
}

/// Line ends would begin a new block, and what is not seen is told from nothing by who reads the text.
fn push(out: &mut String, character: char) {
    match character {
        '\n' | '\r' => out.push(' '),
        NOTHING_SEEN => out.push_str(NOTHING),
        _ => out.push(character),
    }
}

fn entity(out: &mut String, character: char) {
    // Writing to a string does not fail.
    _ = write!(out, "&#{};", u32::from(character));
}
