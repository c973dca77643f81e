//! Where an address may start, and how far the run around it reaches.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::address::Form;
use crate::find::sign::{self, Sign};

/// An address may start here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) at: usize,
    /// The first byte of the host, or of what stands in its place.
    pub(super) authority: usize,
    pub(super) form: Form,
}

/// The start of an address whose scheme ends with the colon at `colon`, whatever is glued to it.
pub(super) fn scheme_start(text: &str, colon: usize) -> Option<Start> {
    let bytes = text.as_bytes();
    let before = bytes.get(colon.saturating_sub(5)..colon)?;
    let secure = matches!(before.last()?, b's' | b'S');
    let word = before.get(..before.len() - usize::from(secure))?;
    let word = word.get(word.len().checked_sub(4)?..)?;
    if !(word.eq_ignore_ascii_case(b"http") || word.eq_ignore_ascii_case(b"hxxp")) {
        return None;
    }
    let slashes = bytes.get(colon + 1..)?.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    let authority = colon + 1 + slashes;
    // Something that can begin a host must follow.
    let first = text.get(authority..)?.chars().next()?;
    let begins = !first.is_whitespace() && !first.is_control() && !matches!(first, '"' | '<' | '>');
    let at = colon - 4 - usize::from(secure);
    (begins && (slashes > 0 || first.is_ascii_alphanumeric())).then_some(Start { at, authority, form: Form::Absolute })
}

/// The letters, digits, dots and hyphens around a dot, not before `from`.
pub(super) fn host_around(text: &str, dot: usize, from: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let before = bytes.get(from..dot).unwrap_or_default();
    let mut start = dot - before.iter().rev().take_while(|byte| in_ascii_host(**byte)).count();
    if start > from && bytes.get(start - 1).is_some_and(|byte| *byte >= 0x80) {
        let before = text.get(from..start).unwrap_or_default();
        start = from + before.trim_end_matches(in_host).len();
    }
    let after = bytes.get(dot..).unwrap_or_default();
    let mut end = dot + after.iter().take_while(|byte| in_ascii_host(**byte)).count();
    if bytes.get(end).is_some_and(|byte| *byte >= 0x80) {
        let after = text.get(end..).unwrap_or_default();
        end += after.find(|letter| !in_host(letter)).unwrap_or(after.len());
    }
    start..end
}

fn in_ascii_host(byte: u8) -> bool {
    sign::classes(byte) & sign::NAME != 0
}

/// Whether a character may stand in the name of a host.
pub(super) fn in_host(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    }
    match sign::sign(letter) {
        Sign::Data | Sign::Ideograph | Sign::Joiner => letter.is_alphanumeric() || is_combining_mark(letter),
        Sign::Stop | Sign::Opening | Sign::Ellipsis | Sign::Break | Sign::Invisible => false,
    }
}

/// Where addresses without a scheme start in a run of host letters: at the run, and behind letters that are not ASCII.
pub(super) fn host_starts(text: &str, host: Range<usize>) -> [Option<Start>; 4] {
    let run = text.get(host.clone()).unwrap_or_default();
    let start = |offset: usize| {
        let name = run.get(offset..)?;
        // The first label that a dot and another label follow.
        let mut label = 0;
        for dot in memchr::memchr_iter(b'.', name.as_bytes()) {
            let tail = name.get(dot + 1..)?;
            let first = name.get(label..dot)?.find(char::is_alphanumeric);
            if let Some(first) = first.filter(|_| tail.starts_with(char::is_alphanumeric)) {
                let at = host.start + offset + label + first;
                return Some(Start { at, authority: at, form: Form::Bare });
            }
            label = dot + 1;
        }
        None
    };
    if run.is_ascii() {
        return [start(0), None, None, None];
    }
    // The last letter outside ASCII in front of the first dot may be of the sentence, not of the host; so may a mark.
    let name = run.len() - run.trim_start_matches('.').len();
    let dot = run.get(name..).and_then(|name| name.find('.')).map_or(run.len(), |dot| name + dot);
    let after = |found: Option<(usize, char)>| found.map(|(at, letter)| at + letter.len_utf8());
    let head = run.get(..dot).unwrap_or_default();
    let glued = after(head.char_indices().rev().find(|(_, letter)| !letter.is_ascii()));
    let marked = |name: &str| after(name.char_indices().rev().find(|(_, letter)| is_combining_mark(*letter)));
    // Behind a mark at the end nothing starts.
    let behind = run.trim_end_matches('.').rfind('.').and_then(|last| marked(run.get(..last)?)).filter(|at| *at > dot);
    [start(0), glued.and_then(start), marked(head).and_then(start), behind.and_then(start)]
}

/// Where the run of characters that belong together ends.
pub(super) fn run_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at = sign::next_in(bytes, at, bytes.len(), sign::SPECIAL);
        match bytes.get(at) {
            None | Some(0..=b' ' | 0x7f | b'"' | b'<' | b'>') => return at,
            Some(0x80..) => match sign::character_at(text, at) {
                Some(letter) if !letter.is_whitespace() => at += letter.len_utf8(),
                Some(_) | None => return at,
            },
            Some(_) => at += 1,
        }
    }
}
