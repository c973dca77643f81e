//! YAML as tools print it: one key or list entry a line, scalars quoted or not.
//!
//! Only what matters for addresses is read: where a scalar starts and ends, and how a quoted one is decoded. What is
//! not understood is read as the text that it is.

use std::ops::Range;

use super::layer::{self, Encoding, Layer, MAX_LAYERS, Reader};
use super::recognise;
use super::scan::{self, Extents, Flavour};

/// How many lines are looked at.
const SAMPLE: usize = 40;

/// Whether the text is YAML: it starts with a key, and nearly all lines are keys, entries or belong to one.
pub(super) fn is_shown(text: &str) -> bool {
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(SAMPLE).peekable();
    let Some(first) = lines.next_if(|line| line.trim_end() == "---").or(lines.peek().copied()) else { return false };
    let starts = if first.trim_end() == "---" { lines.peek().copied() } else { Some(first) };
    if !starts.is_some_and(|line| scalar(line).is_some_and(|scalar| scalar.keyed)) {
        return false;
    }
    let (mut all, mut others, mut keys) = (0, 0, 0);
    for line in lines {
        all += 1;
        let scalar = scalar(line);
        keys += usize::from(scalar.is_some_and(|scalar| scalar.keyed));
        others += usize::from(scalar.is_none() && !line.starts_with("  "));
        // Most texts that begin like a key are sentences.
        if others * 10 > SAMPLE {
            return false;
        }
    }
    all >= 2 && keys >= 2 && others * 10 <= all
}

/// Reads a part of a layer as YAML.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    let text = layer.slice(range.clone());
    let mut from = range.start;
    // Lines without a quoted scalar are read together, so that Markdown that runs over lines stays whole.
    let mut running = from;
    for line in text.split_inclusive('\n') {
        let start = from;
        from += line.len();
        let Some(scalar) = scalar(line) else { continue };
        let end = start + line.trim_end().len();
        let value = start + scalar.value..end.max(start + scalar.value);
        let Some(value) = delimited(layer, value) else { continue };
        scan::markdown(layer, running..start + scalar.value, reader);
        value.read(layer, reader, depth);
        running = end;
    }
    scan::markdown(layer, running..range.end, reader);
}

/// A line's scalar.
#[derive(Clone, Copy)]
struct Scalar {
    /// Where it starts in the line.
    value: usize,
    /// A key stands before it.
    keyed: bool,
}

/// The scalar of a line that is a key or an entry of a list.
fn scalar(line: &str) -> Option<Scalar> {
    let bytes = line.as_bytes();
    let spaces = |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
    let mut at = spaces(0);
    let mut entry = false;
    while bytes.get(at) == Some(&b'-') && matches!(bytes.get(at + 1), Some(b' ' | b'\n' | b'\r') | None) {
        entry = true;
        at += 1;
        at += spaces(at);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let key = key_length(rest);
    let keyed =
        key > 0 && rest.get(key) == Some(&b':') && matches!(rest.get(key + 1), Some(b' ' | b'\n' | b'\r') | None);
    if keyed {
        at += key + 1;
        at += spaces(at);
    }
    (keyed || entry).then_some(Scalar { value: at, keyed })
}

/// How many bytes at the start of a line may be a key; 0 where all may.
fn key_length(line: &[u8]) -> usize {
    // Letters, digits, spaces, the underscore, and the hyphen, the dot and the slash that stand before the digits.
    let in_keys = |byte: u8| {
        ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'-') < 13) | (byte == b' ') | (byte == b'_')
    };
    let (blocks, _) = line.as_chunks::<16>();
    let plain =
        blocks.iter().take_while(|block| block.iter().fold(true, |all, byte| all & in_keys(*byte))).count() * 16;
    let behind = line.get(plain..).unwrap_or_default();
    behind.iter().position(|byte| !in_keys(*byte)).map_or(0, |at| plain + at)
}

/// A scalar that has ends of its own.
struct Delimited {
    range: Range<usize>,
    encoding: Option<Encoding>,
}

fn delimited(layer: &Layer<'_, '_>, range: Range<usize>) -> Option<Delimited> {
    let text = layer.slice(range.clone());
    let inner = |quote: char| {
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        Some((inside, range.start + 1..range.start + 1 + inside.len()))
    };
    if let Some((inside, range)) = inner('"') {
        let plain = inside.replace("\\\\", "").replace("\\\"", "");
        return (!plain.contains('"') && !plain.ends_with('\\'))
            .then_some(Delimited { range, encoding: Some(Encoding::Json) });
    }
    if let Some((inside, range)) = inner('\'') {
        let plain = inside.replace("''", "");
        return (!plain.contains('\'')).then_some(Delimited { range, encoding: Some(Encoding::Doubled('\'')) });
    }
    let is_word =
        !text.is_empty() && !text.starts_with(['"', '\'', '[', '{', '<', '&', '*', '|', '>']) && !text.contains(' ');
    is_word.then_some(Delimited { range, encoding: None })
}

impl Delimited {
    fn read<'t>(self, layer: &Layer<'_, 't>, reader: &mut Reader<'_, 't>, depth: usize) {
        let read = |layer: &Layer<'_, 't>, range| {
            if depth < MAX_LAYERS {
                recognise::value(layer, range, reader, depth + 1);
            } else {
                scan::read(layer, range, Flavour::Markdown, Extents::Value, reader);
            }
        };
        match self.encoding {
            Some(encoding) => layer::decoded(layer, self.range, encoding, read),
            None => {
                let mut read = read;
                read(layer, self.range);
            }
        }
    }
}
