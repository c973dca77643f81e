//! What both databases do alike.

use std::collections::BTreeSet;
use std::sync::Arc;

use firsthand_server::store::{Appended, By, Event, Kept, Refusal, Shelf, Sqlite, Store, StoreError, Token, Wanted};

use crate::databases::{Database, Place, holds, own_postgres};

fn event(session: &str, item: Option<&str>, body: &str) -> Event {
    let (session, item) = (session.to_owned(), item.map(str::to_owned));
    Event { session, item, kind: "entry".to_owned(), time: 7, body: format!("{{\"text\":\"{body}\"}}") }
}

fn kept(tenant: &str, id: &str, tree: &str) -> Kept {
    let (id, tenant, tree) = (id.to_owned(), tenant.to_owned(), tree.to_owned());
    Kept { id, tenant, tree, created: 5, expires: 1_000 }
}

async fn begun(store: &dyn Store, tenant: &str, id: &str) {
    let began = Event { kind: "began".to_owned(), ..event(id, None, "") };
    assert_eq!(store.begin(&kept(tenant, id, id), 0, &began).await.unwrap(), Appended::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_grows_only_at_the_end_that_the_writer_saw() {
    for Database { name, store, .. } in Database::each().await {
        begun(&*store, "t", "s").await;
        let two = [event("s", Some("a"), "one"), event("s", Some("b"), "two")];
        assert_eq!(store.append("s", 0, &two, 2_000).await.unwrap(), Appended::Moved, "{name}");
        assert_eq!(store.append("s", 2, &two, 2_000).await.unwrap(), Appended::Moved, "{name}");
        assert_eq!(store.append("s", 1, &two, 2_000).await.unwrap(), Appended::Done, "{name}");
        assert_eq!(store.append("x", 1, &two, 2_000).await.unwrap(), Appended::Gone, "{name}");
        let again = [event("s", Some("c"), "three"), event("s", Some("b"), "another")];
        assert_eq!(store.append("s", 3, &again, 2_000).await.unwrap(), Appended::Known, "{name}");
        let twice = [event("s", Some("d"), "four"), event("s", Some("d"), "five")];
        assert_eq!(store.append("s", 3, &twice, 2_000).await.unwrap(), Appended::Known, "{name}");
        assert_eq!(store.length("s").await.unwrap(), Some(3), "{name}: what was not appended left nothing");
        assert_eq!(store.length("x").await.unwrap(), None);
        assert_eq!(store.events("s", 1, 10).await.unwrap(), two, "{name}");
        assert_eq!(store.events("s", 0, 1).await.unwrap().len(), 1, "{name}");
        let ids = ["b".to_owned(), "z".to_owned()];
        assert_eq!(store.items("s", &ids).await.unwrap(), [two[1].clone()], "{name}");
        let there = store.session("t", "s", 1_500).await.unwrap().unwrap();
        assert_eq!(there.expires, 2_000, "{name}: what is appended keeps the tree");
        assert!(store.session("t", "s", 2_000).await.unwrap().is_none(), "{name}: its time is over");
        assert!(store.session("other", "s", 0).await.unwrap().is_none(), "{name}: another tenant's");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_one_tree_share_its_log() {
    for Database { name, store, .. } in Database::each().await {
        begun(&*store, "t", "top").await;
        let began = event("below", None, "");
        let below = kept("t", "below", "top");
        assert_eq!(store.begin(&below, 0, &began).await.unwrap(), Appended::Moved, "{name}");
        assert_eq!(store.begin(&below, 1, &began).await.unwrap(), Appended::Done, "{name}");
        assert_eq!(store.begin(&below, 2, &began).await.unwrap(), Appended::Known, "{name}");
        let nowhere = kept("t", "lost", "nowhere");
        assert_eq!(store.begin(&nowhere, 0, &event("lost", None, "")).await.unwrap(), Appended::Gone, "{name}");
        // An id of an item is one session's.
        let same = [event("top", Some("a"), "1"), event("below", Some("a"), "2")];
        assert_eq!(store.append("top", 2, &same, 0).await.unwrap(), Appended::Done, "{name}");
        assert_eq!(store.session_count("t", 0).await.unwrap(), 2, "{name}");
        let listed = store.sessions("t", None, 1, 0).await.unwrap();
        assert_eq!(listed[0].id, "below", "{name}");
        let last = Some((listed[0].created, listed[0].id.clone()));
        assert_eq!(store.sessions("t", last, 9, 0).await.unwrap()[0].id, "top", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_writers_each_event_that_was_acknowledged_is_there_once() {
    for database in Database::each().await {
        let (name, store) = (database.name, Arc::clone(&database.store));
        begun(&*store, "t", "s").await;
        let mut writers = Vec::new();
        for writer in 0..16 {
            let store = match database.another().await {
                Some(another) => another,
                None => Arc::clone(&store),
            };
            writers.push(tokio::spawn(async move {
                let mut done = Vec::new();
                for number in 0..12 {
                    let id = format!("{writer}-{number}");
                    loop {
                        let at = store.length("s").await.unwrap().unwrap();
                        match store.append("s", at, &[event("s", Some(&id), &id)], 0).await.unwrap() {
                            Appended::Done => break done.push(id),
                            Appended::Moved => {}
                            other @ (Appended::Known | Appended::Gone) => panic!("{other:?}"),
                        }
                    }
                }
                done
            }));
        }
        let mut done = BTreeSet::new();
        for writer in writers {
            done.extend(writer.await.unwrap());
        }
        let events = store.events("s", 1, 1_000).await.unwrap();
        assert_eq!(events.len(), 16 * 12, "{name}: no gap and nothing twice");
        let there: BTreeSet<String> = events.into_iter().filter_map(|event| event.item).collect();
        assert_eq!(there, done, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_a_token_and_a_shelf_keep_what_they_are_given() {
    for Database { name, store, .. } in Database::each().await {
        begun(&*store, "t", "s").await;
        assert!(store.snapshot("s").await.unwrap().is_none());
        store.keep_snapshot("s", 1, &[0, 255, 3]).await.unwrap();
        store.keep_snapshot("s", 2, b"later").await.unwrap();
        assert_eq!(store.snapshot("s").await.unwrap(), Some((2, b"later".to_vec())), "{name}");
        store.keep_snapshot("gone", 2, b"x").await.unwrap();
        assert!(store.snapshot("gone").await.unwrap().is_none(), "{name}: of no tree");
        let token = |id: &str, tenant: &str, expires| Token {
            id: id.to_owned(),
            tenant: tenant.to_owned(),
            name: "ci".to_owned(),
            digest: [9; 32],
            scopes: "loop".to_owned(),
            created: 1,
            expires,
        };
        assert!(store.add_token(&token("a", "t", None)).await.unwrap());
        assert!(!store.add_token(&token("a", "u", None)).await.unwrap(), "{name}: an id is one token's");
        assert!(store.add_token(&token("b", "u", Some(8))).await.unwrap());
        assert_eq!(store.token("b").await.unwrap(), Some(token("b", "u", Some(8))), "{name}");
        assert_eq!(store.tokens(None).await.unwrap().len(), 2);
        assert_eq!(store.tokens(Some("t")).await.unwrap(), [token("a", "t", None)], "{name}");
        assert!(!store.remove_token(Some("t"), "b").await.unwrap(), "{name}: another tenant's");
        assert!(store.remove_token(None, "b").await.unwrap());
        assert_eq!(store.token("b").await.unwrap(), None, "{name}");
        store.put("t", Shelf::Shortcuts, "x", "1").await.unwrap();
        store.put("t", Shelf::Shortcuts, "x", "2").await.unwrap();
        store.put("t", Shelf::Documents, "x", "3").await.unwrap();
        assert_eq!(store.get("t", Shelf::Shortcuts, "x").await.unwrap().as_deref(), Some("2"), "{name}");
        assert_eq!(store.get("u", Shelf::Shortcuts, "x").await.unwrap(), None, "{name}: another tenant's");
        assert_eq!(store.all("t", Shelf::Documents).await.unwrap(), [("x".to_owned(), "3".to_owned())]);
        assert!(store.remove("t", Shelf::Shortcuts, "x").await.unwrap());
        assert!(!store.remove("t", Shelf::Shortcuts, "x").await.unwrap(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_found_by_what_they_are() {
    let refusal = |time, reason: &str, host: &str| Refusal {
        time,
        session: "s".to_owned(),
        reason: reason.to_owned(),
        tool: "web_fetch".to_owned(),
        host: host.to_owned(),
        line: format!("{{\"time\":{time}}}"),
    };
    for Database { name, store, .. } in Database::each().await {
        let lines = [refusal(1, "a", "x"), refusal(2, "b", "x"), refusal(3, "a", "y")];
        store.log("t", &lines).await.unwrap();
        store.log("u", &[refusal(4, "a", "x")]).await.unwrap();
        let all = store.refusals("t", &Wanted::default(), 0, 10).await.unwrap();
        assert_eq!(all, [lines[2].clone(), lines[1].clone(), lines[0].clone()], "{name}: the youngest first");
        let page = store.refusals("t", &Wanted::default(), 1, 1).await.unwrap();
        assert_eq!(page, [lines[1].clone()], "{name}");
        let wanted = Wanted { reason: Some("a".to_owned()), from: Some(2), ..Wanted::default() };
        assert_eq!(store.refusals("t", &wanted, 0, 10).await.unwrap(), [lines[2].clone()], "{name}");
        let wanted = Wanted { to: Some(3), ..Wanted::default() };
        let counts = store.counts("t", &wanted, By::Reason, 10).await.unwrap();
        assert_eq!(counts, [("a".to_owned(), 1), ("b".to_owned(), 1)], "{name}");
        let counts = store.counts("t", &Wanted::default(), By::Host, 1).await.unwrap();
        assert_eq!(counts, [("x".to_owned(), 2)], "{name}");
        assert_eq!(store.forget_refusals(3).await.unwrap(), 2, "{name}");
        assert_eq!(store.refusals("t", &Wanted::default(), 0, 10).await.unwrap().len(), 1, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_or_over_leaves_nothing_behind() {
    for Database { name, store, place } in Database::each().await {
        for id in ["kept", "deleted", "over"] {
            begun(&*store, "t", id).await;
            let words = format!("canary-{id}");
            let many: Vec<Event> =
                (0..40).map(|n| event(id, Some(&format!("{n}")), &format!("{words} {}", "x".repeat(900)))).collect();
            let expires = if id == "over" { 1_000 } else { 9_000 };
            assert_eq!(store.append(id, 1, &many, expires).await.unwrap(), Appended::Done);
            store.keep_snapshot(id, 41, words.as_bytes()).await.unwrap();
        }
        assert!(!store.delete("other", "deleted").await.unwrap(), "{name}: another tenant's");
        assert!(store.delete("t", "deleted").await.unwrap());
        assert!(!store.delete("t", "deleted").await.unwrap(), "{name}");
        assert_eq!(store.expire(1_000, 10).await.unwrap(), ["over"], "{name}");
        for gone in ["deleted", "over"] {
            assert_eq!(store.length(gone).await.unwrap(), None, "{name}");
            assert!(store.events(gone, 0, 9).await.unwrap().is_empty(), "{name}");
            assert!(store.snapshot(gone).await.unwrap().is_none(), "{name}");
            assert!(store.session("t", gone, 0).await.unwrap().is_none(), "{name}");
        }
        let Place::Folder(folder) = &place else { continue };
        // A read that went on may have kept the log; the next write tries again.
        store.ready().await.unwrap();
        for gone in ["canary-deleted", "canary-over"] {
            assert!(!holds(folder.path(), gone), "{name}: {gone} stands in a file");
        }
        store.close().await;
        assert!(holds(folder.path(), "canary-kept"), "the search finds what is there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_server_uses_a_file_and_others_stand_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firsthand.db");
    let first = Sqlite::open(&file).unwrap();
    first.migrate().await.unwrap();
    let second = Sqlite::open(&file).map(drop).unwrap_err();
    assert!(second.to_string().contains("another server uses it"), "{second}");
    let beside = Sqlite::open_beside(&file).unwrap();
    assert!(beside.tokens(None).await.unwrap().is_empty());
    drop(first);
    assert!(Sqlite::open(&file).is_ok(), "the file is free when the first is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_another_version_are_not_used() {
    for Database { name, store, place } in Database::each().await {
        assert_eq!(store.migrate().await.unwrap(), (1, 1), "{name}: twice is once");
        store.ready().await.unwrap();
        match &place {
            Place::Folder(folder) => {
                store.close().await;
                let file = folder.path().join("firsthand.db");
                rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", 9).unwrap();
                let newer = Sqlite::open_beside(&file).unwrap();
                assert!(matches!(newer.ready().await, Err(StoreError::Newer { found: 9, .. })), "{name}");
                assert!(matches!(newer.migrate().await, Err(StoreError::Newer { found: 9, .. })), "{name}");
                let empty = Sqlite::open_beside(&folder.path().join("empty.db")).unwrap();
                assert!(matches!(empty.ready().await, Err(StoreError::Older { found: 0, .. })), "{name}");
            }
            Place::Url(url) => {
                let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                client.execute("UPDATE version SET version = 9", &[]).await.unwrap();
                assert!(matches!(store.ready().await, Err(StoreError::Newer { found: 9, .. })), "{name}");
                assert!(matches!(store.migrate().await, Err(StoreError::Newer { found: 9, .. })), "{name}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_a_database_like_the_first() {
    let Database { store, place, .. } = Database::sqlite().await;
    let Place::Folder(folder) = &place else { return };
    begun(&*store, "t", "s").await;
    let copy = folder.path().join("copy.db");
    store.back_up(&copy).await.unwrap();
    assert!(store.back_up(&copy).await.is_err(), "what is there is not overwritten");
    let copied = Sqlite::open(&copy).unwrap();
    copied.ready().await.unwrap();
    assert_eq!(copied.length("s").await.unwrap(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_acknowledges_nothing_and_what_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firsthand.db");
    let store = Sqlite::open(&file).unwrap();
    store.migrate().await.unwrap();
    begun(&store, "t", "s").await;
    // As many pages as there are and some more: to SQLite that is a full disk.
    store.limit_pages(120).await.unwrap();
    let mut at = 1;
    let failed = loop {
        let one = [event("s", Some(&at.to_string()), &"x".repeat(20_000))];
        match store.append("s", at, &one, 0).await {
            Ok(appended) => assert_eq!(appended, Appended::Done),
            Err(error) => break error,
        }
        at += 1;
        assert!(at < 1_000, "the disk was never full");
    };
    assert!(failed.to_string().contains("the disk is full"), "{failed}");
    assert_eq!(store.length("s").await.unwrap(), Some(at), "what failed left nothing");
    assert_eq!(store.events("s", 0, 1_000).await.unwrap().len() as u64, at);
    store.limit_pages(100_000).await.unwrap();
    let one = [event("s", Some("after"), "x")];
    assert_eq!(store.append("s", at, &one, 0).await.unwrap(), Appended::Done, "with space it goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_goes_away_answers_nothing_and_comes_back_with_all_that_was_acknowledged() {
    let Some((cluster, store)) = own_postgres().await else {
        eprintln!("skipped: PostgreSQL is not installed");
        return;
    };
    begun(&*store, "t", "s").await;
    for at in 1..30 {
        let one = [event("s", Some(&at.to_string()), "x")];
        assert_eq!(store.append("s", at, &one, 0).await.unwrap(), Appended::Done);
    }
    cluster.down();
    assert!(store.append("s", 30, &[event("s", None, "x")], 0).await.is_err());
    assert!(store.length("s").await.is_err());
    assert!(store.ready().await.is_err());
    cluster.up();
    // A connection that broke may be met once more.
    for _ in 0..20 {
        if store.length("s").await.is_ok() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(store.length("s").await.unwrap(), Some(30));
    assert_eq!(store.append("s", 30, &[event("s", None, "x")], 0).await.unwrap(), Appended::Done);
}

#[test]
fn both_databases_have_the_same_migrations_and_tables() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/store/migrations");
    let read = |engine: &str| {
        let mut files: Vec<_> =
            std::fs::read_dir(format!("{folder}/{engine}")).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let names: Vec<String> =
            files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
        let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        (names, text)
    };
    let (of_sqlite, sqlite) = read("sqlite");
    let (of_postgres, postgres) = read("postgres");
    assert_eq!(of_sqlite, of_postgres);
    let columns = |sql: &str| {
        let mut table = String::new();
        let mut columns = BTreeSet::new();
        for line in sql.lines() {
            if let Some(name) = line.strip_prefix("CREATE TABLE ") {
                table = name.trim_end_matches(" (").to_owned();
            } else if line.starts_with("  ") && !line.trim().starts_with("PRIMARY KEY") {
                let mut words = line.split_whitespace();
                let (name, kind) = (words.next().unwrap(), words.next().unwrap().trim_end_matches(','));
                let kind = match kind {
                    "INTEGER" => "BIGINT",
                    "BLOB" => "BYTEA",
                    kind => kind,
                };
                // The number of a row, by which SQLite tells refusals apart, is a random text where many servers write.
                let kind = if (table.as_str(), name) == ("refusal", "id") { "TEXT" } else { kind };
                columns.insert(format!("{table}.{name} {kind}"));
            }
        }
        columns
    };
    assert_eq!(columns(&sqlite), columns(&postgres));
    assert!(columns(&sqlite).contains("event.body TEXT"));
}

/// The words of SQL that CockroachDB and YugabyteDB document too.
const ALLOWED: &str = "ALL AND ANY AS ASC BIGINT BY BYTEA CASCADE COALESCE CONFLICT COUNT CREATE DELETE DESC DO EXCLUDED \
    EXISTS FOR FROM GREATEST GROUP IF INDEX INSERT INTO IS JOIN KEY LIMIT NOT NOTHING NULL OFFSET ON OR ORDER PRIMARY \
    REFERENCES SELECT SET TABLE TEXT UNIQUE UPDATE VALUES WHERE";

#[test]
fn postgres_is_asked_only_what_others_of_its_kind_understand() {
    let source = include_str!("../../src/store/postgres.rs");
    let migrations = include_str!("../../src/store/migrations/postgres/0001_begin.sql");
    let mut words = BTreeSet::new();
    let upper = |word: &&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let literals = source.split('"').skip(1).step_by(2).filter(|text| {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", " AND ", "WHERE"].iter().any(|verb| text.starts_with(verb))
    });
    for text in literals.chain([migrations]) {
        words.extend(text.split(|letter: char| !letter.is_ascii_alphabetic()).filter(upper));
    }
    let allowed: BTreeSet<&str> = ALLOWED.split_whitespace().collect();
    let strange: Vec<&&str> = words.difference(&allowed).collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(words.contains("CONFLICT") && words.contains("GROUP"), "the statements are read");
    for word in ["LISTEN", "NOTIFY", "ADVISORY"] {
        assert!(!source.to_uppercase().replace("NO ADVISORY", "").contains(&format!("{word} ")), "{word}");
    }
}
