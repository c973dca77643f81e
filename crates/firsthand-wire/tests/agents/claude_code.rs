//! Transcripts of Claude Code.
use crate::shared::{files, folder};
use crate::shown::shown;

#[test]
fn dump() {
    let Some(folder) = folder() else { return };
    for path in files(&folder.join("examples/claude-code/scenario"), ".jsonl")
        .iter()
        .chain(&files(&folder.join("examples/claude-code/fixtures"), ".jsonl"))
        .chain(&files(&folder.join("examples/claude-code/agent-sdk"), ".jsonl"))
    {
        let bytes = std::fs::read(path).unwrap();
        println!(
            "== {}\n{}",
            path.display(),
            shown("claude-code", path.to_str().unwrap(), &bytes)
                .lines()
                .map(|l| l.chars().take(230).collect::<String>())
                .collect::<Vec<_>>()
                .join("\n")
        );
    }
}
