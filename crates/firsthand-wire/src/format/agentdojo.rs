//! AgentDojo runs: the benchmark's own file, and JSON Lines of runs with `messages` and `metadata`.
//!
//! A message's content is a string or `[{"type":"text","content"}]`, arguments are objects, and ids may be missing: then
//! a result answers the first call of the last message that it names. Some pipelines repeat the user's prompt after the
//! calls; that is the person's text again and changes nothing.

use std::collections::HashSet;

use firsthand::conversation::{Content, Conversation, Ran, Speaker};
use serde_json::Value;

use super::probe::Probe;
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;

/// AgentDojo runs.
pub(super) const FORMAT: Format = Format { name: "agentdojo", title: "AgentDojo", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let run = |value: &Value| {
        let has = |key: &str| value.get(key).or(value.get("metadata").and_then(|metadata| metadata.get(key))).is_some();
        value.get("messages").is_some_and(Value::is_array)
            && has("suite_name")
            && (has("pipeline_name") || has("user_task_id"))
    };
    probe.values().iter().any(|value| run(value) || value.as_array().is_some_and(|runs| runs.iter().any(run)))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut conversations = Vec::new();
    each_unit(bytes, &mut |Unit { spot, node }| {
        let number = conversations.len();
        if node.list().is_empty() {
            conversations.push(run(&node, &spot, source, number)?);
        }
        for (index, (node, spot)) in placed(node.list(), &spot).into_iter().enumerate() {
            conversations.push(run(node, &spot, source, number + index)?);
        }
        Ok(())
    })?;
    // Runs of a task that was tried again have one name and nothing else in common.
    let mut ids = HashSet::new();
    for (number, conversation) in conversations.iter_mut().enumerate() {
        if !ids.insert(conversation.id.clone()) {
            conversation.id = format!("{}#{number}", conversation.id);
            ids.insert(conversation.id.clone());
        }
    }
    if conversations.is_empty() {
        return Err(ReadError::unexpected("", "nothing", "a run with `messages`"));
    }
    Ok(conversations)
}

fn run(run: &Node<'_>, spot: &Spot, source: &Source<'_>, number: usize) -> Result<Conversation, ReadError> {
    let messages = run.get("messages");
    if !messages.is_list() {
        return Err(spot.at("messages").unexpected(messages, "an array of messages"));
    }
    let mut draft = Draft::new(FORMAT.name);
    draft.around(run);
    draft.around(run.get("metadata"));
    for (message, spot) in placed(messages.list(), &spot.at("messages")) {
        read_message(&mut draft, message, &spot)?;
    }
    Ok(draft.finish(id(run, source, number)))
}

/// The index of the run, its pipeline and tasks, or its place in the file.
fn id(run: &Node<'_>, source: &Source<'_>, number: usize) -> String {
    let stem = source.stem();
    match run.get("index") {
        Node::Number(index) => return format!("{stem}#{index}"),
        Node::Text(index) => return format!("{stem}#{index}"),
        Node::Null | Node::Bool(_) | Node::List(_) | Node::Map(_) => {}
    }
    let keys = ["suite_name", "pipeline_name", "user_task_id", "attack_type", "injection_task_id"];
    let parts: Vec<&str> = keys.iter().filter_map(|key| run.get(key).text()).collect();
    if parts.is_empty() { format!("{stem}#{number}") } else { parts.join("/") }
}

fn read_message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    let Some(role) = message.get("role").text() else {
        return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
    };
    let content = message.get("content");
    if !matches!(content, Node::Null | Node::Text(_) | Node::List(_)) {
        return Err(spot.at("content").unexpected(content, "a string, an array of blocks or null"));
    }
    draft.enter(&[message]);
    match role {
        "system" => {
            draft.end_model_message();
            texts(content, &spot.at("content"), &mut |text, spot| draft.said(spot, Speaker::System, text));
        }
        "user" => {
            draft.end_model_message();
            user(draft, content, &spot.at("content"));
        }
        "tool" => {
            draft.end_model_message();
            result(draft, message, spot);
        }
        _ => {
            draft.model_message(None, spot);
            texts(content, &spot.at("content"), &mut |text, spot| draft.said(spot, Speaker::Assistant, text));
            for (call, spot) in placed(message.get("tool_calls").list(), &spot.at("tool_calls")) {
                let (tool, arguments) = call_parts(call);
                let arguments = super::openai_chat::arguments_text(arguments);
                draft.call(&spot, NewCall { id: call.word("id"), server: None, tool, arguments, ran: Ran::Client });
            }
        }
    }
    Ok(())
}

/// What a person asked. A block that is not plainly text counts for nothing.
fn user(draft: &mut Draft, content: &Node<'_>, spot: &Spot) {
    if let Some(text) = content.text() {
        draft.user(spot, text);
    }
    for (block, spot) in placed(content.list(), spot) {
        let is_text = matches!(block.get("type"), Node::Null) || block.say("type") == "text";
        match block.text().or(block.get("content").text()).or(block.get("text").text()).filter(|_| is_text) {
            Some(text) => draft.typed(&spot, block, text),
            None => draft.said(&spot, Speaker::System, &block.json()),
        }
    }
}

/// The texts of a content. A block of another kind is given as its JSON text: it counts as the message's words.
fn texts(content: &Node<'_>, spot: &Spot, each: &mut dyn FnMut(&str, &Spot)) {
    if let Some(text) = content.text() {
        each(text, spot);
    }
    for (block, spot) in placed(content.list(), spot) {
        match block.text().or(block.get("content").text()).or(block.get("text").text()) {
            Some(text) => each(text, &spot),
            None => each(&block.json(), &spot),
        }
    }
}

/// Name and arguments: `{"function":"name","args":{}}` or `{"function":{"name","arguments"}}`.
fn call_parts<'n, 'a>(call: &'n Node<'a>) -> (&'n str, &'n Node<'a>) {
    let function = call.get("function");
    match function.text() {
        Some(name) => (name, call.get("args")),
        None => (function.say("name"), function.get("arguments")),
    }
}

fn result(draft: &mut Draft, message: &Node<'_>, spot: &Spot) {
    let call = message.get("tool_call");
    let ids = [message.word("tool_call_id"), call.word("id")];
    let (tool, _) = call_parts(call);
    let from = match ids.into_iter().find(|id| !id.is_empty()) {
        Some(id) => draft.answered_by_id(&id),
        None => draft.answered_without_id(Some(tool).filter(|tool| !tool.is_empty())),
    };
    let error = message.get("error");
    let is_error = signs::failed(message);
    let content = message.get("content");
    if content.is_empty() {
        let text = error.text().unwrap_or_default();
        return draft.result(spot, from, Content::Text(text.into()), is_error);
    }
    texts(content, &spot.at("content"), &mut |text, spot| {
        draft.result(spot, from.clone(), Content::Text(text.into()), is_error);
    });
}
