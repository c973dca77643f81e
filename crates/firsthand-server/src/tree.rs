//! A tree of sessions in memory: what its events come to.
//!
//! The same events give the same tree on every server. Nothing here waits, writes or knows what time it is.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use firsthand::address::wide_key;
use firsthand::conversation::{Body, Conversation, Item, Parent, Producer, Seat};
use firsthand::ledger::{Ledger, RestoreError, RunId};
use firsthand::policy::Policy;
use firsthand::reference::Reference;
use firsthand_wire::answer::Sighting;
use firsthand_wire::call::{CallError, Growing, Unsaved, entry_items};
use serde::{Deserialize, Serialize};

use crate::event::{Began, Entry, HandedOut, Happened, Question, Unreadable};
use crate::key::Key;
use crate::rules::{Policies, Rules, RulesError};
use crate::store::{Event, Millis};

/// Why a tree cannot be made of its events. Whoever meets it decides nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// An event cannot be read.
    #[error(transparent)]
    Event(#[from] Unreadable),
    /// The rules of a session cannot be read any more.
    #[error("the rules of a session cannot be read")]
    Rules(#[source] RulesError),
    /// An entry cannot be read any more.
    #[error("an entry cannot be read")]
    Entry(#[source] CallError),
    /// An event is of a session that did not begin.
    #[error("an event is of a session that did not begin")]
    NoSession,
    /// A reference was sealed by another key, or changed.
    #[error("a reference cannot be opened: another key sealed it, or it was changed")]
    Sealed,
    /// What was kept of the beginning cannot be read.
    #[error("a snapshot cannot be read")]
    Snapshot,
    /// The ledger in it cannot be read.
    #[error("the ledger of a snapshot cannot be read")]
    Ledger(#[source] RestoreError),
}

/// A tree of sessions.
#[derive(Debug)]
pub struct Tree {
    ledger: Ledger,
    sessions: BTreeMap<String, Session>,
    asks: BTreeMap<String, Ask>,
    references: Vec<(String, HandedOut)>,
    /// How many events it was made of.
    length: u64,
    /// The time of the latest event: time does not go back behind it.
    latest: Millis,
    /// How many bytes its events have.
    bytes: usize,
}

/// A session of a tree.
#[derive(Debug)]
pub struct Session {
    growing: Growing,
    began: Began,
    rules: Rules,
    policy: Arc<Policy>,
    /// When it began.
    pub created: Millis,
}

/// A question to a person.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The session whose call it is about.
    pub session: String,
    /// The question.
    pub question: Question,
    /// When it was asked.
    pub created: Millis,
    /// What came of it.
    pub state: AskState,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    /// Nobody answered.
    Waiting,
    /// A person said yes, and the call was not made yet.
    Yes,
    /// A person said no.
    No,
    /// A person said yes, and the call was made.
    Spent,
}

/// What a snapshot holds besides the ledger.
#[derive(Serialize, Deserialize)]
struct Front {
    sessions: Vec<(String, usize, Began, Rules, Unsaved, Millis)>,
    asks: Vec<(String, Question, Millis, AskState)>,
    references: Vec<(String, HandedOut)>,
    latest: Millis,
    bytes: usize,
}

/// The story of an address: every place where it stands.
#[derive(Debug)]
pub struct Story {
    wanted: String,
    tools: HashMap<(String, String), String>,
    sightings: Vec<Sighting>,
}

impl Story {
    /// The story of an address of which nothing is told yet.
    pub fn of(url: &str) -> Self {
        Self { wanted: wide_key(url), tools: HashMap::new(), sightings: Vec::new() }
    }

    /// What was told, in order.
    pub fn told(self) -> Vec<Sighting> {
        self.sightings
    }

    /// The tool of a call, or of the call that an item answers.
    fn tool(&mut self, session: &str, body: &Body) -> Option<String> {
        let of = |id: &String| (session.to_owned(), id.clone());
        match body {
            Body::Call(call) => {
                self.tools.insert(of(&call.id), call.tool.clone());
                Some(call.tool.clone())
            }
            Body::Result(result) => match &result.from {
                Producer::Call(id) => self.tools.get(&of(id)).cloned(),
                Producer::Named { tool, .. } => Some(tool.clone()),
            },
            Body::Answer { call, .. } => self.tools.get(&of(call)).cloned(),
            Body::User { .. }
            | Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Grant { .. }
            | Body::Rewind { .. }
            | Body::Hidden { .. } => None,
        }
    }

    /// One place may be read in several ways; it is one place.
    fn tell(&mut self, sighting: Sighting) {
        let Sighting { item, run, spelling, effect, .. } = &sighting;
        let same = |other: &&mut Sighting| other.item == *item && other.run == *run && other.spelling == *spelling;
        match self.sightings.iter_mut().find(same) {
            Some(other) if other.effect == "none" => other.effect.clone_from(effect),
            Some(_) => {}
            None => self.sightings.push(sighting),
        }
    }
}

impl Session {
    /// Its run in the ledger.
    pub fn run(&self) -> RunId {
        self.growing.run()
    }

    /// What holds for it.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The same as it was said.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How it began.
    pub fn began(&self) -> &Began {
        &self.began
    }

    /// Whether an item would be a person's word in it.
    pub fn is_a_persons(&self, item: &Item) -> bool {
        match &item.body {
            Body::User { .. } => seat(&self.began) != Some(Seat::ParentModel),
            Body::Answer { .. } | Body::Grant { .. } => true,
            Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Call(_)
            | Body::Result(_)
            | Body::Rewind { .. }
            | Body::Hidden { .. } => false,
        }
    }
}

impl Tree {
    /// The tree that no event made yet. Its id is that of its first session.
    pub fn new(id: &str, key: &Key) -> Self {
        Self {
            ledger: Ledger::new(key.ledger(id)),
            sessions: BTreeMap::new(),
            asks: BTreeMap::new(),
            references: Vec::new(),
            length: 0,
            latest: 0,
            bytes: 0,
        }
    }

    /// What the next event does.
    pub fn apply(&mut self, event: &Event, key: &Key, policies: &Policies) -> Result<(), TreeError> {
        let happened = Happened::read(event)?;
        if let Happened::Entry(Entry { format, item }) = &happened {
            let before = self.len(&event.session);
            let items = entry_items(format, item.get(), before).map_err(TreeError::Entry)?;
            return self.apply_entry(event, items);
        }
        match happened {
            Happened::Began(began) => self.begin(event, began, policies)?,
            Happened::Ruled(rules) => {
                let policy = policies.policy(&rules).map_err(TreeError::Rules)?;
                let session = self.sessions.get_mut(&event.session).ok_or(TreeError::NoSession)?;
                (session.rules, session.policy) = (rules, policy);
            }
            Happened::HandedOut(handed_out) => {
                self.hand_out(&event.session, &handed_out, key)?;
                self.references.push((event.session.clone(), handed_out));
            }
            Happened::Asked(question) => {
                let (session, created) = (event.session.clone(), event.time);
                let id = question.ask.clone();
                self.asks.insert(id, Ask { session, question, created, state: AskState::Waiting });
            }
            Happened::Answered(answered) => {
                self.settle(&answered.ask, AskState::Waiting, if answered.yes { AskState::Yes } else { AskState::No });
            }
            Happened::Spent(spent) => self.settle(&spent.ask, AskState::Yes, AskState::Spent),
            Happened::Entry(_) => {}
        }
        self.count(event);
        Ok(())
    }

    /// The same for an entry whose items were read already.
    pub fn apply_entry(&mut self, event: &Event, items: Vec<Item>) -> Result<(), TreeError> {
        let session = self.sessions.get_mut(&event.session).ok_or(TreeError::NoSession)?;
        for item in items {
            session.growing.note(&mut self.ledger, item, &session.policy);
        }
        self.count(event);
        Ok(())
    }

    /// The same for an event of a tree that is made to tell the story of an address.
    pub fn apply_and_tell(
        &mut self,
        event: &Event,
        key: &Key,
        policies: &Policies,
        story: &mut Story,
    ) -> Result<(), TreeError> {
        let Happened::Entry(Entry { format, item }) = Happened::read(event)? else {
            return self.apply(event, key, policies);
        };
        let before = self.len(&event.session);
        let items = entry_items(&format, item.get(), before).map_err(TreeError::Entry)?;
        let session = self.sessions.get_mut(&event.session).ok_or(TreeError::NoSession)?;
        for (place, item) in items.into_iter().enumerate() {
            let (position, tool) = (item.body.position().name(), story.tool(&event.session, &item.body));
            session.growing.note_and_tell(&mut self.ledger, item, &session.policy, &mut |seen| {
                if seen.key == story.wanted {
                    story.tell(Sighting {
                        item: before + place,
                        at: String::new(),
                        run: event.session.clone(),
                        position: position.to_owned(),
                        writer: seen.writer.name().to_owned(),
                        tool: tool.clone(),
                        spelling: seen.spelling.unwrap_or(seen.key).to_owned(),
                        effect: seen.effect.name().to_owned(),
                    });
                }
            });
        }
        self.count(event);
        Ok(())
    }

    fn count(&mut self, event: &Event) {
        self.length += 1;
        self.latest = self.latest.max(event.time);
        self.bytes += event.body.len();
    }

    fn begin(&mut self, event: &Event, began: Began, policies: &Policies) -> Result<(), TreeError> {
        let above = match &began.parent {
            None => None,
            Some(parent) => Some(self.sessions.get(parent).ok_or(TreeError::NoSession)?.run()),
        };
        let policy = policies.policy(&began.rules).map_err(TreeError::Rules)?;
        let seat = seat(&began).unwrap_or(Seat::Presumed);
        let growing = Growing::begin(&mut self.ledger, above, seat, &began.dialect);
        let rules = began.rules.clone();
        let session = Session { growing, began, rules, policy, created: event.time };
        self.sessions.insert(event.session.clone(), session);
        Ok(())
    }

    fn hand_out(&mut self, session: &str, handed_out: &HandedOut, key: &Key) -> Result<(), TreeError> {
        let HandedOut { reference, expires, item, sealed } = handed_out;
        let run = self.sessions.get(session).ok_or(TreeError::NoSession)?.run();
        let reference = Reference::parse(reference).ok_or(TreeError::Sealed)?;
        let address = key.open(session, &reference, *expires, sealed).ok_or(TreeError::Sealed)?;
        self.ledger.hand_out(run, reference, address, *expires, Some(*item));
        Ok(())
    }

    fn settle(&mut self, ask: &str, from: AskState, to: AskState) {
        if let Some(ask) = self.asks.get_mut(ask).filter(|ask| ask.state == from) {
            ask.state = to;
        }
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// A session by its id.
    pub fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// How many items a session has.
    pub fn len(&self, session: &str) -> usize {
        self.sessions.get(session).map_or(0, |session| self.ledger.len(session.run()))
    }

    /// Whether nothing happened in it.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many events it was made of.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How many bytes those have.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What time it is in the tree if the machine says so: never before what happened.
    pub fn now(&self, machine: Millis) -> Millis {
        self.latest.max(machine)
    }

    /// The questions of a session, the oldest first.
    pub fn asks<'t>(&'t self, session: &'t str) -> impl Iterator<Item = &'t Ask> {
        let mut asks: Vec<&Ask> = self.asks.values().filter(|ask| ask.session == session).collect();
        asks.sort_by(|one, other| (one.created, &one.question.ask).cmp(&(other.created, &other.question.ask)));
        asks.into_iter()
    }

    /// A question by its id.
    pub fn ask(&self, id: &str) -> Option<&Ask> {
        self.asks.get(id)
    }

    /// The conversations of the tree as its events tell them, that of `session` first.
    pub fn conversations(session: &str, events: &[Event]) -> Result<Vec<Conversation>, TreeError> {
        let mut all: Vec<Conversation> = Vec::new();
        for event in events {
            match Happened::read(event)? {
                Happened::Began(began) => all.push(Conversation {
                    id: event.session.clone(),
                    parent: began.parent.as_ref().map(|id| Parent { conversation: id.clone(), call: None }),
                    seat: seat(&began).unwrap_or(Seat::Presumed),
                    dialect: dialect(&began.dialect),
                    items: Vec::new(),
                }),
                Happened::Entry(Entry { format, item }) => {
                    let own = all.iter_mut().find(|one| one.id == event.session).ok_or(TreeError::NoSession)?;
                    own.items.extend(entry_items(&format, item.get(), own.items.len()).map_err(TreeError::Entry)?);
                }
                Happened::HandedOut(_)
                | Happened::Ruled(_)
                | Happened::Asked(_)
                | Happened::Answered(_)
                | Happened::Spent(_) => {}
            }
        }
        all.sort_by_key(|one| one.id != session);
        Ok(all)
    }

    /// What it came to, to be kept.
    pub fn snapshot(&self) -> Vec<u8> {
        let sessions = self.sessions.iter().map(|(id, session)| {
            let Session { growing, began, rules, created, .. } = session;
            (id.clone(), growing.run().number(), began.clone(), rules.clone(), growing.unsaved(), *created)
        });
        let asks = self.asks.values().map(|ask| (ask.session.clone(), ask.question.clone(), ask.created, ask.state));
        let front = Front {
            sessions: sessions.collect(),
            asks: asks.collect(),
            references: self.references.clone(),
            latest: self.latest,
            bytes: self.bytes,
        };
        let front = serde_json::to_vec(&front).unwrap_or_default();
        let length = u64::try_from(front.len()).unwrap_or(u64::MAX);
        [&length.to_le_bytes()[..], &front, &self.ledger.clone().save()].concat()
    }

    /// The tree of a snapshot of its first events.
    pub fn restore(length: u64, snapshot: &[u8], key: &Key, policies: &Policies) -> Result<Self, TreeError> {
        let (front, rest) = snapshot.split_first_chunk::<8>().ok_or(TreeError::Snapshot)?;
        let end = usize::try_from(u64::from_le_bytes(*front)).map_err(|_| TreeError::Snapshot)?;
        let (front, ledger) = rest.split_at_checked(end).ok_or(TreeError::Snapshot)?;
        let Front { sessions, asks, references, latest, bytes } =
            serde_json::from_slice(front).map_err(|_| TreeError::Snapshot)?;
        let ledger = Ledger::restore(ledger).map_err(TreeError::Ledger)?;
        let mut tree = Self {
            ledger,
            sessions: BTreeMap::new(),
            asks: BTreeMap::new(),
            references: Vec::new(),
            length,
            latest,
            bytes,
        };
        for (id, number, began, rules, unsaved, created) in sessions {
            let run = tree.ledger.all_runs().nth(number).ok_or(TreeError::Snapshot)?;
            let growing = Growing::restored(&tree.ledger, run, Some(unsaved));
            let policy = policies.policy(&rules).map_err(TreeError::Rules)?;
            tree.sessions.insert(id, Session { growing, began, rules, policy, created });
        }
        for (session, question, created, state) in asks {
            tree.asks.insert(question.ask.clone(), Ask { session, question, created, state });
        }
        for (session, handed_out) in &references {
            tree.hand_out(session, handed_out, key)?;
        }
        tree.references = references;
        Ok(tree)
    }
}

/// Who fills the user's place, as it was said.
pub fn seat(began: &Began) -> Option<Seat> {
    match began.seat.as_deref() {
        Some("person") => Some(Seat::Person),
        Some("parent_model") => Some(Seat::ParentModel),
        Some("presumed") => Some(Seat::Presumed),
        Some(_) | None => None,
    }
}

/// The name of a dialect as conversations have it: a format's, or the own one's.
fn dialect(name: &str) -> &'static str {
    firsthand_wire::format::names().into_iter().find(|known| *known == name).unwrap_or_default()
}
