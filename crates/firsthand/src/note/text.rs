//! Reading one text of a known writer: its words, and each address in it.

use std::ops::Range;

use super::Reader;
use crate::address::Address;
use crate::calls::{Fields, Shape, strictness};
use crate::conversation::{Content, Ran, Text, ToolResult};
use crate::find::{self, Format};
use crate::json::{self, Path, Step};
use crate::ledger::Voice;
use crate::policy::Field;
use crate::writer::{Origin, Row, Writer, writer_of};

/// How a text of the world or a person is read.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub(super) voice: Voice,
    pub(super) format: Format,
    /// The links of the text are resolved against this address.
    pub(super) base: Option<&'c Address>,
    pub(super) may_echo: bool,
    /// The page's site or the tool that wrote the text, by its number among the tools.
    pub(super) author: Option<u32>,
    /// What a search was asked for.
    pub(super) query: Option<&'c Text>,
    /// The profile counts the text by its position although it may be somebody else's.
    pub(super) hole: bool,
    /// The wide keys of what the tool was asked for and may not open: no result of its extends them.
    pub(super) refused: &'c [Box<str>],
    /// These ranges are somebody else's.
    pub(super) except: &'c [Range<usize>],
}

impl Context<'_> {
    pub(super) fn plain() -> Self {
        Self {
            voice: Voice::Person,
            format: Format::Auto,
            base: None,
            may_echo: true,
            author: None,
            query: None,
            hole: false,
            refused: &[],
            except: &[],
        }
    }
}

impl Reader<'_, '_> {
    /// A result: its own fields by their writers, the rest by the tool's.
    pub(super) fn content(
        &mut self,
        writer: Writer,
        result: &ToolResult,
        fields: &[(Path, Field)],
        is_search: bool,
        context: &Context<'_>,
    ) {
        let fields = Fields::new(fields, is_search, writer, result, self.policy);
        let content = &result.content;
        let text = content.text();
        match fields.shape(content) {
            Shape::Leaves => {}
            Shape::Whole => {
                let format = match content {
                    Content::Json(_) => Format::Json,
                    Content::Text(_) => context.format,
                };
                self.text(writer, text, &Context { format, ..*context });
                return;
            }
            Shape::Mixed => {
                let nobodys = if strictness(writer) < strictness(Writer::Ignored) { Writer::Ignored } else { writer };
                self.text(nobodys, text, context);
                return;
            }
        }
        let index_writer = self.index_writer();
        let of_leaf = |path: &[Step<'_>], leaf: &str| match fields.at(path, leaf) {
            Some(Field::Of(writer)) => (writer, false),
            Some(Field::Index) => (index_writer, true),
            None => (writer, false),
        };
        let mut writers = Vec::new();
        json::walk(text, &mut |path, leaf| {
            let of = of_leaf(path, &leaf.text);
            let context = Context { may_echo: context.may_echo && !of.1, ..*context };
            self.note_words(of.0, &context, &Text::from(&*leaf.text), false, false);
            if of.0 == Writer::Model {
                self.mark(|each| find::written(&leaf.text, each));
            }
            writers.push((leaf.raw.end, of));
        });
        let mut writers = writers.into_iter().peekable();
        find::shown_in_json(text, find::Voice::World, &mut |_, found| {
            // The leaf in which the address stands; what follows the last one is the tool's.
            while writers.next_if(|(end, _)| *end < found.end).is_some() {}
            let (writer, index) = writers.peek().map_or((writer, false), |(_, of)| *of);
            self.one(writer, &found, context, index);
        });
    }

    /// Whose words a search index's own fields are.
    fn index_writer(&self) -> Writer {
        writer_of(Origin::Result { row: Row::Search, ran: Ran::Client, is_error: false }, self.policy)
    }

    pub(super) fn text(&mut self, writer: Writer, text: &Text, context: &Context<'_>) {
        let is_json = context.format == Format::Json;
        if context.except.is_empty() {
            self.note_words(writer, context, text, is_json, false);
        }
        // The words of a text of several writers are noted apart.
        for piece in complement(context.except, text.len()).into_iter().filter(|_| !context.except.is_empty()) {
            self.note_words(writer, context, &Text::from(text.get(piece).unwrap_or_default()), false, true);
        }
        if writer == Writer::Model {
            self.mark(|each| find::written(text, each));
            return;
        }
        let voice = if writer == Writer::Person { find::Voice::Person } else { find::Voice::World };
        find::shown(text, context.format, voice, &mut |found| {
            let touches = |range: &Range<usize>| found.start < range.end && range.start < found.end;
            if !context.except.iter().any(touches) {
                self.one(writer, &found, context, false);
            }
        });
    }

    fn note_words(&mut self, writer: Writer, context: &Context<'_>, text: &Text, is_json: bool, is_piece: bool) {
        let voice = match writer {
            Writer::Person => {
                self.give(text);
                Voice::Person
            }
            Writer::World => context.voice,
            Writer::Model => Voice::Model,
            Writer::Ignored => return,
        };
        self.ledger.words.note(self.clock, voice, text, is_json);
        self.ledger.words.vouch(writer == Writer::Person || !context.may_echo, is_piece);
    }

    /// A text of a person or an operator: the values in it may leave.
    pub(super) fn give(&mut self, text: &Text) {
        let item = self.item;
        if let Some(run) = self.ledger.run_mut(self.run) {
            run.given.note(item, text);
        }
    }

    pub(super) fn sight_json(&mut self, text: &Text) {
        find::shown_in_json(text, find::Voice::World, &mut |_: &[Step<'_>], found| {
            self.one(Writer::Ignored, &found, &Context::plain(), false);
        });
    }
}

pub(super) fn complement(spans: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let mut sorted: Vec<&Range<usize>> = spans.iter().collect();
    sorted.sort_by_key(|span| span.start);
    let mut rest = Vec::new();
    let mut at = 0;
    for span in sorted {
        if span.start > at {
            rest.push(at..span.start);
        }
        at = at.max(span.end);
    }
    if at < length {
        rest.push(at..length);
    }
    rest
}
