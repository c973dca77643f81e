//! Wide keys of plain spellings, as slices of the folded text.
//!
//! Most of what is read hides no character. Such a stretch is folded once for all of its readings, and the key of most is
//! a part of what comes out, from the first byte of the host on; the others are built from parts of it. Everything else is
//! left to the wide key itself: this module may be faster than it, but never say something else.

use std::ops::Range;

use super::parts::{Name, Parts, Path, Query, closes, parts, without_end, without_parameter_end};
use crate::find::sign;

/// How many bytes are folded at a time.
const BLOCK: usize = 16;

/// A part of a text in lower case, with `+` for spaces.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    /// Where it begins in the text.
    from: usize,
    folded: Vec<u8>,
    /// The byte behind it may stand for something else, so that it cannot go on.
    stuck: bool,
    ampersand: bool,
    /// The last key that is no part of what is folded.
    built: Vec<u8>,
}

/// Where a key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// In what is folded.
    Part(Range<usize>),
    /// In what was built last.
    Built,
}

impl Stretch {
    /// Starts anew at a byte of a text.
    pub(super) fn begin(&mut self, from: usize) {
        self.from = from;
        self.folded.clear();
        self.stuck = false;
        self.ampersand = false;
    }

    /// The key of a range of the text, if it can be told from what is folded.
    pub(super) fn key(&mut self, text: &str, range: Range<usize>) -> Option<Key> {
        let bytes = text.as_bytes();
        let Range { start, mut end } = range;
        while end > start && bytes.get(end - 1) == Some(&b' ') {
            end -= 1;
        }
        self.reach(text, end);
        let start = start.checked_sub(self.from)?;
        let parts = parts(self.folded.get(start..end - self.from)?)?;
        let Parts { host, name, path, query } = parts;
        if let (Name::Plain, Path::Plain(path)) = (&name, &path) {
            let end = match &query {
                None if path.is_empty() => Some(host.end),
                None => Some(path.end),
                Some(Query::Plain(query)) => Some(query.end),
                Some(Query::Loose(_)) => None,
            };
            if let Some(end) = end {
                return Some(Key::Part(start + host.start..start + end));
            }
        }
        let folded = self.folded.get(start..)?;
        self.built.clear();
        match name {
            Name::Plain => self.built.extend(folded.get(host)?),
            Name::Numbers(numbers) => push_numbers(&mut self.built, numbers),
        }
        match path {
            Path::Plain(path) => self.built.extend(folded.get(path)?),
            Path::Segments(path) => {
                let host = self.built.len();
                push_segments(&mut self.built, folded.get(path)?, query.is_none());
                // Nothing is left behind the host, which then ends like a sentence.
                if self.built.len() == host && self.built.last().is_some_and(|last| closes(*last)) {
                    return None;
                }
            }
        }
        match query {
            None => {}
            Some(Query::Plain(query)) => self.built.extend(folded.get(query)?),
            Some(Query::Loose(query)) => push_parameters(&mut self.built, folded.get(query)?),
        }
        Some(Key::Built)
    }

    /// The text of a key.
    pub(super) fn get(&self, key: &Key) -> &str {
        let key = match key {
            Key::Part(part) => self.folded.get(part.clone()),
            Key::Built => Some(self.built.as_slice()),
        };
        key.and_then(|key| str::from_utf8(key).ok()).unwrap_or_default()
    }

    /// Folds up to a byte, or to the first that may not stand for itself.
    fn reach(&mut self, text: &str, to: usize) {
        let bytes = text.as_bytes();
        while !self.stuck {
            let at = self.from + self.folded.len();
            let rest = bytes.get(at..to).unwrap_or_default();
            if let Some(block) = rest.first_chunk::<BLOCK>()
                && block.iter().fold(true, |simple, byte| simple & is_simple(*byte))
            {
                self.ampersand |= block.iter().fold(false, |ampersand, byte| ampersand | (*byte == b'&'));
                let mut block = *block;
                for byte in &mut block {
                    *byte = fold(*byte);
                }
                self.folded.extend_from_slice(&block);
                continue;
            }
            let Some(byte) = rest.first() else { return };
            let length = match byte {
                0x80.. => sign::character_at(text, at).filter(|letter| is_settled(*letter)).map_or(0, char::len_utf8),
                b';' => usize::from(!self.ampersand),
                b')' | b']' | b'}' => usize::from(!self.closes_defanged(*byte)),
                b'%' => {
                    usize::from(!bytes.get(at + 1..at + 3).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit)))
                }
                byte => usize::from(is_simple(*byte)),
            };
            self.stuck = length == 0;
            self.ampersand |= *byte == b'&';
            self.folded.extend(rest.iter().take(length).map(|byte| fold(*byte)));
        }
    }

    /// Whether a bracket closes a dot or colon that was put in brackets.
    fn closes_defanged(&self, close: u8) -> bool {
        let open = match close {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        [&b"."[..], b"dot", b":", b"/", b"://"]
            .iter()
            .any(|inside| self.folded.strip_suffix(*inside).is_some_and(|before| before.last() == Some(&open)))
    }
}

/// Whether a character beyond ASCII is its own lower and upper case there and back, and composed with nothing but marks.
fn is_settled(letter: char) -> bool {
    matches!(
        letter,
        '\u{e0}'..='\u{fe}'
            | '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{205e}'
            | '\u{2190}'..='\u{2199}'
            | '\u{2500}'..='\u{27bf}'
            | '\u{430}'..='\u{44f}'
            | '\u{3001}'..='\u{3029}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{ff01}'..='\u{ff20}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{1f300}'..='\u{1faff}'
    )
}

/// Whether a byte stands for itself wherever it stands.
fn is_simple(byte: u8) -> bool {
    let odd = (byte == b'%') | (byte == b'\\') | (byte == b';') | (byte == b')') | (byte == b']') | (byte == b'}');
    (b' '..0x7f).contains(&byte) & !odd
}

fn fold(byte: u8) -> u8 {
    if byte == b' ' { b'+' } else { byte.to_ascii_lowercase() }
}

fn push_numbers(key: &mut Vec<u8>, numbers: [u8; 4]) {
    for (index, number) in numbers.into_iter().enumerate() {
        if index > 0 {
            key.push(b'.');
        }
        for unit in [100, 10, 1] {
            if number >= unit || unit == 1 {
                key.push(b'0' + number / unit % 10);
            }
        }
    }
}

/// Adds the segments of a path, each after a slash, without empty ones and detours. The host stands there already.
fn push_segments(key: &mut Vec<u8>, path: &[u8], all: bool) {
    let host = key.len();
    for segment in path.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => {
                let kept = key.get(host..).and_then(|path| memchr::memrchr(b'/', path)).unwrap_or(0);
                key.truncate(host + kept);
            }
            segment => {
                key.push(b'/');
                key.extend(segment);
            }
        }
    }
    if all {
        let kept = key.get(host..).map_or(0, |path| without_end(path, |byte| byte == b'/' || closes(byte)).len());
        key.truncate(host + kept);
    } else if key.len() == host {
        key.push(b'/');
    }
}

/// Adds the parameters of a query in their order.
fn push_parameters(key: &mut Vec<u8>, query: &[u8]) {
    let mut parameters: Vec<&[u8]> =
        query.split(|byte| *byte == b'&').map(without_parameter_end).filter(|part| !part.is_empty()).collect();
    parameters.sort_unstable();
    let mut sign = b'?';
    for part in parameters {
        key.push(sign);
        key.extend(part);
        sign = b'&';
    }
}
