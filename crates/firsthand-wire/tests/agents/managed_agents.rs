//! Events of Managed Agents.

use crate::shown::shown;

const FORMAT: &str = "managed-agents";

#[test]
fn a_session_with_a_subagents_call_in_it() {
    let bytes = include_bytes!("../data/managed_agents/wrapped.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "wrapped.jsonl", bytes));
}

#[test]
fn a_list_with_the_newest_event_first() {
    insta::assert_snapshot!(shown(FORMAT, "page.json", include_bytes!("../data/managed_agents/page.json")));
}

#[test]
fn a_subagents_thread() {
    let bytes = include_bytes!("../data/managed_agents/thread.jsonl");
    insta::assert_snapshot!(shown(FORMAT, "thread.jsonl", bytes));
}
