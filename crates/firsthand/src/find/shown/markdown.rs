//! Markdown's local rules: destinations, definitions, references.
//!
//! Markdown is read where it stands, not parsed: text that a model or a converter made breaks the rules of blocks often
//! enough, and an address in a code span is one too.

use std::ops::Range;

use super::layer::{self, Encoding, Layer, Reader};
use super::link;
use super::scan::Scan;
use crate::address::Form;
use crate::find::sign;

/// How deep round brackets may stand in a destination, as in CommonMark.
const MAX_PARENTHESES: usize = 32;
/// How far the label of a definition is looked for.
const MAX_LABEL: usize = 1000;

/// A closing square bracket: a destination or a definition may follow.
pub(super) fn bracket(scan: &mut Scan<'_, '_, '_, '_, '_>, bracket: usize) {
    let bytes = scan.text.as_bytes();
    let destination = match bytes.get(bracket + 1) {
        Some(b'(') => destination(bytes, bracket + 2, Ends::Parenthesis),
        Some(b':') if is_label(bytes, bracket) => destination(bytes, bracket + 2, Ends::Line).filter(|found| {
            bytes.get(found.clone()).is_some_and(|text| memchr::memchr3(b'/', b'.', b'#', text).is_some())
        }),
        _ => None,
    };
    if let Some(range) = destination {
        scan.at = range.end;
        let range = scan.base + range.start..scan.base + range.end;
        let reader = &mut *scan.reader;
        layer::decoded(scan.layer, range, Encoding::Destination, |layer, range| link::read(layer, range, reader));
    }
}

/// Reads an address between angle brackets.
pub(super) fn autolink<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) -> bool {
    let mut told = false;
    layer::decoded(layer, range, Encoding::References, |layer, range| told = link::whole(layer, range, reader));
    told
}

/// Tells of the reading of a bare address in which its references are decoded.
pub(super) fn decoded_reading<'t>(layer: &Layer<'_, 't>, range: Range<usize>, form: Form, reader: &mut Reader<'_, 't>) {
    layer::decoded(layer, range, Encoding::References, |layer, range| reader.tell(layer, range, form));
}

/// What must follow a destination or its title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Parenthesis,
    Line,
}

/// The destination that starts at a byte, behind spaces; angle brackets around it are left out.
fn destination(bytes: &[u8], from: usize, ends: Ends) -> Option<Range<usize>> {
    let start = from + spaces(bytes, from);
    let (range, behind) = if bytes.get(start) == Some(&b'<') {
        let range = between_angles(bytes, start + 1)?;
        (range.clone(), range.end + 1)
    } else {
        let end = unquoted(bytes, start)?;
        (start..end, end)
    };
    if range.is_empty() {
        return None;
    }
    let next = behind + spaces(bytes, behind);
    let title = next > behind && matches!(bytes.get(next), Some(b'"' | b'\'' | b'('));
    let closed = match ends {
        Ends::Parenthesis => bytes.get(next) == Some(&b')'),
        Ends::Line => {
            let line = bytes.get(behind..next).is_some_and(|space| space.contains(&b'\n'));
            line || next >= bytes.len()
        }
    };
    (closed || title).then_some(range)
}

fn spaces(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let mut lines = 0;
    rest.iter()
        .take_while(|&&byte| {
            lines += usize::from(byte == b'\n');
            matches!(byte, b' ' | b'\t' | b'\r' | b'\n') && lines < 2
        })
        .count()
}

fn between_angles(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'>' => return Some(from..at),
            b'<' | b'\n' => return None,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 2,
            _ => at += 1,
        }
    }
}

/// The end of a destination without angle brackets. One that holds the start of another link is none; so each byte is
/// looked at only once however many links are open.
fn unquoted(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let mut open = 0;
    loop {
        at = sign::next_in(bytes, at, bytes.len(), sign::DESTINATION);
        match bytes.get(at) {
            Some(b'(') if open == MAX_PARENTHESES || at > from && bytes.get(at - 1) == Some(&b']') => return None,
            Some(b'(') => open += 1,
            Some(b')') if open > 0 => open -= 1,
            Some(b'\\') if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            Some(b'\\') => {}
            _ => break,
        }
        at += 1;
    }
    (open == 0).then_some(at)
}

/// Whether the bracket closes a label at the start of a line, which is no footnote's.
fn is_label(bytes: &[u8], bracket: usize) -> bool {
    let window = bytes.get(bracket.saturating_sub(MAX_LABEL)..bracket).unwrap_or_default();
    let line = match memchr::memrchr(b'\n', window) {
        Some(end) => window.get(end + 1..).unwrap_or_default(),
        None if bracket <= MAX_LABEL => window,
        None => return false,
    };
    let label = line.trim_ascii_start();
    line.len() - label.len() <= 3 && label.first() == Some(&b'[') && label.len() > 1 && label.get(1) != Some(&b'^')
}
