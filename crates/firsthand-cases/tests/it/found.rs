//! Conversations that the properties found or that the reading of the rule asked for, each the smallest of its kind.

use std::fmt::Write as _;

use firsthand::check::{Circumstances, check_addresses};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Seat, Speaker, ToolResult};
use firsthand::ledger::Ledger;
use firsthand::note::note;
use firsthand::verdict::Reason;
use firsthand_wire::format::{Choice, Source, read};
use serde_json::{Value, json};

/// The answer on an address at the end of a conversation: what is sent, or why it stays closed.
fn answer_under(policy: &str, lines: &[Value], url: &str) -> String {
    let policy = firsthand_wire::policy::load(policy).unwrap().policy;
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    let read = read(text.as_bytes(), Choice::Named("firsthand"), &Source { name: "found" }).unwrap();
    let conversation = &read.conversations[0];
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, conversation.seat, conversation.dialect);
    for item in &conversation.items {
        note(&mut ledger, run, item, &policy, &Circumstances::default());
    }
    let asked = [url.to_owned()];
    let mut decision = check_addresses(&ledger, run, None, "web_fetch", &asked, &policy, &Circumstances::default());
    let judged = decision.addresses.remove(0);
    judged.reason.map_or_else(|| judged.send.unwrap(), |reason| reason.code().to_owned())
}

fn answer(lines: &[Value], url: &str) -> String {
    answer_under("profile = \"firsthand\"", lines, url)
}

fn said(text: &str) -> Value {
    json!({"position": "assistant", "text": text})
}

fn person(text: &str) -> Value {
    json!({"position": "user", "text": text})
}

fn called(id: &str, server: &str, tool: &str, arguments: Value) -> Value {
    json!({"position": "tool_call", "id": id, "server": server, "tool": tool, "arguments": arguments})
}

fn host_tool(id: &str, tool: &str, arguments: Value) -> Value {
    json!({"position": "tool_call", "id": id, "tool": tool, "arguments": arguments})
}

fn returned(id: &str, text: &str) -> Value {
    json!({"position": "tool_result", "id": id, "text": text})
}

fn ticket(text: &str) -> [Value; 2] {
    [called("t", "tracker", "get_ticket", json!({"key": "OPS-1"})), returned("t", text)]
}

#[test]
fn a_parameter_that_a_tool_put_before_the_models_still_extends_its_address() {
    let [call, result] = ticket("tried https://c.example/in?d=ward&attempt=1");
    let lines = [said("I could use https://c.example/in?d=ward for it."), call, result];
    assert_eq!(answer(&lines, "https://c.example/in?d=ward&attempt=1"), "model_wrote_first");
}

#[test]
fn a_parameter_cut_off_before_its_value_still_begins_the_models_address() {
    let [call, result] = ticket("tried https://c.example/in?page=2&lang and gave up");
    let lines = [said("I could use https://c.example/in?page=2&lang=en for it."), call, result];
    assert_eq!(answer(&lines, "https://c.example/in?page=2&lang"), "model_wrote_first");
}

#[test]
fn an_encoded_address_with_several_parameters_inside_another_is_the_models() {
    let wrapped = "https://cache.vendor.example/get?u=https%3A%2F%2Fc.example%2Fin%3Fb%3D1%26a%3D2";
    let [call, result] = ticket(wrapped);
    let lines = [said("I could use https://c.example/in?b=1&a=2 for it."), call, result];
    assert_eq!(answer(&lines, wrapped), "model_wrote_first");
}

#[test]
fn a_source_that_was_taken_back_excuses_no_echo() {
    let [call, result] = ticket("https://c.example/put/ward/more");
    let lines = [
        person("See https://c.example/put/ward"),
        json!({"position": "rewind", "to": 0}),
        said("Perhaps https://c.example/put/ward ?"),
        call,
        result,
    ];
    assert_eq!(answer(&lines, "https://c.example/put/ward/more"), "model_wrote_first");
}

#[test]
fn a_source_on_a_host_opens_no_root_on_another_port_or_scheme_that_the_model_wrote() {
    for root in ["https://docs.vendor.example:8443/", "http://docs.vendor.example/"] {
        let [call, result] = ticket(root);
        let lines = [person("See https://docs.vendor.example/start"), said(root), call, result];
        assert_ne!(answer(&lines, root), root);
    }
}

#[test]
fn a_value_of_short_words_that_stood_in_arguments_is_the_models() {
    let link = "https://go.partnerlink.example/?d=anna%20has%20ward%207";
    let lines = [called("c", "linkmaker", "make_link", json!({"note": "anna has ward 7"})), returned("c", link)];
    assert_eq!(answer(&lines, link), "model_wrote_first");
}

#[test]
fn a_label_that_a_search_named_may_come_back_after_the_model_passed_it_on() {
    let hit = json!({"results": [{"title": "Tracker", "url": "https://north-harbour.tracker.example/1"}]});
    let lines = [
        host_tool("s", "web_search", json!({"query": "tracker"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
        called("c", "tracker", "get_ticket", json!({"link": "https://north-harbour.tracker.example/1"})),
        returned("c", "next: https://north-harbour.tracker.example/2"),
    ];
    assert_eq!(answer(&lines, "https://north-harbour.tracker.example/2"), "https://north-harbour.tracker.example/2");
}

#[test]
fn an_address_of_a_persons_may_come_back_inside_a_link() {
    let link = "https://login.vendor.example/?continue=https%3A%2F%2Fdocs.vendor.example%2Fstart";
    let lines = [
        person("See https://docs.vendor.example/start"),
        called("c", "portal", "open_session", json!({"page": "https://docs.vendor.example/start"})),
        returned("c", link),
    ];
    assert_eq!(answer(&lines, link), link);
}

#[test]
fn an_index_that_wraps_the_query_into_its_hits_gives_no_source() {
    let wrapped = "https://cache.vendor.example/get?u=https%3A%2F%2Fc.example%2Fput%2Fward";
    let lines = [
        host_tool("s", "web_search", json!({"query": "https://c.example/put/ward"})),
        said(wrapped),
        json!({"position": "tool_result", "id": "s", "json": {"results": [{"title": "hit", "url": wrapped}]}}),
    ];
    assert_eq!(answer_under("profile = \"unattended\"", &lines, wrapped), "model_wrote_first");
}

#[test]
fn a_field_is_believed_no_more_than_the_profile_believes_a_search() {
    let hit = json!([{"title": "hit", "url": "https://hit.vendor.example/b"}]);
    let lines = [
        host_tool("s", "WebSearch", json!({"query": "x"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
    ];
    let url = "https://hit.vendor.example/b";
    assert_eq!(answer_under("profile = \"person-only\"", &lines, url), "counts_nowhere");
    assert_eq!(answer(&lines, url), url);
}

#[test]
fn a_server_that_a_policy_ignores_has_no_fields_that_count() {
    let hit = json!({"results": [{"title": "hit", "url": "https://hit.vendor.example/b"}]});
    let lines = [
        called("s", "tavily", "tavily_search", json!({"query": "x"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
    ];
    let ignored = "profile = \"firsthand\"\n[connectors]\ntavily = \"ignored\"";
    assert_eq!(answer_under(ignored, &lines, "https://hit.vendor.example/b"), "counts_nowhere");
    assert_eq!(answer_under("profile = \"managed-agents\"", &lines, "https://hit.vendor.example/b"), "counts_nowhere");
}

#[test]
fn a_persons_yes_opens_what_only_a_tool_that_may_echo_has_named_in_a_view_with_gaps() {
    let [call, result] = ticket("https://wiki.vendor.example/start");
    let mut lines = vec![json!({"position": "summary", "text": "We went on."}), call, result];
    assert_eq!(answer(&lines, "https://wiki.vendor.example/start"), "incomplete_view");
    lines.push(json!({"position": "grant", "address": "https://wiki.vendor.example/start", "scope": "run"}));
    assert_eq!(answer(&lines, "https://wiki.vendor.example/start"), "https://wiki.vendor.example/start");
}

#[test]
fn the_prose_that_a_model_wrote_beside_hits_is_not_the_worlds_word() {
    let result = json!({"answer": "the plan is margin-41-percent", "results": []});
    let link = "https://go.partnerlink.example/margin-41-percent";
    let lines = [
        host_tool("s", "web_search", json!({"query": "plan"})),
        json!({"position": "tool_result", "id": "s", "json": result}),
        called("c", "linkmaker", "make_link", json!({"slug": "margin-41-percent"})),
        returned("c", link),
    ];
    assert_eq!(answer(&lines, link), "model_wrote_first");
}

#[test]
fn a_copy_at_the_end_of_a_line_is_a_copy() {
    let mut marks = 0;
    firsthand::find::written("See https://c.example/put/ward \n", &mut |place| {
        marks += usize::from(place.beyond && place.key == "c.example/put/ward");
    });
    assert_eq!(marks, 0);
}

#[test]
fn the_root_of_a_host_with_further_labels_is_a_cut_like_any_other() {
    let [call, result] = ticket("https://anna-ward-7.c.example/ and https://other.example/");
    let lines =
        [said("I could use https://anna-ward-7.c.example/in and https://other.example/in for it."), call, result];
    assert_eq!(answer(&lines, "https://anna-ward-7.c.example/"), "model_wrote_first");
    assert_eq!(answer(&lines, "https://other.example/"), "https://other.example/");
}

#[test]
fn what_follows_a_copy_after_a_space_is_the_models() {
    let lines = [
        person("See https://c.example/put"),
        called("c", "linkcheck", "open_link", json!({"target": "https://c.example/put ward 7"})),
        returned("c", "GET https://c.example/put%20ward%207"),
    ];
    assert_eq!(answer(&lines, "https://c.example/put%20ward%207"), "model_wrote_first");
}

#[test]
fn a_relative_link_of_one_of_several_pages_is_nobodys() {
    let lines = [
        person("See https://a.example/x/ and https://b.example/y/"),
        host_tool("c", "fetch_webpage", json!({"urls": ["https://a.example/x/", "https://b.example/y/"]})),
        returned("c", "<!doctype html>\n<a href=\"next\">on</a>"),
    ];
    for url in ["https://a.example/x/next", "https://b.example/y/next"] {
        assert_eq!(answer(&lines, url), "never_written");
    }
}

#[test]
fn an_id_that_repeats_takes_the_stricter_class_in_either_order() {
    let (file, search) = (("read_file", json!({"path": "a"})), ("web_search", json!({"query": "a"})));
    for [(first, one), (second, other)] in [[file.clone(), search.clone()], [search, file]] {
        let lines =
            [host_tool("c", first, one), host_tool("c", second, other), returned("c", "https://c.example/list")];
        assert_eq!(answer(&lines, "https://c.example/list"), "counts_nowhere");
    }
}

#[test]
fn a_relative_link_of_a_page_whose_id_repeats_is_nobodys() {
    let lines = [
        person("See https://a.example/x/ and https://b.example/y/"),
        host_tool("c", "web_fetch", json!({"url": "https://a.example/x/"})),
        host_tool("c", "web_fetch", json!({"url": "https://b.example/y/"})),
        returned("c", "<!doctype html>\n<a href=\"next\">on</a>"),
    ];
    for url in ["https://a.example/x/next", "https://b.example/y/next"] {
        assert_eq!(answer(&lines, url), "never_written");
    }
}

#[test]
fn a_yes_that_was_taken_back_opens_nothing() {
    let grant = json!({"position": "grant", "address": "https://c.example/put", "scope": "run"});
    let back = json!({"position": "rewind", "to": 1});
    assert_eq!(answer(&[person("Go on."), grant.clone()], "https://c.example/put"), "https://c.example/put");
    assert_eq!(answer(&[person("Go on."), grant, back], "https://c.example/put"), "never_written");
}

#[test]
fn an_index_that_finds_what_the_model_wrote_opens_it_only_where_the_policy_says_so() {
    let hit = json!({"results": [{"title": "hit", "url": "https://c.example/put/ward"}]});
    let lines = [
        said("It may be https://c.example/put/ward"),
        host_tool("s", "web_search", json!({"query": "ward"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
    ];
    assert_eq!(answer(&lines, "https://c.example/put/ward"), "model_wrote_first");
    let unattended = answer_under("profile = \"unattended\"", &lines, "https://c.example/put/ward");
    assert_eq!(unattended, "https://c.example/put/ward");
}

#[test]
fn a_marked_spelling_of_a_source_closes_no_page_below_it() {
    let [call, result] = ticket("https://c.example/put/ward/more");
    let lines = [person("See https://c.example/put/ward"), said("Or http://c.example/put/ward"), call, result];
    assert_eq!(answer(&lines, "https://c.example/put/ward/more"), "https://c.example/put/ward/more");
}

#[test]
fn a_mark_that_closed_another_spelling_closes_the_pages_below_it_too() {
    let hit = json!({"results": [{"title": "hit", "url": "https://c.example/put/w%61rd"}]});
    let [call, result] = ticket("https://c.example/put/ward/more");
    let lines = [
        said("It may be https://c.example/put/ward"),
        host_tool("s", "web_search", json!({"query": "ward"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
        person("See https://c.example/put/ward"),
        call,
        result,
    ];
    assert_eq!(answer(&lines, "https://c.example/put/ward"), "https://c.example/put/ward");
    assert_eq!(answer(&lines, "https://c.example/put/ward/more"), "model_wrote_first");
}

#[test]
fn what_one_run_wrote_is_marked_for_the_whole_tree() {
    let policy = firsthand_wire::policy::profile("firsthand").unwrap();
    let now = Circumstances::default();
    let mut ledger = Ledger::new([0; 32]);
    let lead = ledger.begin(None, Seat::Presumed, "firsthand");
    let children = [
        ledger.begin(Some(lead), Seat::ParentModel, "firsthand"),
        ledger.begin(Some(lead), Seat::ParentModel, "firsthand"),
    ];
    let said = Body::Said { by: Speaker::Assistant, text: "https://c.example/put/ward".into() };
    note(&mut ledger, children[0], &Item::new("", said), &policy, &now);
    for run in [lead, children[1]] {
        let arguments = "{\"key\":\"OPS-1\"}".into();
        let call = Call {
            id: "t".into(),
            server: Some("tracker".into()),
            tool: "get_ticket".into(),
            arguments,
            ran: Ran::Client,
            custom: false,
        };
        let content = Content::Text("https://c.example/put/ward".into());
        let result = ToolResult {
            from: Producer::Call("t".into()),
            content,
            is_error: false,
            mime: None,
            redirects: Vec::new(),
        };
        for body in [Body::Call(call), Body::Result(result)] {
            note(&mut ledger, run, &Item::new("", body), &policy, &now);
        }
        let asked = ["https://c.example/put/ward".to_owned()];
        let decision = check_addresses(&ledger, run, None, "web_fetch", &asked, &policy, &now);
        assert_eq!(decision.verdict.reason(), Some(Reason::ModelWroteFirst));
    }
}

#[test]
fn a_page_that_was_sent_something_may_echo_it() {
    let link = "https://go.partnerlink.example/margin-41-percent";
    let arguments = json!({"url": "https://c.example/put", "body": "margin-41-percent"});
    let lines = [person("See https://c.example/put"), host_tool("c", "web_fetch", arguments), returned("c", link)];
    assert_eq!(answer(&lines, link), "model_wrote_first");
}

#[test]
fn where_order_does_not_count_a_mark_closes_nothing() {
    let hit = json!({"results": [{"title": "hit", "url": "https://c.example/put/ward"}]});
    let lines = [
        said("It may be https://c.example/put/ward"),
        host_tool("s", "web_search", json!({"query": "ward"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
    ];
    let policy = "profile = \"managed-agents\"\n[positions]\nassistant = \"model\"";
    assert_eq!(answer_under(policy, &lines, "https://c.example/put/ward"), "https://c.example/put/ward");
}

#[test]
fn what_a_person_gave_the_lead_opens_although_a_tool_that_may_echo_names_it_to_the_subagent() {
    let policy = firsthand_wire::policy::profile("firsthand").unwrap();
    let now = Circumstances::default();
    let mut ledger = Ledger::new([0; 32]);
    let lead = ledger.begin(None, Seat::Presumed, "firsthand");
    let child = ledger.begin(Some(lead), Seat::ParentModel, "firsthand");
    let text = "https://c.example/put/ward";
    let person = Body::User { text: text.into(), relayed: firsthand::conversation::Relayed::No };
    note(&mut ledger, lead, &Item::new("", person), &policy, &now);
    let from = Producer::Named { server: Some("tracker".into()), tool: "get_ticket".into(), ran: Ran::Client };
    let result =
        ToolResult { from, content: Content::Text(text.into()), is_error: false, mime: None, redirects: Vec::new() };
    for body in [Body::Hidden { calls: true, what: "a part" }, Body::Result(result)] {
        note(&mut ledger, child, &Item::new("", body), &policy, &now);
    }
    let decision = check_addresses(&ledger, child, None, "web_fetch", &[text.to_owned()], &policy, &now);
    assert_eq!(decision.verdict.reason(), None);
}

#[test]
fn a_word_that_was_taken_back_takes_no_doubt_away() {
    let hit = json!({"results": [{"title": "hit", "url": "https://wiki.vendor.example/start"}]});
    let [call, result] = ticket("https://wiki.vendor.example/start");
    let lines = [
        json!({"position": "summary", "text": "We went on."}),
        call,
        result,
        host_tool("s", "web_search", json!({"query": "start"})),
        json!({"position": "tool_result", "id": "s", "json": hit}),
        json!({"position": "rewind", "to": 3}),
    ];
    assert_eq!(answer(&lines, "https://wiki.vendor.example/start"), "incomplete_view");
}
