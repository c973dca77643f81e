//! Recorded streams: the events of a response, joined to blocks.
//!
//! A block is read when it is closed, because an address may be cut between two deltas, or where the stream ends.

use std::borrow::Cow;

use crate::format::recorded::api::{Piece, Stream, Taken};
use crate::format::recorded::node::{Node, Spot};

/// Takes an event.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    let index = (node.get("index").number(), 0);
    match node.say("type") {
        "message_start" => {
            let before = rest(stream);
            stream.id = node.get("message").say("id").to_owned();
            stream.running = true;
            if !before.is_empty() {
                return Taken::Complete(before);
            }
        }
        "content_block_start" => {
            let block = node.get("content_block").clone();
            stream.open.insert(index, Piece { node: block, ..Piece::at(spot) });
        }
        "content_block_delta" => {
            if let Some(piece) = stream.open.get_mut(&index) {
                delta(piece, node.get("delta"));
            }
        }
        "content_block_stop" => {
            if let Some(piece) = stream.open.remove(&index) {
                return Taken::Complete(vec![message(&stream.id, piece)]);
            }
        }
        "message_stop" => stream.running = false,
        "message_delta" | "ping" | "error" if stream.running || node.find("role").is_none() => {}
        _ => return Taken::No(node, spot),
    }
    Taken::Kept
}

/// Blocks that were not closed, as far as they came. What of a call came is a text: nothing ran by it.
pub(super) fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
    let open = std::mem::take(&mut stream.open);
    let text = |piece: Piece<'a>| {
        let kind = piece.node.say("type");
        if matches!(kind, "text" | "thinking" | "compaction") {
            return piece;
        }
        let text = [piece.node.json(), piece.text, piece.arguments].join(" ");
        let node = Node::Map(vec![("type".into(), Node::Text("text".into()))]);
        Piece { node, text, arguments: String::new(), ..Piece::at(piece.spot) }
    };
    open.into_values().map(|piece| message(&stream.id, text(piece))).collect()
}

fn delta<'a>(piece: &mut Piece<'a>, delta: &Node<'a>) {
    piece.text.push_str(delta.say("text"));
    piece.text.push_str(delta.say("thinking"));
    piece.text.push_str(delta.say("content"));
    piece.arguments.push_str(delta.say("partial_json"));
    piece.extra.extend(delta.find("citation").cloned());
}

/// A message of one block.
fn message<'a>(id: &str, piece: Piece<'a>) -> (Node<'a>, Spot) {
    let Piece { node, spot, text, arguments, extra, tools: _ } = piece;
    let mut block = match node {
        Node::Map(members) => members,
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::List(_) => Vec::new(),
    };
    let kind = block.iter().find(|(name, _)| name == "type").and_then(|(_, kind)| kind.text()).unwrap_or_default();
    let key = match kind {
        "thinking" => "thinking",
        "compaction" => "content",
        _ => "text",
    };
    if !text.is_empty() {
        let begun = block.iter().find(|(name, _)| name == key).and_then(|(_, begun)| begun.text()).unwrap_or_default();
        let text = format!("{begun}{text}");
        replace(&mut block, key, Node::Text(text.into()));
    }
    if !arguments.is_empty() {
        // Arguments that are no JSON are kept as a string: they are what the model wrote.
        let input = serde_json::from_str::<Node<'_>>(&arguments).map(Node::into_owned);
        replace(&mut block, "input", input.unwrap_or(Node::Text(arguments.into())));
    }
    if !extra.is_empty() {
        replace(&mut block, "citations", Node::List(extra));
    }
    let message = Node::Map(vec![
        ("role".into(), Node::Text("assistant".into())),
        ("id".into(), Node::Text(id.to_owned().into())),
        ("content_block".into(), Node::Map(block)),
    ]);
    (message, spot)
}

/// Puts what deltas came to in the place of what the block began with.
fn replace<'a>(block: &mut Vec<(Cow<'a, str>, Node<'a>)>, key: &'static str, value: Node<'a>) {
    block.retain(|(name, _)| name != key);
    block.push((key.into(), value));
}

/// Messages of one block as the message that the blocks are of: a client sends it again as one.
pub(super) fn joined<'a>(pieces: Vec<(Node<'a>, Spot)>) -> Vec<(Node<'a>, Spot)> {
    let mut messages: Vec<(Node<'a>, Spot)> = Vec::new();
    for (piece, spot) in pieces {
        let (id, block) = (piece.get("id").clone(), piece.get("content_block").clone());
        if let Some((Node::Map(members), _)) = messages.last_mut()
            && members.iter().any(|(name, value)| name == "id" && *value == id)
            && let Some((_, Node::List(blocks))) = members.iter_mut().find(|(name, _)| name == "content")
        {
            blocks.push(block);
            continue;
        }
        let message = Node::Map(vec![
            ("role".into(), Node::Text("assistant".into())),
            ("id".into(), id),
            ("content".into(), Node::List(vec![block])),
        ]);
        messages.push((message, spot));
    }
    messages
}
