//! Which tool really ran, what it opens, and whose words its result is.

use crate::conversation::{Call, Ran, Text};
use crate::json::{self, Leaf, Path, Step};
use crate::policy::{Dispatch, Field, Kind, Policy, ToolRule};
use crate::writer::{Origin, Row, Writer, row_of, writer_of};

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
    /// What is known of what it opens. A connector's tool that is called like a known opener is judged like one, though
    /// its results are not believed like one's.
    pub opener: Option<&'p ToolRule>,
}

/// The tools that a call really runs: itself, or what it hands on.
///
/// The name and the arguments of the inner call stand in the outer one's. A dispatcher whose inner call cannot be read
/// runs a tool of which nothing is known.
pub fn really_run<'p>(call: &Call, dialect: &str, policy: &'p Policy) -> Vec<Inner<'p>> {
    let outer = Inner::new(call.server.clone(), call.tool.clone(), Text::clone(&call.arguments), dialect, policy);
    let outer = if call.custom { outer.custom() } else { outer };
    let mut resolved = Vec::new();
    resolve(outer, dialect, policy, 0, &mut resolved);
    resolved
}

impl<'p> Inner<'p> {
    /// A tool with what the policy knows of it.
    pub fn new(server: Option<String>, tool: String, arguments: Text, dialect: &str, policy: &'p Policy) -> Self {
        let rule = policy.tools.rule(dialect, server.as_deref(), &tool);
        let opener = rule.or_else(|| policy.tools.rule(dialect, None, &tool));
        let kind = match rule {
            Some(rule) if is_prompted(rule, &arguments) => Kind::Summary,
            Some(rule) => rule.kind,
            None => Kind::Other,
        };
        Self { server, tool, arguments, rule, kind, opener }
    }

    /// The same as a tool that the application declared itself: called like a known one it may open what that one opens,
    /// but only a policy file can say whose words its results are.
    fn custom(self) -> Self {
        match self.rule {
            Some(rule) if rule.result.is_some() => self,
            Some(_) | None => Self { rule: None, kind: Kind::Other, ..self },
        }
    }
}

fn resolve<'p>(call: Inner<'p>, dialect: &str, policy: &'p Policy, depth: usize, resolved: &mut Vec<Inner<'p>>) {
    let Some(dispatch) = call.rule.and_then(|rule| rule.dispatches.as_ref()) else {
        resolved.push(call);
        return;
    };
    let unknown = |tool: String| {
        let arguments = Text::clone(&call.arguments);
        Inner { server: None, tool, arguments, rule: None, kind: Kind::Other, opener: None }
    };
    if depth == MAX_DISPATCHES {
        resolved.push(unknown(call.tool.clone()));
        return;
    }
    let inner = hand_on(dispatch, &call.arguments);
    if inner.is_empty() || resolved.len() + inner.len() > MAX_INNER {
        resolved.push(unknown(call.tool.clone()));
        return;
    }
    for HandedOn { server, tool, arguments } in inner {
        let (server, tool) = plain_name(server, &tool);
        resolve(Inner::new(server, tool, arguments, dialect, policy), dialect, policy, depth + 1, resolved);
    }
}

struct HandedOn {
    server: Option<String>,
    tool: String,
    arguments: Text,
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
                })
            })
            .collect(),
    }
}

/// What one call hands on; nothing where two places could each be the one that the host reads.
fn one(dispatch: &Dispatch, arguments: &str) -> Option<HandedOn> {
    let places = [&dispatch.name, &dispatch.server, &dispatch.arguments];
    if places.iter().any(|place| keys(arguments, &|path| place.iter().any(|pattern| pattern.is(path))) > 1) {
        return None;
    }
    let tool = dispatch.name.iter().find_map(|path| string_at(path, arguments))?;
    let server = dispatch.server.iter().find_map(|path| string_at(path, arguments));
    let inner = dispatch.arguments.iter().find_map(|path| value_at(path, arguments));
    // Inner arguments that are not where they should be are looked for in the whole.
    let arguments = inner.map_or_else(|| Text::from(arguments), Text::from);
    Some(HandedOn { server, tool, arguments })
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
    /// What a question tool was given.
    pub(crate) question: Option<Text>,
    /// The arguments of a search, which its own fields may only repeat.
    pub(crate) query: Option<Text>,
    /// The name for people.
    pub(crate) tool: u32,
}

/// Whose words the result of these calls is: the stricter where they differ.
pub fn result_writer(calls: &[Inner<'_>], ran: Ran, custom: bool, is_error: bool, policy: &Policy) -> Writer {
    calls
        .iter()
        .map(|call| writer_of(Origin::Result { row: row(call, custom, policy), ran, is_error }, policy))
        .max_by_key(|writer| strictness(*writer))
        .unwrap_or(Writer::Ignored)
}

/// `ignored` before `world`; the model's words are the strictest, since they mark.
pub(crate) fn strictness(writer: Writer) -> u8 {
    match writer {
        Writer::Person => 0,
        Writer::World => 1,
        Writer::Ignored => 2,
        Writer::Model => 3,
    }
}

/// The row of the profile's table that a call's result belongs to.
pub fn row(call: &Inner<'_>, custom: bool, policy: &Policy) -> Row {
    if let Some(writer) = call.rule.and_then(|rule| rule.result) {
        return Row::Declared(writer);
    }
    let kind = call.kind;
    let Some(server) = call.server.as_deref() else {
        return row_of(kind, None, custom);
    };
    if let Some(writer) = policy.connectors.get(server) {
        return Row::Declared(*writer);
    }
    // A connector that runs a program of the model's is a script, whatever it is called; and so is one that is called like
    // a known shell or interpreter, or has a model write its result like a known opener.
    let generates =
        |rule: &ToolRule| matches!(rule.kind, Kind::Shell | Kind::Script) || is_prompted(rule, &call.arguments);
    if kind == Kind::Other && call.opener.is_some_and(generates) {
        return Row::Generated;
    }
    if kind == Kind::Other && (runs_a_program(&call.arguments, policy) || is_on_this_machine(&call.tool)) {
        return Row::Generated;
    }
    row_of(kind, Some(server), custom)
}

/// Whether the name is that of a resource which a server reads from a file, where the agent may have put it, or which is
/// its own text.
fn is_on_this_machine(uri: &str) -> bool {
    let uri = uri.trim_start().as_bytes();
    [b"file:", b"data:"]
        .iter()
        .any(|scheme| uri.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(*scheme)))
}

/// Whether a call has a model write the result: an argument that asks for it is filled.
fn is_prompted(rule: &ToolRule, arguments: &str) -> bool {
    if rule.prompted_by.is_empty() {
        return false;
    }
    let mut prompted = false;
    json::walk(arguments, &mut |path, leaf| {
        prompted |= rule.prompted_by.iter().any(|pattern| match leaf.kind {
            // The names of members below the argument are the model's words too.
            json::Kind::Key => pattern.covers(path) && !pattern.is(path),
            json::Kind::String if pattern.covers(path) => !leaf.text.trim().is_empty(),
            json::Kind::String => pattern.meets(path) && json::looks_like_json(&leaf.text),
            json::Kind::Scalar => pattern.covers(path) && !matches!(&*leaf.text, "null" | "false"),
        });
    });
    prompted
}

/// Whether an argument is a program by its name or by what it holds.
fn runs_a_program(arguments: &str, policy: &Policy) -> bool {
    let mut found = false;
    let mut look = |path: &[Step<'_>], leaf: &Leaf<'_>| {
        let name = match path.last() {
            Some(Step::Key(name)) => Some(name.to_lowercase()),
            Some(Step::Index(_)) | None => None,
        };
        let filled = leaf.kind == json::Kind::String && !leaf.text.trim().is_empty();
        found |= leaf.kind == json::Kind::Key && name.is_some_and(|name| policy.program_arguments.contains(&name));
        found |= filled && is_sql(&leaf.text);
    };
    json::walk(arguments, &mut |path, leaf| {
        look(path, &leaf);
        if leaf.kind == json::Kind::String && json::looks_like_json(&leaf.text) {
            json::walk(&leaf.text, &mut |path, leaf| look(path, &leaf));
        }
    });
    found
}

/// Whether a text is a statement of SQL.
fn is_sql(text: &str) -> bool {
    let mut text = text;
    loop {
        let shorter = text.trim_start_matches(|character: char| character.is_whitespace() || character == '(');
        let comment = match shorter.get(..2) {
            Some("--") => shorter.split_once('\n'),
            Some("/*") => shorter.split_once("*/"),
            Some(_) | None => None,
        };
        text = comment.map_or(shorter, |(_, rest)| rest);
        if comment.is_none() {
            break;
        }
    }
    let mut words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    let mut next = || words.by_ref().find(|word| !word.is_empty()).map(str::to_ascii_lowercase);
    let first = next().unwrap_or_default();
    let rest = |word: &str| {
        let lower = text.get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
        lower.split(|character: char| !character.is_ascii_alphanumeric()).any(|other| other == word)
    };
    match first.as_str() {
        "select" => {
            rest("from") || text.contains('*') || text.contains('\'') || text.contains("||") || text.contains('(')
        }
        "values" => text.contains('(') && text.contains(')'),
        "with" => rest("as") && rest("select"),
        "insert" | "replace" => rest("into"),
        "update" => rest("set"),
        "delete" => rest("from"),
        "create" | "drop" | "alter" => ["table", "view", "index", "database", "function"].iter().any(|word| rest(word)),
        "explain" | "pragma" | "exec" | "execute" | "call" | "declare" | "begin" => {
            text.contains(';') || text.contains('(') || rest("select")
        }
        "match" => rest("return"),
        _ => false,
    }
}

/// What a call opens.
#[derive(Clone, Debug, Default)]
pub struct Opens {
    /// The addresses in argument order.
    pub addresses: Vec<String>,
    /// The call has something that is sent along.
    pub payload: bool,
    /// The addresses stand in a program: a verdict on them is advice.
    pub program: bool,
    /// Nobody declared the tool: what it does with an address is not known.
    pub undeclared: bool,
}

/// What a call opens by what is known of the tool.
pub fn opens(call: &Inner<'_>) -> Opens {
    let Some(rule) = call.opener.filter(|rule| !rule.opens.is_empty() || !rule.opens_text.is_empty()) else {
        let undeclared = call.rule.is_none_or(|rule| rule.kind == Kind::Other && rule.result.is_none());
        let addresses = if undeclared { addresses_anywhere(call, &[]) } else { Vec::new() };
        return Opens { addresses, undeclared, ..Opens::default() };
    };
    let mut opens = Opens { program: matches!(rule.kind, Kind::Shell | Kind::Script), ..Opens::default() };
    let walked = json::walk(&call.arguments, &mut |path, leaf| {
        if leaf.kind == json::Kind::Key {
            // The names of arguments are the tool's, but names inside of one are sent along like values: headers, parameters.
            let is_known = |patterns: &[Path]| patterns.iter().any(|pattern| pattern.meets(path));
            opens.payload |= path.len() > 1
                && ![&rule.inert, &rule.opens, &rule.opens_text].into_iter().any(|patterns| is_known(patterns));
            return;
        }
        let string = leaf.kind == json::Kind::String;
        if rule.opens.iter().any(|pattern| pattern.meets(path)) {
            if string {
                opens.addresses.push(leaf.text.into_owned());
            } else if &*leaf.text != "null" {
                opens.payload = true;
            }
        } else if rule.opens_text.iter().any(|pattern| pattern.meets(path)) {
            if string {
                in_prose(&leaf.text, &mut opens.addresses);
            }
        } else if !rule.inert.iter().any(|pattern| pattern.covers(path)) {
            opens.payload |= if string { !leaf.text.trim().is_empty() } else { &*leaf.text != "null" };
        }
    });
    opens.payload |= walked.repeated_key || !walked.whole;
    if opens.program {
        opens.payload = false;
    } else if opens.addresses.is_empty() {
        // An opener that is given an address elsewhere may well open it: a name in other letters, arguments as one text.
        opens.addresses = addresses_anywhere(call, &rule.inert);
    }
    opens
}

/// The addresses of prose that a tool opens: what the strict reading finds, and every word that holds `://`.
fn in_prose(text: &str, addresses: &mut Vec<String>) {
    use crate::address::Form;
    use crate::find::{Format, Found, Voice, shown};
    let mut covered: Vec<std::ops::Range<usize>> = Vec::new();
    shown(text, Format::Plain, Voice::World, &mut |found: Found<'_>| match found.form {
        Form::Absolute | Form::Bare => {
            covered.push(found.start..found.end);
            addresses.push(found.spelling.into_owned());
        }
        Form::Relative => {}
    });
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let Some(scheme) = word.find("://") else { continue };
        let place = start + scheme;
        if !covered.iter().any(|range| range.contains(&place)) {
            addresses.push(word.trim().to_owned());
        }
    }
}

/// The addresses with a scheme in any argument but these.
fn addresses_anywhere(call: &Inner<'_>, except: &[Path]) -> Vec<String> {
    use crate::address::Form;
    use crate::find::{Voice, shown_in_json};
    let mut addresses = Vec::new();
    shown_in_json(&call.arguments, Voice::World, &mut |path, found| match found.form {
        Form::Absolute if !except.iter().any(|pattern| pattern.covers(path)) => {
            addresses.push(found.spelling.into_owned());
        }
        Form::Absolute | Form::Bare | Form::Relative => {}
    });
    addresses
}
