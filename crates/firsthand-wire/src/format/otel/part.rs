//! A part of a message.

use firsthand::conversation::{Content, Ran, Speaker};

use super::older::same;
use super::span::Own;
use crate::format::openai_chat::arguments_text;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Whose message a part stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Person,
    /// The user's place of a run that another model started.
    Task,
    Host,
    Model,
}

/// Reads a part. `failed` says of a call's id whether the tool failed; gives the id and the arguments of a call.
pub(super) fn read(
    draft: &mut Draft,
    place: Place,
    part: &Own,
    spot: &Spot,
    failed: &dyn Fn(&str) -> bool,
) -> Option<(String, Own)> {
    let content = ["content", "text"].iter().find_map(|key| part.get(key).text());
    match (part.say("type"), content) {
        ("text", Some(text)) if place == Place::Person => draft.typed(spot, part, text),
        ("text", Some(text)) => said(draft, place, spot, text),
        ("reasoning" | "thinking", Some(text)) if place == Place::Model => draft.said(spot, Speaker::Thinking, text),
        ("reasoning" | "thinking", None) => draft.hidden(spot, false, "reasoning that is not shown"),
        ("tool_call", _) => {
            let arguments = part.get("arguments");
            return Some(call(draft, part, arguments, Ran::Client, spot));
        }
        ("server_tool_call", _) => {
            let inner = part.get("server_tool_call");
            let arguments = inner.find("arguments").cloned().unwrap_or_else(|| inner.without(&["type"]));
            return Some(call(draft, part, &arguments, Ran::Provider, spot));
        }
        ("tool_call_response", _) => {
            let response = ["response", "result", "content"].iter().find_map(|key| part.find(key));
            result(draft, part, response.unwrap_or(&Node::Null), spot, failed);
        }
        ("server_tool_call_response", _) => {
            result(draft, part, part.get("server_tool_call_response"), spot, failed);
        }
        ("compaction", Some(summary)) => {
            draft.compacted(spot);
            draft.said(spot, Speaker::Summary, summary);
        }
        ("compaction", None) => draft.hidden(spot, true, "a summary that is not shown"),
        ("blob" | "file" | "uri", _) if place == Place::Person => {
            draft.attachment(spot, part.get("file_id").text(), part.say("uri"));
        }
        ("blob" | "file", _) => {}
        _ if place == Place::Model => draft.said(spot, Speaker::Assistant, &part.json()),
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
    None
}

fn said(draft: &mut Draft, place: Place, spot: &Spot, text: &str) {
    match place {
        Place::Person => draft.user(spot, text),
        Place::Task => draft.said(spot, Speaker::Task, text),
        Place::Host => draft.said(spot, Speaker::System, text),
        Place::Model => draft.said(spot, Speaker::Assistant, text),
    }
}

fn call(draft: &mut Draft, part: &Own, arguments: &Own, ran: Ran, spot: &Spot) -> (String, Own) {
    let tool = part.say("name");
    (add_call(draft, &part.word("id"), tool, arguments, ran, spot), arguments.clone())
}

/// Adds a call.
pub(super) fn add_call(draft: &mut Draft, id: &str, tool: &str, arguments: &Own, ran: Ran, spot: &Spot) -> String {
    let text = if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) };
    draft.call(spot, NewCall { id: id.into(), server: None, tool, arguments: text, ran })
}

fn result(draft: &mut Draft, part: &Own, response: &Own, spot: &Spot, failed: &dyn Fn(&str) -> bool) {
    let id = part.word("id");
    let from = match &*id {
        "" => draft.answered_without_id(part.get("name").text()),
        id => draft.answered_by_id(id),
    };
    let is_error = failed(&id) || signs::failed(part) || signs::failed_within(response);
    draft.result(spot, from, content_of(response), is_error);
}

/// What a tool returned, as it was; a list of hits in the form that all readers give them.
pub(super) fn content_of(response: &Own) -> Content {
    let list = response.list();
    if !list.is_empty() && list.iter().all(|hit| hit.get("url").text().is_some() && hit.find("title").is_some()) {
        return results_of(list.iter().map(|hit| hit.only(&["url", "title"])).collect());
    }
    match response.text() {
        Some(text) => Content::Text(text.into()),
        None if response.is_null() => Content::Text("".into()),
        None => Content::Json(response.json().into()),
    }
}

/// The unanswered call that a run of a tool was, by its arguments.
pub(super) fn is_its(known: Option<&Own>, run: Option<&Own>) -> bool {
    match (known, run) {
        (Some(known), Some(run)) => same(known, run),
        (_, None) => true,
        (None, Some(_)) => false,
    }
}
