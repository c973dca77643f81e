//! Calls and what they returned.

use firsthand::conversation::{Body, Call, Content, Producer, Ran, Text, ToolResult};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::super::super::lax::{Blocks, Raw, Word};
use super::super::super::recorded::signs::Watched;
use super::super::record::Payload;
use super::super::typed::part_texts;
use super::{Reader, Spot};

impl Reader<'_> {
    pub(in super::super) fn function_call(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let name = payload.name.get().or(payload.function.get().and_then(|function| function.name.get()));
        let own = server_and_tool(payload.namespace.or_empty(), name.unwrap_or_default());
        let connector = self.connectors.tool(payload.call_id.or_empty());
        // An event says more of a connector's call than its name, which is shortened; it makes none of a host's.
        let (server, tool) = match connector {
            Some((server, tool)) if own.0.is_some() || own.1 == tool || own.1.contains("__") => (server, tool),
            Some(_) | None => own,
        };
        let arguments = arguments(payload.arguments.or(payload.input));
        self.call(spot.at(""), payload, server, &tool, &arguments, Ran::Client);
    }

    pub(in super::super) fn call(
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

    pub(in super::super) fn add_call(
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

    pub(in super::super) fn output(&mut self, spot: &Spot<'_>, payload: &Watched<Payload<'_>>) {
        let id = payload.call_id.or_empty();
        if self.connectors.has_told(id) {
            return;
        }
        let is_error = self.connectors.failed(id) || payload.failed();
        if self.calls.get(id).is_some_and(|tool| tool == "request_user_input") && self.answers(spot, id, payload) {
            return;
        }
        let parts = match &payload.output {
            Blocks::Text(text) => {
                return self.result(spot.at("/output"), id, Content::Text(text.text()), is_error);
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
    pub(in super::super) fn answers(&mut self, spot: &Spot<'_>, call: &str, payload: &Payload<'_>) -> bool {
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

    pub(in super::super) fn result(&mut self, at: String, call: &str, content: Content, is_error: bool) {
        let from = Producer::Call(call.to_owned());
        self.push(at, Body::Result(ToolResult { from, content, is_error, mime: None, redirects: Vec::new() }));
    }
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
pub(in super::super) fn arguments(raw: Option<Raw<'_>>) -> String {
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
