//! The notation reads what is right and says what is wrong.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use super::*;
use crate::ask::{Expected, What};
use crate::line::plain;

const WHOLE: &str = r#"# A file

What it shows.

## A case

Because it is so,
in two lines.

```policy
[networking]
type = "unrestricted"
```

```talk
seat person
user      See <<this: https://relayed.example/a>> and that.
call 1    (provider) web_search olive trees
result 1  (error) nothing
  at all
call 2    notes/get {"a":
  1}
result 2  {"url": "https:\/\/a.example\/"}
result 3  (text) {"a": 1}
grant run https://g.example/
rewind 2
```

```parent
task a\u{200b}b
```

```ask
https://a.example/  open as https://a.example/ by loose from world says hole
```

```ask person-only
notes/get https://a.example/ b.example/x  refuse never_written or counts_nowhere offering https://c.example/ unrewritten
call Bash {"command": "curl https://a.example/"}  refuse never_written advisory
call web_search {"query": "x"}  nothing
ref-0123456789abcde  ask
```
"#;

#[test]
fn a_whole_case_is_read() {
    let cases = read(WHOLE).unwrap();
    let case = &cases[0];
    assert_eq!((cases.len(), case.heading.as_str(), case.line), (1, "A case", 5));
    assert_eq!(case.reason, "Because it is so, in two lines.");
    assert_eq!(case.policy, "[networking]\ntype = \"unrestricted\"");
    let lines: Vec<&str> = case.talk.lines().collect();
    assert_eq!(
        lines,
        [
            r#"{"conversation":"case","seat":"person"}"#,
            r#"{"position":"user","text":"See this: https://relayed.example/a and that.","relayed":[[4, 35]]}"#,
            r#"{"position":"tool_call","id":"1","tool":"web_search","ran":"provider","arguments":{"query":"olive trees"}}"#,
            r#"{"position":"tool_result","id":"1","is_error":true,"text":"nothing\nat all"}"#,
            r#"{"position":"tool_call","id":"2","tool":"get","server":"notes","arguments":{"a": 1}}"#,
            r#"{"position":"tool_result","id":"2","json":{"url": "https:\/\/a.example\/"}}"#,
            r#"{"position":"tool_result","id":"3","text":"{\"a\": 1}"}"#,
            r#"{"position":"grant","address":"https://g.example/","scope":"run"}"#,
            r#"{"position":"rewind","to":2}"#,
        ]
    );
    assert_eq!(case.parents, ["{\"position\":\"task\",\"text\":\"a\u{200b}b\"}\n"]);
}

#[test]
fn asks_are_read_with_their_profiles() {
    let case = read(WHOLE).unwrap().remove(0);
    let profiles: Vec<&str> = case.asks.iter().map(|ask| ask.profile.as_str()).collect();
    assert_eq!(profiles, ["firsthand", "person-only", "person-only", "person-only", "person-only"]);
    let send = Some(vec!["https://a.example/".to_owned()]);
    let first =
        Expected::Open { send, step: Some("loose".into()), from: Some("world".into()), says: Some("hole".into()) };
    assert_eq!(case.asks[0].expected, first);
    let second = &case.asks[1];
    assert_eq!((second.server.as_deref(), second.tool.as_str(), second.rewrites), (Some("notes"), "get", false));
    assert_eq!(second.what, What::Addresses(vec!["https://a.example/".into(), "b.example/x".into()]));
    let reasons = vec!["never_written".to_owned(), "counts_nowhere".to_owned()];
    assert_eq!(second.expected, Expected::Refuse { reasons, offering: Some("https://c.example/".into()) });
    assert_eq!(case.asks[2].advisory, Some(true));
    assert_eq!(case.asks[3].expected, Expected::Nothing);
    assert_eq!(case.asks[4].what, What::Addresses(vec!["ref-0123456789abcde".into()]));
}

#[track_caller]
fn complains(text: &str, line: usize, problem: &str) {
    let error = read(text).unwrap_err();
    assert_eq!(error.line, line, "{}", error.problem);
    assert!(error.problem.contains(problem), "{}", error.problem);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    complains("## A\n\nWhy.\n\n```talk\nuser x\n```\n", 1, "without an `ask` block");
    complains("## A\n\n```talk\nuser x\n```\n\n```ask\nhttps://a.example/ open\n```\n", 1, "sentence of reason");
    complains("## A\n\nWhy.\n\n```talk\nuser x\n", 5, "never ends");
    complains("## A\n\nWhy.\n\n```talk\nusre x\n```\n", 6, "`usre`");
    complains("## A\n\nWhy.\n\n```talks\nuser x\n```\n", 5, "a block `talks`");
    complains("## A\n\nWhy.\n\n```policy\nprofile = \"x\"\n```\n", 5, "profile");
    complains("## A\n\nWhy.\n\n```ask\nhttps://a.example/ opens\n```\n", 6, "`open`, `refuse` or `ask`");
    complains("## A\n\nWhy.\n\n```ask\nhttps://a.example/ open as x or y with z as w\n```\n", 6, "each once");
    complains("## A\n\nWhy.\n\n```ask\nhttps://a.example/ refuse Never\n```\n", 6, "where a reason");
    complains("## A\n\nWhy.\n\n```ask\ncall x https://a.example/ open\n```\n", 6, "JSON object");
    complains("## A\n\nWhy.\n\n```talk\nuser <<x\n```\n", 6, "`>>`");
    complains("## A\n\nWhy.\n\n```talk\ncall 1 x {\"a\"\n```\n", 6, "are none");
    complains("```talk\nuser x\n```\n", 1, "before the first case");
}

#[test]
fn what_cannot_be_seen_is_written_by_its_number() {
    assert_eq!(plain(r"a\u{200b}\u{61*3}\u0026", 1).unwrap(), "a\u{200b}aaa\\u0026");
    assert!(plain(r"\u{zz}", 1).is_err() && plain(r"\u{61", 1).is_err());
}
