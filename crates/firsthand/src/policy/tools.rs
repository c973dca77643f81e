//! What is known of tools.

use std::collections::{BTreeMap, BTreeSet};

use super::Writer;
use crate::json::{self, Path};
use crate::lists::Domains;

/// What is known of tools. A rule that stands later wins over an earlier one of the same key.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    rules: Vec<ToolRule>,
    // INVARIANT: each rule's index stands in exactly one of these, under its name or among the starts of names.
    whole_names: BTreeMap<String, Vec<usize>>,
    starts: Vec<usize>,
    // INVARIANT: the rules of `whole_names` under their folded names.
    folded_names: BTreeMap<String, Vec<usize>>,
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
    /// The arguments that name the forms of the result: one that is not a page's own ([`Names::raw_formats`]) a model writes.
    pub formats: Vec<Path>,
    /// Somebody declared them: no other argument has a model write, whatever it is called.
    pub prompted_by_these_alone: bool,
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

/// What names of arguments, fields and places tell. All are folded ([`json::folded_name`]), so that no respelling of a name
/// makes a result count for more.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Arguments that hold a program: a connector called with one is a script.
    pub programs: BTreeSet<String>,
    /// What names of arguments contain that have a model write the result.
    pub prompts: BTreeSet<String>,
    /// Fields of a search's result that a model wrote.
    pub answers: BTreeSet<String>,
    /// Schemes of addresses of what stands on the machine where the tool runs, or in the address itself.
    pub local_schemes: BTreeSet<String>,
    /// Forms in which a page is given as it is.
    pub raw_formats: BTreeSet<String>,
    /// Servers whose tools work on the agent's machine or run its code.
    pub machines: BTreeSet<String>,
    /// First folders of absolute paths on such a machine.
    pub local_folders: BTreeSet<String>,
}

/// Where a tool that runs other tools says which.
#[derive(Clone, Debug, Default)]
pub struct Dispatch {
    /// Where the address of a resource stands, of a tool that reads one instead of running a tool; first match.
    pub resource: Vec<Path>,
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
            false => {
                self.whole_names.entry(rule.name.clone()).or_default().push(self.rules.len());
                self.folded_names.entry(json::folded_name(&rule.name).into_owned()).or_default().push(self.rules.len());
            }
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

    /// The rules for tools whose names resemble this one, of any server and in any format.
    ///
    /// A resemblance only ever makes a tool count for less.
    pub fn resembling(&self, name: &str) -> impl Iterator<Item = &ToolRule> {
        let folded = self.folded_names.get(&*json::folded_name(name));
        folded.into_iter().flatten().filter_map(|index| self.rules.get(*index))
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
            formats: Vec::new(),
            prompted_by_these_alone: false,
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
