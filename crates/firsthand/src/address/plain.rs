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
    let (host, rest) = rest.split_at_checked(memchr::memchr(b'/', rest.as_bytes())?)?;
    if !is_plain_host(host) {
        return None;
    }
    let end = memchr::memchr(b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (path, query) = rest.split_at_checked(end)?;
    if let Some(upper) = easy(rest.as_bytes()) {
        return Some(Plain { spelling, start, host, path, query: query.strip_prefix('?'), simple: true, upper });
    }
    let (mut all, mut any, mut detours, mut before) = (PATH, 0, 0, 0);
    for byte in path.bytes() {
        let class = class(byte);
        all &= class;
        any |= class;
        detours |= before >> 1 & class;
        before = class;
    }
    if all & PATH == 0 || detours & DETOUR != 0 {
        return None;
    }
    let mut all = QUERY;
    for byte in query.bytes() {
        let class = class(byte);
        all &= class;
        any |= class;
    }
    if all & QUERY == 0 {
        return None;
    }
    let (simple, upper) = (any & ESCAPE == 0, any & UPPER != 0);
    Some(Plain { spelling, start, host, path, query: query.strip_prefix('?'), simple, upper })
}

/// How many bytes are looked at in one step.
const STEP: usize = 16;

/// Whether a letter is in upper case in a path and query that are plain and simple, as nearly all are; `None` where a closer
/// look is needed.
fn easy(rest: &[u8]) -> Option<bool> {
    let (last_window, last) = (rest.last_chunk::<{ STEP + 1 }>()?, rest.last()?);
    let windows = rest.windows(STEP + 1).step_by(STEP).filter_map(|window| window.first_chunk());
    let (mut hard, mut upper) = (is_hard(*last), is_upper(*last));
    for window in windows.chain([last_window]) {
        let (bytes, next): (&[u8; STEP], &[u8; STEP]) = (window.first_chunk()?, window.last_chunk()?);
        for (byte, next) in bytes.iter().zip(next) {
            hard |= is_hard(*byte) | (*byte == b'/') & (*next | 1 == b'/');
            upper |= is_upper(*byte);
        }
    }
    (!hard).then_some(upper)
}

/// Whether a byte is neither letter nor digit nor one of the signs that nearly all addresses are content with.
fn is_hard(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    // Hyphen, dot, slash, digits.
    let digit = byte.wrapping_sub(b'-') < 13;
    !(letter | digit | (byte == b'_') | (byte == b'?') | (byte == b'=') | (byte == b'&'))
}

fn is_upper(byte: u8) -> bool {
    byte.wrapping_sub(b'A') < 26
}

/// Whether a host is a name that is its own A-label form.
fn is_plain_host(host: &str) -> bool {
    let (mut all, mut joints, mut before, mut first) = (HOST, false, b'.', 0);
    for byte in host.bytes() {
        all &= class(byte);
        // Two hyphens may begin a label in another alphabet.
        joints |= (byte == b'.') & (before == b'.') | (byte == b'-') & (b'-'..=b'.').contains(&before);
        first = if before == b'.' { byte } else { first };
        before = byte;
    }
    // The last label begins with a letter.
    all & HOST != 0 && !joints && first.is_ascii_alphabetic() && before != b'.' && host.len() <= 253
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
