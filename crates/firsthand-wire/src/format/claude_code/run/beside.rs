//! Lines that are no messages: what the host put beside them, and messages of kinds that nobody knows.

use firsthand::conversation::{Body, Call, Ran, Speaker, Text};

use super::super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::super::recorded::signs::{Watched, settle};
use super::super::branch::Link;
use super::super::record::{AttachedFile, Block, Entry, Message, texts};
use super::super::results::{self, Found};
use super::super::user::{self, whose_queued};
use super::models::server_and_tool;
use super::{MESSAGE, Place, Reader, unknown, uuid};

impl<'e> Reader<'e, '_> {
    pub(super) fn attachment(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        let mut place = Place { entry, given: 0 };
        let Some(attachment) = record.attachment.get() else { return self.pass(entry) };
        match attachment.kind.or_empty() {
            "queued_command" => {
                let whose = whose_queued(attachment, self.run);
                let before = self.items.len();
                if matches!(attachment.prompt, Blocks::Odd) {
                    let body = unknown(&entry.text_at("/attachment/prompt"), Speaker::Task);
                    self.push(&mut place, "/attachment/prompt", None, body);
                }
                for (pointer, text) in texts(&attachment.prompt, "/attachment/prompt") {
                    let pointer = if pointer.is_empty() { "/attachment/prompt".to_owned() } else { pointer };
                    for body in user::bodies(&text, whose) {
                        self.push(&mut place, &pointer, None, body);
                    }
                }
                settle(self.items.iter_mut().skip(before).map(|item| &mut item.body), entry.text, &[]);
                self.branches.add(uuid(record), Link::Aside, self.items.len());
            }
            "file" => {
                let content = attachment.content.and_then(|content| content.read::<Node<AttachedFile<'_>>>());
                let file = content.as_ref().and_then(Node::get).and_then(|content| content.file.get());
                if let Some(text) = file.and_then(|file| file.content.get()) {
                    let name = attachment.filename.owned();
                    let body = Body::Attachment { name, text: Text::from(text), from_agent_path: true };
                    self.push(&mut place, "/attachment/content/file/content", None, body);
                }
                self.pass(entry);
            }
            // What hooks did, for people.
            "hook_success" | "hook_non_blocking_error" => self.pass(entry),
            _ => {
                let body = unknown(&entry.text_at("/attachment"), Speaker::System);
                self.push(&mut place, "/attachment", None, body);
                self.pass(entry);
            }
        }
    }

    pub(super) fn system(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        match record.subtype.or_empty() {
            "compact_boundary" => {
                self.say_incomplete(entry, "what stood before a compaction");
                self.branches.join(uuid(record));
            }
            "local_command" => {
                let content = record.content.and_then(|content| content.read::<Word<'_>>());
                if let Some(text) = content.as_ref().and_then(Word::get) {
                    let mut place = Place { entry, given: 0 };
                    self.say(&mut place, "/content", None, Speaker::System, text);
                }
                self.pass(entry);
            }
            _ => self.pass(entry),
        }
    }

    /// A call that is a line of its own, without an id.
    pub(super) fn old_call(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        let (server, tool) = server_and_tool(record.name.or_empty());
        let arguments = Text::from(record.input.map_or("{}", Raw::text));
        let call = Call { id: String::new(), server, tool, arguments, ran: Ran::Client, custom: false };
        self.push(&mut Place { entry, given: 0 }, "", None, Body::Call(call));
        self.branches.add(uuid(record), Link::Model(record.uuid.or_empty()), self.items.len());
    }

    /// A result that is a line of its own. It names its tool, but that is no proof of a call.
    pub(super) fn old_result(&mut self, entry: &'e Entry<'e>) {
        let line = Reparsed::of(entry.text);
        let block = Watched::of(Block { content: entry.record.output.clone(), ..Block::default() });
        let found = Found {
            line: &line,
            pointer: "",
            block: &block,
            failed: entry.record.failed(),
            call: "",
            called: None,
            structured: None,
            structured_at: entry.record.structured_at(),
        };
        let mut place = Place { entry, given: 0 };
        for (_, body) in results::bodies(&found) {
            self.push(&mut place, "/output", None, body);
        }
        self.branches.add(uuid(&entry.record), Link::Result(""), self.items.len());
    }

    pub(super) fn unknown(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>) {
        let mut place = Place { entry, given: 0 };
        if message.content != Blocks::Absent {
            let body = unknown(&entry.text_at(MESSAGE), Speaker::Task);
            self.push(&mut place, MESSAGE, None, body);
        }
        self.pass(entry);
    }
}
