//! Values of an unexpected type: whatever is not plainly so is read as what believes less.

use firsthand::conversation::{Body, Conversation, Producer, Speaker};
use firsthand_wire::format::{Choice, Source, read};

fn claude_code(lines: &[&str]) -> Vec<Conversation> {
    let text = lines.join("\n");
    read(text.as_bytes(), Choice::Named("claude-code"), &Source { name: "s.jsonl" }).unwrap().conversations
}

/// Whether some item is a person's words where a person speaks.
fn has_a_person(conversations: &[Conversation]) -> bool {
    use firsthand::conversation::Seat;
    conversations.iter().filter(|conversation| conversation.seat != Seat::ParentModel).any(|conversation| {
        conversation.items.iter().any(|item| matches!(item.body, Body::User { .. } | Body::Answer { .. }))
    })
}

fn line(keys: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s",{keys}"message":{{"role":"user","content":"Hello"}}}}"#
    )
}

#[test]
fn a_flag_of_another_type_counts_as_set() {
    assert!(has_a_person(&claude_code(&[&line("")])));
    for flag in ["isMeta", "isSidechain", "isCompactSummary", "isSynthetic"] {
        for plain in ["false", "null"] {
            assert!(has_a_person(&claude_code(&[&line(&format!("\"{flag}\":{plain},"))])), "{flag} {plain}");
        }
        for odd in ["true", "\"true\"", "\"false\"", "1", "0", "[]", "{}"] {
            assert!(!has_a_person(&claude_code(&[&line(&format!("\"{flag}\":{odd},"))])), "{flag} {odd}");
        }
    }
}

#[test]
fn a_word_of_another_type_makes_nobody_a_person() {
    for keys in [
        r#""agentId":{"a":1},"#,
        r#""parent_tool_use_id":["c"],"#,
        r#""origin":"human","#,
        r#""origin":{"kind":1.5},"#,
        r#""promptSource":{},"#,
        r#""sourceToolUseID":[],"#,
        r#""isSidechain":true,"forkedFrom":false,"#,
        r#""isSidechain":true,"forkedFrom":"","#,
        r#""agentId":"a","forkedFrom":1,"#,
    ] {
        assert!(!has_a_person(&claude_code(&[&line(keys)])), "{keys}");
    }
}

#[test]
fn a_line_whose_message_has_another_role_is_no_persons() {
    for role in ["\"assistant\"", "\"system\"", "\"User\"", "{}", "true"] {
        let line = line("").replace("\"role\":\"user\"", &format!("\"role\":{role}"));
        let read = claude_code(&[&line]);
        assert!(!has_a_person(&read), "{role}");
        let model = |body: &Body| matches!(body, Body::Said { by: Speaker::Task | Speaker::Assistant, .. });
        assert!(read.iter().flat_map(|one| &one.items).any(|item| model(&item.body)), "{role}: its words are marked");
    }
}

#[test]
fn a_queued_command_with_odd_signs_is_no_persons() {
    let queued = |keys: &str| {
        format!(
            r#"{{"type":"attachment","uuid":"u","parentUuid":null,"sessionId":"s","attachment":{{"type":"queued_command","commandMode":"prompt",{keys}"prompt":"Hello"}}}}"#
        )
    };
    assert!(has_a_person(&claude_code(&[&queued("\"humanTurn\":true,")])));
    for keys in [r#""humanTurn":"false","#, r#""humanTurn":0,"#, r#""isMeta":"true","#, r#""isMeta":1,"#] {
        assert!(!has_a_person(&claude_code(&[&queued(keys)])), "{keys}");
    }
}

#[test]
fn what_the_model_gave_to_a_slash_command_is_the_models_however_it_was_escaped() {
    let call = r#"{"type":"assistant","uuid":"a","parentUuid":null,"sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Skill","input":{"skill":"look","args":"see https:\/\/a.example\/\u0070 \u00e9 \"q\""}}]}}"#;
    let said = r#"{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"user","content":"<command-name>/look</command-name><command-args>see https://a.example/p \u00e9 \"q\"</command-args>"}}"#;
    assert!(!has_a_person(&claude_code(&[call, said])));
    assert!(has_a_person(&claude_code(&[said])));
}

#[test]
fn an_error_flag_of_another_type_is_an_error() {
    for (flag, wanted) in [("false", false), ("\"true\"", true), ("1", true)] {
        let line = format!(
            r#"{{"type":"user","uuid":"u","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","is_error":{flag},"content":"x"}}]}}}}"#
        );
        let read = claude_code(&[&line]);
        let is_error = |body: &Body| matches!(body, Body::Result(result) if result.is_error);
        assert_eq!(read.iter().flat_map(|one| &one.items).any(|item| is_error(&item.body)), wanted, "{flag}");
    }
}

#[test]
fn a_message_of_a_thread_with_an_odd_name_is_no_persons() {
    let line = r#"{"type":"user.message","id":"e","session_thread_id":["t"],"processed_at":"2026-01-01T00:00:00Z","content":[{"type":"text","text":"Hello"}]}"#;
    let read = read(line.as_bytes(), Choice::Named("managed-agents"), &Source { name: "s.jsonl" }).unwrap();
    assert!(!has_a_person(&read.conversations));
}

#[test]
fn an_event_of_a_connector_makes_no_shell_a_connectors() {
    let lines = [
        r#"{"type":"session_meta","payload":{"id":"t"}}"#,
        r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{}"}}"#,
        r#"{"type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"desk","tool":"look","arguments":{}},"result":{"Ok":{"content":[{"type":"text","text":"x"}]}}}}"#,
    ];
    let read = read(lines.join("\n").as_bytes(), Choice::Named("codex"), &Source { name: "r.jsonl" }).unwrap();
    let items = read.conversations.iter().flat_map(|conversation| &conversation.items);
    let mut calls = Vec::new();
    for item in items {
        if let Body::Call(call) = &item.body {
            calls.push((call.server.clone(), call.tool.clone()));
        }
        if let Body::Result(result) = &item.body {
            assert_eq!(result.from, Producer::Call("c".to_owned()));
        }
    }
    assert_eq!(calls, [(None, "shell".to_owned())]);
}
