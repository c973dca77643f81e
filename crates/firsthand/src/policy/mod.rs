//! What a deployment believes and allows: a profile with whatever a policy file changed.
//!
//! A policy is data. Its files are read in `firsthand-wire`; here stands what they mean.

mod tools;

use std::collections::BTreeMap;

pub use self::tools::{Dispatch, Field, Kind, Names, Permission, ToolRule, Tools};
use crate::convention::Rules;
use crate::lists::Networking;
use crate::meter::Budget;
use crate::private::Private;

/// Whose words a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Writer {
    /// A person's: its addresses are sources, whatever came before.
    Person,
    /// The outside world's: its addresses are sources unless the model wrote them before.
    World,
    /// The model's: its addresses are marked.
    Model,
    /// Nobody's that counts.
    Ignored,
}

impl Writer {
    /// The name in JSON and policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::World => "world",
            Self::Model => "model",
            Self::Ignored => "ignored",
        }
    }
}

/// What a deployment believes and allows.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The name of the profile it started from.
    pub profile: String,
    /// Whose words each position holds.
    pub positions: Positions,
    /// Whose words results are.
    pub results: Results,
    /// A mark closes an address to the world's later writing.
    pub order_counts: bool,
    /// The longest address that opens, in bytes.
    pub longest: usize,
    /// Where values that look like credentials are looked for.
    pub credentials: Credentials,
    /// An index's own fields are sources even after a mark.
    pub index_fields: bool,
    /// Parent paths and roots of sources open.
    pub truncation: bool,
    /// Site conventions with sourced slots open.
    pub conventions: bool,
    /// Whose words the results of a server's tools are, by the server's name.
    pub connectors: BTreeMap<String, Writer>,
    /// The rules of the site conventions.
    pub rules: Rules,
    /// What is known of each tool.
    pub tools: Tools,
    /// What names of arguments, fields and places tell.
    pub names: Names,
    /// Which hosts anything may reach.
    pub networking: Networking,
    /// What of private networks may be reached.
    pub private: Private,
    /// What literal addresses in a shell command or a script come to.
    pub shell: ShellLiteral,
    /// How far an echo is looked for in parts of an address.
    pub echo: Reach,
    /// How much may be told by choosing what opens.
    pub budget: Budget,
    /// When the earlier turns of a conversation are read.
    pub earlier: EarlierTurns,
}

/// Whose words each position holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// A message in the user's place.
    pub user: Writer,
    /// Relayed text in the user's place.
    pub relay: Writer,
    /// A person's answer to a question tool.
    pub answer: Writer,
    /// System prompt, developer message, host notes.
    pub system: Writer,
    /// A document that came with a message.
    pub attachment: Writer,
    /// The model's text.
    pub assistant: Writer,
    /// The model's reasoning.
    pub thinking: Writer,
    /// The arguments of calls.
    pub tool_call: Writer,
    /// A subagent's task and its like.
    pub task: Writer,
    /// A compaction summary.
    pub summary: Writer,
}

/// Whose words results are, by the class of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// A web search.
    pub search: Cell,
    /// A raw page.
    pub page: Cell,
    /// A tool of an MCP server.
    pub connector: Cell,
    /// A tool that nobody declared.
    pub undeclared: Cell,
    /// A tool that the application declared to the provider (a "custom tool").
    pub custom: Cell,
    /// Script, shell, file, memory, plan, notes, report, and summaries that a model wrote.
    pub generated: Cell,
    /// Errors.
    pub error: Errors,
}

/// Whose words a result is, by who ran the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The application ran it.
    pub client: Writer,
    /// The provider of the model ran it.
    pub provider: Writer,
}

/// Whose words an error result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// Nobody's.
    Ignored,
    /// The tool's, as if it were no error.
    AsTheTool,
}

/// Where values that look like credentials are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Nowhere.
    Off,
    /// In derived addresses and in writes.
    Derived,
    /// In every address.
    Every,
}

/// What literal addresses in a shell command or a script come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellLiteral {
    /// The verdict is advisory.
    Report,
    /// What would be refused is asked.
    Ask,
    /// What would be refused is refused.
    Refuse,
}

/// How far an echo is looked for in parts of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whole labels, path segments and query values of 8 bytes or more.
    Parts,
    /// Any run of 8 bytes.
    Substrings,
}

/// When the earlier turns of a conversation are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierTurns {
    /// Before anything opens on the world's word: earlier marks bind.
    First,
    /// Only when the current run has no source.
    OnMiss,
}
