//! The loose key: what a model changes when it copies an address by hand.
//!
//! Whatever is folded here costs nothing on the wire, because the source's own spelling is sent. Each thing that is
//! folded stands in the contract; nothing else may be, or a call would open what nobody meant.

use super::Address;

/// The loose key of an address, with or without its query.
pub(super) fn key(address: &Address, with_query: bool) -> String {
    if address.is_odd() {
        return address.reveal().to_owned();
    }
    let host = address.host();
    let host = host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host);
    let bracketed = host.contains(':');
    let mut key = String::with_capacity(address.identity().len());
    key.extend(bracketed.then_some('['));
    key.push_str(host);
    key.extend(bracketed.then_some(']'));
    if !address.has_default_port() {
        key.push(':');
        key.push_str(&address.port().to_string());
    }

    let rest = unescaped_once(address.after_authority());
    let rest = rest.trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', '"', '*', '~']);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    push_plain(&mut key, path.strip_suffix('/').unwrap_or(path));
    if with_query && !query.is_empty() {
        key.push('?');
        push_plain(&mut key, query);
    }
    key
}

/// The text with the one JSON or HTML escape undone that models copy along.
pub(super) fn unescaped_once(text: &str) -> std::borrow::Cow<'_, str> {
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
