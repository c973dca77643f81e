//! The library's answers: conversations in, answers out, in this process.

use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Conversation, Item};
use firsthand::policy::Policy;
use firsthand_wire::answer::{CheckAnswer, Verdict};
use firsthand_wire::engine::{self, Earlier, Family, Member};
use firsthand_wire::format::{self, Choice, Source};
use firsthand_wire::policy;

use crate::ask::{Ask, What};
use crate::notation::Case;
use crate::subject::{Answer, Subject, UrlAnswer, policy_of};

/// The moment at which the library is asked, in seconds since 1970: a grant's end lies clearly before or after it.
const NOW: i64 = 1_800_000_000;

/// The library.
#[derive(Clone, Copy, Debug)]
pub struct Library;

impl Subject for Library {
    fn name(&self) -> &str {
        "library"
    }

    fn answer(&self, case: &Case, ask: &Ask) -> Result<Option<Answer>, String> {
        let loaded = policy::load(&policy_of(case, ask)).map_err(|error| format!("the policy: {error}"))?;
        let family = family(case)?;
        let now = Circumstances { rewrites: ask.rewrites, person: false, now: Some(NOW) };
        let server = ask.server.as_deref();
        let answer = match &ask.what {
            What::Addresses(addresses) => {
                let ask = engine::Ask::Addresses { tool: &ask.tool, server, addresses };
                engine::check_call(&family, &ask, &loaded.policy, &now)
            }
            What::Arguments(arguments) => {
                let call = engine::call_of(&ask.tool, server, arguments);
                engine::check_call(&family, &engine::Ask::Call(&call), &loaded.policy, &now)
            }
        };
        let advisory = ask.advisory.and_then(|_| advisory(case, ask, &loaded.policy, &now));
        Ok(Some(of(answer, advisory)))
    }
}

fn family(case: &Case) -> Result<Family, String> {
    let mut family = Family::of("case", conversation(&case.talk)?);
    let parents =
        case.parents.iter().map(|parent| Ok(Member { file: "parent".to_owned(), conversation: conversation(parent)? }));
    family = family.below(parents.collect::<Result<Vec<_>, String>>()?);
    if let Some(earlier) = &case.earlier {
        family.earlier = Earlier::Items(conversation(earlier)?.items);
    }
    Ok(family)
}

fn conversation(json_lines: &str) -> Result<Conversation, String> {
    let read = format::read(json_lines.as_bytes(), Choice::Named("firsthand"), &Source { name: "case.jsonl" });
    let conversations = read.map_err(|error| format!("the conversation: {error}"))?.conversations;
    conversations.into_iter().next().ok_or_else(|| "the conversation: there is none".to_owned())
}

/// Whether the verdict on the call binds nobody: only a replay says so.
fn advisory(case: &Case, ask: &Ask, policy: &Policy, now: &Circumstances) -> Option<bool> {
    let What::Arguments(arguments) = &ask.what else { return None };
    let mut family = family(case).ok()?;
    let asked = "asked";
    let mut call = engine::call_of(&ask.tool, ask.server.as_deref(), arguments);
    asked.clone_into(&mut call.id);
    let conversation = &mut family.members.first_mut()?.conversation;
    conversation.items.push(Item::new("asked", Body::Call(call)));
    let mut advisory = None;
    engine::trace(&family, policy, now, &mut |line| {
        if line.call.as_deref() == Some(asked) {
            advisory = Some(line.advisory);
        }
    });
    advisory
}

fn of(answer: CheckAnswer, advisory: Option<bool>) -> Answer {
    let verdict = match answer.verdict {
        Verdict::Open if answer.urls.is_empty() => "nothing",
        Verdict::Open => "open",
        Verdict::Refuse => "refuse",
        Verdict::Ask => "ask",
        Verdict::Unobservable => "unobservable",
    };
    let urls = answer.urls.into_iter().map(|url| UrlAnswer {
        url: url.url,
        send: url.send,
        step: url.step,
        first: url.first.map(|first| first.writer),
    });
    Answer {
        verdict: verdict.to_owned(),
        reason: answer.reason,
        message: answer.message,
        advisory,
        urls: urls.collect(),
    }
}
