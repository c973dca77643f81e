//! Who is believed must not depend on what nobody looked at: rules that a reader would notice to be broken.

use std::collections::BTreeSet;

use firsthand::conversation::{Body, Conversation, Producer, Speaker};
use firsthand_wire::format::{Choice, Source, read};

use crate::{OWN, conversations, dump, read_own};

fn bodies(conversations: &[Conversation]) -> impl Iterator<Item = &Body> {
    conversations.iter().flat_map(|conversation| &conversation.items).map(|item| &item.body)
}

#[test]
fn ids_of_calls_never_repeat_and_every_item_has_a_place_and_a_turn() {
    for (format, name) in OWN {
        for conversation in read_own(format, name) {
            let mut ids = BTreeSet::new();
            for item in &conversation.items {
                if let Body::Call(call) = &item.body {
                    // Only what the record itself calls by one id, and nobody can tell apart, keeps it.
                    let is_new = ids.insert(call.id.clone()) || call.id == "call_0";
                    assert!(!call.id.is_empty() && is_new, "{format} {name}: {}", call.id);
                    assert!(serde_json::from_str::<serde_json::Value>(&call.arguments).is_ok());
                }
                assert!(item.turn.is_some());
            }
        }
    }
}

#[test]
fn calls_of_one_message_stand_before_its_results() {
    let text = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"text","text":"t"},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}"#;
    let read = conversations("anthropic-messages", text);
    let kinds: Vec<&str> = bodies(&read).map(|body| body.position().name()).collect();
    assert_eq!(kinds, ["user", "tool_call", "assistant", "tool_call", "tool_result", "tool_result"]);
    let split = read_own("anthropic-messages", "split.jsonl");
    let kinds: Vec<&str> = bodies(&split).map(|body| body.position().name()).collect();
    assert_eq!(kinds.get(..6).unwrap(), ["user", "tool_call", "assistant", "tool_call", "tool_result", "tool_result"]);
}

#[test]
fn a_hit_stands_before_the_call_that_opens_it_when_a_server_ran_both() {
    let read = read_own("anthropic-messages", "server_tools.json");
    let dump = dump(&read);
    let hit = dump.find("result of srv_1").unwrap();
    assert!(hit < dump.find("call srv_2").unwrap());
}

#[test]
fn an_address_that_a_search_attached_stands_before_the_text_that_cites_it() {
    for (format, text) in [
        (
            "openai-chat",
            r#"{"choices":[{"message":{"role":"assistant","content":"see https://c.example/","annotations":[{"type":"url_citation","url_citation":{"url":"https://c.example/"}}]}}]}"#,
        ),
        (
            "openai-responses",
            r#"{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"see https://c.example/","annotations":[{"type":"url_citation","url":"https://c.example/"}]}]}]}"#,
        ),
        (
            "anthropic-messages",
            r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"see https://c.example/","citations":[{"type":"web_search_result_location","url":"https://c.example/"}]}]}"#,
        ),
    ] {
        let read = conversations(format, text);
        let kinds: Vec<&str> = bodies(&read).map(|body| body.position().name()).collect();
        assert_eq!(kinds, ["hidden", "tool_result", "assistant"], "{format}");
    }
}

#[test]
fn a_citation_of_a_tools_own_document_makes_nothing_the_searchs() {
    let text = r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x","citations":[{"type":"search_result_location","source":"https://file.example/"}]}]}"#;
    assert!(!bodies(&conversations("anthropic-messages", text)).any(|body| matches!(body, Body::Result(_))));
}

#[test]
fn a_citation_in_a_users_text_counts_for_nothing() {
    let text = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x","citations":[{"type":"web_search_result_location","url":"https://forged.example/"}]}]}]}"#;
    assert!(!dump(&conversations("anthropic-messages", text)).contains("forged"));
}

#[test]
fn what_is_not_known_is_never_a_persons_or_a_tools() {
    for (format, name) in OWN {
        for body in bodies(&read_own(format, name)) {
            let unknown = match body {
                Body::Said { by: Speaker::Assistant | Speaker::System, .. } => continue,
                Body::User { text, .. } | Body::Said { text, .. } | Body::Attachment { text, .. } => text.to_string(),
                Body::Result(result) => result.content.text().to_string(),
                Body::Call(call) => call.arguments.to_string(),
                Body::Answer { .. } | Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => continue,
            };
            assert!(!unknown.contains("unknown.example"), "{format} {name}: {unknown}");
        }
    }
}

#[test]
fn text_of_the_model_is_never_lost_because_its_block_is_not_known() {
    for (format, name) in [("anthropic-messages", "server_tools.json"), ("openai-chat", "request.json")] {
        let read = read_own(format, name);
        let model: String = bodies(&read)
            .filter_map(
                |body| {
                    if let Body::Said { by: Speaker::Assistant, text } = body { Some(&**text) } else { None }
                },
            )
            .collect();
        assert!(model.contains("unknown.example/model"), "{format}");
    }
}

#[test]
fn whoever_has_a_role_that_is_not_known_is_the_model() {
    for (format, key) in
        [("anthropic-messages", "messages"), ("openai-chat", "messages"), ("openai-responses", "input")]
    {
        let text = format!(r#"{{"{key}":[{{"role":"critic","content":"https://unknown.example/role"}}]}}"#);
        let read = conversations(format, &text);
        let said = bodies(&read).any(|body| matches!(body, Body::Said { by: Speaker::Assistant, .. }));
        assert!(said, "{format}");
    }
}

#[test]
fn a_result_that_answers_no_call_has_none() {
    let read = read_own("openai-chat", "request.json");
    let calls: BTreeSet<String> = bodies(&read)
        .filter_map(|body| if let Body::Call(call) = body { Some(call.id.clone()) } else { None })
        .collect();
    for (words, has_call) in
        [("nobody called", false), ("fits no call", false), ("tide by name", true), ("second turn", true)]
    {
        let from = bodies(&read)
            .filter_map(|body| if let Body::Result(result) = body { Some(result) } else { None })
            .find(|result| &**result.content.text() == words)
            .map(|result| &result.from)
            .unwrap();
        let Producer::Call(id) = from else { panic!("{words}: {from:?}") };
        assert_eq!(calls.contains(id), has_call, "{words}");
    }
}

/// The ids of the calls and results of a conversation, in order.
fn ids(text: &str) -> Vec<String> {
    let id = |body: &Body| {
        if let Body::Call(call) = body {
            return Some(call.id.clone());
        }
        let Body::Result(result) = body else { return None };
        if let Producer::Call(id) = &result.from { Some(id.clone()) } else { None }
    };
    bodies(&conversations("openai-chat", text)).filter_map(id).collect()
}

fn call(id: &str, tool: &str) -> String {
    format!(
        r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"name":"{tool}","arguments":"{{}}"}}}}]}}"#
    )
}

fn answer(id: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#)
}

#[test]
fn an_id_that_another_message_uses_again_for_the_same_tool_is_answered_in_its_own_turn() {
    let text = [call("0", "f"), answer("0"), call("0", "f"), answer("0"), answer("0")].join("\n");
    let ids = ids(&text);
    let [first, one, second, two, more] = ids.as_slice() else { panic!("{ids:?}") };
    assert!(first == one && second == two && first != second, "{ids:?}");
    assert!(more != first && more != second, "a third result is nobody's: {ids:?}");
}

#[test]
fn an_id_that_two_tools_share_binds_all_its_results_to_both() {
    for lines in [
        vec![call("0", "shell"), answer("0"), call("0", "web_search"), answer("0")],
        vec![call("0", "web_search"), call("0", "shell"), answer("0"), answer("0")],
        vec![call("0", "f"), answer("0"), call("0", "f"), answer("0"), call("0", "shell"), call("0", "f"), answer("0")],
        vec![call("0", "f"), call("0", "f"), answer("0")],
    ] {
        let ids = ids(&lines.join("\n"));
        let last = ids.last().unwrap();
        assert_eq!(last, "0", "{ids:?}");
    }
}

#[test]
fn an_object_of_a_message_that_has_a_key_twice_is_an_error() {
    for (format, text) in [
        ("openai-chat", r#"{"messages":[{"role":"user","content":"a","role":"assistant"}]}"#),
        ("openai-chat", r#"{"messages":[],"messages":[{"role":"user","content":"a"}]}"#),
        ("openai-chat", r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}"#),
        ("anthropic-messages", r#"{"messages":[{"role":"user","content":"a","content":"b"}]}"#),
        (
            "anthropic-messages",
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","name":"g","input":{}}]}]}"#,
        ),
        ("openai-responses", r#"{"input":[{"role":"user","role":"system","content":"a"}]}"#),
        ("agentdojo", r#"{"suite_name":"s","messages":[{"role":"user","role":"tool","content":"a"}]}"#),
        ("managed-agents", r#"{"type":"user.message","type":"agent.message","content":[],"processed_at":"x"}"#),
        ("codex", r#"{"type":"response_item","payload":{"type":"message","role":"assistant","role":"user"}}"#),
        ("claude-code", r#"{"type":"user","sessionId":"s","uuid":"u","isMeta":true,"isMeta":false}"#),
        ("claude-code", r#"{"type":"user","uuid":"u","message":{"role":"user","content":"a","content":"b"}}"#),
        ("firsthand", r#"{"position":"assistant","position":"user","text":"a"}"#),
    ] {
        let source = Source { name: "x" };
        let error = read(text.as_bytes(), Choice::Named(format), &source).unwrap_err().to_string();
        assert!(error.contains(" twice; expected the key `"), "{format} {text}: {error}");
    }
}

#[test]
fn a_part_of_a_users_message_that_is_not_text_is_no_persons() {
    for kind in ["reasoning", "tool_result"] {
        let text = format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"{kind}","text":"a"}}]}}]}}"#);
        assert!(!bodies(&conversations("openai-chat", &text)).any(|body| matches!(body, Body::User { .. })), "{kind}");
        let text = format!(r#"{{"input":[{{"role":"user","content":[{{"type":"{kind}","text":"a"}}]}}]}}"#);
        assert!(!bodies(&conversations("openai-responses", &text)).any(|body| matches!(body, Body::User { .. })));
    }
}

#[test]
fn an_error_flag_that_is_no_plain_no_is_a_yes() {
    for (flag, wanted) in [("false", false), ("null", false), ("true", true), ("\"true\"", true), ("1", true)] {
        let text = format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","is_error":{flag},"content":"x"}}]}}]}}"#
        );
        let read = conversations("anthropic-messages", &text);
        let is_error = bodies(&read).any(|body| matches!(body, Body::Result(result) if result.is_error));
        assert_eq!(is_error, wanted, "{flag}");
    }
}

#[test]
fn a_history_that_is_sent_again_is_read_once() {
    let read = read_own("anthropic-messages", "paused.jsonl");
    assert_eq!(read.len(), 3);
    let first = dump(read.get(..1).unwrap());
    assert_eq!(first.matches("call srv_1").count(), 1);
    assert!(first.contains("result of srv_1"));
    assert!(first.contains("rewind to"), "the branch that was left is taken back");
    assert!(!first.contains("Another conversation"));
}

#[test]
fn a_conversation_goes_on_by_the_id_of_its_last_response() {
    let read = read_own("openai-responses", "chain.jsonl");
    let ids: Vec<&str> = read.iter().map(|conversation| conversation.id.as_str()).collect();
    assert_eq!(ids, ["chain#0", "chain#1", "chain#2"]);
    let hidden = |index: usize| dump(read.get(index..=index).unwrap()).contains("hidden (calls true)");
    assert_eq!([hidden(0), hidden(1), hidden(2)], [false, false, true]);
    assert!(dump(&read).contains("result of c2"));
}

#[test]
fn turns_begin_with_a_persons_message_and_not_with_a_reminder() {
    let text = r#"{"messages":[{"role":"user","content":"one"},{"role":"user","content":"more"},{"role":"assistant","content":"a"},{"role":"user","content":"<system-reminder>note</system-reminder>"},{"role":"assistant","content":"b"},{"role":"user","content":"two"}]}"#;
    let read = conversations("anthropic-messages", text);
    let turns: Vec<u32> = read.first().unwrap().items.iter().filter_map(|item| item.turn).collect();
    assert_eq!(turns, [0, 0, 0, 0, 0, 1]);
}

#[test]
fn arguments_that_name_something_twice_still_do() {
    assert!(dump(&read_own("openai-chat", "request.json")).contains(r#"{"query": "fjord", "query": "depth"}"#));
    assert!(
        dump(&read_own("anthropic-messages", "stream.txt"))
            .contains(r#"{"url":"https://cut.example/page","url":"twice"}"#)
    );
    let text = r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"u":1,"u":2}}]}]}"#;
    assert!(dump(&conversations("anthropic-messages", text)).contains(r#"{"u":1,"u":2}"#));
}

#[test]
fn a_block_of_a_stream_that_was_not_closed_is_the_models_as_far_as_it_came() {
    let read = dump(&read_own("anthropic-messages", "stream.txt"));
    assert!(read.contains("Opening https://cut.example/page") && read.contains(r#"Assistant "never closed""#));
    assert!(read.contains("hidden (calls true) the rest of a stream that was cut off"));
}

#[test]
fn a_list_of_messages_is_a_conversation() {
    for format in ["anthropic-messages", "openai-chat", "openai-responses"] {
        let read = conversations(format, r#"[{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}]"#);
        let kinds: Vec<&str> = bodies(&read).map(|body| body.position().name()).collect();
        assert_eq!(kinds, ["user", "assistant"], "{format}");
    }
}

#[test]
fn a_result_that_stands_in_the_users_place_is_not_a_persons() {
    let text = r#"{"messages":[{"role":"user","content":"<tool_response>https://in-text.example/</tool_response>"}]}"#;
    assert_eq!(firsthand_wire::format::detect(text.as_bytes()).unwrap().name, "qwen-react");
    for format in ["openai-chat", "qwen-react"] {
        assert!(!bodies(&conversations(format, text)).any(|body| matches!(body, Body::User { .. })));
    }
}

#[test]
fn a_response_among_bare_messages_is_one_of_them() {
    let text = concat!(
        r#"{"role":"user","content":"one"}"#,
        "\n",
        r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"two"}]}"#,
        "\n",
        r#"{"role":"user","content":"three"}"#,
    );
    let read = conversations("anthropic-messages", text);
    let kinds: Vec<&str> = bodies(&read).map(|body| body.position().name()).collect();
    assert_eq!((read.len(), kinds.as_slice()), (1, &["user", "assistant", "user"][..]));
}

#[test]
fn a_request_that_failed_is_read_without_a_response() {
    for response in ["null", r#"{"type":"error","error":{"type":"overloaded"}}"#] {
        let text = format!(r#"{{"request":{{"messages":[{{"role":"user","content":"one"}}]}},"response":{response}}}"#);
        let read = conversations("anthropic-messages", &text);
        assert_eq!(bodies(&read).map(|body| body.position().name()).collect::<Vec<_>>(), ["user"]);
    }
    let text = r#"{"request":{"messages":[{"role":"user","content":"one"}]},"response":"event: message_start"}"#;
    let read = conversations("anthropic-messages", text);
    assert_eq!(bodies(&read).map(|body| body.position().name()).collect::<Vec<_>>(), ["user", "hidden"]);
}

#[test]
fn what_the_model_calls_after_a_person_spoke_is_another_batch_whatever_its_id() {
    let text = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"and now"}]},{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"b","name":"f","input":{}}]}]}"#;
    let read = conversations("anthropic-messages", text);
    let kinds: Vec<&str> = bodies(&read).map(|body| body.position().name()).collect();
    assert_eq!(kinds, ["user", "tool_call", "tool_result", "user", "tool_call"]);
}

#[test]
fn a_tool_of_a_server_is_the_servers_and_none_of_the_hosts() {
    let text = r#"{"input":[{"type":"function_call","call_id":"a","namespace":"mcp__desk__","name":"web_search","arguments":"{}"},{"type":"function_call","call_id":"b","name":"mcp__desk__web_search","arguments":"{}"},{"type":"function_call","call_id":"c","namespace":"desk","name":"web_search","arguments":"{}"}]}"#;
    let read = dump(&conversations("openai-responses", text));
    for call in ["call a of desk/web_search ", "call b of desk/web_search ", "call c of desk.web_search "] {
        assert!(read.contains(call), "{call}");
    }
}

#[test]
fn ids_that_are_numbers_join_like_others() {
    let text = r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":1,"function":{"name":"read_file","arguments":"{}"}},{"id":2,"function":{"name":"web_search","arguments":"{}"}}]},{"role":"tool","tool_call_id":2,"content":"hits"},{"role":"tool","tool_call_id":1,"content":"file"}]}"#;
    let read = dump(&conversations("openai-chat", text));
    assert!(read.contains("result of 2 \"hits\"") && read.contains("result of 1 \"file\""));
}

#[test]
fn runs_of_one_task_are_conversations_of_their_own() {
    let run = r#"{"suite_name":"s","pipeline_name":"p","user_task_id":"t","messages":[{"role":"user","content":"x"}]}"#;
    let read = conversations("agentdojo", &format!("{run}\n{run}\n"));
    let ids: Vec<&str> = read.iter().map(|conversation| conversation.id.as_str()).collect();
    assert_eq!(ids, ["s/p/t", "s/p/t#1"]);
}
