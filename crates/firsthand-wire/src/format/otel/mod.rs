//! OpenTelemetry traces of models: the GenAI conventions, their older events, OpenLLMetry and OpenInference.
//!
//! A trace is a tree of spans. Those of one agent are one conversation: a span of a model call brings its history, its
//! answer or both, a span of a tool what was run and what came back. An agent below another agent, or below a tool, was
//! told what to do by a model. Content is often cut or left out; what is missing is said to be hidden, never taken for
//! nothing.

mod span;
mod messages;
mod older;
mod said;
mod part;
mod run;

use firsthand::conversation::Conversation;
use serde_json::Value;

use super::probe::{Probe, says};
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;

/// OpenTelemetry GenAI.
pub(super) const FORMAT: Format =
    Format { name: "otel-genai", title: "OpenTelemetry traces of models", read, recognises };

/// The types of parts that messages of no other format have.
const OWN_PARTS: &[&str] =
    &["tool_call_response", "server_tool_call", "server_tool_call_response", "blob", "uri", "compaction"];

fn recognises(probe: &Probe) -> bool {
    let own = |key: &str| ["gen_ai", "llm.", "traceloop.", "openinference."].iter().any(|start| key.starts_with(start));
    let keys = |value: &Value| value.as_object().is_some_and(|members| members.keys().any(|key| own(key)));
    let listed = |value: &Value| {
        let named = |attribute: &Value| attribute.get("key").and_then(Value::as_str).is_some_and(own);
        value.as_array().is_some_and(|attributes| attributes.iter().any(named))
    };
    let span = |value: &Value| {
        keys(value)
            || ["attributes", "tags"].iter().filter_map(|key| value.get(key)).any(|value| keys(value) || listed(value))
    };
    let trace = |value: &Value| {
        ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs"]
            .iter()
            .any(|key| value.get(key).is_some_and(Value::is_array))
            || value.pointer("/batches/0/scopeSpans").is_some()
            || value.get("spans").and_then(Value::as_array).is_some_and(|spans| spans.iter().any(span))
            || value.pointer("/data/0/spans").is_some()
            || span(value)
    };
    let message = |value: &Value| {
        let parts = value.get("role").and_then(|_| value.get("parts")?.as_array()).into_iter().flatten();
        let own = |part: &Value| {
            OWN_PARTS.iter().any(|kind| part.get("type").is_some_and(|own| own == kind))
                || ["text", "reasoning"].iter().any(|kind| says(part, "type", kind)) && part.get("content").is_some()
        };
        parts.into_iter().any(own)
    };
    let list =
        |value: &Value| value.as_array().is_some_and(|list| list.iter().any(|value| trace(value) || message(value)));
    probe.values().iter().any(|value| trace(value) || list(value) || message(value))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut spans = span::Spans::default();
    each_unit(bytes, &mut |Unit { spot, node }| {
        spans.add(node.into_owned(), &spot);
        Ok(())
    })?;
    let conversations = run::conversations(&spans.sorted(), source);
    if conversations.is_empty() {
        return Err(ReadError::NotAConversation { found: "a trace without messages of a model" });
    }
    Ok(conversations)
}
