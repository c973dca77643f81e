//! What a log tells, and what it never holds.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};

use firsthand::check::{Circumstances, Decision, check_addresses};
use firsthand::conversation::{Body, Item, Relayed, Seat};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand_log::{About, Entry, Log, LogError, LogFile, Rotation, Sink, Surface};
use serde_json::Value;

const KEY: [u8; 32] = [7; 32];

struct Play {
    policy: Policy,
    ledger: Ledger,
    run: RunId,
}

fn play(policy: &str) -> Play {
    let policy = firsthand_wire::policy::load(policy).unwrap().policy;
    let mut ledger = Ledger::new(KEY);
    let run = ledger.begin(None, Seat::Presumed, "firsthand");
    let text = "Read https://files.eu.vendor.example/list and https://vendor.example/".into();
    let body = Body::User { text, relayed: Relayed::No };
    note(&mut ledger, run, &Item::new("", body), &policy, &Circumstances::default());
    Play { policy, ledger, run }
}

impl Play {
    fn decide(&self, tool: &str, urls: &[&str]) -> Decision {
        let asked: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
        check_addresses(&self.ledger, self.run, None, tool, &asked, &self.policy, &Circumstances::default())
    }

    fn line(&self, tool: &str, urls: &[&str]) -> Entry {
        let about = About { surface: Surface::Fetch, run: "run-7", server: None, tool, now: 1_790_000_000, key: &KEY };
        Entry::of(&self.decide(tool, urls), &self.ledger, self.run, &self.policy, &about)
    }
}

#[test]
fn a_line_tells_what_was_refused_without_the_address() {
    let url = "https://anna.ward.sink.example/in/canary-path?d=canary-query&e=2";
    let line = play("").line("web_fetch", &["https://vendor.example/", url]);
    let value = serde_json::to_value(&line).unwrap();
    let wanted = serde_json::json!({
        "time": "2026-09-21T14:13:20Z", "run": "run-7", "surface": "fetch", "tool": "web_fetch", "verdict": "refuse",
        "reason": "never_written", "addresses": 2, "host": "sink.example and 2 more", "bytes": url.len(), "parameters": 2,
        "sources": 2, "digest": value["digest"],
    });
    assert_eq!(value, wanted);
    assert_eq!(value["digest"].as_str().unwrap().len(), 32);
}

#[test]
fn a_host_is_told_where_a_source_or_a_list_holds_it() {
    let host = |policy: &str, url: &str| play(policy).line("web_fetch", &[url]).host.unwrap();
    assert_eq!(host("", "https://files.eu.vendor.example/other"), "files.eu.vendor.example");
    assert_eq!(host("", "https://files.us.vendor.example/other"), "vendor.example and 2 more");
    assert_eq!(host("", "https://vendor.example/other"), "vendor.example");
    let listed = "[networking]\ntype = \"limited\"\nallowed_hosts = [\"a.b.listed.example\"]\n";
    assert_eq!(host(listed, "https://a.b.listed.example/x"), "a.b.listed.example");
    let blocked = "[tools.web_fetch]\nblocked_domains = [\"ads.listed.example\"]\n";
    assert_eq!(host(blocked, "https://ads.listed.example/x"), "ads.listed.example");
    assert_eq!(host(blocked, "https://x.ads.listed.example/x"), "listed.example and 2 more");
}

#[test]
fn lines_of_one_address_are_recognised_and_only_with_the_key() {
    let play = play("");
    let digest = |url: &str| play.line("web_fetch", &[url]).digest;
    assert_eq!(digest("https://sink.example/a"), digest("HTTPS://sink.example/a#part"));
    assert_ne!(digest("https://sink.example/a"), digest("https://sink.example/b"));
    let about = About { surface: Surface::Check, run: "", server: None, tool: "web_fetch", now: 0, key: &[8; 32] };
    let decision = play.decide("web_fetch", &["https://sink.example/a"]);
    let other = Entry::of(&decision, &play.ledger, play.run, &play.policy, &about);
    assert_ne!(other.digest, digest("https://sink.example/a"));
}

#[test]
fn nothing_of_an_address_is_kept_whatever_is_asked_for() {
    let play = play("");
    for asked in [
        "https://canary-host.sink.example/canary-path?canary-name=canary-value",
        "https://canary-user:canary-secret@sink.example/",
        "canary-prose in no address",
        "ftp://canary-host.example/x",
        "https://sink.example\\@canary-host.example/",
        "canary-host.example/canary",
        "https://canary-host.example:4711/",
    ] {
        let line = serde_json::to_string(&play.line("canary-tool.example/in?d=canary", &[asked])).unwrap();
        assert!(!line.contains("canary") || line.contains("\"canary-host.example\""), "{line}");
        assert!(line.contains("\"tool\":\"other\""), "{line}");
    }
    let about = About {
        surface: Surface::Check,
        run: "https://sink.example/?d=canary",
        server: None,
        tool: "web_fetch",
        now: 0,
        key: &KEY,
    };
    let decision = play.decide("web_fetch", &["https://sink.example/a"]);
    let line = Entry::of(&decision, &play.ledger, play.run, &play.policy, &about);
    assert!(line.run.starts_with("digest:") && !line.run.contains("canary"));
}

#[test]
fn a_file_turns_over_and_every_line_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    let line = play("").line("web_fetch", &["https://sink.example/a"]);
    let length = serde_json::to_string(&line).unwrap().len() as u64 + 1;
    let rotation = Rotation { bytes: 3 * length, kept: 2 };
    // Each thread has a handle of its own, like another process.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let file = LogFile::new(&path, rotation);
                (0..50).for_each(|_| file.keep(&line).unwrap());
            });
        }
    });
    let names: BTreeSet<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, ["decisions.jsonl", "decisions.jsonl.1", "decisions.jsonl.2"].map(str::to_owned).into());
    for name in names {
        let text = fs::read_to_string(folder.path().join(&name)).unwrap();
        assert!(text.len() as u64 <= rotation.bytes && !text.is_empty(), "{name}");
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_but_its_owner_reads_a_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    LogFile::new(&path, Rotation::default()).keep(&play("").line("web_fetch", &["https://sink.example/a"])).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn every_sink_is_told_although_one_fails() {
    #[derive(Clone, Debug, Default)]
    struct Kept(Arc<Mutex<Vec<Entry>>>);
    impl Sink for Kept {
        fn keep(&self, entry: &Entry) -> Result<(), LogError> {
            self.0.lock().unwrap().push(entry.clone());
            Ok(())
        }
    }
    #[derive(Debug)]
    struct Broken;
    impl Sink for Broken {
        fn keep(&self, _: &Entry) -> Result<(), LogError> {
            Err(LogError::Other("the queue is full".to_owned()))
        }
    }
    let kept = Kept::default();
    let log = Log::new().with(Broken).with(kept.clone());
    let line = play("").line("web_fetch", &["https://sink.example/a"]);
    assert_eq!(log.keep(&line).unwrap_err().to_string(), "the log cannot be kept: the queue is full");
    assert_eq!(*kept.0.lock().unwrap(), [line]);
}

#[test]
fn tracing_is_told_the_same_fields() {
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<(String, String)>>>);
    struct Fields<'f>(&'f mut Vec<(String, String)>);
    impl Visit for Fields<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            self.0.push((field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned()));
        }
    }
    impl tracing::Subscriber for Heard {
        fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
            metadata.target() == "firsthand::decision"
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut Fields(&mut self.0.lock().unwrap()));
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
    let heard = Heard::default();
    let line = play("").line("web_fetch", &["https://sink.example/a"]);
    tracing::subscriber::with_default(heard.clone(), || Log::new().keep(&line).unwrap());
    let value = serde_json::to_value(&line).unwrap();
    let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let wanted: Vec<(String, String)> =
        value.as_object().unwrap().iter().map(|(name, value)| (name.clone(), told(value))).collect();
    assert_eq!(*heard.0.lock().unwrap(), wanted);
}
