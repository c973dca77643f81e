//! Messages: of the person, the host, the model and other agents.

use firsthand::conversation::{Body, Speaker, Text};

use super::super::super::lax::{Blocks, Word};
use super::super::record::{Part, Payload};
use super::super::typed::displayed;
use super::super::user::{Whose, bodies};
use super::{Reader, Spot, said};

/// Whether a part of a user's message is known to be text that was put in.
fn is_text(part: &Part<'_>) -> bool {
    match &part.kind {
        Word::Absent => true,
        Word::Is(kind) => matches!(&**kind, "input_text" | "text"),
        Word::Odd => false,
    }
}

impl Reader<'_> {
    pub(super) fn message(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let by = match payload.role.or_empty() {
            "user" => return self.user(spot, payload),
            "developer" | "system" => Speaker::System,
            _ => Speaker::Assistant,
        };
        if let Some(text) = payload.message.get() {
            self.learn(text);
            self.push(spot.at("/message"), said(by, text));
        }
        self.texts(spot, &payload.content, "/content", by);
    }

    /// Texts of one voice; parts of a type that nobody knows are given as they are.
    pub(super) fn texts(&mut self, spot: &Spot<'_>, content: &Blocks<'_, Part<'_>>, below: &str, by: Speaker) {
        let parts = match content {
            Blocks::Text(text) => {
                self.learn(text);
                return self.push(spot.at(below), said(by, text));
            }
            Blocks::List(parts) => parts,
            Blocks::Absent => return,
            Blocks::Odd => return self.push(spot.at(below), said(by, &spot.json(below))),
        };
        for (index, part) in parts.iter().enumerate() {
            let below = format!("{below}/{index}");
            let part = part.get();
            match part.and_then(|part| part.text.get()) {
                Some("") => {}
                Some(text) => {
                    self.learn(text);
                    self.push(spot.at(&below), said(by, text));
                }
                None if part.is_some_and(|part| part.kind.get() == Some("input_image")) => {}
                None => self.push(spot.at(&below), said(by, &spot.json(&below))),
            }
        }
    }

    pub(super) fn user(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let parts = match &payload.content {
            Blocks::Text(text) => return self.user_text(spot, "/content", text),
            Blocks::List(parts) => parts.as_slice(),
            Blocks::Absent => &[],
            Blocks::Odd => {
                return self.push(spot.at("/content"), said(Speaker::Task, &spot.json("/content")));
            }
        };
        if let Some(text) = payload.message.get() {
            self.user_text(spot, "/message", text);
        }
        for (index, part) in parts.iter().enumerate() {
            let below = format!("/content/{index}");
            match part.get() {
                Some(part) if part.text.get().is_some() && is_text(part) => {
                    self.user_text(spot, &below, part.text.or_empty());
                }
                Some(part) if part.file_url.get().is_some() => {
                    let name = part.filename.owned();
                    let text = Text::from(part.file_url.or_empty());
                    self.push(spot.at(&below), Body::Attachment { name, text, from_agent_path: false });
                }
                Some(part) if matches!(part.kind.get(), Some("input_image" | "input_file" | "input_audio")) => {}
                Some(_) | None => self.push(spot.at(&below), said(Speaker::Task, &spot.json(&below))),
            }
        }
    }

    pub(super) fn user_text(&mut self, spot: &Spot<'_>, below: &str, text: &str) {
        let typed = self.is_bare || self.typed.was_displayed(self.step, text);
        let whose = match (self.session.is_subagent, typed) {
            (true, _) => Whose::Task,
            (false, true) => Whose::Person,
            (false, false) => Whose::Host,
        };
        self.say_user(spot, below, text, whose);
    }

    /// A text in the user's place; one of a person's, or a task, begins a turn.
    pub(super) fn say_user(&mut self, spot: &Spot<'_>, below: &str, text: &str, whose: Whose) {
        self.learn(text);
        let bodies = bodies(text, whose);
        let begins = |body: &Body| matches!(body, Body::User { .. } | Body::Said { by: Speaker::Task, .. });
        if bodies.iter().any(begins) {
            self.turn = Some(self.turn.map_or(0, |turn| turn + 1));
            self.turns.push(self.items.len());
        }
        for body in bodies {
            self.push(spot.at(below), body);
        }
    }

    /// A typed text that the history does not have.
    pub(super) fn typed_only(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        for text in displayed("event_msg", payload) {
            let whose = match self.session.is_subagent || self.typed.is_anothers(text) {
                true => Whose::Task,
                false => Whose::Person,
            };
            // The old and the new kind of event may both display it.
            if !self.typed.is_recorded(self.step, text) && self.typed_only.insert((self.step, text.trim().to_owned())) {
                self.say_user(spot, "", text, whose);
            }
        }
    }

    pub(super) fn reasoning(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        self.texts(spot, &payload.summary, "/summary", Speaker::Thinking);
        self.texts(spot, &payload.content, "/content", Speaker::Thinking);
        if payload.content == Blocks::Absent && payload.encrypted_content != Word::Absent {
            self.push(spot.at(""), Body::Hidden { calls: false, what: "encrypted reasoning" });
        }
    }

    /// A message between agents: of this run's own model, a task, or a report.
    pub(super) fn agent_message(&mut self, spot: &Spot<'_>, payload: &Payload<'_>) {
        let is_own = |author: &str| match (&self.session.agent_path, self.session.is_subagent) {
            (Some(path), _) => author == path,
            // Codex names agents by who started them, as a path; the first agent of a session stands at its top.
            (None, false) => author.strip_prefix('/').is_some_and(|name| !name.contains('/')),
            (None, true) => author.is_empty(),
        };
        let by = match payload.author.get() {
            Some(author) if is_own(author) => Speaker::Assistant,
            _ if self.session.is_subagent => Speaker::Task,
            _ => Speaker::Report,
        };
        let is_sealed = |part: &Part<'_>| part.kind.get() == Some("encrypted_content");
        let (sealed, open): (Vec<_>, Vec<_>) = match &payload.content {
            Blocks::List(parts) => parts.iter().enumerate().partition(|(_, part)| part.get().is_some_and(is_sealed)),
            Blocks::Text(text) => return self.push(spot.at("/content"), said(by, text)),
            Blocks::Absent | Blocks::Odd => {
                return self.push(spot.at(""), said(by, &spot.json("")));
            }
        };
        for (index, part) in open {
            let below = format!("/content/{index}");
            let text = part.get().and_then(|part| part.text.get());
            let body = text.map_or_else(|| said(by, &spot.json(&below)), |text| said(by, text));
            self.push(spot.at(&below), body);
        }
        if let Some((index, _)) = sealed.first() {
            let what = "an encrypted message between agents";
            self.push(spot.at(&format!("/content/{index}")), Body::Hidden { calls: true, what });
        }
    }
}
