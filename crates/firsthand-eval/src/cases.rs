//! Case files in JSON Lines: conversations, and the verdicts on calls made at their ends.
//!
//! A case states its own profile and may state a policy. Other rules know neither, so only cases of the default profile
//! without a policy of their own can be put to all of them.

use firsthand::check::Circumstances;
use firsthand_wire::answer::Verdict;
use firsthand_wire::engine::{Ask, Earlier, Family, Member, check_call};
use firsthand_wire::format::{Choice, Source, read as read_conversations};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::plain::Texts;
use crate::rules::{Judge, Rule};

#[derive(Deserialize)]
struct Line {
    profile: String,
    policy: Option<String>,
    conversation: Vec<Box<RawValue>>,
    parents: Option<Vec<Vec<Box<RawValue>>>>,
    earlier: Option<Vec<Box<RawValue>>>,
    asks: Vec<AskLine>,
}

#[derive(Deserialize)]
struct AskLine {
    tool: String,
    server: Option<String>,
    urls: Vec<String>,
    verdict: String,
}

/// A case.
#[derive(Debug)]
pub struct Case {
    family: Family,
    asks: Vec<Asked>,
}

#[derive(Debug)]
struct Asked {
    tool: String,
    server: Option<String>,
    urls: Vec<String>,
    expected: Verdict,
}

/// The cases of a file that can be put to every rule, and how many of its lines cannot.
#[derive(Debug, Default)]
pub struct Cases {
    /// The cases.
    pub cases: Vec<Case>,
    /// How many are of another profile or have a policy of their own.
    pub left_out: u64,
}

/// Whether a file is one of cases: its first line asks.
pub fn is_case_file(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| serde_json::from_slice::<Line>(line).is_ok())
}

/// Reads a case file, or says the line that is wrong.
pub fn read(bytes: &[u8]) -> Result<Cases, String> {
    let mut cases = Cases::default();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("line {}: found {what}; expected a case", index + 1);
        let line: Line = serde_json::from_slice(line).map_err(|_| wrong("something else than a case"))?;
        let Line { profile, policy, conversation, parents, earlier, asks } = line;
        if profile != "firsthand" || policy.is_some() {
            cases.left_out += 1;
            continue;
        }
        let member = |lines: &[Box<RawValue>]| {
            let text: Vec<&str> = lines.iter().map(|line| line.get()).collect();
            let name = format!("case-{}", index + 1);
            let read =
                read_conversations(text.join("\n").as_bytes(), Choice::Named("firsthand"), &Source { name: &name });
            let read = read.map_err(|error| wrong(&format!("a conversation with an error: {error}")))?;
            let conversation = read.conversations.into_iter().next().ok_or_else(|| wrong("no conversation"))?;
            Ok::<Member, String>(Member { file: name, conversation })
        };
        let mut family = Family::split(vec![member(&conversation)?]).pop().ok_or_else(|| wrong("no conversation"))?;
        let parents = parents.unwrap_or_default();
        let above = parents.iter().map(|parent| member(parent)).collect::<Result<Vec<_>, _>>()?;
        if !above.is_empty() {
            family = family.below(above);
        }
        if let Some(earlier) = earlier {
            family.earlier = Earlier::Items(member(&earlier)?.conversation.items);
        }
        let asked = |ask: AskLine| {
            let expected = match ask.verdict.as_str() {
                "open" => Verdict::Open,
                "refuse" => Verdict::Refuse,
                "ask" => Verdict::Ask,
                _ => return Err(wrong("another verdict")),
            };
            Ok(Asked { tool: ask.tool, server: ask.server, urls: ask.urls, expected })
        };
        cases.cases.push(Case { family, asks: asks.into_iter().map(asked).collect::<Result<_, _>>()? });
    }
    Ok(cases)
}

impl Case {
    /// What a rule says of each call: what is expected, the verdict and its reason.
    pub fn judge(&self, rule: &Rule, each: &mut dyn FnMut(Verdict, Verdict, Option<&str>)) {
        for ask in &self.asks {
            match (&rule.judge, rule.judge.policy(&self.family)) {
                (Judge::Plain(plain), _) => {
                    let Some(member) = self.family.members.first() else { continue };
                    let texts = Texts::of(&member.conversation);
                    let end = member.conversation.items.len();
                    let open = ask.urls.iter().all(|url| plain.opens(url, &texts, end));
                    let verdict = if open { Verdict::Open } else { Verdict::Refuse };
                    each(ask.expected, verdict, (!open).then_some("not_seen"));
                }
                (_, Some(policy)) => {
                    let now = Circumstances { person: rule.attended, ..Circumstances::default() };
                    let asked = Ask::Addresses { tool: &ask.tool, server: ask.server.as_deref(), addresses: &ask.urls };
                    let answer = check_call(&self.family, &asked, &policy, &now);
                    each(ask.expected, answer.verdict, answer.reason.as_deref());
                }
                (_, None) => {}
            }
        }
    }
}
