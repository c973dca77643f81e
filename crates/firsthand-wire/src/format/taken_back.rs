//! Calls that were taken back: what comes back for one later is nobody's.

use std::collections::{BTreeMap, BTreeSet};

use firsthand::conversation::{Body, Conversation, Item, Producer};
use serde::{Deserialize, Serialize};

/// Takes its call from every result that comes after its call was taken back.
pub(super) fn settle(conversation: &mut Conversation) {
    if conversation.items.iter().any(|item| matches!(item.body, Body::Rewind { .. })) {
        let mut calls = Calls::default();
        conversation.items.iter_mut().for_each(|item| calls.settle(item));
    }
}

/// The calls of a conversation that grows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls {
    /// The last call of each id that stands.
    standing: BTreeMap<String, usize>,
    /// The ids of those that were taken back.
    gone: BTreeSet<String>,
    /// How many items there were.
    length: usize,
    /// How many of them were not seen.
    unseen: usize,
    /// Some of those were taken back, so of what is not known to stand nothing does.
    unseen_are_gone: bool,
}

impl Calls {
    /// Of a conversation of which so many items were not seen.
    pub(crate) fn after(unseen: usize) -> Self {
        Self { length: unseen, unseen, ..Self::default() }
    }

    /// Reads the next item; takes its call from a result whose call was taken back.
    pub(crate) fn settle(&mut self, item: &mut Item) {
        match &mut item.body {
            Body::Call(call) => {
                self.standing.insert(call.id.clone(), self.length);
            }
            Body::Rewind { to } => {
                self.unseen_are_gone |= *to < self.unseen;
                let gone = &mut self.gone;
                self.standing.retain(|id, place| {
                    let stands = *place < *to;
                    if !stands {
                        gone.insert(id.clone());
                    }
                    stands
                });
            }
            Body::Result(result) => {
                if let Producer::Call(id) = &mut result.from
                    && !self.standing.contains_key(id.as_str())
                    && (self.unseen_are_gone || self.gone.contains(id.as_str()))
                {
                    *id = format!("taken back#{}", self.length);
                }
            }
            Body::User { .. }
            | Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Answer { .. }
            | Body::Grant { .. }
            | Body::Hidden { .. } => {}
        }
        self.length += 1;
    }
}
