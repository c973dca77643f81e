//! Who is named where a record says where it comes from.

use super::super::node::Node;
use super::names::{Sign, sign};

/// Words that say who speaks, and name no person: a whole name, or a word of one (`cron_job`, `task-notification`).
const NO_PERSON: &[&str] = &[
    "ai",
    "analysis",
    "assistant",
    "auto",
    "automation",
    "autopilot",
    "background",
    "commentary",
    "compaction",
    "consolidation",
    "continuation",
    "coordinator",
    "cron",
    "delegate",
    "delegation",
    "developer",
    "feedback",
    "function",
    "gpt",
    "guardian",
    "harness",
    "hook",
    "host",
    "injection",
    "llm",
    "model",
    "notification",
    "observer",
    "orchestrator",
    "peer",
    "poll",
    "schedule",
    "scheduled",
    "scheduler",
    "sdk",
    "sidechain",
    "summarization",
    "summary",
    "synthetic",
    "system",
    "task",
    "teammate",
    "timer",
    "tool",
    "trigger",
    "unclassified",
    "wakeup",
    "webhook",
    "workflow",
];

/// Words that name no person, whatever stands beside them in a name: `researcher_agent`.
const IN_A_NAME: &[&str] = &["agent", "assistant", "bot", "subagent"];

/// Whether what says where a message comes from names somebody who is no person, or is no name.
pub(super) fn is_elsewhere(origin: &Node<'_>) -> bool {
    match origin {
        Node::Null | Node::Bool(false) => false,
        Node::Text(name) => names_no_person(name),
        Node::Map(members) => members.iter().any(|(name, value)| match sign(name) {
            Some(Sign::OfARun | Sign::AnAgent | Sign::OfAModel | Sign::OfAHost | Sign::Summary) => value.is_said(),
            Some(Sign::Origin | Sign::Named | Sign::Role | Sign::Type) => match value {
                Node::Null | Node::Bool(false) => false,
                Node::Text(name) => names_no_person(name),
                Node::Bool(true) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
            },
            Some(_) | None => false,
        }),
        Node::Bool(true) | Node::Number(_) | Node::List(_) => true,
    }
}

fn names_no_person(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| NO_PERSON.contains(&word))
        || name.starts_with("agent")
        || name.starts_with("assistant")
        || name.starts_with("subagent")
        || has_word_for_an_agent(&name)
}

/// Whether a word of a name says that it is an agent's.
pub(super) fn has_word_for_an_agent(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| IN_A_NAME.contains(&word))
}
