//! pydantic-ai: the list of messages that its `ModelMessagesTypeAdapter` writes.
//!
//! A request holds what the model was given (prompts, results, feedback), a response what it wrote. A part of a request
//! that is not known is the host's, one of a response the model's. A retry without a tool stands in the user's place and
//! is the framework's.

use firsthand::conversation::{Content, Ran, Speaker};
use serde_json::Value;

use super::Format;
use super::openai_chat::arguments_text;
use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::{Draft, NewCall, results_of};
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use crate::error::ReadError;

/// pydantic-ai.
pub(super) const FORMAT: Format =
    Format { name: PydanticAi::NAME, title: "pydantic-ai", read: read::<PydanticAi>, recognises };

/// The messages.
struct PydanticAi;

/// Where a stored run keeps its messages.
const LISTS: &[&str] = &["messages", "message_history", "all_messages", "new_messages"];

fn recognises(probe: &Probe) -> bool {
    let message = |value: &Value| {
        (says(value, "kind", "request") || says(value, "kind", "response"))
            && value.pointer("/parts/0/part_kind").is_some()
    };
    let list = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(message));
    probe
        .values()
        .iter()
        .any(|value| message(value) || list(value) || LISTS.iter().any(|key| value.get(key).is_some_and(list)))
}

impl Api for PydanticAi {
    const NAME: &'static str = "pydantic-ai";
    const EXPECTED: &'static str = "a list of messages with `kind` and `parts`";
    const SETTINGS: &'static [&'static str] = &[];

    fn is_request(node: &Node<'_>) -> bool {
        LISTS.iter().any(|key| node.get(key).is_list())
    }

    fn is_response(_: &Node<'_>) -> bool {
        false
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("kind").is_some() && node.find("parts").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        let found = LISTS.iter().find(|key| request.get(key).is_list());
        Ok(found.map(|key| placed(request.get(key).list(), &spot.at(key))).unwrap_or_default())
    }

    fn answered<'n, 'a>(_: &'n Node<'a>, _: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(Vec::new())
    }

    fn settings(_: &mut Draft, _: &Node<'_>, _: &Spot) {}

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let parts = message.get("parts");
        if !parts.is_list() {
            return Err(spot.at("parts").unexpected(parts, "an array of parts"));
        }
        let parts = placed(parts.list(), &spot.at("parts"));
        if message.say("kind") == "request" {
            draft.end_model_message();
            draft.said(&spot.at("instructions"), Speaker::System, message.say("instructions"));
            parts.iter().for_each(|(part, spot)| given(draft, part, spot));
        } else {
            draft.model_message(Some(&spot.text()), spot);
            parts.iter().for_each(|(part, spot)| written(draft, part, spot));
        }
        Ok(())
    }

    fn essence(message: &Node<'_>) -> String {
        let parts = message.get("parts").list().iter();
        let said: Vec<String> = parts
            .map(|part| part.only(&["part_kind", "content", "tool_name", "args", "tool_call_id"]).json())
            .collect();
        format!("{} {said:?}", message.say("kind"))
    }

    fn weight(message: &Node<'_>) -> Weight {
        let setting = |part: &Node<'_>| matches!(part.say("part_kind"), "system-prompt" | "instruction");
        let parts = message.get("parts").list();
        if parts.iter().all(setting) { Weight::Setting } else { Weight::Telling }
    }

    fn event<'a>(_: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        Taken::No(node, spot)
    }
}

/// A part of what the model was given.
fn given(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let (content, at) = (part.get("content"), spot.at("content"));
    match part.say("part_kind") {
        "user-prompt" if signs::against(part).is_some() => draft.said(spot, Speaker::Task, &part.json()),
        "user-prompt" => prompt(draft, content, &at),
        "speech" if part.say("speaker") == "user" => draft.user(&spot.at("transcript"), part.say("transcript")),
        "tool-return" | "builtin-tool-return" => returned(draft, part, spot),
        "retry-prompt" | "retry-feedback" if !part.say("tool_name").is_empty() => {
            let from = draft.answered_by_id(&part.word("tool_call_id"));
            draft.result(&at, from, content_of(content), true);
        }
        "compaction" => compaction(draft, part, spot),
        "system-prompt" | "instruction" | "retry-prompt" | "retry-feedback" => match content.text() {
            Some(text) => draft.said(&at, Speaker::System, text),
            None => draft.said(&at, Speaker::System, &content.json()),
        },
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
}

/// What a person said and attached.
fn prompt(draft: &mut Draft, content: &Node<'_>, spot: &Spot) {
    if let Some(text) = content.text() {
        return draft.user(spot, text);
    }
    for (piece, spot) in placed(content.list(), spot) {
        let name = ["identifier", "file_id"].iter().find_map(|key| piece.get(key).text());
        match (piece.text(), piece.say("kind")) {
            (Some(text), _) => draft.user(&spot, text),
            (None, "text-content" | "text") => draft.typed(&spot, piece, piece.say("content")),
            (None, "image-url" | "document-url" | "audio-url" | "video-url") => {
                draft.attachment(&spot, name, piece.say("url"));
            }
            (None, "binary" | "uploaded-file") => draft.attachment(&spot, name, ""),
            (None, "cache-point") => {}
            // The state of an application, and what is not known.
            (None, _) => draft.said(&spot, Speaker::System, &piece.json()),
        }
    }
    if content.is_map() {
        draft.said(spot, Speaker::System, &content.json());
    }
}

/// A part of what the model wrote.
fn written(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match part.say("part_kind") {
        "text" => {
            let sources = part.get("citations").list().iter().flat_map(|citation| citation.get("sources").list());
            let pages = sources.filter(|source| source.say("kind") == "web");
            let hits: Vec<(&str, &str)> = pages.map(|page| (page.say("url"), page.say("title"))).collect();
            draft.attached(&spot.at("citations"), &hits);
            draft.said(spot, Speaker::Assistant, part.say("content"));
        }
        "thinking" => match part.say("content") {
            "" => draft.hidden(spot, false, "reasoning that is not shown"),
            thinking => draft.said(spot, Speaker::Thinking, thinking),
        },
        "tool-call" => call(draft, part, spot, Ran::Client),
        "builtin-tool-call" => call(draft, part, spot, Ran::Provider),
        "tool-return" | "builtin-tool-return" => returned(draft, part, spot),
        "compaction" => compaction(draft, part, spot),
        "speech" => draft.said(spot, Speaker::Assistant, part.say("transcript")),
        // A file that the model made has no text.
        "file" => {}
        _ => draft.said(spot, Speaker::Assistant, &part.json()),
    }
}

fn call(draft: &mut Draft, part: &Node<'_>, spot: &Spot, ran: Ran) {
    let (name, args) = (part.say("tool_name"), part.get("args"));
    let (server, tool, args) = match name.strip_prefix("mcp_server:").filter(|_| ran == Ran::Provider) {
        // What the provider calls at an MCP server stands in the arguments.
        Some(server) if args.find("tool_name").is_some() => {
            (Some(server), args.say("tool_name"), args.get("tool_args"))
        }
        Some(server) => (Some(server), name, args),
        None => (None, name, args),
    };
    let arguments = if args.is_null() { "{}".to_owned() } else { arguments_text(args) };
    draft.call(spot, NewCall { id: part.word("tool_call_id"), server, tool, arguments, ran });
}

fn returned(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let from = match &*part.word("tool_call_id") {
        "" => draft.answered_without_id(part.get("tool_name").text()),
        // What a server's tool returned carries the server's name.
        id if part.say("part_kind") == "builtin-tool-return" => draft.answered_by_id(id),
        id => draft.answered_as(id, part.get("tool_name").text()),
    };
    let is_error = signs::failed(part);
    let content = part.get("content");
    let hits = content.list().iter().all(|hit| hit.get("url").text().is_some()) && !content.list().is_empty();
    let searched = part.say("part_kind") == "builtin-tool-return" && part.say("tool_name") == "web_search";
    let content = if hits && searched {
        results_of(content.list().iter().map(|hit| hit.only(&["url", "title", "page_age"])).collect())
    } else {
        content_of(content)
    };
    draft.result(&spot.at("content"), from, content, is_error);
}

fn content_of(content: &Node<'_>) -> Content {
    match content.text() {
        Some(text) => Content::Text(text.into()),
        None if content.is_null() => Content::Text("".into()),
        None => Content::Json(content.json().into()),
    }
}

fn compaction(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match part.say("content") {
        "" => draft.hidden(spot, true, "a summary that is encrypted"),
        summary => {
            draft.compacted(spot);
            draft.said(spot, Speaker::Summary, summary);
        }
    }
}
