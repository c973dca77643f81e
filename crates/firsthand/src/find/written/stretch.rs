//! Wide keys of plain spellings, as slices of the folded text.
//!
//! Most of what is read hides no character. Such a stretch is folded once for all of its readings, and the key of most is
//! a part of what comes out, from the first byte of the host on; the others are built from parts of it. Everything else is
//! left to the wide key itself: this module may be faster than it, but never say something else.

use std::net::Ipv4Addr;
use std::ops::Range;

use super::outline::Outline;
use super::parts::{Name, Parts, Path, Query, closes, parts, without_end, without_parameter_end};
use crate::find::sign;

/// How many bytes are folded at a time.
const BLOCK: usize = 32;

/// A part of a text in lower case, with `+` for spaces.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    /// Where it begins in the text.
    from: usize,
    folded: String,
    /// The byte behind it may stand for something else, so that it cannot go on.
    stuck: bool,
    ampersand: bool,
    /// The start whose key was asked for last.
    outline: Option<Outline>,
    /// The last key that is no part of what is folded.
    built: String,
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
        self.outline = None;
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
        end = end.checked_sub(self.from).filter(|end| *end <= self.folded.len())?;
        let folded = self.folded.as_bytes();
        if self.outline.as_ref().is_none_or(|outline| outline.start != start) {
            self.outline = Outline::new(folded, start);
        }
        if let Some(key) = self.outline.as_mut().and_then(|outline| outline.key(folded, end)) {
            return Some(Key::Part(key));
        }
        let parts = parts(folded.get(start..end)?)?;
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
            Name::Plain => self.built.push_str(folded.get(host)?),
            Name::Numbers(numbers) => push_numbers(&mut self.built, numbers),
        }
        match path {
            Path::Plain(path) => self.built.push_str(folded.get(path)?),
            Path::Segments(path) => {
                let host = self.built.len();
                push_segments(&mut self.built, folded.get(path)?, query.is_none());
                // Nothing is left behind the host, which then ends like a sentence.
                if self.built.len() == host && self.built.bytes().next_back().is_some_and(closes) {
                    return None;
                }
            }
        }
        match query {
            None => {}
            Some(Query::Plain(query)) => self.built.push_str(folded.get(query)?),
            Some(Query::Loose(query)) => push_parameters(&mut self.built, folded.get(query)?),
        }
        Some(Key::Built)
    }

    /// The text of a key.
    pub(super) fn get(&self, key: &Key) -> &str {
        match key {
            Key::Part(part) => self.folded.get(part.clone()).unwrap_or_default(),
            Key::Built => &self.built,
        }
    }

    /// Folds up to a byte, or to the first that may not stand for itself.
    fn reach(&mut self, text: &str, to: usize) {
        let bytes = text.as_bytes();
        while !self.stuck {
            let rest = bytes.get(self.from + self.folded.len()..to).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
            // A short rest is filled up with what is simple.
            let mut block = [b'a'; BLOCK];
            let mut length = rest.len().min(BLOCK);
            if let (Some(block), Some(rest)) = (block.get_mut(..length), rest.get(..length)) {
                block.copy_from_slice(rest);
            }
            if !block.iter().fold(true, |simple, byte| simple & is_simple(*byte)) {
                length = block.iter().take_while(|byte| is_simple(**byte)).count();
            }
            block.iter_mut().for_each(|byte| *byte = fold(*byte));
            self.folded.push_str(block.get(..length).and_then(|block| str::from_utf8(block).ok()).unwrap_or_default());
            if length < rest.len().min(BLOCK) {
                self.reach_odd(text, to);
            }
        }
    }

    /// Folds one byte or character that may stand for something else in some places.
    fn reach_odd(&mut self, text: &str, to: usize) {
        let bytes = text.as_bytes();
        let at = self.from + self.folded.len();
        let Some(byte) = bytes.get(at..to).and_then(|rest| rest.first()) else { return };
        let stands = match byte {
            0x80.. => sign::character_at(text, at).is_some_and(is_settled),
            b';' => !self.ampersand,
            b')' | b']' | b'}' => !self.closes_defanged(*byte),
            b'%' => !bytes.get(at + 1..at + 3).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit)),
            byte => *byte == b'&' || is_simple(*byte),
        };
        self.stuck = !stands;
        self.ampersand |= *byte == b'&';
        self.folded.extend(sign::character_at(text, at).filter(|_| stands).map(|letter| match letter {
            ' ' => '+',
            letter => letter.to_ascii_lowercase(),
        }));
    }

    /// Whether a bracket closes a dot or colon that was put in brackets.
    fn closes_defanged(&self, close: u8) -> bool {
        let open = match close {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        [&b"."[..], b"dot", b":", b"/", b"://"].iter().any(|inside| {
            let before = self.folded.as_bytes().strip_suffix(*inside);
            before.is_some_and(|before| before.last() == Some(&open))
        })
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
    let odd = (byte == b'%')
        | (byte == b'&')
        | (byte == b'\\')
        | (byte == b';')
        | (byte == b')')
        | (byte == b']')
        | (byte == b'}');
    (b' '..0x7f).contains(&byte) & !odd
}

fn fold(byte: u8) -> u8 {
    let lower = byte | u8::from(byte.is_ascii_uppercase()) << 5;
    lower ^ if byte == b' ' { b' ' ^ b'+' } else { 0 }
}

fn push_numbers(key: &mut String, numbers: [u8; 4]) {
    key.push_str(&Ipv4Addr::from(numbers).to_string());
}

/// Adds the segments of a path, each after a slash, without empty ones and detours. The host stands there already.
fn push_segments(key: &mut String, path: &str, all: bool) {
    let host = key.len();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                let kept = key.get(host..).and_then(|path| path.rfind('/')).unwrap_or(0);
                key.truncate(host + kept);
            }
            segment => {
                key.push('/');
                key.push_str(segment);
            }
        }
    }
    if all {
        let path = key.as_bytes().get(host..).unwrap_or_default();
        let kept = without_end(path, |byte| byte == b'/' || closes(byte)).len();
        key.truncate(host + kept);
    } else if key.len() == host {
        key.push('/');
    }
}

/// Adds the parameters of a query in their order.
fn push_parameters(key: &mut String, query: &str) {
    let kept = |part: &'_ str| without_parameter_end(part.as_bytes()).len();
    let parameters = query.split('&').map(|part| part.get(..kept(part)).unwrap_or_default());
    let mut parameters: Vec<&str> = parameters.filter(|part| !part.is_empty()).collect();
    parameters.sort_unstable();
    let mut sign = '?';
    for part in parameters {
        key.push(sign);
        key.push_str(part);
        sign = '&';
    }
}
