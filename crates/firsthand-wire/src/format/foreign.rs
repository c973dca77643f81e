//! What is known by its signs to be no conversation: messages between programs and pieces of a store, which must not be
//! read as what they resemble.

use serde_json::Value;

use super::probe::Probe;
use crate::error::ReadError;

struct Foreign {
    title: &'static str,
    is: fn(&Probe) -> bool,
}

const FOREIGN: &[Foreign] = &[
    Foreign { title: "one piece of what opencode stores", is: super::agents::opencode::is_piece },
    Foreign {
        title: "the input of a hook",
        is: |probe| probe.document().is_some_and(|input| input.get("hook_event_name").is_some()),
    },
    Foreign { title: "a LiteLLM guardrail request", is: is_litellm },
];

/// Why the file cannot be read, where it is of one of these formats.
pub(super) fn refused(probe: &Probe) -> Option<ReadError> {
    let Foreign { title, is: _ } = FOREIGN.iter().find(|foreign| (foreign.is)(probe))?;
    Some(ReadError::NotAConversation { found: title })
}

fn is_litellm(probe: &Probe) -> bool {
    probe.document().and_then(Value::as_object).is_some_and(|document| {
        document.contains_key("input_type") && document.keys().any(|key| key.starts_with("litellm_"))
    })
}
