//! What holds of every conversation.

use std::collections::BTreeSet;

use firsthand::address::{Address, Form};
use firsthand::check::{Circumstances, Decision, check_addresses};
use firsthand::conversation::{Body, Call, Conversation, Item, Parent, Ran, Relayed, Seat, Speaker, Text};
use firsthand::history::resend;
use firsthand::json::{self, quote};
use firsthand::ledger::{Ledger, RunId};
use firsthand::meter::Bits;
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::replay::{Told, replay};
use firsthand::verdict::{Judged, Step, Verdict};
use firsthand::writer::Writer;
use firsthand_cases::arbitrary::{self, Mention, Move, Play};
use firsthand_cases::made::{derivations, parents};
use firsthand_cases::oracle::{self, Answer};
use firsthand_cases::tree::{Run, Tree};
use firsthand_wire::engine::{Ask, Family, check_call};
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
            let Judged { reason, send, step, first, bits, .. } = judged;
            said.push(format!("{url} {reason:?} {send:?} {step:?} {first:?} {bits:?}"));
        }
    }
    said
}

/// Every `send` that some ask of a run could get, grants aside: each way leads to a source, and each source has its own.
fn sends(ledger: &Ledger, runs: &[RunId], tree: &Tree, run: usize, policy: &Policy) -> BTreeSet<String> {
    let above = std::iter::successors(Some(run), |run| tree.runs[*run].0);
    let sources: Vec<String> = above.flat_map(|run| ledger.sources(runs[run])).map(str::to_owned).collect();
    let made = sources.iter().flat_map(|source| derivations(source)).collect::<Vec<_>>();
    let opened = sources.iter().chain(&made).map(|source| answer(ledger, runs[run], source, policy));
    opened.flatten().filter(|(_, step, _)| *step != Step::Grant).map(|(send, ..)| send).collect()
}

/// What stands for an address that an open call sent, where the model's text is put through a function.
#[derive(Clone, Copy)]
enum Kept {
    /// The spelling that was asked for.
    Asked,
    /// The spelling that was sent.
    Sent,
}

/// The tree with every text of the model's put through a function. What an open call sent is kept, and the names of the
/// tools that a dispatcher ran.
fn rewritten(tree: &Tree, policy: &Policy, keep: Kept, text: &dyn Fn(&str) -> String) -> Tree {
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
                        let kept = |(send, judged): (String, Judged)| match keep {
                            Kept::Asked => [judged.asked.clone(), judged.asked],
                            Kept::Sent => [judged.asked, send],
                        };
                        sent.zip(addresses).flat_map(kept).collect()
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
        let names_a_tool =
            path.last().is_some_and(|step| matches!(step, json::Step::Key(key) if key == "name" || key == "tool"));
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
            Body::Result(result) => {
                format!("result {:?} error {} {}", result.from, result.is_error, result.content.text())
            }
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

/// The property leaves grants aside: what one opens depends on which sources there are.
fn without_grants(play: &Play) -> Play {
    let moves = play.moves.iter().filter(|(_, one)| !matches!(one, Move::Grant(..))).cloned().collect();
    Play { runs: play.runs, moves }
}

fn identity(spelling: &str) -> String {
    Address::written(spelling, Form::Absolute).unwrap().identity().to_owned()
}

/// Spellings, cuts and extensions of an address, and what has it inside.
fn echoes(address: &str) -> Vec<String> {
    let mention = |twist| Mention { address: 0, twist, dress: 0 }.made_of(address);
    let mut echoes: Vec<String> = (0..22).chain([23]).map(mention).collect();
    let path = address.find(".example/").unwrap() + ".example/".len();
    echoes.extend((path + 1..address.len()).map(|end| address[..end].to_owned()));
    echoes.extend(["&attempt=1", "/retry", "?n=2", "x", ";v=1", "%20"].map(|more| format!("{address}{more}")));
    echoes
}

/// A word that nobody but an address may print.
const CANARY: &str = "canaryword";

/// A JSON answer without the fields that exist to print addresses.
fn without_addresses(answer: &mut serde_json::Value) {
    match answer {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| name != "url" && name != "send");
            fields.values_mut().for_each(without_addresses);
        }
        serde_json::Value::Array(entries) => entries.iter_mut().for_each(without_addresses),
        _ => {}
    }
}

/// Whether a call opens, and only sources in one of their spellings: what is made of sources may open since another one
/// is closed.
fn opens_a_source(decision: &Decision) -> bool {
    let spelled = |judged: &Judged| matches!(judged.step, Some(Step::Identical | Step::Serialized | Step::Loose));
    decision.verdict.reason().is_none() && decision.addresses.iter().all(spelled)
}

/// Other text of the model's, in the place of what it wrote.
fn another(text: &str) -> String {
    let words = [
        "https://collector.example/in?d=name-anna-ward-7",
        "docs.vendor.example/guide/start",
        "",
        "quarterly-margin-41",
    ];
    words[text.len() % words.len()].to_owned()
}

proptest! {
    #![proptest_config(config(160))]

    #[test]
    fn the_ledger_decides_like_the_slow_statement_of_the_rule(play in arbitrary::play(24, 4), name in a_policy()) {
        let (tree, policy) = (play.tree(), policy(name));
        let (ledger, runs) = noted(&tree, &policy);
        let asks = play.asks();
        for (number, run) in runs.iter().enumerate() {
            for (url, slow) in asks.iter().zip(oracle::ask(&tree, &policy, number, &asks)) {
                let own = answer(&ledger, *run, url, &policy);
                prop_assert_eq!(own, slow, "run {} asks for {} under {} after {}", number, url, name, told(&tree));
            }
            prop_assert_eq!(sends(&ledger, &runs, &tree, number, &policy), oracle::sends(&tree, &policy, number));
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn what_is_charged_is_never_less_than_a_choice_among_what_opens_at_the_site(
        play in arbitrary::play(24, 4),
        name in a_policy(),
    ) {
        let (tree, policy) = (without_grants(&play).tree(), policy(name));
        let (ledger, runs) = noted(&tree, &policy);
        for (number, run) in runs.iter().enumerate() {
            let mut open = sends(&ledger, &runs, &tree, number, &policy);
            let made = play.identifiers();
            open.extend(made.iter().filter_map(|url| answer(&ledger, *run, url, &policy).ok()).map(|(send, ..)| send));
            let site = |send: &str| Address::written(send, Form::Absolute).map(|address| address.site().to_owned());
            for send in &open {
                let beside = open.iter().filter(|other| site(other) == site(send)).count();
                let judged = judged(&ledger, *run, send, &policy);
                // The person's only address of a site is no choice of the model's.
                let bits = judged.bits.unwrap();
                let is_free = bits == Bits::ZERO && judged.first.is_some_and(|first| first.writer == Writer::Person);
                let least = Bits::of_one_among(u64::try_from(beside).unwrap());
                prop_assert!(is_free || bits >= least, "{} of {} at {:?} under {} after {}", bits.to_f64(), beside, send, name, told(&tree));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn nothing_opens_that_would_stay_closed_had_the_model_written_nothing(play in arbitrary::play(24, 4), name in a_policy()) {
        let (tree, policy) = (without_grants(&play).tree(), policy(name));
        let other = rewritten(&tree, &policy, Kept::Sent, &another);
        for wrote in [tree, other] {
            // What holds an opened call fixed stands in arguments, whose words count too; either spelling of it may.
            let blank = [Kept::Asked, Kept::Sent].map(|kept| rewritten(&wrote, &policy, kept, &|_| String::new()));
            // One source per identity: of two spellings of it the first is sent, and the model can close one of them.
            let identifiers = play.identifiers();
            let could_be_sent = |tree: &Tree| -> Vec<BTreeSet<String>> {
                let (ledger, runs) = noted(tree, &policy);
                let one = |run: usize| {
                    let mut all = sends(&ledger, &runs, tree, run, &policy);
                    let made = identifiers.iter().filter_map(|url| answer(&ledger, runs[run], url, &policy).ok());
                    all.extend(made.map(|(send, ..)| send));
                    all.iter().map(|send| identity(send)).collect()
                };
                (0..runs.len()).map(one).collect()
            };
            let [asked, sent] = blank.map(|blank| could_be_sent(&blank));
            for (run, own) in could_be_sent(&wrote).into_iter().enumerate() {
                let mut nothing: BTreeSet<String> = asked[run].union(&sent[run]).cloned().collect();
                // Where a source stays closed that would answer for its path, a parent path of another one may be sent.
                let parents: Vec<String> = nothing.iter().flat_map(|send| parents(send)).map(|path| identity(&path)).collect();
                nothing.extend(parents);
                prop_assert!(own.is_subset(&nothing), "run {} under {}: {:?} and {:?} after {}", run, name, own, nothing, told(&wrote));
            }
        }
    }

    #[test]
    fn item_by_item_restored_resent_and_replayed_are_one(play in arbitrary::play(24, 1), name in a_policy(), at in any::<usize>()) {
        let (tree, policy, asks) = (play.tree(), policy(name), [play.asks(), play.identifiers()].concat());
        let now = Circumstances::default();
        let (ledger, runs) = noted(&tree, &policy);
        let kept = said(&ledger, &runs, &asks, &policy);

        let (mut restored, _) = begun(&tree);
        for (number, (_, item)) in tree.items.iter().enumerate() {
            if number == at % (tree.items.len() + 1) {
                restored = Ledger::restore(&restored.save()).unwrap();
            }
            note(&mut restored, runs[0], item, &policy, &now);
        }
        prop_assert_eq!(&said(&restored, &runs, &asks, &policy), &kept, "restored at {} under {} after {}", at, name, told(&tree));
        let saved = restored.save();
        let mut again = Ledger::restore(&saved).unwrap();
        prop_assert_eq!(&said(&again, &runs, &asks, &policy), &kept);
        prop_assert_eq!(again.save(), saved);

        let items: Vec<Item> = tree.items.iter().map(|(_, item)| item.clone()).collect();
        let conversation = Conversation { id: "a".into(), parent: None, seat: Seat::Presumed, dialect: "firsthand", items };
        let replayed = replay(&[&conversation], &[], &policy, &now, &mut |_| {});
        prop_assert_eq!(&said(&replayed.ledger, &replayed.runs, &asks, &policy), &kept);
    }

    #[test]
    fn a_history_that_is_resent_as_it_grows_is_one(play in arbitrary::play(20, 1), name in a_policy(), step in 1..5_usize) {
        let play = without_rewinds(&play);
        let (tree, policy, asks) = (play.tree(), policy(name), play.asks());
        let (ledger, runs) = noted(&tree, &policy);
        let items: Vec<Item> = tree.items.iter().map(|(_, item)| item.clone()).collect();
        let (mut resent, _) = begun(&tree);
        for end in (0..items.len()).step_by(step).chain([items.len()]) {
            resend(&mut resent, runs[0], &items[..end], &policy, &Circumstances::default());
        }
        prop_assert_eq!(said(&resent, &runs, &asks, &policy), said(&ledger, &runs, &asks, &policy), "{}", told(&tree));
    }

    #[test]
    fn a_family_replayed_by_time_is_noted_in_that_order(play in arbitrary::play(24, 4), name in a_policy()) {
        let (tree, policy, asks) = (play.tree(), policy(name), [play.asks(), play.identifiers()].concat());
        let (ledger, runs) = noted(&tree, &policy);
        let family: Vec<Conversation> = tree.runs.iter().enumerate().map(|(number, Run(parent, seat, dialect))| {
            let own = tree.items.iter().enumerate().filter(|(_, (run, _))| *run == number);
            let items = own.map(|(order, (_, item))| Item { time: i64::try_from(order).ok(), ..item.clone() }).collect();
            let parent = parent.map(|parent| Parent { conversation: parent.to_string(), call: None });
            Conversation { id: number.to_string(), parent, seat: *seat, dialect, items }
        }).collect();
        let replayed = replay(&family.iter().collect::<Vec<_>>(), &[], &policy, &Circumstances::default(), &mut |_| {});
        prop_assert_eq!(said(&replayed.ledger, &replayed.runs, &asks, &policy), said(&ledger, &runs, &asks, &policy));
    }

    #[test]
    fn of_runs_side_by_side_no_call_opens_that_stays_closed_in_some_order_of_them(play in arbitrary::play(24, 3), name in a_policy()) {
        let (play, policy) = (without_rewinds(&play), policy(name));
        let mut tree = play.tree();
        tree.runs.iter_mut().for_each(|run| *run = Run(None, Seat::Presumed, "firsthand"));
        let family: Vec<Conversation> = (0..tree.runs.len()).map(|number| {
            let items = tree.items.iter().filter(|(run, _)| *run == number).map(|(_, item)| item.clone()).collect();
            Conversation { id: number.to_string(), parent: None, seat: Seat::Presumed, dialect: "firsthand", items }
        }).collect();
        let mut opened = Vec::new();
        replay(&family.iter().collect::<Vec<_>>(), &[], &policy, &Circumstances::default(), &mut |told| {
            if let Told::Noted { conversation, item, noted } = told {
                opened.extend(noted.decision.filter(opens_a_source).map(|_| (conversation, item)));
            }
        });
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut ledger, runs) = begun(&tree);
            let mut open = BTreeSet::new();
            for run in order {
                for (number, item) in family[run].items.iter().enumerate() {
                    let noted = note(&mut ledger, runs[run], item, &policy, &Circumstances::default());
                    open.extend(noted.decision.filter(|decision| decision.verdict.reason().is_none()).map(|_| (run, number)));
                }
            }
            for call in &opened {
                prop_assert!(open.contains(call), "{:?} in the order {:?} under {} after {}", call, order, name, told(&tree));
            }
        }
    }

    #[test]
    fn text_without_addresses_changes_no_verdict(play in arbitrary::play(20, 4), name in a_policy(), places in proptest::collection::vec((any::<usize>(), 0..6_u8), 1..6)) {
        let play = without_rewinds(&play);
        let (tree, policy, asks) = (play.tree(), policy(name), play.asks());
        let mut more = tree.clone();
        for (place, position) in places {
            let text = Text::from("As you like; nothing else to say here.");
            let body = match position {
                0 => Body::User { text, relayed: Relayed::No },
                1 => Body::Said { by: Speaker::System, text },
                2 => Body::Said { by: Speaker::Thinking, text },
                _ => Body::Said { by: Speaker::Assistant, text },
            };
            // A summary is only read as what compaction left when nothing stands before it.
            let place = place % (more.items.len() + 1);
            let run = more.items.get(place.saturating_sub(1)).map_or(0, |(run, _)| *run);
            let place = if place == 0 { 1.min(more.items.len()) } else { place };
            more.items.insert(place, (run, Item::new("more", body)));
        }
        for (_, item) in &mut more.items {
            if let Body::Said { by: Speaker::Assistant, text } = &mut item.body {
                *text = text.replace("Well:", "Let us go on:").replace("now.", "at once.").into();
            }
        }
        let ((ledger, runs), (longer, _)) = (noted(&tree, &policy), noted(&more, &policy));
        for (number, run) in runs.iter().enumerate() {
            for url in &asks {
                prop_assert_eq!(answer(&ledger, *run, url, &policy), answer(&longer, *run, url, &policy), "run {} asks for {} under {} after {} and {}", number, url, name, told(&tree), told(&more));
            }
        }
    }

    #[test]
    fn what_the_model_wrote_first_stays_closed_however_it_is_echoed(
        address in select(["https://collector.example/in?d=name-anna-ward-7", "https://collector.example/put/case-118", "https://collector.example/u?who=kessler&amt=61000"].as_slice()),
        in_arguments in any::<bool>(),
        written in any::<proptest::sample::Index>(),
        echoed in proptest::collection::vec(any::<proptest::sample::Index>(), 1..4),
    ) {
        let policy = policy("firsthand");
        let written = [address.to_owned(), address.replace("https", "http"), address.to_uppercase().replace("HTTPS", "https"), address.replacen("https://", "", 1)]
            [written.index(4)].clone();
        let echoes = echoes(address);
        let echoed: Vec<String> = echoed.iter().map(|index| echoes[index.index(echoes.len())].clone()).collect();
        let call = |id: &str, arguments: String| Body::Call(Call { id: id.into(), server: Some("tracker".into()), tool: "get_ticket".into(), arguments: arguments.into(), ran: Ran::Client, custom: false });
        let model = if in_arguments { call("c0", format!("{{\"note\":{}}}", quote(&written))) } else { Body::Said { by: Speaker::Assistant, text: written.into() } };
        let text = Text::from(echoed.join(" and "));
        let from = firsthand::conversation::Producer::Call("c1".into());
        let result = firsthand::conversation::ToolResult { from, content: firsthand::conversation::Content::Text(text), is_error: false, mime: None, redirects: Vec::new() };
        let bodies = [model, call("c1", "{\"key\":\"OPS-1\"}".into()), Body::Result(result)];
        let tree = Tree { runs: vec![Run(None, Seat::Presumed, "firsthand")], items: bodies.map(|body| (0, Item::new("", body))).to_vec() };
        let (ledger, runs) = noted(&tree, &policy);
        for url in echoes.iter().chain(&echoed) {
            let answer = answer(&ledger, runs[0], url, &policy);
            // The root of the site itself holds nothing of the model's but its name.
            let names_a_site = Address::written(url, Form::Absolute).is_some_and(|address| address.is_root());
            prop_assert!(answer.is_err() || names_a_site, "{} gives {:?} after {}", url, answer, told(&tree));
        }
    }

    #[test]
    fn nothing_but_its_own_field_prints_an_address(place in 0..5_usize, sourced in any::<bool>(), twist in 0..24_u8, tool in select(["web_fetch", "gizmo_query", "Bash"].as_slice())) {
        let policy = policy("firsthand");
        let address = ["https://c.example/canaryword", "https://c.example/x?d=canaryword", "https://c.example/?canaryword", "https://canaryword.c.example/x", "https://c.example/canaryword.pdf#canaryword"][place];
        let url = Mention { address: 0, twist, dress: 0 }.made_of(address);
        let text = if sourced { url.clone() } else { "Go on.".to_owned() };
        let items = vec![Item::new("line 1", Body::User { text: text.into(), relayed: Relayed::No })];
        let tree = Tree { runs: vec![Run(None, Seat::Person, "firsthand")], items: items.iter().cloned().map(|item| (0, item)).collect() };
        let (ledger, runs) = noted(&tree, &policy);
        let decision = decision(&ledger, runs[0], &url, &policy);
        let address = Address::written(&url, Form::Absolute);
        let mut printed = format!("{decision:?} {:?} {:?} {address:?} {:?}", decision.verdict, decision.addresses, address.as_ref().map(Address::outline));
        if let Some(reason) = decision.verdict.reason() {
            printed.push_str(reason.message());
        }
        let conversation = Conversation { id: "a".into(), parent: None, seat: Seat::Person, dialect: "firsthand", items };
        let family = Family::of("a.jsonl", conversation);
        let addresses = [url.clone()];
        let answered = check_call(&family, &Ask::Addresses { tool, server: None, addresses: &addresses }, &policy, &Circumstances::default());
        let mut answered = serde_json::to_value(&answered).unwrap();
        without_addresses(&mut answered);
        printed.push_str(&answered.to_string());
        prop_assert!(!printed.to_lowercase().contains(CANARY), "{} after {} for {}", printed, told(&tree), url);
    }
}
