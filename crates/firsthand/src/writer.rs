//! Whose words a text is: the whole rule of positions.

use crate::conversation::{Ran, Seat, Speaker};
use crate::policy::{Cell, Errors, Kind, Policy};

pub use crate::policy::Writer;

/// Where a text stands, with what decides whose words it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A message in the user's place of a run with this seat.
    User(Seat),
    /// Text in the user's place that the application passed on.
    Relay(Seat),
    /// A person's answer to a question tool.
    Answer(Seat),
    /// A document; the flag says that the host read it from a path that the agent can write.
    Attachment {
        /// See [`Body::Attachment`](crate::conversation::Body::Attachment).
        from_agent_path: bool,
    },
    /// Text of the model or the host.
    Said(Speaker),
    /// The arguments of a call.
    Arguments,
    /// A result.
    Result {
        /// Which row of the table.
        row: Row,
        /// Who ran the tool.
        ran: Ran,
        /// The tool reported an error.
        is_error: bool,
    },
}

/// The row of the profile's table that a result belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A policy file says whose words it is.
    Declared(Writer),
    /// A web search.
    Search,
    /// A raw page.
    Page,
    /// A tool of an MCP server.
    Connector,
    /// A tool that the application declared to the provider.
    Custom,
    /// Script, shell, file, memory, plan, notes, report, summary.
    Generated,
    /// A description of tools: host text.
    Host,
    /// A tool that nobody declared.
    Undeclared,
    /// A result whose call is missing.
    Orphan,
}

/// Whose words a text is.
pub fn writer_of(origin: Origin, policy: &Policy) -> Writer {
    let positions = &policy.positions;
    match origin {
        Origin::User(Seat::Presumed | Seat::Person) => positions.user,
        Origin::Relay(Seat::Presumed | Seat::Person) => positions.relay,
        Origin::Answer(Seat::Presumed | Seat::Person) => positions.answer,
        // Whoever speaks in the user's place of a subagent is the parent model.
        Origin::User(Seat::ParentModel) | Origin::Relay(Seat::ParentModel) => positions.task,
        // A subagent's question tool still reaches a person.
        Origin::Answer(Seat::ParentModel) => positions.answer,
        Origin::Attachment { from_agent_path: false } => positions.attachment,
        Origin::Attachment { from_agent_path: true } => policy.results.generated.client,
        Origin::Said(Speaker::System) => positions.system,
        Origin::Said(Speaker::Assistant) => positions.assistant,
        Origin::Said(Speaker::Thinking) => positions.thinking,
        Origin::Said(Speaker::Task) => positions.task,
        Origin::Said(Speaker::Summary) => positions.summary,
        Origin::Said(Speaker::Report) => Writer::Ignored,
        Origin::Arguments => positions.tool_call,
        Origin::Result { is_error: true, row: _, ran: _ } if policy.results.error == Errors::Ignored => Writer::Ignored,
        Origin::Result { row, ran, is_error: _ } => {
            let of = |cell: Cell| match ran {
                Ran::Client => cell.client,
                Ran::Provider => cell.provider,
            };
            let results = &policy.results;
            match row {
                Row::Declared(writer) => writer,
                Row::Search => of(results.search),
                Row::Page => of(results.page),
                Row::Connector => of(results.connector),
                Row::Custom => of(results.custom),
                Row::Generated => of(results.generated),
                Row::Undeclared => of(results.undeclared),
                Row::Host => positions.system,
                Row::Orphan => Writer::Ignored,
            }
        }
    }
}

/// The row of a tool of this kind that no policy file speaks of.
pub fn row_of(kind: Kind, server: Option<&str>, custom: bool) -> Row {
    match kind {
        Kind::Search => Row::Search,
        Kind::Page => Row::Page,
        Kind::Shell
        | Kind::Script
        | Kind::File
        | Kind::Memory
        | Kind::Plan
        | Kind::Notes
        | Kind::Report
        | Kind::Summary
        | Kind::Question => Row::Generated,
        Kind::Discovery => Row::Host,
        Kind::Connector => Row::Connector,
        Kind::Opener | Kind::Other if server.is_some() => Row::Connector,
        Kind::Opener | Kind::Other if custom => Row::Custom,
        Kind::Opener | Kind::Other => Row::Undeclared,
    }
}
