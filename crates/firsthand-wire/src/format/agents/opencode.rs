//! Sessions of opencode as it exports them: one document with `info` and `messages`, each `{"info","parts"}`.
//!
//! Its storage keeps each part, each message and each session in a file of its own. None of them is a conversation:
//! whose words a part is stands in another file. Whoever reads files can put them together.

use firsthand::conversation::{Content, Conversation, Parent, Producer, Ran, Speaker};
use serde_json::Value;

use super::{arguments, said, user_block};
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot, keys_once};
use crate::format::recorded::signs;
use crate::format::{Format, Source, text};

/// opencode.
pub(in crate::format) const FORMAT: Format = Format { name: "opencode", title: "opencode exports", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.document().is_some_and(|session| {
        let messages = session.get("messages").and_then(Value::as_array);
        session.get("info").is_some_and(Value::is_object)
            && messages.is_some_and(|messages| {
                messages.iter().any(|message| message.pointer("/info/role").is_some() && message.get("parts").is_some())
            })
    })
}

/// Whether a file is one piece of opencode's storage.
pub(in crate::format) fn is_piece(probe: &Probe) -> bool {
    probe.document().is_some_and(|piece| {
        let has = |keys: &[&str]| keys.iter().all(|key| piece.get(key).is_some());
        let is_message = has(&["id", "sessionID", "role", "time"]) && piece.get("content").is_none();
        let is_part = has(&["id", "type"])
            && (has(&["messageID"]) || piece.get("time").and_then(|time| time.get("start")).is_some());
        let is_session = has(&["id", "projectID", "directory", "time"]);
        is_message || is_part || is_session
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
    let info = session.get("info");
    draft.around(&session);
    draft.around(info);
    if info.find("parentID").is_some_and(|parent| parent.text() != Some("")) {
        draft.be_a_child();
    }
    for (message, spot) in placed(messages.list(), &top.at("messages")) {
        read_message(&mut draft, message, info.get("id"), &spot)?;
    }
    let id = info.get("id").text().unwrap_or(source.stem());
    let parent = info.get("parentID").text().map(|id| Parent { conversation: id.to_owned(), call: None });
    Ok(vec![Conversation { parent, ..draft.finish(id.to_owned()) }])
}

/// Names that say nothing here: which model and which agent shall answer a person, and why an answer ended, whose results
/// came before. What stands in `info` is looked at by itself.
const ORDINARY: &[&str] = &["agent", "error", "info", "model"];

fn read_message(draft: &mut Draft, message: &Node<'_>, session: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    let info = message.get("info");
    let Some(role) = info.get("role").text() else {
        return Err(spot.at("info").unexpected(info, "the `info` of a message, with its role"));
    };
    let is_user = role == "user";
    // A summary is told by a yes; what a user's message has there is an object with counts of changes.
    let is_summary = info.get("summary").may_be_yes() && !info.get("summary").is_map();
    draft.enter_but(&[message, info], ORDINARY);
    // Only an answer has a message that it answers, and only another session's message has another id of a session.
    let of_another =
        |node: &Node<'_>| node.find("sessionID").is_some_and(|id| session.text().is_some() && id != session);
    let parts = message.get("parts").list();
    if info.find("parentID").is_some_and(|id| id.text() != Some("")) || of_another(info) || parts.iter().any(of_another)
    {
        draft.suspect(Speaker::Task);
    }
    if is_user || is_summary {
        draft.end_model_message();
    } else {
        draft.model_message(info.get("id").text(), spot);
    }
    if is_summary {
        draft.compacted(spot);
    }
    // What the model wrote always has parts.
    if !is_user && message.get("parts").is_empty() {
        draft.hidden(spot, true, "the parts of a message");
    }
    for (part, spot) in placed(message.get("parts").list(), &spot.at("parts")) {
        if is_user && !is_summary {
            in_users_place(draft, part, &spot);
        } else {
            model(draft, part, &spot, if is_summary { Speaker::Summary } else { Speaker::Assistant });
        }
    }
    Ok(())
}

fn in_users_place(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    match part.say("type") {
        "text" if part.get("ignored").is_said() => {}
        "text" if part.get("synthetic").is_said() => draft.said(spot, Speaker::System, part.say("text")),
        "text" => draft.typed(spot, part, part.say("text")),
        "subtask" => draft.said(spot, Speaker::Task, part.say("prompt")),
        "agent" | "compaction" | "snapshot" | "patch" => {}
        _ => user_block(draft, part, spot),
    }
}

fn model(draft: &mut Draft, part: &Node<'_>, spot: &Spot, by: Speaker) {
    match part.say("type") {
        "text" => draft.said(spot, by, part.say("text")),
        "reasoning" => draft.said(spot, Speaker::Thinking, part.say("text")),
        "tool" => tool(draft, part, spot),
        "step-start" | "step-finish" | "snapshot" | "patch" | "compaction" | "retry" => {}
        _ => said(draft, by, part, spot),
    }
}

/// A call with what it returned.
fn tool(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    let (state, spot) = (part.get("state"), spot.at("state"));
    let arguments = arguments(state.get("input"));
    let call = NewCall { id: part.word("callID"), server: None, tool: part.say("tool"), arguments, ran: Ran::Client };
    let id = draft.call(&spot.at("input"), call);
    draft.settle();
    let failed = signs::failed(part) || signs::failed(state);
    for (key, is_error) in [("output", false), ("error", true)] {
        if let Some(value) = state.find(key) {
            let text = value.text().map_or_else(|| value.json(), str::to_owned);
            draft.result(&spot.at(key), Producer::Call(id.clone()), Content::Text(text.into()), is_error || failed);
        }
    }
}
