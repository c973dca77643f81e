//! Where the links of answers came from: copied, built by a rule or a convention, or neither.
//!
//! Nothing is filtered by it. It is counted, to show what a filter would cost and how many links nobody gave.

mod convention;
mod words;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use firsthand::address::{Address, Form};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Conversation, Item, Producer, Seat, Speaker, ToolResult};
use firsthand::policy::{Policy, Writer};
use firsthand::replay::{Told, replay};
use serde::Serialize;

use crate::find::find;
use crate::seen::{begins_turn, documents};
use crate::shortcut::Shortcuts;
use crate::target::Target;
use crate::unwrap::unwrap;
use words::Words;

pub use convention::{CONVENTIONS, Convention};

/// Where a link's address came from. Where several hold, the first of them is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It stands in a tool result of the world before the answer.
    ToolResult,
    /// It stands in a person's message, answer or attachment before the answer.
    Person,
    /// It follows a registered shortcut rule.
    Shortcut,
    /// It follows a convention of its site, and what fills it stands before the answer.
    Convention,
    /// Only its host stands before the answer.
    SameHost,
    /// Not even its host does.
    Unseen,
}

impl Origin {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::ToolResult, Self::Person, Self::Shortcut, Self::Convention, Self::SameHost, Self::Unseen];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolResult => "tool_result",
            Self::Person => "person",
            Self::Shortcut => "shortcut",
            Self::Convention => "convention",
            Self::SameHost => "same_host",
            Self::Unseen => "unseen",
        }
    }
}

/// The answer of a turn: its last text of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which conversation of the family.
    pub conversation: usize,
    /// Which of its items: the last text of it.
    pub item: usize,
    /// The addresses that it links to, each once, in order.
    pub links: Vec<Traced>,
}

/// An address of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// As its first link spells it.
    pub url: String,
    /// How many links lead to it.
    pub times: u64,
    /// Where it came from.
    pub origin: Origin,
    /// The name of the shortcut rule or of the convention.
    pub rule: Option<String>,
}

/// The answers of a family of runs, with where each address came from.
///
/// Runs that another model started give reports, not answers.
pub fn origins(family: &[&Conversation], shortcuts: Option<&Shortcuts>, policy: &Policy) -> Vec<Answer> {
    let mut tracers: Vec<Tracer<'_>> = family.iter().map(|conversation| Tracer::of(conversation, shortcuts)).collect();
    let mut told = Vec::new();
    replay(family, &[], policy, &Circumstances::default(), &mut |news| match news {
        Told::Seen { conversation, item, seen } => {
            if let (Some(tracer), Some(spelling)) = (tracers.get_mut(conversation), seen.spelling) {
                tracer.see(item, spelling, seen.writer);
            }
        }
        Told::Noted { conversation, item, noted } => {
            let Some(tracer) = tracers.get_mut(conversation) else { return };
            tracer.hear(item, noted.writer);
            told.extend(tracer.answer(item).map(|(item, links)| Answer { conversation, item, links }));
        }
    });
    told.sort_by_key(|answer| (answer.conversation, answer.item));
    told
}

/// What stood in one conversation so far.
struct Tracer<'c> {
    conversation: &'c Conversation,
    shortcuts: Option<&'c Shortcuts>,
    /// The texts of each answer, by its last item.
    answers: BTreeMap<usize, RangeInclusive<usize>>,
    /// The addresses that stood outside of what the model wrote.
    stood: HashMap<String, Origin>,
    hosts: HashSet<String>,
    /// The items so far that somebody else than the model wrote, in order.
    heard: Vec<usize>,
    words: Words,
}

impl<'c> Tracer<'c> {
    fn of(conversation: &'c Conversation, shortcuts: Option<&'c Shortcuts>) -> Self {
        let answers = answers(conversation);
        let (stood, hosts) = (HashMap::new(), HashSet::new());
        let (heard, words) = (Vec::new(), Words::default());
        Self { conversation, shortcuts, answers, stood, hosts, heard, words }
    }

    fn see(&mut self, item: usize, spelling: &str, writer: Writer) {
        let Some(origin) = self.conversation.items.get(item).and_then(|item| voice(item, writer)) else { return };
        let written = Address::written(spelling, Form::Absolute).or_else(|| Address::written(spelling, Form::Bare));
        let Some(address) = written else { return };
        self.hosts.insert(address.host().to_owned());
        self.stand(address.identity(), origin);
    }

    /// Only the web's addresses are told as they are met: the documents and the words of an item are read here.
    fn hear(&mut self, index: usize, writer: Writer) {
        let Some(item) = self.conversation.items.get(index) else { return };
        let Some(origin) = voice(item, writer) else { return };
        self.heard.push(index);
        documents(item).for_each(|address| self.stand(address, origin));
    }

    fn stand(&mut self, address: &str, origin: Origin) {
        match self.stood.get_mut(address) {
            Some(place) => *place = origin.min(*place),
            None => {
                self.stood.insert(address.to_owned(), origin);
            }
        }
    }

    /// The addresses of the answer that ends with an item.
    fn answer(&mut self, item: usize) -> Option<(usize, Vec<Traced>)> {
        let texts = self.answers.get(&item)?.clone();
        let last = *texts.end();
        let text = joined(self.conversation.items.get(texts)?);
        let mut traced: Vec<Traced> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for link in find(&unwrap(&text).0) {
            let Ok(target) = &link.target else { continue };
            let place = *places.entry(target.key().to_owned()).or_insert(traced.len());
            match traced.get_mut(place) {
                Some(one) => one.times += 1,
                None => {
                    let (origin, rule) = self.origin(target);
                    traced.push(Traced { url: target.spelling.clone().into_owned(), times: 1, origin, rule });
                }
            }
        }
        Some((last, traced))
    }

    fn origin(&mut self, target: &Target<'_>) -> (Origin, Option<String>) {
        let Some(host) = target.host() else {
            return (self.stood.get(target.key()).copied().unwrap_or(Origin::Unseen), None);
        };
        let address = Address::written(target.key(), Form::Absolute);
        if let Some(origin) = address.as_ref().and_then(|address| self.stood.get(address.identity())) {
            return (*origin, None);
        }
        if let Some(rule) = self.shortcuts.and_then(|shortcuts| shortcuts.matching(target.key())) {
            return (Origin::Shortcut, Some(rule.name.clone()));
        }
        let is_seen = self.hosts.contains(host);
        if let Some((convention, values)) = convention::matching(target.key(), host, is_seen) {
            self.words.read(&self.conversation.items, &self.heard);
            if values.iter().all(|value| self.words.hold(value)) {
                return (Origin::Convention, Some(convention.name.to_owned()));
            }
        }
        (if is_seen { Origin::SameHost } else { Origin::Unseen }, None)
    }
}

/// Whose words an item is, for the question where a link came from.
///
/// An error often repeats the address that was asked for, and some tools repeat what the model wrote: neither gave it.
fn voice(item: &Item, writer: Writer) -> Option<Origin> {
    match &item.body {
        Body::Result(result) => (writer == Writer::World && !result.is_error).then_some(Origin::ToolResult),
        Body::User { .. } | Body::Answer { .. } | Body::Attachment { .. } => Some(Origin::Person),
        Body::Said { .. } | Body::Call(_) | Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => None,
    }
}

/// The text of an item that is somebody's words, as far as [`voice`] counts it.
fn text(item: &Item) -> Option<&str> {
    match &item.body {
        Body::Result(result) => Some(result.content.text()),
        Body::User { text, .. } | Body::Answer { text, .. } | Body::Attachment { text, .. } => Some(text),
        Body::Said { .. } | Body::Call(_) | Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => None,
    }
}

/// The answers, by the last item of each: the last text of the model in each turn of a run that no model started.
///
/// A message may come in several texts, with what the provider attached to each behind it; what it attached was its
/// search's before the model wrote.
fn answers(conversation: &Conversation) -> BTreeMap<usize, RangeInclusive<usize>> {
    let mut answers = BTreeMap::new();
    if conversation.seat == Seat::ParentModel || conversation.parent.is_some() {
        return answers;
    }
    // The texts of the last message, the last item of it, and whether it may go on.
    let mut last: Option<(RangeInclusive<usize>, usize)> = None;
    let mut goes_on = false;
    for (index, item) in conversation.items.iter().enumerate() {
        if begins_turn(item) {
            answers.extend(last.take().map(|(texts, end)| (end, texts)));
            goes_on = false;
        } else if said(item).is_some_and(|text| !text.trim().is_empty()) {
            let start = last.take().filter(|_| goes_on).map_or(index, |(texts, _)| *texts.start());
            last = Some((start..=index, index));
            goes_on = true;
        } else if goes_on && is_beside(item) {
            last = last.map(|(texts, _)| (texts, index));
        } else {
            goes_on = false;
        }
    }
    answers.extend(last.map(|(texts, end)| (end, texts)));
    answers
}

/// Whether an item may stand within a message: the model's reasoning, or what the provider attached to a text.
fn is_beside(item: &Item) -> bool {
    match &item.body {
        Body::Said { by, .. } => matches!(by, Speaker::Assistant | Speaker::Thinking),
        Body::Result(ToolResult { from, .. }) => matches!(from, Producer::Named { .. }),
        Body::Hidden { .. } => true,
        Body::User { .. }
        | Body::Attachment { .. }
        | Body::Call(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. } => false,
    }
}

/// The texts of an answer as one: those of one message join, others are apart.
fn joined(items: &[Item]) -> String {
    let mut whole = String::new();
    let mut message: Option<&str> = None;
    for item in items {
        let Some(text) = said(item) else { continue };
        if !whole.is_empty() && (message.is_none() || message != item.batch.as_deref()) {
            whole.push_str("\n\n");
        }
        message = item.batch.as_deref();
        whole.push_str(text);
    }
    whole
}

/// The model's own text.
fn said(item: &Item) -> Option<&str> {
    match &item.body {
        Body::Said { by: Speaker::Assistant, text } => Some(text),
        Body::Said { .. }
        | Body::User { .. }
        | Body::Attachment { .. }
        | Body::Call(_)
        | Body::Result(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    }
}
