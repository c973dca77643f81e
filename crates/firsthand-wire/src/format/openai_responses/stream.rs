//! Recorded streams: the last event holds the whole response; where it is missing, the items that were done.

use crate::format::recorded::api::{Stream, Taken};
use crate::format::recorded::node::{Node, Spot};

/// Takes an event.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    match node.say("type") {
        "response.created" => {
            stream.running = true;
            let before = std::mem::take(&mut stream.complete);
            if before.is_empty() { Taken::Kept } else { Taken::Complete(before) }
        }
        "response.completed" | "response.incomplete" | "response.failed"
            if node.get("response").get("output").is_list() =>
        {
            stream.running = false;
            stream.complete.clear();
            Taken::Response(node.get("response").clone(), spot.at("response"))
        }
        "response.output_item.done" if node.find("item").is_some() => {
            stream.complete.push((node.get("item").clone(), spot.at("item")));
            Taken::Kept
        }
        kind if kind.starts_with("response.") => Taken::Kept,
        _ => Taken::No(node, spot),
    }
}
