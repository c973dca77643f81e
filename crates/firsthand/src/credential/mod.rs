//! Values of an address that look like credentials.
//!
//! A key or a token is told by its shape ([`shapes`]), or by the name of the parameter that holds it and a value that
//! nobody reads. Looked at are the segments of the path and the values of the query, decoded, and what they hold in turn:
//! an address, JSON, a form or base64. Who wrote a value is asked by its runs: a text holds it if each stands in it.

mod shapes;
#[cfg(test)]
mod tests;

use crate::address::fold::unescaped;
use crate::find::from_base64;
use crate::json::{self, Step, folded_name};

/// How many texts in each other are looked into: a value, what it holds, and what that holds.
const NESTED: usize = 3;

/// The shortest value that a parameter's name makes a credential, in bytes.
const SHORTEST_NAMED: usize = 16;

/// The shortest run of a value that tells whose it is, in bytes.
const SHORTEST_RUN: usize = 8;

/// How long a run of letters and digits nobody reads is, in bytes.
const SHORTEST_DENSE: usize = 10;

/// How many different characters a random value of [`SHORTEST_NAMED`] bytes has at least.
const LEAST_VARIETY: u32 = 8;

/// The shortest text in base64 that is decoded, in bytes: shorter ones hold no credential.
const SHORTEST_ENCODED: usize = 20;

/// Names of parameters that hold credentials, in lower case and without joints.
const NAMES: [&str; 45] = [
    "accesskey",
    "accesskeyid",
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authkey",
    "authorization",
    "authtoken",
    "awsaccesskeyid",
    "bearer",
    "clientsecret",
    "code",
    "feedtoken",
    "googleaccessid",
    "idtoken",
    "jobtoken",
    "jwt",
    "key",
    "ossaccesskeyid",
    "otp",
    "passwd",
    "password",
    "privatekey",
    "privatetoken",
    "pubsecret",
    "pwd",
    "refreshtoken",
    "resourcekey",
    "rlkey",
    "rsstoken",
    "secret",
    "secretaccesskey",
    "secretkey",
    "securitytoken",
    "sessionid",
    "sessiontoken",
    "sid",
    "sig",
    "signature",
    "tempauth",
    "ticket",
    "token",
    "userkey",
    "zak",
];

/// Calls `each` with every value of an address that looks like a credential, and with the segment or the value of the query
/// in which it stands, both decoded. Reveals them.
pub fn each_in(address: &str, each: &mut dyn FnMut(&str, &str)) {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let target = rest.find(['/', '?']).and_then(|start| rest.get(start..)).unwrap_or_default();
    of_target(target, &mut |name, value| of_value(name, value, NESTED, &mut |found| each(found, value)));
}

/// Calls `each` with the names and values of a path and a query, decoded. A segment is a value without a name.
fn of_target(target: &str, each: &mut dyn FnMut(&str, &str)) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    path.split(['/', ';']).for_each(|segment| of_pair(segment, each));
    of_form(query, each);
}

fn of_form(form: &str, each: &mut dyn FnMut(&str, &str)) {
    form.split(['&', '#']).for_each(|pair| of_pair(pair, each));
}

fn of_pair(pair: &str, each: &mut dyn FnMut(&str, &str)) {
    match pair.split_once('=') {
        None => each("", &unescaped(pair)),
        Some((name, value)) => {
            let name = unescaped(name);
            each(&name, &unescaped(value));
            // Nobody says that a name is no value.
            each("", &name);
        }
    }
}

fn of_value(name: &str, value: &str, depth: usize, each: &mut dyn FnMut(&str)) {
    if is_telling(name) && is_dense(value) {
        each(value);
    }
    shapes::each_in(value, each);
    if let Some(depth) = depth.checked_sub(1) {
        within(value, depth, each);
    }
}

/// What a value holds in turn.
fn within(value: &str, depth: usize, each: &mut dyn FnMut(&str)) {
    if json::looks_like_json(value) {
        json::walk(value, &mut |path, leaf| match (leaf.kind, path.last()) {
            (json::Kind::Key, _) => {}
            (json::Kind::String | json::Kind::Scalar, Some(Step::Key(name))) => of_value(name, &leaf.text, depth, each),
            (json::Kind::String | json::Kind::Scalar, _) => of_value("", &leaf.text, depth, each),
        });
    } else if value.contains("://") || value.starts_with(['/', '?']) {
        let target = value.split_once("://").map_or(value, |(_, rest)| rest);
        of_target(target, &mut |name, value| of_value(name, value, depth, each));
    } else if value.contains('=') {
        of_form(value, &mut |name, value| of_value(name, value, depth, each));
    }
    if let Some(decoded) = decoded(value) {
        of_value("", &decoded, depth, each);
    }
}

/// What a value in base64 stands for, if that is a text.
fn decoded(value: &str) -> Option<String> {
    let run = value.trim_end_matches('=');
    let may_stand = |byte: u8| is_of_a_run(byte) || matches!(byte, b'+' | b'/');
    if run.len() < SHORTEST_ENCODED || !run.bytes().all(may_stand) {
        return None;
    }
    String::from_utf8(from_base64(run)?).ok()
}

fn is_telling(name: &str) -> bool {
    let name = folded_name(name);
    let is_a_providers = name.starts_with('x') && (name.ends_with("signature") || name.ends_with("securitytoken"));
    NAMES.binary_search(&name.as_ref()).is_ok() || is_a_providers
}

/// Whether a value is in base64 or hex and nothing that anybody reads.
fn is_dense(value: &str) -> bool {
    let may_stand = |byte: u8| is_of_a_run(byte) || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'~');
    let variety = value.bytes().fold(0_u128, |seen, byte| seen | 1 << (byte & 127)).count_ones();
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_mixed = |run: &str| {
        let any = |is: fn(&u8) -> bool| u8::from(run.bytes().any(|byte| is(&byte)));
        any(u8::is_ascii_digit) + any(u8::is_ascii_lowercase) + any(u8::is_ascii_uppercase) > 1
    };
    let mut runs = value.split(|letter: char| !letter.is_ascii_alphanumeric());
    value.len() >= SHORTEST_NAMED
        && value.bytes().all(may_stand)
        && variety >= LEAST_VARIETY
        && (is_hex && is_mixed(value) || runs.any(|run| run.len() >= SHORTEST_DENSE && is_mixed(run)))
}

/// Calls `each` with the runs of a text that tell whose its values are: letters, digits, `-` and `_`.
pub(crate) fn each_run(text: &str, each: &mut dyn FnMut(&str)) {
    for run in text.split(|letter: char| !u8::try_from(letter).is_ok_and(is_of_a_run)) {
        let run = run.trim_matches(['-', '_']);
        if run.len() >= SHORTEST_RUN {
            each(run);
        }
    }
}

fn is_of_a_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
