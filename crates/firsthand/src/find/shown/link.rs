//! Values that a format itself calls addresses: destinations of Markdown, `href` and its like.

use std::ops::Range;

use super::layer::{Layer, Reader};
use super::scan::{self, Extents, Flavour, SLASHES};
use crate::address::Form;
use crate::find::extent::{self, MAX_NESTED};
use crate::find::{sign, suffix};

/// The shortest address within another one, in bytes, with the sign before it.
const SHORTEST_NESTED: usize = "/http://a".len();

/// What a value that leads somewhere leads to.
enum Leads {
    /// To a web address.
    Web,
    /// Elsewhere, relative to the page.
    Relative,
    /// To something with another scheme, which may hold addresses as text.
    Text,
    /// Nowhere else than to a place in the page.
    Nowhere,
}

/// Reads a value that is a link.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) {
    let value = layer.slice(range.clone());
    let behind = value.trim_start();
    let start = range.start + (value.len() - behind.len());
    let value = behind.trim_end();
    let range = start..start + value.len();
    match leads(value) {
        Leads::Web => {
            whole(layer, range, reader);
        }
        Leads::Relative => relative(layer, range, reader),
        Leads::Text => scan::read(layer, range, Flavour::Plain, Extents::Value, reader),
        Leads::Nowhere => {}
    }
}

/// Tells of a range that is one web address as it stands, and of those within it. What has white space or something
/// invisible in it is none.
pub(super) fn whole<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) -> bool {
    let address = layer.slice(range.clone());
    let bytes = address.as_bytes();
    let authority = memchr::memchr(b':', bytes).map_or(0, |colon| colon + 3);
    let path = sign::next_in(bytes, authority, bytes.len(), sign::BORDER);
    if !is_clean(address) || !address.get(authority..path).is_some_and(extent::is_authority) {
        return false;
    }
    reader.tell(layer, range.clone(), Form::Absolute);
    nested(layer, range, path, reader);
    true
}

fn relative<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) {
    let value = layer.slice(range.clone());
    if !is_clean(value) {
        return;
    }
    reader.tell(layer, range.clone(), Form::Relative);
    if is_bare(value) {
        reader.tell(layer, range.clone(), Form::Bare);
    }
    nested(layer, range, 0, reader);
}

/// Whether a relative value reads like a host that lacks its scheme.
fn is_bare(value: &str) -> bool {
    let host = value.find(['/', '?', '#', ':']).and_then(|end| value.get(..end)).unwrap_or(value);
    let Some(dot) = host.find('.') else { return false };
    let run = suffix::run_around(value, dot, 0);
    let name = suffix::name_in_run(value, run, false, &|_, end| end == value.len());
    name.is_some_and(|name| {
        name.start == 0 && matches!(value.as_bytes().get(name.end), None | Some(b'/' | b'?' | b'#'))
    })
}

fn leads(value: &str) -> Leads {
    let bytes = value.as_bytes();
    match bytes.first() {
        None | Some(b'#') => return Leads::Nowhere,
        Some(_) => {}
    }
    let scheme =
        bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')).count();
    if bytes.get(scheme) != Some(&b':') || scheme == 0 {
        return Leads::Relative;
    }
    // A name with a port has a dot where a scheme has none in practice.
    let port = bytes.get(scheme + 1).is_some_and(u8::is_ascii_digit)
        && memchr::memchr(b'.', bytes).is_some_and(|dot| dot < scheme);
    match extent::scheme_before(bytes, scheme, 0) {
        Some(0) => Leads::Web,
        Some(_) | None if port => Leads::Relative,
        Some(_) | None => Leads::Text,
    }
}

/// Tells of the addresses in the path or query of a whole one; each reaches to its end.
fn nested<'t>(layer: &Layer<'_, 't>, range: Range<usize>, path: usize, reader: &mut Reader<'_, 't>) {
    let address = layer.slice(range.clone());
    let bytes = address.as_bytes();
    // Most values are too short to hold another one.
    if bytes.len() < path + SHORTEST_NESTED {
        return;
    }
    let rest = bytes.get(path..).unwrap_or_default();
    if memchr::memchr(b':', rest).is_none() {
        return;
    }
    let starts = SLASHES
        .find_iter(rest)
        .filter_map(|colon| extent::scheme_before(bytes, path + colon, path + 1))
        .filter(|start| matches!(bytes.get(start - 1), Some(b'/' | b'=' | b'?' | b'&' | b'#')));
    for start in starts.take(MAX_NESTED) {
        let host = address.get(start..).and_then(|rest| rest.split_once("://")).map_or("", |(_, rest)| rest);
        let end = sign::next_in(host.as_bytes(), 0, host.len(), sign::BORDER);
        if host.get(..end).is_some_and(extent::is_authority) {
            reader.tell(layer, range.start + start..range.end, Form::Absolute);
        }
    }
}

/// Whether nothing in the value vanishes, is read in two ways or says that something was cut off.
fn is_clean(value: &str) -> bool {
    let bytes = value.as_bytes();
    let first = sign::next_in(bytes, 0, bytes.len(), sign::UNCLEAN);
    value.get(first..).unwrap_or_default().chars().all(|character| {
        if character.is_ascii() {
            !character.is_ascii_control() && !matches!(character, ' ' | '\\')
        } else {
            !character.is_whitespace()
                && !character.is_control()
                && !sign::is_invisible(character)
                && character != '\u{2026}'
        }
    })
}
