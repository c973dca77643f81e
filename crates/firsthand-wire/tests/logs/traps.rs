//! What looks like somebody else's words and is not.

use firsthand::conversation::{Body, Conversation, Seat};
use firsthand_wire::format::{Choice, Source, read};

use crate::story;

fn read_as(format: &'static str, name: &str, text: &str) -> Vec<Conversation> {
    read(text.as_bytes(), Choice::Named(format), &Source { name }).unwrap().conversations
}

/// All that a person said.
fn persons(conversations: &[Conversation]) -> String {
    let items = conversations.iter().filter(|one| one.seat != Seat::ParentModel).flat_map(|one| &one.items);
    let said = items.filter_map(|item| match &item.body {
        Body::User { text, .. } => Some(text.to_string()),
        _ => None,
    });
    said.collect::<Vec<_>>().join("\n")
}

/// The JSON and texts of all results.
fn results(conversations: &[Conversation]) -> Vec<String> {
    let items = conversations.iter().flat_map(|one| &one.items);
    let results = items.filter_map(|item| match &item.body {
        Body::Result(result) => Some(result.content.text().to_string()),
        _ => None,
    });
    results.collect()
}

#[test]
fn a_header_that_a_result_a_thought_or_a_text_holds_begins_no_turn_of_a_persons() {
    let (_, bytes) = story("specstory", "story.md");
    let said = persons(&read_as("specstory", "story.md", std::str::from_utf8(&bytes).unwrap()));
    assert!(said.contains("bakery.example"));
    for host in ["thought", "page", "quoted", "caveat", "notified", "answer", "option"] {
        assert!(!said.contains(&format!("{host}.example")), "{host}: {said}");
    }
}

#[test]
fn what_was_typed_into_a_page_makes_no_metadata() {
    let page = |title: &str| {
        format!(
            "Here is a screenshot of [{title}](https://a.example/). It shows all.\nThe following metadata was extracted from the webpage:\n\n{{\"og:url\": \"https://{title}.example/\"}}\n"
        )
    };
    let typed = format!("I typed 'x' into 'y'.\n\n{}\n' into 'z'.\n\n{}", page("forged"), page("real"));
    let log = serde_json::json!({"question": "q", "history": [{"role": "WebSurfer", "content": typed}]});
    let conversations = read_as("autogen", "log.json", &log.to_string());
    assert!(results(&conversations).is_empty());
    let typed = format!("I typed 'x\n\n{}' into 'z'.", page("forged"));
    let log = serde_json::json!({"question": "q", "history": [{"role": "WebSurfer", "content": typed}]});
    assert!(results(&read_as("autogen", "log.json", &log.to_string())).is_empty());
}

#[test]
fn a_file_around_a_question_cannot_pose_as_the_question() {
    for text in [
        "<file><user_query>https://forged.example/</user_query></file><user_query>Hello</user_query>",
        "<user_query>Hello</user_query><file><user_query>https://forged.example/</user_query></file>",
        "<user_query>Hello</user_query><file>https://forged.example/</user_query></file>",
    ] {
        let line = serde_json::json!({"role": "user", "message": {"content": [{"type": "text", "text": text}]}});
        assert!(!persons(&read_as("cursor", "a.jsonl", &line.to_string())).contains("forged"), "{text}");
    }
}

#[test]
fn nobody_is_a_person_in_a_file_of_a_subagents_folder() {
    let line = r#"{"role":"user","message":{"content":[{"type":"text","text":"Count https://a.example/"}]}}"#;
    let read = read_as("cursor", "/x/agent-transcripts/main/subagents/child.jsonl", line);
    let only = read.first().unwrap();
    assert_eq!(only.seat, Seat::ParentModel);
    assert_eq!(only.parent.as_ref().unwrap().conversation, "main");
    let line = r#"{"type":"turn.prompt","input":"Count","origin":{"kind":"user"}}"#;
    let read = read_as("kimi", "/x/session_1/agents/agent-0/wire.jsonl", line);
    let only = read.first().unwrap();
    assert_eq!((only.id.as_str(), only.seat), ("session_1/agent-0", Seat::ParentModel));
    assert_eq!(only.parent.as_ref().unwrap().conversation, "session_1");
}

#[test]
fn a_run_with_more_responses_than_calls_believes_none() {
    let (_, bytes) = story("qwen-react", "story.jsonl");
    let read = read_as("qwen-react", "story.jsonl", std::str::from_utf8(&bytes).unwrap());
    let second = read.get(1).unwrap();
    let calls: Vec<&str> = second
        .items
        .iter()
        .filter_map(|item| match &item.body {
            Body::Call(call) => Some(call.id.as_str()),
            _ => None,
        })
        .collect();
    let forged = second.items.iter().find_map(|item| match &item.body {
        Body::Result(result) if result.content.text().contains("forged") => Some(&result.from),
        _ => None,
    });
    let firsthand::conversation::Producer::Call(id) = forged.unwrap() else { panic!("a named tool") };
    assert!(!calls.contains(&id.as_str()));
}

#[test]
fn a_piece_of_what_opencode_stores_is_no_conversation() {
    for piece in [
        r#"{"id":"m","sessionID":"s","role":"user","time":{"created":1}}"#,
        r#"{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"https://a.example/"}"#,
        r#"{"id":"p","type":"text","text":"Hello","time":{"start":1}}"#,
        r#"{"id":"s","projectID":"p","directory":"/x","time":{"created":1}}"#,
    ] {
        let error = read(piece.as_bytes(), Choice::Auto, &Source { name: "x.json" }).unwrap_err();
        assert!(error.is_skipped(), "{error}");
    }
}
