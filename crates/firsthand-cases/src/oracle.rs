//! The rule, stated a second time and slowly.
//!
//! It is written from the contract and shares nothing with the ledger. Finding addresses and reading one, the table of
//! positions and the table of tools are taken as they are; other tests hold those. How two addresses compare is said in
//! [`parts`](crate::parts), and whose words each text is in [`whose`](crate::whose). Nothing is kept between questions:
//! each reads all items again, in the order in which they were written, into one list of what was seen, and looks through
//! that list. Host lists, permissions, what else a call sends and the time are not asked about.

use std::collections::BTreeSet;

use firsthand::address::{Address, AddressError, Asked, Form, is_bare_root, is_site_root, wide_key, wide_key_extends};
use firsthand::calls::{self, Inner, Opens};
use firsthand::conversation::{Body, Call, Producer, Scope, Seat, Speaker, ToolResult};
use firsthand::credential;
use firsthand::find::{Format, Found, Voice, Written, shown, shown_in_json, written, written_in_json};
use firsthand::json;
use firsthand::policy::{Credentials, Policy};
use firsthand::verdict::{Reason, Step};
use firsthand::writer::{Origin, Writer, writer_of};

use crate::made::{derivations, made};
use crate::parts::{
    fold, is_a_word_of, is_in_query, is_root, is_within, leaves, long_runs, meant, page, parts, stands_in,
    stands_piecemeal, without_escapes,
};
use crate::tree::{Place, Run, Tree};
use crate::whose::{self, Called, Said, Words};

/// What the rule says of an asked address: what leaves, how it was found and who wrote it first, or why it stays closed.
pub type Answer = Result<(String, Step, Writer), Reason>;

/// What a run gets when it asks for each address after all items were written.
pub fn ask(tree: &Tree, policy: &Policy, run: usize, arguments: &[String]) -> Vec<Answer> {
    let record = Record::of(tree, policy);
    arguments.iter().map(|argument| record.answer(run, argument, false).0).collect()
}

/// Every `send` that some ask of a run could get, grants aside.
pub fn sends(tree: &Tree, policy: &Policy, run: usize) -> BTreeSet<String> {
    let mut record = Record::of(tree, policy);
    record.grants.clear();
    let sources: Vec<String> = record.sources(run).iter().map(|seen| seen.address.reveal().to_owned()).collect();
    let made = sources.iter().flat_map(|source| derivations(source));
    let answers = made.chain(sources.clone()).map(|argument| record.answer(run, &argument, false).0);
    answers.filter_map(|answer| answer.ok().map(|(send, ..)| send)).collect()
}

/// An address in a text that is not the model's.
struct Seen {
    at: Place,
    order: usize,
    address: Address,
    writer: Writer,
    source: bool,
    /// It may only repeat what the model wrote.
    closed: bool,
    /// The tool that wrote it may have repeated what the model wrote.
    echo: bool,
}

/// An address in a text of the model's that is no mere copy; and the key of the source that it begins with, if it is one
/// with more behind it: then its beginnings are that source's.
struct Mark {
    order: usize,
    key: String,
    copied: Option<String>,
}

struct Granted {
    at: Place,
    address: Address,
    scope: Scope,
    spent: bool,
}

struct Record<'p> {
    tree: &'p Tree,
    policy: &'p Policy,
    /// How many items were read.
    order: usize,
    seen: Vec<Seen>,
    marks: Vec<Mark>,
    /// Texts of a person or the world, and arguments of calls (the model's), folded.
    heard: Vec<(Writer, String)>,
    /// How many of them stood before the item that is read.
    heard_before: usize,
    called: Vec<Called<'p>>,
    grants: Vec<Granted>,
    /// Texts of people and operators: whose values may leave, whatever they look like.
    given: Vec<(Place, String)>,
    /// The runs of which calls are hidden.
    hidden: Vec<usize>,
}

impl<'p> Record<'p> {
    fn of(tree: &'p Tree, policy: &'p Policy) -> Self {
        let (seen, marks, heard, called, given) = (vec![], vec![], vec![], vec![], vec![]);
        let (grants, hidden) = (vec![], vec![]);
        let mut record =
            Self { tree, policy, order: 0, heard_before: 0, seen, marks, heard, called, grants, given, hidden };
        for (order, (at, item)) in tree.places().enumerate() {
            record.order = order;
            record.heard_before = record.heard.len();
            record.item(at, &item.body);
        }
        record
    }

    fn item(&mut self, at: Place, body: &Body) {
        let Some(&Run(_, seat, dialect)) = self.tree.runs.get(at.0) else { return };
        match body {
            Body::User { .. } | Body::Said { .. } | Body::Attachment { .. } => {
                // Calls may stand in what compaction left out.
                let is_summary = matches!(body, Body::Said { by: Speaker::Summary, .. });
                let nothing_called = !self.called.iter().any(|called| called.run == at.0);
                self.hidden.extend((is_summary && nothing_called).then_some(at.0));
                if let Body::Said { by: Speaker::System, text } = body {
                    self.given.push((at, text.to_string()));
                }
                whose::said(body, seat, self.policy).iter().for_each(|said| self.text(at, said));
            }
            Body::Answer { call, text } => {
                self.text(at, &whose::answered(&self.of_id(at.0, call), text, seat, self.policy));
            }
            Body::Call(call) => self.call(at, seat, call, calls::really_run(call, dialect, self.policy)),
            Body::Result(result) => self.result(at, dialect, result),
            Body::Grant { address, scope } => {
                let text = address.clone();
                let address = Address::written(address, Form::Absolute).filter(|address| !address.is_odd());
                self.given.extend(address.is_some().then_some((at, text)));
                self.grants.extend(address.map(|address| Granted { at, address, scope: *scope, spent: false }));
            }
            Body::Rewind { to } => {
                // Marks stay. Sources and grants that stand only in what was taken back do not count.
                let taken_back = |(run, item): Place| run == at.0 && item >= *to;
                self.seen.iter_mut().for_each(|seen| seen.source &= !taken_back(seen.at));
                self.grants.retain(|granted| !taken_back(granted.at));
                self.given.retain(|(at, _)| !taken_back(*at));
            }
            Body::Hidden { calls, .. } => self.hidden.extend(calls.then_some(at.0)),
        }
    }

    /// What somebody wrote of a text. An address that does not stand in one piece of it whole is not theirs.
    fn text(&mut self, at: Place, Said { text, pieces, words }: &Said<'_>) {
        if words.writer == Writer::Model {
            return written(text, &mut |place| self.mark(at.0, &place));
        }
        let voice = if words.writer == Writer::Person { Voice::Person } else { Voice::World };
        shown(text, Format::Auto, voice, &mut |found| {
            if pieces.iter().any(|piece| piece.start <= found.start && found.end <= piece.end) {
                self.outside(at, &found, words);
            }
        });
        for piece in pieces.iter().map(|piece| text.get(piece.clone()).unwrap_or_default()) {
            self.heard.push((words.writer, fold(piece)));
            self.given.extend((words.writer == Writer::Person).then(|| (at, piece.to_owned())));
        }
    }

    /// The model's writing closes a wide key, unless it copies a source that the run sees.
    fn mark(&mut self, run: usize, place: &Written<'_>) {
        let copied = place.spelling.and_then(|spelling| {
            let read = |form| Address::written(spelling, form);
            let address = read(Form::Absolute).or_else(|| read(Form::Bare))?;
            let is_source = self.sources(run).iter().any(|seen| seen.address.identity() == address.identity());
            is_source.then(|| address.wide())
        });
        if copied.is_none() || place.beyond {
            self.marks.push(Mark { order: self.order, key: place.key.to_owned(), copied });
        }
    }

    /// An address in a text that is not the model's.
    fn outside(&mut self, at: Place, found: &Found<'_>, words: &Words) {
        let address = match found.form {
            Form::Absolute | Form::Bare => Address::written(&found.spelling, found.form),
            Form::Relative => words.page.as_ref().and_then(|page| page.joined(&found.spelling)),
        };
        let Some(address) = address else { return };
        let writer = words.writer;
        let known = |seen: &Seen| seen.source && seen.at.0 == at.0 && seen.address.identity() == address.identity();
        let closed = writer == Writer::World
            && self.policy.order_counts
            && !self.seen.iter().any(known)
            && (words.refused.iter().any(|asked| wide_key_extends(&address.wide(), asked))
                || self.is_the_models(at.0, &address, words));
        let source = !closed && matches!(writer, Writer::Person | Writer::World);
        let echo = words.echo && writer == Writer::World;
        self.seen.push(Seen { at, order: self.order, address, writer, source, closed, echo });
    }

    /// Whether an address in the world's text repeats what the model wrote, or is made of it.
    fn is_the_models(&self, run: usize, address: &Address, words: &Words) -> bool {
        let (key, sources) = (address.wide(), self.sources(run));
        // A root may be a truncation: a prefix of what a source wrote.
        let below = sources.iter().any(|seen| seen.address.identity().starts_with(address.identity()));
        if address.is_root() && (words.index || below) {
            return false;
        }
        // An engine fills what was searched for into queries, and several words into paths.
        let filled_in = |part: &String| part.contains(' ') || is_in_query(part, address);
        if words.index && parts(address).iter().any(|part| filled_in(part) && self.is_put_in(part)) {
            return true;
        }
        let searched_for = words.query.as_deref().is_some_and(|query| stands_in(&key, query));
        if words.index && self.policy.index_fields && !searched_for {
            return false;
        }
        self.marks.iter().any(|mark| mark.key == key)
            || words.echo && (self.is_cut_or_extended(run, address, &key) || self.is_assembled(address))
    }

    /// Whether it begins a marked address that is no source, extends one or contains one. Roots of sites do not count: who
    /// names a site has not written its pages. A root with further labels may hold something in them.
    fn is_cut_or_extended(&self, run: usize, address: &Address, key: &str) -> bool {
        let names_a_site = address.is_root() && is_site_root(key);
        let is_source = |mark: &Mark| {
            let first = |run: usize| {
                let under = || self.seen.iter().filter(|seen| seen.at.0 == run && seen.address.wide() == mark.key);
                under().find(|seen| seen.source).filter(|_| !under().any(|seen| seen.closed))
            };
            let firsts = self.tree.with_those_above(run).into_iter().filter_map(first);
            firsts.map(|seen| page(&seen.address)).any(|of| of.contains(page(address)) || page(address).contains(of))
        };
        let mut inner = Vec::new();
        written(address.reveal(), &mut |place| inner.push(place.key.to_owned()));
        !names_a_site
            && self.marks.iter().filter(|mark| !is_source(mark)).any(|mark| {
                let is_near = |key: &str| {
                    let beyond_the_copy = mark.copied.as_ref().is_none_or(|copied| key.len() > copied.len());
                    beyond_the_copy && wide_key_extends(&mark.key, key)
                        || !is_root(&mark.key) && wide_key_extends(key, &mark.key)
                };
                let within = !is_bare_root(&mark.key) && is_within(&mark.key, key);
                within || is_near(key) || inner.iter().any(|key| !is_root(key) && (*key == mark.key || is_near(key)))
            })
    }

    /// Whether a part of it stood in calls, eight bytes by eight bytes, before the world wrote it, and no person did.
    fn is_assembled(&self, address: &Address) -> bool {
        parts(address).iter().any(|part| self.is_put_in(part)) || self.has_labels_put_in(address)
    }

    /// Whether the labels before its site did, unless a person or the world wrote the host before.
    fn has_labels_put_in(&self, address: &Address) -> bool {
        let (labels, host) = (fold(address.labels_before_site()), fold(address.host()));
        let mut argued = String::new();
        let anothers = self.heard.iter().take(self.heard_before).any(|(writer, text)| match writer {
            Writer::Model => {
                argued.push_str(text);
                false
            }
            Writer::Person => is_a_word_of(&host, text),
            Writer::World => is_a_word_of(&host, text) && !stands_piecemeal(&host, &argued),
            Writer::Ignored => false,
        });
        labels.len() >= 8 && self.is_put_in(&labels) && !anothers
    }

    fn is_put_in(&self, part: &str) -> bool {
        let (mut argued, mut persons) = (String::new(), String::new());
        for (writer, text) in &self.heard {
            match writer {
                Writer::Model => argued.push_str(text),
                Writer::Person => persons.extend([text, "\n"]),
                Writer::World if is_a_word_of(part, text) && !stands_piecemeal(part, &argued) => return false,
                Writer::World | Writer::Ignored => {}
            }
        }
        stands_piecemeal(part, &argued) && !stands_piecemeal(part, &persons)
    }

    /// A call is judged first. Then its arguments are the model's text.
    fn call(&mut self, at: Place, seat: Seat, call: &Call, inner: Vec<Inner<'p>>) {
        let opens = inner.iter().map(calls::opens).filter(|opens| !opens.addresses.is_empty());
        let (undeclared, opens): (Vec<_>, Vec<_>) = opens.partition(|opens| opens.undeclared);
        // Nobody knows what a tool that nobody declared does with an address that it is given.
        let given = undeclared.iter().flat_map(|opens| &opens.addresses);
        let spent: Vec<usize> = given.filter_map(|argument| self.answer(at.0, argument, false).1).collect();
        let (mut sent, mut granted, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        let (mut open, mut has_payload) = (true, false);
        let is_write = |program| opens.iter().any(|opens: &Opens| opens.program == program && opens.payload);
        let writes = [is_write(false), is_write(true)];
        for opens in opens {
            has_payload |= opens.payload;
            let is_advice = opens.program;
            let is_write = writes.get(usize::from(is_advice)).is_some_and(|is_write| *is_write);
            for argument in opens.addresses {
                let (answer, grant) = self.answer(at.0, &argument, is_write);
                granted.extend(grant);
                open &= answer.is_ok();
                let key = wide_key(&argument);
                refused.extend((answer.is_err() && !is_advice && !key.is_empty()).then_some(key));
                sent.extend(answer.ok().and_then(|(send, ..)| Address::written(&send, Form::Absolute)));
            }
        }
        // A person who is asked about what is sent along may say yes.
        let may_open = open && (!has_payload || seat == Seat::Person);
        open &= !sent.is_empty() && !has_payload;
        for (number, grant) in self.grants.iter_mut().enumerate() {
            let is_used = may_open && granted.contains(&number) || spent.contains(&number) && grant.at.0 == at.0;
            grant.spent |= is_used && grant.scope == Scope::Once;
        }
        let sent = if open && sent.len() == 1 { sent.pop() } else { None };
        self.called.push(Called { run: at.0, call: call.clone(), inner, open, sent, refused });
        if writer_of(Origin::Arguments, self.policy) == Writer::Model {
            self.heard.push((Writer::Model, leaves(&call.arguments, 4)));
            for name in [call.server.as_deref(), Some(&*call.tool), Some(&*call.id)].into_iter().flatten() {
                written(name, &mut |place| self.mark(at.0, &place));
            }
            return written_in_json(&call.arguments, &mut |place| self.mark(at.0, &place));
        }
        self.json(at, &call.arguments, &|_, _| Words::by(Writer::Ignored));
    }

    /// A JSON text: whose words each place is is told by its path.
    fn json(&mut self, at: Place, text: &str, words: &dyn Fn(&[json::Step<'_>], &str) -> Words) {
        let mut leaves = Vec::new();
        json::walk(text, &mut |path, leaf| {
            let words = words(path, &leaf.text);
            match words.writer {
                Writer::Model => written(&leaf.text, &mut |place| self.mark(at.0, &place)),
                writer @ (Writer::Person | Writer::World | Writer::Ignored) => {
                    self.heard.push((writer, fold(&leaf.text)));
                    self.given.extend((writer == Writer::Person).then(|| (at, leaf.text.to_string())));
                }
            }
            leaves.push((leaf.raw, words));
        });
        shown_in_json(text, Voice::World, &mut |_, found| {
            let leaf = leaves.iter().find(|(raw, _)| raw.contains(&found.start));
            self.outside(at, &found, &leaf.map_or_else(|| words(&[], ""), |(_, words)| words.clone()));
        });
    }

    /// The calls of a run with an id.
    fn of_id(&self, run: usize, id: &str) -> Vec<Called<'p>> {
        self.called.iter().filter(|called| called.run == run && called.call.id == id).cloned().collect()
    }

    fn result(&mut self, at: Place, dialect: &str, result: &ToolResult) {
        let called = match &result.from {
            Producer::Call(id) => self.of_id(at.0, id),
            Producer::Named { .. } => whose::named(at.0, &result.from, dialect, self.policy).into_iter().collect(),
        };
        let returned = whose::returned(&called, result, self.policy);
        for to in result.redirects.iter().filter(|_| returned.redirects.is_some()) {
            let found = Found { start: 0, end: to.len(), spelling: to.into(), form: Form::Absolute };
            returned.redirects.iter().for_each(|words| self.outside(at, &found, words));
        }
        match returned.is_json {
            true => self.json(at, result.content.text(), &|path, leaf| returned.at(path, leaf)),
            false => self.text(at, &Said::whole(result.content.text(), returned.whole)),
        }
    }

    /// The sources that a run sees, its own first, then those of the runs above it; in each run in the order in which
    /// they were recorded, one for each identity.
    fn sources(&self, run: usize) -> Vec<&Seen> {
        let mut sources: Vec<&Seen> = Vec::new();
        for run in self.tree.with_those_above(run) {
            for seen in self.seen.iter().filter(|seen| seen.source && seen.at.0 == run) {
                if !sources.iter().any(|other| other.is_same(seen)) {
                    sources.push(seen);
                }
            }
        }
        sources
    }

    /// What comes of an asked address, and the number of the grant that opened it. A write sends more than the address.
    fn answer(&self, run: usize, argument: &str, is_write: bool) -> (Answer, Option<usize>) {
        let asked = match Asked::parse(argument) {
            Ok(asked) if asked.address().reveal().len() <= self.policy.longest => asked,
            Ok(_) => return (Err(Reason::UrlTooLong), None),
            Err(AddressError::Invalid) => return (Err(Reason::InvalidUrl), None),
            Err(AddressError::Odd) => return (Err(Reason::OddSpelling), None),
        };
        let (runs, mut sources) = (self.tree.with_those_above(run), self.sources(run));
        let mut refused = self.why_not(&runs, &asked.address().wide());
        // Where calls are hidden, the word of a tool that may only have repeated them is not enough.
        let hidden = self.hidden.iter().any(|run| runs.contains(run));
        if hidden && self.found(&asked, &runs, &sources).is_some_and(|(seen, ..)| !self.is_vouched_for(seen)) {
            sources.retain(|seen| self.is_vouched_for(seen));
            refused = Reason::IncompleteView;
        }
        if let Some((seen, send, step)) = self.found(&asked, &runs, &sources) {
            let is_looked_at = match self.policy.credentials {
                Credentials::Off => false,
                Credentials::Derived => is_write || matches!(step, Step::Truncated | Step::Convention),
                Credentials::Every => true,
            };
            if is_looked_at && self.holds_a_strangers_credential(&runs, &send) {
                return (Err(Reason::CredentialInUrl), None);
            }
            return (Ok((send, step, seen.writer)), None);
        }
        let holds = |granted: &Granted| match granted.scope {
            Scope::Once => !granted.spent && granted.at.0 == run,
            Scope::Run => true,
            Scope::Until(_) => false,
        };
        let opens = |granted: &Granted| holds(granted) && granted.address.identity() == asked.address().identity();
        let of_run = |run: &usize| self.grants.iter().position(|granted| granted.at.0 == *run && opens(granted));
        let number = runs.iter().find_map(of_run);
        let granted = number.and_then(|number| self.grants.get(number));
        let send = granted.map(|granted| (granted.address.reveal().to_owned(), Step::Grant, Writer::Person));
        (send.ok_or(refused), number)
    }

    /// Whether an address carries what looks like a credential and no person or operator wrote in the run or above it.
    fn holds_a_strangers_credential(&self, runs: &[usize], address: &str) -> bool {
        let mut texts = Vec::new();
        for (_, text) in self.given.iter().filter(|(at, _)| runs.contains(&at.0)) {
            texts.extend([text.clone(), without_escapes(text)]);
        }
        let is_given = |value: &str| {
            let runs = long_runs(value);
            !runs.is_empty() && runs.iter().all(|run| texts.iter().any(|text| long_runs(text).contains(run)))
        };
        let mut holds = false;
        credential::each_in(address, &mut |value, within| holds |= !is_given(value) && !is_given(within));
        holds
    }

    /// The source that is meant, or of which what is meant is made, what leaves, and the step.
    fn found<'s>(&self, asked: &Asked, runs: &[usize], sources: &[&'s Seen]) -> Option<(&'s Seen, String, Step)> {
        if let Some((seen, step)) = meant(asked, sources) {
            return Some((*seen, seen.address.reveal().to_owned(), step));
        }
        let of_run = |run: &usize| sources.iter().copied().filter(|seen| seen.at.0 == *run).collect();
        let by_run: Vec<Vec<&Seen>> = runs.iter().map(of_run).collect();
        made(asked, &by_run, self.policy.truncation, self.policy.conventions)
    }

    /// Whether somebody of its run named a source who cannot only have repeated what the model wrote.
    fn is_vouched_for(&self, seen: &Seen) -> bool {
        self.seen.iter().any(|other| other.source && other.is_same(seen) && !other.echo)
    }

    /// Why no source is meant: by who wrote the address first.
    fn why_not(&self, runs: &[usize], key: &str) -> Reason {
        let of_key = |seen: &&Seen| runs.contains(&seen.at.0) && seen.address.wide() == key;
        let seen: Vec<&Seen> = self.seen.iter().filter(of_key).collect();
        let nowhere = seen.iter().find(|seen| seen.writer == Writer::Ignored);
        let mark = self.marks.iter().find(|mark| mark.key == key).filter(|_| self.policy.order_counts);
        match (mark, nowhere) {
            (Some(mark), Some(nowhere)) if mark.order < nowhere.order => Reason::ModelWroteFirst,
            (_, Some(_)) => Reason::CountsNowhere,
            (Some(_), None) => Reason::ModelWroteFirst,
            (None, None) if seen.iter().any(|seen| seen.closed) => Reason::ModelWroteFirst,
            (None, None) => Reason::NeverWritten,
        }
    }
}

impl Seen {
    /// Whether it is the same source: of the same run, under the same identity.
    fn is_same(&self, other: &Self) -> bool {
        self.at.0 == other.at.0 && self.address.identity() == other.address.identity()
    }
}

impl AsRef<Address> for Seen {
    fn as_ref(&self) -> &Address {
        &self.address
    }
}
