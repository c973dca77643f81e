//! The one pass over a text: what Markdown says stands there, with every link known for what it is.
//!
//! Markdown's own links come from the parser. Addresses in running text are found here, in the bytes of the text: an
//! address may reach over what the parser takes for emphasis, which then is part of the address.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

use crate::bare::{self, Extent};
use crate::lines::Lines;
use crate::link::{Link, Syntax};
use crate::widget::{self, Body, Widget};

/// The Markdown that is read: CommonMark with the tables, strikethrough, task lists and footnotes of GitHub.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES
}

/// The events of a text.
pub(crate) fn events(text: &str) -> OffsetIter<'_> {
    Parser::new_ext(text, options()).into_offset_iter()
}

/// What takes in a text piece by piece.
pub(crate) trait Sink<'t> {
    /// A block, a row, an emphasis or an image begins.
    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>);
    /// It ends.
    fn end(&mut self, tag: TagEnd);
    /// Text outside code. `range` is where it stands.
    fn text(&mut self, text: &str, range: Range<usize>);
    /// A code span, or a line of a code block.
    fn code(&mut self, text: &str, in_block: bool);
    /// Raw HTML, which is only ever shown as text.
    fn html(&mut self, html: &str, range: Range<usize>);
    /// Anything else.
    fn mark(&mut self, mark: Mark<'_>);
    /// A link begins; its text is not known yet.
    fn link_start(&mut self, link: &Link<'t>);
    /// A link ends. An address in running text begins and ends at once.
    fn link_end(&mut self, link: Link<'t>);
    /// An address that must not stay and is shown as a part of the text around it: one between angles in the text of a
    /// link, or one in running text.
    fn refused(&mut self, link: Link<'t>);
    /// A table widget stands where a code block would.
    fn widget(&mut self, widget: Widget, range: &Range<usize>);
    /// A code block says that it is a table widget and is none.
    fn broken(&mut self, problem: String);
}

/// What is neither text nor has an inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'t> {
    /// A line ends.
    Break,
    /// A line ends and the next one begins below it.
    HardBreak,
    /// A rule across the page.
    Rule,
    /// The box of a task.
    Task(bool),
    /// A reference to a footnote.
    Footnote(&'t str),
}

/// Reads a text into a sink.
pub(crate) fn walk<'t>(text: &'t str, sink: &mut impl Sink<'t>) {
    let slashes = memchr::memmem::find_iter(text.as_bytes(), "://");
    let mut walk = Walk {
        text,
        events: events(text),
        ahead: VecDeque::new(),
        colon: usize::MAX,
        slashes,
        from: 0,
        dead: 0,
        tables: 0,
        images: 0,
        link: None,
        inside: 0,
        emphases: Vec::new(),
        lines: Lines::of(text),
        sink,
    };
    walk.next_colon(0);
    walk.run();
}

/// A piece of what the parser says, with its place.
type Piece<'t> = (Event<'t>, Range<usize>);

struct Walk<'t, 's, S> {
    text: &'t str,
    events: OffsetIter<'t>,
    /// What was read of the events to see how far an address reaches.
    ahead: VecDeque<Piece<'t>>,
    /// Where the next `://` stands at or behind the place that was looked for last.
    colon: usize,
    slashes: memchr::memmem::FindIter<'t, 'static>,
    /// What stands before it was told as a part of an address.
    from: usize,
    /// What stands before it reads on like an address and is none.
    dead: usize,
    tables: usize,
    images: usize,
    link: Option<Link<'t>>,
    /// How many links are open inside it: an address between angles may be.
    inside: usize,
    /// Which of the open emphases began inside an address, and are no emphases.
    emphases: Vec<bool>,
    lines: Lines<'t>,
    sink: &'s mut S,
}

impl<'t, S: Sink<'t>> Walk<'t, '_, S> {
    fn run(&mut self) {
        loop {
            let piece = if self.ahead.is_empty() { self.events.next() } else { self.ahead.pop_front() };
            let Some((event, range)) = piece else { return };
            match event {
                Event::Start(tag) => self.start(tag, range),
                Event::End(tag) => self.end(tag, &range),
                Event::Text(text) => self.text(text, range),
                Event::Code(code) => {
                    self.sink.code(&code, false);
                    self.add_to_link(code);
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    self.sink.html(&html, range);
                    self.add_to_link(html);
                }
                Event::SoftBreak => {
                    self.add_to_link(CowStr::Borrowed(" "));
                    self.sink.mark(Mark::Break);
                }
                Event::HardBreak => {
                    self.add_to_link(CowStr::Borrowed(" "));
                    self.sink.mark(Mark::HardBreak);
                }
                Event::Rule => self.sink.mark(Mark::Rule),
                Event::TaskListMarker(done) => self.sink.mark(Mark::Task(done)),
                Event::FootnoteReference(name) => self.sink.mark(Mark::Footnote(&name)),
                // Formulas are not asked for.
                Event::InlineMath(formula) | Event::DisplayMath(formula) => self.sink.code(&formula, false),
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        if let Tag::Link { link_type, dest_url, .. } = tag {
            // The text of an image holds no links.
            if self.images == 0 {
                self.link_start(link_type, dest_url, range);
            }
            return;
        }
        match &tag {
            Tag::CodeBlock(kind) => {
                self.code_block(kind, &tag, range);
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {
                let is_swallowed = range.start < self.from;
                self.emphases.push(is_swallowed);
                if is_swallowed {
                    return;
                }
            }
            Tag::Table(_) => self.tables += 1,
            Tag::Image { .. } => self.images += 1,
            _ => {}
        }
        self.sink.start(&tag, &range);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Link if self.inside > 0 => {
                self.inside -= 1;
                return;
            }
            TagEnd::Link if self.images == 0 => {
                if let Some(link) = self.link.take() {
                    self.sink.link_end(with_clean_text(link));
                }
                return;
            }
            TagEnd::Link => return,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                let was_swallowed = self.emphases.pop() == Some(true);
                if was_swallowed {
                    // It began inside an address: the signs that end it are shown as they stand.
                    let signs = range.end - delimiter(self.text, &tag, range)..range.end;
                    if signs.start >= self.from {
                        self.sink.text(self.text.get(signs.clone()).unwrap_or_default(), signs);
                    }
                    return;
                }
            }
            TagEnd::Table => self.tables = self.tables.saturating_sub(1),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            _ => {}
        }
        self.sink.end(tag);
    }

    fn link_start(&mut self, link_type: LinkType, destination: CowStr<'t>, mut range: Range<usize>) {
        let syntax = match link_type {
            LinkType::Inline | LinkType::WikiLink { .. } => Syntax::Inline,
            LinkType::Autolink | LinkType::Email => Syntax::Auto,
            LinkType::Reference
            | LinkType::ReferenceUnknown
            | LinkType::Shortcut
            | LinkType::ShortcutUnknown
            | LinkType::Collapsed
            | LinkType::CollapsedUnknown => Syntax::Reference,
        };
        // The parser leaves the brackets behind a label outside.
        let is_collapsed = matches!(link_type, LinkType::Collapsed | LinkType::CollapsedUnknown);
        if is_collapsed && self.text.get(range.end..).is_some_and(|rest| rest.starts_with("[]")) {
            range.end += 2;
        }
        let in_table = self.tables > 0;
        let is_mail = link_type == LinkType::Email;
        let destination = if is_mail { Cow::Owned(format!("mailto:{destination}")) } else { destination.into() };
        let link = Link::to(destination, range, syntax, in_table);
        if self.link.is_some() {
            // What is shown is a part of the link's text.
            self.inside += 1;
            if link.target.is_err() {
                self.sink.refused(link);
            }
            return;
        }
        self.sink.link_start(&link);
        self.link = Some(link);
    }

    fn add_to_link(&mut self, text: CowStr<'t>) {
        if let Some(link) = self.link.as_mut().filter(|link| link.syntax != Syntax::Auto) {
            link.push(text.into());
        }
    }

    fn text(&mut self, text: CowStr<'t>, range: Range<usize>) {
        if range.end <= self.from {
            return;
        }
        if self.link.is_some() || self.images > 0 {
            self.sink.text(&text, range);
            self.add_to_link(text);
            return;
        }
        match text {
            CowStr::Borrowed(text) => {
                let (text, range) = self.behind_address(text, range);
                self.running(text, range);
            }
            // An entity: it holds no address.
            CowStr::Boxed(_) | CowStr::Inlined(_) => {
                let (text, range) = self.behind_address(&text, range);
                self.sink.text(text, range);
            }
        }
    }

    /// What of a text is not a part of the address before it.
    fn behind_address<'c>(&self, text: &'c str, range: Range<usize>) -> (&'c str, Range<usize>) {
        match self.from.checked_sub(range.start) {
            Some(told) if told > 0 => (text.get(told..).unwrap_or_default(), self.from..range.end),
            _ => (text, range),
        }
    }

    /// Running text: its addresses are links.
    fn running(&mut self, mut text: &'t str, mut range: Range<usize>) {
        loop {
            if self.colon < range.start {
                self.next_colon(range.start);
            }
            if self.colon >= range.end || text.len() != range.len() {
                break;
            }
            let colon = self.colon;
            self.next_colon(colon + 1);
            let Some(start) = bare::scheme_before(self.text, colon, range.start.max(self.dead)) else { continue };
            let host = self.text.get(colon + 3..).and_then(|rest| rest.chars().next());
            if !host.is_some_and(bare::starts_host) {
                continue;
            }
            let Some(link) = self.bare(start, text.get(start - range.start..).unwrap_or_default(), range.end) else {
                continue;
            };
            let end = link.range.end;
            let before = text.get(..start - range.start).unwrap_or_default();
            if !before.is_empty() {
                self.sink.text(before, range.start..start);
            }
            self.sink.link_start(&link);
            self.sink.link_end(link);
            self.from = end;
            if end >= range.end {
                return;
            }
            text = text.get(end - range.start..).unwrap_or_default();
            range.start = end;
        }
        if !text.is_empty() {
            self.sink.text(text, range);
        }
    }

    fn next_colon(&mut self, from: usize) {
        if self.colon == usize::MAX && from > 0 {
            return;
        }
        while self.colon < from || self.colon == usize::MAX {
            match self.slashes.next() {
                Some(colon) => self.colon = colon,
                None => {
                    self.colon = usize::MAX;
                    return;
                }
            }
        }
    }

    /// The address that starts in a text whose rest is `rest` and ends at `end`, read on over what follows it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    fn bare(&mut self, start: usize, rest: &'t str, end: usize) -> Option<Link<'t>> {
        let before = self.text.get(..start).and_then(|before| before.chars().next_back());
        let mut extent = Extent::new(before);
        if let Some(end) = extent.read(rest) {
            let shown = bare::without_sentence(rest.get(..end).unwrap_or_default());
            return self.bare_link(Cow::Borrowed(shown), start, start + shown.len());
        }
        let mut stopped = false;
        let mut shown = Cow::Borrowed(rest);
        // Where in the text each piece of what is shown stands: its start there, its start in the text, its length there.
        let mut places = vec![(0, start, rest.len())];
        let mut at = end;
        let mut index = 0;
        let mut open = 0_usize;
        while !stopped {
            if self.ahead.len() == index {
                let Some(piece) = self.events.next() else { break };
                self.ahead.push_back(piece);
            }
            let Some((event, range)) = self.ahead.get(index) else { break };
            index += 1;
            let signs = match event {
                Event::Text(piece) => {
                    let is_escape = range.start == at + 1 && self.text.as_bytes().get(at) == Some(&b'\\');
                    if range.start != at && !is_escape {
                        break;
                    }
                    places.push((shown.len(), range.start, piece.len()));
                    at = range.end;
                    stopped = read_on(&mut extent, &mut shown, piece);
                    continue;
                }
                Event::Start(tag @ (Tag::Emphasis | Tag::Strong | Tag::Strikethrough)) if range.start == at => {
                    open += 1;
                    at..at + delimiter(self.text, &tag.to_end(), range)
                }
                Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) if open > 0 => {
                    open -= 1;
                    at..range.end
                }
                _ => break,
            };
            let piece = self.text.get(signs.clone()).unwrap_or_default();
            places.push((shown.len(), signs.start, piece.len()));
            at = signs.end;
            stopped = read_on(&mut extent, &mut shown, piece);
        }
        let shown = match shown {
            Cow::Borrowed(shown) => Cow::Borrowed(bare::without_sentence(shown)),
            Cow::Owned(shown) => Cow::Owned(bare::without_sentence(&shown).to_owned()),
        };
        let &(first, place, length) = places.iter().rev().find(|(first, ..)| *first < shown.len())?;
        // An entity is shown in fewer bytes than it has: where it ends the address, its end is where the next begins.
        let next = places.iter().find(|(first, ..)| *first >= shown.len()).map(|&(_, place, _)| place);
        let whole = shown.len() - first == length;
        let end = if whole { next.unwrap_or(at) } else { place + shown.len() - first };
        self.bare_link(shown, start, end)
    }

    fn bare_link(&mut self, shown: Cow<'t, str>, start: usize, end: usize) -> Option<Link<'t>> {
        let link = Link::to(shown, start..end, Syntax::Bare, self.tables > 0);
        if link.target.is_ok() {
            return Some(link);
        }
        self.dead = end;
        if link.opens() {
            self.sink.refused(link);
        }
        None
    }

    /// A code block, or the table widget that it is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    fn code_block(&mut self, kind: &CodeBlockKind<'t>, tag: &Tag<'t>, range: Range<usize>) {
        let is_widget = matches!(kind, CodeBlockKind::Fenced(info) if widget::is_named(info));
        let mut body = Body::default();
        if !is_widget {
            self.sink.start(tag, &range);
        }
        for (event, range) in self.events.by_ref() {
            match event {
                Event::Text(line) if is_widget => body.push(&line, range.start),
                Event::Text(line) => self.sink.code(&line, true),
                _ => break,
            }
        }
        if !is_widget {
            self.sink.end(TagEnd::CodeBlock);
            return;
        }
        match widget::read(&body) {
            Ok(widget) => self.sink.widget(widget, &range),
            Err(problem) => {
                self.sink.start(tag, &range);
                self.sink.code(body.text(), true);
                self.sink.end(TagEnd::CodeBlock);
                let (line, column) = self.lines.place(problem.at.unwrap_or(range.start));
                self.sink.broken(format!("line {line}, column {column}: the table widget: {}", problem.what));
            }
        }
    }
}

/// Reads an address on over what follows it; whether it ends there.
fn read_on(extent: &mut Extent, shown: &mut Cow<'_, str>, piece: &str) -> bool {
    let end = extent.read(piece);
    shown.to_mut().push_str(piece.get(..end.unwrap_or(piece.len())).unwrap_or_default());
    end.is_some()
}

/// How many signs begin and end an emphasis.
fn delimiter(text: &str, tag: &TagEnd, range: &Range<usize>) -> usize {
    let doubled = text.as_bytes().get(range.start + 1) == Some(&b'~');
    if *tag == TagEnd::Strong || *tag == TagEnd::Strikethrough && doubled { 2 } else { 1 }
}

/// A link whose text is what a reader sees: nothing where there is nothing to see.
fn with_clean_text(mut link: Link<'_>) -> Link<'_> {
    if link.text.chars().all(crate::target::is_unseen) {
        link.text = Cow::Borrowed("");
    }
    link
}
