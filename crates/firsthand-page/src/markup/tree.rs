//! Tokens to events.

use std::convert::Infallible;
use std::ops::Range;

use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};

use super::attributes::{Attributes, Name};
use super::table::Table;
use super::tag::Tag;
use super::{Element, Event, Image, Outline, Span};
use crate::limits::{MAX_CELLS, MAX_DEPTH, MAX_TITLE};

/// How many bytes of text make a main content, however much stands beside it.
const MAIN: usize = 200;

/// Reads a page.
pub(crate) fn outline(html: &str) -> Outline {
    let mut tree = Tree::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: html5gum::Span<()>| -> Option<Infallible> {
        tree.take(event);
        None
    });
    emitter.naively_switch_states(true);
    match Tokenizer::new_with_emitter(html, emitter).finish() {
        Ok(()) => tree.finish(),
    }
}

/// An element that is open.
#[derive(Debug)]
struct Open {
    tag: Tag,
    /// Stands for its name.
    key: u64,
    is_hidden: bool,
    /// Whether an event opened it.
    is_told: bool,
    /// The event and the visible bytes before it.
    from: (usize, usize),
    /// The language of code that its class names.
    language: Option<String>,
}

/// Text whose white space counts, while it is open.
#[derive(Debug)]
struct Preformatted {
    event: usize,
    depth: usize,
    has_links: bool,
    has_code: bool,
}

#[derive(Debug, Default)]
struct Tree {
    outline: Outline,
    stack: Vec<Open>,
    /// How many paragraphs are open: mostly none, so that nothing is searched for.
    paragraphs: usize,
    tables: Vec<Table>,
    preformatted: Option<Preformatted>,
    /// The depth of the link that is open.
    link: Option<usize>,
    /// How many bytes of visible text there are.
    said: usize,
    mains: Vec<(Range<usize>, usize)>,
    articles: Vec<(Range<usize>, usize)>,
    /// The start tag that is read.
    tag: Option<(Tag, u64)>,
    attributes: Attributes,
    has_title: bool,
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "most names of elements mean nothing in most places, and nothing is decided here"
)]
impl Tree {
    fn take(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some((Tag::of(name), key(name)));
                self.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => self.attributes.begin(name),
            CallbackEvent::AttributeValue { value } => self.attributes.value(value),
            CallbackEvent::CloseStartTag { .. } => {
                if let Some((tag, key)) = self.tag.take() {
                    self.start(tag, key);
                }
            }
            CallbackEvent::EndTag { name } => self.end(Tag::of(name), key(name)),
            CallbackEvent::String { value } => self.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    fn is_hidden(&self) -> bool {
        self.stack.last().is_some_and(|open| open.is_hidden)
    }

    fn span(&mut self, text: &str) -> Span {
        let end = |text: &String| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let start = end(&self.outline.text);
        self.outline.text.push_str(text);
        start..end(&self.outline.text)
    }

    fn tell(&mut self, event: Event) {
        self.outline.events.push(event);
    }

    fn text(&mut self, text: &str) {
        if self.is_hidden() {
            return;
        }
        if self.stack.last().is_some_and(|open| open.tag == Tag::Title) {
            let room = MAX_TITLE.saturating_sub(self.outline.title.chars().count());
            self.outline.title.extend(text.chars().take(if self.has_title { 0 } else { room }));
            return;
        }
        let is_blank = text.trim_ascii().is_empty();
        if !is_blank
            && self.is_beside_cells()
            && let Some(table) = self.tables.last_mut()
        {
            table.arranges();
        }
        self.said += if is_blank { 0 } else { text.len() };
        let span = self.span(text);
        match self.outline.events.last_mut() {
            Some(Event::Text(last)) if last.end == span.start => last.end = span.end,
            _ => self.tell(Event::Text(span)),
        }
    }

    /// Whether what comes now stands in a table, but in none of its cells.
    fn is_beside_cells(&self) -> bool {
        let of_tables = |tag| matches!(tag, Tag::Table | Tag::RowGroup | Tag::Row | Tag::Cell | Tag::Caption);
        let innermost = self.stack.iter().rev().map(|open| open.tag).find(|tag| of_tables(*tag));
        matches!(innermost, Some(Tag::Table | Tag::RowGroup | Tag::Row))
    }

    fn start(&mut self, named: Tag, key: u64) {
        let tag = match named {
            Tag::Block if self.attributes.is(Name::Role, "main") => Tag::Main,
            Tag::Block | Tag::Bullets if self.attributes.is(Name::Role, "navigation") => Tag::Dropped,
            Tag::Row | Tag::RowGroup | Tag::Cell | Tag::Caption if !self.place_in_table(named) => Tag::Inline,
            other => other,
        };
        self.imply_ends(tag);
        let hides = match tag {
            Tag::Dropped | Tag::Sealed => true,
            Tag::Dialog => self.attributes.get(Name::Open).is_none(),
            Tag::Root => false,
            _ => self.attributes.is_hidden(),
        };
        let is_hidden = hides || self.is_hidden();
        if tag.is_empty() {
            if !is_hidden {
                self.empty(tag);
            }
            return;
        }
        if !is_hidden
            && tag.arranges()
            && let Some(table) = self.tables.last_mut()
        {
            table.arranges();
        }
        self.push(tag, key, is_hidden);
    }

    /// Ends what a start tag ends without saying so.
    fn imply_ends(&mut self, tag: Tag) {
        match tag {
            Tag::Item => self.end_entry(|open| open == Tag::Item),
            Tag::Term | Tag::Definition => self.end_entry(|open| matches!(open, Tag::Term | Tag::Definition)),
            Tag::Link => self.end_link(),
            _ => {}
        }
        let is_block = !tag.is_inline() && !matches!(tag, Tag::Row | Tag::RowGroup | Tag::Cell | Tag::Caption);
        if is_block
            && self.paragraphs > 0
            && let Some(at) = self.find(|open| open == Tag::Paragraph, Tag::is_wall)
        {
            self.pop_to(at);
        }
        let is_heading = |tag| matches!(tag, Tag::Heading(_));
        if is_heading(tag) && self.stack.last().is_some_and(|open| is_heading(open.tag)) {
            self.pop();
        }
    }

    fn end_entry(&mut self, is_entry: impl Fn(Tag) -> bool) {
        if let Some(at) = self.find(is_entry, Tag::holds_entries) {
            self.pop_to(at);
        }
    }

    /// The innermost open element of a kind, if nothing between stops the search.
    fn find(&self, is_it: impl Fn(Tag) -> bool, stops: impl Fn(Tag) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().rev() {
            if is_it(open.tag) {
                return Some(at);
            }
            if stops(open.tag) {
                return None;
            }
        }
        None
    }

    /// Ends what must be ended before a part of a table; `false` where no table is open.
    fn place_in_table(&mut self, tag: Tag) -> bool {
        let Some(table) = self.find(|open| open == Tag::Table, |open| open == Tag::Sealed) else { return false };
        let mut keep = table + 1;
        let at = |tree: &Self, place: usize| tree.stack.get(place).map(|open| open.tag);
        if matches!(tag, Tag::Row | Tag::Cell) && at(self, keep) == Some(Tag::RowGroup) {
            keep += 1;
        }
        if tag == Tag::Cell && at(self, keep) == Some(Tag::Row) {
            keep += 1;
        }
        self.pop_to(keep);
        if tag == Tag::Cell && at(self, keep - 1) != Some(Tag::Row) {
            let is_hidden = self.is_hidden();
            let attributes = std::mem::take(&mut self.attributes);
            self.push(Tag::Row, key(b"tr"), is_hidden);
            self.attributes = attributes;
        }
        true
    }

    fn push(&mut self, tag: Tag, key: u64, is_hidden: bool) {
        if self.stack.len() >= MAX_DEPTH {
            self.pop();
        }
        let from = (self.outline.events.len(), self.said);
        let language = self.attributes.language().map(str::to_owned);
        let element = if is_hidden { None } else { self.element(tag, language.as_deref()) };
        let is_told = element.is_some();
        self.outline.events.extend(element.map(Event::Open));
        if !is_hidden {
            match tag {
                Tag::Link => self.start_link(),
                Tag::Table => self.tables.push(Table::new(from.0)),
                Tag::Caption => self.tables.last_mut().into_iter().for_each(Table::caption),
                Tag::Row => self.tables.last_mut().into_iter().for_each(Table::row),
                _ => {}
            }
        }
        self.paragraphs += usize::from(tag == Tag::Paragraph);
        self.stack.push(Open { tag, key, is_hidden, is_told, from, language });
    }

    /// What an element is for who writes.
    fn element(&mut self, tag: Tag, language: Option<&str>) -> Option<Element> {
        Some(match tag {
            Tag::Article | Tag::Block | Tag::Dialog | Tag::Main | Tag::Paragraph => Element::Block,
            Tag::Heading(level) => Element::Heading(level),
            Tag::Bullets => Element::Bullets,
            Tag::Numbers => Element::Numbers(self.attributes.number(Name::Start).unwrap_or(1)),
            Tag::Item => Element::Item(self.attributes.number(Name::Value)),
            Tag::Terms => Element::Terms,
            Tag::Term => Element::Term,
            Tag::Definition => Element::Definition,
            Tag::Table => Element::Layout,
            Tag::Caption => Element::Caption,
            Tag::Row => Element::Row,
            Tag::Cell => self.cell(),
            Tag::Preformatted => self.preformatted(language),
            Tag::Quote => Element::Quote,
            Tag::Summary => Element::Summary,
            Tag::Code => {
                if let Some(preformatted) = &mut self.preformatted {
                    preformatted.has_code = true;
                    let event = preformatted.event;
                    self.name_language(event, language);
                }
                Element::Code
            }
            Tag::Superscript => Element::Superscript,
            Tag::Quotation => Element::Quotation,
            Tag::Break
            | Tag::Dropped
            | Tag::Image
            | Tag::Inline
            | Tag::Link
            | Tag::Meta
            | Tag::Root
            | Tag::RowGroup
            | Tag::Rule
            | Tag::Sealed
            | Tag::Title
            | Tag::Void => return None,
        })
    }

    fn cell(&mut self) -> Element {
        let over = |name| {
            let number = self.attributes.number(name).unwrap_or(1);
            usize::try_from(number).unwrap_or(1).clamp(1, MAX_CELLS)
        };
        let (columns, rows) = (over(Name::Colspan), over(Name::Rowspan));
        if let Some(table) = self.tables.last_mut() {
            table.cell(columns);
        }
        Element::Cell { columns, rows }
    }

    fn preformatted(&mut self, language: Option<&str>) -> Element {
        let around = self.stack.iter().rev().take(2).find_map(|open| open.language.clone());
        let language = language.map(str::to_owned).or(around).unwrap_or_default();
        let span = self.span(&language);
        if self.preformatted.is_none() {
            let (event, depth) = (self.outline.events.len(), self.stack.len());
            self.preformatted = Some(Preformatted { event, depth, has_links: false, has_code: false });
        }
        Element::Preformatted(span)
    }

    /// Gives preformatted text the language that the code in it names.
    fn name_language(&mut self, event: usize, language: Option<&str>) {
        let Some(language) = language else { return };
        let span = self.span(language);
        if let Some(Event::Open(Element::Preformatted(known))) = self.outline.events.get_mut(event)
            && known.start == known.end
        {
            *known = span;
        }
    }

    fn start_link(&mut self) {
        let href = self.attributes.get(Name::Href).unwrap_or_default().to_owned();
        if href.is_empty() {
            return;
        }
        if let Some(preformatted) = &mut self.preformatted {
            preformatted.has_links |= !href.starts_with('#');
        }
        let label = self.attributes.get(Name::AriaLabel).or_else(|| self.attributes.get(Name::Title));
        let label = label.unwrap_or_default().to_owned();
        let (href, label) = (self.span(&href), self.span(&label));
        self.tell(Event::LinkStart(href, label));
        self.link = Some(self.stack.len());
    }

    fn end_link(&mut self) {
        if self.link.take().is_some() {
            self.tell(Event::LinkEnd);
        }
    }

    fn empty(&mut self, tag: Tag) {
        match tag {
            Tag::Break => self.tell(Event::Break),
            Tag::Rule => self.tell(Event::Rule),
            Tag::Image if !self.attributes.is_pixel() => {
                let source = self.attributes.get(Name::Source).unwrap_or_default().to_owned();
                let text = self.attributes.get(Name::Alt).map(str::to_owned);
                let image = Image { source: self.span(&source), text: text.map(|text| self.span(&text)) };
                self.tell(Event::Image(image));
            }
            Tag::Meta => self.meta(),
            _ => {}
        }
    }

    fn meta(&mut self) {
        let says = |name| ["description", "og:description"].iter().any(|word| self.attributes.is(name, word));
        let is_description = says(Name::Subject) || says(Name::Property);
        let content = self.attributes.get(Name::Content).filter(|content| !content.trim_ascii().is_empty());
        if is_description && self.outline.description.is_none() {
            self.outline.description = content.map(|content| content.chars().take(MAX_TITLE).collect());
        }
        let mut relations = self.attributes.get(Name::Rel).unwrap_or_default().split_ascii_whitespace();
        let is_canonical = relations.any(|relation| relation.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.outline.canonical.is_none() {
            self.outline.canonical = self.attributes.get(Name::Href).map(str::to_owned);
        }
    }

    fn end(&mut self, tag: Tag, key: u64) {
        let of_tables = matches!(tag, Tag::Row | Tag::RowGroup | Tag::Table | Tag::Cell | Tag::Caption);
        let of_lists = matches!(tag, Tag::Item | Tag::Term | Tag::Definition);
        match tag {
            Tag::Link if self.is_link_open() => self.end_link(),
            Tag::Break if !self.is_hidden() => self.tell(Event::Break),
            _ => {}
        }
        for (at, open) in self.stack.iter().enumerate().rev() {
            let is_it = open.key == key || matches!((open.tag, tag), (Tag::Heading(_), Tag::Heading(_)));
            let stops = match tag {
                _ if of_tables => matches!(open.tag, Tag::Table | Tag::Sealed),
                _ if of_lists => open.tag.holds_entries(),
                _ if tag.is_inline() => open.tag.is_wall() || !open.tag.is_inline(),
                _ => open.tag.is_wall(),
            };
            if is_it {
                return self.pop_to(at);
            }
            if stops {
                return;
            }
        }
    }

    /// Whether the end tag of a link ends the one that is open: not from inside a table in it, nor where nothing is seen.
    fn is_link_open(&self) -> bool {
        !self.is_hidden() && self.link.is_some()
    }

    fn pop_to(&mut self, depth: usize) {
        while self.stack.len() > depth {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        self.paragraphs -= usize::from(open.tag == Tag::Paragraph);
        if open.is_hidden {
            return;
        }
        if open.tag == Tag::Link && self.link == Some(self.stack.len()) {
            self.end_link();
        }
        if open.is_told {
            self.tell(Event::Close);
        }
        let found = || (open.from.0..self.outline.events.len(), self.said - open.from.1);
        match open.tag {
            Tag::Main => self.mains.push(found()),
            Tag::Article if !self.stack.iter().any(|outer| outer.tag == Tag::Article) => {
                self.articles.push(found());
            }
            Tag::Title => self.has_title |= !self.outline.title.trim_ascii().is_empty(),
            Tag::Table => self.end_table(),
            Tag::Preformatted => self.end_preformatted(),
            _ => {}
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        if let (Some(columns), Some(event)) = (table.columns(), self.outline.events.get_mut(table.event)) {
            *event = Event::Open(Element::Table(columns));
        }
    }

    fn end_preformatted(&mut self) {
        let Some(preformatted) = self.preformatted.take_if(|open| open.depth == self.stack.len()) else { return };
        let event = self.outline.events.get_mut(preformatted.event);
        if let Some(Event::Open(element)) = event
            && matches!(element, Element::Preformatted(language) if language.start == language.end)
            && preformatted.has_links
            && !preformatted.has_code
        {
            *element = Element::Lines;
        }
    }

    fn finish(mut self) -> Outline {
        self.pop_to(0);
        let plain = if self.mains.is_empty() { &self.articles } else { &self.mains };
        if let [(events, said)] = plain.as_slice()
            && (*said >= MAIN || *said * 2 >= self.said)
        {
            self.outline.main = Some(events.clone());
        }
        self.outline
    }
}

/// A number that stands for a name (FNV-1a): what is open is compared by it.
fn key(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |key, byte| (key ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
