//! A sample: which models ran in it, what each was given and wrote, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use firsthand::conversation::{Conversation, Parent, Seat};

use super::message::{self, Asked};
use crate::error::ReadError;
use crate::format::Source;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};

/// How many spans may stand above a span, and events in each other.
const DEEPEST: usize = 64;
/// What stands at the beginning of a text that is kept elsewhere in the sample.
const ATTACHMENT: &str = "attachment://";

/// Reads a sample.
pub(super) fn read(
    sample: &Node<'_>,
    spot: &Spot,
    source: &Source<'_>,
    conversations: &mut Vec<Conversation>,
) -> Result<(), ReadError> {
    let messages = sample.get("messages");
    if !matches!(messages, Node::Null | Node::List(_)) {
        return Err(spot.at("messages").unexpected(messages, "an array of messages"));
    }
    let id = format!("{}#{}_{}", source.stem(), sample.word("id"), sample.word("epoch"));
    let mut runs = Runs {
        sample,
        spot: spot.clone(),
        tree: Tree::of(sample.get("events").list()),
        list: vec![Run::new(String::new(), None)],
    };
    if let Some(run) = runs.list.first_mut() {
        run.draft.around(&sample.without(&["messages", "events", "input", "output"]));
    }
    for (event, spot) in placed(sample.get("events").list(), &spot.at("events")) {
        runs.event(event, &spot, None, 0)?;
    }
    for (message, spot) in placed(messages.list(), &spot.at("messages")) {
        runs.message(0, message, &spot)?;
    }
    let first = conversations.len();
    for (number, run) in runs.list.into_iter().enumerate() {
        let own = if number == 0 { id.clone() } else { format!("{id}/{number}") };
        let mut conversation = run.draft.finish(own);
        if number > 0 {
            conversation.seat = Seat::ParentModel;
            conversation.parent = Some(Parent { conversation: id.clone(), call: run.call });
        }
        // The sample's own conversation is kept even where nothing was said in it: the others are below it.
        if number == 0 || !conversation.items.is_empty() {
            conversations.push(conversation);
        }
    }
    if conversations.iter().skip(first).all(|conversation| conversation.items.is_empty()) {
        conversations.truncate(first);
    }
    Ok(())
}

/// Which spans stand above which, and what they are.
struct Tree<'n> {
    spans: BTreeMap<&'n str, (&'n str, &'n str)>,
    /// The call that an agent's span answers.
    calls: BTreeMap<&'n str, &'n str>,
}

/// Where in the tree of runs an event stands.
enum Place {
    Top,
    Below(String),
    /// A judge's of the answer: nothing that the conversation saw.
    Judge,
}

impl<'n> Tree<'n> {
    fn of(events: &'n [Node<'_>]) -> Self {
        let begins = events.iter().filter(|event| event.say("event") == "span_begin");
        let spans = begins.map(|span| (span.say("id"), (span.say("parent_id"), span.say("type"))));
        let tools =
            events.iter().filter(|event| event.say("event") == "tool" && !event.say("agent_span_id").is_empty());
        Self { spans: spans.collect(), calls: tools.map(|tool| (tool.say("agent_span_id"), tool.say("id"))).collect() }
    }

    /// The run that an event of this span belongs to: the agent, or else the tool, that is next above it and runs inside
    /// a tool.
    fn place(&self, span: &str) -> Place {
        let (mut at, mut agent, mut below) = (span, None, None);
        for _ in 0..DEEPEST {
            let Some((parent, kind)) = self.spans.get(at) else { break };
            match *kind {
                "agent" if agent.is_none() => agent = Some(at),
                "tool" | "handoff" | "subtask" if below.is_none() => below = Some(agent.unwrap_or(at)),
                "scorer" | "scorers" => return Place::Judge,
                _ => {}
            }
            at = parent;
        }
        below.map_or(Place::Top, |key| Place::Below(key.to_owned()))
    }
}

/// The runs of a sample; the first is its own.
struct Runs<'n, 'a> {
    sample: &'n Node<'a>,
    spot: Spot,
    tree: Tree<'n>,
    list: Vec<Run>,
}

struct Run {
    key: String,
    call: Option<String>,
    draft: Draft,
    /// The messages that were read, by their ids.
    seen: BTreeSet<String>,
}

impl Run {
    fn new(key: String, call: Option<String>) -> Self {
        Self { key, call, draft: Draft::new(super::FORMAT.name), seen: BTreeSet::new() }
    }
}

impl<'a> Runs<'_, 'a> {
    fn event(&mut self, event: &Node<'a>, spot: &Spot, inside: Option<&str>, depth: usize) -> Result<(), ReadError> {
        match event.say("event") {
            "model" => {
                let place = match inside {
                    Some(inside) => Place::Below(inside.to_owned()),
                    None => self.tree.place(event.say("span_id")),
                };
                let run = match place {
                    Place::Top => 0,
                    Place::Below(key) => self.below(key),
                    Place::Judge => return Ok(()),
                };
                self.model(run, event, spot)
            }
            // Older logs keep what happened inside a tool in its event.
            "tool" | "subtask" if depth < DEEPEST => {
                let id = event.word("id");
                let key = if id.is_empty() { spot.text() } else { id.into_owned() };
                for (inner, spot) in placed(event.get("events").list(), &spot.at("events")) {
                    self.event(inner, &spot, Some(&key), depth + 1)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn below(&mut self, key: String) -> usize {
        if let Some(index) = self.list.iter().position(|run| run.key == key) {
            return index;
        }
        let call = self.tree.calls.get(key.as_str()).map(|call| (*call).to_owned());
        self.list.push(Run::new(key, call));
        self.list.len() - 1
    }

    /// What a model was given, where that is not known yet, and what it wrote.
    fn model(&mut self, run: usize, event: &Node<'a>, spot: &Spot) -> Result<(), ReadError> {
        if let Some(run) = self.list.get_mut(run) {
            run.draft.around(&event.without(&["input", "output", "call", "tools"]));
        }
        for (message, spot) in placed(event.get("input").list(), &spot.at("input")) {
            self.message(run, message, &spot)?;
        }
        let pool = self.sample.get("events_data").get("messages").list();
        let pooled = self.spot.at("events_data").at("messages");
        for range in event.get("input_refs").list() {
            let bound =
                |index: usize| range.list().get(index).map(Node::number).and_then(|bound| usize::try_from(bound).ok());
            let (from, to) = (bound(0).unwrap_or_default(), bound(1).unwrap_or_default());
            for index in from..to.min(pool.len()) {
                if let Some(message) = pool.get(index) {
                    self.message(run, message, &pooled.at(index))?;
                }
            }
            if to > pool.len()
                && let Some(run) = self.list.get_mut(run)
            {
                run.draft.hidden(spot, true, "messages that the log does not have");
            }
        }
        let choices = placed(event.get("output").get("choices").list(), &spot.at("output").at("choices"));
        match choices.first().map(|(choice, spot)| (choice.get("message"), spot.at("message"))) {
            Some((message, spot)) if message.is_map() => self.said(run, message, &spot, message::read_answer),
            _ => Ok(()),
        }
    }

    fn message(&mut self, number: usize, message: &Node<'a>, spot: &Spot) -> Result<(), ReadError> {
        self.said(number, message, spot, message::read)
    }

    fn said(&mut self, number: usize, message: &Node<'a>, spot: &Spot, read: ReadMessage) -> Result<(), ReadError> {
        let Some(run) = self.list.get_mut(number) else { return Ok(()) };
        let id = message.word("id");
        let key = if id.is_empty() {
            message.only(&["role", "content", "tool_calls", "tool_call_id"]).json()
        } else {
            id.into_owned()
        };
        if !run.seen.insert(key) {
            return Ok(());
        }
        let attachments = self.sample.get("attachments");
        let whole;
        let message = if attachments.is_empty() {
            message
        } else {
            whole = resolved(message, attachments);
            &whole
        };
        let asked = if number == 0 { Asked::OfSample(self.sample.get("input")) } else { Asked::ByModel };
        read(&mut run.draft, message, &asked, spot)
    }
}

/// How a message is read: as given to a model, or as its answer.
type ReadMessage = fn(&mut Draft, &Node<'_>, &Asked<'_, '_>, &Spot) -> Result<(), ReadError>;

/// The value with the texts that are kept elsewhere in the sample.
fn resolved<'a>(node: &Node<'a>, attachments: &Node<'a>) -> Node<'a> {
    match node {
        Node::Text(text) => match text.strip_prefix(ATTACHMENT).and_then(|hash| attachments.find(hash)) {
            Some(kept) => kept.clone(),
            None => node.clone(),
        },
        Node::List(elements) => Node::List(elements.iter().map(|node| resolved(node, attachments)).collect()),
        Node::Map(members) => {
            Node::Map(members.iter().map(|(key, node)| (key.clone(), resolved(node, attachments))).collect())
        }
        Node::Null | Node::Bool(_) | Node::Number(_) => node.clone(),
    }
}
