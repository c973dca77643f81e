//! The items of a rollout.

pub(super) mod calls;
mod history;
mod messages;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use firsthand::conversation::{Body, Content, Item, Ran, Speaker, Text};
use serde::Deserialize;
use serde_json::Value;

use super::super::lax::{Node, Raw, Reparsed};
use super::super::recorded::signs::{Watched, settle};
use super::super::text::Line;
use super::Session;
use super::events::{Connectors, Search};
use super::record::{Payload, Record};
use super::typed::{Typed, is_step};

/// A line of which only the signs matter.
#[derive(Deserialize)]
struct Nothing {}

/// The model's own tool for searching the web, which the provider runs.
pub(super) const SEARCH: &str = "web_search";

/// Reads line after line.
pub(super) struct Reader<'e> {
    session: &'e Session,
    /// The file is of the oldest kind, whose lines are items without a wrapper and without events.
    is_bare: bool,
    typed: Typed<'e>,
    pub(super) connectors: Connectors<'e>,
    pub(super) items: Vec<Item>,
    /// How many steps of the model's there were.
    step: usize,
    turn: Option<u32>,
    /// Where each turn that counts begins.
    turns: Vec<usize>,
    /// The tool of each call.
    pub(super) calls: HashMap<String, String>,
    /// Texts of messages that are known, to tell a new history's copies.
    known: HashSet<String>,
    /// The typed texts that only events have, with the step before them.
    typed_only: HashSet<(usize, String)>,
    /// What was searched for, as the model's item and the event say it: each pair is one call.
    pub(super) searches: Vec<Search>,
    pub(super) seen_results: HashSet<&'e str>,
}

/// Where in the file something stands.
pub(super) struct Spot<'e> {
    line: usize,
    whole: Rc<Reparsed<'e>>,
    /// The pointer to the payload.
    payload: String,
}

impl<'e> Spot<'e> {
    fn of(line: &Line<'e>, payload: &str) -> Self {
        let whole = Rc::new(Reparsed::of(line.text));
        Self { line: line.number, whole, payload: payload.to_owned() }
    }

    /// A payload within the payload.
    fn within(&self, below: &str) -> Self {
        let payload = format!("{}{below}", self.payload);
        Self { line: self.line, whole: Rc::clone(&self.whole), payload }
    }

    pub(super) fn at(&self, below: &str) -> String {
        format!("line {} {}{below}", self.line, self.payload)
    }

    /// The JSON text at a pointer below the payload.
    pub(super) fn json(&self, below: &str) -> String {
        self.whole.at(&format!("{}{below}", self.payload))
    }
}

impl<'e> Reader<'e> {
    pub(super) fn of(records: &'e [(Line<'e>, Record<'e>)], session: &'e Session) -> Self {
        let all = || records.iter().map(|(_, record)| record);
        let lines = || records.iter().map(|(line, record)| (line.text, record));
        Self {
            session,
            is_bare: !all().any(Record::is_wrapped),
            typed: Typed::of(lines()),
            connectors: Connectors::of(all()),
            items: Vec::new(),
            step: 0,
            turn: None,
            turns: Vec::new(),
            calls: HashMap::new(),
            known: HashSet::new(),
            typed_only: HashSet::new(),
            searches: Vec::new(),
            seen_results: HashSet::new(),
        }
    }

    pub(super) fn items(self) -> Vec<Item> {
        self.items
    }

    pub(super) fn line(&mut self, line: &'e Line<'e>, record: &'e Record<'e>) {
        if is_step(record) {
            self.step += 1;
        }
        let before = self.items.len();
        self.read_line(line, record);
        // The oldest files say of each line which model was talked to.
        let ordinary: &[&str] = if self.is_bare { &["model"] } else { &[] };
        settle(self.items.iter_mut().skip(before).map(|item| &mut item.body), line.text, ordinary);
        self.fail(before, line.text);
    }

    /// A result fails where the line around it says so.
    fn fail(&mut self, before: usize, line: &str) {
        let mut failed = None;
        for item in self.items.iter_mut().skip(before) {
            if let Body::Result(result) = &mut item.body
                && !result.is_error
            {
                result.is_error = *failed.get_or_insert_with(|| {
                    serde_json::from_str::<Watched<Nothing>>(line).map_or(true, |line| line.failed())
                });
            }
        }
    }

    fn read_line(&mut self, line: &'e Line<'e>, record: &'e Record<'e>) {
        let spot = Spot::of(line, "/payload");
        match (record.kind.or_empty(), record.payload.get()) {
            ("response_item", Some(payload)) => self.item(&spot, payload),
            ("event_msg", Some(payload)) => {
                self.typed_only(&spot, payload);
                self.event(&spot, payload);
            }
            ("session_meta", Some(payload)) => self.instructions(&spot, payload),
            ("compacted", Some(payload)) => self.compacted(&spot, payload),
            ("response_item", None) => {
                let body = said(Speaker::Assistant, &Reparsed::of(line.text).at(""));
                self.push(spot.at(""), body);
            }
            // Facts about the session.
            ("turn_context" | "world_state" | "inter_agent_communication_metadata", Some(_)) => {}
            // What no reader knows may be an item.
            (_, Some(payload)) => self.item(&spot, payload),
            (_, None) if record.kind.get().is_some() || record.role.get().is_some() => self.bare(line),
            // The facts with which the oldest files begin, and their notes on the state of the host.
            (_, None) => {}
        }
    }

    /// An item without a wrapper.
    fn bare(&mut self, line: &'e Line<'e>) {
        // The line was read before, so it is read again.
        if let Ok(Node::Is(payload)) = serde_json::from_str::<Node<Watched<Payload<'e>>>>(line.text) {
            let spot = Spot::of(line, "");
            self.item(&spot, &payload);
        }
    }

    fn item(&mut self, spot: &Spot<'_>, payload: &Watched<Payload<'_>>) {
        match payload.kind.or_empty() {
            "message" | "" if payload.role.get().is_some() => self.message(spot, payload),
            "reasoning" => self.reasoning(spot, payload),
            "function_call" | "custom_tool_call" | "tool_call" => self.function_call(spot, payload),
            "function_call_output" | "custom_tool_call_output" => self.output(spot, payload),
            "tool_result" | "function_result" => {
                let json = payload.result.map_or("null", Raw::text);
                self.result(spot.at("/result"), "", Content::Json(Text::from(json)), payload.failed());
            }
            "web_search_call" => self.search_call(spot, payload),
            "agent_message" => self.agent_message(spot, payload),
            "image_generation_call" => {
                let arguments = Value::from(payload.revised_prompt.or_empty());
                let arguments = format!("{{\"prompt\":{arguments}}}");
                self.call(spot.at(""), payload, None, "image_generation", &arguments, Ran::Provider);
            }
            "ghost_snapshot" | "compaction_trigger" | "configuration_update" => {}
            "compaction" | "compaction_summary" | "context_compaction" => self.say_incomplete(spot),
            "item_reference" => {
                let what = "an item that only the provider holds";
                self.push(spot.at(""), Body::Hidden { calls: true, what });
            }
            "mcp_list_tools" | "additional_tools" => {
                let body = said(Speaker::System, &spot.json(""));
                self.push(spot.at(""), body);
            }
            kind if kind.ends_with("_call") || kind == "program" => {
                let tool = kind.strip_suffix("_call").unwrap_or(kind);
                let arguments = payload.action.map_or_else(|| spot.json(""), |action| action.text().to_owned());
                self.call(spot.at(""), payload, None, tool, &arguments, Ran::Client);
            }
            kind if kind.ends_with("_output") => {
                let json = Content::Json(Text::from(spot.json("")));
                self.result(spot.at(""), payload.call_id.or_empty(), json, payload.failed());
            }
            // What no reader knows may be the model's.
            _ => {
                let body = said(Speaker::Assistant, &spot.json(""));
                self.push(spot.at(""), body);
            }
        }
    }

    /// Remembers a text; whether it is new.
    fn learn(&mut self, text: &str) -> bool {
        self.known.insert(text.trim().to_owned())
    }

    pub(super) fn push(&mut self, at: String, body: Body) {
        let mut item = Item::new(at.trim_end().to_owned(), body);
        item.turn = Some(self.turn.unwrap_or(0));
        self.items.push(item);
    }
}

pub(super) fn said(by: Speaker, text: &str) -> Body {
    Body::Said { by, text: Text::from(text) }
}
