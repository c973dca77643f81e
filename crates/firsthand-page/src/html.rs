//! HTML to Markdown: the events of a page, one after another, to a writer.

use std::ops::Range;

use crate::base::Base;
use crate::grid::Grid;
use crate::markdown::Writer;
use crate::markup::{Element, Event, Image, Outline};

/// The text of a page in Markdown.
#[derive(Clone, Debug)]
pub(crate) struct Markdown {
    pub(crate) text: String,
    /// Where the links stand.
    pub(crate) links: Vec<Range<usize>>,
    /// Whether the limit cut it off.
    pub(crate) is_cut: bool,
}

/// Writes the main content of a page, or all of it where none is plain.
pub(crate) fn markdown(outline: &Outline, page: &Base, limit: usize) -> Markdown {
    let mut walk = Walk {
        outline,
        page,
        writer: Writer::new(limit),
        open: Vec::new(),
        lists: Vec::new(),
        grids: Vec::new(),
        lines: 0,
        preformatted: None,
        label: "",
    };
    let events = outline.main.clone().and_then(|main| outline.events.get(main)).unwrap_or(&outline.events);
    for event in events {
        if walk.writer.is_full() {
            break;
        }
        walk.event(event);
    }
    let is_cut = walk.writer.is_full();
    if let Some(text) = walk.preformatted.take() {
        walk.writer.fenced("", &text.1);
    }
    let (text, links) = walk.writer.finish();
    Markdown { text, links, is_cut }
}

/// The visible text of a page on one line, at most so many characters.
pub(crate) fn plain(outline: &Outline, characters: usize) -> String {
    let mut text = String::new();
    let mut left = characters;
    for event in &outline.events {
        match event {
            Event::Text(span) => {
                let piece = outline.at(span);
                text.extend(piece.chars().take(left));
                left = left.saturating_sub(piece.chars().count());
            }
            Event::Open(_) | Event::Close | Event::Break | Event::Rule => text.push(' '),
            Event::LinkStart(..) | Event::LinkEnd | Event::Image(_) => {}
        }
        if left == 0 {
            text.push('\u{2026}');
            break;
        }
    }
    text
}

/// The largest number of an entry that Markdown knows.
const MAX_NUMBER: u32 = 999_999_999;

/// What an element began and its end must end.
#[derive(Debug)]
enum Open<'p> {
    Block,
    /// A heading, a term or a summary.
    Line,
    List,
    Entry,
    Definition,
    Quote,
    Table,
    Row,
    Cell,
    Preformatted(&'p str),
    Lines,
    Code,
    Raised,
    Quotation,
    /// Nothing.
    Plain,
}

#[derive(Debug)]
struct List {
    /// The number of the next entry, if they have numbers.
    number: Option<u32>,
    /// How deep its last written entry stands; an entry at another depth does not follow on it.
    depth: Option<usize>,
}

struct Walk<'p> {
    outline: &'p Outline,
    page: &'p Base,
    writer: Writer,
    open: Vec<Open<'p>>,
    lists: Vec<List>,
    /// The tables that are open; `None` for one that arranges a page.
    grids: Vec<Option<Grid>>,
    /// How many elements are open in which each line is one.
    lines: usize,
    /// The depth of preformatted text, and what it holds so far.
    preformatted: Option<(usize, String)>,
    /// What the link says of itself.
    label: &'p str,
}

impl<'p> Walk<'p> {
    fn event(&mut self, event: &'p Event) {
        match event {
            Event::Text(span) => self.text(self.outline.at(span)),
            Event::Open(element) => self.open(element),
            Event::Close => self.close(),
            Event::LinkStart(href, label) => self.link(self.outline.at(href), self.outline.at(label)),
            Event::LinkEnd => self.end_link(),
            Event::Break => match &mut self.preformatted {
                Some((_, text)) => text.push('\n'),
                None => self.writer.line_break(),
            },
            Event::Rule => self.writer.rule(),
            Event::Image(image) => self.image(image),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, kept)) = &mut self.preformatted {
            kept.push_str(text);
        } else if self.lines > 0 {
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    self.writer.line_break();
                }
                self.writer.text(line);
            }
        } else {
            self.writer.text(text);
        }
    }

    fn link(&mut self, href: &str, label: &'p str) {
        self.label = label;
        if self.preformatted.is_some() || href.trim_start().starts_with('#') {
            return;
        }
        if let Some(address) = self.page.joined(href) {
            self.writer.link_start(&address);
        }
    }

    fn end_link(&mut self) {
        if self.writer.is_link_empty() {
            self.writer.text(self.label);
        }
        self.label = "";
        self.writer.link_end();
    }

    fn image(&mut self, image: &Image) {
        let text = image.text.as_ref().map_or("image", |text| self.outline.at(text).trim());
        if let Some((_, kept)) = &mut self.preformatted {
            kept.push_str(text);
        } else if image.text.is_none() && self.writer.is_in_link() || text.is_empty() {
            // A picture that says nothing.
        } else if self.writer.is_in_link() {
            self.writer.text(text);
        } else {
            let source = self.outline.at(&image.source);
            match self.page.joined(source).filter(|_| !source.trim_start().starts_with('#')) {
                Some(address) => {
                    self.writer.link_start(&address);
                    self.writer.text(text);
                    self.writer.link_end();
                }
                None if image.text.is_some() => self.writer.text(text),
                None => {}
            }
        }
    }

    fn open(&mut self, element: &'p Element) {
        let writer = &mut self.writer;
        let open = match element {
            _ if self.preformatted.is_some() => self.open_in_preformatted(element),
            Element::Block | Element::Terms | Element::Caption => {
                writer.block();
                Open::Block
            }
            Element::Heading(level) if writer.heading(*level) => Open::Line,
            Element::Term | Element::Summary if writer.bold() => Open::Line,
            Element::Heading(_) | Element::Term | Element::Summary => Open::Block,
            Element::Bullets => self.list(None),
            Element::Numbers(first) => self.list(Some(*first)),
            Element::Item(number) => self.entry(*number),
            Element::Definition => {
                writer.definition();
                Open::Definition
            }
            Element::Quote => {
                writer.quote();
                Open::Quote
            }
            Element::Table(columns) if !writer.is_in_line() => {
                writer.block();
                self.grids.push(Some(Grid::new(*columns)));
                Open::Table
            }
            Element::Table(_) | Element::Layout => {
                writer.block();
                self.grids.push(None);
                Open::Table
            }
            Element::Row => match self.grids.last_mut() {
                Some(Some(grid)) => {
                    grid.row();
                    Open::Row
                }
                Some(None) | None => {
                    writer.block();
                    Open::Block
                }
            },
            Element::Cell { columns, rows } => match self.grids.last_mut() {
                Some(Some(grid)) => {
                    grid.cell(writer, *columns, *rows);
                    Open::Cell
                }
                Some(None) | None => {
                    writer.text(" ");
                    Open::Plain
                }
            },
            Element::Preformatted(language) => {
                writer.block();
                self.preformatted = Some((self.open.len(), String::new()));
                Open::Preformatted(self.outline.at(language))
            }
            Element::Lines => {
                writer.block();
                self.lines += 1;
                Open::Lines
            }
            Element::Code => {
                writer.code_start();
                Open::Code
            }
            Element::Superscript => {
                writer.raise();
                Open::Raised
            }
            Element::Quotation => {
                writer.text("\u{201c}");
                Open::Quotation
            }
        };
        self.open.push(open);
    }

    /// Blocks in preformatted text are its lines.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all but three kinds of elements stand on lines of their own")]
    fn open_in_preformatted(&mut self, element: &Element) -> Open<'p> {
        match element {
            Element::Code | Element::Superscript | Element::Quotation => Open::Plain,
            _ => {
                self.end_line_of_preformatted();
                Open::Block
            }
        }
    }

    fn end_line_of_preformatted(&mut self) {
        if let Some((_, text)) =
            self.preformatted.as_mut().filter(|(_, text)| !text.is_empty() && !text.ends_with('\n'))
        {
            text.push('\n');
        }
    }

    fn list(&mut self, number: Option<u32>) -> Open<'p> {
        if !self.writer.is_in_entry() {
            self.writer.block();
        }
        self.lists.push(List { number, depth: None });
        Open::List
    }

    fn entry(&mut self, number: Option<u32>) -> Open<'p> {
        let mut alone = List { number: None, depth: None };
        let list = self.lists.last_mut().unwrap_or(&mut alone);
        let marker = match &mut list.number {
            Some(next) => {
                let own = number.unwrap_or(*next).min(MAX_NUMBER);
                *next = own.saturating_add(1);
                format!("{own}. ")
            }
            None => "- ".to_owned(),
        };
        if list.depth == Some(self.writer.depth()) {
            self.writer.entry(marker);
        } else {
            self.writer.first_entry(marker);
        }
        Open::Entry
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let writer = &mut self.writer;
        match open {
            Open::Block => match self.preformatted {
                Some(_) => self.end_line_of_preformatted(),
                None => writer.block(),
            },
            Open::Line => writer.end_line(),
            Open::List => {
                self.lists.pop();
                writer.end_list();
            }
            Open::Entry => {
                let is_written = writer.leave();
                if let Some(list) = self.lists.last_mut().filter(|_| is_written) {
                    list.depth = Some(writer.depth());
                }
            }
            Open::Definition | Open::Quote => _ = writer.leave(),
            Open::Table => {
                self.grids.pop();
                writer.block();
            }
            Open::Row => {
                if let Some(Some(grid)) = self.grids.last_mut() {
                    grid.end_row(writer);
                }
            }
            Open::Cell => {
                if let Some(Some(grid)) = self.grids.last_mut() {
                    grid.end_cell(writer);
                }
            }
            Open::Preformatted(language) => {
                if let Some((_, text)) = self.preformatted.take_if(|(depth, _)| *depth == self.open.len()) {
                    writer.fenced(language, &text);
                }
            }
            Open::Lines => {
                self.lines -= 1;
                writer.block();
            }
            Open::Code => writer.code_end(),
            Open::Raised => writer.end_raise(),
            Open::Quotation => writer.text("\u{201d}"),
            Open::Plain => {}
        }
    }
}
