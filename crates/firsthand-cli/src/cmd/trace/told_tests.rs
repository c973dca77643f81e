use super::*;
use crate::engine::{Read, ToolSeen};
use firsthand_wire::answer::First;

fn call(item: usize, verdict: Verdict, url: &str, first: Option<(&str, &str, usize)>) -> TraceLine {
    let reason = match first {
        _ if verdict == Verdict::Open => None,
        Some(_) => Some("model_wrote_first".to_owned()),
        None => Some("never_written".to_owned()),
    };
    let first = first.map(|(writer, position, item)| First {
        writer: writer.to_owned(),
        position: position.to_owned(),
        item,
        at: format!("line {item}"),
        tool: None,
        from: "own".to_owned(),
    });
    TraceLine {
        kind: "open",
        file: "run.jsonl".to_owned(),
        conversation: "c1".to_owned(),
        run: "c1".to_owned(),
        item,
        at: format!("line {}", item + 1),
        call: None,
        server: None,
        tool: "web_fetch".to_owned(),
        dialect: "firsthand".to_owned(),
        verdict,
        reason: reason.clone(),
        advisory: false,
        incomplete_view: false,
        earlier_unread: false,
        bits: (verdict == Verdict::Open).then_some(3.25),
        urls: vec![UrlVerdict { url: url.to_owned(), verdict, reason, send: None, step: None, first }],
    }
}

fn plain_text(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn a_conversation_is_a_table_and_the_summary_says_what_stayed_closed_and_why() {
    let calls = [
        call(3, Verdict::Open, "https://docs.example/guide?page=2", Some(("person", "user", 0))),
        call(9, Verdict::Refuse, "https://attacker.example/?d=secret", Some(("model", "assistant", 7))),
        call(11, Verdict::Refuse, "https://nobody.example/", None),
    ];
    let (mut tables, mut tally) = (Tables::default(), Tally::default());
    for line in &calls {
        tally.call(line);
        tables.call(line);
    }
    tally.file(&Read { file: "run.jsonl".to_owned(), format: "firsthand".to_owned(), conversations: 1, cut_off: None });
    tally.tools([ToolSeen { server: None, tool: "web_fetch".to_owned(), class: "world".to_owned() }]);
    let text = tables.render(None) + &summary(&tally, Look::default());
    let wanted = "\
run.jsonl  firsthand, conversation c1
  item  tool       verdict  bits  reason             first written by  address
     3  web_fetch  open      3.2                     person, item 0    https://docs.example/guide?…
     9  web_fetch  refuse         model_wrote_first  model, item 7     https://attacker.example/?…
    11  web_fetch  refuse         never_written      nobody            https://nobody.example/

3 calls for addresses: 1 open, 2 refused, in 1 conversation of 1 file.
By choosing what opens, it told at most 3.2 bits.

Not opened
  refuse  web_fetch in run.jsonl line 10, item 9: model_wrote_first
          https://attacker.example/?…: first written by the model (assistant, item 7)
  refuse  web_fetch in run.jsonl line 12, item 11: never_written
          https://nobody.example/: written by nobody else

Why they stayed closed
  calls  reason             because
      1  model_wrote_first  the model wrote it before anybody else did
      1  never_written      nobody but this call wrote it

Whose words the results of each tool are
  tool       results
  web_fetch  world
`firsthand policy --suggest FILE` writes a policy to correct them
";
    assert_eq!(plain_text(&text), wanted);
}

#[test]
fn the_keys_of_a_line_stand_in_the_documented_order() {
    let line = call(3, Verdict::Ask, "https://a.example/", Some(("world", "tool_result", 2)));
    let json = String::from_utf8(crate::out::json_line(&line).unwrap_or_default()).unwrap_or_default();
    let wanted = concat!(
        r#"{"type":"open","file":"run.jsonl","conversation":"c1","run":"c1","item":3,"at":"line 4","call":null,"#,
        r#""server":null,"tool":"web_fetch","dialect":"firsthand","verdict":"ask","reason":"model_wrote_first","#,
        r#""advisory":false,"incomplete_view":false,"earlier_unread":false,"bits":null,"urls":[{"#,
        r#""url":"https://a.example/","verdict":"ask","reason":"model_wrote_first","send":null,"step":null,"#,
        r#""first":{"writer":"world","position":"tool_result","item":2,"at":"line 2","tool":null,"from":"own"}}]}"#,
        "\n"
    );
    assert_eq!(json, wanted);
}

#[test]
fn no_address_of_a_call_that_stays_closed_is_told_to_be_open() {
    let address = "https://a.example/";
    let open = || call(3, Verdict::Open, address, Some(("person", "user", 0)));
    let reason = |reason: &str| Some(reason.to_owned());
    let mut tables = Tables::default();
    tables.call(&TraceLine { verdict: Verdict::Refuse, reason: reason("carries_payload"), ..open() });
    tables.call(&TraceLine { verdict: Verdict::Ask, reason: reason("permission_ask"), ..open() });
    let unseen = call(5, Verdict::Refuse, address, None);
    tables.call(&TraceLine { verdict: Verdict::Unobservable, ..unseen });
    let listed = TraceLine { reason: reason("host_not_allowed"), ..call(7, Verdict::Refuse, address, None) };
    let urls = listed.urls.iter().map(|url| UrlVerdict { reason: reason("host_not_allowed"), ..url.clone() }).collect();
    tables.call(&TraceLine { urls, ..listed });
    let text = plain_text(&tables.render(None));
    let rows: Vec<Vec<&str>> =
        text.lines().skip(2).filter(|row| !row.is_empty()).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            vec!["3", "web_fetch", "refuse", "3.2", "carries_payload", "person,", "item", "0", address],
            vec!["3", "web_fetch", "ask", "3.2", "permission_ask", "person,", "item", "0", address],
            vec!["5", "web_fetch", "unobservable", "never_written", "nobody", address],
            vec!["7", "web_fetch", "refuse", "host_not_allowed", address],
        ]
    );
}

#[test]
fn counts_of_parts_add_up() {
    let (mut whole, mut part) = (Tally::of_walk(2, 1), Tally::default());
    part.call(&call(1, Verdict::Refuse, "https://a.example/", None));
    part.call(&TraceLine { advisory: true, ..call(2, Verdict::Refuse, "https://a.example/", None) });
    part.unread();
    part.skipped();
    whole.add(part);
    let summary = whole.summary();
    assert_eq!((summary.files, summary.skipped, summary.unread), (5, 3, 2));
    assert_eq!((summary.calls, summary.refuse, summary.advisory), (2, 2, 1));
    assert_eq!(summary.by_reason.get("never_written"), Some(&2));
}

#[test]
fn the_calls_of_a_subagent_stand_in_a_table_of_their_own() {
    let mut tables = Tables::default();
    let of =
        |item, run: &str| TraceLine { run: run.to_owned(), ..call(item, Verdict::Open, "https://a.example/", None) };
    for line in [of(1, "c1"), of(4, "agent"), of(7, "c1")] {
        tables.call(&line);
    }
    let text = plain_text(&tables.render(None));
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("run.jsonl")).collect();
    assert_eq!(headings, ["run.jsonl  firsthand, conversation c1", "run.jsonl  firsthand, conversation c1, run agent"]);
}
