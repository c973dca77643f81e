//! Table widgets: tables that stand in an answer as JSON.
//!
//! A widget is a fenced code block with the info string `table-widget`. Its body is one object:
//!
//! ```json
//! {"columns": ["Ticket", "Opened"],
//!  "rows": [[{"text": "INC-17", "url": "https://tickets.example/INC-17"}, "2 May"],
//!           ["https://tickets.example/INC-18", 3]]}
//! ```
//!
//! A column is its name, or an object with a `name`. A cell is text, a number, a truth value, `null`, or an object with a
//! `url` and, where the link has one, a `text`. A cell whose whole text is an address is a link without a text. Every row
//! has a cell for each column. What is no such object stays the code block that it is.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::link::{Link, Syntax};
use crate::target::is_unseen;

/// The info string that makes a code block a widget.
pub const NAME: &str = "table-widget";

/// A table widget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widget {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table widget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Text, or what is shown as such.
    Text(String),
    /// A link; its range is the cell's JSON.
    Link(Link<'static>),
}

/// Whether an info string names a widget.
pub(crate) fn is_named(info: &str) -> bool {
    info.split_ascii_whitespace().next() == Some(NAME)
}

/// The lines of a code block with their places.
#[derive(Debug, Default)]
pub(crate) struct Body {
    text: String,
    /// Where each piece starts, here and in the text.
    places: Vec<(usize, usize)>,
}

impl Body {
    pub(crate) fn push(&mut self, piece: &str, place: usize) {
        self.places.push((self.text.len(), place));
        self.text.push_str(piece);
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where a byte of the body stands in the text.
    fn place(&self, at: usize) -> usize {
        let index = self.places.partition_point(|&(first, _)| first <= at);
        let place = index.checked_sub(1).and_then(|index| self.places.get(index));
        place.map_or(at, |&(first, place)| place + (at - first))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `columns` and `rows`")]
struct RawWidget<'b> {
    #[serde(borrow)]
    columns: Vec<&'b RawValue>,
    #[serde(borrow)]
    rows: Vec<Vec<&'b RawValue>>,
}

#[derive(Deserialize)]
struct RawColumn {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a `url`")]
struct RawLink {
    #[serde(default)]
    text: Option<String>,
    url: String,
}

/// What is wrong with a widget.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The byte of the text, where one is to blame.
    pub(crate) at: Option<usize>,
    pub(crate) what: String,
}

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Self { at: None, what }
    }
}

impl Problem {
    /// What a parser says of a JSON text that begins at a byte of the body.
    fn of(error: &serde_json::Error, body: &Body, start: usize) -> Self {
        let json = body.text.get(start..).unwrap_or_default();
        let before: usize = json.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = body.place(start + before + error.column().saturating_sub(1));
        let what = error.to_string();
        // The line and column there count from the beginning of the JSON text.
        Self { at: Some(at), what: what.split(" at line").next().unwrap_or_default().to_owned() }
    }
}

/// Reads a widget, or says what is wrong with it.
pub(crate) fn read(body: &Body) -> Result<Widget, Problem> {
    let raw: RawWidget<'_> = serde_json::from_str(&body.text).map_err(|error| Problem::of(&error, body, 0))?;
    let columns =
        raw.columns.iter().enumerate().map(|(index, column)| name(index, column)).collect::<Result<_, _>>()?;
    let width = raw.columns.len();
    let mut rows = Vec::with_capacity(raw.rows.len());
    for (index, row) in raw.rows.iter().enumerate() {
        if row.len() != width {
            let found = row.len();
            return Err(format!("row {} has {found} cells, expected {width} as there are columns", index + 1).into());
        }
        let cell = |(column, cell)| read_cell(body, cell).map_err(|problem| in_cell(index, column, problem));
        rows.push(row.iter().copied().enumerate().map(cell).collect::<Result<_, _>>()?);
    }
    Ok(Widget { columns, rows })
}

fn name(index: usize, column: &RawValue) -> Result<String, String> {
    let json = column.get();
    let name = if json.starts_with('{') {
        serde_json::from_str(json).map(|RawColumn { name }| name)
    } else {
        serde_json::from_str(json)
    };
    name.map_err(|_| format!("column {} is neither a text nor an object with a `name`", index + 1))
}

fn in_cell(row: usize, column: usize, Problem { at, what }: Problem) -> Problem {
    Problem { at, what: format!("row {}, column {}: {what}", row + 1, column + 1) }
}

fn read_cell(body: &Body, cell: &RawValue) -> Result<Cell, Problem> {
    let json = cell.get();
    // The cell is a part of the body, so that the distance of their first bytes is its place there.
    let start = (json.as_ptr() as usize).saturating_sub(body.text.as_ptr() as usize);
    let range = body.place(start)..body.place(start + json.len() - 1) + 1;
    let wrong = |error: serde_json::Error| Problem::of(&error, body, start);
    let link = |destination: String| Link::to(Cow::Owned(destination), range.clone(), Syntax::Cell, true);
    match json.as_bytes().first() {
        Some(b'{') => {
            let RawLink { text, url } = serde_json::from_str(json).map_err(wrong)?;
            let text = text.filter(|text| !text.chars().all(is_unseen)).unwrap_or_default();
            let mut link = link(url);
            link.text = Cow::Owned(text);
            Ok(Cell::Link(link))
        }
        Some(b'"') => {
            let text: String = serde_json::from_str(json).map_err(wrong)?;
            let link = link(text.clone());
            let is_web = link.target.as_ref().is_ok_and(|target| !target.is_document());
            Ok(if is_web { Cell::Link(link) } else { Cell::Text(text) })
        }
        Some(b'[') => {
            let what = "a list, expected a text, a number or an object with a `url`".to_owned();
            Err(Problem { at: Some(range.start), what })
        }
        Some(b'n') => Ok(Cell::Text(String::new())),
        Some(_) | None => Ok(Cell::Text(json.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, read};

    #[test]
    fn an_error_names_what_a_writer_knows() {
        let mut body = Body::default();
        body.push("7", 0);
        let what = read(&body).err().map(|problem| problem.what).unwrap_or_default();
        assert!(what.contains("expected an object with `columns` and `rows`"), "{what}");
    }
}
