//! Conventions that came before the present one, and those of OpenLLMetry, OpenInference and any-agent.

use std::collections::BTreeMap;

use super::messages::{Message, Said, parsed, part, parts_of, text_part};
use super::span::{Own, Span, word};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// A message of any form: with parts, or with content and calls as in Chat Completions.
pub(super) fn message(node: &Own, spot: &Spot) -> Message {
    // OpenInference puts a name around it.
    let outer = node;
    let node = node.find("message").filter(|inner| inner.is_map()).unwrap_or(node);
    if let Some(text) = node.text() {
        return Message::new("system", vec![(text_part(text), spot.clone())], spot.clone());
    }
    let role = node.get("role").text().unwrap_or("assistant").to_owned();
    let mut parts = parts_of(node.get("parts"), &spot.at("parts"));
    let content = node.find("content").unwrap_or(node.get("contents"));
    let id = ["tool_call_id", "id"].iter().map(|key| node.word(key)).find(|id| !id.is_empty()).unwrap_or_default();
    if matches!(&*role, "tool" | "function") && !node.get("parts").is_list() {
        let id = Node::Text(id.into_owned().into());
        parts.push((part("tool_call_response", vec![("id", id), ("response", content.clone())]), spot.at("content")));
    } else {
        let blocks = blocks(content);
        for (block, spot) in parts_of(blocks.as_ref().unwrap_or(content), &spot.at("content")) {
            parts.push((known(block), spot));
        }
    }
    for (index, call) in node.get("tool_calls").list().iter().enumerate() {
        let call = call.find("tool_call").unwrap_or(call);
        let function = call.find("function").unwrap_or(call);
        let name = ["name", "tool_name"].iter().find_map(|key| function.find(key)).cloned().unwrap_or(Node::Null);
        let arguments = ["arguments", "args"].iter().find_map(|key| function.find(key)).cloned().unwrap_or(Node::Null);
        let members = vec![("id", call.get("id").clone()), ("name", name), ("arguments", arguments)];
        parts.push((part("tool_call", members), spot.at("tool_calls").at(index)));
    }
    let doubt = signs::against(outer).or_else(|| signs::against(node));
    Message { doubt, failed: signs::failed(node), ..Message::new(&role, parts, spot.clone()) }
}

/// The blocks of a content that is a JSON text of them: results may be among them.
fn blocks(content: &Own) -> Option<Own> {
    let list = parsed(content).filter(|_| content.text().is_some())?;
    let typed = !list.list().is_empty() && list.list().iter().all(|block| block.get("type").text().is_some());
    typed.then_some(list)
}

/// A block of a provider's as the part that it is.
fn known(block: Own) -> Own {
    // OpenInference puts a name around it.
    let block = block.find("message_content").cloned().unwrap_or(block);
    let of = |key: &str| block.get(key).clone();
    match block.find("type").map_or("", |kind| kind.text().unwrap_or("odd")) {
        "" | "text" | "input_text" | "output_text" => match block.get("text").text() {
            Some(text) if block.get("content").text().is_none() => text_part(text),
            _ => block,
        },
        "tool_use" => part("tool_call", vec![("id", of("id")), ("name", of("name")), ("arguments", of("input"))]),
        "tool_result" => {
            let is_error = Node::Bool(signs::failed(&block));
            let members = vec![("id", of("tool_use_id")), ("response", of("content")), ("is_error", is_error)];
            part("tool_call_response", members)
        }
        _ => block,
    }
}

/// Events of a span that are one message each, or an attribute that lists them.
pub(super) fn events(span: &Span, said: &mut Said) {
    for (name, attributes, spot) in &span.events {
        let members = attributes.iter().map(|(key, value)| {
            // Calls and whole messages are JSON texts here.
            let value = if matches!(&**key, "tool_calls" | "message") {
                parsed(value).unwrap_or_else(|| value.clone())
            } else {
                value.clone()
            };
            (key.clone().into(), value)
        });
        event(name, &Node::Map(members.collect()), spot, said);
    }
    for key in ["events", "all_messages_events"] {
        let Some(list) = span.get(key).and_then(parsed) else { continue };
        for (index, node) in list.list().iter().enumerate() {
            event(node.say("event.name"), node, &span.spot.at(key).at(index), said);
        }
        if !said.is_empty() {
            break;
        }
    }
}

fn event(name: &str, node: &Own, spot: &Spot, said: &mut Said) {
    let role = match name {
        "gen_ai.system.message" => "system",
        "gen_ai.user.message" => "user",
        "gen_ai.assistant.message" => "assistant",
        "gen_ai.tool.message" => "tool",
        "gen_ai.choice" => {
            let mut message = message(node, spot);
            message.role = "assistant".to_owned();
            return said.output.push(message);
        }
        _ => return,
    };
    let mut message = message(node, spot);
    if node.find("role").is_none() {
        let mut members = node.members().to_vec();
        members.push(("role".into(), Node::Text(role.into())));
        message = self::message(&Node::Map(members), spot);
    }
    said.input.get_or_insert_default().push(message);
}

/// Attributes whose names number the messages: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`.
pub(super) fn indexed(span: &Span, said: &mut Said) {
    for start in ["gen_ai.prompt", "llm.prompts", "llm.input_messages"] {
        let list = numbered(span, start);
        if !list.is_empty() {
            said.input = Some(list);
            break;
        }
    }
    for start in ["gen_ai.completion", "llm.completions", "llm.output_messages"] {
        let mut list = numbered(span, start);
        if !list.is_empty() {
            list.iter_mut().for_each(|message| "assistant".clone_into(&mut message.role));
            said.output = list;
            break;
        }
    }
}

fn numbered(span: &Span, start: &str) -> Vec<Message> {
    if let Some(list) = span.get(start).and_then(parsed).filter(Node::is_list) {
        let elements = list.list().iter().enumerate();
        return elements.map(|(index, node)| message(node, &span.spot.at(start).at(index))).collect();
    }
    let prefix = format!("{start}.");
    let mut tree = Tree::default();
    for (path, value) in span.below(&prefix) {
        tree.add(path, value);
    }
    let messages = tree.below.iter().filter_map(|(number, tree)| Some((number.parse::<u32>().ok()?, tree)));
    let mut messages: Vec<(u32, &Tree)> = messages.collect();
    messages.sort_by_key(|(number, _)| *number);
    messages
        .into_iter()
        .map(|(number, tree)| message(&tree.node(), &span.spot.at(format!("{prefix}{number}"))))
        .collect()
}

/// Names with dots as the objects and lists that they stand for.
#[derive(Default)]
struct Tree {
    value: Option<Own>,
    below: BTreeMap<String, Self>,
}

impl Tree {
    fn add(&mut self, path: &str, value: &Own) {
        let mut tree = self;
        for step in path.split('.').take(16) {
            tree = tree.below.entry(step.to_owned()).or_default();
        }
        tree.value = Some(value.clone());
    }

    fn node(&self) -> Own {
        if self.below.is_empty() {
            return self.value.clone().unwrap_or(Node::Null);
        }
        let numbers: Option<Vec<(u32, &Self)>> =
            self.below.iter().map(|(step, tree)| Some((step.parse().ok()?, tree))).collect();
        match numbers {
            Some(mut elements) => {
                elements.sort_by_key(|(number, _)| *number);
                Node::List(elements.into_iter().map(|(_, tree)| tree.node()).collect())
            }
            None => Node::Map(self.below.iter().map(|(step, tree)| (step.clone().into(), tree.node())).collect()),
        }
    }
}

/// What any-agent says of an answer: a text, or `[{"tool.name","tool.args"}]`.
pub(super) fn bare_output(span: &Span, said: &mut Said) {
    let Some(value) = span.get("gen_ai.output") else { return };
    let spot = span.spot.at("gen_ai.output");
    let list = parsed(value).unwrap_or(Node::Null);
    let calls: Vec<(Own, Spot)> = list
        .list()
        .iter()
        .enumerate()
        .filter(|(_, call)| call.find("tool.name").is_some())
        .map(|(index, call)| {
            let members = vec![("name", call.get("tool.name").clone()), ("arguments", call.get("tool.args").clone())];
            (part("tool_call", members), spot.at(index))
        })
        .collect();
    let parts = if calls.is_empty() {
        let text = value.text().map_or_else(|| value.json(), str::to_owned);
        vec![(text_part(&text), spot.clone())]
    } else {
        calls
    };
    said.output.push(Message::new("assistant", parts, spot));
}

/// A tool that was run: its name, the id of the call, arguments and result.
pub(super) struct ToolRun {
    pub(super) tool: String,
    pub(super) id: String,
    pub(super) arguments: Option<Own>,
    pub(super) result: Option<Own>,
    pub(super) failed: bool,
    pub(super) spot: Spot,
}

/// The tool that a span ran, if it is a tool's.
pub(super) fn tool_run(span: &Span) -> Option<ToolRun> {
    let named = span.first(&["gen_ai.tool.name", "tool.name"]).is_some() && span.first(RESULTS).is_some();
    let is_tool = match span.kind() {
        super::span::Kind::Tool => true,
        super::span::Kind::Other => named,
        super::span::Kind::Agent | super::span::Kind::Model => false,
    };
    is_tool.then(|| ToolRun {
        tool: span.say(&["gen_ai.tool.name", "tool.name", "traceloop.entity.name"]),
        id: span.say(&["gen_ai.tool.call.id", "tool_call.id", "tool.id"]),
        arguments: span.first(ARGUMENTS).map(|(_, value)| value.clone()),
        result: span.first(RESULTS).map(|(_, value)| value.clone()),
        failed: span.failed,
        spot: span.spot.clone(),
    })
}

const ARGUMENTS: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.args",
    "tool_arguments",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
];
const RESULTS: &[&str] =
    &["gen_ai.tool.call.result", "gen_ai.output", "tool_response", "output.value", "traceloop.entity.output"];

/// Whether two arguments say the same, be they JSON or a text of it.
pub(super) fn same(one: &Own, other: &Own) -> bool {
    let plain = |value: &Own| match parsed(value) {
        Some(value) if value.is_map() => value.json(),
        Some(value) if value.is_null() => "{}".to_owned(),
        _ => word(value),
    };
    plain(one) == plain(other)
}
