//! What the README shows is what the command prints.

use std::path::Path;
use std::process::Command;

#[test]
fn the_replay_that_the_readme_shows_is_what_a_newcomer_sees() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_firsthand"))
        .args(["trace", "examples/injected-page.jsonl"])
        .current_dir(&root)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    assert!(shown.lines().count() > 5, "the README shows the replay");
    for line in shown.lines() {
        assert!(printed.contains(&line.trim_end()), "the README shows a line that is not printed: {line}");
    }
}
