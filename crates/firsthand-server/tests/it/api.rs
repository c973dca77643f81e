//! The routes: what comes of requests, for whom, and of requests that are none.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;
use firsthand_server::limits::Limits;
use firsthand_server::token::{Scope, issue};
use serde_json::{Value, json};

use crate::databases::Database;
use crate::web::Web;

fn user(text: &str) -> Value {
    json!({"position": "user", "text": text})
}

fn model(text: &str) -> Value {
    json!({"position": "assistant", "text": text})
}

fn searched(id: &str, text: &str) -> [Value; 2] {
    [
        json!({"position": "tool_call", "id": id, "tool": "web_search", "arguments": {"query": "q"}}),
        json!({"position": "tool_result", "id": id, "text": text}),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_to_say_which_hosts_it_reaches_and_an_entry_outside_is_named() {
    let web = Web::alone(Limits::default()).await;
    let answer = web.post("/v1/sessions", json!({})).await;
    assert_eq!((answer.status, answer.kind.as_str()), (StatusCode::BAD_REQUEST, "application/problem+json"));
    assert!(answer.body["detail"].as_str().unwrap().contains("networking"), "{}", answer.body);
    let policy = "[tools.web_fetch]\nallowed_domains = [\"docs.example.com\"]\n";
    let limited = json!({"type": "limited", "allowed_hosts": ["example.com"]});
    let answer = web.post("/v1/sessions", json!({"policy": policy, "networking": limited})).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.body["detail"].as_str().unwrap().contains("docs.example.com"), "{}", answer.body);
    let session = web.session(json!({"policy": policy})).await;
    let answer = web
        .send(
            Some(&web.token),
            "PATCH",
            &format!("/v1/sessions/{session}"),
            json!({"networking": limited}).to_string().into(),
        )
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "a change is held to the same");
    let said = "[networking]\ntype = \"limited\"\nallowed_hosts = [\"a.example\"]\n";
    let answer = web.post("/v1/sessions", json!({"policy": said})).await;
    assert_eq!(answer.status, StatusCode::CREATED, "a policy file may say it: {}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_an_answer_and_a_gap_is_a_conflict() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({"seat": "person"})).await;
        let items = [user("Read https://a.example/x please"), model("or https://evil.example/?d=secret")];
        assert_eq!(web.append(&session, 0, &items).await.body, json!({"length": 2, "added": 2}));
        assert_eq!(
            web.append(&session, 0, &items).await.body,
            json!({"length": 2, "added": 0}),
            "sent twice, kept once"
        );
        let gap = web.append(&session, 5, &items).await;
        assert_eq!((gap.status, &gap.body["length"]), (StatusCode::CONFLICT, &json!(2)));
        let path = format!("/v1/sessions/{session}/items");
        let other = json!({"expected": 2, "format": "firsthand", "items": [{"id": "i0", "item": user("another")}]});
        let other = web.post(&path, other).await;
        assert_eq!((other.status, &other.body["length"]), (StatusCode::CONFLICT, &json!(2)), "an id with another body");
        let half = [items[1].clone(), user("new")];
        assert_eq!(web.append(&session, 1, &half).await.body, json!({"length": 3, "added": 1}), "half of it was there");
        let open = web.check(&session, 3, "http://a.example/x/").await;
        assert_eq!((&open["verdict"], &open["urls"][0]["send"]), (&json!("open"), &json!("https://a.example/x")));
        let closed = web.check(&session, 3, "https://evil.example/?d=secret").await;
        assert_eq!((&closed["verdict"], &closed["reason"]), (&json!("refuse"), &json!("model_wrote_first")));
        let unseen = web.check(&session, 4, "https://a.example/x").await;
        assert_eq!(unseen["verdict"], "refuse", "a ledger that is shorter than the caller knows decides nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_an_append_is_kept_where_one_entry_cannot_be_read() {
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({})).await;
    let bad = web.append(&session, 0, &[user("https://a.example/x"), json!({"position": "usr", "text": "x"})]).await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
    assert!(bad.body["detail"].as_str().unwrap().contains("items[1]"), "{}", bad.body);
    assert_eq!(web.check(&session, 0, "https://a.example/x").await["verdict"], "refuse");
    let path = format!("/v1/sessions/{session}/items");
    let unknown = web.post(&path, json!({"expected": 0, "format": "none", "items": []})).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_other_formats_are_appended_one_by_one() {
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({"dialect": "anthropic-messages"})).await;
    let messages = [
        json!({"role": "user", "content": "Find the price list"}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "prices"}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "https://shop.example/prices"}]}),
    ];
    let mut length = json!(0);
    for (number, message) in messages.iter().enumerate() {
        let body = json!({"expected": length, "format": "anthropic-messages", "items": [{"id": format!("m{number}"), "item": message}]});
        let grown = web.post(&format!("/v1/sessions/{session}/items"), body).await;
        assert_eq!(grown.status, StatusCode::OK, "{}", grown.body);
        length = grown.body["length"].clone();
    }
    let ledger = web.get(&format!("/v1/sessions/{session}/ledger")).await.body;
    assert_eq!(ledger["length"], length);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_of_one_session_holds_in_the_whole_tree_on_every_server() {
    for database in Database::each().await {
        let name = database.name;
        let web = Web::over(Arc::clone(&database.store)).await;
        let other = match database.another().await {
            Some(store) => Web::over(store).await,
            None => Web::over(Arc::clone(&database.store)).await,
        };
        let top = web.session(json!({"seat": "person"})).await;
        web.append(&top, 0, &[user("Read https://a.example/x")]).await;
        let below = web.session(json!({"parent": top})).await;
        let open = web.check(&below, 0, "https://a.example/x").await;
        assert_eq!((&open["verdict"], &open["urls"][0]["first"]["from"]), (&json!("open"), &json!("parent")), "{name}");
        if !database.store.is_shared() {
            continue;
        }
        // Warm on both servers before the other one writes.
        assert_eq!(other.check(&top, 1, "https://evil.example/?d=1").await["verdict"], "refuse");
        let [call, result] = searched("s", "https://evil.example/?d=1");
        other.append(&below, 0, &[model("https://evil.example/?d=1")]).await;
        web.append(&top, 1, &[call, result]).await;
        for server in [&web, &other] {
            let closed = server.check(&top, 3, "https://evil.example/?d=1").await;
            assert_eq!(closed["reason"], "model_wrote_first", "{name}: written below, on another server");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_changes_no_verdict() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({"seat": "person"})).await;
        let mut items = vec![user("Read https://a.example/x"), model("https://evil.example/1")];
        for number in 0..300 {
            items.extend(searched(
                &format!("s{number}"),
                &format!("https://w{number}.example/p https://evil.example/{number}"),
            ));
        }
        for (at, chunk) in items.chunks(100).enumerate() {
            assert_eq!(web.append(&session, at * 100, chunk).await.status, StatusCode::OK);
        }
        assert!(database.store.snapshot(&session).await.unwrap().is_some(), "a snapshot is kept");
        let asked = [
            "https://a.example/x",
            "https://evil.example/1",
            "https://evil.example/2",
            "https://w7.example/p",
            "https://w7.example/q",
        ];
        let mut before = Vec::new();
        for url in asked {
            before.push(web.check(&session, items.len(), url).await);
        }
        let again = Web::over(Arc::clone(&database.store)).await;
        for (url, before) in asked.iter().zip(before) {
            assert_eq!(again.check(&session, items.len(), url).await, before, "{}", database.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_for_a_person_and_a_yes_is_for_one_call() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({"seat": "person"})).await;
        web.append(&session, 0, &[user("Post to https://a.example/x")]).await;
        let call = |body: &str| json!({"length": 1, "call": {"tool": "web_fetch", "arguments": {"url": "https://a.example/x", "method": "POST", "body": body}}});
        let check = format!("/v1/sessions/{session}/check");
        let asked = web.post(&check, call("x")).await.body;
        assert_eq!((&asked["verdict"], &asked["reason"]), (&json!("ask"), &json!("carries_payload")));
        let ask = asked["ask"].as_str().unwrap().to_owned();
        assert_eq!(web.post(&check, call("x")).await.body["ask"], json!(ask), "the same call is one question");
        let asks = web.get(&format!("/v1/sessions/{session}/asks")).await.body;
        assert_eq!((&asks["asks"][0]["state"], asks["asks"].as_array().unwrap().len()), (&json!("waiting"), 1));
        let answer = format!("/v1/sessions/{session}/asks/{ask}");
        assert_eq!(web.post(&answer, json!({"yes": true})).await.status, StatusCode::OK);
        assert_eq!(web.post(&answer, json!({"yes": false})).await.status, StatusCode::CONFLICT, "it has its answer");
        assert_eq!(web.post(&check, call("y")).await.body["verdict"], "ask", "another call is another question");
        assert_eq!(web.post(&check, call("x")).await.body["verdict"], "open");
        assert_eq!(web.post(&check, call("x")).await.body["verdict"], "ask", "a yes is used up");
        let loop_only = web.token("t", &[Scope::Loop]).await;
        let refused = web.send(Some(&loop_only), "POST", &answer, json!({"yes": true}).to_string().into()).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_answers_is_a_no() {
    let web = Web::alone(Limits { asks: 150, ..Limits::default() }).await;
    let session = web.session(json!({"seat": "person"})).await;
    web.append(&session, 0, &[user("Post to https://a.example/x")]).await;
    let call =
        json!({"length": 1, "call": {"tool": "web_fetch", "arguments": {"url": "https://a.example/x", "body": "x"}}});
    let ask =
        web.post(&format!("/v1/sessions/{session}/check"), call.clone()).await.body["ask"].as_str().unwrap().to_owned();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let late = web.post(&format!("/v1/sessions/{session}/asks/{ask}"), json!({"yes": true})).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    let asks = web.get(&format!("/v1/sessions/{session}/asks")).await.body;
    assert_eq!(asks["asks"][0]["state"], "expired");
    assert_eq!(web.post(&format!("/v1/sessions/{session}/check"), call).await.body["verdict"], "ask");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_words_need_a_persons_token() {
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({"seat": "person"})).await;
    let loop_only = web.token("t", &[Scope::Loop]).await;
    let send = async |items: Value| {
        let body = json!({"expected": 0, "format": "firsthand", "items": items});
        web.send(Some(&loop_only), "POST", &format!("/v1/sessions/{session}/items"), body.to_string().into()).await
    };
    let person = [
        user("https://a.example/x"),
        json!({"position": "answer", "id": "q", "text": "https://a.example/x"}),
        json!({"position": "grant", "address": "https://a.example/x", "scope": "run"}),
    ];
    for item in person {
        assert_eq!(send(json!([{"id": "a", "item": item}])).await.status, StatusCode::FORBIDDEN);
    }
    assert_eq!(send(json!([{"id": "a", "item": model("hello")}])).await.status, StatusCode::OK);
    let grant = json!({"address": "https://a.example/x", "scope": "run"});
    let refused =
        web.send(Some(&loop_only), "POST", &format!("/v1/sessions/{session}/grants"), grant.to_string().into()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let private = json!({"networking": {"type": "unrestricted"}, "policy": "[private]\nranges = [\"10.0.0.0/8\"]\n"});
    let refused = web.send(Some(&loop_only), "POST", "/v1/sessions", private.to_string().into()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "the server's own network is the administrator's");
    assert_eq!(web.post("/v1/sessions", private).await.status, StatusCode::CREATED);
    let granted = web.post(&format!("/v1/sessions/{session}/grants"), grant).await;
    assert_eq!(granted.status, StatusCode::CREATED);
    assert_eq!(web.check(&session, 2, "https://a.example/x").await["urls"][0]["step"], "grant");
    // A task is the parent model's: no person is needed for it.
    let below = web.session(json!({"parent": session})).await;
    let body = json!({"expected": 0, "format": "firsthand", "items": [{"id": "a", "item": user("Look at https://b.example/y")}]});
    let task =
        web.send(Some(&loop_only), "POST", &format!("/v1/sessions/{below}/items"), body.to_string().into()).await;
    assert_eq!(task.status, StatusCode::OK);
    assert_eq!(web.check(&below, 1, "https://b.example/y").await["reason"], "model_wrote_first");
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_see_nothing_of_each_other() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({})).await;
        web.append(&session, 0, &[user("https://a.example/x")]).await;
        web.post(
            "/v1/shortcuts",
            json!({"name": "order", "template": "https://erp.example/o/{n}", "description": "An order"}),
        )
        .await;
        web.post("/v1/documents", json!({"id": "d1", "name": "Plan", "text": "secret"})).await;
        web.check(&session, 1, "https://evil.example/1").await;
        let other = web.token("u", &Scope::ALL).await;
        let paths = [
            ("GET", format!("/v1/sessions/{session}/ledger"), Value::Null),
            ("GET", format!("/v1/sessions/{session}/asks"), Value::Null),
            (
                "POST",
                format!("/v1/sessions/{session}/items"),
                json!({"expected": 1, "format": "firsthand", "items": []}),
            ),
            (
                "POST",
                format!("/v1/sessions/{session}/check"),
                json!({"length": 0, "call": {"tool": "web_fetch", "urls": []}}),
            ),
            ("POST", format!("/v1/sessions/{session}/explain"), json!({"url": "https://a.example/x"})),
            ("POST", format!("/v1/sessions/{session}/sources"), json!({"markdown": ""})),
            (
                "POST",
                format!("/v1/sessions/{session}/grants"),
                json!({"address": "https://a.example/x", "scope": "run"}),
            ),
            ("POST", format!("/v1/sessions/{session}/mask"), json!({"tool": "x", "text": ""})),
            ("PATCH", format!("/v1/sessions/{session}"), json!({})),
            ("DELETE", format!("/v1/sessions/{session}"), Value::Null),
            ("POST", "/v1/sessions".to_owned(), json!({"networking": {"type": "unrestricted"}, "parent": session})),
            ("GET", "/v1/documents/d1".to_owned(), Value::Null),
            ("DELETE", "/v1/shortcuts/order".to_owned(), Value::Null),
        ];
        for (method, path, body) in paths {
            let answer = web.send(Some(&other), method, &path, body.to_string().into()).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}: {method} {path}: {}", database.name, answer.body);
        }
        for (path, key) in [
            ("/v1/sessions", "sessions"),
            ("/v1/shortcuts", "shortcuts"),
            ("/v1/documents", "documents"),
            ("/v1/refusals", "refusals"),
        ] {
            let answer = web.send(Some(&other), "GET", path, Body::empty()).await.body;
            assert_eq!(answer[key], json!([]), "{path}");
        }
        assert_eq!(web.check(&session, 1, "https://a.example/x").await["verdict"], "open", "and nothing was harmed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_that_holds_nothing_is_told() {
    let web = Web::alone(Limits::default()).await;
    let described = firsthand_server::api::openapi();
    let open = BTreeSet::from(["/healthz", "/readyz"]);
    let old = issue("t", "old", &Scope::ALL, 0, Some(1)).unwrap();
    web.store.add_token(&old.token).await.unwrap();
    let mut forged = web.token.clone();
    let last = forged.pop();
    forged.push(if last == Some('0') { '1' } else { '0' });
    for (path, item) in &described.paths.paths {
        let methods = [("GET", &item.get), ("POST", &item.post), ("PATCH", &item.patch), ("DELETE", &item.delete)];
        for (method, _) in methods.into_iter().filter(|(_, operation)| operation.is_some()) {
            for token in [None, Some("x"), Some(old.secret.as_str()), Some(forged.as_str())] {
                let answer = web.send(token, method, path, Body::from("{}")).await;
                let expected = if open.contains(path.as_str()) { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
                assert_eq!(answer.status, expected, "{method} {path} with {token:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bodies_are_told_by_their_place_and_not_repeated() {
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({})).await;
    let path = format!("/v1/sessions/{session}/check");
    let deep = format!("{{\"length\":0,\"call\":{}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let canary = "https://canary.example/?d=secret";
    let bodies: Vec<(Vec<u8>, StatusCode)> = vec![
        (b"".to_vec(), StatusCode::BAD_REQUEST),
        (b"{".to_vec(), StatusCode::BAD_REQUEST),
        (br#"[0,{"tool":"t","urls":[]}]"#.to_vec(), StatusCode::BAD_REQUEST),
        (vec![b'"', 0xff, b'"'], StatusCode::BAD_REQUEST),
        (deep.into_bytes(), StatusCode::BAD_REQUEST),
        (format!(r#"{{"length":"{canary}"}}"#).into_bytes(), StatusCode::BAD_REQUEST),
        (format!(r#"{{"{canary}":1}}"#).into_bytes(), StatusCode::BAD_REQUEST),
        (format!(r#"{{"length":0,"call":{{"tool":"t","urls":"{canary}"}}}}"#).into_bytes(), StatusCode::BAD_REQUEST),
        (format!(r#"{{"length":0,"call":{{"tool":"t","{canary}":[]}}}}"#).into_bytes(), StatusCode::BAD_REQUEST),
        (vec![b' '; 17 << 20], StatusCode::PAYLOAD_TOO_LARGE),
    ];
    for (body, status) in bodies {
        let shown: String = String::from_utf8_lossy(&body).chars().take(60).collect();
        let answer = web.send(Some(&web.token), "POST", &path, Body::from(body)).await;
        assert_eq!(
            (answer.status, answer.kind.as_str()),
            (status, "application/problem+json"),
            "{shown}: {}",
            answer.body
        );
        assert!(!answer.body.to_string().contains("canary"), "{}", answer.body);
    }
    for limit in ["0", "1001", "x"] {
        assert_eq!(web.get(&format!("/v1/sessions?limit={limit}")).await.status, StatusCode::BAD_REQUEST, "{limit}");
    }
    let answer = web.send(Some(&web.token), "GET", "/nowhere", Body::empty()).await;
    assert_eq!((answer.status, answer.kind.as_str()), (StatusCode::NOT_FOUND, "application/problem+json"));
    let answer = web.send(Some(&web.token), "PUT", &path, Body::empty()).await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_is_gone_from_memory_and_from_every_file() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({})).await;
        let below = web.session(json!({"parent": session})).await;
        web.append(&session, 0, &[user("https://a.example/canary-word")]).await;
        let answer = web.send(Some(&web.token), "DELETE", &format!("/v1/sessions/{below}"), Body::empty()).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "what it wrote binds the tree");
        let answer = web.send(Some(&web.token), "DELETE", &format!("/v1/sessions/{session}"), Body::empty()).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        for id in [&session, &below] {
            assert_eq!(web.get(&format!("/v1/sessions/{id}/ledger")).await.status, StatusCode::NOT_FOUND);
        }
        if let crate::databases::Place::Folder(folder) = &database.place {
            database.store.ready().await.unwrap();
            assert!(!crate::databases::holds(folder.path(), "canary-word"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn masked_addresses_are_sealed_and_resolve_only_in_their_session() {
    for database in Database::each().await {
        let name = database.name;
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({"seat": "person"})).await;
        let signed = "https://files.s3.amazonaws.com/canary-file?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20261201%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20261201T000000Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        let [call, _] = searched("s", "");
        web.append(&session, 0, &[call]).await;
        let masked = web
            .post(
                &format!("/v1/sessions/{session}/mask"),
                json!({"call": "s", "text": format!("File: {signed} and {signed}")}),
            )
            .await
            .body;
        let reference = masked["references"][0].as_str().unwrap().to_owned();
        assert_eq!(masked["text"], format!("File: {reference} and {reference}"), "{name}");
        web.append(&session, 1, &[json!({"position": "tool_result", "id": "s", "text": masked["text"]})]).await;
        let open = web.check(&session, 2, &reference).await;
        assert_eq!(
            (&open["verdict"], &open["urls"][0]["send"], &open["urls"][0]["step"]),
            (&json!("open"), &json!(null), &json!("reference")),
            "{name}: {open}"
        );
        let other = web.session(json!({"seat": "person"})).await;
        assert_eq!(web.check(&other, 0, &reference).await["reason"], "reference_unknown", "{name}");
        let again = Web::over(Arc::clone(&database.store)).await;
        assert_eq!(again.check(&session, 2, &reference).await["verdict"], "open", "{name}: after a restart");
        // A script that repeats what a person gave is not the world's word.
        let person = web.session(json!({"seat": "person"})).await;
        let run = json!({"position": "tool_call", "id": "b", "tool": "Bash", "arguments": {"command": "cat list"}});
        web.append(&person, 0, &[user(&format!("Look at {signed}")), run]).await;
        let dead = web.post(&format!("/v1/sessions/{person}/mask"), json!({"call": "b", "text": signed})).await.body;
        assert_eq!((&dead["dead"], &dead["references"]), (&json!(1), &json!([])), "{name}");
        for event in database.store.events(&session, 0, 100).await.unwrap() {
            assert!(!event.body.contains("canary-file"), "{name}: it stands in the database in clear");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sources_of_an_answer_have_this_tenants_shortcuts_and_titles() {
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({})).await;
    let shortcut =
        json!({"name": "order", "template": "https://erp.example/orders/{order_no}", "description": "An order"});
    assert_eq!(web.post("/v1/shortcuts", shortcut).await.status, StatusCode::CREATED);
    let bad = json!({"name": "bad", "template": "https://{host}.example/", "description": "x"});
    assert_eq!(web.post("/v1/shortcuts", bad).await.status, StatusCode::BAD_REQUEST);
    let hit = json!({"results": [{"title": "Olive care", "url": "https://trees.example/olive"}]});
    let items = [
        user("How?"),
        json!({"position": "tool_call", "id": "s", "tool": "web_search", "arguments": {"query": "olive"}}),
        json!({"position": "tool_result", "id": "s", "json": hit}),
    ];
    web.append(&session, 0, &items).await;
    let markdown =
        "See <https://trees.example/olive> and [it](https://erp.example/orders/7), [no](javascript:alert(1)).";
    let body = json!({"markdown": markdown, "emit": "openai", "html": true, "reports": [{"name": "r", "markdown": "[left](https://left.example/out)"}]});
    let told = web.post(&format!("/v1/sessions/{session}/sources"), body).await.body;
    assert_eq!(told["record"]["items"][0]["title"], "Olive care");
    assert_eq!(told["record"]["items"][1]["shortcut"], "order");
    assert_eq!(told["record"]["not_carried_over"], 1);
    assert!(!told["html"].as_str().unwrap().contains("javascript:"));
    assert!(told["emitted"].to_string().contains("url_citation"));
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_listed_and_counted_without_an_address() {
    for database in Database::each().await {
        let web = Web::over(Arc::clone(&database.store)).await;
        let session = web.session(json!({})).await;
        web.append(&session, 0, &[model("https://evil.example/canary?d=canary")]).await;
        web.check(&session, 1, "https://evil.example/canary?d=canary").await;
        web.check(&session, 1, "https://never.example/canary").await;
        let mut told = Value::Null;
        for _ in 0..100 {
            told = web.get(&format!("/v1/refusals?session={session}")).await.body;
            if told["refusals"].as_array().is_some_and(|lines| lines.len() == 2) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!(told["refusals"].as_array().unwrap().len(), 2, "{}: {told}", database.name);
        let reasons: BTreeSet<&str> =
            told["by_reason"].as_array().unwrap().iter().map(|count| count["of"].as_str().unwrap()).collect();
        assert!(reasons.contains("model_wrote_first") && reasons.contains("never_written"), "{told}");
        assert!(!told.to_string().contains("canary"), "{told}");
        let metrics = web.get("/metrics").await.body;
        let metrics = metrics.as_str().unwrap();
        assert!(metrics.contains(r#"verdict="refuse",reason="model_wrote_first",surface="check""#), "{metrics}");
        assert!(!metrics.contains("canary") && !metrics.contains("evil.example"), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_callers_of_one_session_make_one_order() {
    let web = Arc::new(Web::alone(Limits::default()).await);
    let session = web.session(json!({})).await;
    let mut callers = Vec::new();
    for caller in 0..200 {
        let (web, session) = (Arc::clone(&web), session.clone());
        callers.push(tokio::spawn(async move {
            let mut expected = 0;
            loop {
                let items =
                    json!([{"id": format!("c{caller}"), "item": model(&format!("https://a{caller}.example/"))}]);
                let body = json!({"expected": expected, "format": "firsthand", "items": items});
                let answer = web.post(&format!("/v1/sessions/{session}/items"), body).await;
                match answer.status {
                    StatusCode::OK => return answer.body["length"].as_u64().unwrap(),
                    StatusCode::CONFLICT => expected = answer.body["length"].as_u64().unwrap(),
                    other => panic!("{other}: {}", answer.body),
                }
                tokio::task::yield_now().await;
            }
        }));
    }
    let mut lengths = BTreeSet::new();
    for caller in callers {
        lengths.insert(caller.await.unwrap());
    }
    assert_eq!(lengths, (1..=200).collect(), "each was told another length");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_is_taken_is_refused() {
    let limits = Limits { items: 3, sessions: 2, entries: 2, tree: 2_000, ..Limits::default() };
    let web = Web::alone(limits).await;
    let session = web.session(json!({})).await;
    assert_eq!(
        web.append(&session, 0, &[model("1"), model("2"), model("3")]).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );
    assert_eq!(web.append(&session, 0, &[model("1"), model("2")]).await.status, StatusCode::OK);
    assert_eq!(web.append(&session, 2, &[model("3"), model("4")]).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(web.append(&session, 2, &[model(&"x".repeat(3_000))]).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(web.append(&session, 2, &[model("3")]).await.status, StatusCode::OK, "what fits goes on");
    web.session(json!({})).await;
    let third = web.post("/v1/sessions", json!({"networking": {"type": "unrestricted"}})).await;
    assert_eq!(third.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_asks_too_often_has_to_wait_and_another_has_not() {
    let limits = Limits { rate: std::num::NonZeroU32::new(5), ..Limits::default() };
    let web = Web::alone(limits).await;
    let mut statuses = BTreeSet::new();
    for _ in 0..20 {
        statuses.insert(web.get("/v1/shortcuts").await.status.as_u16());
    }
    assert_eq!(statuses, BTreeSet::from([200, 429]));
    let other = web.token("t", &[Scope::Loop]).await;
    assert_eq!(web.send(Some(&other), "GET", "/v1/shortcuts", Body::empty()).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_the_one_of_the_documents_and_answers_are_as_it_says() {
    let written = firsthand_server::api::openapi().to_pretty_json().unwrap() + "\n";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    if std::env::var_os("FIRSTHAND_WRITE_OPENAPI").is_some() {
        std::fs::write(file, &written).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap();
    assert!(kept == written, "docs/openapi.json differs; write it anew with FIRSTHAND_WRITE_OPENAPI=1");
    let document: Value = serde_json::from_str(&written).unwrap();
    let schema = |name: &str| {
        let mut schema = document["components"]["schemas"][name].clone();
        schema["components"] = document["components"].clone();
        jsonschema::validator_for(&schema).unwrap()
    };
    let web = Web::alone(Limits::default()).await;
    let session = web.session(json!({"seat": "person"})).await;
    web.append(&session, 0, &[user("Read https://a.example/x")]).await;
    let fits = |name: &str, body: &Value| {
        let problems: Vec<String> = schema(name).iter_errors(body).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}: {body}");
    };
    fits("CheckTold", &web.check(&session, 1, "https://a.example/x").await);
    fits("CheckTold", &web.check(&session, 1, "https://b.example/x").await);
    fits("Ledger", &web.get(&format!("/v1/sessions/{session}/ledger")).await.body);
    fits("Sessions", &web.get("/v1/sessions").await.body);
    fits("Refusals", &web.get("/v1/refusals").await.body);
    let mask = format!("/v1/sessions/{session}/mask");
    fits("Masked", &web.post(&mask, json!({"tool": "t", "text": "x"})).await.body);
    fits("Masked", &web.post(&mask, json!({"tool": "t", "json": [1]})).await.body);
    fits("Problem", &web.get("/v1/sessions/none/ledger").await.body);
    let sources =
        web.post(&format!("/v1/sessions/{session}/sources"), json!({"markdown": "<https://a.example/x>"})).await.body;
    fits("Sources", &sources);
    let explained =
        web.post(&format!("/v1/sessions/{session}/explain"), json!({"url": "https://a.example/x"})).await.body;
    assert_eq!(explained["sightings"][0]["effect"], "source");
    fits("Explained", &explained);
}
