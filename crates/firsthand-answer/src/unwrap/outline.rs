//! What Markdown makes of a text, block by block, so that two readings can be compared.

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use super::edit::{self, NOTHING_SEEN, Piece};
use crate::record::Reason;
use crate::target::Target;
use crate::walk;

/// A link that must not stay.
#[derive(Debug)]
pub(super) struct Doomed {
    /// The whole link.
    pub(super) range: Range<usize>,
    /// What stands between its brackets.
    pub(super) inner: Range<usize>,
    /// Its text as a reader sees it.
    pub(super) text: String,
    /// The same without what is an address.
    pub(super) told: String,
    pub(super) reason: Reason,
    /// The block that it stands in.
    pub(super) block: usize,
}

/// A link of the text that stays, or one inside an image.
#[derive(Debug)]
struct Kept {
    range: Range<usize>,
    inner: Range<usize>,
    is_inline: bool,
}

/// What a text is made of.
#[derive(Debug)]
pub(super) struct Outline<'t> {
    /// The blocks that stand in no other.
    pub(super) blocks: Vec<Range<usize>>,
    /// In order.
    pub(super) doomed: Vec<Doomed>,
    kept: Vec<Kept>,
    tokens: Vec<Token<'t>>,
    /// Where each token begins in the text.
    starts: Vec<usize>,
}

#[derive(Debug)]
enum Token<'t> {
    /// A block that stands in no other ends.
    BlockEnd,
    /// A beginning, an end, or what is neither and no text.
    Event(Event<'t>),
    Text(CowStr<'t>),
    DoomedStart(usize),
    DoomedEnd(usize),
    KeptStart(usize),
    KeptEnd(usize),
}

/// Marks what is no text; no text holds this byte.
const SIGN: u8 = 0xff;

const LINK: &str = "link";
const LINK_END: &str = "/link";

/// How a link that goes is expected to be read afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// As the link that it is.
    Whole,
    /// As what stood between its brackets.
    Inner,
    /// As text without any signs, but for the addresses in it.
    Escaped,
    /// As nothing but text.
    Plain,
}

struct Open<'t> {
    index: usize,
    is_doomed: bool,
    inner_end: usize,
    text: String,
    told: String,
    destination: CowStr<'t>,
}

impl Open<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.told.push_str(text);
    }
}

impl<'t> Outline<'t> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    pub(super) fn read(text: &'t str) -> Self {
        let mut outline =
            Self { blocks: Vec::new(), doomed: Vec::new(), kept: Vec::new(), tokens: Vec::new(), starts: Vec::new() };
        let mut depth = 0_usize;
        let mut images = 0_usize;
        let mut in_code_block = false;
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut doomed_open = 0_usize;
        for (event, range) in walk::events(text) {
            let is_inside = !matches!(event, Event::End(TagEnd::Link));
            if let Some(link) = open.last_mut().filter(|_| is_inside) {
                link.inner_end = link.inner_end.max(range.end);
            }
            let at = range.start;
            let starts = matches!(event, Event::Start(_));
            if depth == 0 && (starts || matches!(event, Event::Rule)) {
                outline.blocks.push(range.clone());
            }
            match event {
                Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                    // What stands in a doomed link is looked at in the next round.
                    let waits = images > 0 || doomed_open > 0;
                    let link = outline.link(text, link_type, dest_url, range, waits);
                    doomed_open += usize::from(link.is_doomed);
                    open.push(link);
                }
                Event::End(TagEnd::Link) => {
                    if let Some(mut link) = open.pop() {
                        if link.told.trim() == link.destination.as_ref() {
                            link.told.clear();
                        }
                        doomed_open -= usize::from(link.is_doomed);
                        if let Some(around) = open.last_mut() {
                            around.text.push_str(&link.text);
                            around.told.push_str(&link.told);
                        }
                        outline.close(text, link);
                    }
                }
                Event::Text(piece) => {
                    if let Some(link) = open.last_mut() {
                        link.push(&piece);
                    }
                    if !in_code_block {
                        outline.tokens.push(Token::Text(piece));
                    }
                }
                other => {
                    match &other {
                        Event::Start(Tag::Image { .. }) => images += 1,
                        Event::End(TagEnd::Image) => images = images.saturating_sub(1),
                        Event::Start(Tag::CodeBlock(_)) => in_code_block = true,
                        Event::End(TagEnd::CodeBlock) => in_code_block = false,
                        Event::Code(piece) | Event::InlineHtml(piece) => {
                            if let Some(link) = open.last_mut() {
                                link.push(piece);
                            }
                        }
                        Event::SoftBreak | Event::HardBreak => {
                            if let Some(link) = open.last_mut() {
                                link.push(" ");
                            }
                        }
                        _ => {}
                    }
                    let (starts, ends) = (matches!(other, Event::Start(_)), matches!(other, Event::End(_)));
                    let is_alone = matches!(other, Event::Rule);
                    outline.tokens.push(Token::Event(other));
                    depth = if starts { depth + 1 } else { depth.saturating_sub(usize::from(ends)) };
                    if depth == 0 && (ends || is_alone) {
                        outline.tokens.push(Token::BlockEnd);
                    }
                }
            }
            outline.starts.resize(outline.tokens.len(), at);
        }
        outline
    }

    fn link<'d>(
        &mut self,
        text: &str,
        kind: LinkType,
        destination: CowStr<'d>,
        range: Range<usize>,
        waits: bool,
    ) -> Open<'d> {
        let inner_start = range.start + 1;
        let inner = inner_start..inner_start;
        let is_mail = kind == LinkType::Email;
        let reason = if is_mail { Some(Reason::Scheme) } else { Target::read(destination.as_ref()).err() };
        let is_doomed = reason.is_some() && !waits;
        let index = if is_doomed {
            let is_collapsed = matches!(kind, LinkType::Collapsed | LinkType::CollapsedUnknown);
            let brackets = text.get(range.end..).filter(|rest| is_collapsed && rest.starts_with("[]"));
            let range = range.start..range.end + brackets.map_or(0, |_| 2);
            let reason = reason.unwrap_or(Reason::Invalid);
            let block = self.blocks.len().saturating_sub(1);
            self.doomed.push(Doomed { range, inner, text: String::new(), told: String::new(), reason, block });
            self.tokens.push(Token::DoomedStart(self.doomed.len() - 1));
            self.doomed.len() - 1
        } else {
            self.kept.push(Kept { range, inner, is_inline: matches!(kind, LinkType::Inline) });
            self.tokens.push(Token::KeptStart(self.kept.len() - 1));
            self.kept.len() - 1
        };
        Open { index, is_doomed, inner_end: inner_start, text: String::new(), told: String::new(), destination }
    }

    fn close(&mut self, text: &str, link: Open<'_>) {
        let Open { index, is_doomed, inner_end, text: shown, told, .. } = link;
        if is_doomed {
            self.tokens.push(Token::DoomedEnd(index));
            if let Some(doomed) = self.doomed.get_mut(index) {
                doomed.inner.end = closing_bracket(text, doomed.inner.start, inner_end, doomed.range.end);
                doomed.text = shown;
                doomed.told = told;
            }
        } else {
            self.tokens.push(Token::KeptEnd(index));
            if let Some(kept) = self.kept.get_mut(index) {
                kept.inner.end = inner_end.max(kept.inner.start);
            }
        }
    }

    /// The blocks as they are to be read once the doomed links are gone, text included.
    pub(super) fn without_doomed(&self, left: impl Fn(usize) -> Left) -> Vec<Vec<u8>> {
        self.without(left, Form::new(true), &[])
    }

    /// The structure of those blocks, but for what stands in the ranges, which are in order and apart.
    pub(super) fn structure_without(&self, left: impl Fn(usize) -> Left, gone: &[Range<usize>]) -> Vec<Vec<u8>> {
        self.without(left, Form::new(false), gone)
    }

    fn without(&self, left: impl Fn(usize) -> Left, mut form: Form, gone: &[Range<usize>]) -> Vec<Vec<u8>> {
        let mut flat: Option<usize> = None;
        for (token, &start) in self.tokens.iter().zip(&self.starts) {
            let next = gone.partition_point(|range| range.end <= start);
            let is_gone = gone.get(next).is_some_and(|range| range.start <= start);
            match token {
                Token::BlockEnd => form.token(token),
                _ if is_gone => {}
                Token::DoomedStart(index) | Token::DoomedEnd(index) if left(*index) == Left::Whole => {
                    if flat.is_none() {
                        form.token(token);
                    }
                }
                Token::DoomedStart(index) => {
                    let text = self.doomed.get(*index).map_or("", |doomed| doomed.text.as_str());
                    match left(*index) {
                        Left::Escaped if flat.is_none() => form.escaped(text),
                        Left::Plain if flat.is_none() => form.text(text),
                        Left::Whole | Left::Inner | Left::Escaped | Left::Plain => continue,
                    }
                    flat = Some(*index);
                }
                Token::DoomedEnd(index) => flat = flat.filter(|flat| flat != index),
                Token::Event(_) | Token::Text(_) | Token::KeptStart(_) | Token::KeptEnd(_) => {
                    if flat.is_none() {
                        form.token(token);
                    }
                }
            }
        }
        form.blocks
    }

    /// The blocks as they are read.
    pub(super) fn as_read(&self) -> Vec<Vec<u8>> {
        let mut form = Form::new(true);
        self.tokens.iter().for_each(|token| form.token(token));
        form.blocks
    }

    /// Whether a link has come up around edits, all of which stand between its brackets.
    fn is_outer(edits: &[Range<usize>], range: &Range<usize>, inner: &Range<usize>) -> bool {
        let first = edits.partition_point(|edit| edit.end <= range.start);
        let mut touched = edits.get(first..).unwrap_or_default().iter().take_while(|edit| edit.start < range.end);
        let is_inside = |edit: &Range<usize>| inner.start <= edit.start && edit.end <= inner.end;
        touched.next().is_some_and(is_inside) && touched.all(is_inside)
    }

    /// What stands behind the text of each link that has come up around an edit: it is an address and a title now,
    /// whatever it was before.
    pub(super) fn behind_outer(&self, edits: &[Range<usize>]) -> Vec<Range<usize>> {
        let kept = self.kept.iter().filter(|kept| kept.is_inline).map(|kept| (&kept.range, &kept.inner));
        let links = kept.chain(self.doomed.iter().map(|doomed| (&doomed.range, &doomed.inner)));
        let outer = links.filter(|(range, inner)| Self::is_outer(edits, range, inner));
        let mut behind: Vec<_> = outer.map(|(range, inner)| inner.end..range.end).collect();
        behind.sort_unstable_by_key(|range| range.start);
        behind
    }

    /// The structure of the blocks in which a link has come up around an edit, without that link.
    ///
    /// Its brackets and its address stood there before, and were no link because a link stood in them.
    pub(super) fn structure_without_outer(&self, edits: &[Range<usize>]) -> Vec<Option<Vec<u8>>> {
        let mut form = Form::new(false);
        let mut any = false;
        let mut blocks = Vec::new();
        for token in &self.tokens {
            let drop = match token {
                Token::KeptStart(index) | Token::KeptEnd(index) => self
                    .kept
                    .get(*index)
                    .is_some_and(|kept| kept.is_inline && Self::is_outer(edits, &kept.range, &kept.inner)),
                Token::DoomedStart(index) | Token::DoomedEnd(index) => {
                    self.doomed.get(*index).is_some_and(|doomed| Self::is_outer(edits, &doomed.range, &doomed.inner))
                }
                Token::BlockEnd | Token::Event(_) | Token::Text(_) => false,
            };
            any |= drop;
            if !drop {
                form.token(token);
            }
            if matches!(token, Token::BlockEnd) {
                blocks.push(form.blocks.pop().filter(|_| std::mem::take(&mut any)));
            }
        }
        blocks
    }
}

/// Where the bracket stands that closes a link's text, behind the last thing in it.
fn closing_bracket(text: &str, start: usize, inner_end: usize, link_end: usize) -> usize {
    let from = inner_end.max(start);
    let is_auto = text.as_bytes().get(start - 1) == Some(&b'<');
    let sign = if is_auto { b'>' } else { b']' };
    let rest = text.as_bytes().get(from..link_end).unwrap_or_default();
    memchr::memchr(sign, rest).map_or(from, |at| from + at)
}

/// Blocks as bytes that can be compared.
struct Form {
    blocks: Vec<Vec<u8>>,
    block: Vec<u8>,
    with_text: bool,
}

impl Form {
    fn new(with_text: bool) -> Self {
        Self { blocks: Vec::new(), block: Vec::new(), with_text }
    }

    fn text(&mut self, text: &str) {
        if !self.with_text {
            return;
        }
        // White space at an edge of a paragraph or line is not shown, so an empty link may leave it there, and so is what
        // stands in its place.
        for byte in text.split(NOTHING_SEEN).flat_map(str::bytes) {
            match (byte.is_ascii_whitespace(), self.block.last()) {
                (true, None | Some(b' ' | &SIGN)) => {}
                (true, Some(_)) => self.block.push(b' '),
                (false, _) => self.block.push(byte),
            }
        }
    }

    fn escaped(&mut self, text: &str) {
        for piece in edit::pieces(text) {
            match piece {
                Piece::Text(text) => self.text(text),
                Piece::Address(address) => {
                    self.sign(LINK);
                    self.text(address);
                    self.sign(LINK_END);
                }
            }
        }
    }

    fn trim(&mut self) {
        if self.block.last() == Some(&b' ') {
            self.block.pop();
        }
    }

    fn sign(&mut self, name: &str) {
        self.trim();
        self.block.push(SIGN);
        self.block.extend_from_slice(name.as_bytes());
        self.block.push(SIGN);
    }

    fn token(&mut self, token: &Token<'_>) {
        match token {
            Token::BlockEnd => {
                self.trim();
                self.blocks.push(std::mem::take(&mut self.block));
            }
            Token::Text(text) => self.text(text),
            Token::Event(Event::SoftBreak) => self.text(" "),
            // A mark that a link behind it kept from being one is what its author wrote.
            Token::Event(Event::FootnoteReference(name)) => self.text(&format!("[^{name}]")),
            Token::Event(event) => {
                let mut name = String::new();
                // Writing to a string does not fail.
                _ = write!(name, "{event:?}");
                self.sign(&name);
            }
            Token::DoomedStart(_) | Token::KeptStart(_) => self.sign(LINK),
            Token::DoomedEnd(_) | Token::KeptEnd(_) => self.sign(LINK_END),
        }
    }
}
