//! What a message is made of: a string, or blocks in LangChain's form or a provider's.

use firsthand::conversation::{Content, Producer, Speaker};

use super::calls;
use crate::format::anthropic_messages::model_block;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};

/// Calls `each` with a string content, or with each of its blocks.
fn blocks<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::List(blocks) => placed(blocks, spot).into_iter().for_each(|(block, spot)| each(block, &spot)),
        Node::Text(_) => each(content, spot),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Map(_) => {}
    }
}

fn text_of<'n>(block: &'n Node<'_>) -> Option<&'n str> {
    block.text().or_else(|| block.get("text").text())
}

/// Text that is somebody's as a whole; what is no text is given as its JSON.
pub(super) fn said(draft: &mut Draft, content: &Node<'_>, spot: &Spot, by: Speaker) {
    blocks(content, spot, &mut |block, spot| match text_of(block) {
        Some(text) => draft.said(spot, by, text),
        None => draft.said(spot, by, &block.json()),
    });
}

/// What a person said or attached.
pub(super) fn human(draft: &mut Draft, content: &Node<'_>, spot: &Spot) {
    // What stands beside a result was put there by the program that sends it.
    let of_a_tool = |block: &Node<'_>| block.say("type").contains("tool_");
    if content.list().iter().any(of_a_tool) {
        return said(draft, content, spot, Speaker::System);
    }
    blocks(content, spot, &mut |block, spot| {
        let name = ["title", "name", "filename", "file_id"].iter().find_map(|key| block.get(key).text());
        match (block.text(), block.say("type")) {
            (Some(text), _) => draft.user(spot, text),
            (None, "text") => draft.typed(spot, block, block.say("text")),
            (None, "text-plain") => draft.attachment(spot, name, block.say("text")),
            (None, "image" | "audio" | "video" | "file" | "document" | "media" | "input_audio") => {
                let source = block.get("source");
                let address = block.get("url").text().or(source.get("url").text()).unwrap_or_default();
                draft.attachment(spot, name, web(address));
            }
            (None, "image_url") => {
                let image = block.get("image_url");
                draft.attachment(spot, name, web(image.text().unwrap_or(image.say("url"))));
            }
            // A block that is not known, or a result in the user's place: nobody's words.
            (None, _) => draft.said(spot, Speaker::System, &block.json()),
        }
    });
}

/// An address, unless it holds the thing itself.
fn web(address: &str) -> &str {
    if address.starts_with("data:") { "" } else { address }
}

/// What a tool returned.
pub(super) fn returned(draft: &mut Draft, content: &Node<'_>, spot: &Spot, from: &Producer, is_error: bool) {
    if content.is_empty() {
        return draft.result(spot, from.clone(), Content::Text("".into()), is_error);
    }
    blocks(content, spot, &mut |block, spot| match (block.text(), block.say("type")) {
        (Some(text), _) => draft.result(spot, from.clone(), Content::Text(text.into()), is_error),
        (None, "text" | "text-plain") => {
            draft.result(spot, from.clone(), Content::Text(block.say("text").into()), is_error);
        }
        (None, "json") => draft.result(spot, from.clone(), Content::Json(block.json().into()), is_error),
        (None, _) => draft.said(spot, Speaker::System, &block.json()),
    });
}

/// What the model wrote. `beside` are the calls that the message lists beside its content.
pub(super) fn model(draft: &mut Draft, content: &Node<'_>, beside: &[Node<'_>], spot: &Spot) {
    let listed = |block: &Node<'_>| {
        let id = block.word("id");
        !id.is_empty() && beside.iter().any(|call| call.word("id") == id)
    };
    blocks(content, spot, &mut |block, spot| match block.say("type") {
        "text" => {
            let notes = block.get("annotations").list().iter().chain(block.get("citations").list());
            // A citation of a document that a tool returned is that tool's, not the search's.
            let found = notes
                .filter(|note| matches!(note.say("type"), "citation" | "url_citation" | "web_search_result_location"));
            let hits: Vec<(&str, &str)> = found.map(|note| (note.say("url"), note.say("title"))).collect();
            draft.attached(spot, &hits);
            draft.said(spot, Speaker::Assistant, block.say("text"));
        }
        "reasoning" => reasoning(draft, block, spot),
        "tool_call" | "tool_use" if listed(block) => {}
        "tool_call" | "tool_use" => {
            let arguments = block.find("args").unwrap_or(block.get("input"));
            calls::client_call(draft, block.word("id"), block.say("name"), arguments, spot);
        }
        // What the block became is in the list of calls; its pieces are the model's words all the same.
        "tool_call_chunk" | "invalid_tool_call" => draft.said(spot, Speaker::Assistant, &block.json()),
        "server_tool_call" => calls::server_call(draft, block, spot),
        "server_tool_result" => calls::server_result(draft, block, spot),
        "non_standard" => model_block(draft, block.get("value"), &spot.at("value")),
        _ => model_block(draft, block, spot),
    });
}

fn reasoning(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let summary = block.get("summary").list().iter().filter_map(text_of);
    let texts: Vec<&str> =
        block.get("reasoning").text().into_iter().chain(summary).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        return draft.hidden(spot, false, "reasoning that is not shown");
    }
    texts.into_iter().for_each(|text| draft.said(spot, Speaker::Thinking, text));
}
