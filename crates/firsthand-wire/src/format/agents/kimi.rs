//! Wire logs of Kimi Code: `agents/NAME/wire.jsonl`, an event a line.
//!
//! What a person typed is written when it was typed and again when it came into the context; it counts once. Only an
//! `origin` of kind `user` is a person: prompts of timers, of plans and of the agent that started this one have others.

use firsthand::conversation::{Conversation, Parent, Ran, Speaker};
use serde_json::Value;

use super::{answered, arguments, kind, returned, said, user};
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::each_line;
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Kimi Code.
pub(in crate::format) const FORMAT: Format = Format { name: "kimi", title: "Kimi Code wire logs", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| match kind(line) {
        "metadata" => line.get("protocol_version").is_some(),
        "turn.prompt" => line.get("input").is_some(),
        "context.append_message" => line.get("message").is_some_and(Value::is_object),
        "context.append_loop_event" => line.get("event").is_some_and(Value::is_object),
        _ => false,
    })
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut reader = Reader { draft: Draft::new(FORMAT.name), typed: Vec::new() };
    let end = each_line(bytes, &mut |line, spot| {
        reader.line(line, spot);
        Ok(())
    })?;
    let (id, parent) = place(source);
    if parent.is_some() {
        reader.draft.be_a_child();
    }
    Ok(vec![Conversation { parent, ..end.finish(reader.draft, id) }])
}

/// The conversation's id and what run is above, by the path `SESSION/agents/NAME/wire.jsonl`.
fn place(source: &Source<'_>) -> (String, Option<Parent>) {
    let parts: Vec<&str> = source.name.rsplit(['/', '\\']).take(4).collect();
    match parts.as_slice() {
        [_, "main", "agents", session] => ((*session).to_owned(), None),
        [_, agent, "agents", session] => {
            let parent = Parent { conversation: (*session).to_owned(), call: None };
            (format!("{session}/{agent}"), Some(parent))
        }
        _ => (source.stem().to_owned(), None),
    }
}

struct Reader {
    draft: Draft,
    /// What was typed and did not come into the context yet.
    typed: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &Node<'_>, spot: &Spot) {
        let draft = &mut self.draft;
        draft.enter(&[line, line.get("message")]);
        match line.say("type") {
            "turn.prompt" | "turn.steer" => {
                draft.end_model_message();
                let input = line.get("input");
                in_users_place(draft, line.get("origin"), input, &spot.at("input"));
                self.typed.push(input.json());
            }
            "context.append_message" => self.message(line.get("message"), &spot.at("message")),
            "context.append_loop_event" => event(draft, line.get("event"), &spot.at("event")),
            "context.apply_compaction" => {
                draft.end_model_message();
                draft.compacted(spot);
                for key in ["summary", "contextSummary"] {
                    said(draft, Speaker::Summary, line.get(key), &spot.at(key));
                }
            }
            "config.update" | "profile.bind" => {
                draft.end_model_message();
                draft.said(&spot.at("systemPrompt"), Speaker::System, line.say("systemPrompt"));
            }
            "llm.tools_snapshot" => {
                draft.end_model_message();
                for (tool, spot) in placed(line.get("tools").list(), &spot.at("tools")) {
                    draft.said(&spot, Speaker::System, &tool.json());
                }
            }
            // Requests, permissions, usage: no words of a conversation.
            _ => {}
        }
    }

    fn message(&mut self, message: &Node<'_>, spot: &Spot) {
        let draft = &mut self.draft;
        let (content, below) = (message.get("content"), spot.at("content"));
        match message.say("role") {
            "user" => {
                draft.end_model_message();
                let text = content.json();
                match self.typed.iter().position(|typed| *typed == text) {
                    Some(place) => drop(self.typed.remove(place)),
                    None => in_users_place(draft, message.get("origin"), content, &below),
                }
            }
            "system" => {
                draft.end_model_message();
                said(draft, Speaker::System, content, &below);
            }
            "tool" => {
                draft.end_model_message();
                let from = answered(draft, &message.word("toolCallId"), "");
                returned(draft, content, &below, &from, false);
            }
            _ => {
                draft.model_message(None, spot);
                match content.list() {
                    [] => said(draft, Speaker::Assistant, content, &below),
                    parts => placed(parts, &below).into_iter().for_each(|(part, spot)| model(draft, part, &spot)),
                }
                for (made, spot) in placed(message.get("toolCalls").list(), &spot.at("toolCalls")) {
                    let id = made.find("id").map_or_else(|| made.word("toolCallId"), |_| made.word("id"));
                    call(draft, made, id, &spot);
                }
            }
        }
    }
}

/// A text in the user's place: whose it is says its origin.
fn in_users_place(draft: &mut Draft, origin: &Node<'_>, content: &Node<'_>, spot: &Spot) {
    match origin.say("kind") {
        "user" => user(draft, content, spot),
        "injection" => said(draft, Speaker::System, content, spot),
        "compaction" => said(draft, Speaker::Summary, content, spot),
        // A task, a timer, another agent, or nobody says who.
        _ => said(draft, Speaker::Task, content, spot),
    }
}

fn event(draft: &mut Draft, event: &Node<'_>, spot: &Spot) {
    match event.say("type") {
        "step.begin" => draft.model_message(event.get("uuid").text(), spot),
        "step.end" => draft.end_model_message(),
        "content.part" => {
            draft.model_message(event.get("stepUuid").text(), spot);
            model(draft, event.get("part"), &spot.at("part"));
        }
        "tool.call" => {
            draft.model_message(event.get("stepUuid").text(), spot);
            call(draft, event, event.word("toolCallId"), spot);
        }
        "tool.result" => {
            draft.end_model_message();
            let from = answered(draft, &event.word("toolCallId"), "");
            let (result, spot) = (event.get("result"), spot.at("result"));
            let is_error = signs::failed(event) || signs::failed(result);
            let output = result.find("output").unwrap_or(result);
            returned(draft, output, &spot.at("output"), &from, is_error);
            draft.said(&spot.at("note"), Speaker::System, result.say("note"));
        }
        kind if kind.starts_with("step.") || kind.starts_with("turn.") => {}
        _ => {
            draft.model_message(None, spot);
            draft.said(spot, Speaker::Assistant, &event.json());
        }
    }
}

fn model(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match part.say("type") {
        "think" => match part.say("think") {
            "" => draft.hidden(spot, false, "reasoning that is not shown"),
            think => draft.said(spot, Speaker::Thinking, think),
        },
        _ => said(draft, Speaker::Assistant, part, spot),
    }
}

fn call(draft: &mut Draft, call: &Node<'_>, id: std::borrow::Cow<'_, str>, spot: &Spot) {
    let inner = call.find("function").unwrap_or(call);
    let arguments = arguments(inner.find("args").unwrap_or(inner.get("arguments")));
    draft.call(spot, NewCall { id, server: None, tool: inner.say("name"), arguments, ran: Ran::Client });
}
