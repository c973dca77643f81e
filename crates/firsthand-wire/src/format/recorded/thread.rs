//! A conversation of a file while requests that repeat it are read.

use super::api::{Api, Weight};
use super::draft::Draft;
use super::node::{Node, Spot};
use crate::error::ReadError;

/// A conversation of a file.
pub(super) struct Thread {
    /// Its place among the conversations of the file.
    pub(super) number: usize,
    /// Something of it was read.
    pub(super) begun: bool,
    pub(super) draft: Draft,
    seen: Vec<Seen>,
    settings: String,
    /// The id of its last response.
    pub(super) response: String,
}

/// A message that was read.
struct Seen {
    essence: String,
    weight: Weight,
    /// How many items stood before it.
    first: usize,
}

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In what was sent to the model, or on its own.
    Request,
    /// In what the model answered.
    Response,
}

/// Whether a message is kept to compare with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// How much a history shares with what was read.
pub(super) struct Shared {
    /// How many of its messages were read before.
    pub(super) sent: usize,
    /// How many of the messages that were read these are.
    pub(super) seen: usize,
    /// How many of them tell conversations apart.
    pub(super) telling: usize,
}

impl Thread {
    /// A conversation of which nothing was read.
    pub(super) fn new<A: Api>(number: usize) -> Self {
        let draft = Draft::new(A::NAME);
        Self { number, begun: false, draft, seen: Vec::new(), settings: String::new(), response: String::new() }
    }

    /// How much of a history, message by message, is what was read.
    pub(super) fn repeated(&self, essences: &[String]) -> Shared {
        let mut shared = Shared { sent: 0, seen: 0, telling: 0 };
        for essence in essences {
            let rest = self.seen.get(shared.seen..).unwrap_or_default();
            let dispensed = |seen: &&Seen| seen.weight == Weight::Dispensable && seen.essence != *essence;
            let left_out = rest.iter().take_while(dispensed).count();
            let Some(seen) = rest.get(left_out).filter(|seen| seen.essence == *essence) else {
                break;
            };
            shared.seen += left_out + 1;
            shared.sent += 1;
            shared.telling += usize::from(seen.weight == Weight::Telling);
        }
        shared
    }

    /// Whether a history repeats all that was read: it goes on from there.
    pub(super) fn is_whole(&self, shared: &Shared) -> bool {
        let rest = self.seen.get(shared.seen..).unwrap_or_default();
        rest.iter().all(|seen| seen.weight == Weight::Dispensable)
    }

    /// Forgets the messages: nothing is compared with them any more.
    pub(super) fn forget(&mut self) {
        self.seen = Vec::new();
    }

    /// Takes back the messages from this one on.
    pub(super) fn take_back(&mut self, from: usize, spot: &Spot) {
        let rest = self.seen.get(from..).unwrap_or_default();
        if let Some(first) = rest.first().filter(|_| rest.iter().any(|seen| seen.weight != Weight::Dispensable)) {
            self.draft.rewind(spot, first.first);
            self.seen.truncate(from);
        }
    }

    /// Reads a request's settings unless they are those that were read last.
    pub(super) fn settings<A: Api>(&mut self, request: &Node<'_>, spot: &Spot) {
        let settings = request.only(A::SETTINGS).json();
        if settings != self.settings {
            A::settings(&mut self.draft, request, spot);
            self.settings = settings;
        }
    }

    /// Notes whether one of the messages that come is a search.
    pub(super) fn look_ahead<'n, A: Api>(&mut self, mut messages: impl Iterator<Item = &'n Node<'n>>) {
        if messages.any(A::searches) {
            self.draft.may_search();
        }
    }

    /// Reads a message.
    pub(super) fn message<A: Api>(
        &mut self,
        message: &Node<'_>,
        spot: &Spot,
        place: Place,
        keep: Keep,
    ) -> Result<(), ReadError> {
        let first = self.draft.len();
        match place {
            Place::Request => self.draft.enter(&[message]),
            Place::Response => self.draft.enter_response(message),
        }
        A::message(&mut self.draft, message, spot)?;
        match keep {
            Keep::Yes => self.seen.push(Seen { essence: A::essence(message), weight: A::weight(message), first }),
            Keep::No => {}
        }
        Ok(())
    }
}
