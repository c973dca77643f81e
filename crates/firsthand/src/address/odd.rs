//! Spellings that parsers read differently, or that carry bytes which vanish on the way.

use idna::uts46::{Hyphens, Uts46};
use unicode_normalization::is_nfc;
use url::{Host, Url};

use super::fold::vanishes;

/// Whether a spelling that parses is odd. It has a scheme and no fragment.
pub(super) fn is_odd(spelling: &str, url: &Url) -> bool {
    if spelling.chars().any(breaks) {
        return true;
    }
    let Some((authority, rest)) = split(spelling) else { return true };
    if authority.contains(['@', '%']) {
        return true;
    }
    let (host, port) = host_and_port(authority);
    port.starts_with('0') || !is_stable(host, url) || has_dot_segment(rest)
}

/// Whether a text would be a web address if what parsers drop were dropped: the oddest spellings do not even parse.
pub(super) fn hides_an_address(text: &str) -> bool {
    let shown: String = text.chars().filter(|character| !breaks(*character)).take(8).collect();
    let shown = shown.to_ascii_lowercase();
    text.chars().any(breaks) && (shown.starts_with("http:") || shown.starts_with("https:"))
}

/// Whether a character must not stand in an address that is opened.
fn breaks(character: char) -> bool {
    if character.is_ascii() {
        return character <= ' ' || matches!(character, '\\' | '\u{7f}');
    }
    // Joiners and variation selectors belong to the spelling of words and signs; the host is looked at more closely.
    let joins = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    character.is_whitespace() || vanishes(character) && !joins
}

/// The authority of `scheme://authority...` and what follows it; `None` unless exactly two slashes stand there.
pub(super) fn split(spelling: &str) -> Option<(&str, &str)> {
    let (_, rest) = spelling.split_once(':')?;
    let rest = rest.strip_prefix("//")?;
    if rest.starts_with('/') {
        return None;
    }
    let end = memchr::memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len());
    rest.split_at_checked(end)
}

fn host_and_port(authority: &str) -> (&str, &str) {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (authority, ""),
    }
}

/// Whether the host that the parser read is the written one, but for case and the way Unicode letters are written.
fn is_stable(written: &str, url: &Url) -> bool {
    match url.host() {
        None => false,
        Some(Host::Ipv4(address)) => address.to_string() == written,
        Some(Host::Ipv6(address)) => {
            address.to_ipv4_mapped().is_none() && url.host_str().is_some_and(|read| written.eq_ignore_ascii_case(read))
        }
        Some(Host::Domain(_)) if written.chars().any(|letter| letter.is_ascii() && !in_names(letter)) => false,
        Some(Host::Domain(ascii)) if written.is_ascii() => written.eq_ignore_ascii_case(ascii),
        Some(Host::Domain(_)) if !is_nfc(written) => false,
        Some(Host::Domain(ascii)) => {
            let written: String = written.chars().flat_map(char::to_lowercase).collect();
            let (unicode, read) = Uts46::new().to_unicode(ascii.as_bytes(), idna::AsciiDenyList::URL, Hyphens::Allow);
            read.is_ok()
                && !written.chars().any(vanishes)
                && written.split('.').count() == ascii.split('.').count()
                && written
                    .split('.')
                    .zip(ascii.split('.').zip(unicode.split('.')))
                    .all(|(written, (ascii, unicode))| written == ascii || written == unicode)
        }
    }
}

/// Whether an ASCII character stands in names of hosts.
fn in_names(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_')
}

/// Whether a path has a segment that parsers take as "here" or "up".
fn has_dot_segment(rest: &str) -> bool {
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(is_dots)
}

fn is_dots(segment: &str) -> bool {
    let segment = segment.as_bytes();
    // At most two dots, each of one or three bytes.
    if segment.is_empty() || segment.len() > 6 {
        return false;
    }
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        rest = match rest {
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return false,
        };
        dots += 1;
    }
    dots <= 2
}
