//! Gemini Interactions: requests with `input` or `steps`, responses with `steps`, exchanges, lists of steps, streams.
//!
//! A search says no addresses of its hits; they stand as annotations at the text that cites them. A step that is not known
//! is the model's text, a part that is not known the model's in the model's place, elsewhere the host's.

mod steps;
mod stream;

use firsthand::conversation::Speaker;
use serde_json::Value;

use super::Format;
use super::probe::{Probe, says};
use super::recorded::api::{Api, Placed, Stream, Taken, Weight, placed};
use super::recorded::draft::Draft;
use super::recorded::log::read;
use super::recorded::node::{Node, Spot};
use crate::error::ReadError;

/// Gemini Interactions.
pub(super) const FORMAT: Format =
    Format { name: Interactions::NAME, title: "Gemini Interactions", read: read::<Interactions>, recognises };

/// The API.
pub(super) struct Interactions;

fn recognises(probe: &Probe) -> bool {
    let step = |value: &Value| value.get("type").and_then(Value::as_str).is_some_and(|kind| steps::OWN.contains(&kind));
    let steps = |value: &Value| {
        ["steps", "input"]
            .iter()
            .any(|key| value.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().any(step)))
    };
    let body = |value: &Value| {
        value.get("object").is_some_and(|object| object == "interaction")
            || says(value, "event_type", "interaction.")
            || value.get("input").is_some() && value.get("previous_interaction_id").is_some()
            || steps(value)
    };
    let exchange = |value: &Value| {
        let halves = ["request", "response"].iter().filter_map(|key| value.get(key));
        halves
            .into_iter()
            .any(|half| body(half) || ["body", "parsed_body"].iter().filter_map(|key| half.get(key)).any(body))
    };
    let one = |value: &Value| body(value) || exchange(value) || step(value);
    let list = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(one));
    probe.values().iter().any(|value| one(value) || list(value))
}

impl Api for Interactions {
    const NAME: &'static str = "gemini-interactions";
    const EXPECTED: &'static str = "a request with `input` or `steps`, a response with `steps`, an exchange or a step";
    const SETTINGS: &'static [&'static str] = &["system_instruction", "tools"];

    fn is_request(node: &Node<'_>) -> bool {
        node.find("input").is_some() || node.get("steps").is_list() && !Self::is_response(node)
    }

    fn is_response(node: &Node<'_>) -> bool {
        let is_said = node.say("object") == "interaction" || node.get("status").text().is_some();
        is_said && (node.get("steps").is_list() || node.get("outputs").is_list() || node.find("type").is_none())
    }

    fn is_message(node: &Node<'_>) -> bool {
        node.get("type").text().is_some() || node.find("role").is_some()
    }

    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        let (input, at) = (request.get("input"), spot.at("input"));
        if input.is_null() {
            return Ok(placed(request.get("steps").list(), &spot.at("steps")));
        }
        // A list of parts is one message; a list of steps or turns is many.
        let parts = |node: &Node<'_>| steps::PARTS.contains(&node.say("type")) && node.find("role").is_none();
        let is_one = !input.is_list() || input.list().iter().all(parts);
        Ok(if is_one { vec![(input, at)] } else { placed(input.list(), &at) })
    }

    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError> {
        // The API's first version called them outputs, and gave the parts of a text as such.
        let key = if response.get("steps").is_list() { "steps" } else { "outputs" };
        Ok(placed(response.get(key).list(), &spot.at(key)))
    }

    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot) {
        let (system, at) = (request.get("system_instruction"), spot.at("system_instruction"));
        match system.text() {
            Some(text) => draft.said(&at, Speaker::System, text),
            None if system.is_null() => {}
            None => draft.said(&at, Speaker::System, &system.json()),
        }
        for (tool, spot) in placed(request.get("tools").list(), &spot.at("tools")) {
            if tool.find("description").is_some() || tool.find("parameters").is_some() {
                draft.said(&spot, Speaker::System, &tool.json());
            }
        }
    }

    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        steps::read(draft, message, spot)
    }

    fn essence(message: &Node<'_>) -> String {
        steps::essence(message)
    }

    fn searches(message: &Node<'_>) -> bool {
        message.say("type") == "google_search_call"
    }

    fn weight(message: &Node<'_>) -> Weight {
        if message.say("type") == "thought" { Weight::Dispensable } else { Weight::Telling }
    }

    fn follows<'n>(node: &'n Node<'_>) -> Option<&'n str> {
        node.get("previous_interaction_id").text().filter(|id| !id.is_empty())
    }

    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a> {
        stream::event(stream, node, spot)
    }

    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        std::mem::take(&mut stream.complete)
    }
}
