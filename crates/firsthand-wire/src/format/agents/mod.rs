//! The logs of command-line agents, each in its own shape.
//!
//! Nearly all are JSON Lines that an agent appends to while it works ([`jsonl`](super::recorded::jsonl)).

pub(super) mod antigravity;
pub(super) mod copilot;
pub(super) mod cursor;
pub(super) mod droid;
pub(super) mod grok;
pub(super) mod hermes;
pub(super) mod kimi;
pub(super) mod opencode;
pub(super) mod pi;
pub(super) mod qwen_code;

use firsthand::conversation::{Content, Parent, Producer, Speaker};

use super::Source;
use super::recorded::draft::Draft;
use super::recorded::jsonl::contents;
use super::recorded::node::{Node, Spot};
use super::recorded::signs;

/// The type of a line.
fn kind(value: &serde_json::Value) -> &str {
    value.get("type").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// What a tool returned: texts, and other blocks without what only the host can look at.
fn returned(draft: &mut Draft, content: &Node<'_>, spot: &Spot, from: &Producer, is_error: bool) {
    if content.is_empty() {
        return draft.result(spot, from.clone(), Content::Text("".into()), is_error);
    }
    contents(content, spot, &mut |part, spot| match part {
        Ok(text) => draft.result(spot, from.clone(), Content::Text(text.into()), is_error),
        Err(block) if block.say("type") == "image" => {}
        Err(block) => {
            let is_error = is_error || signs::failed(block);
            draft.result(spot, from.clone(), Content::Json(block.json().into()), is_error);
        }
    });
}

/// The call that a result of this id answers, or where it has none the one at its place.
fn answered(draft: &mut Draft, id: &str, tool: &str) -> Producer {
    if !id.is_empty() {
        return draft.answered_by_id(id);
    }
    let tool = Some(tool).filter(|tool| !tool.is_empty());
    draft.answered_without_id(tool)
}

/// Text of the host or of a model, whatever its form.
fn said(draft: &mut Draft, by: Speaker, content: &Node<'_>, spot: &Spot) {
    contents(content, spot, &mut |part, spot| match part {
        Ok(text) => draft.said(spot, by, text),
        Err(block) => draft.said(spot, by, &block.json()),
    });
}

/// What a person said, and what came with it.
fn user(draft: &mut Draft, content: &Node<'_>, spot: &Spot) {
    contents(content, spot, &mut |part, spot| match part {
        Ok(text) => draft.user(spot, text),
        Err(block) => user_block(draft, block, spot),
    });
}

/// A block of a person's message that is no text.
fn user_block(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let name = ["displayName", "filename", "name", "path"].iter().find_map(|key| block.get(key).text());
    match block.say("type") {
        "image" | "file" | "document" | "audio" | "image_url" => {
            let address = block.get("image_url");
            let address =
                address.text().unwrap_or(if address.is_map() { address.say("url") } else { block.say("url") });
            draft.attachment(spot, name, if address.starts_with("http") { address } else { "" });
        }
        _ => draft.said(spot, Speaker::System, &block.json()),
    }
}

/// The arguments of a call as a JSON text.
fn arguments(arguments: &Node<'_>) -> String {
    if arguments.is_null() { "{}".to_owned() } else { super::openai_chat::arguments_text(arguments) }
}

/// The run that started a file's, by its path: one in a folder `subagents` is of the conversation that the folder above
/// is named after, and nobody is a person in it.
fn above(draft: &mut Draft, source: &Source<'_>) -> Option<Parent> {
    let mut parts = source.name.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    if parts.any(|part| part == "subagents") {
        draft.be_a_child();
        let parent = parts.next().filter(|folder| !folder.is_empty());
        return parent.map(|folder| Parent { conversation: folder.to_owned(), call: None });
    }
    if file.contains("subagents") {
        draft.be_a_child();
    }
    None
}
