//! What stands in a turn of a model: a thought, a tool's block or text.

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use super::turns::Turn;
use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};

pub(super) const THINK: &str = "<think>";
pub(super) const THINK_END: &str = "</think>";
pub(super) const TOOL: &str = "<tool-use ";
pub(super) const TOOL_END: &str = "</details></tool-use>";
const TOOL_CLOSE: &str = "\n</details></tool-use>";
const SUMMARY_END: &str = "</summary>";

/// Reads a turn of a model's.
pub(super) fn read(draft: &mut Draft, turn: &Turn<'_>) {
    let spot = Spot::top(Some(turn.line));
    draft.model_message(Some(&spot.text()), &spot);
    let text = turn.words();
    if let Some(thought) = text.strip_prefix(THINK) {
        let (thought, said) = thought.split_once(THINK_END).unwrap_or((thought, ""));
        let thought = thought.split_once(SUMMARY_END).map_or(thought, |(_, thought)| thought);
        draft.said(&spot, Speaker::Thinking, thought.trim().trim_end_matches("</details>"));
        draft.said(&spot, Speaker::Assistant, said);
    } else if text.starts_with(TOOL) {
        // The first line that closes it. What a tool returned may hold such a line, and so may a later text of the model's:
        // what stands after it is read as the model's, so that neither can pose as the other.
        let (block, said) = text.split_once(TOOL_CLOSE).unwrap_or((text, ""));
        tool(draft, block, &spot, turn.in_order);
        draft.said(&spot, Speaker::Assistant, said);
    } else {
        draft.said(&spot, Speaker::Assistant, text);
    }
    draft.end_model_message();
}

/// What stands before a person's answer to a question.
const ANSWER: &str = "\n**Answer:**";

/// A tool's block: its arguments up to the first fence, what it returned in the fences.
///
/// What stands in a block that may be quoted counts for nothing, nor does an answer, which the question could imitate.
fn tool(draft: &mut Draft, block: &str, spot: &Spot, in_order: bool) {
    let (opening, rest) = block.split_once('\n').unwrap_or((block, ""));
    let (kind, name) = (attribute(opening, "data-tool-type"), attribute(opening, "data-tool-name"));
    let (summary, rest) = rest.split_once(SUMMARY_END).unwrap_or(("", rest));
    let (said, fences) = split_at_fence(rest);
    let (said, answer) = said.rsplit_once(ANSWER).filter(|_| name == "AskUserQuestion").unwrap_or((said, ""));
    // Some tools say their arguments in the summary, after their own name.
    let summary = summary.rsplit_once("**").map_or("", |(_, said)| said);
    let written = format!("{}\n{}", summary.trim(), said.trim());
    // A file that was written stands in the fences, and is the model's.
    let is_file = kind == "write" && name != "Edit";
    let text = if is_file { format!("{written}\n{fences}") } else { written };
    let (arguments, is_whole) = arguments(kind, name, text.trim());
    if !is_whole {
        draft.hidden(spot, true, "arguments that the file leaves out");
    }
    let call = NewCall { id: "".into(), server: None, tool: name, arguments: arguments.json(), ran: Ran::Client };
    let id = draft.call(spot, call);
    draft.settle();
    draft.end_model_message();
    draft.said(spot, Speaker::System, answer);
    if fences.is_empty() || is_file {
        return;
    }
    let returned = unfenced(fences);
    if in_order {
        let is_error = returned.starts_with("<tool_use_error>");
        draft.result(spot, Producer::Call(id), Content::Text(returned.into()), is_error);
    } else {
        draft.said(spot, Speaker::System, returned);
    }
}

fn attribute<'t>(opening: &'t str, name: &str) -> &'t str {
    let value = opening.split_once(name).and_then(|(_, rest)| rest.strip_prefix("=\"")?.split_once('"'));
    value.map_or("", |(value, _)| value)
}

/// What stands before the first line that opens a fence, and the rest.
fn split_at_fence(text: &str) -> (&str, &str) {
    match text.match_indices("```").find(|(at, _)| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n')) {
        Some((at, _)) => text.split_at_checked(at).unwrap_or((text, "")),
        None => (text, ""),
    }
}

/// The text without the line that opens its first fence and the one that closes its last.
fn unfenced(fences: &str) -> &str {
    let inside = fences.split_once('\n').map_or("", |(_, inside)| inside);
    let inside = inside.trim_end();
    inside.strip_suffix("```").unwrap_or(inside).trim_end_matches('\n')
}

/// The arguments of a call, and whether the address or the command of a tool that has one is among them. What is known
/// of them is what SpecStory chose to show, the most important between backticks.
fn arguments<'t>(kind: &str, name: &str, text: &'t str) -> (Node<'t>, bool) {
    let key = match (kind, name) {
        (_, "WebFetch") => "url",
        (_, "WebSearch") => "query",
        ("shell", "exec_command") => "cmd",
        ("shell", _) => "command",
        _ => "",
    };
    let quoted = text.split_once('`').and_then(|(before, rest)| {
        let (quoted, after) = rest.rsplit_once('`')?;
        Some((quoted, format!("{before}{after}")))
    });
    let member = |name: &'static str, text: &'t str| (name.into(), Node::Text(text.into()));
    let mut members = Vec::new();
    match quoted {
        Some((quoted, others)) if !key.is_empty() => {
            members.push(member(key, quoted));
            if !others.trim().is_empty() {
                members.push(("description".into(), Node::Text(others.trim().to_owned().into())));
            }
        }
        _ if text.is_empty() => {}
        _ => members.push(member(if key.is_empty() { "shown" } else { key }, text)),
    }
    let is_whole = key != "url" || members.iter().any(|(name, _)| name == "url");
    (Node::Map(members), is_whole)
}
