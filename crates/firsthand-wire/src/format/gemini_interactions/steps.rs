//! The steps of an interaction.

use firsthand::conversation::{Content, Ran, Speaker};

use crate::error::ReadError;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// The types of steps that no other API has.
pub(super) const OWN: &[&str] = &[
    "user_input",
    "model_output",
    "google_search_call",
    "google_search_result",
    "url_context_call",
    "url_context_result",
    "google_maps_call",
    "google_maps_result",
    "code_execution_call",
    "mcp_server_tool_call",
];

/// The types of the parts of a message.
pub(super) const PARTS: &[&str] = &["text", "image", "audio", "video", "document"];

/// Reads a step, or the input of a request where it is no list of steps.
pub(super) fn read(draft: &mut Draft, step: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    if step.text().is_some() || step.is_list() {
        draft.end_model_message();
        content(step, spot, &mut |part, spot| user(draft, part, spot));
        return Ok(());
    }
    if !step.is_map() {
        return Err(spot.unexpected(step, "a step"));
    }
    match (step.get("role"), step.say("type")) {
        (Node::Null, kind) => typed(draft, kind, step, spot),
        (role, kind) => {
            let is_user = role.text() == Some("user") && matches!(kind, "" | "user_input" | "message");
            turn(draft, is_user, step, spot);
        }
    }
    Ok(())
}

/// A turn in the form of messages.
fn turn(draft: &mut Draft, is_user: bool, turn: &Node<'_>, spot: &Spot) {
    let (inside, spot) = (turn.get("content"), spot.at("content"));
    if is_user {
        draft.end_model_message();
        // What stands beside a result was put there by the program that sends it.
        let is_sent = inside.list().iter().any(|part| part.say("type").ends_with("_result"));
        content(inside, &spot, &mut |part, spot| match part.text().or(part.get("text").text()) {
            Some(text) if is_sent => draft.said(spot, Speaker::System, text),
            _ => user(draft, part, spot),
        });
    } else {
        draft.model_message(None, &spot);
        content(inside, &spot, &mut |part, spot| model(draft, part, spot));
    }
}

/// Calls `each` with a text, a single part, or each part of a list.
fn content<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::List(parts) => placed(parts, spot).into_iter().for_each(|(part, spot)| each(part, &spot)),
        Node::Null => {}
        Node::Text(_) | Node::Map(_) | Node::Bool(_) | Node::Number(_) => each(content, spot),
    }
}

fn user(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match (part.text(), part.say("type")) {
        (Some(text), _) => draft.user(spot, text),
        (None, "text" | "") if part.get("text").text().is_some() => draft.typed(spot, part, part.say("text")),
        (None, "image" | "audio" | "video" | "document") => draft.attachment(spot, None, part.say("uri")),
        (None, kind) if kind.ends_with("_result") => result(draft, kind, part, spot),
        (None, _) => draft.said(spot, Speaker::System, &part.json()),
    }
}

fn model(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let Some(text) = part.text().or(part.get("text").text()) else {
        return match part.say("type") {
            "image" | "audio" | "video" => {}
            kind if is_step(kind) => typed(draft, kind, part, spot),
            _ => draft.said(spot, Speaker::Assistant, &part.json()),
        };
    };
    // What the provider attached to a text was found before the text was written.
    let annotations = part.get("annotations").list().iter().filter(|one| one.say("type") == "url_citation");
    let hits: Vec<(&str, &str)> = annotations.map(|one| (one.say("url"), one.say("title"))).collect();
    draft.attached(&spot.at("annotations"), &hits);
    draft.said(spot, Speaker::Assistant, text);
}

fn is_step(kind: &str) -> bool {
    kind == "thought" || kind.ends_with("_call") || kind.ends_with("_result")
}

fn typed(draft: &mut Draft, kind: &str, step: &Node<'_>, spot: &Spot) {
    match kind {
        "user_input" => turn(draft, true, step, spot),
        "model_output" => turn(draft, false, step, spot),
        "thought" => {
            draft.model_message(None, spot);
            thought(draft, step, spot);
        }
        "function_call" => call(draft, step, spot, None, step.say("name"), Ran::Client),
        "mcp_server_tool_call" => {
            call(draft, step, spot, step.get("server_name").text(), step.say("name"), Ran::Provider);
        }
        "mcp_list_tools" => draft.said(spot, Speaker::System, &step.json()),
        kind if kind.ends_with("_result") => result(draft, kind, step, spot),
        kind => match kind.strip_suffix("_call") {
            Some(tool) => call(draft, step, spot, None, tool, Ran::Provider),
            None => {
                draft.model_message(None, spot);
                model(draft, step, spot);
            }
        },
    }
}

fn thought(draft: &mut Draft, step: &Node<'_>, spot: &Spot) {
    let summary = step.get("summary");
    content(summary, &spot.at("summary"), &mut |part, spot| {
        let text = part.text().or(part.get("text").text()).map_or_else(|| part.json(), str::to_owned);
        draft.said(spot, Speaker::Thinking, &text);
    });
    if summary.is_empty() && step.find("signature").is_some() {
        draft.hidden(spot, false, "reasoning that is encrypted");
    }
}

fn call(draft: &mut Draft, step: &Node<'_>, spot: &Spot, server: Option<&str>, tool: &str, ran: Ran) {
    draft.model_message(None, spot);
    let arguments = step.find("arguments").map_or_else(|| "{}".to_owned(), crate::format::openai_chat::arguments_text);
    draft.call(spot, NewCall { id: step.word("id"), server, tool, arguments, ran });
}

fn result(draft: &mut Draft, kind: &str, step: &Node<'_>, spot: &Spot) {
    // A result of the provider's stands within the model's message.
    if kind == "function_result" {
        draft.end_model_message();
    }
    let from = match &*step.word("call_id") {
        "" => {
            let tool = step.get("name").text().or(kind.strip_suffix("_result").filter(|tool| *tool != "function"));
            draft.answered_without_id(tool)
        }
        id => draft.answered_by_id(id),
    };
    let is_error = signs::failed(step) || signs::failed_within(step.get("result"));
    let (inside, spot) = (step.get("result"), spot.at("result"));
    let json = |draft: &mut Draft, node: &Node<'_>, spot: &Spot| {
        draft.result(spot, from.clone(), Content::Json(node.json().into()), is_error);
    };
    match (kind, inside) {
        (_, Node::Text(text)) => draft.result(&spot, from, Content::Text((&**text).into()), is_error),
        (_, Node::Null) => draft.result(&spot, from, Content::Text("".into()), is_error),
        ("url_context_result", Node::List(pages)) => {
            // The addresses repeat what was asked for.
            let how = Node::List(pages.iter().map(|page| page.only(&["status"])).collect());
            json(draft, &how, &spot);
        }
        ("google_search_result", Node::List(hits)) => {
            // Suggestions are links that the provider made of the model's queries.
            let hits = hits.iter().filter(|hit| hit.find("url").is_some()).map(|hit| hit.only(&["url", "title"]));
            draft.result(&spot, from.clone(), results_of(hits.collect()), is_error);
        }
        ("function_result" | "mcp_server_tool_result", Node::List(parts)) if !parts.is_empty() => {
            for (part, spot) in placed(parts, &spot) {
                match part.text().or(part.get("text").text()) {
                    Some(text) => {
                        let is_error = is_error || signs::failed(part);
                        draft.result(&spot, from.clone(), Content::Text(text.into()), is_error);
                    }
                    None if part.find("data").is_some() => {
                        draft.result(
                            &spot,
                            from.clone(),
                            Content::Json(part.without(&["data"]).json().into()),
                            is_error,
                        );
                    }
                    None => json(draft, part, &spot),
                }
            }
        }
        (_, Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_)) => json(draft, inside, &spot),
    }
}

/// What of a step stays the same when a client sends it again.
pub(super) fn essence(step: &Node<'_>) -> String {
    let mut texts = String::new();
    let mut said = |node: &Node<'_>| {
        let spot = Spot::top(None);
        content(node, &spot, &mut |part, _| match part.text().or(part.get("text").text()) {
            Some(text) => texts.push_str(text),
            None => texts.push_str(&part.json()),
        });
    };
    if step.text().is_some() || step.is_list() {
        said(step);
        return format!("user {texts}");
    }
    match (step.get("role").text(), step.say("type")) {
        (Some("user"), _) | (None, "user_input") => {
            said(step.get("content"));
            format!("user {texts}")
        }
        (Some(_), _) | (None, "model_output") => {
            said(step.get("content"));
            format!("model {texts}")
        }
        (None, "text") => format!("model {}", step.say("text")),
        (None, kind) if kind.ends_with("_result") && step.find("call_id").is_some() => {
            step.only(&["type", "call_id"]).json()
        }
        (None, kind) if kind.ends_with("_call") && step.find("id").is_some() => {
            step.only(&["type", "id", "name"]).json()
        }
        (None, _) => step.without(&["signature"]).json(),
    }
}
