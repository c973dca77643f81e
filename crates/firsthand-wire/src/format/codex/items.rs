//! The items of a rollout.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Speaker, Text, ToolResult};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::text::Line;
use super::Session;
use super::events::{Connectors, Search};
use super::record::{Part, Payload, Record};
use super::typed::{Typed, displayed, is_step, part_texts};
use super::user::{Whose, bodies, is_summary};

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
    known: HashSet<u64>,
    /// The typed texts that only events have, with the step before them.
    typed_only: HashSet<(usize, u64)>,
    /// What was searched for, as the model's item and the event say it: each pair is one call.
    pub(super) searches: Vec<Search>,
    pub(super) seen_results: HashSet<&'e str>,
}

/// Where in the file something stands.
pub(super) struct Spot<'e> {
    pub(super) line: &'e Line<'e>,
    /// The pointer to the payload.
    pub(super) payload: String,
}

impl Spot<'_> {
    pub(super) fn at(&self, below: &str) -> String {
        format!("line {} {}{below}", self.line.number, self.payload)
    }

    /// The JSON text at a pointer below the payload.
    pub(super) fn json(&self, below: &str) -> String {
        Reparsed::of(self.line.text).at(&format!("{}{below}", self.payload))
    }
}

impl<'e> Reader<'e> {
    pub(super) fn of(records: &'e [(Line<'e>, Record<'e>)], session: &'e Session) -> Self {
        let all = || records.iter().map(|(_, record)| record);
        let wrapped = |record: &Record<'_>| matches!(record.kind.get(), Some("response_item" | "event_msg"));
        Self {
            session,
            is_bare: !all().any(wrapped),
            typed: Typed::of(all()),
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
        let spot = Spot { line, payload: "/payload".to_owned() };
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
        if let Ok(Node::Is(payload)) = serde_json::from_str::<Node<Payload<'e>>>(line.text) {
            let spot = Spot { line, payload: String::new() };
            self.item(&spot, &payload);
        }
    }

    fn item(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        match payload.kind.or_empty() {
            "message" | "" if payload.role.get().is_some() => self.message(spot, payload),
            "reasoning" => self.reasoning(spot, payload),
            "function_call" | "custom_tool_call" | "tool_call" => self.function_call(spot, payload),
            "function_call_output" | "custom_tool_call_output" => self.output(spot, payload),
            "tool_result" | "function_result" => {
                let json = payload.result.map_or("null", Raw::text);
                self.result(spot.at("/result"), "", Content::Json(Text::from(json)), false);
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
                self.result(spot.at(""), payload.call_id.or_empty(), json, false);
            }
            // What no reader knows may be the model's.
            _ => {
                let body = said(Speaker::Assistant, &spot.json(""));
                self.push(spot.at(""), body);
            }
        }
    }

    fn message(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let by = match payload.role.or_empty() {
            "user" => return self.user(spot, payload),
            "developer" | "system" => Speaker::System,
            _ => Speaker::Assistant,
        };
        if let Some(text) = payload.message.get() {
            self.learn(text);
            self.push(spot.at("/message"), said(by, text));
        }
        self.texts(spot, &payload.content, "/content", by);
    }

    /// Texts of one voice; parts of a type that nobody knows are given as they are.
    fn texts(&mut self, spot: &Spot<'_>, content: &Blocks<'_, Part<'_>>, below: &str, by: Speaker) {
        let parts = match content {
            Blocks::Text(text) => {
                self.learn(text);
                return self.push(spot.at(below), said(by, text));
            }
            Blocks::List(parts) => parts,
            Blocks::Absent => return,
            Blocks::Odd => return self.push(spot.at(below), said(by, &spot.json(below))),
        };
        for (index, part) in parts.iter().enumerate() {
            let below = format!("{below}/{index}");
            let part = part.get();
            match part.and_then(|part| part.text.get()) {
                Some("") => {}
                Some(text) => {
                    self.learn(text);
                    self.push(spot.at(&below), said(by, text));
                }
                None if part.is_some_and(|part| part.kind.get() == Some("input_image")) => {}
                None => self.push(spot.at(&below), said(by, &spot.json(&below))),
            }
        }
    }

    fn user(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let parts = match &payload.content {
            Blocks::Text(text) => return self.user_text(spot, "/content", text),
            Blocks::List(parts) => parts.as_slice(),
            Blocks::Absent => &[],
            Blocks::Odd => {
                return self.push(spot.at("/content"), said(Speaker::Task, &spot.json("/content")));
            }
        };
        if let Some(text) = payload.message.get() {
            self.user_text(spot, "/message", text);
        }
        for (index, part) in parts.iter().enumerate() {
            let below = format!("/content/{index}");
            match part.get() {
                Some(part) if part.text.get().is_some() => self.user_text(spot, &below, part.text.or_empty()),
                Some(part) if part.file_url.get().is_some() => {
                    let name = part.filename.owned();
                    let text = Text::from(part.file_url.or_empty());
                    self.push(spot.at(&below), Body::Attachment { name, text, from_agent_path: false });
                }
                Some(part) if matches!(part.kind.get(), Some("input_image" | "input_file" | "input_audio")) => {}
                Some(_) | None => self.push(spot.at(&below), said(Speaker::Task, &spot.json(&below))),
            }
        }
    }

    fn user_text(&mut self, spot: &Spot<'_>, below: &str, text: &str) {
        let typed = self.is_bare || self.typed.was_displayed(self.step, text);
        let whose = match (self.session.is_subagent, typed) {
            (true, _) => Whose::Task,
            (false, true) => Whose::Person,
            (false, false) => Whose::Host,
        };
        self.say_user(spot, below, text, whose);
    }

    /// A text in the user's place; one of a person's, or a task, begins a turn.
    fn say_user(&mut self, spot: &Spot<'_>, below: &str, text: &str, whose: Whose) {
        self.learn(text);
        let bodies = bodies(text, whose);
        let begins = |body: &Body| matches!(body, Body::User { .. } | Body::Said { by: Speaker::Task, .. });
        if bodies.iter().any(begins) {
            self.turn = Some(self.turn.map_or(0, |turn| turn + 1));
            self.turns.push(self.items.len());
        }
        for body in bodies {
            self.push(spot.at(below), body);
        }
    }

    /// A typed text that the history does not have.
    fn typed_only(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let whose = if self.session.is_subagent { Whose::Task } else { Whose::Person };
        for text in displayed("event_msg", payload) {
            // The old and the new kind of event may both display it.
            if !self.typed.is_recorded(self.step, text) && self.typed_only.insert((self.step, hash(text))) {
                self.say_user(spot, "", text, whose);
            }
        }
    }

    fn reasoning(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        self.texts(spot, &payload.summary, "/summary", Speaker::Thinking);
        self.texts(spot, &payload.content, "/content", Speaker::Thinking);
        if payload.content == Blocks::Absent && payload.encrypted_content != Word::Absent {
            self.push(spot.at(""), Body::Hidden { calls: false, what: "encrypted reasoning" });
        }
    }

    fn function_call(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let name = payload.name.get().or(payload.function.get().and_then(|function| function.name.get()));
        let (server, tool) = self
            .connectors
            .tool(payload.call_id.or_empty())
            .unwrap_or_else(|| server_and_tool(payload.namespace.or_empty(), name.unwrap_or_default()));
        let arguments = arguments(payload.arguments.or(payload.input));
        self.call(spot.at(""), payload, server, &tool, &arguments, Ran::Client);
    }

    fn call(
        &mut self,
        at: String,
        payload: &Payload<'_>,
        server: Option<String>,
        tool: &str,
        arguments: &str,
        ran: Ran,
    ) {
        let id = payload.call_id.get().or(payload.id.get()).unwrap_or_default();
        self.add_call(at, id, server, tool, arguments, ran);
    }

    pub(super) fn add_call(
        &mut self,
        at: String,
        id: &str,
        server: Option<String>,
        tool: &str,
        arguments: &str,
        ran: Ran,
    ) {
        self.calls.insert(id.to_owned(), tool.to_owned());
        let (id, tool, arguments) = (id.to_owned(), tool.to_owned(), Text::from(arguments));
        self.push(at, Body::Call(Call { id, server, tool, arguments, ran, custom: false }));
    }

    fn output(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let id = payload.call_id.or_empty();
        if self.connectors.has_told(id) {
            return;
        }
        let is_error = self.connectors.failed(id);
        if self.calls.get(id).is_some_and(|tool| tool == "request_user_input") && self.answers(spot, id, payload) {
            return;
        }
        let parts = match &payload.output {
            Blocks::Text(text) => {
                return self.result(spot.at("/output"), id, Content::Text(Text::from(text.as_ref())), is_error);
            }
            Blocks::List(parts) => parts.as_slice(),
            Blocks::Absent => &[],
            Blocks::Odd => {
                let json = Content::Json(Text::from(spot.json("/output")));
                return self.result(spot.at("/output"), id, json, is_error);
            }
        };
        for (index, part) in parts.iter().enumerate() {
            let below = if parts.len() == 1 { "/output".to_owned() } else { format!("/output/{index}") };
            let known = part.get();
            let content = match known.and_then(|part| part.text.get().or(part.content.get())) {
                Some(text) => Content::Text(Text::from(text)),
                None if known.is_some_and(|part| part.kind.get() == Some("input_image")) => {
                    continue;
                }
                None => Content::Json(Text::from(spot.json(&below))),
            };
            self.result(spot.at(&below), id, content, is_error);
        }
    }

    /// What a person answered to the question tool.
    fn answers(&mut self, spot: &Spot<'_>, call: &str, payload: &Payload<'_>) -> bool {
        let texts = part_texts(&payload.output).concat();
        let Ok(Value::Object(output)) = serde_json::from_str::<Value>(&texts) else { return false };
        let Some(answers) = output.get("answers").and_then(Value::as_object) else { return false };
        let before = self.items.len();
        for answer in answers.values() {
            let answer = answer.get("answers").unwrap_or(answer);
            let texts = answer.as_array().map_or(std::slice::from_ref(answer), Vec::as_slice);
            for text in texts.iter().filter_map(Value::as_str) {
                let body = Body::Answer { call: call.to_owned(), text: Text::from(text) };
                self.push(spot.at("/output"), body);
            }
        }
        self.items.len() > before
    }

    pub(super) fn result(&mut self, at: String, call: &str, content: Content, is_error: bool) {
        let from = Producer::Call(call.to_owned());
        self.push(at, Body::Result(ToolResult { from, content, is_error, mime: None }));
    }

    /// A message between agents: of this run's own model, a task, or a report.
    fn agent_message(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let own = match (&self.session.agent_path, self.session.is_subagent) {
            (Some(path), _) => path.as_str(),
            (None, false) => "/root",
            (None, true) => "",
        };
        let by = match payload.author.get() {
            Some(author) if author == own => Speaker::Assistant,
            _ if self.session.is_subagent => Speaker::Task,
            _ => Speaker::Report,
        };
        let is_sealed = |part: &Part<'_>| part.kind.get() == Some("encrypted_content");
        let (sealed, open): (Vec<_>, Vec<_>) = match &payload.content {
            Blocks::List(parts) => parts.iter().enumerate().partition(|(_, part)| part.get().is_some_and(is_sealed)),
            Blocks::Text(text) => return self.push(spot.at("/content"), said(by, text)),
            Blocks::Absent | Blocks::Odd => {
                return self.push(spot.at(""), said(by, &spot.json("")));
            }
        };
        for (index, part) in open {
            let below = format!("/content/{index}");
            let text = part.get().and_then(|part| part.text.get());
            let body = text.map_or_else(|| said(by, &spot.json(&below)), |text| said(by, text));
            self.push(spot.at(&below), body);
        }
        if let Some((index, _)) = sealed.first() {
            let what = "an encrypted message between agents";
            self.push(spot.at(&format!("/content/{index}")), Body::Hidden { calls: true, what });
        }
    }

    fn instructions(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        for (below, raw) in [("/base_instructions", payload.base_instructions), ("/instructions", payload.instructions)]
        {
            if let Some(raw) = raw.filter(|_| self.items.is_empty()) {
                self.push(spot.at(below), said(Speaker::System, raw.text()));
            }
        }
    }

    /// A history written anew. What it repeats is known; what it adds is the summary.
    fn compacted(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        self.say_incomplete(spot);
        if let Some(summary) = payload.message.get().filter(|summary| !summary.is_empty()) {
            self.push(spot.at("/message"), said(Speaker::Summary, summary));
        }
        let Some(raw) = payload.replacement_history else { return };
        let Some(history) = raw.read::<Vec<Node<Payload<'_>>>>() else {
            return self.push(spot.at("/replacement_history"), said(Speaker::Summary, raw.text()));
        };
        for (index, payload) in history.iter().enumerate() {
            let place = format!("{}/replacement_history/{index}", spot.payload);
            let spot = Spot { line: spot.line, payload: place };
            match payload {
                Node::Is(payload) => self.repeated(&spot, payload),
                Node::Absent | Node::Odd => self.push(spot.at(""), said(Speaker::Summary, &spot.json(""))),
            }
        }
    }

    /// An item of a history that was written anew.
    fn repeated(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let by = match payload.role.get() {
            Some("user" | "developer" | "system") => Speaker::System,
            Some(_) => Speaker::Assistant,
            None => {
                let repeats = |id: &Word<'_>| id.get().is_some_and(|id| self.calls.contains_key(id));
                if !repeats(&payload.call_id) && payload.kind.get() != Some("reasoning") {
                    self.item(spot, payload);
                }
                return;
            }
        };
        for text in part_texts(&payload.content) {
            if !self.learn(text) {
                continue;
            }
            let by = if is_summary(text) { Speaker::Summary } else { by };
            self.push(spot.at("/content"), said(by, text));
        }
    }

    /// Turns that were taken back.
    pub(super) fn rolled_back(&mut self, spot: &Spot<'_>, turns: Option<Raw<'_>>) {
        let count = turns.and_then(|turns| turns.read::<usize>()).unwrap_or(usize::MAX);
        let keep = self.turns.len().saturating_sub(count);
        let Some(to) = self.turns.get(keep).copied() else { return };
        self.turns.truncate(keep);
        self.push(spot.at(""), Body::Rewind { to });
    }

    /// Says that a history begins before its file does.
    fn say_incomplete(&mut self, spot: &Spot<'_>) {
        let begun = |item: &Item| !matches!(item.body, Body::Said { by: Speaker::System, .. });
        if !self.items.iter().any(begun) {
            let what = "what stood before a compaction";
            self.push(spot.at(""), Body::Hidden { calls: true, what });
        }
    }

    /// Remembers a text; whether it is new.
    fn learn(&mut self, text: &str) -> bool {
        self.known.insert(hash(text))
    }

    pub(super) fn push(&mut self, at: String, body: Body) {
        let mut item = Item::new(at.trim_end().to_owned(), body);
        item.turn = Some(self.turn.unwrap_or(0));
        self.items.push(item);
    }
}

/// A fixed hash of a text: the same in every run.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}

pub(super) fn said(by: Speaker, text: &str) -> Body {
    Body::Said { by, text: Text::from(text) }
}

/// A server's tool is named `mcp__server__tool`, or stands in the server's namespace. Any other namespace is the host's,
/// and its tools are no connector's.
fn server_and_tool(namespace: &str, name: &str) -> (Option<String>, String) {
    let whole = |name: &str| match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
            Some((Some(server.to_owned()), tool.to_owned()))
        }
        _ => None,
    };
    let namespaced = || {
        let server = namespace.strip_prefix("mcp__")?.trim_end_matches('_');
        (!server.is_empty()).then(|| (Some(server.to_owned()), name.to_owned()))
    };
    whole(name).or_else(namespaced).unwrap_or_else(|| match namespace {
        "" | "functions" => (None, name.to_owned()),
        namespace => (None, format!("{namespace}.{name}")),
    })
}

/// Arguments as a JSON text: they may be an object, a JSON text in a string, or free text.
pub(super) fn arguments(raw: Option<Raw<'_>>) -> String {
    let Some(raw) = raw else { return "{}".to_owned() };
    let Some(text) = raw.read::<Word<'_>>().and_then(|word| word.get().map(str::to_owned)) else {
        return raw.text().to_owned();
    };
    if firsthand::json::looks_like_json(&text) && serde_json::from_str::<IgnoredAny>(&text).is_ok() {
        return text;
    }
    let mut object = Map::new();
    object.insert("input".to_owned(), Value::from(text));
    Value::Object(object).to_string()
}
