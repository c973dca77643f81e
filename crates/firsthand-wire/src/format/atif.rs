//! ATIF trajectories, as Harbor writes them.
//!
//! A step holds reasoning, a message, calls and what they returned, in this order. Steps of a subagent's trajectory in the
//! user's place are the task that its parent gave it; a result that refers to such a trajectory is its report. Some agents
//! record what their commands printed as the user's steps: what follows the model's step in such a form is nobody's.

use std::collections::BTreeMap;

use firsthand::conversation::{Content, Conversation, Parent, Producer, Ran, Seat, Speaker};

use super::openai_chat::arguments_text;
use super::probe::Probe;
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;

/// ATIF.
pub(super) const FORMAT: Format = Format { name: "atif", title: "ATIF trajectories (Harbor)", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.some_says("schema_version", "ATIF-")
        || probe
            .document()
            .and_then(serde_json::Value::as_array)
            .is_some_and(|list| list.iter().any(|trajectory| super::probe::says(trajectory, "schema_version", "ATIF-")))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut conversations = Vec::new();
    each_unit(bytes, &mut |Unit { spot, node }| {
        let list = if node.is_list() { placed(node.list(), &spot) } else { vec![(&node, spot)] };
        for (trajectory, spot) in list {
            let number = conversations.len();
            let stem = source.stem();
            let id = ["trajectory_id", "session_id"].iter().map(|key| trajectory.say(key)).find(|id| !id.is_empty());
            let id = id.filter(|id| !conversations.iter().any(|other: &Conversation| other.id == *id));
            let id = id.map_or_else(|| format!("{stem}#{number}"), str::to_owned);
            read_trajectory(trajectory, &spot, id, None, &mut conversations)?;
        }
        Ok(())
    })?;
    if conversations.is_empty() {
        return Err(ReadError::unexpected("", "nothing", "a trajectory with `steps`"));
    }
    Ok(conversations)
}

fn read_trajectory(
    trajectory: &Node<'_>,
    spot: &Spot,
    id: String,
    parent: Option<Parent>,
    conversations: &mut Vec<Conversation>,
) -> Result<(), ReadError> {
    let steps = trajectory.get("steps");
    if !steps.is_list() {
        return Err(spot.at("steps").unexpected(steps, "an array of steps"));
    }
    let mut run = Run {
        draft: Draft::new(FORMAT.name),
        // A summary that Terminus asked another model for, in a file of its own.
        is_sub: parent.is_some() || trajectory.say("session_id").contains("-summarization-"),
        later: later(trajectory.get("agent").say("name")),
        spoke: false,
        started: BTreeMap::new(),
    };
    run.draft.around(&trajectory.without(&["steps", "subagent_trajectories"]));
    for (tool, spot) in
        placed(trajectory.get("agent").get("tool_definitions").list(), &spot.at("agent").at("tool_definitions"))
    {
        run.draft.said(&spot, Speaker::System, &tool.json());
    }
    for (step, spot) in placed(steps.list(), &spot.at("steps")) {
        run.step(step, &spot)?;
    }
    if run.draft.len() == 0 {
        return Err(spot.at("steps").unexpected(steps, "an array of steps that say something"));
    }
    let Run { draft, started, .. } = run;
    let mut conversation = draft.finish(id.clone());
    if parent.is_some() {
        conversation.seat = Seat::ParentModel;
        conversation.parent = parent;
    }
    conversations.push(conversation);
    for (sub, spot) in placed(trajectory.get("subagent_trajectories").list(), &spot.at("subagent_trajectories")) {
        let own = sub.say("trajectory_id");
        let call = started.get(own).cloned();
        let own = if own.is_empty() { format!("{id}#{}", conversations.len()) } else { format!("{id}/{own}") };
        read_trajectory(sub, &spot, own, Some(Parent { conversation: id.clone(), call }), conversations)?;
    }
    Ok(())
}

/// A trajectory while it is being read.
struct Run {
    draft: Draft,
    /// It is a subagent's: what stands in the user's place is its task.
    is_sub: bool,
    /// Whose the user's steps are once the model wrote something, where that is no person.
    later: Option<Speaker>,
    /// The model wrote something.
    spoke: bool,
    /// Which call started a trajectory of this id.
    started: BTreeMap<String, String>,
}

impl Run {
    fn step(&mut self, step: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let message = step.get("message");
        if !matches!(message, Node::Null | Node::Text(_) | Node::List(_)) {
            return Err(spot.at("message").unexpected(message, "a string, an array of parts or null"));
        }
        // A step of the model's has more than a message, whatever its source says.
        self.draft.enter_but(&[step], &["source"]);
        // What came back stands in the model's steps.
        if !step.get("observation").is_empty() {
            self.draft.suspect(Speaker::Task);
        }
        match step.get("source").text() {
            Some("user") => self.user(message, &spot.at("message")),
            Some("system") => {
                self.draft.end_model_message();
                self.said(message, &spot.at("message"), Speaker::System);
            }
            Some(_) => self.model(step, message, spot),
            None => return Err(spot.at("source").unexpected(step.get("source"), "the source of a step")),
        }
        self.observed(step.get("observation"), &spot.at("observation"));
        Ok(())
    }

    fn user(&mut self, message: &Node<'_>, spot: &Spot) {
        self.draft.end_model_message();
        for_each(message, spot, &mut |part, spot| match person_text(part) {
            Some(text) if self.is_sub => self.draft.said(spot, Speaker::Task, text),
            Some(text) if is_handed_on(text) => self.draft.said(spot, Speaker::Summary, text),
            Some(text) if self.spoke && is_output(text) => self.draft.said(spot, Speaker::System, text),
            Some(text) => match self.later.filter(|_| self.spoke) {
                Some(by) => self.draft.said(spot, by, text),
                None => self.draft.typed(spot, part, text),
            },
            None if part.say("type") != "image" => self.draft.said(spot, Speaker::System, &part.json()),
            None => self.draft.attachment(spot, part.get("source").get("path").text(), ""),
        });
    }

    fn said(&mut self, message: &Node<'_>, spot: &Spot, by: Speaker) {
        for_each(message, spot, &mut |part, spot| match part.text().or(part.get("text").text()) {
            Some(text) => self.draft.said(spot, by, text),
            None => self.draft.said(spot, by, &part.json()),
        });
    }

    fn model(&mut self, step: &Node<'_>, message: &Node<'_>, spot: &Spot) {
        self.spoke = true;
        self.draft.model_message(Some(&spot.text()), spot);
        self.draft.said(&spot.at("reasoning_content"), Speaker::Thinking, step.say("reasoning_content"));
        self.said(message, &spot.at("message"), Speaker::Assistant);
        for (call, spot) in placed(step.get("tool_calls").list(), &spot.at("tool_calls")) {
            let arguments = call.get("arguments");
            let arguments = if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) };
            let (id, tool) = (call.word("tool_call_id"), call.say("function_name"));
            self.draft.call(&spot, NewCall { id, server: None, tool, arguments, ran: Ran::Client });
        }
    }

    fn observed(&mut self, observation: &Node<'_>, spot: &Spot) {
        if observation.is_null() {
            return;
        }
        self.draft.end_model_message();
        for (result, spot) in placed(observation.get("results").list(), &spot.at("results")) {
            let id = result.word("source_call_id");
            let content = result.get("content");
            let refs = result.get("subagent_trajectory_ref");
            let refs = if refs.is_list() { refs.list() } else { std::slice::from_ref(refs) };
            let from = if id.is_empty() { None } else { Some(self.draft.answered_by_id(&id)) };
            if let Some(Producer::Call(call)) = &from {
                let started = refs.iter().map(|sub| sub.say("trajectory_id")).filter(|id| !id.is_empty());
                self.started.extend(started.map(|id| (id.to_owned(), call.clone())));
            }
            let is_error = signs::failed(observation) || signs::failed(result);
            let reported = refs.iter().any(Node::is_map);
            let at = spot.at("content");
            let Some(from) = from.filter(|_| !reported) else {
                // A report, or what something printed that nobody called by an id.
                let by = if reported { Speaker::Report } else { Speaker::System };
                self.said(content, &at, by);
                continue;
            };
            if content.is_empty() {
                self.draft.result(&at, from, Content::Text("".into()), is_error);
                continue;
            }
            for_each(content, &at, &mut |part, spot| match part.text().or(part.get("text").text()) {
                Some(text) => {
                    let is_error = is_error || signs::failed(part);
                    self.draft.result(spot, from.clone(), Content::Text(text.into()), is_error);
                }
                None => self.draft.said(spot, Speaker::System, &part.json()),
            });
        }
    }
}

/// Whose the later steps in the user's place are with agents that nobody talks to while they work.
fn later(agent: &str) -> Option<Speaker> {
    match agent {
        // What its commands print.
        agent if agent.starts_with("mini-swe-agent") => Some(Speaker::System),
        // What a model wrote down of the work so far.
        agent if agent.starts_with("terminus") => Some(Speaker::Summary),
        _ => None,
    }
}

/// The text of a part that is known to be one.
fn person_text<'n>(part: &'n Node<'_>) -> Option<&'n str> {
    part.text().or_else(|| part.get("text").text().filter(|_| part.say("type") == "text"))
}

/// Whether a text hands a model's account of the work on to the next model.
fn is_handed_on(text: &str) -> bool {
    [
        "You are picking up work from a previous AI agent",
        "Here are the answers the other agent provided.",
        "The next agent has a few questions for you",
    ]
    .iter()
    .any(|start| text.trim_start().starts_with(start))
}

/// Whether a text is what a command printed, in the forms that agents give it.
fn is_output(text: &str) -> bool {
    let text = text.trim_start();
    ["<returncode>", "<output>", "Observation:", "OBSERVATION:", "New Terminal Output:"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Calls `each` with a string, or with each part of a list.
fn for_each<'n, 'a>(content: &'n Node<'a>, spot: &Spot, each: &mut dyn FnMut(&'n Node<'a>, &Spot)) {
    match content {
        Node::Text(_) => each(content, spot),
        Node::List(parts) => placed(parts, spot).into_iter().for_each(|(part, spot)| each(part, &spot)),
        Node::Map(_) => each(content, spot),
        Node::Null | Node::Bool(_) | Node::Number(_) => {}
    }
}
