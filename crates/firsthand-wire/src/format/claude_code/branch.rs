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
            // Parts of one message may hang on each other or side by side.
            Link::Model(_) if step.link == link => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as `(link, id, parent)`, each of one item; what each took back.
    #[track_caller]
    fn took_back(lines: &[(Link<'static>, &'static str, &'static str)], wanted: &[(&str, usize)]) {
        let mut branches = Branches::of_main();
        let mut items = 0;
        let mut found = Vec::new();
        for (link, id, parent) in lines {
            let parent = if parent.is_empty() { Parent::Root } else { Parent::Line(parent) };
            if let Some(to) = branches.taken_back(*link, parent) {
                found.push((*id, to));
                items += 1;
            }
            items += 1;
            branches.add(Some(id), *link, items);
        }
        assert_eq!(found, wanted);
    }

    use Link::{Aside, Model, Prompt, Result};

    #[test]
    fn a_chain_takes_nothing_back() {
        took_back(&[(Prompt, "u", ""), (Model("m"), "a", "u"), (Result("m"), "r", "a"), (Prompt, "v", "r")], &[]);
    }

    #[test]
    fn a_prompt_beside_an_older_one_takes_that_one_back() {
        let lines =
            [(Prompt, "u", ""), (Model("m"), "a", "u"), (Prompt, "v", "a"), (Model("n"), "b", "v"), (Prompt, "w", "a")];
        took_back(&lines, &[("w", 2)]);
    }

    #[test]
    fn results_of_parallel_calls_take_nothing_back_and_stay() {
        let parallel = [
            (Prompt, "u", ""),
            (Model("m"), "a", "u"),
            (Model("m"), "b", "a"),
            (Result("m"), "r", "a"),
            (Result("m"), "s", "b"),
        ];
        let on_the_first = [&parallel[..], &[(Model("n"), "c", "r")]].concat();
        took_back(&on_the_first, &[]);
        let back = [&parallel[..], &[(Prompt, "v", "s"), (Prompt, "w", "r")]].concat();
        took_back(&back, &[("w", 5)]);
    }

    #[test]
    fn parts_of_one_message_may_stand_side_by_side() {
        took_back(&[(Prompt, "u", ""), (Model("m"), "a", "u"), (Result("m"), "r", "a"), (Model("m"), "b", "u")], &[]);
    }

    #[test]
    fn what_comes_beside_the_chain_takes_nothing_back() {
        let lines = [(Prompt, "u", ""), (Model("m"), "a", "u"), (Aside, "q", "u"), (Model("n"), "b", "a")];
        took_back(&lines, &[]);
    }

    #[test]
    fn going_on_from_an_abandoned_branch_takes_the_other_back() {
        let lines = [
            (Prompt, "u", ""),
            (Model("m"), "a", "u"),
            (Prompt, "v", "a"),
            (Model("n"), "b", "v"),
            (Prompt, "w", "a"),
            (Model("o"), "c", "w"),
            (Prompt, "x", "b"),
        ];
        took_back(&lines, &[("w", 2), ("x", 2)]);
    }

    #[test]
    fn an_unknown_parent_takes_nothing_back() {
        took_back(&[(Prompt, "u", ""), (Prompt, "v", "elsewhere")], &[]);
    }

    #[test]
    fn a_second_root_takes_everything_back() {
        took_back(&[(Prompt, "u", ""), (Model("m"), "a", "u"), (Prompt, "v", "")], &[("v", 0)]);
    }
}
