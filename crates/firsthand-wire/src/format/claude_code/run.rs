//! The items of one run.

mod beside;
mod models;
mod users;

use std::collections::{HashMap, VecDeque};

use firsthand::conversation::{Body, Item, Speaker, Text, gather_batches};

use super::super::lax::{Node, Reparsed, Word};
use super::super::text::milliseconds;
use super::branch::{Branches, Link, Parent};
use super::record::{Entry, Record};
use super::results::Called;
use super::user::Run;

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
        launches: HashMap::new(),
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
        skills: VecDeque::new(),
        task: None,
    };
    for entry in entries {
        reader.line(entry);
    }
    let is_fork = run == Run::Side && entries.iter().any(|entry| entry.record.is_copied());
    ReadRun { items: gather_batches(reader.items), task: reader.task, is_fork }
}

struct Reader<'e, 'r> {
    run: Run,
    id: &'r str,
    launched: &'r mut Vec<Launched>,
    /// Where the launch of each call stands among them.
    launches: HashMap<&'e str, usize>,
    items: Vec<Item>,
    turn: Option<u32>,
    /// How many prompts there were.
    prompts: u32,
    /// How many prompts there were when each message began: one whose id comes again later is another.
    messages: HashMap<&'e str, u32>,
    calls: HashMap<&'e str, Called<'e>>,
    branches: Branches<'e>,
    said_incomplete: bool,
    /// The words in the arguments of the model's own slash commands, which old files put into the user's place without a
    /// sign.
    skills: VecDeque<Vec<String>>,
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
            ("user", Some(message)) if matches!(message.role.get(), Some("user")) || message.role == Word::Absent => {
                self.user(entry, message);
            }
            ("assistant", Some(message)) => self.assistant(entry, message),
            ("attachment", _) => self.attachment(entry),
            ("system", _) => self.system(entry),
            ("tool_use", None) => self.old_call(entry),
            ("tool_result", None) => self.old_result(entry),
            // A display copy of what stands in the lines of its run.
            ("progress", _) => self.pass(entry),
            (kind, None) if record.message == Node::Odd => {
                let by = if kind == "assistant" { Speaker::Assistant } else { Speaker::Task };
                let body = unknown(&entry.text_at("/message"), by);
                self.push(&mut Place { entry, given: 0 }, "/message", None, body);
                self.pass(entry);
            }
            (_, None) => self.pass(entry),
            // A line of an unknown type that holds a message: whoever it is from, it is not known to be a person.
            (_, Some(message)) => match message.role.get() {
                Some("assistant") => self.assistant(entry, message),
                _ => self.unknown(entry, message),
            },
        }
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
            let mut item = Item::new(entry.at(""), Body::Rewind { to });
            item.turn = self.turn;
            self.items.push(item);
        }
    }

    /// Says once that a session begins before its file does.
    fn say_incomplete(&mut self, entry: &Entry<'_>, what: &'static str) {
        if self.run == Run::Main && self.branches.is_empty() && !self.said_incomplete {
            self.said_incomplete = true;
            self.items.push(Item::new(entry.at(""), Body::Hidden { calls: true, what }));
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
        let at = place.entry.at(pointer);
        let id = place.entry.record.uuid.owned().map(|uuid| match place.given {
            0 => uuid,
            given => format!("{uuid}/{given}"),
        });
        place.given += 1;
        let time = place.entry.record.timestamp.get().and_then(milliseconds);
        self.items.push(Item { id, at, turn: Some(self.turn.unwrap_or(0)), batch, time, body });
    }
}

/// Where the blocks of a message stand in a line.
const MESSAGE: &str = "/message/content";

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
