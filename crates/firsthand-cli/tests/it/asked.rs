//! What a command is asked about, and what it says where that is not the whole record.

use crate::tool::Folder;

const SESSION: &str = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

/// A line of a transcript.
fn line(uuid: &str, keys: &str, role: &str, content: &str) -> String {
    format!(
        r#"{{"type":"{role}","uuid":"{uuid}","sessionId":"{SESSION}",{keys}"message":{{"role":"{role}","content":{content}}}}}"#
    )
}

fn cut() -> Folder {
    let folder = Folder::new();
    let person = line("u", "", "user", r#""Read https://docs.example/guide""#);
    let model = line("a", "", "assistant", r#"[{"type":"text","text":"I shall open https://sink.example/x"}]"#);
    folder.file("cut.jsonl", [person, model.get(..model.len() - 20).unwrap().to_owned()].join("\n"));
    folder
}

const CUT: &str = "cut.jsonl: found the last line, which is cut off; expected a whole record";

#[test]
fn a_verdict_on_half_a_conversation_says_so() {
    let folder = cut();
    let check = ["check", "cut.jsonl", "--tool", "web_fetch", "--url", "https://docs.example/guide"];
    folder.run(&check).exits(0).says(&["Open.", "The record is cut off"]).complains(&[CUT]);
    let answer = folder.run(&[&check[..], &["--json"]].concat());
    let message = answer.exits(0).complains(&[CUT]).json().remove(0).get("message").unwrap().to_string();
    assert!(message.contains("The record is cut off"), "{message}");
}

#[test]
fn a_story_and_a_replay_of_half_a_conversation_say_so() {
    let folder = cut();
    let told = folder.run(&["explain", "cut.jsonl", "--url", "https://sink.example/x", "--json"]);
    let sightings = told.exits(0).complains(&[CUT]).json().remove(0).get("sightings").unwrap().clone();
    let positions: Vec<_> =
        sightings.as_array().unwrap().iter().map(|sighting| sighting.get("position").unwrap()).collect();
    assert_eq!(positions, ["hidden"]);
    folder.run(&["explain", "cut.jsonl", "--url", "https://sink.example/x"]).exits(0).says(&["hidden"]);
    folder.run(&["trace", "cut.jsonl"]).exits(0).complains(&[CUT]);
    let whole = folder.run(&["policy"]);
    assert!(whole.exits(0).err.is_empty());
}

fn several() -> Folder {
    let folder = Folder::new();
    let run =
        |number: u8| format!(r#"{{"messages":[{{"role":"user","content":"{number} https://r{number}.example/"}}]}}"#);
    folder.file("runs.jsonl", [run(0), run(1)].join("\n"));
    folder
}

#[test]
fn one_of_several_conversations_is_named_by_its_id() {
    let folder = several();
    let check = ["check", "runs.jsonl", "--format", "openai-chat", "--tool", "web_fetch", "--url"];
    let ask = |more: &[&str]| folder.run(&[&check[..], more].concat());
    ask(&["https://r1.example/"]).exits(2).complains(&["--conversation: runs#0, runs#1"]);
    ask(&["https://r1.example/", "--conversation", "runs#1"]).exits(0);
    ask(&["https://r1.example/", "--conversation", "runs#0"]).exits(1);
    ask(&["https://r1.example/", "--conversation", "runs#7"])
        .exits(2)
        .complains(&["found no conversation of the id given; expected one of: runs#0, runs#1"]);
    let explain = ["explain", "runs.jsonl", "--format", "openai-chat", "--url", "https://r1.example/"];
    folder.run(&explain).exits(0).says(&["source"]);
    assert!(!folder.run(&explain).out.contains("At the end"), "of several conversations there is no one end");
    let story = [&explain[..], &["--conversation", "runs#1"]].concat();
    folder.run(&story).exits(0).says(&["source", "At the end of the conversation: open, sent as https://r1.example/"]);
    folder.run(&[&explain[..], &["--conversation", "runs#0"]].concat()).exits(0).says(&["Nobody wrote"]);
}

#[test]
fn what_looks_like_an_address_is_not_repeated_whole() {
    let folder = several();
    let check =
        ["check", "runs.jsonl", "--format", "openai-chat", "--conversation", "runs#0", "--tool", "f", "--url", "x"];
    for address in [
        "https://sink.example/p/a?d=secret",
        "https://sink.example/a secret",
        "sink.example/p?d=secret",
        "https://secret@sink.example/",
    ] {
        for arguments in [
            &["trace", address][..],
            &["items", address],
            &["urls", address],
            &["policy", address],
            &["policy", "--suggest", address],
            &["items", "runs.jsonl", "--policy", address],
            &[&check[..], &["--earlier", address]].concat(),
            &[&check[..], &["--parent", address]].concat(),
            &[&check[..6], &[address]].concat(),
            &["trace", "--format", address, "x"],
            &["man", address],
        ] {
            let done = folder.run(arguments);
            assert!(done.status == 2 && !done.err.contains("secret"), "{done:?}");
        }
    }
    for policy in [
        "profile = \"https://sink.example/?d=secret\"",
        "\"https://sink.example/secret\" = 1",
        "[networking]\ntype = \"limited\"\nallowed_hosts = [\"https://sink.example/secret\"]",
        "[networking]\ntype = \"limited\"\nallowed_hosts = [\"sink.example/secret\"]",
        "[tools.\"https://sink.example/secret\"]\nallowed_domains = [\"sink.example?secret\"]",
        "[tools.x]\nresult = \"https://sink.example/a secret\"",
        "[tools.x]\nopens = [\"https://sink.example/secret..a\"]",
    ] {
        folder.file("policy.toml", policy);
        let done = folder.run(&["policy", "./policy.toml"]);
        done.exits(2).complains(&["policy.toml: line "]);
        assert!(!done.err.contains("secret"), "{done:?}");
    }
}

#[test]
fn two_records_of_one_run_bind_each_other_though_its_parent_is_missing() {
    let folder = Folder::new();
    let keys = r#""isSidechain":true,"agentId":"a1","#;
    let task = line("t", keys, "user", r#""Look at the list.""#);
    let model = line("m", keys, "assistant", r#"[{"type":"text","text":"Perhaps https://sink.example/?d=minutes"}]"#);
    folder.file(&format!("{SESSION}/subagents/agent-a1.jsonl"), [task.clone(), model].join("\n"));
    let search =
        line("s", keys, "assistant", r#"[{"type":"tool_use","id":"c","name":"web_search","input":{"query":"lists"}}]"#);
    let found = line(
        "r",
        keys,
        "user",
        r#"[{"type":"tool_result","tool_use_id":"c","content":"See https://sink.example/?d=minutes"}]"#,
    );
    let open = line(
        "o",
        keys,
        "assistant",
        r#"[{"type":"tool_use","id":"d","name":"web_fetch","input":{"url":"https://sink.example/?d=minutes"}}]"#,
    );
    folder.file(&format!("{SESSION}.jsonl"), [task, search, found, open].join("\n"));
    let told = folder.run(&["trace", ".", "--json"]);
    let lines = told.exits(0).json();
    let opened = lines.iter().find(|line| line.get("call").is_some_and(|call| call == "d")).unwrap();
    assert_eq!(opened.get("reason").unwrap(), "model_wrote_first", "{lines:?}");
}
