//! What a resent history is recognised by.

use crate::conversation::{Body, Call, Item, Ran, Relayed, ToolResult};
use crate::ledger::{Fingerprint, first_half};

/// Up to this length the parts of an item are hashed as one, in bytes: many short updates are slower than a copy.
const GATHERED: usize = 1 << 16;

/// The parts of an item, each behind its length.
#[derive(Default)]
struct Parts {
    hasher: Option<blake3::Hasher>,
    gathered: Vec<u8>,
}

impl Parts {
    fn add(&mut self, text: &str) {
        self.gathered.extend(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        if self.gathered.len() + text.len() > GATHERED {
            let hasher = self.hasher.get_or_insert_default();
            hasher.update(&self.gathered);
            hasher.update(text.as_bytes());
            self.gathered.clear();
        } else {
            self.gathered.extend_from_slice(text.as_bytes());
        }
    }

    fn digest(self) -> Fingerprint {
        let whole = match self.hasher {
            None => blake3::hash(&self.gathered),
            Some(mut hasher) => hasher.update(&self.gathered).finalize(),
        };
        first_half(*whole.as_bytes())
    }
}

/// A digest of an item's content: what a resent history is recognised by.
pub(crate) fn digest(item: &Item) -> Fingerprint {
    let mut parts = Parts::default();
    let mut part = |text: &str| parts.add(text);
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
        Body::Result(ToolResult { from, content, is_error, mime, redirects }) => {
            part(&format!("{from:?}"));
            part(content.text());
            part(if *is_error { "error" } else { "" });
            part(mime.as_deref().unwrap_or_default());
            redirects.iter().for_each(|to| part(to));
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
    parts.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_and_long_ones_hashed_like_short_ones() {
        let digest = |texts: &[&str]| {
            let mut parts = Parts::default();
            texts.iter().for_each(|text| parts.add(text));
            parts.digest()
        };
        let at_once = |texts: &[&str]| {
            let mut hasher = blake3::Hasher::new();
            for text in texts {
                hasher.update(&u64::try_from(text.len()).unwrap_or_default().to_le_bytes());
                hasher.update(text.as_bytes());
            }
            first_half(*hasher.finalize().as_bytes())
        };
        let long = "harbour ".repeat(GATHERED / 8);
        for texts in [&["a", "bc"][..], &["ab", "c"], &["", ""], &[&long], &["a", &long, "b"], &[&long, &long]] {
            assert_eq!(digest(texts), at_once(texts));
        }
        assert_ne!(digest(&["a", "bc"]), digest(&["ab", "c"]));
    }
}
