//! What only events tell: what a search found, and what a connector itself returned.

use std::collections::{HashMap, HashSet};

use firsthand::conversation::{Body, Content, Producer, Ran, Text, ToolResult};
use serde_json::{Map, Value};

use super::super::lax::{Blocks, Node, Raw, Reparsed};
use super::super::recorded::signs::{Watched, failed_but};
use super::items::calls::arguments;
use super::items::{Reader, SEARCH, Spot};
use super::record::{Display, Invocation, Outcome, Payload, Record};

/// The calls of connectors, by the id of the call.
#[derive(Debug, Default)]
pub(super) struct Connectors<'e> {
    calls: HashMap<&'e str, ConnectorCall<'e>>,
    /// The calls whose results events have told.
    told: HashSet<String>,
}

#[derive(Clone, Copy, Debug)]
struct ConnectorCall<'e> {
    server: &'e str,
    tool: &'e str,
    failed: bool,
    /// The event has text of the result.
    tells: bool,
}

impl<'e> Connectors<'e> {
    /// Looks through a file.
    pub(super) fn of(records: impl Iterator<Item = &'e Record<'e>>) -> Self {
        let mut calls = HashMap::new();
        for payload in
            records.filter(|record| record.kind.get() == Some("event_msg")).filter_map(|record| record.payload.get())
        {
            let Some(ended) = Ended::of(payload) else { continue };
            let (failed, parts) = ended.parts();
            let call = ConnectorCall { server: ended.server, tool: ended.tool, failed, tells: !parts.is_empty() };
            calls.entry(ended.id).or_insert(call);
        }
        Self { calls, told: HashSet::new() }
    }

    /// The server and tool of a call.
    pub(super) fn tool(&self, id: &str) -> Option<(Option<String>, String)> {
        let call = self.calls.get(id).filter(|call| !call.server.is_empty())?;
        Some((Some(call.server.to_owned()), call.tool.to_owned()))
    }

    /// Whether an event tells what the call returned.
    pub(super) fn has_told(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|call| call.tells)
    }

    /// Whether the call failed.
    pub(super) fn failed(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|call| call.failed)
    }
}

/// An event that says how a connector's call ended.
struct Ended<'e> {
    id: &'e str,
    server: &'e str,
    tool: &'e str,
    arguments: Option<Raw<'e>>,
    result: Option<Raw<'e>>,
    /// A sign of the event says that it failed.
    failed: bool,
}

impl<'e> Ended<'e> {
    fn of(payload: &'e Watched<Payload<'e>>) -> Option<Self> {
        match payload.kind.or_empty() {
            "mcp_tool_call_end" => {
                let invocation: &'e Invocation<'e> = payload.invocation.get()?;
                Some(Self {
                    id: payload.call_id.get()?,
                    server: invocation.server.or_empty(),
                    tool: invocation.tool.or_empty(),
                    arguments: invocation.arguments,
                    result: payload.result,
                    failed: payload.failed(),
                })
            }
            "item_completed" => {
                let item: &'e Watched<Display<'e>> = payload.item.get()?;
                (item.kind.get() == Some("McpToolCall")).then_some(())?;
                Some(Self {
                    id: item.id.get()?,
                    server: item.server.or_empty(),
                    tool: item.tool.or_empty(),
                    arguments: item.arguments,
                    result: item.result,
                    failed: payload.failed() || item.failed(),
                })
            }
            _ => None,
        }
    }

    /// Whether it failed, and each part of what it returned: where it stands below the result, and the part.
    fn parts(&self) -> (bool, Vec<(String, Content)>) {
        let Some(result) = self.result else { return (self.failed, Vec::new()) };
        let Some(Node::Is(outcome)) = result.read::<Node<Outcome<'_>>>() else {
            return (self.failed, Vec::new());
        };
        if let Some(error) = outcome.err {
            return (true, vec![("/Err".to_owned(), Content::Json(Text::from(error.text())))]);
        }
        let (raw, above) = outcome.ok.map_or((result, ""), |ok| (ok, "/Ok"));
        let (failed, parts) = returned(raw, above);
        // What stands beside the two ways in which it may end.
        let beside = result.read().is_none_or(|result| failed_but(&result, &["Ok", "Err"]));
        (failed || self.failed || beside, parts)
    }
}

/// What an MCP server answered.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered<'t> {
    #[serde(borrow, default)]
    content: Blocks<'t, super::record::Part<'t>>,
    #[serde(borrow, default)]
    structured_content: Option<Raw<'t>>,
}

fn returned(raw: Raw<'_>, above: &str) -> (bool, Vec<(String, Content)>) {
    let Some(Node::Is(answered)) = raw.read::<Node<Watched<Answered<'_>>>>() else {
        return (false, Vec::new());
    };
    let json = Reparsed::of(raw.text());
    let mut parts = Vec::new();
    match &answered.content {
        Blocks::Text(text) => parts.push((format!("{above}/content"), Content::Text(text.text()))),
        Blocks::List(list) => {
            for (index, part) in list.iter().enumerate() {
                let below = format!("/content/{index}");
                let known = part.get();
                let content = match known.map(|part| (part.kind.or_empty(), part.text.get())) {
                    Some(("text", Some(text))) => Content::Text(Text::from(text)),
                    Some(("image" | "audio", _)) => continue,
                    _ => Content::Json(Text::from(json.at(&below))),
                };
                parts.push((format!("{above}{below}"), content));
            }
        }
        Blocks::Absent | Blocks::Odd => {}
    }
    if let Some(structured) = answered.structured_content {
        let content = Content::Json(Text::from(structured.text()));
        parts.push((format!("{above}/structuredContent"), content));
    }
    (answered.failed(), parts)
}

/// A search, as the model's item or an event says it.
#[derive(Debug)]
pub(super) struct Search {
    arguments: String,
    /// Only one of the two has said it so far.
    by_event: bool,
}

impl<'e> Reader<'e> {
    pub(super) fn event(&mut self, spot: &Spot<'_>, payload: &'e Watched<Payload<'e>>) {
        if payload.kind.get() == Some("thread_rolled_back") {
            return self.rolled_back(spot, payload.num_turns);
        }
        if let Some(ended) = Ended::of(payload) {
            return self.connector_ended(spot, &ended, payload.item.get().is_some());
        }
        let (id, action, results, below) = match (payload.kind.or_empty(), payload.item.get()) {
            ("web_search_end", _) => (&payload.call_id, payload.action, payload.results, "/results"),
            ("item_completed", Some(item)) if item.kind.get() == Some("Extension") => {
                (&item.id, item.action, item.results, "/item/results")
            }
            // Copies for display.
            _ => return,
        };
        let (tool, arguments, _) = searched(action);
        // The arguments are the model's, and it wrote them before the search found anything.
        self.search(spot.at(""), id.or_empty(), &tool, &arguments, true);
        let Some(results) = results.filter(|results| results.text() != "null") else { return };
        if self.seen_results.insert(results.text()) {
            let json = format!("{{\"results\":{}}}", results.text());
            let failed = payload.failed() || payload.item.get().is_some_and(Watched::failed);
            self.found(spot.at(below), id.or_empty(), &tool, json, failed);
        }
    }

    pub(super) fn search_call(&mut self, spot: &Spot<'_>, payload: &Watched<Payload<'_>>) {
        let (tool, arguments, sources) = searched(payload.action);
        let id = payload.call_id.get().or(payload.id.get()).unwrap_or_default();
        self.search(spot.at(""), id, &tool, &arguments, false);
        if let Some(sources) = sources {
            let json = format!("{{\"results\":{sources}}}");
            self.found(spot.at("/action/sources"), id, &tool, json, payload.failed());
        }
    }

    /// A search that the model's item and an event each say is one call.
    fn search(&mut self, at: String, id: &str, tool: &str, arguments: &str, by_event: bool) {
        let fits = |search: &Search| search.by_event != by_event && search.arguments == arguments;
        if let Some(place) = self.searches.iter().rposition(fits) {
            self.searches.remove(place);
            return;
        }
        /// The two stand next to each other; more that wait for their pair are not kept.
        const MOST_WAITING: usize = 32;
        if self.searches.len() == MOST_WAITING {
            self.searches.remove(0);
        }
        self.searches.push(Search { arguments: arguments.to_owned(), by_event });
        self.add_call(at, id, None, tool, arguments, Ran::Provider);
    }

    /// What a search found. The event's id is often the only one there is; then the tool's name says whose it is.
    fn found(&mut self, at: String, id: &str, tool: &str, json: String, is_error: bool) {
        let content = Content::Json(Text::from(json));
        if !id.is_empty() && self.calls.contains_key(id) {
            return self.result(at, id, content, is_error);
        }
        let from = Producer::Named { server: None, tool: tool.to_owned(), ran: Ran::Provider };
        self.push(at, Body::Result(ToolResult { from, content, is_error, mime: None, redirects: Vec::new() }));
    }

    fn connector_ended(&mut self, spot: &Spot<'_>, ended: &Ended<'_>, displayed: bool) {
        if !self.connectors.told.insert(ended.id.to_owned()) {
            return;
        }
        if !self.calls.contains_key(ended.id) {
            // A program of the model's called it; the history has only the program.
            let server = (!ended.server.is_empty()).then(|| ended.server.to_owned());
            let arguments = arguments(ended.arguments);
            self.add_call(spot.at(""), ended.id, server, ended.tool, &arguments, Ran::Client);
        }
        let (failed, parts) = ended.parts();
        let above = if displayed { "/item/result" } else { "/result" };
        for (below, content) in parts {
            self.result(spot.at(&format!("{above}{below}")), ended.id, content, failed);
        }
    }
}

/// The tool of a search's action, its arguments, and the sources that the provider put into the action.
fn searched(action: Option<Raw<'_>>) -> (String, String, Option<String>) {
    let Some(mut action) = action.and_then(|action| action.read::<Map<String, Value>>()) else {
        return (SEARCH.to_owned(), "{}".to_owned(), None);
    };
    let sources = action.shift_remove("sources").filter(Value::is_array).map(|sources| sources.to_string());
    let kind = action.shift_remove("type");
    let tool = match kind.as_ref().and_then(Value::as_str) {
        Some("open_page" | "openPage") => "open_page",
        Some("find_in_page" | "findInPage") => "find_in_page",
        Some("search") | None => SEARCH,
        Some(other) => other,
    };
    let tool = tool.to_owned();
    (tool, Value::Object(action).to_string(), sources)
}
