//! Which call a result answers.

use std::collections::{BTreeMap, VecDeque};

/// The calls of a conversation, in order.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Open>,
    /// Those that carry an id of the format, by that id.
    by_id: BTreeMap<String, Queue>,
    by_tool: BTreeMap<String, Queue>,
    all: Queue,
    /// Counts messages and results: calls of one number were written together.
    group: usize,
    /// The group of the last call.
    latest: Option<usize>,
}

struct Open {
    id: String,
    answered: bool,
}

/// Calls that wait for a result, in order within their group.
#[derive(Default)]
struct Queue {
    groups: Vec<(usize, VecDeque<usize>)>,
    last: usize,
}

impl Calls {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// What follows is not written together with what was.
    pub(super) fn begin_group(&mut self) {
        self.group += 1;
    }

    /// Adds a call by its own id, that of the format and its tool.
    pub(super) fn add(&mut self, id: &str, raw: &str, tool: &str) {
        let index = self.calls.len();
        self.calls.push(Open { id: id.to_owned(), answered: false });
        if !raw.is_empty() {
            self.by_id.entry(raw.to_owned()).or_default().push(index, self.group);
        }
        self.by_tool.entry(tool.to_owned()).or_default().push(index, self.group);
        self.all.push(index, self.group);
        self.latest = Some(self.group);
    }

    /// Answers the call of this id: the first unanswered one of the latest group that has one, else the last of all.
    pub(super) fn answer_id(&mut self, raw: &str) -> Option<String> {
        let queue = self.by_id.get_mut(raw)?;
        let index = queue.next(&self.calls).map_or(queue.last, |(_, index)| index);
        self.answer(index)
    }

    /// Answers the first unanswered call of the latest group, of this tool where one is named.
    ///
    /// An older call that was never answered is not this result's.
    pub(super) fn answer_place(&mut self, tool: Option<&str>) -> Option<String> {
        let latest = self.latest?;
        let queue = match tool {
            Some(tool) => self.by_tool.get_mut(tool)?,
            None => &mut self.all,
        };
        let (group, index) = queue.next(&self.calls)?;
        if group == latest { self.answer(index) } else { None }
    }

    /// Notes that the last call is answered.
    pub(super) fn settle(&mut self) {
        if let Some(call) = self.calls.last_mut() {
            call.answered = true;
        }
    }

    fn answer(&mut self, index: usize) -> Option<String> {
        let call = self.calls.get_mut(index)?;
        call.answered = true;
        Some(call.id.clone())
    }
}

impl Queue {
    fn push(&mut self, index: usize, group: usize) {
        self.last = index;
        match self.groups.last_mut() {
            Some((last, calls)) if *last == group => calls.push_back(index),
            _ => self.groups.push((group, VecDeque::from([index]))),
        }
    }

    /// The first unanswered call of the latest group that has one, and that group. What was answered is dropped, so each
    /// call is passed over once.
    fn next(&mut self, calls: &[Open]) -> Option<(usize, usize)> {
        while let Some((group, waiting)) = self.groups.last_mut() {
            while let Some(index) = waiting.front().copied() {
                if calls.get(index).is_some_and(|call| !call.answered) {
                    return Some((*group, index));
                }
                waiting.pop_front();
            }
            self.groups.pop();
        }
        None
    }
}
