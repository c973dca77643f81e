//! inspect_ai logs: one `.json` file, an `.eval` archive, or a sample of one.
//!
//! The messages of a sample are what was left at its end; its events have all that models were given, so these are read
//! first. A user's message is a person's where it says that it came from the data set or an operator; the data set's
//! place is also taken by what a model tells a subagent, so below a tool that says nothing. What says nothing is the
//! scaffold's.

mod archive;
mod message;
mod sample;

use firsthand::conversation::Conversation;
use serde_json::Value;

use super::probe::Probe;
use super::recorded::api::placed;
use super::recorded::node::{Node, Spot, keys_once};
use super::text;
use super::{Format, Source};
use crate::error::ReadError;

/// inspect_ai.
pub(super) const FORMAT: Format = Format { name: "inspect-ai", title: "inspect_ai logs", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let log = |value: &Value| {
        value.get("version").is_some()
            && value.get("eval").is_some()
            && value.get("plan").or(value.get("samples")).is_some()
    };
    let sample = |value: &Value| {
        ["epoch", "input", "target"].iter().all(|key| value.get(key).is_some())
            && value.get("messages").is_some_and(Value::is_array)
    };
    let archived = |name: &str| name == "header.json" || name.starts_with("_journal/") || name.starts_with("samples/");
    probe.packed_name().is_some_and(archived) || probe.document().is_some_and(|value| log(value) || sample(value))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut conversations = Vec::new();
    let top = Spot::top(None);
    if archive::is_one(bytes) {
        archive::each_sample(bytes, |number, bytes| {
            let sample: Node<'_> = text::document(bytes)?;
            keys_once(&sample, &top.at("samples").at(number))?;
            sample::read(&sample, &top.at("samples").at(number), source, &mut conversations)
        })?;
    } else {
        let log: Node<'_> = text::document(bytes)?;
        keys_once(&log, &top)?;
        if log.find("eval").is_none() && log.get("messages").is_list() {
            sample::read(&log, &top, source, &mut conversations)?;
        }
        let samples = log.get("samples");
        if !matches!(samples, Node::Null | Node::List(_)) {
            return Err(top.at("samples").unexpected(samples, "an array of samples or null"));
        }
        for (sample, spot) in placed(samples.list(), &top.at("samples")) {
            sample::read(sample, &spot, source, &mut conversations)?;
        }
    }
    if conversations.is_empty() {
        return Err(ReadError::NotAConversation { found: "a log without samples" });
    }
    Ok(conversations)
}
