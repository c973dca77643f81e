//! The items of each story, and which of its addresses open.

use firsthand::check::Circumstances;
use firsthand_wire::answer::Verdict;
use firsthand_wire::engine::{Family, trace};
use firsthand_wire::policy::profile;

use crate::shown::{conversations, shown};
use crate::{STORIES, story};

const PERSONS: &str = "https://bakery.example/hours";
const HIT: &str = "https://market.example/stalls";
const MODELS: &str = "https://collect.example/?d=rye-at-seven";

#[test]
fn every_story_is_told_to_be_of_its_format_and_read_as_it_was() {
    for (format, name) in STORIES {
        let (_, bytes) = story(format, name);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let snapshot = format!("{format}_{}", name.replace('.', "_"));
        settings.bind(|| insta::assert_snapshot!(snapshot, shown(format, name, &bytes)));
    }
}

/// What comes of each address that a story opens, in order.
fn verdicts(format: &str, name: &str) -> Vec<(String, Verdict)> {
    let (_, bytes) = story(format, name);
    let policy = profile("firsthand").unwrap();
    let mut found = Vec::new();
    for conversation in conversations(format, name, &bytes) {
        trace(&Family::of(name, conversation), &policy, &Circumstances::default(), &mut |line| {
            found.extend(line.urls.into_iter().map(|url| (url.url, url.verdict)));
        });
    }
    found
}

#[track_caller]
fn is(format: &str, name: &str, url: &str, wanted: Verdict) {
    let verdicts = verdicts(format, name);
    let found: Vec<Verdict> = verdicts.iter().filter(|(found, _)| found == url).map(|(_, verdict)| *verdict).collect();
    assert_eq!(found, [wanted], "{format} {name} {url}: {verdicts:?}");
}

#[test]
fn the_same_story_opens_the_same_addresses_in_every_format() {
    for (format, name) in STORIES {
        if matches!(*name, "branches.jsonl" | "team.json") {
            continue;
        }
        is(format, name, PERSONS, Verdict::Open);
        is(format, name, MODELS, Verdict::Refuse);
        // What SpecStory shows of a search is what a model wrote about it.
        if *format != "specstory" {
            is(format, name, HIT, Verdict::Open);
        }
    }
}

#[test]
fn a_task_of_another_run_opens_nothing_in_it() {
    is("copilot-cli", "story.jsonl", "https://loaves.example/", Verdict::Refuse);
}

#[test]
fn code_that_ran_is_judged_and_code_that_did_not_is_no_call() {
    let verdicts = verdicts("autogen", "team.json");
    assert_eq!(verdicts, [(PERSONS.to_owned(), Verdict::Open)]);
}
