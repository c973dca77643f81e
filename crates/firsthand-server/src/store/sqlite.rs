//! SQLite: one file beside the server, which only one server may use.
//!
//! One thread writes. What waits for it is written in one transaction, and each caller is answered when that is on the disk
//! (WAL with `synchronous = FULL`). What is deleted is overwritten, and the write-ahead log is emptied after it.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, params, params_from_iter};
use tokio::sync::{Semaphore, oneshot};

use super::{Appended, By, Event, Kept, Millis, Refusal, Shelf, Store, StoreError, Token, Wanted};

/// The migrations in order.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/sqlite/0001_begin.sql")];

/// How many waiting writes go into one transaction.
const GROUP: usize = 256;

/// How long a connection waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many connections read at once at most; whoever comes later waits.
const READERS: usize = 8;

/// A database in one file.
pub struct Sqlite {
    path: PathBuf,
    writer: Mutex<Option<Writer>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    turns: Arc<Semaphore>,
    /// No other server uses the file as long as this is open.
    _lock: Option<File>,
}

struct Writer {
    jobs: Sender<Box<dyn Job>>,
    thread: JoinHandle<()>,
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A write that waits.
trait Job: Send {
    /// Does the work in the transaction that is open. What fails is to be undone.
    fn work(&mut self, connection: &Connection) -> Result<(), String>;

    /// Whether old text has to leave the write-ahead log.
    fn erases(&self) -> bool;

    /// Answers the caller: the transaction is on the disk, or it is not and why.
    fn done(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Write<T, F> {
    work: Option<F>,
    came: Option<Result<T, StoreError>>,
    erases: bool,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Write<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> rusqlite::Result<T> + Send,
{
    fn work(&mut self, connection: &Connection) -> Result<(), String> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let came = work(connection).map_err(|error| why(&error));
        let worked = came.as_ref().map(drop).map_err(String::clone);
        self.came = Some(came.map_err(StoreError::Unavailable));
        worked
    }

    fn erases(&self) -> bool {
        self.erases
    }

    fn done(self: Box<Self>, committed: Result<(), StoreError>) {
        let lost = || Err(StoreError::Unavailable("the write was not done".to_owned()));
        let came = match committed {
            Ok(()) => self.came.unwrap_or_else(lost),
            Err(error) => Err(error),
        };
        // A caller that is gone is told nothing.
        drop(self.answer.send(came));
    }
}

/// Why SQLite failed, without a value of a statement.
fn why(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(code) => format!("SQLite says {code:?}"),
        None => "a row has another form".to_owned(),
    }
}

fn unavailable(error: rusqlite::Error) -> StoreError {
    StoreError::Unavailable(why(&error))
}

/// The same of a file.
fn unusable(error: &std::io::Error) -> StoreError {
    StoreError::Unavailable(format!("its file: {}", error.kind()))
}

impl Sqlite {
    /// Opens a database, or makes it, for a server: no other may use it then, since it would know nothing of what this one
    /// has in memory. Its tables are as they are: see [`Store::migrate`] and [`Store::ready`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let lock = private_file(Path::new(&name)).map_err(|error| unusable(&error))?;
        if lock.try_lock().is_err() {
            return Err(StoreError::Unavailable("another server uses it".to_owned()));
        }
        Self::open_with(path, Some(lock))
    }

    /// Opens the database beside a server that may use it: for tokens and copies, never for sessions.
    pub fn open_beside(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, None)
    }

    fn open_with(path: &Path, lock: Option<File>) -> Result<Self, StoreError> {
        private_file(path).map_err(|error| unusable(&error))?;
        let connection = connect(path).map_err(unavailable)?;
        let (jobs, received) = channel();
        let thread = thread::Builder::new().name("firsthand-store".to_owned());
        let thread = thread.spawn(move || write(&connection, &received)).map_err(|error| unusable(&error))?;
        let writer = Mutex::new(Some(Writer { jobs, thread }));
        Ok(Self {
            path: path.to_owned(),
            writer,
            readers: Arc::default(),
            turns: Arc::new(Semaphore::new(READERS)),
            _lock: lock,
        })
    }

    /// How many pages the file may have, as if the disk had no space for more.
    pub async fn limit_pages(&self, pages: u32) -> Result<(), StoreError> {
        self.write(move |connection| connection.pragma_update(None, "max_page_count", pages)).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_job(work, false).await
    }

    async fn write_job<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        erases: bool,
    ) -> Result<T, StoreError> {
        let closed = || StoreError::Unavailable("it is closed".to_owned());
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Write { work: Some(work), came: None, erases, answer });
        {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.as_ref().ok_or_else(closed)?.jobs.send(job).map_err(|_| closed())?;
        }
        answered.await.map_err(|_| closed())?
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let closed = |_| StoreError::Unavailable("it is closed".to_owned());
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(closed)?;
        let (path, readers) = (self.path.clone(), Arc::clone(&self.readers));
        let read = tokio::task::spawn_blocking(move || {
            let kept = readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match kept {
                Some(connection) => connection,
                None => connect(&path)?,
            };
            let came = work(&connection)?;
            readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            drop(turn);
            Ok(came)
        });
        let read = read.await.map_err(|_| StoreError::Unavailable("a read was not done".to_owned()))?;
        read.map_err(unavailable)
    }
}

/// Opens a file that only its owner can read, or makes it.
fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -64 * 1024)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Writes until nobody can ask for it any more.
fn write(connection: &Connection, received: &Receiver<Box<dyn Job>>) {
    let mut has_erased = false;
    while let Ok(first) = received.recv() {
        let mut jobs = vec![first];
        jobs.extend(received.try_iter().take(GROUP - 1));
        let committed = together(connection, &mut jobs);
        has_erased |= jobs.iter().any(|job| job.erases());
        // What was deleted stands in the log until it is emptied; a reader may be in the way now, so it is tried again.
        if has_erased {
            has_erased = empty_log(connection).is_err();
        }
        for job in jobs {
            job.done(committed.clone().map_err(StoreError::Unavailable));
        }
    }
    // The next to open the file does the same where this fails.
    drop(empty_log(connection));
}

/// Does all jobs in one transaction; one that fails undoes nothing of the others.
fn together(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), String> {
    let run = |sql: &str| connection.execute_batch(sql).map_err(|error| why(&error));
    run("BEGIN IMMEDIATE")?;
    let worked = jobs.iter_mut().try_for_each(|job| {
        run("SAVEPOINT job")?;
        match job.work(connection) {
            Ok(()) => {}
            // What fails for want of space may have undone the whole transaction by itself.
            Err(why) if connection.is_autocommit() => return Err(why),
            Err(_) => run("ROLLBACK TO job")?,
        }
        run("RELEASE job")
    });
    let committed = worked.and_then(|()| run("COMMIT"));
    if committed.is_err() && !connection.is_autocommit() {
        // A connection that cannot even do that is told by the next transaction, which does not begin.
        drop(run("ROLLBACK"));
    }
    committed
}

fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 { Ok(()) } else { Err(rusqlite::Error::InvalidQuery) }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

const KEPT: &str = "SELECT session.id, session.tenant, session.tree, session.created, tree.expires \
                    FROM session JOIN tree ON tree.id = session.tree";

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    Ok(Kept { id: row.get(0)?, tenant: row.get(1)?, tree: row.get(2)?, created: row.get(3)?, expires: row.get(4)? })
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event { session: row.get(0)?, item: row.get(1)?, kind: row.get(2)?, time: row.get(3)?, body: row.get(4)? })
}

fn token(row: &Row<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        id: row.get(0)?,
        tenant: row.get(1)?,
        name: row.get(2)?,
        digest: row.get(3)?,
        scopes: row.get(4)?,
        created: row.get(5)?,
        expires: row.get(6)?,
    })
}

const TOKEN: &str = "SELECT id, tenant, name, digest, scopes, created, expires FROM token";

/// Appends in the transaction that is open. What it says besides `Done` wrote nothing.
fn append(
    connection: &Connection,
    tree: &str,
    at: u64,
    events: &[Event],
    expires: Millis,
) -> rusqlite::Result<Appended> {
    let mut length = connection.prepare_cached("SELECT length FROM tree WHERE id = ?")?;
    match length.query_row([tree], |row| row.get(0)).optional()?.map(unsigned) {
        None => return Ok(Appended::Gone),
        Some(length) if length != at => return Ok(Appended::Moved),
        Some(_) => {}
    }
    let mut there = connection.prepare_cached("SELECT 1 FROM event WHERE session = ? AND item = ?")?;
    let mut ids = std::collections::HashSet::new();
    for event in events {
        let Some(item) = &event.item else { continue };
        if !ids.insert((&event.session, item)) || there.exists([&event.session, item])? {
            return Ok(Appended::Known);
        }
    }
    let count = signed(u64::try_from(events.len()).unwrap_or(u64::MAX));
    let sql = "UPDATE tree SET length = length + ?, expires = max(expires, ?) WHERE id = ?";
    connection.prepare_cached(sql)?.execute(params![count, expires, tree])?;
    let sql = "INSERT INTO event (tree, seq, session, item, kind, time, body) VALUES (?, ?, ?, ?, ?, ?, ?)";
    let mut insert = connection.prepare_cached(sql)?;
    for (seq, Event { session, item, kind, time, body }) in (at..).zip(events) {
        insert.execute(params![tree, signed(seq), session, item, kind, time, body])?;
    }
    Ok(Appended::Done)
}

/// What of a statement says which refusals are wanted, with its values.
fn filter(tenant: &str, wanted: &Wanted) -> (String, Vec<Value>) {
    let Wanted { from, to, reason, tool, host, session } = wanted;
    let mut sql = "WHERE tenant = ?".to_owned();
    let mut values = vec![Value::Text(tenant.to_owned())];
    for (clause, time) in [(" AND time >= ?", from), (" AND time < ?", to)] {
        if let Some(time) = time {
            sql.push_str(clause);
            values.push(Value::Integer(*time));
        }
    }
    for (clause, text) in
        [(" AND reason = ?", reason), (" AND tool = ?", tool), (" AND host = ?", host), (" AND session = ?", session)]
    {
        if let Some(text) = text {
            sql.push_str(clause);
            values.push(Value::Text(text.clone()));
        }
    }
    (sql, values)
}

#[async_trait]
impl Store for Sqlite {
    fn is_shared(&self) -> bool {
        false
    }

    async fn migrate(&self) -> Result<(i64, i64), StoreError> {
        let migrated = self.write(|connection| {
            let found = version(connection)?;
            let done = usize::try_from(found).unwrap_or_default();
            for migration in MIGRATIONS.iter().skip(done) {
                connection.execute_batch(migration)?;
            }
            let now = found.max(known_version());
            connection.pragma_update(None, "user_version", now)?;
            Ok((found, now))
        });
        match migrated.await? {
            (found, _) if found > known_version() => Err(StoreError::Newer { found, known: known_version() }),
            versions => Ok(versions),
        }
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let known = known_version();
        // A write that changes nothing: the disk is asked too.
        let found = self.write(|connection| {
            let found = version(connection)?;
            connection.pragma_update(None, "user_version", found)?;
            Ok(found)
        });
        match found.await? {
            found if found > known => Err(StoreError::Newer { found, known }),
            found if found < known => Err(StoreError::Older { found, known }),
            _ => Ok(()),
        }
    }

    async fn begin(&self, session: &Kept, at: u64, event: &Event) -> Result<Appended, StoreError> {
        let (session, event) = (session.clone(), event.clone());
        self.write(move |connection| {
            let Kept { id, tenant, tree, created, expires } = &session;
            if connection.prepare_cached("SELECT 1 FROM session WHERE id = ?")?.exists([id])? {
                return Ok(Appended::Known);
            }
            if id == tree {
                let sql = "INSERT INTO tree (id, tenant, length, created, expires) VALUES (?, ?, 0, ?, ?)";
                connection.prepare_cached(sql)?.execute(params![tree, tenant, created, expires])?;
            }
            let appended = append(connection, tree, at, &[event], *expires)?;
            if appended == Appended::Done {
                let sql = "INSERT INTO session (id, tenant, tree, created) VALUES (?, ?, ?, ?)";
                connection.prepare_cached(sql)?.execute(params![id, tenant, tree, created])?;
            }
            Ok(appended)
        })
        .await
    }

    async fn append(&self, tree: &str, at: u64, events: &[Event], expires: Millis) -> Result<Appended, StoreError> {
        let (tree, events) = (tree.to_owned(), events.to_vec());
        self.write(move |connection| append(connection, &tree, at, &events, expires)).await
    }

    async fn length(&self, tree: &str) -> Result<Option<u64>, StoreError> {
        let tree = tree.to_owned();
        self.read(move |connection| {
            let mut asked = connection.prepare_cached("SELECT length FROM tree WHERE id = ?")?;
            Ok(asked.query_row([tree], |row| row.get(0)).optional()?.map(unsigned))
        })
        .await
    }

    async fn events(&self, tree: &str, from: u64, limit: u64) -> Result<Vec<Event>, StoreError> {
        let tree = tree.to_owned();
        self.read(move |connection| {
            let sql =
                "SELECT session, item, kind, time, body FROM event WHERE tree = ? AND seq >= ? ORDER BY seq LIMIT ?";
            let mut asked = connection.prepare_cached(sql)?;
            asked.query_map(params![tree, signed(from), signed(limit)], event)?.collect()
        })
        .await
    }

    async fn items(&self, session: &str, ids: &[String]) -> Result<Vec<Event>, StoreError> {
        let (session, ids) = (session.to_owned(), ids.to_vec());
        self.read(move |connection| {
            let sql = "SELECT session, item, kind, time, body FROM event WHERE session = ? AND item = ?";
            let mut asked = connection.prepare_cached(sql)?;
            let mut found = Vec::new();
            for id in ids {
                found.extend(asked.query_row(params![session, id], event).optional()?);
            }
            Ok(found)
        })
        .await
    }

    async fn session(&self, tenant: &str, id: &str, now: Millis) -> Result<Option<Kept>, StoreError> {
        let (tenant, id) = (tenant.to_owned(), id.to_owned());
        self.read(move |connection| {
            let sql = format!("{KEPT} WHERE session.id = ? AND session.tenant = ? AND tree.expires > ?");
            connection.prepare_cached(&sql)?.query_row(params![id, tenant, now], kept).optional()
        })
        .await
    }

    async fn sessions(
        &self,
        tenant: &str,
        before: Option<(Millis, String)>,
        limit: u64,
        now: Millis,
    ) -> Result<Vec<Kept>, StoreError> {
        let tenant = tenant.to_owned();
        self.read(move |connection| {
            let (created, id) = before.unwrap_or((Millis::MAX, String::new()));
            let sql = format!(
                "{KEPT} WHERE session.tenant = ? AND tree.expires > ? \
                 AND (session.created < ? OR session.created = ? AND session.id > ?) \
                 ORDER BY session.created DESC, session.id LIMIT ?"
            );
            let values = params![tenant, now, created, created, id, signed(limit)];
            connection.prepare_cached(&sql)?.query_map(values, kept)?.collect()
        })
        .await
    }

    async fn session_count(&self, tenant: &str, now: Millis) -> Result<u64, StoreError> {
        let tenant = tenant.to_owned();
        self.read(move |connection| {
            let sql = "SELECT count(*) FROM session JOIN tree ON tree.id = session.tree \
                       WHERE session.tenant = ? AND tree.expires > ?";
            connection.prepare_cached(sql)?.query_row(params![tenant, now], |row| row.get(0)).map(unsigned)
        })
        .await
    }

    async fn delete(&self, tenant: &str, tree: &str) -> Result<bool, StoreError> {
        let (tenant, tree) = (tenant.to_owned(), tree.to_owned());
        let work = move |connection: &Connection| {
            let sql = "DELETE FROM tree WHERE id = ? AND tenant = ?";
            Ok(connection.prepare_cached(sql)?.execute([tree, tenant])? > 0)
        };
        self.write_job(work, true).await
    }

    async fn expire(&self, now: Millis, limit: u64) -> Result<Vec<String>, StoreError> {
        let over = self.read(move |connection| {
            let mut asked = connection.prepare_cached("SELECT id FROM tree WHERE expires <= ? LIMIT ?")?;
            asked.query_map(params![now, signed(limit)], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        });
        let over = over.await?;
        if over.is_empty() {
            return Ok(over);
        }
        let work = move |connection: &Connection| {
            // One that was appended to meanwhile stays.
            let mut delete = connection.prepare_cached("DELETE FROM tree WHERE id = ? AND expires <= ?")?;
            let mut gone = Vec::new();
            for tree in over {
                if delete.execute(params![tree, now])? > 0 {
                    gone.push(tree);
                }
            }
            Ok(gone)
        };
        self.write_job(work, true).await
    }

    async fn keep_snapshot(&self, tree: &str, seq: u64, body: &[u8]) -> Result<(), StoreError> {
        let (tree, body) = (tree.to_owned(), body.to_vec());
        self.write(move |connection| {
            // A tree that is gone has none.
            let sql = "INSERT INTO snapshot (tree, seq, body) SELECT id, ?, ? FROM tree WHERE id = ? \
                       ON CONFLICT (tree) DO UPDATE SET seq = excluded.seq, body = excluded.body";
            connection.prepare_cached(sql)?.execute(params![signed(seq), body, tree]).map(drop)
        })
        .await
    }

    async fn snapshot(&self, tree: &str) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let tree = tree.to_owned();
        self.read(move |connection| {
            let mut asked = connection.prepare_cached("SELECT seq, body FROM snapshot WHERE tree = ?")?;
            let found = asked.query_row([tree], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            Ok(found.map(|(seq, body)| (unsigned(seq), body)))
        })
        .await
    }

    async fn add_token(&self, token: &Token) -> Result<bool, StoreError> {
        let token = token.clone();
        self.write(move |connection| {
            let Token { id, tenant, name, digest, scopes, created, expires } = token;
            let sql = "INSERT INTO token (id, tenant, name, digest, scopes, created, expires) \
                       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
            let values = params![id, tenant, name, digest, scopes, created, expires];
            Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
        })
        .await
    }

    async fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        let id = id.to_owned();
        self.read(move |connection| {
            connection.prepare_cached(&format!("{TOKEN} WHERE id = ?"))?.query_row([id], token).optional()
        })
        .await
    }

    async fn tokens(&self, tenant: Option<&str>) -> Result<Vec<Token>, StoreError> {
        let tenant = tenant.map(str::to_owned);
        self.read(move |connection| {
            let sql = format!("{TOKEN} WHERE coalesce(?, tenant) = tenant ORDER BY created, id");
            connection.prepare_cached(&sql)?.query_map([tenant], token)?.collect()
        })
        .await
    }

    async fn remove_token(&self, tenant: Option<&str>, id: &str) -> Result<bool, StoreError> {
        let (tenant, id) = (tenant.map(str::to_owned), id.to_owned());
        self.write(move |connection| {
            let sql = "DELETE FROM token WHERE id = ? AND coalesce(?, tenant) = tenant";
            Ok(connection.prepare_cached(sql)?.execute(params![id, tenant])? > 0)
        })
        .await
    }

    async fn put(&self, tenant: &str, shelf: Shelf, name: &str, body: &str) -> Result<(), StoreError> {
        let (tenant, name, body) = (tenant.to_owned(), name.to_owned(), body.to_owned());
        self.write(move |connection| {
            let sql = "INSERT INTO shelf (tenant, shelf, name, body) VALUES (?, ?, ?, ?) \
                       ON CONFLICT (tenant, shelf, name) DO UPDATE SET body = excluded.body";
            connection.prepare_cached(sql)?.execute(params![tenant, shelf.name(), name, body]).map(drop)
        })
        .await
    }

    async fn get(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<Option<String>, StoreError> {
        let (tenant, name) = (tenant.to_owned(), name.to_owned());
        self.read(move |connection| {
            let sql = "SELECT body FROM shelf WHERE tenant = ? AND shelf = ? AND name = ?";
            let mut asked = connection.prepare_cached(sql)?;
            asked.query_row(params![tenant, shelf.name(), name], |row| row.get(0)).optional()
        })
        .await
    }

    async fn all(&self, tenant: &str, shelf: Shelf) -> Result<Vec<(String, String)>, StoreError> {
        let tenant = tenant.to_owned();
        self.read(move |connection| {
            let sql = "SELECT name, body FROM shelf WHERE tenant = ? AND shelf = ? ORDER BY name";
            let mut asked = connection.prepare_cached(sql)?;
            asked.query_map(params![tenant, shelf.name()], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
        .await
    }

    async fn remove(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<bool, StoreError> {
        let (tenant, name) = (tenant.to_owned(), name.to_owned());
        let work = move |connection: &Connection| {
            let sql = "DELETE FROM shelf WHERE tenant = ? AND shelf = ? AND name = ?";
            Ok(connection.prepare_cached(sql)?.execute(params![tenant, shelf.name(), name])? > 0)
        };
        self.write_job(work, true).await
    }

    async fn log(&self, tenant: &str, refusals: &[Refusal]) -> Result<(), StoreError> {
        let (tenant, refusals) = (tenant.to_owned(), refusals.to_vec());
        self.write(move |connection| {
            let sql =
                "INSERT INTO refusal (tenant, time, session, reason, tool, host, line) VALUES (?, ?, ?, ?, ?, ?, ?)";
            let mut insert = connection.prepare_cached(sql)?;
            for Refusal { time, session, reason, tool, host, line } in refusals {
                insert.execute(params![tenant, time, session, reason, tool, host, line])?;
            }
            Ok(())
        })
        .await
    }

    async fn refusals(&self, tenant: &str, wanted: &Wanted, skip: u64, limit: u64) -> Result<Vec<Refusal>, StoreError> {
        let (clause, mut values) = filter(tenant, wanted);
        values.extend([Value::Integer(signed(limit)), Value::Integer(signed(skip))]);
        self.read(move |connection| {
            let sql = format!(
                "SELECT time, session, reason, tool, host, line FROM refusal {clause} \
                 ORDER BY time DESC, id DESC LIMIT ? OFFSET ?"
            );
            let row = |row: &Row<'_>| {
                let (time, session, reason) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(Refusal { time, session, reason, tool: row.get(3)?, host: row.get(4)?, line: row.get(5)? })
            };
            connection.prepare_cached(&sql)?.query_map(params_from_iter(values), row)?.collect()
        })
        .await
    }

    async fn counts(
        &self,
        tenant: &str,
        wanted: &Wanted,
        by: By,
        limit: u64,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (clause, mut values) = filter(tenant, wanted);
        values.push(Value::Integer(signed(limit)));
        let column = match by {
            By::Reason => "reason",
            By::Tool => "tool",
            By::Host => "host",
        };
        self.read(move |connection| {
            let sql = format!(
                "SELECT {column}, count(*) FROM refusal {clause} GROUP BY {column} \
                 ORDER BY count(*) DESC, {column} LIMIT ?"
            );
            let row = |row: &Row<'_>| Ok((row.get(0)?, unsigned(row.get(1)?)));
            connection.prepare_cached(&sql)?.query_map(params_from_iter(values), row)?.collect()
        })
        .await
    }

    async fn forget_refusals(&self, before: Millis) -> Result<u64, StoreError> {
        let work = move |connection: &Connection| {
            let gone = connection.prepare_cached("DELETE FROM refusal WHERE time < ?")?.execute([before])?;
            Ok(u64::try_from(gone).unwrap_or(u64::MAX))
        };
        self.write_job(work, true).await
    }

    async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        if to.exists() {
            return Err(StoreError::Unsupported("the file of the copy is there already; expected a new one"));
        }
        let to = to.to_owned();
        self.read(move |connection| {
            let name = to.to_string_lossy().into_owned();
            connection.execute("VACUUM INTO ?", [name]).map(drop)
        })
        .await
    }

    async fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let Some(Writer { jobs, thread }) = writer else { return };
        drop(jobs);
        // A thread that died has nothing more to write.
        drop(tokio::task::spawn_blocking(move || drop(thread.join())).await);
    }
}
