//! Reading a conversation into the ledger, item by item.
//!
//! Each text gets its writer ([`writer_of`]); each address in it then becomes a source, a mark or nothing (`address`).

mod address;
mod digest;
mod redirects;
mod text;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::address::overlap;
pub(crate) use self::digest::digest;
use self::text::{Context, complement};
use crate::address::{Address, Form, wide_key};
use crate::calls::{self, Noted, counts_for_less, fields_of, result_writer, strictness};
use crate::check::{Circumstances, Decision, check_addresses, check_tools};
use crate::conversation::{Body, Call, Item, Producer, Ran, Relayed, Scope, Seat, Speaker, Text, ToolResult};
use crate::find::{self, Format};
use crate::ledger::{Entry, Grant, Ledger, Offered, RunId, UNKNOWN, Voice};
use crate::policy::{Kind, Policy, Reach};
use crate::verdict::{Judged, Permit, Step, Verdict};
use crate::writer::{Origin, Writer, writer_of};

/// With how many addresses that the calls of one id may not open those of their results are compared; under more, each new
/// one counts as an extension of some.
const MAX_REFUSED: usize = 256;

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
    let dialect = ledger.run(run).map_or_else(|| "".into(), |run| Arc::clone(&run.dialect));
    let inner = item.body.call().map_or_else(Vec::new, |call| calls::really_run(call, &dialect, policy));
    let decision = check_tools(ledger, run, &inner, policy, now);
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
        Body::Call(call) => reader.call(call, &inner, decision.as_ref(), now),
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
    let digest = if ledger.knows_again { digest(item) } else { UNKNOWN };
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
            Speaker::System => self.give(text),
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

    fn call(
        &mut self,
        call: &Call,
        inner: &[calls::Inner<'_>],
        decision: Option<&Decision>,
        now: &Circumstances,
    ) -> Writer {
        let policy = self.policy;
        let noted = self.remember(call, inner, decision);
        if let Some(decision) = decision {
            match decision.verdict {
                // Whoever was asked may have said yes to the whole call.
                Verdict::Open(_) | Verdict::Ask(_) => {
                    self.told(&decision.addresses);
                    self.spend(&decision.addresses);
                }
                Verdict::Refuse(_) if decision.advisory => self.told(&decision.addresses),
                Verdict::Refuse(_) => {}
            }
        }
        let is_by_convention = |judged: &Judged| judged.step == Some(Step::Convention);
        if decision.is_some_and(|decision| decision.addresses.iter().any(is_by_convention)) {
            // Whoever opens one identifier opens others: the words of the texts so far are looked up, not read again.
            self.ledger.words.settle();
        }
        if decision.is_none_or(|decision| decision.advisory || decision.verdict.reason().is_none()) {
            self.told_besides(inner, decision.is_some(), now);
        }
        self.may_have_opened(inner, now);
        if let Some(run) = self.ledger.run_mut(self.run) {
            match run.calls.get_mut(&call.id) {
                // An id that repeats takes the stricter class.
                Some(before) => Arc::make_mut(before).join(noted),
                None => {
                    run.calls.insert(call.id.clone(), Arc::new(noted));
                }
            }
        }
        let writer = writer_of(Origin::Arguments, policy);
        match writer {
            Writer::Model => {
                self.ledger.words.note(self.clock, Voice::Arguments, &call.arguments, true);
                self.mark(|each| find::written_in_json(&call.arguments, each));
                // The model writes the names too, and a host that knows no such tool repeats them.
                for name in [call.server.as_deref(), Some(&*call.tool), Some(&*call.id)].into_iter().flatten() {
                    self.mark(|each| find::written(name, each));
                    self.ledger.words.note(self.clock, Voice::Model, &name.into(), false);
                }
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
        // What a reference opens is no page to be told from a file: no record keeps its address.
        let base = match permit.map(Permit::addresses) {
            Some([only]) if all(Kind::Page) => Some(only.clone()),
            Some(_) | None => None,
        };
        let server = inner.iter().any(|tool| tool.server.is_some());
        Noted {
            writer,
            error_writer,
            public: !server && (all(Kind::Page) || all(Kind::Search)),
            fields: fields_of(inner, call.custom, self.policy),
            may_echo: rule.and_then(|rule| rule.may_echo).unwrap_or(!guarded_page),
            base,
            told: permit.filter(|_| guarded_page).map(Permit::told),
            question: (all(Kind::Question) && !server).then(|| Text::clone(&call.arguments)),
            refused: decision.filter(|decision| !decision.advisory).map_or_else(Vec::new, refused),
            query: kinds.contains(&Kind::Search).then(|| Text::clone(&call.arguments)),
            tool: self.ledger.tool_number(&call.tool),
        }
    }

    /// What may have opened told its receivers something.
    fn told(&mut self, judged: &[Judged]) {
        for judged in judged {
            if let (Some(bits), Some(sent)) = (judged.bits, &judged.send)
                && let Some(address) = Address::written(sent, Form::Absolute)
            {
                // What a reference stands for is kept nowhere but in what sealed it.
                let opened = if judged.step == Some(Step::Reference) { judged.asked.trim_ascii() } else { sent };
                self.ledger.offers.tell(address.host(), opened, bits);
            }
        }
    }

    /// Programs and tools of which nothing is known may open what they are given, beside what was decided of the call.
    fn told_besides(&mut self, inner: &[calls::Inner<'_>], is_decided: bool, now: &Circumstances) {
        // Tools that open are decided before programs, and these before tools of which nothing is known.
        let rank = |opens: &calls::Opens| if opens.undeclared { 2 } else { u8::from(opens.program) };
        let opening =
            || inner.iter().map(|tool| (tool, calls::opens(tool))).filter(|(_, opens)| !opens.addresses.is_empty());
        let decided = opening().map(|(_, opens)| rank(&opens)).min().filter(|_| is_decided);
        let besides = opening().filter(|(_, opens)| rank(opens) > 0 && Some(rank(opens)) != decided);
        for (tool, opens) in besides {
            let (server, given) = (tool.server.as_deref(), &opens.addresses);
            let judged = check_addresses(self.ledger, self.run, server, &tool.tool, given, self.policy, now);
            self.told(&judged.addresses);
        }
    }

    fn spend(&mut self, judged: &[Judged]) {
        let own = self.run.number();
        let Some(run) = self.ledger.run_mut(self.run) else { return };
        // A yes for once is spent by what it opened, and by nothing that a source opened.
        let by_grant = judged.iter().filter(|judged| judged.step == Some(Step::Grant));
        for first in by_grant.filter_map(|judged| judged.first.as_ref()).filter(|first| first.run == own) {
            let gave = |grant: &&mut Grant| u32::try_from(first.item) == Ok(grant.item);
            if let Some(grant) = run.grants.iter_mut().find(gave) {
                grant.used |= grant.scope == Scope::Once;
            }
        }
    }

    /// A tool of which nothing is known may have opened whatever address it was given: a yes for once is spent.
    fn may_have_opened(&mut self, inner: &[calls::Inner<'_>], now: &Circumstances) {
        let is_open = |grant: &Grant| grant.scope == Scope::Once && !grant.used;
        if !self.ledger.run(self.run).is_some_and(|run| run.grants.iter().any(is_open)) {
            return;
        }
        for tool in inner {
            let opens = calls::opens(tool);
            if opens.undeclared && !opens.addresses.is_empty() {
                let server = tool.server.as_deref();
                let given = &opens.addresses;
                let decision = check_addresses(self.ledger, self.run, server, &tool.tool, given, self.policy, now);
                self.spend(&decision.addresses);
            }
        }
    }

    fn result(&mut self, result: &ToolResult) -> Writer {
        let named;
        let known = match &result.from {
            Producer::Call(id) => self.ledger.run(self.run).and_then(|run| run.calls.get(id)).cloned(),
            Producer::Named { server, tool, ran } => {
                named = Call::named(server.as_deref(), tool, *ran);
                let dialect = self.ledger.run(self.run).map_or_else(|| "".into(), |run| run.dialect.clone());
                let inner = calls::really_run(&named, &dialect, self.policy);
                Some(Arc::new(self.remember(&named, &inner, None)))
            }
        };
        let Some(noted) = known else {
            // A result without its call: nobody knows whose words it is.
            let origin =
                Origin::Result { row: crate::writer::Row::Orphan, ran: Ran::Client, is_error: result.is_error };
            let writer = writer_of(origin, self.policy);
            self.content(writer, result, &[], false, &Context::plain());
            return writer;
        };
        let writer = if result.is_error { noted.error_writer } else { noted.writer };
        let last = self.redirects(&noted, result);
        let base = last.as_ref().or(noted.base.as_ref());
        let author = match base {
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
            base,
            may_echo: noted.may_echo,
            author: Some(author),
            query: noted.query.as_ref(),
            hole: false,
            refused: &noted.refused,
            except: &[],
        };
        self.content(writer, result, &noted.fields, noted.query.is_some(), &context);
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
        find::written_in_json(&question, &mut |written| offered.push(written.key.to_owned()));
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
        if let Some(granted) = &written {
            let key = granted.wide();
            (self.tell)(Seen { writer: Writer::Person, key: &key, spelling: Some(address), effect: Effect::None });
        }
        // A yes for one call or for a run ends with the turn it was given in.
        let earlier = self.ledger.entry(run, item).is_some_and(|entry| entry.earlier);
        let is_over = earlier && matches!(scope, Scope::Once | Scope::Run);
        if let Some(of) = &written {
            self.give(&address.into());
            // What a person allowed may be chosen like what a person wrote.
            let more = Offered { addresses: 1, persons: 1, ..Offered::default() };
            let author = self.ledger.tool_number(address::PERSON);
            self.ledger.offers.add(of.host(), Some(author), more);
        }
        if let (Some(address), Some(run), false) = (written, self.ledger.run_mut(run), is_over) {
            run.grants.push(Grant { address, scope, item, used: false });
        }
        Writer::Person
    }

    fn rewind(&mut self, to: usize) -> Writer {
        let to = u32::try_from(to).unwrap_or(u32::MAX);
        if let Some(run) = self.ledger.run_mut(self.run) {
            run.rewind(to);
        }
        Writer::Ignored
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
        self.fields.retain(|(_, field)| counts_for_less(*field));
        let lesser = other.fields.into_iter().filter(|(_, field)| counts_for_less(*field));
        add_new(&mut self.fields, lesser);
        add_new(&mut self.refused, other.refused);
        self.refused = at_most_some(std::mem::take(&mut self.refused));
        self.base = None;
        self.told = None;
        self.question = None;
        self.query = self.query.take().or(other.query);
    }
}

/// The wide keys of the addresses that do not open.
fn refused(decision: &Decision) -> Vec<Box<str>> {
    let closed = decision.addresses.iter().filter(|judged| judged.reason.is_some());
    // Every address extends what asks for none.
    at_most_some(closed.map(|judged| wide_key(&judged.asked)).filter(|key| !key.is_empty()).map(Into::into).collect())
}

/// The keys, or of too many the one that every address extends.
fn at_most_some(refused: Vec<Box<str>>) -> Vec<Box<str>> {
    if refused.len() > MAX_REFUSED { vec!["".into()] } else { refused }
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, further: impl IntoIterator<Item = T>) {
    for one in further {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}
