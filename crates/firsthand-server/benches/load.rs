//! What the server costs beside a bare endpoint of the same framework: CPU time for each request, interleaved in one run.
//!
//! `check` is asked by `wrk` (Debian's package), appends by 64 connections of this program, each to a session of its own.
//! Servers are processes of their own; their CPU time is what the system counts for them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a benchmark reports by its output"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use firsthand_server::leave::Way;
use firsthand_server::limits::Limits;
use firsthand_server::serve::{Server, Settings};
use firsthand_server::store::{Postgres, Shelf, Sqlite, Store};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const ROLE: &str = "FIRSTHAND_BENCH_ROLE";
const FOLDER: &str = "FIRSTHAND_BENCH_FOLDER";
const ROUNDS: usize = 5;
const CONNECTIONS: usize = 64;

fn main() {
    match std::env::var(ROLE) {
        Ok(role) => serve(&role),
        Err(_) => measure(),
    }
}

/// A server in a process of its own; it tells its port and its first token.
fn serve(role: &str) {
    let folder = std::env::var(FOLDER).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let store: Arc<dyn Store> = match std::env::var("FIRSTHAND_DATABASE") {
            Ok(url) => Arc::new(Postgres::open(&url).await.unwrap()),
            Err(_) => Arc::new(Sqlite::open(&Path::new(&folder).join(format!("{role}.db"))).unwrap()),
        };
        if role == "bare" {
            store.migrate().await.unwrap();
            let routes = Router::new().route("/check", post(bare_check)).route("/append", post(bare_append));
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            println!("{} -", listener.local_addr().unwrap());
            return axum::serve(listener, routes.with_state(store)).await.unwrap();
        }
        let settings = Settings {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: None,
            plain: false,
            key: [7; 32],
            limits: Limits::default(),
            way: Way::default(),
            policy: None,
        };
        let server = Server::begin(settings, store).await.unwrap();
        println!("{} {}", server.address, server.first.as_ref().map_or("-", |first| &first.secret));
        server.serve_until(std::future::pending()).await.unwrap();
    });
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is parsed as the server parses it")]
struct Asked {
    length: usize,
    call: Box<RawValue>,
    rewrites: Option<bool>,
    person: Option<bool>,
}

#[derive(Serialize)]
struct Told {
    verdict: &'static str,
    reason: Option<String>,
    message: Option<String>,
    error_code: Option<String>,
    bits: Option<f64>,
    urls: Vec<Value>,
    length: usize,
    ask: Option<String>,
}

/// Parses the same body and gives the same answer.
async fn bare_check(Json(asked): Json<Asked>) -> Json<Told> {
    let first =
        json!({"writer": "world", "position": "tool_result", "item": 2, "at": "", "tool": "web_search", "from": "own"});
    let url = json!({"url": "https://site500.example/page", "verdict": "open", "reason": null,
                     "send": "https://site500.example/page", "step": "identical", "first": first});
    let (reason, message, error_code, ask) = (None, None, None, None);
    Json(Told {
        verdict: "open",
        reason,
        message,
        error_code,
        bits: Some(1.0),
        urls: vec![url],
        length: asked.length,
        ask,
    })
}

/// One row, in the same group commit.
async fn bare_append(State(store): State<Arc<dyn Store>>, body: String) -> Json<Value> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let parsed: Value = serde_json::from_str(&body).unwrap();
    store.put("t", Shelf::Documents, &name, &body).await.unwrap();
    Json(json!({"length": parsed["expected"], "added": 1}))
}

struct Running {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl Running {
    fn start(role: &str, folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env(ROLE, role)
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, token) = line.trim().split_once(' ').unwrap();
        Self { address: address.parse().unwrap(), token: token.to_owned(), child }
    }

    /// CPU time of the process so far, in microseconds.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        // In hundredths of a second, as Linux counts for programs.
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) * 10_000.0
    }

    fn post(&self, path: &str, body: &str) -> Value {
        Connection::to(self).post(path, body)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A connection that is kept.
struct Connection {
    stream: BufReader<TcpStream>,
    token: String,
}

impl Connection {
    fn to(server: &Running) -> Self {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), token: server.token.clone() }
    }

    fn post(&mut self, path: &str, body: &str) -> Value {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all((head + body).as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let (bare, ours) = (Running::start("bare", folder.path()), Running::start("ours", folder.path()));
    let session = session_with_sources(&ours);
    check(folder.path(), &bare, &ours, &session);
    append(&bare, &ours);
}

/// A session that read a thousand addresses.
fn session_with_sources(ours: &Running) -> String {
    let begun = ours.post("/v1/sessions", r#"{"networking":{"type":"unrestricted"},"seat":"person"}"#);
    let session = begun["id"].as_str().unwrap().to_owned();
    let hits: Vec<Value> = (0..1_000).map(|n| json!({"url": format!("https://site{n}.example/page")})).collect();
    let items = json!([
        {"id": "0", "item": {"position": "user", "text": "Find pages"}},
        {"id": "1", "item": {"position": "tool_call", "id": "s", "tool": "web_search", "arguments": {"query": "pages"}}},
        {"id": "2", "item": {"position": "tool_result", "id": "s", "json": {"results": hits}}},
    ]);
    let body = json!({"expected": 0, "format": "firsthand", "items": items}).to_string();
    assert_eq!(ours.post(&format!("/v1/sessions/{session}/items"), &body)["length"], 3);
    session
}

fn check(folder: &Path, bare: &Running, ours: &Running, session: &str) {
    let body = r#"{"length":3,"call":{"tool":"web_fetch","arguments":{"url":"https://site500.example/page"}}}"#;
    let path = format!("/v1/sessions/{session}/check");
    assert_eq!(ours.post(&path, body)["verdict"], "open");
    let script = folder.join("post.lua");
    let lua = format!(
        "wrk.method='POST'\nwrk.body='{body}'\nwrk.headers['content-type']='application/json'\nwrk.headers['authorization']='Bearer {}'\n",
        ours.token
    );
    std::fs::write(&script, lua).unwrap();
    let (mut of_bare, mut of_ours) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for (server, path, into) in [(bare, "/check", &mut of_bare), (ours, path.as_str(), &mut of_ours)] {
            let before = server.cpu();
            let wrk = Command::new("wrk")
                .args(["-t1", "-c32", "-d4s", "--latency", "-s"])
                .arg(&script)
                .arg(format!("http://{}{path}", server.address))
                .output();
            let Ok(output) = wrk else {
                println!("check: not measured, `wrk` is not installed");
                return;
            };
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(!text.contains("Non-2xx"), "{text}");
            let requests: f64 =
                text.lines().find_map(|line| line.trim().split_once(" requests in")).unwrap().0.parse().unwrap();
            let p99 = text.lines().find_map(|line| line.trim().strip_prefix("99%")).unwrap().trim().to_owned();
            // The first round warms up.
            if round > 0 {
                into.push(((server.cpu() - before) / requests, requests / 4.0, micros(&p99)));
            }
        }
    }
    let of = |all: &[(f64, f64, f64)], what: fn(&(f64, f64, f64)) -> f64| median(all.iter().map(what).collect());
    for (name, all) in [("bare", &of_bare), ("ours", &of_ours)] {
        println!(
            "check {name}: {:.1} us CPU a request, {:.0} a second, p99 {:.0} us",
            of(all, |one| one.0),
            of(all, |one| one.1),
            of(all, |one| one.2)
        );
    }
    println!(
        "check: {:.2} x the CPU of the bare endpoint, p99 {:.2} x",
        of(&of_ours, |one| one.0) / of(&of_bare, |one| one.0),
        of(&of_ours, |one| one.2) / of(&of_bare, |one| one.2)
    );
}

fn micros(text: &str) -> f64 {
    let number = |unit: &str| text.strip_suffix(unit).and_then(|number| number.parse::<f64>().ok());
    number("us").or_else(|| number("ms").map(|ms| ms * 1_000.0)).or_else(|| number("s").map(|s| s * 1e6)).unwrap()
}

fn append(bare: &Running, ours: &Running) {
    let text = "x".repeat(900);
    let (mut of_bare, mut of_ours) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for (server, into) in [(bare, &mut of_bare), (ours, &mut of_ours)] {
            let before = server.cpu();
            let done = AtomicU64::new(0);
            let until = Instant::now() + Duration::from_secs(3);
            std::thread::scope(|scope| {
                for _ in 0..CONNECTIONS {
                    scope.spawn(|| {
                        let mut connection = Connection::to(server);
                        let path = match server.token.as_str() {
                            "-" => "/append".to_owned(),
                            _ => {
                                let begun = connection.post("/v1/sessions", r#"{"networking":{"type":"unrestricted"}}"#);
                                format!("/v1/sessions/{}/items", begun["id"].as_str().unwrap())
                            }
                        };
                        let mut expected = 0;
                        while Instant::now() < until {
                            let body = format!(r#"{{"expected":{expected},"format":"firsthand","items":[{{"id":"{expected}","item":{{"position":"assistant","text":"{text} https://s{expected}.example/"}}}}]}}"#);
                            assert_eq!(connection.post(&path, &body)["added"], 1);
                            expected += 1;
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
            });
            let done = done.load(Ordering::Relaxed) as f64;
            if round > 0 {
                into.push(((server.cpu() - before) / done, done / 3.0));
            }
        }
    }
    let of = |all: &[(f64, f64)], what: fn(&(f64, f64)) -> f64| median(all.iter().map(what).collect());
    for (name, all) in [("bare", &of_bare), ("ours", &of_ours)] {
        println!("append {name}: {:.0} a second, {:.1} us CPU each", of(all, |one| one.1), of(all, |one| one.0));
    }
    println!(
        "append: {:.2} x as many a second as the bare endpoint",
        of(&of_ours, |one| one.1) / of(&of_bare, |one| one.1)
    );
}
