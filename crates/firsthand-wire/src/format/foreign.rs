//! Formats that are known by their signs and have no reader: none may be read as one that it resembles.
//!
//! A format that gets a reader leaves this list.

use serde_json::Value;

use super::probe::{Probe, says};
use crate::error::ReadError;

struct Foreign {
    title: &'static str,
    kind: Kind,
    is: fn(&Probe) -> bool,
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        title: "a LangChain constructor dump",
        kind: Kind::Conversation,
        is: |probe| probe.some_has(&["lc", "id"]) || some(probe, is_constructor),
    },
    Foreign {
        title: "an ATIF trajectory",
        kind: Kind::Conversation,
        is: |probe| probe.some_says("schema_version", "ATIF-"),
    },
    Foreign {
        title: "an inspect_ai log",
        kind: Kind::Conversation,
        is: |probe| probe.some_has(&["version", "eval", "samples"]),
    },
    Foreign { title: "a pydantic-ai message list", kind: Kind::Conversation, is: |probe| some(probe, is_pydantic) },
    Foreign { title: "a LangChain message list", kind: Kind::Conversation, is: |probe| some(probe, is_langchain) },
    Foreign { title: "one piece of what opencode stores", kind: Kind::Message, is: super::agents::opencode::is_piece },
    Foreign {
        title: "the input of a hook",
        kind: Kind::Message,
        is: |probe| probe.document().is_some_and(|input| input.get("hook_event_name").is_some()),
    },
    Foreign { title: "a LiteLLM guardrail request", kind: Kind::Message, is: is_litellm },
    Foreign { title: "an OpenTelemetry trace", kind: Kind::Conversation, is: is_otel },
    Foreign {
        title: "a list of messages with parts (Vercel AI SDK, OpenTelemetry)",
        kind: Kind::Conversation,
        is: |probe| some(probe, has_parts),
    },
    Foreign {
        title: "a list of Vercel AI SDK model messages",
        kind: Kind::Conversation,
        is: |probe| some(probe, is_vercel_model),
    },
    Foreign { title: "a Bedrock conversation", kind: Kind::Conversation, is: |probe| some(probe, is_bedrock) },
];

/// What a format without a reader holds.
#[derive(Clone, Copy)]
enum Kind {
    /// What a model saw and wrote.
    Conversation,
    /// One message between programs.
    Message,
}

/// Why the file cannot be read, where it is of one of these formats.
pub(super) fn refused(probe: &Probe) -> Option<ReadError> {
    let Foreign { title, kind, is: _ } = FOREIGN.iter().find(|foreign| (foreign.is)(probe))?;
    Some(match kind {
        Kind::Conversation => ReadError::Unsupported { title, known: super::names() },
        Kind::Message => ReadError::NotAConversation { found: title },
    })
}

/// Whether some message of a document, or some line, is such a one.
fn some(probe: &Probe, is: fn(&Value) -> bool) -> bool {
    probe.list("messages").unwrap_or(probe.values()).iter().any(is)
}

fn is_constructor(value: &Value) -> bool {
    value.get("lc").is_some() && value.pointer("/id/0").and_then(Value::as_str) == Some("langchain")
}

fn is_pydantic(value: &Value) -> bool {
    (says(value, "kind", "request") || says(value, "kind", "response")) && value.pointer("/parts/0/part_kind").is_some()
}

fn is_langchain(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    matches!(kind, Some("human" | "ai")) && (value.get("data").is_some() || value.get("content").is_some())
}

fn is_litellm(probe: &Probe) -> bool {
    probe.document().and_then(Value::as_object).is_some_and(|document| {
        document.contains_key("input_type") && document.keys().any(|key| key.starts_with("litellm_"))
    })
}

fn is_otel(probe: &Probe) -> bool {
    let named = |value: &Value| value.get("gen_ai.input.messages").is_some();
    probe
        .values()
        .iter()
        .any(|value| named(value) || value.get("attributes").is_some_and(named) || value.get("resourceSpans").is_some())
}

fn has_parts(value: &Value) -> bool {
    let parts = value.get("parts").and_then(Value::as_array);
    let is_typed = |part: &Value| part.get("type").is_some();
    value.get("role").is_some()
        && value.get("content").is_none()
        && parts.is_some_and(|parts| parts.iter().any(is_typed))
}

fn blocks(value: &Value) -> impl Iterator<Item = &Value> {
    value.get("role").and_then(|_| value.get("content")?.as_array()).into_iter().flatten()
}

fn is_vercel_model(value: &Value) -> bool {
    blocks(value).any(|block| says(block, "type", "tool-call") || says(block, "type", "tool-result"))
}

fn is_bedrock(value: &Value) -> bool {
    blocks(value).any(|block| block.get("toolUse").is_some() || block.get("toolResult").is_some())
}
