//! The readers of API traffic and of AgentDojo runs: what they make of the files in `tests/data`, of broken files, and of
//! the shared collection of real ones where it stands beside the checkout.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic is the report of a test")]
#![expect(clippy::disallowed_methods, reason = "a test reads the recordings where they are")]

mod believed;
mod broken;
mod frameworks;
mod items;
mod rules;
mod shared;
mod signs;
mod stories;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use firsthand::conversation::{Body, Content, Conversation, Item, Producer, Ran};
use firsthand_wire::format::{Choice, Read, Source, read};

/// The files of this crate's own, each with the format it must be told to be.
const OWN: &[(&str, &str)] = &[
    ("agentdojo", "run.json"),
    ("agentdojo", "runs.jsonl"),
    ("anthropic-messages", "code.json"),
    ("anthropic-messages", "compacted.json"),
    ("anthropic-messages", "paused.jsonl"),
    ("anthropic-messages", "server_tools.json"),
    ("anthropic-messages", "split.jsonl"),
    ("anthropic-messages", "stream.txt"),
    ("atif", "trajectory.json"),
    ("bedrock-converse", "exchanges.jsonl"),
    ("bedrock-converse", "invocations.jsonl"),
    ("cassette", "interactions.yaml"),
    ("cassette", "side_by_side.yaml"),
    ("gemini", "exchanges.json"),
    ("gemini", "request.json"),
    ("gemini", "stream.txt"),
    ("gemini-cli", "old.json"),
    ("gemini-cli", "session.jsonl"),
    ("gemini-cli", "side.jsonl"),
    ("gemini-interactions", "exchanges.jsonl"),
    ("gemini-interactions", "steps.json"),
    ("gemini-interactions", "stream.jsonl"),
    ("inspect-ai", "log.json"),
    ("langchain", "forms.jsonl"),
    ("langchain", "history.json"),
    ("langchain", "inner.json"),
    ("langchain", "messages.json"),
    ("langchain", "stream.jsonl"),
    ("mcp", "log.jsonl"),
    ("openai-chat", "request.json"),
    ("openai-chat", "responses.jsonl"),
    ("openai-chat", "stream.txt"),
    ("openai-responses", "chain.jsonl"),
    ("openai-responses", "request.json"),
    ("openai-responses", "stream.txt"),
    ("otel-genai", "older.jsonl"),
    ("otel-genai", "otlp.json"),
    ("otel-genai", "spans.jsonl"),
    ("pydantic-ai", "messages.json"),
    ("vercel-ai", "model.json"),
    ("vercel-ai", "ui.json"),
];

fn own_path(format: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format).join(name)
}

fn read_own(format: &str, name: &str) -> Vec<Conversation> {
    let bytes = std::fs::read(own_path(format, name)).unwrap();
    // The text of an event stream is no JSON, so its format must be named.
    let choice = if name == "stream.txt" { Choice::Named(format) } else { Choice::Auto };
    let Read { format: told, conversations } = read(&bytes, choice, &Source { name }).unwrap();
    assert_eq!(told, format);
    conversations
}

/// The conversations of a text.
#[track_caller]
fn conversations(format: &'static str, text: &str) -> Vec<Conversation> {
    match read(text.as_bytes(), Choice::Named(format), &Source { name: "test.json" }) {
        Ok(read) => read.conversations,
        Err(error) => panic!("{error}"),
    }
}

/// A line for each item.
fn dump(conversations: &[Conversation]) -> String {
    let mut dump = String::new();
    for Conversation { id, parent: _, seat, dialect, items } in conversations {
        writeln!(dump, "{id} ({dialect}, {seat:?})").unwrap();
        for item in items {
            writeln!(dump, "  {}", line(item)).unwrap();
        }
    }
    dump
}

fn line(item: &Item) -> String {
    let Item { id, at, turn, batch, time: _, body } = item;
    let turn = turn.map_or_else(|| "-".to_owned(), |turn| turn.to_string());
    let id = id.as_ref().map(|id| format!(" <{id}>")).unwrap_or_default();
    let batch = batch.as_ref().map(|batch| format!(" [{batch}]")).unwrap_or_default();
    format!("{at}{id} turn {turn}{batch} {}", words(body))
}

fn words(body: &Body) -> String {
    let of = |server: &Option<String>, tool: &str, ran: Ran| {
        let server = server.as_ref().map(|server| format!("{server}/")).unwrap_or_default();
        let ran = match ran {
            Ran::Client => "",
            Ran::Provider => " (provider)",
        };
        format!("{server}{tool}{ran}")
    };
    match body {
        Body::User { text, relayed } => format!("user {text:?} relayed {relayed:?}"),
        Body::Said { by, text } => format!("{by:?} {text:?}"),
        Body::Attachment { name, text, from_agent_path } => {
            format!("attachment {} {text:?} agent path {from_agent_path}", name.as_deref().unwrap_or("-"))
        }
        Body::Call(call) => {
            format!("call {} of {} {}", call.id, of(&call.server, &call.tool, call.ran), call.arguments)
        }
        Body::Result(result) => {
            let from = match &result.from {
                Producer::Call(id) => id.clone(),
                Producer::Named { server, tool, ran } => format!("any {}", of(server, tool, *ran)),
            };
            let content = match &result.content {
                Content::Text(text) => format!("{text:?}"),
                Content::Json(json) => format!("json {json}"),
            };
            let error = if result.is_error { " error" } else { "" };
            format!("result of {from}{error} {content}")
        }
        Body::Answer { call, text } => format!("answer to {call} {text:?}"),
        Body::Grant { .. } => "grant".to_owned(),
        Body::Rewind { to } => format!("rewind to {to}"),
        Body::Hidden { calls, what } => format!("hidden (calls {calls}) {what}"),
    }
}
