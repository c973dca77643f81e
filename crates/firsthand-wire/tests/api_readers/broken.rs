//! Broken files: an error that says where and shows nothing of the text, never a panic.

use firsthand_wire::format::{Choice, Source, read};

use crate::{OWN, conversations, own_path};

const FORMATS: [&str; 4] = ["agentdojo", "anthropic-messages", "openai-chat", "openai-responses"];

#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error_that_shows_no_text() {
    for (format, name) in OWN {
        let bytes = std::fs::read(own_path(format, name)).unwrap();
        let whole = read(&bytes, Choice::Named(format), &Source { name }).unwrap().conversations.len();
        // Long files are cut in a thousand places.
        for end in (0..bytes.len()).step_by(bytes.len() / 1000 + 1) {
            let cut = bytes.get(..end).unwrap();
            match read(cut, Choice::Named(format), &Source { name }) {
                Ok(read) => assert!(read.conversations.len() <= whole),
                Err(error) => assert!(!error.to_string().contains("example"), "{error}"),
            }
        }
    }
}

#[test]
fn a_document_that_is_cut_off_is_never_read() {
    for (format, name) in OWN.iter().filter(|(_, name)| name.ends_with(".json")) {
        let bytes = std::fs::read(own_path(format, name)).unwrap();
        let end = bytes.trim_ascii_end().len() - 1;
        for end in (1..end).step_by(7) {
            assert!(read(bytes.get(..end).unwrap(), Choice::Named(format), &Source { name }).is_err());
        }
    }
}

#[test]
fn a_named_format_that_a_file_is_not_of_is_an_error() {
    for text in [r#"{"unrelated":{"a":[1]},"note":"x"}"#, "{\"unrelated\":1}\n{\"unrelated\":2}\n", "[]", "hello"] {
        for format in firsthand_wire::format::names() {
            let read = read(text.as_bytes(), Choice::Named(format), &Source { name: "a.jsonl" });
            assert!(read.is_err(), "{format}: {text}: {read:?}");
        }
    }
}

#[test]
fn a_recording_that_is_cut_off_says_so() {
    for name in ["interactions.yaml", "side_by_side.yaml"] {
        let text = String::from_utf8(std::fs::read(own_path("cassette", name)).unwrap()).unwrap();
        let is_told = |text: &str| match read(text.as_bytes(), Choice::Named("cassette"), &Source { name }) {
            Ok(read) => read.conversations.iter().any(|one| firsthand_wire::engine::cut_off(one).is_some()),
            Err(_) => true,
        };
        assert!(!is_told(&text), "{name}");
        for (end, _) in text.match_indices('\n') {
            let cut = text.get(..=end).unwrap();
            let rest = text.get(end..).unwrap();
            // What stands last says nothing.
            let is_end = rest.trim().is_empty() || !rest.contains("status");
            assert!(is_told(cut) || is_end, "{name}: {cut}");
        }
    }
}

#[test]
fn a_key_twice_in_a_recording_is_an_error() {
    for (format, text) in [
        (
            "yaml",
            "interactions:\n- request:\n    uri: https://x.example/v1/messages\n    body: a\n    'body': b\n  response: {}\nversion: 1\n",
        ),
        (
            "json",
            r#"{"interactions":[{"request":{"uri":"https://x.example/v1/messages","body":"a","body":"b"},"response":{}}],"version":1}"#,
        ),
    ] {
        let error = read(text.as_bytes(), Choice::Named("cassette"), &Source { name: "a" }).unwrap_err().to_string();
        assert!(error.contains("twice"), "{format}: {error}");
    }
}

/// A zip file whose files are stored as they are.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        let common = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
            &crc.sum().to_le_bytes(),
            &length,
            &length,
            &u16::try_from(name.len()).unwrap().to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let offset = u32::try_from(archive.len()).unwrap().to_le_bytes();
        archive.extend([b"PK\x03\x04", &common[..], name.as_bytes(), text.as_bytes()].concat());
        directory.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
    }
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    let start = u32::try_from(archive.len()).unwrap().to_le_bytes();
    let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
    [&archive[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &length, &start, &[0, 0]].concat()
}

#[test]
fn two_files_of_one_name_in_an_archive_are_an_error() {
    let sample = |id: u8| {
        format!(
            r#"{{"id":{id},"epoch":1,"input":"Hello","target":"","messages":[{{"role":"user","source":"input","content":"Hello"}}]}}"#
        )
    };
    let (one, two) = (sample(1), sample(2));
    let read = |name| {
        let bytes = zip(&[("header.json", "{}"), ("samples/1_epoch_1.json", &one), (name, &two)]);
        read(&bytes, Choice::Named("inspect-ai"), &Source { name: "a.eval" })
    };
    assert_eq!(read("samples/2_epoch_1.json").unwrap().conversations.len(), 2);
    assert!(read("samples/1_epoch_1.json").unwrap_err().to_string().contains("two files of one name"));
}

#[test]
fn any_bytes_are_read_or_refused_without_a_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let pieces: Vec<&[u8]> = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\n",
        "null",
        "1",
        "-",
        "true",
        "\"role\"",
        "\"user\"",
        "\"assistant\"",
        "\"content\"",
        "\"messages\"",
        "\"input\"",
        "\"output\"",
        "\"type\"",
        "\"tool_use\"",
        "\"id\"",
        "\"request\"",
        "\"response\"",
        "\"choices\"",
        "\"text\"",
        "data: ",
        "\u{feff}",
        "\\ud800",
        "{\"role\":\"user\",\"content\":",
        "{\"type\":\"message_start\"}",
        "{\"type\":\"content_block_delta\",\"index\":9}",
    ]
    .iter()
    .map(|piece| piece.as_bytes())
    .chain([&b"\xff\xfe"[..], &b"\x00"[..]])
    .collect();
    for _ in 0..4000 {
        let mut bytes = Vec::new();
        for _ in 0..random() % 24 {
            let index = usize::try_from(random()).unwrap() % pieces.len();
            bytes.extend_from_slice(pieces.get(index).unwrap());
        }
        for format in FORMATS {
            if let Ok(read) = read(&bytes, Choice::Named(format), &Source { name: "any" }) {
                assert!(!read.conversations.is_empty());
            }
        }
    }
}

#[test]
fn values_of_the_wrong_kind_are_named_with_their_place() {
    #[track_caller]
    fn says(format: &'static str, text: &str, wanted: &str) {
        let error = read(text.as_bytes(), Choice::Named(format), &Source { name: "test.json" }).unwrap_err();
        assert_eq!(error.to_string(), wanted);
    }
    says(
        "anthropic-messages",
        r#"{"messages":[{"role":"user","content":{"a":1}}]}"#,
        "at /messages/0/content: found an object; expected a string or an array of blocks",
    );
    says(
        "anthropic-messages",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[{\"content\":\"b\"}]}",
        "line 2 at /messages/0/role: found nothing; expected `user`, `assistant` or `system`",
    );
    says(
        "openai-chat",
        r#"{"choices":[{"text":"old"}]}"#,
        "at /choices/0: found an object; expected a choice with a `message`",
    );
    says("openai-responses", r#"{"input":[7]}"#, "at /input/0: found a number; expected an item");
    says(
        "agentdojo",
        r#"{"suite_name":"s","messages":{}}"#,
        "at /messages: found an object; expected an array of messages",
    );
    says(
        "openai-chat",
        r#"{"a":1}"#,
        "at the top: found an object; expected a request with `messages`, a response with `choices`, an exchange or a message",
    );
}

#[test]
fn parts_of_the_wrong_kind_do_no_harm() {
    for value in ["null", "0", "\"\"", "[]", "{}", "[[]]", "[null]", "[{}]", "{\"type\":[]}"] {
        for text in [
            format!(
                r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":{value},"name":{value},"input":{value}}},{{"type":"web_search_tool_result","tool_use_id":{value},"content":{value}}}]}}]}}"#
            ),
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"x","content":{value}}},{{"type":"document","source":{value}}}]}}]}}"#
            ),
            format!(
                r#"{{"messages":[{{"role":"assistant","content":null,"tool_calls":{value},"annotations":{value},"function_call":{value}}},{{"role":"tool","tool_call_id":{value},"content":null}}]}}"#
            ),
        ] {
            for format in ["anthropic-messages", "openai-chat"] {
                // A message of the other API may say nothing at all in this one.
                match read(text.as_bytes(), Choice::Named(format), &Source { name: "a" }) {
                    Ok(read) => assert_eq!(read.conversations.len(), 1),
                    Err(error) => assert!(error.to_string().contains("no conversation of this format"), "{error}"),
                }
            }
        }
        let text = format!(
            r#"{{"input":[{{"type":"web_search_call","action":{value}}},{{"type":"mcp_call","name":{value},"arguments":{value},"output":{value}}},{{"type":"function_call_output","call_id":{value},"output":{value}}},{{"type":"reasoning","summary":{value}}}]}}"#
        );
        assert_eq!(conversations("openai-responses", &text).len(), 1);
    }
}
