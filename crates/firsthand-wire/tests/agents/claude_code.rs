//! Transcripts of Claude Code.

use firsthand::conversation::{Body, Parent};
use firsthand_wire::format::claude_code::{adopt, family_of};
use firsthand_wire::format::{Choice, Source, read};

use crate::shown::{conversations, shown};

const FORMAT: &str = "claude-code";

#[test]
fn who_wrote_a_line_in_the_users_place() {
    let bytes = include_bytes!("../data/claude_code/voices.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "voices.jsonl", bytes));
}

#[test]
fn what_tools_returned() {
    let bytes = include_bytes!("../data/claude_code/results.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "results.jsonl", bytes));
}

#[test]
fn what_a_person_took_back_ends_and_parallel_calls_do_not() {
    let bytes = include_bytes!("../data/claude_code/rewinds.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "rewinds.jsonl", bytes));
}

#[test]
fn subagents_in_the_same_file_are_conversations_of_their_own() {
    let bytes = include_bytes!("../data/claude_code/sidechains.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "sidechains.jsonl", bytes));
}

#[test]
fn what_a_fork_copied_keeps_its_writers() {
    let bytes = include_bytes!("../data/claude_code/fork.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "fork.jsonl", bytes));
}

#[test]
fn a_rewind_names_an_item_before_it() {
    for conversation in conversations(FORMAT, "rewinds.jsonl", include_bytes!("../data/claude_code/rewinds.jsonl")) {
        for (index, item) in conversation.items.iter().enumerate() {
            if let Body::Rewind { to } = item.body {
                assert!(to < index, "{}", item.at);
            }
        }
    }
}

#[test]
fn a_session_and_its_subagents_are_one_family() {
    let main = br#"{"type":"mode","sessionId":"s-1"}"#;
    assert_eq!(family_of("p/s-1.jsonl", main).as_deref(), Some("s-1"));
    assert_eq!(family_of("p/s-1/subagents/agent-a.jsonl", b"").as_deref(), Some("s-1"));
    assert_eq!(family_of("p/s-1/subagents/workflows/w/agent-a.jsonl", b"{").as_deref(), Some("s-1"));
    assert_eq!(family_of("p/other.jsonl", b"{\"type\":\"mode\",\"sess").as_deref(), None);
}

#[test]
fn a_companion_file_says_which_call_started_a_subagent() {
    let line = br#"{"type":"user","isSidechain":true,"agentId":"a2","uuid":"u","parentUuid":null,"sessionId":"s-1","message":{"role":"user","content":"Count"}}"#;
    let mut read = conversations(FORMAT, "p/s-1/subagents/agent-a2.jsonl", line);
    let conversation = read.first_mut().unwrap();
    assert_eq!(conversation.id, "s-1/agent-a2");
    adopt(conversation, br#"{"agentType":"x","toolUseId":"toolu_1"}"#);
    let call = Some("toolu_1".to_owned());
    assert_eq!(conversation.parent, Some(Parent { conversation: "s-1".to_owned(), call: call.clone() }));
    adopt(conversation, br#"{"toolUseId":"toolu_1","parentAgentId":"a1"}"#);
    assert_eq!(conversation.parent, Some(Parent { conversation: "s-1/agent-a1".to_owned(), call }));
    adopt(conversation, b"no JSON");
}

#[test]
fn nobody_is_a_person_in_a_subagents_file() {
    let line = br#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s-1","message":{"role":"user","content":"Count"}}"#;
    let text = shown(FORMAT, "p/agent-a3.jsonl", line);
    assert_eq!(text, "# s-1/agent-a3 [claude-code ParentModel] of s-1 \n0 task @line 1 t0 | Count\n");
}

#[test]
fn a_connector_cannot_pose_as_a_tool_of_the_host() {
    let line = br#"{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","message":{"content":[{"type":"tool_use","id":"1","name":"mcp__evil__WebSearch","input":{}}]}}"#;
    let text = shown(FORMAT, "s.jsonl", line);
    assert!(text.contains("evil/WebSearch"), "{text}");
}

#[test]
fn the_stream_of_the_sdk_is_read_like_a_transcript() {
    let lines = concat!(
        r#"{"type":"system","subtype":"init","session_id":"s-9","uuid":"x0"}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":"Go"},"parent_tool_use_id":null,"session_id":"s-9","uuid":"x1"}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Count"}}]},"parent_tool_use_id":null,"session_id":"s-9","uuid":"x2"}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Count"}]},"parent_tool_use_id":"t1","isSynthetic":true,"session_id":"s-9","uuid":"x3"}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":"said by the host"},"parent_tool_use_id":null,"isSynthetic":true,"session_id":"s-9","uuid":"x4"}"#,
        "\n"
    );
    insta::assert_snapshot!(shown(FORMAT, "stream.jsonl", lines.as_bytes()));
}

#[test]
fn the_list_that_the_agent_prints_at_its_end_is_read_as_its_lines() {
    let list = concat!(
        r#"[{"type":"system","subtype":"init","session_id":"s-9"},"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":"Go"},"parent_tool_use_id":null,"session_id":"s-9"},"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Count"}]},"parent_tool_use_id":"t1","session_id":"s-9"}]"#,
    );
    let text = shown(FORMAT, "out.json", list.as_bytes());
    assert!(text.contains("0 user @/1 t0 | Go\n"), "{text}");
    assert!(text.contains("0 task @/2/message/content/0 t0 | Count\n"), "{text}");
    for broken in [r#"[{"type":"system","subtype":"init","session_id":"s"},7]"#, list.trim_end_matches(']')] {
        let read = read(broken.as_bytes(), Choice::Named(FORMAT), &Source { name: "out.json" });
        assert!(read.is_err(), "{broken}");
    }
}
