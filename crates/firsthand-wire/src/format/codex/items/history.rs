//! What changes the history: compaction and turns that are taken back.

use firsthand::conversation::{Body, Item, Speaker};

use super::super::super::lax::{Node, Raw, Word};
use super::super::super::recorded::signs::Watched;
use super::super::record::Payload;
use super::super::typed::part_texts;
use super::super::user::is_summary;
use super::{Reader, Spot, said};

impl Reader<'_> {
    pub(in super::super) fn instructions(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        for (below, raw) in [("/base_instructions", payload.base_instructions), ("/instructions", payload.instructions)]
        {
            if let Some(raw) = raw.filter(|_| self.items.is_empty()) {
                self.push(spot.at(below), said(Speaker::System, raw.text()));
            }
        }
    }

    /// A history written anew. What it repeats is known; what it adds is the summary.
    pub(in super::super) fn compacted(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        self.say_incomplete(spot);
        if let Some(summary) = payload.message.get().filter(|summary| !summary.is_empty()) {
            self.push(spot.at("/message"), said(Speaker::Summary, summary));
        }
        let Some(raw) = payload.replacement_history else { return };
        let Some(history) = raw.read::<Vec<Node<Watched<Payload<'_>>>>>() else {
            return self.push(spot.at("/replacement_history"), said(Speaker::Summary, raw.text()));
        };
        for (index, payload) in history.iter().enumerate() {
            let spot = spot.within(&format!("/replacement_history/{index}"));
            match payload {
                Node::Is(payload) => self.repeated(&spot, payload),
                Node::Absent | Node::Odd => self.push(spot.at(""), said(Speaker::Summary, &spot.json(""))),
            }
        }
    }

    /// An item of a history that was written anew.
    pub(in super::super) fn repeated(&mut self, spot: &Spot<'_>, payload: &Watched<Payload<'_>>) {
        let by = match payload.role.get() {
            Some("user" | "developer" | "system") => Speaker::System,
            Some(_) => Speaker::Assistant,
            None => {
                let repeats = |id: &Word<'_>| id.get().is_some_and(|id| self.calls.contains_key(id));
                if !repeats(&payload.call_id) && payload.kind.get() != Some("reasoning") {
                    self.item(spot, payload);
                }
                return;
            }
        };
        for text in part_texts(&payload.content) {
            if !self.learn(text) {
                continue;
            }
            let by = if is_summary(text) { Speaker::Summary } else { by };
            self.push(spot.at("/content"), said(by, text));
        }
    }

    /// Turns that were taken back.
    pub(in super::super) fn rolled_back(&mut self, spot: &Spot<'_>, turns: Option<Raw<'_>>) {
        let count = turns.and_then(|turns| turns.read::<usize>()).unwrap_or(usize::MAX);
        let keep = self.turns.len().saturating_sub(count);
        let Some(to) = self.turns.get(keep).copied() else { return };
        self.turns.truncate(keep);
        self.push(spot.at(""), Body::Rewind { to });
    }

    /// Says that a history begins before its file does.
    pub(in super::super) fn say_incomplete(&mut self, spot: &Spot<'_>) {
        let begun = |item: &Item| !matches!(item.body, Body::Said { by: Speaker::System, .. });
        if !self.items.iter().any(begun) {
            let what = "what stood before a compaction";
            self.push(spot.at(""), Body::Hidden { calls: true, what });
        }
    }
}
