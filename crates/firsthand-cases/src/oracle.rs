//! The rule, stated a second time and slowly.
//!
//! It is written from the contract and shares nothing with the ledger but single addresses, finding them, the table of
//! positions and the table of tools; other tests hold those. Nothing is kept between questions: each reads all items
//! again, in the order in which they were written, into one list of what was seen, and looks through that list.
//! Host lists, permissions and what else a call sends are not asked about.

use std::collections::BTreeSet;

use firsthand::address::{Address, AddressError, Asked, Form, folded_words, is_site_root, wide_key_extends};
use firsthand::calls::{self, Inner};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Relayed, Scope, Seat, Speaker, ToolResult};
use firsthand::find::{Format, Found, Voice, Written, shown, shown_in_json, written, written_in_json};
use firsthand::json;
use firsthand::policy::{Field, Kind, Policy};
use firsthand::verdict::{Reason, Step};
use firsthand::writer::{Origin, Row, Writer, writer_of};

/// A run of a tree: the place of the run that started it, who fills the user's place, and the name of the format.
#[derive(Clone, Debug)]
pub struct Run(pub Option<usize>, pub Seat, pub &'static str);

/// Runs, and their items in the order in which they were written, each with the place of its run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The runs.
    pub runs: Vec<Run>,
    /// The items of all runs.
    pub items: Vec<(usize, Item)>,
}

/// What the rule says of an asked address: what leaves, how it was found and who wrote it first, or why it stays closed.
pub type Answer = Result<(String, Step, Writer), Reason>;

/// What a run gets when it asks for each address after all items were written, at a time in seconds.
pub fn ask(tree: &Tree, policy: &Policy, run: usize, arguments: &[String], now: Option<i64>) -> Vec<Answer> {
    let record = Record::of(tree, policy);
    arguments.iter().map(|argument| record.answer(run, argument, now).0).collect()
}

/// Every `send` that some ask of a run could get, grants aside.
pub fn sends(tree: &Tree, policy: &Policy, run: usize) -> BTreeSet<String> {
    let mut record = Record::of(tree, policy);
    record.grants.clear();
    let sources = record.sources(run).into_iter().map(|seen| record.answer(run, seen.address.reveal(), None).0);
    sources.filter_map(|answer| answer.ok().map(|(send, ..)| send)).collect()
}

/// An address in a text that is not the model's.
struct Seen {
    /// The run and the number of the item in it.
    at: (usize, usize),
    order: usize,
    address: Address,
    writer: Writer,
    source: bool,
    /// It may only repeat what the model wrote.
    closed: bool,
    /// The tool that wrote it may have repeated what the model wrote.
    echo: bool,
}

/// An address in a text of the model's that is no mere copy.
struct Mark {
    order: usize,
    key: String,
    /// It has more in it than an address that it copies; its beginnings are that address's.
    /// The key of the source that the place copies, where it goes on behind it.
    copied: Option<String>,
}

/// A call, what really ran, whether all of its addresses opened, and what left if it was one.
#[derive(Clone)]
struct Called<'p> {
    run: usize,
    call: Call,
    inner: Vec<Inner<'p>>,
    open: bool,
    sent: Option<Address>,
}

struct Granted {
    at: (usize, usize),
    address: Address,
    scope: Scope,
    spent: bool,
}

/// Whose words a place of a text is: whether their tool may echo, whether they are a search index's own, what page they
/// stand on and what was searched for.
#[derive(Clone)]
struct Words {
    writer: Writer,
    echo: bool,
    index: bool,
    page: Option<Address>,
    query: Option<String>,
}

struct Record<'p> {
    policy: &'p Policy,
    runs: Vec<Run>,
    /// How many items were read.
    order: usize,
    seen: Vec<Seen>,
    marks: Vec<Mark>,
    /// Texts in which parts of addresses are looked for, folded: of a person, the world, or a call (the model).
    heard: Vec<(Writer, String)>,
    called: Vec<Called<'p>>,
    grants: Vec<Granted>,
    /// The runs of which calls are hidden.
    hidden: Vec<usize>,
}

impl<'p> Record<'p> {
    fn of(tree: &Tree, policy: &'p Policy) -> Self {
        let (seen, marks, heard, called) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (grants, hidden) = (Vec::new(), Vec::new());
        let mut record = Self { policy, runs: tree.runs.clone(), order: 0, seen, marks, heard, called, grants, hidden };
        for (order, (run, item)) in tree.items.iter().enumerate() {
            record.order = order;
            let number = tree.items.iter().take(order).filter(|(other, _)| other == run).count();
            record.item((*run, number), &item.body);
        }
        record
    }

    /// Whose words an item is, and what follows.
    fn item(&mut self, at: (usize, usize), body: &Body) {
        let Some(Run(_, seat, dialect)) = self.runs.get(at.0).cloned() else { return };
        match body {
            Body::User { text, relayed } => {
                let whole = 0..text.len();
                let spans = match relayed {
                    Relayed::No => &[],
                    Relayed::Whole => std::slice::from_ref(&whole),
                    Relayed::Spans(spans) => spans,
                };
                self.pieces(at, text, Origin::User(seat), &|byte| !spans.iter().any(|span| span.contains(&byte)));
                self.pieces(at, text, Origin::Relay(seat), &|byte| spans.iter().any(|span| span.contains(&byte)));
            }
            Body::Said { by, text } => {
                // Calls may stand in what compaction left out.
                let nothing_called = !self.called.iter().any(|called| called.run == at.0);
                self.hidden.extend((nothing_called && *by == Speaker::Summary).then_some(at.0));
                self.pieces(at, text, Origin::Said(*by), &|_| true);
            }
            Body::Attachment { text, from_agent_path, .. } => {
                self.pieces(at, text, Origin::Attachment { from_agent_path: *from_agent_path }, &|_| true);
            }
            Body::Call(call) => self.call(at, call, calls::really_run(call, dialect, self.policy)),
            Body::Result(result) => self.result(at, dialect, result),
            Body::Answer { call, text } => self.person_answers(at, call, text, seat),
            Body::Grant { address, scope } => {
                let address = Address::written(address, Form::Absolute).filter(|address| !address.is_odd());
                self.grants.extend(address.map(|address| Granted { at, address, scope: *scope, spent: false }));
            }
            Body::Rewind { to } => {
                // Marks stay. Sources and grants that stand only in what was taken back do not count.
                let taken_back = |(run, item): (usize, usize)| run == at.0 && item >= *to;
                self.seen.iter_mut().for_each(|seen| seen.source &= !taken_back(seen.at));
                self.grants.retain(|granted| !taken_back(granted.at));
            }
            Body::Hidden { calls, .. } => self.hidden.extend(calls.then_some(at.0)),
        }
    }

    /// A text of which the bytes that `own` accepts have one writer. An address that stands in both is nobody's.
    fn pieces(&mut self, at: (usize, usize), text: &str, origin: Origin, own: &dyn Fn(usize) -> bool) {
        let writer = writer_of(origin, self.policy);
        if writer == Writer::Model {
            return written(text, &mut |place| self.mark(at.0, &place));
        }
        // What an application passes on may come from a mailbox that the model wrote to.
        let words = Words { writer, echo: matches!(origin, Origin::Relay(_)), index: false, page: None, query: None };
        shown(text, Format::Auto, voice(writer), &mut |found| {
            if (found.start..found.end).all(own) {
                self.outside(at, &found, &words);
            }
        });
        let masked = text.char_indices().map(|(byte, letter)| if own(byte) { letter } else { '\n' });
        self.heard.push((writer, fold(&masked.collect::<String>())));
    }

    /// The model's writing closes a wide key, unless it copies a source that the run sees.
    fn mark(&mut self, run: usize, place: &Written) {
        let copied = place.spelling.as_deref().and_then(|spelling| {
            let address =
                Address::written(spelling, Form::Absolute).or_else(|| Address::written(spelling, Form::Bare))?;
            let is_source = self.sources(run).iter().any(|seen| seen.address.identity() == address.identity());
            is_source.then(|| address.wide())
        });
        if copied.is_none() || place.beyond {
            self.marks.push(Mark { order: self.order, key: place.key.clone(), copied });
        }
    }

    /// An address in a text that is not the model's.
    fn outside(&mut self, at: (usize, usize), found: &Found<'_>, words: &Words) {
        let address = match found.form {
            Form::Absolute | Form::Bare => Address::written(&found.spelling, found.form),
            Form::Relative => words.page.as_ref().and_then(|page| page.joined(&found.spelling)),
        };
        let Some(address) = address else { return };
        let writer = words.writer;
        let echo = words.echo && writer == Writer::World;
        let known = |seen: &Seen| seen.source && seen.at.0 == at.0 && seen.address.identity() == address.identity();
        let closed = writer == Writer::World
            && self.policy.order_counts
            && !self.seen.iter().any(known)
            && self.is_the_models(at.0, &address, words);
        let source = !closed && matches!(writer, Writer::Person | Writer::World);
        self.seen.push(Seen { at, order: self.order, address, writer, source, closed, echo });
    }

    /// Whether an address in the world's text repeats what the model wrote, or is made of it.
    fn is_the_models(&self, run: usize, address: &Address, words: &Words) -> bool {
        let key = address.wide();
        let sources = self.sources(run);
        // Then it is a truncation: a prefix of what a source wrote.
        let below = sources.iter().any(|seen| seen.address.identity().starts_with(address.identity()));
        if address.is_root() && (words.index || below) {
            return false;
        }
        // An engine fills what was searched for into queries, and several words into paths.
        let is_filled_in = |part: &String| {
            let query = address.reveal().split_once('?').map_or("", |(_, query)| query);
            part.contains(' ') || in_pieces(query.split(['&', '=']).map(fold)).contains(part)
        };
        if words.index && parts(address).iter().any(|part| is_filled_in(part) && self.is_put_in(part)) {
            return true;
        }
        if words.index
            && self.policy.index_fields
            && !words.query.as_deref().is_some_and(|query| stands_in(&key, query))
        {
            return false;
        }
        self.marks.iter().any(|mark| mark.key == key)
            || words.echo && (self.is_cut_or_extended(&sources, address, &key) || self.is_assembled(address))
    }

    /// Whether it begins a marked address that is no source, extends one or contains one. Roots of sites do not count: who
    /// names a site has not written its pages. A root with further labels may hold something in them.
    fn is_cut_or_extended(&self, sources: &[&Seen], address: &Address, key: &str) -> bool {
        let names_a_site = address.is_root() && is_site_root(key);
        let is_source = |mark: &Mark| sources.iter().any(|seen| seen.address.wide() == mark.key);
        let mut inner = Vec::new();
        written(address.reveal(), &mut |place| inner.push(place.key));
        !names_a_site
            && self.marks.iter().filter(|mark| !is_source(mark)).any(|mark| {
                let begins = |key: &str| {
                    mark.copied.as_ref().is_none_or(|copied| key.len() > copied.len())
                        && wide_key_extends(&mark.key, key)
                };
                let extends = |key: &str| !is_root(&mark.key) && wide_key_extends(key, &mark.key);
                let is_near = |key: &str| begins(key) || extends(key);
                begins(key)
                    || !is_site_root(&mark.key) && is_at_a_host(&mark.key, key)
                    || extends(key)
                    || inner.iter().any(|key| !is_root(key) && (*key == mark.key || is_near(key)))
            })
    }

    /// Whether a part of it stood in calls, run by run of 8 bytes, before the world wrote it, and no person did.
    fn is_assembled(&self, address: &Address) -> bool {
        parts(address).iter().any(|part| self.is_put_in(part))
    }

    fn is_put_in(&self, part: &str) -> bool {
        let (mut argued, mut persons) = (Vec::new(), Vec::new());
        let stood = |argued: &[u8]| part.as_bytes().windows(8).all(|run| argued.windows(8).any(|other| other == run));
        for (writer, text) in &self.heard {
            match writer {
                Writer::Model => argued.extend_from_slice(text.as_bytes()),
                Writer::Person => {
                    persons.extend_from_slice(text.as_bytes());
                    persons.push(b'\n');
                }
                Writer::World if is_a_word_of(part, text) && !stood(&argued) => return false,
                Writer::World | Writer::Ignored => {}
            }
        }
        part.len() >= 8 && stood(&argued) && !stood(&persons)
    }

    /// A call is judged first. Then its arguments are the model's text.
    fn call(&mut self, at: (usize, usize), call: &Call, inner: Vec<Inner<'p>>) {
        let opens = inner.iter().map(calls::opens).filter(|opens| !opens.addresses.is_empty() && !opens.undeclared);
        let (mut sent, mut open, mut granted) = (Vec::new(), true, Vec::new());
        for opens in opens {
            open &= !opens.payload;
            for argument in opens.addresses {
                let (answer, grant) = self.answer(at.0, &argument, None);
                granted.extend(grant);
                match answer {
                    Ok((send, ..)) => sent.extend(Address::written(&send, Form::Absolute)),
                    Err(_) => open = false,
                }
            }
        }
        open &= !sent.is_empty();
        for (number, grant) in self.grants.iter_mut().enumerate() {
            grant.spent |= open && grant.scope == Scope::Once && granted.contains(&number);
        }
        let sent = if open && sent.len() == 1 { sent.pop() } else { None };
        self.called.push(Called { run: at.0, call: call.clone(), inner, open, sent });
        if writer_of(Origin::Arguments, self.policy) == Writer::Model {
            self.heard.push((Writer::Model, leaves(&call.arguments, 4)));
            return written_in_json(&call.arguments, &mut |place| self.mark(at.0, &place));
        }
        let words = Words { writer: Writer::Ignored, echo: false, index: false, page: None, query: None };
        shown_in_json(&call.arguments, Voice::World, &mut |_, found| self.outside(at, &found, &words));
    }

    /// The calls of a run with an id.
    fn of_id(&self, run: usize, id: &str) -> Vec<Called<'p>> {
        self.called.iter().filter(|called| called.run == run && called.call.id == id).cloned().collect()
    }

    /// A result is the words of the tools that ran. Of one tool alone single fields may be somebody else's.
    fn result(&mut self, at: (usize, usize), dialect: &str, result: &ToolResult) {
        let called = match &result.from {
            Producer::Call(id) => self.of_id(at.0, id),
            Producer::Named { server, tool, ran } => {
                let (server, tool, id) = (server.clone(), tool.clone(), String::new());
                let call = Call { id, server, tool, arguments: "{}".into(), ran: *ran, custom: false };
                let inner = calls::really_run(&call, dialect, self.policy);
                vec![Called { run: at.0, call, inner, open: false, sent: None }]
            }
        };
        let whole = whole_result(&called, result.is_error, self.policy);
        let fields = match called.as_slice() {
            [Called { inner, .. }] if !result.is_error && inner.len() == 1 => {
                inner.first().and_then(|inner| inner.rule)
            }
            _ => None,
        };
        let of_leaf = |path: &[json::Step<'_>]| {
            let field = fields.and_then(|rule| rule.fields.iter().find(|(field, _)| field.covers(path)));
            let (writer, index) = match field {
                None => (whole.writer, false),
                Some((_, Field::Of(writer))) => (*writer, false),
                Some((_, Field::Index)) => {
                    let origin = Origin::Result { row: Row::Search, ran: Default::default(), is_error: false };
                    (writer_of(origin, self.policy), true)
                }
            };
            Words { writer, index, echo: whole.echo && !index, ..whole.clone() }
        };
        let text = result.content.text();
        let is_json = matches!(result.content, Content::Json(_)) || fields.is_some() && json::looks_like_json(text);
        if whole.writer == Writer::Model {
            return written(text, &mut |place| self.mark(at.0, &place));
        }
        let mut places = Vec::new();
        if is_json {
            shown_in_json(text, Voice::World, &mut |path, found| places.push((found, of_leaf(path))));
        } else {
            shown(text, Format::Auto, voice(whole.writer), &mut |found| places.push((found, whole.clone())));
        }
        let mut heard = Vec::new();
        if is_json {
            json::walk(text, &mut |path, leaf| heard.push((of_leaf(path).writer, fold(&leaf.text))));
        } else {
            heard.push((whole.writer, fold(text)));
        }
        places.iter().for_each(|(found, words)| self.outside(at, found, words));
        self.heard.append(&mut heard);
    }

    /// What a person answered to a question tool of the host, less every address that stands in the question.
    fn person_answers(&mut self, at: (usize, usize), id: &str, text: &str, seat: Seat) {
        let called = self.of_id(at.0, id);
        let is_question = |inner: &Inner<'_>| kind(inner) == Kind::Question && inner.server.is_none();
        let question = match called.as_slice() {
            [called] if !called.inner.is_empty() && called.inner.iter().all(is_question) => {
                Some(&called.call.arguments)
            }
            _ => None,
        };
        let writer = if question.is_some() { writer_of(Origin::Answer(seat), self.policy) } else { Writer::Ignored };
        let words = Words { writer, echo: true, index: false, page: None, query: None };
        let mut found = Vec::new();
        shown(text, Format::Auto, voice(writer), &mut |one| found.push(one));
        let repeats = |one: &Found<'_>| {
            let key = Address::written(&one.spelling, one.form).map(|address| address.wide());
            key.zip(question).is_some_and(|(key, question)| stands_in(&key, question))
        };
        let repeated: Vec<&Found<'_>> = found.iter().filter(|one| repeats(one)).collect();
        for one in &found {
            // An address around one that is repeated is no more the person's than that.
            if !repeated.iter().any(|other| one.start < other.end && other.start < one.end) {
                self.outside(at, one, &words);
            }
        }
        let (mut own, mut end) = (String::new(), 0);
        for one in &repeated {
            own.extend([text.get(end..one.start).unwrap_or_default(), "\n"]);
            end = end.max(one.end);
        }
        own.push_str(text.get(end..).unwrap_or_default());
        self.heard.push((writer, fold(&own)));
    }

    /// The sources that a run sees, its own first, then those of the runs above it; in each run in the order in which
    /// they were recorded, one for each identity.
    fn sources(&self, run: usize) -> Vec<&Seen> {
        let mut sources: Vec<&Seen> = Vec::new();
        for run in self.with_those_above(run) {
            for seen in self.seen.iter().filter(|seen| seen.source && seen.at.0 == run) {
                let same = |other: &&Seen| other.at.0 == run && other.address.identity() == seen.address.identity();
                if !sources.iter().any(same) {
                    sources.push(seen);
                }
            }
        }
        sources
    }

    fn with_those_above(&self, run: usize) -> Vec<usize> {
        let above = |run: &usize| self.runs.get(*run).and_then(|Run(parent, ..)| *parent);
        std::iter::successors(Some(run), above).take(self.runs.len()).collect()
    }

    /// What comes of an asked address, and the number of the grant that opened it.
    fn answer(&self, run: usize, argument: &str, now: Option<i64>) -> (Answer, Option<usize>) {
        let asked = match Asked::parse(argument) {
            Ok(asked) if asked.address().reveal().len() > self.policy.longest => {
                return (Err(Reason::UrlTooLong), None);
            }
            Ok(asked) => asked,
            Err(AddressError::Invalid) => return (Err(Reason::InvalidUrl), None),
            Err(AddressError::Odd) => return (Err(Reason::OddSpelling), None),
        };
        let runs = self.with_those_above(run);
        let mut refused = self.why_not(&runs, &asked.address().wide());
        let hidden = self.hidden.iter().any(|run| runs.contains(run));
        let sources = self.sources(run);
        let (trusted, doubted): (Vec<&Seen>, Vec<&Seen>) =
            sources.iter().partition(|seen| !hidden || self.is_vouched_for(seen));
        if let Some((seen, step)) = resolve(&sources, &asked)
            && let Some((seen, step)) = if doubted.iter().any(|doubted| std::ptr::eq(*doubted, seen)) {
                resolve(&trusted, &asked)
            } else {
                Some((seen, step))
            }
        {
            return (Ok((seen.address.reveal().to_owned(), step, seen.writer)), None);
        }
        if resolve(&sources, &asked).is_some() {
            refused = Reason::IncompleteView;
        }
        let holds = |granted: &Granted| {
            let in_time = match granted.scope {
                Scope::Once => !granted.spent && granted.at.0 == run,
                Scope::Run => runs.contains(&granted.at.0),
                Scope::Until(end) => now.is_some_and(|now| now < end) && runs.contains(&granted.at.0),
            };
            in_time && granted.address.identity() == asked.address().identity()
        };
        let of_run =
            |run: &usize| self.grants.iter().enumerate().find(|(_, granted)| granted.at.0 == *run && holds(granted));
        let found = runs.iter().find_map(of_run);
        found.map_or((Err(refused), None), |(number, granted)| {
            (Ok((granted.address.reveal().to_owned(), Step::Grant, Writer::Person)), Some(number))
        })
    }

    /// Whether somebody of its run named a source who cannot only have repeated what the model wrote.
    fn is_vouched_for(&self, seen: &Seen) -> bool {
        let says_it = |other: &&Seen| {
            other.source && other.at.0 == seen.at.0 && other.address.identity() == seen.address.identity()
        };
        self.seen.iter().filter(says_it).any(|other| !other.echo)
    }

    /// Why no source is meant: by who wrote the address first.
    fn why_not(&self, runs: &[usize], key: &str) -> Reason {
        let seen: Vec<&Seen> =
            self.seen.iter().filter(|seen| runs.contains(&seen.at.0) && seen.address.wide() == key).collect();
        let nowhere = seen.iter().find(|seen| seen.writer == Writer::Ignored);
        let mark = self.marks.iter().find(|mark| mark.key == key).filter(|_| self.policy.order_counts);
        match (mark, nowhere) {
            (Some(mark), nowhere) if nowhere.is_none_or(|nowhere| mark.order < nowhere.order) => {
                Reason::ModelWroteFirst
            }
            (_, Some(_)) => Reason::CountsNowhere,
            (_, None) if seen.iter().any(|seen| seen.closed) => Reason::ModelWroteFirst,
            (_, None) => Reason::NeverWritten,
        }
    }
}

/// The source that an asked address means: each step over all sources in view before the next.
fn resolve<'s>(sources: &[&'s Seen], asked: &Asked) -> Option<(&'s Seen, Step)> {
    let meant = asked.address();
    let same = |seen: &Seen, step| match step {
        Step::Identical => seen.address.reveal() == asked.raw(),
        Step::Serialized => asked.raw() == meant.reveal() && seen.address.identity() == meant.identity(),
        Step::Loose => seen.address.loose() == meant.loose(),
        Step::QueryDropped => !meant.has_query() && seen.address.loose_without_query() == meant.loose_without_query(),
        Step::Truncated | Step::Convention | Step::Grant | Step::Reference => false,
    };
    let found = |step| sources.iter().copied().filter(move |seen| !seen.address.is_odd() && same(seen, step));
    for step in [Step::Identical, Step::Serialized, Step::Loose] {
        if let Some(seen) = found(step).next() {
            return Some((seen, step));
        }
    }
    let only = found(Step::QueryDropped).next()?;
    found(Step::QueryDropped)
        .all(|other| other.address.identity() == only.address.identity())
        .then_some((only, Step::QueryDropped))
}

/// Whose words a result is as a whole: `world` only if every tool that ran says so.
fn whole_result(called: &[Called<'_>], is_error: bool, policy: &Policy) -> Words {
    let strictness = |writer: &Writer| {
        [Writer::Person, Writer::World, Writer::Ignored, Writer::Model].iter().position(|other| other == writer)
    };
    let of = |called: &Called<'_>| {
        calls::result_writer(&called.inner, called.call.ran, called.call.custom, is_error, policy)
    };
    let only = if let [Called { inner, .. }] = called
        && let [inner] = inner.as_slice()
    {
        inner.rule
    } else {
        None
    };
    // A raw page that a guarded request without anything else in it brought holds nothing that the call put there.
    let is_page = |called: &Called<'_>| called.open && called.inner.iter().all(|inner| kind(inner) == Kind::Page);
    let is_search = |called: &&Called<'_>| called.inner.iter().all(|inner| kind(inner) == Kind::Search);
    let single = if let [called] = called { Some(called) } else { None };
    Words {
        writer: called.iter().map(of).max_by_key(strictness).unwrap_or(Writer::Ignored),
        echo: only.and_then(|rule| rule.may_echo).unwrap_or(!called.iter().all(is_page)),
        index: false,
        page: single.filter(|called| is_page(called)).and_then(|called| called.sent.clone()),
        query: single.filter(is_search).map(|called| called.call.arguments.to_string()),
    }
}

/// Whether a part stands in a text as a word of its own: between characters that stand in no identifier, or between the dots
/// of a host.
fn is_a_word_of(part: &str, text: &str) -> bool {
    let joins = |letter: char| matches!(letter, '-' | '_' | '~' | '@' | '$' | '\'');
    // Between two joints stands a word too.
    let is_joined = part.contains(joins);
    let inner =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || is_joined && joins(letter));
    // What has delimiters in it is several words.
    let delimits = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, '/' | '?' | '&' | '=' | '#' | '"' | '<' | '>' | '`' | '|' | ',' | ';' | '\\')
    };
    !part.contains(delimits)
        && text.match_indices(part).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + part.len()..).and_then(|text| text.chars().next());
            !inner(before) && !inner(after)
        })
}

fn voice(writer: Writer) -> Voice {
    if writer == Writer::Person { Voice::Person } else { Voice::World }
}

fn kind(inner: &Inner<'_>) -> Kind {
    inner.kind
}

/// Whether a wide key is a host and nothing more.
fn is_root(key: &str) -> bool {
    !key.contains(['/', '?'])
}

/// Whether a host, or a part of one up to its end, stands where an address has one: in front, or behind the scheme of an
/// address in it. The address itself is not meant.
fn is_at_a_host(root: &str, key: &str) -> bool {
    let host = key.find(['/', '?']).unwrap_or(key.len());
    root != key
        && key.match_indices(root).any(|(at, _)| {
            let before = key.get(..at).unwrap_or_default();
            let apart = !before.ends_with(char::is_alphanumeric);
            apart && (at < host || before.ends_with("//") || before.ends_with(":/"))
        })
}

/// Whether an address stands in the arguments of a call, in whole, as a part or with more.
fn stands_in(key: &str, arguments: &str) -> bool {
    let mut stands = false;
    written_in_json(arguments, &mut |place| {
        stands |= place.key.contains(key) || !is_site_root(&place.key) && key.contains(&place.key);
    });
    stands
}

/// The labels, path segments, and names and values of the query of an address, folded.
fn parts(address: &Address) -> Vec<String> {
    let rest = address.reveal().split_once("://").map_or("", |(_, rest)| rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let pairs = query.split('&').flat_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        [name, value]
    });
    in_pieces(host.split(['.', ':', '@']).chain(path.split('/')).chain(pairs).map(fold))
}

/// Parts, and what is between the separators in them.
fn in_pieces(parts: impl Iterator<Item = String>) -> Vec<String> {
    let separates = |letter: char| r#"/?&=#;,:|@~$!*"'()[]{}<>"#.contains(letter);
    parts
        .flat_map(|part| part.split(separates).map(str::trim).chain([&*part]).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Every name, string and number of a JSON text, folded, also of JSON texts in its strings, four in each other.
fn leaves(text: &str, inside: usize) -> String {
    let mut all = String::new();
    json::walk(text, &mut |_, leaf| {
        all.push_str(&fold(&leaf.text));
        all.push('\n');
        if inside > 0 && json::looks_like_json(&leaf.text) {
            all.push_str(&leaves(&leaf.text, inside - 1));
        }
    });
    all
}

fn fold(text: &str) -> String {
    folded_words(text).into_owned()
}
