//! OpenAI Responses: requests with `input`, responses with `output`, exchanges, item lists, streams.
//!
//! Items of a type that is not known are read as the model's text, wherever they stand: nothing opens by them. Calls of
//! hosted tools are calls that the provider ran; what they returned is a result where the record has it. What the server
//! holds or encrypts is noted as hidden.

mod items;
mod message;
mod stream;

use firsthand::conversation::Speaker;
use serde_json::Value;

use super::Format;
use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

/// OpenAI Responses.
pub(super) const FORMAT: Format =
    Format { name: Responses::NAME, title: "OpenAI Responses", read: read::<Responses>, recognises };

/// The API.
pub(super) struct Responses;

fn recognises(probe: &Probe) -> bool {
    let item = |value: &Value| {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        value.get("call_id").is_some()
            || items::TYPES.contains(&kind)
            || kind == "message" && value.get("role").is_some() && value.get("stop_reason").is_none()
            || value.get("role").is_some()
                && parts(value).any(|part| says(part, "type", "input_") || says(part, "type", "output_text"))
    };
    let list =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().any(item));
    let body = |value: &Value| {
        value.get("object").is_some_and(|object| object == "response")
            || says(value, "type", "response.created")
            || list(value, "input")
            || list(value, "output")
            || value.get("input").is_some() && value.get("previous_response_id").is_some()
            || value.get("input").is_some_and(|input| input.is_string() || input.is_array())
                && value.get("model").is_some()
                && (OWN_KEYS.iter().any(|key| value.get(key).is_some()) || offers_own_tools(value))
            || value.get("input").and_then(Value::as_array).is_some_and(|list| {
                !list.is_empty() && list.iter().all(|item| item.get("role").is_some() && item.get("content").is_some())
            })
    };
    let exchange = |value: &Value| {
        ["request", "response"]
            .iter()
            .filter_map(|key| value.get(key))
            .any(|half| body(half) || ["body", "parsed_body"].iter().filter_map(|key| half.get(key)).any(body))
    };
    let elements = |value: &Value| {
        value.as_array().is_some_and(|list| list.iter().any(|value| exchange(value) || body(value) || item(value)))
    };
    let values = probe.values();
    values.iter().any(|value| body(value) || exchange(value) || elements(value))
        || !values.is_empty()
            && values.iter().all(|value| item(value) || value.get("role").is_some())
            && values.iter().any(item)
}

/// What a request has beside `model` and `input` in this API alone.
const OWN_KEYS: &[&str] = &["instructions", "max_output_tokens", "parallel_tool_calls", "reasoning", "truncation"];

/// Whether a request offers tools of a type that no other API has with an `input`.
fn offers_own_tools(request: &Value) -> bool {
    const STARTS: &[&str] =
        &["web_search", "code_interpreter", "computer_use_preview", "image_generation", "local_shell", "tool_search"];
    let tools = request.get("tools").and_then(Value::as_array).into_iter().flatten();
    tools.into_iter().any(|tool| STARTS.iter().any(|start| says(tool, "type", start)))
}

fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    value.get("content").and_then(Value::as_array).into_iter().flatten()
}

impl Api for Responses {
    const NAME: &'static str = "openai-responses";
    const EXPECTED: &'static str = "a request with `input`, a response with `output`, an exchange or an item";
    const SETTINGS: &'static [&'static str] = &["instructions", "tools"];

    fn is_request(node: &Node<'_>) -> bool {
        match node.get("input") {
            // A response may repeat an empty input.
            Node::List(items) => !items.is_empty() || !node.get("output").is_list(),
            Node::Text(_) => !Self::is_message(node),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Map(_) => false,
        }
    }

    fn is_response(node: &Node<'_>) -> bool {
        node.get("output").is_list() && node.find("type").is_none()
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("role").is_some() || node.get("type").text().is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        let (input, spot) = (request.get("input"), spot.at("input"));
        Ok(if input.text().is_some() { vec![(input, spot)] } else { placed(input.list(), &spot) })
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(response.get("output").list(), &spot.at("output")))
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        let (instructions, at) = (request.get("instructions"), spot.at("instructions"));
        match instructions.text() {
            Some(text) => draft.said(&at, Speaker::System, text),
            None => placed(instructions.list(), &at)
                .into_iter()
                .for_each(|(item, spot)| draft.said(&spot, Speaker::System, &item.json())),
        }
        for (tool, spot) in placed(request.get("tools").list(), &spot.at("tools")) {
            if tool.find("description").is_some() || tool.find("parameters").is_some() {
                draft.said(&spot, Speaker::System, &tool.json());
            }
        }
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        items::read(draft, message, spot)
    }

    fn essence(message: &Node<'_>) -> String {
        match (message.text(), message.find("role")) {
            (Some(text), _) => message::essence("user", &Node::Text(text.into())),
            (None, Some(role)) => message::essence(role.text().unwrap_or_default(), message.get("content")),
            (None, None) => message.without(&["id", "status", "created_by"]).sorted_json(),
        }
    }

    fn weight(message: &Node<'_>) -> Weight {
        match (message.say("role"), message.say("type")) {
            ("system" | "developer", _) => Weight::Setting,
            (_, "reasoning") => Weight::Dispensable,
            _ => Weight::Telling,
        }
    }

    fn follows<'n>(node: &'n Node<'_>) -> Option<&'n str> {
        let conversation = node.get("conversation");
        let conversation = conversation.text().or(conversation.get("id").text());
        node.get("previous_response_id").text().or(conversation).filter(|id| !id.is_empty())
    }

    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        stream::event(stream, node, spot)
    }

    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        std::mem::take(&mut stream.complete)
    }
}
