//! Where an address may end.

use super::start::{Start, in_host};
use crate::address::Form;
use crate::find::extent::{Part, Rules, extent};
use crate::find::sign::{self, Sign};

/// How many ends inside of a run are taken besides the first and the last.
const SOFT_ENDS: usize = 6;

/// How many schemes in the place of a host are taken for hosts.
const SCHEMES: usize = 4;

/// How much space may stand between a quote and an address, in bytes.
const PADDING: usize = 16;

/// How far behind a run an address may go on after spaces, in bytes: more than any argument that is an address.
pub(super) const REST: usize = 4096;

/// How far the end of a value without quotes is looked for, in bytes.
pub(super) const NEAR: usize = 512;

/// Where an address may end.
pub(super) struct Ends {
    /// Where the strict side ends it.
    pub(super) strict: usize,
    /// Other ends inside of the run.
    pub(super) soft: Soft,
    /// The end of the run, or of what is read of it.
    pub(super) last: usize,
}

/// A short list of ends.
#[derive(Default)]
pub(super) struct Soft {
    ends: [usize; 16],
    length: usize,
}

impl Soft {
    pub(super) fn push(&mut self, end: usize) {
        if let Some(free) = self.ends.get_mut(self.length) {
            *free = end;
            self.length += 1;
        }
    }

    fn extend(&mut self, ends: impl IntoIterator<Item = usize>) {
        ends.into_iter().for_each(|end| self.push(end));
    }

    pub(super) fn all(&self) -> &[usize] {
        self.ends.get(..self.length).unwrap_or_default()
    }

    /// Keeps some, in order, each once.
    fn tidy(&mut self, keeps: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for index in 0..self.length {
            let end = self.ends.get(index).copied().filter(|end| keeps(*end));
            if let Some(end) = end.filter(|end| !self.ends.get(..kept).unwrap_or_default().contains(end))
                && let Some(free) = self.ends.get_mut(kept)
            {
                *free = end;
                kept += 1;
            }
        }
        self.length = kept;
        if let Some(ends) = self.ends.get_mut(..kept) {
            ends.sort_unstable();
        }
    }
}

/// The ends of an address, up to `limit`.
pub(super) fn ends(text: &str, start: Start, limit: usize, nested: bool) -> Ends {
    let bytes = text.as_bytes();
    let quoted = start.at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\'');
    // A host may be called like a scheme.
    let mut from = start.authority;
    for _ in 0..SCHEMES {
        let rest = text.get(from..limit).unwrap_or_default();
        let Some(behind) = rest.strip_prefix("http://").or_else(|| rest.strip_prefix("https://")) else { break };
        from = limit - behind.len();
    }
    let read = |entities: bool, balance: bool| {
        let rules = Rules { quoted: quoted && balance, entities, balance };
        extent(text, from, limit, Part::Authority, rules)
    };
    let plain = read(false, true);
    let mut soft = Soft::default();
    soft.push(plain.stop);
    soft.extend(plain.short);
    let span = bytes.get(start.authority..limit).unwrap_or_default();
    if memchr::memchr(b'&', span).is_some() {
        let decoded = read(true, true);
        soft.extend([decoded.stop, decoded.end]);
        soft.extend(decoded.short);
        // The fragment of one reader is the entity of another.
        soft.extend(memchr::memmem::find(span, b"&#").map(|at| start.authority + at + 1));
    }
    if memchr::memchr3(b')', b']', b'}', span).is_some() || memchr::memchr(b'\'', span).is_some() {
        soft.push(read(false, false).end);
    }
    inner(text, start, limit, nested, &mut soft);
    // Emphasis with underscores is no part of an address.
    let strict = text.get(start.at..plain.end).unwrap_or_default();
    if strict.ends_with('_') {
        soft.push(start.at + strict.trim_end_matches('_').len());
    }
    soft.tidy(|end| end > start.authority && end != plain.end && end != limit);
    Ends { strict: plain.end, soft, last: limit }
}

/// Adds the ends where a character stands that may belong to the sentence.
fn inner(text: &str, start: Start, limit: usize, nested: bool, soft: &mut Soft) {
    let mut most = soft.length + SOFT_ENDS;
    let bytes = text.as_bytes();
    let mut open = [0_usize; 3];
    let mut in_name = start.form == Form::Bare;
    let mut in_port = false;
    let mut at = start.authority;
    while at < limit && soft.length < most {
        if in_name {
            let rest = bytes.get(at..limit).unwrap_or_default();
            at += rest.iter().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
        } else if !in_port {
            at = sign::next_in(bytes, at, limit, SOFT);
        }
        let Some(letter) = text.get(at..limit).and_then(|rest| rest.chars().next()) else { return };
        let before = || {
            let before = at.checked_sub(1).filter(|_| at > start.authority);
            before.and_then(|before| bytes.get(before)).copied().unwrap_or(b'/')
        };
        let port_ends = in_port && !letter.is_ascii_digit();
        in_port &= !port_ends;
        let ends = match letter {
            _ if port_ends => true,
            // Behind a name anything may end it.
            _ if in_name && !in_host(letter) && !matches!(letter, '/' | '?' | '#') => {
                in_name = false;
                in_port = letter == ':';
                // The dot may be that of the sentence.
                if before() == b'.' {
                    soft.push(at - 1);
                    most += 1;
                }
                true
            }
            '.' | '-' | '_' => in_name && matches!(before(), b'.' | b'-'),
            'a'..='z' | '0'..='9' => false,
            // The next sentence, where a space is missing.
            'A'..='Z' => in_name && before() == b'.',
            '/' | '?' | '#' => std::mem::take(&mut in_name) && matches!(before(), b'.' | b'-'),
            '(' => count(&mut open, 0),
            '[' => count(&mut open, 1),
            '{' => count(&mut open, 2),
            ')' => surplus(&mut open, 0),
            ']' => surplus(&mut open, 1),
            '}' => surplus(&mut open, 2),
            '\'' | '`' | '|' | '\\' | '"' | '<' | '>' | ..=' ' => true,
            ',' | ';' => true,
            '*' | '&' => nested || start.form == Form::Bare,
            '\u{80}'.. => before().is_ascii() || !in_host(letter) || sign::sign(letter) == Sign::Ideograph,
            _ => false,
        };
        if ends {
            soft.push(at);
        }
        at += letter.len_utf8();
    }
}

/// The classes of bytes at which an address may end behind its host.
const SOFT: u16 = sign::SPECIAL | sign::QUOTE | sign::AMPERSAND | sign::BRACKET | sign::PAUSE;

fn count(open: &mut [usize; 3], kind: usize) -> bool {
    if let Some(open) = open.get_mut(kind) {
        *open += 1;
    }
    false
}

fn surplus(open: &mut [usize; 3], kind: usize) -> bool {
    match open.get_mut(kind) {
        Some(open) if *open > 0 => {
            *open -= 1;
            false
        }
        _ => true,
    }
}

/// The end of a value that an address begins: where the quote or bracket before it is closed, or the text ends.
pub(super) fn closed(text: &str, start: usize, strict: usize) -> Option<usize> {
    let before = text.get(floor(text, start.saturating_sub(PADDING))..start)?;
    let spaced = before.ends_with([' ', '\t']);
    let before = before.trim_end();
    let (close, reach): (&[u8], usize) = match before.bytes().next_back() {
        Some(b'"') => (b"\"", REST),
        Some(b'\'') => (b"'", REST),
        Some(b'`') => (b"`", REST),
        Some(b'|') => (b"|", REST),
        Some(b'(') => (b")", REST),
        Some(b'<') => (b">", REST),
        Some(b'[') => (b"]", REST),
        Some(b',' | b';') => (b",;\n", NEAR),
        Some(b':' | b'-') if spaced => (b"\n\r", NEAR),
        Some(_) => return None,
        None => (b"", REST),
    };
    let limit = floor(text, strict + reach);
    let rest = text.get(strict..limit)?;
    let found = match close {
        [] => None,
        [one] => memchr::memchr(*one, rest.as_bytes()),
        [one, two] => memchr::memchr2(*one, *two, rest.as_bytes()),
        [one, two, three, ..] => memchr::memchr3(*one, *two, *three, rest.as_bytes()),
    };
    let end = found.or((limit == text.len()).then_some(rest.len()))?;
    // A title or a comment behind it is no part of a value.
    Some(strict + rest.get(..end).unwrap_or_default().trim_end().len())
}

/// The next lower place where a character begins.
pub(super) fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
