//! The shared decision cases, in this process.

use firsthand_cases::ask::{Ask, Expected, What};
use firsthand_cases::library::Library;
use firsthand_cases::notation::Case;
use firsthand_cases::subject::{Subject as _, wrong};
use serde_json::Value;

use crate::shared;

#[test]
fn shared_decisions_come_out_as_they_should() {
    let Some(cases) = shared::lines("cases/decisions.jsonl") else { return };
    let mut failures = Vec::new();
    let mut held = 0;
    for case in &cases {
        held += 1;
        let id = shared::string(case, "id");
        let case = read(case);
        for ask in &case.asks {
            match Library.answer(&case, ask) {
                Ok(answer) => failures.extend(wrong(ask, &answer.unwrap()).map(|wrong| format!("{id}: {wrong}"))),
                Err(error) => failures.push(format!("{id}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} asks of {held} cases fail\n{}", failures.len(), failures.join("\n"));
}

fn read(case: &Value) -> Case {
    let profile = shared::string(case, "profile");
    let list = |key: &str| case.get(key).and_then(Value::as_array);
    Case {
        heading: shared::string(case, "title").to_owned(),
        line: 0,
        reason: shared::string(case, "why").to_owned(),
        policy: case.get("policy").and_then(Value::as_str).unwrap_or_default().to_owned(),
        talk: json_lines(list("conversation").unwrap()),
        parents: list("parents").into_iter().flatten().map(|items| json_lines(items.as_array().unwrap())).collect(),
        earlier: list("earlier").map(|items| json_lines(items)),
        asks: list("asks").unwrap().iter().map(|each| ask(each, profile)).collect(),
    }
}

fn json_lines(items: &[Value]) -> String {
    items.iter().map(|item| format!("{item}\n")).collect()
}

fn ask(ask: &Value, profile: &str) -> Ask {
    let owned = |key: &str| -> Option<Vec<String>> {
        let list = ask.get(key)?.as_array().unwrap();
        Some(list.iter().map(|entry| entry.as_str().unwrap().to_owned()).collect())
    };
    let reasons = owned("reason").unwrap_or_default();
    let expected = match shared::string(ask, "verdict") {
        "open" => Expected::Open {
            send: owned("send"),
            step: None,
            from: ask.get("first").and_then(Value::as_str).map(str::to_owned),
            says: None,
        },
        "refuse" => Expected::Refuse { reasons, offering: None },
        "ask" => Expected::Ask { reasons },
        other => panic!("a verdict that no case has: {other}"),
    };
    Ask {
        line: 0,
        profile: profile.to_owned(),
        server: ask.get("server").and_then(Value::as_str).map(str::to_owned),
        tool: shared::string(ask, "tool").to_owned(),
        what: What::Addresses(owned("urls").unwrap()),
        rewrites: true,
        advisory: None,
        expected,
    }
}
