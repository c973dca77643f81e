//! Spellings that every reader reads alike, which are most: nothing in them is escaped, folded by a parser, or odd.
//!
//! This is only faster. What is plain, the parser gives back byte for byte, and the keys come out as without this module
//! (tests compare both); what is not recognised here goes the long way.

/// A plain spelling, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Plain<'s> {
    pub(super) spelling: &'s str,
    /// Where the host starts.
    pub(super) start: usize,
    /// Lower-case labels, of which the last begins with a letter; no port.
    pub(super) host: &'s str,
    /// It begins with a slash, and no segment but the last is empty or begins with a dot.
    pub(super) path: &'s str,
    /// What stands behind the question mark.
    pub(super) query: Option<&'s str>,
    /// There is nothing in it that could be an escape or defanged.
    pub(super) simple: bool,
    /// A letter of it is in upper case.
    pub(super) upper: bool,
}

/// The longest name, in bytes.
const LONGEST_HOST: usize = 253;

/// May stand in a host.
const HOST: u8 = 1;
/// May stand in a path.
const PATH: u8 = 2;
/// May stand in a query.
const QUERY: u8 = 4;
/// An escape or a defanged sign may hold it.
const ESCAPE: u8 = 8;
/// Right behind a slash a parser may take it for a detour, or a reader of keys drops what stands there.
const DETOUR: u8 = 16;
/// The slash, moved up from [`DETOUR`].
const SLASH: u8 = 32;
/// A letter in upper case.
const UPPER: u8 = 64;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => HOST | PATH | QUERY,
            b'.' => HOST | PATH | QUERY | DETOUR,
            b'/' => PATH | QUERY | DETOUR | SLASH,
            b'A'..=b'Z' => PATH | QUERY | UPPER,
            b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b'*' | b'+' | b',' | b'=' | b':' | b'@' => PATH | QUERY,
            b'%' => PATH | QUERY | ESCAPE | DETOUR,
            b';' | b')' => PATH | QUERY | ESCAPE,
            b'\'' => PATH,
            b'?' => QUERY,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// The parts of a plain spelling; `None` for any other.
pub(super) fn parts(spelling: &str) -> Option<Plain<'_>> {
    let rest = spelling.strip_prefix("https://").or_else(|| spelling.strip_prefix("http://"))?;
    let start = spelling.len() - rest.len();
    let easy = easy(rest.as_bytes());
    let (host, rest) = rest.split_at_checked(memchr::memchr(b'/', rest.as_bytes())?)?;
    let end = memchr::memchr(b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (path, query) = rest.split_at_checked(end)?;
    let (simple, upper) = match easy {
        Some(upper) if is_easy_host(host) => (true, upper),
        Some(_) | None if is_plain_host(host) => with_classes(path, query)?,
        Some(_) | None => return None,
    };
    Some(Plain { spelling, start, host, path, query: query.strip_prefix('?'), simple, upper })
}

/// Whether a plain path and query are simple, and hold a letter in upper case.
fn with_classes(path: &str, query: &str) -> Option<(bool, bool)> {
    let (mut all, mut any, mut detours, mut before) = (PATH, 0, 0, 0);
    for byte in path.bytes() {
        let class = class(byte);
        all &= class;
        any |= class;
        detours |= before >> 1 & class;
        before = class;
    }
    let mut query_all = QUERY;
    for byte in query.bytes() {
        let class = class(byte);
        query_all &= class;
        any |= class;
    }
    let is_plain = all & PATH != 0 && detours & DETOUR == 0 && query_all & QUERY != 0;
    is_plain.then_some((any & ESCAPE == 0, any & UPPER != 0))
}

/// How many bytes are looked at in one step.
const STEP: usize = 16;

/// What was seen at each place of the steps.
#[derive(Default)]
struct Lanes {
    hard: [u8; STEP],
    upper: [u8; STEP],
}

impl Lanes {
    /// Looks at some bytes, each with the one behind it.
    fn look(&mut self, bytes: &[u8; STEP], next: &[u8; STEP]) {
        for ((byte, next), (hard, upper)) in bytes.iter().zip(next).zip(self.hard.iter_mut().zip(&mut self.upper)) {
            *hard |= u8::from(is_hard(*byte) | is_joint(*byte, *next));
            *upper |= u8::from(byte.wrapping_sub(b'A') < 26);
        }
    }
}

/// Whether a letter is in upper case behind the scheme of an address that is plain and simple at a glance, as nearly all
/// are, if its host is; `None` where a closer look is needed.
fn easy(rest: &[u8]) -> Option<bool> {
    let last = rest.last_chunk::<{ STEP + 1 }>()?;
    let mut lanes = Lanes::default();
    let mut left = rest;
    while let Some(window) = left.first_chunk::<{ STEP + 1 }>() {
        lanes.look(window.first_chunk()?, window.last_chunk()?);
        left = left.get(STEP..)?;
    }
    lanes.look(last.first_chunk()?, last.last_chunk()?);
    let last = rest.last()?;
    let is_easy = !is_hard(*last) && lanes.hard == [0; STEP];
    is_easy.then_some(last.is_ascii_uppercase() || lanes.upper != [0; STEP])
}

/// Whether a byte is neither letter nor digit nor one of the signs that nearly all addresses are content with.
fn is_hard(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    // Hyphen, dot, slash, digits.
    let digit = byte.wrapping_sub(b'-') < 13;
    !(letter | digit | (byte == b'_') | (byte == b'?') | (byte == b'=') | (byte == b'&'))
}

/// Whether two bytes may be an empty label or a label in another alphabet, or a detour of a path.
fn is_joint(byte: u8, next: u8) -> bool {
    let joins = |byte: u8| (byte == b'-') | (byte == b'.');
    joins(byte) & joins(next) | (byte == b'/') & (next | 1 == b'/')
}

/// Whether a host without joints is a name that is its own A-label form.
fn is_easy_host(host: &str) -> bool {
    let all = host.bytes().fold(HOST, |all, byte| all & class(byte));
    let last = host.bytes().rev().take_while(|byte| *byte != b'.').last();
    all != 0
        && last.is_some_and(|first| first.is_ascii_alphabetic())
        && !host.starts_with(['.', '-'])
        && host.len() <= LONGEST_HOST
}

/// Whether any host is.
fn is_plain_host(host: &str) -> bool {
    let mut before = b'.';
    for byte in host.bytes() {
        // Two hyphens may begin a label in another alphabet.
        let joint = matches!((before, byte), (b'.', b'.' | b'-') | (b'-', b'-'));
        if class(byte) & HOST == 0 || joint {
            return false;
        }
        before = byte;
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with(|first: char| first.is_ascii_alphabetic()) && host.len() <= LONGEST_HOST
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn only_what_all_read_alike_is_plain() {
        for plain in ["https://a.example/", "http://a-b.c.example/D/e_f.html?x=1&y=a/b?c", "https://a.example/x('y)%20"]
        {
            assert!(parts(plain).is_some(), "{plain}");
        }
        for other in [
            "https://a.example",
            "HTTPS://a.example/",
            "https://A.example/",
            "https://a.example:443/",
            "https://u@a.example/",
            "https://.example/",
            "https://a..example/",
            "https://-a.example/",
            "https://a.example./",
            "https://127.1/",
            "https://a.0x7f/",
            "https://xn--a.example/",
            "https://a.example/./b",
            "https://a.example/%2e/b",
            "https://a.example//b",
            "https://a.example/a b",
            "https://a.example/a\\b",
            "https://a.example/é",
            "https://a.example/{b}",
            "https://a.example/?a='",
            "https:///a.example/",
        ] {
            assert!(parts(other).is_none(), "{other}");
        }
    }
}
