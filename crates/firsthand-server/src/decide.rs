//! The verdict on a call of a session, with the question that waits for a person where one is needed.

use std::sync::Arc;

use firsthand::check::Circumstances;
use firsthand::verdict::{Permit, Verdict};
use firsthand_log::{About, Entry, Surface};
use firsthand_wire::answer::{self, CheckAnswer};
use firsthand_wire::call::Asked;
use firsthand_wire::engine;
use serde_json::value::RawValue;

use crate::clock::{self, seconds};
use crate::event::{Happened, Question, Spent};
use crate::failure::Failure;
use crate::key::new_id;
use crate::sessions::{Held, Sessions};
use crate::store::Millis;
use crate::tree::{Ask, AskState, Tree};

/// What a caller says besides the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// How many items of the session the caller knows of. A ledger with fewer decides nothing.
    pub length: usize,
    /// Whether the caller sends the spelling of the verdict, not its own.
    pub rewrites: bool,
    /// Whether a person can be asked, whatever the seat.
    pub person: bool,
    /// Which face asks.
    pub surface: Surface,
}

/// What was decided.
#[derive(Debug)]
pub struct Decided {
    /// The answer.
    pub answer: CheckAnswer,
    /// How many items the session had.
    pub length: usize,
    /// The question that waits for a person.
    pub ask: Option<String>,
    /// Leave to open the addresses of the call. None where it stays closed, and where it opens nothing.
    pub permit: Option<Permit>,
    /// The line for the log, where the call stays closed.
    pub line: Option<Entry>,
}

impl Sessions {
    /// Decides a call made at the end of a session.
    pub async fn decide(self: &Arc<Self>, held: &Held, call: &Asked, said: &Said) -> Result<Decided, Failure> {
        let (mut decided, question) = {
            let tree = held.tree()?;
            let length = tree.len(held.id());
            if length < said.length {
                return Ok(unseen(call, length));
            }
            self.judged(held, &tree, call, said)?
        };
        let Some(question) = question else { return Ok(decided) };
        let digest = digest(call);
        match self.answered(held, &digest, call, &decided.answer).await? {
            Answered::Yes => {
                decided.permit = Some(question.a_person_said_yes());
                decided.line = None;
                opened(&mut decided.answer);
            }
            Answered::Waits(ask) => decided.ask = Some(ask),
        }
        Ok(decided)
    }

    fn judged(
        &self,
        held: &Held,
        tree: &Tree,
        call: &Asked,
        said: &Said,
    ) -> Result<(Decided, Option<firsthand::verdict::Question>), Failure> {
        let session = tree.session(held.id()).ok_or(Failure::NotFound)?;
        let (ledger, run, policy) = (tree.ledger(), session.run(), session.policy());
        let now = seconds(tree.now(clock::now()));
        let circumstances = Circumstances { rewrites: said.rewrites, person: said.person, now: Some(now) };
        let length = ledger.len(run);
        let Some(decision) = call.judge(ledger, run, policy, &circumstances) else {
            let answer = engine::opens_nothing();
            return Ok((Decided { answer, length, ask: None, permit: None, line: None }, None));
        };
        // A ledger knows items by their numbers; their places are the caller's.
        let answer = engine::answer(&decision, &|first| (first.item, String::new()));
        let line = decision.verdict.reason().is_some().then(|| {
            let (server, tool) = (call.call().server.as_deref(), call.call().tool.as_str());
            let key = self.key().digests();
            let about = About { surface: said.surface, run: held.id(), server, tool, now, key };
            Entry::of(&decision, ledger, run, policy, &about)
        });
        let (permit, question) = match decision.verdict {
            Verdict::Open(permit) => (Some(permit), None),
            Verdict::Ask(question) => (None, Some(question)),
            Verdict::Refuse(_) => (None, None),
        };
        Ok((Decided { answer, length, ask: None, permit, line }, question))
    }

    /// Whether a person said yes to this very call for this reason; uses that up. Else the question that waits.
    async fn answered(
        self: &Arc<Self>,
        held: &Held,
        digest: &str,
        call: &Asked,
        answer: &CheckAnswer,
    ) -> Result<Answered, Failure> {
        let (session, digest) = (held.id().to_owned(), digest.to_owned());
        let (waits, most) = (self.limits().asks, self.limits().waiting);
        let (call, verdict) = (call_json(call)?, raw(answer)?);
        let now_told = told(answer.reason.clone(), answer.urls.iter().map(|url| url.send.clone()));
        self.happen(held, move |tree, now| {
            let mut asked = tree.asks(&session).filter(|ask| ask.question.expires > now);
            let of_it =
                |ask: &&Ask| ask.question.digest == digest && told_before(&ask.question).as_ref() == Some(&now_told);
            if let Some(ask) = asked.by_ref().filter(of_it).find(|ask| ask.state == AskState::Yes) {
                let ask = ask.question.ask.clone();
                return Ok((vec![Happened::Spent(Spent { ask })], Answered::Yes));
            }
            let waiting: Vec<&Ask> = tree
                .asks(&session)
                .filter(|ask| ask.state == AskState::Waiting && ask.question.expires > now)
                .collect();
            if let Some(ask) = waiting.iter().copied().find(|ask| of_it(ask)) {
                return Ok((Vec::new(), Answered::Waits(ask.question.ask.clone())));
            }
            if waiting.len() >= most {
                return Err(Failure::TooMany("questions that wait"));
            }
            let ask = new_id("ask_")?;
            let (call, verdict, digest) = (call.clone(), verdict.clone(), digest.clone());
            let question = Question { ask: ask.clone(), digest, call, verdict, expires: now.saturating_add(waits) };
            Ok((vec![Happened::Asked(question)], Answered::Waits(ask)))
        })
        .await
    }

    /// Takes a person's answer to a question of a session.
    pub async fn answer(self: &Arc<Self>, held: &Held, ask: &str, yes: bool) -> Result<(), Failure> {
        let (session, id) = (held.id().to_owned(), ask.to_owned());
        self.happen(held, move |tree, now| {
            let ask = tree.ask(&id).filter(|ask| ask.session == session).ok_or(Failure::NotFound)?;
            let length = tree.len(&session);
            match state(ask, now) {
                "waiting" => Ok((vec![Happened::Answered(crate::event::Answered { ask: id.clone(), yes })], ())),
                "expired" => Err(Failure::Conflict { why: "the question waited too long, which counts as no", length }),
                _ => Err(Failure::Conflict { why: "the question has its answer", length }),
            }
        })
        .await
    }
}

/// What came of a question.
enum Answered {
    Yes,
    Waits(String),
}

/// What came of a question by now: `waiting`, `yes`, `no`, `spent`, or `expired`, which counts as no.
pub fn state(ask: &Ask, now: Millis) -> &'static str {
    let is_over = ask.question.expires <= now;
    match ask.state {
        AskState::Waiting | AskState::Yes if is_over => "expired",
        AskState::Waiting => "waiting",
        AskState::Yes => "yes",
        AskState::No => "no",
        AskState::Spent => "spent",
    }
}

/// Of a session of which the caller knows more than is known here: whoever cannot decide refuses.
fn unseen(call: &Asked, length: usize) -> Decided {
    let urls: Vec<String> = call.urls().map(<[String]>::to_vec).unwrap_or_default();
    let reason = firsthand::verdict::Reason::IncompleteView;
    let mut answer = engine::answer(&firsthand::check::outside_a_run(&urls), &|_| (0, String::new()));
    answer.verdict = answer::Verdict::Refuse;
    answer.reason = Some(reason.code().to_owned());
    answer.error_code = Some(reason.error_code().to_owned());
    answer.message = Some("The record of this conversation ends before the item that the caller knows of.".to_owned());
    for url in &mut answer.urls {
        url.reason = Some(reason.code().to_owned());
    }
    Decided { answer, length, ask: None, permit: None, line: None }
}

/// The answer after a person's yes.
fn opened(answer: &mut CheckAnswer) {
    answer.verdict = answer::Verdict::Open;
    (answer.reason, answer.message, answer.error_code) = (None, None, None);
    for url in &mut answer.urls {
        (url.verdict, url.reason) = (answer::Verdict::Open, None);
    }
}

/// By what a call is known when it is made again: the tool, the server, and the arguments byte for byte, since two readers
/// may take other spellings of them differently.
fn digest(call: &Asked) -> String {
    let of = call.call();
    let text = serde_json::json!([of.server, of.tool, *of.arguments, call.urls()]).to_string();
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// What a person is told of a call: why it asks, and what would leave. A yes is for that and nothing else.
type Told = (Option<String>, Vec<Option<String>>);

fn told(reason: Option<String>, sends: impl Iterator<Item = Option<String>>) -> Told {
    (reason, sends.collect())
}

fn told_before(question: &Question) -> Option<Told> {
    let verdict: serde_json::Value = serde_json::from_str(question.verdict.get()).ok()?;
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let sends = verdict.get("urls")?.as_array()?.iter().map(|url| url.get("send").and_then(text));
    Some(told(verdict.get("reason").and_then(text), sends))
}

fn call_json(call: &Asked) -> Result<Box<RawValue>, Failure> {
    let of = call.call();
    let arguments = RawValue::from_string(of.arguments.to_string()).map_err(|_| Failure::Lost)?;
    #[derive(serde::Serialize)]
    struct Shown<'a> {
        id: &'a str,
        tool: &'a str,
        server: Option<&'a str>,
        arguments: Box<RawValue>,
    }
    raw(&Shown { id: &of.id, tool: &of.tool, server: of.server.as_deref(), arguments })
}

fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, Failure> {
    serde_json::value::to_raw_value(value).map_err(|_| Failure::Lost)
}
