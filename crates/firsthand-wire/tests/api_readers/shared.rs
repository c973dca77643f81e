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
    ("google-search.json", 1, "the list counts no calls of the provider's"),
    ("google-search.chunks.txt", 1, "the list counts no calls of the provider's"),
    ("test_google_model_web_search_tool_stream.yaml", 2, "the list counts no queries beside a candidate"),
    ("test_google_native_tool_only_web_search_completes.yaml", 1, "the list counts no queries beside a candidate"),
    ("test_auto_mode_with_function_and_builtin_tools.yaml", 3, "the list counts no parts of Gemini's"),
    ("test_native_output_with_function_and_builtin_tools.yaml", 3, "the list counts no parts of Gemini's"),
    ("test_tool_output_with_builtin_tools.yaml", 2, "the list counts no parts of Gemini's"),
    ("test_pause_turn_web_search_streaming_vcr.yaml", 15, "the list counts calls that a request repeats"),
    ("test_groq_model_web_search_tool_stream.yaml", 1, "the list counts events of one call"),
    ("test_web_fetch_v1.yaml", 3, "the list counts no call of a stream"),
    ("test_mcp_builtin_zdr.yaml", 2, "the list counts calls that a request repeats"),
];

/// The folders of examples that hold nothing but conversations of the format of their name.
const READ: &[&str] = &[
    "agentdojo",
    "anthropic-messages",
    "atif",
    "gemini",
    "gemini-interactions",
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
    for format in READ {
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
            "api-response-fixture" if name.starts_with("google-") => "gemini-interactions",
            "api-response-fixture" => "openai-responses",
            kind if kind.starts_with("vcr-") => "cassette",
            "langgraph-thread-json" => "langchain",
            "otel-genai-trace" => "otel-genai",
            _ => continue,
        };
        let read = conversations(&shared.join("transcripts").join(file), format);
        // The list takes a recording for one run, however many conversations it holds.
        assert!(format == "cassette" || read.len() == runs.parse::<usize>().unwrap(), "{file}");
        assert!(format != "cassette" || !read.iter().any(rewinds), "{file}");
        let other = OTHER_COUNTS.iter().find(|(other, _, _)| *other == name);
        let expected = other.map_or_else(|| listed.parse().unwrap(), |(_, ours, _)| *ours);
        assert_eq!(calls(&read), expected, "{file}");
        compared += 1;
    }
    assert_eq!(compared, 72);
}

fn rewinds(conversation: &Conversation) -> bool {
    conversation.items.iter().any(|item| matches!(item.body, Body::Rewind { .. }))
}

#[test]
fn every_address_that_a_recording_opens_stands_in_a_call() {
    let Some(shared) = shared() else { return };
    let list = std::fs::read_to_string(shared.join("transcripts/OPENS.tsv")).unwrap();
    let mut found = 0;
    for row in list.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, _, kind, _, _, url, ..] = cells.as_slice() else { panic!("{row}") };
        if !kind.starts_with("vcr-") {
            continue;
        }
        let read = conversations(&shared.join("transcripts").join(file), "cassette");
        let items = read.iter().flat_map(|conversation| &conversation.items);
        let mut calls = items.filter_map(|item| if let Body::Call(call) = &item.body { Some(call) } else { None });
        assert!(calls.any(|call| call.arguments.contains(url)), "{file}: {url}");
        found += 1;
    }
    assert_eq!(found, 20);
}

#[test]
fn sessions_and_logs_are_told_to_be_of_their_formats() {
    let Some(shared) = shared() else { return };
    for (format, folder) in
        [("gemini-cli", "gemini-cli/scenario"), ("gemini-cli", "other-agents/gemini"), ("mcp", "mcp")]
    {
        for path in files_below(&shared.join("examples").join(folder)) {
            let name = path.to_str().unwrap();
            // A configuration, and a dump of no known form.
            if !name.ends_with("config.claude.mcp.json") && !name.ends_with("schema_drift.json") {
                assert!(!conversations(&path, format).is_empty());
            }
        }
    }
}

#[test]
fn every_example_that_is_cut_off_is_refused_or_read_without_a_panic() {
    let Some(shared) = shared() else { return };
    for format in READ.iter().copied().chain(["mcp", "gemini-cli"]) {
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
