//! Rollouts of Codex CLI.
use crate::shared::{files, folder};
use crate::shown::shown;

#[test]
fn dump() {
    let Some(folder) = folder() else { return };
    for path in files(&folder.join("examples/codex/scenario"), ".jsonl")
        .iter()
        .chain(&files(&folder.join("examples/codex/fixtures"), ".jsonl"))
    {
        let bytes = std::fs::read(path).unwrap();
        println!(
            "== {}\n{}",
            path.display(),
            shown("codex", path.to_str().unwrap(), &bytes)
                .lines()
                .map(|l| l.chars().take(230).collect::<String>())
                .collect::<Vec<_>>()
                .join("\n")
        );
    }
}
