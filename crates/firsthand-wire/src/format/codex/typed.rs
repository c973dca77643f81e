//! Which texts in the user's place were typed.
//!
//! The model's history does not say it: the host puts its own notes there under the same role. But what a person typed is
//! displayed, and the event that displays it stands next to the history's copy. So a text is a person's where such an
//! event has the same text and no step of the model's lies between the two.

use std::collections::HashSet;

use super::super::lax::{Blocks, Node, Word};
use super::super::recorded::signs::of_line;
use super::record::{Part, Payload, Record};

/// The typed texts of a file.
#[derive(Debug, Default)]
pub(super) struct Typed<'e> {
    /// What was displayed as typed between two steps of the model's.
    displayed: HashSet<(usize, &'e str)>,
    /// What stands in the user's place of the history between two steps of the model's.
    recorded: HashSet<(usize, &'e str)>,
    /// What stands in another place of the history.
    others: HashSet<&'e str>,
}

impl<'e> Typed<'e> {
    /// Looks through a file.
    pub(super) fn of(records: impl Iterator<Item = (&'e str, &'e Record<'e>)>) -> Self {
        let mut typed = Self::default();
        let mut step = 0;
        for (line, record) in records {
            let Some(payload) = record.payload.get() else { continue };
            if is_step(record) {
                step += 1;
            }
            let mut texts = displayed(record.kind.or_empty(), payload);
            if !texts.is_empty() && of_line(line, &[]).is_some() {
                texts.clear();
            }
            typed.displayed.extend(texts.into_iter().map(|text| (step, text.trim())));
            let texts = part_texts(&payload.content).into_iter().map(str::trim);
            match (record.kind.or_empty(), payload.role.get()) {
                ("response_item", Some("user")) => typed.recorded.extend(texts.map(|text| (step, text))),
                ("event_msg", _) => {}
                (_, None) if payload.role == Word::Absent => {}
                (_, None | Some(_)) => typed.others.extend(texts),
            }
        }
        typed
    }

    /// Whether this text of the history was typed.
    pub(super) fn was_displayed(&self, step: usize, text: &str) -> bool {
        self.displayed.contains(&(step, text.trim()))
    }

    /// Whether the history has this typed text.
    pub(super) fn is_recorded(&self, step: usize, text: &str) -> bool {
        self.recorded.contains(&(step, text.trim()))
    }

    /// Whether the history has this text as somebody else's.
    pub(super) fn is_anothers(&self, text: &str) -> bool {
        self.others.contains(text.trim())
    }
}

/// Whether a line is a step of the model's: an item of the history that stands in nobody else's place.
pub(super) fn is_step(record: &Record<'_>) -> bool {
    let role = record.payload.get().and_then(|payload| payload.role.get());
    match record.kind.get() {
        Some("compacted") => true,
        Some("response_item") => !matches!(role, Some("user" | "developer" | "system")),
        _ => false,
    }
}

/// The typed texts that an event displays.
pub(super) fn displayed<'e>(kind: &str, payload: &'e Payload<'_>) -> Vec<&'e str> {
    match (kind, payload.kind.or_empty()) {
        ("event_msg", "user_message") if matches!(payload.message_kind.get(), None | Some("plain")) => {
            payload.message.get().into_iter().collect()
        }
        ("event_msg", "item_completed") => match payload.item.get() {
            Some(item) if item.kind.get() == Some("UserMessage") => part_texts(&item.content),
            Some(_) | None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The texts of a message's parts.
pub(super) fn part_texts<'e>(content: &'e Blocks<'_, Part<'_>>) -> Vec<&'e str> {
    match content {
        Blocks::Text(text) => vec![text],
        Blocks::List(parts) => {
            parts.iter().filter_map(Node::get).filter_map(|part: &Part<'_>| Word::get(&part.text)).collect()
        }
        Blocks::Absent | Blocks::Odd => Vec::new(),
    }
}
