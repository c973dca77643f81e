//! Whose words each text of a conversation is, as the slow statement of the rule takes them.
//!
//! The table of positions and the table of tools say it; here their answers are put together: for the parts of a message,
//! for a result of several tools, for the fields of one, for a person's answer less what the question held.

use std::collections::BTreeSet;
use std::ops::Range;

use firsthand::address::{Address, Form};
use firsthand::calls::{self, Fields, Inner, Shape};
use firsthand::conversation::{Body, Call, Content, Producer, Relayed, Seat, ToolResult};
use firsthand::find::{Format, Voice, shown};
use firsthand::json::{self, Path};
use firsthand::policy::{Field, Kind, Policy, ToolRule};
use firsthand::writer::{Origin, Row, Writer, writer_of};

use crate::parts::stands_in;

/// How many addresses that the calls of one id may not open are told apart.
const MAX_REFUSED: usize = 256;

/// Whose words a place of a text is: whether their tool may echo, whether they are a search index's own, what page they
/// stand on and what was searched for.
#[derive(Clone, Debug)]
pub struct Words {
    /// Who wrote them.
    pub writer: Writer,
    /// Whoever brought them may have repeated what the model wrote.
    pub echo: bool,
    /// They stand in a search index's own field.
    pub index: bool,
    /// What links are resolved against.
    pub page: Option<Address>,
    /// The arguments of the search.
    pub query: Option<String>,
    /// The wide keys of the addresses that the tool was asked for and may not open.
    pub refused: Vec<String>,
}

/// What one writer wrote of a text.
#[derive(Clone, Debug)]
pub struct Said<'t> {
    /// The whole text.
    pub text: &'t str,
    /// The ranges of it that are the writer's.
    pub pieces: Vec<Range<usize>>,
    /// Whose words they are.
    pub words: Words,
}

/// A call, what really ran, whether all of its addresses opened, and what left if it was one.
#[derive(Clone, Debug)]
pub struct Called<'p> {
    /// The run that made it.
    pub run: usize,
    /// The call.
    pub call: Call,
    /// What really ran.
    pub inner: Vec<Inner<'p>>,
    /// All of its addresses opened, and nothing else was sent.
    pub open: bool,
    /// What left, if it was one address.
    pub sent: Option<Address>,
    /// The wide keys of the addresses that may not be opened.
    pub refused: Vec<String>,
}

/// A result, with the words of each place in it.
#[derive(Clone, Debug)]
pub struct Returned<'p> {
    /// The words of the result as a whole.
    pub whole: Words,
    /// The words of where redirects led, where the page's address was let be opened.
    pub redirects: Option<Words>,
    /// It is read as JSON, place by place.
    pub is_json: bool,
    fields: Vec<(Path, Field)>,
    is_search: bool,
    index_writer: Writer,
    result: &'p ToolResult,
    policy: &'p Policy,
}

/// What stands in a message, a document or a summary.
pub fn said<'t>(body: &'t Body, seat: Seat, policy: &Policy) -> Vec<Said<'t>> {
    match body {
        Body::User { text, relayed } => {
            let (all, none) = (around(&[], text.len()), Vec::new());
            let (own, passed_on) = match relayed {
                Relayed::No => (all, none),
                Relayed::Whole => (none, all),
                Relayed::Spans(spans) => (around(spans, text.len()), around(&around(spans, text.len()), text.len())),
            };
            let own = Said { text, pieces: own, words: Words::of(Origin::User(seat), policy) };
            // What an application passes on may come from a mailbox that the model wrote to.
            let words = Words { echo: true, ..Words::of(Origin::Relay(seat), policy) };
            [own, Said { text, pieces: passed_on, words }].into_iter().filter(|said| !said.pieces.is_empty()).collect()
        }
        Body::Said { by, text } => vec![Said::whole(text, Words::of(Origin::Said(*by), policy))],
        Body::Attachment { text, from_agent_path, .. } => {
            let origin = Origin::Attachment { from_agent_path: *from_agent_path };
            vec![Said::whole(text, Words::of(origin, policy))]
        }
        Body::Call(_) | Body::Result(_) | Body::Answer { .. } => Vec::new(),
        Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => Vec::new(),
    }
}

/// What a person answered to a question tool of the host, less every address that stands in the question.
pub fn answered<'t>(called: &[Called<'_>], text: &'t str, seat: Seat, policy: &Policy) -> Said<'t> {
    let is_question = |inner: &Inner<'_>| kind(inner) == Kind::Question && inner.server.is_none();
    let (writer, question) = match called {
        [Called { inner, call, .. }] if !inner.is_empty() && inner.iter().all(is_question) => {
            (writer_of(Origin::Answer(seat), policy), &*call.arguments)
        }
        _ => (Writer::Ignored, ""),
    };
    let mut repeated = Vec::new();
    shown(text, Format::Auto, Voice::Person, &mut |found| {
        let address = Address::written(&found.spelling, found.form);
        if address.is_some_and(|address| stands_in(&address.wide(), question)) {
            repeated.push(found.start..found.end);
        }
    });
    Said { text, pieces: around(&repeated, text.len()), words: Words { echo: true, ..Words::by(writer) } }
}

/// A tool that a server ran, of which only the name is known.
pub fn named<'p>(run: usize, from: &Producer, dialect: &str, policy: &'p Policy) -> Option<Called<'p>> {
    let Producer::Named { server, tool, ran } = from else { return None };
    let call = Call::named(server.as_deref(), tool, *ran);
    let inner = calls::really_run(&call, dialect, policy);
    Some(Called { run, call, inner, open: false, sent: None, refused: Vec::new() })
}

/// A result is the words of the tools that ran. Single fields of one may be somebody else's; of several tools those count
/// that say less than the result.
pub fn returned<'p>(called: &[Called<'p>], result: &'p ToolResult, policy: &'p Policy) -> Returned<'p> {
    let mut whole = Words::of_result(called, result.is_error, policy);
    let is_search = called.iter().flat_map(|called| &called.inner).any(|inner| kind(inner) == Kind::Search);
    let fields = match called {
        [only] => calls::fields_of(&only.inner, only.call.custom, policy),
        several => {
            let each = several.iter().flat_map(|called| calls::fields_of(&called.inner, called.call.custom, policy));
            each.filter(|(_, field)| matches!(field, Field::Of(Writer::Ignored | Writer::Model))).collect()
        }
    };
    let search = Origin::Result { row: Row::Search, ran: Default::default(), is_error: false };
    let index_writer = writer_of(search, policy);
    let redirects = match called {
        [only] if only.is_page() => Some(Words::of_result(called, false, policy)),
        _ => None,
    };
    let last = result.redirects.iter().rev().find_map(|to| Address::written(to, Form::Absolute));
    if !result.is_error && redirects.is_some() && whole.page.is_some() {
        whole.page = last.filter(|last| !last.is_odd()).or(whole.page);
    }
    let mut returned = Returned { whole, redirects, is_json: false, fields, is_search, index_writer, result, policy };
    match returned.fields().shape(&result.content) {
        Shape::Leaves => returned.is_json = true,
        Shape::Whole => {
            let is_the_models = returned.whole.writer == Writer::Model;
            returned.is_json = matches!(result.content, Content::Json(_)) && !is_the_models;
        }
        Shape::Mixed if returned.whole.writer == Writer::Model => {}
        Shape::Mixed => returned.whole.writer = Writer::Ignored,
    }
    returned
}

impl Returned<'_> {
    fn fields(&self) -> Fields<'_> {
        Fields::new(&self.fields, self.is_search, self.whole.writer, self.result, self.policy)
    }

    /// The words of a place, a leaf with this text.
    pub fn at(&self, path: &[json::Step<'_>], text: &str) -> Words {
        let whole = self.whole.clone();
        match self.fields().at(path, text) {
            None => whole,
            Some(Field::Of(writer)) => Words { writer, ..whole },
            Some(Field::Index) => Words { writer: self.index_writer, index: true, echo: false, ..whole },
        }
    }
}

impl<'t> Said<'t> {
    /// All of a text.
    pub fn whole(text: &'t str, words: Words) -> Self {
        Self { text, pieces: around(&[], text.len()), words }
    }
}

impl Words {
    /// Words of this writer, who echoes nothing.
    pub fn by(writer: Writer) -> Self {
        Self { writer, echo: false, index: false, page: None, query: None, refused: Vec::new() }
    }

    fn of(origin: Origin, policy: &Policy) -> Self {
        Self::by(writer_of(origin, policy))
    }

    /// Whose words a result is as a whole: `world` only if every tool that ran says so.
    fn of_result(called: &[Called<'_>], is_error: bool, policy: &Policy) -> Self {
        let order = [Writer::Person, Writer::World, Writer::Ignored, Writer::Model];
        let strictness = |writer: &Writer| order.iter().position(|other| other == writer);
        let of = |called: &Called<'_>| {
            calls::result_writer(&called.inner, called.call.ran, called.call.custom, is_error, policy)
        };
        let may_echo = |called: &Called<'_>| called.only_rule().and_then(|rule| rule.may_echo);
        let single = if let [called] = called { Some(called) } else { None };
        let is_search = |called: &&Called<'_>| called.inner.iter().any(|inner| kind(inner) == Kind::Search);
        Self {
            writer: called.iter().map(of).max_by_key(strictness).unwrap_or(Writer::Ignored),
            echo: called.iter().any(|called| may_echo(called).unwrap_or(!called.is_page())),
            index: false,
            page: single.filter(|called| called.is_page()).and_then(|called| called.sent.clone()),
            refused: refused(called),
            query: single.filter(is_search).map(|called| called.call.arguments.to_string()),
        }
    }
}

/// The wide keys of what the calls of one id may not open. Of too many everything counts as an extension.
fn refused(called: &[Called<'_>]) -> Vec<String> {
    let all: BTreeSet<&String> = called.iter().flat_map(|called| &called.refused).collect();
    let is_too_many = |count: usize| count > MAX_REFUSED;
    if is_too_many(all.len()) || called.iter().any(|called| is_too_many(called.refused.len())) {
        return vec![String::new()];
    }
    all.into_iter().cloned().collect()
}

impl<'p> Called<'p> {
    /// Whether it brought a raw page, by a guarded request without anything else in it: that holds nothing that the call put
    /// there.
    fn is_page(&self) -> bool {
        self.open && self.inner.iter().all(|inner| kind(inner) == Kind::Page)
    }

    /// What is known of the tool, if just one ran.
    fn only_rule(&self) -> Option<&'p ToolRule> {
        if let [only] = self.inner.as_slice() { only.rule } else { None }
    }
}

fn kind(inner: &Inner<'_>) -> Kind {
    inner.kind
}

/// The ranges of a text around others; of none, all of it.
fn around(ranges: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_by_key(|range| range.start);
    sorted.push(length..length);
    let mut end = 0;
    let mut around = Vec::new();
    for range in sorted {
        around.extend((end < range.start).then_some(end..range.start));
        end = end.max(range.end);
    }
    around
}
