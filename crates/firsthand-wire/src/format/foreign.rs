//! What is known by its signs to be no conversation, or one that is not read: messages between programs, pieces of a
//! store, batches. They must not be read as what they resemble.

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
    if is_batch(probe) {
        return Some(ReadError::Unsupported {
            title: "a batch of requests or of their responses",
            known: super::names(),
        });
    }
    let Foreign { title, is: _ } = FOREIGN.iter().find(|foreign| (foreign.is)(probe))?;
    Some(ReadError::NotAConversation { found: title })
}

/// Whether it is a batch, as providers take and give them: what was asked stands in one file, what came back in another.
fn is_batch(probe: &Probe) -> bool {
    const HELD: &[&str] = &["body", "params", "response", "result"];
    let is_one = |value: &Value| {
        let holds = HELD.iter().any(|key| value.get(key).is_some_and(Value::is_object));
        holds && value.get("custom_id").is_some_and(Value::is_string) && value.get("request").is_none()
    };
    probe.values().iter().any(|value| is_one(value) || value.as_array().is_some_and(|list| list.iter().any(is_one)))
}

fn is_litellm(probe: &Probe) -> bool {
    probe.document().and_then(Value::as_object).is_some_and(|document| {
        document.contains_key("input_type") && document.keys().any(|key| key.starts_with("litellm_"))
    })
}
