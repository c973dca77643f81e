//! A run that grows: entries of a record in, items of a ledger out.

use firsthand::check::Circumstances;
use firsthand::conversation::{Item, Seat};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::{NotedItem, Seen, note_and_tell};
use firsthand::policy::Policy;
use serde::{Deserialize, Serialize};

use super::CallError;
use crate::error::ReadError;
use crate::format::{Choice, Source, own, read, taken_back};

/// A run of a ledger that grows, with what of it the ledger does not hold.
#[derive(Debug)]
pub struct Growing {
    run: RunId,
    /// Which calls stand, so that nothing is believed that comes back for one that was taken back.
    calls: taken_back::Calls,
}

/// What a saved ledger does not hold of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unsaved(taken_back::Calls);

impl Growing {
    /// Begins a run.
    pub fn begin(ledger: &mut Ledger, parent: Option<RunId>, seat: Seat, dialect: &str) -> Self {
        Self { run: ledger.begin(parent, seat, dialect), calls: taken_back::Calls::default() }
    }

    /// Goes on with a run of a restored ledger, with what was kept beside it. Where nothing was, results of calls that
    /// nobody remembers count for less.
    pub fn restored(ledger: &Ledger, run: RunId, unsaved: Option<Unsaved>) -> Self {
        let calls = unsaved.map_or_else(|| taken_back::Calls::after(ledger.len(run)), |Unsaved(calls)| calls);
        Self { run, calls }
    }

    /// Which run it is.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// What a saved ledger does not hold of it.
    pub fn unsaved(&self) -> Unsaved {
        Unsaved(self.calls.clone())
    }

    /// Notes an item at the end.
    pub fn note(&mut self, ledger: &mut Ledger, item: Item, policy: &Policy) -> NotedItem {
        self.note_and_tell(ledger, item, policy, &mut |_| {})
    }

    /// The same, and tells of each address.
    pub fn note_and_tell(
        &mut self,
        ledger: &mut Ledger,
        mut item: Item,
        policy: &Policy,
        tell: &mut dyn FnMut(Seen<'_>),
    ) -> NotedItem {
        self.calls.settle(&mut item);
        note_and_tell(ledger, self.run, &item, policy, &Circumstances::default(), false, tell)
    }
}

/// The items of an entry of a record that follows so many items: an item of the own format, or what stands in the list of
/// another format (a message, an event), alone.
pub fn entry_items(format: &str, entry: &str, before: usize) -> Result<Vec<Item>, CallError> {
    let unreadable = |why| CallError::Conversation { which: "item", why };
    // Line ends between the tokens of a JSON text become spaces.
    let line = entry.replace(['\n', '\r'], " ");
    let source = Source { name: "item" };
    if format == own::FORMAT.name {
        return Ok(own::read_after(line.as_bytes(), &source, before).map_err(unreadable)?.items);
    }
    // A log has an entry a line; a request has a list of them.
    let as_line = read(line.as_bytes(), Choice::Named(format), &source);
    let whole = as_line
        .or_else(|error| read(format!("[{line}]").as_bytes(), Choice::Named(format), &source).map_err(|_| error));
    let mut conversations = whole.map_err(unreadable)?.conversations.into_iter();
    match (conversations.next(), conversations.next()) {
        (Some(only), None) if only.parent.is_none() => Ok(only.items),
        (None | Some(_), _) => {
            Err(unreadable(ReadError::unexpected("", "none or several conversations", "entries of one")))
        }
    }
}
