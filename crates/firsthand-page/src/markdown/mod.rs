//! Writing Markdown: lines, indents and gaps here, what stands in a line below.
//!
//! Whatever text is given, only what is asked for becomes markup: a parser of CommonMark with tables finds in the result
//! the blocks and links that were asked for and the text that was given, no HTML and no pictures.

mod inline;
mod escape;
mod destination;

use std::ops::Range;

use crate::limits::MAX_INDENTS;
use crate::seen::seen;
use inline::Link;

/// Text in Markdown, being written.
#[derive(Debug)]
pub(crate) struct Writer {
    out: String,
    limit: usize,
    is_full: bool,
    around: Vec<Around>,
    /// What stands between the last text and the next.
    gap: Gap,
    /// Whether a list ended inside an entry, whose next text would be read as part of the list's last one.
    after_list: bool,
    /// Written before the next text of the block, once.
    lead: &'static str,
    /// What ends the block that `lead` began.
    line: Line,
    /// Whether white space stands before the next text.
    space: bool,
    /// The last character of visible text in the line.
    last: char,
    /// How many digits are all that the line has; `None` where there is more.
    digits: Option<usize>,
    link: Option<Link>,
    code: Option<String>,
    raised: bool,
    /// Where links stand, which must not be cut.
    links: Vec<Range<usize>>,
}

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Text that may go on in the next line.
    Free,
    /// A heading.
    Heading,
    /// A cell of a table.
    Cell,
    /// A term or a summary, in bold.
    Bold,
}

/// What stands between two texts. A later one is wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// They stand in one line.
    Nothing,
    /// A line ends.
    Line,
    /// An empty line stands between.
    Blank,
}

/// What stands around a block.
#[derive(Debug)]
enum Around {
    /// A quotation, and whether its first line is written.
    Quote(bool),
    /// An entry with its marker, and whether that is written.
    Entry(String, bool),
    /// Nothing: it is too deep to be shown.
    Flat,
}

impl Writer {
    /// Writes at most about so many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            out: String::new(),
            limit,
            is_full: false,
            around: Vec::new(),
            gap: Gap::Nothing,
            after_list: false,
            lead: "",
            line: Line::Free,
            space: false,
            last: '\n',
            digits: Some(0),
            link: None,
            code: None,
            raised: false,
            links: Vec::new(),
        }
    }

    /// Whether the limit is reached, so that nothing more is written.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether only text of one line can be written.
    pub(crate) fn is_in_line(&self) -> bool {
        self.line != Line::Free
    }

    /// How many quotations and entries stand around what comes next.
    pub(crate) fn depth(&self) -> usize {
        self.around.len()
    }

    /// Whether what comes next stands in an entry of a list.
    pub(crate) fn is_in_entry(&self) -> bool {
        matches!(self.around.last(), Some(Around::Entry(..)))
    }

    /// What comes next stands in a block of its own.
    pub(crate) fn block(&mut self) {
        self.separate(Gap::Blank);
    }

    /// A line ends inside a block.
    pub(crate) fn line_break(&mut self) {
        if self.line != Line::Free || self.out.is_empty() {
            self.space = true;
            return;
        }
        self.end_inline();
        self.space = false;
        self.gap = match self.gap {
            Gap::Nothing => {
                self.push_plain("  ");
                Gap::Line
            }
            Gap::Line | Gap::Blank => Gap::Blank,
        };
    }

    fn separate(&mut self, gap: Gap) {
        self.end_inline();
        self.space = false;
        // Behind a marker that waits for its text no block is separated from it.
        let is_fresh = matches!(self.around.last(), Some(Around::Entry(_, false) | Around::Quote(false)));
        if self.line != Line::Free {
            self.space = true;
        } else if !is_fresh {
            self.gap = self.gap.max(gap);
        }
    }

    /// A heading begins; `false` where it stands in a line already and is text like any other.
    pub(crate) fn heading(&mut self, level: u8) -> bool {
        const LEADS: [&str; 6] = ["# ", "## ", "### ", "#### ", "##### ", "###### "];
        let lead = LEADS.get(usize::from(level.saturating_sub(1))).copied().unwrap_or("###### ");
        self.begin_line(Line::Heading, lead)
    }

    /// A term or a summary begins; `false` where it stands in a line already.
    pub(crate) fn bold(&mut self) -> bool {
        self.begin_line(Line::Bold, "**")
    }

    fn begin_line(&mut self, line: Line, lead: &'static str) -> bool {
        self.block();
        let is_free = self.line == Line::Free;
        if is_free {
            (self.line, self.lead) = (line, lead);
        }
        is_free
    }

    /// The heading, term or summary ends.
    pub(crate) fn end_line(&mut self) {
        self.end_inline();
        let is_written = std::mem::take(&mut self.lead).is_empty();
        if self.line == Line::Bold && is_written {
            self.push_plain("**");
        }
        self.line = Line::Free;
        self.block();
    }

    /// A quotation begins.
    pub(crate) fn quote(&mut self) {
        self.block();
        self.enter(Around::Quote(false));
    }

    /// A definition begins: an entry in the line below its term.
    pub(crate) fn definition(&mut self) {
        self.separate(Gap::Line);
        if self.gap == Gap::Blank {
            self.gap = Gap::Line;
        }
        self.enter(Around::Entry("- ".to_owned(), false));
    }

    /// The first entry of a list begins.
    pub(crate) fn first_entry(&mut self, marker: String) {
        let is_nested = self.is_in_entry();
        // A paragraph is interrupted by bullets and by the number 1 alone.
        let interrupts = !marker.starts_with(|first: char| first.is_ascii_digit()) || marker.starts_with("1.");
        self.separate(if is_nested && interrupts && !self.after_list { Gap::Line } else { Gap::Blank });
        self.enter(Around::Entry(marker, false));
    }

    /// A later entry of a list begins.
    pub(crate) fn entry(&mut self, marker: String) {
        self.separate(Gap::Line);
        if self.line == Line::Free {
            self.gap = Gap::Line;
            self.after_list = false;
        }
        self.enter(Around::Entry(marker, false));
    }

    fn enter(&mut self, around: Around) {
        let shown = self.around.iter().filter(|around| !matches!(around, Around::Flat)).count();
        let is_shown = shown < MAX_INDENTS && self.line == Line::Free;
        self.around.push(if is_shown { around } else { Around::Flat });
    }

    /// The quotation, definition or entry that began last ends; `false` where nothing of it was written.
    pub(crate) fn leave(&mut self) -> bool {
        self.end_inline();
        let (is_written, gap) = match self.around.pop() {
            Some(Around::Quote(is_written)) => (is_written, Gap::Blank),
            Some(Around::Entry(_, is_written)) => (is_written, Gap::Line),
            Some(Around::Flat) | None => (true, Gap::Line),
        };
        self.separate(if is_written { gap } else { Gap::Nothing });
        is_written
    }

    /// A list ends.
    pub(crate) fn end_list(&mut self) {
        if self.is_in_entry() {
            self.separate(Gap::Line);
            self.after_list = true;
        } else {
            self.block();
        }
    }

    /// A line across the page.
    pub(crate) fn rule(&mut self) {
        self.block();
        if self.line == Line::Free && !self.out.is_empty() {
            self.start();
            self.push_plain("---");
            self.block();
        }
    }

    /// A row of a table begins; the first one stands below an empty line.
    pub(crate) fn row(&mut self, is_first: bool) {
        if is_first {
            self.block();
        } else {
            self.separate(Gap::Line);
        }
        self.start();
        self.push_plain("|");
        self.line = Line::Cell;
    }

    /// The next cell begins.
    pub(crate) fn cell(&mut self) {
        self.space = true;
        self.last = '|';
        self.digits = None;
    }

    /// The cell ends.
    pub(crate) fn end_cell(&mut self) {
        self.end_inline();
        self.push_plain(" |");
        self.space = false;
    }

    /// The row ends; the first one of a table with a line below it.
    pub(crate) fn end_row(&mut self, columns: Option<usize>) {
        self.end_inline();
        self.line = Line::Free;
        self.space = false;
        if let Some(columns) = columns {
            self.gap = Gap::Line;
            self.start();
            self.push_plain("|");
            for _ in 0..columns {
                if self.is_full {
                    break;
                }
                self.push_plain("---|");
            }
        }
        self.gap = Gap::Line;
    }

    /// Text as it is, between fences.
    pub(crate) fn fenced(&mut self, language: &str, text: &str) {
        let text = seen(text);
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        let text = beginning(text, self.limit.saturating_sub(self.out.len()));
        if text.trim_start().is_empty() {
            return;
        }
        if self.line != Line::Free {
            self.code_start();
            self.text(text);
            self.code_end();
            return;
        }
        self.block();
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.start();
        self.push_plain(&fence);
        self.push_plain(language);
        for line in text.lines() {
            if self.is_full {
                break;
            }
            self.new_line(true);
            self.push_plain(line);
        }
        self.new_line(true);
        self.push_plain(&fence);
        self.block();
    }

    /// Writes what stands between the last text and the next one.
    fn start(&mut self) {
        if self.after_list && !matches!(self.around.last(), Some(Around::Entry(_, false))) {
            self.gap = Gap::Blank;
        }
        self.after_list = false;
        if self.out.is_empty() {
            self.write_around(true);
        } else if self.gap == Gap::Nothing {
            return;
        } else {
            if self.gap == Gap::Blank {
                self.trim();
                self.new_line(false);
                self.trim();
            }
            self.new_line(true);
        }
        self.gap = Gap::Nothing;
        self.space = false;
        self.last = '\n';
        self.digits = Some(0);
        let lead = std::mem::take(&mut self.lead);
        if !lead.is_empty() {
            self.push_plain(lead);
            self.last = if self.line == Line::Heading { ' ' } else { '*' };
            self.digits = None;
        }
    }

    fn trim(&mut self) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
    }

    fn new_line(&mut self, has_text: bool) {
        self.out.push('\n');
        self.write_around(has_text);
    }

    /// Writes the beginning of a line: markers that are not written yet only before text.
    fn write_around(&mut self, has_text: bool) {
        for around in &mut self.around {
            match around {
                Around::Quote(is_written) if has_text || *is_written => {
                    *is_written = true;
                    self.out.push_str("> ");
                }
                Around::Entry(marker, is_written) if has_text && !*is_written => {
                    *is_written = true;
                    self.out.push_str(marker);
                }
                Around::Entry(marker, true) => self.out.extend(std::iter::repeat_n(' ', marker.len())),
                Around::Quote(_) | Around::Entry(..) | Around::Flat => {}
            }
        }
    }

    /// Writes what is no text of the page's.
    fn push_plain(&mut self, markup: &str) {
        self.out.push_str(markup);
        self.is_full |= self.out.len() > self.limit;
    }

    /// The text, and where its links stand.
    pub(crate) fn finish(mut self) -> (String, Vec<Range<usize>>) {
        self.end_line();
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        (self.out, self.links)
    }
}

/// At most so many bytes of a text, and no part of a character.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
