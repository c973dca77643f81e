//! The options of `serve`, `token`, `migrate` and `backup`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Serve sessions, decisions and sources over HTTP.
///
/// Prints `listening on http://HOST:PORT` first. The first time it makes a token with all scopes and shows it once. What is
/// told to it is durable before it answers. SIGTERM ends it after what was begun; SIGHUP reads `--policy` and the
/// certificate anew.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand serve --data firsthand-data
  firsthand serve --database postgres://firsthand@db.example/firsthand --key-file firsthand.key
  firsthand serve --listen 0.0.0.0:8787 --tls-cert server.pem --tls-key server.key.pem")]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 takes one that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8787")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) database: Database,
    /// File with the 32 bytes that seal references, as they are or as 64 hexadecimal digits; all servers of one database
    /// share it [default: `key` in the data directory, made where it is not there]
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Profile, or policy file, of sessions that name none; read anew on SIGHUP
    #[arg(long, value_name = "P")]
    pub(crate) policy: Option<OsString>,
    /// Certificate for TLS, in PEM; read anew on SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen without TLS although other machines can reach the address: something before it speaks TLS
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) plain_http: bool,
    /// Ask sites by their `robots.txt` before pages are fetched
    #[arg(long)]
    pub(crate) robots: bool,
    /// Proxy through which everything that is fetched leaves, such as `http://proxy.example:3128`
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Certificates in PEM that are believed besides the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) most: Most,
    /// What is logged on standard error, as JSON: levels by target, such as `info,firsthand::request=info`
    #[arg(long, value_name = "FILTER", default_value = "info,firsthand::request=off")]
    pub(crate) log: String,
}

/// How much is taken.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Most {
    /// Longest body of a request, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub(crate) max_body: u32,
    /// Most sessions of a tenant
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) max_sessions: u64,
    /// Most items of a session
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_items: u32,
    /// Most that happens in a session and those below it, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    pub(crate) max_tree: u32,
    /// From which size of what happened in them on sessions that nobody uses leave memory, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    pub(crate) memory: u32,
    /// Most requests of one token in a second
    #[arg(long, value_name = "N", default_value = "5000")]
    pub(crate) max_rate: NonZeroU32,
    /// Days that a session is kept after something was appended to it
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) keep_days: u32,
    /// Seconds that a question waits for a person, and a yes for its call
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) ask_seconds: u32,
}

/// Which database.
#[derive(Debug, Args)]
pub(crate) struct Database {
    /// Directory of the SQLite database and of the key
    #[arg(long, value_name = "DIR", default_value = "firsthand-data")]
    pub(crate) data: PathBuf,
    /// PostgreSQL database in the place of SQLite, such as `postgres://USER@HOST/NAME`
    #[arg(long, value_name = "URL", env = "FIRSTHAND_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}

/// Make, list and remove the tokens of a server.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand token create --name ci --scope loop --days 90
  firsthand token list
  firsthand token remove 1f2e3d4c5b6a7980")]
pub(crate) struct Token {
    #[command(subcommand)]
    pub(crate) what: TokenCommand,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and show it once
    Create {
        #[command(flatten)]
        database: Database,
        /// What people call it
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What it may do
        #[arg(long = "scope", value_name = "SCOPE", value_enum, required = true)]
        scopes: Vec<TokenScope>,
        /// Whose it is; tenants see nothing of each other
        #[arg(long, value_name = "TENANT", default_value = "default")]
        tenant: String,
        /// Days after which its time is over [default: never]
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the tokens, without what proves them
    List {
        #[command(flatten)]
        database: Database,
        /// Only those of this tenant
        #[arg(long, value_name = "TENANT")]
        tenant: Option<String>,
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
    },
    /// Remove a token; servers that run forget it within seconds
    Remove {
        #[command(flatten)]
        database: Database,
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenScope {
    /// What an agent's loop does: append, check, fetch, sources
    Loop,
    /// What a person does: grants, answers, a person's words
    Person,
    /// What an administrator does: rules, refusals, shortcuts, documents, metrics
    Admin,
}

/// Bring the tables of a server's database up to date.
///
/// A server does so itself when it starts; this is for whoever wants it done before.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand migrate --data firsthand-data
  firsthand migrate --database postgres://firsthand@db.example/firsthand")]
pub(crate) struct Migrate {
    #[command(flatten)]
    pub(crate) database: Database,
}

/// Copy a server's SQLite database to a file, while the server runs.
///
/// The copy is a database like the first: put it as `firsthand.db` into a data directory, with the `key` beside it, to go
/// on with it. Of PostgreSQL use its own tools.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand backup copy.db --data firsthand-data
  mkdir restored && cp copy.db restored/firsthand.db && cp firsthand-data/key restored/
  firsthand serve --data restored")]
pub(crate) struct Backup {
    /// File of the copy, which must not be there yet
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) database: Database,
}
