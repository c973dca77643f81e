//! Replaying a family of recorded conversations: a run with its subagents, in the order in which they wrote.

use std::collections::HashMap;

use crate::check::Circumstances;
use crate::conversation::{Body, Conversation, Item, Speaker};
use crate::json;
use crate::ledger::{Heard, Ledger, RunId, Written};
use crate::note::{NotedItem, Seen, note_and_tell};
use crate::policy::Policy;

/// What a replay tells, as it goes.
#[derive(Debug)]
pub enum Told<'a> {
    /// An address that an item holds; told before the item itself.
    Seen {
        /// Which conversation of the family.
        conversation: usize,
        /// Which of its items.
        item: usize,
        /// The address.
        seen: Seen<'a>,
    },
    /// An item was noted.
    Noted {
        /// Which conversation of the family.
        conversation: usize,
        /// Which of its items.
        item: usize,
        /// What it came to.
        noted: NotedItem,
    },
}

/// A family that was replayed.
#[derive(Debug)]
pub struct Replayed {
    /// The record of all runs. It recognises no history that comes again: to [`resend`](crate::history::resend) all items
    /// of it are new.
    pub ledger: Ledger,
    /// The run of each conversation, in the order of the family.
    pub runs: Vec<RunId>,
}

/// Replays a family. Parents are found by their ids; a conversation whose parent is not in the family stands alone.
///
/// A subagent's items stand after the call that started it and before what its parent wrote next, unless every item says
/// when it was written. Of subagents that one message started, whose order nobody knows, what the models wrote ranks
/// first.
pub fn replay(
    family: &[&Conversation],
    earlier: &[(usize, &[Item])],
    policy: &Policy,
    now: &Circumstances,
    each: &mut dyn FnMut(Told<'_>),
) -> Replayed {
    let tree = Tree::of(family);
    let mut ledger = Ledger::new([0; 32]);
    // Nobody sends a record again, and telling its items would cost as much as finding their addresses.
    ledger.knows_again = false;
    let mut runs: Vec<Option<RunId>> = vec![None; family.len()];
    for index in tree.parents_first() {
        let Some(conversation) = family.get(index) else { continue };
        let parent = tree.parent(index).and_then(|parent| runs.get(parent).copied().flatten());
        let run = ledger.begin(parent, conversation.seat, conversation.dialect);
        if let Some(place) = runs.get_mut(index) {
            *place = Some(run);
        }
    }
    let runs: Vec<RunId> = runs.into_iter().map(|run| run.unwrap_or(RunId(u32::MAX))).collect();
    for (index, items) in earlier {
        if let Some(run) = runs.get(*index) {
            for item in *items {
                note_and_tell(&mut ledger, *run, item, policy, now, true, &mut |_| {});
            }
        }
    }
    let mut player = Player { family, tree: &tree, runs: &runs, policy, now, part: Part::Only };
    match tree.by_time(family) {
        Some(order) => {
            for (conversation, item) in order {
                player.item(&mut ledger, conversation, item, each);
            }
        }
        None => {
            // One run starts them all, unless that one is missing or stands in several records.
            player.side_by_side(&mut ledger, &tree.roots(), each);
        }
    }
    Replayed { ledger, runs }
}

struct Player<'f> {
    family: &'f [&'f Conversation],
    tree: &'f Tree,
    runs: &'f [RunId],
    policy: &'f Policy,
    now: &'f Circumstances,
    part: Part,
}

/// What is being played.
enum Part {
    /// Runs one after the other.
    Only,
    /// The same on trial, to hear what the model of each run writes.
    Rehearsal(Vec<Heard>),
    /// Runs beside each other. What the model of each writes is known.
    Beside(Vec<Written>),
}

impl Player<'_> {
    /// One run with the runs that it starts, depth first.
    fn run(&mut self, ledger: &mut Ledger, conversation: usize, each: &mut dyn FnMut(Told<'_>)) {
        let length = self.family.get(conversation).map_or(0, |conversation| conversation.items.len());
        for item in 0..length {
            self.item(ledger, conversation, item, each);
            let started = self.tree.started_after(conversation, item);
            self.side_by_side(ledger, &started, each);
        }
        let rest = self.tree.started_after(conversation, usize::MAX);
        self.side_by_side(ledger, &rest, each);
    }

    /// Runs whose order nobody knows: what the models of the others write ranks before what any of them reads.
    fn side_by_side(&mut self, ledger: &mut Ledger, started: &[usize], each: &mut dyn FnMut(Told<'_>)) {
        let is_rehearsal = matches!(self.part, Part::Rehearsal(_));
        if started.len() < 2 || is_rehearsal {
            started.iter().for_each(|run| self.run(ledger, *run, each));
            return;
        }
        let is_outermost = matches!(self.part, Part::Only);
        if is_outermost {
            self.part = Part::Beside(self.rehearse(ledger.clone(), started));
        }
        let subtrees: Vec<Vec<usize>> = started.iter().map(|run| self.tree.with_those_below(*run)).collect();
        subtrees.iter().flatten().for_each(|run| self.written(*run, &mut |written| ledger.expect(*run, written)));
        for (run, subtree) in started.iter().zip(&subtrees) {
            subtree.iter().for_each(|run| self.written(*run, &mut |written| ledger.forget(*run, written)));
            self.run(ledger, *run, each);
        }
        if is_outermost {
            self.part = Part::Only;
        }
    }

    /// What the model of each run writes, as far as it is below one of these.
    fn rehearse(&mut self, mut ledger: Ledger, started: &[usize]) -> Vec<Written> {
        ledger.listen();
        self.part = Part::Rehearsal(self.family.iter().map(|_| Heard::default()).collect());
        started.iter().for_each(|run| self.run(&mut ledger, *run, &mut |_| {}));
        match std::mem::replace(&mut self.part, Part::Only) {
            Part::Rehearsal(heard) => heard.into_iter().map(Written::of).collect(),
            Part::Only | Part::Beside(_) => Vec::new(),
        }
    }

    fn written(&self, run: usize, use_it: &mut dyn FnMut(&Written)) {
        if let Part::Beside(written) = &self.part
            && let Some(written) = written.get(run)
        {
            use_it(written);
        }
    }

    fn item(&mut self, ledger: &mut Ledger, conversation: usize, item: usize, each: &mut dyn FnMut(Told<'_>)) {
        let Some(run) = self.runs.get(conversation) else { return };
        let Some(body) = self.family.get(conversation).and_then(|conversation| conversation.items.get(item)) else {
            return;
        };
        let mut tell = |seen: Seen<'_>| each(Told::Seen { conversation, item, seen });
        let noted = note_and_tell(ledger, *run, body, self.policy, self.now, false, &mut tell);
        if let Part::Rehearsal(heard) = &mut self.part
            && let Some(heard) = heard.get_mut(conversation)
        {
            heard.extend(ledger.listen());
        }
        each(Told::Noted { conversation, item, noted });
    }
}

/// Who started whom.
struct Tree {
    parents: Vec<Option<usize>>,
    /// For each run, the runs that it started, with the item after which each begins.
    children: Vec<Vec<(usize, usize)>>,
}

impl Tree {
    fn of(family: &[&Conversation]) -> Self {
        let ids: HashMap<&str, usize> =
            family.iter().enumerate().rev().map(|(index, conversation)| (conversation.id.as_str(), index)).collect();
        let mut parents: Vec<Option<usize>> = family
            .iter()
            .enumerate()
            .map(|(index, conversation)| {
                let parent = conversation.parent.as_ref()?;
                ids.get(parent.conversation.as_str()).copied().filter(|parent| *parent != index)
            })
            .collect();
        // A circle of parents is no family: whoever stands in one stands alone.
        for index in 0..parents.len() {
            let mut at = index;
            for _ in 0..parents.len() {
                let Some(parent) = parents.get(at).copied().flatten() else { break };
                at = parent;
                if at == index {
                    if let Some(place) = parents.get_mut(index) {
                        *place = None;
                    }
                    break;
                }
            }
        }
        let mut children: Vec<Vec<(usize, usize)>> = vec![Vec::new(); family.len()];
        for (index, parent) in parents.iter().enumerate() {
            let Some((parent, own)) = parent.and_then(|parent| Some((parent, children.get_mut(parent)?))) else {
                continue;
            };
            let after = family.get(parent).zip(family.get(index)).map(|(parent, child)| started_after(parent, child));
            own.push((index, after.unwrap_or(usize::MAX)));
        }
        Self { parents, children }
    }

    fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    fn roots(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|index| self.parent(*index).is_none()).collect()
    }

    fn parents_first(&self) -> Vec<usize> {
        let mut order = self.roots();
        let mut at = 0;
        while let Some(index) = order.get(at).copied() {
            order.extend(self.children.get(index).into_iter().flatten().map(|(child, _)| *child));
            at += 1;
        }
        order
    }

    /// A run and all that are below it.
    fn with_those_below(&self, run: usize) -> Vec<usize> {
        let mut all = vec![run];
        let mut at = 0;
        while let Some(run) = all.get(at).copied() {
            all.extend(self.children.get(run).into_iter().flatten().map(|(child, _)| *child));
            at += 1;
        }
        all
    }

    fn started_after(&self, conversation: usize, item: usize) -> Vec<usize> {
        let children = self.children.get(conversation).into_iter().flatten();
        children.filter(|(_, after)| *after == item).map(|(child, _)| *child).collect()
    }

    /// The order of all items by the time at which they were written, where every run of a family of several says it.
    fn by_time(&self, family: &[&Conversation]) -> Option<Vec<(usize, usize)>> {
        if family.len() < 2 {
            return None;
        }
        let mut order = Vec::new();
        for conversation in self.parents_first() {
            let items = &family.get(conversation)?.items;
            let Some(mut latest) = items.iter().find_map(|item| item.time) else {
                if items.is_empty() {
                    continue;
                }
                return None;
            };
            for (item, of) in items.iter().enumerate() {
                // A run's own order holds, whatever its clock says; an item without a time stands by the one before.
                latest = latest.max(of.time.unwrap_or(latest));
                order.push((latest, conversation, item));
            }
        }
        order.sort_by_key(|(time, ..)| *time);
        Some(order.into_iter().map(|(_, conversation, item)| (conversation, item)).collect())
    }
}

/// The last item of the parent before the child began: the last call of the message that started it.
fn started_after(parent: &Conversation, child: &Conversation) -> usize {
    let by_id = child.parent.as_ref().and_then(|parent| parent.call.as_deref());
    let position = |wanted: &dyn Fn(&crate::conversation::Call) -> bool| {
        parent.items.iter().position(|item| item.body.call().is_some_and(wanted))
    };
    let found = by_id.and_then(|id| position(&|call| call.id == id)).or_else(|| {
        let task = task(child)?;
        position(&|call| {
            let mut holds = false;
            json::walk(&call.arguments, &mut |_, leaf| holds |= leaf.text.trim() == task);
            holds
        })
    });
    let Some(start) = found else { return usize::MAX };
    // Parallel calls come before any of the runs that they start.
    let calls = parent.items.iter().skip(start).take_while(|item| item.body.call().is_some()).count();
    start + calls.saturating_sub(1)
}

/// What a subagent was told to do.
fn task(child: &Conversation) -> Option<&str> {
    child.items.iter().find_map(|item| match &item.body {
        Body::Said { by: Speaker::Task, text } | Body::User { text, .. } => {
            Some(text.trim()).filter(|text| !text.is_empty())
        }
        Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Call(_)
        | Body::Result(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    })
}
