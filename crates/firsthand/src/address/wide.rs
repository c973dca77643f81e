//! The wide key: all that some tool may fold, folded.
//!
//! A key reads `host[:port]/path?query`, without scheme, in lower case, with every escape undone; the key of a bare root is
//! just the host, and a path never ends in a slash. Where no query is involved, one address extends another exactly when
//! its key has the other's as a proper prefix. The parameters of a query are sorted, because tools sort them; so a parameter that a tool added may stand
//! before the model's, and [`extends`] compares parameters as a set.
//!
//! Kept apart on purpose: tracking parameters, look-alike letters, everything that no tool takes for the same.

use std::borrow::Cow;

use super::ends;
use super::fold;
use super::plain::{self, Plain};

/// How often a key is folded again when folding it changed it. Honest spellings need one pass.
const PASSES: usize = 4;

/// The longest host that is taken apart. Names are at most 253 bytes; escapes and invisible letters are gone by then.
const LONGEST_HOST: usize = 1024;

/// What may stand at the end of an address because a sentence ends there.
const CLOSING: u8 = ends::SENTENCE | ends::CLOSING;

/// The wide key of a text.
pub(super) fn key(text: &str) -> String {
    plain::parts(text)
        .filter(|parts| parts.simple)
        .map_or_else(|| folded(text), |parts| of_plain(&parts).0.into_owned())
}

/// The same without a look at what most spellings are.
pub(super) fn folded(text: &str) -> String {
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

/// The wide key of a plain spelling, the same as [`folded`] gives, and where in the spelling it stands, as it mostly does.
pub(super) fn of_plain<'s>(parts: &Plain<'s>) -> (Cow<'s, str>, Option<usize>) {
    let Plain { spelling, start, host: whole_host, path, query, simple: _, upper } = *parts;
    let mut host = whole_host;
    while let Some(shorter) = host.strip_prefix("www.")
        && memchr::memchr(b'.', shorter.as_bytes()).is_some()
    {
        host = shorter;
    }
    let from = start + whole_host.len() - host.len();
    let parameter = without_closing(query.unwrap_or_default());
    let kept = if parameter.is_empty() {
        ends::without(path, ends::SLASH | CLOSING).len()
    } else {
        path.len() + 1 + parameter.len()
    };
    let drops_a_slash = !parameter.is_empty() && path.len() > 1 && path.ends_with('/');
    let is_a_piece = !drops_a_slash && memchr::memchr(b'&', parameter.as_bytes()).is_none();
    if is_a_piece && !upper {
        let end = start + whole_host.len() + kept;
        return (spelling.get(from..end).unwrap_or_default().into(), Some(from));
    }
    (made_of(host, path, query.unwrap_or_default()).into(), None)
}

/// The same in pieces that change.
fn made_of(host: &str, path: &str, query: &str) -> String {
    let mut key = String::with_capacity(host.len() + path.len() + query.len() + 1);
    key.push_str(host);
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut sign = '?';
    let mut add = |key: &mut String, parameter: &str| {
        if sign == '?' {
            key.push_str(if path.is_empty() { "/" } else { path });
        }
        key.push(sign);
        key.push_str(parameter);
        sign = '&';
    };
    if memchr::memchr(b'&', query.as_bytes()).is_none() {
        let parameter = without_closing(query);
        if !parameter.is_empty() {
            add(&mut key, parameter);
        }
    } else {
        // In the order of the folded ones.
        let mut parameters: Vec<String> = query
            .split('&')
            .map(without_closing)
            .filter(|part| !part.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        parameters.sort_unstable();
        parameters.iter().for_each(|parameter| add(&mut key, parameter));
    }
    if sign == '?' {
        key.push_str(ends::without(path, ends::SLASH | CLOSING));
    }
    key.make_ascii_lowercase();
    key
}

/// A parameter without what adds nothing at its end.
fn without_closing(parameter: &str) -> &str {
    ends::without(parameter, ends::EQUALS | ends::SLASH | CLOSING)
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
    // All of the shorter one's parameters must be there; one may itself be extended.
    let mut missing = None;
    let several = !each_difference(query, longer_query, &mut |difference| match difference {
        Difference::Missing(parameter) => missing.replace(parameter).is_none(),
        Difference::Added(_) => true,
    });
    let Some(cut) = missing else { return true };
    let mut is_no_extension = |difference: Difference<'_>| match difference {
        Difference::Missing(_) => true,
        Difference::Added(parameter) => !parameter.starts_with(cut),
    };
    !several && !each_difference(query, longer_query, &mut is_no_extension)
}

/// A parameter that only one of two queries has.
enum Difference<'q> {
    Missing(&'q str),
    Added(&'q str),
}

/// Tells what another query lacks and what it adds until `each` says no; whether it never did. Both are sorted.
fn each_difference<'q>(query: &'q str, other: &'q str, each: &mut dyn FnMut(Difference<'q>) -> bool) -> bool {
    let mut theirs = other.split('&').peekable();
    for parameter in query.split('&') {
        while let Some(added) = theirs.next_if(|added| *added < parameter) {
            if !each(Difference::Added(added)) {
                return false;
            }
        }
        if theirs.next_if_eq(&parameter).is_none() && !each(Difference::Missing(parameter)) {
            return false;
        }
    }
    theirs.all(|added| each(Difference::Added(added)))
}

fn structured(text: &str) -> String {
    let rest = authority_onwards(text);
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let rest = fold::without_case(rest);
    let (path, query) = rest.split_once('?').unwrap_or((&rest, ""));

    let mut parameters: Vec<&str> = query.split('&').map(without_closing).filter(|part| !part.is_empty()).collect();
    parameters.sort_unstable();

    let mut key = String::with_capacity(text.len());
    let mut segments = String::with_capacity(path.len());
    push_segments(&mut segments, path);
    if parameters.is_empty() {
        let kept = ends::without(&segments, ends::SLASH | CLOSING).len();
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
    host.trim_end_matches(|last: char| last != ']' && ends::without(last.encode_utf8(&mut [0; 4]), CLOSING).is_empty())
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
