//! Runs that go on beside each other, of which no clock says who wrote first.

use firsthand::check::Circumstances;
use firsthand::conversation::Conversation;
use firsthand::policy::Policy;
use firsthand::replay::{Told, replay};
use firsthand_wire::format::{Choice, Source, read};

fn conversation(id: &str, parent: Option<&str>, lines: &[String]) -> Conversation {
    let parent = parent.map_or_else(String::new, |parent| format!(",\"parent\":\"{parent}\""));
    let text = format!("{{\"conversation\":\"{id}\"{parent}}}\n{}\n", lines.join("\n"));
    let mut read = read(text.as_bytes(), Choice::Named("firsthand"), &Source { name: "case" }).unwrap();
    read.conversations.remove(0)
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!("{{\"position\":\"tool_call\",\"id\":\"{id}\",\"tool\":\"{tool}\",\"arguments\":{arguments}}}")
}

fn of_server(id: &str, server: &str, tool: &str, arguments: &str) -> String {
    call(id, tool, arguments).replacen("\"tool\"", &format!("\"server\":\"{server}\",\"tool\""), 1)
}

fn result(id: &str, text: &str) -> String {
    format!("{{\"position\":\"tool_result\",\"id\":\"{id}\",\"text\":\"{text}\"}}")
}

fn fetch(url: &str) -> String {
    call("f", "web_fetch", &format!("{{\"url\":\"{url}\"}}"))
}

/// Whether the last call of each conversation opens.
fn last_opens(family: &[Conversation]) -> Vec<bool> {
    let policy: Policy = firsthand_wire::policy::profile("firsthand").unwrap();
    let mut opens = vec![false; family.len()];
    replay(&family.iter().collect::<Vec<_>>(), &[], &policy, &Circumstances::default(), &mut |told| {
        if let Told::Noted { conversation, noted, .. } = told
            && let Some(decision) = noted.decision
        {
            opens[conversation] = decision.verdict.reason().is_none();
        }
    });
    opens
}

/// What one run shows and opens, while the other calls a tracker with a text, in both orders of their records.
#[track_caller]
fn is_open_beside(reads: &[String], writes: &[String], open: bool) {
    let reader = || conversation("reader", None, reads);
    let writer = || conversation("writer", None, writes);
    assert_eq!(last_opens(&[reader(), writer()])[0], open, "read first");
    assert_eq!(last_opens(&[writer(), reader()])[1], open, "written first");
}

#[test]
fn what_one_run_writes_is_no_source_for_another() {
    let address = "https://desk.example/case/anna-ward-7";
    let reads = [of_server("r", "tracker", "list", "{}"), result("r", &format!("See {address}")), fetch(address)];
    for writes in [
        of_server("w", "tracker", "note", &format!("{{\"text\":\"{address}\"}}")),
        of_server("w", "tracker", "note", "{\"text\":\"anna-ward-7\"}"),
    ] {
        is_open_beside(&reads, &[writes], false);
    }
    is_open_beside(&reads, &[of_server("w", "tracker", "note", "{\"text\":\"something else\"}")], true);
}

#[test]
fn an_identifier_with_a_word_of_another_run_fills_no_convention() {
    let reads = [
        call("r", "web_search", "{\"query\":\"kilns\"}"),
        result("r", "See doi:10.5555/secretname.7"),
        fetch("https://doi.org/10.5555/secretname.7"),
    ];
    for text in ["10.5555/secretname.7", "about secretname"] {
        let writes = [of_server("w", "tracker", "note", &format!("{{\"text\":\"{text}\"}}"))];
        is_open_beside(&reads, &writes, false);
        let said = [format!("{{\"position\":\"assistant\",\"text\":\"{text}\"}}")];
        is_open_beside(&reads, &said, false);
    }
    is_open_beside(&reads, &[of_server("w", "tracker", "note", "{\"text\":\"about kilns\"}")], true);
}

#[test]
fn what_a_run_writes_later_closes_nothing_that_it_read_before() {
    let address = "https://desk.example/case/anna-ward-7";
    let own = |id: &str| {
        let lines = [
            of_server("r", "tracker", "list", "{}"),
            result("r", &format!("See {address}{id}")),
            of_server("w", "tracker", "note", &format!("{{\"text\":\"{}{id}\"}}", address.to_uppercase())),
            fetch(&format!("{address}{id}")),
        ];
        conversation(id, None, &lines)
    };
    assert_eq!(last_opens(&[own("first"), own("second")]), [true, true]);
}

#[test]
fn pairs_of_runs_within_pairs_are_read_once() {
    const DEPTH: usize = 40;
    let mut family = vec![conversation("0", None, &["{\"position\":\"user\",\"text\":\"Go on.\"}".to_owned()])];
    for depth in 1..=DEPTH {
        let parent = (depth - 1).to_string();
        let said = |text: &str| [format!("{{\"position\":\"assistant\",\"text\":\"{text}\"}}")];
        family.push(conversation(&depth.to_string(), Some(&parent), &said("one")));
        family.push(conversation(&format!("{depth}b"), Some(&parent), &said("https://a.example/other")));
    }
    assert_eq!(last_opens(&family).len(), 2 * DEPTH + 1);
}
