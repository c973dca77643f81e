//! Lines in the user's place: what a person, the host and other agents said, and what tools returned.

use firsthand::conversation::{Body, Speaker, Text};
use serde::Deserialize;

use super::super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::super::recorded::signs::{Watched, settle};
use super::super::branch::Link;
use super::super::record::{Block, DocumentSource, Entry, Message, Record, texts};
use super::super::results::{self, Called, Found};
use super::super::user::{self, Run, Whose, whose};
use super::{MESSAGE, Place, Reader, unknown, uuid};

impl<'e> Reader<'e, '_> {
    pub(super) fn user(&mut self, entry: &'e Entry<'e>, message: &'e Watched<Message<'e>>) {
        let record = &entry.record;
        let first_result = result_blocks(message).next();
        // Words beside a result are the host's, unless the line says that a person wrote them.
        let beside_a_result = first_result.is_some() && record.origin.get().is_none();
        let whose = if beside_a_result { Whose::Host } else { whose(record, self.run) };
        let mut parts = self.user_parts(entry, message, whose);
        let ordinary: &[&str] = if record.is_copied() { OF_A_COPY } else { OF_A_PERSON };
        settle(parts.iter_mut().map(|(_, body)| body), entry.text, ordinary);
        let is_person = |body: &Body| matches!(body, Body::User { .. } | Body::Attachment { .. });
        let is_task = |body: &Body| matches!(body, Body::Said { by: Speaker::Task, .. });
        let is_aside = |body: &Body| matches!(body, Body::Said { by: Speaker::Report | Speaker::Summary, .. });
        let is_summary = |body: &Body| matches!(body, Body::Said { by: Speaker::Summary, .. });
        let has = |is: &dyn Fn(&Body) -> bool| parts.iter().any(|(_, body)| is(body));
        let called = first_result.and_then(|block| self.calls.get(call_id(block, record)));
        let link = if first_result.is_some() {
            Some(Link::Result(called.map_or("", |called| called.message)))
        } else if has(&is_person) || has(&is_task) {
            Some(Link::Prompt)
        } else if has(&is_aside) {
            Some(Link::Aside)
        } else {
            None
        };
        let begins_turn = match self.run {
            Run::Main => has(&is_person),
            Run::Side => has(&is_person) || has(&is_task),
        };
        if has(&is_summary) {
            self.say_incomplete(entry, "what stood before a compaction");
        }
        if let Some(link) = link {
            self.begin(entry, link);
        }
        if link == Some(Link::Prompt) {
            self.prompts += 1;
        }
        if begins_turn {
            self.turn = Some(self.turn.map_or(0, |turn| turn + 1));
        }
        if self.run == Run::Side && self.task.is_none() && has(&is_task) {
            self.task = texts(&message.content, "").into_iter().next().map(|(_, text)| text.into_owned());
        }
        let mut place = Place { entry, given: 0 };
        for (pointer, body) in parts {
            self.push(&mut place, &pointer, None, body);
        }
        match link {
            Some(link) => self.branches.add(uuid(record), link, self.items.len()),
            // What only the host said hangs beside the chain.
            None => self.pass(entry),
        }
    }

    fn user_parts(
        &mut self,
        entry: &'e Entry<'e>,
        message: &'e Watched<Message<'e>>,
        whose: Whose,
    ) -> Vec<(String, Body)> {
        let record = &entry.record;
        let blocks = match &message.content {
            Blocks::Text(text) => {
                let bodies = self.user_text(text, whose).into_iter();
                return bodies.map(|body| (String::new(), body)).collect();
            }
            Blocks::List(blocks) => blocks,
            Blocks::Absent => return Vec::new(),
            Blocks::Odd => {
                return vec![(MESSAGE.to_owned(), unknown(&entry.text_at(MESSAGE), Speaker::Task))];
            }
        };
        let line = Reparsed::of(entry.text);
        let results = result_blocks(message).count();
        let mut parts = Vec::new();
        for (index, node) in blocks.iter().enumerate() {
            let pointer = format!("{MESSAGE}/{index}");
            let known = node.get().map(|block| (block.kind.or_empty(), block));
            match known {
                Some(("text", block)) if !block.text.is_odd() => {
                    let bodies = self.user_text(block.text.or_empty(), whose).into_iter();
                    parts.extend(bodies.map(|body| (pointer.clone(), body)));
                }
                Some(("tool_result", block)) => {
                    let call = call_id(block, record);
                    let structured = if results == 1 { record.structured() } else { None };
                    self.note_launch(call, structured);
                    let found = Found {
                        line: &line,
                        pointer: &pointer,
                        block,
                        failed: record.failed() || message.failed(),
                        call,
                        called: self.calls.get(call),
                        structured,
                        structured_at: record.structured_at(),
                    };
                    parts.extend(results::bodies(&found));
                }
                Some(("document", block)) => parts.extend(document(block).map(|body| (pointer.clone(), body))),
                Some(("image", block)) => parts.extend(linked(block).map(|body| (pointer.clone(), body))),
                _ => parts.push((pointer.clone(), unknown(&line.at(&pointer), Speaker::Task))),
            }
        }
        parts
    }

    /// What a text of a user line is. Words of a slash command that the model itself gave are the model's.
    fn user_text(&self, text: &str, whose: Whose) -> Vec<Body> {
        let mut bodies = user::bodies(text, whose);
        if !self.skills.is_empty() && text.contains("<command-name>") {
            for body in &mut bodies {
                let Body::User { text, .. } = body else { continue };
                let said = text.trim();
                if self.skills.iter().flatten().any(|word| word.contains(said)) {
                    *body = Body::Said { by: Speaker::Task, text: text.clone() };
                }
            }
        }
        bodies
    }

    /// A result may say which agent its call started.
    fn note_launch(&mut self, call: &str, structured: Option<Raw<'_>>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Launch<'t> {
            #[serde(borrow, default)]
            agent_id: Word<'t>,
        }

        let launches =
            |called: &Called<'_>| called.server.is_none() && matches!(called.tool.as_str(), "Agent" | "Task");
        if !self.calls.get(call).is_some_and(launches) {
            return;
        }
        let launch = structured.and_then(|structured| structured.read::<Node<Launch<'_>>>());
        let agent = launch.as_ref().and_then(Node::get).and_then(|launch| launch.agent_id.owned());
        let place = self.launches.get(call).copied();
        if let Some(started) = place.and_then(|place| self.launched.get_mut(place)) {
            started.agent = agent;
        }
    }
}

/// What names the run of a line that a fork copied: it is the fork's, and the line is not.
const OF_A_COPY: &[&str] = &["agentId", "isSidechain", "promptSource"];

/// What a line says of how a person's words came in, which [`whose`] reads.
const OF_A_PERSON: &[&str] = &["promptSource"];

fn result_blocks<'e>(message: &'e Message<'e>) -> impl Iterator<Item = &'e Watched<Block<'e>>> {
    let blocks = match &message.content {
        Blocks::List(blocks) => blocks.as_slice(),
        Blocks::Text(_) | Blocks::Absent | Blocks::Odd => &[],
    };
    blocks.iter().filter_map(Node::get).filter(|block| block.kind.get() == Some("tool_result"))
}

/// The id of the call that a result answers.
fn call_id<'e>(block: &'e Block<'_>, record: &'e Record<'_>) -> &'e str {
    block.tool_use_id.get().or(record.source_tool_use.get()).unwrap_or_default()
}

/// A document that came with a message.
fn document(block: &Block<'_>) -> Option<Body> {
    let source = block.source?.read::<Node<DocumentSource<'_>>>()?;
    let source = source.get()?;
    let text = match source.kind.get() {
        Some("text") => source.data.get()?,
        _ => source.url.get()?,
    };
    Some(Body::Attachment { name: block.title.owned(), text: Text::from(text), from_agent_path: false })
}

/// A picture that came as an address.
fn linked(block: &Block<'_>) -> Option<Body> {
    let source = block.source?.read::<Node<DocumentSource<'_>>>()?;
    let text = source.get()?.url.get().map(Text::from)?;
    Some(Body::Attachment { name: None, text, from_agent_path: false })
}
