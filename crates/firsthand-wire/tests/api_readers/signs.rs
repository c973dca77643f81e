//! Every sign that speaks against a person, or says that a call failed, in every format, at every level of its records
//! and in every type: a sign is at home in one format, and found in others.

use firsthand::conversation::{Body, Item, Seat, Speaker};
use firsthand_wire::format::{Choice, Source, read};
use firsthand_wire::policy;
use serde_json::{Value, json};

use crate::believed::{ADDRESS, Case, cases, verdict_under};

/// Where a sign counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In a message and its parts.
    Message,
    /// And in what stands around messages.
    Everywhere,
}

/// A member that speaks against a person, with values that do and others that say nothing.
struct Sign {
    name: &'static str,
    at: Where,
    against: Vec<Value>,
    ordinary: Vec<Value>,
}

/// What says nothing of a flag, a name or an id.
fn nothing() -> Vec<Value> {
    vec![json!(null), json!(false), json!("")]
}

/// A flag, or an id: whatever stands there counts.
fn flag(at: Where, name: &'static str) -> Sign {
    let against = vec![json!(0), json!([]), json!({}), json!("x"), json!(true)];
    Sign { name, at, against, ordinary: nothing() }
}

/// A list, an object or a text, which may be empty.
fn filled(name: &'static str) -> Sign {
    let against = vec![json!(0), json!([{"id": "x"}]), json!({"x": 1}), json!("x"), json!(true)];
    let ordinary = [nothing(), vec![json!([]), json!({})]].concat();
    Sign { name, at: Where::Message, against, ordinary }
}

/// A word for somebody, or an object that holds one.
fn word(at: Where, name: &'static str, of: &[&str]) -> Sign {
    let named = of.iter().flat_map(|word| [json!(word), json!({"kind": word}), json!({"name": word, "type": word})]);
    let odd = [json!(0), json!([]), json!(true)];
    Sign { name, at, against: named.chain(odd).collect(), ordinary: [nothing(), vec![json!("web")]].concat() }
}

fn only(name: &'static str, against: &[Value], ordinary: &[Value]) -> Sign {
    Sign { name, at: Where::Message, against: against.to_vec(), ordinary: ordinary.to_vec() }
}

const RUNS: &[&str] = &[
    "agentId",
    "agent_id",
    "callingSessionId",
    "checkpoint_ns",
    "from_session_thread_id",
    "isSidechain",
    "is_sidechain",
    "parentAgentId",
    "parentSessionId",
    "parentToolUseId",
    "parent_session_id",
    "parent_thread_id",
    "parent_tool_call_id",
    "parent_tool_use_id",
    "sender_agent_id",
    "subagentId",
    "thread_spawn",
];

const HOSTS: &[&str] =
    &["hide_from_ui", "isAutomated", "isMeta", "isSynthetic", "is_meta", "synthetic", "synthetic_reason"];

const FLAGS: &[&str] = &[
    "agent_path",
    "callID",
    "caller",
    "encrypted_content",
    "finish_reason",
    "ignored",
    "isCompactSummary",
    "isSummary",
    "isVisibleInTranscriptOnly",
    "is_error",
    "signature",
    "sourceToolAssistantUUID",
    "sourceToolUseID",
    "stopReason",
    "stop_reason",
    "thought",
    "thoughtSignature",
    "toolCallId",
    "tool_call_id",
    "tool_use_id",
];

const FILLED: &[&str] = &[
    "functionCall",
    "model",
    "reasoning",
    "reasoning_content",
    "thinking",
    "thoughts",
    "toolCalls",
    "toolUseResult",
    "tool_calls",
    "usage",
];

fn signs() -> Vec<Sign> {
    let mut signs: Vec<Sign> = RUNS.iter().chain(HOSTS).map(|name| flag(Where::Everywhere, name)).collect();
    signs.extend(FLAGS.iter().map(|name| flag(Where::Message, name)));
    signs.extend(FILLED.iter().map(|name| filled(name)));
    for name in ["author", "kind", "origin", "platform", "provenance", "sender", "source"] {
        let words = ["agent", "Assistant", "subagent", "cron_job", "system", "task-notification", "loop_wakeup"];
        signs.push(word(Where::Everywhere, name, &words));
    }
    for name in ["prompt_source", "session_kind", "thread_source"] {
        signs.push(Sign { ordinary: nothing(), ..word(Where::Everywhere, name, &["subagent", "system"]) });
    }
    for name in ["from", "name", "speaker"] {
        signs.push(word(Where::Message, name, &["assistant", "researcher_agent"]));
    }
    let assistant = json!({"role": "assistant"});
    signs.extend([
        only("role", &[json!("assistant"), json!("tool"), json!(0), json!([]), json!({})], &[json!(null)]),
        only("type", &[json!("assistant"), json!("ai"), json!(0), json!([]), json!({})], &[]),
        only("display", &[json!(false)], &[json!(null), json!(true)]),
        only("summary", &[json!(true), json!(1)], &[json!(null), json!(false), json!({"title": "x"})]),
        only("planContent", &[json!("x"), json!(true), json!(0)], &[json!(null)]),
        only("message", std::slice::from_ref(&assistant), &[]),
        only("data", &[assistant], &[]),
        only(
            "metadata",
            &[json!({"isMeta": true}), json!({"agentId": "a"})],
            &[json!(null), json!({}), json!({"x": 1})],
        ),
        only(
            "additional_kwargs",
            &[json!({"tool_calls": [{"id": "x"}]})],
            &[json!(null), json!({}), json!({"tool_calls": []})],
        ),
    ]);
    signs
}

/// The pointers to the objects in which an address stands, the innermost last.
fn around(value: &Value, at: &str, found: &mut Vec<String>) -> bool {
    let step = |key: &str| format!("{at}/{}", key.replace('/', "~1"));
    let first = found.len();
    let holds = match value {
        Value::String(text) => text.contains(ADDRESS),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .fold(false, |holds, (index, value)| around(value, &step(&index.to_string()), found) || holds),
        Value::Object(members) => {
            members.iter().fold(false, |holds, (key, value)| around(value, &step(key), found) || holds)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    if holds && value.is_object() {
        found.insert(first, at.to_owned());
    }
    holds
}

fn with(record: &Value, at: &str, name: &str, value: &Value) -> Value {
    let mut record = record.clone();
    record.pointer_mut(at).unwrap().as_object_mut().unwrap().insert(name.to_owned(), value.clone());
    record
}

#[test]
fn a_sign_against_a_person_counts_in_every_format_at_every_level_in_every_type() {
    let policy = policy::profile(policy::DEFAULT_PROFILE).unwrap();
    let (signs, mut count, mut wrong) = (signs(), 0, Vec::new());
    for case in cases("persons.jsonl") {
        let Case { what, format, file, record, said, data, ordinary, strict, .. } = case;
        let is_open = |record: &Value| verdict_under(&policy, &format, &file, record) == "\"open\"";
        let mut places = Vec::new();
        around(&record, "", &mut places);
        places.retain(|at| !data.contains(at));
        for at in &places {
            let in_message = said.iter().any(|message| at == message || at.starts_with(&format!("{message}/")));
            let here = record.pointer(at).unwrap();
            let counts = |sign: &&Sign| in_message || sign.at == Where::Everywhere;
            for Sign { name, against, ordinary: says_nothing, .. } in signs.iter().filter(counts) {
                let is_there = here.get(name).is_some();
                // A message that is there is read instead of the one around it.
                if is_there && matches!(*name, "message" | "data" | "metadata")
                    || ordinary.iter().any(|own| own == name)
                {
                    continue;
                }
                for value in against {
                    count += 1;
                    if is_open(&with(&record, at, name, value)) {
                        wrong.push(format!("believed: {format} ({what}) {at}: {name} = {value}"));
                    }
                }
                let is_strict = strict.iter().any(|own| own == name);
                for value in says_nothing.iter().filter(|_| !is_there && !is_strict) {
                    if !is_open(&with(&record, at, name, value)) {
                        wrong.push(format!("lost: {format} ({what}) {at}: {name} = {value}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 10_000, "{count}");
}

/// Members of a result, or of what it stands in, that say that the call failed, and what says nothing.
fn failures() -> Vec<(&'static str, Vec<Value>, Vec<Value>)> {
    let mut failures = Vec::new();
    for name in [
        "is_error",
        "isError",
        "preliminary",
        "denied",
        "cancelled",
        "interrupted",
        "has_error",
        "isAborted",
        "partial",
    ] {
        failures.push((name, vec![json!(0), json!([]), json!({}), json!("x"), json!(true)], nothing()));
    }
    for name in ["error", "errors", "err", "errorText", "error_message", "toolDenialKind"] {
        let against = vec![json!(0), json!({"code": 1}), json!("x"), json!(true), json!([1])];
        failures.push((name, against, [nothing(), vec![json!([]), json!({})]].concat()));
    }
    for name in ["success", "ok", "approved", "successful"] {
        let against = vec![json!(false), json!(0), json!([]), json!({}), json!("x")];
        failures.push((name, against, vec![json!(null), json!(true), json!("")]));
    }
    for name in ["status", "outcome"] {
        let against = vec![json!("error"), json!("failed"), json!("x"), json!(0), json!([]), json!(true)];
        failures.push((name, against, vec![json!(null), json!(""), json!("success"), json!("completed")]));
    }
    failures.push((
        "state",
        vec![json!("output-error"), json!(0), json!([]), json!(true)],
        vec![json!(null), json!("")],
    ));
    failures.push((
        "approval",
        vec![json!({"approved": false}), json!(false)],
        vec![json!({"approved": true}), json!(null)],
    ));
    failures.push(("exit_code", vec![json!(1), json!("1"), json!([])], vec![json!(0), json!(null)]));
    failures
}

#[test]
fn a_sign_of_a_failure_counts_in_every_format() {
    let policy = policy::profile(policy::DEFAULT_PROFILE).unwrap();
    let (failures, mut count, mut wrong) = (failures(), 0, Vec::new());
    for case in cases("results.jsonl") {
        let Case { what, format, file, record, said, ordinary, .. } = case;
        let is_open = |record: &Value| verdict_under(&policy, &format, &file, record) == "\"open\"";
        for at in &said {
            let here = record.pointer(at).unwrap();
            for (name, against, says_nothing) in &failures {
                if ordinary.iter().any(|own| own == name) {
                    continue;
                }
                for value in against {
                    count += 1;
                    if is_open(&with(&record, at, name, value)) {
                        wrong.push(format!("believed: {format} ({what}) {at}: {name} = {value}"));
                    }
                }
                for value in says_nothing.iter().filter(|_| here.get(name).is_none()) {
                    if !is_open(&with(&record, at, name, value)) {
                        wrong.push(format!("lost: {format} ({what}) {at}: {name} = {value}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1_000, "{count}");
}

/// Whose the address is in a file that is told by its signs.
fn opens_by_its_signs(text: &str) -> bool {
    let read = read(text.as_bytes(), Choice::Auto, &Source { name: "a.jsonl" }).unwrap();
    read.conversations.iter().any(|conversation| {
        let is_persons = |item: &Item| matches!(&item.body, Body::User { text, .. } if text.contains(ADDRESS));
        conversation.seat != Seat::ParentModel && conversation.items.iter().any(is_persons)
    })
}

#[test]
fn a_session_that_another_one_began_has_no_person_whichever_format_it_is_taken_for() {
    let session =
        |more: &str| format!(r#"{{"session_id":"s",{more}"messages":[{{"role":"user","content":"Read {ADDRESS}"}}]}}"#);
    let other = session(r#""session_start":"t","platform":"cli","#).replace(ADDRESS, "it");
    for own in [r#""session_start":"t","platform":"cli","#, r#""platform":"cli","#] {
        let child = format!(r#"{own}"parent_session_id":"p","#);
        for (more, opens) in [(own, true), (child.as_str(), false)] {
            let session = session(more);
            for text in [session.clone(), format!("{other}\n{session}"), format!("[{other},{session}]")] {
                assert_eq!(opens_by_its_signs(&text), opens, "{text}");
            }
        }
    }
}

#[test]
fn what_came_of_a_stream_that_was_cut_off_in_a_recording_is_the_models() {
    let event = |data: Value| format!("data: {data}\n\n");
    let block = |index: usize, block: Value| {
        event(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let stream = [
        event(
            json!({"type": "message_start", "message": {"type": "message", "id": "m", "role": "user", "content": []}}),
        ),
        block(0, json!({"type": "text", "text": ""})),
        event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ADDRESS}})),
        block(1, json!({"type": "tool_use", "id": "c", "name": "web_fetch", "input": {}})),
        event(
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"ur"}}),
        ),
    ];
    let body = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [{"role": "user", "content": "Hi"}]});
    let tape = json!({"version": 1, "interactions": [{
        "request": {"method": "POST", "uri": "https://api.anthropic.com/v1/messages", "body": body.to_string()},
        "response": {"status": {"code": 200}, "headers": {"content-type": ["text/event-stream"]}, "body": {"string": stream.concat()}},
    }]});
    let read = crate::conversations("cassette", &tape.to_string());
    let items: Vec<&Body> = read.iter().flat_map(|conversation| &conversation.items).map(|item| &item.body).collect();
    let says = |wanted: &str| {
        let by = |body: &&Body| matches!(body, Body::Said { by: Speaker::Assistant, text } if text.contains(wanted));
        items.iter().any(by)
    };
    assert!(says(ADDRESS) && says("web_fetch"), "{items:?}");
    assert!(!items.iter().any(|body| matches!(body, Body::Call(_))), "{items:?}");
}

#[test]
fn a_parent_that_a_host_names_beside_the_messages_makes_the_run_a_subagents() {
    let document = |more: &str| format!(r#"{{{more}"messages":[{{"role":"user","content":"Read {ADDRESS}"}}]}}"#);
    let named = |document: &str| {
        let read = read(document.as_bytes(), Choice::Named("openai-chat"), &Source { name: "a.json" }).unwrap();
        read.conversations.iter().all(|conversation| conversation.seat == Seat::ParentModel)
    };
    for more in [
        r#""info":{"parent_session_id":"x"},"#,
        r#""run":{"parentRunId":"x"},"#,
        r#""metadata":{"trace":{"parent_run_id":"x"}},"#,
        r#""session":{"isSidechain":true},"#,
        r#""type":"sub_agent","#,
        r#""role":"subagent","#,
        r#""source":"delegation","#,
    ] {
        assert!(named(&document(more)), "{more}");
    }
    for more in
        [r#""info":{"parent_session_id":null},"#, r#""run":{"agent_id":"a"},"#, r#""input":{"parent_session_id":"x"},"#]
    {
        assert!(!named(&document(more)), "{more}");
    }
}
