//! Lines and columns of a text, for who is to mend it.

/// Counts the lines of a text once, for places that are asked for in order.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Where the line begins that was told last.
    start: usize,
    /// Its number, from 1.
    line: usize,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, start: 0, line: 1 }
    }

    /// The line of a byte, and the column by characters; both from 1.
    pub(crate) fn place(&mut self, byte: usize) -> (usize, usize) {
        let between = self.text.as_bytes().get(self.start..byte).unwrap_or_default();
        if let Some(last) = memchr::memrchr(b'\n', between) {
            self.line += memchr::memchr_iter(b'\n', between).count();
            self.start += last + 1;
        }
        let before = self.text.get(self.start..byte).unwrap_or_default();
        (self.line, before.chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "é\nab\n\nc";
        let mut lines = Lines::of(text);
        let told = [0, 2, 3, 5, 6, 7, 8].map(|byte| lines.place(byte));
        assert_eq!(told, [(1, 1), (1, 2), (2, 1), (2, 3), (3, 1), (4, 1), (4, 2)]);
    }
}
