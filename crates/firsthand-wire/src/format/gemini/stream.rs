//! Recorded streams: chunks that are responses of their own, joined to one candidate each.

use std::collections::BTreeMap;

use super::candidate;
use crate::format::recorded::api::{Placed, Stream, Taken, placed};
use crate::format::recorded::node::{Node, Spot};

/// Takes a response, a chunk of one, or an array of all chunks.
pub(super) fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
    let is_response = |node: &Node<'_>| node.get("candidates").is_list();
    if let Node::List(chunks) = &node {
        let id = chunks.first().map(response_id).unwrap_or_default();
        let one_stream = chunks.iter().all(|chunk| is_response(chunk) && response_id(chunk) == id);
        if !one_stream || chunks.len() < 2 || chunks.split_last().is_some_and(|(_, rest)| rest.iter().any(ends)) {
            return Taken::No(node, spot);
        }
        let chunks = placed(chunks, &spot).into_iter().map(|(chunk, spot)| (chunk.clone(), spot)).collect();
        return Taken::Complete(joined(chunks));
    }
    if !is_response(&node) {
        return Taken::No(node, spot);
    }
    let id = response_id(&node).to_owned();
    let goes_on = stream.running && (stream.id == id || id.is_empty());
    // A response that is whole and of no stream.
    if ends(&node) && !goes_on && (id.is_empty() || stream.id != id) {
        return match take(stream) {
            before if before.is_empty() => Taken::No(node, spot),
            mut before => {
                before.extend(joined(vec![(node, spot)]));
                Taken::Complete(before)
            }
        };
    }
    let before = if goes_on { Vec::new() } else { take(stream) };
    stream.running = !ends(&node);
    stream.id = id;
    stream.complete.push((node, spot));
    let complete = if stream.running { Vec::new() } else { take(stream) };
    let all: Vec<_> = before.into_iter().chain(complete).collect();
    if all.is_empty() { Taken::Kept } else { Taken::Complete(all) }
}

fn take<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
    joined(std::mem::take(&mut stream.complete))
}

fn response_id<'n>(response: &'n Node<'_>) -> &'n str {
    response.find("responseId").unwrap_or(response.get("response_id")).text().unwrap_or_default()
}

/// Whether a chunk is the last.
fn ends(response: &Node<'_>) -> bool {
    let ended = |candidate: &Node<'_>| candidate.find("finishReason").or(candidate.find("finish_reason")).is_some();
    response.get("candidates").list().iter().any(ended)
}

/// The candidates that chunks come to.
pub(super) fn joined<'a>(chunks: Vec<(Node<'a>, Spot)>) -> Vec<(Node<'a>, Spot)> {
    let mut candidates: BTreeMap<u64, Vec<Placed<'_, 'a>>> = BTreeMap::new();
    for (chunk, spot) in &chunks {
        for (candidate, spot) in placed(chunk.get("candidates").list(), &spot.at("candidates")) {
            candidates.entry(candidate.get("index").number()).or_default().push((candidate, spot));
        }
    }
    candidates.values().filter_map(|chunks| candidate::join(chunks)).collect()
}
