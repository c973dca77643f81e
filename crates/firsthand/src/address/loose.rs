//! The loose key: what a model changes when it copies an address by hand.
//!
//! Whatever is folded here costs nothing on the wire, because the source's own spelling is sent. Each thing that is
//! folded stands in the contract; nothing else may be, or a call would open what nobody meant.

use std::borrow::Cow;

use super::plain::Plain;
use super::{View, ends};

/// The loose key of an address, with or without its query.
///
/// Mostly it is a piece of the identity.
pub(super) fn key(address: View<'_>, with_query: bool) -> Cow<'_, str> {
    if address.is_odd() {
        return address.reveal().into();
    }
    let identity = address.identity();
    let authority = address.authority();
    let (mut start, end) = (authority.start, authority.end);
    let further = identity.get(authority).and_then(|authority| authority.strip_prefix("www.")).unwrap_or_default();
    if memchr::memchr(b'.', further.as_bytes()).is_some() {
        start += "www.".len();
    }
    let unescaped = unescaped_once(identity.get(end..).unwrap_or_default());
    // No escape was undone, and none is left to undo.
    let stands = match &unescaped {
        Cow::Borrowed(text) => memchr::memchr(b'%', text.as_bytes()).is_none(),
        Cow::Owned(_) => false,
    };
    let rest = ends::without(&unescaped, ends::SENTENCE);
    let question = memchr::memchr(b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (path, query) = rest.split_at_checked(question).unwrap_or((rest, ""));
    let query = if with_query { query } else { "" };
    let bare = path.strip_suffix('/').unwrap_or(path);
    if bare.len() < path.len() && !query.is_empty() || !stands {
        return folded(identity.get(start..end).unwrap_or_default(), bare, query).into();
    }
    let length = if query.is_empty() { bare.len() } else { rest.len() };
    identity.get(start..end + length).unwrap_or_default().into()
}

/// The same for a plain spelling, with the query and without it, where both are pieces of it; `None` where they may not be.
pub(super) fn of_plain<'s>(parts: &Plain<'s>) -> Option<(&'s str, &'s str)> {
    let Plain { spelling, start, host, path, query, simple, upper: _ } = *parts;
    if !simple {
        return None;
    }
    let start = match host.strip_prefix("www.") {
        Some(further) if memchr::memchr(b'.', further.as_bytes()).is_some() => start + "www.".len(),
        Some(_) | None => start,
    };
    let path_end = parts.start + host.len() + path.len();
    let whole = ends::without(spelling.get(start..)?, ends::SENTENCE).len() + start;
    if query.is_none() || whole <= path_end {
        let end = whole.min(path_end);
        let key = spelling.get(start..end)?;
        let key = key.strip_suffix('/').unwrap_or(key);
        return Some((key, key));
    }
    // A slash before the query is dropped from the middle.
    let path = spelling.get(start..path_end)?;
    (!path.ends_with('/')).then_some((spelling.get(start..whole)?, path))
}

/// The key of its parts; the query begins with its question mark.
pub(super) fn folded(authority: &str, path: &str, query: &str) -> String {
    let mut key = String::with_capacity(authority.len() + path.len() + query.len());
    key.push_str(authority);
    push_plain(&mut key, path);
    push_plain(&mut key, query);
    key
}

/// The text with the one JSON or HTML escape undone that models copy along.
pub(super) fn unescaped_once(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\\', b'&', text.as_bytes()).is_none() {
        return text.into();
    }
    if memchr::memchr(b'\\', text.as_bytes()).is_some() && (text.contains("\\/") || text.contains("\\u00")) {
        return crate::json::decode(text).into();
    }
    let entity = text.contains("&amp;") || text.contains("&#");
    if entity { htmlize::unescape(text) } else { text.into() }
}

/// Adds a text with the percent-encoding of unreserved characters undone, and one case for the bytes of letters.
fn push_plain(key: &mut String, text: &str) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        key.push_str(before);
        let byte = after.get(..2).and_then(|digits| {
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
        });
        match (byte, after.get(..2), after.get(2..)) {
            (Some(byte), Some(digits), Some(tail)) => {
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
                    key.push(char::from(byte));
                } else {
                    key.push('%');
                    // A letter outside ASCII may be written as itself; then the parser encodes it in upper case.
                    if byte.is_ascii() { key.push_str(digits) } else { key.push_str(&digits.to_ascii_uppercase()) }
                }
                rest = tail;
            }
            _ => {
                key.push('%');
                rest = after;
            }
        }
    }
    key.push_str(rest);
}
