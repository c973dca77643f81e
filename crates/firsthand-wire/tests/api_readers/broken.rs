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
                assert_eq!(conversations(format, &text).len(), 1);
            }
        }
        let text = format!(
            r#"{{"input":[{{"type":"web_search_call","action":{value}}},{{"type":"mcp_call","name":{value},"arguments":{value},"output":{value}}},{{"type":"function_call_output","call_id":{value},"output":{value}}},{{"type":"reasoning","summary":{value}}}]}}"#
        );
        assert_eq!(conversations("openai-responses", &text).len(), 1);
    }
}
