//! The shared examples and recordings: every file is told to be of its format and reads.

use std::path::Path;

use firsthand_wire::format::{Choice, Source, read};

use crate::shared::{files, folder};

/// Files that are no conversations by their kind.
fn is_state(name: &str) -> bool {
    name.contains("summary.json") || name.ends_with("state.json") || name.contains("/opencode")
}

/// Agents by the beginning of their files' names, and their formats.
const AGENTS: &[(&str, &str)] = &[
    ("antigravity", "antigravity"),
    ("copilot", "copilot-cli"),
    ("cursor", "cursor"),
    ("droid", "droid"),
    ("grok", "grok"),
    ("hermes", "hermes"),
    ("kimi", "kimi"),
    ("openclaw", "pi"),
    ("pi", "pi"),
    ("qwen", "qwen-code"),
];

#[track_caller]
fn reads(path: &Path, format: &str) {
    let name = path.to_str().unwrap();
    let bytes = std::fs::read(path).unwrap();
    let read = read(&bytes, Choice::Auto, &Source { name });
    // Two objects stand on one line of this file.
    if name.ends_with("000000000005.jsonl") {
        return assert!(!read.unwrap_err().is_skipped());
    }
    if is_state(name) {
        return assert!(read.unwrap_err().is_skipped(), "{name}");
    }
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read.format, format, "{name}");
}

#[test]
fn every_recording_of_an_agents_log_reads() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for path in files(&folder.join("transcripts/other-cli-sessions"), "") {
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        // Gemini CLI has a reader of its own.
        if let Some((_, format)) = AGENTS.iter().find(|(agent, _)| file.starts_with(agent)) {
            reads(&path, format);
            count += 1;
        }
    }
    for (kind, format) in [
        ("autogen-multiagent-json", "autogen"),
        ("pi-session-jsonl", "pi"),
        ("qwen-react-chatml", "qwen-react"),
        ("specstory-md", "specstory"),
    ] {
        for path in files(&folder.join("transcripts").join(kind), "") {
            reads(&path, format);
            count += 1;
        }
    }
    assert!(count > 140, "{count}");
    for (agent, format) in AGENTS.iter().filter(|(agent, _)| *agent != "antigravity") {
        for path in files(&folder.join("examples/other-agents").join(agent), "") {
            reads(&path, format);
        }
    }
}

#[test]
fn every_run_of_qwens_is_a_conversation_of_its_own() {
    let Some(folder) = folder() else { return };
    for path in files(&folder.join("transcripts/qwen-react-chatml"), ".jsonl") {
        let read = read(&std::fs::read(path).unwrap(), Choice::Auto, &Source { name: "runs.jsonl" }).unwrap();
        assert_eq!(read.conversations.len(), 200);
        assert_eq!(read.conversations.get(7).unwrap().id, "runs#7");
    }
}
