//! The calls of a family that open addresses, and what each rule says of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use firsthand::calls::{opens, really_run};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Item, Ran};
use firsthand::policy::{Cell, Policy};
use firsthand::writer::Writer;
use firsthand_wire::answer::Verdict;
use firsthand_wire::engine::{Family, trace};
use firsthand_wire::policy::profile;

use crate::plain::Texts;
use crate::rules::{Judge, Rule};

/// A call that opens addresses.
#[derive(Clone, Debug)]
pub struct Called {
    /// The file.
    pub file: String,
    /// The conversation's id.
    pub conversation: String,
    /// The conversation's number in its file, from 0.
    pub number: usize,
    /// Which member of the family it is.
    pub member: usize,
    /// The item.
    pub item: usize,
    /// The tool.
    pub tool: String,
    /// The format.
    pub dialect: String,
    /// The provider ran it.
    pub by_provider: bool,
    /// The addresses as they were asked for.
    pub urls: Vec<String>,
    /// What is sent along, as far as the tool table knows; nothing where the addresses go alone.
    pub along: Option<String>,
    /// Who could have written its addresses may stand in what the record does not keep: a rule that does not open it cannot
    /// be judged by it.
    pub hidden: bool,
    /// A program or a tool that nobody declared: a verdict on it is advice.
    pub advisory: bool,
}

/// What a rule says of a call.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not open.
    pub reason: Option<String>,
    /// The texts that leave where it is open.
    pub leaving: Vec<String>,
    /// What the choice tells, in bits.
    pub bits: Option<f64>,
}

/// A policy under which no address opens, so that every call which may open one is listed.
fn nothing_counts() -> Option<&'static Policy> {
    static POLICY: LazyLock<Option<Policy>> = LazyLock::new(|| {
        let mut policy = profile("person-only").ok()?;
        let (nobody, cell) = (Writer::Ignored, Cell { client: Writer::Ignored, provider: Writer::Ignored });
        policy.positions.user = nobody;
        policy.positions.answer = nobody;
        policy.results.search = cell;
        Some(policy)
    });
    POLICY.as_ref()
}

/// The text of a result; `None` for any other item.
pub(crate) fn result_text(item: &Item) -> Option<&str> {
    let Body::Result(result) = &item.body else { return None };
    Some(result.content.text())
}

/// What AgentDojo puts around the text that it injects.
const INJECTED: (&str, &str) = ("<INFORMATION>", "</INFORMATION>");

/// Whether an address of a call stands in an injected text before it, by the marks that a benchmark puts around it.
pub fn is_injected(family: &Family, call: &Called) -> bool {
    let items = family.members.get(call.member).map_or(&[][..], |member| &member.conversation.items);
    let results = items.iter().take(call.item).filter_map(result_text);
    let injected = results
        .filter_map(|text| text.split_once(INJECTED.0))
        .map(|(_, behind)| behind.split_once(INJECTED.1).map_or(behind, |(inside, _)| inside));
    let texts: Vec<&str> = injected.collect();
    call.urls.iter().any(|url| {
        let bare = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        texts.iter().any(|text| text.contains(bare.trim_end_matches('/')))
    })
}

/// The calls of a family that may open addresses, in the order in which they were made.
pub fn calls(family: &Family) -> Vec<Called> {
    let Some(policy) = nothing_counts() else { return Vec::new() };
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places: HashMap<(&str, &str), (usize, usize)> = HashMap::new();
    for (member, of) in family.members.iter().enumerate() {
        let number = numbers.entry(&of.file).or_default();
        places.entry((&of.file, &of.conversation.id)).or_insert((member, *number));
        *number += 1;
    }
    let mut found = Vec::new();
    trace(family, policy, &Circumstances::default(), &mut |line| {
        let place = places.get(&(line.file.as_str(), line.conversation.as_str()));
        let Some((member, number)) = place.copied() else { return };
        let of = family.members.get(member);
        let call = of.and_then(|of| of.conversation.items.get(line.item)).and_then(|item| item.body.call());
        let Some(call) = call else { return };
        let sends_more = really_run(call, &line.dialect, policy).iter().any(|inner| opens(inner).payload);
        found.push(Called {
            number,
            member,
            item: line.item,
            hidden: line.verdict == Verdict::Unobservable,
            by_provider: call.ran == Ran::Provider,
            along: sends_more.then(|| call.arguments.to_string()),
            urls: line.urls.into_iter().map(|url| url.url).collect(),
            file: line.file,
            conversation: line.conversation,
            tool: line.tool,
            dialect: line.dialect,
            advisory: line.advisory,
        });
    });
    found
}

/// What a rule says of the calls of a family, call by call.
pub fn outcomes(rule: &Rule, family: &Family, calls: &[Called]) -> Vec<Outcome> {
    match (&rule.judge, rule.judge.policy(family)) {
        (Judge::Plain(plain), _) => {
            let texts: Vec<Texts> = family.members.iter().map(|member| Texts::of(&member.conversation)).collect();
            let judge = |call: &Called| {
                let opens = |url: &String| texts.get(call.member).is_some_and(|of| plain.opens(url, of, call.item));
                let open = call.urls.iter().all(opens);
                Outcome {
                    verdict: match (open, call.hidden) {
                        (true, _) => Verdict::Open,
                        (false, true) => Verdict::Unobservable,
                        (false, false) => Verdict::Refuse,
                    },
                    reason: (!open).then(|| "not_seen".to_owned()),
                    leaving: if open {
                        call.urls.iter().cloned().chain(call.along.clone()).collect()
                    } else {
                        Vec::new()
                    },
                    bits: None,
                }
            };
            calls.iter().map(judge).collect()
        }
        (_, Some(policy)) => by_policy(rule, &policy, family, calls),
        (_, None) => Vec::new(),
    }
}

fn by_policy(rule: &Rule, policy: &Policy, family: &Family, calls: &[Called]) -> Vec<Outcome> {
    let now = Circumstances { person: rule.attended, ..Circumstances::default() };
    let mut told = HashMap::new();
    trace(family, policy, &now, &mut |line| {
        told.insert((line.file.clone(), line.conversation.clone(), line.item), line);
    });
    let judge = |call: &Called| {
        let key = (call.file.clone(), call.conversation.clone(), call.item);
        let line = told.remove(&key);
        // A tool that nobody declared is told of only where it would be refused.
        let verdict = line.as_ref().map_or(Verdict::Open, |line| line.verdict);
        let open = verdict == Verdict::Open;
        let sends = line.iter().flat_map(|line| &line.urls).filter_map(|url| url.send.clone());
        let mut leaving: Vec<String> = if open { sends.collect() } else { Vec::new() };
        if open && line.is_none() {
            leaving.extend(call.urls.iter().cloned());
        }
        if open {
            leaving.extend(call.along.clone());
        }
        Outcome {
            verdict,
            reason: line.as_ref().and_then(|line| line.reason.clone()),
            leaving,
            bits: line.as_ref().and_then(|line| line.bits),
        }
    };
    calls.iter().map(judge).collect()
}
