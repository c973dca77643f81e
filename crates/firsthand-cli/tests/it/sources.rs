//! The sources of an answer, as the command lists them and gives them out.

use std::path::Path;

use serde_json::{Value, json};

use crate::tool::{Done, Folder, keys};

const TALK: &str = r#"{"conversation":"one","seat":"person"}
{"position":"user","text":"Earlier question"}
{"position":"tool_call","id":"0","tool":"web_search","arguments":{"query":"x"}}
{"position":"tool_result","id":"0","json":[{"title":"Title of an earlier turn","url":"https://old.example/page"}]}
{"position":"user","text":"Read https://given.example/list and find INC-17"}
{"position":"tool_call","id":"1","server":"tickets","tool":"list_issues","arguments":{}}
{"position":"tool_result","id":"1","json":{"issues":[{"title":"Invoices","url":"https://t.example/browse/INC-1"}]}}
{"position":"tool_call","id":"2","tool":"web_fetch","arguments":{"url":"https://given.example/list"}}
{"position":"tool_result","id":"2","text":"<html><title>The list &amp; more</title><p>nothing</p></html>"}
"#;

const ANSWER: &str = "See <https://given.example/list>, <https://old.example/page>, [INC-1](https://t.example/browse/INC-1), \
    [INC-17](https://t.example/browse/INC-17), [7](https://erp.example/orders/ORD-7) and [bad](javascript:alert(1)).\n";

const RULES: &str = r#"
[[shortcut]]
name = "order"
template = "https://erp.example/orders/{no}"
description = "The page of an order."
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("answer.md", ANSWER).file("talk.jsonl", TALK).file("rules.toml", RULES);
    folder
}

fn record(done: &Done) -> Value {
    let mut lines = done.exits(0).json();
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

fn items(record: &Value, key: &str) -> Vec<Value> {
    let items = record.get("items").unwrap().as_array().unwrap();
    items.iter().map(|item| item.pointer(key).unwrap().clone()).collect()
}

#[test]
fn a_person_sees_a_list_with_hosts_kinds_and_first_writers() {
    let folder = folder();
    let plain = folder.run(&["sources", "answer.md"]);
    plain.exits(0).says(&["INC-17", "t.example", "web", "1 link was unwrapped: another scheme than http and https."]);
    assert!(!plain.out.contains("first written by"));
    let told = folder.run(&["sources", "answer.md", "--conversation", "talk.jsonl", "--shortcuts", "rules.toml"]);
    told.exits(0).says(&[
        "The list & more",
        "a person (user, item 3)",
        "connector",
        "the world (tool result of list_issues, item 5)",
        "record (order)",
        "nobody",
    ]);
}

#[test]
fn the_record_has_every_key_and_the_finished_text() {
    let folder = folder();
    let done =
        folder.run(&["sources", "answer.md", "--conversation", "talk.jsonl", "--shortcuts", "rules.toml", "--json"]);
    let record = record(&done);
    let wanted =
        ["object", "version", "markdown", "limit", "total", "truncated", "items", "unwrapped", "not_carried_over"];
    assert_eq!(keys(&record), wanted);
    assert_eq!(record.get("markdown"), Some(&json!(ANSWER.replace("[bad](javascript:alert(1))", "bad"))));
    assert_eq!(record.get("unwrapped"), Some(&json!([{"reason": "scheme", "text": "bad"}])));
    assert_eq!(record.get("not_carried_over"), Some(&Value::Null));
    assert_eq!(items(&record, "/kind"), ["web", "web", "connector", "web", "record"]);
    // `7` names nothing, and the title of an earlier turn is not this turn's.
    assert_eq!(items(&record, "/title"), ["The list & more", "old.example", "INC-1", "INC-17", "erp.example"]);
    let first = json!({"writer": "person", "position": "user", "item": 3, "tool": null});
    assert_eq!(record.pointer("/items/0/first"), Some(&first));
    let item = record.pointer("/items/4").unwrap();
    assert_eq!(keys(item), ["n", "url", "kind", "title", "title_from", "host", "first", "shortcut", "occurrences"]);
    assert_eq!(item.get("shortcut"), Some(&json!("order")));
}

#[test]
fn the_same_answer_gives_the_same_list_and_finishing_it_again_changes_nothing() {
    let folder = folder();
    let once = record(&folder.run(&["sources", "answer.md", "--json"]));
    let finished = once.get("markdown").unwrap().as_str().unwrap();
    let again = record(&folder.run_with(&["sources", "-", "--json"], finished.as_bytes(), &[]));
    assert_eq!((once.get("markdown"), once.get("items")), (again.get("markdown"), again.get("items")));
    assert_eq!(again.get("unwrapped"), Some(&json!([])));
}

#[test]
fn links_of_reports_that_are_not_carried_over_are_counted_and_listed() {
    let folder = folder();
    folder
        .file("one.md", "[INC-1](https://t.example/browse/INC-1) [INC-2](https://t.example/browse/INC-2?token=secret)");
    folder.file("two.md", "<https://t.example/browse/INC-2?token=secret> <https://t.example/browse/INC-3>");
    let reports = ["sources", "answer.md", "--report", "one.md", "two.md"];
    let told = folder.run(&reports);
    told.exits(0).says(&[
        "Of 3 links of the reports, 1 is carried over.",
        "Not carried over",
        "one.md, two.md",
        "INC-2?…",
    ]);
    let record = record(&folder.run(&[&reports[..], &["--json"]].concat()));
    assert_eq!(record.get("not_carried_over"), Some(&json!(2)));
    let list = folder.run(&[&reports[..], &["--emit", "carry-over"]].concat()).json().remove(0);
    assert_eq!(keys(&list), ["object", "version", "total", "carried_over", "not_carried_over"]);
    assert_eq!(list.pointer("/not_carried_over/1/url"), Some(&json!("https://t.example/browse/INC-3")));
    folder.run(&["sources", "answer.md", "--emit", "carry-over"]).exits(2).complains(&["expected at least one"]);
}

#[test]
fn every_shape_is_printed() {
    let folder = folder();
    let shapes = [
        ("native", "firsthand.sources"),
        ("openai", "url_citation"),
        ("openai-chat", "url_citation"),
        ("anthropic", "search_result_location"),
        ("gemini", "groundingSupports"),
        ("ai-sdk", "source-url"),
        ("perplexity", "search_results"),
        ("langchain", "start_index"),
        ("langchain-js", "startIndex"),
        ("markdown", "3. [INC-1](<https://t.example/browse/INC-1>) – t.example\n"),
        ("csv", "\u{feff}n,title,host,kind,url,times,first_writer,first_tool\r\n"),
        ("csl-json", "webpage"),
        ("bibtex", "@online{s3,"),
        ("ris", "TI  - INC-1\r\n"),
        ("html", "<h2>Sources</h2>"),
    ];
    for (shape, wanted) in shapes {
        folder.run(&["sources", "answer.md", "--emit", shape]).exits(0).says(&[wanted]);
    }
    let html = folder.run(&["sources", "answer.md", "--emit", "html"]);
    assert!(!html.out.contains("javascript:") && html.out.contains("noopener noreferrer nofollow"), "{}", html.out);
}

#[test]
fn a_hostile_title_stays_a_title_in_every_shape() {
    let folder = Folder::new();
    folder.file("answer.md", "<https://a.example/>");
    let title = "=cmd|' /C calc'!A0 ](/sink) <img src=x> } @online{x}";
    let hit = json!([{"title": title, "url": "https://a.example/"}]);
    let talk = [
        json!({"position": "user", "text": "One"}),
        json!({"position": "tool_call", "id": "1", "tool": "web_search", "arguments": {}}),
        json!({"position": "tool_result", "id": "1", "json": hit}),
    ];
    folder.file("talk.jsonl", talk.map(|line| line.to_string()).join("\n"));
    let emit = |shape| folder.run(&["sources", "answer.md", "--conversation", "talk.jsonl", "--emit", shape]).out;
    assert!(emit("csv").contains(",'=cmd|"), "{}", emit("csv"));
    assert!(emit("markdown").contains(r"\](/sink)"), "{}", emit("markdown"));
    assert!(emit("html").contains("&lt;img src=x&gt;"), "{}", emit("html"));
    assert!(
        emit("bibtex").contains(r"{\textbraceright} {@}online{\textbraceleft}x{\textbraceright}},"),
        "{}",
        emit("bibtex")
    );
}

#[test]
fn prompt_parts_are_text_in_each_language() {
    let folder = folder();
    let whole = folder.run(&["sources", "--emit", "prompt", "--shortcuts", "rules.toml"]);
    whole.exits(0).says(&["# Links\n", "`https://erp.example/orders/{no}`", "# Links of the reports"]);
    let korean = folder.run(&["sources", "--emit", "prompt", "--language", "ko", "--part", "links"]);
    korean.exits(0).says(&["# 링크"]);
    assert!(!korean.out.contains("보고서"));
    folder.run(&["sources", "--emit", "prompt", "--language", "xx"]).exits(2).complains(&["en", "ko"]);
    folder.run(&["sources", "answer.md", "--emit", "prompt"]).exits(2).complains(&["expected none"]);
    folder.run(&["sources", "answer.md", "--part", "links"]).exits(2).complains(&["--emit prompt"]);
}

#[test]
fn where_links_came_from_is_counted_over_a_directory() {
    let folder = folder();
    let answer = json!({"position": "assistant", "text": ANSWER});
    folder.file("runs/one.jsonl", format!("{TALK}{answer}\n"));
    folder.file("runs/notes.txt", "no conversation");
    let told = folder.run(&["sources", "--origins", "runs", "--shortcuts", "rules.toml", "--json"]);
    let mut lines = told.exits(0).json();
    let summary = lines.pop().unwrap();
    let origins: Vec<&Value> = lines.iter().map(|line| line.get("origin").unwrap()).collect();
    assert_eq!(origins, ["person", "tool_result", "tool_result", "convention", "shortcut"]);
    assert_eq!(
        keys(lines.first().unwrap()),
        ["type", "file", "conversation", "item", "at", "url", "times", "origin", "rule"]
    );
    assert_eq!(
        keys(&summary),
        ["type", "files", "skipped", "unread", "conversations", "answers", "links", "by_origin"]
    );
    assert_eq!((summary.get("answers"), summary.get("skipped")), (Some(&json!(1)), Some(&json!(1))));
    folder.run(&["sources", "--origins", "runs"]).exits(0).says(&[
        "stands in a tool result       2  40.0 %",
        "5 addresses in 1 answer of 1 conversation · 1 file skipped",
    ]);
    folder.file("runs/broken.jsonl", r#"{"position":"user"}"#);
    folder.run(&["sources", "--origins", "runs"]).exits(2).complains(&["broken.jsonl"]).says(&["5 addresses"]);
}

#[test]
fn bad_input_is_told_with_its_file_and_place() {
    let folder = folder();
    folder.file("bad.md", b"one\ntwo \xff");
    folder
        .run(&["sources", "bad.md"])
        .exits(2)
        .complains(&["bad.md: line 2: found a byte that is not UTF-8; expected"]);
    folder.run(&["sources", "none.md"]).exits(2).complains(&["none.md: "]);
    folder.run(&["sources"]).exits(2).complains(&["found no answer; expected"]);
    folder.run(&["sources", "--origins"]).exits(2).complains(&["found no conversation; expected"]);
    folder
        .run(&["sources", "--report", "answer.md", "answer.md"])
        .exits(2)
        .complains(&["every file behind `--report` is a report", "expected the answer before it"]);
    for alone in [["--policy", "firsthand"], ["--format", "auto"]] {
        let told = folder.run(&[&["sources", "answer.md"][..], &alone].concat());
        told.exits(2).complains(&["--conversation", "--origins"]);
        let [option, value] = alone;
        folder.run(&["sources", "answer.md", "--conversation", "talk.jsonl", option, value]).exits(0);
        folder.run(&["sources", "--origins", "talk.jsonl", option, value]).exits(0);
    }
    folder.run(&["sources", "answer.md", "bad.md"]).exits(2).complains(&["found 2 answers; expected one"]);
    folder.run(&["sources", "-", "--conversation", "-"]).exits(2).complains(&["found `-` more than once"]);
    folder.run(&["sources", "answer.md", "--json", "--emit", "csv"]).exits(2).complains(&["--json"]);
    folder.run(&["sources", "answer.md", "--emit", "none"]).exits(2).complains(&["openai-chat"]);
    folder
        .file("rules.toml", "[[shortcut]]\nname = \"x\"\ntemplate = \"https://{host}.example/\"\ndescription = \"y\"");
    folder
        .run(&["sources", "answer.md", "--shortcuts", "rules.toml"])
        .exits(2)
        .complains(&["rules.toml: line 3: ", "host"]);
    folder.file("talk.jsonl", r#"{"position":"nowhere"}"#);
    folder.run(&["sources", "answer.md", "--conversation", "talk.jsonl", "--format", "firsthand"]).exits(2);
    folder.file("widget.md", "```table-widget\n{\"columns\":1}\n```\n");
    let broken = folder.run(&["sources", "widget.md"]);
    broken.exits(0).complains(&["widget.md: line 2, column 12: "]).says(&["No sources"]);
}

#[test]
fn one_of_several_conversations_is_named_by_its_id() {
    let folder = Folder::new();
    folder.file("answer.md", "<https://r1.example/>");
    let run = |number: u8| json!({"messages": [{"role": "user", "content": format!("https://r{number}.example/")}]});
    folder.file("runs.jsonl", [run(0).to_string(), run(1).to_string()].join("\n"));
    let ask = ["sources", "answer.md", "--conversation", "runs.jsonl", "--format", "openai-chat"];
    folder.run(&ask).exits(2).complains(&["--run: runs#0, runs#1"]);
    folder.run(&[&ask[..], &["--run", "runs#1"]].concat()).exits(0).says(&["a person"]);
    let other = folder.run(&[&ask[..], &["--run", "runs#0"]].concat());
    assert!(!other.exits(0).out.contains("a person"), "{}", other.out);
}

#[test]
fn more_than_a_hundred_addresses_are_links_of_the_text_only() {
    let folder = Folder::new();
    let links: Vec<String> = (0..120).map(|number| format!("<https://a.example/{number}>")).collect();
    folder.file("answer.md", links.join(" "));
    folder.run(&["sources", "answer.md"]).exits(0).says(&["Only the first 100 of 120 addresses are listed"]);
    let record = record(&folder.run(&["sources", "answer.md", "--json"]));
    assert_eq!((record.get("total"), record.get("truncated")), (Some(&json!(120)), Some(&json!(true))));
    assert_eq!(record.get("items").unwrap().as_array().unwrap().len(), 100);
}

#[test]
fn the_example_of_the_documentation_is_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = std::fs::read_to_string(root.join("docs/answers.md")).unwrap();
    let shown = document.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let output = crate::tool::command(&[
        "sources",
        "examples/answer.md",
        "--conversation",
        "examples/answer.jsonl",
        "--shortcuts",
        "examples/shortcuts.toml",
        "--report",
        "examples/report.md",
    ])
    .current_dir(&root)
    .output()
    .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(shown), trimmed(&printed));
}
