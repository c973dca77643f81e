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
