//! What the arguments of a call show of whose words its result is.

use std::borrow::Cow;
use std::net::IpAddr;

use super::sql::is_sql;
use crate::address::{AddressError, Asked};
use crate::find::{Format, Voice, shown};
use crate::json::{self, Leaf, Step, folded_name};
use crate::policy::{Kind, Names, ToolRule};

/// How many JSON texts within strings of arguments are looked into.
const MAX_NESTED: usize = 4;

/// The longest name of a host, in bytes.
const MAX_NAME: usize = 253;

/// What the arguments of a call show of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs {
    /// The call may have a model write the result: an argument is called like a prompt, or prose is given to an opener of
    /// which nobody knows what it does with it.
    pub(super) prompt: bool,
    /// It has: an argument that is known to ask for it is filled.
    pub(super) prompted: bool,
    /// An argument is a program by its name or by what it holds.
    pub(super) program: bool,
    /// An argument names a thing on the machine where the tool runs, where the agent may have put it, or holds its own text.
    pub(super) local: bool,
    /// What an opener was given is no page of somebody else's: a file, a path, data within the address, or a server on the
    /// machine itself.
    pub(super) elsewhere: bool,
}

impl Signs {
    /// The signs in the arguments of a tool of which this is known. JSON texts within strings show them too, but for what
    /// the rule says of single arguments.
    pub(super) fn of(rule: Option<&ToolRule>, arguments: &str, names: &Names) -> Self {
        let mut signs = Self::default();
        let told = rule.is_some_and(|rule| rule.prompted_by_these_alone);
        each_leaf(arguments, &mut |path, leaf, depth| {
            let is_text = leaf.kind == json::Kind::String;
            // Most texts that an opener is given are addresses, and show nothing but their host.
            let host = is_text.then(|| named_host(&leaf.text)).flatten();
            if let Some(rule) = rule.filter(|_| depth == 0) {
                signs.prompted |= asks_a_model(rule, path, leaf) || names_another_form(rule, path, leaf, names);
                signs.prompt |= !told && is_prose_for_nobody(rule, path, leaf);
                signs.elsewhere |= is_text && opens_something_else(rule, path, &leaf.text, host);
            }
            signs.prompt |= !told
                && leaf.kind != json::Kind::Key
                && path.iter().any(|step| is_prompt(step, names))
                && is_filled(leaf);
            if is_text && host.is_none() {
                signs.local |= is_local(&leaf.text, names);
                signs.program |= is_sql(&leaf.text) || is_a_function(&leaf.text);
            }
            if let Some(Step::Key(name)) = path.last() {
                signs.program |= match leaf.kind {
                    json::Kind::Key => names.programs.contains(&*folded_name(name)),
                    json::Kind::String => ends_like_a_program(name, names) && looks_like_a_program(&leaf.text),
                    json::Kind::Scalar => false,
                };
            }
        });
        signs
    }
}

fn asks_a_model(rule: &ToolRule, path: &[Step<'_>], leaf: &Leaf<'_>) -> bool {
    rule.prompted_by.iter().any(|pattern| match leaf.kind {
        // The names of members below the argument are the model's words too.
        json::Kind::Key => pattern.covers_like(path) && !pattern.is_like(path),
        json::Kind::String if pattern.covers_like(path) => !leaf.text.trim().is_empty(),
        json::Kind::String => pattern.meets(path) && json::looks_like_json(&leaf.text),
        json::Kind::Scalar => pattern.covers_like(path) && is_filled(leaf),
    })
}

/// Whether a leaf names a form of the result that is not one of the page as it is.
fn names_another_form(rule: &ToolRule, path: &[Step<'_>], leaf: &Leaf<'_>, names: &Names) -> bool {
    leaf.kind == json::Kind::String
        && rule.formats.iter().any(|pattern| pattern.covers_like(path))
        && is_filled(leaf)
        && !names.raw_formats.contains(&*folded_name(&leaf.text))
}

/// Whether a leaf is prose of which nobody knows what a tool for pages does with it.
fn is_prose_for_nobody(rule: &ToolRule, path: &[Step<'_>], leaf: &Leaf<'_>) -> bool {
    let known = || [&rule.opens, &rule.opens_text, &rule.inert, &rule.prompted_by];
    rule.kind == Kind::Page
        && leaf.kind == json::Kind::String
        && leaf.text.trim().contains(char::is_whitespace)
        && !known().into_iter().flatten().any(|pattern| pattern.covers(path))
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

/// Whether a text that an opener was given, on this host if it is [`named_host`]'s, is no page of somebody else's.
fn opens_something_else(rule: &ToolRule, path: &[Step<'_>], text: &str, host: Option<&str>) -> bool {
    if !rule.opens.iter().any(|pattern| pattern.meets(path)) {
        return false;
    }
    if let Some(host) = host {
        return is_the_machine_itself(host);
    }
    let is_one = !text.trim().is_empty() && !json::looks_like_json(text);
    is_one
        && match Asked::parse(text) {
            Ok(asked) => is_the_machine_itself(asked.address().host()) || !is_written_like_a_page(text),
            Err(error) => error == AddressError::Invalid,
        }
}

/// The host of a web address that names one in letters and digits that every parser reads alike, without a port.
fn named_host(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_at_checked(memchr::memchr(b':', text.as_bytes())?)?;
    let rest = rest.strip_prefix("://")?;
    let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')));
    let (host, behind) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let is_joint = |byte: u8| matches!(byte, b'-' | b'.');
    let is_joined = |pair: &[u8]| pair.iter().all(|byte| is_joint(*byte));
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_name = host.len() <= MAX_NAME
        && host.starts_with(|first: char| first.is_ascii_alphanumeric())
        && last.starts_with(|first: char| first.is_ascii_alphabetic())
        && !host.as_bytes().windows(2).any(is_joined);
    (is_web && is_name && (behind.is_empty() || behind.starts_with(['/', '?', '#']))).then_some(host)
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
    host.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("localhost"))
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
    let mut ends = folded.char_indices().filter_map(|(at, _)| folded.get(at..));
    ends.any(|end| names.programs.contains(end))
}

fn looks_like_a_program(text: &str) -> bool {
    text.contains(['(', '{', ';', '=', '\n', '+', '"', '\'', '`', '|', '$'])
}

/// How many characters of a text tell whether it is such an address.
const MAX_LOCAL: usize = 256;

/// Whether a text is the address of what stands on the machine where a tool runs, or holds its own text.
fn is_local(text: &str, names: &Names) -> bool {
    let is_dropped = |character: char| character <= ' ' || character.is_control();
    let start: Cow<'_, str> = match text.bytes().take(MAX_LOCAL).all(|byte| byte.is_ascii_graphic()) {
        true => text.get(..MAX_LOCAL).unwrap_or(text).into(),
        // What a parser of addresses drops.
        false => text.chars().take(MAX_LOCAL).filter(|character| !is_dropped(*character)).collect::<String>().into(),
    };
    let text = &*start;
    let is_drive = |scheme: &str| scheme.len() == 1 && text.get(1..3).is_some_and(|next| matches!(next, ":\\" | ":/"));
    let mut rest = text;
    while let Some((scheme, behind)) = rest.split_once(':') {
        if names.local_schemes.contains(&*lower(scheme)) || is_drive(scheme) {
            return true;
        }
        if !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')) {
            break;
        }
        rest = behind;
    }
    let first_folder = text.strip_prefix('/').and_then(|path| path.split('/').next()).unwrap_or_default();
    text.starts_with("~/") || names.local_folders.contains(&*lower(first_folder))
}

fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => text.to_ascii_lowercase().into(),
        false => text.into(),
    }
}

/// Whether the address of a resource is that of a thing on the server's machine, or none.
pub(super) fn is_local_resource(uri: &str, names: &Names) -> bool {
    !uri.contains(':') || is_local(uri, names)
}

/// Calls `each` for every leaf of a JSON text and of the JSON texts in its strings, with how deep its text stands in others.
fn each_leaf(text: &str, each: &mut dyn FnMut(&[Step<'_>], &Leaf<'_>, usize)) {
    let mut nested = Vec::new();
    let mut look = |text: &str, depth: usize, nested: &mut Vec<(String, usize)>| {
        json::walk(text, &mut |path, leaf| {
            each(path, &leaf, depth);
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
