//! Rollouts of Codex CLI.
//!
//! A line holds an item of the model's history, an event that was displayed, or a fact about the session. The history
//! counts. Three things stand only in events: what a person typed ([`typed`]), what a search found, and what a connector
//! itself returned. Compaction writes the history anew; what stood before it is in the file and is the better evidence,
//! so the new history adds only what is not known yet.

mod events;
mod items;
mod record;
mod typed;
mod user;

use firsthand::conversation::{Body, Conversation, Item, Parent, Seat, Speaker};
use serde_json::Value;

use super::lax::{Node, Raw, Word};
use super::probe::Probe;
use super::recorded::signs;
use super::records::{CUT, records};
use super::text::milliseconds;
use super::{Format, Source, names, recorded};
use crate::error::ReadError;
use items::Reader;
use record::{Payload, Record, Sourced, Spawned};

/// Rollouts of Codex CLI.
pub(super) const FORMAT: Format = Format { name: DIALECT, title: "Codex rollout", read, recognises };

const DIALECT: &str = "codex";

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| {
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        let wrapped = matches!(
            kind,
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" | "world_state"
        );
        wrapped && line.get("payload").is_some()
            || line.get("record_type").is_some()
            || kind == "thread.started" && line.get("thread_id").is_some()
    })
}

/// The session that a file belongs to: that of the thread which started it, or its own.
///
/// `head` is the file's beginning, of which the last line may be cut off. A subagent's subagent names the subagent.
pub fn family_of(head: &[u8]) -> Option<String> {
    let lines = head.split(|byte| *byte == b'\n');
    let mut records = lines.filter_map(|line| serde_json::from_slice::<Record<'_>>(line).ok());
    records.find_map(|record| {
        let payload = record.payload.get().filter(|_| record.kind.get() == Some("session_meta"))?;
        let session = Session::of(payload);
        session.parent.or_else(|| payload.session_id.owned()).or(session.id)
    })
}

/// What a file says of its session.
#[derive(Clone, Debug, Default)]
struct Session {
    id: Option<String>,
    parent: Option<String>,
    is_subagent: bool,
    agent_path: Option<String>,
}

impl Session {
    fn of(meta: &Payload<'_>) -> Self {
        let source = meta.source.and_then(|source| source.read::<Node<Sourced<'_>>>());
        let subagent = source.as_ref().and_then(Node::get).and_then(|source| source.subagent);
        let spawned = subagent.and_then(|subagent| subagent.read::<Node<Spawned<'_>>>());
        let spawn = spawned.as_ref().and_then(Node::get).and_then(|spawned| spawned.thread_spawn.get());
        let said = |word: &Word<'_>| word.owned();
        let parent = said(&meta.parent_thread_id).or_else(|| said(&spawn?.parent_thread_id));
        Self {
            id: said(&meta.id).or_else(|| said(&meta.session_id)),
            is_subagent: meta.source.is_some_and(is_elsewhere) || parent.is_some() || meta.parent_thread_id.is_odd(),
            parent,
            agent_path: said(&meta.agent_path).or_else(|| said(&spawn?.agent_path)),
        }
    }
}

/// Whether a line says that no person began the session, or what of it follows: one of the facts about it, or a line that
/// may be one.
fn is_of_a_child(line: &str, record: &Record<'_>) -> bool {
    // A line without a type may be such a fact.
    let has_a_type = record.kind.get().is_some_and(|kind| kind.starts_with(|first: char| first.is_alphabetic()));
    if !has_a_type && record.payload.get().is_some() {
        return true;
    }
    if record.kind.get() != Some("session_meta") {
        return false;
    }
    let Some(meta) = record.payload.get() else { return true };
    let Ok(line) = serde_json::from_str::<recorded::node::Node<'_>>(line) else { return true };
    let payload = line.get("payload");
    let is_a_persons = |thread: &str| thread == "user" || is_place(thread);
    let begun_elsewhere = payload.find("thread_source").is_some_and(|by| !by.text().is_some_and(is_a_persons));
    let has_a_name = |key: &&str| payload.find(key).is_some_and(|name| name.text() != Some(""));
    meta.source.is_none()
        || Session::of(meta).is_subagent
        || begun_elsewhere
        || ["agent_nickname", "agent_role"].iter().any(has_a_name)
        || signs::is_of_a_child(&payload.without(&["source"]))
}

/// Whether what says where a session was begun names no place where a person sits: another agent, or nothing that is known.
fn is_elsewhere(source: Raw<'_>) -> bool {
    match source.read::<Word<'_>>() {
        Some(Word::Absent) => false,
        Some(Word::Is(name)) => !is_place(&name),
        Some(Word::Odd) | None => true,
    }
}

fn is_place(name: &str) -> bool {
    PLACES.contains(&name)
}

/// Where a session may be begun by a person.
const PLACES: &[&str] = &["cli", "vscode", "exec", "mcp"];

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let records = records::<Record<'_>>(bytes)?;
    if records.list.first().is_some_and(|(_, record)| record.kind.or_empty().starts_with("thread.")) {
        return Err(ReadError::Unsupported { title: "the output of `codex exec --json`", known: names() });
    }
    // A fork repeats the facts about the session that it was copied from; the first are its own.
    let metas = records.list.iter().filter(|(_, record)| record.kind.get() == Some("session_meta"));
    let meta = metas.filter_map(|(_, record)| record.payload.get()).next();
    let mut session = meta.map(|meta| Session::of(meta)).unwrap_or_default();
    let first = records.list.iter().find(|(_, record)| record.kind.get() == Some("session_meta"));
    session.is_subagent |= match first {
        Some((line, record)) => is_of_a_child(line.text, record),
        // Only the oldest files begin without the facts about their session.
        None => records.list.iter().any(|(_, record)| record.is_wrapped()),
    };
    let mut is_child = session.is_subagent;
    let mut reader = Reader::of(&records.list, &session);
    for (line, record) in &records.list {
        let before = reader.items.len();
        reader.line(line, record);
        is_child |= is_of_a_child(line.text, record);
        if is_child {
            reader.items.iter_mut().skip(before).for_each(|item| signs::take(&mut item.body, Speaker::Task));
        }
        let time = record.timestamp.get().and_then(milliseconds);
        for item in reader.items.iter_mut().skip(before) {
            item.time = time;
        }
    }
    let mut items = reader.items();
    if items.is_empty() && !records.cut {
        return Ok(Vec::new());
    }
    if records.cut {
        items.push(Item::new("the end", Body::Hidden { calls: true, what: CUT }));
    }
    let seat = if session.is_subagent { Seat::ParentModel } else { Seat::Presumed };
    let parent = session.parent.map(|conversation| Parent { conversation, call: None });
    let id = session.id.unwrap_or_else(|| source.stem().to_owned());
    Ok(vec![Conversation { id, parent, seat, dialect: DIALECT, items }])
}
