//! Signs by which a record says that no person typed it, or that a tool failed.
//!
//! Every format has its own; but vendors add fields, hosts copy each other's, and records of one tool are turned into
//! those of another. So the signs of all formats are looked for in each: a text is a person's only where no sign of its
//! record, and none of what stands around it, speaks against it, and a result is believed only where nothing says that it
//! failed. Names are compared without case, `_` and `-`. What is of an unexpected type speaks against it; what is missing,
//! null, false or an empty string says nothing.

mod names;
mod origin;
mod blocks;
mod failure;
mod line;

use firsthand::conversation::Speaker;

use super::node::Node;
use names::{Sign, fold, sign};

pub(in crate::format) use failure::{Watched, failed, failed_but, failed_within};
pub(in crate::format) use line::{of_line, settle, take};

/// How deep records stand in each other that are looked into.
const DEEPEST: usize = 3;

/// Types of records that are no person's.
const OTHER_TYPES: &[&[u8]] = &[
    b"agent",
    b"ai",
    b"assistant",
    b"bot",
    b"compaction",
    b"function",
    b"model",
    b"subagent",
    b"system",
    b"tool",
    b"toolresult",
    b"tooluse",
];

/// Whose the text of a record in the user's place is, where a sign of it says that it is no person's.
pub(in crate::format) fn against(record: &Node<'_>) -> Option<Speaker> {
    against_but(record, &[])
}

/// The same for records in which members of these names are an ordinary person's.
pub(in crate::format) fn against_but(record: &Node<'_>, ordinary: &[&str]) -> Option<Speaker> {
    of_record(record, ordinary, Level::Record, 0)
}

/// Whether what stands around messages says that another agent, or nobody, sits in the user's place.
pub(in crate::format) fn is_of_a_child(around: &Node<'_>) -> bool {
    of_record(around, &[], Level::Around, 0).is_some() || names_a_parent(around, 0)
}

/// The same for one member of an object whose other members are not at hand.
pub(in crate::format) fn is_member_of_a_child(name: &str, value: &Node<'_>) -> bool {
    sign(name).and_then(|sign| of_member(sign, value, &[], Level::Around, 0)).is_some()
        || holds_no_messages(name) && names_a_parent(value, 1)
}

/// Whether an object around messages, or one in it, names a run above: nothing but a subagent's has one, wherever its host
/// notes that.
fn names_a_parent(around: &Node<'_>, depth: usize) -> bool {
    /// How deep hosts note such things.
    const NOTED: usize = 3;
    around.members().iter().filter(|_| depth < NOTED).any(|(name, value)| {
        names::is_of_a_parent(name) && value.is_said() || holds_no_messages(name) && names_a_parent(value, depth + 1)
    })
}

/// Whether the member of this name is about the messages, and neither them nor what tools were given.
fn holds_no_messages(name: &str) -> bool {
    const DATA: &[&str] =
        &["args", "arguments", "content", "input", "inputs", "output", "outputs", "parameters", "result", "tools"];
    !DATA.contains(&name)
}

/// What an object is of which the signs are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A message, or a part of one.
    Record,
    /// What is noted beside a message, in the words of whoever keeps it: only what is plain counts.
    Beside,
    /// A document, a request, an envelope: it holds other people's messages too.
    Around,
}

fn of_record(record: &Node<'_>, ordinary: &[&str], level: Level, depth: usize) -> Option<Speaker> {
    let mut found = if level == Level::Record && blocks::are_of_a_model(record) { Some(Speaker::Task) } else { None };
    for (name, value) in record.members() {
        let said = sign(name)
            .filter(|_| !ordinary.contains(&&**name))
            .and_then(|sign| of_member(sign, value, ordinary, level, depth));
        found = stronger(found, said);
    }
    found
}

fn of_member(sign: Sign, value: &Node<'_>, ordinary: &[&str], level: Level, depth: usize) -> Option<Speaker> {
    let is_record = level == Level::Record;
    let inside = |level| if depth < DEEPEST { of_record(value, ordinary, level, depth + 1) } else { None };
    let task = |is: bool| is.then_some(Speaker::Task);
    match sign {
        Sign::Summary if level != Level::Around => value.is_said().then_some(Speaker::Summary),
        // A user's message may hold an account of the changes that came of it; only a yes makes it one.
        Sign::Account if is_record => matches!(value, Node::Bool(true) | Node::Number(_)).then_some(Speaker::Summary),
        // Where all runs have a name, the first one's is `main`.
        Sign::OfARun => task(value.is_said() && value.text() != Some("main")),
        Sign::AnAgent if level != Level::Around => task(value.is_said()),
        Sign::OfAModel if is_record => task(value.is_said()),
        Sign::Written if level != Level::Around => task(value.is_said() && !value.is_empty()),
        Sign::Measured if is_record => task(value.is_said() && !value.is_empty()),
        Sign::OfAHost => value.is_said().then_some(Speaker::System),
        Sign::Unseen if level != Level::Around => value.is_said().then_some(Speaker::System),
        Sign::Shown if is_record => matches!(value, Node::Bool(false) | Node::Number(_)).then_some(Speaker::System),
        Sign::Origin => task(origin::is_elsewhere(value)),
        Sign::Named if is_record => task(origin::is_elsewhere(value)),
        Sign::Role if is_record => task(match value {
            Node::Null => false,
            Node::Text(role) => !role.is_empty() && !matches!(&**role, "user" | "human"),
            Node::Bool(yes) => *yes,
            Node::Number(_) | Node::List(_) | Node::Map(_) => true,
        }),
        Sign::Type if is_record => task(match value {
            Node::Text(kind) => is_of_another_type(kind),
            Node::Null | Node::Bool(false) => false,
            Node::Bool(true) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
        }),
        Sign::Type | Sign::Role if level == Level::Around => task(value.text().is_some_and(is_a_subagents)),
        Sign::Message if is_record => inside(Level::Record),
        Sign::Beside if is_record => inside(Level::Beside),
        Sign::Beside => inside(level),
        Sign::Summary
        | Sign::Account
        | Sign::AnAgent
        | Sign::OfAModel
        | Sign::Written
        | Sign::Measured
        | Sign::Unseen
        | Sign::Shown
        | Sign::Named
        | Sign::Role
        | Sign::Type
        | Sign::Message => None,
    }
}

/// Whether the type of what stands around messages is that of a subagent's run.
fn is_a_subagents(kind: &str) -> bool {
    let mut buffer = [0; names::LONGEST];
    fold(kind, &mut buffer).is_some_and(|kind| matches!(kind, b"subagent" | b"sidechain"))
}

/// Whether a type of record is one of nobody who is a person: `assistant`, `AIMessage`, `agent_message`.
fn is_of_another_type(kind: &str) -> bool {
    let mut buffer = [0; names::LONGEST];
    let Some(folded) = fold(kind, &mut buffer) else { return false };
    let bare = folded.strip_suffix(b"chunk").unwrap_or(folded);
    OTHER_TYPES.contains(&bare.strip_suffix(b"message").unwrap_or(bare)) || origin::has_word_for_an_agent(kind)
}

/// The one of two that says more of whose a text is.
fn stronger(one: Option<Speaker>, other: Option<Speaker>) -> Option<Speaker> {
    let rank = |by: &Speaker| match by {
        Speaker::Summary => 2,
        Speaker::System => 0,
        Speaker::Task | Speaker::Assistant | Speaker::Thinking | Speaker::Report => 1,
    };
    [one, other].into_iter().flatten().max_by_key(rank)
}
