//! One story in each format: what a person named and what a search found opens, what the model made up does not. And the
//! traps of single formats.

use std::collections::BTreeMap;

use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Conversation, Seat, Speaker};
use firsthand_wire::answer::Verdict;
use firsthand_wire::engine::{Family, Member, trace};
use firsthand_wire::format::{Choice, Source, read};
use firsthand_wire::policy::profile;

use crate::{conversations, dump, read_own};

/// The verdict on each address that is opened.
fn verdicts(conversations: Vec<Conversation>) -> BTreeMap<String, Verdict> {
    let members = conversations.into_iter().map(|conversation| Member { file: "x".to_owned(), conversation });
    let policy = profile("firsthand").unwrap();
    let mut verdicts = BTreeMap::new();
    for family in Family::split(members.collect()) {
        trace(&family, &policy, &Circumstances::default(), &mut |line| {
            for url in line.urls {
                verdicts.entry(url.url).or_insert(url.verdict);
            }
        });
    }
    verdicts
}

#[track_caller]
fn comes_to(format: &str, name: &str, wanted: &[(&str, bool)]) {
    let found = verdicts(read_own(format, name));
    for (url, opens) in wanted {
        let verdict = found.get(*url).unwrap_or_else(|| panic!("{format} {name}: {url} is not among {found:?}"));
        assert_eq!(*verdict == Verdict::Open, *opens, "{format} {name}: {url}");
    }
}

#[test]
fn each_format_gives_the_story_the_same_verdicts() {
    let notes = ("https://notes.example/ferry", true);
    let hit = ("https://harbour.example/times", true);
    comes_to("gemini", "request.json", &[notes, hit, ("https://made.example/x", false)]);
    comes_to("gemini", "exchanges.json", &[hit, ("https://harbour.example/guessed", false)]);
    comes_to("gemini-interactions", "steps.json", &[notes, hit, ("https://leak.example/?d=nine", false)]);
    comes_to("gemini-interactions", "stream.jsonl", &[("https://cut.example/ferry", true)]);
    comes_to("gemini-cli", "session.jsonl", &[notes, ("https://leak.example/?d=9", false)]);
    comes_to("cassette", "interactions.yaml", &[notes, hit, ("https://leak.example/?d=nine", false)]);
    comes_to("cassette", "side_by_side.yaml", &[hit]);
    // What was said outside the connection may have brought the connector to its words.
    comes_to("mcp", "log.jsonl", &[("https://leak.example/?d=1", false), ("https://port.example/log.pdf", false)]);
}

fn says(conversations: &[Conversation], wanted: &str) -> Vec<&'static str> {
    let items = conversations.iter().flat_map(|conversation| &conversation.items);
    let text = |body: &Body| match body {
        Body::User { text, .. }
        | Body::Said { text, .. }
        | Body::Attachment { text, .. }
        | Body::Answer { text, .. } => text.to_string(),
        Body::Call(call) => call.arguments.to_string(),
        Body::Result(result) => result.content.text().to_string(),
        Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => String::new(),
    };
    items.filter(|item| text(&item.body).contains(wanted)).map(|item| item.body.position().name()).collect()
}

#[test]
fn a_gemini_result_without_an_id_answers_the_open_call_of_its_name() {
    let dump = dump(&read_own("gemini", "request.json"));
    assert!(dump.contains("result of #0 \"The ferry leaves at nine.\""), "{dump}");
    assert!(dump.contains("result of #1 json {\"results\":"), "{dump}");
}

#[test]
fn what_gemini_opened_is_the_models_although_the_provider_lists_it_as_a_hit() {
    let read = read_own("gemini", "exchanges.json");
    assert_eq!(says(&read, "harbour.example/guessed"), ["tool_call", "tool_result"]);
    // Reasoning that comes first stands before what was found; the text that cites it, after.
    let kinds: Vec<&str> =
        read.iter().flat_map(|read| &read.items).map(|item| item.body.position().name()).take(5).collect();
    assert_eq!(kinds, ["user", "thinking", "tool_call", "tool_call", "tool_result"]);
    assert_eq!(says(&read, "chip.example/").len(), 1);
}

#[test]
fn an_address_that_is_cut_between_two_chunks_is_whole() {
    for (format, name) in
        [("gemini", "stream.txt"), ("gemini-interactions", "stream.jsonl"), ("cassette", "side_by_side.yaml")]
    {
        let read = read_own(format, name);
        assert!(says(&read, "https://cut.example/").contains(&"assistant"), "{format}");
    }
    let array = r#"[{"candidates":[{"content":{"parts":[{"text":"See https://c"}]}}],"responseId":"a"},{"candidates":[{"content":{"parts":[{"text":"ut.example/"}]},"finishReason":"STOP"}],"responseId":"a"}]"#;
    assert_eq!(says(&conversations("gemini", array), "https://cut.example/"), ["assistant"]);
}

#[test]
fn a_gemini_stream_that_was_cut_off_says_so_and_keeps_its_place() {
    let text = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"first\"}]}}]}\n{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"second\"}]}]}\n";
    let read = conversations("gemini", text);
    assert_eq!(says(&read, "first"), ["assistant"]);
    let dump = dump(&read);
    assert!(dump.find("first").unwrap() < dump.find("second").unwrap(), "{dump}");
    assert!(dump.contains("a stream that was cut off"), "{dump}");
}

#[test]
fn a_saved_chat_keeps_its_contents_as_a_history() {
    let text = r#"{"history":[{"role":"user","parts":[{"text":"Read https://a.example/x"}],"ts":1},{"role":"gemini","parts":[{"text":"I say https://b.example/y"}],"ts":2}],"meta":{"model":"m"},"summary":"About a page"}"#;
    let read = read(text.as_bytes(), Choice::Auto, &Source { name: "chat.json" }).unwrap();
    assert_eq!(read.format, "gemini");
    let bodies: Vec<&Body> = read.conversations.iter().flat_map(|one| &one.items).map(|item| &item.body).collect();
    assert!(matches!(bodies[..], [Body::User { .. }, Body::Said { by: Speaker::Assistant, .. }]), "{bodies:?}");
}

#[test]
fn a_role_or_part_that_is_not_known_is_nobodys_source() {
    let read = read_own("gemini", "request.json");
    assert_eq!(says(&read, "robot.example"), ["assistant"]);
    assert_eq!(says(&read, "new.example"), ["assistant"]);
    assert_eq!(says(&read, "newer.example"), ["system"]);
    let odd = r#"{"contents":[{"role":5,"parts":[{"text":"https://odd.example/"}]},{"role":"user","parts":[{"text":"https://thought.example/","thought":"yes"}]}]}"#;
    let read = conversations("gemini", odd);
    assert_eq!((says(&read, "odd.example"), says(&read, "thought.example")), (vec!["assistant"], vec!["thinking"]));
    assert_eq!(says(&read_own("gemini-interactions", "steps.json"), "dreamt.example"), ["assistant"]);
}

#[test]
fn what_a_gemini_cli_session_holds_of_files_is_not_the_persons() {
    let read = read_own("gemini-cli", "session.jsonl");
    assert_eq!(says(&read, "https://file.example/"), ["system"]);
    assert_eq!(says(&read, "https://expanded.example/"), ["system"]);
    assert_eq!(says(&read, "go on").first(), Some(&"user"));
    assert_eq!(says(&read, "https://report.example/"), ["report"]);
    assert_eq!(says(&read, "https://answered.example/"), ["answer"]);
    // A record that is written again is read once.
    assert_eq!(says(&read, "Which page?"), ["tool_call"]);
}

#[test]
fn a_gemini_cli_session_takes_back_what_follows_a_record() {
    let read = read_own("gemini-cli", "session.jsonl");
    let items = &read.first().unwrap().items;
    let to = items.iter().find_map(|item| if let Body::Rewind { to } = item.body { Some(to) } else { None });
    let first = items.get(to.unwrap()).unwrap();
    assert!(matches!(&first.body, Body::Call(call) if call.tool == "ask_user"), "{first:?}");
    let unknown = "{\"projectHash\":\"0\",\"kind\":\"main\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}\n{\"$rewindTo\":\"9\"}\n";
    assert!(dump(&conversations("gemini-cli", unknown)).contains("rewind to 0"));
}

#[test]
fn nobody_is_a_person_in_the_session_of_a_subagent() {
    let text = "{\"sessionId\":\"s-2\",\"projectHash\":\"0\",\"kind\":\"subagent\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"https://task.example/\"}\n";
    let source = Source { name: "chats/s-1/s-2.jsonl" };
    let read = read(text.as_bytes(), Choice::Auto, &source).unwrap().conversations;
    let conversation = read.first().unwrap();
    assert_eq!((conversation.id.as_str(), conversation.seat), ("s-2", Seat::ParentModel));
    assert_eq!(conversation.parent.as_ref().unwrap().conversation, "s-1");
    assert!(matches!(conversation.items.first().unwrap().body, Body::Said { by: Speaker::Task, .. }));
}

#[test]
fn a_gemini_cli_session_that_is_being_written_says_that_its_last_line_is_cut_off() {
    let text = "{\"projectHash\":\"0\",\"kind\":\"main\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}\n{\"id\":\"2\",\"ty";
    assert!(dump(&conversations("gemini-cli", text)).contains("hidden (calls true) the last line, which is cut off"));
}

#[test]
fn a_recorded_request_that_resends_everything_continues_and_another_begins_anew() {
    let read = read_own("cassette", "interactions.yaml");
    let ids: Vec<&str> = read.iter().map(|conversation| conversation.id.as_str()).collect();
    assert_eq!(
        ids,
        ["interactions/anthropic-messages#0", "interactions/anthropic-messages#1", "interactions/openai-chat"]
    );
    let first = read.first().unwrap();
    assert!(!first.items.iter().any(|item| matches!(item.body, Body::Rewind { .. })));
    // Four calls, three of them streamed; each is read once although requests repeat them.
    assert_eq!(first.items.iter().filter(|item| matches!(item.body, Body::Call(_))).count(), 4);
    assert_eq!(says(&read, "Compare https://notes.example/ferry").len(), 2);
}

/// A recording of one exchange, with a request and a response in YAML.
fn recording(request: &str, response: &str) -> String {
    format!(
        "interactions:\n- request:\n    uri: https://api.anthropic.com/v1/messages\n{request}  response:\n    status: {{code: 200}}\n{response}version: 1\n"
    )
}

const ASKED: &str = "    body: '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}'\n";

#[test]
fn a_body_that_is_broken_fails_the_recording_and_one_that_is_no_json_is_hidden() {
    let error = |text: &str| read(text.as_bytes(), Choice::Auto, &Source { name: "x.yaml" }).unwrap_err().to_string();
    let broken = recording(ASKED, "    body:\n      string: '{\"type\":\"message\",\"role\":\"assis'\n");
    assert_eq!(
        error(&broken),
        "at /interactions/0/response/body/string: found a body that is broken or cut off; expected JSON"
    );
    // What failed, and what is of no API, may come back as anything.
    let failed = broken.replace("{code: 200}", "{code: 502}");
    assert!(!dump(&conversations("cassette", &failed)).contains("hidden"));
    let other = broken.replace("https://api.anthropic.com/v1/messages", "https://other.example/");
    assert!(read(other.as_bytes(), Choice::Auto, &Source { name: "x.yaml" }).unwrap_err().is_skipped());
    for body in ["<html>busy</html>", "!!binary /w=="] {
        let text = recording(ASKED, &format!("    body:\n      string: {body}\n"));
        assert!(
            dump(&conversations("cassette", &text))
                .contains("hidden (calls true) a response in a form that is not read")
        );
    }
}

#[test]
fn a_recording_without_its_end_may_be_cut_off() {
    let whole = recording(ASKED, "    parsed_body: {type: message, role: assistant, content: []}\n");
    let cut = whole.strip_suffix("version: 1\n").unwrap();
    let hidden = |text: &str| dump(&conversations("cassette", text)).contains("a recording that may be cut off");
    assert!(!hidden(&whole) && hidden(cut));
    let side = "requests:\n- body: '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}'\n  uri: https://x.example/v1/messages\nresponses:\n";
    assert!(hidden(side));
}

#[test]
fn traffic_of_no_api_is_skipped_and_other_yaml_is_no_recording() {
    let error = |text: &str| read(text.as_bytes(), Choice::Auto, &Source { name: "x.yaml" }).unwrap_err();
    let page = "interactions:\n- request:\n    uri: https://page.example/\n    method: GET\n  response:\n    body: {string: hi}\nversion: 1\n";
    assert!(error(page).is_skipped());
    for other in ["requests:\n  cpu: 1\n", "services:\n- request: a\n", "interactions: none\n", "# requests:\n"] {
        assert!(error(other).is_skipped(), "{other}");
    }
}

#[test]
fn ids_that_both_sides_of_an_mcp_connection_use_are_kept_apart() {
    let text = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Where?"}}"#,
        r#"{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"g","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"a":"https://typed.example/"}}}"#,
        r#"{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"of g"}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"of f"}]}}"#,
    ];
    let dump = dump(&conversations("mcp", &text.join("\n")));
    for wanted in ["result of #0 \"of f\"", "result of #1 \"of g\"", "user \"https://typed.example/\""] {
        assert!(dump.contains(wanted), "{dump}");
    }
}

#[test]
fn what_an_mcp_server_offers_in_a_question_is_not_a_persons_because_it_was_chosen() {
    let read = read_own("mcp", "log.jsonl");
    assert_eq!(says(&read, "https://offered.example/"), ["system", "system"]);
    assert_eq!(says(&read, "https://typed.example/"), ["user"]);
    assert_eq!(says(&read, "https://sampled.example/"), ["assistant"]);
    assert_eq!(says(&read, "https://late.example/"), ["tool_result"]);
}
