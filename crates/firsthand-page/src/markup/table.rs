//! What is known of a table while it is read.

/// A table that is open.
#[derive(Debug)]
pub(super) struct Table {
    /// The event that opened it.
    pub(super) event: usize,
    rows: usize,
    columns: usize,
    columns_of_row: usize,
    arranges: bool,
}

impl Table {
    pub(super) fn new(event: usize) -> Self {
        Self { event, rows: 0, columns: 0, columns_of_row: 0, arranges: false }
    }

    /// Something stands in it that no table of values has.
    pub(super) fn arranges(&mut self) {
        self.arranges = true;
    }

    pub(super) fn caption(&mut self) {
        // A title below the rows would stand in the middle of them.
        self.arranges |= self.rows > 0;
    }

    pub(super) fn row(&mut self) {
        self.rows += 1;
        self.columns_of_row = 0;
    }

    pub(super) fn cell(&mut self, columns: usize) {
        self.columns_of_row += columns;
        self.columns = self.columns.max(self.columns_of_row);
    }

    /// The number of its columns, if it is one of values: of more than one column and row.
    pub(super) fn columns(&self) -> Option<usize> {
        (!self.arranges && self.columns > 1 && self.rows > 1).then_some(self.columns)
    }
}
