//! The items of one run.

use std::collections::HashMap;

use firsthand::conversation::{Body, Call, Item, Ran, Speaker, Text, gather_batches};
use serde::Deserialize;

use super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::text::milliseconds;
use super::branch::{Branches, Link, Parent};
use super::record::{AttachedFile, Block, DocumentSource, Entry, Message, Record, texts};
use super::results::{self, Called, Found};
use super::user::{self, Run, Whose, whose, whose_queued};

/// What a run came to.
#[derive(Debug)]
pub(super) struct ReadRun {
    pub(super) items: Vec<Item>,
    /// The first task, where the run is a subagent's.
    pub(super) task: Option<String>,
    /// It holds a copied part of its parent's conversation.
    pub(super) is_fork: bool,
}

/// A call that started a subagent.
#[derive(Debug)]
pub(super) struct Launched {
    /// The conversation that the call stands in.
    pub(super) run: String,
    pub(super) call: String,
    pub(super) agent: Option<String>,
    pub(super) task: Option<String>,
}

/// Reads the lines of a run; `id` is that of its conversation.
pub(super) fn read_run<'e>(entries: &[&'e Entry<'e>], run: Run, id: &str, launched: &mut Vec<Launched>) -> ReadRun {
    let mut reader = Reader {
        run,
        id,
        launched,
        items: Vec::new(),
        turn: None,
        prompts: 0,
        messages: HashMap::new(),
        calls: HashMap::new(),
        branches: match run {
            Run::Main => Branches::of_main(),
            Run::Side => Branches::of_side(),
        },
        said_incomplete: false,
        task: None,
    };
    for entry in entries {
        reader.line(entry);
    }
    let is_fork = run == Run::Side && entries.iter().any(|entry| entry.record.forked_from.is_some());
    ReadRun { items: gather_batches(reader.items), task: reader.task, is_fork }
}

struct Reader<'e, 'r> {
    run: Run,
    id: &'r str,
    launched: &'r mut Vec<Launched>,
    items: Vec<Item>,
    turn: Option<u32>,
    /// How many prompts there were.
    prompts: u32,
    /// How many prompts there were when each message began: one whose id comes again later is another.
    messages: HashMap<&'e str, u32>,
    calls: HashMap<&'e str, Called<'e>>,
    branches: Branches<'e>,
    said_incomplete: bool,
    task: Option<String>,
}

/// The place of a part in its line, and how many items the line has given.
struct Place<'e> {
    entry: &'e Entry<'e>,
    given: usize,
}

impl<'e> Reader<'e, '_> {
    fn line(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        match (record.kind.or_empty(), record.message.get()) {
            ("user", Some(message)) => self.user(entry, message),
            ("assistant", Some(message)) => self.assistant(entry, message),
            ("attachment", _) => self.attachment(entry),
            ("system", _) => self.system(entry),
            ("tool_use", None) => self.old_call(entry),
            ("tool_result", None) => self.old_result(entry),
            // A display copy of what stands in the lines of its run.
            ("progress", _) | (_, None) => self.pass(entry),
            // A line of an unknown type that holds a message: whoever it is from, it is not known to be a person.
            (_, Some(message)) => match message.role.get() {
                Some("assistant") => self.assistant(entry, message),
                _ => self.unknown(entry, message),
            },
        }
    }

    fn user(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>) {
        let record = &entry.record;
        let whose = whose(record, self.run);
        let answered: Vec<&Block<'_>> = result_blocks(message).collect();
        let first_call = answered.first().and_then(|block| self.calls.get(call_id(block, record)));
        let first_message = first_call.map(|called| called.message);
        let link = match whose {
            _ if !answered.is_empty() => Some(Link::Result(first_message.unwrap_or_default())),
            Whose::Person | Whose::Channel | Whose::Task => Some(Link::Prompt),
            Whose::Report | Whose::Summary => Some(Link::Aside),
            Whose::Host => None,
        };
        // Words beside a result are the host's, unless the line says that a person wrote them.
        let named = record.origin.get().is_some();
        let whose = if !answered.is_empty() && !named { Whose::Host } else { whose };
        let parts = self.user_parts(entry, message, whose);
        // A person's line in which the host left nothing of a person's is the host's.
        let speaks = |body: &Body| {
            !matches!(body, Body::Said { by: Speaker::System, .. } | Body::Result(_)) || !answered.is_empty()
        };
        let link = link.filter(|_| parts.iter().any(|(_, body)| speaks(body)));
        let Some(link) = link else {
            let mut place = Place { entry, given: 0 };
            for (pointer, body) in parts {
                self.push(&mut place, &pointer, None, body);
            }
            return self.pass(entry);
        };
        if whose == Whose::Summary {
            self.say_incomplete(entry, "what stood before a compaction");
        }
        self.begin(entry, link);
        if link == Link::Prompt {
            self.turn = Some(self.turn.map_or(0, |turn| turn + 1));
            self.prompts += 1;
        }
        if self.run == Run::Side && self.task.is_none() {
            self.task = texts(&message.content, "").into_iter().next().map(|(_, text)| text.into_owned());
        }
        let mut place = Place { entry, given: 0 };
        for (pointer, body) in parts {
            self.push(&mut place, &pointer, None, body);
        }
        self.branches.add(uuid(record), link, self.items.len());
    }

    fn user_parts(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>, whose: Whose) -> Vec<(String, Body)> {
        let record = &entry.record;
        let blocks = match &message.content {
            Blocks::Text(text) => {
                return user::bodies(text, whose).into_iter().map(|body| (String::new(), body)).collect();
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
                    let bodies = user::bodies(block.text.or_empty(), whose).into_iter();
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

    fn assistant(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>) {
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

    fn model_body(&mut self, node: &'e Node<Block<'e>>, message: &'e str, by: Speaker) -> Part {
        let Some(block) = node.get() else { return Part::Unknown };
        let said = |by, word: &Word<'_>| match word {
            Word::Is(text) if text.is_empty() => Part::Nothing,
            Word::Is(text) => Part::Body(Body::Said { by, text: Text::from(text.as_ref()) }),
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
            self.launched.push(Launched {
                run: self.id.to_owned(),
                call: id.to_owned(),
                agent: None,
                task: task.and_then(|task| task.prompt.owned()),
            });
        }
        self.calls.insert(id, Called { server: server.clone(), tool: tool.clone(), message });
        let arguments = Text::from(block.input.map_or("{}", Raw::text));
        Body::Call(Call { id: id.to_owned(), server, tool, arguments, ran, custom: false })
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
        let started = self.launched.iter_mut().rev().find(|launched| launched.call == call && launched.run == self.id);
        if let Some(started) = started {
            started.agent = agent;
        }
    }

    fn attachment(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        let mut place = Place { entry, given: 0 };
        let Some(attachment) = record.attachment.get() else { return self.pass(entry) };
        match attachment.kind.or_empty() {
            "queued_command" => {
                let whose = whose_queued(attachment, self.run);
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

    fn system(&mut self, entry: &'e Entry<'e>) {
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
    fn old_call(&mut self, entry: &'e Entry<'e>) {
        let record = &entry.record;
        let (server, tool) = server_and_tool(record.name.or_empty());
        let arguments = Text::from(record.input.map_or("{}", Raw::text));
        let call = Call { id: String::new(), server, tool, arguments, ran: Ran::Client, custom: false };
        self.push(&mut Place { entry, given: 0 }, "", None, Body::Call(call));
        self.branches.add(uuid(record), Link::Model(record.uuid.or_empty()), self.items.len());
    }

    /// A result that is a line of its own. It names its tool, but that is no proof of a call.
    fn old_result(&mut self, entry: &'e Entry<'e>) {
        let line = Reparsed::of(entry.text);
        let block = Block { content: entry.record.output.clone(), ..Block::default() };
        let found = Found {
            line: &line,
            pointer: "",
            block: &block,
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

    fn unknown(&mut self, entry: &'e Entry<'e>, message: &'e Message<'e>) {
        let mut place = Place { entry, given: 0 };
        if message.content != Blocks::Absent {
            let body = unknown(&entry.text_at(MESSAGE), Speaker::Task);
            self.push(&mut place, MESSAGE, None, body);
        }
        self.pass(entry);
    }

    /// Says at a line of the chain what it took back, and that lines before it are missing.
    fn begin(&mut self, entry: &'e Entry<'e>, link: Link<'e>) {
        let parent = parent(&entry.record);
        if let Parent::Line(parent) = parent
            && !self.branches.knows(parent)
        {
            self.say_incomplete(entry, "earlier lines, which are not in this file");
        }
        let to = self.branches.taken_back(link, parent).filter(|to| *to < self.items.len());
        if let Some(to) = to {
            let mut item = Item::new(format!("line {}", entry.number), Body::Rewind { to });
            item.turn = self.turn;
            self.items.push(item);
        }
    }

    /// Says once that a session begins before its file does.
    fn say_incomplete(&mut self, entry: &Entry<'_>, what: &'static str) {
        if self.run == Run::Main && self.branches.is_empty() && !self.said_incomplete {
            self.said_incomplete = true;
            self.items.push(Item::new(format!("line {}", entry.number), Body::Hidden { calls: true, what }));
        }
    }

    fn pass(&mut self, entry: &'e Entry<'e>) {
        self.branches.pass(uuid(&entry.record), parent(&entry.record));
    }

    fn say(&mut self, place: &mut Place<'e>, pointer: &str, batch: Option<String>, by: Speaker, text: &str) {
        if !text.is_empty() {
            self.push(place, pointer, batch, Body::Said { by, text: Text::from(text) });
        }
    }

    fn push(&mut self, place: &mut Place<'e>, pointer: &str, batch: Option<String>, body: Body) {
        let line = place.entry.number;
        let at = if pointer.is_empty() { format!("line {line}") } else { format!("line {line} {pointer}") };
        let id = place.entry.record.uuid.owned().map(|uuid| match place.given {
            0 => uuid,
            given => format!("{uuid}/{given}"),
        });
        place.given += 1;
        let time = place.entry.record.timestamp.get().and_then(milliseconds);
        self.items.push(Item { id, at, turn: Some(self.turn.unwrap_or(0)), batch, time, body });
    }
}

/// What a block of the model's is.
enum Part {
    Body(Body),
    Nothing,
    Unknown,
}

/// Where the blocks of a message stand in a line.
const MESSAGE: &str = "/message/content";

#[derive(Deserialize)]
struct Task<'t> {
    #[serde(borrow, default)]
    prompt: Word<'t>,
}

impl Entry<'_> {
    /// The JSON text at a pointer.
    fn text_at(&self, pointer: &str) -> String {
        Reparsed::of(self.text).at(pointer)
    }
}

fn unknown(json: &str, by: Speaker) -> Body {
    Body::Said { by, text: Text::from(json) }
}

fn uuid<'e>(record: &'e Record<'_>) -> Option<&'e str> {
    record.uuid.get().filter(|uuid| !uuid.is_empty())
}

fn parent<'e>(record: &'e Record<'_>) -> Parent<'e> {
    match &record.parent_uuid {
        Word::Is(parent) => Parent::Line(parent),
        Word::Absent => Parent::Root,
        Word::Odd => Parent::Unsaid,
    }
}

fn result_blocks<'e>(message: &'e Message<'e>) -> impl Iterator<Item = &'e Block<'e>> {
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

/// `mcp__server__tool` is a server's tool.
pub(super) fn server_and_tool(name: &str) -> (Option<String>, String) {
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server.to_owned()), tool.to_owned()),
        _ => (None, name.to_owned()),
    }
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
