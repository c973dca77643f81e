//! Files of JSON Lines whose lines are objects, and whose last line may still be being written.

use serde::Deserialize;

use super::lax::Node;
use super::text::{Line, Lines, without_mark};
use crate::error::{Place, ReadError};

/// The lines of a file.
#[derive(Debug)]
pub(super) struct Records<'t, R> {
    /// Each line with what it says.
    pub(super) list: Vec<(Line<'t>, R)>,
    /// The last line is cut off and left out.
    pub(super) cut: bool,
}

/// What a conversation says of a last line that is cut off.
pub(super) const CUT: &str = "the last line, which is cut off";

/// Reads every line. A last line that ends before its end and has no line end is left out, because the file may still be
/// being written; any other broken line fails the file.
pub(super) fn records<'t, R: Deserialize<'t>>(bytes: &'t [u8]) -> Result<Records<'t, R>, ReadError> {
    let mut list = Vec::new();
    let cut = each_record(bytes, &mut |line, record| {
        list.push((line, record));
        Ok(())
    })?;
    Ok(Records { list, cut })
}

/// Calls `each` with every line, as [`records`] reads them, and gives whether the last is cut off.
pub(super) fn each_record<'t, R: Deserialize<'t>>(
    bytes: &'t [u8],
    each: &mut dyn FnMut(Line<'t>, R) -> Result<(), ReadError>,
) -> Result<bool, ReadError> {
    let mut is_first = true;
    for line in Lines::of(bytes) {
        let line = match line {
            Ok(line) => line,
            Err(_) if !is_first && ends_within_a_character(bytes) => return Ok(true),
            Err(error) => return Err(error),
        };
        match serde_json::from_str::<Node<R>>(line.text) {
            Ok(Node::Is(record)) => each(line, record)?,
            Ok(Node::Absent | Node::Odd) => {
                return Err(ReadError::unexpected(Place::Line(line.number), "no object", "an object"));
            }
            Err(error) if line.unfinished && error.is_eof() && !is_first => return Ok(true),
            Err(error) => return Err(ReadError::json(&error, line.number)),
        }
        is_first = false;
    }
    Ok(false)
}

/// Whether the only bytes of the file that are no UTF-8 are the first of a character that its end cuts off.
fn ends_within_a_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(without_mark(bytes)).is_err_and(|error| error.error_len().is_none())
}
