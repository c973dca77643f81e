//! Bedrock Converse: requests, responses, messages, recorded streams, and the log that Bedrock writes of invocations.
//!
//! A block has one key that says what it is. Text beside a result in the user's place is the calling program's. A block that is not known is the model's in the model's message and the
//! host's elsewhere; an unknown role is the model's.

use firsthand::conversation::{Content, Ran, Speaker};
use serde_json::Value;

use super::probe::Probe;
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::{Draft, NewCall, results_of};
use super::recorded::log;
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;
use firsthand::conversation::Conversation;

/// Bedrock Converse.
pub(super) const FORMAT: Format = Format { name: Bedrock::NAME, title: "Bedrock Converse", read, recognises };

/// The API.
struct Bedrock;

/// The blocks that no other API has.
const OWN_BLOCKS: &[&str] =
    &["toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent", "citationsContent"];

fn recognises(probe: &Probe) -> bool {
    let own = |message: &Value| {
        let blocks = message.get("role").and_then(|_| message.get("content")?.as_array()).into_iter().flatten();
        blocks.into_iter().any(|block| OWN_BLOCKS.iter().any(|key| block.get(key).is_some()))
    };
    let list = |value: &Value| {
        value.get("messages").unwrap_or(value).as_array().is_some_and(|messages| messages.iter().any(own))
    };
    let body = |value: &Value| {
        own(value)
            || list(value)
            || value.pointer("/output/message").is_some_and(own)
            || value.pointer("/output/message/content/0/text").is_some() && value.get("stopReason").is_some()
            || value.get("messages").is_some() && ["toolConfig", "modelId"].iter().any(|key| value.get(key).is_some())
    };
    probe.values().iter().any(|value| {
        let parts = [Some(value), value.get("request"), value.get("response"), value.pointer("/input/inputBodyJson")];
        let elements = value.as_array().is_some_and(|list| list.iter().any(body));
        elements || parts.into_iter().flatten().any(body)
    })
}

/// Reads a file. A line of Bedrock's own log becomes the exchange that it is.
fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut units = Vec::new();
    each_unit(bytes, &mut |unit| {
        units.extend(halves(unit));
        Ok(())
    })?;
    log::read_units::<Bedrock>(units, source)
}

fn halves(unit: Unit<'_>) -> Vec<Unit<'_>> {
    let Unit { spot, node } = unit;
    if node.get("input").find("inputBodyJson").is_none() {
        return vec![Unit { spot, node }];
    }
    let half = |side: &str, key: &str| {
        let body = node.get(side).find(key)?.clone();
        Some(Unit { spot: spot.at(side).at(key), node: body })
    };
    [half("input", "inputBodyJson"), half("output", "outputBodyJson")].into_iter().flatten().collect()
}

impl Api for Bedrock {
    const NAME: &'static str = "bedrock-converse";
    const EXPECTED: &'static str = "a request with `messages`, a response with `output`, or a message";
    const SETTINGS: &'static [&'static str] = &["system", "toolConfig"];

    fn is_request(node: &Node<'_>) -> bool {
        node.get("messages").is_list()
    }

    fn is_response(node: &Node<'_>) -> bool {
        node.get("output").get("message").is_map()
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.find("role").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(placed(request.get("messages").list(), &spot.at("messages")))
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        Ok(vec![(response.get("output").get("message"), spot.at("output").at("message"))])
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        for (block, spot) in placed(request.get("system").list(), &spot.at("system")) {
            match block.get("text").text() {
                Some(text) => draft.said(&spot, Speaker::System, text),
                None => draft.said(&spot, Speaker::System, &block.json()),
            }
        }
        let tools = spot.at("toolConfig").at("tools");
        for (tool, spot) in placed(request.get("toolConfig").get("tools").list(), &tools) {
            draft.said(&spot, Speaker::System, &tool.json());
        }
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let content = message.get("content");
        if !content.is_list() {
            return Err(spot.at("content").unexpected(content, "an array of blocks"));
        }
        let is_user = message.say("role") == "user";
        // What stands beside a result was put there by the program that sends it.
        let is_sent = content.list().iter().any(|block| block.find("toolResult").or(block.find("toolUse")).is_some());
        if is_user {
            draft.end_model_message();
        } else {
            draft.model_message(None, spot);
        }
        for (block, spot) in placed(content.list(), &spot.at("content")) {
            match block.get("text").text() {
                Some(text) if is_user && is_sent => draft.said(&spot.at("text"), Speaker::System, text),
                _ if is_user => given(draft, block, &spot),
                _ => written(draft, block, &spot),
            }
        }
        Ok(())
    }

    fn essence(message: &Node<'_>) -> String {
        let content = message.get("content").list().iter();
        // Clients leave reasoning out when they send a history again, and mark where to cache it.
        let kept =
            content.filter(|block| block.find("reasoningContent").is_none() && block.find("cachePoint").is_none());
        let kept: Vec<String> = kept.map(Node::json).collect();
        format!("{} {kept:?}", message.say("role"))
    }

    fn weight(_: &Node<'_>) -> Weight {
        Weight::Telling
    }

    fn event<'a>(_: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        Taken::No(node, spot)
    }
}

/// A block of a message in the user's place.
fn given(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    if let Some(text) = block.get("text").text() {
        return draft.typed(&spot.at("text"), block, text);
    }
    if let Some(result) = block.find("toolResult") {
        return returned(draft, result, &spot.at("toolResult"), signs::failed(block));
    }
    for key in ["document", "image", "video", "audio"] {
        if let Some(document) = block.find(key) {
            let (name, source) = (document.get("name").text(), document.get("source"));
            let blocks = source.get("content").list().iter().filter_map(|block| block.get("text").text());
            let texts: Vec<&str> = source.get("text").text().into_iter().chain(blocks).collect();
            if texts.is_empty() {
                draft.attachment(&spot.at(key), name, "");
            }
            texts.into_iter().for_each(|text| draft.attachment(&spot.at(key), name, text));
            return;
        }
    }
    // `searchResult` of the application's, `guardContent`, and what is not known.
    if block.find("cachePoint").is_none() {
        draft.said(spot, Speaker::System, &block.json());
    }
}

/// A block of the model's message.
fn written(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    if let Some(text) = block.get("text").text() {
        return draft.said(&spot.at("text"), Speaker::Assistant, text);
    }
    if let Some(call) = block.find("toolUse") {
        let input = call.get("input");
        let arguments = if input.is_null() { "{}".to_owned() } else { input.json() };
        let ran = if call.say("type") == "server_tool_use" { Ran::Provider } else { Ran::Client };
        let (id, tool) = (call.word("toolUseId"), call.say("name"));
        draft.call(&spot.at("toolUse"), NewCall { id, server: None, tool, arguments, ran });
    } else if let Some(result) = block.find("toolResult") {
        returned(draft, result, &spot.at("toolResult"), signs::failed(block));
    } else if let Some(reasoning) = block.find("reasoningContent") {
        match reasoning.get("reasoningText").say("text") {
            "" => draft.hidden(spot, false, "reasoning that is encrypted"),
            text => draft.said(spot, Speaker::Thinking, text),
        }
    } else if let Some(cited) = block.find("citationsContent") {
        let web = |citation: &'_ Node<'_>| citation.get("location").find("web").is_some();
        let citations = cited.get("citations").list().iter().filter(|citation| web(citation));
        let hits: Vec<(&str, &str)> =
            citations.map(|citation| (citation.get("location").get("web").say("url"), citation.say("title"))).collect();
        draft.attached(&spot.at("citationsContent"), &hits);
        for (text, spot) in placed(cited.get("content").list(), &spot.at("citationsContent").at("content")) {
            draft.said(&spot, Speaker::Assistant, text.say("text"));
        }
    } else if block.find("cachePoint").is_none() {
        draft.said(spot, Speaker::Assistant, &block.json());
    }
}

fn returned(draft: &mut Draft, result: &Node<'_>, spot: &Spot, is_error: bool) {
    let from = match &*result.word("toolUseId") {
        "" => draft.answered_without_id(None),
        id => draft.answered_by_id(id),
    };
    let is_error = is_error || signs::failed(result);
    let content = placed(result.get("content").list(), &spot.at("content"));
    if content.is_empty() {
        return draft.result(spot, from, Content::Text("".into()), is_error);
    }
    for (part, spot) in content {
        let source = part.get("document").get("source");
        let content = if let Some(text) = part.get("text").text().or(source.get("text").text()) {
            Content::Text(text.into())
        } else if let Some(json) = part.find("json") {
            Content::Json(json.json().into())
        } else if let Some(found) = part.find("searchResult") {
            let texts = found.get("content").list().iter().filter_map(|text| text.get("text").text());
            for text in texts {
                draft.result(&spot, from.clone(), Content::Text(text.into()), is_error);
            }
            let hit = vec![("url", found.say("source")), ("title", found.say("title"))];
            results_of(vec![Node::Map(
                hit.into_iter().map(|(key, text)| (key.into(), Node::Text(text.into()))).collect(),
            )])
        } else if part.find("image").or(part.find("document")).or(part.find("video")).is_some() {
            Content::Text("".into())
        } else {
            draft.said(&spot, Speaker::System, &part.json());
            continue;
        };
        draft.result(&spot, from.clone(), content, is_error);
    }
}
