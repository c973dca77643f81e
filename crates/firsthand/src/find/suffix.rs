//! Names without a scheme: which of them are hosts.
//!
//! Most words with a dot inside are no hosts but file names, members of objects and sentences that lack a space.

use super::sign::{self, Sign};

/// The longest host name, in bytes.
pub(crate) const MAX_HOST: usize = 253;
/// The longest label, in bytes.
const MAX_LABEL: usize = 63;

/// Whether a top-level domain, in lower case, is an ending of file names too.
fn is_file_like(last: &[u8]) -> bool {
    matches!(
        last,
        b"cc"
            | b"md"
            | b"mk"
            | b"ml"
            | b"mm"
            | b"mov"
            | b"pm"
            | b"ps"
            | b"pub"
            | b"py"
            | b"rs"
            | b"sh"
            | b"so"
            | b"tf"
            | b"zip"
    )
}

/// Whether a top-level domain, in lower case, is a name of members in programs.
fn is_member_like(last: &[u8]) -> bool {
    matches!(
        last,
        b"as"
            | b"bar"
            | b"bio"
            | b"call"
            | b"date"
            | b"dot"
            | b"foo"
            | b"id"
            | b"int"
            | b"is"
            | b"link"
            | b"name"
            | b"new"
            | b"next"
            | b"now"
            | b"open"
            | b"search"
            | b"select"
    )
}

/// The longest entry of either list, in bytes.
const LONGEST_LISTED: usize = 6;

/// A name that may be a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after it, and after its port where it has one.
    pub(crate) end: usize,
    /// How many labels it has.
    pub(crate) labels: usize,
    /// It has a port.
    pub(crate) port: bool,
    /// It starts with `www.`.
    pub(crate) www: bool,
    /// Its end is also one of file names or of names in programs.
    pub(crate) doubtful: bool,
}

/// Whether a name has a known public suffix, and more than that.
pub(crate) fn is_registered(host: &str) -> bool {
    host.len() <= MAX_HOST && has_labels(host.as_bytes()) && has_known_suffix(host)
}

/// Whether what stands between the dots of a name are labels, none of which begins or ends with a hyphen.
fn has_labels(host: &[u8]) -> bool {
    let (mut before, mut length) = (b'.', 0);
    let whole = host.iter().all(|&byte| {
        length = if byte == b'.' { 0 } else { length + 1 };
        let fits = match (before, byte) {
            (b'.', b'.' | b'-') | (b'-', b'.') => false,
            _ => length <= MAX_LABEL,
        };
        before = byte;
        fits
    });
    whole && !matches!(before, b'.' | b'-')
}

fn has_known_suffix(host: &str) -> bool {
    // The list is in lower case.
    let lower;
    let host = if host.bytes().any(|byte| byte >= 0x80 || byte.is_ascii_uppercase()) {
        lower = host.to_lowercase();
        lower.as_str()
    } else {
        host
    };
    psl::suffix(host.as_bytes()).is_some_and(|suffix| {
        // A private suffix such as a page host's own name is a host, `co.uk` is none.
        suffix.is_known() && (suffix.as_bytes().len() < host.len() || suffix.typ() == Some(psl::Type::Private))
    })
}

/// The run of labels and dots around a dot: where it starts, not before `floor`, and where it ends.
///
/// Two dots in a row end it. Ideographs are in no run: people who write without spaces write them around a name.
pub(crate) fn run_around(text: &str, dot: usize, floor: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut start = dot;
    while let Some(&byte) = start.checked_sub(1).filter(|&at| at >= floor).and_then(|at| bytes.get(at)) {
        let length = match byte {
            0x80.. => {
                sign::character_before(text, start).filter(|&character| in_name(character)).map_or(0, char::len_utf8)
            }
            b'.' => usize::from(bytes.get(start) != Some(&b'.')),
            _ => usize::from(sign::classes(byte) & sign::LABEL != 0),
        };
        if length == 0 {
            break;
        }
        start -= length;
    }
    let mut end = dot;
    while let Some(&byte) = bytes.get(end) {
        let length = match byte {
            0x80.. => sign::character_at(text, end).filter(|&character| in_name(character)).map_or(0, char::len_utf8),
            b'.' => usize::from(bytes.get(end + 1) != Some(&b'.')),
            _ => usize::from(sign::classes(byte) & sign::LABEL != 0),
        };
        if length == 0 {
            break;
        }
        end += length;
    }
    (start.max(floor), end)
}

/// Whether a character beyond ASCII may stand in a name.
fn in_name(character: char) -> bool {
    match sign::sign(character) {
        Sign::Data => character.is_alphanumeric(),
        Sign::Ideograph
        | Sign::Stop
        | Sign::Opening
        | Sign::Ellipsis
        | Sign::Break
        | Sign::Invisible
        | Sign::Joiner => false,
    }
}

/// The host name in a run of labels and dots, if the run and what stands around it read like one.
///
/// `easily` takes two labels too; else it takes them only in front of a port or path or behind `www.`, or where `whole`
/// says that the name is all there is.
pub(crate) fn name_in_run(
    text: &str,
    run: (usize, usize),
    easily: bool,
    whole: &dyn Fn(usize, usize) -> bool,
) -> Option<Name> {
    let (start, end) = run;
    let bytes = text.as_bytes();
    let host = text.get(start..end)?;
    let www = host.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www."));
    if !easily && !www && !matches!(bytes.get(end), Some(b'/' | b':' | b'?')) {
        // Most words with a dot end here, before anything is looked up.
        let dots = host.bytes().filter(|&byte| byte == b'.').count();
        if dots < 2 && !whole(start, end) {
            return None;
        }
    }
    if !may_stand_before(text, start) {
        return None;
    }
    let host = without_next_sentence(host.trim_end_matches(['.', '-']))?;
    let end = start + host.len();
    let labels = 1 + memchr::memchr_iter(b'.', host.as_bytes()).count();
    let (end, port) = match bytes.get(end) {
        Some(b':') => match port(bytes, end + 1) {
            Port::Is(end) => (end, true),
            Port::Not => (end, false),
            Port::Broken => return None,
        },
        _ => (end, false),
    };
    let path = matches!(bytes.get(end), Some(b'/' | b'?'));
    let enough = easily || path || port || www || labels > 2 || whole(start, end);
    if labels < 2 || !enough || !may_stand_behind(bytes, end) {
        return None;
    }
    let last = host.rsplit_once('.').map(|(_, last)| last)?;
    if !one_case(last) || !is_registered(host) {
        return None;
    }
    let doubtful = || {
        let mut lower = [0; LONGEST_LISTED];
        let Some(lower) = lower.get_mut(..last.len()) else { return false };
        lower.copy_from_slice(last.as_bytes());
        lower.make_ascii_lowercase();
        is_file_like(lower) || !easily && is_member_like(lower)
    };
    let doubtful = !www && bytes.get(end) != Some(&b'/') && doubtful();
    Some(Name { start, end, labels, port, www, doubtful }).filter(|name| !name.doubtful)
}

/// Whether a name may start here: not behind a letter, an at sign, a slash, a dot, a hyphen or what else glues words.
fn may_stand_before(text: &str, start: usize) -> bool {
    match sign::character_before(text, start) {
        None => true,
        Some('@' | '/' | '\\' | '.' | '-' | '_' | '$' | '#' | '%' | '&' | '+' | '^') => false,
        Some(before) if before.is_ascii() => !before.is_ascii_alphanumeric(),
        Some(before) => !before.is_alphanumeric() && !sign::is_invisible(before) && before != '\u{2026}',
    }
}

/// Whether a name may end here: what follows is neither an e-mail's host nor a program's bracket.
fn may_stand_behind(bytes: &[u8], end: usize) -> bool {
    !matches!(bytes.get(end..end + 3), Some(b"\xe2\x80\xa6"))
        && !matches!(bytes.get(end), Some(b'@' | b'_' | b'(' | b'[' | b'{' | b'$' | b'=' | b'+' | b'%' | b'^' | b'-'))
}

/// Cuts labels that read like the first word of the next sentence.
fn without_next_sentence(mut host: &str) -> Option<&str> {
    loop {
        let (before, last) = host.rsplit_once('.')?;
        let mut letters = last.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let rest = letters.as_str();
        if capital && (rest.is_empty() || rest.chars().any(char::is_lowercase)) {
            host = before.trim_end_matches('.');
        } else {
            return Some(host);
        }
    }
}

fn one_case(label: &str) -> bool {
    if label.is_ascii() {
        let has = |is: fn(&u8) -> bool| label.as_bytes().iter().fold(false, |has, byte| has | is(byte));
        return has(u8::is_ascii_lowercase) != has(u8::is_ascii_uppercase);
    }
    label.chars().any(char::is_alphabetic)
        && !(label.chars().any(char::is_lowercase) && label.chars().any(char::is_uppercase))
}

enum Port {
    /// It ends here.
    Is(usize),
    /// The colon is punctuation.
    Not,
    /// Digits that are no port.
    Broken,
}

fn port(bytes: &[u8], from: usize) -> Port {
    let rest = bytes.get(from..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        // A slash or letter would make it a scheme or a key of something else.
        return if rest.first().is_some_and(|&byte| byte == b'/' || byte.is_ascii_alphabetic()) {
            Port::Broken
        } else {
            Port::Not
        };
    }
    let number = rest
        .get(..digits.min(6))
        .unwrap_or_default()
        .iter()
        .fold(0_u32, |sum, &digit| sum * 10 + u32::from(digit - b'0'));
    let behind = rest.get(digits);
    let glued = behind.is_some_and(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-'));
    if digits > 5 || number > 65_535 || glued { Port::Broken } else { Port::Is(from + digits) }
}
