//! The slow statement of the rule, held against the case files.

use std::fmt::Write as _;

use firsthand::check::{Circumstances, check_addresses};
use firsthand::conversation::{Conversation, Item};
use firsthand::ledger::Ledger;
use firsthand::note::note;
use firsthand_cases::oracle::ask;
use firsthand_cases::tree::{Run, Tree};
use firsthand_wire::format::{Choice, Source, read};
use serde_json::Value;

use crate::shared;

/// Groups that need what the slow statement leaves out: lists, permissions, derived addresses, credentials.
const ELSEWHERE: [&str; 6] = ["truncation", "convention", "selection", "references", "lists", "network"];

fn conversation(lines: &Value) -> Conversation {
    let mut text = String::new();
    for line in lines.as_array().unwrap() {
        writeln!(text, "{line}").unwrap();
    }
    let mut read = read(text.as_bytes(), Choice::Named("firsthand"), &Source { name: "case" }).unwrap();
    read.conversations.remove(0)
}

/// The runs of a case, those above first, then earlier turns and the run itself.
fn tree(case: &Value) -> Tree {
    let mut above: Vec<Conversation> =
        case.get("parents").and_then(Value::as_array).into_iter().flatten().map(conversation).collect();
    above.reverse();
    let own = conversation(case.get("conversation").unwrap());
    let earlier: Vec<Item> = case.get("earlier").map(|lines| conversation(lines).items).unwrap_or_default();
    let mut tree = Tree { runs: Vec::new(), items: Vec::new() };
    for (run, conversation) in above.into_iter().chain([own]).enumerate() {
        tree.runs.push(Run(run.checked_sub(1), conversation.seat, conversation.dialect));
        let is_last = case.get("parents").and_then(Value::as_array).map_or(0, Vec::len) == run;
        let before = if is_last { earlier.clone() } else { Vec::new() };
        tree.items.extend(before.into_iter().chain(conversation.items).map(|item| (run, item)));
    }
    tree
}

#[test]
fn the_slow_statement_of_the_rule_decides_the_cases_alike() {
    let Some(cases) = shared::lines("cases/decisions.jsonl") else { return };
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| !ELSEWHERE.contains(&shared::string(case, "group"))) {
        let rest = case.get("policy").and_then(Value::as_str).unwrap_or_default();
        let policy = format!("profile = \"{}\"\n{rest}", shared::string(case, "profile"));
        let policy = firsthand_wire::policy::load(&policy).unwrap().policy;
        let tree = tree(case);
        for asked in case.get("asks").and_then(Value::as_array).unwrap() {
            let urls: Vec<String> = shared::strings(asked, "urls").into_iter().map(str::to_owned).collect();
            let answers = ask(&tree, &policy, tree.runs.len() - 1, &urls);
            let reason = answers.iter().find_map(|answer| answer.as_ref().err());
            let opens = shared::string(asked, "verdict") == "open";
            let sends = answers.iter().flatten().map(|(send, ..)| send.as_str()).collect::<Vec<_>>();
            let right = opens == reason.is_none()
                && (!opens || asked.get("send").is_none() || shared::strings(asked, "send") == sends)
                && (!opens
                    || asked
                        .get("first")
                        .is_none_or(|first| answers.iter().flatten().all(|(.., writer)| first == writer.name())))
                && (opens
                    || asked.get("reason").is_none()
                    || shared::strings(asked, "reason").contains(&reason.map_or("", |reason| reason.code())));
            if !right {
                wrong.push(format!(
                    "{}: {:?}, expected {}",
                    shared::string(case, "id"),
                    reason,
                    shared::string(asked, "verdict")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn of_too_many_refused_addresses_of_one_id_everything_is_an_extension_to_both() {
    let policy = firsthand_wire::policy::profile("firsthand").unwrap();
    for (calls, repeated, opens) in [(256, 1, true), (257, 1, false), (256, 3, true)] {
        let calls = (0..calls * repeated).map(|call| {
            let url = format!("https://a.example/{}", call / repeated);
            format!(r#"{{"position":"tool_call","id":"c","tool":"web_fetch","arguments":{{"url":"{url}"}}}}"#)
        });
        let result = r#"{"position":"tool_result","id":"c","text":"See https://b.example/x"}"#;
        let lines = calls.chain([result.to_owned()]).map(|line| serde_json::from_str(&line).unwrap());
        let own = conversation(&Value::Array(lines.collect()));
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, own.seat, own.dialect);
        for item in &own.items {
            note(&mut ledger, run, item, &policy, &Circumstances::default());
        }
        let asked = ["https://b.example/x".to_owned()];
        let decided = check_addresses(&ledger, run, None, "web_fetch", &asked, &policy, &Circumstances::default());
        assert_eq!(decided.verdict.reason().is_none(), opens);
        let tree = Tree {
            runs: vec![Run(None, own.seat, own.dialect)],
            items: own.items.into_iter().map(|item| (0, item)).collect(),
        };
        assert_eq!(ask(&tree, &policy, 0, &asked).remove(0).is_ok(), opens);
    }
}
