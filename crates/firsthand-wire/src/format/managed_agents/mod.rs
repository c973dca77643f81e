//! Events of Anthropic's Managed Agents: a list, or one event a line, each bare or wrapped in `event` or `data`.
//!
//! A file is a session's or a subagent's thread's. Calls of a subagent that wait for the client are posted to the session
//! too; by their thread they are read as that thread's own. Events count in the order in which they were processed.

mod events;
mod threads;

use std::collections::{HashMap, HashSet};

use firsthand::conversation::{
    Body, Call, Content, Conversation, Item, Parent, Producer, Ran, Relayed, Seat, Speaker, Text, ToolResult,
};
use serde_json::Value;

use super::lax::{Blocks, Node, Raw, Reparsed};
use super::probe::Probe;
use super::recorded::signs::{settle, take};
use super::records::CUT;
use super::{Format, Source};
use crate::error::ReadError;
use events::{Block, DocumentSource, Event, Placed, are_of_a_child, placed};
use threads::Threads;

/// Events of Managed Agents.
pub(super) const FORMAT: Format = Format { name: DIALECT, title: "Managed Agents events", read, recognises };

const DIALECT: &str = "managed-agents";

fn recognises(probe: &Probe) -> bool {
    let is = |event: &Value| {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let group = kind.split_once('.').map(|(group, _)| group);
        let known = matches!(group, Some("user" | "agent" | "session" | "span" | "system" | "workflow_run"));
        known
            && (event.get("processed_at").is_some() || kind.starts_with("agent.") || kind.starts_with("session.status"))
    };
    let wrapped = |value: &Value| ["event", "data"].iter().any(|key| value.get(key).is_some_and(is));
    probe.values().iter().any(|value| {
        let mut lists = [value.as_array(), value.get("data").and_then(Value::as_array)].into_iter().flatten();
        is(value) || wrapped(value) || lists.any(|list| list.iter().any(|event| is(event) || wrapped(event)))
    })
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let (events, cut) = placed(bytes)?;
    let is_child = are_of_a_child(bytes);
    let threads = Threads::of(&events);
    let client_ran: HashSet<&str> = events
        .iter()
        .filter(|placed| placed.event.kind.get() == Some("user.tool_result"))
        .filter_map(|placed| placed.event.tool_use_id.get())
        .collect();
    let mut runs: Vec<(Option<&str>, Run)> = Vec::new();
    let mut places = HashMap::new();
    for placed in &events {
        let thread = threads.of_event(&placed.event);
        let place = *places.entry(thread).or_insert_with(|| {
            runs.push((thread, Run { is_child: threads.is_child(thread), ..Run::default() }));
            runs.len() - 1
        });
        if let Some((_, run)) = runs.get_mut(place) {
            let before = run.items.len();
            run.event(placed, &client_ran);
            settle(run.items.iter_mut().skip(before).map(|item| &mut item.body), placed.whole, ordinary(&placed.event));
        }
    }
    let own = threads.own().unwrap_or(source.stem());
    let conversations = runs.into_iter().filter(|(_, run)| !run.items.is_empty());
    let conversations = conversations.map(|(thread, mut run)| {
        if cut {
            run.items.push(Item::new("the end", Body::Hidden { calls: true, what: CUT }));
        }
        if is_child {
            run.is_child = true;
            run.items.iter_mut().for_each(|item| take(&mut item.body, Speaker::Task));
        }
        let parent = match thread {
            Some(_) => Some(own),
            None => threads.parent(),
        };
        Conversation {
            id: thread.unwrap_or(own).to_owned(),
            parent: parent.map(|parent| Parent { conversation: parent.to_owned(), call: None }),
            seat: if run.is_child { Seat::ParentModel } else { Seat::Presumed },
            dialect: DIALECT,
            items: run.items,
        }
    });
    Ok(conversations.collect())
}

/// What a person's event may have besides words: an answer to a call names it.
fn ordinary(event: &Event<'_>) -> &'static [&'static str] {
    match event.kind.or_empty() {
        "user.tool_confirmation" => &["tool_use_id"],
        _ => &[],
    }
}

/// A thread as it is read.
#[derive(Debug, Default)]
struct Run {
    is_child: bool,
    items: Vec<Item>,
    turn: Option<u32>,
}

impl Run {
    fn event(&mut self, placed: &Placed<'_>, client_ran: &HashSet<&str>) {
        let event = &placed.event;
        let id = event.id.or_empty();
        match event.kind.or_empty() {
            // Nobody knows in whose thread it stands.
            "user.message" if event.session_thread_id.is_odd() => self.unknown(placed, Speaker::Task),
            "user.message" => {
                self.turn = Some(self.turn.map_or(0, |turn| turn + 1));
                self.user(placed);
            }
            "user.tool_confirmation" => {
                if let Some(text) = event.deny_message.get() {
                    self.push(placed, "/deny_message", person(text));
                }
            }
            "user.define_outcome" => {
                if let Some(text) = event.description.get() {
                    self.push(placed, "/description", said(Speaker::System, text));
                }
                if let Some(rubric) = event.rubric {
                    self.push(placed, "/rubric", said(Speaker::System, rubric.text()));
                }
            }
            "system.message" => self.texts(placed, Speaker::System),
            "agent.message" | "agent.thread_message_sent" => self.texts(placed, Speaker::Assistant),
            // A message without a name comes from the primary agent: it says what to do.
            "agent.thread_message_received" if self.is_child && event.from_agent_name.get().is_none() => {
                self.texts(placed, Speaker::Task);
            }
            "agent.thread_message_received" => self.texts(placed, Speaker::Report),
            "agent.thinking" => self.push(placed, "", Body::Hidden { calls: false, what: "thinking" }),
            "agent.tool_use" => {
                let ran = if client_ran.contains(id) { Ran::Client } else { Ran::Provider };
                self.call(placed, None, ran, false);
            }
            "agent.mcp_tool_use" => self.call(placed, event.mcp_server_name.owned(), Ran::Provider, false),
            "agent.custom_tool_use" => self.call(placed, None, Ran::Client, true),
            "agent.tool_result" | "user.tool_result" => self.result(placed, event.tool_use_id.or_empty()),
            "agent.mcp_tool_result" => self.result(placed, event.mcp_tool_use_id.or_empty()),
            "user.custom_tool_result" => self.result(placed, event.custom_tool_use_id.or_empty()),
            // The events before a compaction are all here, so nothing is hidden by it.
            "agent.thread_context_compacted" | "user.interrupt" => {}
            // What no reader knows is the model's if an agent may have said it.
            kind if kind.starts_with("agent.") => self.unknown(placed, Speaker::Assistant),
            kind if kind.starts_with("user.") || kind.starts_with("system.") => {
                self.unknown(placed, Speaker::System);
            }
            // States, measures, and pieces of what comes whole.
            _ => {}
        }
    }

    fn user(&mut self, placed: &Placed<'_>) {
        let blocks = match &placed.event.content {
            Blocks::Text(text) => return self.push(placed, "/content", person(text)),
            Blocks::List(blocks) => blocks,
            Blocks::Absent => return,
            Blocks::Odd => return self.unknown(placed, Speaker::Task),
        };
        let whole = Reparsed::of(placed.json);
        for (index, node) in blocks.iter().enumerate() {
            let below = format!("/content/{index}");
            match node.get().map(|block| (block.kind.or_empty(), block)) {
                Some(("text", block)) if block.text.get().is_some() => {
                    self.push(placed, &below, person(block.text.or_empty()));
                }
                Some(("document" | "image", block)) => {
                    if let Some((text, _)) = document(block) {
                        let name = block.title.owned();
                        let body = Body::Attachment { name, text: Text::from(text), from_agent_path: false };
                        self.push(placed, &below, body);
                    }
                }
                _ => {
                    let json = whole.at(&below);
                    self.push(placed, &below, said(Speaker::Task, &json));
                }
            }
        }
    }

    fn texts(&mut self, placed: &Placed<'_>, by: Speaker) {
        let blocks = match &placed.event.content {
            Blocks::Text(text) => return self.push(placed, "/content", said(by, text)),
            Blocks::List(blocks) => blocks,
            Blocks::Absent => return,
            Blocks::Odd => return self.unknown(placed, by),
        };
        let whole = Reparsed::of(placed.json);
        for (index, node) in blocks.iter().enumerate() {
            let below = format!("/content/{index}");
            match node.get().and_then(|block| block.text.get()) {
                Some(text) => self.push(placed, &below, said(by, text)),
                None => {
                    let json = whole.at(&below);
                    self.push(placed, &below, said(by, &json));
                }
            }
        }
    }

    fn call(&mut self, placed: &Placed<'_>, server: Option<String>, ran: Ran, custom: bool) {
        let event = &placed.event;
        let call = Call {
            id: event.id.or_empty().to_owned(),
            server,
            tool: event.name.or_empty().to_owned(),
            arguments: Text::from(event.input.map_or("{}", Raw::text)),
            ran,
            custom,
        };
        self.push(placed, "", Body::Call(call));
    }

    /// Texts and pages as texts, search hits as the JSON that they are, pictures not at all.
    fn result(&mut self, placed: &Placed<'_>, call: &str) {
        let before = self.items.len();
        let json = Reparsed::of(placed.json);
        match &placed.event.content {
            Blocks::Text(text) => self.returned(placed, "/content", call, Content::Text(text.text()), None),
            Blocks::List(blocks) => {
                for (index, node) in blocks.iter().enumerate() {
                    let below = format!("/content/{index}");
                    match node.get().map(|block| (block.kind.or_empty(), block)) {
                        Some(("text", block)) if block.text.get().is_some() => {
                            let content = Content::Text(Text::from(block.text.or_empty()));
                            self.returned(placed, &below, call, content, None);
                        }
                        Some(("image", _)) => {}
                        Some(("document", block)) if document(block).is_some() => {
                            if let Some((text, mime)) = document(block) {
                                self.returned(placed, &below, call, Content::Text(Text::from(text)), mime);
                            }
                        }
                        _ => {
                            let content = Content::Json(Text::from(json.at(&below)));
                            self.returned(placed, &below, call, content, None);
                        }
                    }
                }
            }
            Blocks::Absent => {}
            Blocks::Odd => {
                let content = Content::Json(Text::from(json.at("/content")));
                self.returned(placed, "/content", call, content, None);
            }
        }
        if self.items.len() == before {
            // A result that says nothing still answers its call.
            self.returned(placed, "", call, Content::Text(Text::from("")), None);
        }
    }

    fn returned(&mut self, placed: &Placed<'_>, below: &str, call: &str, content: Content, mime: Option<String>) {
        let from = Producer::Call(call.to_owned());
        let is_error = placed.event.failed();
        self.push(placed, below, Body::Result(ToolResult { from, content, is_error, mime, redirects: Vec::new() }));
    }

    fn unknown(&mut self, placed: &Placed<'_>, by: Speaker) {
        self.push(placed, "", said(by, placed.json));
    }

    fn push(&mut self, placed: &Placed<'_>, below: &str, body: Body) {
        let mut item = Item::new(placed.below(below), body);
        let first = self.items.last().is_none_or(|last| last.at != item.at && !is_below(&last.at, placed));
        item.id = placed.event.id.owned().map(|id| if first { id } else { format!("{id}{below}") });
        item.turn = Some(self.turn.unwrap_or(0));
        self.items.push(item);
    }
}

/// Whether a place is one in this event.
fn is_below(at: &str, placed: &Placed<'_>) -> bool {
    at == placed.at || at.strip_prefix(placed.at.as_str()).is_some_and(|rest| rest.starts_with([' ', '/']))
}

/// The text of a document and its media type; an address that it stands at is all that is known of another one.
fn document(block: &Block<'_>) -> Option<(String, Option<String>)> {
    let source = block.source?.read::<Node<DocumentSource<'_>>>()?;
    let source = source.get()?;
    match source.kind.get() {
        Some("text") => Some((source.data.owned()?, source.media_type.owned())),
        _ => Some((source.url.owned()?, None)),
    }
}

fn person(text: &str) -> Body {
    Body::User { text: Text::from(text), relayed: Relayed::No }
}

fn said(by: Speaker, text: &str) -> Body {
    Body::Said { by, text: Text::from(text) }
}
