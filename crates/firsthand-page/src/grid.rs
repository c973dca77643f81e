//! A table of values, cell by cell.

use crate::limits::MAX_REACHING;
use crate::markdown::Writer;

/// A table that is being written. Its first row is its head, as Markdown needs one.
#[derive(Debug)]
pub(crate) struct Grid {
    columns: usize,
    column: usize,
    has_rows: bool,
    is_in_row: bool,
    /// How many rows below a cell still reaches, by column.
    reaching: Vec<usize>,
    /// How many columns and rows the cell takes that is written.
    size: (usize, usize),
}

impl Grid {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns, column: 0, has_rows: false, is_in_row: false, reaching: Vec::new(), size: (1, 1) }
    }

    /// A row begins. One without cells is not written.
    pub(crate) fn row(&mut self) {
        self.is_in_row = false;
        self.column = 0;
    }

    /// A cell begins, behind those of rows above that reach into this one.
    pub(crate) fn cell(&mut self, writer: &mut Writer, columns: usize, rows: usize) {
        if !self.is_in_row {
            writer.row(!self.has_rows);
            self.is_in_row = true;
        }
        while let Some(rows) = self.reaching.get_mut(self.column).filter(|rows| **rows > 0) {
            *rows -= 1;
            self.column += 1;
            writer.cell();
            writer.end_cell();
        }
        self.size = (columns, rows);
        writer.cell();
    }

    /// The cell ends; what it takes besides is empty.
    pub(crate) fn end_cell(&mut self, writer: &mut Writer) {
        let (columns, rows) = self.size;
        for place in 0..columns {
            if writer.is_full() {
                return;
            }
            if place > 0 {
                writer.cell();
            }
            writer.end_cell();
            self.reach(rows - 1);
            self.column += 1;
        }
    }

    fn reach(&mut self, rows: usize) {
        if rows > 0 && self.column < MAX_REACHING {
            if self.reaching.len() <= self.column {
                self.reaching.resize(self.column + 1, 0);
            }
            self.reaching.iter_mut().skip(self.column).take(1).for_each(|reaching| *reaching = rows);
        }
    }

    /// The row ends.
    pub(crate) fn end_row(&mut self, writer: &mut Writer) {
        if !std::mem::take(&mut self.is_in_row) {
            return;
        }
        self.reaching.iter_mut().skip(self.column).for_each(|rows| *rows = rows.saturating_sub(1));
        let is_head = !std::mem::replace(&mut self.has_rows, true);
        while is_head && self.column < self.columns && !writer.is_full() {
            writer.cell();
            writer.end_cell();
            self.column += 1;
        }
        writer.end_row(is_head.then_some(self.columns));
    }
}
