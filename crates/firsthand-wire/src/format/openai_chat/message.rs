//! A message: whose it is, and what it is made of.

use std::borrow::Cow;

use firsthand::conversation::{Content, Producer, Ran, Speaker};
use firsthand::json::looks_like_json;

use crate::error::ReadError;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Reads a message.
pub(in crate::format) fn read(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    let Some(role) = message.get("role").text() else {
        return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
    };
    let content = message.get("content");
    if !matches!(content, Node::Null | Node::Text(_) | Node::List(_)) {
        return Err(spot.at("content").unexpected(content, "a string, an array of parts or null"));
    }
    match role {
        "system" | "developer" => {
            draft.end_model_message();
            parts(content, &spot.at("content"), &mut |part, spot| match part.text().or(part.get("text").text()) {
                Some(text) => draft.said(spot, Speaker::System, text),
                None => draft.said(spot, Speaker::System, &part.json()),
            });
        }
        "user" => {
            draft.end_model_message();
            parts(content, &spot.at("content"), &mut |part, spot| user(draft, part, spot));
        }
        "tool" | "function" => {
            draft.end_model_message();
            tool(draft, message, spot);
        }
        _ => model(draft, message, spot),
    }
    Ok(())
}

/// Calls `each` with a string content, or with each of its parts.
fn parts<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::Text(_) => each(content, spot),
        Node::List(parts) => placed(parts, spot).into_iter().for_each(|(part, spot)| each(part, &spot)),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Map(_) => {}
    }
}

fn user(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    // Only a part that is known to be text is a person's.
    let is_text = matches!(part.get("type"), Node::Null) || matches!(part.say("type"), "text" | "input_text");
    if let Some(text) = part.text().or(part.get("text").text().filter(|_| is_text)) {
        // Models whose template has no place for results get them in the user's.
        if text.trim_start().starts_with("<tool_response>") {
            let from = draft.nobody();
            return draft.result(spot, from, Content::Text(text.into()), false);
        }
        return draft.typed(spot, part, text);
    }
    match part.say("type") {
        "image_url" => {
            let image = part.get("image_url");
            draft.attachment(spot, None, web(image.text().unwrap_or(image.say("url"))));
        }
        "input_audio" => draft.attachment(spot, None, ""),
        "file" => {
            let file = part.get("file");
            let name = ["filename", "file_id"].iter().find_map(|key| file.get(key).text());
            draft.attachment(spot, name, "");
        }
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
}

/// An address, unless it holds the thing itself.
fn web(address: &str) -> &str {
    if address.starts_with("data:") { "" } else { address }
}

fn tool(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    let name = ["tool_name", "name"].iter().find_map(|key| message.get(key).text()).filter(|name| !name.is_empty());
    let from = match &*message.word("tool_call_id") {
        // A name alone says nothing of whether there was such a call: what answers none has no call.
        "" => draft.answered_without_id(name),
        id => draft.answered_as(id, name),
    };
    let content = message.get("content");
    if content.is_empty() {
        return draft.result(spot, from, Content::Text("".into()), false);
    }
    parts(content, &spot.at("content"), &mut |part, spot| match part.text().or(part.get("text").text()) {
        Some(text) => draft.result(spot, from.clone(), Content::Text(text.into()), signs::failed(part)),
        None => draft.said(spot, Speaker::System, &part.json()),
    });
}

fn model(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    draft.model_message(None, spot);
    reasoning(draft, message, spot);
    executed(draft, message, spot);
    let citations = message.get("annotations").list().iter().map(|annotation| annotation.get("url_citation"));
    let hits: Vec<(&str, &str)> = citations.map(|found| (found.say("url"), found.say("title"))).collect();
    draft.attached(&spot.at("annotations"), &hits);
    parts(message.get("content"), &spot.at("content"), &mut |part, spot| match (
        part.text().or(part.get("text").text()),
        part.say("type"),
    ) {
        (Some(text), _) => draft.said(spot, Speaker::Assistant, text),
        (None, "refusal") => draft.said(spot, Speaker::Assistant, part.say("refusal")),
        (None, "thinking") => draft.said(spot, Speaker::Thinking, &part.get("thinking").json()),
        (None, _) => draft.said(spot, Speaker::Assistant, &part.json()),
    });
    draft.said(&spot.at("refusal"), Speaker::Assistant, message.say("refusal"));
    draft.said(&spot.at("audio"), Speaker::Assistant, message.get("audio").say("transcript"));
    if let Some(function) = message.find("function_call") {
        call(draft, "".into(), function, &spot.at("function_call"));
    }
    for (tool, spot) in placed(message.get("tool_calls").list(), &spot.at("tool_calls")) {
        let (id, inner) = (tool.word("id"), tool.find("function").or(tool.find("custom")));
        // A call in no known form still shows what the model wrote, and can be answered.
        call(draft, id, inner.unwrap_or(tool), &spot);
    }
}

fn call(draft: &mut Draft, id: Cow<'_, str>, function: &Node<'_>, spot: &Spot) {
    let arguments = function.find("arguments").or(function.find("input"));
    let arguments = arguments.map_or_else(|| "{}".to_owned(), arguments_text);
    draft.call(spot, NewCall { id, server: None, tool: function.say("name"), arguments, ran: Ran::Client });
}

/// Arguments as a JSON text: as written where they are one (or were to be one), else as a JSON string.
pub(in crate::format) fn arguments_text(arguments: &Node<'_>) -> String {
    let is_json = |text: &str| looks_like_json(text) || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    match arguments.text() {
        Some(text) if text.trim().is_empty() => "{}".to_owned(),
        Some(text) if is_json(text) => text.to_owned(),
        Some(_) | None => arguments.json(),
    }
}

fn reasoning(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    for key in ["reasoning_content", "reasoning", "thinking"] {
        if let Some(reasoning) = message.find(key) {
            let text = reasoning.text().map_or_else(|| reasoning.json(), str::to_owned);
            draft.said(&spot.at(key), Speaker::Thinking, &text);
        }
    }
    for (detail, spot) in placed(message.get("reasoning_details").list(), &spot.at("reasoning_details")) {
        match ["text", "summary"].iter().find_map(|key| detail.get(key).text()) {
            Some(text) => draft.said(&spot, Speaker::Thinking, text),
            None => draft.hidden(&spot, false, "reasoning that is encrypted"),
        }
    }
}

/// Tools that the provider ran within the answer (Groq): each with what it returned and, of a search, its hits.
fn executed(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    for (tool, spot) in placed(message.get("executed_tools").list(), &spot.at("executed_tools")) {
        let arguments = tool.find("arguments").map_or_else(|| "{}".to_owned(), arguments_text);
        let name = ["name", "type"].iter().find_map(|key| tool.get(key).text()).unwrap_or_default();
        let id = draft.call(&spot, NewCall { id: "".into(), server: None, tool: name, arguments, ran: Ran::Provider });
        if let Some(output) = tool.find("output") {
            let text = output.text().map_or_else(|| output.json(), str::to_owned);
            draft.settle();
            let content = Content::Text(text.into());
            draft.result(&spot.at("output"), Producer::Call(id), content, signs::failed(tool));
        }
        let spot = spot.at("search_results");
        let results = tool.get("search_results");
        let results = if results.is_list() { results } else { results.get("results") };
        found(draft, results, &spot);
    }
}

/// Hits that the provider's search returned: an address and what the index says of it.
fn found(draft: &mut Draft, hits: &Node<'_>, spot: &Spot) {
    let hits: Vec<(&str, &str)> =
        hits.list().iter().map(|hit| (hit.text().unwrap_or(hit.say("url")), hit.say("title"))).collect();
    draft.attached(spot, &hits);
}

/// Notes where the provider may search: this API has no item that says it did.
pub(super) fn settings(draft: &mut Draft, request: &Node<'_>) {
    let is_search = |tool: &Node<'_>| tool.say("type").contains("web_search") || tool.say("id") == "web";
    let offered = ["tools", "plugins"].iter().any(|key| request.get(key).list().iter().any(is_search));
    if offered || request.find("web_search_options").is_some() || searches(request.say("model")) {
        draft.may_search();
    }
}

/// Whether a model is one that searches before it answers.
fn searches(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.contains("-search") || name.ends_with(":online") || name.starts_with("sonar")
}

/// Addresses that a provider attached to the whole response (Perplexity, xAI). They were found before the answer was
/// written.
pub(super) fn attached_to_response(draft: &mut Draft, response: &Node<'_>, spot: &Spot) {
    if searches(response.say("model")) {
        draft.may_search();
    }
    for key in ["search_results", "citations"] {
        found(draft, response.get(key), &spot.at(key));
    }
}
