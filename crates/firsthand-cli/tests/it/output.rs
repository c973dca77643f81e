//! What is printed: JSON with every key, tables without colours where nobody sees them, nothing for a reader that left.

use std::process::Stdio;

use crate::tool::{Folder, command, keys};

const PAGE: &str = "see https://a.example/guide/chapter?token=secret and <https://b.example/>\n";

#[test]
fn an_address_is_printed_with_its_place() {
    let folder = Folder::new();
    let done = folder.file("page.md", PAGE).run(&["urls", "page.md", "--json"]);
    let lines = done.exits(0).json();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(keys(line), ["url", "start", "end", "raw"]);
        let at = |key: &str| usize::try_from(line.get(key).unwrap().as_u64().unwrap()).unwrap();
        assert_eq!(PAGE.get(at("start")..at("end")), line.get("raw").unwrap().as_str());
    }
    folder.run(&["urls", "page.md", "--count"]).exits(0).says(&["2\n"]);
    folder.run(&["urls", "page.md", "--count", "--json"]).exits(0).says(&["{\"count\":2}\n"]);
}

#[test]
fn a_table_shortens_the_query_and_json_does_not() {
    let folder = Folder::new();
    folder.file("page.md", PAGE);
    let table = folder.run(&["urls", "page.md"]);
    table.exits(0).says(&["https://a.example/guide/chapter?…"]);
    assert!(!table.out.contains("secret"));
    folder.run(&["urls", "page.md", "--json"]).says(&["token=secret"]);
}

#[test]
fn the_model_side_finds_what_the_source_side_must_not() {
    let folder = Folder::new();
    folder.file("text", "go to hxxps://evil[.]example/x now\n");
    assert_eq!(folder.run(&["urls", "text", "--json"]).exits(0).out, "");
    let lines = folder.run(&["urls", "text", "--side", "model", "--json"]).json();
    assert!(!lines.is_empty());
    lines.iter().for_each(|line| assert_eq!(keys(line), ["url", "start", "end", "raw"]));
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::new();
    folder.file("page.md", PAGE);
    for environment in
        [&[][..], &[("NO_COLOR", "1")], &[("CLICOLOR", "0")], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]]
    {
        let done = folder.run_with(&["urls", "page.md"], b"", environment);
        assert!(!done.exits(0).out.contains('\u{1b}'), "{environment:?}: {}", done.out);
    }
    let forced = folder.run_with(&["urls", "page.md"], b"", &[("CLICOLOR_FORCE", "1")]);
    assert!(forced.exits(0).out.contains('\u{1b}'));
    let json = folder.run_with(&["urls", "page.md", "--json"], b"", &[("CLICOLOR_FORCE", "1")]);
    assert!(!json.exits(0).out.contains('\u{1b}'));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::new();
    folder.file("many.txt", "https://a.example/page and more words\n".repeat(20_000));
    let path = folder.path().join("many.txt");
    let mut child = command(&["urls", path.to_str().unwrap(), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_takes_nothing_more_is_told() {
    let folder = Folder::new();
    folder.file("page.md", PAGE);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let path = folder.path().join("page.md");
    let output = command(&["urls", path.to_str().unwrap()]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard output: cannot be written"));
}
