//! Transcripts of Cursor's agent: `{"role","message":{"content":[...]}}` a line. Results are often left out.
//!
//! What a person typed may stand in `<user_query>` among what the editor put around it; then only that is the person's.
//! The user's place of a file in `subagents` is filled by the model that started it.

use firsthand::conversation::{Conversation, Ran, Speaker};
use serde_json::Value;

use super::{above, answered, arguments, returned, said, user_block};
use crate::error::ReadError;
use crate::format::probe::Probe;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::{contents, each_line};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Cursor.
pub(in crate::format) const FORMAT: Format =
    Format { name: "cursor", title: "Cursor agent transcripts", read, recognises };

fn recognises(probe: &Probe) -> bool {
    let is_message = |line: &Value| {
        let message = line.get("message");
        line.get("role").is_some_and(Value::is_string)
            && message
                .and_then(|message| message.get("content"))
                .is_some_and(|content| content.is_array() || content.is_string())
            && message.and_then(|message| message.get("role")).is_none()
            && ["type", "uuid", "id"].iter().all(|key| line.get(key).is_none())
    };
    probe.values().iter().any(is_message)
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let end = each_line(bytes, &mut |line, spot| {
        let content = line.get("message").get("content");
        draft.enter(&[line, line.get("message")]);
        let spot = spot.at("message").at("content");
        match line.get("role").text() {
            // The end of a turn, and what else is no message.
            None => {}
            Some("user" | "tool") => {
                draft.end_model_message();
                contents(content, &spot, &mut |part, spot| match part {
                    Ok(text) => typed(&mut draft, text, spot),
                    Err(block) => user_place(&mut draft, block, spot),
                });
            }
            Some("system") => {
                draft.end_model_message();
                said(&mut draft, Speaker::System, content, &spot);
            }
            Some(_) => {
                draft.model_message(None, &spot);
                contents(content, &spot, &mut |part, spot| match part {
                    Ok(text) => draft.said(spot, Speaker::Assistant, text),
                    Err(block) => model(&mut draft, block, spot),
                });
            }
        }
        Ok(())
    })?;
    let parent = above(&mut draft, source);
    Ok(vec![Conversation { parent, ..end.finish(draft, source.stem().to_owned()) }])
}

const OPEN: &str = "<user_query>";
const CLOSE: &str = "</user_query>";

/// What a person typed, where it stands between marks. Files that the editor put around it may hold such marks too, so
/// of a text with several it is not known which part was typed.
fn typed(draft: &mut Draft, text: &str, spot: &Spot) {
    match (text.matches(OPEN).count(), text.split_once(OPEN)) {
        (1, Some((before, inside))) => {
            let (typed, after) = inside.split_once(CLOSE).unwrap_or((inside, ""));
            draft.said(spot, Speaker::System, before);
            draft.user(spot, typed);
            draft.said(spot, Speaker::System, after);
        }
        (_, Some(_)) => draft.said(spot, Speaker::System, text),
        (_, None) => draft.user(spot, text),
    }
}

fn user_place(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    match block.say("type") {
        "tool_result" | "tool-result" => {
            let from = answered(draft, &block.word("tool_use_id"), block.say("name"));
            returned(draft, block.get("content"), &spot.at("content"), &from, signs::failed(block));
        }
        _ => user_block(draft, block, spot),
    }
}

fn model(draft: &mut Draft, block: &Node<'_>, spot: &Spot) {
    match block.say("type") {
        "thinking" => draft.said(spot, Speaker::Thinking, block.say("thinking")),
        "tool_use" | "tool_call" | "tool-call" => {
            let arguments = arguments(block.find("input").unwrap_or(block.get("arguments")));
            let call =
                NewCall { id: block.word("id"), server: None, tool: block.say("name"), arguments, ran: Ran::Client };
            draft.call(spot, call);
        }
        "tool_result" | "tool-result" => user_place(draft, block, spot),
        _ => draft.said(spot, Speaker::Assistant, &block.json()),
    }
}
