//! Runs of Qwen's web agents: messages in which calls and results stand as text between tags.
//!
//! A run is `{"messages":[...]}`, one a line or one document. The first message in the user's place describes the tools
//! with an example of a call and ends with the question after `User:`; only that is a person's. A later message that
//! begins with `<tool_response>` is what tools returned. It may hold such tags itself, so it is split only where that
//! gives as many parts as there were calls; else it is nobody's that counts.

use firsthand::conversation::{Content, Conversation, Producer, Ran, Speaker};
use serde_json::Value;

use super::openai_chat::arguments_text;
use super::probe::{Probe, says};
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot, keys_once};
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;

/// Qwen-style ReAct text.
pub(super) const FORMAT: Format = Format { name: "qwen-react", title: "Qwen-style ReAct runs", read, recognises };

const RESPONSE: (&str, &str) = ("<tool_response>", "</tool_response>");
const CALL: (&str, &str) = ("<tool_call>", "</tool_call>");
const THINK: (&str, &str) = ("<think>", "</think>");
/// How the first message begins.
const HEADER: &str = "A conversation between User and Assistant.";
/// What stands before the question in the first message.
const QUESTION: &str = "\nUser:";
/// What ends the tools in the first message.
const TOOLS_END: &str = "</tools>";

fn recognises(probe: &Probe) -> bool {
    let is_run = |value: &Value| {
        let messages = value.get("messages").unwrap_or(value).as_array();
        messages.is_some_and(|messages| {
            says(value, "type", "chatml")
                || messages.iter().any(|message| {
                    let text = message.get("content").and_then(Value::as_str).unwrap_or_default().trim_start();
                    says(message, "role", "user") && (text.starts_with(RESPONSE.0) || text.starts_with(HEADER))
                })
        })
    };
    probe.values().iter().any(is_run)
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut conversations = Vec::new();
    let mut alone = true;
    each_unit(bytes, &mut |Unit { spot, node }| {
        alone = !spot.is_in_line();
        let id = format!("{}#{}", source.stem(), conversations.len());
        conversations.push(run(&node, &spot, id)?);
        Ok(())
    })?;
    if let ([conversation], true) = (conversations.as_mut_slice(), alone) {
        source.stem().clone_into(&mut conversation.id);
    }
    Ok(conversations)
}

fn run(run: &Node<'_>, spot: &Spot, id: String) -> Result<Conversation, ReadError> {
    let (messages, spot) = match run.find("messages") {
        Some(messages) => (messages, spot.at("messages")),
        None => (run, spot.clone()),
    };
    if !messages.is_list() {
        return Err(spot.unexpected(messages, "an array of messages"));
    }
    let mut reader = Reader { draft: Draft::new(FORMAT.name), asked: false, calls: Vec::new() };
    reader.draft.around(run);
    for (message, spot) in placed(messages.list(), &spot) {
        reader.message(message, &spot)?;
    }
    Ok(reader.draft.finish(id))
}

struct Reader {
    draft: Draft,
    /// The first message in the user's place was read.
    asked: bool,
    /// The calls of the last message of the model.
    calls: Vec<String>,
}

impl Reader {
    fn message(&mut self, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let content = message.get("content");
        let Some(role) = message.get("role").text() else {
            return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
        };
        self.draft.enter(&[message]);
        let spot = spot.at("content");
        let Some(text) = content.text() else {
            return Err(spot.unexpected(content, "a string"));
        };
        match role {
            "system" => {
                self.draft.end_model_message();
                self.draft.said(&spot, Speaker::System, text);
            }
            "user" | "tool" | "observation" => {
                self.draft.end_model_message();
                self.users_place(role, text, &spot);
            }
            _ => self.model(text, &spot),
        }
        Ok(())
    }

    fn users_place(&mut self, role: &str, text: &str, spot: &Spot) {
        if role != "user" || text.trim_start().starts_with(RESPONSE.0) {
            return self.returned(text, spot);
        }
        let is_first = !std::mem::replace(&mut self.asked, true);
        let (before, question) = if is_first { question(text) } else { ("", text) };
        self.draft.said(spot, Speaker::System, before);
        self.draft.user(spot, question);
    }

    fn returned(&mut self, text: &str, spot: &Spot) {
        let calls = std::mem::take(&mut self.calls);
        let text = text.trim();
        let parts: Vec<&str> = match calls.len() {
            0 | 1 => vec![text],
            _ => text.split(RESPONSE.0).map(str::trim).filter(|part| !part.is_empty()).collect(),
        };
        if calls.is_empty() || parts.len() != calls.len() {
            let nobody = Producer::Call(format!("none#{}", self.draft.len()));
            return self.draft.result(spot, nobody, Content::Text(text.into()), false);
        }
        for (part, call) in parts.into_iter().zip(calls) {
            let part = part.strip_prefix(RESPONSE.0).unwrap_or(part);
            let part = part.strip_suffix(RESPONSE.1).unwrap_or(part).trim();
            self.draft.result(spot, Producer::Call(call), Content::Text(part.into()), false);
        }
    }

    fn model(&mut self, text: &str, spot: &Spot) {
        self.draft.model_message(None, spot);
        self.calls.clear();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(CALL.0) {
            let (call, after) = after.split_once(CALL.1).unwrap_or((after, ""));
            self.text(before, spot);
            self.call(call, spot);
            rest = after;
        }
        self.text(rest, spot);
    }

    /// Text of the model's, its thinking apart.
    fn text(&mut self, text: &str, spot: &Spot) {
        let Some((thinking, said)) = text.split_once(THINK.1) else {
            let by = if text.trim_start().starts_with(THINK.0) { Speaker::Thinking } else { Speaker::Assistant };
            return self.draft.said(spot, by, text);
        };
        let thinking = thinking.trim_start();
        self.draft.said(spot, Speaker::Thinking, thinking.strip_prefix(THINK.0).unwrap_or(thinking));
        self.draft.said(spot, Speaker::Assistant, said);
    }

    /// A call. One that is no JSON may have run all the same: it is a call of a tool that nobody knows.
    fn call(&mut self, text: &str, spot: &Spot) {
        let said = serde_json::from_str::<Node<'_>>(text.trim()).ok();
        // Of two names nobody knows which the host takes.
        let said = said.filter(|call| !call.say("name").is_empty() && keys_once(call, spot).is_ok());
        let (tool, arguments) = match &said {
            Some(call) => (call.say("name"), arguments_text(call.get("arguments"))),
            None => ("", Node::Text(text.into()).json()),
        };
        let arguments = if arguments == "null" { "{}".to_owned() } else { arguments };
        let id = format!("call_{}", self.draft.len()).into();
        self.calls.push(self.draft.call(spot, NewCall { id, server: None, tool, arguments, ran: Ran::Client }));
    }
}

/// What describes the tools, and the question after it: all that follows the first mark of one after the tools, else the
/// last mark. A text without a mark is a question, unless it describes tools.
fn question(text: &str) -> (&str, &str) {
    let tools = text.find(TOOLS_END);
    let place = match tools {
        Some(tools) => text.get(tools..).and_then(|rest| rest.find(QUESTION)).map(|place| tools + place),
        None => text.rfind(QUESTION),
    };
    let describes = tools.is_some() || text.trim_start().starts_with(HEADER);
    match place.and_then(|place| text.split_at_checked(place + QUESTION.len())) {
        Some(parts) => parts,
        None if describes => (text, ""),
        None => ("", text),
    }
}
