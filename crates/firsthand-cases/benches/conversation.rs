//! How fast a recorded conversation becomes a ledger, beside what `serde_json` takes to validate the same bytes, and how
//! fast a text that is full of addresses does, beside `linkify`.
//!
//! Each line of the summary gives megabytes (10^6 bytes) of a second of processor time, the peer's, and the ratio.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::panic, reason = "a benchmark that cannot read its own text measures nothing")]
#![expect(dead_code, reason = "each benchmark uses a part of what they share")]

mod measure;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use firsthand::check::Circumstances;
use firsthand::conversation::Seat;
use firsthand::ledger::Ledger;
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand_wire::engine::{Family, Member, trace};
use firsthand_wire::format::{Choice, Source, read};
use measure::{Dice, medians, policy, prose, returned, search, speed, user};
use serde_json::{Value, json};

/// What an agent at work writes: a question, then rounds of text, a call and its result of some kilobytes.
fn rounds(bytes: usize, line: &mut dyn FnMut(usize, Step<'_>)) {
    let mut dice = Dice(5);
    let (mut written, mut round) = (0, 0);
    line(0, Step::Asked(&prose(&mut dice, 600)));
    while written < bytes {
        round += 1;
        let said = prose(&mut dice, 300);
        let (tool, arguments, result) = match dice.roll(10) {
            0 => {
                let hits = search(&mut dice, 3000);
                ("WebSearch", json!({ "query": "harbour rain order" }), hits)
            }
            1 => {
                let number = dice.roll(9999);
                let url = format!("https://rain.example.com/boats/key?id={number}");
                ("WebFetch", json!({ "url": url, "prompt": "What does it say?" }), prose(&mut dice, 9000))
            }
            2..=4 => {
                let command = format!("grep -rn {} src | head -{}", "harbour", dice.roll(90));
                ("Bash", json!({ "command": command }), prose(&mut dice, 4000))
            }
            _ => ("Read", json!({ "file_path": format!("src/part{round}.rs") }), prose(&mut dice, 6000)),
        };
        written += said.len() + result.len() + 300;
        line(round, Step::Round { said: &said, tool, arguments: &arguments, result: &result });
    }
}

enum Step<'s> {
    Asked(&'s str),
    Round { said: &'s str, tool: &'s str, arguments: &'s Value, result: &'s str },
}

fn push(text: &mut String, value: &Value) {
    text.push_str(&value.to_string());
    text.push('\n');
}

/// A conversation in the own format.
fn own(bytes: usize) -> String {
    let mut text = String::new();
    push(&mut text, &json!({ "conversation": "bench", "seat": "person" }));
    rounds(bytes, &mut |round, step| match step {
        Step::Asked(asked) => push(&mut text, &json!({ "position": "user", "text": asked })),
        Step::Round { said, tool, arguments, result } => {
            let id = format!("c{round}");
            push(&mut text, &json!({ "position": "assistant", "text": said }));
            push(&mut text, &json!({ "position": "tool_call", "id": id, "tool": tool, "arguments": arguments }));
            push(&mut text, &json!({ "position": "tool_result", "id": id, "text": result }));
        }
    });
    text
}

/// A transcript as Claude Code writes it: each result stands in its line twice, as the model saw it and with its structure.
fn transcript(bytes: usize) -> String {
    let mut text = String::new();
    let mut parent = Value::Null;
    let mut lines = 0;
    let mut entry = |kind: &str, message: Value, structured: Option<Value>| {
        lines += 1;
        let uuid = format!("00000000-0000-4000-8000-{lines:012}");
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/work", "sessionId": "s-1",
            "version": "2.0.0", "gitBranch": "main", "type": kind, "message": message, "uuid": uuid,
            "timestamp": "2026-01-02T03:04:05.000Z",
        });
        if let Some(structured) = structured
            && let Some(line) = line.as_object_mut()
        {
            line.insert("toolUseResult".to_owned(), structured);
        }
        push(&mut text, &line);
        parent = uuid.into();
    };
    rounds(bytes, &mut |round, step| match step {
        Step::Asked(asked) => entry("user", json!({ "role": "user", "content": asked }), None),
        Step::Round { said, tool, arguments, result } => {
            let (id, message) = (format!("toolu_{round}"), format!("msg_{round}"));
            let mut block = |block: Value| {
                let content = json!({ "id": message, "type": "message", "role": "assistant", "content": [block] });
                entry("assistant", content, None);
            };
            block(json!({ "type": "text", "text": said }));
            block(json!({ "type": "tool_use", "id": id, "name": tool, "input": arguments }));
            let content = json!([{ "tool_use_id": id, "type": "tool_result", "content": result }]);
            let structured = match tool {
                "WebSearch" | "WebFetch" => None,
                "Bash" => Some(json!({ "stdout": result, "stderr": "", "interrupted": false })),
                _ => Some(json!({ "type": "text", "file": { "filePath": "src/part.rs", "content": result } })),
            };
            entry("user", json!({ "role": "user", "content": content }), structured);
        }
    });
    text
}

fn traced(bytes: &str, format: &str, policy: &Policy) -> usize {
    let source = Source { name: "bench.jsonl" };
    let read = read(bytes.as_bytes(), Choice::Named(format), &source);
    let read = read.unwrap_or_else(|error| panic!("the benchmark's own text: {error}"));
    let member = |conversation| Member { file: "bench.jsonl".to_owned(), conversation };
    let mut lines = 0;
    for family in Family::split(read.conversations.into_iter().map(member).collect()) {
        trace(&family, policy, &Circumstances::default(), &mut |line| {
            black_box(&line);
            lines += 1;
        });
    }
    lines
}

fn only_read(bytes: &str, format: &str) {
    black_box(read(bytes.as_bytes(), Choice::Named(format), &Source { name: "bench.jsonl" }).is_ok());
}

fn validated(bytes: &str) {
    for line in bytes.lines() {
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(line);
        assert!(valid.is_ok(), "the benchmark's own text is JSON");
    }
}

fn into_a_ledger(text: &str, policy: &Policy) -> usize {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    note(&mut ledger, run, &user(text), policy, &Circumstances::default());
    ledger.source_count(run)
}

/// The same as the result of a tool, whose words may be an echo of the model's.
fn result_into_a_ledger(text: &str, policy: &Policy) -> usize {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    let now = Circumstances::default();
    note(&mut ledger, run, &measure::called("c1", None, "web_search", r#"{"query":"rain"}"#), policy, &now);
    note(&mut ledger, run, &returned("c1", text), policy, &now);
    ledger.source_count(run)
}

fn links(text: &str) -> usize {
    let mut finder = linkify::LinkFinder::new();
    finder.url_must_have_scheme(false).kinds(&[linkify::LinkKind::Url]);
    finder.links(text).inspect(|link| _ = black_box(link)).count()
}

fn summary(_: &mut Criterion) {
    let policy = policy();
    println!("{:<36}{:>10}{:>12}{:>8}", "conversation", "MB/s", "serde_json", "ratio");
    for (name, format, text) in
        [("own format", "firsthand", own(8 << 20)), ("transcript", "claude-code", transcript(8 << 20))]
    {
        let [whole, reader, peer] = medians(
            9,
            [&|| _ = black_box(traced(&text, format, &policy)), &|| only_read(&text, format), &|| validated(&text)],
        );
        let speeds = [whole, reader, peer].map(|cost| speed(text.len(), cost));
        let [whole, reader, peer] = speeds;
        println!("{:<36}{whole:>10.0}{peer:>12.0}{:>8.2}", format!("{name}, traced"), whole / peer);
        println!("{:<36}{reader:>10.0}{peer:>12.0}{:>8.2}", format!("{name}, only read"), reader / peer);
    }
    println!("{:<36}{:>10}{:>12}{:>8}", "search results", "MB/s", "linkify", "ratio");
    let text = search(&mut Dice(11), 4 << 20);
    let [person, result, peer] = medians(
        9,
        [
            &|| _ = black_box(into_a_ledger(&text, &policy)),
            &|| _ = black_box(result_into_a_ledger(&text, &policy)),
            &|| _ = black_box(links(&text)),
        ],
    )
    .map(|cost| speed(text.len(), cost));
    println!("{:<36}{person:>10.0}{peer:>12.0}{:>8.2}", "a person's, into a ledger", person / peer);
    println!("{:<36}{result:>10.0}{peer:>12.0}{:>8.2}", "a search's, into a ledger", result / peer);
}

fn conversations(criterion: &mut Criterion) {
    let policy = policy();
    let mut group = criterion.benchmark_group("conversation");
    group.sample_size(10);
    for (name, format, text) in [("own", "firsthand", own(1 << 20)), ("transcript", "claude-code", transcript(1 << 20))]
    {
        group.throughput(Throughput::Bytes(u64::try_from(text.len()).unwrap_or(0)));
        group.bench_function(format!("{name}/traced"), |bench| bench.iter(|| traced(&text, format, &policy)));
        group.bench_function(format!("{name}/validated"), |bench| bench.iter(|| validated(&text)));
    }
    group.finish();
}

criterion_group!(benches, summary, conversations);
criterion_main!(benches);
