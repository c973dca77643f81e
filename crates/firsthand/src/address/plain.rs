//! Spellings that every reader reads alike, which are most: nothing in them is escaped, folded by a parser, or odd.
//!
//! This is only faster. What is plain, the parser gives back byte for byte, and the keys come out as without this module
//! (tests compare both); what is not recognised here goes the long way.

/// A plain spelling, taken apart.
pub(super) struct Plain<'s> {
    /// Lower-case labels, of which the last begins with a letter; no port.
    pub(super) host: &'s str,
    /// It begins with a slash, and no segment but the last is empty or begins with a dot.
    pub(super) path: &'s str,
    /// What stands behind the question mark.
    pub(super) query: Option<&'s str>,
    /// There is nothing in it that could be an escape or defanged.
    pub(super) simple: bool,
}

/// What a byte may be in a plain spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a host and of all that follows it.
    Host,
    /// Part of paths and queries.
    Rest,
    /// The same, and an escape or a defanged sign may hold it.
    Escape,
    /// Part of paths only.
    Path,
    /// What ends a path.
    Question,
    /// None of these.
    No,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::No; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' => Class::Host,
            b'A'..=b'Z' | b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b'*' | b'+' | b',' | b'=' | b':' | b'@' | b'/' => {
                Class::Rest
            }
            b'%' | b';' | b')' => Class::Escape,
            b'\'' => Class::Path,
            b'?' => Class::Question,
            _ => Class::No,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::No)
}

/// The parts of a plain spelling; `None` for any other.
pub(super) fn parts(spelling: &str) -> Option<Plain<'_>> {
    let rest = spelling.strip_prefix("https://").or_else(|| spelling.strip_prefix("http://"))?;
    let (host, rest) = rest.split_at_checked(memchr::memchr(b'/', rest.as_bytes())?)?;
    if !is_plain_host(host) {
        return None;
    }
    let (mut end, mut simple, mut before) = (rest.len(), true, 0);
    for (at, byte) in rest.bytes().enumerate() {
        // What a parser may take for a detour, or a reader of keys drops.
        if before == b'/' && matches!(byte, b'/' | b'.' | b'%') {
            return None;
        }
        match class(byte) {
            Class::Host | Class::Rest | Class::Path => {}
            Class::Escape => simple = false,
            Class::Question => {
                end = at;
                break;
            }
            Class::No => return None,
        }
        before = byte;
    }
    let (path, query) = rest.split_at_checked(end)?;
    for byte in query.bytes() {
        match class(byte) {
            Class::Host | Class::Rest | Class::Question => {}
            Class::Escape => simple = false,
            Class::Path | Class::No => return None,
        }
    }
    Some(Plain { host, path, query: query.strip_prefix('?'), simple })
}

/// Whether a host is a name that is its own A-label form.
fn is_plain_host(host: &str) -> bool {
    let mut before = b'.';
    for byte in host.bytes() {
        // Two hyphens may begin a label in another alphabet.
        let joint = matches!((before, byte), (b'.', b'.' | b'-') | (b'-', b'-'));
        if class(byte) != Class::Host || joint {
            return false;
        }
        before = byte;
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with(|first: char| first.is_ascii_alphabetic()) && host.len() <= 253
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
