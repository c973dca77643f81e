//! The events of a file, in the order in which they were processed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde::Deserialize;

use super::super::lax::{Blocks, Raw, Word};
use super::super::recorded;
use super::super::recorded::signs::{Watched, is_member_of_a_child};
use super::super::records::records;
use super::super::text::{document, without_mark};
use crate::error::ReadError;

/// An event. Which fields it has depends on its type.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Event<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) processed_at: Word<'t>,
    #[serde(borrow, default)]
    pub(super) session_thread_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) from_session_thread_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) from_agent_name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Blocks<'t, Block<'t>>,
    #[serde(borrow, default)]
    pub(super) name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) mcp_server_name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) input: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) custom_tool_use_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) mcp_tool_use_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) deny_message: Word<'t>,
    #[serde(borrow, default)]
    pub(super) description: Word<'t>,
    #[serde(borrow, default)]
    pub(super) rubric: Option<Raw<'t>>,
}

/// A block of an event's content.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Block<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) text: Word<'t>,
    #[serde(borrow, default)]
    pub(super) title: Word<'t>,
    #[serde(borrow, default)]
    pub(super) source: Option<Raw<'t>>,
}

/// Where the text of a document is.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct DocumentSource<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) media_type: Word<'t>,
    #[serde(borrow, default)]
    pub(super) data: Word<'t>,
    #[serde(borrow, default)]
    pub(super) url: Word<'t>,
}

/// An event with its place in the file.
#[derive(Clone, Debug)]
pub(super) struct Placed<'t> {
    /// Where it stands.
    pub(super) at: String,
    /// Its JSON text.
    pub(super) json: &'t str,
    pub(super) event: Watched<Event<'t>>,
    /// The JSON text of it and what stands around it.
    pub(super) whole: &'t str,
}

impl Placed<'_> {
    /// Where something in it stands.
    pub(super) fn below(&self, pointer: &str) -> String {
        // A line and a pointer into it are two words.
        let joint = if self.at.contains('/') || pointer.is_empty() { "" } else { " " };
        format!("{}{joint}{pointer}", self.at)
    }
}

/// What may stand around an event.
#[derive(Clone, Debug, Deserialize)]
struct Envelope<'t> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'t>,
    #[serde(borrow, default)]
    event: Option<Raw<'t>>,
    #[serde(borrow, default)]
    data: Option<Raw<'t>>,
}

/// The events in the order in which they were processed, and whether the file's last line is cut off.
pub(super) fn placed(bytes: &[u8]) -> Result<(Vec<Placed<'_>>, bool), ReadError> {
    if let Some((list, pointer)) = list(bytes)? {
        let events = list.iter().enumerate();
        let events = events.map(|(index, raw)| {
            let read = |error| ReadError::json(&error, 1);
            let envelope = serde_json::from_str(raw.text()).map_err(read)?;
            unwrapped(envelope, raw.text(), format!("{pointer}/{index}"), 1)
        });
        return Ok((in_order(events.collect::<Result<_, _>>()?), false));
    }
    let records = records::<Envelope<'_>>(bytes)?;
    let events = records.list.into_iter();
    let events = events.map(|(line, envelope)| unwrapped(envelope, line.text, line.at(), line.number));
    Ok((in_order(events.collect::<Result<_, _>>()?), records.cut))
}

/// Whether what stands around the events of a file that is one document says that no person is in it.
pub(super) fn are_of_a_child(bytes: &[u8]) -> bool {
    let members = document::<BTreeMap<String, Raw<'_>>>(bytes).unwrap_or_default();
    members.iter().filter(|(name, _)| *name != "data").any(|(name, value)| {
        let value = value.read().unwrap_or(recorded::node::Node::Bool(true));
        is_member_of_a_child(name, &value)
    })
}

/// The elements of a file that is one list, and the pointer to it.
fn list(bytes: &[u8]) -> Result<Option<(Vec<Raw<'_>>, &'static str)>, ReadError> {
    #[derive(Deserialize)]
    struct Page<'t> {
        #[serde(borrow)]
        data: Vec<Raw<'t>>,
    }

    let begun = without_mark(bytes).trim_ascii_start();
    if begun.starts_with(b"[") {
        return Ok(Some((document(bytes)?, "")));
    }
    let first = begun.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first: Result<Envelope<'_>, _> = serde_json::from_slice(first);
    match first {
        // The first line is an object of its own: a page of a list has only that one.
        Ok(envelope) if !envelope.data.is_some_and(|data| data.text().starts_with('[')) => Ok(None),
        Ok(_) => Ok(Some((document::<Page<'_>>(bytes)?.data, "/data"))),
        // A document of many lines, if it is one.
        Err(error) if error.is_eof() => Ok(document::<Page<'_>>(bytes).ok().map(|page| (page.data, "/data"))),
        Err(_) => Ok(None),
    }
}

/// An event, whatever stands around it.
fn unwrapped<'t>(envelope: Envelope<'t>, json: &'t str, at: String, line: usize) -> Result<Placed<'t>, ReadError> {
    let is_bare = envelope.kind.get().is_some_and(|kind| kind.contains('.'));
    let is_object = |raw: &Raw<'_>| raw.text().starts_with('{');
    let inner = match (envelope.event.filter(is_object), envelope.data.filter(is_object)) {
        _ if is_bare => None,
        (Some(event), _) => Some(("/event", event)),
        (None, Some(data)) => Some(("/data", data)),
        (None, None) => None,
    };
    let joint = if at.contains('/') { "" } else { " " };
    let whole = json;
    let (at, json) = match inner {
        Some((pointer, raw)) => (format!("{at}{joint}{pointer}"), raw.text()),
        None => (at, json),
    };
    let event = serde_json::from_str(json).map_err(|error| ReadError::json(&error, line))?;
    Ok(Placed { at, json, event, whole })
}

/// Events in the order in which they were processed, each once. What still waits to be processed comes last.
fn in_order(events: Vec<Placed<'_>>) -> Vec<Placed<'_>> {
    let mut events = each_once(events);
    if is_newest_first(&events) {
        events.reverse();
    }
    let mut now = events.iter().find_map(time).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut timed: Vec<((bool, Timestamp), Placed<'_>)> = Vec::with_capacity(events.len());
    for placed in events {
        let sent = placed.event.kind.or_empty().starts_with("user.");
        let waits = sent && placed.event.processed_at.get().is_none();
        now = time(&placed).unwrap_or(now);
        timed.push(((waits, now), placed));
    }
    timed.sort_by_key(|(key, _)| *key);
    timed.into_iter().map(|(_, placed)| placed).collect()
}

fn time(placed: &Placed<'_>) -> Option<Timestamp> {
    placed.event.processed_at.get()?.parse().ok()
}

/// Whether a list was asked for with the newest event first: then results stand before their calls. Where there are none,
/// the times say it.
fn is_newest_first(events: &[Placed<'_>]) -> bool {
    let calls: HashMap<&str, usize> =
        events.iter().enumerate().filter_map(|(index, placed)| Some((placed.event.id.get()?, index))).collect();
    let pairs = events.iter().enumerate().filter_map(|(index, placed)| {
        let event = &placed.event;
        let call = event.tool_use_id.get().or(event.custom_tool_use_id.get()).or(event.mcp_tool_use_id.get())?;
        Some(index < *calls.get(call)?)
    });
    let (before, after): (Vec<bool>, Vec<bool>) = pairs.partition(|before| *before);
    if !before.is_empty() || !after.is_empty() {
        return before.len() > after.len();
    }
    let times: Vec<Timestamp> = events.iter().filter_map(time).collect();
    let steps = times.iter().zip(times.iter().skip(1));
    let (falls, rises) = steps.fold((0_usize, 0_usize), |(falls, rises), (one, next)| {
        (falls + usize::from(one > next), rises + usize::from(one < next))
    });
    falls > rises
}

/// Events without copies: the same id with the same content, or once before and once after it was processed.
fn each_once(events: Vec<Placed<'_>>) -> Vec<Placed<'_>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut once: Vec<Placed<'_>> = Vec::with_capacity(events.len());
    for placed in events {
        let Some(id) = placed.event.id.owned() else {
            once.push(placed);
            continue;
        };
        match places.entry(id) {
            Entry::Vacant(place) => {
                place.insert(once.len());
                once.push(placed);
            }
            Entry::Occupied(place) => match once.get_mut(*place.get()) {
                Some(first) if is_copy(first, &placed) => {
                    if first.event.processed_at.get().is_none() {
                        *first = placed;
                    }
                }
                // An id that comes again with other words is no copy, and its words were written too.
                _ => once.push(placed),
            },
        }
    }
    once
}

fn is_copy(one: &Placed<'_>, other: &Placed<'_>) -> bool {
    let (one, other) = (&one.event, &other.event);
    one.kind == other.kind && one.content == other.content && one.input == other.input && one.name == other.name
}
