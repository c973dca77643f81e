//! Sessions of Copilot CLI: lines of events `{"type","data","id","parentId"}`.
//!
//! A person's words are `content`; `transformedContent` holds what the host added. Events with a `parentToolCallId` are of
//! the run that this call started, where nobody is a person. A call is written twice, as the model asked for it and as it
//! was run; it counts once unless what was run says something else.

use std::collections::HashMap;

use firsthand::conversation::{Conversation, Parent, Ran, Seat, Speaker};
use serde_json::Value;

use super::{arguments, kind, returned, said, user_block};
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::each_line;
use crate::format::recorded::node::{Node, Spot, keys_once};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Copilot CLI.
pub(in crate::format) const FORMAT: Format =
    Format { name: "copilot-cli", title: "Copilot CLI sessions", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| {
        matches!(kind(line), "session.start" | "user.message" | "assistant.message" | "tool.execution_complete")
            && line.get("data").is_some_and(Value::is_object)
    })
}

/// A run of the session.
struct Run {
    /// The call that started it; empty for the session itself.
    call: String,
    draft: Draft,
    /// The arguments of the calls so far, by the format's ids.
    asked: HashMap<String, String>,
}

impl Run {
    fn new(call: &str) -> Self {
        Self { call: call.to_owned(), draft: Draft::new(FORMAT.name), asked: HashMap::new() }
    }
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut runs = vec![Run::new("")];
    let mut session = String::new();
    let end = each_line(bytes, &mut |event, spot| {
        let data = event.get("data");
        keys_once(data, &spot.at("data"))?;
        if event.say("type") == "session.start" && session.is_empty() {
            data.say("sessionId").clone_into(&mut session);
        }
        let call = data.say("parentToolCallId");
        let place = runs.iter().position(|run| run.call == call).unwrap_or_else(|| {
            runs.push(Run::new(call));
            runs.len() - 1
        });
        if let Some(run) = runs.get_mut(place) {
            run.draft.enter(&[event, data]);
            read_event(run, event.say("type"), data, &spot.at("data"));
        }
        Ok(())
    })?;
    let session = if session.is_empty() { source.stem() } else { &session };
    let conversation = |run: Run| {
        if run.call.is_empty() {
            return end.finish(run.draft, session.to_owned());
        }
        let parent = Parent { conversation: session.to_owned(), call: Some(run.call.clone()) };
        let conversation = end.finish(run.draft, format!("{session}/{}", run.call));
        Conversation { parent: Some(parent), seat: Seat::ParentModel, ..conversation }
    };
    Ok(runs.into_iter().map(conversation).collect())
}

fn read_event(run: &mut Run, kind: &str, data: &Node<'_>, spot: &Spot) {
    let draft = &mut run.draft;
    match kind {
        "user.message" => {
            draft.end_model_message();
            // Where another agent or a program is named, no person wrote this.
            let is_sent = data.get("source").is_said() && data.say("source") != "user";
            let by_another = is_sent
                || data.get("isAutopilotContinuation").may_be_yes()
                || ["parentAgentTaskId", "agentId", "parentToolCallId"].iter().any(|key| data.get(key).is_said());
            if by_another {
                said(draft, Speaker::Task, data.get("content"), &spot.at("content"));
            } else {
                super::user(draft, data.get("content"), &spot.at("content"));
            }
            for (attachment, spot) in placed(data.get("attachments").list(), &spot.at("attachments")) {
                user_block(draft, attachment, &spot);
            }
        }
        "system.message" => {
            draft.end_model_message();
            said(draft, Speaker::System, data.get("content"), &spot.at("content"));
        }
        "system.notification" => {
            draft.end_model_message();
            let by = if data.get("kind").say("type").starts_with("agent") { Speaker::Report } else { Speaker::System };
            said(draft, by, data.get("content"), &spot.at("content"));
        }
        "assistant.message" => model(run, data, spot),
        "assistant.reasoning" => {
            draft.model_message(None, spot);
            draft.said(&spot.at("content"), Speaker::Thinking, data.say("content"));
        }
        "tool.execution_start" => {
            draft.model_message(None, spot);
            call(run, data, spot);
        }
        "tool.execution_complete" => {
            draft.end_model_message();
            let from = draft.answered_by_id(&data.word("toolCallId"));
            let result = data.get("result");
            let is_error = !matches!(data.get("success"), Node::Bool(true)) || signs::failed(result);
            let content = result.find("content").or(data.find("error")).unwrap_or(result);
            returned(draft, content, &spot.at("result"), &from, is_error);
        }
        "session.compaction_complete" => {
            draft.end_model_message();
            draft.compacted(spot);
            said(draft, Speaker::Summary, data.get("summaryContent"), &spot.at("summaryContent"));
        }
        "session.handoff" => {
            draft.end_model_message();
            draft.compacted(spot);
            said(draft, Speaker::Summary, data.get("summary"), &spot.at("summary"));
            said(draft, Speaker::Summary, data.get("context"), &spot.at("context"));
        }
        // The begin and end of turns, hooks and agents, changes of settings: no words of a conversation.
        _ => {}
    }
}

fn model(run: &mut Run, data: &Node<'_>, spot: &Spot) {
    let draft = &mut run.draft;
    draft.model_message(None, spot);
    match data.say("reasoningText") {
        "" if !data.get("reasoningOpaque").is_empty() || !data.get("encryptedContent").is_empty() => {
            draft.hidden(spot, false, "reasoning that is encrypted");
        }
        reasoning => draft.said(&spot.at("reasoningText"), Speaker::Thinking, reasoning),
    }
    said(draft, Speaker::Assistant, data.get("content"), &spot.at("content"));
    for (request, spot) in placed(data.get("toolRequests").list(), &spot.at("toolRequests")) {
        call(run, request, &spot);
    }
}

/// A call as it was asked for or run.
fn call(run: &mut Run, call: &Node<'_>, spot: &Spot) {
    let id = call.word("toolCallId");
    let arguments = arguments(call.get("arguments"));
    if run.asked.get(&*id).is_some_and(|asked| covers(asked, &arguments)) {
        return;
    }
    let (server, tool) = match (call.get("mcpServerName").text(), call.get("mcpToolName").text()) {
        (Some(server), Some(tool)) => (Some(server), tool),
        _ => (None, call.find("name").unwrap_or(call.get("toolName")).text().unwrap_or_default()),
    };
    run.asked.insert(id.clone().into_owned(), arguments.clone());
    run.draft.call(spot, NewCall { id, server, tool, arguments, ran: Ran::Client });
}

/// Whether arguments say nothing that those before did not.
fn covers(before: &str, after: &str) -> bool {
    let (Ok(before), Ok(after)) = (serde_json::from_str::<Node<'_>>(before), serde_json::from_str::<Node<'_>>(after))
    else {
        return before == after;
    };
    let has =
        |(name, value): &(std::borrow::Cow<'_, str>, Node<'_>)| before.find(name) == Some(value) || value.is_null();
    before == after || after.is_map() && after.members().iter().all(has)
}
