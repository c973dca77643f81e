//! A message: whose it is, and what it is made of.

use std::borrow::Cow;

use firsthand::conversation::Speaker;

use super::calls::client_call;
use super::content;
use crate::error::ReadError;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot, keys_once};
use crate::format::recorded::signs;

/// The kind of a human message that a model or a host sent into an inner graph.
pub(super) const TASK: &str = "task";

/// How the summary that stands for the beginning of a history begins.
const SUMMARY: &str = "Here is a summary of the conversation to date:";

/// What a message says, without what says that it is one, and the key that it stands at.
pub(super) fn body<'n, 'a>(message: &'n Node<'a>) -> (&'n Node<'a>, Option<&'static str>) {
    for key in ["kwargs", "data"] {
        if let Some(body) = message.find(key).filter(|body| body.is_map()) {
            return (body, Some(key));
        }
    }
    (message, None)
}

/// What kind of message it is, in one spelling: `human`, `ai`, `tool` ... One that is said to be a person's in one place and
/// somebody else's in another is somebody else's.
pub(super) fn kind<'n>(message: &'n Node<'_>) -> Cow<'n, str> {
    let built = message.say("type") == "constructor";
    let class = message.get("id").list().last().and_then(Node::text).unwrap_or_default();
    let outer = if built { "" } else { message.say("type") };
    let named = if built { message.say("name") } else { "" };
    let mut said = [message.get("kwargs").say("type"), message.get("data").say("type"), outer, class, named]
        .into_iter()
        .map(one_spelling)
        .filter(|kind| !kind.is_empty());
    let first = said.next().unwrap_or_default();
    if first == "human" { said.find(|other| other != "human").unwrap_or(first) } else { first }
}

fn one_spelling(name: &str) -> Cow<'_, str> {
    let name = name.strip_suffix("Chunk").unwrap_or(name);
    match name.strip_suffix("Message") {
        Some(name) => Cow::Owned(name.to_ascii_lowercase()),
        None => Cow::Borrowed(name),
    }
}

/// Whether it is one piece of a message that was streamed.
pub(super) fn is_piece(message: &Node<'_>) -> bool {
    let class = message.get("id").list().last().and_then(Node::text).unwrap_or_default();
    [message.say("type"), message.get("kwargs").say("type"), class].iter().any(|name| name.ends_with("MessageChunk"))
}

/// Reads a message.
pub(super) fn read(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    let (body, key) = body(message);
    let spot = &key.map_or_else(|| spot.clone(), |key| spot.at(key));
    // What tools were given is called the same in other formats and may repeat its keys; a message must not.
    keys_once(body, spot)?;
    let said = body.get("content");
    if !matches!(said, Node::Null | Node::Text(_) | Node::List(_)) {
        return Err(spot.at("content").unexpected(said, "a string, an array of blocks or null"));
    }
    let kind = kind(message);
    let first = draft.len();
    // The role of a `chat` message is read as its kind.
    draft.enter_but(&[message, body, body.get("additional_kwargs")], if kind == "chat" { &["role"] } else { &[] });
    if kind != "ai" {
        draft.end_model_message();
    }
    match &*kind {
        "human" => human(draft, body, spot),
        "system" | "developer" => content::said(draft, said, &spot.at("content"), Speaker::System),
        TASK => content::said(draft, said, &spot.at("content"), Speaker::Task),
        "tool" | "function" => tool(draft, body, spot),
        "remove" => remove(draft, body, spot),
        "chat" => match &*body.say("role").to_ascii_lowercase() {
            "user" | "human" => human(draft, body, spot),
            "system" | "developer" => content::said(draft, said, &spot.at("content"), Speaker::System),
            _ => model(draft, body, spot),
        },
        _ => model(draft, body, spot),
    }
    if kind != "remove" {
        draft.name(first, &body.word("id"));
    }
    Ok(())
}

/// A message in the user's place. One that says where it comes from, or who else wrote it, is not a person's.
fn human(draft: &mut Draft, body: &Node<'_>, spot: &Spot) {
    let (said, at) = (body.get("content"), spot.at("content"));
    let extra = body.get("additional_kwargs");
    let opens = |node: &Node<'_>| node.text().is_some_and(|text| text.trim_start().starts_with(SUMMARY));
    let first = said.list().first().map_or(said, |block| block.find("text").unwrap_or(block));
    let is_set = |key: &str| !matches!(extra.get(key), Node::Null | Node::Bool(false));
    match extra.find("lc_source").map_or("", |source| source.text().unwrap_or("odd")) {
        "summarization" => summary(draft, said, &at),
        "" if opens(first) => summary(draft, said, &at),
        "" if is_set("hide_from_ui") => content::said(draft, said, &at, Speaker::System),
        "" => match body
            .find("name")
            .filter(|name| name.is_said())
            .map_or("", |name| name.text().unwrap_or("odd"))
            .to_ascii_lowercase()
            .as_str()
        {
            "" | "user" | "human" => content::human(draft, said, &at),
            _ => content::said(draft, said, &at, Speaker::Report),
        },
        _ => content::said(draft, said, &at, Speaker::System),
    }
}

fn summary(draft: &mut Draft, said: &Node<'_>, spot: &Spot) {
    draft.compacted(spot);
    content::said(draft, said, spot, Speaker::Summary);
}

/// A message that takes back one of this id. What came after it is taken back too: nothing opens by that.
fn remove(draft: &mut Draft, body: &Node<'_>, spot: &Spot) {
    let id = body.word("id");
    let to = if id == "__remove_all__" { Some(0) } else { draft.place_of(&id) };
    if let Some(to) = to {
        draft.rewind(spot, to);
    }
}

fn tool(draft: &mut Draft, body: &Node<'_>, spot: &Spot) {
    let name = body.get("name").text().filter(|name| !name.is_empty());
    let from = match &*body.word("tool_call_id") {
        // A name alone says nothing of whether there was such a call: what answers none has no call.
        "" => draft.answered_without_id(name),
        id => draft.answered_as(id, name),
    };
    let is_error = signs::failed(body) || signs::failed(body.get("additional_kwargs"));
    content::returned(draft, body.get("content"), &spot.at("content"), &from, is_error);
}

fn model(draft: &mut Draft, body: &Node<'_>, spot: &Spot) {
    draft.model_message(Some(&body.word("id")), spot);
    let (extra, at) = (body.get("additional_kwargs"), spot.at("additional_kwargs"));
    if let Some(reasoning) = extra.find("reasoning_content") {
        let text = reasoning.text().map_or_else(|| reasoning.json(), str::to_owned);
        draft.said(&at.at("reasoning_content"), Speaker::Thinking, &text);
    }
    for key in ["search_results", "citations"] {
        let hits = extra.get(key).list().iter();
        let hits: Vec<(&str, &str)> =
            hits.map(|hit| (hit.text().unwrap_or(hit.say("url")), hit.say("title"))).collect();
        draft.attached(&at.at(key), &hits);
    }
    let calls = body.get("tool_calls").list();
    content::model(draft, body.get("content"), calls, &spot.at("content"));
    for (call, spot) in placed(calls, &spot.at("tool_calls")) {
        client_call(draft, call.word("id"), call.say("name"), call.get("args"), &spot);
    }
    // Arguments that were no JSON: the tool was not run, but the model wrote them.
    for (call, spot) in placed(body.get("invalid_tool_calls").list(), &spot.at("invalid_tool_calls")) {
        draft.said(&spot, Speaker::Assistant, &call.without(&["error"]).json());
    }
    if calls.is_empty() {
        // Pieces of calls of a message that came in pieces, else the calls as the provider wrote them.
        for (call, spot) in placed(body.get("tool_call_chunks").list(), &spot.at("tool_call_chunks")) {
            client_call(draft, call.word("id"), call.say("name"), call.get("args"), &spot);
        }
        if body.get("tool_call_chunks").is_empty() {
            provided_calls(draft, extra, &at);
        }
    }
}

/// Calls as the provider wrote them: those of old messages stand here only.
fn provided_calls(draft: &mut Draft, extra: &Node<'_>, spot: &Spot) {
    for (call, spot) in placed(extra.get("tool_calls").list(), &spot.at("tool_calls")) {
        let function = call.get("function");
        client_call(draft, call.word("id"), function.say("name"), function.get("arguments"), &spot);
    }
    if let Some(function) = extra.find("function_call") {
        client_call(draft, "".into(), function.say("name"), function.get("arguments"), &spot.at("function_call"));
    }
}
