//! JSON texts, leaf by leaf, with the place of each leaf.
//!
//! Addresses are looked for in the strings of a JSON text, and what was found must be pointed at in the bytes that were
//! given. Parsers that build values forget those places, so this one walks instead. It takes what a broken or cut off
//! text still has, never looks at the same byte twice, and says whether the text was whole.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// How deep arrays and objects may stand in each other; what stands deeper is not read.
pub const MAX_DEPTH: usize = 512;

/// One step from the top of a JSON text towards a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'t> {
    /// Into the member of this (decoded) name.
    Key(Cow<'t, str>),
    /// Into the element of this index.
    Index(usize),
}

/// A leaf of a JSON text.
#[derive(Clone, Debug)]
pub struct Leaf<'t> {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text; for strings and keys those between the quotes, still encoded.
    pub raw: Range<usize>,
    /// The decoded string, or the literal as it stands.
    pub text: Cow<'t, str>,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of a member. Its path ends with itself.
    Key,
    /// A string.
    String,
    /// A number, `true`, `false` or `null`.
    Scalar,
}

/// What a walk says of the text as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The text was one whole JSON value with nothing but white space around it.
    pub whole: bool,
    /// Some object has two members of one name.
    pub repeated_key: bool,
}

/// Calls `each` with the path and the leaf, for every key, string and literal in order.
pub fn walk<'t>(text: &'t str, each: &mut dyn FnMut(&[Step<'t>], Leaf<'t>)) -> Walked {
    let mut walker = Walker { text, at: 0, path: Vec::new(), repeated_key: false };
    walker.space();
    let read = walker.value(each, 0);
    walker.space();
    Walked { whole: read.is_some() && walker.at == text.len(), repeated_key: walker.repeated_key }
}

/// Whether the text looks like one JSON object or array (it may be cut off).
pub fn looks_like_json(text: &str) -> bool {
    let trimmed = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).as_bytes();
    let next = trimmed.get(1..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
    match (trimmed.first(), next) {
        (Some(b'{'), Some(b'"' | b'}')) => true,
        (Some(b'['), Some(byte)) => matches!(byte, b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'),
        _ => false,
    }
}

struct Walker<'t> {
    text: &'t str,
    at: usize,
    path: Vec<Step<'t>>,
    repeated_key: bool,
}

impl<'t> Walker<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.byte().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.byte() == Some(byte)).then(|| self.at += 1)
    }

    fn value(&mut self, each: &mut dyn FnMut(&[Step<'t>], Leaf<'t>), depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.byte()? {
            b'{' => self.object(each, depth),
            b'[' => self.array(each, depth),
            b'"' => {
                let (leaf, closed) = self.string(Kind::String)?;
                each(&self.path, leaf);
                closed.then_some(())
            }
            _ => {
                let start = self.at;
                while self.byte().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
                {
                    self.at += 1;
                }
                if self.at == start {
                    return None;
                }
                let text = self.text.get(start..self.at)?;
                each(&self.path, Leaf { kind: Kind::Scalar, raw: start..self.at, text: Cow::Borrowed(text) });
                is_literal(text).then_some(())
            }
        }
    }

    /// Walks the value at the cursor and keeps the values below it whose path is meant.
    fn values_at(&mut self, wanted: &Path, found: &mut Vec<&'t str>, depth: usize) -> Option<()> {
        let start = self.at;
        if wanted.is(&self.path) {
            self.value(&mut |_, _| {}, depth)?;
            found.push(self.text.get(start..self.at)?);
            return Some(());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let (close, is_object) = match self.byte()? {
            b'{' => (b'}', true),
            b'[' => (b']', false),
            _ => return self.value(&mut |_, _| {}, depth),
        };
        self.at += 1;
        self.space();
        if self.eat(close).is_some() {
            return Some(());
        }
        for index in 0.. {
            self.space();
            if is_object {
                let (leaf, _) = self.string(Kind::Key)?;
                self.path.push(Step::Key(leaf.text));
                self.space();
                self.eat(b':')?;
                self.space();
            } else {
                self.path.push(Step::Index(index));
            }
            let read = self.values_at(wanted, found, depth + 1);
            self.path.pop();
            read?;
            self.space();
            match self.byte()? {
                b',' => self.at += 1,
                byte if byte == close => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
        None
    }

    fn object(&mut self, each: &mut dyn FnMut(&[Step<'t>], Leaf<'t>), depth: usize) -> Option<()> {
        self.eat(b'{')?;
        self.space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        let mut names: Vec<Cow<'t, str>> = Vec::new();
        loop {
            self.space();
            if self.byte()? != b'"' {
                return None;
            }
            let (leaf, closed) = self.string(Kind::Key)?;
            let name = leaf.text.clone();
            self.path.push(Step::Key(name.clone()));
            each(&self.path, leaf);
            names.push(name);
            let read = closed.then_some(()).and_then(|()| {
                self.space();
                self.eat(b':')?;
                self.space();
                self.value(each, depth + 1)
            });
            self.path.pop();
            read?;
            self.space();
            match self.byte()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    names.sort_unstable();
                    self.repeated_key |= names.windows(2).any(|pair| pair.first() == pair.last());
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn array(&mut self, each: &mut dyn FnMut(&[Step<'t>], Leaf<'t>), depth: usize) -> Option<()> {
        self.eat(b'[')?;
        self.space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        for index in 0.. {
            self.space();
            self.path.push(Step::Index(index));
            let read = self.value(each, depth + 1);
            self.path.pop();
            read?;
            self.space();
            match self.byte()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
        None
    }

    /// The string at the cursor and whether it was closed; a string that is cut off gives what it has.
    fn string(&mut self, kind: Kind) -> Option<(Leaf<'t>, bool)> {
        self.eat(b'"')?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        let closed = loop {
            let Some(step) = memchr::memchr2(b'"', b'\\', bytes.get(self.at..)?) else {
                self.at = bytes.len();
                break false;
            };
            self.at += step;
            if self.byte() == Some(b'"') {
                break true;
            }
            escaped = true;
            self.at = (self.at + 2).min(bytes.len());
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        };
        let raw = start..self.at;
        let encoded = self.text.get(raw.clone())?;
        if closed {
            self.at += 1;
        }
        let text = if escaped { Cow::Owned(decode(encoded)) } else { Cow::Borrowed(encoded) };
        Some((Leaf { kind, raw, text }, closed))
    }
}

pub(crate) fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if u32::from(control) < 0x20 => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The first value at a path, as it is written.
pub fn raw_at<'t>(path: &Path, text: &'t str) -> Option<&'t str> {
    raws_at(path, text).into_iter().next()
}

/// Every value at a path, as it is written.
pub fn raws_at<'t>(path: &Path, text: &'t str) -> Vec<&'t str> {
    let mut walker = Walker { text, at: 0, path: Vec::new(), repeated_key: false };
    let mut found = Vec::new();
    walker.space();
    walker.values_at(path, &mut found, 0);
    found
}

/// Decodes the inside of a JSON string. An escape that JSON does not know stays as it is written.
pub fn decode(encoded: &str) -> String {
    let mut decoded = String::with_capacity(encoded.len());
    decode_with(encoded, &mut |_, piece| decoded.push_str(piece));
    decoded
}

/// Decodes the inside of a JSON string piece by piece, each with the encoded bytes that it stands for.
pub fn decode_with(encoded: &str, each: &mut dyn FnMut(Range<usize>, &str)) {
    let mut at = 0;
    while let Some(rest) = encoded.get(at..) {
        let Some(step) = memchr::memchr(b'\\', rest.as_bytes()) else {
            if !rest.is_empty() {
                each(at..encoded.len(), rest);
            }
            return;
        };
        if step > 0 {
            each(at..at + step, rest.get(..step).unwrap_or_default());
        }
        let start = at + step;
        let (length, character) = escape(encoded.get(start..).unwrap_or_default());
        match character {
            Some(character) => each(start..start + length, character.encode_utf8(&mut [0; 4])),
            None => each(start..start + length, encoded.get(start..start + length).unwrap_or_default()),
        }
        at = start + length;
    }
}

/// How long the escape at the start of `text` is, and what it stands for.
fn escape(text: &str) -> (usize, Option<char>) {
    let simple = |character| (2, Some(character));
    match text.as_bytes().get(1) {
        Some(b'"') => simple('"'),
        Some(b'\\') => simple('\\'),
        Some(b'/') => simple('/'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => match hex4(text, 2) {
            Some(high @ 0xd800..=0xdbff) => match (text.get(6..8), hex4(text, 8)) {
                (Some("\\u"), Some(low @ 0xdc00..=0xdfff)) => {
                    (12, char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)))
                }
                _ => (6, Some('\u{fffd}')),
            },
            Some(unit) => (6, Some(char::from_u32(unit).unwrap_or('\u{fffd}'))),
            None => (1, None),
        },
        _ => (1, None),
    }
}

fn hex4(text: &str, from: usize) -> Option<u32> {
    let digits = text.get(from..from + 4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// A path pattern such as `urls[].url`: names joined by dots, `[]` for every element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    // A ledger keeps the paths of each call.
    steps: Arc<[Pattern]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Key { name: String, folded: String },
    Each,
}

impl Path {
    /// Reads a pattern; `None` where a name is empty.
    pub fn parse(pattern: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for (index, part) in pattern.split('.').enumerate() {
            let name = part.trim_end_matches("[]");
            let each = (part.len() - name.len()) / 2;
            if name.is_empty() && (each == 0 || index > 0) || name.contains(['[', ']']) {
                return None;
            }
            if !name.is_empty() {
                steps.push(Pattern::Key { name: name.to_owned(), folded: folded_name(name).into_owned() });
            }
            steps.extend(std::iter::repeat_n(Pattern::Each, each));
        }
        Some(Self { steps: steps.into() })
    }

    /// Whether a leaf at this path is meant. A pattern also means everything below what it names.
    pub fn covers(&self, path: &[Step<'_>]) -> bool {
        path.len() >= self.steps.len() && self.steps.iter().zip(path).all(|(pattern, step)| matches(pattern, step))
    }

    /// Whether a leaf at this path is meant, or holds what is meant in another shape: a list given as one string.
    pub fn meets(&self, path: &[Step<'_>]) -> bool {
        let holds = !path.is_empty() && path.len() < self.steps.len();
        self.covers(path) || holds && self.steps.iter().zip(path).all(|(pattern, step)| matches(pattern, step))
    }

    /// Whether exactly this path is meant.
    pub fn is(&self, path: &[Step<'_>]) -> bool {
        path.len() == self.steps.len() && self.covers(path)
    }

    /// Whether exactly this path is meant or one whose names only resemble it ([`folded_name`]).
    pub fn is_like(&self, path: &[Step<'_>]) -> bool {
        path.len() == self.steps.len() && self.covers_like(path)
    }

    /// Whether this path is meant, one below it, or one whose names only resemble such a one ([`folded_name`]).
    pub fn covers_like(&self, path: &[Step<'_>]) -> bool {
        path.len() >= self.steps.len() && self.steps.iter().zip(path).all(|(pattern, step)| resembles(pattern, step))
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Pattern::Key { name, .. } if index == 0 => f.write_str(name)?,
                Pattern::Key { name, .. } => write!(f, ".{name}")?,
                Pattern::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

fn matches(pattern: &Pattern, step: &Step<'_>) -> bool {
    match (pattern, step) {
        (Pattern::Key { name: wanted, .. }, Step::Key(name)) => wanted == name,
        (Pattern::Each, Step::Index(_)) => true,
        (Pattern::Key { .. }, Step::Index(_)) | (Pattern::Each, Step::Key(_)) => false,
    }
}

fn resembles(pattern: &Pattern, step: &Step<'_>) -> bool {
    match (pattern, step) {
        (Pattern::Key { name: wanted, folded }, Step::Key(name)) => wanted == name || folds_to(name, folded),
        (Pattern::Each, Step::Index(_)) => true,
        (Pattern::Key { .. }, Step::Index(_)) | (Pattern::Each, Step::Key(_)) => false,
    }
}

/// A name as it is compared where a resemblance makes something count for less: its letters and digits, in lower case.
pub fn folded_name(name: &str) -> Cow<'_, str> {
    let is_folded = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match name.bytes().all(is_folded) {
        true => name.into(),
        false if name.is_ascii() => folded_bytes(name).map(char::from).collect::<String>().into(),
        false => folded(name).collect::<String>().into(),
    }
}

fn folds_to(name: &str, wanted: &str) -> bool {
    match name.is_ascii() {
        true => folded_bytes(name).eq(wanted.bytes()),
        false => folded(name).eq(wanted.chars()),
    }
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn folded_bytes(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    fn leaves(text: &str) -> (Vec<String>, Walked) {
        let mut found = Vec::new();
        let walked = walk(text, &mut |path, leaf| found.push(format!("{}:{:?}:{}", path.len(), leaf.kind, leaf.text)));
        (found, walked)
    }

    #[test]
    fn keys_and_strings_come_decoded_and_in_order() {
        let (found, walked) = leaves(r#"{"a\u0041":["x\/y", 1, null], "b": {"c": "\ud83d\ude00"}}"#);
        assert_eq!(
            found,
            ["1:Key:aA", "2:String:x/y", "2:Scalar:1", "2:Scalar:null", "1:Key:b", "2:Key:c", "2:String:😀"]
        );
        assert_eq!(walked, Walked { whole: true, repeated_key: false });
    }

    #[test]
    fn a_cut_off_text_gives_what_it_has() {
        let (found, walked) = leaves(r#"{"a":"one","b":["two","thr"#);
        assert_eq!(found.last().map(String::as_str), Some("2:String:thr"));
        assert!(!walked.whole);
    }

    #[test]
    fn a_name_that_repeats_is_reported() {
        assert!(leaves(r#"{"url":"a","url":"b"}"#).1.repeated_key);
        assert!(!leaves(r#"[{"url":"a"},{"url":"b"}]"#).1.repeated_key);
    }

    #[test]
    fn paths_match_names_and_elements() {
        let path = Path::parse("urls[].url").unwrap();
        let mut hits = Vec::new();
        walk(r#"{"urls":[{"url":"x"},{"other":"y"}],"url":"z"}"#, &mut |at, leaf| {
            if leaf.kind == Kind::String && path.is(at) {
                hits.push(leaf.text.into_owned());
            }
        });
        assert_eq!(hits, ["x"]);
        assert!(Path::parse("").is_none() && Path::parse("a..b").is_none() && Path::parse("[].url").is_some());
    }

    #[test]
    fn deep_nesting_ends_without_a_crash() {
        assert!(!leaves(&"[".repeat(1_000_000)).1.whole);
    }
}
