//! `firsthand serve`, and what is done beside it: tokens, migrations, copies.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use firsthand_server::clock;
use firsthand_server::leave::Way;
use firsthand_server::limits::Limits;
use firsthand_server::serve::{Reload, ServeError, Server, Settings, Tls};
use firsthand_server::store::{Postgres, Sqlite, Store, StoreError};
use firsthand_server::token::{Scope, issue};

use crate::args::{Backup, Database, Migrate, Most, Serve, Token, TokenCommand, TokenScope};
use crate::cmd::{leave, mask};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::input;
use crate::out::{Out, message, width};
use crate::table::{Cell, Column, Table};

/// The name of the database in the data directory.
const FILE: &str = "firsthand.db";

/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

pub(super) fn run(options: &Serve) -> Result<Exit, Failure> {
    let key = key(options)?;
    let tls = options.tls_cert.clone().zip(options.tls_key.clone());
    let roots = options
        .ca
        .as_ref()
        .map(|file| input::read(file).map_err(|error| Failure::input(&file.to_string_lossy(), &error)));
    let settings = Settings {
        listen: options.listen,
        tls: tls.map(|(certificate, key)| Tls { certificate, key }),
        plain: options.plain_http,
        key,
        limits: limits(&options.most),
        way: Way { robots: options.robots, proxy: options.proxy.clone(), roots: roots.transpose()? },
        policy: options.policy.as_deref().map(policy).transpose().map_err(Failure::Usage)?,
    };
    log(&options.log)?;
    let again = options.policy.clone();
    let reload: Reload = Box::new(move || again.as_deref().map(policy).transpose());
    runtime()?.block_on(async {
        let store = open(&options.database, true).await?;
        let server = Server::begin(settings, store).await.map_err(not_served)?;
        let scheme = if options.tls_cert.is_some() { "https" } else { "http" };
        let mut out = Out::data();
        out.write(format!("listening on {scheme}://{}\n", server.address).as_bytes())?;
        out.flush()?;
        if let Some(first) = &server.first {
            message(&format!("the first token, with all scopes; it is shown only now: {}", first.secret));
        }
        server.serve(reload).await.map_err(not_served)?;
        Ok(Exit::Done)
    })
}

fn limits(most: &Most) -> Limits {
    let mib = |count: u32| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(1 << 20);
    Limits {
        body: mib(most.max_body),
        items: usize::try_from(most.max_items).unwrap_or(usize::MAX),
        tree: mib(most.max_tree),
        sessions: most.max_sessions,
        kept: i64::from(most.keep_days).saturating_mul(DAY),
        asks: i64::from(most.ask_seconds).saturating_mul(1000),
        memory: mib(most.memory),
        rate: Some(most.max_rate),
        ..Limits::default()
    }
}

/// A profile's name, or the text of a policy file, that can be read as a policy.
fn policy(said: &OsStr) -> Result<String, String> {
    let name = said.to_string_lossy().into_owned();
    if firsthand_wire::policy::profile(&name).is_ok() {
        return Ok(name);
    }
    let text = fs::read_to_string(said).map_err(|error| format!("{name}: cannot be read: {}", error.kind()))?;
    firsthand_wire::policy::load(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok(text)
}

/// The server's key: the one that is named, or the one of the data directory.
fn key(options: &Serve) -> Result<[u8; 32], Failure> {
    if let Some(file) = &options.key_file {
        return mask::key(file);
    }
    if options.database.database.is_some() {
        let why =
            "found `--database` without `--key-file`; expected both, since all servers of a database share the key";
        return Err(Failure::Usage(why.to_owned()));
    }
    let folder = &options.database.data;
    private_folder(folder).map_err(|error| unusable(folder, &error))?;
    let file = folder.join("key");
    leave::key_of(&file).map_err(|error| unusable(&file, &error))
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::File { file: path.to_string_lossy().into_owned(), why: format!("cannot be used: {}", error.kind()) }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Threads)
}

/// JSON lines on standard error.
fn log(filter: &str) -> Result<(), Failure> {
    let filter = tracing_subscriber::EnvFilter::try_new(filter)
        .map_err(|_| Failure::Usage("`--log`: expected levels by target, such as `info`".to_owned()))?;
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_env_filter(filter).with_writer(io::stderr);
    lines.try_init().map_err(|_| Failure::Usage("the log cannot be begun twice".to_owned()))
}

/// Opens the database; `alone` as the one server of it.
async fn open(database: &Database, alone: bool) -> Result<Arc<dyn Store>, Failure> {
    if let Some(url) = &database.database {
        let store = Postgres::open(url).await.map_err(|error| not_stored("--database", &error))?;
        return Ok(Arc::new(store));
    }
    private_folder(&database.data).map_err(|error| unusable(&database.data, &error))?;
    let file = database.data.join(FILE);
    let store = if alone { Sqlite::open(&file) } else { Sqlite::open_beside(&file) };
    Ok(Arc::new(store.map_err(|error| not_stored(&file.to_string_lossy(), &error))?))
}

fn not_stored(file: &str, error: &StoreError) -> Failure {
    Failure::File { file: file.to_owned(), why: error.to_string() }
}

fn not_served(error: ServeError) -> Failure {
    if let ServeError::Store(error) = &error {
        return not_stored("the database", error);
    }
    Failure::Usage(error.to_string())
}

pub(super) fn token(options: Token) -> Result<Exit, Failure> {
    let failed = |error: StoreError| not_stored("the database", &error);
    runtime()?.block_on(async {
        match options.what {
            TokenCommand::Create { database, name, scopes, tenant, days, json } => {
                let store = open(&database, false).await?;
                store.migrate().await.map_err(failed)?;
                let scopes: Vec<Scope> = scopes.into_iter().map(Scope::from).collect();
                let now = clock::now();
                let expires = days.map(|days| now.saturating_add(i64::from(days).saturating_mul(DAY)));
                let issued =
                    issue(&tenant, &name, &scopes, now, expires).map_err(|error| Failure::Usage(error.to_string()))?;
                store.add_token(&issued.token).await.map_err(failed)?;
                store.close().await;
                let mut out = Out::data();
                match json {
                    true => out.json(&serde_json::json!({
                        "id": issued.token.id, "tenant": issued.token.tenant, "name": issued.token.name,
                        "scopes": issued.token.scopes, "expires": issued.token.expires, "token": issued.secret,
                    }))?,
                    false => out.write(format!("{}\n", issued.secret).as_bytes())?,
                }
                out.flush()?;
            }
            TokenCommand::List { database, tenant, json } => {
                let store = open(&database, false).await?;
                let tokens = store.tokens(tenant.as_deref()).await.map_err(failed)?;
                store.close().await;
                let mut out = if json { Out::data() } else { Out::tables() };
                let mut table = Table::new([
                    Column::Left("id"),
                    Column::Left("tenant"),
                    Column::Left("name"),
                    Column::Left("scopes"),
                    Column::Right("days left"),
                ]);
                for token in tokens {
                    let left = token.expires.map(|expires| expires.saturating_sub(clock::now()).div_euclid(DAY));
                    if json {
                        out.json(&serde_json::json!({
                            "id": token.id, "tenant": token.tenant, "name": token.name, "scopes": token.scopes,
                            "created": token.created, "expires": token.expires,
                        }))?;
                    }
                    table.row([
                        Cell::new(&token.id),
                        Cell::new(&token.tenant),
                        Cell::new(&token.name),
                        Cell::new(&token.scopes),
                        Cell::new(&left.map_or_else(|| "no end".to_owned(), |days| days.to_string())),
                    ]);
                }
                if !json {
                    out.write(table.render(width()).as_bytes())?;
                }
                out.flush()?;
            }
            TokenCommand::Remove { database, id } => {
                let store = open(&database, false).await?;
                let removed = store.remove_token(None, &id).await.map_err(failed)?;
                store.close().await;
                if !removed {
                    return Err(Failure::Usage(
                        "found no token of this id; expected one that `token list` shows".to_owned(),
                    ));
                }
            }
        }
        Ok(Exit::Done)
    })
}

impl From<TokenScope> for Scope {
    fn from(scope: TokenScope) -> Self {
        match scope {
            TokenScope::Loop => Self::Loop,
            TokenScope::Person => Self::Person,
            TokenScope::Admin => Self::Admin,
        }
    }
}

pub(super) fn migrate(options: &Migrate) -> Result<Exit, Failure> {
    runtime()?.block_on(async {
        let store = open(&options.database, true).await?;
        let (before, after) = store.migrate().await.map_err(|error| not_stored("the database", &error))?;
        store.close().await;
        match before == after {
            true => message(&format!("the database has version {after} already")),
            false => message(&format!("the database was brought from version {before} to version {after}")),
        }
        Ok(Exit::Done)
    })
}

pub(super) fn backup(options: &Backup) -> Result<Exit, Failure> {
    runtime()?.block_on(async {
        let store = open(&options.database, false).await?;
        let file = options.file.to_string_lossy();
        store.back_up(&options.file).await.map_err(|error| not_stored(&file, &error))?;
        store.close().await;
        Ok(Exit::Done)
    })
}
