#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use super::{Choice, FORMATS, Source, detect, read};
use crate::error::ReadError;

const SOURCE: Source<'_> = Source { name: "x.json" };

#[track_caller]
fn is_own(bytes: &[u8]) {
    assert_eq!(detect(bytes).unwrap().name, "firsthand");
}

#[track_caller]
fn says(bytes: &[u8], wanted: &str) {
    let error = read(bytes, Choice::Auto, &SOURCE).unwrap_err();
    assert!(error.to_string().starts_with(wanted), "{error}");
}

#[test]
fn a_format_is_told_by_its_signs_even_where_the_file_is_broken() {
    is_own(b"{\"position\":\"user\",\"text\":\"a\"}\n");
    is_own(b"\xef\xbb\xbf{\"position\":\"user\",\"text\":\"a\"}\r\n{\"pos");
    is_own(b"{\"position\":\"user\",\"text\":\"cut o");
    is_own(b"not json at all\n{\"position\":\"user\",\"text\":\"a\"}\n");
    is_own(b"{\"conversation\":\"c\",\"seat\":\"person\"}\n");
    is_own(b"{\"position\":\"user\",\"text\":\"\xff\"}\n");
}

#[test]
fn a_sign_that_stands_late_is_found() {
    let long = format!("{{\"text\":\"{}\",\"position\":\"user\"}}", "x".repeat(3 << 20));
    is_own(long.as_bytes());
}

#[test]
fn what_is_no_conversation_by_its_kind_is_skipped() {
    for bytes in [
        &b""[..],
        b"\xef\xbb\xbf \r\n",
        b"# a page\n",
        b"\x00\x01\x02",
        b"{\"name\":\"package\",\"version\":\"1\"}",
        b"[1,2,3]",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        b"{\"hook_event_name\":\"PreToolUse\"}",
        b"42",
    ] {
        let error = read(bytes, Choice::Auto, &SOURCE).unwrap_err();
        assert!(error.is_skipped(), "{error}");
    }
}

#[test]
fn what_looks_like_a_conversation_of_no_known_format_is_asked_about() {
    says(
        b"{\"turns\":[{\"role\":\"bot\",\"says\":\"a\"}]}",
        "cannot tell which format this is; name one with --format: ",
    );
    says(b"{\"role\":\"bot\"}\n{\"role\":\"you\"}\n", "cannot tell which format this is; name one with --format: ");
    let error = read(b"{\"role\":\"bot\"}", Choice::Auto, &SOURCE).unwrap_err();
    assert!(!error.is_skipped());
    assert_eq!(error, ReadError::Undecided { candidates: super::names() });
}

#[test]
fn what_is_asked_about_names_the_formats_that_could_read_it() {
    let plain = b"[{\"role\":\"user\",\"source\":1,\"content\":\"a\"}]";
    let error = read(plain, Choice::Auto, &SOURCE).map(|read| read.format).unwrap_err();
    assert!(matches!(&error, ReadError::Undecided { candidates } if candidates.len() < 8), "{error}");
}

#[test]
fn a_document_over_many_lines_is_told_from_lines_that_are_cut_off() {
    let says = |bytes: &[u8], wanted: &str| {
        let error = read(bytes, Choice::Named("firsthand"), &SOURCE).unwrap_err().to_string();
        assert_eq!(error, wanted);
    };
    says(
        b"{\n  \"position\": \"user\",\n  \"text\": \"a\"\n}\n",
        "line 1: found a record that goes on in the next line; expected a whole one on each line",
    );
    says(b"{\"position\"", "line 1 column 11: broken JSON: it ends before its end (cut off?)");
}

#[test]
fn a_format_of_a_framework_is_told_by_its_signs() {
    for (bytes, name) in [
        (r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"]}"#, "langchain"),
        (r#"[{"type":"human","data":{"content":"a"}}]"#, "langchain"),
        (r#"{"schema_version":"ATIF-v1.4","steps":[]}"#, "atif"),
        (r#"{"version":2,"eval":{},"samples":[]}"#, "inspect-ai"),
        (r#"[{"kind":"request","parts":[{"part_kind":"user-prompt"}]}]"#, "pydantic-ai"),
        (r#"{"messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}]}"#, "vercel-ai"),
        (r#"[{"role":"user","parts":[{"type":"text","content":"a"}]}]"#, "otel-genai"),
        (r#"{"attributes":{"gen_ai.input.messages":"[]"}}"#, "otel-genai"),
        (r#"[{"role":"assistant","content":[{"type":"tool-call"}]}]"#, "vercel-ai"),
        (r#"{"messages":[{"role":"assistant","content":[{"toolUse":{}}]}]}"#, "bedrock-converse"),
    ] {
        assert_eq!(detect(bytes.as_bytes()).unwrap().name, name, "{bytes}");
    }
}

#[test]
fn a_name_that_no_format_has_is_an_error_that_lists_them() {
    let error = read(b"{}", Choice::said("own"), &SOURCE).unwrap_err().to_string();
    assert!(
        error.starts_with("no format is called `own`; expected auto or one of: agentdojo, anthropic-messages, "),
        "{error}"
    );
}

#[test]
fn a_file_of_another_format_than_the_one_named_is_no_empty_conversation() {
    let own = b"{\"position\":\"user\",\"text\":\"See https://a.example/\"}\n";
    for format in FORMATS.iter().filter(|format| format.name != "firsthand") {
        let read = read(own, Choice::Named(format.name), &SOURCE);
        assert!(read.is_err() || read.is_ok_and(|read| !read.conversations.is_empty()), "{}", format.name);
    }
}

#[test]
fn a_name_of_a_file_gives_an_id() {
    for (name, id) in [("runs/a.b.jsonl.gz", "a.b"), ("c:\\x\\y.json", "y"), ("plain", "plain"), ("-", "-")] {
        assert_eq!(Source { name }.stem(), id);
    }
}

#[test]
fn hostile_bytes_end_without_a_crash() {
    for unit in ["[", "{\"a\":", "{\"position\":\"user\",\"text\":", "\\", "\"", "[{\"role\":\"user\"},"] {
        let text = unit.repeat(200_000);
        for choice in [Choice::Auto, Choice::Named("firsthand")] {
            assert!(read(text.as_bytes(), choice, &SOURCE).is_err());
        }
    }
}

/// What is told of a file: the name of its format, or `?` where it is asked about.
fn told(bytes: &str) -> &'static str {
    match detect(bytes.as_bytes()) {
        Ok(format) => format.name,
        Err(ReadError::Undecided { .. }) => "?",
        Err(ReadError::Unsupported { .. }) => "unsupported",
        Err(_) => "nothing",
    }
}

#[test]
fn a_key_that_a_server_added_makes_no_other_format_of_plain_chat() {
    let chat = |more: &str| {
        let messages = format!(
            r#"{{"role":"user","content":"Read A"}},{{"role":"assistant","content":"ok",{more}}},{{"role":"tool","tool_call_id":"c","content":"x"}}"#
        );
        let lines = messages.replace("},{", "}\n{");
        [format!(r#"{{"messages":[{messages}]}}"#), format!(r#"{{"model":"m","messages":[{messages}]}}"#), lines]
    };
    for more in [
        r#""id":"x""#,
        r#""timestamp":1"#,
        r#""created_at":"t""#,
        r#""weight":0"#,
        r#""provider_specific_fields":null"#,
        r#""tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"id":"x""#,
    ] {
        for text in chat(more) {
            assert_eq!(told(&text), "openai-chat", "{text}");
        }
    }
    for more in [r#""source":"generate""#, r#""parts":[]"#, r#""type":"message_of_mine""#, r#""kind":"x""#] {
        for text in chat(more) {
            assert_ne!(told(&text), "openai-chat", "{text}");
        }
    }
}

#[test]
fn blocks_of_nothing_but_text_are_told_by_what_stands_around_them() {
    for (text, name) in [
        (
            r#"{"model":"m","max_tokens":3,"messages":[{"id":"x","role":"user","content":[{"type":"text","text":"a"}]}]}"#,
            "openai-chat",
        ),
        (r#"{"modelId":"m","messages":[{"id":"1","role":"user","content":[{"text":"a"}]}]}"#, "bedrock-converse"),
    ] {
        assert_eq!(told(text), name, "{text}");
    }
}

#[test]
fn a_request_with_a_text_as_its_input_is_read_or_asked_about() {
    for (text, name) in [
        (r#"{"model":"gpt-5","input":"Read A","tools":[{"type":"web_search"}]}"#, "openai-responses"),
        (r#"{"model":"gpt-5","input":"Read A","max_output_tokens":9}"#, "openai-responses"),
        (r#"{"model":"m","input":"Read A","tools":[{"type":"google_search"}]}"#, "?"),
        (r#"{"model":"m","input":"Read A"}"#, "?"),
        (r#"{"input":"Read A"}"#, "nothing"),
    ] {
        assert_eq!(told(text), name, "{text}");
    }
}

#[test]
fn a_batch_is_named_and_not_read() {
    let said = r#"{"choices":[{"message":{"role":"assistant","content":"a"}}]}"#;
    for text in [
        format!(r#"{{"id":"b","custom_id":"1","response":{{"status_code":200,"body":{said}}},"error":null}}"#),
        format!("{{\"custom_id\":\"1\",\"response\":{{\"body\":{said}}}}}\n{{\"custom_id\":\"2\",\"response\":{{\"body\":{said}}}}}"),
        r#"{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"a"}]}}"#.to_owned(),
    ] {
        assert_eq!(told(&text), "unsupported", "{text}");
    }
}

#[test]
fn a_session_is_told_by_its_header_or_its_row_wherever_that_stands() {
    let pi = r#"{"type":"session","version":3,"id":"s","cwd":"/x"}"#;
    let droid = r#"{"type":"session_start","id":"s","version":2}"#;
    for before in ["{}", r#"{"type":"x"}"#, ""] {
        assert_eq!(told(&format!("{before}\n{pi}\n")), "pi", "{before}");
        assert_eq!(told(&format!("{before}\n{droid}\n")), "droid", "{before}");
    }
    let row = r#"{"id":"s","source":"cli","parent_session_id":null,"messages":[{"id":1,"role":"user","content":"a"}]}"#;
    let run = r#"{"suite_name":"s","pipeline_name":"p","metadata":{},"messages":[]}"#;
    let noted = r#"{"metadata":{"suite_name":"s","user_task_id":"u"},"messages":[]}"#;
    for (text, name) in [(row, "hermes"), (run, "agentdojo"), (noted, "agentdojo")] {
        assert_eq!(told(text), name, "{text}");
        assert_eq!(told(&format!("[{text},{text}]")), name, "{text}");
    }
}
