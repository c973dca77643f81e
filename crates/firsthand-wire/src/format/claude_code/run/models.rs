//! Lines of the model's.

use firsthand::conversation::{Body, Call, Ran, Speaker, Text};
use serde::Deserialize;

use super::super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::super::recorded::signs::Watched;
use super::super::branch::Link;
use super::super::record::{Block, Entry, Message};
use super::super::results::Called;
use super::{Launched, MESSAGE, Place, Reader, unknown, uuid};

impl<'e> Reader<'e, '_> {
    pub(super) fn assistant(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>) {
        let record = &entry.record;
        let own = record.uuid.or_empty();
        let id = message.id.get().filter(|id| !id.is_empty());
        self.begin(entry, Link::Model(id.unwrap_or(own)));
        let batch = id.map(|id| match *self.messages.entry(id).or_insert(self.prompts) {
            begun if begun == self.prompts => id.to_owned(),
            _ => format!("{id} again {}", self.prompts),
        });
        let mut place = Place { entry, given: 0 };
        let line = Reparsed::of(entry.text);
        let by = if record.is_api_error_message.is_yes() { Speaker::System } else { Speaker::Assistant };
        match &message.content {
            Blocks::Text(text) => self.say(&mut place, "", batch, by, text),
            Blocks::List(blocks) => {
                for (index, node) in blocks.iter().enumerate() {
                    let pointer = format!("{MESSAGE}/{index}");
                    match self.model_body(node, id.unwrap_or(own), by) {
                        Part::Body(body) => self.push(&mut place, &pointer, batch.clone(), body),
                        Part::Nothing => {}
                        Part::Unknown => {
                            let body = unknown(&line.at(&pointer), Speaker::Assistant);
                            self.push(&mut place, &pointer, batch.clone(), body);
                        }
                    }
                }
            }
            Blocks::Absent => {}
            Blocks::Odd => {
                let body = unknown(&line.at(MESSAGE), Speaker::Assistant);
                self.push(&mut place, MESSAGE, batch, body);
            }
        }
        self.branches.add(uuid(record), Link::Model(id.unwrap_or(own)), self.items.len());
    }

    fn model_body(&mut self, node: &'e Node<Watched<Block<'e>>>, message: &'e str, by: Speaker) -> Part {
        let Some(block) = node.get() else { return Part::Unknown };
        let said = |by, word: &Word<'_>| match word {
            Word::Is(text) if text.is_empty() => Part::Nothing,
            Word::Is(text) => Part::Body(Body::Said { by, text: text.text() }),
            Word::Absent => Part::Nothing,
            Word::Odd => Part::Unknown,
        };
        match block.kind.or_empty() {
            "text" => said(by, &block.text),
            "thinking" => said(Speaker::Thinking, &block.thinking),
            "redacted_thinking" => Part::Body(Body::Hidden { calls: false, what: "redacted thinking" }),
            "tool_use" => Part::Body(self.call(block, message, Ran::Client)),
            "server_tool_use" | "mcp_tool_use" => Part::Body(self.call(block, message, Ran::Provider)),
            "fallback" | "image" => Part::Nothing,
            _ => Part::Unknown,
        }
    }

    fn call(&mut self, block: &'e Block<'e>, message: &'e str, ran: Ran) -> Body {
        let (server, tool) = match block.server_name.owned() {
            Some(server) => (Some(server), block.name.or_empty().to_owned()),
            None => server_and_tool(block.name.or_empty()),
        };
        let id = block.id.or_empty();
        if server.is_none() && matches!(tool.as_str(), "Agent" | "Task") {
            let task = block.input.and_then(|input| input.read::<Task<'_>>());
            self.launches.insert(id, self.launched.len());
            self.launched.push(Launched {
                run: self.id.to_owned(),
                call: id.to_owned(),
                agent: None,
                task: task.and_then(|task| task.prompt.owned()),
            });
        }
        if server.is_none() && matches!(tool.as_str(), "Skill" | "SlashCommand") {
            self.skills.push_front(words(block.input.map_or("{}", Raw::text)));
            self.skills.truncate(MOST_SKILLS);
        }
        self.calls.insert(id, Called { server: server.clone(), tool: tool.clone(), message });
        let arguments = Text::from(block.input.map_or("{}", Raw::text));
        Body::Call(Call { id: id.to_owned(), server, tool, arguments, ran, custom: false })
    }
}

/// The strings of a JSON text, decoded.
fn words(json: &str) -> Vec<String> {
    let mut words = Vec::new();
    firsthand::json::walk(json, &mut |_, leaf| {
        if leaf.kind == firsthand::json::Kind::String {
            words.push(leaf.text.into_owned());
        }
    });
    words
}

/// What a block of the model's is.
enum Part {
    Body(Body),
    Nothing,
    Unknown,
}

/// How many of the model's newest slash commands are compared with one in the user's place. It follows its call at once.
const MOST_SKILLS: usize = 64;

#[derive(Deserialize)]
struct Task<'t> {
    #[serde(borrow, default)]
    prompt: Word<'t>,
}

/// `mcp__server__tool` is a server's tool.
pub(super) fn server_and_tool(name: &str) -> (Option<String>, String) {
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server.to_owned()), tool.to_owned()),
        _ => (None, name.to_owned()),
    }
}
