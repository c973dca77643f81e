//! Signs by which a record in the user's place says that no person typed it.
//!
//! Every format has its own; but vendors add fields, hosts copy each other's, and records of one tool are turned into
//! those of another. So these are looked for in every format: a text is a person's only where no sign of its record
//! speaks against it. What is of an unexpected type speaks against it.

use firsthand::conversation::Speaker;

use super::node::Node;

/// Words that say who speaks, and name no person.
const NO_PERSON: &[&str] = &[
    "agent",
    "ai",
    "assistant",
    "auto",
    "bot",
    "compaction",
    "coordinator",
    "cron",
    "developer",
    "function",
    "harness",
    "hook",
    "host",
    "injection",
    "model",
    "peer",
    "scheduled",
    "sdk",
    "subagent",
    "summarization",
    "summary",
    "synthetic",
    "system",
    "task",
    "timer",
    "tool",
];

/// Types of records that are no person's.
const OTHER_TYPES: &[&str] = &["ai", "assistant", "function", "model", "system", "tool"];

/// Keys that say where a message comes from.
const ORIGINS: &[&str] = &["origin", "provenance", "author", "sender", "source"];

/// Keys by which a message names the run or the call that it belongs to: only another agent's has one.
const OF_A_RUN: &[&str] = &[
    "agentId",
    "agent_id",
    "callingSessionId",
    "callingToolUseId",
    "isSidechain",
    "is_sidechain",
    "parentAgentId",
    "parentAgentTaskId",
    "parentToolCallId",
    "parentToolUseID",
    "parentToolUseId",
    "parent_agent_id",
    "parent_tool_call_id",
    "parent_tool_use_id",
    "sender_agent_id",
    "subagentId",
    "subagent_id",
];

/// Keys that only messages of the model and of its tools have.
const OF_A_MODEL: &[&str] = &[
    "finishReason",
    "finish_reason",
    "functionCall",
    "function_call",
    "reasoning_content",
    "stopReason",
    "stop_reason",
    "thought",
    "thoughtSignature",
    "toolCallId",
    "toolCalls",
    "tool_call_id",
    "tool_calls",
    "tool_use_id",
];

/// Types of blocks that only the model's messages have.
const BLOCKS_OF_A_MODEL: &[&str] = &[
    "function_call",
    "mcp_tool_result",
    "mcp_tool_use",
    "reasoning",
    "redacted_thinking",
    "server_tool_use",
    "step-start",
    "thinking",
    "tool-call",
    "toolCall",
    "tool_call",
    "tool_use",
    "web_fetch_tool_result",
    "web_search_tool_result",
];

/// Keys of blocks without a type that only the model's messages have.
const KEYS_OF_A_MODEL: &[&str] = &["functionCall", "function_call", "reasoningContent", "toolUse"];

/// Flags with which a host says that it wrote a message itself.
const OF_A_HOST: &[&str] = &[
    "hide_from_ui",
    "isAutomated",
    "isMeta",
    "isSynthetic",
    "isSystem",
    "is_meta",
    "is_synthetic",
    "lc_source",
    "synthetic",
    "synthetic_reason",
];

/// Flags of what compaction left.
const OF_A_SUMMARY: &[&str] = &["isCompactSummary", "isSummary", "is_summary"];

/// Whose the text of a record in the user's place is, where a sign of it says that it is no person's.
pub(in crate::format) fn against(record: &Node<'_>) -> Option<Speaker> {
    if !record.is_map() {
        return None;
    }
    let says = |keys: &[&str]| keys.iter().any(|key| is_set(record.get(key)));
    // A user's message may hold a summary of the changes that came of it; only a yes makes it one.
    if says(OF_A_SUMMARY) || matches!(record.get("summary"), Node::Bool(true) | Node::Number(_)) {
        return Some(Speaker::Summary);
    }
    let another = match record.get("role") {
        Node::Null => false,
        Node::Text(role) => !matches!(&**role, "user" | "human"),
        Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
    };
    // Where all runs have a name, the first one's is `main`.
    let of_a_run = OF_A_RUN.iter().any(|key| is_set(record.get(key)) && record.say(key) != "main");
    let of_another_type = matches!(record.get("type"), Node::Text(kind) if OTHER_TYPES.contains(&&**kind));
    if another || of_another_type || of_a_run || says(OF_A_MODEL) || has_blocks_of_a_model(record) {
        return Some(Speaker::Task);
    }
    if says(OF_A_HOST) {
        return Some(Speaker::System);
    }
    ORIGINS.iter().any(|key| is_elsewhere(record.get(key))).then_some(Speaker::Task)
}

/// Whether a block of the message is one that only the model writes, or a search that a provider ran for it.
fn has_blocks_of_a_model(record: &Node<'_>) -> bool {
    let is_one = |block: &Node<'_>| {
        let kind = [block.say("type"), block.say("part_kind"), block.say("kind")];
        let is_typed = |kind: &&str| {
            BLOCKS_OF_A_MODEL.contains(kind)
                || kind.starts_with("tool-") && *kind != "tool-result" && *kind != "tool-return"
        };
        kind.iter().any(is_typed)
            || KEYS_OF_A_MODEL.iter().any(|key| is_set(block.get(key)))
            || matches!(block.get("thought"), Node::Bool(true))
    };
    ["content", "parts"].iter().any(|key| match record.get(key) {
        Node::List(blocks) => blocks.iter().any(is_one),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_) => false,
    })
}

/// Whether something is there that is no plain no.
fn is_set(value: &Node<'_>) -> bool {
    value.may_be_yes() && !value.is_empty()
}

/// Whether what says where a message comes from names somebody who is no person, or is no name.
fn is_elsewhere(origin: &Node<'_>) -> bool {
    let names_another = |name: &str| {
        let name = name.to_ascii_lowercase();
        NO_PERSON.contains(&name.as_str()) || name.starts_with("agent") || name.starts_with("assistant")
    };
    match origin {
        Node::Null => false,
        Node::Text(name) => names_another(name),
        Node::Map(_) => ["kind", "type", "role"].iter().any(|key| match origin.get(key) {
            Node::Null => false,
            Node::Text(name) => names_another(name),
            Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => true,
        }),
        Node::Bool(_) | Node::Number(_) | Node::List(_) => true,
    }
}
