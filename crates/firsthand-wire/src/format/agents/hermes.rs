//! Sessions of Hermes: one JSON document whose messages are those of Chat Completions.

use firsthand::conversation::{Conversation, Seat, Speaker};
use serde_json::Value;

use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot, keys_once};
use crate::format::{Format, Source, openai_chat, text};

/// Hermes.
pub(in crate::format) const FORMAT: Format = Format { name: "hermes", title: "Hermes sessions", read, recognises };

/// Where nobody sits in the user's place: prompts that the model stored earlier, tasks of another run.
const UNATTENDED: &[&str] = &["cron", "subagent", "delegate", "scheduler", "webhook"];

/// Whether a session says that no person began it.
fn is_unattended(session: &Node<'_>) -> bool {
    let named = |key: &&str| match session.get(key) {
        Node::Null => false,
        Node::Text(name) => UNATTENDED.contains(&name.trim().to_ascii_lowercase().as_str()),
        Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
    };
    ["platform", "source"].iter().any(named)
        || session.find("parent_session_id").is_some_and(|parent| !parent.is_empty())
}

fn recognises(probe: &Probe) -> bool {
    probe.document().is_some_and(|session| {
        session.get("messages").is_some_and(Value::is_array)
            && ["session_id", "session_start", "platform"].iter().all(|key| session.get(key).is_some())
    })
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let session: Node<'_> = text::document(bytes)?;
    let top = Spot::top(None);
    keys_once(&session, &top)?;
    let messages = session.get("messages");
    if !messages.is_list() {
        return Err(top.at("messages").unexpected(messages, "an array of messages"));
    }
    let mut draft = Draft::new(FORMAT.name);
    draft.said(&top.at("system_prompt"), Speaker::System, session.say("system_prompt"));
    for (tool, spot) in placed(session.get("tools").list(), &top.at("tools")) {
        draft.said(&spot, Speaker::System, &tool.json());
    }
    for (message, spot) in placed(messages.list(), &top.at("messages")) {
        // What the host notes about the session is no message.
        if message.say("role") != "session_meta" {
            draft.enter(&[message]);
            openai_chat::read_message(&mut draft, message, &spot)?;
        }
    }
    let id = session.get("session_id").text().filter(|id| !id.is_empty()).unwrap_or(source.stem());
    let seat = if is_unattended(&session) { Seat::ParentModel } else { Seat::Presumed };
    Ok(vec![Conversation { seat, ..draft.finish(id.to_owned()) }])
}
