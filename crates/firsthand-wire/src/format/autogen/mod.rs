//! Logs of AutoGen teams and of Magentic-One: one JSON document with a `question` and a `history`.
//!
//! The question is a person's and stands before the history. `role` does not say who wrote a message. Where messages have
//! a `name`, `Computer_terminal` is the shell and every other name is a model, whose code was run if the terminal answers
//! with more than that there is none. Where they have no name, `role` is the member of the team: `human` is a person,
//! what the browser, the file reader and the shell say is told apart from what models say, and who is not known is one.

mod surfer;

use firsthand::conversation::{Content, Conversation, Producer, Ran, Speaker};
use serde_json::Value;

use super::probe::Probe;
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot, keys_once};
use super::{Format, Source, text};
use crate::error::ReadError;

/// AutoGen and Magentic-One.
pub(super) const FORMAT: Format = Format { name: "autogen", title: "AutoGen and Magentic-One logs", read, recognises };

/// The shell where messages have names.
const TERMINAL: &str = "Computer_terminal";
/// How its answer to a message without code begins.
const NO_CODE: &str = "There is no code";

fn recognises(probe: &Probe) -> bool {
    let is_message = |message: &Value| {
        message.get("role").is_some_and(Value::is_string) && message.get("content").is_some_and(Value::is_string)
    };
    probe.document().is_some_and(|log| {
        log.get("question").is_some_and(Value::is_string)
            && log.get("history").and_then(Value::as_array).is_some_and(|history| history.iter().any(is_message))
    })
}

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Person,
    Model,
    /// A model's notes to itself.
    Thought,
    Terminal,
    Surfer,
    Files,
}

impl Member {
    fn of(message: &Node<'_>, are_named: bool) -> Self {
        match (message.find("name").filter(|name| name.is_said()), message.say("role")) {
            (Some(name), _) if name.text() == Some(TERMINAL) => Self::Terminal,
            (Some(_), _) => Self::Model,
            // Where others have names, who has none is not known.
            (None, "human") if !are_named => Self::Person,
            (None, "ComputerTerminal") => Self::Terminal,
            (None, "WebSurfer") => Self::Surfer,
            (None, "FileSurfer") => Self::Files,
            (None, role) if role.ends_with("(thought)") => Self::Thought,
            (None, _) => Self::Model,
        }
    }
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let log: Node<'_> = text::document(bytes)?;
    let top = Spot::top(None);
    keys_once(&log, &top)?;
    let history = log.get("history");
    if !history.is_list() {
        return Err(top.at("history").unexpected(history, "an array of messages"));
    }
    let mut draft = Draft::new(FORMAT.name);
    draft.around(&log);
    let are_named = history.list().iter().any(|message| message.get("name").is_said());
    let prompts = log.get("system_prompt");
    for prompt in prompts.text().into_iter().chain(prompts.members().iter().filter_map(|(_, prompt)| prompt.text())) {
        draft.said(&top.at("system_prompt"), Speaker::System, prompt);
    }
    if let Some(question) = log.get("question").text() {
        draft.user(&top.at("question"), question);
    }
    let mut messages = placed(history.list(), &top.at("history")).into_iter().enumerate().peekable();
    let mut ran = None;
    while let Some((index, (message, spot))) = messages.next() {
        if !message.is_map() {
            return Err(spot.unexpected(message, "a message"));
        }
        let next = messages.peek().map(|(_, (message, _))| *message);
        draft.enter(&[message]);
        ran = read_message(&mut draft, message, &spot, Turn { index, ran, next, are_named });
    }
    Ok(vec![draft.finish(source.stem().to_owned())])
}

/// What stands around a message.
struct Turn<'n, 'a> {
    index: usize,
    /// The call that the last message made.
    ran: Option<String>,
    next: Option<&'n Node<'a>>,
    /// Some message says who it is from by a name.
    are_named: bool,
}

/// Reads a message; gives the call that it made and that the next message answers.
fn read_message(draft: &mut Draft, message: &Node<'_>, spot: &Spot, turn: Turn<'_, '_>) -> Option<String> {
    let content = message.get("content");
    let spot = spot.at("content");
    draft.end_model_message();
    let Some(text) = content.text() else {
        draft.said(&spot, Speaker::Assistant, &content.json());
        return None;
    };
    match Member::of(message, turn.are_named) {
        Member::Person => draft.user(&spot, text),
        Member::Thought => draft.said(&spot, Speaker::Thinking, text),
        Member::Surfer => surfer::read(draft, text, &spot, turn.index),
        Member::Files => draft.result(&spot, named("FileSurfer"), Content::Text(text.into()), false),
        Member::Terminal => {
            let from = turn.ran.map_or_else(|| named(TERMINAL), Producer::Call);
            draft.result(&spot, from, Content::Text(text.into()), false);
        }
        Member::Model => {
            draft.model_message(Some(&spot.text()), &spot);
            draft.said(&spot, Speaker::Assistant, text);
            let is_run = turn.next.is_some_and(|next| {
                next.say("name") == TERMINAL && !next.say("content").trim_start().starts_with(NO_CODE)
            });
            if is_run {
                let code = Node::Map(vec![("code".into(), Node::Text(code(text).into()))]);
                return Some(call(draft, &spot, turn.index, TERMINAL, &code));
            }
        }
    }
    None
}

fn named(tool: &str) -> Producer {
    Producer::Named { server: None, tool: tool.to_owned(), ran: Ran::Client }
}

/// Adds a call. The format gives none an id, so it is made from the message's place.
fn call(draft: &mut Draft, spot: &Spot, index: usize, tool: &str, arguments: &Node<'_>) -> String {
    let id = format!("call_{index}").into();
    draft.call(spot, NewCall { id, server: None, tool, arguments: arguments.json(), ran: Ran::Client })
}

/// The code of a message: what stands in its fences, a fence that is not closed reaching to the end. Without a fence it
/// may be any of it.
fn code(text: &str) -> String {
    let mut code = String::new();
    let (mut inside, mut fenced) = (false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            fenced = true;
        } else if inside {
            code.push_str(line);
            code.push('\n');
        }
    }
    if fenced { code } else { text.to_owned() }
}
