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
    Foreign { title: "a Qwen Code transcript", kind: Kind::Conversation, is: is_qwen },
    Foreign { title: "a Gemini CLI session", kind: Kind::Conversation, is: |probe| probe.some_has(&["projectHash"]) },
    Foreign { title: "a pi or OpenClaw session", kind: Kind::Conversation, is: is_pi },
    Foreign { title: "a Copilot CLI session", kind: Kind::Conversation, is: is_copilot },
    Foreign { title: "MCP traffic", kind: Kind::Message, is: |probe| probe.some_says("jsonrpc", "2.0") },
    Foreign {
        title: "the input of a hook",
        kind: Kind::Message,
        is: |probe| probe.document().is_some_and(|input| input.get("hook_event_name").is_some()),
    },
    Foreign { title: "a LiteLLM guardrail request", kind: Kind::Message, is: is_litellm },
    Foreign { title: "a Gemini request or response", kind: Kind::Conversation, is: is_gemini },
    Foreign { title: "a Gemini interaction", kind: Kind::Conversation, is: is_interaction },
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

fn is_qwen(probe: &Probe) -> bool {
    probe.values().iter().any(|line| line.get("parentUuid").is_some() && line.pointer("/message/parts").is_some())
}

fn is_pi(probe: &Probe) -> bool {
    probe.values().first().is_some_and(|line| {
        line.get("type").and_then(Value::as_str) == Some("session") && line.get("version").is_some()
    })
}

fn is_copilot(probe: &Probe) -> bool {
    probe.values().first().is_some_and(|line| {
        line.get("type").and_then(Value::as_str) == Some("session.start") && line.get("data").is_some()
    })
}

fn is_litellm(probe: &Probe) -> bool {
    probe.document().and_then(Value::as_object).is_some_and(|document| {
        document.contains_key("input_type") && document.keys().any(|key| key.starts_with("litellm_"))
    })
}

fn is_gemini(probe: &Probe) -> bool {
    let list = |value: &Value, key: &str| value.get(key).is_some_and(Value::is_array);
    probe.values().iter().any(|value| list(value, "contents") || list(value, "candidates"))
}

fn is_interaction(probe: &Probe) -> bool {
    probe.document().and_then(|document| document.get("steps")?.as_array()).is_some_and(|steps| {
        steps.iter().any(|step| says(step, "type", "user_input") || says(step, "type", "model_output"))
    })
}
