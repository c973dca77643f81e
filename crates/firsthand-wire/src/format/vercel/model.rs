//! A message of a model call.

use firsthand::conversation::{Content, Ran, Speaker};

use crate::format::openai_chat::arguments_text;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Reads the content of a message of this role.
pub(super) fn read(draft: &mut Draft, role: &str, content: &Node<'_>, spot: &Spot) {
    let is_model = !matches!(role, "system" | "user" | "tool" | "data");
    if is_model {
        draft.model_message(None, spot);
    }
    let at = spot.at("content");
    if let Some(text) = content.text() {
        return match role {
            "user" => draft.user(&at, text),
            "system" | "tool" | "data" => draft.said(&at, Speaker::System, text),
            _ => draft.said(&at, Speaker::Assistant, text),
        };
    }
    // What stands beside a result in the user's place was put there by the program that sends it.
    let is_sent = role == "user" && content.list().iter().any(|part| part.say("type").starts_with("tool-"));
    for (part, spot) in placed(content.list(), &at) {
        match (role, part.say("type")) {
            (_, "tool-result") => returned(draft, part, &spot),
            ("user", "text") if is_sent => draft.said(&spot, Speaker::System, part.say("text")),
            ("user", "text") => draft.typed(&spot, part, part.say("text")),
            ("user", "image" | "file") => super::attached(draft, part, &spot),
            ("system" | "user" | "tool" | "data", _) => draft.said(&spot, Speaker::System, &part.json()),
            (_, kind) => written(draft, kind, part, &spot),
        }
    }
}

/// A part of the model's message.
fn written(draft: &mut Draft, kind: &str, part: &Node<'_>, spot: &Spot) {
    match kind {
        "text" => draft.said(spot, Speaker::Assistant, part.say("text")),
        "reasoning" => match part.say("text") {
            "" => draft.hidden(spot, false, "reasoning that is not shown"),
            text => draft.said(spot, Speaker::Thinking, text),
        },
        "redacted-reasoning" => draft.hidden(spot, false, "reasoning that is encrypted"),
        "source" => draft.attached(spot, &[(part.say("url"), part.say("title"))]),
        "tool-call" => {
            let input = part.find("input").unwrap_or(part.get("args"));
            let arguments = if input.is_null() { "{}".to_owned() } else { arguments_text(input) };
            let is_provider = matches!(part.get("providerExecuted"), Node::Bool(true));
            let ran = if is_provider { Ran::Provider } else { Ran::Client };
            let (id, tool) = (part.word("toolCallId"), part.say("toolName"));
            draft.call(spot, NewCall { id, server: None, tool, arguments, ran });
        }
        // A file that the model made.
        "file" | "reasoning-file" => {}
        _ => draft.said(spot, Speaker::Assistant, &part.json()),
    }
}

fn returned(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let from = match &*part.word("toolCallId") {
        "" => draft.answered_without_id(part.get("toolName").text()),
        id => draft.answered_as(id, part.get("toolName").text()),
    };
    let failed = signs::failed(part);
    let Some(output) = part.find("output") else {
        // The form before version 5.
        return draft.result(&spot.at("result"), from, content_of(part.get("result")), failed);
    };
    let failed = failed || signs::failed(output);
    let (kind, value, at) = (output.say("type"), output.get("value"), spot.at("output").at("value"));
    match kind {
        "error-text" | "error-json" => draft.result(&at, from, content_of(value), true),
        "execution-denied" => draft.result(&spot.at("output"), from, content_of(output.get("reason")), true),
        "content" => {
            if value.list().is_empty() {
                draft.result(&at, from.clone(), Content::Text("".into()), failed);
            }
            for (part, spot) in placed(value.list(), &at) {
                let text = part.say("text");
                draft.result(&spot, from.clone(), Content::Text(text.into()), failed || signs::failed(part));
            }
        }
        "text" | "json" => draft.result(&at, from, content_of(value), failed),
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
}

/// What a tool returned, as it was.
pub(super) fn content_of(output: &Node<'_>) -> Content {
    match output.text() {
        Some(text) => Content::Text(text.into()),
        None if output.is_null() => Content::Text("".into()),
        None => Content::Json(output.json().into()),
    }
}
