//! Transcripts of Antigravity: `transcript.jsonl`, a step a line.
//!
//! `source` says `MODEL` of what tools returned too; the type of the step tells it apart, and what is not known is the
//! model's text. Strings among arguments are quoted a second time.

use firsthand::conversation::{Content, Conversation, Ran, Speaker};

use super::said;
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::each_line;
use crate::format::recorded::node::{Node, Spot};
use crate::format::{Format, Source};

/// Antigravity.
pub(in crate::format) const FORMAT: Format =
    Format { name: "antigravity", title: "Antigravity transcripts", read, recognises };

/// Steps that hold what a tool returned, and the tool.
const RETURNED: &[(&str, &str)] = &[
    ("LIST_DIRECTORY", "list_dir"),
    ("VIEW_FILE", "view_file"),
    ("VIEW_FILE_OUTLINE", "view_file_outline"),
    ("FIND", "find_by_name"),
    ("GREP_SEARCH", "grep_search"),
    ("CODE_ACTION", "write_to_file"),
    ("RUN_COMMAND", "run_command"),
    ("COMMAND_STATUS", "command_status"),
    ("SEARCH_WEB", "search_web"),
    ("READ_URL_CONTENT", "read_url_content"),
    ("BROWSER_NAVIGATE", "browser_navigate"),
    ("MCP_TOOL", "mcp_tool"),
    ("GENERIC", "generic"),
];

fn recognises(probe: &Probe) -> bool {
    probe.some_has(&["step_index", "source", "type"])
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let end = each_line(bytes, &mut |step, spot| {
        draft.enter(&[step]);
        read_step(&mut draft, step, spot);
        let cut = step.get("truncated_fields");
        if !cut.list().is_empty() {
            let calls = cut.list().iter().any(|field| field.text() != Some("content"));
            draft.hidden(&spot.at("truncated_fields"), calls, "the rest of a step that is cut off");
        }
        Ok(())
    })?;
    Ok(vec![end.finish(draft, id(source))])
}

/// The folder of the conversation in `ID/.system_generated/logs/transcript.jsonl`.
fn id(source: &Source<'_>) -> String {
    let parts: Vec<&str> = source.name.rsplit(['/', '\\']).take(4).collect();
    match parts.as_slice() {
        [_, "logs", ".system_generated", id] => (*id).to_owned(),
        _ => source.stem().to_owned(),
    }
}

fn read_step(draft: &mut Draft, step: &Node<'_>, spot: &Spot) {
    let (content, below) = (step.get("content"), spot.at("content"));
    match (step.say("source"), step.say("type")) {
        ("USER_EXPLICIT", "USER_INPUT") => {
            draft.end_model_message();
            match content.text() {
                Some(text) => typed(draft, text, &below),
                None => said(draft, Speaker::System, content, &below),
            }
        }
        ("SYSTEM", "CHECKPOINT") => {
            draft.end_model_message();
            draft.compacted(spot);
            said(draft, Speaker::Summary, content, &below);
        }
        ("SYSTEM", _) => {
            draft.end_model_message();
            said(draft, Speaker::System, content, &below);
        }
        ("MODEL", kind) if RETURNED.iter().any(|(returned, _)| *returned == kind) => {
            draft.end_model_message();
            let tool = RETURNED.iter().find(|(returned, _)| *returned == kind).map_or("", |(_, tool)| tool);
            let from = draft.answered_without_id(Some(tool));
            let text = content.text().map_or_else(|| content.json(), str::to_owned);
            draft.result(&below, from, Content::Text(text.into()), false);
        }
        ("MODEL", _) => model(draft, step, spot),
        // Nobody says who typed it.
        (_, "USER_INPUT") => {
            draft.end_model_message();
            said(draft, Speaker::Task, content, &below);
        }
        (_, _) => model(draft, step, spot),
    }
}

fn model(draft: &mut Draft, step: &Node<'_>, spot: &Spot) {
    draft.model_message(None, spot);
    said(draft, Speaker::Thinking, step.get("thinking"), &spot.at("thinking"));
    said(draft, Speaker::Assistant, step.get("content"), &spot.at("content"));
    for (call, spot) in placed(step.get("tool_calls").list(), &spot.at("tool_calls")) {
        let arguments = unquoted(call.get("args")).json();
        let tool = call.say("name");
        draft.call(&spot, NewCall { id: call.word("id"), server: None, tool, arguments, ran: Ran::Client });
    }
}

/// Arguments whose strings were quoted a second time, read once.
fn unquoted<'n>(arguments: &'n Node<'_>) -> Node<'n> {
    let plain = |value: &'n Node<'_>| match value.text().map(serde_json::from_str::<Node<'n>>) {
        Some(Ok(inner)) => inner,
        Some(Err(_)) | None => value.clone(),
    };
    match arguments {
        Node::Map(members) => Node::Map(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect()),
        Node::Null => Node::Map(Vec::new()),
        Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::List(_) => arguments.clone(),
    }
}

const OPEN: &str = "<USER_REQUEST>";
const CLOSE: &str = "</USER_REQUEST>";

/// What a person typed: what stands between the marks where the text begins with them; the host's notes follow.
fn typed(draft: &mut Draft, text: &str, spot: &Spot) {
    match text.trim_start().strip_prefix(OPEN) {
        Some(inside) => {
            let (typed, notes) = inside.split_once(CLOSE).unwrap_or((inside, ""));
            draft.user(spot, typed);
            draft.said(spot, Speaker::System, notes);
        }
        None => draft.user(spot, text),
    }
}
