//! Conversations as lines of text, for snapshots.

use std::fmt::Write as _;

use firsthand::conversation::{Body, Conversation, Item, Producer};
use firsthand_wire::format::{Choice, Source, read};

/// The conversations of a file, detected by its signs, which must be this format's.
#[track_caller]
pub(crate) fn conversations(format: &str, name: &str, bytes: &[u8]) -> Vec<Conversation> {
    let read = read(bytes, Choice::Auto, &Source { name }).unwrap();
    assert_eq!(read.format, format);
    read.conversations
}

/// The conversations of a file, line by line.
#[track_caller]
pub(crate) fn shown(format: &str, name: &str, bytes: &[u8]) -> String {
    let mut text = String::new();
    for conversation in conversations(format, name, bytes) {
        let Conversation { id, parent, seat, dialect, items } = conversation;
        let parent = parent.map(|parent| format!(" of {} {}", parent.conversation, parent.call.unwrap_or_default()));
        writeln!(text, "# {id} [{dialect} {seat:?}]{}", parent.unwrap_or_default()).unwrap();
        for (index, item) in items.iter().enumerate() {
            writeln!(text, "{index} {}", line(item)).unwrap();
        }
    }
    text
}

fn line(item: &Item) -> String {
    let what = match &item.body {
        Body::User { text, .. } | Body::Said { text, .. } | Body::Attachment { text, .. } => text.to_string(),
        Body::Call(call) => format!(
            "{} {}{} {} {:?}{}",
            call.id,
            call.server.as_ref().map(|server| format!("{server}/")).unwrap_or_default(),
            call.tool,
            call.arguments,
            call.ran,
            if call.custom { " custom" } else { "" }
        ),
        Body::Result(result) => {
            let from = match &result.from {
                Producer::Call(id) => id.clone(),
                Producer::Named { server, tool, ran } => format!("({server:?} {tool} {ran:?})"),
            };
            let kind = match &result.content {
                firsthand::conversation::Content::Text(_) => "text",
                firsthand::conversation::Content::Json(_) => "json",
            };
            let error = if result.is_error { " error" } else { "" };
            format!("{from}{error} {kind} {}", result.content.text())
        }
        Body::Answer { call, text } => format!("{call} {text}"),
        Body::Grant { .. } => String::new(),
        Body::Rewind { to } => format!("to {to}"),
        Body::Hidden { calls, what } => format!("calls={calls} {what}"),
    };
    format!(
        "{} @{} t{}{} | {}",
        item.body.position().name(),
        item.at,
        item.turn.map_or_else(|| "-".to_owned(), |turn| turn.to_string()),
        item.batch.as_ref().map(|batch| format!(" b={batch}")).unwrap_or_default(),
        what.replace('\n', "\\n")
    )
}
