//! What the server keeps, behind one trait that two databases pass one suite of tests for.
//!
//! All that happens in a tree of sessions is one log of events in one order; whatever else is known of the tree is made of
//! them. A lost event would let an address be opened that the model wrote first, so nothing is acknowledged before it is
//! durable, and nothing is appended but at the end that the writer has seen.

mod postgres;
mod sqlite;

use std::fmt;
use std::path::Path;

use async_trait::async_trait;

pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// Milliseconds since 1970 (UTC).
pub type Millis = i64;

/// A session as it is kept: its tree and when its time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub tenant: String,
    /// The id of the session at the top of its tree; its own where it has no parent.
    pub tree: String,
    /// When it was made.
    pub created: Millis,
    /// When the time of its tree is over.
    pub expires: Millis,
}

/// What happened in a tree.
#[derive(Clone, PartialEq, Eq)]
pub struct Event {
    /// The session of the tree in which it happened.
    pub session: String,
    /// The caller's id of an item, by which one that comes twice is known. None of what is no item.
    pub item: Option<String>,
    /// What it is, as `event::Kind` names it.
    pub kind: String,
    /// When.
    pub time: Millis,
    /// The rest, as JSON. It may hold addresses.
    pub body: String,
}

/// Shows nothing of what stands in the body.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, item, kind, time, body } = self;
        let mut shown = f.debug_struct("Event");
        shown.field("session", session).field("item", item).field("kind", kind).field("time", time);
        shown.field("bytes", &body.len()).finish()
    }
}

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The events are durable.
    Done,
    /// The tree is longer than the writer said, or shorter; nothing was written.
    Moved,
    /// An item of this id is in its session already; nothing was written.
    Known,
    /// There is no such tree; nothing was written.
    Gone,
}

/// A token as it is kept. What proves it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its id, which stands in it in clear.
    pub id: String,
    /// Whose it is.
    pub tenant: String,
    /// What people call it.
    pub name: String,
    /// A digest of its secret.
    pub digest: [u8; 32],
    /// What it may do, names parted by spaces.
    pub scopes: String,
    /// When it was made.
    pub created: Millis,
    /// When its time is over, if it has one.
    pub expires: Option<Millis>,
}

/// Things that a tenant keeps under names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Templates of detail pages.
    Shortcuts,
    /// Documents that answers link to.
    Documents,
}

impl Shelf {
    /// The name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shortcuts => "shortcuts",
            Self::Documents => "documents",
        }
    }
}

/// A line of the log of decisions that did not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// When.
    pub time: Millis,
    /// The session.
    pub session: String,
    /// The reason's code.
    pub reason: String,
    /// The tool by its name in the policy.
    pub tool: String,
    /// The host as far as a log may know it; empty where there is none.
    pub host: String,
    /// The whole line, as JSON without an address.
    pub line: String,
}

/// Which refusals are wanted. What is none is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Not before.
    pub from: Option<Millis>,
    /// Before.
    pub to: Option<Millis>,
    /// The reason's code.
    pub reason: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The session.
    pub session: Option<String>,
}

/// By what refusals are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The reason.
    Reason,
    /// The tool.
    Tool,
    /// The host.
    Host,
}

/// Why the store gave no answer. It holds nothing of what is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database cannot be reached, or did not answer in time.
    #[error("the database cannot be used: {0}")]
    Unavailable(String),
    /// Its tables are newer than this program.
    #[error("the database has version {found}; expected {known} or less")]
    Newer {
        /// What it says.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// Its tables are older than this program.
    #[error("the database has version {found}; expected {known}: run `firsthand migrate`")]
    Older {
        /// What it says.
        found: i64,
        /// What is needed.
        known: i64,
    },
    /// What is asked for this database cannot do.
    #[error("{0}")]
    Unsupported(&'static str),
    /// A row is not what was written.
    #[error("the database holds a row that cannot be read: {0}")]
    Malformed(&'static str),
}

/// The database. Whoever gets an error knows nothing of whether it was written; whoever gets an answer knows that it is
/// durable.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Whether other servers may write to it. Then a ledger in memory may be older than the log.
    fn is_shared(&self) -> bool;

    /// Brings the tables up to date; gives the version before and after.
    async fn migrate(&self) -> Result<(i64, i64), StoreError>;

    /// Whether it can be read and written and its tables are those of this program.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Keeps a new session with the event that begins it, at the end of its tree: `at` is the tree's length, 0 for a session
    /// that is the top of its own. [`Appended::Known`] says that a session of this id is there.
    async fn begin(&self, session: &Kept, at: u64, event: &Event) -> Result<Appended, StoreError>;

    /// Appends events to a tree that has this length, all or none, and lets its sessions live until `expires`.
    async fn append(&self, tree: &str, at: u64, events: &[Event], expires: Millis) -> Result<Appended, StoreError>;

    /// How many events a tree has. None where there is no such tree.
    async fn length(&self, tree: &str) -> Result<Option<u64>, StoreError>;

    /// The events of a tree from this one on, in order, as many as `limit`.
    async fn events(&self, tree: &str, from: u64, limit: u64) -> Result<Vec<Event>, StoreError>;

    /// Those of these items that a session has, with their bodies.
    async fn items(&self, session: &str, ids: &[String]) -> Result<Vec<Event>, StoreError>;

    /// The session of a tenant, if it has one of this id whose time is not over.
    async fn session(&self, tenant: &str, id: &str, now: Millis) -> Result<Option<Kept>, StoreError>;

    /// A tenant's sessions, the youngest first, those that are older than `before` (and, of the same age, come after its id).
    async fn sessions(
        &self,
        tenant: &str,
        before: Option<(Millis, String)>,
        limit: u64,
        now: Millis,
    ) -> Result<Vec<Kept>, StoreError>;

    /// How many sessions a tenant has whose time is not over.
    async fn session_count(&self, tenant: &str, now: Millis) -> Result<u64, StoreError>;

    /// Removes a tree of a tenant with all that is kept of it. Nothing of its text is left in the database's files.
    async fn delete(&self, tenant: &str, tree: &str) -> Result<bool, StoreError>;

    /// Removes the trees whose time is over, as many as `limit`, and gives their ids.
    async fn expire(&self, now: Millis, limit: u64) -> Result<Vec<String>, StoreError>;

    /// Keeps what the first `seq` events of a tree came to, in the place of what was kept before.
    async fn keep_snapshot(&self, tree: &str, seq: u64, body: &[u8]) -> Result<(), StoreError>;

    /// What was kept of a tree's first events, and of how many.
    async fn snapshot(&self, tree: &str) -> Result<Option<(u64, Vec<u8>)>, StoreError>;

    /// Keeps a token. False where one of its id is there.
    async fn add_token(&self, token: &Token) -> Result<bool, StoreError>;

    /// The token of this id.
    async fn token(&self, id: &str) -> Result<Option<Token>, StoreError>;

    /// The tokens of a tenant, or of all, the oldest first.
    async fn tokens(&self, tenant: Option<&str>) -> Result<Vec<Token>, StoreError>;

    /// Removes a token of a tenant, or of any.
    async fn remove_token(&self, tenant: Option<&str>, id: &str) -> Result<bool, StoreError>;

    /// Puts a thing on a tenant's shelf, in the place of what had its name.
    async fn put(&self, tenant: &str, shelf: Shelf, name: &str, body: &str) -> Result<(), StoreError>;

    /// The thing of this name.
    async fn get(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<Option<String>, StoreError>;

    /// All that stands on a tenant's shelf, by name.
    async fn all(&self, tenant: &str, shelf: Shelf) -> Result<Vec<(String, String)>, StoreError>;

    /// Takes the thing of this name away.
    async fn remove(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<bool, StoreError>;

    /// Keeps lines of refusals.
    async fn log(&self, tenant: &str, refusals: &[Refusal]) -> Result<(), StoreError>;

    /// A tenant's refusals, the youngest first, from the `skip`th on.
    async fn refusals(&self, tenant: &str, wanted: &Wanted, skip: u64, limit: u64) -> Result<Vec<Refusal>, StoreError>;

    /// How many refusals there are of each, the most first, as many as `limit`.
    async fn counts(&self, tenant: &str, wanted: &Wanted, by: By, limit: u64)
    -> Result<Vec<(String, u64)>, StoreError>;

    /// Removes the refusals before a time, of all tenants; gives how many.
    async fn forget_refusals(&self, before: Millis) -> Result<u64, StoreError>;

    /// Writes a copy of the whole database to a file that is not there yet, while others read and write.
    async fn back_up(&self, to: &Path) -> Result<(), StoreError>;

    /// Writes everything out and closes.
    async fn close(&self);
}
