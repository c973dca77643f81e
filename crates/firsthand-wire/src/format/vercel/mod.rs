//! Vercel AI SDK: the messages of its user interface (`parts`) and those of its model calls (`content`).
//!
//! Messages of the interface come from a browser: whoever asks about such a history asks whether it is honest as well. A
//! part that is not known is the model's in an assistant's message and the host's elsewhere; an unknown role is the
//! model's.

mod model;
mod ui;

use firsthand::conversation::Speaker;
use serde_json::Value;

use super::Format;
use super::probe::Probe;
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

/// Vercel AI SDK.
pub(super) const FORMAT: Format =
    Format { name: Vercel::NAME, title: "Vercel AI SDK", read: read::<Vercel>, recognises };

/// The messages, of both kinds.
struct Vercel;

/// The types of parts that only messages of the interface have.
const UI_PARTS: &[&str] =
    &["step-start", "dynamic-tool", "source-url", "source-document", "tool-invocation", "steering-message"];
/// The types of parts that only messages of model calls have.
const MODEL_PARTS: &[&str] = &["tool-call", "tool-result", "tool-approval-request", "tool-approval-response"];
/// The types of parts that other formats with `parts` have.
const OTHER_PARTS: &[&str] =
    &["tool_call", "tool_call_response", "server_tool_call", "server_tool_call_response", "blob", "uri"];

fn recognises(probe: &Probe) -> bool {
    let list = |value: &Value| {
        let list = value.get("messages").unwrap_or(value).as_array();
        list.is_some_and(|list| is_talk(list))
    };
    let values = probe.values();
    values.iter().any(list) || is_talk(values)
}

fn is_talk(messages: &[Value]) -> bool {
    let of_ui = |message: &Value| {
        let own = parts(message, "parts")
            .any(|part| kind(part).is_some_and(|kind| UI_PARTS.contains(&kind) || kind.starts_with("tool-")));
        own || message.get("role").is_some() && message.get("toolInvocations").is_some_and(Value::is_array)
    };
    let of_model = |message: &Value| {
        parts(message, "content").any(|part| kind(part).is_some_and(|kind| MODEL_PARTS.contains(&kind)))
    };
    // Nothing but text says which: then all messages have an id and typed parts, and none has what other formats have.
    let plain = |message: &Value| {
        let typed = || parts(message, "parts").all(|part| kind(part).is_some_and(|kind| !OTHER_PARTS.contains(&kind)));
        message.get("role").is_some()
            && message.get("id").is_some()
            && message.get("content").is_none()
            && parts(message, "parts").next().is_some()
            && typed()
    };
    messages.iter().any(|message| of_ui(message) || of_model(message))
        || !messages.is_empty() && messages.iter().all(plain)
}

fn parts<'v>(message: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    let list = message.get("role").and_then(|_| message.get(key)?.as_array());
    list.into_iter().flatten()
}

fn kind(part: &Value) -> Option<&str> {
    part.get("type")?.as_str()
}

impl Api for Vercel {
    const NAME: &'static str = "vercel-ai";
    const EXPECTED: &'static str = "a list of messages with `parts` or `content`, or an object with `messages`";
    const SETTINGS: &'static [&'static str] = &["system"];

    fn is_request(node: &Node<'_>) -> bool {
        node.get("messages").is_list()
    }

    fn is_response(_: &Node<'_>) -> bool {
        false
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("role").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(request.get("messages").list(), &spot.at("messages")))
    }

    fn answered<'n, 'a>(_: &'n Node<'a>, _: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(Vec::new())
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        draft.said(&spot.at("system"), Speaker::System, request.say("system"));
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let Some(role) = message.get("role").text() else {
            return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
        };
        let (said, parts) = (message.get("content"), message.get("parts"));
        if !matches!(said, Node::Null | Node::Text(_) | Node::List(_)) {
            return Err(spot.at("content").unexpected(said, "a string, an array of parts or null"));
        }
        if !matches!(parts, Node::Null | Node::List(_)) {
            return Err(spot.at("parts").unexpected(parts, "an array of parts"));
        }
        if matches!(role, "system" | "user" | "tool" | "data") {
            draft.end_model_message();
        }
        if parts.is_list() || message.get("toolInvocations").is_list() {
            ui::read(draft, role, message, spot);
        } else {
            model::read(draft, role, said, spot);
        }
        Ok(())
    }

    fn essence(message: &Node<'_>) -> String {
        message.only(&["role", "content", "parts"]).json()
    }

    fn weight(message: &Node<'_>) -> Weight {
        if message.say("role") == "system" { Weight::Setting } else { Weight::Telling }
    }

    fn event<'a>(_: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        Taken::No(node, spot)
    }
}

/// An address, unless it holds the thing itself.
fn web(address: &str) -> &str {
    if address.starts_with("data:") || !address.contains("://") { "" } else { address }
}

/// A file that came with a user's message.
fn attached(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let address = ["url", "data", "image"].iter().map(|key| web(part.say(key))).find(|address| !address.is_empty());
    let name = ["filename", "name", "title"].iter().find_map(|key| part.get(key).text());
    draft.attachment(spot, name, address.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_messages_are_told_by_their_ids_and_parts() {
        let probe = |text: &str| Probe::of(text.as_bytes(), text.len());
        let own = r#"[{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}]"#;
        assert!(recognises(&probe(own)));
        for other in [
            r#"[{"role":"user","parts":[{"type":"text","content":"a"}]}]"#,
            r#"[{"id":"1","role":"user","parts":[{"text":"a"}]}]"#,
            r#"[{"id":"1","role":"tool","parts":[{"type":"tool_call_response","response":"a"}]}]"#,
            r#"[{"role":"user","content":"a"}]"#,
        ] {
            assert!(!recognises(&probe(other)), "{other}");
        }
    }
}
