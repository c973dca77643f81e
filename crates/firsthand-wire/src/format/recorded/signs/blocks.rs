//! Blocks that only the model's messages have.

use super::super::node::Node;
use super::names::{LONGEST, fold};

/// Where a message keeps its blocks.
const LISTS: &[&str] = &["content", "parts"];

/// Keys of blocks without a type that only the model's messages have.
const KEYS: &[&str] = &[
    "executableCode",
    "executable_code",
    "functionCall",
    "function_call",
    "reasoningContent",
    "thought",
    "toolCall",
    "toolUse",
    "tool_call",
];

/// Whether a block of the message is one that only the model writes, or a search that a provider ran for it.
pub(super) fn are_of_a_model(record: &Node<'_>) -> bool {
    LISTS.iter().any(|key| record.get(key).list().iter().any(is_one))
}

fn is_one(block: &Node<'_>) -> bool {
    ["type", "part_kind", "kind"].iter().any(|key| is_typed(block.say(key)))
        || KEYS.iter().any(|key| block.get(key).is_said() && !block.get(key).is_empty())
}

fn is_typed(kind: &str) -> bool {
    let mut buffer = [0; LONGEST];
    let Some(folded) = fold(kind, &mut buffer) else { return false };
    let is_result = matches!(folded, b"toolresult" | b"toolreturn" | b"builtintoolreturn");
    let of_a_tool = kind.starts_with("tool-") && !is_result;
    let of_a_provider = folded.ends_with(b"toolresult") && !is_result;
    let begins = [&b"reasoning"[..], b"redacted", b"think", b"thought"].iter().any(|start| folded.starts_with(start));
    let ends = [&b"call"[..], b"tooluse"].iter().any(|end| folded.ends_with(end));
    let is_own = matches!(
        folded,
        b"dynamictool" | b"modeloutput" | b"sourcedocument" | b"sourceurl" | b"stepfinish" | b"stepstart"
    );
    of_a_tool || of_a_provider || begins || ends || is_own
}
