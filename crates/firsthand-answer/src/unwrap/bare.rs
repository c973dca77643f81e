//! Addresses in running text that lead, or that some renderer would have lead, where they must not.
//!
//! Readers differ about where an address ends. Of one with a user before its host all open that host, and of one behind
//! which characters stand that end it here, some read on: those characters may make its host a user before another, or
//! the beginning of another name. Where something that is not seen stands behind the scheme nobody makes a link; where
//! angles stand around an address nobody reads on.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};
use url::Url;

use super::apply;
use super::edit::NOTHING;
use crate::find::find;
use crate::link::{Link, Syntax};
use crate::record::{Reason, Unwrapped};
use crate::walk;

/// Whether a text with these links may hold such an address. Hardly any does.
pub(super) fn may_be_in(text: &str, links: &[Link<'_>]) -> bool {
    let is_read_on = |link: &Link<'_>| {
        let rest = text.get(link.range.end..).unwrap_or_default();
        link.syntax == Syntax::Bare
            && (link.target.is_err() || authority(link.destination()).len() == link.destination().len())
            && !without_trail(rest.split(ends).next().unwrap_or_default()).is_empty()
    };
    links.iter().any(is_read_on) || may_have_user(text)
}

fn may_have_user(text: &str) -> bool {
    let is_user = |at: usize| {
        let word = text.get(..at).and_then(|before| before.rsplit(ends).next()).unwrap_or_default();
        let behind = word.rsplit_once("//").map(|(_, behind)| behind);
        word.contains(['&', '\\']) || behind.is_some_and(|behind| authority(behind).len() == behind.len())
    };
    let encoded = |entity: &str| memchr::memmem::find(text.as_bytes(), entity.as_bytes()).is_some();
    memchr::memchr_iter(b'@', text.as_bytes()).any(is_user) || encoded("&#") || encoded("&commat;")
}

/// The text in which no such address is left; `None` where there is none. What is told of one is only that it was there.
pub(super) fn as_text(text: &str, unwrapped: &mut Vec<Unwrapped>) -> Option<String> {
    let links: Vec<Link<'_>> = find(text).into_iter().filter(|link| link.syntax == Syntax::Bare).collect();
    if links.iter().all(|link| link.target.is_ok()) && !may_be_in(text, &links) {
        return None;
    }
    let mut edits = Vec::new();
    for line in lines(text) {
        // What stands before it in what is shown belongs to an address that is none any more.
        let mut broken = 0;
        for (colon, start) in schemes(&line) {
            let read_on = line.shown.get(start..).and_then(|rest| rest.split(ends).next()).unwrap_or_default();
            let read_on = without_trail(read_on);
            let link = line.place(start).and_then(|place| starting_at(&links, place));
            let fate = fate(text, link, read_on);
            if fate == Fate::IsClosed && start >= broken {
                edits.extend(link.map(|link| closed(text, &link.range)));
            } else if fate != Fate::Stays || start < broken {
                edits.extend(line.place_behind(colon - 1).map(|place| (place..place, Cow::Borrowed(NOTHING))));
            }
            if let (Fate::IsBroken(reason), true) = (fate, start >= broken) {
                unwrapped.push(Unwrapped { reason, text: String::new() });
                // An address within it would be the next to stand alone.
                broken = start + link.map_or(authority(read_on).len(), |link| link.destination().len());
            }
        }
    }
    (!edits.is_empty()).then(|| apply(text, edits.into_iter()).0)
}

/// Where each scheme ends and starts that stands in running text.
fn schemes(line: &Line) -> impl Iterator<Item = (usize, usize)> {
    let colons = memchr::memmem::find_iter(line.shown.as_bytes(), b"://");
    let schemes = colons.filter_map(|colon| Some((colon, scheme(&line.shown, colon)?)));
    schemes.filter(|&(_, start)| line.piece(start).is_some_and(|piece| piece.is_running))
}

fn starting_at<'l, 't>(links: &'l [Link<'t>], place: usize) -> Option<&'l Link<'t>> {
    let next = links.partition_point(|link| link.range.start < place);
    links.get(next).filter(|link| link.range.start == place)
}

fn closed<'r>(text: &str, range: &Range<usize>) -> (Range<usize>, Cow<'r, str>) {
    (range.clone(), Cow::Owned(format!("<{}>", text.get(range.clone()).unwrap_or_default())))
}

/// A line of a paragraph, heading or cell as it is shown, but for what stands in code, tags and the brackets of links,
/// which is as it is written.
#[derive(Debug, Default)]
struct Line {
    shown: String,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    /// Where it starts in what is shown.
    start: usize,
    /// Where it stands in the text.
    range: Range<usize>,
    /// Whether it is shown as it is written.
    is_verbatim: bool,
    /// Whether it stands in running text.
    is_running: bool,
}

impl Line {
    fn push(&mut self, shown: &str, range: Range<usize>, is_running: bool) {
        let is_verbatim = shown.len() == range.len();
        self.pieces.push(Piece { start: self.shown.len(), range, is_verbatim, is_running });
        if is_verbatim {
            self.shown.push_str(shown);
        } else {
            // To who reads what is written, an encoded space ends no address.
            self.shown.extend(shown.chars().map(|character| if ends(character) { '\u{fffd}' } else { character }));
        }
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(self.pieces.partition_point(|piece| piece.start <= at).checked_sub(1)?)
    }

    /// Where a byte of what is shown stands in the text.
    fn place(&self, at: usize) -> Option<usize> {
        let piece = self.piece(at)?;
        Some(piece.range.start + if piece.is_verbatim { at - piece.start } else { 0 })
    }

    /// Where the byte behind one of what is shown stands in the text.
    fn place_behind(&self, at: usize) -> Option<usize> {
        let piece = self.piece(at)?;
        Some(if piece.is_verbatim { piece.range.start + at - piece.start + 1 } else { piece.range.end })
    }
}

/// The lines outside of code blocks and HTML.
#[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    let (mut at, mut inside, mut in_code) = (0, 0_usize, false);
    for (event, range) in walk::events(text) {
        let is_inline = match &event {
            Event::Start(tag) => is_inline(&tag.to_end()),
            Event::End(tag) => is_inline(tag),
            Event::SoftBreak | Event::HardBreak | Event::Rule => false,
            _ => true,
        };
        if !is_inline && !line.shown.is_empty() {
            let gap = at..range.start.max(at);
            line.push(text.get(gap.clone()).unwrap_or_default(), gap, false);
            lines.push(std::mem::take(&mut line));
        }
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => inside += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => inside = inside.saturating_sub(1),
            Event::Text(piece) if !in_code => {
                if line.shown.is_empty() {
                    at = range.start;
                }
                let gap = at..range.start.max(at);
                line.push(text.get(gap.clone()).unwrap_or_default(), gap, false);
                at = range.end;
                line.push(&piece, range, inside == 0);
            }
            _ => {}
        }
    }
    lines.push(line);
    lines
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// What becomes of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stays,
    /// Angles stand around it.
    IsClosed,
    /// Something that is not seen stands behind its scheme.
    IsBroken(Reason),
}

/// What becomes of an address that is a link here, or is none, and how others may read it on.
fn fate(text: &str, link: Option<&Link<'_>>, read_on: &str) -> Fate {
    let Some(link) = link else {
        return if has_user(read_on) { Fate::IsBroken(Reason::Invalid) } else { Fate::Stays };
    };
    match &link.target {
        Err(reason) => Fate::IsBroken(*reason),
        Ok(target) if !leads_elsewhere(read_on, link.destination(), target.host()) => Fate::Stays,
        Ok(_) if can_stand_in_angles(text, link) => Fate::IsClosed,
        Ok(_) => Fate::IsBroken(Reason::Invalid),
    }
}

/// Whether an address in angles is that address.
fn can_stand_in_angles(text: &str, link: &Link<'_>) -> bool {
    let before = text.get(..link.range.start).and_then(|before| before.chars().next_back());
    text.get(link.range.clone()) == Some(link.destination())
        && !link.destination().contains(['&', '\\', '|'])
        && !matches!(before, Some('\\' | '('))
}

/// Where the scheme starts that ends at a colon.
fn scheme(shown: &str, colon: usize) -> Option<usize> {
    let ends_with = |name: &str| {
        let start = colon.checked_sub(name.len())?;
        shown.get(start..colon).filter(|scheme| scheme.eq_ignore_ascii_case(name)).map(|_| start)
    };
    ends_with("https").or_else(|| ends_with("http"))
}

/// Whether every reader takes an address to end at a character, encoded ones aside.
fn ends(character: char) -> bool {
    character.is_ascii_whitespace() || character == '<'
}

/// An address without what no reader takes for its end.
fn without_trail(address: &str) -> &str {
    address.trim_end_matches(['?', '!', '.', ',', ':', '*', '_', '~', '\'', '"', ')', ']', ';'])
}

/// An address up to where its path would begin.
fn authority(address: &str) -> &str {
    let scheme = address.find("://").map_or(0, |colon| colon + 3);
    let behind = address.get(scheme..).unwrap_or_default();
    let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
    address.get(..scheme + end).unwrap_or_default()
}

/// Whether an address has a user before its host, for someone.
fn has_user(address: &str) -> bool {
    authority(address).contains('@') && readings(address).next().is_some()
}

/// Whether an address that is read on leads to another host than that which is meant, or has a user before it.
fn leads_elsewhere(address: &str, meant: &str, host: Option<&str>) -> bool {
    let is_other = |url: Url| url.host_str() != host || !url.username().is_empty() || url.password().is_some();
    authority(address) != authority(meant) && readings(address).any(is_other)
}

/// What browsers make of an address, as it is and as renderers write it that encode what they do not expect.
fn readings(address: &str) -> impl Iterator<Item = Url> {
    [Url::parse(address), Url::parse(&address.replace('\\', "%5C"))].into_iter().flatten()
}
