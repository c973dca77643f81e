//! A file as a sequence of JSON values: one document, one value a line, or a recorded event stream.

use super::node::{Node, Spot, keys_once};
use crate::error::ReadError;
use crate::format::text::{self, Line, Lines};

/// A JSON value of the file and where it stands.
pub(in crate::format) struct Unit<'a> {
    pub(in crate::format) spot: Spot,
    pub(in crate::format) node: Node<'a>,
}

impl<'a> Unit<'a> {
    fn of(spot: Spot, node: Node<'a>) -> Result<Self, ReadError> {
        keys_once(&node, &spot)?;
        Ok(Self { spot, node })
    }
}

/// Calls `each` with the values of a file in order.
///
/// A file whose first line is a whole value and which goes on is JSON Lines; else it is one document. Lines of a recorded
/// event stream (`data: {...}`) count as their data. A line that is broken or cut off is an error: half a conversation
/// gets no verdict.
pub(in crate::format) fn each_unit<'a>(
    bytes: &'a [u8],
    each: &mut dyn FnMut(Unit<'a>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut lines = Lines::of(bytes);
    let first = lines.next().ok_or(ReadError::Empty)??;
    let second = lines.next().transpose()?;
    let is_stream = event(first.text).is_some();
    if !is_stream && (second.is_none() || first.json::<serde::de::IgnoredAny>().is_err()) {
        return each(Unit::of(Spot::top(None), text::document(bytes)?)?);
    }
    let rest = second.into_iter().map(Ok).chain(lines);
    for line in std::iter::once(Ok(first)).chain(rest) {
        let line: Line<'a> = line?;
        let data = if is_stream {
            match event(line.text) {
                Some(Some(data)) => Line { text: data, ..line },
                Some(None) => continue,
                None => {
                    return Err(ReadError::unexpected(line_place(&line), "a line", "a line of an event stream"));
                }
            }
        } else {
            line
        };
        each(Unit::of(Spot::top(Some(line.number)), data.json()?)?)?;
    }
    Ok(())
}

fn line_place(line: &Line<'_>) -> crate::error::Place {
    crate::error::Place::Line(line.number)
}

/// The data of a line of an event stream; `Some(None)` where such a line has none, `None` where it is no such line.
fn event(line: &str) -> Option<Option<&str>> {
    if let Some(data) = line.strip_prefix("data:") {
        let data = data.trim();
        return Some((!data.is_empty() && data != "[DONE]").then_some(data));
    }
    ["event:", "id:", "retry:", ":"].iter().any(|start| line.starts_with(start)).then_some(None)
}
