//! What one run of a model saw and wrote, in order.
//!
//! Readers of recorded formats (crate `firsthand-wire`) turn whatever an agent stores into these items. Nothing here
//! says who is believed: that is the [`writer`](crate::writer) module's.

use std::ops::Range;
use std::sync::Arc;

/// A text of a conversation. Shared, because a ledger may keep a text until somebody asks about its words.
pub type Text = Arc<str>;

/// One conversation: the items of one run, in the order in which the model saw them.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The id that the format gives it, else one made from the file and the place in it.
    pub id: String,
    /// The run that started this one, where it is a subagent's.
    pub parent: Option<Parent>,
    /// Who fills the user's place.
    pub seat: Seat,
    /// The name of the format it was read from, such as `claude-code`; tools are looked up under it.
    pub dialect: &'static str,
    /// The items.
    pub items: Vec<Item>,
}

/// The run that started a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The parent conversation's id.
    pub conversation: String,
    /// The call in the parent that started this run, where the format says it.
    pub call: Option<String>,
}

/// Who fills the user's place of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Seat {
    /// A person, as far as the format tells; nobody vouches that one can be asked now.
    #[default]
    Presumed,
    /// A person who can be asked.
    Person,
    /// The model of the run that started this one: user messages are tasks.
    ParentModel,
}

/// One entry of a conversation.
#[derive(Clone, Debug)]
pub struct Item {
    /// The id that the format gives the item, if any.
    pub id: Option<String>,
    /// Where it stands in the file: a JSON pointer (`/messages/3/content/0`) or a line (`line 12`).
    pub at: String,
    /// The number of the turn (one question and its answer), from 0, where the format tells.
    pub turn: Option<u32>,
    /// The id of the message that a call belongs to: calls of one message are one batch.
    pub batch: Option<String>,
    /// When it was written, in milliseconds since 1970 (UTC), where the format says it: the order of runs side by side.
    pub time: Option<i64>,
    /// What it is.
    pub body: Body,
}

/// What an item is.
#[derive(Clone, Debug)]
pub enum Body {
    /// A message in the user's place.
    User {
        /// What it says.
        text: Text,
        /// Which of it the application passed on from somebody else.
        relayed: Relayed,
    },
    /// Text of the model or of the host.
    Said {
        /// Whose.
        by: Speaker,
        /// What it says.
        text: Text,
    },
    /// A document or file that came with a user message.
    Attachment {
        /// Its name, if it has one.
        name: Option<String>,
        /// Its text.
        text: Text,
        /// The host read it from a path that the agent can write: a file read, not a document of a person's.
        from_agent_path: bool,
    },
    /// A call of a tool.
    Call(Call),
    /// What a call returned.
    Result(ToolResult),
    /// A person's answer to a question tool.
    Answer {
        /// The id of the call that asked.
        call: String,
        /// What the person wrote.
        text: Text,
    },
    /// A person's yes to exactly one address.
    Grant {
        /// The address.
        address: String,
        /// How long it holds.
        scope: Scope,
    },
    /// The items from this index on were taken back.
    Rewind {
        /// The index of the first item that no longer counts.
        to: usize,
    },
    /// Something the record does not show: held by a server, encrypted, compacted away.
    Hidden {
        /// Calls and their arguments may be among it, so that an echo could not be recognised.
        calls: bool,
        /// What it is, for people.
        what: &'static str,
    },
}

/// Which part of a user message the application passed on from somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relayed {
    /// None.
    No,
    /// All of it.
    Whole,
    /// These ranges of UTF-8 bytes.
    Spans(Vec<Range<usize>>),
}

/// Whose text an item that is neither a person's nor a tool's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speaker {
    /// The system prompt, a developer message, a reminder, a tool description.
    System,
    /// The model's text.
    Assistant,
    /// The model's reasoning.
    Thinking,
    /// What a subagent was told to do, or what a timer, a plan or an SDK call below a run says in the user's place.
    Task,
    /// A summary that compaction made.
    Summary,
    /// Text of another model in the user's place: the report of a background agent, a teammate's message.
    Report,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The id that its result repeats. Empty where the format has none.
    pub id: String,
    /// The MCP server or connector that offers the tool, if it is one's.
    pub server: Option<String>,
    /// The tool's name, without its server.
    pub tool: String,
    /// The arguments: a JSON text, as written.
    pub arguments: Text,
    /// Who ran it.
    pub ran: Ran,
    /// The application declared the tool itself (a "custom tool").
    pub custom: bool,
}

impl Call {
    /// A call of which a record shows only the result, with the tool's name.
    pub fn named(server: Option<&str>, tool: &str, ran: Ran) -> Self {
        let (id, server, tool) = (String::new(), server.map(str::to_owned), tool.to_owned());
        Self { id, server, tool, arguments: "{}".into(), ran, custom: false }
    }
}

/// Who ran a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ran {
    /// The application or its host.
    #[default]
    Client,
    /// The provider of the model.
    Provider,
}

/// What a call returned.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// Which tool it came from.
    pub from: Producer,
    /// What it returned.
    pub content: Content,
    /// The tool reported an error.
    pub is_error: bool,
    /// The media type of the text, where it is known.
    pub mime: Option<String>,
    /// The addresses that a guarded fetch was sent on to, in order and absolute: the last is the page's, or, of an error, the
    /// one that was not followed. Only whoever fetched knows them.
    pub redirects: Vec<String>,
}

/// How a result says which tool it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Producer {
    /// By the id of the call.
    Call(String),
    /// By name: an address field that the provider attached, a result whose call the format does not show.
    Named {
        /// The server, if it is one's.
        server: Option<String>,
        /// The tool's name.
        tool: String,
        /// Who ran it.
        ran: Ran,
    },
}

/// The content of a result.
#[derive(Clone, Debug)]
pub enum Content {
    /// A text, read in the format that it shows.
    Text(Text),
    /// A JSON text, read string by string, keys included.
    Json(Text),
}

impl Content {
    /// The text, whatever it is.
    pub fn text(&self) -> &Text {
        match self {
            Self::Text(text) | Self::Json(text) => text,
        }
    }
}

/// How long a grant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For one call.
    Once,
    /// For this run.
    Run,
    /// Until a time, in seconds since 1970 (UTC).
    Until(i64),
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// A message in the user's place.
    User,
    /// Relayed text in the user's place.
    Relay,
    /// The system prompt and its like.
    System,
    /// A document that came with a message.
    Attachment,
    /// The model's text.
    Assistant,
    /// The model's reasoning.
    Thinking,
    /// The arguments of a call.
    ToolCall,
    /// A result.
    ToolResult,
    /// A subagent's task and its like.
    Task,
    /// A compaction summary.
    Summary,
    /// Another model's report.
    Report,
    /// A person's answer to a question tool.
    Answer,
    /// A grant.
    Grant,
    /// A rewind.
    Rewind,
    /// Something that the record does not show.
    Hidden,
}

impl Position {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Relay => "relay",
            Self::System => "system",
            Self::Attachment => "attachment",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Task => "task",
            Self::Summary => "summary",
            Self::Report => "report",
            Self::Answer => "answer",
            Self::Grant => "grant",
            Self::Rewind => "rewind",
            Self::Hidden => "hidden",
        }
    }
}

impl Speaker {
    /// Where it stands.
    pub fn position(self) -> Position {
        match self {
            Self::System => Position::System,
            Self::Assistant => Position::Assistant,
            Self::Thinking => Position::Thinking,
            Self::Task => Position::Task,
            Self::Summary => Position::Summary,
            Self::Report => Position::Report,
        }
    }
}

impl Body {
    /// The call, if it is one.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Self::Call(call) => Some(call),
            Self::User { .. }
            | Self::Said { .. }
            | Self::Attachment { .. }
            | Self::Result(_)
            | Self::Answer { .. }
            | Self::Grant { .. }
            | Self::Rewind { .. }
            | Self::Hidden { .. } => None,
        }
    }

    /// Where it stands. A user message with relayed spans stands in the user's place.
    pub fn position(&self) -> Position {
        match self {
            Self::User { relayed: Relayed::Whole, .. } => Position::Relay,
            Self::User { relayed: Relayed::No | Relayed::Spans(_), .. } => Position::User,
            Self::Said { by, .. } => by.position(),
            Self::Attachment { .. } => Position::Attachment,
            Self::Call(_) => Position::ToolCall,
            Self::Result(_) => Position::ToolResult,
            Self::Answer { .. } => Position::Answer,
            Self::Grant { .. } => Position::Grant,
            Self::Rewind { .. } => Position::Rewind,
            Self::Hidden { .. } => Position::Hidden,
        }
    }
}

impl Item {
    /// An item of a body at a place, with nothing else known of it.
    pub fn new(at: impl Into<String>, body: Body) -> Self {
        Self { id: None, at: at.into(), turn: None, batch: None, time: None, body }
    }
}

/// Puts the calls of a message before the results of that message.
///
/// Some formats store a message with parallel calls piece by piece, with the result of the first call between it and the
/// second. The model wrote all of them before it saw any result, so everything that carries the same `batch` moves up to
/// the first item of that batch that a result follows. The order is otherwise kept.
pub fn gather_batches(items: Vec<Item>) -> Vec<Item> {
    let mut gathered: Vec<Item> = Vec::with_capacity(items.len());
    // What stands behind the batch that is being written, until the batch ends.
    let mut behind: Vec<Item> = Vec::new();
    let mut open: Option<String> = None;
    for item in items {
        match &item.batch {
            Some(batch) if open.as_ref() == Some(batch) => gathered.push(item),
            Some(batch) => {
                open = Some(batch.clone());
                gathered.append(&mut behind);
                gathered.push(item);
            }
            None => behind.push(item),
        }
    }
    gathered.append(&mut behind);
    gathered
}
