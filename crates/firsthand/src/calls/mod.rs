//! Which tool really ran, what it opens, and whose words its result is.

mod class;
mod fields;
mod opens;
mod signs;
mod sql;

pub(crate) use self::class::strictness;
pub use self::class::{result_writer, row};
pub(crate) use self::fields::counts_for_less;
pub use self::fields::{Fields, Shape, fields_of};
pub use self::opens::{Opens, opens};
use self::signs::Signs;
use crate::conversation::{Call, Text};
use crate::json::{self, Path, Step};
use crate::meter::Bits;
use crate::policy::{Dispatch, Field, Kind, Policy, ToolRule};
use crate::writer::Writer;

/// How many dispatchers may stand in each other.
pub const MAX_DISPATCHES: usize = 4;

/// How many inner calls one call may have; more are not believed.
pub const MAX_INNER: usize = 256;

/// A tool that really ran, with its arguments.
#[derive(Clone, Debug)]
pub struct Inner<'p> {
    /// The server that offers it.
    pub server: Option<String>,
    /// Its name.
    pub tool: String,
    /// Its arguments, a JSON text.
    pub arguments: Text,
    /// What is known of it.
    pub rule: Option<&'p ToolRule>,
    /// What kind of tool it is in this call.
    pub kind: Kind,
    /// Something in the call that the table does not know of makes its result count for less.
    pub doubtful: bool,
    /// What is known of what it opens. A connector's tool that is called like a known opener is judged like one, though
    /// its results are not believed like one's.
    pub opener: Option<&'p ToolRule>,
    signs: Signs,
}

/// The tools that a call really runs: itself, or what it hands on.
///
/// The name and the arguments of the inner call stand in the outer one's. A dispatcher whose inner call cannot be read
/// runs a tool of which nothing is known.
pub fn really_run<'p>(call: &Call, dialect: &str, policy: &'p Policy) -> Vec<Inner<'p>> {
    let outer = Inner::new(call.server.clone(), call.tool.clone(), Text::clone(&call.arguments), dialect, policy);
    let mut resolved = Vec::new();
    resolve(outer, dialect, policy, 0, &mut resolved);
    resolved
}

impl<'p> Inner<'p> {
    /// A tool with what the policy knows of it.
    pub fn new(server: Option<String>, tool: String, arguments: Text, dialect: &str, policy: &'p Policy) -> Self {
        let rule = policy.tools.rule(dialect, server.as_deref(), &tool);
        let opener = rule.or_else(|| policy.tools.rule(dialect, None, &tool));
        let signs = match rule.map_or(Kind::Other, |rule| rule.kind) {
            Kind::Search | Kind::Page | Kind::Opener => Signs::of(opener, &arguments, &policy.names),
            Kind::Other if server.is_some() => Signs::of(opener, &arguments, &policy.names),
            // Whose words these are, the arguments have no say in.
            Kind::Other
            | Kind::Shell
            | Kind::Script
            | Kind::File
            | Kind::Memory
            | Kind::Plan
            | Kind::Notes
            | Kind::Report
            | Kind::Summary
            | Kind::Question
            | Kind::Discovery
            | Kind::Connector => Signs::default(),
        };
        let (kind, doubtful) = rule.map_or((Kind::Other, false), |rule| class::kind_of(rule, signs));
        Self { server, tool, arguments, rule, kind, doubtful, opener, signs }
    }

    /// A tool of which nothing is known.
    fn unknown(server: Option<String>, tool: String, arguments: Text, kind: Kind, policy: &Policy) -> Self {
        let signs = match server {
            Some(_) => Signs::of(None, &arguments, &policy.names),
            None => Signs::default(),
        };
        Self { server, tool, arguments, rule: None, kind, doubtful: true, opener: None, signs }
    }
}

fn resolve<'p>(call: Inner<'p>, dialect: &str, policy: &'p Policy, depth: usize, resolved: &mut Vec<Inner<'p>>) {
    let Some(dispatch) = call.rule.and_then(|rule| rule.dispatches.as_ref()) else {
        resolved.push(call);
        return;
    };
    let unknown = |tool: String| Inner::unknown(None, tool, Text::clone(&call.arguments), Kind::Other, policy);
    if depth == MAX_DISPATCHES {
        resolved.push(unknown(call.tool.clone()));
        return;
    }
    let inner = hand_on(dispatch, &call.arguments);
    if inner.is_empty() || resolved.len() + inner.len() > MAX_INNER {
        resolved.push(unknown(call.tool.clone()));
        return;
    }
    for HandedOn { server, tool, arguments, is_resource } in inner {
        let (server, tool) = plain_name(server, &tool);
        if is_resource {
            // A resource is its server's words unless it stands where the agent may have put it.
            let kind = if signs::is_local_resource(&tool, &policy.names) { Kind::File } else { Kind::Other };
            resolved.push(Inner::unknown(server, tool, arguments, kind, policy));
            continue;
        }
        resolve(Inner::new(server, tool, arguments, dialect, policy), dialect, policy, depth + 1, resolved);
    }
}

struct HandedOn {
    server: Option<String>,
    tool: String,
    arguments: Text,
    is_resource: bool,
}

/// Cuts what hosts put before a tool's name.
fn plain_name(server: Option<String>, name: &str) -> (Option<String>, String) {
    // A server without a name is none: the host runs its own tool.
    if let Some(server) = server.filter(|server| !server.trim().is_empty()) {
        return (Some(server), name.to_owned());
    }
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() => (Some(server.to_owned()), tool.to_owned()),
        Some(_) | None => (None, name.strip_prefix("functions.").unwrap_or(name).to_owned()),
    }
}

fn hand_on(dispatch: &Dispatch, arguments: &str) -> Vec<HandedOn> {
    match dispatch.each.as_slice() {
        [] => one(dispatch, arguments).into_iter().collect(),
        // Nobody knows which of two lists the host runs.
        lists if lists.iter().filter(|list| keys(arguments, &|path| list.meets(path)) > 0).count() > 1 => Vec::new(),
        lists => lists
            .iter()
            .map(|list| elements(list, arguments))
            .find(|elements| !elements.is_empty())
            .into_iter()
            .flatten()
            .map(|element| {
                one(dispatch, &element).unwrap_or(HandedOn {
                    server: None,
                    tool: String::new(),
                    arguments: Text::from(element),
                    is_resource: false,
                })
            })
            .collect(),
    }
}

/// What one call hands on; nothing where two places could each be the one that the host reads.
fn one(dispatch: &Dispatch, arguments: &str) -> Option<HandedOn> {
    let places = [&dispatch.name, &dispatch.resource, &dispatch.server, &dispatch.arguments];
    if places.iter().any(|place| keys(arguments, &|path| place.iter().any(|pattern| pattern.is_like(path))) > 1) {
        return None;
    }
    let resource = dispatch.resource.iter().find_map(|path| string_at(path, arguments));
    let is_resource = resource.is_some();
    let tool = resource.or_else(|| dispatch.name.iter().find_map(|path| string_at(path, arguments)))?;
    let server = dispatch.server.iter().find_map(|path| string_at(path, arguments));
    let inner = dispatch.arguments.iter().find_map(|path| value_at(path, arguments));
    // Inner arguments that are not where they should be are looked for in the whole.
    let arguments = inner.map_or_else(|| Text::from(arguments), Text::from);
    Some(HandedOn { server, tool, arguments, is_resource })
}

/// How many keys of a JSON text stand at such paths.
fn keys(arguments: &str, at: &dyn Fn(&[Step<'_>]) -> bool) -> usize {
    let mut count = 0;
    json::walk(arguments, &mut |path, leaf| count += usize::from(leaf.kind == json::Kind::Key && at(path)));
    count
}

fn string_at(path: &Path, arguments: &str) -> Option<String> {
    let mut found = None;
    json::walk(arguments, &mut |at, leaf| {
        if leaf.kind == json::Kind::String && found.is_none() && path.is(at) {
            found = Some(leaf.text.into_owned());
        }
    });
    found
}

/// The value at a path as a JSON text; a string that is itself a JSON text is taken as that.
fn value_at(path: &Path, arguments: &str) -> Option<String> {
    if let Some(text) = string_at(path, arguments) {
        return Some(if json::looks_like_json(&text) { text } else { json::quote(&text) });
    }
    json::raw_at(path, arguments).map(str::to_owned)
}

fn elements(list: &Path, arguments: &str) -> Vec<String> {
    json::raws_at(list, arguments).into_iter().map(str::to_owned).collect()
}

/// What is remembered of a call until its result comes, and after.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    /// Whose words its result is.
    pub(crate) writer: Writer,
    /// The same for an error.
    pub(crate) error_writer: Writer,
    /// The class of its words.
    pub(crate) public: bool,
    /// Whose words single fields of the result are.
    pub(crate) fields: Vec<(Path, Field)>,
    /// Its result may repeat what the model wrote.
    pub(crate) may_echo: bool,
    /// The address against which links of the result are resolved: the call was open and had just this one.
    pub(crate) base: Option<crate::address::Address>,
    /// What opening its addresses told, of a guarded page.
    pub(crate) told: Option<Bits>,
    /// What a question tool was given.
    pub(crate) question: Option<Text>,
    /// The wide keys of the addresses that it was asked for and may not open.
    pub(crate) refused: Vec<Box<str>>,
    /// The arguments where a search was among the tools: its own fields may only repeat them, and a model may have answered.
    pub(crate) query: Option<Text>,
    /// The name for people.
    pub(crate) tool: u32,
}
