//! Sessions of Factory's Droid: the store (`session_start`, then messages with blocks) and the output of its stream.
//!
//! Blocks of the store are those of the Messages API. In both, reminders of the host stand in a person's message, marked.

use firsthand::conversation::{Conversation, Parent, Ran, Speaker};
use serde_json::Value;

use super::{answered, arguments, kind, returned, said};
use crate::error::ReadError;
use crate::format::anthropic_messages;
use crate::format::probe::Probe;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::each_line;
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Droid.
pub(in crate::format) const FORMAT: Format = Format { name: "droid", title: "Droid sessions", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let text = |line: &Value, key: &str| line.get(key).is_some_and(Value::is_string);
    let is_stream = |line: &Value| {
        let session = text(line, "session_id") || text(line, "sessionId");
        session
            && match kind(line) {
                "message" => text(line, "role") && text(line, "text"),
                "tool_call" => text(line, "toolName") && line.get("parameters").is_some(),
                "completion" => text(line, "finalText"),
                _ => false,
            }
    };
    let begins = |line: &Value| kind(line) == "session_start" && text(line, "id");
    probe.values().iter().any(|line| begins(line) || is_stream(line))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let mut id = String::new();
    let mut parent = None;
    let end = each_line(bytes, &mut |line, spot| {
        if line.say("type") == "session_start" {
            if id.is_empty() {
                line.say("id").clone_into(&mut id);
            }
            if let Some(session) = line.get("callingSessionId").text().filter(|id| !id.is_empty()) {
                let call = line.get("callingToolUseId").text().map(str::to_owned);
                parent = Some(Parent { conversation: session.to_owned(), call });
            }
        }
        if id.is_empty() {
            let said = ["session_id", "sessionId"].iter().find_map(|key| line.get(key).text());
            said.unwrap_or_default().clone_into(&mut id);
        }
        draft.enter(&[line, line.get("message")]);
        read_line(&mut draft, line, spot)
    })?;
    let id = if id.is_empty() { source.stem() } else { &id };
    Ok(vec![Conversation { parent, ..end.finish(draft, id.to_owned()) }])
}

fn read_line(draft: &mut Draft, line: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    match line.say("type") {
        "message" => match line.find("message") {
            Some(message) => return anthropic_messages::read_message(draft, message, &spot.at("message")),
            None => text(draft, line, spot),
        },
        "tool_call" => {
            draft.model_message(None, spot);
            let id = line.find("toolCallId").map_or_else(|| line.word("id"), |_| line.word("toolCallId"));
            let arguments = arguments(line.get("parameters"));
            let call = NewCall { id, server: None, tool: line.say("toolName"), arguments, ran: Ran::Client };
            draft.call(spot, call);
        }
        "tool_result" => {
            draft.end_model_message();
            let id = line.find("toolCallId").map_or_else(|| line.word("id"), |_| line.word("toolCallId"));
            let from = answered(draft, &id, line.say("toolId"));
            returned(draft, line.get("value"), &spot.at("value"), &from, signs::failed_within(line.get("value")));
        }
        "completion" => {
            draft.model_message(None, spot);
            draft.said(&spot.at("finalText"), Speaker::Assistant, line.say("finalText"));
        }
        "reasoning" | "thinking" => {
            draft.model_message(None, spot);
            said(draft, Speaker::Thinking, line.get("text"), &spot.at("text"));
        }
        "compaction_state" => {
            draft.end_model_message();
            draft.compacted(spot);
            let summary = line.find("summaryText").unwrap_or(line.get("summary"));
            said(draft, Speaker::Summary, summary, spot);
        }
        _ => {}
    }
    Ok(())
}

fn text(draft: &mut Draft, line: &Node<'_>, spot: &Spot) {
    let (text, below) = (line.say("text"), spot.at("text"));
    match line.say("role") {
        "user" => {
            draft.end_model_message();
            draft.user(&below, text);
        }
        "system" => {
            draft.end_model_message();
            draft.said(&below, Speaker::System, text);
        }
        _ => {
            draft.model_message(None, spot);
            draft.said(&below, Speaker::Assistant, text);
        }
    }
}
