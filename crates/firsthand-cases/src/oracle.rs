//! The rule, stated a second time and slowly.
//!
//! It is written from the contract alone and shares nothing with the ledger but the finding and the comparing of single
//! addresses, the table of positions and the table of tools, which other tests hold. Nothing is kept between questions:
//! each one reads all items again, in the order in which they were written, into one list of what was seen, and looks
//! through that list. Lists of hosts, permissions and a call's further arguments are not asked about.

use std::collections::BTreeSet;

use firsthand::address::{Address, AddressError, Asked, Form, wide_key_extends};
use firsthand::calls::{self, Inner};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Relayed, Scope, Seat, ToolResult};
use firsthand::find::{Format, Found, Voice, Written, shown, shown_in_json, written, written_in_json};
use firsthand::json;
use firsthand::policy::{Field, Kind, Policy};
use firsthand::verdict::{Reason, Step};
use firsthand::writer::{Origin, Row, Writer, writer_of};

/// A run of a tree.
#[derive(Clone, Debug)]
pub struct Run {
    /// The place of the run that started it.
    pub parent: Option<usize>,
    /// Who fills the user's place.
    pub seat: Seat,
    /// The name of the format.
    pub dialect: &'static str,
}

/// Runs, and their items in the order in which they were written, each with the place of its run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The runs.
    pub runs: Vec<Run>,
    /// The items of all runs.
    pub items: Vec<(usize, Item)>,
}

/// What the rule says of one asked address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It opens.
    Open {
        /// What leaves.
        send: String,
        /// How it was found.
        step: Step,
        /// Who wrote it first.
        writer: Writer,
    },
    /// It does not.
    Refuse(Reason),
}

/// What the rule says of an address that a run asks for after all items were written, at a time in seconds.
pub fn ask(tree: &Tree, policy: &Policy, run: usize, argument: &str, now: Option<i64>) -> Answer {
    Read::all(tree, policy).answer(run, argument, now).0
}

/// Every `send` that some ask of a run could get, grants aside.
pub fn sends(tree: &Tree, policy: &Policy, run: usize) -> BTreeSet<String> {
    let mut read = Read::all(tree, policy);
    read.grants.clear();
    let spellings: Vec<String> = read.sources(run).iter().map(|seen| seen.address.reveal().to_owned()).collect();
    let opened = spellings.iter().map(|spelling| read.answer(run, spelling, None).0);
    opened.filter_map(|answer| if let Answer::Open { send, .. } = answer { Some(send) } else { None }).collect()
}

/// An address in a text that is not the model's.
struct Seen {
    run: usize,
    item: usize,
    order: usize,
    writer: Writer,
    address: Address,
    /// It became a source.
    source: bool,
    /// The tool that wrote it may have repeated what the model wrote.
    echo: bool,
    /// Its item was taken back.
    taken_back: bool,
}

/// An address in a text of the model's that is no mere copy.
struct Mark {
    order: usize,
    key: String,
    /// It has more in it than a copied address; its beginnings are that address's.
    beyond_a_copy: bool,
}

/// A text in which parts of addresses are looked for, in lower case.
struct Heard {
    arguments: bool,
    person: bool,
    text: String,
}

/// A call and what its addresses came to when it was made.
#[derive(Clone)]
struct Called<'t> {
    run: usize,
    call: Call,
    inner: Vec<Inner<'t>>,
    /// Every address opened and nothing was sent along.
    open: bool,
    /// What left, if it was one address.
    base: Option<Address>,
}

struct Granted {
    run: usize,
    item: usize,
    address: Address,
    scope: Scope,
    spent: bool,
}

/// Whose words one place of a text is.
#[derive(Clone, Copy)]
struct Class {
    writer: Writer,
    echo: bool,
    index: bool,
}

struct Read<'t> {
    policy: &'t Policy,
    runs: &'t [Run],
    /// How many items were read.
    order: usize,
    seen: Vec<Seen>,
    marks: Vec<Mark>,
    heard: Vec<Heard>,
    called: Vec<Called<'t>>,
    grants: Vec<Granted>,
    calls_are_hidden: bool,
}

impl<'t> Read<'t> {
    fn all(tree: &'t Tree, policy: &'t Policy) -> Self {
        let mut read = Self {
            policy,
            runs: &tree.runs,
            order: 0,
            seen: Vec::new(),
            marks: Vec::new(),
            heard: Vec::new(),
            called: Vec::new(),
            grants: Vec::new(),
            calls_are_hidden: false,
        };
        let mut lengths = vec![0; tree.runs.len()];
        for (run, item) in &tree.items {
            let (Some(length), Some(Run { seat, dialect, .. })) = (lengths.get_mut(*run), tree.runs.get(*run)) else { continue };
            read.item((*run, *length), *seat, dialect, &item.body);
            *length += 1;
            read.order += 1;
        }
        read
    }

    /// Reads one item: whose words its texts are, and what follows from that.
    fn item(&mut self, at: (usize, usize), seat: Seat, dialect: &str, body: &Body) {
        match body {
            Body::User { text, relayed } => {
                for (piece, is_relayed) in pieces(text, relayed) {
                    self.said(at, piece, if is_relayed { Origin::Relay(seat) } else { Origin::User(seat) });
                }
            }
            Body::Said { by, text } => self.said(at, text, Origin::Said(*by)),
            Body::Attachment { text, from_agent_path, .. } => {
                self.said(at, text, Origin::Attachment { from_agent_path: *from_agent_path });
            }
            Body::Call(call) => self.call(at, call, calls::really_run(call, dialect, self.policy)),
            Body::Result(result) => self.result(at, dialect, result),
            Body::Answer { call, text } => self.person_answers(at, call, text, seat),
            Body::Grant { address, scope } => {
                if let Ok(asked) = Asked::parse(address) {
                    let address = asked.address().clone();
                    self.grants.push(Granted { run: at.0, item: at.1, address, scope: *scope, spent: false });
                }
            }
            Body::Rewind { to } => {
                // Marks stay; sources and grants that stand in what was taken back do not count.
                let taken_back = |run, item| run == at.0 && item >= *to;
                self.seen.iter_mut().for_each(|seen| seen.taken_back |= taken_back(seen.run, seen.item));
                self.grants.retain(|granted| !taken_back(granted.run, granted.item));
            }
            Body::Hidden { calls, .. } => self.calls_are_hidden |= calls,
        }
    }

    /// A text with one writer.
    fn said(&mut self, at: (usize, usize), text: &str, origin: Origin) {
        let writer = writer_of(origin, self.policy);
        self.text(at, text, Class { writer, echo: false, index: false }, None, &[]);
    }

    fn text(&mut self, at: (usize, usize), text: &str, class: Class, base: Option<&Address>, queries: &[&str]) {
        let voice = match class.writer {
            Writer::Model => return written(text, &mut |place| self.mark(at.0, &place)),
            Writer::Person => Voice::Person,
            Writer::World | Writer::Ignored => Voice::World,
        };
        shown(text, Format::Auto, voice, &mut |found| self.outside(at, &found, class, base, queries));
        self.hear(class.writer, text.to_lowercase());
    }

    /// An address that the model wrote closes its wide key, unless it is a copy of what the run can see.
    fn mark(&mut self, run: usize, place: &Written) {
        let copied = place.spelling.as_deref().is_some_and(|spelling| {
            let address = Address::written(spelling, Form::Absolute).or_else(|| Address::written(spelling, Form::Bare));
            address.is_some_and(|address| self.sources(run).iter().any(|seen| seen.address.identity() == address.identity()))
        });
        if !copied || place.beyond {
            self.marks.push(Mark { order: self.order, key: place.key.clone(), beyond_a_copy: copied });
        }
    }

    /// An address in a text that is not the model's.
    fn outside(&mut self, at: (usize, usize), found: &Found<'_>, class: Class, base: Option<&Address>, queries: &[&str]) {
        let address = match found.form {
            Form::Absolute | Form::Bare => Address::written(&found.spelling, found.form),
            Form::Relative => base.and_then(|base| base.joined(&found.spelling)),
        };
        let Some(address) = address else { return };
        let source = match class.writer {
            Writer::Person => true,
            Writer::World => !self.policy.order_counts || !self.is_the_models(at.0, &address, class, queries),
            Writer::Model | Writer::Ignored => false,
        };
        let Class { writer, echo, .. } = class;
        let source = source && !address.is_odd();
        self.seen.push(Seen { run: at.0, item: at.1, order: self.order, writer, address, source, echo, taken_back: false });
    }

    /// Whether an address in the world's text is one that the model wrote before, or made out of such a one.
    fn is_the_models(&self, run: usize, address: &Address, class: Class, queries: &[&str]) -> bool {
        let key = address.wide();
        let asked_for = queries.iter().any(|query| stands_in(&key, query));
        if class.index && !asked_for && (self.policy.index_fields || address.is_root()) {
            return false;
        }
        let site_has_a_source = |seen: &&Seen| (seen.address.host(), seen.address.port()) == (address.host(), address.port());
        let known_root = address.is_root() && self.sources(run).iter().any(site_has_a_source);
        if self.marks.iter().any(|mark| mark.key == key) && !known_root {
            return true;
        }
        class.echo && (!address.is_root() && self.is_cut_or_extended(run, address, &key) || self.is_assembled(address))
    }

    /// Whether it is the beginning or an extension of a marked address that is no source, or has one in it.
    fn is_cut_or_extended(&self, run: usize, address: &Address, key: &str) -> bool {
        let sources: Vec<String> = self.sources(run).iter().map(|seen| seen.address.wide()).collect();
        let mut inside = Vec::new();
        written(address.reveal(), &mut |place| inside.push(place.key));
        self.marks.iter().filter(|mark| mark.key.contains(['/', '?']) && !sources.contains(&mark.key)).any(|mark| {
            let holds = |inner: &String| *inner == mark.key || wide_key_extends(inner, &mark.key);
            let begins = !mark.beyond_a_copy && wide_key_extends(&mark.key, key);
            begins || wide_key_extends(key, &mark.key) || key.contains(&mark.key) || inside.iter().any(holds)
        })
    }

    /// Whether a part of it stood in a call's arguments before the world said it, and no person has.
    fn is_assembled(&self, address: &Address) -> bool {
        parts(address).iter().filter(|part| part.len() >= 8).any(|part| {
            let first = self.heard.iter().find(|heard| heard.text.contains(part.as_str()));
            let person = self.heard.iter().any(|heard| heard.person && heard.text.contains(part.as_str()));
            first.is_some_and(|heard| heard.arguments) && !person
        })
    }

    fn hear(&mut self, writer: Writer, text: String) {
        if matches!(writer, Writer::Person | Writer::World) {
            self.heard.push(Heard { arguments: false, person: writer == Writer::Person, text });
        }
    }

    /// A call is judged first; then its arguments are the model's text.
    fn call(&mut self, at: (usize, usize), call: &Call, inner: Vec<Inner<'t>>) {
        let opens: Vec<calls::Opens> = inner.iter().map(calls::opens).collect();
        let mut sent = Vec::new();
        let mut open = opens.iter().all(|opens| !opens.payload);
        for argument in opens.iter().flat_map(|opens| &opens.addresses) {
            let (answer, grant) = self.answer(at.0, argument, None);
            match answer {
                Answer::Open { send, .. } => sent.extend(Address::written(&send, Form::Absolute)),
                Answer::Refuse(_) => open = false,
            }
            if let Some(granted) = grant.and_then(|grant| self.grants.get_mut(grant)) {
                granted.spent = granted.scope == Scope::Once;
            }
        }
        open &= !sent.is_empty();
        let base = if sent.len() == 1 { sent.pop().filter(|_| open) } else { None };
        self.called.push(Called { run: at.0, call: call.clone(), inner, open, base });

        let writer = writer_of(Origin::Arguments, self.policy);
        match writer {
            Writer::Model => written_in_json(&call.arguments, &mut |place| self.mark(at.0, &place)),
            Writer::Person | Writer::World | Writer::Ignored => {
                let class = Class { writer, echo: false, index: false };
                shown_in_json(&call.arguments, Voice::World, &mut |_, found| self.outside(at, &found, class, None, &[]));
            }
        }
        self.heard.push(Heard { arguments: true, person: false, text: leaves(&call.arguments) });
    }

    /// A result is the words of the tools that ran, leaf by leaf where it is JSON.
    fn result(&mut self, at: (usize, usize), dialect: &str, result: &ToolResult) {
        let called: Vec<Called<'t>> = match &result.from {
            Producer::Call(id) => self.of_id(at.0, id),
            Producer::Named { server, tool, ran } => {
                let (server, tool, id) = (server.clone(), tool.clone(), String::new());
                let call = Call { id, server, tool, arguments: "{}".into(), ran: *ran, custom: false };
                let inner = calls::really_run(&call, dialect, self.policy);
                vec![Called { run: at.0, call, inner, open: false, base: None }]
            }
        };
        let policy = self.policy;
        let class = |path: &[json::Step<'_>]| {
            let of_call = |called: &Called<'t>| called.inner.iter().map(|inner| class(inner, called, path, result.is_error, policy)).collect();
            strictest(called.iter().flat_map(|called| -> Vec<Class> { of_call(called) }))
        };
        let base = match called.as_slice() {
            [Called { base, inner, .. }] if matches!(inner.as_slice(), [one] if kind(one) == Kind::Page) => base.clone(),
            _ => None,
        };
        let queries: Vec<&str> = called.iter().map(|called| &*called.call.arguments).collect();
        let text: &str = result.content.text();
        let by_leaf = matches!(result.content, Content::Json(_)) || text.trim_start().starts_with('{');
        if !by_leaf || class(&[]).writer == Writer::Model {
            return self.text(at, text, class(&[]), base.as_ref(), &queries);
        }
        let mut found = Vec::new();
        shown_in_json(text, Voice::World, &mut |path, place| found.push((place, class(path))));
        found.iter().for_each(|(place, class)| self.outside(at, place, *class, base.as_ref(), &queries));
        json::walk(text, &mut |path, leaf| self.hear(class(path).writer, leaf.text.to_lowercase()));
    }

    /// The calls of a run that have an id: an id that repeats takes the strictest class of all.
    fn of_id(&self, run: usize, id: &str) -> Vec<Called<'t>> {
        self.called.iter().filter(|called| called.run == run && called.call.id == id).cloned().collect()
    }

    /// What a person answered, less every address that stands in the question.
    fn person_answers(&mut self, at: (usize, usize), id: &str, text: &str, seat: Seat) {
        let called = self.of_id(at.0, id);
        let asked = !called.is_empty() && called.iter().flat_map(|called| &called.inner).all(|inner| kind(inner) == Kind::Question);
        let writer = if asked { writer_of(Origin::Answer(seat), self.policy) } else { Writer::Ignored };
        let voice = if writer == Writer::Person { Voice::Person } else { Voice::World };
        shown(text, Format::Auto, voice, &mut |found| {
            let key = Address::written(&found.spelling, found.form).map(|address| address.wide()).unwrap_or_default();
            let repeats = called.iter().any(|called| stands_in(&key, &called.call.arguments));
            let writer = if repeats { Writer::Ignored } else { writer };
            self.outside(at, &found, Class { writer, echo: false, index: false }, None, &[]);
        });
        self.hear(writer, text.to_lowercase());
    }

    /// The sources of a run and of the runs above it, in the order in which they were recorded; one per identity and run.
    fn sources(&self, run: usize) -> Vec<&Seen> {
        let mut sources: Vec<&Seen> = Vec::new();
        for seen in self.seen.iter().filter(|seen| seen.source && !seen.taken_back && self.sees(run, seen.run)) {
            let same = |other: &&Seen| other.run == seen.run && other.address.identity() == seen.address.identity();
            if !sources.iter().any(same) {
                sources.push(seen);
            }
        }
        sources
    }

    /// Whether a run is another one or stands below it.
    fn sees(&self, run: usize, other: usize) -> bool {
        let mut above = Some(run);
        // More steps than runs would be a circle.
        for _ in self.runs {
            if above == Some(other) {
                return true;
            }
            above = above.and_then(|run| self.runs.get(run)).and_then(|run| run.parent);
        }
        false
    }

    /// What comes of an asked address, and the place of the grant that opened it.
    fn answer(&self, run: usize, argument: &str, now: Option<i64>) -> (Answer, Option<usize>) {
        let asked = match Asked::parse(argument) {
            Ok(asked) if asked.address().reveal().len() > self.policy.longest => return (Answer::Refuse(Reason::UrlTooLong), None),
            Ok(asked) => asked,
            Err(_) if is_reference(argument.trim()) => return (Answer::Refuse(Reason::ReferenceUnknown), None),
            Err(AddressError::Invalid) => return (Answer::Refuse(Reason::InvalidUrl), None),
            Err(AddressError::Odd) => return (Answer::Refuse(Reason::OddSpelling), None),
        };
        let reason = match self.resolve(run, &asked) {
            Some((seen, _)) if self.calls_are_hidden && self.only_an_echo_says(run, seen) => Reason::IncompleteView,
            Some((Seen { address, writer, .. }, step)) => {
                return (Answer::Open { send: address.reveal().to_owned(), step, writer: *writer }, None);
            }
            None => self.why_not(run, &asked.address().wide()),
        };
        let holds = |granted: &Granted| {
            let in_time = match granted.scope {
                Scope::Once | Scope::Run => true,
                Scope::Until(end) => now.is_some_and(|now| now < end),
            };
            granted.run == run && !granted.spent && in_time && granted.address.identity() == asked.address().identity()
        };
        let Some(place) = self.grants.iter().position(holds) else { return (Answer::Refuse(reason), None) };
        let send = self.grants.get(place).map(|granted| granted.address.reveal().to_owned()).unwrap_or_default();
        (Answer::Open { send, step: Step::Grant, writer: Writer::Person }, Some(place))
    }

    /// The source that an asked address means: each step over everything in view before the next.
    fn resolve(&self, run: usize, asked: &Asked) -> Option<(&Seen, Step)> {
        let sources = self.sources(run);
        let find = |fits: &dyn Fn(&Seen) -> bool| sources.iter().copied().find(|seen| fits(seen));
        let parsed = Address::written(asked.raw(), Form::Absolute).filter(|address| !address.is_odd());
        if let Some(seen) = find(&|seen| seen.address.reveal() == asked.raw()) {
            return Some((seen, Step::Identical));
        }
        if let Some(seen) = find(&|seen| parsed.as_ref().is_some_and(|parsed| parsed.identity() == seen.address.identity())) {
            return Some((seen, Step::Serialized));
        }
        if let Some(seen) = find(&|seen| seen.address.loose() == asked.address().loose()) {
            return Some((seen, Step::Loose));
        }
        if asked.address().has_query() {
            return None;
        }
        let bare = asked.address().loose();
        let seen = find(&|seen| seen.address.loose_without_query() == bare)?;
        let other = |other: &Seen| other.address.loose_without_query() == bare && other.address.identity() != seen.address.identity();
        find(&other).is_none().then_some((seen, Step::QueryDropped))
    }

    /// Whether nobody but a tool that may echo has said a source.
    fn only_an_echo_says(&self, run: usize, source: &Seen) -> bool {
        let says = |seen: &&Seen| seen.address.identity() == source.address.identity();
        self.seen.iter().filter(|seen| seen.source && !seen.taken_back && self.sees(run, seen.run)).filter(says).all(|seen| seen.echo)
    }

    /// Why an address that means no source is closed: by who wrote it first.
    fn why_not(&self, run: usize, key: &str) -> Reason {
        let in_view = |seen: &&Seen| self.sees(run, seen.run) && seen.address.wide() == key;
        let nowhere = self.seen.iter().filter(in_view).find(|seen| seen.writer == Writer::Ignored || seen.taken_back);
        let mark = self.marks.iter().find(|mark| mark.key == key);
        let echoed = self.seen.iter().filter(in_view).any(|seen| seen.writer == Writer::World && !seen.source);
        match (nowhere, mark) {
            (Some(nowhere), Some(mark)) if mark.order < nowhere.order => Reason::ModelWroteFirst,
            (Some(_), _) => Reason::CountsNowhere,
            (None, Some(_)) => Reason::ModelWroteFirst,
            (None, None) if echoed => Reason::ModelWroteFirst,
            (None, None) => Reason::NeverWritten,
        }
    }
}

/// Whose words the leaf at a path is, of the result of one tool that ran.
fn class(inner: &Inner<'_>, called: &Called<'_>, path: &[json::Step<'_>], is_error: bool, policy: &Policy) -> Class {
    let ran = called.call.ran;
    let of = |row| writer_of(Origin::Result { row, ran, is_error }, policy);
    let row = calls::row(inner, called.call.custom, policy);
    let fields = inner.rule.map(|rule| rule.fields.as_slice()).unwrap_or_default();
    let field = fields.iter().filter(|(field, _)| field.covers(path)).max_by_key(|(field, _)| field.to_string().len());
    // What a model wrote beside the hits of a search does not make the hits the model's.
    let hits = if row == Row::Generated { Row::Search } else { row };
    let declared = inner.rule.is_some_and(|rule| rule.declared);
    let (writer, index) = match field {
        None => (of(row), false),
        Some((_, Field::Index)) if declared => (of(Row::Declared(Writer::World)), true),
        Some((_, Field::Of(writer))) if declared => (of(Row::Declared(*writer)), false),
        Some((_, Field::Index)) => (of(hits), true),
        Some((_, Field::Of(Writer::World))) => (of(hits), false),
        Some((_, Field::Of(writer))) => (stricter(of(row), *writer), false),
    };
    let got_by_the_guard = kind(inner) == Kind::Page && called.open;
    let echo = inner.rule.and_then(|rule| rule.may_echo).unwrap_or(!index && !got_by_the_guard);
    Class { writer, echo, index }
}

/// One class for several tools: `world` only if all are.
fn strictest(classes: impl Iterator<Item = Class>) -> Class {
    let both = |one: Class, other: Class| Class {
        writer: stricter(one.writer, other.writer),
        echo: one.echo || other.echo,
        index: one.index && other.index,
    };
    classes.reduce(both).unwrap_or(Class { writer: Writer::Ignored, echo: true, index: false })
}

fn stricter(one: Writer, other: Writer) -> Writer {
    let strictness = [Writer::Person, Writer::World, Writer::Ignored, Writer::Model];
    let place = |writer: Writer| strictness.iter().position(|each| *each == writer);
    if place(one) >= place(other) { one } else { other }
}

fn kind(inner: &Inner<'_>) -> Kind {
    inner.rule.map_or(Kind::Other, |rule| rule.kind)
}

/// Whether an address stands in the arguments of a call, as one or inside of one.
fn stands_in(key: &str, arguments: &str) -> bool {
    let mut stands = false;
    written_in_json(arguments, &mut |place| stands |= place.key.contains(key));
    stands
}

/// The parts of a message that are the user's and those that were passed on.
fn pieces<'m>(text: &'m str, relayed: &Relayed) -> Vec<(&'m str, bool)> {
    let spans = match relayed {
        Relayed::No => return vec![(text, false)],
        Relayed::Whole => return vec![(text, true)],
        Relayed::Spans(spans) => spans,
    };
    let is_relayed = |byte: usize| spans.iter().any(|span| span.contains(&byte));
    let mut pieces = Vec::new();
    let mut start = 0;
    for (end, letter) in text.char_indices().skip(1).chain([(text.len(), ' ')]) {
        let _ = letter;
        if end == text.len() || is_relayed(end) != is_relayed(start) {
            pieces.extend(text.get(start..end).map(|piece| (piece, is_relayed(start))));
            start = end;
        }
    }
    pieces
}

/// The labels, path segments and query values of an address, in lower case and without escapes.
fn parts(address: &Address) -> Vec<String> {
    let key = address.wide();
    let (path, query) = key.split_once('?').unwrap_or((&key, ""));
    let (host, path) = path.split_once('/').unwrap_or((path, ""));
    let values = query.split('&').map(|parameter| parameter.split_once('=').map_or(parameter, |(_, value)| value));
    host.split('.').chain(path.split('/')).chain(values).map(str::to_owned).collect()
}

/// Every name, string and number of a JSON text, in lower case, also of JSON texts in its strings.
fn leaves(text: &str) -> String {
    let mut all = String::new();
    json::walk(text, &mut |_, leaf| {
        all.push_str(&leaf.text.to_lowercase());
        all.push('\n');
        if json::looks_like_json(&leaf.text) && leaf.kind == json::Kind::String {
            json::walk(&leaf.text, &mut |_, leaf| all.push_str(&leaf.text.to_lowercase()));
        }
    });
    all
}

fn is_reference(argument: &str) -> bool {
    let letters = |rest: &str| rest.len() == 15 && rest.bytes().all(|byte| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&byte));
    argument.strip_prefix("ref-").is_some_and(letters)
}
