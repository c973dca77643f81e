//! The format that a text shows.

use std::ops::Range;

use super::layer::{Layer, MAX_LAYERS, Reader};
use super::scan::{self, Extents, Flavour};
use super::{csv, html, json, yaml};
use crate::json::looks_like_json;

/// How much of a text is looked at for the start of a page.
const HEAD: usize = 1024;

/// Elements that start a piece of HTML.
const ELEMENTS: [&str; 48] = [
    "a",
    "article",
    "aside",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "em",
    "feed",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "header",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "li",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "p",
    "pre",
    "rss",
    "script",
    "section",
    "span",
    "strong",
    "style",
    "svg",
    "table",
    "td",
    "tr",
    "ul",
];

/// What a text shows.
enum Shows {
    Json,
    Html,
    Yaml,
    Csv(u8),
    Markdown,
}

/// Reads a part of a layer in the format that it shows.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    read_as(layer, range, Extents::Running, reader, depth);
}

/// The same for a string of JSON or a scalar of YAML: an address may be all of it.
pub(super) fn value<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    read_as(layer, range, Extents::Value, reader, depth);
}

/// Reads the value of an attribute, which may hold JSON but no other format.
pub(super) fn attribute<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    if depth < MAX_LAYERS && looks_like_json(layer.slice(range.clone())) {
        json::read(layer, range, reader, depth + 1);
    } else {
        scan::read(layer, range, Flavour::Plain, Extents::Value, reader);
    }
}

fn read_as<'t>(
    layer: &Layer<'_, 't>,
    range: Range<usize>,
    extents: Extents,
    reader: &mut Reader<'_, 't>,
    depth: usize,
) {
    let shows = if depth < MAX_LAYERS { shown_by(layer.slice(range.clone())) } else { Shows::Markdown };
    match shows {
        Shows::Json => json::read(layer, range, reader, depth),
        Shows::Html => html::read(layer, range, reader, depth),
        Shows::Yaml => yaml::read(layer, range, reader, depth),
        Shows::Csv(separator) => csv::read(layer, range, separator, reader),
        Shows::Markdown => scan::read(layer, range, Flavour::Markdown, extents, reader),
    }
}

fn shown_by(text: &str) -> Shows {
    if looks_like_json(text) {
        return Shows::Json;
    }
    if shows_html(text) {
        return Shows::Html;
    }
    if memchr::memchr(b'\n', text.as_bytes()).is_none() {
        return Shows::Markdown;
    }
    if let Some(separator) = csv::separator(text) {
        return Shows::Csv(separator);
    }
    if yaml::is_shown(text) { Shows::Yaml } else { Shows::Markdown }
}

/// A page, with or without something in front of it, or a piece of one.
fn shows_html(text: &str) -> bool {
    let bytes = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).as_bytes();
    if bytes.first() == Some(&b'<') {
        let name = bytes.get(1..12).unwrap_or_else(|| bytes.get(1..).unwrap_or_default());
        if name.starts_with(b"!--") || name.starts_with(b"?xml") || starts_with(name, b"!doctype") {
            return true;
        }
        let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
        let behind = name.get(end).is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
        let name = name.get(..end).unwrap_or_default();
        if behind && ELEMENTS.iter().any(|element| name.eq_ignore_ascii_case(element.as_bytes())) {
            return true;
        }
    }
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    memchr::memchr_iter(b'<', head).any(|at| {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        starts_with(rest, b"!doctype html") || starts_with(rest, b"html>") || starts_with(rest, b"html ")
    })
}

fn starts_with(bytes: &[u8], lower: &[u8]) -> bool {
    bytes.get(..lower.len()).is_some_and(|head| head.eq_ignore_ascii_case(lower))
}
