//! Recorded streams: the events of a response, joined to blocks.
//!
//! Only a block that was closed is read; an address may be cut between two deltas.

use crate::format::recorded::api::{Piece, Stream, Taken};
use crate::format::recorded::node::{Node, Spot};

/// Takes an event.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    let index = (node.get("index").number(), 0);
    match node.say("type") {
        "message_start" => {
            stream.id = node.get("message").say("id").to_owned();
            stream.running = true;
            stream.open.clear();
        }
        "content_block_start" => {
            let block = node.get("content_block").clone();
            let piece = Piece { node: block, spot, text: String::new(), arguments: String::new(), extra: Vec::new() };
            stream.open.insert(index, piece);
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

fn delta<'a>(piece: &mut Piece<'a>, delta: &Node<'a>) {
    piece.text.push_str(delta.say("text"));
    piece.text.push_str(delta.say("thinking"));
    piece.text.push_str(delta.say("content"));
    piece.arguments.push_str(delta.say("partial_json"));
    piece.extra.extend(delta.find("citation").cloned());
}

/// A message of one block.
fn message<'a>(id: &str, piece: Piece<'a>) -> (Node<'a>, Spot) {
    let Piece { node, spot, text, arguments, extra } = piece;
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
        block.push((key.into(), Node::Text(text.into())));
    }
    if !arguments.is_empty() {
        // Arguments that are no JSON are kept as a string: they are what the model wrote.
        let input = serde_json::from_str::<Node<'_>>(&arguments).map(Node::into_owned);
        block.push(("input".into(), input.unwrap_or(Node::Text(arguments.into()))));
    }
    if !extra.is_empty() {
        block.push(("citations".into(), Node::List(extra)));
    }
    let message = Node::Map(vec![
        ("role".into(), Node::Text("assistant".into())),
        ("id".into(), Node::Text(id.to_owned().into())),
        ("content_block".into(), Node::Map(block)),
    ]);
    (message, spot)
}
