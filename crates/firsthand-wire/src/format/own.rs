//! Our own format: JSON Lines, one item a line, after an optional header line.
//!
//! It is also what other programs write by hand, so it is strict: a key or position that it does not know is an error,
//! because a misspelt `relayed` would turn a stranger's words into a person's.

mod write;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::ops::Range;

use firsthand::conversation::{
    Body, Call, Content, Conversation, Item, Parent, Producer, Ran, Relayed, Scope, Seat, Speaker, Text, ToolResult,
};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::chars::Chars;
use super::probe::Probe;
use super::text::{Line, Lines};
use super::{Format, Source};
use crate::error::{Place, ReadError, shown_key};

pub use write::{Unwritable, write, write_items};

/// Our own format.
pub const FORMAT: Format = Format { name: "firsthand", title: "firsthand conversation", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let positioned = |value: &serde_json::Value| value.get("position").is_some_and(serde_json::Value::is_string);
    let header = |value: &serde_json::Value| {
        let keys = value.as_object().filter(|keys| keys.contains_key("conversation"));
        keys.is_some_and(|keys| keys.keys().all(|key| matches!(key.as_str(), "conversation" | "seat" | "parent")))
    };
    probe.values().iter().any(positioned) || probe.values().first().is_some_and(header)
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    Ok(vec![read_after(bytes, source, 0)?])
}

/// Reads what follows so many items of a conversation.
pub(crate) fn read_after(bytes: &[u8], source: &Source<'_>, before: usize) -> Result<Conversation, ReadError> {
    let mut conversation = Conversation {
        id: source.stem().to_owned(),
        parent: None,
        seat: Seat::Presumed,
        dialect: FORMAT.name,
        items: Vec::new(),
    };
    for (index, line) in Lines::of(bytes).enumerate() {
        let line = line?;
        if !line.text.trim_start().starts_with('{') {
            return Err(ReadError::unexpected(Place::Line(line.number), "no JSON object", "a JSON object"));
        }
        let entry: Entry<'_> = line.json()?;
        if index == 0 && entry.conversation.is_some() && entry.position.is_none() {
            header(entry, &line, &mut conversation)?;
        } else {
            let item = item(entry, &line, before + conversation.items.len())?;
            conversation.items.push(item);
        }
    }
    Ok(conversation)
}

/// Every key that some line may have. Which position has which is decided afterwards.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    #[serde(borrow)]
    position: Option<Chars<'a>>,
    #[serde(borrow)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    json: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<Chars<'a>>,
    #[serde(borrow)]
    tool: Option<Chars<'a>>,
    #[serde(borrow)]
    server: Option<Chars<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    ran: Option<Chars<'a>>,
    custom: Option<bool>,
    is_error: Option<bool>,
    #[serde(borrow)]
    mime: Option<Chars<'a>>,
    #[serde(borrow)]
    redirects: Option<Vec<Chars<'a>>>,
    #[serde(borrow)]
    author: Option<Chars<'a>>,
    relayed: Option<Vec<(usize, usize)>>,
    #[serde(borrow)]
    name: Option<Chars<'a>>,
    #[serde(borrow)]
    address: Option<Chars<'a>>,
    #[serde(borrow)]
    scope: Option<Chars<'a>>,
    #[serde(borrow)]
    until: Option<&'a RawValue>,
    to: Option<usize>,
    #[serde(borrow)]
    item: Option<Chars<'a>>,
    turn: Option<u32>,
    #[serde(borrow)]
    conversation: Option<Chars<'a>>,
    #[serde(borrow)]
    seat: Option<Chars<'a>>,
    #[serde(borrow)]
    parent: Option<Chars<'a>>,
}

/// A value that may be `null` and is then still there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn header(entry: Entry<'_>, line: &Line<'_>, conversation: &mut Conversation) -> Result<(), ReadError> {
    let mut keys = Keys { entry, line, owner: "the header" };
    if let Some(id) = keys.entry.conversation.take() {
        conversation.id = id.to_string();
    }
    conversation.parent = keys.entry.parent.take().map(|id| Parent { conversation: id.to_string(), call: None });
    conversation.seat = match keys.entry.seat.take().as_deref() {
        Some("person") => Seat::Person,
        Some("parent_model") => Seat::ParentModel,
        Some(other) => return Err(keys.value("seat", other, "`person` or `parent_model`")),
        // Nobody vouched for a person in a run that another run started.
        None if conversation.parent.is_some() => Seat::ParentModel,
        None => Seat::Presumed,
    };
    keys.no_more()
}

fn item(entry: Entry<'_>, line: &Line<'_>, index: usize) -> Result<Item, ReadError> {
    let mut keys = Keys { entry, line, owner: "an item" };
    let position = keys.entry.position.take();
    let Some(position) = position.as_deref() else {
        return Err(keys.missing("position"));
    };
    let id = keys.entry.item.take().map(|text| text.to_string());
    let turn = keys.entry.turn.take();
    let body = body(&mut keys, position, index)?;
    keys.no_more()?;
    Ok(Item { id, at: line.at(), turn, batch: None, time: None, body })
}

fn body(keys: &mut Keys<'_, '_>, position: &str, index: usize) -> Result<Body, ReadError> {
    let body = match position {
        "user" => {
            keys.owner = "a user message";
            let text = keys.text()?;
            Body::User { relayed: relayed(keys, &text)?, text }
        }
        "assistant" => said(keys, "assistant text", Speaker::Assistant)?,
        "thinking" => said(keys, "thinking", Speaker::Thinking)?,
        "system" => said(keys, "a system text", Speaker::System)?,
        "task" => said(keys, "a task", Speaker::Task)?,
        "summary" => said(keys, "a summary", Speaker::Summary)?,
        "attachment" => {
            keys.owner = "an attachment";
            let name = keys.entry.name.take().map(|text| text.to_string());
            Body::Attachment { name, text: keys.text()?, from_agent_path: false }
        }
        "tool_call" => {
            keys.owner = "a tool call";
            Body::Call(call(keys)?)
        }
        "tool_result" => {
            keys.owner = "a tool result";
            Body::Result(result(keys)?)
        }
        "answer" => {
            keys.owner = "an answer";
            Body::Answer { call: keys.id()?, text: keys.text()? }
        }
        "grant" => {
            keys.owner = "a grant";
            let Some(address) = keys.entry.address.take() else {
                return Err(keys.missing("address"));
            };
            Body::Grant { address: address.to_string(), scope: scope(keys)? }
        }
        "rewind" => {
            keys.owner = "a rewind";
            let Some(to) = keys.entry.to.take() else { return Err(keys.missing("to")) };
            if to > index {
                let found = format!("`to` {to} where {index} items stand before it");
                return Err(keys.unexpected(found, "the index of an item before this line, from 0"));
            }
            Body::Rewind { to }
        }
        other => {
            return Err(keys.value(
                "position",
                other,
                "`user`, `assistant`, `thinking`, `system`, `task`, `summary`, `attachment`, `tool_call`, `tool_result`, \
                 `answer`, `grant` or `rewind`",
            ));
        }
    };
    Ok(body)
}

fn said(keys: &mut Keys<'_, '_>, owner: &'static str, by: Speaker) -> Result<Body, ReadError> {
    keys.owner = owner;
    Ok(Body::Said { by, text: keys.text()? })
}

fn relayed(keys: &mut Keys<'_, '_>, text: &str) -> Result<Relayed, ReadError> {
    let author = keys.entry.author.take();
    let spans = keys.entry.relayed.take();
    match (author.as_deref(), spans) {
        (None, None) => Ok(Relayed::No),
        (Some("relay"), None) => Ok(Relayed::Whole),
        (Some("relay"), Some(_)) => Err(keys.unexpected("both `author` and `relayed`", "one of them")),
        (Some(other), _) => Err(keys.value("author", other, "`relay` or no such key")),
        (None, Some(spans)) => {
            let mut ranges = Vec::with_capacity(spans.len());
            for (number, (start, end)) in spans.into_iter().enumerate() {
                if start > end || text.get(start..end).is_none() {
                    let found =
                        format!("`relayed` span {number} from {start} to {end} in a text of {} bytes", text.len());
                    return Err(keys.unexpected(found, "byte offsets within the text, start first, between characters"));
                }
                ranges.push(start..end);
            }
            Ok(joined(ranges).map_or(Relayed::No, Relayed::Spans))
        }
    }
}

/// The ranges in order, those that touch made one, empty ones left out; `None` where nothing is left.
fn joined(mut ranges: Vec<Range<usize>>) -> Option<Vec<Range<usize>>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            Some(_) | None => joined.push(range),
        }
    }
    (!joined.is_empty()).then_some(joined)
}

fn call(keys: &mut Keys<'_, '_>) -> Result<Call, ReadError> {
    let id = keys.id()?;
    let Some(tool) = keys.entry.tool.take() else { return Err(keys.missing("tool")) };
    let server = keys.entry.server.take().map(|text| text.to_string());
    if server.as_deref().is_some_and(|server| server.trim().is_empty()) {
        return Err(keys.unexpected("a `server` without a name", "the name of a server, or no such key"));
    }
    let Some(arguments) = keys.entry.arguments.take() else {
        return Err(keys.missing("arguments"));
    };
    if !arguments.get().starts_with('{') {
        return Err(keys.unexpected("`arguments` that is no object", "an object"));
    }
    let ran = match keys.entry.ran.take().as_deref() {
        None | Some("client") => Ran::Client,
        Some("provider") => Ran::Provider,
        Some(other) => return Err(keys.value("ran", other, "`client` or `provider`")),
    };
    let custom = keys.entry.custom.take().unwrap_or(false);
    Ok(Call { id, server, tool: tool.to_string(), arguments: Text::from(arguments.get()), ran, custom })
}

fn result(keys: &mut Keys<'_, '_>) -> Result<ToolResult, ReadError> {
    let from = Producer::Call(keys.id()?);
    let content = match (keys.entry.text.take(), keys.entry.json.take()) {
        (Some(text), None) => Content::Text(text.text()),
        (None, Some(json)) => Content::Json(Text::from(json.get())),
        (Some(_), Some(_)) => return Err(keys.unexpected("both `text` and `json`", "one of them")),
        (None, None) => return Err(keys.unexpected("neither `text` nor `json`", "one of them")),
    };
    let is_error = keys.entry.is_error.take().unwrap_or(false);
    let mime = keys.entry.mime.take().map(|text| text.to_string());
    let redirects = keys.entry.redirects.take().unwrap_or_default().iter().map(|to| to.to_string()).collect();
    Ok(ToolResult { from, content, is_error, mime, redirects })
}

fn scope(keys: &mut Keys<'_, '_>) -> Result<Scope, ReadError> {
    let until = keys.entry.until.take();
    let scope = keys.entry.scope.take();
    match (scope.as_deref(), until) {
        (Some("once"), None) => Ok(Scope::Once),
        (Some("run"), None) => Ok(Scope::Run),
        (Some("until"), Some(until)) => match time(until.get()) {
            Some(seconds) => Ok(Scope::Until(seconds)),
            None => {
                Err(keys.unexpected("an `until` that is no time", "a time as in RFC 3339, or whole seconds since 1970"))
            }
        },
        (Some("until"), None) => Err(keys.missing("until")),
        (Some("once" | "run"), Some(_)) => {
            Err(keys.unexpected("`until` in a scope that has none", "the scope `until`, or no such key"))
        }
        (Some(other), _) => Err(keys.value("scope", other, "`once`, `run` or `until`")),
        (None, _) => Err(keys.missing("scope")),
    }
}

fn time(json: &str) -> Option<i64> {
    if let Ok(seconds) = serde_json::from_str::<i64>(json) {
        return Some(seconds);
    }
    let text: String = serde_json::from_str(json).ok()?;
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
}

/// The keys of a line that are not yet used, and how to speak of them.
struct Keys<'e, 'a> {
    entry: Entry<'a>,
    line: &'e Line<'a>,
    owner: &'static str,
}

impl Keys<'_, '_> {
    fn text(&mut self) -> Result<Text, ReadError> {
        match self.entry.text.take() {
            Some(text) => Ok(text.text()),
            None => Err(self.missing("text")),
        }
    }

    fn id(&mut self) -> Result<String, ReadError> {
        match self.entry.id.take() {
            Some(id) => Ok(id.to_string()),
            None => Err(self.missing("id")),
        }
    }

    fn unexpected(&self, found: impl Into<String>, expected: impl Into<String>) -> ReadError {
        ReadError::unexpected(Place::Line(self.line.number), found, expected)
    }

    fn missing(&self, key: &str) -> ReadError {
        self.unexpected(format!("{} without the key `{key}`", self.owner), format!("the key `{key}`"))
    }

    fn value(&self, key: &str, value: &str, expected: &str) -> ReadError {
        self.unexpected(format!("the `{key}` {}", shown_key(value)), expected)
    }

    /// Fails where a key is left that what stands in the line does not have.
    fn no_more(self) -> Result<(), ReadError> {
        let Entry {
            position,
            text,
            json,
            id,
            tool,
            server,
            arguments,
            ran,
            custom,
            is_error,
            mime,
            redirects,
            author,
            relayed,
            name,
            address,
            scope,
            until,
            to,
            item,
            turn,
            conversation,
            seat,
            parent,
        } = &self.entry;
        let left = [
            ("position", position.is_some()),
            ("text", text.is_some()),
            ("json", json.is_some()),
            ("id", id.is_some()),
            ("tool", tool.is_some()),
            ("server", server.is_some()),
            ("arguments", arguments.is_some()),
            ("ran", ran.is_some()),
            ("custom", custom.is_some()),
            ("is_error", is_error.is_some()),
            ("mime", mime.is_some()),
            ("redirects", redirects.is_some()),
            ("author", author.is_some()),
            ("relayed", relayed.is_some()),
            ("name", name.is_some()),
            ("address", address.is_some()),
            ("scope", scope.is_some()),
            ("until", until.is_some()),
            ("to", to.is_some()),
            ("item", item.is_some()),
            ("turn", turn.is_some()),
            ("conversation", conversation.is_some()),
            ("seat", seat.is_some()),
            ("parent", parent.is_some()),
        ];
        match left.iter().find(|(_, left)| *left) {
            None => Ok(()),
            Some((key, _)) => {
                Err(self.unexpected(format!("the key `{key}` in {}", self.owner), "only the keys that it has"))
            }
        }
    }
}
