#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use firsthand::conversation::{Body, Content, Relayed, Scope, Seat};

use super::super::{Choice, Source, read as read_any};
use super::write;

const SOURCE: Source<'_> = Source { name: "runs/one.jsonl" };

#[track_caller]
fn reads(text: &str) -> firsthand::conversation::Conversation {
    read_any(text.as_bytes(), Choice::Auto, &SOURCE).unwrap().conversations.remove(0)
}

#[track_caller]
fn fails(text: &[u8], wanted: &str) {
    let error = read_any(text, Choice::Named("firsthand"), &SOURCE).unwrap_err();
    assert_eq!(error.to_string(), wanted);
}

const EVERY_LINE: &str = r#"{"conversation":"c7","seat":"person","parent":"c1"}
{"position":"user","item":"u1","turn":0,"text":"See https://a.example/"}
{"position":"user","author":"relay","text":"a mail"}
{"position":"user","relayed":[[0,2],[7,9]],"text":"ab — cd"}
{"position":"system","text":"be brief"}
{"position":"task","text":"look"}
{"position":"summary","text":"so far"}
{"position":"thinking","text":"hm \"so\"\n"}
{"position":"assistant","text":"ok"}
{"position":"attachment","name":"a.csv","text":"x,y"}
{"position":"attachment","text":"no name"}
{"position":"tool_call","id":"1","server":"crm","tool":"get","ran":"provider","custom":true,"arguments":{"id": 7.50, "b\u00e4":1}}
{"position":"tool_result","id":"1","json":{"n": 1.0e3},"is_error":true}
{"position":"tool_result","id":"1","json":null}
{"position":"tool_result","id":"1","text":"<p>","mime":"text/html"}
{"position":"answer","id":"1","text":"yes"}
{"position":"grant","address":"https://b.example/","scope":"once"}
{"position":"grant","address":"https://b.example/","scope":"run"}
{"position":"grant","address":"https://b.example/","scope":"until","until":1700000000}
{"position":"rewind","to":3}
"#;

#[test]
fn what_is_read_is_written_as_it_was() {
    assert_eq!(write(&reads(EVERY_LINE)).unwrap(), EVERY_LINE);
}

#[test]
fn a_header_is_optional_and_ids_then_come_from_the_file() {
    let conversation =
        reads("{\"position\":\"user\",\"text\":\"a\"}\r\n\r\n{\"position\":\"assistant\",\"text\":\"b\"}");
    assert_eq!((conversation.id.as_str(), conversation.seat), ("one", Seat::Presumed));
    let places: Vec<&str> = conversation.items.iter().map(|item| item.at.as_str()).collect();
    assert_eq!(places, ["line 1", "line 3"]);
}

#[test]
fn a_run_with_a_parent_has_no_person_unless_it_says_so() {
    assert_eq!(reads(r#"{"conversation":"a","parent":"b"}"#).seat, Seat::ParentModel);
    assert_eq!(reads(r#"{"conversation":"a","parent":"b","seat":"person"}"#).seat, Seat::Person);
}

#[test]
fn arguments_and_json_stay_as_they_are_written() {
    let items = reads(EVERY_LINE).items;
    let Body::Call(call) = &items[10].body else { panic!("no call") };
    assert_eq!(&*call.arguments, r#"{"id": 7.50, "b\u00e4":1}"#);
    let Body::Result(result) = &items[11].body else { panic!("no result") };
    assert!(matches!(&result.content, Content::Json(json) if &**json == r#"{"n": 1.0e3}"#));
}

#[test]
fn relayed_spans_are_sorted_and_joined() {
    let conversation = reads(r#"{"position":"user","text":"abcdef","relayed":[[4,6],[0,2],[1,3],[3,3]]}"#);
    let Body::User { relayed, .. } = &conversation.items[0].body else { panic!("no message") };
    assert_eq!(*relayed, Relayed::Spans(vec![0..3, 4..6]));
}

#[test]
fn a_grant_may_say_its_time_as_a_date() {
    let line =
        r#"{"position":"grant","address":"https://a.example/","scope":"until","until":"2023-11-14T23:13:20+01:00"}"#;
    let Body::Grant { scope, .. } = &reads(line).items[0].body else { panic!("no grant") };
    assert_eq!(*scope, Scope::Until(1_700_000_000));
}

#[test]
fn a_wrong_line_is_named_with_what_stands_there_and_what_should() {
    fails(
        br#"{"position":"user","text":"a","txt":"b"}"#,
        "line 1 column 35: found the unknown key `txt`; expected one of `position`, `text`, `json`, `id`, `tool`, `server`, \
         `arguments`, `ran`, `custom`, `is_error`, `mime`, `redirects`, `author`, `relayed`, `name`, `address`, `scope`, `until`, `to`, \
         `item`, `turn`, `conversation`, `seat`, `parent`",
    );
    fails(
        b"{\"position\":\"user\",\"text\":\"a\"}\n\n{\"position\":\"assistent\",\"text\":\"a\"}",
        "line 3: found the `position` `assistent`; expected `user`, `assistant`, `thinking`, `system`, `task`, `summary`, \
         `attachment`, `tool_call`, `tool_result`, `answer`, `grant` or `rewind`",
    );
    fails(br#"{"text":"a"}"#, "line 1: found an item without the key `position`; expected the key `position`");
    fails(
        br#"{"position":"user","json":1,"text":"a"}"#,
        "line 1: found the key `json` in a user message; expected only the keys that it has",
    );
    fails(
        br#"{"position":"user","text":"a","text":"b"}"#,
        "line 1 column 36: found the key `text` twice; expected the key `text` once",
    );
    fails(br#"{"position":"tool_result","id":"1"}"#, "line 1: found neither `text` nor `json`; expected one of them");
    fails(
        br#"{"position":"tool_call","id":"1","tool":"t","arguments":"{}"}"#,
        "line 1: found `arguments` that is no object; expected an object",
    );
    fails(
        br#"{"position":"rewind","to":1}"#,
        "line 1: found `to` 1 where 0 items stand before it; expected the index of an item before this line, from 0",
    );
    fails(
        "{\"position\":\"user\",\"text\":\"aé\",\"relayed\":[[0,2]]}".as_bytes(),
        "line 1: found `relayed` span 0 from 0 to 2 in a text of 3 bytes; expected byte offsets within the text, start first, between characters",
    );
    fails(b"[1]", "line 1: found no JSON object; expected a JSON object");
    fails(
        br#"{"position":"grant","address":"https://a.example/","scope":"forever"}"#,
        "line 1: found the `scope` `forever`; expected `once`, `run` or `until`",
    );
    fails(
        b"{\"position\":\"user\",\"text\":\"a\"}\n{\"conversation\":\"late\"}",
        "line 2: found an item without the key `position`; expected the key `position`",
    );
}

#[test]
fn broken_bytes_are_named_with_their_line() {
    fails(
        b"\xef\xbb\xbf{\"position\":\"user\",\"text\":\"a\"}\n{\"position\":\"user\",\"text\":\"\xff\"}",
        "line 2: byte 61 of the file is not UTF-8; expected UTF-8 text",
    );
    fails(
        b"{\"position\":\"user\",\"text\":\"a\"}\n{\"position\":\"us",
        "line 2 column 15: broken JSON: it ends before its end (cut off?)",
    );
    fails(b" \n", "the file is empty; expected a conversation");
}

#[test]
fn no_message_repeats_an_address() {
    for line in [
        r#"{"position":"https://a.example/x"}"#,
        r#"{"position":"user","text":{"https://a.example/x":1}}"#,
        r#"{"https://a.example/x":1}"#,
        r#"{"a.example":1}"#,
        r#"{"position":"grant","address":"https://a.example/x","scope":"a.example"}"#,
        r#"{"position":"user","text":"https://a.example/x","turn":"a.example"}"#,
    ] {
        let error = read_any(line.as_bytes(), Choice::Named("firsthand"), &SOURCE).unwrap_err();
        assert!(!error.to_string().contains("a.example"), "{error}");
    }
}

#[test]
fn a_server_without_a_name_is_an_error() {
    for server in ["", " "] {
        let line =
            format!(r#"{{"position":"tool_call","id":"1","server":"{server}","tool":"read_file","arguments":{{}}}}"#);
        fails(
            format!("{{\"position\":\"user\",\"text\":\"a\"}}\n{line}").as_bytes(),
            "line 2: found a `server` without a name; expected the name of a server, or no such key",
        );
    }
}
