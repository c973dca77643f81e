//! Writes our own format.

use firsthand::conversation::{
    Body, Call, Content, Conversation, Item, Producer, Ran, Relayed, Scope, Seat, Speaker, ToolResult,
};
use serde::Serialize;
use serde_json::value::RawValue;

/// Why an item of another format has no line in ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("item {item} cannot be written: {what} has no line in this format")]
pub struct Unwritable {
    /// The index of the item, from 0.
    pub item: usize,
    /// What it is.
    pub what: &'static str,
}

/// A conversation as JSON Lines, header first. Reading it gives the same conversation, but for `at`.
///
/// What other formats know and ours does not (reports, hidden items, results without a call's id, message ids, files that
/// a host read from the agent's own paths, JSON that is broken) is an error, because leaving it out would change who is
/// believed.
pub fn write(conversation: &Conversation) -> Result<String, Unwritable> {
    let Conversation { id, parent, seat, dialect: _, items } = conversation;
    if parent.as_ref().is_some_and(|parent| parent.call.is_some()) {
        return Err(Unwritable { item: 0, what: "the call that started the run" });
    }
    let seat = match seat {
        Seat::Presumed if parent.is_some() => {
            return Err(Unwritable { item: 0, what: "a run with a parent whose user is presumed a person" });
        }
        Seat::Presumed => None,
        Seat::Person => Some("person"),
        Seat::ParentModel => Some("parent_model"),
    };
    let header = Header { conversation: id, seat, parent: parent.as_ref().map(|parent| parent.conversation.as_str()) };
    let mut lines = String::new();
    push(&mut lines, &header).map_err(|what| Unwritable { item: 0, what })?;
    lines.push_str(&write_items(items)?);
    Ok(lines)
}

/// Writes items without the first line of a conversation, to be appended to one.
pub fn write_items(items: &[Item]) -> Result<String, Unwritable> {
    let mut lines = String::new();
    for (index, item) in items.iter().enumerate() {
        line(item).and_then(|line| push(&mut lines, &line)).map_err(|what| Unwritable { item: index, what })?;
    }
    Ok(lines)
}

fn push(lines: &mut String, line: &impl Serialize) -> Result<(), &'static str> {
    lines.push_str(&serde_json::to_string(line).map_err(|_| "what serde_json cannot write")?);
    lines.push('\n');
    Ok(())
}

#[derive(Serialize)]
struct Header<'a> {
    conversation: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
}

#[derive(Default, Serialize)]
struct Line<'a> {
    position: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relayed: Option<Vec<(usize, usize)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redirects: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<usize>,
}

fn line(item: &Item) -> Result<Line<'_>, &'static str> {
    let Item { id, at: _, turn, batch, time: _, body } = item;
    if batch.is_some() {
        return Err("the id of a message");
    }
    let mut line = Line { position: body.position().name(), item: id.as_deref(), turn: *turn, ..Line::default() };
    match body {
        Body::User { text, relayed } => {
            line.position = "user";
            line.text = Some(text);
            match relayed {
                Relayed::No => {}
                Relayed::Whole => line.author = Some("relay"),
                Relayed::Spans(spans) => line.relayed = Some(spans.iter().map(|span| (span.start, span.end)).collect()),
            }
        }
        Body::Said { by: Speaker::Report, .. } => return Err("another model's report"),
        Body::Said { by: _, text } => line.text = Some(text),
        Body::Attachment { from_agent_path: true, .. } => {
            return Err("a file from a path of the agent's");
        }
        Body::Attachment { name, text, from_agent_path: false } => {
            line.name = name.as_deref();
            line.text = Some(text);
        }
        Body::Call(Call { server: Some(server), .. }) if server.trim().is_empty() => {
            return Err("a server without a name");
        }
        Body::Call(Call { id, server, tool, arguments, ran, custom }) => {
            line.id = Some(id);
            line.server = server.as_deref();
            line.tool = Some(tool);
            line.arguments = Some(
                one_line(arguments)
                    .filter(|raw| raw.get().starts_with('{'))
                    .ok_or("arguments that are no JSON object in one line")?,
            );
            line.ran = (*ran == Ran::Provider).then_some("provider");
            line.custom = custom.then_some(true);
        }
        Body::Result(ToolResult { from, content, is_error, mime, redirects }) => {
            match from {
                Producer::Call(id) => line.id = Some(id),
                Producer::Named { .. } => return Err("a result without a call"),
            }
            match content {
                Content::Text(text) => line.text = Some(text),
                Content::Json(json) => {
                    line.json = Some(one_line(json).ok_or("a result that is no JSON value in one line")?)
                }
            }
            line.is_error = is_error.then_some(true);
            line.mime = mime.as_deref();
            line.redirects = (!redirects.is_empty()).then_some(redirects);
        }
        Body::Answer { call, text } => {
            line.id = Some(call);
            line.text = Some(text);
        }
        Body::Grant { address, scope } => {
            line.address = Some(address);
            match scope {
                Scope::Once => line.scope = Some("once"),
                Scope::Run => line.scope = Some("run"),
                Scope::Until(seconds) => {
                    line.scope = Some("until");
                    line.until = Some(*seconds);
                }
            }
        }
        Body::Rewind { to } => line.to = Some(*to),
        Body::Hidden { .. } => return Err("something that the record does not show"),
    }
    Ok(line)
}

/// A JSON text as it stands, where it is one value in one line.
fn one_line(json: &str) -> Option<&RawValue> {
    let fits = !json.contains(['\n', '\r']);
    fits.then(|| serde_json::from_str(json).ok()).flatten()
}
