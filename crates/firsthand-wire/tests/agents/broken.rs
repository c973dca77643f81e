//! Bad input: an error that says where, or a conversation that says what is missing, and never a panic.

use firsthand::conversation::Body;
use firsthand_wire::format::{Choice, Source, read};

const FILES: &[(&str, &[u8])] = &[
    ("claude-code", include_bytes!("../data/claude_code/voices.jsonl")),
    ("claude-code", include_bytes!("../data/claude_code/results.jsonl")),
    ("claude-code", include_bytes!("../data/claude_code/rewinds.jsonl")),
    ("claude-code", include_bytes!("../data/claude_code/sidechains.jsonl")),
    ("codex", include_bytes!("../data/codex/voices.jsonl")),
    ("codex", include_bytes!("../data/codex/tools.jsonl")),
    ("codex", include_bytes!("../data/codex/compaction.jsonl")),
    ("codex", include_bytes!("../data/codex/bare.jsonl")),
    ("managed-agents", include_bytes!("../data/managed_agents/wrapped.jsonl")),
    ("managed-agents", include_bytes!("../data/managed_agents/page.json")),
];

const SOURCE: Source<'_> = Source { name: "file.jsonl" };

#[test]
fn a_file_that_is_cut_off_says_so() {
    for (format, bytes) in FILES {
        for end in (0..bytes.len()).step_by(29) {
            let piece = bytes.get(..end).unwrap();
            let whole_lines = piece.is_empty() || piece.ends_with(b"\n") || bytes.get(end) == Some(&b'\n');
            let Ok(read) = read(piece, Choice::Named(format), &SOURCE) else { continue };
            let says_so = read.conversations.iter().all(|conversation| {
                matches!(conversation.items.last().map(|item| &item.body), Some(Body::Hidden { calls: true, .. }))
            });
            assert!(whole_lines || says_so, "{format} {end}");
        }
    }
}

#[test]
fn a_broken_line_is_named() {
    for (format, bytes) in FILES.iter().filter(|(_, bytes)| !bytes.starts_with(b"{\n")) {
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        lines.insert(2, br#"{"type":"user","message":{"content":"https://secret.example/",}}"#);
        let error = read(&lines.join(&b'\n'), Choice::Named(format), &SOURCE).unwrap_err().to_string();
        assert!(error.starts_with("line 3 column "), "{error}");
        assert!(!error.contains("secret"), "{error}");
        *lines.get_mut(2).unwrap() = b"[\"user\"]";
        let error = read(&lines.join(&b'\n'), Choice::Named(format), &SOURCE).unwrap_err().to_string();
        assert_eq!(error, "line 3: found no object; expected an object");
    }
}

#[test]
fn changed_bytes_end_in_an_answer() {
    // A fixed walk over places and values, so that a failure can be repeated.
    let mut state = 0x9e37_79b9_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    const REPLACEMENTS: &[&[u8]] = &[b"null", b"[]", b"{}", b"\"", b"\\", b"\n", b"\xff", b"0", b"true", b"[[", b""];
    for (format, bytes) in FILES {
        for _ in 0..400 {
            let mut changed = bytes.to_vec();
            for _ in 0..=next(3) {
                let at = next(changed.len());
                let end = (at + next(6)).min(changed.len());
                changed.splice(at..end, REPLACEMENTS.get(next(REPLACEMENTS.len())).unwrap().iter().copied());
            }
            drop(read(&changed, Choice::Named(format), &SOURCE));
        }
    }
}

#[test]
fn a_field_of_another_type_never_makes_a_person() {
    // Whatever a known field holds, a line that was not a person's does not become one.
    let line = |origin: &str| {
        format!(
            r#"{{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","origin":{origin},"message":{{"role":"user","content":"x"}}}}"#
        )
    };
    for origin in ["\"human\"", "[]", "{}", "5", "true", "{\"kind\":5}", "{\"kind\":[\"human\"]}", "{\"kind\":null}"] {
        let read = read(line(origin).as_bytes(), Choice::Named("claude-code"), &SOURCE).unwrap();
        let items = read.conversations.iter().flat_map(|conversation| &conversation.items);
        assert!(items.into_iter().all(|item| !matches!(item.body, Body::User { .. })), "{origin}");
    }
}

#[test]
fn deep_nesting_and_long_chains_are_read_or_refused() {
    let deep = format!(
        r#"{{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","message":{{"content":{}"x"{}}}}}"#,
        "[{\"type\":\"tool_result\",\"content\":".repeat(20_000),
        "}]".repeat(20_000)
    );
    assert!(read(deep.as_bytes(), Choice::Named("claude-code"), &SOURCE).is_err());
    let mut chain = String::new();
    for line in 0..20_000 {
        // Every line goes back to the first.
        let parent = if line == 0 { "null".to_owned() } else { "\"u0\"".to_owned() };
        chain.push_str(&format!(
            "{{\"type\":\"user\",\"uuid\":\"u{line}\",\"parentUuid\":{parent},\"sessionId\":\"s\",\"message\":{{\"content\":\"x\"}}}}\n"
        ));
    }
    let read = read(chain.as_bytes(), Choice::Named("claude-code"), &SOURCE).unwrap();
    assert_eq!(read.conversations.first().unwrap().items.len(), 39_998);
}
