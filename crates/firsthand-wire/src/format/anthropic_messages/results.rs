//! What tools returned: `tool_result` of the client's, `..._tool_result` of the provider's.

use firsthand::conversation::{Content, Producer};

use super::blocks;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// The result of a tool that the client or an MCP server ran. Its class is its call's.
pub(super) fn client(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let from = producer(draft, block);
    let is_error = signs::failed(block) || signs::failed_within(block.get("content"));
    let (content, below) = (block.get("content"), spot.at("content"));
    match content {
        Node::List(parts) if !parts.is_empty() => {
            for (part, spot) in placed(parts, &below) {
                match part.text() {
                    Some(text) => draft.result(&spot, from.clone(), Content::Text(text.into()), is_error),
                    None => blocks::returned(draft, part, &spot, &from, is_error),
                }
            }
        }
        Node::Null | Node::List(_) => draft.result(spot, from, Content::Text("".into()), is_error),
        Node::Text(text) => draft.result(spot, from, Content::Text((&**text).into()), is_error),
        Node::Bool(_) | Node::Number(_) | Node::Map(_) => {
            draft.result(spot, from, Content::Json(content.json().into()), is_error);
        }
    }
}

/// The result of a tool that the provider ran. Its class is its call's.
///
/// What is encrypted in hits is the text of pages, not a call: nothing is noted of it.
pub(super) fn server(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    let from = producer(draft, block);
    let (content, spot) = (block.get("content"), spot.at("content"));
    let kind = content.say("type");
    let failed = signs::failed(block);
    if kind.ends_with("_error") {
        return draft.result(&spot, from, Content::Json(content.json().into()), true);
    }
    let mut give = |content| draft.result(&spot, from.clone(), content, failed);
    match (block.say("type"), content) {
        ("web_search_tool_result", Node::List(hits)) => {
            give(results_of(hits.iter().map(|hit| hit.only(&["url", "title", "page_age"])).collect()));
        }
        ("web_fetch_tool_result", _) => {
            // The address of the page repeats the argument of the call, so only the document is the page's.
            let texts = blocks::document_texts(content.get("content").get("source"));
            if texts.is_empty() {
                give(Content::Text("".into()));
            }
            texts.into_iter().for_each(|text| give(Content::Text(text.into())));
        }
        _ => match kind {
            "code_execution_result" | "bash_code_execution_result" => {
                give(Content::Text(content.say("stdout").into()));
                if !content.get("stderr").is_empty() {
                    give(Content::Text(content.say("stderr").into()));
                }
            }
            "encrypted_code_execution_result" => {
                give(Content::Text(content.say("stderr").into()));
                draft.hidden(&spot, false, "output that is encrypted");
            }
            "advisor_result" => give(Content::Text(content.say("text").into())),
            _ => give(Content::Json(content.json().into())),
        },
    }
}

fn producer(draft: &mut Draft, block: &Node<'_>) -> Producer {
    match &*block.word("tool_use_id") {
        "" => draft.answered_without_id(None),
        id => draft.answered_by_id(id),
    }
}
