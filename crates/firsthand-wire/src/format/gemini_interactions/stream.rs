//! Recorded streams: the events of an interaction, joined to steps. Only a step that was closed is read.
//!
//! The steps are given together at the end: a text that cites what a search found stands before the search.

use std::borrow::Cow;

use crate::format::recorded::api::{Piece, Stream, Taken};
use crate::format::recorded::node::{Node, Spot};

/// Takes an event.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    let index = (node.get("index").number(), 0);
    match node.say("event_type") {
        "interaction.created" | "interaction.start" => {
            stream.running = true;
            stream.open.clear();
            return given(stream);
        }
        "step.start" | "content.start" => {
            let step = node.find("step").or(node.find("content")).cloned().unwrap_or(Node::Null);
            stream.open.insert(index, Piece { node: step, ..Piece::at(spot) });
        }
        "step.delta" | "content.delta" => {
            if let Some(piece) = stream.open.get_mut(&index) {
                delta(piece, node.get("delta"));
            }
        }
        "step.stop" | "content.stop" => {
            if let Some(piece) = stream.open.remove(&index) {
                stream.complete.push(step(piece));
            }
        }
        "interaction.completed" | "interaction.complete" => {
            stream.running = false;
            return given(stream);
        }
        "" => return Taken::No(node, spot),
        _ => {}
    }
    Taken::Kept
}

/// The steps that were closed.
fn given<'a>(stream: &mut Stream<'a>) -> Taken<'a> {
    match std::mem::take(&mut stream.complete) {
        steps if steps.is_empty() => Taken::Kept,
        steps => Taken::Complete(steps),
    }
}

/// What a delta adds: text and arguments go on, everything else replaces what was there.
fn delta<'a>(piece: &mut Piece<'a>, delta: &Node<'a>) {
    let kind = delta.say("type");
    if kind == "thought_signature" {
        return;
    }
    piece.text.push_str(delta.get("text").text().or(delta.get("content").get("text").text()).unwrap_or_default());
    piece.extra.extend(delta.get("annotations").list().iter().cloned());
    for key in ["arguments", "partial_arguments"] {
        piece.arguments.push_str(delta.say(key));
    }
    if matches!(kind, "text" | "thought_summary" | "text_annotation") {
        return;
    }
    let others = delta.without(&["type", "text", "annotations", "partial_arguments"]);
    if let (Node::Map(members), Node::Map(others)) = (&mut piece.node, others) {
        members.extend(others.into_iter().filter(|(key, value)| !(key == "arguments" && value.text().is_some())));
    }
}

fn step<'a>(piece: Piece<'a>) -> (Node<'a>, Spot) {
    let Piece { node, spot, text, arguments, extra, tools: _ } = piece;
    let mut members = match node {
        Node::Map(members) => members,
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::List(_) => Vec::new(),
    };
    if !arguments.is_empty() {
        // Arguments that are no JSON are kept as a string: they are what the model wrote.
        let parsed = serde_json::from_str::<Node<'_>>(&arguments).map(Node::into_owned);
        members.push(("arguments".into(), parsed.unwrap_or(Node::Text(arguments.into()))));
    }
    let kind = members.iter().find(|(name, _)| name == "type").and_then(|(_, kind)| kind.text()).unwrap_or_default();
    let key = if kind == "thought" { "summary" } else { "content" };
    if !text.is_empty() || !extra.is_empty() {
        let part = object([
            ("type", Node::Text("text".into())),
            ("text", Node::Text(text.into())),
            ("annotations", Node::List(extra)),
        ]);
        let mut parts = match members.iter().position(|(name, _)| name == key).map(|place| members.remove(place).1) {
            Some(Node::List(parts)) => parts,
            Some(part) => vec![part],
            None => Vec::new(),
        };
        parts.push(part);
        members.push((Cow::Borrowed(key), Node::List(parts)));
    }
    (Node::Map(members), spot)
}

fn object<'a>(members: impl IntoIterator<Item = (&'static str, Node<'a>)>) -> Node<'a> {
    Node::Map(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
