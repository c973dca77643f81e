//! Input and options that are wrong: exit status 2, and a message that helps.

use crate::tool::Folder;

#[test]
fn unknown_options_and_values_are_usage_errors() {
    let folder = Folder::new();
    for arguments in [
        &["trace"][..],
        &["trace", "x", "--fail-on", "maybe"],
        &["trace", "x", "--jobs", "0"],
        &["check", "x", "--tool", "t"],
        &["check", "x", "--url", "u"],
        &["items", "x", "--format", "word"],
        &["urls", "--as", "pdf"],
        &["policy", "firsthand", "--suggest", "x"],
        &["nothing"],
    ] {
        let done = folder.run(arguments);
        done.exits(2).complains(&["error:"]);
        assert_eq!(done.out, "");
    }
}

#[test]
fn a_usage_error_never_repeats_an_address() {
    let folder = Folder::new();
    let address = "https://secret.example/?token=hunter2";
    for arguments in [
        &["check", "x", "--tool", "t", "--url", address, address, address][..],
        &["urls", "--as", address],
        &[address],
        &["trace", "x", "--fail-on", address],
        &["items", "x", &format!("--{address}")],
    ] {
        let done = folder.run(arguments);
        done.exits(2);
        assert!(!done.err.contains("secret") && !done.err.contains("hunter2"), "{}", done.err);
    }
}

#[test]
fn a_named_file_that_cannot_be_read_is_named_with_the_reason() {
    let folder = Folder::new();
    for arguments in [
        &["urls", "gone.txt"][..],
        &["items", "gone.txt"],
        &["trace", "gone.txt"],
        &["check", "gone.txt", "--tool", "t", "--url", "u"],
        &["explain", "gone.txt", "--url", "u"],
        &["policy", "--suggest", "gone.txt"],
    ] {
        folder.run(arguments).exits(2).complains(&["gone.txt: cannot be read: there is no such file"]);
    }
    folder.run(&["items", "."]).exits(2).complains(&[".: is a directory; expected a file"]);
}

#[test]
#[cfg(unix)]
fn the_name_of_a_file_begins_no_line_of_its_own() {
    let folder = Folder::new();
    let name = "a\nfirsthand: b\u{1b}[2J.json";
    folder.file(name, "{\"conversation\":\"c\"}\n{\"position\":1}\n");
    for arguments in [&["trace", "."][..], &["trace", name], &["items", name], &["policy", name]] {
        let done = folder.run(arguments);
        done.exits(2).complains(&["a\\u{a}firsthand: b\\u{1b}[2J.json: "]);
        assert!(!done.err.contains("\nfirsthand: b") && !done.err.contains('\u{1b}'), "{}", done.err);
    }
}

#[test]
fn a_policy_is_a_profile_or_a_file() {
    let folder = Folder::new();
    folder.file("run.jsonl", "{\"position\":\"user\",\"text\":\"hello\"}\n");
    let arguments = ["check", "run.jsonl", "--tool", "t", "--url", "u", "--policy", "manged-agents"];
    folder.run(&arguments).exits(2).complains(&["manged-agents: policy:", "managed-agents", "person-only"]);
}

#[test]
fn an_empty_file_is_told() {
    let folder = Folder::new();
    folder.file("empty.jsonl", "");
    for arguments in [
        &["items", "empty.jsonl"][..],
        &["trace", "empty.jsonl"],
        &["check", "empty.jsonl", "--tool", "t", "--url", "https://a.example/"],
        &["explain", "empty.jsonl", "--url", "https://a.example/"],
    ] {
        folder.run(arguments).exits(2).complains(&["empty.jsonl: the file is empty"]);
    }
    folder.run(&["urls", "empty.jsonl", "--count"]).exits(0).says(&["0\n"]);
}

#[test]
fn bytes_that_are_not_text_are_named_with_their_line() {
    let folder = Folder::new();
    folder.file("latin.txt", b"one\ntwo \xe9\n");
    folder.run(&["urls", "latin.txt"]).exits(2).complains(&["latin.txt: line 2: byte 8 of the file is not UTF-8"]);
}

#[test]
fn standard_input_is_read_once() {
    let folder = Folder::new();
    let arguments = ["check", "-", "--parent", "-", "--tool", "t", "--url", "u"];
    folder.run(&arguments).exits(2).complains(&["`-` more than once"]);
}

/// The three commands that judge a conversation of this file.
fn judging(file: &str) -> [Vec<&str>; 3] {
    let url = "https://docs.example/guide";
    [
        vec!["trace", file, "--json"],
        vec!["check", file, "--tool", "web_fetch", "--url", url, "--json"],
        vec!["explain", file, "--url", url, "--json"],
    ]
}

#[test]
fn broken_input_is_told_with_its_place_and_gets_no_verdict() {
    const PERSON: &str = r#"{"position":"user","text":"Read https://docs.example/guide please."}"#;
    let folder = Folder::new();
    let after = |line: &[u8]| [PERSON.as_bytes(), b"\n", line, b"\n"].concat();
    for (name, bytes, told) in [
        ("broken.jsonl", after(br#"{"position":"user","text":https://secret.example/}"#), "line 2 column"),
        ("cut.jsonl", after(br#"{"position":"tool_call","id":"1","tool":"web_fetch","argum"#), "line 2"),
        ("latin.jsonl", after(b"{\"position\":\"user\",\"text\":\"caf\xe9 https://secret.example/\"}"), "line 2: byte"),
        ("list.jsonl", after(br#"["user"]"#), "line 2: found"),
        ("key.jsonl", after(br#"{"position":"user","text":"x","txet":"https://secret.example/"}"#), "txet"),
        ("place.jsonl", after(br#"{"position":"somewhere","text":"https://secret.example/"}"#), "somewhere"),
        ("number.jsonl", after(br#"{"position":"user","text":7}"#), "line 2"),
        ("other.json", br#"{"hello":"https://secret.example/"}"#.to_vec(), "expected one of a known format"),
        ("words.txt", b"only words and https://secret.example/".to_vec(), "found something that is not JSON"),
        ("blank.jsonl", b" \n\n".to_vec(), "the file is empty"),
    ] {
        folder.file(name, bytes);
        for arguments in judging(name) {
            let done = folder.run(&arguments);
            done.exits(2).complains(&[name, told]);
            assert!(!done.out.contains("verdict") && !done.out.contains("sightings"), "{name}: {}", done.out);
            assert!(!done.err.contains("secret"), "{}", done.err);
        }
    }
}

#[test]
fn a_transcript_that_ends_in_half_a_line_shows_what_is_missing() {
    let line = |kind: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{kind}","parentUuid":null,"sessionId":"s","isSidechain":false,"message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let folder = Folder::new();
    folder.file(
        "cut.jsonl",
        [line("user", "\"Read https://docs.example/guide\""), "{\"type\":\"assist".into()].join("\n"),
    );
    folder.run(&["items", "cut.jsonl", "--json"]).exits(0).says(&["\"hidden\"", "cut off"]);
    folder.file("cut.jsonl", "{\"type\":\"user\",\"uuid\":\"a\",\"parentU");
    folder.run(&["trace", "cut.jsonl"]).exits(2).complains(&["cut.jsonl"]);
}

#[test]
fn a_result_of_no_call_makes_no_source_and_a_repeated_id_takes_the_stricter_class() {
    let folder = Folder::new();
    let call = |tool: &str| format!(r#"{{"position":"tool_call","id":"1","tool":"{tool}","arguments":{{}}}}"#);
    let result = r#"{"position":"tool_result","id":"1","text":"https://docs.example/guide"}"#.to_owned();
    let (search, shell) = (call("web_search"), call("bash"));
    for (name, lines, status, writer) in [
        ("one.jsonl", vec![search.clone(), result.clone()], 0, "world"),
        ("no_call.jsonl", vec![result.clone()], 1, "ignored"),
        ("twice.jsonl", vec![search, shell, result], 1, "ignored"),
    ] {
        folder.file(name, lines.join("\n"));
        let [_, check, _] = judging(name);
        folder.run(&check).exits(status);
        let items = folder.run(&["items", name, "--json"]).json();
        assert_eq!(items.last().unwrap().get("writer").unwrap(), writer, "{name}");
    }
}

#[test]
fn a_line_of_megabytes_is_read() {
    let folder = Folder::new();
    let words = "https://docs.example/guide and more words. ".repeat(100_000);
    folder.file("long.jsonl", format!("{{\"position\":\"user\",\"text\":\"{words}\"}}\n"));
    let [_, check, _] = judging("long.jsonl");
    folder.run(&check).exits(0);
    folder.file("long.jsonl", format!("{{\"position\":\"user\",\"text\":\"{words}"));
    folder.run(&check).exits(2).complains(&["long.jsonl: line 1"]);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_told() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    folder.file("shut.jsonl", "{}");
    let shut = folder.path().join("shut.jsonl");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&shut).is_ok() {
        println!("not run: this user may read a file without permission");
        return;
    }
    for arguments in judging("shut.jsonl") {
        folder.run(&arguments).exits(2).complains(&["shut.jsonl: cannot be read: permission denied"]);
    }
}
