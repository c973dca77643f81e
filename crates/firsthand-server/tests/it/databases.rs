//! Databases to test with: SQLite in a folder of its own, and PostgreSQL, which the tests start themselves.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use firsthand_server::store::{Postgres, Sqlite, Store};
use tempfile::TempDir;

/// A new and empty database.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store>,
    /// The folder of SQLite; the URL of PostgreSQL.
    pub(crate) place: Place,
}

pub(crate) enum Place {
    Folder(TempDir),
    Url(String),
}

impl Database {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join("firsthand.db")).unwrap();
        store.migrate().await.unwrap();
        Self { name: "SQLite", store: Arc::new(store), place: Place::Folder(folder) }
    }

    /// None where PostgreSQL is not installed, which is said.
    pub(crate) async fn postgres() -> Option<Self> {
        let Some(server) = POSTGRES.as_ref() else {
            eprintln!("skipped for PostgreSQL: its programs are not in /usr/lib/postgresql; install `postgresql`");
            return None;
        };
        let url = server.new_database();
        let store = Postgres::open(&url).await.unwrap();
        store.migrate().await.unwrap();
        Some(Self { name: "PostgreSQL", store: Arc::new(store), place: Place::Url(url) })
    }

    /// One of each that is there.
    pub(crate) async fn each() -> Vec<Self> {
        let mut each = vec![Self::sqlite().await];
        each.extend(Self::postgres().await);
        each
    }

    /// Another store of the same database, as another server would have.
    pub(crate) async fn another(&self) -> Option<Arc<dyn Store>> {
        match &self.place {
            Place::Folder(_) => None,
            Place::Url(url) => Some(Arc::new(Postgres::open(url).await.unwrap())),
        }
    }
}

/// A PostgreSQL server of this test run.
pub(crate) struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    /// As which user its programs run: they refuse root.
    is_root: bool,
    databases: AtomicUsize,
}

static POSTGRES: LazyLock<Option<Cluster>> = LazyLock::new(Cluster::start);

impl Cluster {
    fn start() -> Option<Self> {
        let is_root = Command::new("id").arg("-u").output().ok()?.stdout.starts_with(b"0\n");
        if is_root && !Path::new("/usr/lib/postgresql").exists() {
            install();
        }
        let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
        let mut versions: Vec<PathBuf> =
            versions.filter_map(|version| Some(version.ok()?.path().join("bin"))).collect();
        versions.retain(|programs| programs.join("initdb").exists());
        versions.sort();
        let programs = versions.pop()?;
        // It is left behind with the process that made it: the system's folder for temporary files is emptied by itself.
        let folder = tempfile::Builder::new().prefix("firsthand-pg-").tempdir().unwrap().keep();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        let cluster = Self { programs, folder, is_root, databases: AtomicUsize::new(0) };
        let data = cluster.folder.join("data");
        let data = data.to_str().unwrap();
        cluster.run("initdb", &["-D", data, "-A", "trust", "-U", "firsthand", "-N"]);
        cluster.up();
        // The server ends with the process that started it.
        let watched = std::process::id();
        let stop = cluster.line("pg_ctl", &["stop", "-D", data, "-m", "immediate"]);
        let folder = cluster.folder.display();
        let watch = format!("while kill -0 {watched} 2>/dev/null; do sleep 1; done; {stop}; rm -rf {folder}");
        let watcher = Command::new("sh")
            .args(["-c", &watch])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It outlives this process, which is what it waits for.
        std::mem::forget(watcher);
        Some(cluster)
    }

    /// Starts the server.
    pub(crate) fn up(&self) {
        let (data, log) = (self.folder.join("data"), self.folder.join("log"));
        let options =
            format!("-c listen_addresses= -c unix_socket_directories={} -c max_connections=300", self.folder.display());
        let (data, log) = (data.to_str().unwrap(), log.to_str().unwrap());
        self.run("pg_ctl", &["start", "-w", "-D", data, "-l", log, "-o", &options]);
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn down(&self) {
        self.run("pg_ctl", &["stop", "-D", self.folder.join("data").to_str().unwrap(), "-m", "immediate"]);
    }

    fn new_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let host = self.folder.to_str().unwrap();
        self.run("createdb", &["-h", host, "-U", "firsthand", &name]);
        format!("postgres://firsthand@/{name}?host={}", host.replace('/', "%2F"))
    }

    fn line(&self, program: &str, arguments: &[&str]) -> String {
        let quoted: Vec<String> = arguments.iter().map(|argument| format!("'{argument}'")).collect();
        let line = format!("{}/{program} {}", self.programs.display(), quoted.join(" "));
        match self.is_root {
            true => format!("su postgres -s /bin/sh -c \"{line}\""),
            false => line,
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let line = self.line(program, arguments);
        // Not the output of the test: the server would keep it open.
        let status = Command::new("sh").args(["-c", &line]).current_dir(&self.folder).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{program} failed");
    }
}

/// Installs Debian's package, where there is Debian. What fails is told by the programs that are not there.
fn install() {
    let quiet =
        |command: &mut Command| drop(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status());
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    quiet(apt().args(["update", "-q"]));
    quiet(apt().args(["install", "-qy", "--no-install-recommends", "postgresql"]));
}

/// A server of PostgreSQL of its own, for tests that end it.
pub(crate) async fn own_postgres() -> Option<(Cluster, Arc<dyn Store>)> {
    let cluster = Cluster::start()?;
    let store = Postgres::open(&cluster.new_database()).await.unwrap();
    store.migrate().await.unwrap();
    Some((cluster, Arc::new(store)))
}

/// Whether a word stands in a file of a folder, or of one in it.
pub(crate) fn holds(folder: &Path, word: &str) -> bool {
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { holds(&path, word) } else { has(&std::fs::read(&path).unwrap()) }
    })
}
