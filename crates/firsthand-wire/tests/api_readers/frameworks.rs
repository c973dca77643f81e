//! The traps of the frameworks' formats: whose words stand in a place that looks like somebody else's.

use firsthand::conversation::{Body, Conversation, Seat, Speaker};
use firsthand_wire::format::{Choice, Source, read};

use crate::{dump, own_path, read_own};

/// The items that hold these words, each as `position` of who says it.
fn places(conversations: &[Conversation], words: &str) -> Vec<&'static str> {
    let items = conversations.iter().flat_map(|conversation| &conversation.items);
    let holds = |body: &Body| match body {
        Body::User { text, .. } | Body::Said { text, .. } | Body::Attachment { text, .. } => text.contains(words),
        Body::Call(call) => call.arguments.contains(words),
        Body::Result(result) => result.content.text().contains(words),
        Body::Answer { .. } | Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => false,
    };
    items.filter(|item| holds(&item.body)).map(|item| item.body.position().name()).collect()
}

#[track_caller]
fn stand(conversations: &[Conversation], wanted: &[(&str, &[&str])]) {
    for (words, positions) in wanted {
        assert_eq!(places(conversations, words), *positions, "{words}");
    }
}

fn hides_calls(conversation: &Conversation) -> bool {
    conversation.items.iter().any(|item| matches!(item.body, Body::Hidden { calls: true, .. }))
}

fn kinds(conversation: &Conversation) -> Vec<&'static str> {
    conversation.items.iter().map(|item| item.body.position().name()).collect()
}

#[test]
fn a_human_message_of_langchain_is_a_persons_only_where_nothing_says_otherwise() {
    let read = read_own("langchain", "messages.json");
    stand(
        &read,
        &[
            ("person.example/plan", &["user", "tool_call"]),
            ("agent.example", &["report"]),
            ("summary.example", &["summary"]),
            ("host.example", &["system"]),
            ("person.example/second", &["user"]),
            ("artifact.example", &[]),
            ("broken.example", &["assistant"]),
            ("collect.example", &["tool_call", "tool_result"]),
        ],
    );
    stand(&read_own("langchain", "inner.json"), &[("given.example", &["task"])]);
}

#[test]
fn what_is_odd_is_read_as_what_believes_less() {
    let human = |extra: &str| format!(r#"[{{"type":"human","content":"https://odd.example/",{extra}}}]"#);
    for (extra, position) in [
        (r#""name":7"#, "report"),
        (r#""additional_kwargs":{"lc_source":7}"#, "system"),
        (r#""additional_kwargs":{"hide_from_ui":"true"}"#, "system"),
        (r#""name":null"#, "user"),
    ] {
        stand(&crate::conversations("langchain", &human(extra)), &[("odd.example", &[position])]);
    }
    let failed = |format: &'static str, text: &str| {
        let text = dump(&crate::conversations(format, text));
        assert!(text.contains("result of c error"), "{text}");
    };
    failed("langchain", r#"[{"type":"tool","tool_call_id":"c","content":"a","status":7}]"#);
    failed(
        "pydantic-ai",
        r#"[{"kind":"request","parts":[{"part_kind":"tool-return","tool_call_id":"c","content":"a","outcome":7}]}]"#,
    );
    failed(
        "bedrock-converse",
        r#"[{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"a"}],"status":7}}]}]"#,
    );
    failed(
        "vercel-ai",
        r#"[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","result":"a","isError":"yes"}]}]"#,
    );
    let twice = r#"[{"type":"ai","content":"a","type":"human"}]"#;
    assert!(read(twice.as_bytes(), Choice::Named("langchain"), &Source { name: "x" }).is_err());
}

#[test]
fn the_states_of_a_thread_are_read_from_the_oldest_and_each_message_once() {
    let read = read_own("langchain", "history.json");
    assert_eq!(read.len(), 1);
    assert_eq!(kinds(read.first().unwrap()), ["user", "tool_call", "tool_result", "assistant"]);
}

#[test]
fn pieces_of_a_streamed_message_are_joined_so_that_no_address_is_cut() {
    let read = read_own("langchain", "stream.jsonl");
    stand(&read, &[("https://cut.example/page", &["assistant", "tool_call"])]);
}

#[test]
fn what_langgraph_takes_back_does_not_count() {
    assert!(dump(&read_own("langchain", "forms.jsonl")).contains("rewind to 0"));
}

#[test]
fn feedback_of_pydantic_ai_in_the_users_place_is_no_persons() {
    let read = read_own("pydantic-ai", "messages.json");
    stand(
        &read,
        &[
            ("framework.example", &["system"]),
            ("document.example", &["attachment"]),
            ("cited.example", &["tool_result"]),
            ("filed.example", &[]),
            ("metadata.example", &[]),
            ("summary.example", &["summary"]),
        ],
    );
    assert!(hides_calls(read.first().unwrap()), "a summary is encrypted");
    let text = dump(&read);
    assert!(text.contains("of desk/get_ticket (provider)"));
    assert!(text.contains("result of c3 error"));
}

#[test]
fn results_in_a_vercel_message_come_after_all_calls_of_their_step() {
    let read = read_own("vercel-ai", "ui.json");
    let text = dump(&read);
    let at = |words: &str| text.find(words).unwrap();
    assert!(at("call c2 ") < at("result of c1 "));
    assert!(at("result of c2 ") < at("call c3 "));
    // A provider's tool ran while the model wrote.
    assert!(at("result of c5 ") < at("At nine."));
    assert!(at("result of o1 ") < at("call o2 "));
}

#[test]
fn what_a_person_says_in_the_middle_of_an_answer_is_the_persons() {
    let read = read_own("vercel-ai", "ui.json");
    stand(
        &read,
        &[
            ("person.example/steer", &["user"]),
            ("half.example", &["assistant"]),
            ("data.example", &["system"]),
            ("file.example", &["attachment"]),
        ],
    );
}

#[test]
fn a_step_of_an_atif_user_is_a_persons_in_the_top_trajectory_only() {
    let read = read_own("atif", "trajectory.json");
    stand(
        &read,
        &[
            ("person.example/plan", &["user", "tool_call"]),
            ("given.example", &["tool_call", "task"]),
            ("reported.example", &["report", "assistant"]),
            ("printed.example", &["system"]),
        ],
    );
    let [top, sub] = read.as_slice() else { panic!("two runs") };
    let parent = sub.parent.as_ref().unwrap();
    assert_eq!((&parent.conversation, parent.call.as_deref(), sub.seat), (&top.id, Some("c3"), Seat::ParentModel));
}

#[test]
fn what_an_agent_prints_into_the_users_place_is_nobodys() {
    let steps = r#"[{"step_id":1,"source":"user","message":"Go"},{"step_id":2,"source":"agent","message":"ls"},{"step_id":3,"source":"user","message":"https://printed.example/"}]"#;
    for (name, position) in [("mini-swe-agent", "system"), ("terminus-2", "summary"), ("another", "user")] {
        let text = format!(r#"{{"schema_version":"ATIF-v1.4","agent":{{"name":"{name}"}},"steps":{steps}}}"#);
        stand(&crate::conversations("atif", &text), &[("printed.example", &[position])]);
    }
}

#[test]
fn an_account_that_is_handed_on_to_the_next_model_is_a_models() {
    let text = "Here are the answers the other agent provided.\n\nhttps://account.example/";
    let step = serde_json::json!({"step_id": 1, "source": "user", "message": text});
    let log = serde_json::json!({"schema_version": "ATIF-v1.8", "agent": {"name": "any"}, "steps": [step]});
    stand(&crate::conversations("atif", &log.to_string()), &[("account.example", &["summary"])]);
}

#[test]
fn a_json_text_of_blocks_in_the_users_place_may_hold_results() {
    let blocks = r#"[{"type":"tool_result","tool_use_id":"a","content":"https://result.example/"},{"type":"text","text":"https://typed.example/"}]"#;
    let span = serde_json::json!({"attributes": {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": blocks}});
    stand(
        &crate::conversations("otel-genai", &span.to_string()),
        &[("result.example", &["tool_result"]), ("typed.example", &["system"])],
    );
}

#[test]
fn a_history_that_is_one_text_is_nobodys() {
    let span = serde_json::json!({"attributes": {"gen_ai.input.messages": ["user: https://whole.example/"]}});
    stand(&crate::conversations("otel-genai", &span.to_string()), &[("whole.example", &["system"])]);
}

#[test]
fn the_messages_of_bedrock_are_read_once_though_each_request_repeats_them() {
    for name in ["exchanges.jsonl", "invocations.jsonl"] {
        let read = read_own("bedrock-converse", name);
        assert_eq!(read.len(), 1, "{name}");
        let text = dump(&read);
        assert_eq!(text.matches("call c1 ").count(), 1, "{name}");
        assert!(!text.contains("rewind"), "{name}");
    }
    assert!(dump(&read_own("bedrock-converse", "exchanges.jsonl")).contains("result of c3 error"));
}

#[test]
fn a_sample_of_inspect_has_what_its_events_say_and_its_last_messages() {
    let read = read_own("inspect-ai", "log.json");
    stand(
        &read,
        &[
            ("person.example/plan", &["user", "tool_call", "user"]),
            ("given.example", &["tool_call", "task"]),
            ("scaffold.example", &["system"]),
            ("person.example/operator", &["user"]),
            ("summary.example", &["summary"]),
            ("judged.example", &[]),
            ("cited.example", &["tool_result"]),
        ],
    );
    let [sample, clerk, plain] = read.as_slice() else { panic!("three runs") };
    assert_eq!(
        [sample.id.as_str(), clerk.id.as_str(), plain.id.as_str()],
        ["log#ferry_1", "log#ferry_1/1", "log#plain_2"]
    );
    let parent = clerk.parent.as_ref().unwrap();
    assert_eq!((&parent.conversation, parent.call.as_deref(), clerk.seat), (&sample.id, Some("c2"), Seat::ParentModel));
    let text = dump(&read);
    assert!(text.contains("of desk/get_ticket (provider)"));
    assert!(text.contains("result of c3 error"));
    assert_eq!(text.matches("call c1 ").count(), 1);
}

/// A zip archive with these files, packed by this method: its number, and the bytes of a file as they are packed.
fn zip(method: u16, files: &[(&str, Vec<u8>, usize)]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for (name, packed, length) in files {
        let offset = u32::try_from(body.len()).unwrap();
        let mut common = Vec::new();
        common.extend(20_u16.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        common.extend(method.to_le_bytes());
        common.extend([0; 8]);
        common.extend(u32::try_from(packed.len()).unwrap().to_le_bytes());
        common.extend(u32::try_from(*length).unwrap().to_le_bytes());
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        body.extend(b"PK\x03\x04");
        body.extend(&common);
        body.extend(name.as_bytes());
        body.extend(packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    let start = u32::try_from(body.len()).unwrap().to_le_bytes();
    let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
    let end = [b"PK\x05\x06", &[0; 4][..], &count, &count, &length, &start, &[0; 2]].concat();
    [body, directory, end].concat()
}

fn archive() -> Vec<u8> {
    let log = std::fs::read_to_string(own_path("inspect-ai", "log.json")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let packed = |text: String| {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        (ruzstd::encoding::compress_to_vec(text.as_bytes(), level), text.len())
    };
    let mut files = Vec::new();
    for (number, sample) in log.get("samples").unwrap().as_array().unwrap().iter().enumerate() {
        // Two frames, as for long samples.
        let text = sample.to_string();
        let (one, other) = text.split_at(text.len() / 2);
        let (one, other) = (packed(one.to_owned()), packed(other.to_owned()));
        let name: &str = ["samples/ferry_epoch_1.json", "samples/plain_epoch_2.json"].get(number).unwrap();
        files.push((name, [one.0, other.0].concat(), one.1 + other.1));
    }
    let header = packed("{}".to_owned());
    files.push(("header.json", header.0, header.1));
    zip(93, &files)
}

#[test]
fn an_archive_of_inspect_is_read_like_its_document() {
    let read = read(&archive(), Choice::Auto, &Source { name: "log.eval" }).unwrap();
    assert_eq!(read.format, "inspect-ai");
    assert_eq!(dump(&read.conversations), dump(&read_own("inspect-ai", "log.json")));
}

#[test]
fn a_broken_archive_is_an_error_and_one_without_samples_is_passed_over() {
    let whole = archive();
    for end in (4..whole.len()).step_by(97) {
        assert!(read(whole.get(..end).unwrap(), Choice::Named("inspect-ai"), &Source { name: "log.eval" }).is_err());
    }
    for at in (30..whole.len()).step_by(41) {
        let mut broken = whole.clone();
        *broken.get_mut(at).unwrap() ^= 0x55;
        if let Err(error) = read(&broken, Choice::Named("inspect-ai"), &Source { name: "log.eval" }) {
            assert!(!error.to_string().contains("example"), "{error}");
        }
    }
    let empty = zip(0, &[("header.json", b"{}".to_vec(), 2)]);
    let error = read(&empty, Choice::Auto, &Source { name: "log.eval" }).unwrap_err();
    assert!(error.is_skipped(), "{error}");
    let other = zip(0, &[("word/document.xml", b"{}".to_vec(), 2)]);
    assert!(read(&other, Choice::Auto, &Source { name: "x.docx" }).unwrap_err().is_skipped());
}

#[test]
fn a_sample_that_unpacks_to_too_much_is_refused() {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let zeros = ruzstd::encoding::compress_to_vec(&vec![b' '; 1 << 20][..], level);
    let bomb = zip(93, &[("samples/a.json", zeros.repeat(300), 300 << 20)]);
    let error = read(&bomb, Choice::Auto, &Source { name: "log.eval" }).unwrap_err().to_string();
    assert!(error.contains("far more than its size"), "{error}");
}

#[test]
fn an_agent_below_a_tool_was_told_what_to_do_by_a_model() {
    let read = read_own("otel-genai", "spans.jsonl");
    stand(
        &read,
        &[
            ("person.example/plan", &["user", "tool_call"]),
            ("given.example", &["tool_call", "task"]),
            ("picture.example", &["attachment"]),
        ],
    );
    let [main, clerk] = read.as_slice() else { panic!("two runs") };
    let parent = clerk.parent.as_ref().unwrap();
    assert_eq!((&parent.conversation, parent.call.as_deref(), clerk.seat), (&main.id, Some("c3"), Seat::ParentModel));
}

#[test]
fn a_tool_that_failed_by_its_span_failed_in_the_history_too() {
    let text = dump(&read_own("otel-genai", "spans.jsonl"));
    assert!(text.contains("result of c4 error"));
    assert!(text.contains("result of c2 \"The plan"));
    assert_eq!(text.matches("call c5 ").count(), 1);
    assert!(text.contains("result of c5 \"A pier\""));
    assert!(!text.contains("rewind"));
}

#[test]
fn messages_that_a_trace_cuts_or_leaves_out_are_hidden_and_never_a_persons() {
    let read = read_own("otel-genai", "otlp.json");
    let [cut, listed, events] = read.as_slice() else { panic!("three runs") };
    assert!(hides_calls(cut));
    assert!(places(std::slice::from_ref(cut), "person.example").iter().all(|place| *place == "assistant"));
    stand(std::slice::from_ref(listed), &[("person.example/plan", &["user"])]);
    assert_eq!(kinds(events), ["system", "user", "tool_call", "tool_result", "assistant"]);
}

#[test]
fn what_a_tool_was_run_with_counts_where_the_model_wrote_something_else() {
    let read = read_own("otel-genai", "older.jsonl");
    stand(&read, &[("person.example/other", &["tool_call"]), ("ran.example", &["tool_call"])]);
    let [.., last] = read.as_slice() else { panic!("runs") };
    assert_eq!(kinds(last), ["hidden", "tool_call", "tool_call", "tool_result"]);
}

#[test]
fn a_trace_without_a_model_is_passed_over() {
    let text = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET","spanId":"1","attributes":[]}]}]}]}"#;
    assert!(read(text.as_bytes(), Choice::Auto, &Source { name: "x.json" }).unwrap_err().is_skipped());
}

#[test]
fn a_handed_on_answer_is_no_persons_question() {
    let span = |id: u8, agent: &str, text: &str| {
        format!(
            r#"{{"spanId":"{id}0","traceId":"t","startTimeUnixNano":"{id}0","attributes":{{"gen_ai.operation.name":"invoke_agent","gen_ai.agent.name":"{agent}"}}}}
{{"spanId":"{id}1","parentSpanId":"{id}0","traceId":"t","startTimeUnixNano":"{id}1","attributes":{{"gen_ai.operation.name":"chat","gen_ai.input.messages":[{{"role":"user","parts":[{{"type":"text","content":"{text}"}}]}}],"gen_ai.output.messages":[{{"role":"assistant","parts":[{{"type":"text","content":"so"}}]}}]}}}}
"#
        )
    };
    let text = [span(1, "first", "https://one.example/"), span(2, "second", "https://two.example/")].concat();
    let read = crate::conversations("otel-genai", &text);
    stand(&read, &[("one.example", &["user"]), ("two.example", &["task"])]);
    assert!(
        read.iter().flat_map(|run| &run.items).any(|item| matches!(item.body, Body::Said { by: Speaker::Task, .. }))
    );
}
