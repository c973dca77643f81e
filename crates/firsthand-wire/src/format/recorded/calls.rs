//! Which call a result answers.

use std::collections::{BTreeMap, VecDeque};

use firsthand::conversation::Ran;

/// The calls of a conversation, in order.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Open>,
    /// Those that carry an id of the format, by that id.
    by_id: BTreeMap<String, Same>,
    /// The last one of each own id.
    by_own_id: BTreeMap<String, usize>,
    by_tool: BTreeMap<String, Queue>,
    all: Queue,
    /// Counts messages and results: calls of one number were written together.
    group: usize,
    /// The group of the last call.
    latest: Option<usize>,
}

struct Open {
    id: String,
    server: Option<String>,
    tool: String,
    ran: Ran,
    /// The format gives it an id.
    has_id: bool,
    answered: bool,
}

/// Whose calls a result may answer where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    Any,
    /// Those that the provider ran.
    Provider,
}

/// Which calls a result may answer by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ids {
    Any,
    /// Those that have no id.
    None,
}

/// The calls that carry one id of the format.
struct Same {
    waiting: Queue,
    /// The first one's own id.
    first: String,
    count: usize,
    /// Their results cannot be told apart, so all of them carry the first one's own id.
    is_shared: bool,
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

    /// Adds a call by its own id, that of the format, and its tool.
    pub(super) fn add(&mut self, id: &str, raw: &str, server: Option<&str>, tool: &str, ran: Ran) {
        let index = self.calls.len();
        let (server, name) = (server.map(str::to_owned), tool.to_owned());
        let has_id = !raw.is_empty();
        self.calls.push(Open { id: id.to_owned(), server, tool: name, ran, has_id, answered: false });
        if has_id {
            let first = || Same { waiting: Queue::default(), first: id.to_owned(), count: 0, is_shared: false };
            let same = self.by_id.entry(raw.to_owned()).or_insert_with(first);
            same.waiting.push(index, self.group);
            same.count += 1;
        }
        self.by_own_id.insert(id.to_owned(), index);
        self.by_tool.entry(tool.to_owned()).or_default().push(index, self.group);
        self.all.push(index, self.group);
        self.latest = Some(self.group);
    }

    /// The id under which one more call of this id of the format's must be added, because nobody could tell its results
    /// from those of an earlier one: another tool's, or one that is not yet answered. `None` where its own id will do.
    pub(super) fn shared_id(&mut self, raw: &str, server: Option<&str>, tool: &str) -> Option<String> {
        let same = self.by_id.get_mut(raw)?;
        let last = self.calls.get(same.waiting.last)?;
        same.is_shared |= !last.answered || last.tool != tool || last.server.as_deref() != server;
        same.is_shared.then(|| same.first.clone())
    }

    /// Answers the call of this id: the first unanswered one of the latest group that has one, else the one that all of
    /// the id are. What comes after the last of several was answered is nobody's.
    pub(super) fn answer_id(&mut self, raw: &str, runs: Runs) -> Option<String> {
        let same = self.by_id.get_mut(raw)?;
        let only = (same.is_shared || same.count == 1).then_some(same.waiting.last);
        let index = same.waiting.next(&self.calls).map(|(_, index)| index).or(only)?;
        self.answer(index, runs)
    }

    /// Answers the first unanswered call of the latest group, of this tool where one is named.
    ///
    /// An older call that was never answered is not this result's.
    pub(super) fn answer_place(&mut self, tool: Option<&str>, runs: Runs, ids: Ids) -> Option<String> {
        let latest = self.latest?;
        let queue = match tool {
            Some(tool) => self.by_tool.get_mut(tool)?,
            None => &mut self.all,
        };
        let (group, index) = queue.next(&self.calls)?;
        // Of calls of several tools nobody knows which a result without an id and a name answers.
        let is_one = || tool.is_some() || self.waiting(group).all(|call| self.is_of_the_same(index, call));
        let fits = ids == Ids::Any || self.calls.get(index).is_some_and(|call| !call.has_id) && is_one();
        if group == latest && fits { self.answer(index, runs) } else { None }
    }

    /// The calls of a group that are not answered.
    fn waiting(&self, group: usize) -> impl Iterator<Item = &Open> {
        let waiting = self.all.groups.last().filter(|(last, _)| *last == group);
        let waiting = waiting.into_iter().flat_map(|(_, waiting)| waiting.iter());
        waiting.filter_map(|index| self.calls.get(*index)).filter(|call| !call.answered)
    }

    /// Whether a call is one of the tool of the call of this number.
    fn is_of_the_same(&self, index: usize, call: &Open) -> bool {
        self.calls.get(index).is_some_and(|first| first.tool == call.tool && first.server == call.server)
    }

    /// The tool of the call of this own id.
    pub(super) fn tool(&self, id: &str) -> Option<&str> {
        self.by_own_id.get(id).and_then(|index| self.calls.get(*index)).map(|call| call.tool.as_str())
    }

    /// Notes that the last call is answered.
    pub(super) fn settle(&mut self) {
        if let Some(call) = self.calls.last_mut() {
            call.answered = true;
        }
    }

    /// Notes that the call of this own id is answered.
    pub(super) fn note_answer(&mut self, id: &str) {
        if let Some(call) = self.by_own_id.get(id).and_then(|index| self.calls.get_mut(*index)) {
            call.answered = true;
        }
    }

    fn answer(&mut self, index: usize, runs: Runs) -> Option<String> {
        let may_run = |call: &&mut Open| runs == Runs::Any || call.ran == Ran::Provider;
        let call = self.calls.get_mut(index).filter(may_run)?;
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
