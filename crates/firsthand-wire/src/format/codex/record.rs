//! A line of a rollout, as far as this reader looks at it.

use serde::Deserialize;

use super::super::lax::{Blocks, Node, Raw, Word};
use super::super::recorded::signs::Watched;

/// A line. In the oldest files the payload's fields stand in the line itself.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Record<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) timestamp: Word<'t>,
    #[serde(borrow, default)]
    pub(super) payload: Node<Watched<Payload<'t>>>,
    #[serde(borrow, default)]
    pub(super) role: Word<'t>,
}

impl Record<'_> {
    /// Whether it is a line of today's kind, which names what it wraps. The oldest files have none.
    pub(super) fn is_wrapped(&self) -> bool {
        let kind = self.kind.get();
        matches!(kind, Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted"))
    }
}

/// What a line holds: an item of the model's history, an event, or a fact about the session. Which fields there are
/// depends on its type.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Payload<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) call_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) role: Word<'t>,
    #[serde(borrow, default)]
    pub(super) name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) namespace: Word<'t>,
    #[serde(borrow, default)]
    pub(super) function: Node<Function<'t>>,
    #[serde(borrow, default)]
    pub(super) content: Blocks<'t, Part<'t>>,
    #[serde(borrow, default)]
    pub(super) summary: Blocks<'t, Part<'t>>,
    #[serde(borrow, default)]
    pub(super) encrypted_content: Word<'t>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) input: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) action: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) output: Blocks<'t, Part<'t>>,
    #[serde(borrow, default)]
    pub(super) result: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) results: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) message: Word<'t>,
    /// Events of old files say whether a user message is a person's.
    #[serde(rename = "kind", borrow, default)]
    pub(super) message_kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) author: Word<'t>,
    #[serde(borrow, default)]
    pub(super) revised_prompt: Word<'t>,
    #[serde(borrow, default)]
    pub(super) invocation: Node<Invocation<'t>>,
    #[serde(borrow, default)]
    pub(super) item: Node<Watched<Display<'t>>>,
    #[serde(borrow, default)]
    pub(super) replacement_history: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) num_turns: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) session_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) source: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) parent_thread_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) agent_path: Word<'t>,
    #[serde(borrow, default)]
    pub(super) base_instructions: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) instructions: Option<Raw<'t>>,
}

/// The name of a function, in the oldest files.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Function<'t> {
    #[serde(borrow, default)]
    pub(super) name: Word<'t>,
}

/// A part of a message or an output.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Part<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) text: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Word<'t>,
    #[serde(borrow, default)]
    pub(super) file_url: Word<'t>,
    #[serde(borrow, default)]
    pub(super) filename: Word<'t>,
}

/// Which tool of which server an event is about.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Invocation<'t> {
    #[serde(borrow, default)]
    pub(super) server: Word<'t>,
    #[serde(borrow, default)]
    pub(super) tool: Word<'t>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Raw<'t>>,
}

/// An item as it is displayed: a second copy, but for what a person typed, search hits and connectors' results.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Display<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Blocks<'t, Part<'t>>,
    #[serde(borrow, default)]
    pub(super) server: Word<'t>,
    #[serde(borrow, default)]
    pub(super) tool: Word<'t>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) action: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) result: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) results: Option<Raw<'t>>,
}

/// Where a session came from, if it is a subagent's.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sourced<'t> {
    #[serde(borrow, default)]
    pub(super) subagent: Option<Raw<'t>>,
}

/// The run that spawned a subagent.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Spawned<'t> {
    #[serde(borrow, default)]
    pub(super) thread_spawn: Node<Spawn<'t>>,
}

/// The thread that spawned a subagent.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Spawn<'t> {
    #[serde(borrow, default)]
    pub(super) parent_thread_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) agent_path: Word<'t>,
}

/// What a connector returned, or why it did not.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Outcome<'t> {
    #[serde(rename = "Ok", borrow, default)]
    pub(super) ok: Option<Raw<'t>>,
    #[serde(rename = "Err", borrow, default)]
    pub(super) err: Option<Raw<'t>>,
}
