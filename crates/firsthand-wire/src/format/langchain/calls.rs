//! Calls, and results that stand in the model's own message.

use std::borrow::Cow;

use firsthand::conversation::{Content, Ran};

use crate::format::openai_chat::arguments_text;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// A call of a tool that the application runs.
pub(super) fn client_call(draft: &mut Draft, id: Cow<'_, str>, tool: &str, arguments: &Node<'_>, spot: &Spot) {
    let arguments = if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) };
    draft.call(spot, NewCall { id, server: None, tool, arguments, ran: Ran::Client });
}

/// A result that stands in the model's message.
pub(super) fn server_result(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let from = match &*block.word("tool_call_id") {
        "" => draft.answered_without_id(None),
        id => draft.answered_by_id(id),
    };
    let is_error = signs::failed(block);
    let (output, spot) = (block.get("output"), spot.at("output"));
    let content = match output.text() {
        Some(text) => Content::Text(text.into()),
        None => hits(output).unwrap_or_else(|| Content::Json(output.json().into())),
    };
    draft.result(&spot, from, content, is_error);
}

/// A call of a tool that the provider runs.
pub(super) fn server_call(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let arguments = block.get("args");
    let arguments = if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) };
    let (id, tool) = (block.word("id"), block.say("name"));
    draft.call(spot, NewCall { id, server: None, tool, arguments, ran: Ran::Provider });
}

/// Hits of a search, if it is a list of them.
fn hits(output: &Node<'_>) -> Option<Content> {
    let list = output.list();
    (!list.is_empty() && list.iter().all(|hit| hit.get("url").text().is_some()))
        .then(|| results_of(list.iter().map(|hit| hit.only(&["url", "title", "page_age"])).collect()))
}
