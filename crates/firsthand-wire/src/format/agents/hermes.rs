//! Sessions of Hermes: JSON documents whose messages are those of Chat Completions. A file holds one, a list, or one a line.

use firsthand::conversation::{Conversation, Speaker};
use serde_json::Value;

use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::units::{Unit, each_unit};
use crate::format::{Format, Source, openai_chat};

/// Hermes.
pub(in crate::format) const FORMAT: Format = Format { name: "hermes", title: "Hermes sessions", read, recognises };

/// Where nobody sits in the user's place: prompts that the model stored earlier, tasks of another run.
const UNATTENDED: &[&str] = &["cron", "subagent", "delegate", "scheduler", "webhook"];

/// Whether a session says that no person began it.
fn is_unattended(session: &Node<'_>) -> bool {
    let named = |key: &&str| match session.get(key) {
        Node::Null | Node::Bool(false) => false,
        Node::Text(name) => UNATTENDED.contains(&name.trim().to_ascii_lowercase().as_str()),
        Node::Bool(true) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
    };
    ["platform", "source"].iter().any(named)
}

fn recognises(probe: &Probe) -> bool {
    let is_session = |session: &Value| {
        let has = |key: &str| session.get(key).is_some();
        session.get("messages").is_some_and(Value::is_array)
            && (has("session_id") && (has("session_start") || has("platform") && has("parent_session_id"))
                // An export writes the rows of the store.
                || has("id") && has("source") && has("parent_session_id"))
    };
    let lists = probe.document().and_then(Value::as_array).into_iter().flatten();
    probe.values().iter().chain(lists).any(is_session)
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut conversations = Vec::new();
    each_unit(bytes, &mut |Unit { spot, node }| {
        let sessions = if node.is_list() { placed(node.list(), &spot) } else { vec![(&node, spot)] };
        for (session, spot) in sessions {
            let number = conversations.len();
            let said = ["session_id", "id"].iter().find_map(|key| session.get(key).text().filter(|id| !id.is_empty()));
            let id = said.map_or_else(|| unnamed(source, number), str::to_owned);
            let is_taken = conversations.iter().any(|other: &Conversation| other.id == id);
            let id = if is_taken { format!("{id}#{number}") } else { id };
            conversations.push(read_session(session, &spot, id)?);
        }
        Ok(())
    })?;
    if conversations.is_empty() {
        return Err(ReadError::unexpected("", "nothing", "a session with `messages`"));
    }
    Ok(conversations)
}

fn unnamed(source: &Source<'_>, number: usize) -> String {
    if number == 0 { source.stem().to_owned() } else { format!("{}#{number}", source.stem()) }
}

fn read_session(session: &Node<'_>, top: &Spot, id: String) -> Result<Conversation, ReadError> {
    let messages = session.get("messages");
    if !messages.is_list() {
        return Err(top.at("messages").unexpected(messages, "an array of messages"));
    }
    let mut draft = Draft::new(FORMAT.name);
    draft.around(session);
    if is_unattended(session) {
        draft.be_a_child();
    }
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
    Ok(draft.finish(id))
}
