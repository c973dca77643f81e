//! The shared examples and recordings: every file reads, and what the examples say of addresses has its ground.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use firsthand::conversation::{Body, Conversation};
use firsthand_wire::ReadError;
use firsthand_wire::format::{Choice, Source, read};

use crate::shared::{files, folder};
use crate::shown::conversations;

fn read_file(path: &Path) -> Result<Vec<Conversation>, ReadError> {
    let name = path.to_string_lossy();
    read(&fs::read(path).unwrap(), Choice::Auto, &Source { name: &name }).map(|read| read.conversations)
}

#[test]
fn every_recording_reads_with_its_number_of_calls() {
    /// Calls without a message, or of the provider, are not in the manifest's numbers.
    const MORE: &[&str] = &["claude_schema_drift.jsonl", "codex_small.jsonl", "codex_large.jsonl"];
    let Some(folder) = folder() else { return };
    let manifest = fs::read_to_string(folder.join("transcripts/MANIFEST.tsv")).unwrap();
    let mut numbers = BTreeMap::new();
    for row in manifest.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        numbers.insert((*cells.first().unwrap()).to_owned(), cells.get(7).unwrap().parse::<usize>().unwrap());
    }
    let transcripts = folder.join("transcripts");
    let mut read = 0;
    for kind in ["claude-code-jsonl", "codex-rollout-jsonl"] {
        for path in files(&transcripts.join(kind), ".jsonl") {
            let name = path.strip_prefix(&transcripts).unwrap().to_string_lossy().into_owned();
            let conversations = read_file(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            let items = conversations.iter().flat_map(|conversation| &conversation.items);
            let calls = items.filter(|item| matches!(item.body, Body::Call(_))).count();
            let wanted = *numbers.get(&name).unwrap();
            let more = MORE.iter().any(|more| name.ends_with(more));
            assert!(if more { calls > wanted } else { calls == wanted }, "{name}: {calls}, {wanted}");
            read += 1;
        }
    }
    assert!(read > 60, "{read}");
}

#[test]
fn every_example_reads() {
    let Some(folder) = folder() else { return };
    for kind in ["claude-code", "codex", "anthropic-managed-agents"] {
        for path in files(&folder.join("examples").join(kind), ".jsonl") {
            let conversations = read_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!conversations.is_empty(), "{}", path.display());
        }
    }
}

/// The positions at which an address first stands in a conversation, in order.
fn positions(conversation: &Conversation, address: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for item in &conversation.items {
        let text = match &item.body {
            Body::User { text, .. }
            | Body::Said { text, .. }
            | Body::Attachment { text, .. }
            | Body::Answer { text, .. } => text,
            Body::Call(call) => &call.arguments,
            Body::Result(result) => result.content.text(),
            Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => continue,
        };
        if text.contains(address) {
            found.push(item.body.position().name());
        }
    }
    found
}

#[track_caller]
fn stands(conversation: &Conversation, address: &str, wanted: &[&str]) {
    assert_eq!(positions(conversation, address), wanted, "{} in {}", address, conversation.id);
}

#[test]
fn the_claude_code_scenario_puts_each_address_where_it_was_written() {
    let Some(folder) = folder() else { return };
    let scenario = folder.join("examples/claude-code/scenario");
    let session = "6f2c1c1e-8a55-4b61-9d0e-0c5b5f3a1e77";
    let main = read_file(&scenario.join(format!("{session}.jsonl"))).unwrap().remove(0);
    stands(&main, "https://docs.example.com/draft?id=7", &["user"]);
    stands(&main, "https://ir.example.com/results-2025", &["tool_result", "tool_call", "summary"]);
    stands(&main, "https://news.example.net/example-corp", &["tool_result"]);
    stands(&main, "https://queued.example.com/", &["user"]);
    stands(&main, "https://portal.example.com/42", &["tool_result"]);
    stands(&main, "https://ir.example.com/files/annual.pdf", &["tool_result"]);
    stands(&main, "https://reminder.example.com/", &["system"]);
    stands(&main, "https://ide.example.com/x", &["system"]);
    stands(&main, "https://attacker.example/", &["tool_call", "tool_result", "tool_call", "summary"]);
    stands(&main, "https://delegated.example.com/x", &["tool_call"]);
    stands(&main, "https://reported.example.com/y", &["report"]);
    let agent = scenario.join(session).join("subagents/agent-a0c0ffee00000001.jsonl");
    let side = read_file(&agent).unwrap().remove(0);
    stands(&side, "https://subhit.example.com/", &["tool_result"]);
    stands(&side, "https://delegated.example.com/x", &["task"]);
    assert_eq!(side.parent.unwrap().conversation, main.id);
}

#[test]
fn the_codex_scenario_puts_each_address_where_it_was_written() {
    let Some(folder) = folder() else { return };
    let read: Vec<Conversation> = files(&folder.join("examples/codex/scenario"), ".jsonl")
        .iter()
        .map(|path| read_file(path).unwrap().remove(0))
        .collect();
    let [main, side] = read.as_slice() else { panic!("two files") };
    stands(main, "https://docs.example.com/draft?id=7", &["user"]);
    stands(main, "https://ir.example.com/results-2025", &["tool_result", "summary"]);
    stands(main, "https://portal.example.com/42", &["tool_result"]);
    stands(main, "https://agentsmd.example.com/", &["system"]);
    stands(main, "https://attacker.example/", &["tool_call", "tool_result", "tool_call", "summary", "summary"]);
    stands(main, "https://delegated.example.com/x", &["tool_call"]);
    stands(main, "https://reported.example.com/y", &["report"]);
    stands(side, "https://delegated.example.com/x", &["task"]);
    assert_eq!(side.parent.as_ref().unwrap().conversation, main.id);
}

#[test]
fn the_managed_agents_scenario_puts_each_address_where_it_was_written() {
    let Some(folder) = folder() else { return };
    let path = folder.join("examples/anthropic-managed-agents/scenario.session_events.jsonl");
    let main = conversations("managed-agents", "session", &fs::read(path).unwrap()).remove(0);
    stands(&main, "https://docs.example.com/draft?id=7", &["user"]);
    stands(&main, "https://ir.example.com/results-2025", &["tool_result", "tool_call", "assistant"]);
    stands(&main, "https://ir.example.com/files/annual.pdf", &["tool_result"]);
    stands(&main, "https://attacker.example/?d=revenue-4.2m", &["tool_call", "tool_result", "tool_call"]);
    stands(&main, "https://brief.example.com/1", &["attachment"]);
    stands(&main, "https://portal.example.com/42", &["tool_result"]);
    stands(&main, "https://wiki.example.com/8", &["tool_result"]);
    stands(&main, "https://delegated.example.com/x", &["assistant"]);
    stands(&main, "https://reported.example.com/y", &["report"]);
}
