//! LangChain messages in all three forms that it writes them in, and the states of LangGraph threads.
//!
//! A message is `{"lc":1,"id":[..,"HumanMessage"],"kwargs":{..}}`, `{"type":"human","data":{..}}` or flat. Not every human
//! message is a person's: a summary, a message that carries another agent's name and what a subgraph was given are not.
//! An unknown type is the model's. A thread's history repeats its messages state by state, the newest state first.

mod calls;
mod content;
mod message;
mod units;

use serde_json::Value;

use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log;
use super::recorded::node::{Node, Spot};
use super::{Format, Source};
use crate::error::ReadError;
use firsthand::conversation::Conversation;

/// LangChain and LangGraph.
pub(super) const FORMAT: Format = Format { name: LangChain::NAME, title: "LangChain and LangGraph", read, recognises };

/// The messages.
struct LangChain;

/// Where states keep their messages.
const LISTS: &[&[&str]] = &[
    &["messages"],
    &["values", "messages"],
    &["values"],
    &["channel_values", "messages"],
    &["checkpoint", "channel_values", "messages"],
    &["outputs", "messages"],
];

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|value| {
        is_message(value)
            || value.as_array().is_some_and(|list| list.iter().any(|element| is_message(element) || holds(element)))
            || holds(value)
    })
}

/// Whether it is a state with messages of this format.
fn holds(value: &Value) -> bool {
    let list = |path: &&[&str]| path.iter().try_fold(value, |value, key| value.get(key))?.as_array();
    LISTS.iter().filter_map(list).flatten().any(is_message)
}

fn is_message(value: &Value) -> bool {
    let built = value.get("lc").is_some() && says(value, "type", "constructor") && {
        value.pointer("/id/0").and_then(Value::as_str).is_some_and(|package| package.starts_with("langchain"))
    };
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let spoken = matches!(kind, "human" | "ai" | "HumanMessage" | "AIMessage" | "HumanMessageChunk" | "AIMessageChunk");
    let typed = spoken && (value.get("content").is_some() || value.pointer("/data/content").is_some());
    // Blocks in LangChain's own form, without the message around them.
    let blocks = value.get("content").and_then(Value::as_array).is_some_and(|blocks| {
        value.get("role").is_none()
            && blocks.iter().any(|block| says(block, "type", "server_tool_call") && block.get("args").is_some())
    });
    built || typed || blocks
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    log::read_units::<LangChain>(units::of(bytes)?, source)
}

/// The list of messages of a state, and where it stands.
fn messages<'n, 'a>(state: &'n Node<'a>, spot: &Spot) -> Option<(&'n [Node<'a>], Spot)> {
    LISTS.iter().find_map(|path| {
        let found = path
            .iter()
            .try_fold((state, spot.clone()), |(node, spot), key| node.find(key).map(|member| (member, spot.at(key))));
        found.filter(|(node, _)| node.is_list()).map(|(node, spot)| (node.list(), spot))
    })
}

impl Api for LangChain {
    const NAME: &'static str = "langchain";
    const EXPECTED: &'static str = "a message, a list of messages or a state with `messages`";
    const SETTINGS: &'static [&'static str] = &[];

    fn is_request(node: &Node<'_>) -> bool {
        messages(node, &Spot::top(None)).is_some()
    }

    fn is_response(_: &Node<'_>) -> bool {
        false
    }

    fn is_message(node: &Node<'_>) -> bool {
        let (body, _) = message::body(node);
        !message::kind(node).is_empty() && body.is_map() || body.find("content").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        let (messages, spot) = messages(request, spot).unwrap_or((&[], spot.clone()));
        // Pieces of a message that were put into its first one left nothing.
        Ok(placed(messages, &spot).into_iter().filter(|(message, _)| !message.is_null()).collect())
    }

    fn answered<'n, 'a>(_: &'n Node<'a>, _: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(Vec::new())
    }

    fn settings(_: &mut Draft, _: &Node<'_>, _: &Spot) {}

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        message::read(draft, message, spot)
    }

    fn essence(message: &Node<'_>) -> String {
        let (body, _) = message::body(message);
        let said = body.only(&["id", "content", "name", "tool_calls", "tool_call_id", "status"]);
        format!("{} {}", message::kind(message), said.json())
    }

    fn weight(message: &Node<'_>) -> Weight {
        match &*message::kind(message) {
            "system" | "developer" => Weight::Setting,
            _ => Weight::Telling,
        }
    }

    fn event<'a>(_: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        Taken::No(node, spot)
    }
}
