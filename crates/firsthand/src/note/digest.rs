//! What a resent history is recognised by.

use crate::conversation::{Body, Call, Item, Ran, Relayed, ToolResult};
use crate::ledger::{Fingerprint, first_half};

/// A digest of an item's content: what a resent history is recognised by.
pub(crate) fn digest(item: &Item) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(item.body.position().name());
    match &item.body {
        Body::User { text, relayed } => {
            part(text);
            if let Relayed::Spans(spans) = relayed {
                part(&format!("{spans:?}"));
            }
        }
        Body::Said { by: _, text } => part(text),
        Body::Attachment { name, text, from_agent_path } => {
            part(name.as_deref().unwrap_or_default());
            part(text);
            part(if *from_agent_path { "agent" } else { "" });
        }
        Body::Call(Call { id, server, tool, arguments, ran, custom }) => {
            part(id);
            part(server.as_deref().unwrap_or_default());
            part(tool);
            part(arguments);
            part(match ran {
                Ran::Client => "client",
                Ran::Provider => "provider",
            });
            part(if *custom { "custom" } else { "" });
        }
        Body::Result(ToolResult { from, content, is_error, mime }) => {
            part(&format!("{from:?}"));
            part(content.text());
            part(if *is_error { "error" } else { "" });
            part(mime.as_deref().unwrap_or_default());
        }
        Body::Answer { call, text } => {
            part(call);
            part(text);
        }
        Body::Grant { address, scope } => {
            part(address);
            part(&format!("{scope:?}"));
        }
        Body::Rewind { to } => part(&to.to_string()),
        Body::Hidden { calls, what } => {
            part(what);
            part(if *calls { "calls" } else { "" });
        }
    }
    first_half(*hasher.finalize().as_bytes())
}
