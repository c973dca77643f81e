//! Sessions: what is appended becomes durable, then counts; what is asked is judged by a ledger that holds all of it.

use std::future::Future;
use std::sync::Arc;
use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;

use firsthand::conversation::Item;
use firsthand_wire::answer::Sighting;
use firsthand_wire::call::entry_items;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::clock;
use crate::event::{Began, Entry, Happened};
use crate::failure::Failure;
use crate::key::{Key, new_id};
use crate::limits::Limits;
use crate::rules::{Policies, Rules};
use crate::store::{Appended, Event, Kept, Millis, Store, StoreError};
use crate::tree::{Story, Tree};
use crate::warm::{Cell, Warm};

/// How many events are read at once.
const PAGE: u64 = 500;

/// How often an append is tried again where another server was faster.
const TRIES: usize = 32;

/// After how many more events of a tree a snapshot of it is kept.
const SNAPSHOT_EVERY: u64 = 512;

/// The sessions of all tenants.
#[derive(Debug)]
pub struct Sessions {
    store: Arc<dyn Store>,
    key: Key,
    policies: Policies,
    limits: Limits,
    warm: Warm,
}

/// A session as a caller holds it.
#[derive(Clone, Debug)]
pub struct Held {
    id: String,
    cell: Arc<Cell>,
}

/// An entry as a caller sends it.
#[derive(Debug)]
pub struct Sent {
    /// The caller's id of it.
    pub id: String,
    /// The entry, in the format of the request.
    pub item: Box<RawValue>,
}

/// What an append came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// How many items the session has.
    pub length: usize,
    /// How many of them are new.
    pub added: usize,
}

/// Where entries are appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Behind so many items, and nowhere else.
    Behind(usize),
    /// Wherever the end is.
    TheEnd,
}

/// Events that wait to be kept, with the items of those that are entries.
type Prepared = Vec<(Event, Option<Vec<Item>>)>;

impl Held {
    /// The session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The id of the session at the top of its tree.
    pub fn top(&self) -> &str {
        &self.cell.id
    }

    /// The tree as it is now.
    pub fn tree(&self) -> Result<RwLockReadGuard<'_, Tree>, Failure> {
        self.cell.tree()
    }

    /// How many items the session has.
    pub fn length(&self) -> Result<usize, Failure> {
        Ok(self.tree()?.len(&self.id))
    }
}

impl Sessions {
    /// The sessions that a database keeps.
    pub fn new(store: Arc<dyn Store>, key: Key, limits: Limits) -> Self {
        Self { store, key, policies: Policies::default(), limits, warm: Warm::default() }
    }

    /// The database.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The server's key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// How much is taken.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many trees are in memory, and how many bytes their events have.
    pub fn in_memory(&self) -> (usize, usize) {
        self.warm.size()
    }

    /// Begins a session.
    pub async fn begin(self: &Arc<Self>, tenant: &str, began: Began) -> Result<Held, Failure> {
        self.policies.policy(&began.rules).map_err(|error| Failure::Malformed(error.to_string()))?;
        let now = clock::now();
        if self.store.session_count(tenant, now).await? >= self.limits.sessions {
            return Err(Failure::TooMany("sessions"));
        }
        let id = new_id("ses_")?;
        let cell = match &began.parent {
            Some(parent) => self.held(tenant, parent).await?.cell,
            None => {
                let tree = Tree::new(&id, &self.key);
                Arc::new(Cell::new(tenant, &id, tree, now.saturating_add(self.limits.kept)))
            }
        };
        let (sessions, held) = (Arc::clone(self), Held { id, cell });
        whole(async move { sessions.begin_in(held, began, now).await }).await
    }

    async fn begin_in(&self, held: Held, began: Began, now: Millis) -> Result<Held, Failure> {
        let Held { id, cell } = &held;
        let expires = now.saturating_add(self.limits.kept);
        let gate = cell.gate.lock().await;
        for _ in 0..TRIES {
            let (at, created) = {
                let tree = cell.tree()?;
                (tree.length(), tree.now(now))
            };
            let (tenant, tree) = (cell.tenant.clone(), cell.id.clone());
            let kept = Kept { id: id.clone(), tenant, tree, created, expires };
            let event = Happened::Began(began.clone()).event(id, None, created)?;
            match self.told(cell, self.store.begin(&kept, at, &event).await)? {
                Appended::Done => {
                    self.apply(cell, vec![(event, None)])?;
                    cell.keep_until(expires);
                    if at == 0 {
                        cell.set_behind(false);
                    }
                    self.warm.take_in(id, Arc::clone(cell));
                    drop(gate);
                    self.warm.shrink(self.limits.memory);
                    return Ok(held);
                }
                Appended::Moved => self.catch_up(cell).await?,
                Appended::Gone | Appended::Known => return Err(Failure::NotFound),
            }
        }
        Err(Failure::Busy)
    }

    /// A session of a tenant, with all that is durable of its tree.
    pub async fn held(&self, tenant: &str, session: &str) -> Result<Held, Failure> {
        let now = clock::now();
        let known = self.warm.find(tenant, session);
        let cell = match known.filter(|cell| cell.is_whole()) {
            Some(cell) => cell,
            None => self.load(tenant, session, now).await?,
        };
        let mut needed = 0;
        if self.store.is_shared() {
            // Another server may have written since.
            let Some(length) = self.store.length(&cell.id).await? else {
                self.warm.forget(&cell);
                return Err(Failure::NotFound);
            };
            needed = length;
        }
        // Who holds the gate may have read before that length was asked for, so it is looked at again.
        let is_behind = || Ok::<_, Failure>(cell.is_behind() || cell.tree()?.length() < needed);
        if is_behind()? {
            let _gate = cell.gate.lock().await;
            if is_behind()? {
                self.catch_up(&cell).await?;
                cell.set_behind(false);
            }
        }
        if cell.expires() <= now && !self.store.is_shared() {
            return Err(Failure::NotFound);
        }
        if cell.tree()?.session(session).is_none() {
            return Err(Failure::NotFound);
        }
        Ok(Held { id: session.to_owned(), cell })
    }

    /// Reads a tree from the database.
    async fn load(&self, tenant: &str, session: &str, now: Millis) -> Result<Arc<Cell>, Failure> {
        let kept = self.store.session(tenant, session, now).await?.ok_or(Failure::NotFound)?;
        let (tree, snapshot) = match self.store.snapshot(&kept.tree).await? {
            // A snapshot that cannot be read is made anew of the events.
            Some((length, body)) => match Tree::restore(length, &body, &self.key, &self.policies) {
                Ok(tree) => (tree, length),
                Err(_) => (Tree::new(&kept.tree, &self.key), 0),
            },
            None => (Tree::new(&kept.tree, &self.key), 0),
        };
        let cell = Arc::new(Cell::new(tenant, &kept.tree, tree, kept.expires));
        cell.snapshot.store(snapshot, Ordering::Relaxed);
        // What the tree does not hold yet is read before it is judged by.
        let old = self.warm.find(tenant, session);
        if let Some(old) = old.filter(|old| !old.is_whole()) {
            self.warm.forget(&old);
        }
        let cell = self.warm.take_in(session, cell);
        self.warm.shrink(self.limits.memory);
        Ok(cell)
    }

    /// Reads what is durable and not in the tree yet. The caller holds the gate.
    async fn catch_up(&self, cell: &Arc<Cell>) -> Result<(), Failure> {
        loop {
            let from = cell.tree()?.length();
            let events = self.store.events(&cell.id, from, PAGE).await?;
            let is_last = u64::try_from(events.len()).unwrap_or(u64::MAX) < PAGE;
            if events.is_empty() {
                break;
            }
            self.apply(cell, events.into_iter().map(|event| (event, None)).collect())?;
            if is_last {
                break;
            }
        }
        self.keep_snapshot(cell).await;
        Ok(())
    }

    /// Keeps a snapshot where many events came since the last one. Without it the events are read again, so that it failed
    /// is told nobody.
    async fn keep_snapshot(&self, cell: &Arc<Cell>) {
        let Ok((length, body)) = cell.tree().map(|tree| {
            let is_due = tree.length() >= cell.snapshot.load(Ordering::Relaxed).saturating_add(SNAPSHOT_EVERY);
            (tree.length(), is_due.then(|| tree.snapshot()))
        }) else {
            return;
        };
        let Some(body) = body else { return };
        if self.store.keep_snapshot(&cell.id, length, &body).await.is_ok() {
            cell.snapshot.store(length, Ordering::Relaxed);
        }
    }

    /// What durable events do to the tree. The caller holds the gate. A tree that cannot take them is not used again.
    fn apply(&self, cell: &Arc<Cell>, events: Prepared) -> Result<(), Failure> {
        let bytes = events.iter().map(|(event, _)| event.body.len()).sum();
        let applied = heavy(bytes, || {
            let mut tree = cell.tree_mut()?;
            events.into_iter().try_for_each(|(event, items)| match items {
                Some(items) => tree.apply_entry(&event, items).map_err(Failure::from),
                None => tree.apply(&event, &self.key, &self.policies).map_err(Failure::from),
            })
        });
        if applied.is_err() {
            cell.set_behind(true);
            self.warm.forget(cell);
        }
        applied
    }

    /// What the database said of a write. Where nobody knows what came of it, the tree may be behind.
    fn told(&self, cell: &Arc<Cell>, said: Result<Appended, StoreError>) -> Result<Appended, Failure> {
        said.map_err(|error| {
            cell.set_behind(true);
            error.into()
        })
    }

    /// Appends entries to a session. `person` says whether the caller may write a person's words.
    pub async fn append(
        self: &Arc<Self>,
        held: &Held,
        at: At,
        format: &str,
        entries: Vec<Sent>,
        person: bool,
    ) -> Result<Grown, Failure> {
        if entries.len() > self.limits.entries {
            return Err(Failure::TooMany("entries"));
        }
        firsthand_wire::format::named(format).map_err(|error| Failure::Malformed(error.to_string()))?;
        let (sessions, held, format) = (Arc::clone(self), held.clone(), format.to_owned());
        whole(async move { sessions.append_in(&held, at, &format, &entries, person).await }).await
    }

    async fn append_in(
        &self,
        held: &Held,
        at: At,
        format: &str,
        entries: &[Sent],
        person: bool,
    ) -> Result<Grown, Failure> {
        let cell = &held.cell;
        let _gate = cell.gate.lock().await;
        let mut may_be_known = at != At::TheEnd && at != At::Behind(held.length()?);
        for _ in 0..TRIES {
            let length = held.length()?;
            let expected = match at {
                At::Behind(expected) => expected,
                At::TheEnd => length,
            };
            let known = if may_be_known { self.known(held, format, entries).await? } else { 0 };
            if known > 0 && known == entries.len() {
                return Ok(Grown { length, added: 0 });
            }
            let bytes = entries.iter().map(|entry| entry.item.get().len()).sum();
            let prepared = || self.prepared(held, expected, length, format, entries, known, person);
            let (events, added) = heavy(bytes, prepared)?;
            if events.is_empty() {
                return Ok(Grown { length, added: 0 });
            }
            let Some((tree, expires)) = self.room(cell, &events)? else { return Err(Failure::TooMany("items")) };
            let only: Vec<Event> = events.iter().map(|(event, _)| event.clone()).collect();
            match self.told(cell, self.store.append(&cell.id, tree, &only, expires).await)? {
                Appended::Done => {
                    cell.keep_until(expires);
                    self.apply(cell, events)?;
                    self.keep_snapshot(cell).await;
                    return Ok(Grown { length: held.length()?, added });
                }
                Appended::Moved => {
                    self.catch_up(cell).await?;
                    may_be_known = true;
                }
                Appended::Known => may_be_known = true,
                Appended::Gone => {
                    self.warm.forget(cell);
                    return Err(Failure::NotFound);
                }
            }
        }
        Err(Failure::Busy)
    }

    /// The length of the tree and until when it is kept, if it may grow by these events.
    fn room(&self, cell: &Arc<Cell>, events: &Prepared) -> Result<Option<(u64, Millis)>, Failure> {
        let tree = cell.tree()?;
        let bytes: usize = events.iter().map(|(event, _)| event.body.len()).sum();
        let fits = tree.bytes().saturating_add(bytes) <= self.limits.tree;
        Ok(fits.then(|| (tree.length(), tree.now(clock::now()).saturating_add(self.limits.kept))))
    }

    /// How many of the entries, from the first on, the session has already.
    async fn known(&self, held: &Held, format: &str, entries: &[Sent]) -> Result<usize, Failure> {
        let ids: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        let there = self.store.items(&held.id, &ids).await?;
        let mut known = 0;
        for (place, entry) in entries.iter().enumerate() {
            let Some(event) = there.iter().find(|event| event.item.as_deref() == Some(&entry.id)) else { continue };
            let Happened::Entry(kept) = Happened::read(event)? else { continue };
            let same = |one: &RawValue, other: &RawValue| {
                let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
                one.get() == other.get() || value(one).is_some() && value(one) == value(other)
            };
            if kept.format != format || !same(&kept.item, &entry.item) {
                let why = "an item of this id is there, with another body";
                return Err(Failure::Conflict { why, length: held.length()? });
            }
            if place != known {
                let why = "an item of this id is there, and one before it is not";
                return Err(Failure::Conflict { why, length: held.length()? });
            }
            known += 1;
        }
        Ok(known)
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is of one append")]
    fn prepared(
        &self,
        held: &Held,
        expected: usize,
        length: usize,
        format: &str,
        entries: &[Sent],
        known: usize,
        person: bool,
    ) -> Result<(Prepared, usize), Failure> {
        let tree = held.tree()?;
        let session = tree.session(&held.id).ok_or(Failure::NotFound)?;
        let time = tree.now(clock::now());
        let (mut events, mut at) = (Vec::new(), expected);
        let mut ids = std::collections::HashSet::new();
        for (place, entry) in entries.iter().enumerate() {
            let named = |why: &str| Failure::Malformed(format!("`items[{place}]`: {why}"));
            if entry.id.is_empty() || entry.id.len() > 256 {
                return Err(named("`id`: expected 1 to 256 bytes"));
            }
            // A database may refuse a text with a NUL in it.
            if entry.id.chars().any(char::is_control) {
                return Err(named("`id`: found a control character"));
            }
            if !ids.insert(entry.id.as_str()) {
                return Err(named("`id`: found one twice; expected each once"));
            }
            let items = entry_items(format, entry.item.get(), at).map_err(|error| named(&error.to_string()))?;
            if !person && items.iter().any(|item| session.is_a_persons(item)) {
                let why = format!("`items[{place}]` is a person's word, which needs a token of the scope `person`");
                return Err(Failure::Forbidden(why));
            }
            at += items.len();
            if place < known {
                continue;
            }
            if place == known && at - items.len() != length {
                return Err(Failure::Conflict { why: "the session has another length", length });
            }
            let (format, item) = (format.to_owned(), entry.item.clone());
            let event = Happened::Entry(Entry { format, item }).event(&held.id, Some(entry.id.clone()), time)?;
            events.push((event, Some(items)));
        }
        if events.is_empty() && expected != length {
            return Err(Failure::Conflict { why: "the session has another length", length });
        }
        if at > self.limits.items {
            return Err(Failure::TooMany("items"));
        }
        Ok((events, at.saturating_sub(length)))
    }

    /// Appends what happened besides entries. `what` is asked anew where another server was faster, and says what is to be
    /// kept of the tree as it is then; nothing where it is none.
    pub async fn happen<T: Send + 'static>(
        self: &Arc<Self>,
        held: &Held,
        what: impl Fn(&Tree, Millis) -> Result<(Vec<Happened>, T), Failure> + Send + Sync + 'static,
    ) -> Result<T, Failure> {
        let (sessions, held) = (Arc::clone(self), held.clone());
        whole(async move {
            let cell = &held.cell;
            let _gate = cell.gate.lock().await;
            for _ in 0..TRIES {
                let (events, at, told, expires) = {
                    let tree = cell.tree()?;
                    let now = tree.now(clock::now());
                    let (happened, told) = what(&tree, now)?;
                    let events: Result<Vec<Event>, _> =
                        happened.iter().map(|happened| happened.event(&held.id, None, now)).collect();
                    (events?, tree.length(), told, now.saturating_add(sessions.limits.kept))
                };
                if events.is_empty() {
                    return Ok(told);
                }
                match sessions.told(cell, sessions.store.append(&cell.id, at, &events, expires).await)? {
                    Appended::Done => {
                        cell.keep_until(expires);
                        sessions.apply(cell, events.into_iter().map(|event| (event, None)).collect())?;
                        return Ok(told);
                    }
                    Appended::Moved | Appended::Known => sessions.catch_up(cell).await?,
                    Appended::Gone => return Err(Failure::NotFound),
                }
            }
            Err(Failure::Busy)
        })
        .await
    }

    /// Other rules hold for what comes later in a session.
    pub async fn rule(self: &Arc<Self>, held: &Held, rules: Rules) -> Result<(), Failure> {
        self.policies.policy(&rules).map_err(|error| Failure::Malformed(error.to_string()))?;
        self.happen(held, move |_, _| Ok((vec![Happened::Ruled(rules.clone())], ()))).await
    }

    /// All that happened in the tree of a session.
    pub async fn events(&self, held: &Held) -> Result<Vec<Event>, Failure> {
        let mut all = Vec::new();
        let length = held.tree()?.length();
        while u64::try_from(all.len()).unwrap_or(u64::MAX) < length {
            let from = u64::try_from(all.len()).unwrap_or(u64::MAX);
            let page = self.store.events(held.top(), from, PAGE.min(length - from)).await?;
            if page.is_empty() {
                return Err(Failure::NotFound);
            }
            all.extend(page);
        }
        Ok(all)
    }

    /// The tree that all of its events give when they are read anew.
    pub fn reading(&self, held: &Held, events: &[Event]) -> Result<Tree, Failure> {
        let mut tree = Tree::new(held.top(), &self.key);
        for event in events {
            tree.apply(event, &self.key, &self.policies)?;
        }
        Ok(tree)
    }

    /// The story of an address in a tree that these events made.
    pub fn story(&self, top: &str, events: &[Event], url: &str) -> Result<Vec<Sighting>, Failure> {
        let (mut tree, mut story) = (Tree::new(top, &self.key), Story::of(url));
        for event in events {
            tree.apply_and_tell(event, &self.key, &self.policies, &mut story)?;
        }
        Ok(story.told())
    }

    /// Removes the tree of a session that is at its top.
    pub async fn delete(&self, held: &Held) -> Result<(), Failure> {
        if held.id != held.cell.id {
            let why = "what a session below another wrote holds for the whole tree; delete the one at the top";
            return Err(Failure::Conflict { why, length: held.length()? });
        }
        let _gate = held.cell.gate.lock().await;
        let deleted = self.store.delete(&held.cell.tenant, &held.cell.id).await?;
        self.warm.forget(&held.cell);
        if deleted { Ok(()) } else { Err(Failure::NotFound) }
    }

    /// Removes trees whose time is over; gives how many.
    pub async fn expire(&self) -> Result<usize, Failure> {
        let gone = self.store.expire(clock::now(), PAGE).await?;
        gone.iter().for_each(|tree| self.warm.forget_tree(tree));
        Ok(gone.len())
    }
}

/// From how many bytes on reading is work that others should not wait for.
const HEAVY: usize = 64 << 10;

/// Does what may take long, where a thread of the runtime can be spared for it.
fn heavy<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let many = || tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread;
    if bytes > HEAVY && many() { tokio::task::block_in_place(work) } else { work() }
}

/// Runs to the end although the caller may be gone: what became durable has to be in memory too.
async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(work).await.unwrap_or(Err(Failure::Lost))
}
