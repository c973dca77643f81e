//! The case files, asked over HTTP.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::StatusCode;
use firsthand_cases::ask::{Ask, What};
use firsthand_cases::notation::{self, Case};
use firsthand_cases::subject::{Answer, UrlAnswer, policy_of, wrong};
use firsthand_server::limits::Limits;
use serde_json::{Value, json};

use crate::databases::Database;
use crate::web::Web;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Begins a session with a conversation in it; gives its id and its length.
async fn told(
    web: &Web,
    policy: &str,
    parent: Option<&str>,
    earlier: &str,
    talk: &str,
) -> Result<(String, usize), String> {
    let lines = |text: &str| -> Vec<Value> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let (mut before, mut items) = (lines(earlier), lines(talk));
    let is_head = |item: &Value| item.get("position").is_none();
    let head = if items.first().is_some_and(is_head) { items.remove(0) } else { Value::Null };
    before.retain(|item| !is_head(item));
    for item in items.iter_mut().filter(|item| item["position"] == "rewind") {
        // A rewind counts all items of the session.
        item["to"] = json!(item["to"].as_u64().unwrap() + before.len() as u64);
    }
    let seat = head.get("seat").cloned().unwrap_or(json!("presumed"));
    let mut begin = json!({"policy": policy, "seat": seat, "parent": parent});
    if !policy.contains("[networking]") {
        begin["networking"] = json!({"type": "unrestricted"});
    }
    let begun = web.post("/v1/sessions", begin).await;
    if begun.status != StatusCode::CREATED {
        return Err(begun.body.to_string());
    }
    let session = begun.body["id"].as_str().unwrap().to_owned();
    before.extend(items);
    let grown = web.append(&session, 0, &before).await;
    match grown.status {
        StatusCode::OK => Ok((session, before.len())),
        _ => Err(grown.body.to_string()),
    }
}

fn read(body: &Value) -> Answer {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let urls: Vec<UrlAnswer> = body["urls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|url| UrlAnswer {
            url: text(&url["url"]).unwrap(),
            send: text(&url["send"]),
            step: text(&url["step"]),
            first: text(&url["first"]["writer"]),
        })
        .collect();
    let verdict = match body["verdict"].as_str().unwrap() {
        "open" if urls.is_empty() => "nothing",
        verdict => verdict,
    };
    Answer {
        verdict: verdict.to_owned(),
        reason: text(&body["reason"]),
        message: text(&body["message"]),
        advisory: None,
        urls,
    }
}

async fn answer(web: &Web, case: &Case, ask: &Ask) -> Result<Answer, String> {
    let policy = policy_of(case, ask);
    let mut parent: Option<String> = None;
    for above in case.parents.iter().rev() {
        let (session, _) = told(web, &policy, parent.as_deref(), "", above).await?;
        parent = Some(session);
    }
    let earlier = case.earlier.as_deref().unwrap_or_default();
    let (session, length) = told(web, &policy, parent.as_deref(), earlier, &case.talk).await?;
    let (key, opens) = match &ask.what {
        What::Addresses(urls) => ("urls", json!(urls).to_string()),
        // As it stands: a key may be there twice.
        What::Arguments(arguments) => ("arguments", arguments.clone()),
    };
    let (tool, server) = (json!(ask.tool), json!(ask.server));
    let call = format!(r#"{{"tool":{tool},"server":{server},"{key}":{opens}}}"#);
    let body = format!(r#"{{"length":{length},"call":{call},"rewrites":{}}}"#, ask.rewrites);
    let path = format!("/v1/sessions/{session}/check");
    let checked = web.send(Some(&web.token), "POST", &path, body.into()).await;
    match checked.status {
        StatusCode::OK => Ok(read(&checked.body)),
        _ => Err(checked.body.to_string()),
    }
}

/// Cases that cannot be asked in this way, with why. The list is checked both ways.
const ELSEWHERE: [(&str, &str); 3] = [
    ("A yes for one call or for a run ends with its turn", "a session is one run over all its turns"),
    ("Earlier turns only on a miss", "the earlier turns of a session are in its ledger"),
    (
        "Compaction with the earlier turns at hand",
        "the session may have begun with its summary: no call stands before it",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_cases_have_the_same_answers_over_http_on_both_databases() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let mut failures = Vec::new();
        let (mut asked, mut listed) = (0, std::collections::BTreeSet::new());
        let mut names: Vec<PathBuf> =
            std::fs::read_dir(root().join("cases")).unwrap().map(|file| file.unwrap().path()).collect();
        names.sort();
        for file in names.iter().filter(|file| file.file_name().unwrap() != "README.md") {
            let cases = notation::read(&std::fs::read_to_string(file).unwrap()).map_err(|error| error.problem).unwrap();
            for case in &cases {
                for ask in case.asks.iter().map(|ask| Ask { advisory: None, ..ask.clone() }) {
                    asked += 1;
                    let failure = match answer(&web, case, &ask).await {
                        Ok(answer) => wrong(&ask, &answer),
                        Err(error) => Some(error),
                    };
                    let is_listed = ELSEWHERE.iter().any(|(heading, _)| *heading == case.heading);
                    if is_listed && failure.is_some() {
                        listed.insert(case.heading.clone());
                    }
                    if let Some(failure) = failure.filter(|_| !is_listed) {
                        failures.push(format!("{}:{} ({}): {failure}", file.display(), ask.line, case.heading));
                    }
                }
            }
        }
        assert!(failures.is_empty(), "{}: {} of {asked}\n{}", database.name, failures.len(), failures.join("\n"));
        assert!(asked > 500, "{}: {asked} asks", database.name);
        assert_eq!(listed.len(), ELSEWHERE.len(), "{}: what is listed fails: {listed:?}", database.name);
    }
}

/// The given decision cases, where they lie beside the checkout.
#[tokio::test(flavor = "multi_thread")]
async fn the_given_decisions_have_the_same_answers_over_http() {
    let shared = std::env::var_os("FIRSTHAND_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(shared.join("cases/decisions.jsonl")) else {
        eprintln!("skipped: no given cases lie beside the checkout");
        return;
    };
    let web = Web::alone(Limits::default()).await;
    let mut failures = Vec::new();
    let lines = |items: &Value| -> String {
        items.as_array().map(|items| items.iter().map(|item| format!("{item}\n")).collect()).unwrap_or_default()
    };
    for case in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let policy = format!("profile = {}\n{}", case["profile"], case["policy"].as_str().unwrap_or_default());
        for ask in case["asks"].as_array().unwrap() {
            let mut parent = None;
            for above in case["parents"].as_array().into_iter().flatten().rev() {
                let (session, _) = told(&web, &policy, parent.as_deref(), "", &lines(above)).await.unwrap();
                parent = Some(session);
            }
            let (earlier, talk) = (lines(&case["earlier"]), lines(&case["conversation"]));
            let (session, length) = match told(&web, &policy, parent.as_deref(), &earlier, &talk).await {
                Ok(told) => told,
                Err(error) => {
                    failures.push(format!("{}: {error}", case["id"]));
                    continue;
                }
            };
            let call = json!({"tool": ask["tool"], "urls": ask["urls"]});
            let body =
                web.post(&format!("/v1/sessions/{session}/check"), json!({"length": length, "call": call})).await.body;
            let reason_fits = ask["reason"]
                .as_array()
                .is_none_or(|reasons| body["verdict"] == "open" || reasons.contains(&body["reason"]));
            let sent: Vec<&Value> = body["urls"].as_array().into_iter().flatten().map(|url| &url["send"]).collect();
            let send_fits = ask["send"].as_array().is_none_or(|send| send.iter().collect::<Vec<_>>() == sent);
            let mut first = body["urls"].as_array().into_iter().flatten().map(|url| &url["first"]["writer"]);
            let first_fits = ask["first"].is_null() || first.all(|first| *first == ask["first"]);
            if body["verdict"] != ask["verdict"] || !reason_fits || !send_fits || !first_fits {
                failures.push(format!("{}: expected {ask}; got {body}", case["id"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}
