//! Rollouts of Codex CLI.

use firsthand::conversation::Body;
use firsthand_wire::format::codex::family_of;
use firsthand_wire::format::{Choice, Source, read};

use crate::shown::shown;

const FORMAT: &str = "codex";

#[test]
fn a_text_in_the_users_place_is_a_persons_only_where_it_was_displayed_as_typed() {
    insta::assert_snapshot!(shown(FORMAT, "voices.jsonl", include_bytes!("../data/codex/voices.jsonl")));
}

#[test]
fn calls_and_what_they_returned() {
    insta::assert_snapshot!(shown(FORMAT, "tools.jsonl", include_bytes!("../data/codex/tools.jsonl")));
}

#[test]
fn a_history_written_anew_adds_only_the_summary() {
    insta::assert_snapshot!(shown(FORMAT, "compaction.jsonl", include_bytes!("../data/codex/compaction.jsonl")));
}

#[test]
fn a_file_that_begins_with_a_compaction_says_that_calls_are_hidden() {
    let bytes = include_bytes!("../data/codex/begins_compacted.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "begins_compacted.jsonl", bytes));
}

#[test]
fn nobody_is_a_person_in_a_subagents_file() {
    insta::assert_snapshot!(shown(FORMAT, "subagent.jsonl", include_bytes!("../data/codex/subagent.jsonl")));
}

#[test]
fn the_oldest_files_have_items_without_wrappers() {
    insta::assert_snapshot!(shown(FORMAT, "rollout-old.jsonl", include_bytes!("../data/codex/bare.jsonl")));
}

#[test]
fn the_output_of_exec_is_named_and_not_read() {
    let bytes = br#"{"type":"thread.started","thread_id":"t"}"#;
    let error = read(bytes, Choice::Auto, &Source { name: "out.jsonl" }).unwrap_err();
    assert!(error.to_string().starts_with("this is the output of `codex exec --json`"), "{error}");
}

#[test]
fn a_thread_and_those_it_spawned_are_one_family() {
    let main = include_bytes!("../data/codex/tools.jsonl");
    let spawned = include_bytes!("../data/codex/subagent.jsonl");
    assert_eq!(family_of(main).as_deref(), Some("thread-1"));
    assert_eq!(family_of(spawned).as_deref(), Some("thread-1"));
    assert_eq!(family_of(b"{\"type\":\"session_meta\",\"payload\":{"), None);
}

/// Whether a person is heard in a rollout of these lines, of which the user's text is the same in all.
fn is_heard(lines: &[&str]) -> bool {
    let read = read(lines.join("\n").as_bytes(), Choice::Auto, &Source { name: "rollout-x.jsonl" }).unwrap();
    let mut bodies = read.conversations.iter().flat_map(|conversation| &conversation.items).map(|item| &item.body);
    bodies.any(|body| matches!(body, Body::User { .. }))
}

const TYPED: [&str; 2] = [
    r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Read A"}]}}"#,
    r#"{"type":"event_msg","payload":{"type":"user_message","message":"Read A"}}"#,
];

#[test]
fn a_thread_is_a_persons_where_the_session_says_that_a_user_began_it() {
    let heard = |thread: &str| {
        let meta = format!(
            r#"{{"type":"session_meta","payload":{{"id":"t","source":"cli","thread_source":{thread},"agent_nickname":null}}}}"#
        );
        is_heard(&[&meta, TYPED[0], TYPED[1]])
    };
    for thread in ["\"user\"", "\"cli\"", "null"] {
        assert!(heard(thread), "{thread}");
    }
    for thread in
        ["\"subagent\"", "\"guardian_review\"", "\"memory_consolidation\"", "\"User\"", "\"\"", "[\"user\"]", "0"]
    {
        assert!(!heard(thread), "{thread}");
    }
}

#[test]
fn a_file_of_todays_kind_without_the_facts_about_its_session_has_no_person() {
    let turn = r#"{"type":"turn_context","payload":{"cwd":"/work"}}"#;
    let bare = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Read A"}]}"#;
    let meta = r#"{"type":"session_meta","payload":{"id":"t","source":"cli"}}"#;
    let oldest = r#"{"record_type":"state"}"#;
    assert!(is_heard(&[meta, turn, TYPED[0], TYPED[1]]));
    assert!(is_heard(&[oldest, bare]));
    for lines in [&TYPED[..], &[turn, TYPED[0], TYPED[1]], &[turn, bare], &[meta, bare], &[TYPED[1]]] {
        assert!(!is_heard(lines), "{lines:?}");
    }
}
