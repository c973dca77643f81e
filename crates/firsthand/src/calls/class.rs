//! Whose words the result of a call is: the row of the profile's table that a tool belongs to.

use std::net::IpAddr;

use super::Inner;
use super::sql::is_sql;
use crate::address::{AddressError, Asked};
use crate::conversation::Ran;
use crate::find::{Format, Voice, shown};
use crate::json::{self, Leaf, Step, folded_name};
use crate::policy::{Kind, Names, Policy, ToolRule};
use crate::writer::{Origin, Row, Writer, row_of, writer_of};

/// How many JSON texts within strings of arguments are looked into.
const MAX_NESTED: usize = 4;

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
    // What the application declared to the provider is its own tool, whatever product it is called like.
    let kind = if custom && matches!(call.kind, Kind::Search | Kind::Page) { Kind::Other } else { call.kind };
    let Some(server) = call.server.as_deref() else {
        return row_of(kind, None, custom);
    };
    if let Some(writer) = policy.connectors.get(server) {
        return Row::Declared(*writer);
    }
    if is_generated(call, policy) { Row::Generated } else { row_of(kind, Some(server), custom) }
}

/// What kind of tool it is in this call, by what is known of it, and whether something that nobody knows of made it so.
///
/// A page or a search for which a model was asked to write is that model's summary; an opener that was given something else
/// than the address of a page, or a program to run there, gives no page.
pub(super) fn kind_of(rule: &ToolRule, arguments: &str, names: &Names) -> (Kind, bool) {
    if !matches!(rule.kind, Kind::Search | Kind::Page | Kind::Opener) {
        return (rule.kind, false);
    }
    let page = rule.kind == Kind::Page;
    let signs = Signs::of(arguments, names);
    if page && (signs.local || opens_something_else(rule, arguments)) {
        (Kind::File, true)
    } else if page && signs.program {
        (Kind::Script, true)
    } else if may_have_a_model_write(rule, arguments, signs) {
        (Kind::Summary, true)
    } else if has_a_model_write(rule, arguments) {
        (Kind::Summary, false)
    } else {
        (rule.kind, false)
    }
}

/// Whether fields of the result may count for more than the result: somebody declared the tool's results, or the call is
/// like those that the table speaks of.
pub(super) fn fields_may_raise(call: &Inner<'_>, custom: bool, policy: &Policy) -> bool {
    let is_declared = call.rule.is_some_and(|rule| rule.result.is_some());
    let is_made_less = custom || call.doubtful || call.server.is_some() && is_generated(call, policy);
    is_declared || !is_made_less
}

fn is_generated(call: &Inner<'_>, policy: &Policy) -> bool {
    matches!(call.kind, Kind::Other | Kind::Opener) && is_script(call, policy)
}

/// Whether a connector's tool evaluates, transforms, reads files or has a model write, by its name or its arguments.
fn is_script(call: &Inner<'_>, policy: &Policy) -> bool {
    let is_known = call.kind == Kind::Opener;
    let signs = Signs::of(&call.arguments, &policy.names);
    let asks_a_model = match call.opener {
        Some(rule) => may_have_a_model_write(rule, &call.arguments, signs) || has_a_model_write(rule, &call.arguments),
        None => signs.prompt,
    };
    asks_a_model || signs.local || !is_known && (signs.program || is_called_like_a_script(call, policy))
}

/// Whether a known tool whose results are generated is called like this one. A server may spell it otherwise.
fn is_called_like_a_script(call: &Inner<'_>, policy: &Policy) -> bool {
    let server = call.server.as_deref().map(folded_name);
    if server.as_ref().is_some_and(|server| policy.names.machines.contains(server)) {
        return true;
    }
    // What stands before the name may be a group of tools: `functions.bash`.
    let behind = call.tool.rsplit(['.', '/', ':']).next().unwrap_or_default();
    let resembling = || policy.tools.resembling(&call.tool).chain(policy.tools.resembling(behind));
    // Under one name some products return pages or hits and others what a model makes of them.
    let is_also_raw = resembling().any(|rule| matches!(rule.kind, Kind::Search | Kind::Page));
    resembling().any(|rule| match rule.kind {
        Kind::Shell | Kind::Script => true,
        Kind::Summary => !is_also_raw,
        Kind::Other => rule.dispatches.is_some(),
        // Systems of other people's have files, notes and tasks too: there the server tells, or that it reads a file.
        Kind::File | Kind::Memory | Kind::Plan | Kind::Notes | Kind::Report => {
            let of_this_server = rule.server.as_deref().is_some_and(|own| Some(folded_name(own)) == server);
            of_this_server || reads_a_file(&rule.name)
        }
        Kind::Search | Kind::Page | Kind::Opener | Kind::Question | Kind::Discovery | Kind::Connector => false,
    })
}

fn reads_a_file(name: &str) -> bool {
    let name = folded_name(name);
    name.contains("file") && (name.starts_with("read") || name.starts_with("view"))
}

/// Whether a call has a model write the result: an argument that is known to ask for it is filled.
fn has_a_model_write(rule: &ToolRule, arguments: &str) -> bool {
    if rule.prompted_by.is_empty() {
        return false;
    }
    let mut prompted = false;
    json::walk(arguments, &mut |path, leaf| {
        prompted |= rule.prompted_by.iter().any(|pattern| match leaf.kind {
            // The names of members below the argument are the model's words too.
            json::Kind::Key => pattern.covers_like(path) && !pattern.is_like(path),
            json::Kind::String if pattern.covers_like(path) => !leaf.text.trim().is_empty(),
            json::Kind::String => pattern.meets(path) && json::looks_like_json(&leaf.text),
            json::Kind::Scalar => pattern.covers_like(path) && is_filled(&leaf),
        });
    });
    prompted
}

/// Whether a call may have a model write the result: an argument is called like a prompt, or prose is given to an opener of
/// which nobody knows what it does with it.
fn may_have_a_model_write(rule: &ToolRule, arguments: &str, signs: Signs) -> bool {
    if rule.prompted_by_these_alone {
        return false;
    }
    let mut prompted = signs.prompt;
    let known = [&rule.opens, &rule.opens_text, &rule.inert, &rule.prompted_by];
    json::walk(arguments, &mut |path, leaf| {
        prompted |= rule.kind == Kind::Page
            && leaf.kind == json::Kind::String
            && leaf.text.trim().contains(char::is_whitespace)
            && !known.into_iter().flatten().any(|pattern| pattern.covers(path));
    });
    prompted
}

/// What the arguments of a call show of it, whatever the tool, also those in JSON texts within strings.
#[derive(Clone, Copy, Default)]
struct Signs {
    /// An argument that is called like a prompt is filled.
    prompt: bool,
    /// An argument is a program by its name or by what it holds.
    program: bool,
    /// An argument names a thing on the machine where the tool runs, where the agent may have put it, or holds its own text.
    local: bool,
}

impl Signs {
    fn of(arguments: &str, names: &Names) -> Self {
        let mut signs = Self::default();
        each_leaf(arguments, &mut |path, leaf| {
            let is_text = leaf.kind == json::Kind::String;
            signs.prompt |=
                leaf.kind != json::Kind::Key && is_filled(leaf) && path.iter().any(|step| is_prompt(step, names));
            signs.local |= is_text && is_local(&leaf.text, names);
            signs.program |= is_text && (is_sql(&leaf.text) || is_a_function(&leaf.text));
            if let Some(Step::Key(name)) = path.last() {
                signs.program |= match leaf.kind {
                    json::Kind::Key => names.programs.contains(&folded_name(name)),
                    json::Kind::String => looks_like_a_program(&leaf.text) && ends_like_a_program(name, names),
                    json::Kind::Scalar => false,
                };
            }
        });
        signs
    }
}

fn is_prompt(step: &Step<'_>, names: &Names) -> bool {
    match step {
        Step::Key(name) => {
            let name = folded_name(name);
            names.prompts.iter().any(|word| name.contains(word))
        }
        Step::Index(_) => false,
    }
}

fn is_filled(leaf: &Leaf<'_>) -> bool {
    match leaf.kind {
        json::Kind::Key => true,
        json::Kind::String => !leaf.text.trim().is_empty(),
        json::Kind::Scalar => !matches!(&*leaf.text, "null" | "false"),
    }
}

/// Whether what an opener was given is no page of somebody else's: a file, a path, data within the address, or a server on
/// the machine itself, where the agent may have put it.
fn opens_something_else(rule: &ToolRule, arguments: &str) -> bool {
    let mut other = false;
    json::walk(arguments, &mut |path, leaf| {
        let is_given = leaf.kind == json::Kind::String && rule.opens.iter().any(|pattern| pattern.meets(path));
        let is_one = is_given && !leaf.text.trim().is_empty() && !json::looks_like_json(&leaf.text);
        other |= is_one
            && match Asked::parse(&leaf.text) {
                Ok(asked) => is_the_machine_itself(asked.address().host()) || !is_written_like_a_page(&leaf.text),
                Err(error) => error == AddressError::Invalid,
            };
    });
    other
}

/// Whether a text without a scheme reads as a host, with or without a path, rather than as the name of a file.
fn is_written_like_a_page(text: &str) -> bool {
    let text = text.trim();
    if let Some((host, _)) = text.split_once('/') {
        return host.contains('.') || text.contains("://");
    }
    let mut is_host = false;
    shown(text, Format::Plain, Voice::Person, &mut |found| is_host |= found.start == 0);
    is_host
}

fn is_the_machine_itself(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// Whether a text is a function, as databases and browsers take them.
fn is_a_function(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("function") && text.contains('{') || text.starts_with('(') && text.contains("=>")
}

/// Whether the last word of a name is that of a program: `user_code`, but `country_code` too.
fn ends_like_a_program(name: &str, names: &Names) -> bool {
    let folded = folded_name(name);
    names.programs.iter().any(|program| folded.ends_with(program.as_str()))
}

fn looks_like_a_program(text: &str) -> bool {
    text.contains(['(', '{', ';', '=', '\n', '+', '"', '\'', '`', '|', '$'])
}

/// Whether a text is the address of what stands on the machine where a tool runs, or holds its own text.
fn is_local(text: &str, names: &Names) -> bool {
    // What a parser of addresses drops.
    let text: String = text.chars().take(256).filter(|character| *character > ' ' && !character.is_control()).collect();
    let is_drive = |scheme: &str| scheme.len() == 1 && text.get(1..3).is_some_and(|next| matches!(next, ":\\" | ":/"));
    let mut rest = text.as_str();
    while let Some((scheme, behind)) = rest.split_once(':') {
        let scheme = scheme.to_ascii_lowercase();
        if names.local_schemes.contains(&scheme) || is_drive(&scheme) {
            return true;
        }
        if !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')) {
            break;
        }
        rest = behind;
    }
    let first_folder = text.strip_prefix('/').and_then(|path| path.split('/').next()).unwrap_or_default();
    text.starts_with("~/") || names.local_folders.contains(&first_folder.to_ascii_lowercase())
}

/// Whether the address of a resource is that of a thing on the server's machine, or none.
pub(super) fn is_local_resource(uri: &str, names: &Names) -> bool {
    !uri.contains(':') || is_local(uri, names)
}

/// Calls `each` for every leaf of a JSON text and of the JSON texts in its strings.
fn each_leaf(text: &str, each: &mut dyn FnMut(&[Step<'_>], &Leaf<'_>)) {
    let mut nested = Vec::new();
    let mut look = |text: &str, depth: usize, nested: &mut Vec<(String, usize)>| {
        json::walk(text, &mut |path, leaf| {
            each(path, &leaf);
            if leaf.kind == json::Kind::String && depth < MAX_NESTED && may_be_json(&leaf.text) {
                nested.push((leaf.text.into_owned(), depth + 1));
            }
        });
    };
    look(text, 0, &mut nested);
    while let Some((text, depth)) = nested.pop() {
        look(&text, depth, &mut nested);
    }
}

/// Whether a text may be JSON, or a JSON string that holds one.
fn may_be_json(text: &str) -> bool {
    json::looks_like_json(text) || text.trim_start().starts_with('"')
}
