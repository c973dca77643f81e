//! The blocks of a message.

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use super::results;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Whose message a block stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    User,
    Model,
    System,
}

/// Text in a message of this place.
pub(super) fn text(draft: &mut Draft, place: Place, spot: &Spot, text: &str) {
    match place {
        Place::User => draft.user(spot, text),
        Place::Model => draft.said(spot, Speaker::Assistant, text),
        Place::System => draft.said(spot, Speaker::System, text),
    }
}

/// A block. What it is decides by its type; the place matters for text, documents and what is not known.
pub(super) fn read(draft: &mut Draft, place: Place, block: &Node<'_>, spot: &Spot) {
    if let Some(bare) = block.text() {
        return text(draft, place, spot, bare);
    }
    match block.say("type") {
        "text" => {
            if place == Place::Model {
                draft.attached(spot, &citations(block));
            }
            match place {
                Place::User => draft.typed(spot, block, block.say("text")),
                Place::Model | Place::System => text(draft, place, spot, block.say("text")),
            }
        }
        "thinking" => match block.say("thinking") {
            "" => draft.hidden(spot, false, "reasoning that is not shown"),
            thinking => draft.said(spot, Speaker::Thinking, thinking),
        },
        "redacted_thinking" => draft.hidden(spot, false, "reasoning that is encrypted"),
        "tool_use" => call(draft, block, spot, Ran::Client),
        "server_tool_use" | "mcp_tool_use" => call(draft, block, spot, Ran::Provider),
        "tool_result" | "mcp_tool_result" => results::client(draft, block, spot),
        "mcp_tool_listing" | "tool_addition" | "tool_removal" => draft.said(spot, Speaker::System, &block.json()),
        "compaction" => compaction(draft, block, spot),
        "image" | "document" | "search_result" | "container_upload" if place == Place::User => {
            attachment(draft, block, spot);
        }
        // A file that the model's code wrote, and a change of models: neither has a text.
        "container_upload" | "fallback" => {}
        kind if kind.ends_with("_tool_result") => results::server(draft, block, spot),
        _ => match place {
            Place::Model => draft.said(spot, Speaker::Assistant, &block.json()),
            Place::User | Place::System => draft.said(spot, Speaker::System, &block.json()),
        },
    }
}

/// The addresses that the provider's search attached to a text.
///
/// A citation of a `search_result` block is left out: the block itself is in the conversation, and its class is that of
/// the tool that returned it.
fn citations<'n>(block: &'n Node<'_>) -> Vec<(&'n str, &'n str)> {
    let searched = |citation: &&Node<'_>| citation.say("type") == "web_search_result_location";
    block.get("citations").list().iter().filter(searched).map(|found| (found.say("url"), found.say("title"))).collect()
}

fn call(draft: &mut Draft, block: &Node<'_>, spot: &Spot, ran: Ran) {
    let input = block.get("input");
    let arguments = if input.is_null() { "{}".to_owned() } else { input.json() };
    let server = block.get("server_name").text();
    draft.call(spot, NewCall { id: block.word("id"), server, tool: block.say("name"), arguments, ran });
}

fn compaction(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    match block.get("content").text().filter(|summary| !summary.is_empty()) {
        Some(summary) => {
            draft.compacted(spot);
            draft.said(spot, Speaker::Summary, summary);
        }
        None => draft.hidden(spot, true, "a summary that is encrypted"),
    }
}

/// A document of the user's. One whose text the record does not have is named all the same.
fn attachment(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let name = ["title", "file_id"].iter().find_map(|key| block.get(key).text());
    match block.say("type") {
        "search_result" => {
            draft.attachment(&spot.at("source"), name, block.say("source"));
            for (text, spot) in placed(block.get("content").list(), &spot.at("content")) {
                draft.attachment(&spot, name, text.say("text"));
            }
        }
        _ => {
            if let Some(context) = block.get("context").text() {
                draft.attachment(&spot.at("context"), name, context);
            }
            let source = block.get("source");
            let name = name.or(source.get("file_id").text());
            let texts = document_texts(source);
            if texts.is_empty() {
                draft.attachment(spot, name, source.say("url"));
            }
            for text in texts {
                draft.attachment(&spot.at("source"), name, text);
            }
        }
    }
}

/// The texts of a document's source.
pub(super) fn document_texts<'n>(source: &'n Node<'_>) -> Vec<&'n str> {
    match source.say("type") {
        "text" => source.get("data").text().into_iter().collect(),
        "content" => {
            let content = source.get("content");
            let blocks = content.list().iter().filter_map(|block| block.get("text").text());
            content.text().into_iter().chain(blocks).collect()
        }
        _ => Vec::new(),
    }
}

/// A part of what a tool returned.
pub(super) fn returned(draft: &mut Draft, part: &Node<'_>, spot: &Spot, from: &Producer, is_error: bool) {
    let is_error = is_error || signs::failed(part);
    let mut give = |content| draft.result(spot, from.clone(), content, is_error);
    match part.say("type") {
        "text" => give(Content::Text(part.say("text").into())),
        "search_result" => {
            let hit = Node::Map(vec![
                ("url".into(), Node::Text(part.say("source").into())),
                ("title".into(), Node::Text(part.say("title").into())),
            ]);
            give(crate::format::recorded::draft::results_of(vec![hit]));
            for text in part.get("content").list() {
                give(Content::Text(text.say("text").into()));
            }
        }
        "document" => {
            for text in document_texts(part.get("source")) {
                give(Content::Text(text.into()));
            }
        }
        "image" | "tool_reference" => give(Content::Json(part.without(&["source"]).json().into())),
        // Where a navigation that the model chose ended, and what is not known: text of the host, which never counts.
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
}
