//! Tables with a separator between their columns, as tools export them.

use std::ops::Range;

use super::layer::{self, Encoding, Layer, Reader};
use super::scan::{self, Extents, Flavour};

/// How many rows are looked at.
const SAMPLE: usize = 50;
/// The longest name of a column.
const MAX_NAME: usize = 80;

/// The separator, if the text is a table: a row of names and at least one more row, all with the same number of columns,
/// at least two, and no space behind the separators of the first row as in a sentence. The last row may be cut off.
pub(super) fn separator(text: &str) -> Option<u8> {
    let header = text.lines().next()?;
    if header.len() > SAMPLE * MAX_NAME || header.starts_with(['#', '<', '|', '{', '[', '-', '>', '*']) {
        return None;
    }
    [b',', b'\t', b';'].into_iter().find(|&separator| is_table(text, separator))
}

/// Reads a part of a layer as a table; each cell is a value.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, separator: u8, reader: &mut Reader<'_, 't>) {
    let bytes = layer.slice(range.clone()).as_bytes();
    let mut at = 0;
    while let Some(cell) = cell(bytes, at, separator) {
        let place = range.start + cell.inside.start..range.start + cell.inside.end;
        let read = |layer: &Layer<'_, 't>, range| scan::read(layer, range, Flavour::Markdown, Extents::Value, reader);
        if cell.quoted {
            layer::decoded(layer, place, Encoding::Doubled('"'), read);
        } else {
            let mut read = read;
            read(layer, place);
        }
        at = cell.next;
    }
}

fn is_table(text: &str, separator: u8) -> bool {
    let bytes = text.as_bytes();
    let (mut columns, mut rows, mut this) = (0, 0, 0);
    let mut at = 0;
    while let Some(cell) = cell(bytes, at, separator) {
        let inside = bytes.get(cell.inside.clone()).unwrap_or_default();
        if rows == 0
            && (inside.len() > MAX_NAME || !cell.quoted && inside.first() == Some(&b' ') || holds_address(inside))
        {
            return false;
        }
        this += 1;
        at = cell.next;
        if cell.ends_row {
            let is_blank = this == 1 && inside.is_empty();
            if rows == 0 {
                columns = this;
            } else if this != columns && !is_blank && (rows < 3 || at < bytes.len()) {
                return false;
            }
            rows += usize::from(!is_blank);
            this = 0;
            if columns < 2 {
                return false;
            }
            if rows == SAMPLE {
                break;
            }
        }
    }
    rows >= 2
}

/// A first row that holds an address names no columns.
fn holds_address(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"://").is_some()
}

struct Cell {
    /// Without its quotes.
    inside: Range<usize>,
    quoted: bool,
    ends_row: bool,
    /// Where the next cell starts.
    next: usize,
}

fn cell(bytes: &[u8], at: usize, separator: u8) -> Option<Cell> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    let mut inside = at..at;
    let mut behind = at;
    let quoted = rest.first() == Some(&b'"');
    if quoted {
        behind = quote_end(bytes, at + 1);
        inside = at + 1..behind;
        behind = (behind + 1).min(bytes.len());
    }
    let tail = bytes.get(behind..).unwrap_or_default();
    let length = memchr::memchr2(separator, b'\n', tail).unwrap_or(tail.len());
    let end = behind + length;
    if !quoted {
        let carriage = usize::from(length > 0 && bytes.get(end) == Some(&b'\n') && bytes.get(end - 1) == Some(&b'\r'));
        inside = at..end - carriage;
    }
    let ends_row = bytes.get(end) != Some(&separator);
    Some(Cell { inside, quoted, ends_row, next: (end + 1).min(bytes.len()) })
}

/// Where a quoted cell ends: at a quote that is not doubled, or with the text.
fn quote_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        at += step;
        if bytes.get(at + 1) != Some(&b'"') {
            return at;
        }
        at += 2;
    }
    bytes.len()
}
