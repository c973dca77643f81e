//! The wide key: all that some tool may fold, folded.
//!
//! A key reads `host[:port]/path?query`, without scheme, in lower case, with every escape undone; the key of a bare root is
//! just the host, and a path never ends in a slash. Where no query is involved, one address extends another exactly when
//! its key has the other's as a proper prefix. The parameters of a query are sorted, because tools sort them; so a parameter that a tool added may stand
//! before the model's, and [`extends`] compares parameters as a set.
//!
//! Kept apart on purpose: tracking parameters, look-alike letters, everything that no tool takes for the same.

use super::fold;

/// How often a key is folded again when folding it changed it. Honest spellings need one pass.
const PASSES: usize = 4;

/// The longest host that is taken apart. Names are at most 253 bytes; escapes and invisible letters are gone by then.
const LONGEST_HOST: usize = 1024;

/// What may stand at the end of an address because a sentence ends there.
const CLOSING: &[char] =
    &['.', ',', ':', ';', '!', '?', '\'', '"', '*', '~', '(', ')', '[', ']', '{', '}', '<', '>', '`', '|'];

/// The wide key of a text.
pub(super) fn key(text: &str) -> String {
    let (plain, simple) = fold::plain(text);
    let mut key = structured(&plain);
    if simple && is_settled(&key) {
        return key;
    }
    for _ in 0..PASSES {
        let next = structured(&fold::plain(&key).0);
        if next == key {
            break;
        }
        key = next;
    }
    key
}

/// Whether a key begins with a name and no port, so that no pass could take its beginning for something else.
fn is_settled(key: &str) -> bool {
    let name = key.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_')));
    let after = name.map_or("", |end| key.get(end..).unwrap_or_default());
    key.starts_with(|first: char| first.is_ascii_alphanumeric()) && (after.is_empty() || after.starts_with('/'))
}

/// Whether one wide key is another with something added: to its end, or to its query at any place.
pub(super) fn extends(longer: &str, shorter: &str) -> bool {
    if longer.len() <= shorter.len() {
        return false;
    }
    if longer.starts_with(shorter) {
        return true;
    }
    let (Some((path, query)), Some((longer_path, longer_query))) = (shorter.split_once('?'), longer.split_once('?'))
    else {
        return false;
    };
    if path != longer_path {
        return false;
    }
    // Both lists are sorted. All of the shorter one's parameters must be there; one may itself be extended.
    let mut added: Vec<&str> = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    let mut theirs = longer_query.split('&').peekable();
    for part in query.split('&') {
        while let Some(other) = theirs.next_if(|other| *other < part) {
            added.push(other);
        }
        if theirs.next_if_eq(&part).is_none() {
            missing.push(part);
        }
    }
    added.extend(theirs);
    match missing.as_slice() {
        [] => true,
        [cut] => added.iter().any(|other| other.starts_with(cut)),
        _ => false,
    }
}

fn structured(text: &str) -> String {
    let rest = authority_onwards(text);
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let rest = fold::without_case(rest);
    let (path, query) = rest.split_once('?').unwrap_or((&rest, ""));

    let mut parameters: Vec<&str> = query
        .split('&')
        .map(|part| part.trim_end_matches(|last| matches!(last, '=' | '/') || CLOSING.contains(&last)))
        .filter(|part| !part.is_empty())
        .collect();
    parameters.sort_unstable();

    let mut key = String::with_capacity(text.len());
    let mut segments = String::with_capacity(path.len());
    push_segments(&mut segments, path);
    if parameters.is_empty() {
        let kept = segments.trim_end_matches(|last| last == '/' || CLOSING.contains(&last)).len();
        segments.truncate(kept);
    }
    let bare = segments.is_empty() && parameters.is_empty();
    push_authority(&mut key, authority, if bare { end_of_sentence } else { end_of_name });
    key.push_str(&segments);
    if !parameters.is_empty() {
        if segments.is_empty() {
            key.push('/');
        }
        let mut sign = '?';
        for part in parameters {
            key.push(sign);
            key.push_str(part);
            sign = '&';
        }
    }
    key
}

/// What follows the scheme, slashes, user names and `www.`.
fn authority_onwards(text: &str) -> &str {
    let rest = without_scheme(text).trim_start_matches('/');
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let name = rest.get(..end).and_then(|authority| authority.rfind('@')).map_or(0, |at| at + 1);
    let mut rest = rest.get(name..).unwrap_or_default();
    let mut left = end - name;
    while let Some(shorter) = rest.strip_prefix("www.")
        && shorter.find('.').is_some_and(|dot| dot > 0 && dot + 4 < left)
    {
        rest = shorter;
        left -= 4;
    }
    rest
}

/// A text without its scheme, which may be another than the web's.
fn without_scheme(text: &str) -> &str {
    let text = text.strip_prefix("view-source:").unwrap_or(text);
    let Some((scheme, tail)) =
        text.bytes().take(17).position(|byte| byte == b':').and_then(|at| text.split_at_checked(at))
    else {
        return text;
    };
    let tail = tail.get(1..).unwrap_or_default();
    let is_scheme = if matches!(scheme, "http" | "https" | "hxxp" | "hxxps") {
        // A host may be called like a scheme.
        let digits = tail.trim_start_matches(|letter: char| letter.is_ascii_digit());
        !(digits.is_empty() || digits.starts_with(['/', '?', '#']) && digits.len() < tail.len())
    } else {
        tail.starts_with("//")
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
    };
    if is_scheme { tail } else { text }
}

fn end_of_name(host: &str) -> &str {
    host.trim_end_matches('.')
}

fn end_of_sentence(host: &str) -> &str {
    // A closing bracket belongs to an address in numbers.
    host.trim_end_matches(|last| last != ']' && CLOSING.contains(&last))
}

/// Adds host and port; `end` cuts what may be behind either.
fn push_authority(key: &mut String, authority: &str, end: fn(&str) -> &str) {
    let mut host = end(authority);
    let mut port = "";
    while let Some((before, digits)) = host.rsplit_once(':')
        && !before.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (!before.starts_with('[') || before.ends_with(']'))
    {
        host = end(before);
        port = match digits.trim_start_matches('0') {
            "" if !digits.is_empty() => "0",
            port => port,
        };
        if !matches!(port, "" | "80" | "443") {
            break;
        }
        port = "";
    }
    push_host(key, host);
    if !port.is_empty() {
        key.push(':');
        key.push_str(port);
    }
}

fn push_host(key: &mut String, host: &str) {
    let last = host.rsplit('.').next().unwrap_or_default();
    let plain = host.is_ascii()
        && !host.starts_with('[')
        && !last.starts_with(|first: char| first.is_ascii_digit())
        && !host.contains("xn--");
    if plain || host.len() > LONGEST_HOST {
        key.push_str(host);
        return;
    }
    let Ok(parsed) = url::Host::parse(host) else {
        key.push_str(host);
        return;
    };
    let mapped = fold::address_text(&parsed);
    let mut mapped = mapped.trim_end_matches('.');
    while let Some(shorter) = mapped.strip_prefix("www.")
        && shorter.contains('.')
    {
        mapped = shorter;
    }
    key.push_str(mapped);
}

/// Adds the segments of a path, each after a slash, without empty ones and detours.
fn push_segments(key: &mut String, path: &str) {
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                let kept = key.rfind('/').unwrap_or(0);
                key.truncate(kept);
            }
            segment => {
                key.push('/');
                key.push_str(segment);
            }
        }
    }
}
