//! Whether an address carries its own permission.

use std::borrow::Cow;

use firsthand::address::{Address, Form as Written};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use percent_encoding::percent_decode_str;

use crate::table::{Expires, Form, Parts, Rule, table};

/// How many addresses in each other's parameters are looked at.
const NESTED: usize = 3;

/// The shortest value that the generic rule takes for a credential, in characters.
const SHORTEST: usize = 16;

/// An address that carries its own permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Who serves it, by the table; `userinfo`, `key` (of JSON) or `generic` where something else tells.
    pub provider: &'static str,
    /// When its time is over, in seconds since 1970 (UTC), where it says so.
    pub expires: Option<i64>,
}

/// What a deployment masks besides the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Parameters with names such as `token` whose values look like credentials, whoever serves them. It has false hits.
    pub generic: bool,
}

/// Whether an address carries its own permission, in whatever escaped spelling: `&amp;`, `\u0026`, `\/`, or percent-encoded
/// once more in a parameter of another address.
pub fn signed(spelling: &str, setting: Setting) -> Option<Signed> {
    of(&plain(spelling), setting, NESTED)
}

/// The spelling with the escapes of HTML and JSON undone.
pub(crate) fn plain(spelling: &str) -> Cow<'_, str> {
    if !spelling.contains(['\\', '&']) {
        return Cow::Borrowed(spelling);
    }
    let mut plain = spelling.replace("\\/", "/");
    for (escaped, letter) in [
        ("\\u0026", "&"),
        ("\\u003d", "="),
        ("\\u003D", "="),
        ("\\u003f", "?"),
        ("\\u003F", "?"),
        ("\\u002f", "/"),
        ("\\u002F", "/"),
        ("&amp;", "&"),
        ("&AMP;", "&"),
        ("&#38;", "&"),
        ("&#x26;", "&"),
        ("&#X26;", "&"),
        ("&#61;", "="),
        ("&equals;", "="),
    ] {
        if plain.contains(escaped) {
            plain = plain.replace(escaped, letter);
        }
    }
    Cow::Owned(plain)
}

fn of(spelling: &str, setting: Setting, depth: usize) -> Option<Signed> {
    let (_, rest) = spelling.split_once("://").unwrap_or(("", spelling));
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    if authority.rsplit_once('@').is_some_and(|(user, _)| !user.is_empty()) && spelling.contains("://") {
        return Some(Signed { provider: "userinfo", expires: None });
    }
    let host = authority.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let parameter = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name).to_lowercase(), decoded(value))
    };
    let parameters: Vec<(String, String)> =
        query.split(['&', ';']).filter(|pair| !pair.is_empty()).map(parameter).collect();
    let parts = Parts { host: &host, path, parameters };
    if let Some(rule) = table().rules.iter().find(|rule| rule.fits(&parts)) {
        let Rule { provider, expires, .. } = rule;
        return Some(Signed { provider, expires: expires.as_ref().and_then(|expires| end(expires, &parts)) });
    }
    if setting.generic && parts.parameters.iter().any(|(name, value)| table().is_generic(name) && is_credential(value))
    {
        return Some(Signed { provider: "generic", expires: None });
    }
    // Escaped once more than its place asks for.
    let again = |value: &str| (!value.contains("://") && is_escaped(value)).then(|| decoded(value));
    let again: Vec<String> = parts.parameters.iter().filter_map(|(_, value)| again(value)).collect();
    let inner = parts.parameters.iter().map(|(_, value)| value.as_str()).chain(again.iter().map(String::as_str));
    let in_path = path.contains("://").then(|| path.trim_start_matches('/'));
    let encoded = is_escaped(path).then(|| decoded(path));
    let mut inner = inner.chain(in_path).chain(encoded.as_deref()).filter(|value| depth > 0 && value.contains("://"));
    inner.find_map(|value| of(value.get(value.find("http")?..)?, setting, depth - 1))
}

/// Whether an address stands in it, escaped.
fn is_escaped(text: &str) -> bool {
    text.contains("%3A%2F%2F") || text.contains("%3a%2f%2f")
}

/// Base64, hex or a JSON web token, long enough.
fn is_credential(value: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~');
    value.len() >= SHORTEST && value.bytes().all(is_letter) && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// When the time of an address is over.
fn end(expires: &Expires, parts: &Parts<'_>) -> Option<i64> {
    let value = |name: &Option<String>| name.as_deref().and_then(|name| parts.parameter(name));
    if let (Some(date), Some(seconds)) = (value(&expires.date), value(&expires.seconds)) {
        let start = Offset::UTC.to_timestamp(DateTime::strptime("%Y%m%dT%H%M%SZ", date).ok()?).ok()?;
        return start.as_second().checked_add(seconds.parse().ok()?);
    }
    let at = value(&expires.at)?;
    match expires.form {
        // Milliseconds are told from seconds by their size.
        Form::Epoch => at.parse::<i64>().ok().map(|at| if at > 100_000_000_000 { at / 1000 } else { at }),
        Form::Iso => at.parse::<Timestamp>().ok().map(Timestamp::as_second),
        Form::Hex => i64::from_str_radix(at, 16).ok(),
        Form::Range => at.split_once(';').and_then(|(_, end)| end.parse().ok()),
    }
}

/// The address of a spelling that was found signed.
pub(crate) fn address(spelling: &str) -> Option<Address> {
    let plain = plain(spelling);
    Address::written(&plain, Written::Absolute).or_else(|| Address::written(&plain, Written::Bare))
}
