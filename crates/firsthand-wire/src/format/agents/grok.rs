//! Histories of Grok's command line: `chat_history.jsonl`, a message a line.
//!
//! A line in the user's place is a person's only where it has a number as its `prompt_index` and no `synthetic_reason`. Searches that the
//! provider ran are calls with their sources in one line.

use firsthand::conversation::{Conversation, Producer, Ran, Speaker};
use serde_json::Value;

use super::{above, answered, arguments, kind, returned, said, user};
use crate::error::ReadError;
use crate::format::probe::{Probe, says};
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::jsonl::each_line;
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Grok's command line.
pub(in crate::format) const FORMAT: Format = Format { name: "grok", title: "Grok CLI histories", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| match kind(line) {
        "user" => {
            line.get("content").is_some()
                && (line.get("prompt_index").is_some() || line.get("synthetic_reason").is_some())
        }
        "assistant" => says(line, "content", "") && line.get("model_id").is_some(),
        "backend_tool_call" => line.get("kind").is_some_and(Value::is_object),
        _ => false,
    })
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let end = each_line(bytes, &mut |line, spot| {
        draft.enter(&[line]);
        read_line(&mut draft, line, spot);
        Ok(())
    })?;
    let parent = above(&mut draft, source);
    Ok(vec![Conversation { parent, ..end.finish(draft, source.stem().to_owned()) }])
}

fn read_line(draft: &mut Draft, line: &Node<'_>, spot: &Spot) {
    let (content, below) = (line.get("content"), spot.at("content"));
    match line.say("type") {
        "system" => {
            draft.end_model_message();
            said(draft, Speaker::System, content, &below);
        }
        "user" => {
            draft.end_model_message();
            match synthetic(line) {
                None => user(draft, content, &below),
                Some(Speaker::Summary) => {
                    draft.compacted(spot);
                    said(draft, Speaker::Summary, content, &below);
                }
                Some(by) => said(draft, by, content, &below),
            }
        }
        "tool_result" => {
            draft.end_model_message();
            let from = answered(draft, &line.word("tool_call_id"), "");
            returned(draft, content, &below, &from, signs::failed(line));
        }
        "reasoning" => {
            draft.model_message(None, spot);
            said(draft, Speaker::Thinking, content, &below);
            for (summary, spot) in placed(line.get("summary").list(), &spot.at("summary")) {
                draft.said(&spot, Speaker::Thinking, summary.say("text"));
            }
            if !line.get("encrypted_content").is_empty() {
                draft.hidden(spot, false, "reasoning that is encrypted");
            }
        }
        "backend_tool_call" => {
            draft.model_message(None, spot);
            hosted(draft, line.get("kind"), &spot.at("kind"));
        }
        _ => {
            draft.model_message(None, spot);
            said(draft, Speaker::Assistant, content, &below);
            for (call, spot) in placed(line.get("tool_calls").list(), &spot.at("tool_calls")) {
                let arguments = arguments(call.get("arguments"));
                let tool = call.say("name");
                draft.call(&spot, NewCall { id: call.word("id"), server: None, tool, arguments, ran: Ran::Client });
            }
        }
    }
}

/// Whose a line in the user's place is that is no person's.
fn synthetic(line: &Node<'_>) -> Option<Speaker> {
    match line.find("synthetic_reason").filter(|reason| reason.is_said()) {
        Some(reason) => {
            let reason = reason.text().unwrap_or_default();
            let is_summary = reason.contains("compact") || reason.contains("summar");
            Some(if is_summary { Speaker::Summary } else { Speaker::System })
        }
        // Nothing says that a person typed it.
        None if !is_index(line.get("prompt_index")) => Some(Speaker::Task),
        None => None,
    }
}

/// Whether it is the number of a prompt.
fn is_index(index: &Node<'_>) -> bool {
    match index {
        Node::Number(number) => number.is_u64(),
        Node::Null | Node::Bool(_) | Node::Text(_) | Node::List(_) | Node::Map(_) => false,
    }
}

/// A tool that the provider ran: the call, and the addresses that came back.
fn hosted(draft: &mut Draft, kind: &Node<'_>, spot: &Spot) {
    let action = kind.get("action");
    let tool = match action.say("type") {
        page @ ("open_page" | "find_in_page") => page,
        _ => kind.say("tool_type"),
    };
    let mut arguments = if action.is_map() { action.without(&["sources"]) } else { kind.without(&["id", "status"]) };
    if let Node::Map(members) = &mut arguments {
        members.retain(|(name, _)| name != "type");
    }
    let call = NewCall { id: kind.word("id"), server: None, tool, arguments: arguments.json(), ran: Ran::Provider };
    let id = draft.call(spot, call);
    draft.settle();
    let hits: Vec<Node<'_>> = action.get("sources").list().iter().map(|hit| hit.only(&["url", "title"])).collect();
    if !hits.is_empty() {
        draft.result(
            &spot.at("action").at("sources"),
            Producer::Call(id),
            results_of(hits),
            signs::failed(kind) || signs::failed(action),
        );
    }
}
