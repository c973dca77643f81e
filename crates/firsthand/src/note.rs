//! Reading a conversation into the ledger, item by item.
//!
//! Each text gets its writer ([`writer_of`]); each address in it then becomes a source, a mark or nothing. The order in
//! which the tests of [`Reader::outside`] stand is the rule of the world's side.

use std::ops::Range;
use std::sync::Arc;

use crate::address::{Address, Form};
use crate::calls::{self, Noted, result_writer, strictness};
use crate::check::{Circumstances, Decision, check};
use crate::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Scope, Seat, Speaker, Text, ToolResult};
use crate::find::{self, Format, Found};
use crate::json::{self, Path, Step};
use crate::ledger::{
    Entry, Fingerprint, Grant, Ledger, Mark, Reading, RunId, Source, Voice, fingerprint, first_half, is_root,
};
use crate::policy::{Field, Kind, Policy, Reach};
use crate::verdict::Verdict;
use crate::writer::{Origin, Writer, writer_of};

/// What an address in an item did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// It is a source.
    Source,
    /// Its key is marked.
    Mark,
    /// The world wrote it, but it may only repeat what the model wrote.
    Closed,
    /// Nothing.
    None,
}

impl Effect {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Mark => "mark",
            Self::Closed => "closed",
            Self::None => "none",
        }
    }
}

/// An address in an item, as it is told to whoever listens.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Whose words it stands in.
    pub writer: Writer,
    /// Its wide key. Reveals it.
    pub key: &'a str,
    /// Its spelling, where it stands literally. Reveals it.
    pub spelling: Option<&'a str>,
    /// What it did.
    pub effect: Effect,
}

/// What noting an item came to.
#[derive(Debug)]
pub struct NotedItem {
    /// The number of the item in its run, from 0.
    pub item: usize,
    /// Whose words it is; the person's where a message holds relayed spans too.
    pub writer: Writer,
    /// For a call that opens: what was decided of it, before it was noted.
    pub decision: Option<Decision>,
}

/// Notes an item at the end of a run. A call is judged first, then noted.
pub fn note(ledger: &mut Ledger, run: RunId, item: &Item, policy: &Policy, now: &Circumstances) -> NotedItem {
    note_and_tell(ledger, run, item, policy, now, false, &mut |_| {})
}

/// The same for an item of earlier turns that the caller brings.
pub fn note_earlier(ledger: &mut Ledger, run: RunId, item: &Item, policy: &Policy, now: &Circumstances) -> NotedItem {
    note_and_tell(ledger, run, item, policy, now, true, &mut |_| {})
}

/// The same, and tells of each address.
pub fn note_and_tell(
    ledger: &mut Ledger,
    run: RunId,
    item: &Item,
    policy: &Policy,
    now: &Circumstances,
    earlier: bool,
    tell: &mut dyn FnMut(Seen<'_>),
) -> NotedItem {
    if policy.echo == Reach::Substrings {
        ledger.words.keep_runs();
    }
    let decision = match &item.body {
        Body::Call(call) => check(ledger, run, call, policy, now),
        Body::User { .. }
        | Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Result(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    };
    let clock = ledger.tick();
    let number = enter(ledger, run, item, clock, earlier);
    let mut reader = Reader { ledger, run, item: number, clock, policy, tell };
    let writer = match &item.body {
        Body::User { text, relayed } => reader.user(text, relayed),
        Body::Said { by, text } => reader.said(*by, text),
        Body::Attachment { text, from_agent_path, .. } => {
            let writer = writer_of(Origin::Attachment { from_agent_path: *from_agent_path }, policy);
            reader.text(writer, text, &Context { voice: Voice::Private, may_echo: false, ..Context::plain() });
            writer
        }
        Body::Call(call) => reader.call(call, decision.as_ref()),
        Body::Result(result) => reader.result(result),
        Body::Answer { call, text } => reader.answer(call, text),
        Body::Grant { address, scope } => reader.grant(address, *scope),
        Body::Rewind { to } => reader.rewind(*to),
        Body::Hidden { calls, .. } => {
            if let Some(run) = reader.ledger.run_mut(run) {
                run.hidden |= calls;
            }
            Writer::Ignored
        }
    };
    NotedItem { item: usize::try_from(number).unwrap_or(usize::MAX), writer, decision }
}

/// Takes the number of a new item.
fn enter(ledger: &mut Ledger, run: RunId, item: &Item, clock: u32, earlier: bool) -> u32 {
    let tool = match &item.body {
        Body::Call(call) => Some(ledger.tool_number(&call.tool)),
        Body::Result(result) => match &result.from {
            Producer::Call(id) => ledger.run(run).and_then(|run| run.calls.get(id)).map(|call| call.tool),
            Producer::Named { tool, .. } => Some(ledger.tool_number(tool)),
        },
        Body::Answer { call, .. } => ledger.run(run).and_then(|run| run.calls.get(call)).map(|call| call.tool),
        Body::User { .. }
        | Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    };
    let position = item.body.position();
    let digest = digest(item);
    let Some(run) = ledger.run_mut(run) else { return u32::MAX };
    let number = u32::try_from(run.items.len()).unwrap_or(u32::MAX);
    let turn = item.turn.unwrap_or_else(|| run.items.last().map_or(0, |last| last.turn));
    // Calls without a result between them are one batch.
    let is_call = matches!(item.body, Body::Call(_));
    let batch = run.items.last().map_or(0, |last| {
        let was_call = last.position == crate::conversation::Position::ToolCall;
        last.batch.saturating_add(u32::from(is_call && !was_call))
    });
    run.items.push(Entry { clock, position, tool, turn, batch, earlier, digest });
    if position != crate::conversation::Position::Rewind {
        run.live.push(number);
    }
    number
}

/// How a text of the world or a person is read.
#[derive(Clone, Copy)]
struct Context<'c> {
    voice: Voice,
    format: Format,
    /// The links of the text are resolved against this address.
    base: Option<&'c Address>,
    may_echo: bool,
    /// The page's site or the tool that wrote the text, by its number among the tools.
    author: Option<u32>,
    /// What a search was asked for.
    query: Option<&'c Text>,
    /// The profile counts the text by its position although it may be somebody else's.
    hole: bool,
    /// These ranges are somebody else's.
    except: &'c [Range<usize>],
}

impl Context<'_> {
    fn plain() -> Self {
        Self {
            voice: Voice::Person,
            format: Format::Auto,
            base: None,
            may_echo: true,
            author: None,
            query: None,
            hole: false,
            except: &[],
        }
    }
}

struct Reader<'l, 't> {
    ledger: &'l mut Ledger,
    run: RunId,
    item: u32,
    clock: u32,
    policy: &'l Policy,
    tell: &'t mut dyn FnMut(Seen<'_>),
}

impl Reader<'_, '_> {
    fn seat(&self) -> Seat {
        self.ledger.run(self.run).map_or(Seat::ParentModel, |run| run.seat)
    }

    fn user(&mut self, text: &Text, relayed: &Relayed) -> Writer {
        let own = writer_of(Origin::User(self.seat()), self.policy);
        let passed_on = writer_of(Origin::Relay(self.seat()), self.policy);
        let hole = passed_on == Writer::Person;
        let passed = |except| Context { voice: Voice::Private, hole, except, ..Context::plain() };
        match relayed {
            Relayed::No => {
                self.text(own, text, &Context::plain());
                own
            }
            Relayed::Whole => {
                self.text(passed_on, text, &passed(&[]));
                passed_on
            }
            Relayed::Spans(spans) => {
                // What touches a relayed span is not the person's.
                self.text(own, text, &Context { except: spans, ..Context::plain() });
                let rest = complement(spans, text.len());
                self.text(passed_on, text, &passed(&rest));
                own
            }
        }
    }

    fn said(&mut self, by: Speaker, text: &Text) -> Writer {
        let writer = writer_of(Origin::Said(by), self.policy);
        match by {
            Speaker::System => self.ledger.note_operator(text),
            // What compaction left out may have held calls, unless the ledger has seen calls or earlier turns before it.
            Speaker::Summary => {
                if let Some(run) = self.ledger.run_mut(self.run) {
                    run.hidden |= run.calls.is_empty() && !run.items.iter().any(|item| item.earlier);
                }
            }
            Speaker::Assistant | Speaker::Thinking | Speaker::Task | Speaker::Report => {}
        }
        self.text(writer, text, &Context { voice: Voice::Private, may_echo: false, ..Context::plain() });
        writer
    }

    fn call(&mut self, call: &Call, decision: Option<&Decision>) -> Writer {
        let policy = self.policy;
        let dialect = self.ledger.run(self.run).map_or_else(|| "".into(), |run| Arc::clone(&run.dialect));
        let inner = calls::really_run(call, &dialect, policy);
        let noted = self.remember(call, &inner, decision);
        if let Some(Decision { verdict: Verdict::Open(permit), .. }) = decision {
            self.opened(permit.addresses());
        }
        if let Some(run) = self.ledger.run_mut(self.run) {
            match run.calls.get_mut(&call.id) {
                // An id that repeats takes the stricter class.
                Some(before) => before.join(noted),
                None => {
                    run.calls.insert(call.id.clone(), noted);
                }
            }
        }
        let writer = writer_of(Origin::Arguments, policy);
        match writer {
            Writer::Model => {
                self.ledger.words.note(self.clock, Voice::Arguments, &call.arguments, true);
                self.mark(|each| find::written_in_json(&call.arguments, each));
            }
            Writer::Person | Writer::World | Writer::Ignored => {
                // Arguments are never the world's words, whatever a policy says of other positions.
                self.sight_json(&call.arguments);
            }
        }
        writer
    }

    /// What is kept of a call for its result.
    fn remember(&mut self, call: &Call, inner: &[calls::Inner<'_>], decision: Option<&Decision>) -> Noted {
        let writer = result_writer(inner, call.ran, call.custom, false, self.policy);
        let error_writer = result_writer(inner, call.ran, call.custom, true, self.policy);
        let kinds: Vec<Kind> = inner.iter().map(|tool| tool.kind).collect();
        let all = |kind| !kinds.is_empty() && kinds.iter().all(|other| *other == kind);
        let permit = match decision.map(|decision| &decision.verdict) {
            Some(Verdict::Open(permit)) => Some(permit),
            Some(Verdict::Ask(_) | Verdict::Refuse(_)) | None => None,
        };
        let rule = match inner {
            [only] => only.rule,
            _ => None,
        };
        // A raw page that a guarded GET without payload brought holds nothing that the call could have put there.
        let guarded_page = all(Kind::Page) && permit.is_some();
        let base = match permit.map(crate::verdict::Permit::addresses) {
            Some([only]) if all(Kind::Page) => Some(only.clone()),
            Some(_) | None => None,
        };
        let server = inner.iter().any(|tool| tool.server.is_some());
        Noted {
            writer,
            error_writer,
            public: !server && (all(Kind::Page) || all(Kind::Search)),
            fields: rule.map_or_else(Vec::new, |rule| rule.fields.clone()),
            may_echo: rule.and_then(|rule| rule.may_echo).unwrap_or(!guarded_page),
            base,
            question: (all(Kind::Question) && !server).then(|| Text::clone(&call.arguments)),
            query: all(Kind::Search).then(|| Text::clone(&call.arguments)),
            tool: self.ledger.tool_number(&call.tool),
        }
    }

    fn opened(&mut self, addresses: &[Address]) {
        let Some(run) = self.ledger.run_mut(self.run) else { return };
        for address in addresses {
            run.opened.push(address.reveal().into());
            let spend = |grant: &&mut Grant| {
                grant.scope == Scope::Once && !grant.used && grant.address.identity() == address.identity()
            };
            let is_source = run.sources.of(address).is_some();
            if !is_source && let Some(grant) = run.grants.iter_mut().find(spend) {
                grant.used = true;
            }
        }
    }

    fn result(&mut self, result: &ToolResult) -> Writer {
        let named;
        let known = match &result.from {
            Producer::Call(id) => self.ledger.run(self.run).and_then(|run| run.calls.get(id)).cloned(),
            Producer::Named { server, tool, ran } => {
                named = Call {
                    id: String::new(),
                    server: server.clone(),
                    tool: tool.clone(),
                    arguments: "{}".into(),
                    ran: *ran,
                    custom: false,
                };
                let dialect = self.ledger.run(self.run).map_or_else(|| "".into(), |run| run.dialect.clone());
                let inner = calls::really_run(&named, &dialect, self.policy);
                Some(self.remember(&named, &inner, None))
            }
        };
        let Some(noted) = known else {
            // A result without its call: nobody knows whose words it is.
            let origin =
                Origin::Result { row: crate::writer::Row::Orphan, ran: Ran::Client, is_error: result.is_error };
            let writer = writer_of(origin, self.policy);
            self.content(writer, &result.content, &[], &Context::plain());
            return writer;
        };
        let writer = if result.is_error { noted.error_writer } else { noted.writer };
        let author = match &noted.base {
            Some(base) => self.ledger.tool_number(&format!("@{}", base.site())),
            None => noted.tool,
        };
        let format = match result.mime.as_deref() {
            Some(mime) if mime.contains("html") => Format::Html,
            Some(mime) if mime.contains("json") => Format::Json,
            Some(_) | None => Format::Auto,
        };
        let context = Context {
            voice: if noted.public { Voice::Public } else { Voice::Private },
            format,
            base: noted.base.as_ref(),
            may_echo: noted.may_echo,
            author: Some(author),
            query: noted.query.as_ref(),
            hole: false,
            except: &[],
        };
        let fields: &[(Path, Field)] = if result.is_error { &[] } else { &noted.fields };
        self.content(writer, &result.content, fields, &context);
        writer
    }

    fn answer(&mut self, call: &str, text: &Text) -> Writer {
        let question =
            self.ledger.run(self.run).and_then(|run| run.calls.get(call)).and_then(|call| call.question.clone());
        // Only a question tool of the host can be answered by a person.
        let Some(question) = question else {
            self.text(Writer::Ignored, text, &Context::plain());
            return Writer::Ignored;
        };
        let writer = writer_of(Origin::Answer(self.seat()), self.policy);
        let mut offered = Vec::new();
        find::written_in_json(&question, &mut |written| offered.push(written.key));
        let stands_in_question = |key: &str| offered.iter().any(|other| overlap(other, key));
        let mut repeated = Vec::new();
        find::shown(text, Format::Auto, find::Voice::Person, &mut |found| {
            if let Some(address) = Address::written(&found.spelling, found.form)
                && stands_in_question(&address.wide())
            {
                repeated.push(found.start..found.end);
            }
        });
        self.text(writer, text, &Context { except: &repeated, ..Context::plain() });
        writer
    }

    fn grant(&mut self, address: &str, scope: Scope) -> Writer {
        let written = Address::written(address, Form::Absolute).filter(|address| !address.is_odd());
        let (item, run) = (self.item, self.run);
        if let (Some(address), Some(run)) = (written, self.ledger.run_mut(run)) {
            run.grants.push(Grant { address, scope, item, used: false });
        }
        Writer::Person
    }

    fn rewind(&mut self, to: usize) -> Writer {
        let to = u32::try_from(to).unwrap_or(u32::MAX);
        if let Some(run) = self.ledger.run_mut(self.run) {
            while run.live.pop_if(|item| *item >= to).is_some() {}
            run.sources.rewind(to);
            run.grants.retain(|grant| grant.item < to);
        }
        Writer::Ignored
    }

    /// A result: its own fields by their writers, the rest by the tool's.
    fn content(&mut self, writer: Writer, content: &Content, fields: &[(Path, Field)], context: &Context<'_>) {
        let text = content.text();
        let is_json = match content {
            Content::Json(_) => true,
            // A result that shows itself as JSON is read as that, or its fields could not be told apart.
            Content::Text(text) => !fields.is_empty() && json::looks_like_json(text),
        };
        if !is_json {
            self.text(writer, text, context);
            return;
        }
        if fields.is_empty() {
            self.text(writer, text, &Context { format: Format::Json, ..*context });
            return;
        }
        let index_writer = self.index_writer();
        let of_leaf = |path: &[Step<'_>]| match fields.iter().find(|(pattern, _)| pattern.covers(path)) {
            Some((_, Field::Of(writer))) => (*writer, false),
            Some((_, Field::Index)) => (index_writer, true),
            None => (writer, false),
        };
        json::walk(text, &mut |path, leaf| {
            let writer = of_leaf(path).0;
            self.note_words(writer, context.voice, &Text::from(&*leaf.text), false);
            if writer == Writer::Model {
                self.mark(|each| find::written(&leaf.text, each));
            }
        });
        find::shown_in_json(text, find::Voice::World, &mut |path, found| {
            let (writer, index) = of_leaf(path);
            self.one(writer, &found, context, index);
        });
    }

    /// Whose words a search index's own fields are.
    fn index_writer(&self) -> Writer {
        writer_of(Origin::Result { row: crate::writer::Row::Search, ran: Ran::Client, is_error: false }, self.policy)
    }

    fn text(&mut self, writer: Writer, text: &Text, context: &Context<'_>) {
        let is_json = context.format == Format::Json;
        if context.except.is_empty() {
            self.note_words(writer, context.voice, text, is_json);
        }
        // The words of a text of several writers are noted apart.
        for piece in complement(context.except, text.len()).into_iter().filter(|_| !context.except.is_empty()) {
            self.note_words(writer, context.voice, &Text::from(text.get(piece).unwrap_or_default()), false);
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

    fn note_words(&mut self, writer: Writer, voice: Voice, text: &Text, is_json: bool) {
        let voice = match writer {
            Writer::Person => Voice::Person,
            Writer::World => voice,
            Writer::Model => Voice::Model,
            Writer::Ignored => return,
        };
        self.ledger.words.note(self.clock, voice, text, is_json);
    }

    fn sight_json(&mut self, text: &Text) {
        find::shown_in_json(text, find::Voice::World, &mut |_: &[Step<'_>], found| {
            self.one(Writer::Ignored, &found, &Context::plain(), false);
        });
    }

    /// One address of a text that is not the model's.
    fn one(&mut self, writer: Writer, found: &Found<'_>, context: &Context<'_>, index: bool) {
        let reading = match found.form {
            Form::Absolute | Form::Bare => self.ledger.readings.read(&found.spelling, found.form),
            Form::Relative => {
                let joined = context.base.and_then(|base| base.joined(&found.spelling));
                joined.map(|address| Arc::new(Reading::of(address)))
            }
        };
        let Some(reading) = reading else { return };
        let effect = match writer {
            Writer::Person => self.source(&reading, writer, context, false),
            Writer::World => self.outside(&reading, context, index),
            Writer::Model | Writer::Ignored => Effect::None,
        };
        match writer {
            Writer::Person | Writer::World => self.offer(&reading, context.author),
            Writer::Model | Writer::Ignored => {}
        }
        self.sight(reading.fingerprint, writer, effect);
        (self.tell)(Seen { writer, key: &reading.key, spelling: Some(&found.spelling), effect });
    }

    /// What an address in the world's words becomes.
    fn outside(&mut self, reading: &Reading, context: &Context<'_>, index: bool) -> Effect {
        let Reading { address, key, .. } = reading;
        let may_echo = context.may_echo && !index;
        let is_source = self.ledger.run(self.run).is_some_and(|run| run.sources.of(address).is_some());
        if !is_source && self.policy.order_counts && self.is_an_echo(address, key, context, index, may_echo) {
            return Effect::Closed;
        }
        self.source(reading, Writer::World, context, may_echo)
    }

    /// Whether an address in the world's words may only repeat what the model wrote.
    fn is_an_echo(&mut self, address: &Address, key: &str, context: &Context<'_>, index: bool, may_echo: bool) -> bool {
        let root = address.is_root();
        // The root of a site carries no bytes but the host, which an index or another source knows.
        if root && (index || self.has_source_on(address)) {
            return false;
        }
        if index && self.policy.index_fields && !self.stands_in_query(key, context) {
            return false;
        }
        if self.ledger.marks.get(key).is_some() {
            return true;
        }
        if !may_echo {
            return false;
        }
        // A site's bare root is no cut of its pages; a root with further labels may carry something in them.
        let names_a_site = root && address.host().trim_start_matches("www.") == address.site();
        let ledger = &*self.ledger;
        let counts = |mark: &str| !has_source_under(ledger, self.run, mark);
        if !names_a_site && ledger.marks.len() > 0 {
            let mut echo = ledger.marks.near(key, &counts).is_some();
            // An address in this one may be encoded, and its parameters sorted among the outer one's.
            find::written(address.reveal(), &mut |inner| {
                echo |= inner.key != key && ledger.marks.repeated_by(&inner.key, &counts).is_some();
            });
            if echo {
                return true;
            }
        }
        self.has_a_part_of_the_models(address)
    }

    fn stands_in_query(&self, key: &str, context: &Context<'_>) -> bool {
        let mut stands = false;
        if let Some(query) = context.query {
            find::written_in_json(query, &mut |written| stands |= overlap(&written.key, key));
        }
        stands
    }

    fn has_source_on(&self, address: &Address) -> bool {
        self.ledger.chain(self.run).any(|id| self.ledger.run(id).is_some_and(|run| run.sources.on_origin(address)))
    }

    /// Whether a whole label, path segment or query value stood in arguments before anybody else wrote it.
    fn has_a_part_of_the_models(&mut self, address: &Address) -> bool {
        let words = &mut self.ledger.words;
        let any_part = parts(address.reveal()).any(|part| words.is_the_models(part));
        match self.policy.echo {
            Reach::Parts => any_part,
            Reach::Substrings => any_part || words.has_a_run_of_the_models(address.reveal()),
        }
    }

    /// Counts an address that a person or the world writes for the first time.
    fn offer(&mut self, reading: &Reading, author: Option<u32>) {
        let Some(run) = self.ledger.run_mut(self.run) else { return };
        let known = run.sightings.get(&reading.fingerprint).is_some_and(|seen| seen.person.or(seen.world).is_some());
        if !known {
            let more = |count: &mut u32| *count = count.saturating_add(1);
            let site = reading.address.site();
            match run.offers.get_mut(site) {
                Some(count) => more(count),
                None => {
                    run.offers.insert(site.into(), 1);
                }
            }
            if let Some(author) = author {
                more(run.authored.entry(author).or_default());
            }
        }
    }

    fn source(&mut self, reading: &Reading, writer: Writer, context: &Context<'_>, may_be_echo: bool) -> Effect {
        let Reading { address, key, .. } = reading;
        let (item, hole, author) = (self.item, context.hole, context.author);
        let vouched = (!may_be_echo).then_some(item);
        let Some(run) = self.ledger.run_mut(self.run) else { return Effect::None };
        match run.sources.of(address) {
            Some(index) => {
                // Whoever else names it takes the doubt away that it only came from a tool that may echo.
                if let Some(source) = run.sources.get_mut(index) {
                    source.vouched = source.vouched.or(vouched);
                    source.hole &= hole;
                }
            }
            None => {
                let source = Source { address: address.clone(), item, writer, author, vouched, hole };
                run.sources.add(source, key);
            }
        }
        Effect::Source
    }

    /// Keeps the first sighting of each writer.
    fn sight(&mut self, key: Fingerprint, writer: Writer, effect: Effect) {
        let item = self.item;
        let Some(run) = self.ledger.run_mut(self.run) else { return };
        let sightings = run.sightings.entry(key).or_default();
        sightings.closed |= effect == Effect::Closed;
        sightings.of(writer).get_or_insert(item);
    }

    /// Marks what the model wrote, unless it only copies a source in view.
    fn mark(&mut self, read: impl FnOnce(&mut dyn FnMut(find::Written))) {
        // All readings of one occurrence carry the same spelling, one after the other.
        let mut last: Option<(String, Option<u32>)> = None;
        read(&mut |find::Written { key, spelling, beyond }| {
            let copied = spelling.as_deref().and_then(|spelling| match &last {
                Some((same, copied)) if same == spelling => *copied,
                Some(_) | None => {
                    let copied = self.copied(spelling);
                    last = Some((spelling.to_owned(), copied));
                    copied
                }
            });
            let effect = if copied.is_some() && !beyond { Effect::None } else { Effect::Mark };
            if effect == Effect::Mark {
                let copied = copied.unwrap_or_default();
                let mark = Mark { run: self.run.0, item: self.item, clock: self.clock, copied };
                self.ledger.marks.add(&key, mark);
            }
            self.sight(fingerprint(&key), Writer::Model, effect);
            (self.tell)(Seen { writer: Writer::Model, key: &key, spelling: spelling.as_deref(), effect });
        });
    }

    /// How long the wide key of a spelling is that only copies a source in view: its own, or one that serializes to it.
    fn copied(&mut self, spelling: &str) -> Option<u32> {
        let form = if spelling.contains("://") { Form::Absolute } else { Form::Bare };
        let reading = self.ledger.readings.read(spelling, form)?;
        let holds = |id| self.ledger.run(id).is_some_and(|run| run.sources.of(&reading.address).is_some());
        let copies = self.ledger.chain(self.run).any(holds);
        copies.then(|| u32::try_from(reading.key.len()).unwrap_or(u32::MAX))
    }
}

impl Noted {
    /// Takes the stricter of two calls with one id.
    fn join(&mut self, other: Self) {
        let stricter = |one: Writer, two: Writer| if strictness(one) >= strictness(two) { one } else { two };
        self.writer = stricter(self.writer, other.writer);
        self.error_writer = stricter(self.error_writer, other.error_writer);
        self.public &= other.public;
        self.may_echo |= other.may_echo;
        // Nobody knows which of the two calls a result belongs to.
        self.fields.clear();
        self.base = None;
        self.question = None;
        self.query = None;
    }
}

/// Whether a source of the run or of one above it has this wide key.
fn has_source_under(ledger: &Ledger, run: RunId, key: &str) -> bool {
    ledger.chain(run).any(|id| ledger.run(id).is_some_and(|run| run.sources.under_wide(key).is_some()))
}

/// The labels of the host, the path segments, and the names and values of the query of an address.
fn parts(address: &str) -> impl Iterator<Item = &str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, tail) = rest.split_at_checked(rest.find(['/', '?']).unwrap_or(rest.len())).unwrap_or((rest, ""));
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let pairs = query.split('&').flat_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        [name, value]
    });
    host.split(['.', ':', '@']).chain(path.split('/')).chain(pairs)
}

/// Whether an address that the model wrote holds another, or stands in it. A bare root stands in all of its pages and says
/// nothing of them.
fn overlap(written: &str, key: &str) -> bool {
    written.contains(key) || key.contains(written) && !is_root(written)
}

fn complement(spans: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
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

/// A digest of an item's content: what a resent history is recognised by.
pub(crate) fn digest(item: &Item) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(item.body.position().name());
    match &item.body {
        Body::User { text, relayed } => {
            part(text);
            if let Relayed::Spans(spans) = relayed {
                part(&format!("{spans:?}"));
            }
        }
        Body::Said { by: _, text } => part(text),
        Body::Attachment { name, text, from_agent_path } => {
            part(name.as_deref().unwrap_or_default());
            part(text);
            part(if *from_agent_path { "agent" } else { "" });
        }
        Body::Call(Call { id, server, tool, arguments, ran, custom }) => {
            part(id);
            part(server.as_deref().unwrap_or_default());
            part(tool);
            part(arguments);
            part(match ran {
                Ran::Client => "client",
                Ran::Provider => "provider",
            });
            part(if *custom { "custom" } else { "" });
        }
        Body::Result(ToolResult { from, content, is_error, mime }) => {
            part(&format!("{from:?}"));
            part(content.text());
            part(if *is_error { "error" } else { "" });
            part(mime.as_deref().unwrap_or_default());
        }
        Body::Answer { call, text } => {
            part(call);
            part(text);
        }
        Body::Grant { address, scope } => {
            part(address);
            part(&format!("{scope:?}"));
        }
        Body::Rewind { to } => part(&to.to_string()),
        Body::Hidden { calls, what } => {
            part(what);
            part(if *calls { "calls" } else { "" });
        }
    }
    first_half(*hasher.finalize().as_bytes())
}
