//! Sessions of pi and of OpenClaw: lines of entries, each with the id of the one before it.
//!
//! An entry that goes on from an older one takes back what came after that. A command that the person typed with `!` is
//! the person's, its output nobody's that counts. What extensions put into the conversation is the host's.

use firsthand::conversation::{Content, Conversation, Producer, Ran, Speaker};

use super::{answered, arguments, kind, returned, said, user};
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::{Chain, each_line};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// pi and OpenClaw.
pub(in crate::format) const FORMAT: Format = Format { name: "pi", title: "pi and OpenClaw sessions", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| {
        kind(line) == "session"
            && line.get("id").is_some()
            && (line.get("cwd").is_some() || line.get("version").is_some())
    })
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let mut chain = Chain::default();
    let mut id = String::new();
    let end = each_line(bytes, &mut |entry, spot| {
        if entry.say("type") == "session" && id.is_empty() {
            entry.say("id").clone_into(&mut id);
        }
        chain.enter(&mut draft, spot, entry.say("id"), entry.get("parentId"));
        let message = entry.get("message");
        // What the person typed into a shell has a role of its own.
        let ordinary: &[&str] = if message.say("role") == "bashExecution" { &["role"] } else { &[] };
        draft.enter_but(&[entry, message], ordinary);
        read_entry(&mut draft, entry, spot)?;
        chain.leave(&draft, entry.say("id"));
        Ok(())
    })?;
    let id = if id.is_empty() { source.stem() } else { &id };
    Ok(vec![end.finish(draft, id.to_owned())])
}

fn read_entry(draft: &mut Draft, entry: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    if let Some(message) = entry.find("message") {
        return read_message(draft, message, &spot.at("message"));
    }
    match entry.say("type") {
        "compaction" | "branch_summary" => {
            draft.end_model_message();
            draft.compacted(spot);
            said(draft, Speaker::Summary, entry.get("summary"), &spot.at("summary"));
        }
        "custom_message" => {
            draft.end_model_message();
            said(draft, Speaker::System, entry.get("content"), &spot.at("content"));
        }
        // Changes of the model, labels, the state of extensions: the model sees none of it.
        _ => {}
    }
    Ok(())
}

/// Whether a message came from a person; OpenClaw says where it does not.
fn is_from_outside(provenance: &Node<'_>) -> bool {
    !provenance.is_said() || provenance.say("kind") == "external_user"
}

fn read_message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    let Some(role) = message.get("role").text() else {
        return Err(spot.at("role").unexpected(message.get("role"), "the role of a message"));
    };
    let (content, below) = (message.get("content"), spot.at("content"));
    match role {
        "user" if message.find("customType").is_some() || !is_from_outside(message.get("provenance")) => {
            draft.end_model_message();
            said(draft, Speaker::Report, content, &below);
        }
        "user" => {
            draft.end_model_message();
            user(draft, content, &below);
        }
        "toolResult" => {
            draft.end_model_message();
            let from = answered(draft, &message.word("toolCallId"), message.say("toolName"));
            returned(draft, content, &below, &from, signs::failed(message));
        }
        "bashExecution" => {
            draft.end_model_message();
            draft.user(&spot.at("command"), message.say("command"));
            let from = Producer::Named { server: None, tool: "bash".to_owned(), ran: Ran::Client };
            draft.result(&spot.at("output"), from, Content::Text(message.say("output").into()), false);
        }
        "system" | "custom" | "hookMessage" => {
            draft.end_model_message();
            said(draft, Speaker::System, content, &below);
        }
        "branchSummary" | "compactionSummary" => {
            draft.end_model_message();
            draft.compacted(spot);
            said(draft, Speaker::Summary, message.get("summary"), &spot.at("summary"));
            said(draft, Speaker::Summary, content, &below);
        }
        _ => {
            draft.model_message(None, spot);
            match content {
                Node::List(blocks) => {
                    placed(blocks, &below).into_iter().for_each(|(block, spot)| model(draft, block, &spot));
                }
                Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_) => {
                    said(draft, Speaker::Assistant, content, &below);
                }
            }
        }
    }
    Ok(())
}

fn model(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    match block.say("type") {
        "thinking" => match block.say("thinking") {
            "" => draft.hidden(spot, false, "reasoning that is not shown"),
            thinking => draft.said(spot, Speaker::Thinking, thinking),
        },
        "toolCall" => {
            let arguments = arguments(block.get("arguments"));
            let call =
                NewCall { id: block.word("id"), server: None, tool: block.say("name"), arguments, ran: Ran::Client };
            draft.call(spot, call);
        }
        _ => said(draft, Speaker::Assistant, block, spot),
    }
}
