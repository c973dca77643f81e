//! Every key that a program reads stands in the document about the output.

use serde_json::Value;

use crate::tool::Folder;

const TALK: &str = r#"{"conversation":"one","seat":"person"}
{"position":"user","text":"Read https://a.example/list"}
{"position":"tool_call","id":"1","tool":"web_fetch","arguments":{"url":"https://a.example/list"}}
{"position":"tool_result","id":"1","text":"See https://b.example/page"}
{"position":"tool_call","id":"2","tool":"web_fetch","arguments":{"url":"https://c.example/?d=1"}}
"#;

/// The keys of an object and of those below it, but for maps whose keys are data.
fn keys(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                into.push(key.clone());
                if !key.starts_with("by_") && key != "json" {
                    keys(value, into);
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| keys(element, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_key_of_the_output_is_documented_under_its_command() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/output.md");
    let document = std::fs::read_to_string(path).unwrap();
    let section = |command: &str| {
        let heading = format!("## `{command}`\n");
        let rest = document.split(&heading).nth(1).unwrap();
        rest.split("\n## ").next().unwrap().to_owned()
    };
    let folder = Folder::new();
    folder.file("talk.jsonl", TALK);
    let commands: [&[&str]; 5] = [
        &["trace", "talk.jsonl", "--json"],
        &["items", "talk.jsonl", "--json"],
        &["check", "talk.jsonl", "--tool", "web_fetch", "--url", "https://b.example/page", "--json"],
        &["explain", "talk.jsonl", "--url", "https://c.example/?d=1", "--json"],
        &["urls", "talk.jsonl", "--json"],
    ];
    for arguments in commands {
        let command = arguments.first().unwrap();
        let mut printed = Vec::new();
        folder.run(arguments).json().iter().for_each(|line| keys(line, &mut printed));
        assert!(printed.len() > 3, "{command} printed {printed:?}");
        // What `check` says of an address is told where `trace` says it.
        let told =
            format!("{}{}", section(command), if *command == "check" { section("trace") } else { String::new() });
        for key in printed {
            assert!(told.contains(&format!("`{key}`")), "{command} prints `{key}`, which docs/output.md does not tell");
        }
    }
}
