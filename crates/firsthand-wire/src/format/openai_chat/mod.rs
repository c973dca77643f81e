//! OpenAI Chat Completions and the many servers that speak it: requests, responses, exchanges, messages, streams.
//!
//! What is not known is read so that nothing opens by it: an unknown part of the model's message counts as the model's
//! text, elsewhere as the host's, and an unknown role is the model's. A tool message has no error flag and often no name;
//! its class is that of the call it answers. Addresses that a provider attached (annotations, citations, search results)
//! stand before the text.

mod message;
mod stream;

pub(super) use message::{arguments_text, read as read_message};

use firsthand::conversation::Speaker;
use serde_json::Value;

use super::Format;
use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

/// OpenAI Chat Completions.
pub(super) const FORMAT: Format =
    Format { name: Chat::NAME, title: "OpenAI Chat Completions", read: read::<Chat>, recognises };

/// The API.
pub(super) struct Chat;

const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];

/// Where a message of this API holds what it says.
const KEYS_OF_WORDS: &[&str] = &[
    "content",
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "thinking",
    "executed_tools",
];

/// Keys that messages with a role have in other formats, some of which say there who wrote a message. Servers and
/// programs put keys of their own into messages of this API (`id`, `timestamp`, `weight`), which say nothing.
const KEYS_OF_OTHERS: &[&str] = &[
    "agent",
    "author",
    "data",
    "event",
    "from",
    "info",
    "kind",
    "message",
    "object",
    "origin",
    "parts",
    "payload",
    "position",
    "provenance",
    "sender",
    "source",
    "speaker",
    "thread_id",
    "toolInvocations",
    "type",
];

fn recognises(probe: &Probe) -> bool {
    let message = |value: &Value| {
        let role = value.get("role").and_then(Value::as_str).is_some_and(|role| ROLES.contains(&role));
        let said = KEYS_OF_WORDS.iter().any(|key| value.get(key).is_some());
        role && said && KEYS_OF_OTHERS.iter().all(|key| value.get(key).is_none())
    };
    // Agents that write calls and results into plain text read writers otherwise: a result stands in the user's place.
    let in_text = |value: &Value| {
        let text = value.get("content").and_then(Value::as_str).unwrap_or_default();
        text.trim_start().starts_with("<tool_response>") || text.contains("<tool_call>")
    };
    let messages = |value: &Value| {
        let list = value.get("messages").unwrap_or(value).as_array();
        list.is_some_and(|list| !list.is_empty() && list.iter().all(message) && !list.iter().any(in_text))
    };
    let body = |value: &Value| {
        says(value, "object", "chat.completion")
            || value.pointer("/choices/0/message/role").is_some()
            || messages(value)
    };
    let exchange = |value: &Value| {
        ["request", "response"]
            .iter()
            .filter_map(|key| value.get(key))
            .any(|half| body(half) || ["body", "parsed_body"].iter().filter_map(|key| half.get(key)).any(body))
    };
    let elements =
        |value: &Value| value.as_array().is_some_and(|list| list.iter().any(|value| exchange(value) || body(value)));
    let values = probe.values();
    values.iter().any(|value| body(value) || exchange(value) || elements(value))
        || !values.is_empty() && values.iter().all(message) && !values.iter().any(in_text)
}

impl Api for Chat {
    const NAME: &'static str = "openai-chat";
    const EXPECTED: &'static str = "a request with `messages`, a response with `choices`, an exchange or a message";
    const SETTINGS: &'static [&'static str] = &["tools", "functions", "model", "plugins", "web_search_options"];

    fn is_request(node: &Node<'_>) -> bool {
        node.get("messages").is_list()
    }

    fn is_response(node: &Node<'_>) -> bool {
        node.get("choices").is_list()
            // Ollama's own response.
            || node.get("message").is_map() && node.find("done").is_some()
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("role").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(request.get("messages").list(), &spot.at("messages")))
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        if let Some(message) = response.find("message") {
            return Ok(vec![(message, spot.at("message"))]);
        }
        let choices = placed(response.get("choices").list(), &spot.at("choices"));
        let message = |(choice, spot): Placed<'n, 'a>| match choice.find("message") {
            Some(message) => Ok((message, spot.at("message"))),
            None => Err(spot.unexpected(choice, "a choice with a `message`")),
        };
        choices.into_iter().map(message).collect()
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        message::settings(draft, request);
        for key in ["tools", "functions"] {
            for (tool, spot) in placed(request.get(key).list(), &spot.at(key)) {
                draft.said(&spot, Speaker::System, &tool.json());
            }
        }
    }

    fn before_answer(draft: &mut Draft, response: &Node<'_>, spot: &Spot) {
        message::attached_to_response(draft, response, spot);
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        message::read(draft, message, spot)
    }

    fn essence(message: &Node<'_>) -> String {
        let content = message.get("content");
        let texts: Vec<&str> = match content.text() {
            Some(text) => vec![text],
            None => content.list().iter().filter_map(|part| part.get("text").text()).collect(),
        };
        let others: Vec<String> =
            content.list().iter().filter(|part| part.find("text").is_none()).map(Node::json).collect();
        let calls: Vec<Node<'_>> =
            message.get("tool_calls").list().iter().map(|call| call.only(&["id", "function", "custom"])).collect();
        let texts = texts.into_iter().filter(|text| !text.is_empty()).map(|text| Node::Text(text.into())).collect();
        let rest = message.only(&["role", "tool_call_id", "name", "function_call"]);
        format!("{}{}{others:?}{}", rest.json(), Node::List(texts).json(), Node::List(calls).json())
    }

    fn weight(message: &Node<'_>) -> Weight {
        match message.say("role") {
            "system" | "developer" => Weight::Setting,
            _ => Weight::Telling,
        }
    }

    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        stream::event(stream, node, spot)
    }

    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        stream::rest(stream)
    }
}
