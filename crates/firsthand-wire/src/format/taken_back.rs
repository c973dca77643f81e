//! Calls that were taken back: what comes back for one later is nobody's.

use std::collections::{HashMap, HashSet};

use firsthand::conversation::{Body, Conversation, Producer};

/// Takes its call from every result that comes after its call was taken back.
pub(super) fn settle(conversation: &mut Conversation) {
    if !conversation.items.iter().any(|item| matches!(item.body, Body::Rewind { .. })) {
        return;
    }
    // The last call of each id that stands, and the ids of those that were taken back.
    let mut standing: HashMap<String, usize> = HashMap::new();
    let mut gone: HashSet<String> = HashSet::new();
    for (index, item) in conversation.items.iter_mut().enumerate() {
        match &mut item.body {
            Body::Call(call) => {
                standing.insert(call.id.clone(), index);
            }
            Body::Rewind { to } => {
                standing.retain(|id, place| {
                    let stands = *place < *to;
                    if !stands {
                        gone.insert(id.clone());
                    }
                    stands
                });
            }
            Body::Result(result) => {
                if let Producer::Call(id) = &mut result.from
                    && gone.contains(id.as_str())
                    && !standing.contains_key(id.as_str())
                {
                    *id = format!("taken back#{index}");
                }
            }
            Body::User { .. }
            | Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Answer { .. }
            | Body::Grant { .. }
            | Body::Hidden { .. } => {}
        }
    }
}
