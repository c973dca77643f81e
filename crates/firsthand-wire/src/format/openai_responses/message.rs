//! Messages among the items, and the parts that they are made of.

use firsthand::conversation::{Content, Producer, Speaker};

use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};

/// What of a message stays the same when a client sends it again.
pub(super) fn essence(role: &str, content: &Node<'_>) -> String {
    let parts: Vec<String> = match content.text() {
        Some(text) => vec![Node::Text(text.into()).json()],
        None => {
            let part = |part: &Node<'_>| match part.get("text").text() {
                Some(text) => Node::Text(text.into()).json(),
                None => part.without(&["annotations", "logprobs"]).json(),
            };
            content.list().iter().map(part).collect()
        }
    };
    format!("{role}{parts:?}")
}

/// Reads a message of a role.
pub(super) fn read(draft: &mut Draft, role: &str, content: &Node<'_>, spot: &Spot) {
    if content.text().is_some() {
        return part(draft, role, content, spot);
    }
    placed(content.list(), spot).into_iter().for_each(|(content, spot)| part(draft, role, content, &spot));
}

fn part(draft: &mut Draft, role: &str, part: &Node<'_>, spot: &Spot) {
    let text = part.text().or(part.get("text").text());
    match (role, text) {
        ("user", Some(text)) if is_text(part) => draft.typed(spot, part, text),
        ("user", Some(_)) => draft.said(spot, Speaker::System, &part.json()),
        ("system" | "developer", Some(text)) => draft.said(spot, Speaker::System, text),
        (_, Some(text)) => {
            draft.attached(spot, &citations(part));
            draft.said(spot, Speaker::Assistant, text);
        }
        ("user", None) => match part.say("type") {
            "input_image" => draft.attachment(spot, part.get("file_id").text(), web(part.say("image_url"))),
            "input_file" => {
                let name = ["filename", "file_id"].iter().find_map(|key| part.get(key).text());
                draft.attachment(spot, name, web(part.say("file_url")));
            }
            "input_audio" => draft.attachment(spot, None, ""),
            _ => draft.said(spot, Speaker::System, &part.json()),
        },
        ("system" | "developer", None) => draft.said(spot, Speaker::System, &part.json()),
        (_, None) => match part.say("type") {
            "refusal" => draft.said(spot, Speaker::Assistant, part.say("refusal")),
            _ => draft.said(spot, Speaker::Assistant, &part.json()),
        },
    }
}

/// Whether a part of a user's message is known to be text.
fn is_text(part: &Node<'_>) -> bool {
    let kind = part.get("type");
    kind.is_null() || matches!(kind.text(), Some("input_text" | "text"))
}

/// The addresses that the provider's search attached to a text.
fn citations<'n>(part: &'n Node<'_>) -> Vec<(&'n str, &'n str)> {
    let cited = part.get("annotations").list().iter().filter(|annotation| annotation.say("type") == "url_citation");
    cited.map(|annotation| (annotation.say("url"), annotation.say("title"))).collect()
}

/// An address, unless it holds the thing itself.
fn web(address: &str) -> &str {
    if address.starts_with("data:") { "" } else { address }
}

/// What a tool returned: a text, or parts.
pub(super) fn returned(draft: &mut Draft, output: &Node<'_>, spot: &Spot, from: &Producer, is_error: bool) {
    let mut give = |content, spot: &Spot| draft.result(spot, from.clone(), content, is_error);
    match output {
        Node::Text(text) => give(Content::Text((&**text).into()), spot),
        Node::List(parts) if !parts.is_empty() => {
            for (part, spot) in placed(parts, spot) {
                match part.text().or(part.get("text").text()) {
                    Some(text) => give(Content::Text(text.into()), &spot),
                    // Pictures and files are named, with no address that a tool may not have written as one.
                    None => give(Content::Json(part.only(&["type", "filename", "file_id"]).json().into()), &spot),
                }
            }
        }
        Node::Null | Node::List(_) => give(Content::Text("".into()), spot),
        Node::Bool(_) | Node::Number(_) | Node::Map(_) => give(Content::Json(output.json().into()), spot),
    }
}
