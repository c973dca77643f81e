//! What a conversation says of the addresses of its answers.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::borrow::Cow;

use firsthand::conversation::{Content, Ran, Seat};
use firsthand_wire::policy::profile;

use super::*;
use crate::list::{Given, finish};
use crate::record::{Item as Source, Kind as SourceKind, TitleFrom};

fn conversation(bodies: Vec<Body>) -> Conversation {
    let items = bodies.into_iter().map(|body| Item::new("", body)).collect();
    Conversation { id: "one".to_owned(), parent: None, seat: Seat::Presumed, dialect: "own", items }
}

fn person(text: &str) -> Body {
    Body::User { text: text.into(), relayed: Relayed::No }
}

fn call(id: &str, server: Option<&str>, tool: &str, arguments: &str, returned: &str) -> [Body; 2] {
    let call = Call { id: id.to_owned(), arguments: arguments.into(), ..Call::named(server, tool, Ran::Client) };
    let content = Content::Text(returned.into());
    let result =
        ToolResult { from: Producer::Call(id.to_owned()), content, is_error: false, mime: None, redirects: Vec::new() };
    [Body::Call(call), Body::Result(result)]
}

fn sources<'a>(conversation: &Conversation, answer: &'a str) -> Vec<Source<'a>> {
    let links = finish(answer, &Given::default()).links;
    let known = known(&[conversation], answer, &links, &profile("firsthand").unwrap());
    finish(answer, &Given { known: &known, ..Given::default() }).record.items
}

#[test]
fn a_chip_has_the_title_that_a_hit_a_page_or_a_document_gives() {
    let mut bodies = vec![person("Find the guide")];
    bodies.extend(call(
        "1",
        None,
        "web_search",
        r#"{"query":"guide"}"#,
        r#"{"results":[{"title":"The guide\u202e","url":"https://docs.example/guide"},{"name":"Contract.pdf","url":"/documents/17"}]}"#,
    ));
    bodies.extend(call(
        "2",
        None,
        "web_search",
        "{}",
        "Title: The list\nURL: https://docs.example/list\n\nSee [the notes](https://docs.example/notes).",
    ));
    let answer = "<https://docs.example/guide#top> </documents/17> [](/documents/17) https://docs.example/list https://docs.example/notes";
    let titles: Vec<(Cow<'_, str>, TitleFrom)> =
        sources(&conversation(bodies), answer).into_iter().map(|source| (source.title, source.title_from)).collect();
    let wanted = ["The guide", "Contract.pdf", "The list", "the notes"];
    assert_eq!(titles, wanted.map(|title| (Cow::Borrowed(title), TitleFrom::ToolResult)));
}

#[test]
fn an_answer_is_found_in_several_texts_and_after_it_was_finished() {
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", None, "web_search", "{}", r#"[{"title":"Right","url":"https://docs.example/a"}]"#));
    for text in ["[bad](javascript:1), see\r\n", "<https://docs.example/a>"] {
        bodies.push(Body::Said { by: Speaker::Assistant, text: text.into() });
    }
    bodies.push(person("Two"));
    bodies.extend(call("2", None, "web_search", "{}", r#"[{"title":"Wrong","url":"https://docs.example/a"}]"#));
    bodies.push(Body::Said { by: Speaker::Assistant, text: "Done.".into() });
    let conversation = conversation(bodies);
    for answer in ["[bad](javascript:1), see\n<https://docs.example/a>", "bad, see <https://docs.example/a>"] {
        let titles: Vec<Cow<'_, str>> = sources(&conversation, answer).into_iter().map(|source| source.title).collect();
        assert_eq!(titles, ["Right"], "{answer}");
    }
    let elsewhere = sources(&conversation, "Another: <https://docs.example/a>");
    assert_eq!(elsewhere.first().unwrap().title, "Wrong", "what is not there belongs to the end");
}

#[test]
fn only_the_turn_of_the_answer_gives_titles_and_the_whole_conversation_says_who_was_first() {
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", None, "web_search", "{}", r#"[{"title":"Old","url":"https://docs.example/a"}]"#));
    bodies.push(person("Two: https://given.example/x"));
    bodies.extend(call("2", None, "web_search", "{}", r#"[{"title":"New","url":"https://docs.example/b"}]"#));
    let answer =
        "<https://docs.example/a> <https://docs.example/b> <https://given.example/x> <https://made.example/up>";
    bodies.push(Body::Said { by: Speaker::Assistant, text: answer.into() });
    let conversation = conversation(bodies);
    let told: Vec<(Cow<'_, str>, String, u64, Option<String>)> = sources(&conversation, answer)
        .into_iter()
        .map(|source| {
            let first = source.first.unwrap();
            (source.title, first.position, first.item, first.tool)
        })
        .collect();
    let tool = || Some("web_search".to_owned());
    let row = |title: &'static str, position: &str, item, tool| (Cow::Borrowed(title), position.to_owned(), item, tool);
    assert_eq!(
        told,
        [
            row("docs.example", "tool_result", 2, tool()),
            row("New", "tool_result", 5, tool()),
            row("given.example", "user", 3, None),
            row("made.example", "assistant", 6, None),
        ]
    );
}

#[test]
fn what_a_connected_service_returned_is_its_kind() {
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", Some("wiki"), "get_page", "{}", "https://wiki.example/a"));
    bodies.extend(call("2", None, "web_search", "{}", "https://wiki.example/a https://web.example/b"));
    let kinds: Vec<SourceKind> =
        sources(&conversation(bodies), "<https://wiki.example/a> <https://web.example/b> <https://new.example/>")
            .into_iter()
            .map(|source| source.kind)
            .collect();
    assert_eq!(kinds, [SourceKind::Connector, SourceKind::Web, SourceKind::Web]);
}

#[test]
fn a_known_search_of_a_server_is_of_the_web_and_another_of_its_name_is_not() {
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", Some("brave"), "brave_web_search", "{}", "https://web.example/a"));
    bodies.extend(call("2", Some("crm"), "brave_web_search", "{}", "https://crm.example/b"));
    let sources = sources(&conversation(bodies), "<https://web.example/a> <https://crm.example/b>");
    let kinds: Vec<SourceKind> = sources.into_iter().map(|source| source.kind).collect();
    assert_eq!(kinds, [SourceKind::Web, SourceKind::Connector]);
}

#[test]
fn an_error_gives_the_page_no_title() {
    let mut bodies = vec![person("One: https://docs.example/guide")];
    let page = |id, returned| call(id, None, "web_fetch", r#"{"url":"https://docs.example/guide"}"#, returned);
    bodies.extend(page("1", "# Not found"));
    if let Some(Body::Result(result)) = bodies.last_mut() {
        result.is_error = true;
    }
    bodies.extend(page("2", "# The guide"));
    let titles: Vec<Cow<'_, str>> =
        sources(&conversation(bodies), "<https://docs.example/guide>").into_iter().map(|source| source.title).collect();
    assert_eq!(titles, ["The guide"]);
}

#[test]
fn what_only_echoes_the_model_and_errors_give_neither_title_nor_kind() {
    const ECHO: &str = r#"{"title":"Access denied","url":"https://docs.example/guide"}"#;
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", Some("wiki"), "get_page", "{}", ECHO));
    if let Some(Body::Result(result)) = bodies.last_mut() {
        result.is_error = true;
    }
    for (id, tool) in [("2", "Bash"), ("3", "TodoWrite"), ("4", "Task"), ("5", "Write")] {
        bodies.extend(call(id, None, tool, "{}", ECHO));
    }
    let mut conversation = conversation(bodies);
    conversation.dialect = "claude-code";
    let source = sources(&conversation, "<https://docs.example/guide>").remove(0);
    assert_eq!((source.title.as_ref(), source.kind), ("docs.example", SourceKind::Web));
}

#[test]
fn a_document_has_a_first_writer_too() {
    let mut bodies = vec![person("One")];
    bodies.extend(call("1", Some("library"), "find", "{}", r#"{"url":"/documents/17"}"#));
    let sources = sources(&conversation(bodies), "<https://x.example/> [a](/documents/17) [b](/documents/1)");
    let first: Vec<Option<u64>> = sources.into_iter().map(|source| source.first.map(|first| first.item)).collect();
    assert_eq!(first, [None, Some(2), None]);
}

#[test]
fn nobody_is_first_where_the_conversation_does_not_hold_the_address() {
    let sources = sources(&conversation(vec![person("One")]), "<https://new.example/>");
    assert_eq!(sources.first().unwrap().first, None);
}

#[track_caller]
fn gives(text: &str, opened: Option<&str>, wanted: &[(&str, &str)]) {
    let mut found = Vec::new();
    titles::read(text, opened.map(str::to_owned), &mut |url, title| found.push((url.to_owned(), title.to_owned())));
    let wanted: Vec<(String, String)> =
        wanted.iter().map(|(url, title)| ((*url).to_owned(), (*title).to_owned())).collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_page_that_was_opened_has_its_own_title() {
    const PAGE: &str = "https://docs.example/guide";
    gives("<!doctype html><TITLE lang=en> Tom &amp; Eve </TITLE><h1>x</h1>", Some(PAGE), &[(PAGE, "Tom & Eve")]);
    gives("intro\n# The guide\ntext", Some(PAGE), &[(PAGE, "The guide")]);
    gives("<title>Guide</title>", None, &[]);
    gives(r#"{"title":"Guide","author":{"name":"Eve"}}"#, Some(PAGE), &[(PAGE, "Guide")]);
    gives(
        r#"[{"type":"text","text":"{\"hits\":[{\"link\":\"https://a.example/\",\"title\":\"A\"}]}"}]"#,
        None,
        &[("https://a.example/", "A")],
    );
    gives("<title>never closed", Some(PAGE), &[]);
}
