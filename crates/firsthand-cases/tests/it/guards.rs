//! What holds of the order in which things are noted, where no ask at the end of a conversation could tell.

use firsthand::check::Circumstances;
use firsthand::conversation::{
    Body, Call, Content, Item, Producer, Ran, Relayed, Scope, Seat, Speaker, ToolResult, gather_batches,
};
use firsthand::ledger::Ledger;
use firsthand::note::{NotedItem, note};
use firsthand::verdict::{Reason, Step};

fn call(id: &str, tool: &str, arguments: &str) -> Body {
    let (id, tool) = (id.to_owned(), tool.to_owned());
    Body::Call(Call { id, server: None, tool, arguments: arguments.into(), ran: Ran::Client, custom: false })
}

fn fetch(id: &str) -> Body {
    call(id, "web_fetch", "{\"url\":\"https://larder.example/list?d=12\"}")
}

fn result(id: &str) -> Body {
    let content = Content::Text("See https://larder.example/list?d=12".into());
    Body::Result(ToolResult {
        from: Producer::Call(id.to_owned()),
        content,
        is_error: false,
        mime: None,
        redirects: Vec::new(),
    })
}

fn noted(items: impl IntoIterator<Item = Item>) -> Vec<NotedItem> {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Presumed, "firsthand");
    let policy = firsthand_wire::policy::profile("firsthand").unwrap();
    items.into_iter().map(|item| note(&mut ledger, run, &item, &policy, &Circumstances::default())).collect()
}

/// Why the calls among these items stay closed, each as it is made; `None` where it opens.
fn reasons(bodies: Vec<Body>) -> Vec<Option<Reason>> {
    let noted = noted(bodies.into_iter().map(|body| Item::new("", body)));
    noted.into_iter().filter_map(|noted| noted.decision).map(|decision| decision.verdict.reason()).collect()
}

#[test]
fn a_call_is_judged_before_its_own_arguments_are_the_models_text() {
    // Were it noted first, nobody could be told that nobody wrote the address.
    assert_eq!(reasons(vec![fetch("1"), fetch("2")]), [Some(Reason::NeverWritten), Some(Reason::ModelWroteFirst)]);
}

#[test]
fn a_yes_for_one_call_opens_that_call_and_no_other() {
    let yes = Body::Grant { address: "https://larder.example/list?d=12".to_owned(), scope: Scope::Once };
    assert_eq!(reasons(vec![yes, fetch("1"), fetch("2")]), [None, Some(Reason::ModelWroteFirst)]);
}

#[test]
fn a_yes_for_one_call_is_not_spent_by_a_call_that_a_source_opens() {
    let (mut ledger, policy) = (Ledger::new([0; 32]), firsthand_wire::policy::profile("firsthand").unwrap());
    let above = ledger.begin(None, Seat::Presumed, "firsthand");
    let below = ledger.begin(Some(above), Seat::Presumed, "firsthand");
    let address = "https://larder.example/list?d=12";
    let person = Body::User { text: format!("Have somebody read {address}").into(), relayed: Relayed::No };
    let yes = Body::Grant { address: address.to_owned(), scope: Scope::Once };
    let moves =
        [(above, person), (below, yes), (below, fetch("1")), (above, Body::Rewind { to: 0 }), (below, fetch("2"))];
    let noted = moves
        .map(|(run, body)| note(&mut ledger, run, &Item::new("", body), &policy, &Circumstances::default()).decision);
    let steps: Vec<_> = noted.into_iter().flatten().map(|decision| decision.addresses[0].step).collect();
    assert_eq!(steps, [Some(Step::Identical), Some(Step::Grant)]);
}

#[test]
fn the_calls_of_one_message_come_before_the_results_that_are_recorded_between_them() {
    let recorded = |batches: [&str; 2]| {
        let search = call("1", "web_search", "{\"query\":\"larders\"}");
        let items = [search, result("1"), fetch("2"), fetch("3")].map(|body| Item::new("", body));
        let batch = |number: usize| match number {
            0 => Some(batches[0].to_owned()),
            2 => Some(batches[1].to_owned()),
            _ => None,
        };
        let items = items.into_iter().enumerate().map(|(number, item)| Item { batch: batch(number), ..item });
        let noted = noted(gather_batches(items.collect()));
        noted
            .into_iter()
            .filter_map(|noted| noted.decision)
            .map(|decision| decision.verdict.reason())
            .collect::<Vec<_>>()
    };
    assert_eq!(recorded(["a", "a"]), [Some(Reason::NeverWritten), Some(Reason::ModelWroteFirst)]);
    assert_eq!(recorded(["a", "b"]), [None, None]);
}

#[test]
fn whoever_copies_without_a_scheme_marks_nothing_even_where_a_scheme_stands_in_the_path() {
    let address = "https://go.ferry.example/out/https://timetable.example/2026";
    let person = Body::User { text: format!("Read {address}").into(), relayed: Relayed::No };
    let copy = |text: &str| Body::Said { by: Speaker::Assistant, text: text.into() };
    let marks = |text: &str| {
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, Seat::Presumed, "firsthand");
        let policy = firsthand_wire::policy::profile("firsthand").unwrap();
        for body in [person.clone(), copy(text)] {
            note(&mut ledger, run, &Item::new("", body), &policy, &Circumstances::default());
        }
        ledger.mark_count()
    };
    assert_eq!(marks(address), 0);
    assert_eq!(marks(address.trim_start_matches("https://")), 0);
    assert_ne!(marks("go.ferry.example/out/https://timetable.example/2027"), 0);
}
