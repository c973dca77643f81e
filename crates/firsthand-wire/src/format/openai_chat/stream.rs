//! Recorded streams: chunks of deltas, joined to one message per choice.

use std::collections::BTreeMap;

use crate::format::recorded::api::{Piece, Stream, Taken};
use crate::format::recorded::node::{Node, Spot};

/// Takes a chunk.
///
/// A choice's text is the piece of its number and 0, its calls those of the numbers that follow.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    if node.say("object") != "chat.completion.chunk" {
        return Taken::No(node, spot);
    }
    // Some servers give each chunk an id of its own, and the role with the first.
    let begins = || node.get("choices").list().iter().any(|choice| choice.get("delta").find("role").is_some());
    let goes_on = stream.id == node.say("id") || stream.running && !begins();
    let before = if goes_on { Vec::new() } else { rest(stream) };
    stream.id = node.say("id").to_owned();
    for choice in node.get("choices").list() {
        stream.running = choice.find("finish_reason").is_none();
        let (index, delta) = (choice.get("index").number(), choice.get("delta"));
        let piece = stream.open.entry((index, 0)).or_insert_with(|| Piece::at(spot.clone()));
        piece.text.push_str(delta.say("content"));
        // The text of the reasoning has its own place in the piece.
        piece
            .arguments
            .push_str(delta.find("reasoning_content").unwrap_or(delta.get("reasoning")).text().unwrap_or_default());
        piece.extra.extend(delta.get("annotations").list().iter().cloned());
        for tool in delta.get("executed_tools").list() {
            // A tool comes again when it has returned something.
            piece.tools.retain(|begun| begun.get("index") != tool.get("index") || tool.find("index").is_none());
            piece.tools.push(tool.clone());
        }
        for call in delta.get("tool_calls").list() {
            let number = call.get("index").number().saturating_add(1);
            let piece = stream.open.entry((index, number)).or_insert_with(|| Piece::at(spot.clone()));
            let function = call.get("function");
            if piece.node.is_null() {
                piece.node = call.clone();
                piece.text.push_str(function.say("name"));
            }
            piece.arguments.push_str(function.say("arguments"));
        }
    }
    if before.is_empty() { Taken::Kept } else { Taken::Complete(before) }
}

/// What is complete when a stream ends or another begins: a message for each choice.
pub(super) fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
    let mut choices: BTreeMap<u64, Choice<'a>> = BTreeMap::new();
    for ((choice, number), piece) in std::mem::take(&mut stream.open) {
        let Piece { node, spot, text, arguments, extra, tools } = piece;
        let choice = choices.entry(choice).or_insert_with(|| Choice { spot, members: Vec::new(), calls: Vec::new() });
        if number == 0 {
            choice.members.push(("content", Node::Text(text.into())));
            choice.members.push(("reasoning_content", Node::Text(arguments.into())));
            choice.members.push(("annotations", Node::List(extra)));
            choice.members.push(("executed_tools", Node::List(tools)));
        } else {
            let function = object([("name", Node::Text(text.into())), ("arguments", Node::Text(arguments.into()))]);
            choice.calls.push(object([("id", node.get("id").clone()), ("function", function)]));
        }
    }
    choices.into_values().map(Choice::message).collect()
}

/// What the pieces of a choice come to.
struct Choice<'a> {
    spot: Spot,
    members: Vec<(&'static str, Node<'a>)>,
    calls: Vec<Node<'a>>,
}

impl<'a> Choice<'a> {
    fn message(self) -> (Node<'a>, Spot) {
        let Self { spot, mut members, calls } = self;
        members.push(("role", Node::Text("assistant".into())));
        members.push(("tool_calls", Node::List(calls)));
        (object(members), spot)
    }
}

fn object<'a>(members: impl IntoIterator<Item = (&'static str, Node<'a>)>) -> Node<'a> {
    Node::Map(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
