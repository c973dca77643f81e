//! Sessions of the Gemini CLI: JSON Lines of records, or the older single document with `messages`.
//!
//! A record of the model holds its calls together with what they returned, so all calls of a record stand before its
//! results. A record that is written again under its id adds what is new. What a session's files hold of files that the
//! person named is the host's: the agent may have written them. In the session of a subagent nobody is a person.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use firsthand::conversation::{Content, Conversation, Parent, Producer, Ran, Seat, Speaker};
use serde_json::Value;

use super::gemini::{Place, is_of_a_tool, part, returned};
use super::probe::{Probe, says};
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use super::records::{CUT, records};
use super::{Format, Source, text};
use crate::error::ReadError;

/// Sessions of the Gemini CLI.
pub(super) const FORMAT: Format = Format { name: "gemini-cli", title: "Gemini CLI session", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let record = |value: &Value| {
        (says(value, "type", "gemini") || says(value, "type", "user"))
            && value.get("id").is_some()
            && value.get("timestamp").is_some()
            && value.get("content").is_some()
    };
    let said = |value: &Value| value.get("projectHash").is_some() || value.get("$rewindTo").is_some();
    probe.values().iter().any(said) || probe.values().iter().any(|value| says(value, "type", "gemini") && record(value))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut session = Session::new();
    match document(bytes) {
        Some(document) => {
            let top = Spot::top(None);
            session.draft.around(&document);
            session.record(&document, &top)?;
            let messages = document.get("messages");
            if !messages.is_list() {
                return Err(top.at("messages").unexpected(messages, "an array of messages"));
            }
            for (message, spot) in placed(messages.list(), &top.at("messages")) {
                session.record(message, &spot)?;
            }
        }
        None => {
            let records = records::<serde::de::IgnoredAny>(bytes)?;
            for (line, _) in &records.list {
                session.record(&line.json()?, &Spot::top(Some(line.number)))?;
            }
            if records.cut {
                session.draft.hidden(&Spot::top(None), true, CUT);
            }
        }
    }
    Ok(vec![session.finish(source)])
}

/// The file as one document with messages, if it is that.
fn document(bytes: &[u8]) -> Option<Node<'_>> {
    let document = text::document::<Node<'_>>(bytes).ok()?;
    document.find("messages").is_some().then_some(document)
}

struct Session {
    draft: Draft,
    id: String,
    is_side: bool,
    /// Records by their id.
    seen: BTreeMap<String, Seen>,
}

/// What was read of a record.
#[derive(Default)]
struct Seen {
    /// It was not in the user's place once.
    by_model: bool,
    /// How many items there were after it.
    end: usize,
    texts: BTreeSet<String>,
    /// Calls by their id in the record and its place there, with the id that their results must carry.
    calls: BTreeMap<String, String>,
    answered: BTreeSet<String>,
}

impl Session {
    fn new() -> Self {
        Self { draft: Draft::new(FORMAT.name), id: String::new(), is_side: false, seen: BTreeMap::new() }
    }

    fn record(&mut self, record: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        if !record.is_map() {
            return Err(spot.unexpected(record, "a record"));
        }
        if let Some(id) = record.find("sessionId").and_then(Node::text) {
            self.id = id.to_owned();
        }
        self.is_side |= is_side(record);
        if record.find("type").is_none() {
            self.draft.around(record);
            self.draft.around(record.get("$set"));
        }
        if let Some(id) = record.find("$rewindTo") {
            let to = id.text().and_then(|id| self.seen.get(id)).map_or(0, |seen| seen.end);
            self.draft.rewind(spot, to);
            return Ok(());
        }
        if let Some(set) = record.find("$set") {
            self.is_side |= is_side(set);
            for (message, spot) in placed(set.get("messages").list(), &spot.at("$set").at("messages")) {
                self.message(message, &spot);
            }
            return Ok(());
        }
        if record.find("type").is_some() {
            self.message(record, spot);
        }
        Ok(())
    }

    fn message(&mut self, record: &Node<'_>, spot: &Spot) {
        let id = record.word("id");
        let id = if id.is_empty() { spot.text() } else { id.into_owned() };
        let mut seen = self.seen.remove(&id).unwrap_or_default();
        self.draft.enter(&[record]);
        seen.by_model |= record.say("type") != "user";
        if seen.by_model {
            // What the model wrote under an id stays the model's when it is written again.
            self.draft.suspect(Speaker::Assistant);
        }
        match record.say("type") {
            "user" => {
                self.draft.end_model_message();
                self.user(record, spot, &mut seen);
            }
            "info" | "warning" | "error" => {
                self.draft.end_model_message();
                let content = record.get("content");
                let text = content.text().map_or_else(|| content.json(), str::to_owned);
                self.draft.said(&spot.at("content"), Speaker::System, &text);
            }
            _ => {
                self.draft.model_message(Some(&id), spot);
                self.model(record, spot, &mut seen);
            }
        }
        seen.end = self.draft.len();
        self.seen.insert(id, seen);
    }

    fn user(&mut self, record: &Node<'_>, spot: &Spot, seen: &mut Seen) {
        let typed = record.find("displayContent");
        if let Some(shown) = typed {
            self.typed(shown, &spot.at("displayContent"), seen);
        }
        let content = record.get("content");
        if typed == Some(content) {
            return;
        }
        // Where the session says what was typed, the rest is what the host made of it; beside a result it is a program's.
        let mut is_file = typed.is_some() || content.list().iter().any(is_of_a_tool);
        each(content, &spot.at("content"), &mut |node, spot| {
            let text = node.text().or(node.get("text").text());
            match text {
                Some(text) if typed.is_some_and(|typed| says_so(typed, text)) => {}
                Some(text) => {
                    let (before, files) = match text.find(FILES) {
                        _ if is_file => ("", text),
                        Some(place) => text.split_at(place),
                        None => (text, ""),
                    };
                    is_file |= !files.is_empty();
                    if seen.texts.insert(text.to_owned()) {
                        self.person(before, node, spot);
                        self.draft.said(spot, Speaker::System, files);
                    }
                }
                None if self.is_side || is_file => self.draft.said(spot, Speaker::System, &node.json()),
                None => part(&mut self.draft, Place::User, node, spot),
            }
        });
    }

    fn typed(&mut self, shown: &Node<'_>, spot: &Spot, seen: &mut Seen) {
        each(shown, spot, &mut |node, spot| {
            if let Some(text) =
                node.text().or(node.get("text").text()).filter(|text| seen.texts.insert((*text).to_owned()))
            {
                self.person(text, node, spot);
            }
        });
    }

    fn person(&mut self, text: &str, part: &Node<'_>, spot: &Spot) {
        if self.is_side {
            self.draft.said(spot, Speaker::Task, text);
        } else {
            self.draft.typed(spot, part, text);
        }
    }

    fn model(&mut self, record: &Node<'_>, spot: &Spot, seen: &mut Seen) {
        for (thought, spot) in placed(record.get("thoughts").list(), &spot.at("thoughts")) {
            let words = [thought.say("subject"), thought.say("description")].join("\n");
            let text = if words.trim().is_empty() { thought.json() } else { words };
            if seen.texts.insert(text.clone()) {
                self.draft.said(&spot, Speaker::Thinking, text.trim());
            }
        }
        each(
            record.get("content"),
            &spot.at("content"),
            &mut |node, spot| match node.text().or(node.get("text").text()) {
                Some(text) if seen.texts.insert(text.to_owned()) => part(&mut self.draft, Place::Model, node, spot),
                Some(_) => {}
                None => part(&mut self.draft, Place::Model, node, spot),
            },
        );
        let calls = placed(record.get("toolCalls").list(), &spot.at("toolCalls"));
        for (index, (call, spot)) in calls.iter().enumerate() {
            if let Entry::Vacant(place) = seen.calls.entry(key(call, index)) {
                let (server, tool) = server_and_tool(call.say("name"));
                let arguments = call.find("args").map_or_else(|| "{}".to_owned(), Node::json);
                let new = NewCall { id: call.word("id"), server, tool, arguments, ran: Ran::Client };
                place.insert(self.draft.call(spot, new));
            }
        }
        for (index, (call, spot)) in calls.iter().enumerate() {
            let key = key(call, index);
            let returned = call.get("result");
            if !returned.is_empty()
                && let Some(id) = seen.calls.get(&key)
                && seen.answered.insert(key)
            {
                self.result(call, id, returned, &spot.at("result"));
            }
        }
    }

    fn result(&mut self, call: &Node<'_>, id: &str, result: &Node<'_>, spot: &Spot) {
        let from = Producer::Call(id.to_owned());
        let is_error = signs::failed(call);
        if call.say("name") == "ask_user" && !is_error && self.answers(id, result, spot) {
            return;
        }
        let is_report = call.find("agentId").is_some();
        each(result, spot, &mut |node, spot| {
            if is_report {
                return self.draft.said(spot, Speaker::Report, &node.json());
            }
            match (node.find("functionResponse"), node.text().or(node.get("text").text())) {
                (Some(function), _) => {
                    let is_error = is_error || signs::failed(node);
                    returned(&mut self.draft, function, &spot.at("functionResponse"), &from, is_error)
                }
                (None, Some(text)) => self.draft.result(spot, from.clone(), Content::Text(text.into()), is_error),
                (None, None) => {
                    let json = node.without(&["inlineData", "fileData"]).json();
                    self.draft.result(spot, from.clone(), Content::Json(json.into()), is_error);
                }
            }
        });
    }

    /// What a person answered, if the result says it in the form that the tool gives.
    fn answers(&mut self, call: &str, result: &Node<'_>, spot: &Spot) -> bool {
        let mut found = false;
        each(result, spot, &mut |node, spot| {
            let output = node.get("functionResponse").get("response").say("output");
            let asked = serde_json::from_str::<Node<'_>>(output).unwrap_or(Node::Null);
            for (_, answer) in asked.get("answers").members() {
                if let Some(text) = answer.text() {
                    self.draft.answer(&spot.at("functionResponse").at("response").at("output"), call, text);
                    found = true;
                }
            }
        });
        found
    }

    fn finish(self, source: &Source<'_>) -> Conversation {
        let id = if self.id.is_empty() { source.stem().to_owned() } else { self.id };
        let conversation = self.draft.finish(id);
        if !self.is_side {
            return conversation;
        }
        // A subagent's session lies in a folder of its parent's name.
        let folder = source.name.rsplit(['/', '\\']).nth(1).filter(|folder| !folder.is_empty() && *folder != "chats");
        let parent = folder.map(|folder| Parent { conversation: folder.to_owned(), call: None });
        Conversation { parent, seat: Seat::ParentModel, ..conversation }
    }
}

/// Whether a record says that the session is not a person's own.
fn is_side(record: &Node<'_>) -> bool {
    record.find("kind").is_some_and(|kind| !matches!(kind.text(), Some("main" | "chat")))
}

/// How the host begins what it adds of files that a prompt names.
const FILES: &str = "--- Content from referenced files ---";

/// Whether what was typed holds this text.
fn says_so(typed: &Node<'_>, text: &str) -> bool {
    let mut found = false;
    each(typed, &Spot::top(None), &mut |node, _| found |= node.text().or(node.get("text").text()) == Some(text));
    found
}

fn key(call: &Node<'_>, index: usize) -> String {
    format!("{index} {}", call.word("id"))
}

/// `mcp_server_tool` is a server's tool: names of servers have no underscore.
fn server_and_tool(name: &str) -> (Option<&str>, &str) {
    let split = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_')).and_then(|rest| rest.split_once('_'));
    match split {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server), tool),
        _ => (None, name),
    }
}

/// Calls `each` with a text or a part, or with those of a list.
fn each<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::List(parts) => placed(parts, spot).into_iter().for_each(|(part, spot)| each(part, &spot)),
        Node::Null => {}
        Node::Text(_) | Node::Map(_) | Node::Bool(_) | Node::Number(_) => each(content, spot),
    }
}
