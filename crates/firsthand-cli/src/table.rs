//! Tables for people: columns as wide as their widest cell, the whole as wide as the terminal.

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What stands between two columns.
const GAP: &str = "  ";

/// No column is cut to fewer columns of the terminal than this.
const NARROWEST: usize = 8;

/// A cell: a text in one style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in the terminal's own colour. Hidden characters are spelled out.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: crate::safe::plain(text), style: Style::new() }
    }

    /// A cell of a style.
    pub(crate) fn styled(text: &str, style: Style) -> Self {
        Self { text: crate::safe::plain(text), style }
    }
}

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// Text.
    Left(&'static str),
    /// Numbers.
    Right(&'static str),
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Left(title) | Self::Right(title) => title,
        }
    }
}

/// Prose in lines of at most so many columns of the terminal, broken at spaces. What goes on in a line stands as deep as it
/// begins. Colours take no room.
pub(crate) fn prose(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut wrapped = String::new();
    for line in text.split_inclusive('\n') {
        let margin = line.len() - line.trim_start_matches(' ').len();
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let columns = shown_width(word.trim_end());
            if column > margin && column + columns > width {
                wrapped.truncate(wrapped.trim_end_matches(' ').len());
                wrapped.push('\n');
                wrapped.extend(std::iter::repeat_n(' ', margin));
                column = margin;
            }
            wrapped.push_str(word);
            column += shown_width(word);
        }
    }
    wrapped
}

/// How many columns a text takes, without the sequences of its colours.
fn shown_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(|plain| plain.width()).sum()
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<[Cell; N]>,
}

impl<const N: usize> Table<N> {
    /// A table without rows.
    pub(crate) fn new(columns: [Column; N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: [Cell; N]) {
        self.rows.push(cells);
    }

    /// The table as text, no line wider than `width` columns of the terminal where one is given.
    ///
    /// Styles are written as they are for a terminal; who writes to something else strips them.
    pub(crate) fn render(&self, width: Option<usize>) -> String {
        let mut widths = self.columns.map(|column| column.title().width());
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        if let Some(width) = width {
            narrow(&mut widths, width.saturating_sub(2));
        }
        let mut text = String::new();
        let titles = self.columns.map(|column| Cell { text: column.title().to_owned(), style: dim() });
        for row in std::iter::once(&titles).chain(&self.rows) {
            text.push_str(&self.line(row, &widths));
            text.push('\n');
        }
        text
    }

    fn line(&self, row: &[Cell; N], widths: &[usize; N]) -> String {
        let mut line = String::new();
        let mut owed = 0;
        for ((cell, column), width) in row.iter().zip(self.columns).zip(widths) {
            let shown = cut(&cell.text, *width);
            let free = width.saturating_sub(shown.width());
            let before = match column {
                Column::Left(_) => 0,
                Column::Right(_) => free,
            };
            // Spaces are owed, not written, so that no line ends in them.
            owed += GAP.len() + before;
            if !shown.is_empty() {
                line.extend(std::iter::repeat_n(' ', owed));
                line.push_str(&painted(&shown, cell.style));
                owed = 0;
            } else {
                owed += shown.width();
            }
            owed += free - before;
        }
        line
    }
}

/// Takes from the widest column until all fit.
fn narrow(widths: &mut [usize], room: usize) {
    let gaps = GAP.len() * widths.len().saturating_sub(1);
    loop {
        let total: usize = widths.iter().sum::<usize>() + gaps;
        let over = total.saturating_sub(room);
        let Some(widest) = widths.iter_mut().max() else { return };
        if over == 0 || *widest <= NARROWEST {
            return;
        }
        // One step at most halves it, so that several wide columns share the loss.
        let step = over.min((*widest / 4).max(1)).min(*widest - NARROWEST);
        *widest -= step;
    }
}

/// The text, cut to so many columns of a terminal with `…` at the end.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        shown.push(character);
    }
    shown.push('…');
    shown
}

/// The text in a style.
pub(crate) fn painted(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// For what stands back.
pub(crate) fn dim() -> Style {
    Style::new().dimmed()
}

/// For headings.
pub(crate) fn bold() -> Style {
    Style::new().bold()
}

/// For what may be opened.
pub(crate) fn green() -> Style {
    Style::new().fg_color(Some(AnsiColor::Green.into()))
}

/// For what stays closed.
pub(crate) fn red() -> Style {
    Style::new().fg_color(Some(AnsiColor::Red.into()))
}

/// For what a person has to look at.
pub(crate) fn yellow() -> Style {
    Style::new().fg_color(Some(AnsiColor::Yellow.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cell: &str) -> Table<3> {
        let mut table = Table::new([Column::Right("item"), Column::Left("tool"), Column::Left("address")]);
        table.row([Cell::new("7"), Cell::new("web_fetch"), Cell::new(cell)]);
        table.row([Cell::new("12"), Cell::new(""), Cell::new("")]);
        table
    }

    #[test]
    fn prose_is_broken_at_spaces_and_keeps_its_margin() {
        let text = "One two three four.\n  five six seven eight\n\nnine\n";
        assert_eq!(prose(text, Some(12)), "One two\nthree four.\n  five six\n  seven\n  eight\n\nnine\n");
        assert_eq!(prose(text, None), text);
        let colours = format!("{} two three\n", painted("One", bold()));
        assert_eq!(without_styles(&prose(&colours, Some(13))), "One two three\n");
        assert_eq!(prose("averylongwordindeed and\n", Some(8)), "averylongwordindeed\nand\n");
    }

    fn without_styles(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_no_line_ends_in_spaces() {
        let text = without_styles(&sample("https://a.example").render(None));
        assert_eq!(text, "  item  tool       address\n     7  web_fetch  https://a.example\n    12\n");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_whatever_the_script() {
        for cell in ["https://a.example/with/a/long/path/that/does/not/fit", "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字"]
        {
            for width in [30, 41, 60] {
                let text = without_styles(&sample(cell).render(Some(width)));
                assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
                assert!(text.contains("web_fetch"), "{text}");
            }
        }
    }

    #[test]
    fn a_wide_character_is_never_cut_in_half() {
        assert_eq!(cut("漢字漢字", 6), "漢字…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("漢字漢字", 8), "漢字漢字");
    }
}
