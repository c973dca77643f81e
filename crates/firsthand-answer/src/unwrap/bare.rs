//! Addresses in running text that lead, or that some renderer would have lead, where they must not.
//!
//! Readers differ about where an address ends. Of one with a user before its host all open that host, and of one behind
//! which characters stand that end it here, some read on: those characters may make its host a user before another, or
//! the beginning of another name. Where something that is not seen stands behind the scheme nobody makes a link; where
//! angles stand around an address nobody reads on.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};
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
        let next = rest.chars().find(|&character| !is_trail(character));
        link.syntax == Syntax::Bare && next.is_some_and(|next| !ends(next)) && is_host_alone(link.destination())
    };
    links.iter().any(is_read_on) || may_have_user(text)
}

fn may_have_user(text: &str) -> bool {
    let is_encoded =
        |at| text.get(at..).is_some_and(|rest: &str| rest.starts_with("&#") || rest.starts_with("&commat;"));
    if memchr::memchr_iter(b'&', text.as_bytes()).any(is_encoded) {
        return true;
    }
    let is_user = |part: &str| part.split(begins_path).next().is_some_and(|host| host.contains('@'));
    let may_have_user =
        |word: &str| word.contains('@') && (word.contains(['&', '\\']) || word.split("//").skip(1).any(is_user));
    memchr::memchr(b'@', text.as_bytes()).is_some() && text.split(ends).any(may_have_user)
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
            let read_on = line.read_on(start);
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
                broken = start + link.map_or(read_on.len(), |link| link.destination().len());
            }
        }
    }
    (!edits.is_empty()).then(|| apply(text, edits.into_iter()).0)
}

/// Where each scheme ends and starts that stands in running text or in that of a link.
fn schemes(line: &Line) -> impl Iterator<Item = (usize, usize)> {
    let colons = memchr::memmem::find_iter(line.shown.as_bytes(), b"://");
    let schemes = colons.filter_map(|colon| Some((colon, scheme(&line.shown, colon)?)));
    schemes.filter(|&(_, start)| line.piece(start).is_some_and(|piece| piece.stands != Stands::Elsewhere))
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
    stands: Stands,
}

/// Where a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    InRunningText,
    /// In the text of a link, which is running text to who reads an address before it on over its bracket.
    InLink,
    Elsewhere,
}

impl Line {
    fn push(&mut self, shown: &str, range: Range<usize>, stands: Stands) {
        let is_verbatim = shown.len() == range.len();
        self.pieces.push(Piece { start: self.shown.len(), range, is_verbatim, stands });
        if is_verbatim {
            self.shown.push_str(shown);
        } else {
            // To who reads what is written, an encoded space ends no address.
            self.shown.extend(shown.chars().map(|character| if ends(character) { '\u{fffd}' } else { character }));
        }
    }

    /// How far others may read on the address that starts at a byte, without its path.
    fn read_on(&self, start: usize) -> &str {
        let read_on = authority(self.shown.get(start..).unwrap_or_default());
        let in_link = self.piece(start).is_some_and(|piece| piece.stands == Stands::InLink);
        if in_link { read_on.split(']').next().unwrap_or_default() } else { read_on }
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
    let (mut at, mut stands, mut in_code) = (0, Stands::InRunningText, false);
    for (event, range) in walk::events(text) {
        let is_inline = match &event {
            Event::Start(tag) => is_inline(&tag.to_end()),
            Event::End(tag) => is_inline(tag),
            Event::SoftBreak | Event::HardBreak | Event::Rule => false,
            _ => true,
        };
        if !is_inline && !line.shown.is_empty() {
            let gap = at..range.start.max(at);
            line.push(text.get(gap.clone()).unwrap_or_default(), gap, Stands::Elsewhere);
            lines.push(std::mem::take(&mut line));
        }
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { link_type, .. }) => {
                let in_angles = matches!(link_type, LinkType::Autolink | LinkType::Email);
                stands = if in_angles { Stands::Elsewhere } else { Stands::InLink };
            }
            Event::End(TagEnd::Link) => stands = Stands::InRunningText,
            Event::Text(piece) if !in_code => {
                if line.shown.is_empty() {
                    at = range.start;
                }
                let gap = at..range.start.max(at);
                // An escape is not shown.
                if let Some(written) = text.get(gap.clone()).filter(|written| *written != "\\") {
                    line.push(written, gap, Stands::Elsewhere);
                }
                at = range.end;
                line.push(&piece, range, stands);
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
        return if read_on.contains('@') { Fate::IsBroken(Reason::Invalid) } else { Fate::Stays };
    };
    match &link.target {
        Err(reason) => Fate::IsBroken(*reason),
        Ok(target) if !leads_elsewhere(read_on, link.destination(), target.host()) => Fate::Stays,
        Ok(_) if can_stand_in_angles(text, link) => Fate::IsClosed,
        Ok(_) => Fate::IsBroken(Reason::Invalid),
    }
}

/// Whether an address in angles is that address, and what stands beside it what it was: emphasis depends on what its
/// signs stand beside.
fn can_stand_in_angles(text: &str, link: &Link<'_>) -> bool {
    let before = text.get(..link.range.start).unwrap_or_default();
    let behind = text.get(link.range.end..).unwrap_or_default();
    text.get(link.range.clone()) == Some(link.destination())
        && !link.destination().contains(['&', '\\', '|'])
        && !before.ends_with(['\\', '(', '*', '_', '~'])
        && !behind.starts_with(['*', '_', '~'])
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

/// Whether no reader takes a character for the end of an address.
fn is_trail(character: char) -> bool {
    matches!(character, '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' | ')' | ']' | ';')
}

fn begins_path(character: char) -> bool {
    matches!(character, '/' | '?' | '#')
}

/// The scheme, user and host with which a text begins, for who reads them on as far as may be.
fn authority(text: &str) -> &str {
    let from = text.find("://").map_or(0, |colon| colon + 3);
    let rest = text.get(from..).unwrap_or_default();
    match rest.find(|character| begins_path(character) || ends(character)) {
        Some(end) if rest.get(end..).is_some_and(|rest| rest.starts_with(begins_path)) => {
            text.get(..from + end).unwrap_or_default()
        }
        Some(end) => text.get(..from + end).unwrap_or_default().trim_end_matches(is_trail),
        None => text.trim_end_matches(is_trail),
    }
}

/// Whether nothing begins a path behind the host of an address.
fn is_host_alone(address: &str) -> bool {
    !address.get(address.find("://").map_or(0, |colon| colon + 3)..).is_some_and(|rest| rest.contains(begins_path))
}

/// Whether an address that is read on has a user before its host, or leads to another host than that which is meant.
///
/// A host whose end is no public suffix is nobody's, as that of an address with a sentence of another script behind it.
fn leads_elsewhere(address: &str, meant: &str, host: Option<&str>) -> bool {
    let is_public = |host: &str| psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known());
    let is_other = |url: Url| url.host_str() != host && url.host_str().is_some_and(is_public);
    address.contains('@') || address != authority(meant) && readings(address).any(is_other)
}

/// What browsers make of an address, as it is and as renderers write it that encode what they do not expect.
fn readings(address: &str) -> impl Iterator<Item = Url> {
    [Url::parse(address), Url::parse(&address.replace('\\', "%5C"))].into_iter().flatten()
}
