//! What holds of every conversation.

use std::collections::BTreeSet;

use firsthand::address::Address;
use firsthand::check::{Circumstances, Decision, check_addresses};
use firsthand::conversation::{Body, Call, Conversation, Item, Parent, Ran, Relayed, Seat, Speaker, Text};
use firsthand::find::{Format, Voice, shown};
use firsthand::history::resend;
use firsthand::json::{self, quote};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::replay::replay;
use firsthand::verdict::{Judged, Step, Verdict};
use firsthand_cases::arbitrary::{self, Move, Play};
use firsthand_cases::oracle::{self, Answer, Run, Tree};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;

/// As many cases as the environment says, else so many.
fn config(cases: u32) -> ProptestConfig {
    let own = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { own.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4096, ..own }
}

const PROFILES: [&str; 5] = ["firsthand", "unattended", "managed-agents", "messages-api", "person-only"];

fn policy(name: &str) -> Policy {
    firsthand_wire::policy::profile(name).unwrap()
}

/// Mostly the default profile, at times another.
fn a_policy() -> impl Strategy<Value = &'static str> {
    select([["firsthand"; 6].as_slice(), &PROFILES].concat())
}

/// A tree noted item by item.
fn noted(tree: &Tree, policy: &Policy) -> (Ledger, Vec<RunId>) {
    let (mut ledger, runs) = begun(tree);
    for (run, item) in &tree.items {
        note(&mut ledger, runs[*run], item, policy, &Circumstances::default());
    }
    (ledger, runs)
}

fn begun(tree: &Tree) -> (Ledger, Vec<RunId>) {
    let mut ledger = Ledger::new([0; 32]);
    let mut runs: Vec<RunId> = Vec::new();
    for Run(parent, seat, dialect) in &tree.runs {
        runs.push(ledger.begin(parent.map(|parent| runs[parent]), *seat, dialect));
    }
    (ledger, runs)
}

fn decision(ledger: &Ledger, run: RunId, url: &str, policy: &Policy) -> Decision {
    check_addresses(ledger, run, None, "web_fetch", &[url.to_owned()], policy, &Circumstances::default())
}

fn judged(ledger: &Ledger, run: RunId, url: &str, policy: &Policy) -> Judged {
    decision(ledger, run, url, policy).addresses.remove(0)
}

fn answer(ledger: &Ledger, run: RunId, url: &str, policy: &Policy) -> Answer {
    let judged = judged(ledger, run, url, policy);
    match judged.reason {
        Some(reason) => Err(reason),
        None => Ok((judged.send.unwrap(), judged.step.unwrap(), judged.first.unwrap().writer)),
    }
}

/// All that is said of each ask: what must be the same for two ledgers to be one.
fn said(ledger: &Ledger, runs: &[RunId], asks: &[String], policy: &Policy) -> Vec<String> {
    let mut said = Vec::new();
    for run in runs {
        for url in asks {
            let judged = judged(ledger, *run, url, policy);
            said.push(format!("{url} {:?} {:?} {:?} {:?}", judged.reason, judged.send, judged.step, judged.first));
        }
    }
    said
}

/// Every `send` that some ask of a run could get, grants aside: each way leads to a source, and each source has its own.
fn sends(ledger: &Ledger, runs: &[RunId], tree: &Tree, run: usize, policy: &Policy) -> BTreeSet<String> {
    let above = std::iter::successors(Some(run), |run| tree.runs[*run].0);
    let sources: Vec<String> = above.flat_map(|run| ledger.sources(runs[run])).map(str::to_owned).collect();
    let opened = sources.iter().map(|source| answer(ledger, runs[run], source, policy));
    opened.flatten().filter(|(_, step, _)| *step != Step::Grant).map(|(send, ..)| send).collect()
}

/// The tree with every text of the model's put through a function, which is also told whether it is a call's arguments.
/// What an open call sent is kept, and the names of the tools that a dispatcher ran.
fn rewritten(tree: &Tree, policy: &Policy, text: &dyn Fn(&str) -> String) -> Tree {
    let (mut ledger, runs) = begun(tree);
    let mut other = Tree { runs: tree.runs.clone(), items: Vec::new() };
    for (run, item) in &tree.items {
        let opened = note(&mut ledger, runs[*run], item, policy, &Circumstances::default()).decision;
        let mut item = item.clone();
        match &mut item.body {
            Body::Said { by: Speaker::Assistant | Speaker::Thinking | Speaker::Task | Speaker::Summary, text: own } => {
                *own = text(own).into();
            }
            Body::User { text: own, relayed } if tree.runs[*run].1 == Seat::ParentModel => {
                *own = text(own).into();
                *relayed = Relayed::No;
            }
            Body::Call(call) => {
                let kept: Vec<String> = match opened {
                    Some(Decision { verdict: Verdict::Open(permit), addresses, .. }) => {
                        let sent = permit.addresses().iter().map(|address| address.reveal().to_owned());
                        sent.zip(addresses).flat_map(|(send, judged)| [judged.asked, send]).collect()
                    }
                    _ => Vec::new(),
                };
                call.arguments = rewritten_arguments(&call.arguments, &kept, text).into();
            }
            _ => {}
        }
        other.items.push((*run, item));
    }
    other
}

/// Arguments with each string put through a function. `kept` holds what was asked for and what was sent, in turn.
fn rewritten_arguments(arguments: &str, kept: &[String], text: &dyn Fn(&str) -> String) -> String {
    let mut rewritten = String::new();
    let mut at = 0;
    json::walk(arguments, &mut |path, leaf| {
        if leaf.kind != json::Kind::String {
            return;
        }
        let names_a_tool = path.last().is_some_and(|step| matches!(step, json::Step::Key(key) if key == "name" || key == "tool"));
        let sent = kept.chunks(2).find(|pair| pair[0] == leaf.text).map(|pair| pair[1].clone());
        let own = if names_a_tool { leaf.text.to_string() } else { sent.unwrap_or_else(|| text(&leaf.text)) };
        rewritten.push_str(&arguments[at..leaf.raw.start - 1]);
        rewritten.push_str(&quote(&own));
        at = leaf.raw.end + 1;
    });
    rewritten.push_str(&arguments[at..]);
    rewritten
}

/// A tree as a person reads it.
fn told(tree: &Tree) -> String {
    let mut told = String::new();
    for (run, item) in &tree.items {
        let what = match &item.body {
            Body::User { text, relayed } => format!("user {relayed:?} {text}"),
            Body::Said { by, text } => format!("{by:?} {text}"),
            Body::Attachment { text, from_agent_path, .. } => format!("attachment {from_agent_path} {text}"),
            Body::Call(call) => format!("call {} {:?} {} {}", call.id, call.server, call.tool, call.arguments),
            Body::Result(result) => format!("result {:?} error {} {}", result.from, result.is_error, result.content.text()),
            other => format!("{other:?}"),
        };
        told.push_str(&format!("\n{run}: {what}"));
    }
    told
}

fn without_rewinds(play: &Play) -> Play {
    let moves = play.moves.iter().filter(|(_, one)| !matches!(one, Move::Rewind(_))).cloned().collect();
    Play { runs: play.runs, moves }
}

proptest! {
    #![proptest_config(config(160))]

    #[test]
    fn the_ledger_decides_like_the_slow_statement_of_the_rule(play in arbitrary::play(24, 4), name in a_policy()) {
        let (tree, policy) = (play.tree(), policy(name));
        let (ledger, runs) = noted(&tree, &policy);
        for (number, run) in runs.iter().enumerate() {
            let asks = play.asks();
            for (url, ours) in asks.iter().zip(oracle::ask(&tree, &policy, number, &asks, None)) {
                let theirs = answer(&ledger, *run, url, &policy);
                if std::env::var_os("FH_STAT").is_some() { eprintln!("STAT {:?}", ours.as_ref().map(|o| (o.1,o.2))); }
                prop_assert_eq!(theirs, ours, "run {} asks for {} under {} after {}", number, url, name, told(&tree));
            }
            prop_assert_eq!(sends(&ledger, &runs, &tree, number, &policy), oracle::sends(&tree, &policy, number));
        }
    }
}
