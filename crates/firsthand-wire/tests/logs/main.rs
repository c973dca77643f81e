//! Readers of agents' own logs: what they make of the stories in `tests/data`, of traps, of broken files, and of the
//! shared collection of real ones where it stands beside the checkout.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is the report of a test, and a skip is said"
)]
#![expect(clippy::disallowed_methods, reason = "a test reads the recordings where they are")]

#[path = "../agents/shown.rs"]
mod shown;
#[path = "../agents/shared.rs"]
mod shared;
mod stories;
mod traps;
mod broken;
mod recordings;

use std::path::{Path, PathBuf};

/// The stories, each with its format.
const STORIES: &[(&str, &str)] = &[
    ("antigravity", "story.jsonl"),
    ("autogen", "surfer.json"),
    ("autogen", "team.json"),
    ("copilot-cli", "story.jsonl"),
    ("cursor", "story.jsonl"),
    ("droid", "story.jsonl"),
    ("droid", "stream.jsonl"),
    ("grok", "story.jsonl"),
    ("hermes", "story.json"),
    ("kimi", "story.jsonl"),
    ("opencode", "story.json"),
    ("pi", "branches.jsonl"),
    ("pi", "story.jsonl"),
    ("qwen-code", "story.jsonl"),
    ("qwen-react", "story.jsonl"),
    ("specstory", "story.md"),
];

fn story(format: &str, name: &str) -> (PathBuf, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format).join(name);
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}
