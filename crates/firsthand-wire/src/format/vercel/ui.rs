//! A message of the user interface: calls stand together with what they returned.

use std::borrow::Cow;

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use crate::format::openai_chat::arguments_text;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// What a message has with which a person steers.
const STEERING: &[&str] = &["createdAt", "id", "metadata", "parts", "timestamp", "type"];

/// Whether a member says something.
fn says(value: &Node<'_>) -> bool {
    value.may_be_yes() && !value.is_empty()
}

/// Reads a message.
pub(super) fn read(draft: &mut Draft, role: &str, message: &Node<'_>, spot: &Spot) {
    let parts = placed(message.get("parts").list(), &spot.at("parts"));
    match role {
        "user" => {
            if parts.is_empty() {
                draft.user(&spot.at("content"), message.say("content"));
            }
            parts.iter().for_each(|(part, spot)| user(draft, part, spot));
        }
        "system" | "data" => {
            for (part, spot) in &parts {
                match part.get("text").text() {
                    Some(text) => draft.said(spot, Speaker::System, text),
                    None => draft.said(spot, Speaker::System, &part.json()),
                }
            }
            if parts.is_empty() {
                draft.said(&spot.at("content"), Speaker::System, message.say("content"));
            }
        }
        _ => Steps { waiting: Vec::new(), message: spot.text(), step: 0, is_child: signs::is_of_a_child(message) }
            .read(draft, message, &parts, spot),
    }
}

fn user(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match part.say("type") {
        "text" => draft.typed(spot, part, part.say("text")),
        "file" => super::attached(draft, part, spot),
        _ => draft.said(spot, Speaker::System, &part.json()),
    }
}

/// A result that the model saw after all calls of its step.
struct Waiting {
    spot: Spot,
    from: Producer,
    content: Content,
    is_error: bool,
}

/// The steps of an assistant's message: what the model wrote in one go, and then what came back.
struct Steps {
    waiting: Vec<Waiting>,
    /// Where the message stands.
    message: String,
    step: usize,
    /// The message says that no person is in its run.
    is_child: bool,
}

impl Steps {
    fn read(mut self, draft: &mut Draft, message: &Node<'_>, parts: &[(&Node<'_>, Spot)], spot: &Spot) {
        self.begin(draft, spot);
        let first = draft.len();
        for (part, spot) in parts {
            self.part(draft, part, spot);
        }
        // Older versions list the calls beside the parts; newer ones have them in both places.
        let in_parts = parts.iter().any(|(part, _)| part.say("type") == "tool-invocation");
        if !in_parts {
            let mut step = 0;
            for (call, spot) in placed(message.get("toolInvocations").list(), &spot.at("toolInvocations")) {
                if call.get("step").number() > step {
                    step = call.get("step").number();
                    self.next(draft, &spot);
                }
                self.invocation(draft, call, &spot);
            }
        }
        self.flush(draft);
        // What it said to all that, where no part says it.
        if !parts.iter().any(|(part, _)| part.say("type") == "text") {
            self.next(draft, spot);
            draft.said(&spot.at("content"), Speaker::Assistant, message.say("content"));
        }
        draft.name(first, &message.word("id"));
    }

    /// Begins a step: its calls are one batch.
    fn begin(&mut self, draft: &mut Draft, spot: &Spot) {
        let id = format!("{}#step{}", self.message, self.step);
        draft.model_message(Some(&id), spot);
        self.step += 1;
    }

    fn next(&mut self, draft: &mut Draft, spot: &Spot) {
        self.flush(draft);
        self.begin(draft, spot);
    }

    fn flush(&mut self, draft: &mut Draft) {
        if self.waiting.is_empty() {
            return;
        }
        draft.end_model_message();
        for Waiting { spot, from, content, is_error } in self.waiting.drain(..) {
            draft.result(&spot, from, content, is_error);
        }
    }

    fn part(&mut self, draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
        let kind = part.say("type");
        match kind {
            "text" => draft.said(spot, Speaker::Assistant, part.say("text")),
            "reasoning" => match part.get("text").text().or(part.get("reasoning").text()) {
                None | Some("") => draft.hidden(spot, false, "reasoning that is not shown"),
                Some(text) => draft.said(spot, Speaker::Thinking, text),
            },
            "step-start" => self.next(draft, spot),
            "source-url" => draft.attached(spot, &[(part.say("url"), part.say("title"))]),
            "source" => {
                let source = part.get("source");
                draft.attached(spot, &[(source.say("url"), source.say("title"))]);
            }
            // A document of the application's, and files that the model made.
            "source-document" | "file" | "reasoning-file" => {}
            "steering-message" => {
                self.flush(draft);
                draft.end_model_message();
                // It stands in the assistant's message, so only what it says itself speaks against a person: it has
                // parts, and what else it has is the model's.
                draft.enter(&[part]);
                let is_own = |(name, value): &(Cow<'_, str>, Node<'_>)| !STEERING.contains(&&**name) && says(value);
                if self.is_child || part.members().iter().any(is_own) {
                    draft.suspect(Speaker::Task);
                }
                for (part, spot) in placed(part.get("parts").list(), &spot.at("parts")) {
                    user(draft, part, &spot);
                }
                draft.enter(&[]);
                self.begin(draft, spot);
            }
            "tool-invocation" => {
                let call = part.get("toolInvocation");
                if call.get("step").number() >= u64::try_from(self.step).unwrap_or(u64::MAX) {
                    self.next(draft, spot);
                }
                self.invocation(draft, call, &spot.at("toolInvocation"));
            }
            "dynamic-tool" => self.tool(draft, part.say("toolName"), part, spot),
            _ if kind.starts_with("data-") || kind == "custom" => draft.said(spot, Speaker::System, &part.json()),
            _ => match kind.strip_prefix("tool-").filter(|_| part.find("toolCallId").is_some()) {
                // The type and the part may name two tools; nobody knows which of them was run.
                Some(tool) => match part.find("toolName").filter(|other| other.text() != Some(tool)) {
                    Some(other) => self.tool(draft, &format!("{tool}/{}", other.text().unwrap_or("odd")), part, spot),
                    None => self.tool(draft, tool, part, spot),
                },
                None => draft.said(spot, Speaker::Assistant, &part.json()),
            },
        }
    }

    /// A call of the present form and what it returned.
    fn tool(&mut self, draft: &mut Draft, tool: &str, part: &Node<'_>, spot: &Spot) {
        let state = part.say("state");
        let input = part.find("input").unwrap_or(part.get("rawInput"));
        if state == "input-streaming" {
            // Not whole, so not called; the model wrote it all the same.
            return draft.said(&spot.at("input"), Speaker::Assistant, &input.json());
        }
        let arguments = if input.is_null() { "{}".to_owned() } else { arguments_text(input) };
        let is_provider = matches!(part.get("providerExecuted"), Node::Bool(true));
        let ran = if is_provider { Ran::Provider } else { Ran::Client };
        let call = draft.call(spot, NewCall { id: part.word("toolCallId"), server: None, tool, arguments, ran });
        let (key, is_error) = match state {
            "output-error" => ("errorText", true),
            "output-denied" => ("approval", true),
            "output-available" => ("output", signs::failed(part)),
            // Nothing says that the tool ran to its end.
            _ => ("output", true),
        };
        if let Some(output) = part.find(key) {
            self.answer(draft, Producer::Call(call), output, is_error, &spot.at(key), is_provider);
        }
    }

    /// A call of the form before version 5.
    fn invocation(&mut self, draft: &mut Draft, call: &Node<'_>, spot: &Spot) {
        let args = call.get("args");
        if call.say("state") == "partial-call" {
            return draft.said(&spot.at("args"), Speaker::Assistant, &args.json());
        }
        let arguments = if args.is_null() { "{}".to_owned() } else { arguments_text(args) };
        let tool = call.say("toolName");
        let id = call.word("toolCallId");
        let from = draft.call(spot, NewCall { id, server: None, tool, arguments, ran: Ran::Client });
        if let Some(result) = call.find("result") {
            let is_error = call.say("state") != "result" || signs::failed(call);
            self.answer(draft, Producer::Call(from), result, is_error, &spot.at("result"), false);
        }
    }

    /// What a call returned: at once where the provider ran it and the model wrote on, else after the step.
    fn answer(
        &mut self,
        draft: &mut Draft,
        from: Producer,
        output: &Node<'_>,
        is_error: bool,
        spot: &Spot,
        at_once: bool,
    ) {
        let content = super::model::content_of(output);
        if at_once {
            return draft.result(spot, from, content, is_error);
        }
        self.waiting.push(Waiting { spot: spot.clone(), from, content, is_error });
    }
}
