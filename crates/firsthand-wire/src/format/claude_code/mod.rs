//! Transcripts of Claude Code, and the stream that its SDK prints.
//!
//! A file holds one session, a subagent's run, or both. Lines that a person, the host, other agents and the model wrote
//! stand under the same two roles; [`user`] tells them apart. Lines keep the order of the file: [`branch`] says where a
//! later line took earlier ones back. Compaction takes nothing back, because what stood before it is in the file.

mod branch;
mod record;
mod results;
mod run;
mod user;

use std::collections::HashMap;

use firsthand::conversation::{Body, Conversation, Item, Parent, Seat};

use super::lax::{Node, Raw};
use super::probe::{Probe, says};
use super::recorded::signs::Watched;
use super::records::{CUT, Records, records};
use super::text::{document, without_mark};
use super::{Format, Source};
use crate::error::ReadError;
use record::{Entry, Record, Where};
use run::{Launched, read_run};
use user::Run;

/// Transcripts of Claude Code.
pub(super) const FORMAT: Format = Format { name: DIALECT, title: "Claude Code transcript", read, recognises };

const DIALECT: &str = "claude-code";

fn recognises(probe: &Probe) -> bool {
    let is_line = |line: &serde_json::Value| {
        let has = |key: &str| line.get(key).is_some();
        let in_session = line.get("sessionId").is_some_and(serde_json::Value::is_string);
        let streamed = line.get("session_id").is_some_and(serde_json::Value::is_string);
        let kind = line.get("type").and_then(serde_json::Value::as_str);
        has("type") && in_session && (has("uuid") || has("parentUuid"))
            || has("parentUuid") && has("isSidechain")
            || kind == Some("queue-operation") && has("operation")
            || kind == Some("summary") && has("leafUuid")
            || kind == Some("file-history-snapshot") && has("snapshot")
            || kind == Some("system") && says(line, "subtype", "init") && streamed
            || matches!(kind, Some("user" | "assistant")) && streamed && has("parent_tool_use_id")
    };
    let is_list = |value: &serde_json::Value| value.as_array().is_some_and(|list| list.iter().any(is_line));
    probe.values().iter().any(|value| is_line(value) || is_list(value))
}

/// The session that a file belongs to, so that a session can be read together with the runs of its subagents.
///
/// `path` is the file's, `head` its beginning, of which the last line may be cut off. The path counts first: the files of
/// subagents lie in a folder of the session's name.
pub fn family_of(path: &str, head: &[u8]) -> Option<String> {
    session_of_path(path).map(str::to_owned).or_else(|| {
        let lines = head.split(|byte| *byte == b'\n');
        let mut records = lines.filter_map(|line| serde_json::from_slice::<Record<'_>>(line).ok());
        records.find_map(|record| record.session().map(str::to_owned))
    })
}

/// Says in a subagent's conversation what its companion file (`agent-*.meta.json`) knows: which call started it, and
/// which subagent, if it was one. Bytes that are no such file change nothing.
pub fn adopt(conversation: &mut Conversation, meta: &[u8]) {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Meta {
        #[serde(default)]
        tool_use_id: Option<String>,
        #[serde(default)]
        parent_agent_id: Option<String>,
    }

    let Ok(meta) = serde_json::from_slice::<Meta>(meta) else { return };
    let Some(parent) = &mut conversation.parent else { return };
    if let Some(call) = meta.tool_use_id {
        parent.call = Some(call);
    }
    if let Some(agent) = meta.parent_agent_id {
        let session = parent.conversation.split('/').next().unwrap_or_default();
        parent.conversation = agent_conversation(session, &agent);
    }
}

fn session_of_path(path: &str) -> Option<&str> {
    let mut parts = path.rsplit(['/', '\\']);
    parts.find(|part| *part == "subagents")?;
    parts.next().filter(|session| !session.is_empty())
}

fn agent_conversation(session: &str, agent: &str) -> String {
    format!("{session}/agent-{agent}")
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let (entries, is_cut) = entries(bytes)?;
    let session = session(&entries, source);
    let mut conversations = Vec::new();
    let mut launched = Vec::new();
    let mut unplaced = Vec::new();
    for (key, entries) in runs(&entries, agent_of(source)) {
        let id = key.conversation(&session);
        let run = read_run(&entries, key.run(), &id, &mut launched);
        if run.items.is_empty() {
            continue;
        }
        // What a fork copied has a person in its user's place; its tasks are marked as such one by one.
        let (seat, parent) = match key.run() {
            Run::Main => (Seat::Presumed, None),
            Run::Side if run.is_fork => (Seat::Presumed, parent_of(&id, &session)),
            Run::Side => (Seat::ParentModel, parent_of(&id, &session)),
        };
        unplaced.push((key, run.task));
        conversations.push(Conversation { id, parent, seat, dialect: DIALECT, items: run.items });
    }
    let launches = Launches::of(&launched);
    for (conversation, (key, task)) in conversations.iter_mut().zip(unplaced) {
        if let Some(launch) = launches.of_run(key, task.as_deref()) {
            let call = Some(launch.call.clone());
            conversation.parent = Some(Parent { conversation: launch.run.clone(), call });
        }
    }
    if is_cut {
        for conversation in &mut conversations {
            let body = Body::Hidden { calls: true, what: CUT };
            conversation.items.push(Item::new("the end", body));
        }
    }
    Ok(conversations)
}

/// The lines of a file, and whether the last is cut off; or the elements of the list that the agent prints at its end.
fn entries(bytes: &[u8]) -> Result<(Vec<Entry<'_>>, bool), ReadError> {
    if !without_mark(bytes).trim_ascii_start().starts_with(b"[") {
        let Records { list, cut } = records::<Watched<Record<'_>>>(bytes)?;
        let lines = list.into_iter();
        let entries = lines.map(|(line, record)| Entry { place: Where::Line(line.number), text: line.text, record });
        return Ok((entries.collect(), cut));
    }
    let list: Vec<Raw<'_>> = document(bytes)?;
    let elements = list.into_iter().enumerate().map(|(index, raw)| match raw.read::<Node<Watched<Record<'_>>>>() {
        Some(Node::Is(record)) => Ok(Entry { place: Where::Element(index), text: raw.text(), record }),
        Some(Node::Absent | Node::Odd) => Err(ReadError::unexpected(format!("/{index}"), "no object", "an object")),
        None => Err(ReadError::unexpected(format!("/{index}"), "an object", "one in which each key stands once")),
    });
    Ok((elements.collect::<Result<_, _>>()?, false))
}

/// The agent whose file it is by its name: nobody is a person in it, whatever its lines say.
fn agent_of<'s>(source: &Source<'s>) -> Option<&'s str> {
    let file = source.name.rsplit(['/', '\\']).next()?;
    let agent = file.strip_prefix("agent-")?;
    Some(agent.split_once('.').map_or(agent, |(agent, _)| agent))
}

/// The session that a file is of: what its folder says, else its name where a line agrees, else its first line that says.
fn session(entries: &[Entry<'_>], source: &Source<'_>) -> String {
    let said = || entries.iter().filter_map(|entry| entry.record.session());
    let stem = source.stem();
    if let Some(session) = session_of_path(source.name) {
        return session.to_owned();
    }
    if said().any(|session| session == stem) {
        return stem.to_owned();
    }
    said().next().unwrap_or(stem).to_owned()
}

fn parent_of(id: &str, session: &str) -> Option<Parent> {
    // A file that only names its own run does not say whose it is.
    (id != session).then(|| Parent { conversation: session.to_owned(), call: None })
}

/// What tells the runs of a file apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key<'t> {
    Main,
    Agent(&'t str),
    /// A chain of lines of a subagent without an id, by the id of its first line.
    Chain(&'t str),
    /// The run that this call started.
    Call(&'t str),
}

impl Key<'_> {
    fn run(&self) -> Run {
        match self {
            Self::Main => Run::Main,
            Self::Agent(_) | Self::Chain(_) | Self::Call(_) => Run::Side,
        }
    }

    fn conversation(&self, session: &str) -> String {
        match self {
            Self::Main => session.to_owned(),
            Self::Agent(agent) if session.strip_prefix("agent-") == Some(agent) => session.to_owned(),
            Self::Agent(agent) => agent_conversation(session, agent),
            Self::Chain(root) => format!("{session}/sidechain-{root}"),
            Self::Call(call) => format!("{session}/call-{call}"),
        }
    }
}

/// The calls that started subagents.
struct Launches<'l> {
    by_agent: HashMap<&'l str, &'l Launched>,
    by_call: HashMap<&'l str, &'l Launched>,
    by_task: HashMap<&'l str, &'l Launched>,
}

impl<'l> Launches<'l> {
    fn of(launched: &'l [Launched]) -> Self {
        let all = || launched.iter();
        Self {
            by_agent: all().filter_map(|launch| Some((launch.agent.as_deref()?, launch))).collect(),
            by_call: all().map(|launch| (launch.call.as_str(), launch)).collect(),
            by_task: all().filter_map(|launch| Some((launch.task.as_deref()?, launch))).collect(),
        }
    }

    /// The call that started a run: by the agent's id, the call's id or, in old files, the words of the task.
    fn of_run(&self, key: Key<'_>, task: Option<&str>) -> Option<&'l Launched> {
        match key {
            Key::Main => None,
            Key::Agent(agent) => self.by_agent.get(agent).copied(),
            Key::Call(call) => self.by_call.get(call).copied(),
            Key::Chain(_) => self.by_task.get(task?).copied(),
        }
    }
}

/// The lines of each run, in order, lines that were written twice only once.
fn runs<'e, 't>(entries: &'e [Entry<'t>], agent: Option<&'e str>) -> Vec<(Key<'e>, Vec<&'e Entry<'t>>)> {
    let mut runs: Vec<(Key<'e>, Vec<&'e Entry<'t>>)> = Vec::new();
    let mut places: HashMap<Key<'e>, usize> = HashMap::new();
    let mut chains: HashMap<&'e str, &'e str> = HashMap::new();
    let mut seen: HashMap<&'e str, &'e Entry<'t>> = HashMap::new();
    for entry in entries {
        let record = &entry.record;
        if let Some(uuid) = record.uuid.get() {
            // An id that comes again with other words is no copy, and its words were written too.
            match seen.get(uuid) {
                Some(first) if says_the_same(first, entry) => continue,
                Some(_) => {}
                None => {
                    seen.insert(uuid, entry);
                }
            }
        }
        let key = key_of(record, agent, &mut chains);
        let place = *places.entry(key).or_insert_with(|| {
            runs.push((key, Vec::new()));
            runs.len() - 1
        });
        if let Some((_, lines)) = runs.get_mut(place) {
            lines.push(entry);
        }
    }
    runs
}

fn says_the_same(one: &Entry<'_>, other: &Entry<'_>) -> bool {
    let (one, other) = (&one.record, &other.record);
    one.kind == other.kind
        && one.message == other.message
        && one.attachment == other.attachment
        && one.structured() == other.structured()
        && one.origin == other.origin
        && one.content == other.content
}

fn key_of<'e>(record: &'e Record<'_>, agent: Option<&'e str>, chains: &mut HashMap<&'e str, &'e str>) -> Key<'e> {
    if let Some(call) = record.stream_parent_call.get().filter(|call| !call.is_empty()) {
        return Key::Call(call);
    }
    if let Some(agent) = record.agent_id.get().filter(|agent| !agent.is_empty()) {
        return Key::Agent(agent);
    }
    if let Some(agent) = agent {
        return Key::Agent(agent);
    }
    let is_side = record.is_sidechain.may_be_yes() || record.agent_id.is_odd() || record.stream_parent_call.is_odd();
    if !is_side {
        return Key::Main;
    }
    let own = record.uuid.or_empty();
    let parent = record.parent_uuid.get().and_then(|parent| chains.get(parent).copied());
    let root = parent.unwrap_or(own);
    chains.insert(own, root);
    Key::Chain(root)
}
