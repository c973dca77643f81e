//! What a conversation knows of the addresses of an answer: titles, what returned them, and who wrote them first.
//!
//! Titles come from the tool results of the answer's own turn. Who wrote an address first is told for the whole
//! conversation, and addresses are compared as the rule compares them: letter case, escapes and the like do not matter.

mod titles;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use firsthand::address::wide_key;
use firsthand::calls::{Inner, opens, really_run, row};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Call, Conversation, Item, Producer, Relayed, Speaker, ToolResult};
use firsthand::policy::{Kind, Policy, Writer};
use firsthand::replay::{Told, replay};
use firsthand::writer::Row;

use crate::known::{Known, KnownKind};
use crate::link::Link;
use crate::record::First;
use crate::target::{DOCUMENTS, Target};
use crate::unwrap::unwrap;

/// What the first of a family's conversations knows of the addresses of an answer.
///
/// The other conversations are the runs that belong to it: what they wrote decides with whose an address is.
pub fn known(family: &[&Conversation], answer: &str, links: &[Link<'_>], policy: &Policy) -> Vec<Known> {
    let Some(conversation) = family.first() else { return Vec::new() };
    let mut met = HashSet::new();
    let targets = links.iter().filter_map(|link| link.target.as_ref().ok());
    let targets: Vec<&Target<'_>> = targets.filter(|target| met.insert(target.key())).collect();
    let calls = Calls::of(conversation, policy);
    let mut sightings = Sightings::of(&targets);
    let mut of_the_world = HashSet::new();
    replay(family, &[], policy, &Circumstances::default(), &mut |told| {
        match told {
            Told::Seen { conversation: 0, item, seen } => {
                sightings.see(conversation, item, seen.key, seen.writer, &calls);
            }
            // The rule knows addresses of the web only.
            Told::Noted { conversation: 0, item, noted } => {
                if noted.writer == Writer::World {
                    of_the_world.insert(item);
                }
                for document in conversation.items.get(item).into_iter().flat_map(documents) {
                    sightings.see(conversation, item, document, noted.writer, &calls);
                }
            }
            Told::Seen { .. } | Told::Noted { .. } => {}
        }
    });
    let mut wanted: HashMap<&str, Vec<&Target<'_>>> = HashMap::new();
    for target in &targets {
        wanted.entry(page(target.key())).or_default().push(target);
    }
    let mut known = Vec::new();
    for index in turn(conversation, answer).filter(|index| of_the_world.contains(index)) {
        let Some(Body::Result(result)) = conversation.items.get(index).map(|item| &item.body) else { continue };
        if result.is_error {
            continue;
        }
        titles::read(result.content.text(), calls.opened(result), &mut |url, title| {
            let Ok(titled) = Target::read(url) else { return };
            for target in wanted.get(page(titled.key())).into_iter().flatten() {
                // A title of the whole page is one of each place in it; that of a place is of no other.
                if titled.key() == target.key() || !titled.key().contains('#') {
                    let (url, title) = (target.spelling.clone().into_owned(), Some(title.to_owned()));
                    let kind = sightings.kind(target);
                    known.push(Known { url, title, kind, first: None });
                }
            }
        });
    }
    for target in &targets {
        if let Some(Sighting { first, kind: _ }) = sightings.take(target) {
            known.push(Known {
                url: target.spelling.clone().into_owned(),
                title: None,
                kind: sightings.kind(target),
                first: Some(first),
            });
        }
    }
    known
}

/// An address without its fragment: tool results seldom name a place within a page.
fn page(key: &str) -> &str {
    key.split_once('#').map_or(key, |(page, _)| page)
}

/// The items of the turn that an answer ends: from the last message of a person before it.
///
/// The answer is looked for in the conversation, where it may be several texts, or not yet unwrapped; one that is not there
/// belongs to its end.
fn turn(conversation: &Conversation, answer: &str) -> Range<usize> {
    let items = &conversation.items;
    let (whole, finished) = (bare(answer), bare(&unwrap(answer).0));
    let ends = |end: &usize| {
        let before = items.get(..=*end).unwrap_or_default();
        ends_with(before, &whole, &bare) || ends_with(before, &finished, &|text| bare(&unwrap(text).0))
    };
    let end = (0..items.len()).rev().find(ends).unwrap_or(items.len());
    let before = items.get(..end).unwrap_or_default();
    before.iter().rposition(begins_turn).unwrap_or(0)..end
}

/// A text without white space: records cut and join the texts of an answer in their own ways.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether the model's texts at the end of a turn, the last of these items being one, are an answer.
fn ends_with(items: &[Item], answer: &str, read: &dyn Fn(&str) -> String) -> bool {
    let mut rest = answer;
    for (back, item) in items.iter().rev().enumerate() {
        let Body::Said { by: Speaker::Assistant, text } = &item.body else {
            if back == 0 || begins_turn(item) {
                return false;
            }
            continue;
        };
        match rest.strip_suffix(read(text).as_str()) {
            None => return false,
            Some("") => return !answer.is_empty(),
            Some(before) => rest = before,
        }
    }
    false
}

/// Whether an item is a message of whoever asks.
pub(crate) fn begins_turn(item: &Item) -> bool {
    matches!(
        item.body,
        Body::User { relayed: Relayed::No | Relayed::Spans(_), .. } | Body::Said { by: Speaker::Task, .. }
    )
}

/// The addresses of documents that stand in an item.
pub(crate) fn documents(item: &Item) -> impl Iterator<Item = &str> {
    let text: &str = match &item.body {
        Body::User { text, .. }
        | Body::Said { text, .. }
        | Body::Attachment { text, .. }
        | Body::Answer { text, .. } => text,
        Body::Call(call) => &call.arguments,
        Body::Result(result) => result.content.text(),
        Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => "",
    };
    let is_of_id = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.match_indices(DOCUMENTS).filter_map(move |(at, _)| {
        let id = text.as_bytes().get(at + DOCUMENTS.len()..)?.iter().take_while(|byte| is_of_id(byte)).count();
        text.get(at..at + DOCUMENTS.len() + id)
    })
}

/// Where an address stands first, and what returned it.
#[derive(Clone, Debug)]
struct Sighting {
    first: First,
    /// Of the first result that holds it.
    kind: Option<KnownKind>,
}

/// The first sightings of the addresses that are asked about, under the key that the rule compares by.
#[derive(Debug)]
struct Sightings {
    by_key: HashMap<String, Option<Sighting>>,
}

impl Sightings {
    fn of(targets: &[&Target<'_>]) -> Self {
        Self { by_key: targets.iter().map(|target| (Self::key(target), None)).collect() }
    }

    fn key(target: &Target<'_>) -> String {
        if target.is_document() { target.spelling.clone().into_owned() } else { wide_key(&target.spelling) }
    }

    fn see(&mut self, of: &Conversation, item: usize, key: &str, writer: Writer, calls: &Calls<'_>) {
        let Some(place) = self.by_key.get_mut(key) else { return };
        let Some(Item { body, .. }) = of.items.get(item) else { return };
        let sighting = place.get_or_insert_with(|| {
            let first = First {
                writer: writer.name().to_owned(),
                position: body.position().name().to_owned(),
                item: u64::try_from(item).unwrap_or(u64::MAX),
                tool: calls.tool(body),
            };
            Sighting { first, kind: None }
        });
        // An error and what echoes the model return nothing.
        if let Body::Result(result) = body
            && writer == Writer::World
            && !result.is_error
        {
            sighting.kind.get_or_insert_with(|| calls.kind(result));
        }
    }

    /// What returned an address first.
    fn kind(&self, target: &Target<'_>) -> KnownKind {
        self.take(target).and_then(|sighting| sighting.kind).unwrap_or(KnownKind::Web)
    }

    fn take(&self, target: &Target<'_>) -> Option<Sighting> {
        self.by_key.get(&Self::key(target)).cloned().flatten()
    }
}

/// The calls of a conversation, by their ids.
#[derive(Debug)]
pub(crate) struct Calls<'c> {
    by_id: HashMap<&'c str, &'c Call>,
    dialect: &'c str,
    policy: &'c Policy,
}

impl<'c> Calls<'c> {
    pub(crate) fn of(conversation: &'c Conversation, policy: &'c Policy) -> Self {
        let calls = conversation.items.iter().filter_map(|item| item.body.call());
        let by_id = calls.filter(|call| !call.id.is_empty()).map(|call| (call.id.as_str(), call)).collect();
        Self { by_id, dialect: conversation.dialect, policy }
    }

    /// The name of the tool that an item is of.
    fn tool(&self, body: &Body) -> Option<String> {
        let by_id = |id: &str| self.by_id.get(id).map(|call| call.tool.clone());
        match body {
            Body::Call(call) => Some(call.tool.clone()),
            Body::Result(ToolResult { from: Producer::Call(id), .. }) | Body::Answer { call: id, .. } => by_id(id),
            Body::Result(ToolResult { from: Producer::Named { tool, .. }, .. }) => Some(tool.clone()),
            Body::User { .. }
            | Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Grant { .. }
            | Body::Rewind { .. }
            | Body::Hidden { .. } => None,
        }
    }

    /// The tools that a result is of, and whether the application declared them to the provider.
    fn ran(&self, result: &ToolResult) -> (Vec<Inner<'c>>, bool) {
        match &result.from {
            Producer::Call(id) => match self.by_id.get(id.as_str()) {
                Some(call) => (really_run(call, self.dialect, self.policy), call.custom),
                None => (Vec::new(), false),
            },
            Producer::Named { server, tool, ran } => {
                (really_run(&Call::named(server.as_deref(), tool, *ran), self.dialect, self.policy), false)
            }
        }
    }

    fn kind(&self, result: &ToolResult) -> KnownKind {
        let (ran, custom) = self.ran(result);
        let is_connector =
            |inner: &Inner<'_>| inner.server.is_some() || row(inner, custom, self.policy) == Row::Connector;
        let connected = ran.iter().any(|inner| is_connector(inner) && !self.is_of_the_web(inner));
        if connected { KnownKind::Connector } else { KnownKind::Web }
    }

    /// Whether a tool searches or reads the web. One that a server offers does where the table knows it of that very server.
    fn is_of_the_web(&self, inner: &Inner<'_>) -> bool {
        let is_web = |kind| matches!(kind, Kind::Search | Kind::Page | Kind::Opener);
        let alone = self.policy.tools.rule(self.dialect, None, &inner.tool);
        is_web(inner.kind) || inner.rule.is_some() && alone.is_some_and(|rule| is_web(rule.kind))
    }

    /// The one address that the call of a result opened, where it opened one.
    fn opened(&self, result: &ToolResult) -> Option<String> {
        let (ran, _) = self.ran(result);
        let mut addresses: Vec<String> = ran.iter().flat_map(|inner| opens(inner).addresses).collect();
        if addresses.len() == 1 && !result.is_error { addresses.pop() } else { None }
    }
}
