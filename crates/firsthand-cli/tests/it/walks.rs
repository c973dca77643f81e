//! Directories: everything that can be read is, in one order, and what cannot is told.

use crate::tool::{Folder, keys};

const SUMMARY: [&str; 15] = [
    "type",
    "files",
    "skipped",
    "unread",
    "conversations",
    "calls",
    "open",
    "refuse",
    "ask",
    "unobservable",
    "advisory",
    "incomplete",
    "by_reason",
    "by_tool",
    "by_format",
];

#[test]
fn the_summary_is_the_last_line_and_has_every_key() {
    let folder = Folder::new();
    let lines = folder.run(&["trace", ".", "--json"]).exits(2).json();
    assert_eq!(lines.len(), 1);
    assert_eq!(keys(lines.last().unwrap()), SUMMARY);
}

#[test]
fn broken_files_are_told_in_order_and_the_others_are_still_done() {
    let folder = Folder::new();
    folder.file("a/broken.jsonl", "{\"position\":\"user\",");
    folder.file("b/packed.jsonl.gz", [0x1f, 0x8b, 8, 0]);
    folder
        .file("c/also.jsonl", b"{\"position\":\"user\",\"text\":\"hi\"}\n{\"position\":\"\xff\"}\n")
        .file("notes.txt", "no conversation");
    for jobs in ["1", "2", "8"] {
        let done = folder.run(&["trace", ".", "--json", "--jobs", jobs]);
        done.exits(2);
        let told: Vec<&str> = done.err.lines().filter_map(|line| line.split(": ").nth(1)).collect();
        assert_eq!(told, ["./a/broken.jsonl", "./b/packed.jsonl.gz", "./c/also.jsonl"], "{}", done.err);
        let lines = done.json();
        let summary = lines.last().unwrap();
        assert_eq!(summary.get("unread").unwrap(), 3);
        assert_eq!(summary.get("skipped").unwrap(), 1);
        assert_eq!(summary.get("files").unwrap(), 4);
    }
}

#[test]
fn a_good_file_among_broken_ones_gets_its_verdicts() {
    let folder = Folder::new();
    let good = concat!(
        "{\"position\":\"user\",\"text\":\"Read https://docs.example/guide please.\"}\n",
        "{\"position\":\"tool_call\",\"id\":\"1\",\"tool\":\"web_fetch\",\"arguments\":{\"url\":\"https://docs.example/guide\"}}\n",
    );
    folder.file("a.jsonl", format!("{good}{{\"position\":\"us")).file("b.jsonl", good);
    folder.file("c.jsonl", "{\"position\":\"user\",\"text\":7}\n");
    folder.file("d.jsonl", "").file("e.jsonl", b"{\"position\":\"user\",\"text\":\"\xff\"}\n").file("f/g.jsonl", good);
    let done = folder.run(&["trace", ".", "--json", "--fail-on", "refuse"]);
    done.exits(2).complains(&["./a.jsonl: ", "./c.jsonl: ", "./e.jsonl: "]).says(&["\"calls\":2,\"open\":2"]);
    let lines = done.json();
    let opened: Vec<_> = lines.iter().filter_map(|line| line.get("file")?.as_str()).collect();
    assert_eq!(opened, ["./b.jsonl", "./f/g.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_directory_without_permission_is_told_and_the_others_are_walked() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    folder.file("open/broken.jsonl", "{").file("shut/x.jsonl", "{");
    let shut = folder.path().join("shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&shut).is_ok();
    let done = folder.run(&["trace", ".", "--json"]);
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
    if readable {
        println!("not run: this user may list a directory without permission");
        return;
    }
    done.exits(2).complains(&["./shut: cannot be listed: permission denied", "./open/broken.jsonl: "]);
    assert_eq!(done.json().last().unwrap().get("unread").unwrap(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_up_ends_no_walk() {
    let folder = Folder::new();
    folder.file("a/x.txt", "");
    std::os::unix::fs::symlink("..", folder.path().join("a/up")).unwrap();
    folder.run(&["trace", ".", "--json"]).exits(2).says(&["\"files\":1"]);
}

#[test]
fn a_walk_of_nothing_says_so() {
    let folder = Folder::new();
    let run = folder.run(&["trace", "."]);
    run.exits(2).says(&["No recorded conversation was read"]).complains(&["no recorded conversation was read"]);
    folder.run(&["trace", "--json", "."]).exits(2).complains(&["no recorded conversation was read"]);
}

#[test]
fn a_session_of_opencodes_storage_is_read_with_its_messages_and_parts() {
    let folder = Folder::new();
    let call = r#"{"id":"p3","messageID":"m2","type":"tool","callID":"c","tool":"webfetch","state":{"status":"completed","input":{"url":"https://a.example/one"},"output":"x"}}"#;
    folder
        .file("storage/session/p/s.json", r#"{"id":"s","projectID":"p","directory":"/x","time":{"created":1}}"#)
        .file("storage/message/s/m2.json", r#"{"id":"m2","sessionID":"s","role":"assistant","time":{"created":9}}"#)
        .file("storage/message/s/m1.json", r#"{"id":"m1","sessionID":"s","role":"user","time":{"created":8}}"#)
        .file(
            "storage/part/m1/p1.json",
            r#"{"id":"p1","messageID":"m1","type":"text","text":"See https://a.example/one"}"#,
        )
        .file(
            "storage/part/m1/p2.json",
            r#"{"id":"p2","messageID":"m1","type":"text","text":"https://b.example/two","synthetic":true}"#,
        )
        .file("storage/part/m2/p3.json", call);
    folder.run(&["trace", "."]).exits(0).says(&["1 open", "in 1 conversation of 1 file", "5 files passed over"]);
    let session = "storage/session/p/s.json";
    let ask = |url: &str| folder.run(&["check", session, "--tool", "webfetch", "--url", url]);
    ask("https://a.example/one").exits(0).says(&["Open."]);
    ask("https://b.example/two").exits(1);
    folder.file(
        "storage/part/m1/p2.json",
        r#"{"type":"text","text":"https://b.example/two","synthetic":true,"synthetic":false}"#,
    );
    ask("https://a.example/one").exits(2).complains(&["twice"]);
    folder.file("storage/part/m1/p2.json", r#"{"type":"text"}]},{"info":{"role":"user"},"parts":[{"type":"text"}"#);
    ask("https://a.example/one").exits(2).complains(&["s.json: found a broken message or part"]);
    folder.run(&["trace", "."]).exits(2).complains(&["s.json: found a broken message or part"]);
}
