//! A server that is killed in the midst of appends: all that it acknowledged is there.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use firsthand_server::event::Began;
use firsthand_server::key::Key;
use firsthand_server::limits::Limits;
use firsthand_server::rules::{Rules, Said};
use firsthand_server::sessions::{At, Sent, Sessions};
use firsthand_server::store::{Sqlite, Store as _};
use serde_json::value::RawValue;

/// Names the database to the process that is killed.
const VARIABLE: &str = "FIRSTHAND_TEST_KILLED";

/// How often a process is killed.
const ROUNDS: u64 = 100;

async fn sessions(file: &Path) -> Arc<Sessions> {
    let store = Sqlite::open(file).unwrap();
    store.migrate().await.unwrap();
    Arc::new(Sessions::new(Arc::new(store), Key::new(&[7; 32]), Limits::default()))
}

fn began() -> Began {
    let rules = Rules { policy: None, networking: Some(Said::Unrestricted {}) };
    Began { parent: None, seat: Some("person".to_owned()), dialect: "firsthand".to_owned(), rules }
}

/// What the killed process appends: now the model writes an address first, now the world does.
fn entry(number: u64) -> Sent {
    let address = format!("https://site{}.example/page/{}", number % 7, number % 31);
    let item = match number % 3 {
        0 => serde_json::json!({"position": "assistant", "text": format!("I think of {address}")}),
        1 => serde_json::json!({"position": "tool_call", "id": format!("c{number}"), "tool": "web_search",
                                "arguments": {"query": "pages"}}),
        _ => serde_json::json!({"position": "tool_result", "id": format!("c{}", number - 1), "text": address}),
    };
    Sent { id: format!("i{number}"), item: RawValue::from_string(item.to_string()).unwrap() }
}

/// The process that is killed. It tells each acknowledged item.
#[test]
fn appends_until_it_is_killed() {
    let Some(file) = std::env::var_os(VARIABLE) else { return };
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let sessions = sessions(Path::new(&file)).await;
        let mut writers = Vec::new();
        for _ in 0..4 {
            let held = sessions.begin("t", began()).await.unwrap();
            println!("session {}", held.id());
            let sessions = Arc::clone(&sessions);
            writers.push(tokio::spawn(async move {
                for number in 0.. {
                    let at = At::Behind(held.length().unwrap());
                    let grown = sessions.append(&held, at, "firsthand", vec![entry(number)], true).await.unwrap();
                    println!("acknowledged {} i{number} {}", held.id(), grown.length);
                }
            }));
        }
        for writer in writers {
            writer.await.unwrap();
        }
    });
}

#[test]
fn what_was_acknowledged_before_a_kill_is_there_and_the_ledger_equals_a_fresh_reading() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firsthand.db");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut all = 0;
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["killed::appends_until_it_is_killed", "--exact", "--nocapture"])
            .env(VARIABLE, &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (lines, told) = channel();
        let reader = std::thread::spawn(move || {
            // The last line may be cut off: then it was not told.
            output.lines().map_while(Result::ok).for_each(|line| lines.send(line).unwrap());
        });
        let mut seen = vec![told.recv_timeout(Duration::from_secs(60)).unwrap()];
        // Other moments each time, some of them while the first sessions begin.
        while round % 4 != 0 && !seen.iter().any(|line| line.starts_with("acknowledged")) {
            seen.push(told.recv_timeout(Duration::from_secs(60)).unwrap());
        }
        std::thread::sleep(Duration::from_millis(round * 7 % 40));
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        seen.extend(told.try_iter());
        let ids: BTreeSet<String> =
            seen.iter().filter_map(|line| line.strip_prefix("session ")).map(str::to_owned).collect();
        runtime.block_on(async {
            let sessions = sessions(&file).await;
            for id in &ids {
                let held = sessions.held("t", id).await.unwrap();
                let events = sessions.events(&held).await.unwrap();
                let there: BTreeSet<&str> = events.iter().filter_map(|event| event.item.as_deref()).collect();
                let acknowledged = seen.iter().filter_map(|line| line.strip_prefix(&format!("acknowledged {id} ")));
                for line in acknowledged {
                    let (item, length) = line.split_once(' ').unwrap();
                    assert!(there.contains(item), "round {round}: {item} of {id} is lost");
                    assert!(held.length().unwrap() >= length.parse().unwrap());
                    all += 1;
                }
                // What was restored says what reading all of it anew says.
                let fresh = sessions.reading(&held, &events).unwrap();
                let restored = held.tree().unwrap();
                let (run, other) = (restored.session(id).unwrap().run(), fresh.session(id).unwrap().run());
                let of = |tree: &firsthand_server::tree::Tree, run| {
                    let ledger = tree.ledger();
                    let sources: Vec<String> = ledger.sources(run).map(str::to_owned).collect();
                    let marks: Vec<String> = ledger.marks().map(str::to_owned).collect();
                    (ledger.len(run), sources, marks, ledger.told())
                };
                assert_eq!(of(&restored, run), of(&fresh, other), "round {round}");
            }
            sessions.store().close().await;
        });
    }
    assert!(all > 200, "only {all} items were acknowledged");
}
