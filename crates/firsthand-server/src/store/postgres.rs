//! PostgreSQL: a database that many servers share. Only SQL that CockroachDB and YugabyteDB document too.
//!
//! Order comes from one row of a tree, which an append changes where its length is what the writer saw. Nothing else locks.

use std::fmt;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Transaction};
use futures_util::future::try_join_all;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Error, NoTls, Row};

use super::{Appended, By, Event, Kept, Millis, Refusal, Shelf, Store, StoreError, Token, Wanted};
use crate::key::new_id;

/// The migrations in order.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/postgres/0001_begin.sql")];

/// How many connections a server has at most.
const CONNECTIONS: usize = 16;

/// How long a connection, a place in the pool and a statement are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often what met others is tried again.
const TRIES: usize = 8;

/// What every connection is told first: a write counts when it is on the disk, and nothing hangs.
const SETTINGS: &str = "SET synchronous_commit = 'on'; SET statement_timeout = 10000; \
                        SET idle_in_transaction_session_timeout = 10000";

/// A database on a server of its own.
pub struct Postgres {
    pool: Pool,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres")
    }
}

/// Why PostgreSQL failed, without a value of a statement.
fn unavailable(error: &Error) -> StoreError {
    StoreError::Unavailable(match error.code() {
        Some(code) => format!("PostgreSQL says {}", code.code()),
        None => "PostgreSQL cannot be reached".to_owned(),
    })
}

/// Whether what failed did nothing and may go well when it is done again.
fn is_to_be_tried_again(error: &Error) -> bool {
    let again = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| again.contains(code))
}

/// A value of a statement.
type Value = Box<dyn ToSql + Sync + Send>;

impl Postgres {
    /// A database by its URL, such as `postgres://USER@HOST/NAME`. It is reached when it is needed.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let malformed =
            StoreError::Unsupported("found no URL of a PostgreSQL database; expected `postgres://USER@HOST/NAME`");
        let mut config = Config::from_str(url).map_err(|_| malformed)?;
        config.connect_timeout(PATIENCE).application_name("firsthand");
        let how = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match config.get_ssl_mode() == SslMode::Require {
            true => Manager::from_config(config, tls().map_err(StoreError::Unavailable)?, how),
            false => Manager::from_config(config, NoTls, how),
        };
        let settings = Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SETTINGS).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .recycle_timeout(Some(PATIENCE))
            .runtime(Runtime::Tokio1)
            .post_create(settings)
            .build();
        Ok(Self { pool: pool.map_err(|_| StoreError::Unavailable("there is no pool".to_owned()))? })
    }

    async fn client(&self) -> Result<Object, StoreError> {
        let unreached = |_| StoreError::Unavailable("PostgreSQL cannot be reached".to_owned());
        self.pool.get().await.map_err(unreached)
    }

    async fn rows(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(|error| unavailable(&error))?;
        client.query(&statement, values).await.map_err(|error| unavailable(&error))
    }

    /// Does one statement that can be done twice, and gives how many rows it changed.
    async fn change(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, StoreError> {
        let mut tries = 0;
        loop {
            let client = self.client().await?;
            let statement = client.prepare_cached(sql).await.map_err(|error| unavailable(&error))?;
            match client.execute(&statement, values).await {
                Err(error) if is_to_be_tried_again(&error) && tries < TRIES => tries += 1,
                done => return done.map_err(|error| unavailable(&error)),
            }
        }
    }

    /// Appends events, with a session that begins where there is one.
    async fn grow(
        &self,
        begun: Option<&Kept>,
        tree: &str,
        at: u64,
        events: &[Event],
        expires: Millis,
    ) -> Result<Appended, StoreError> {
        let mut tries = 0;
        loop {
            let mut client = self.client().await?;
            let transaction = client.transaction().await.map_err(|error| unavailable(&error))?;
            match grown(transaction, begun, tree, at, events, expires).await {
                Ok(appended) => return Ok(appended),
                Err(error) if is_to_be_tried_again(&error) && tries < TRIES => tries += 1,
                Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => return Ok(Appended::Known),
                Err(error) => return Err(unavailable(&error)),
            }
        }
    }
}

/// Appends in a transaction. A transaction that is dropped wrote nothing.
async fn grown(
    transaction: Transaction<'_>,
    begun: Option<&Kept>,
    tree: &str,
    at: u64,
    events: &[Event],
    expires: Millis,
) -> Result<Appended, Error> {
    if let Some(Kept { id, tenant, created, .. }) = begun.filter(|begun| begun.id == begun.tree) {
        let sql = "INSERT INTO tree (id, tenant, length, created, expires) VALUES ($1, $2, 0, $3, $4)";
        transaction.execute(sql, &[id, tenant, created, &expires]).await?;
    }
    let count = signed(u64::try_from(events.len()).unwrap_or(u64::MAX));
    let sql = "UPDATE tree SET length = length + $1, expires = greatest(expires, $2) WHERE id = $3 AND length = $4";
    if transaction.execute(sql, &[&count, &expires, &tree, &signed(at)]).await? == 0 {
        let there = transaction.query("SELECT length FROM tree WHERE id = $1", &[&tree]).await?;
        return Ok(if there.is_empty() { Appended::Gone } else { Appended::Moved });
    }
    if let Some(Kept { id, tenant, tree, created, .. }) = begun {
        let sql = "INSERT INTO session (id, tenant, tree, created) VALUES ($1, $2, $3, $4)";
        transaction.execute(sql, &[id, tenant, tree, created]).await?;
    }
    let sql = "INSERT INTO event (tree, seq, session, item, kind, time, body) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let statement = transaction.prepare(sql).await?;
    let (transaction_ref, statement) = (&transaction, &statement);
    // All are on their way before the first is answered.
    let inserts = (at..).zip(events).map(|(seq, event)| async move {
        let Event { session, item, kind, time, body } = event;
        let seq = signed(seq);
        let values: [&(dyn ToSql + Sync); 7] = [&tree, &seq, session, item, kind, time, body];
        transaction_ref.execute(statement, &values).await
    });
    try_join_all(inserts).await?;
    transaction.commit().await?;
    Ok(Appended::Done)
}

/// The roots of the system, for a server that is asked for TLS.
fn tls() -> Result<tokio_postgres_rustls::MakeRustlsConnect, String> {
    let mut roots = rustls::RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err("the system has no certificates to believe".to_owned());
    }
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|_| "there is no TLS".to_owned())?;
    Ok(tokio_postgres_rustls::MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// A column of a row.
fn column<'r, T: tokio_postgres::types::FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|_| StoreError::Malformed("a column has another type"))
}

const KEPT: &str = "SELECT session.id, session.tenant, session.tree, session.created, tree.expires \
                    FROM session JOIN tree ON tree.id = session.tree";

fn kept(row: &Row) -> Result<Kept, StoreError> {
    let (id, tenant, tree) = (column(row, 0)?, column(row, 1)?, column(row, 2)?);
    Ok(Kept { id, tenant, tree, created: column(row, 3)?, expires: column(row, 4)? })
}

fn event(row: &Row) -> Result<Event, StoreError> {
    let (session, item, kind) = (column(row, 0)?, column(row, 1)?, column(row, 2)?);
    Ok(Event { session, item, kind, time: column(row, 3)?, body: column(row, 4)? })
}

const TOKEN: &str = "SELECT id, tenant, name, digest, scopes, created, expires FROM token";

fn token(row: &Row) -> Result<Token, StoreError> {
    let digest: Vec<u8> = column(row, 3)?;
    let digest = digest.try_into().map_err(|_| StoreError::Malformed("a digest has another length"))?;
    let (id, tenant, name) = (column(row, 0)?, column(row, 1)?, column(row, 2)?);
    Ok(Token { id, tenant, name, digest, scopes: column(row, 4)?, created: column(row, 5)?, expires: column(row, 6)? })
}

/// What of a statement says which refusals are wanted, with its values.
fn filter(tenant: &str, wanted: &Wanted) -> (String, Vec<Value>) {
    let Wanted { from, to, reason, tool, host, session } = wanted;
    let mut sql = "WHERE tenant = $1".to_owned();
    let mut values: Vec<Value> = vec![Box::new(tenant.to_owned())];
    for (clause, time) in [("time >=", from), ("time <", to)] {
        if let Some(time) = *time {
            values.push(Box::new(time));
            sql.push_str(&format!(" AND {clause} ${}", values.len()));
        }
    }
    for (name, text) in [("reason", reason), ("tool", tool), ("host", host), ("session", session)] {
        if let Some(text) = text {
            values.push(Box::new(text.clone()));
            sql.push_str(&format!(" AND {name} = ${}", values.len()));
        }
    }
    (sql, values)
}

fn borrowed(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
}

#[async_trait]
impl Store for Postgres {
    fn is_shared(&self) -> bool {
        true
    }

    async fn migrate(&self) -> Result<(i64, i64), StoreError> {
        let failed = |error: Error| unavailable(&error);
        let mut client = self.client().await?;
        let begin = "CREATE TABLE IF NOT EXISTS version (id BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL)";
        // Another server that makes it at the same time makes the same.
        for _ in 0..TRIES {
            if client.execute(begin, &[]).await.is_ok() {
                break;
            }
        }
        let first = "INSERT INTO version (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING";
        client.execute(first, &[]).await.map_err(failed)?;
        let transaction = client.transaction().await.map_err(failed)?;
        // The row is locked: one server migrates, the others wait and find it done.
        let locked = "SELECT version FROM version WHERE id = 1 FOR UPDATE";
        let found: i64 = column(&transaction.query_one(locked, &[]).await.map_err(failed)?, 0)?;
        if found > known_version() {
            return Err(StoreError::Newer { found, known: known_version() });
        }
        for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or_default()) {
            transaction.batch_execute(migration).await.map_err(failed)?;
        }
        let now = known_version();
        transaction.execute("UPDATE version SET version = $1 WHERE id = 1", &[&now]).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        Ok((found, now))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let known = known_version();
        // A write that changes nothing: a standby would refuse it.
        self.change("UPDATE version SET version = version WHERE id = 1", &[]).await?;
        let rows = self.rows("SELECT version FROM version WHERE id = 1", &[]).await?;
        match rows.first().map(|row| column::<i64>(row, 0)).transpose()?.unwrap_or_default() {
            found if found > known => Err(StoreError::Newer { found, known }),
            found if found < known => Err(StoreError::Older { found, known }),
            _ => Ok(()),
        }
    }

    async fn begin(&self, session: &Kept, at: u64, event: &Event) -> Result<Appended, StoreError> {
        let events = std::slice::from_ref(event);
        self.grow(Some(session), &session.tree, at, events, session.expires).await
    }

    async fn append(&self, tree: &str, at: u64, events: &[Event], expires: Millis) -> Result<Appended, StoreError> {
        self.grow(None, tree, at, events, expires).await
    }

    async fn length(&self, tree: &str) -> Result<Option<u64>, StoreError> {
        let rows = self.rows("SELECT length FROM tree WHERE id = $1", &[&tree]).await?;
        Ok(rows.first().map(|row| column(row, 0)).transpose()?.map(unsigned))
    }

    async fn events(&self, tree: &str, from: u64, limit: u64) -> Result<Vec<Event>, StoreError> {
        let sql =
            "SELECT session, item, kind, time, body FROM event WHERE tree = $1 AND seq >= $2 ORDER BY seq LIMIT $3";
        self.rows(sql, &[&tree, &signed(from), &signed(limit)]).await?.iter().map(event).collect()
    }

    async fn items(&self, session: &str, ids: &[String]) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT session, item, kind, time, body FROM event WHERE session = $1 AND item = ANY($2)";
        self.rows(sql, &[&session, &ids]).await?.iter().map(event).collect()
    }

    async fn session(&self, tenant: &str, id: &str, now: Millis) -> Result<Option<Kept>, StoreError> {
        let sql = format!("{KEPT} WHERE session.id = $1 AND session.tenant = $2 AND tree.expires > $3");
        self.rows(&sql, &[&id, &tenant, &now]).await?.first().map(kept).transpose()
    }

    async fn sessions(
        &self,
        tenant: &str,
        before: Option<(Millis, String)>,
        limit: u64,
        now: Millis,
    ) -> Result<Vec<Kept>, StoreError> {
        let (created, id) = before.unwrap_or((Millis::MAX, String::new()));
        let sql = format!(
            "{KEPT} WHERE session.tenant = $1 AND tree.expires > $2 \
             AND (session.created < $3 OR session.created = $3 AND session.id > $4) \
             ORDER BY session.created DESC, session.id LIMIT $5"
        );
        self.rows(&sql, &[&tenant, &now, &created, &id, &signed(limit)]).await?.iter().map(kept).collect()
    }

    async fn session_count(&self, tenant: &str, now: Millis) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM session JOIN tree ON tree.id = session.tree \
                   WHERE session.tenant = $1 AND tree.expires > $2";
        let rows = self.rows(sql, &[&tenant, &now]).await?;
        Ok(rows.first().map(|row| column(row, 0)).transpose()?.map_or(0, unsigned))
    }

    async fn delete(&self, tenant: &str, tree: &str) -> Result<bool, StoreError> {
        Ok(self.change("DELETE FROM tree WHERE id = $1 AND tenant = $2", &[&tree, &tenant]).await? > 0)
    }

    async fn expire(&self, now: Millis, limit: u64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM tree WHERE expires <= $1 ORDER BY expires LIMIT $2";
        let mut gone = Vec::new();
        for row in self.rows(sql, &[&now, &signed(limit)]).await? {
            let tree: String = column(&row, 0)?;
            // One that was appended to meanwhile stays.
            if self.change("DELETE FROM tree WHERE id = $1 AND expires <= $2", &[&tree, &now]).await? > 0 {
                gone.push(tree);
            }
        }
        Ok(gone)
    }

    async fn keep_snapshot(&self, tree: &str, seq: u64, body: &[u8]) -> Result<(), StoreError> {
        // A tree that is gone has none, and one of more events is not replaced by one of fewer.
        let sql = "INSERT INTO snapshot (tree, seq, body) SELECT id, $1, $2 FROM tree WHERE id = $3 \
                   ON CONFLICT (tree) DO UPDATE SET seq = excluded.seq, body = excluded.body \
                   WHERE snapshot.seq < excluded.seq";
        self.change(sql, &[&signed(seq), &body, &tree]).await.map(drop)
    }

    async fn snapshot(&self, tree: &str) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let rows = self.rows("SELECT seq, body FROM snapshot WHERE tree = $1", &[&tree]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some((unsigned(column(row, 0)?), column(row, 1)?)))
    }

    async fn add_token(&self, token: &Token) -> Result<bool, StoreError> {
        let Token { id, tenant, name, digest, scopes, created, expires } = token;
        let sql = "INSERT INTO token (id, tenant, name, digest, scopes, created, expires) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING";
        let values: [&(dyn ToSql + Sync); 7] = [id, tenant, name, &&digest[..], scopes, created, expires];
        Ok(self.change(sql, &values).await? > 0)
    }

    async fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.rows(&format!("{TOKEN} WHERE id = $1"), &[&id]).await?.first().map(token).transpose()
    }

    async fn tokens(&self, tenant: Option<&str>) -> Result<Vec<Token>, StoreError> {
        let sql = format!("{TOKEN} WHERE coalesce($1, tenant) = tenant ORDER BY created, id");
        self.rows(&sql, &[&tenant]).await?.iter().map(token).collect()
    }

    async fn remove_token(&self, tenant: Option<&str>, id: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM token WHERE id = $1 AND coalesce($2, tenant) = tenant";
        Ok(self.change(sql, &[&id, &tenant]).await? > 0)
    }

    async fn put(&self, tenant: &str, shelf: Shelf, name: &str, body: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO shelf (tenant, shelf, name, body) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (tenant, shelf, name) DO UPDATE SET body = excluded.body";
        self.change(sql, &[&tenant, &shelf.name(), &name, &body]).await.map(drop)
    }

    async fn get(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT body FROM shelf WHERE tenant = $1 AND shelf = $2 AND name = $3";
        self.rows(sql, &[&tenant, &shelf.name(), &name]).await?.first().map(|row| column(row, 0)).transpose()
    }

    async fn all(&self, tenant: &str, shelf: Shelf) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT name, body FROM shelf WHERE tenant = $1 AND shelf = $2 ORDER BY name";
        let rows = self.rows(sql, &[&tenant, &shelf.name()]).await?;
        rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
    }

    async fn remove(&self, tenant: &str, shelf: Shelf, name: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM shelf WHERE tenant = $1 AND shelf = $2 AND name = $3";
        Ok(self.change(sql, &[&tenant, &shelf.name(), &name]).await? > 0)
    }

    async fn log(&self, tenant: &str, refusals: &[Refusal]) -> Result<(), StoreError> {
        let client = self.client().await?;
        let sql = "INSERT INTO refusal (id, tenant, time, session, reason, tool, host, line) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let statement = client.prepare_cached(sql).await.map_err(|error| unavailable(&error))?;
        for Refusal { time, session, reason, tool, host, line } in refusals {
            let id = new_id("").map_err(|_| StoreError::Unavailable("there are no random numbers".to_owned()))?;
            let values: [&(dyn ToSql + Sync); 8] = [&id, &tenant, time, session, reason, tool, host, line];
            client.execute(&statement, &values).await.map_err(|error| unavailable(&error))?;
        }
        Ok(())
    }

    async fn refusals(&self, tenant: &str, wanted: &Wanted, skip: u64, limit: u64) -> Result<Vec<Refusal>, StoreError> {
        let (clause, mut values) = filter(tenant, wanted);
        let next = values.len() + 1;
        values.extend([Box::new(signed(limit)) as Value, Box::new(signed(skip))]);
        let sql = format!(
            "SELECT time, session, reason, tool, host, line FROM refusal {clause} \
             ORDER BY time DESC, id DESC LIMIT ${next} OFFSET ${}",
            next + 1
        );
        let row = |row: &Row| {
            let (time, session, reason) = (column(row, 0)?, column(row, 1)?, column(row, 2)?);
            Ok(Refusal { time, session, reason, tool: column(row, 3)?, host: column(row, 4)?, line: column(row, 5)? })
        };
        self.rows(&sql, &borrowed(&values)).await?.iter().map(row).collect()
    }

    async fn counts(
        &self,
        tenant: &str,
        wanted: &Wanted,
        by: By,
        limit: u64,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (clause, mut values) = filter(tenant, wanted);
        values.push(Box::new(signed(limit)));
        let name = match by {
            By::Reason => "reason",
            By::Tool => "tool",
            By::Host => "host",
        };
        let sql = format!(
            "SELECT {name}, count(*) FROM refusal {clause} GROUP BY {name} ORDER BY count(*) DESC, {name} LIMIT ${}",
            values.len()
        );
        let row = |row: &Row| Ok((column(row, 0)?, unsigned(column(row, 1)?)));
        self.rows(&sql, &borrowed(&values)).await?.iter().map(row).collect()
    }

    async fn forget_refusals(&self, before: Millis) -> Result<u64, StoreError> {
        self.change("DELETE FROM refusal WHERE time < $1", &[&before]).await
    }

    async fn back_up(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("PostgreSQL is copied by its own tools, such as `pg_dump`"))
    }

    async fn close(&self) {
        self.pool.close();
    }
}
