//! Broken files: an error that says where and shows nothing of the text, never a panic; a growing file says it is cut off.

use firsthand::conversation::Body;
use firsthand_wire::format::{Choice, Source, read};

use crate::{STORIES, story};

#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error_that_shows_no_text_or_says_so() {
    for (format, name) in STORIES {
        let (_, bytes) = story(format, name);
        for end in (0..bytes.len()).step_by(3) {
            let cut = bytes.get(..end).unwrap();
            match read(cut, Choice::Named(format), &Source { name }) {
                Ok(read) => assert!(!read.conversations.is_empty()),
                Err(error) => assert!(!error.to_string().contains("example"), "{error}"),
            }
        }
    }
}

#[test]
fn a_last_line_that_is_being_written_is_left_out_and_said() {
    for (format, name) in STORIES.iter().filter(|(format, name)| name.ends_with("jsonl") && *format != "qwen-react") {
        let (_, bytes) = story(format, name);
        let cut = bytes.get(..bytes.len() - 4).unwrap();
        let read = read(cut, Choice::Auto, &Source { name }).unwrap();
        assert_eq!(read.format, *format);
        for conversation in read.conversations {
            let last = conversation.items.last().unwrap();
            assert!(matches!(last.body, Body::Hidden { calls: true, .. }), "{format} {name}");
        }
    }
}

#[test]
fn values_of_the_wrong_kind_do_no_harm() {
    for value in ["null", "0", "\"\"", "[]", "{}", "[[]]", "[null]", "[{}]", "{\"type\":[]}", "[{\"type\":\"text\"}]"] {
        for (format, name) in STORIES.iter().filter(|(_, name)| !name.ends_with("md")) {
            let (_, bytes) = story(format, name);
            let text = String::from_utf8(bytes).unwrap();
            // Each key of the first lines once with this value.
            for key in [
                "content",
                "message",
                "data",
                "arguments",
                "input",
                "parts",
                "text",
                "event",
                "tool_calls",
                "kind",
                "info",
                "messages",
                "history",
                "role",
                "type",
            ] {
                let mark = format!("\"{key}\": ");
                let Some(at) = text.find(&mark) else { continue };
                let (before, rest) = text.split_at(at + mark.len());
                let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
                let Some(Ok(_)) = values.next() else { continue };
                let odd = format!("{before}{value}{}", rest.get(values.byte_offset()..).unwrap());
                let source = Source { name };
                if let Err(error) = read(odd.as_bytes(), Choice::Named(format), &source) {
                    assert!(!error.to_string().contains("example"), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_broken_line_names_its_place() {
    let bytes = b"{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/\"}\n{\"type\":\"message\",\"message\":{\"role\":1}}\n";
    let error = read(bytes, Choice::Auto, &Source { name: "a.jsonl" }).unwrap_err().to_string();
    assert_eq!(error, "line 2 at /message/role: found a number; expected the role of a message");
    let bytes = br#"{"uuid":"a","parentUuid":null,"message":{"parts":[]}}{"uuid":"b"}"#;
    let error = read(bytes, Choice::Auto, &Source { name: "a.jsonl" }).unwrap_err();
    assert!(!error.is_skipped() && error.to_string().starts_with("line 1 column"), "{error}");
    let bytes = br#"{"question":"q","history":[{"role":"human","content":"a"},7]}"#;
    let error = read(bytes, Choice::Auto, &Source { name: "a.json" }).unwrap_err().to_string();
    assert_eq!(error, "at /history/1: found a number; expected a message");
}
