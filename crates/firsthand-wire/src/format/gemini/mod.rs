//! Gemini's `generateContent`: requests with `contents`, responses with `candidates`, exchanges, contents, streams.
//!
//! A result stands in the user's place and names its call. What the provider searched and opened stands beside the
//! content of a candidate: the queries and the addresses that it opened count as the model's calls, the hits as what the
//! search returned. They stand before the text, after reasoning that comes first. The text of pages is never in the
//! record. What stands beside a result is the calling program's. A part that is not known is the model's text in the model's place, elsewhere the host's; a role that is not
//! known is the model's.

mod candidate;
mod parts;
mod stream;

use firsthand::conversation::Speaker;
use serde_json::Value;

use super::Format;
use super::probe::Probe;
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

pub(super) use parts::{Place, either, is_of_a_tool, part, returned};

/// Gemini's `generateContent`.
pub(super) const FORMAT: Format =
    Format { name: Gemini::NAME, title: "Gemini contents", read: read::<Gemini>, recognises };

/// The API.
pub(super) struct Gemini;

fn recognises(probe: &Probe) -> bool {
    // Other APIs' parts say their type; these are told by the one member that they have.
    let part = |part: &Value| part.is_object() && part.get("type").is_none() && part.get("part_kind").is_none();
    let content = |value: &Value| {
        let role = value.get("role").is_none_or(|role| role.as_str().is_some_and(|role| ROLES.contains(&role)));
        let parts = value.get("parts").and_then(Value::as_array);
        role && value.get("content").is_none() && parts.is_some_and(|parts| !parts.is_empty() && parts.iter().all(part))
    };
    let body = |value: &Value| {
        let list = |key: &str| value.get(key).and_then(Value::as_array);
        LISTS.iter().any(|key| list(key).is_some_and(|list| list.iter().any(content)))
            || list("candidates").is_some_and(|list| list.iter().any(Value::is_object))
    };
    let exchange = |value: &Value| {
        let halves = ["request", "response"].iter().filter_map(|key| value.get(key));
        halves
            .into_iter()
            .any(|half| body(half) || ["body", "parsed_body"].iter().filter_map(|key| half.get(key)).any(body))
    };
    let one = |value: &Value| body(value) || exchange(value) || content(value);
    let list = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(one));
    probe.values().iter().any(|value| one(value) || list(value))
}

/// Where a request keeps its contents; a saved chat calls them its history.
const LISTS: [&str; 2] = ["contents", "history"];

const ROLES: &[&str] = &["user", "model", "function"];

impl Api for Gemini {
    const NAME: &'static str = "gemini";
    const EXPECTED: &'static str = "a request with `contents`, a response with `candidates`, an exchange or a content";
    const SETTINGS: &'static [&'static str] =
        &["systemInstruction", "system_instruction", "tools", "cachedContent", "cached_content"];

    fn is_request(node: &Node<'_>) -> bool {
        LISTS.iter().any(|key| node.get(key).is_list())
    }

    fn is_response(node: &Node<'_>) -> bool {
        node.get("candidates").is_list() || node.find("promptFeedback").is_some()
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.get("parts").is_list()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        let key = LISTS.into_iter().find(|key| request.get(key).is_list()).unwrap_or("contents");
        Ok(placed(request.get(key).list(), &spot.at(key)))
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(response.get("candidates").list(), &spot.at("candidates")))
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        for key in ["systemInstruction", "system_instruction"] {
            let (system, spot) = (request.get(key), spot.at(key));
            draft.said(&spot, Speaker::System, system.text().unwrap_or_default());
            for (part, spot) in placed(system.get("parts").list(), &spot.at("parts")) {
                draft.said(&spot, Speaker::System, part.say("text"));
            }
        }
        for (tool, spot) in placed(request.get("tools").list(), &spot.at("tools")) {
            if either(tool, "functionDeclarations", "function_declarations").is_some() {
                draft.said(&spot, Speaker::System, &tool.json());
            }
        }
        for key in ["cachedContent", "cached_content"] {
            if request.find(key).is_some() {
                draft.hidden(&spot.at(key), true, "the history that the server holds");
            }
        }
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        // A candidate wraps its content, and may have none where the answer was blocked.
        let wrapped = message.find("content").filter(|content| content.is_map());
        if wrapped.is_some() || message.find("parts").is_none() && message.find("role").is_none() {
            candidate::read(draft, message, spot);
            return Ok(());
        }
        let list = message.get("parts");
        if !matches!(list, Node::Null | Node::List(_)) {
            return Err(spot.at("parts").unexpected(list, "an array of parts"));
        }
        let place = match message.get("role") {
            // Whoever sends one content may leave the role out; of several nobody knows which are the model's.
            Node::Null if !draft.has_said_anything() => Place::User,
            Node::Null => Place::Model,
            Node::Text(role) => match &**role {
                "user" => Place::User,
                "system" | "function" | "tool" => Place::Host,
                _ => Place::Model,
            },
            Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => Place::Model,
        };
        match place {
            Place::Model => draft.model_message(None, spot),
            Place::User | Place::Host => draft.end_model_message(),
        }
        // What stands beside a result was put there by the program that sends it.
        let place =
            if place == Place::User && list.list().iter().any(parts::is_of_a_tool) { Place::Host } else { place };
        for (node, spot) in placed(list.list(), &spot.at("parts")) {
            part(draft, place, node, &spot);
        }
        Ok(())
    }

    fn essence(message: &Node<'_>) -> String {
        let wrapped = message.find("content").filter(|content| content.is_map());
        let content = wrapped.unwrap_or(message);
        let unsaid = if wrapped.is_some() { "model" } else { "user" };
        let role = content.get("role").text().unwrap_or(unsaid);
        let mut essence = role.to_owned();
        for node in content.get("parts").list() {
            parts::essence(node, &mut essence);
        }
        essence
    }

    fn weight(_: &Node<'_>) -> Weight {
        Weight::Telling
    }

    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        stream::event(stream, node, spot)
    }

    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        stream::joined(std::mem::take(&mut stream.complete))
    }
}
