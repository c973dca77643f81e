//! Chats of Qwen Code: lines that name the one before them, with messages in Gemini's parts.
//!
//! A line that goes on from an older one takes back what came after that. Of a line in the user's place the person typed
//! `displayText`, or its first part; the other parts are what hooks and the host added. A `subtype` that is no message
//! between turns is a notification's or a timer's.

use firsthand::conversation::{Content, Conversation, Ran, Speaker};

use super::{answered, arguments, said, user_block};
use crate::error::ReadError;
use crate::format::gemini::is_of_a_tool;
use crate::format::probe::Probe;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::jsonl::{Chain, each_line};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;
use crate::format::{Format, Source};

/// Qwen Code.
pub(in crate::format) const FORMAT: Format = Format { name: "qwen-code", title: "Qwen Code chats", read, recognises };

fn recognises(probe: &Probe) -> bool {
    probe.values().iter().any(|line| line.get("uuid").is_some() && line.pointer("/message/parts").is_some())
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut draft = Draft::new(FORMAT.name);
    let mut chain = Chain::default();
    let end = each_line(bytes, &mut |line, spot| {
        let id = line.say("uuid");
        chain.enter(&mut draft, spot, id, line.get("parentUuid"));
        draft.enter(&[line, line.get("message")]);
        read_line(&mut draft, line, spot);
        chain.leave(&draft, id);
        Ok(())
    })?;
    Ok(vec![end.finish(draft, source.stem().to_owned())])
}

fn read_line(draft: &mut Draft, line: &Node<'_>, spot: &Spot) {
    let parts = line.get("message").get("parts");
    let below = spot.at("message").at("parts");
    match line.say("type") {
        "user" => {
            draft.end_model_message();
            in_users_place(draft, line, spot);
        }
        "tool_result" => {
            draft.end_model_message();
            let is_error = signs::failed(line.get("message")) || signs::failed(line.get("toolCallResult"));
            for (part, spot) in placed(parts.list(), &below) {
                match part.find("functionResponse") {
                    Some(response) => {
                        returned(draft, response, &spot.at("functionResponse"), is_error || signs::failed(part));
                    }
                    None => draft.said(&spot, Speaker::System, &part.json()),
                }
            }
        }
        "system" => {
            draft.end_model_message();
            if line.say("subtype") == "chat_compression" {
                draft.compacted(spot);
                said(draft, Speaker::Summary, line.get("systemPayload"), &spot.at("systemPayload"));
            }
            for (part, spot) in placed(parts.list(), &below) {
                said(draft, Speaker::System, part, &spot);
            }
        }
        _ => {
            draft.model_message(Some(line.say("uuid")), spot);
            for (part, spot) in placed(parts.list(), &below) {
                model(draft, part, &spot);
            }
        }
    }
}

fn in_users_place(draft: &mut Draft, line: &Node<'_>, spot: &Spot) {
    let parts = placed(line.get("message").get("parts").list(), &spot.at("message").at("parts"));
    let by = match line.say("subtype") {
        "" | "mid_turn_user_message" => None,
        "notification" => Some(Speaker::Report),
        // A timer's, or nobody says whose.
        _ => Some(Speaker::Task),
    };
    if let Some(by) = by {
        return parts.into_iter().for_each(|(part, spot)| said(draft, by, part, &spot));
    }
    // What stands beside a result was put there by the program that sends it.
    let is_sent = parts.iter().any(|(part, _)| is_of_a_tool(part));
    let displayed = line.get("systemPayload").get("displayText").text();
    if let Some(typed) = displayed {
        let copies = parts.iter().map(|(part, _)| *part).filter(|part| part.get("text").text() == Some(typed));
        if let Some(by) = std::iter::once(line.get("systemPayload")).chain(copies).find_map(signs::against) {
            draft.suspect(by);
        }
        draft.user(&spot.at("systemPayload").at("displayText"), typed);
    }
    for (index, (part, spot)) in parts.into_iter().enumerate() {
        match part.get("text").text() {
            Some(text) if displayed == Some(text) => {}
            Some(text) if displayed.is_none() && index == 0 && !is_sent && !text.trim_start().starts_with("<qwen:") => {
                draft.typed(&spot, part, text);
            }
            Some(text) => draft.said(&spot, Speaker::System, text),
            None => user_block(draft, part, &spot),
        }
    }
}

fn returned(draft: &mut Draft, response: &Node<'_>, spot: &Spot, is_error: bool) {
    let from = answered(draft, &response.word("id"), response.say("name"));
    let (inner, spot) = (response.get("response"), spot.at("response"));
    let is_error = is_error || signs::failed(response) || signs::failed_within(inner);
    match inner.get("output").text().filter(|_| inner.members().len() == 1) {
        Some(output) => draft.result(&spot.at("output"), from, Content::Text(output.into()), is_error),
        None => draft.result(&spot, from, Content::Json(inner.json().into()), is_error),
    }
}

fn model(draft: &mut Draft, part: &Node<'_>, spot: &Spot) {
    if let Some(call) = part.find("functionCall") {
        let arguments = arguments(call.get("args"));
        let tool = call.say("name");
        draft.call(spot, NewCall { id: call.word("id"), server: None, tool, arguments, ran: Ran::Client });
        return;
    }
    let by = if matches!(part.get("thought"), Node::Bool(true)) { Speaker::Thinking } else { Speaker::Assistant };
    match part.get("text").text() {
        Some(text) => draft.said(spot, by, text),
        None => draft.said(spot, by, &part.json()),
    }
}
