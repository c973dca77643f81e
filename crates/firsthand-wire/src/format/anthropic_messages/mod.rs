//! Anthropic Messages: requests, responses, exchanges, messages and recorded streams.
//!
//! What the API's reference does not say of a block is read so that nothing opens by it: an unknown block in the model's
//! place counts as the model's text, elsewhere as the host's, which counts for nothing. A role that is not known is the
//! model's. Citations repeat addresses that the provider's search attached to a text; they stand before it.

mod blocks;
mod results;
mod stream;

use firsthand::conversation::Speaker;

use super::Format;
use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

/// Anthropic Messages.
pub(super) const FORMAT: Format =
    Format { name: Messages::NAME, title: "Anthropic Messages", read: read::<Messages>, recognises };

/// The API.
pub(super) struct Messages;

/// Reads a message that another format holds.
pub(super) fn read_message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    Messages::message(draft, message, spot)
}

/// The types of blocks that no other API has.
const OWN_BLOCKS: &[&str] = &[
    "tool_use",
    "tool_result",
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
    "redacted_thinking",
    "compaction",
    "container_upload",
];

/// Reads a block of the model's turn, for formats that keep a provider's blocks as they came.
pub(super) fn model_block(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    blocks::read(draft, blocks::Place::Model, block, spot);
}

fn recognises(probe: &Probe) -> bool {
    let own = |message: &serde_json::Value| {
        let blocks = message.get("content").and_then(serde_json::Value::as_array).into_iter().flatten();
        let kind =
            |block: &serde_json::Value| OWN_BLOCKS.iter().any(|own| block.get("type").is_some_and(|kind| kind == own));
        let mut blocks = blocks.filter(|block| block.is_object());
        message.get("role").is_some()
            && blocks.any(|block| kind(block) || says(block, "type", "thinking") && block.get("signature").is_some())
    };
    let response = |value: &serde_json::Value| {
        says(value, "type", "message") && says(value, "role", "assistant") && value.get("stop_reason").is_some()
    };
    let body = |value: &serde_json::Value| {
        let messages = value.get("messages").unwrap_or(value).as_array();
        response(value)
            || own(value)
            || says(value, "type", "message_start")
            || value.get("anthropic_version").is_some()
            || value.get("messages").is_some() && value.get("system").is_some()
            || messages.is_some_and(|messages| messages.iter().any(own))
    };
    let exchange = |value: &serde_json::Value| {
        ["request", "response"]
            .iter()
            .filter_map(|key| value.get(key))
            .any(|half| body(half) || ["body", "parsed_body"].iter().filter_map(|key| half.get(key)).any(body))
    };
    let elements = |value: &serde_json::Value| {
        value.as_array().is_some_and(|elements| elements.iter().any(|value| exchange(value) || body(value)))
    };
    probe.values().iter().any(|value| body(value) || exchange(value) || elements(value))
}

impl Api for Messages {
    const NAME: &'static str = "anthropic-messages";
    const EXPECTED: &'static str = "a request with `messages`, a response with `content`, an exchange or a message";
    const SETTINGS: &'static [&'static str] = &["system", "tools", "thread"];

    fn is_request(node: &Node<'_>) -> bool {
        node.get("messages").is_list()
    }

    fn is_response(node: &Node<'_>) -> bool {
        node.say("type") == "message" && node.find("role").is_some() && node.get("content").is_list()
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("role").is_some() && !Self::is_response(node)
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(request.get("messages").list(), &spot.at("messages")))
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(vec![(response, spot.clone())])
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        let system = request.get("system");
        match system.text() {
            Some(text) => draft.said(&spot.at("system"), Speaker::System, text),
            None => {
                for (block, spot) in placed(system.list(), &spot.at("system")) {
                    draft.said(&spot, Speaker::System, block.say("text"));
                }
            }
        }
        for (tool, spot) in placed(request.get("tools").list(), &spot.at("tools")) {
            if tool.find("description").is_some() || tool.find("input_schema").is_some() {
                draft.said(&spot, Speaker::System, &tool.json());
            }
            if tool.say("response_inclusion") == "excluded" {
                draft.hidden(&spot, true, "calls that the response leaves out");
            }
        }
        if request.get("thread").say("type") == "continue" {
            draft.hidden(&spot.at("thread"), true, "the history that the server holds");
        }
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let Some(role) = message.get("role").text() else {
            return Err(spot.at("role").unexpected(message.get("role"), "`user`, `assistant` or `system`"));
        };
        let place = match role {
            "user" => blocks::Place::User,
            "system" => blocks::Place::System,
            _ => blocks::Place::Model,
        };
        match place {
            blocks::Place::Model => draft.model_message(message.get("id").text(), spot),
            blocks::Place::User | blocks::Place::System => draft.end_model_message(),
        }
        // A recorded stream gives its blocks one by one.
        if let Some(block) = message.find("content_block") {
            blocks::read(draft, place, block, &spot.at("content_block"));
            return Ok(());
        }
        let (content, spot) = (message.get("content"), spot.at("content"));
        match content {
            Node::Text(text) => blocks::text(draft, place, &spot, text),
            Node::List(blocks) => {
                placed(blocks, &spot).into_iter().for_each(|(block, spot)| blocks::read(draft, place, block, &spot));
            }
            Node::Null => {}
            Node::Bool(_) | Node::Number(_) | Node::Map(_) => {
                return Err(spot.unexpected(content, "a string or an array of blocks"));
            }
        }
        Ok(())
    }

    fn essence(message: &Node<'_>) -> String {
        let mut essence = message.say("role").to_owned();
        match message.get("content").text() {
            Some(text) => essence.push_str(&text_essence(text)),
            None => {
                // Clients may leave out the model's reasoning when they send a history again.
                let kept = |block: &&Node<'_>| !matches!(block.say("type"), "thinking" | "redacted_thinking");
                for block in message.get("content").list().iter().filter(kept) {
                    essence.push_str(&block_essence(block));
                }
            }
        }
        essence
    }

    fn weight(message: &Node<'_>) -> Weight {
        if message.say("role") == "system" { Weight::Setting } else { Weight::Telling }
    }

    fn pauses(response: &Node<'_>) -> bool {
        response.say("stop_reason") == "pause_turn"
    }

    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        stream::event(stream, node, spot)
    }

    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        stream::rest(stream)
    }

    fn joined<'a>(pieces: Vec<(Node<'a>, Spot)>) -> Vec<(Node<'a>, Spot)> {
        stream::joined(pieces)
    }
}

fn block_essence(block: &Node<'_>) -> String {
    match (block.text(), block.say("type")) {
        (Some(text), _) => text_essence(text),
        (None, "text") => text_essence(block.say("text")),
        // Ids of calls are unique, and hosts shorten or clear results that they send again: the first reading stays.
        (None, kind) if kind.ends_with("tool_result") && block.find("tool_use_id").is_some() => {
            block.only(&["type", "tool_use_id"]).sorted_json()
        }
        (None, _) => block.without(&["cache_control", "caller", "citations"]).sorted_json(),
    }
}

fn text_essence(text: &str) -> String {
    Node::Text(text.into()).json()
}
