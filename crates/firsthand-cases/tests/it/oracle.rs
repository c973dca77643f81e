//! The slow statement of the rule, held against the case files.

use std::fmt::Write as _;

use firsthand::conversation::{Conversation, Item};
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
