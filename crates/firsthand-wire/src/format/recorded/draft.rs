//! A conversation while it is being read: turns, batches, and which call a result answers.

mod whose;

use std::borrow::Cow;
use std::collections::BTreeSet;

use firsthand::conversation::{
    Body, Call, Content, Conversation, Item, Producer, Ran, Relayed, Seat, Speaker, ToolResult, gather_batches,
};

use super::calls::{Calls, Ids, Runs};
use super::marks;
use super::node::{Node, Spot};
use super::signs;

/// The tool under whose name addresses stand that a provider attached to a text.
const INDEX: &str = "web_search";

/// A conversation while it is being read.
pub(in crate::format) struct Draft {
    dialect: &'static str,
    items: Vec<Item>,
    turn: u32,
    /// Something other than a person's words came since a person's last message.
    answered: bool,
    spoke: bool,
    /// Whose the user's place is in the record that is being read, where a sign of it says that no person typed it.
    doubt: Option<Speaker>,
    /// A sign of the record says that what it returns came of a failure.
    failed: bool,
    /// Another agent, or nobody, sits in the user's place.
    is_child: bool,
    /// The provider searched, or was told that it may.
    searched: bool,
    message: Option<Message>,
    calls: Calls,
    /// Ids given to calls so far.
    given: BTreeSet<String>,
    /// How many results had no call.
    orphans: usize,
    /// The ids of items.
    names: BTreeSet<String>,
}

/// The message of the model that is being read.
struct Message {
    base: String,
    /// How much the model saw since the message began: results that stand in it, words of a person.
    seen: usize,
    running: bool,
}

/// A call to be added.
pub(in crate::format) struct NewCall<'n> {
    /// The id that the format gives it; may be empty or one that was there before.
    pub(in crate::format) id: Cow<'n, str>,
    pub(in crate::format) server: Option<&'n str>,
    pub(in crate::format) tool: &'n str,
    /// A JSON text.
    pub(in crate::format) arguments: String,
    pub(in crate::format) ran: Ran,
}

impl Draft {
    /// An empty conversation of this dialect.
    pub(in crate::format) fn new(dialect: &'static str) -> Self {
        Self {
            dialect,
            items: Vec::new(),
            turn: 0,
            answered: false,
            spoke: false,
            doubt: None,
            failed: false,
            is_child: false,
            searched: false,
            message: None,
            calls: Calls::default(),
            given: BTreeSet::new(),
            orphans: 0,
            names: BTreeSet::new(),
        }
    }

    /// How many items there are.
    pub(in crate::format) fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether a person or the model said something so far.
    pub(in crate::format) fn has_said_anything(&self) -> bool {
        let is_hosts = |body: &Body| matches!(body, Body::Said { by: Speaker::System, .. } | Body::Hidden { .. });
        self.items.iter().any(|item| !is_hosts(&item.body))
    }

    /// Whether some item has this id.
    pub(in crate::format) fn has_item(&self, id: &str) -> bool {
        self.names.contains(id)
    }

    /// Begins or goes on with a message of the model. Consecutive messages are one, as are those of one id.
    pub(in crate::format) fn model_message(&mut self, id: Option<&str>, spot: &Spot) {
        let base = match (id.filter(|id| !id.is_empty()), &self.message) {
            (Some(id), _) => id.to_owned(),
            (None, Some(message)) if message.running => message.base.clone(),
            (None, _) => spot.text(),
        };
        match &mut self.message {
            Some(message) if message.base == base => message.running = true,
            _ => {
                self.calls.begin_group();
                self.message = Some(Message { base, seen: 0, running: true });
            }
        }
    }

    /// Ends the message of the model: what follows is not the model's.
    pub(in crate::format) fn end_model_message(&mut self) {
        if let Some(message) = &mut self.message {
            message.running = false;
        }
    }

    /// What a person typed in a part of their message, where no sign of the part speaks against it.
    pub(in crate::format) fn typed(&mut self, spot: &Spot, part: &Node<'_>, text: &str) {
        match signs::against(part) {
            Some(by) => self.said(spot, by, text),
            None => self.user(spot, text),
        }
    }

    /// What a person said, cut where a harness marked its own words.
    pub(in crate::format) fn user(&mut self, spot: &Spot, text: &str) {
        if let Some(by) = self.doubt {
            return self.said(spot, by, text);
        }
        for (piece, speaker) in marks::pieces(text) {
            let Some(by) = speaker else {
                if self.answered {
                    self.turn += 1;
                    self.answered = false;
                }
                // The model goes on after it saw what a person said, whatever id its message has.
                if let Some(message) = &mut self.message {
                    message.seen += 1;
                }
                self.push(spot, Body::User { text: piece.into(), relayed: Relayed::No });
                continue;
            };
            if by == Speaker::Summary {
                self.compacted(spot);
            }
            self.said(spot, by, piece);
        }
    }

    /// Notes that earlier calls are gone, where a summary stands for a history that the record does not have.
    pub(in crate::format) fn compacted(&mut self, spot: &Spot) {
        if !self.spoke {
            self.hidden(spot, true, "the history that a summary stands for");
        }
    }

    /// Text of the model or the host; empty text is left out.
    pub(in crate::format) fn said(&mut self, spot: &Spot, by: Speaker, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match by {
            Speaker::Assistant | Speaker::Thinking => {
                self.answered = true;
                self.spoke = true;
            }
            Speaker::System | Speaker::Task | Speaker::Summary | Speaker::Report => {}
        }
        self.push(spot, Body::Said { by, text: text.into() });
    }

    /// A document of the user's.
    pub(in crate::format) fn attachment(&mut self, spot: &Spot, name: Option<&str>, text: &str) {
        if let Some(by) = self.doubt {
            return self.said(spot, by, text);
        }
        let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
        self.push(spot, Body::Attachment { name, text: text.into(), from_agent_path: false });
    }

    /// Something that the record does not show.
    pub(in crate::format) fn hidden(&mut self, spot: &Spot, calls: bool, what: &'static str) {
        self.push(spot, Body::Hidden { calls, what });
    }

    /// The items from this index on were taken back.
    pub(in crate::format) fn rewind(&mut self, spot: &Spot, to: usize) {
        self.message = None;
        self.answered = true;
        self.push(spot, Body::Rewind { to });
    }

    /// A call; gives the id that its result must carry. An id that some servers number anew in each message is made unique
    /// where its result can be told apart; elsewhere calls of one id keep it, and the stricter of them binds.
    pub(in crate::format) fn call(&mut self, spot: &Spot, call: NewCall<'_>) -> String {
        let NewCall { id: raw, server, tool, arguments, ran } = call;
        let raw = &*raw;
        let (server, tool) = own_server(server, tool);
        let id = self.calls.shared_id(raw, server, tool).unwrap_or_else(|| self.unused(raw));
        self.calls.add(&id, raw, server, tool, ran);
        self.searched |= ran == Ran::Provider && server.is_none() && is_search(tool);
        self.answered = true;
        self.spoke = true;
        let call = Call {
            id: id.clone(),
            server: server.map(str::to_owned),
            tool: tool.to_owned(),
            arguments: arguments.into(),
            ran,
            custom: false,
        };
        self.push(spot, Body::Call(call));
        id
    }

    /// Gives the item of this index this id of the format's.
    pub(in crate::format) fn name(&mut self, index: usize, id: &str) {
        if let Some(item) = self.items.get_mut(index).filter(|_| !id.is_empty()) {
            item.id = Some(id.to_owned());
            self.names.insert(id.to_owned());
        }
    }

    /// Whether some call has this id.
    pub(in crate::format) fn has_call(&self, id: &str) -> bool {
        self.given.contains(id)
    }

    /// Where the last item with this id of the format's stands.
    pub(in crate::format) fn place_of(&self, id: &str) -> Option<usize> {
        self.items.iter().rposition(|item| item.id.as_deref() == Some(id)).filter(|_| !id.is_empty())
    }

    /// The call that a result of this id answers: of several with the id, the first unanswered one of the latest message
    /// that has one. An id that no call waits under stays as it is or becomes another, and the result without a call.
    pub(in crate::format) fn answered_by_id(&mut self, raw: &str) -> Producer {
        let runs = self.runs();
        match self.calls.answer_id(raw, runs) {
            Some(id) => Producer::Call(id),
            None if self.given.contains(raw) => self.nobody(),
            None => Producer::Call(raw.to_owned()),
        }
    }

    /// The same for a result that may name its tool: one that names another tool than the call's is nobody's.
    pub(in crate::format) fn answered_as(&mut self, raw: &str, tool: Option<&str>) -> Producer {
        let from = self.answered_by_id(raw);
        let own = match &from {
            Producer::Call(id) => self.calls.tool(id),
            Producer::Named { .. } => None,
        };
        // What a call says before its tool's name may be missing in one of the two.
        let same = |own: &str, named: &str| own.is_empty() || named.ends_with(own) || own.ends_with(named);
        match (own, tool.filter(|tool| !tool.is_empty())) {
            (Some(own), Some(named)) if !same(own, named) => self.nobody(),
            _ => from,
        }
    }

    /// The call that a result answers by its place: the first unanswered one of the latest message, of this tool where
    /// the result names one. `None` where no call fits.
    pub(in crate::format) fn answered_by_place(&mut self, tool: Option<&str>) -> Option<Producer> {
        let runs = self.runs();
        self.calls.answer_place(tool, runs, Ids::Any).map(Producer::Call)
    }

    /// The call that a result without an id answers by its place, where that call has no id either: a record that gives its
    /// calls ids gives them to results too.
    pub(in crate::format) fn answered_without_id(&mut self, tool: Option<&str>) -> Producer {
        let runs = self.runs();
        match self.calls.answer_place(tool, runs, Ids::None) {
            Some(id) => Producer::Call(id),
            None => self.nobody(),
        }
    }

    /// What a result comes from whose call is not known.
    pub(in crate::format) fn nobody(&mut self) -> Producer {
        loop {
            self.orphans += 1;
            let id = format!("none#{}", self.orphans);
            if self.given.insert(id.clone()) {
                return Producer::Call(id);
            }
        }
    }

    /// Whose calls may be answered here: in the model's own message only what its provider ran.
    fn runs(&self) -> Runs {
        if self.message.as_ref().is_some_and(|message| message.running) { Runs::Provider } else { Runs::Any }
    }

    /// Notes that the last call is answered.
    pub(in crate::format) fn settle(&mut self) {
        self.calls.settle();
    }

    /// An id that no call has yet: the given one, or it with a number.
    fn unused(&mut self, raw: &str) -> String {
        let mut id = raw.to_owned();
        let mut number = self.calls.len();
        while id.is_empty() || self.given.contains(&id) {
            id = format!("{raw}#{number}");
            number += 1;
        }
        self.given.insert(id.clone());
        id
    }

    /// What a person answered to a call that asked.
    pub(in crate::format) fn answer(&mut self, spot: &Spot, call: &str, text: &str) {
        self.calls.begin_group();
        self.push(spot, Body::Answer { call: call.to_owned(), text: text.into() });
    }

    /// A result, or one part of it.
    pub(in crate::format) fn result(&mut self, spot: &Spot, from: Producer, content: Content, is_error: bool) {
        self.returned(spot, ToolResult { from, content, is_error, mime: None, redirects: Vec::new() });
    }

    /// A result with all that is known of it.
    pub(in crate::format) fn returned(&mut self, spot: &Spot, mut result: ToolResult) {
        result.is_error |= self.failed;
        if let Some(message) = self.message.as_mut().filter(|message| message.running) {
            message.seen += 1;
        }
        match &result.from {
            Producer::Call(id) => self.calls.note_answer(id),
            Producer::Named { .. } => {}
        }
        self.calls.begin_group();
        self.answered = true;
        let item = Item { turn: Some(self.turn), ..Item::new(spot.text(), Body::Result(result)) };
        self.items.push(item);
    }

    /// Notes that the provider may search without saying so.
    pub(in crate::format) fn may_search(&mut self) {
        self.searched = true;
    }

    /// Addresses that the provider's search attached to a text, each with its title. They stand before the text. Where
    /// nothing was searched nobody knows whose they are.
    pub(in crate::format) fn attached(&mut self, spot: &Spot, hits: &[(&str, &str)]) {
        let mut seen = BTreeSet::new();
        let hits = hits.iter().filter(|(url, _)| !url.is_empty() && seen.insert(*url));
        let results: Vec<Node<'_>> = hits.map(|(url, title)| hit(url, title)).collect();
        if results.is_empty() {
            return;
        }
        let from = if self.searched { index() } else { self.nobody() };
        self.result(spot, from, results_of(results), false);
    }

    fn push(&mut self, spot: &Spot, body: Body) {
        let batch = match &body {
            Body::Said { by: Speaker::Assistant | Speaker::Thinking, .. } | Body::Call(_) | Body::Hidden { .. } => {
                self.message.as_ref().filter(|message| message.running).map(Message::name)
            }
            Body::User { .. }
            | Body::Said { by: Speaker::System | Speaker::Task | Speaker::Summary | Speaker::Report, .. }
            | Body::Attachment { .. }
            | Body::Result(_)
            | Body::Answer { .. }
            | Body::Grant { .. }
            | Body::Rewind { .. } => None,
        };
        self.items.push(Item { id: None, at: spot.text(), turn: Some(self.turn), batch, time: None, body });
    }

    /// The conversation, calls of a message gathered before its results.
    pub(in crate::format) fn finish(self, id: String) -> Conversation {
        // A rewind counts items, so the order of a conversation that has one stays as it was read.
        let rewound = self.items.iter().any(|item| matches!(item.body, Body::Rewind { .. }));
        let mut items = if rewound { self.items } else { gather_batches(self.items) };
        if self.is_child {
            items.iter_mut().for_each(|item| signs::take(&mut item.body, Speaker::Task));
        }
        let seat = if self.is_child { Seat::ParentModel } else { Seat::Presumed };
        Conversation { id, parent: None, seat, dialect: self.dialect, items }
    }
}

impl Message {
    /// What the calls of a batch share. A result that stands inside a message ends a batch: a server ran the tool and the
    /// model wrote on after it saw what came back.
    fn name(&self) -> String {
        if self.seen == 0 { self.base.clone() } else { format!("{}#{}", self.base, self.seen) }
    }
}

/// The provider's search, whichever of its calls found something.
fn index() -> Producer {
    Producer::Named { server: None, tool: INDEX.to_owned(), ran: Ran::Provider }
}

/// Whether a tool that the provider ran searches the web.
fn is_search(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let other = tool.starts_with("tool_search") || tool.starts_with("file_search") || tool == "search_files";
    (tool.contains("search") || tool.contains("grounding")) && !other
}

/// One hit as a node: address and title.
fn hit<'a>(url: &'a str, title: &'a str) -> Node<'a> {
    let mut members = vec![("url".into(), Node::Text(url.into()))];
    if !title.is_empty() {
        members.push(("title".into(), Node::Text(title.into())));
    }
    Node::Map(members)
}

/// Hits in the form that all readers give search results: `{"results":[{"url","title"}]}`.
pub(in crate::format) fn results_of(hits: Vec<Node<'_>>) -> Content {
    Content::Json(Node::Map(vec![("results".into(), Node::List(hits))]).json().into())
}

/// The server and tool of a name that says both, as hosts write them: `mcp__server__tool`.
fn own_server<'n>(server: Option<&'n str>, tool: &'n str) -> (Option<&'n str>, &'n str) {
    let split =
        || tool.strip_prefix("mcp__")?.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty());
    match (server.filter(|server| !server.is_empty()), split()) {
        (Some(server), _) => (Some(server), tool),
        (None, Some((server, tool))) => (Some(server), tool),
        (None, None) => (None, tool),
    }
}
