//! A candidate: its content, and what the provider says beside it.

use firsthand::conversation::{Content, Producer, Ran};

use super::parts::{Place, either, part};
use crate::format::recorded::api::{Placed, placed};
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};

/// Reads a candidate.
pub(super) fn read(draft: &mut Draft, candidate: &Node<'_>, spot: &Spot) {
    draft.model_message(None, spot);
    let parts = placed(candidate.get("content").get("parts").list(), &spot.at("content").at("parts"));
    // The model thought before it searched.
    let thoughts = parts.iter().take_while(|(part, _)| matches!(part.get("thought"), Node::Bool(true))).count();
    let (thoughts, rest) = parts.split_at_checked(thoughts).unwrap_or((&[], &parts));
    for (thought, spot) in thoughts {
        part(draft, Place::Model, thought, spot);
    }
    beside(draft, candidate, spot);
    for (node, spot) in rest {
        part(draft, Place::Model, node, spot);
    }
}

/// What the provider searched and opened, and what it found.
fn beside(draft: &mut Draft, candidate: &Node<'_>, spot: &Spot) {
    let (groundings, at) = (all(candidate, "groundingMetadata", "grounding_metadata"), spot.at("groundingMetadata"));
    let queries = groundings.iter().filter_map(|one| either(one, "webSearchQueries", "web_search_queries"));
    let said = |query: &&Node<'_>| query.text().is_some_and(|query| !query.trim().is_empty());
    let queries: Vec<Node<'_>> = queries.flat_map(Node::list).filter(said).cloned().collect();
    let search = (!queries.is_empty()).then(|| {
        let arguments = Node::Map(vec![("queries".into(), Node::List(queries))]).json();
        provider_call(draft, &at.at("webSearchQueries"), "google_search", arguments)
    });
    // What it opened stands before what it found: an address is not the search's because the model had it opened.
    opened(draft, candidate, spot);
    let at = at.at("groundingChunks");
    let chunks = groundings.iter().filter_map(|one| either(one, "groundingChunks", "grounding_chunks"));
    let chunks: Vec<&Node<'_>> = chunks.flat_map(Node::list).collect();
    let found: Vec<Node<'_>> = chunks.iter().filter_map(|chunk| hit(chunk)).collect();
    match search {
        Some(call) => draft.result(&at, Producer::Call(call), results_of(found), false),
        None if found.is_empty() => {}
        // Nothing says that a search found them.
        None => {
            let from = draft.nobody();
            draft.result(&at, from, results_of(found), false);
        }
    }
    let retrieved = chunks.iter().filter_map(|chunk| either(chunk, "retrievedContext", "retrieved_context"));
    let retrieved: Vec<Node<'_>> = retrieved.map(|context| context.only(&["uri", "title", "text"])).collect();
    if !retrieved.is_empty() {
        let from = draft.nobody();
        draft.result(&at, from, results_of(retrieved), false);
    }
    for citations in all(candidate, "citationMetadata", "citation_metadata") {
        let sources = ["citationSources", "citation_sources", "citations"].iter().find_map(|key| citations.find(key));
        let cited = sources.unwrap_or(&Node::Null).list().iter();
        let cited: Vec<(&str, &str)> = cited.map(|source| (source.say("uri"), source.say("title"))).collect();
        draft.attached(&spot.at("citationMetadata"), &cited);
    }
}

/// A page, picture or place that the search found.
fn hit<'a>(chunk: &Node<'a>) -> Option<Node<'a>> {
    let found = ["web", "image", "maps"].iter().find_map(|key| chunk.find(key))?;
    let url = ["uri", "sourceUri", "source_uri"].iter().find_map(|key| found.find(key))?;
    let mut members = vec![("url".into(), url.clone())];
    members.extend(found.find("title").map(|title| ("title".into(), title.clone())));
    Some(Node::Map(members))
}

/// The addresses that the provider opened for the model, each with how that went. The pages are not in the record.
fn opened(draft: &mut Draft, candidate: &Node<'_>, spot: &Spot) {
    let spot = spot.at("urlContextMetadata");
    let pages = all(candidate, "urlContextMetadata", "url_context_metadata").into_iter();
    let pages: Vec<&Node<'_>> =
        pages.filter_map(|one| either(one, "urlMetadata", "url_metadata")).flat_map(Node::list).collect();
    let urls: Vec<Node<'_>> =
        pages.iter().filter_map(|page| either(page, "retrievedUrl", "retrieved_url")).cloned().collect();
    if urls.is_empty() {
        return;
    }
    let arguments = Node::Map(vec![("urls".into(), Node::List(urls))]).json();
    let call = provider_call(draft, &spot, "url_context", arguments);
    let statuses = pages.iter().filter_map(|page| either(page, "urlRetrievalStatus", "url_retrieval_status"));
    let statuses = Node::List(statuses.cloned().collect());
    draft.result(&spot, Producer::Call(call), Content::Json(statuses.json().into()), false);
}

fn provider_call(draft: &mut Draft, spot: &Spot, tool: &str, arguments: String) -> String {
    let id = draft.call(spot, NewCall { id: "".into(), server: None, tool, arguments, ran: Ran::Provider });
    draft.settle();
    id
}

/// What stands beside a candidate under a name: a joined stream has it of each chunk.
fn all<'n, 'a>(candidate: &'n Node<'a>, camel: &str, snake: &str) -> Vec<&'n Node<'a>> {
    match either(candidate, camel, snake) {
        Some(Node::List(each)) => each.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

/// The chunks of a candidate in order, joined.
pub(super) fn join<'a>(chunks: &[Placed<'_, 'a>]) -> Option<(Node<'a>, Spot)> {
    let (_, spot) = chunks.first()?;
    let mut parts: Vec<Node<'a>> = Vec::new();
    for part in chunks.iter().flat_map(|(chunk, _)| chunk.get("content").get("parts").list()) {
        match parts.last_mut().and_then(|last| continued(last, part)) {
            Some(()) => {}
            None => parts.push(part.clone()),
        }
    }
    let content = Node::Map(vec![("role".into(), Node::Text("model".into())), ("parts".into(), Node::List(parts))]);
    let mut members = vec![("content".into(), content)];
    for (camel, snake) in [
        ("groundingMetadata", "grounding_metadata"),
        ("urlContextMetadata", "url_context_metadata"),
        ("citationMetadata", "citation_metadata"),
    ] {
        let each: Vec<Node<'a>> = chunks.iter().filter_map(|(chunk, _)| either(chunk, camel, snake)).cloned().collect();
        if !each.is_empty() {
            members.push((camel.into(), Node::List(each)));
        }
    }
    Some((Node::Map(members), spot.clone()))
}

/// Appends a text to the text that it goes on from: an address may be cut between two chunks.
fn continued(last: &mut Node<'_>, part: &Node<'_>) -> Option<()> {
    let more = part.get("text").text()?;
    if last.get("thought") != part.get("thought") {
        return None;
    }
    let Node::Map(members) = last else { return None };
    let (_, text) = members.iter_mut().rev().find(|(name, _)| name == "text")?;
    let Node::Text(text) = text else { return None };
    text.to_mut().push_str(more);
    Some(())
}
