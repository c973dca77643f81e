//! The shared collection of real files, where it stands beside the checkout: every file reads, with the number of calls
//! that the collection's list gives it.

use std::path::{Path, PathBuf};

use firsthand::conversation::{Body, Conversation};
use firsthand_wire::format::{Choice, Source, read};

/// Files in whose count of calls we differ from the list, with ours and the reason.
const OTHER_COUNTS: &[(&str, usize, &str)] = &[
    ("azure-web-search-preview-tool.1.chunks.txt", 1, "the list counts events, this is one call"),
    ("openai-web-search-tool.1.chunks.txt", 6, "the list counts events of six calls"),
    ("xai-web-search-tool.1.chunks.txt", 1, "the list counts events of one call"),
    ("xai-x-search-tool.chunks.txt", 6, "the list counts events of six calls"),
    ("xai-image-generation-tool.1.json", 1, "making a picture is a call here"),
    ("xai-image-generation-tool.1.chunks.txt", 1, "making a picture is a call here"),
    ("AGNO_trace.json", 2, "the list counts a call and the span of its tool"),
    ("GOOGLE_trace.json", 3, "the list counts a call and the span of its tool"),
    ("LANGCHAIN_trace.json", 2, "the list counts a call and the span of its tool"),
    ("OPENAI_trace.json", 2, "the list counts a call and the span of its tool"),
    ("SMOLAGENTS_trace.json", 3, "the list counts a call and the span of its tool"),
    ("TINYAGENT_trace.json", 3, "the list counts a call and the span of its tool"),
];

/// The formats whose examples stand in a folder of their name.
const FOLDERS: &[&str] = &[
    "agentdojo",
    "anthropic-messages",
    "atif",
    "inspect-ai",
    "langchain",
    "openai-chat",
    "openai-responses",
    "otel-genai",
    "pydantic-ai",
    "vercel-ai",
];

fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("FIRSTHAND_SHARED").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    report("skipped: the shared collection is not beside the checkout");
    None
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn report(text: &str) {
    eprintln!("{text}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn conversations(path: &Path, format: &str) -> Vec<Conversation> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.to_str().unwrap();
    let read = read(&bytes, Choice::Auto, &Source { name }).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read.format, format, "{name}");
    read.conversations
}

fn calls(conversations: &[Conversation]) -> usize {
    let items = conversations.iter().flat_map(|conversation| &conversation.items);
    items.filter(|item| matches!(item.body, Body::Call(_))).count()
}

#[test]
fn every_example_is_told_to_be_of_its_format_and_read() {
    let Some(shared) = shared() else { return };
    for format in FOLDERS {
        for path in files_below(&shared.join("examples").join(format)) {
            if !path.to_str().unwrap().ends_with("expected.json") {
                assert!(!conversations(&path, format).is_empty());
            }
        }
    }
}

#[test]
fn every_recorded_run_has_the_calls_that_the_collection_lists() {
    let Some(shared) = shared() else { return };
    let list = std::fs::read_to_string(shared.join("transcripts/MANIFEST.tsv")).unwrap();
    let mut compared = 0;
    for row in list.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, _, _, _, _, kind, runs, listed, ..] = cells.as_slice() else { panic!("{row}") };
        let name = file.rsplit('/').next().unwrap();
        let format = match *kind {
            "agentdojo-jsonl" => "agentdojo",
            "api-response-fixture" if name.starts_with("anthropic-") => "anthropic-messages",
            "api-response-fixture" if !name.starts_with("google-") => "openai-responses",
            "langgraph-thread-json" => "langchain",
            "otel-genai-trace" => "otel-genai",
            _ => continue,
        };
        let read = conversations(&shared.join("transcripts").join(file), format);
        assert_eq!(read.len(), runs.parse::<usize>().unwrap(), "{file}");
        let other = OTHER_COUNTS.iter().find(|(other, _, _)| *other == name);
        let expected = other.map_or_else(|| listed.parse().unwrap(), |(_, ours, _)| *ours);
        assert_eq!(calls(&read), expected, "{file}");
        compared += 1;
    }
    assert_eq!(compared, 34);
}

#[test]
fn every_example_that_is_cut_off_is_refused_or_read_without_a_panic() {
    let Some(shared) = shared() else { return };
    for format in FOLDERS {
        for path in files_below(&shared.join("examples").join(format)) {
            let bytes = std::fs::read(&path).unwrap();
            for end in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
                let cut = bytes.get(..end).unwrap();
                let source = Source { name: "cut" };
                let error = read(cut, Choice::Named(format), &source).err().map(|error| error.to_string());
                assert!(error.is_none_or(|error| !error.contains("://")));
            }
        }
    }
}
