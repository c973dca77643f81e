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
    let plain = b"[{\"role\":\"user\",\"says\":1,\"content\":\"a\"}]";
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
