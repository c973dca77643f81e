//! The parts of a folded spelling that are in its wide key.

use std::ops::Range;

/// A scheme that is longer than this is none for the wide key.
const LONGEST_SCHEME: usize = 16;

/// The parts of a folded text that are in its key.
pub(super) struct Parts {
    pub(super) host: Range<usize>,
    pub(super) name: Name,
    pub(super) path: Path,
    pub(super) query: Option<Query>,
}

/// What a host is.
pub(super) enum Name {
    /// A name, which stays as it is.
    Plain,
    /// An address in numbers.
    Numbers([u8; 4]),
}

/// What a path is.
pub(super) enum Path {
    /// One that stays as it is; nothing at all where there is none.
    Plain(Range<usize>),
    /// One with detours or slashes too many.
    Segments(Range<usize>),
}

/// What a query is.
pub(super) enum Query {
    /// One that stays as it is, with its question mark.
    Plain(Range<usize>),
    /// One whose parameters are to be sorted or cut.
    Loose(Range<usize>),
}

pub(super) fn parts(folded: &[u8]) -> Option<Parts> {
    let scheme = scheme(folded)?;
    let rest = folded.get(scheme..)?;
    let length = memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
    let goes_on = length < rest.len();
    let mut authority = rest.get(..length)?;
    let mut port = 0;
    // Odd ports and user names are for others to read.
    if let Some(sign) = memchr::memchr2(b':', b'@', authority) {
        let behind = authority.get(sign..)?;
        let digits = behind.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        let rest = behind.get(1 + digits..)?;
        let closed = !goes_on && rest.iter().all(|byte| closes(*byte) && *byte != b']');
        let default = matches!(behind.get(1..=digits), Some(b"80" | b"443"));
        let is_port = digits > 0 && behind.get(1) != Some(&b'0') && !default && behind.first() == Some(&b':');
        // A dot behind the port counts where it is told whether `www.` goes.
        let counts = authority.starts_with(b"www.") && memchr::memchr(b'.', rest).is_some();
        let is_named = memchr::memchr(b'.', authority.get(..sign)?).is_some();
        if is_port && (rest.is_empty() || closed && !counts) && is_named {
            port = 1 + digits;
            authority = authority.get(..sign)?;
        } else if digits > 0 || !closed || behind.first() != Some(&b':') {
            return None;
        }
    }
    let named = authority.len();
    while let Some(shorter) = authority.strip_prefix(b"www.")
        && memchr::memchr(b'.', shorter).is_some_and(|dot| dot > 0 && dot + 4 < authority.len() + port)
    {
        authority = shorter;
    }
    let start = scheme + named - authority.len();
    let (path, query) = if goes_on { path(folded, scheme + length)? } else { (Path::Plain(0..0), None) };
    let host = if port > 0 {
        // A name with something between it and the port would have to close up.
        if authority.last().is_some_and(|last| closes(*last)) {
            return None;
        }
        authority
    } else if query.is_none() && matches!(&path, Path::Plain(path) if path.is_empty()) {
        // A closing bracket may belong to an address in numbers.
        without_end(authority, |byte| byte != b']' && closes(byte))
    } else if authority.ends_with(b".") {
        // The dot goes, and what follows would have to close up.
        return None;
    } else {
        authority
    };
    let name = name(host)?;
    if port > 0 && !matches!(name, Name::Plain) {
        return None;
    }
    Some(Parts { host: start..start + host.len() + port, name, path, query })
}

/// How many bytes the scheme and its slashes take.
fn scheme(folded: &[u8]) -> Option<usize> {
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-');
    let length = folded.iter().take(LONGEST_SCHEME + 1).take_while(is_letter).count();
    if folded.get(length) != Some(&b':') {
        return Some(0);
    }
    let tail = folded.get(length + 1..)?;
    let slashes = tail.iter().take_while(|byte| **byte == b'/').count();
    let known = matches!(folded.get(..length)?, b"http" | b"https" | b"hxxp" | b"hxxps");
    (known && slashes > 0).then_some(length + 1 + slashes)
}

/// What a host is, if no parser takes it for something else.
fn name(host: &[u8]) -> Option<Name> {
    if !host.first()?.is_ascii_alphanumeric() {
        return None;
    }
    // What no host may hold is no host for anybody, and stays as it is.
    let forbidden = |byte: &u8| matches!(byte, b'%' | b'<' | b'>' | b'[' | b']' | b'^' | b'|');
    if host.is_ascii() {
        if host.windows(4).any(|part| part == b"xn--") {
            return None;
        }
    } else if !host.iter().any(forbidden) {
        return None;
    }
    let last = memchr::memrchr(b'.', host).map_or(host, |dot| host.get(dot + 1..).unwrap_or_default());
    match last.first() {
        Some(first) if first.is_ascii_digit() => numbers(host, last).filter(|_| !host.starts_with(b"www.")),
        Some(_) | None => Some(Name::Plain),
    }
}

/// The address in numbers that a host is; a name where it is none.
fn numbers(host: &[u8], last: &[u8]) -> Option<Name> {
    // What may be hexadecimal is left to others.
    if host.split(|byte| *byte == b'.').any(|label| label.starts_with(b"0x")) {
        return None;
    }
    if !last.iter().all(u8::is_ascii_digit) {
        return Some(Name::Plain);
    }
    let mut address: u32 = 0;
    let mut room: u32 = 32;
    let mut labels = host.split(|byte| *byte == b'.').peekable();
    while let Some(label) = labels.next() {
        let radix = if label.len() > 1 && label.starts_with(b"0") { 8 } else { 10 };
        let number = str::from_utf8(label).ok().and_then(|label| u32::from_str_radix(label, radix).ok());
        let is_last = labels.peek().is_none();
        let most = if is_last { u64::from(u32::MAX) >> (32 - room) } else { 255 };
        let Some(number) =
            number.filter(|number| room > 0 && label.first() != Some(&b'+') && u64::from(*number) <= most)
        else {
            return Some(Name::Plain);
        };
        room -= 8;
        address |= if is_last { number } else { number << room };
    }
    Some(Name::Numbers(address.to_be_bytes()))
}

/// The path and the query of what begins behind a host.
fn path(folded: &[u8], from: usize) -> Option<(Path, Option<Query>)> {
    let behind = folded.get(from..)?;
    let behind = memchr::memchr(b'#', behind).map_or(behind, |hash| behind.get(..hash).unwrap_or_default());
    let question = memchr::memchr(b'?', behind);
    let path = behind.get(..question.unwrap_or(behind.len()))?;
    let query = question.and_then(|question| query(behind, question, from));
    let odd = memchr::memchr_iter(b'/', path).any(|at| matches!(path.get(at + 1), Some(b'/' | b'.')));
    // A slash before a query is kept at the root only, and put there where there is none.
    if odd || query.is_some() && path != b"/" && path.last().is_none_or(|last| *last == b'/') {
        return Some((Path::Segments(from..from + path.len()), query));
    }
    let kept = if query.is_some() { path } else { without_end(path, |byte| byte == b'/' || closes(byte)) };
    Some((Path::Plain(if kept.is_empty() { 0..0 } else { from..from + kept.len() }), query))
}

/// The query that begins at a question mark, if there is something in it.
fn query(behind: &[u8], question: usize, from: usize) -> Option<Query> {
    let mut before: &[u8] = b"";
    let (mut plain, mut empty, mut cut) = (true, true, 0);
    for part in behind.get(question + 1..)?.split(|byte| *byte == b'&') {
        let kept = without_parameter_end(part);
        // Only the last one may have an end to cut.
        plain &= cut == 0 && !kept.is_empty() && kept >= before;
        empty &= kept.is_empty();
        cut = part.len() - kept.len();
        before = kept;
    }
    match (empty, plain) {
        (true, _) => None,
        (false, true) => Some(Query::Plain(from + question..from + behind.len() - cut)),
        (false, false) => Some(Query::Loose(from + question + 1..from + behind.len())),
    }
}

pub(super) fn without_parameter_end(part: &[u8]) -> &[u8] {
    without_end(part, |byte| matches!(byte, b'=' | b'/') || closes(byte))
}

pub(super) fn without_end(mut text: &[u8], ends: impl Fn(u8) -> bool) -> &[u8] {
    while let Some((last, before)) = text.split_last()
        && ends(*last)
    {
        text = before;
    }
    text
}

/// What may stand at the end of an address because a sentence ends there.
pub(super) fn closes(byte: u8) -> bool {
    matches!(
        byte,
        b'.' | b','
            | b':'
            | b';'
            | b'!'
            | b'?'
            | b'\''
            | b'"'
            | b'*'
            | b'~'
            | b'('
            | b')'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'<'
            | b'>'
            | b'`'
            | b'|'
    )
}
