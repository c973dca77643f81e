//! What a deployment believes and allows: a profile with whatever a policy file changed.
//!
//! A policy is data. Its files are read in `firsthand-wire`; here stands what they mean.

use std::collections::BTreeMap;

use crate::json::Path;
use crate::lists::{Domains, Networking};

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
    /// What is known of each tool.
    pub tools: Tools,
    /// The names, in lower case, of arguments that hold a program: a connector called with one is a script.
    pub program_arguments: std::collections::BTreeSet<String>,
    /// Which hosts anything may reach.
    pub networking: Networking,
    /// What literal addresses in a shell command or a script come to.
    pub shell: ShellLiteral,
    /// How far an echo is looked for in parts of an address.
    pub echo: Reach,
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

/// What is known of tools. A rule that stands later wins over an earlier one of the same key.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    rules: Vec<ToolRule>,
    // INVARIANT: each rule's index stands in exactly one of these, under its name or among the starts of names.
    whole_names: BTreeMap<String, Vec<usize>>,
    starts: Vec<usize>,
}

/// What is known of one tool.
#[derive(Clone, Debug)]
pub struct ToolRule {
    /// The format in which the name means this tool; any, if not said.
    pub dialect: Option<String>,
    /// The server that offers it.
    pub server: Option<String>,
    /// Its name; a `*` at the end stands for anything.
    pub name: String,
    /// What kind of tool it is.
    pub kind: Kind,
    /// The arguments whose values are addresses that it opens.
    pub opens: Vec<Path>,
    /// The arguments whose prose holds addresses that it opens.
    pub opens_text: Vec<Path>,
    /// The arguments that are not sent along with a request.
    pub inert: Vec<Path>,
    /// The arguments with which a call has a model write the result: it is a summary then, whatever the tool's kind.
    pub prompted_by: Vec<Path>,
    /// Whose words its results are, where somebody declared it.
    pub result: Option<Writer>,
    /// Whose words single fields of its results are.
    pub fields: Vec<(Path, Field)>,
    /// Whether its results may repeat what the model wrote, where somebody declared it.
    pub may_echo: Option<bool>,
    /// The tool runs other tools.
    pub dispatches: Option<Dispatch>,
    /// Whether a person must confirm its calls.
    pub permission: Permission,
    /// The domains that it may reach, each with everything below it; any, if not said.
    pub allowed_domains: Option<Domains>,
    /// The domains that it may not reach, each with everything below it.
    pub blocked_domains: Option<Domains>,
    /// The rule came from a policy file, not from the table that is built in.
    pub declared: bool,
}

/// What kind of tool it is: decides the row of the profile's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A web search.
    Search,
    /// Gives a page as it is.
    Page,
    /// Opens an address; what it returns is not the page.
    Opener,
    /// Runs a shell command.
    Shell,
    /// Runs code.
    Script,
    /// Reads or writes files.
    File,
    /// Reads or writes a memory.
    Memory,
    /// Keeps a plan or a list of things to do.
    Plan,
    /// Keeps notes.
    Notes,
    /// Runs another agent and returns its report.
    Report,
    /// Returns text that a model wrote from pages or hits.
    Summary,
    /// Asks a person.
    Question,
    /// Describes tools.
    Discovery,
    /// Gives what other people wrote in a system of theirs: mail, tickets, chat.
    Connector,
    /// Anything else.
    Other,
}

/// Whose words a field of a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A writer's.
    Of(Writer),
    /// The world's, and a search index's own: it cannot repeat an argument except by finding it.
    Index,
}

/// Where a tool that runs other tools says which.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The list of inner calls, where there are several; first match.
    pub each: Vec<Path>,
    /// Where the inner server's name stands, first match.
    pub server: Vec<Path>,
    /// Where the inner tool's name stands, first match.
    pub name: Vec<Path>,
    /// Where the inner arguments stand (an object or a JSON text), first match.
    pub arguments: Vec<Path>,
}

/// Whether a person must confirm the calls of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Permission {
    /// No.
    #[default]
    AlwaysAllow,
    /// What would open is asked.
    AlwaysAsk,
    /// What a person could heal is asked.
    Auto,
    /// The tool is denied.
    Deny,
}

impl Tools {
    /// Adds a rule; it wins over those before it.
    pub fn add(&mut self, rule: ToolRule) {
        match rule.name.ends_with('*') {
            true => self.starts.push(self.rules.len()),
            false => self.whole_names.entry(rule.name.clone()).or_default().push(self.rules.len()),
        }
        self.rules.push(rule);
    }

    /// The rules in order.
    pub fn rules(&self) -> &[ToolRule] {
        &self.rules
    }

    /// The rule for a tool of this name and server in this dialect.
    ///
    /// Server and name match exactly, so that a connector cannot pose as a tool of the host. A declared rule wins over one
    /// of the table, a whole name over the start of one, a rule for the dialect over one for any; of equal ones the later
    /// wins.
    pub fn rule(&self, dialect: &str, server: Option<&str>, name: &str) -> Option<&ToolRule> {
        let fits = |rule: &&ToolRule| {
            rule.server.as_deref() == server
                && rule.names(name)
                && rule.dialect.as_deref().is_none_or(|own| own == dialect)
        };
        let rank = |rule: &&ToolRule| (rule.declared, !rule.name.ends_with('*'), rule.dialect.is_some());
        let named = self.whole_names.get(name).into_iter().flatten().chain(&self.starts);
        named.filter_map(|index| self.rules.get(*index)).filter(fits).max_by_key(rank)
    }
}

impl ToolRule {
    /// A rule for a tool of which nothing is known but its name.
    pub fn named(server: Option<&str>, name: &str) -> Self {
        Self {
            dialect: None,
            server: server.map(str::to_owned),
            name: name.to_owned(),
            kind: Kind::Other,
            opens: Vec::new(),
            opens_text: Vec::new(),
            inert: Vec::new(),
            prompted_by: Vec::new(),
            result: None,
            fields: Vec::new(),
            may_echo: None,
            dispatches: None,
            permission: Permission::AlwaysAllow,
            allowed_domains: None,
            blocked_domains: None,
            declared: false,
        }
    }

    fn names(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => self.name == name,
        }
    }
}
