//! A message: whose it is, and what it is made of.

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use crate::error::ReadError;
use crate::format::openai_chat::arguments_text;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Who fills the user's place of a run.
pub(super) enum Asked<'n, 'a> {
    /// The data set: this is the sample's input.
    OfSample(&'n Node<'a>),
    /// A model that called a tool.
    ByModel,
}

/// Reads a message that a model was given.
pub(super) fn read(draft: &mut Draft, message: &Node<'_>, asked: &Asked<'_, '_>, spot: &Spot) -> Result<(), ReadError> {
    draft.enter(&[message]);
    read_entered(draft, message, asked, spot)
}

/// Reads a message that a model answered: whatever its role says, the model wrote it.
pub(super) fn read_answer(
    draft: &mut Draft,
    message: &Node<'_>,
    asked: &Asked<'_, '_>,
    spot: &Spot,
) -> Result<(), ReadError> {
    draft.enter_response(message);
    read_entered(draft, message, asked, spot)
}

fn read_entered(draft: &mut Draft, message: &Node<'_>, asked: &Asked<'_, '_>, spot: &Spot) -> Result<(), ReadError> {
    let Some(role) = message.get("role").text() else {
        return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
    };
    let content = message.get("content");
    if !matches!(content, Node::Null | Node::Text(_) | Node::List(_)) {
        return Err(spot.at("content").unexpected(content, "a string, an array of contents or null"));
    }
    let at = spot.at("content");
    if matches!(role, "system" | "user" | "tool") {
        draft.end_model_message();
    }
    let first = draft.len();
    match role {
        "system" => said(draft, content, &at, Speaker::System),
        "user" => match voice(message, asked) {
            None => user(draft, content, &at),
            Some(Speaker::Summary) => {
                draft.compacted(spot);
                said(draft, content, &at, Speaker::Summary);
            }
            Some(by) => said(draft, content, &at, by),
        },
        "tool" => tool(draft, message, spot),
        _ => model(draft, message, spot),
    }
    draft.name(first, &message.word("id"));
    Ok(())
}

/// Whose a message in the user's place is, where it is no person's.
fn voice(message: &Node<'_>, asked: &Asked<'_, '_>) -> Option<Speaker> {
    let is_input = |input: &Node<'_>| {
        let same = |other: &Node<'_>| {
            let (one, other_id) = (message.word("id"), other.word("id"));
            !one.is_empty() && one == other_id || other.find("content") == message.find("content")
        };
        input.text().is_some_and(|text| message.get("content").text() == Some(text))
            || input.list().iter().any(|other| other.say("role") == "user" && same(other))
    };
    if message.get("metadata").find("summary").is_some() {
        return Some(Speaker::Summary);
    }
    match (message.find("source").map_or("", |source| source.text().unwrap_or("odd")), asked) {
        ("operator", _) | ("input", Asked::OfSample(_)) => None,
        ("", Asked::OfSample(input)) if is_input(input) => None,
        ("", Asked::OfSample(_)) => Some(Speaker::System),
        // What a model says to a model, be it said to come from the data set.
        (_, Asked::ByModel | Asked::OfSample(_)) => Some(Speaker::Task),
    }
}

/// Calls `each` with a string content, or with each of its parts.
fn parts<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::Text(_) => each(content, spot),
        Node::List(parts) => placed(parts, spot).into_iter().for_each(|(part, spot)| each(part, &spot)),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Map(_) => {}
    }
}

fn text_of<'n>(part: &'n Node<'_>) -> Option<&'n str> {
    part.text().or_else(|| part.get("text").text())
}

fn said(draft: &mut Draft, content: &Node<'_>, spot: &Spot, by: Speaker) {
    parts(content, spot, &mut |part, spot| match text_of(part) {
        Some(text) => draft.said(spot, by, text),
        None => draft.said(spot, by, &part.json()),
    });
}

fn user(draft: &mut Draft, content: &Node<'_>, spot: &Spot) {
    parts(content, spot, &mut |part, spot| match (text_of(part), part.say("type")) {
        // Only a part that is known to be text is a person's.
        (Some(text), kind) if kind == "text" || part.text().is_some() => draft.typed(spot, part, text),
        (_, kind @ ("image" | "audio" | "video" | "document")) => {
            let address = part.say(kind);
            let address = if address.starts_with("http://") || address.starts_with("https://") { address } else { "" };
            draft.attachment(spot, part.get("filename").text(), address);
        }
        _ => draft.said(spot, Speaker::System, &part.json()),
    });
}

fn tool(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    let from = match &*message.word("tool_call_id") {
        "" => draft.answered_without_id(message.get("function").text()),
        id => draft.answered_by_id(id),
    };
    let error = message.get("error");
    let is_error = signs::failed(message);
    if !error.is_empty() {
        let text = error.text().unwrap_or(error.say("message"));
        draft.result(&spot.at("error"), from.clone(), Content::Text(text.into()), true);
    }
    let (content, at) = (message.get("content"), spot.at("content"));
    if content.is_empty() && !is_error {
        return draft.result(spot, from, Content::Text("".into()), false);
    }
    parts(content, &at, &mut |part, spot| match text_of(part) {
        Some("") => {}
        Some(text) => draft.result(spot, from.clone(), Content::Text(text.into()), is_error),
        None => draft.said(spot, Speaker::System, &part.json()),
    });
}

fn model(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    let id = message.word("id");
    draft.model_message(Some(&id), spot);
    parts(message.get("content"), &spot.at("content"), &mut |part, spot| written(draft, part, spot));
    for (call, spot) in placed(message.get("tool_calls").list(), &spot.at("tool_calls")) {
        let function = call.get("function");
        let (tool, arguments) = match function.text() {
            Some(name) => (name, call.get("arguments")),
            None => (function.say("name"), function.get("arguments")),
        };
        let arguments = if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) };
        draft.call(&spot, NewCall { id: call.word("id"), server: None, tool, arguments, ran: Ran::Client });
        // Arguments that could not be read are kept as they were written.
        draft.said(&spot.at("parse_error"), Speaker::Assistant, call.say("parse_error"));
    }
}

fn written(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match (part.say("type"), text_of(part)) {
        ("text" | "", Some(text)) => {
            let cited = part.get("citations").list().iter().filter(|citation| citation.say("type") == "url");
            let hits: Vec<(&str, &str)> = cited.map(|page| (page.say("url"), page.say("title"))).collect();
            draft.attached(&spot.at("citations"), &hits);
            draft.said(spot, Speaker::Assistant, text);
        }
        ("reasoning", _) => reasoning(draft, part, spot),
        ("tool_use", _) => tool_use(draft, part, spot),
        // Pictures and files that the model made.
        ("image" | "audio" | "video", _) => {}
        _ => draft.said(spot, Speaker::Assistant, &part.json()),
    }
}

/// Reasoning; where it is encrypted, a summary may be all that can be read.
fn reasoning(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let is_closed = !matches!(part.get("redacted"), Node::Null | Node::Bool(false));
    let text = if is_closed { part.say("summary") } else { part.say("reasoning") };
    if is_closed || text.is_empty() {
        draft.hidden(spot, false, "reasoning that is encrypted");
    }
    draft.said(spot, Speaker::Thinking, text);
}

/// A call that the provider ran, and what it returned.
fn tool_use(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let server = part.get("context").text().filter(|_| part.say("tool_type") == "mcp_call");
    let arguments = part.find("arguments").map_or_else(|| "{}".to_owned(), arguments_text);
    let tool = ["name", "tool_type"].iter().map(|key| part.say(key)).find(|name| !name.is_empty()).unwrap_or_default();
    let call = draft.call(spot, NewCall { id: part.word("id"), server, tool, arguments, ran: Ran::Provider });
    let from = Producer::Call(call);
    let is_error = signs::failed(part);
    if let Some(error) = part.find("error") {
        let text = error.text().map_or_else(|| error.json(), str::to_owned);
        draft.result(&spot.at("error"), from.clone(), Content::Text(text.into()), true);
    }
    let Some(result) = part.find("result").filter(|result| !result.is_empty()) else { return };
    let at = spot.at("result");
    let Some(text) = result.text() else {
        return draft.result(&at, from, Content::Json(result.json().into()), is_error);
    };
    let hits: Option<Node<'_>> = serde_json::from_str(text).ok();
    let hits =
        hits.filter(|hits| !hits.list().is_empty() && hits.list().iter().all(|hit| hit.get("url").text().is_some()));
    let content = match hits {
        Some(hits) => results_of(hits.list().iter().map(|hit| hit.only(&["url", "title", "page_age"])).collect()),
        None => Content::Text(text.into()),
    };
    draft.result(&at, from, content, is_error);
}
