//! Which lines a later line took back.
//!
//! Lines name their parent. When a person goes back to an earlier message, the new line's parent is not the newest line
//! but an older one, and everything after that one is no longer part of the conversation, though it stays in the file.
//! The reader keeps the order of the file and says at that place that the items since then were taken back: so every
//! call is judged by what was in view when it was made, the model's words stay written, and sources that stand only on
//! an abandoned branch end. A line that goes on from an abandoned branch does not bring its sources back.
//!
//! Not every fork is such a turn: results of parallel calls hang on their own call, attachments and notes beside the
//! chain. Only a prompt, or a message of the model's, whose parent lies below another prompt or message takes back.

use std::collections::HashMap;

/// What a line is for the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link<'t> {
    /// A message in the user's place.
    Prompt,
    /// A part of this message of the model's.
    Model(&'t str),
    /// A result of a call of this message.
    Result(&'t str),
    /// Something that came beside the chain: a queued command, a report, a summary.
    Aside,
}

/// The parent that a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent<'t> {
    /// The line says nothing of a parent.
    Unsaid,
    /// The line says that it has none.
    Root,
    /// The line with this id.
    Line(&'t str),
}

/// The lines that count, as far as the file has been read.
#[derive(Debug, Default)]
pub(super) struct Branches<'t> {
    /// The lines that count, in order.
    live: Vec<Step<'t>>,
    /// Where each line stands or stood; `None` is below the first.
    spots: HashMap<&'t str, Option<Spot>>,
    /// The step of each message's first part.
    messages: HashMap<&'t str, Spot>,
    /// What the step below each abandoned run of steps was, by the serial number of the abandoned.
    below: HashMap<usize, Option<Spot>>,
    serial: usize,
    /// Roots of a session after the first take back all before them.
    roots_restart: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step<'t> {
    link: Link<'t>,
    serial: usize,
    /// How many items there were after it.
    end: usize,
}

/// A place in the line of steps. It is live where the step at that depth still has that serial number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    depth: usize,
    serial: usize,
}

/// How often an abandoned branch is followed down to one that counts. More than any session goes back and forth; beyond
/// it everything is taken back.
const MOST_RETURNS: usize = 64;

impl<'t> Branches<'t> {
    /// A run whose later roots take back what stands before them.
    pub(super) fn of_main() -> Self {
        Self { roots_restart: true, ..Self::default() }
    }

    /// A run whose later roots are further tasks.
    pub(super) fn of_side() -> Self {
        Self::default()
    }

    /// Whether the file holds the line with this id, as far as it has been read.
    pub(super) fn knows(&self, uuid: &str) -> bool {
        self.spots.contains_key(uuid)
    }

    /// Whether no line has counted yet.
    pub(super) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Passes over a line that is no part of the chain itself: what hangs on it hangs on its parent.
    pub(super) fn pass(&mut self, uuid: Option<&'t str>, parent: Parent<'t>) {
        let spot = match parent {
            Parent::Line(parent) => self.spots.get(parent).copied(),
            Parent::Unsaid => Some(self.top()),
            Parent::Root => Some(None),
        };
        if let (Some(uuid), Some(spot)) = (uuid, spot) {
            self.spots.insert(uuid, spot);
        }
    }

    /// Passes over a line after which the conversation goes on, whatever it names as its parent: a compaction.
    pub(super) fn join(&mut self, uuid: Option<&'t str>) {
        if let Some(uuid) = uuid {
            self.spots.insert(uuid, self.top());
        }
    }

    /// The number of items that still count when a line of this kind follows; `None` where all do.
    pub(super) fn taken_back(&mut self, link: Link<'t>, parent: Parent<'t>) -> Option<usize> {
        match link {
            Link::Prompt | Link::Model(_) => {}
            Link::Result(_) | Link::Aside => return None,
        }
        let spot = match parent {
            Parent::Unsaid => return None,
            Parent::Root => None,
            Parent::Line(parent) => *self.spots.get(parent)?,
        };
        let keep = match spot {
            Some(spot) => self.live_depth(spot).map_or(0, |depth| depth + 1),
            None if self.roots_restart && link == Link::Prompt => 0,
            None => return None,
        };
        let foreign = |step: &Step<'t>| match step.link {
            Link::Prompt => true,
            Link::Model(message) => self.first_part(message).is_none_or(|depth| depth >= keep),
            Link::Result(_) | Link::Aside => false,
        };
        if !self.live.iter().skip(keep).any(foreign) {
            return None;
        }
        // Results of calls that count still count.
        let own = |step: &&Step<'t>| match step.link {
            Link::Prompt | Link::Aside => false,
            Link::Model(message) | Link::Result(message) => self.first_part(message).is_some_and(|depth| depth < keep),
        };
        let keep = keep + self.live.iter().skip(keep).take_while(own).count();
        let below = keep.checked_sub(1).and_then(|depth| self.spot_at(depth));
        for step in self.live.drain(keep.min(self.live.len())..) {
            self.below.insert(step.serial, below);
        }
        Some(self.live.last().map_or(0, |step| step.end))
    }

    /// Notes a line of the chain; `end` is the number of items after it.
    pub(super) fn add(&mut self, uuid: Option<&'t str>, link: Link<'t>, end: usize) {
        self.serial += 1;
        let spot = Spot { depth: self.live.len(), serial: self.serial };
        self.live.push(Step { link, serial: self.serial, end });
        if let Link::Model(message) = link
            && self.first_part(message).is_none()
        {
            self.messages.insert(message, spot);
        }
        if let Some(uuid) = uuid {
            self.spots.insert(uuid, Some(spot));
        }
    }

    fn top(&self) -> Option<Spot> {
        self.live.len().checked_sub(1).and_then(|depth| self.spot_at(depth))
    }

    fn spot_at(&self, depth: usize) -> Option<Spot> {
        self.live.get(depth).map(|step| Spot { depth, serial: step.serial })
    }

    fn is_live(&self, spot: Spot) -> bool {
        self.spot_at(spot.depth) == Some(spot)
    }

    /// The depth of the first part of a message that counts.
    fn first_part(&self, message: &str) -> Option<usize> {
        self.messages.get(message).filter(|spot| self.is_live(**spot)).map(|spot| spot.depth)
    }

    /// The depth of a line, or of the nearest one below it that counts.
    fn live_depth(&self, spot: Spot) -> Option<usize> {
        let mut spot = spot;
        for _ in 0..MOST_RETURNS {
            if self.is_live(spot) {
                return Some(spot.depth);
            }
            spot = (*self.below.get(&spot.serial)?)?;
        }
        None
    }
}
