//! JSON: keys and strings, decoded, each read in the format that it shows.

use std::borrow::Cow;
use std::ops::Range;

use super::layer::{Encoding, Layer, MAX_LAYERS, Reader};
use super::scan::{self, Extents, Flavour};
use super::{Found, Voice, recognise};
use crate::json::{self, Kind, Leaf, Step, looks_like_json};

/// Reads every leaf of a JSON text that was given, with its path.
pub(super) fn read_leaves<'t>(text: &'t str, voice: Voice, each: &mut dyn FnMut(&[Step<'t>], Found<'t>)) {
    let layer = Layer::Given(text);
    let mut end = 0;
    json::walk(text, &mut |path, leaf| {
        end = end_of(text, &leaf);
        read_leaf(&layer, 0, leaf, &mut Reader::new(voice, &mut |found| each(path, found)), 0);
    });
    let mut top = |found| each(&[], found);
    read_rest(&layer, end..text.len(), &mut Reader::new(voice, &mut top), 0);
}

/// Reads a part of a layer as JSON; what follows a value as JSON too, or as the text that it is.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    let end = read_value(layer, range.clone(), reader, depth);
    read_rest(layer, end..range.end, reader, depth);
}

/// Reads the next value; where its last leaf ends.
fn read_value<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) -> usize {
    let text = layer.slice(range.clone());
    let mut end = range.start;
    if depth == 0 {
        json::walk(text, &mut |_, leaf| {
            end = range.start + end_of(text, &leaf);
            read_leaf(layer, range.start, leaf, reader, depth);
        });
    } else {
        // Walks within walks would stack up their depths, so an inner one ends before its leaves are read.
        let mut leaves = Vec::new();
        json::walk(text, &mut |_, leaf| match leaf.kind {
            Kind::Key | Kind::String => leaves.push(leaf),
            Kind::Scalar => end = range.start + end_of(text, &leaf),
        });
        for leaf in leaves {
            end = end.max(range.start + leaf.raw.end);
            read_leaf(layer, range.start, leaf, reader, depth);
        }
    }
    end
}

/// Where what stands behind a leaf begins. Letters that are no literal are the beginning of a text, not a value before it.
fn end_of(text: &str, leaf: &Leaf<'_>) -> usize {
    let behind = text.get(leaf.raw.end..).unwrap_or_default();
    let ends = behind.is_empty() || behind.starts_with([' ', '\t', '\r', '\n', ',', ']', '}']);
    match leaf.kind {
        Kind::Key | Kind::String => leaf.raw.end,
        Kind::Scalar if ends && json::is_literal(&leaf.text) => leaf.raw.end,
        Kind::Scalar => leaf.raw.start,
    }
}

/// Reads what stands behind a value: the brackets that close it, then the next value of JSON Lines or other text.
fn read_rest<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    let mut at = range.start;
    loop {
        let rest = layer.slice(at..range.end);
        let open = rest.trim_start_matches(['"', '}', ']', ',', ' ', '\t', '\r', '\n']);
        let from = range.end - open.len();
        let end = if looks_like_json(open) { read_value(layer, from..range.end, reader, depth) } else { from };
        if end == from {
            scan::markdown(layer, from..range.end, reader);
            return;
        }
        at = end;
    }
}

fn read_leaf<'t>(layer: &Layer<'_, 't>, base: usize, leaf: Leaf<'_>, reader: &mut Reader<'_, 't>, depth: usize) {
    match leaf.kind {
        Kind::Key | Kind::String => {}
        Kind::Scalar => return,
    }
    let raw = base + leaf.raw.start..base + leaf.raw.end;
    match &leaf.text {
        Cow::Borrowed(_) => read_string(layer, raw, reader, depth),
        Cow::Owned(text) => {
            read_string(&Layer::decoded(text, layer, raw, Encoding::Json), 0..text.len(), reader, depth);
        }
    }
}

fn read_string<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    let text = layer.slice(range.clone());
    if text.len() < 4 {
        return;
    }
    if depth < MAX_LAYERS {
        recognise::value(layer, range, reader, depth + 1);
    } else {
        scan::read(layer, range, Flavour::Markdown, Extents::Value, reader);
    }
}
