//! JSON in, JSON out: the library as one function for programs of any language, and as a conversation that grows.
//!
//! A request or an answer is one JSON text. What cannot be answered is an `error` with a `kind` and a message; whoever gets
//! one opens nothing.
//!
//! ```text
//! check    {"policy":POLICY?,"format":NAME?,"conversation":RECORD|null,"parents":[RECORD,...]?,"earlier":RECORD?,
//!           "call":CALL,"rewrites":bool?,"person":bool?,"now":seconds?}
//! open     {"policy":POLICY?,"seat":"person"|"parent_model"|null,"dialect":NAME?}
//! append   {"items":[ITEM,...]}                  gives {"length":int,"added":int}
//! ask      {"call":CALL,"rewrites":bool?,"person":bool?,"now":seconds?}
//! CALL     {"tool":NAME,"server":NAME?,"urls":[...]} or {"tool":NAME,"server":NAME?,"arguments":{...}}
//! POLICY   a profile's name, or the text of a policy file
//! RECORD   the text of a recorded conversation in any format, or a list of items of the own format
//! ```

mod asked;
mod growing;

use firsthand::check::{Circumstances, outside_a_run};
use firsthand::conversation::{Conversation, Seat};
use firsthand::ledger::{Ledger, RestoreError};
use firsthand::policy::Policy;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::engine::{self, Earlier, Family, Member};
use crate::error::ReadError;
use crate::format::{Choice, Source, own, read};
use crate::policy::{PolicyError, load, profile};

pub use asked::Asked;
use asked::CallRequest;
pub use growing::{Growing, Unsaved, entry_items};

/// Why a request has no answer. Whoever gets one opens nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The request is not what it should be.
    #[error("the request is malformed: {0}")]
    Request(String),
    /// The policy cannot be used.
    #[error("the policy is malformed: {0}")]
    Policy(PolicyError),
    /// A conversation cannot be read.
    #[error("the {which} cannot be read: {why}")]
    Conversation {
        /// `conversation`, `parent` or `earlier`.
        which: &'static str,
        /// Why.
        why: ReadError,
    },
    /// A saved ledger cannot be used.
    #[error("the ledger cannot be used: {0}")]
    Ledger(RestoreError),
}

impl CallError {
    /// The kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request(_) => "request",
            Self::Policy(_) => "policy",
            Self::Conversation { .. } => "conversation",
            Self::Ledger(_) => "ledger",
        }
    }

    /// The error as an answer.
    pub fn to_json(&self) -> String {
        let error = serde_json::json!({"error": {"kind": self.kind(), "message": self.to_string()}});
        error.to_string()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckRequest<'r> {
    policy: Option<String>,
    format: Option<String>,
    #[serde(borrow)]
    conversation: Option<&'r RawValue>,
    #[serde(borrow, default)]
    parents: Vec<&'r RawValue>,
    #[serde(borrow)]
    earlier: Option<&'r RawValue>,
    #[serde(borrow)]
    call: CallRequest<'r>,
    #[serde(default = "yes")]
    rewrites: bool,
    #[serde(default)]
    person: bool,
    now: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    policy: Option<String>,
    seat: Option<String>,
    #[serde(default)]
    dialect: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppendRequest<'r> {
    #[serde(borrow)]
    items: Vec<&'r RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskRequest<'r> {
    #[serde(borrow)]
    call: CallRequest<'r>,
    #[serde(default = "yes")]
    rewrites: bool,
    #[serde(default)]
    person: bool,
    now: Option<i64>,
}

fn yes() -> bool {
    true
}

/// The verdict on a call made at the end of a conversation that the request holds: the object of `firsthand check`.
pub fn check_once(request: &str) -> String {
    answered(try_check_once(request))
}

fn answered(answer: Result<String, CallError>) -> String {
    answer.unwrap_or_else(|error| error.to_json())
}

fn try_check_once(request: &str) -> Result<String, CallError> {
    let request: CheckRequest<'_> = parse(request)?;
    let policy = policy(request.policy.as_deref())?;
    let now = Circumstances { rewrites: request.rewrites, person: request.person, now: request.now };
    let format = request.format.as_deref().unwrap_or("auto");
    let Some(conversation) = request.conversation else {
        let urls = request.call.into_urls();
        return Ok(json(&engine::answer(&outside_a_run(&urls), &|_| (0, String::new()))));
    };
    let conversation = record(conversation, format, "conversation")?;
    let parents = request
        .parents
        .into_iter()
        .map(|parent| record(parent, format, "parent").map(|conversation| Member { file: String::new(), conversation }))
        .collect::<Result<Vec<_>, _>>()?;
    let mut family = Family::of("", conversation).below(parents);
    // Earlier turns that cannot be read are said to be so; the current run decides alone.
    family.earlier = match request.earlier.map(|earlier| record(earlier, format, "earlier")) {
        None => Earlier::None,
        Some(Ok(conversation)) => Earlier::Items(conversation.items),
        Some(Err(_)) => Earlier::Unreadable,
    };
    let asked = request.call.asked()?;
    Ok(json(&engine::check_call(&family, &asked.ask(), &policy, &now)))
}

/// A conversation that grows, one run, with JSON texts in and out.
#[derive(Debug)]
pub struct Session {
    policy: Policy,
    ledger: Ledger,
    growing: Growing,
}

impl Session {
    /// Opens a session. The key seals digests of the operator's values: 32 random bytes that stay with the ledger.
    pub fn open(request: &str, key: [u8; 32]) -> Result<Self, CallError> {
        let request: OpenRequest = parse(request)?;
        let seat = match request.seat.as_deref() {
            None => Seat::Presumed,
            Some("person") => Seat::Person,
            Some("parent_model") => Seat::ParentModel,
            Some(_) => {
                return Err(CallError::Request("`seat`: expected \"person\", \"parent_model\" or null".to_owned()));
            }
        };
        let policy = policy(request.policy.as_deref())?;
        let mut ledger = Ledger::new(key);
        let growing = Growing::begin(&mut ledger, None, seat, &request.dialect);
        Ok(Self { policy, ledger, growing })
    }

    /// Appends items of the own format: all of them or, where one cannot be read, none.
    pub fn append(&mut self, request: &str) -> String {
        answered(self.try_append(request))
    }

    fn try_append(&mut self, request: &str) -> Result<String, CallError> {
        let request: AppendRequest<'_> = parse(request)?;
        let mut items = Vec::new();
        let before = self.length();
        for item in &request.items {
            items.extend(entry_items(own::FORMAT.name, item.get(), before + items.len())?);
        }
        let added = items.len();
        for item in items {
            self.growing.note(&mut self.ledger, item, &self.policy);
        }
        Ok(serde_json::json!({"length": self.length(), "added": added}).to_string())
    }

    fn length(&self) -> usize {
        self.ledger.len(self.growing.run())
    }

    /// The verdict on a call made now.
    pub fn ask(&self, request: &str) -> String {
        answered(self.try_ask(request))
    }

    fn try_ask(&self, request: &str) -> Result<String, CallError> {
        let request: AskRequest<'_> = parse(request)?;
        let now = Circumstances { rewrites: request.rewrites, person: request.person, now: request.now };
        let decision = request.call.asked()?.judge(&self.ledger, self.growing.run(), &self.policy, &now);
        // A ledger knows items by their numbers; their places are the caller's.
        let answer = decision.map_or_else(engine::opens_nothing, |decision| {
            engine::answer(&decision, &|first| (first.item, String::new()))
        });
        Ok(json(&answer))
    }

    /// The saved form of the session's ledger.
    pub fn save(&mut self) -> Vec<u8> {
        self.ledger.save()
    }

    /// A session of a saved ledger with one run, under a policy that holds for later items.
    pub fn restore(request: &str, saved: &[u8]) -> Result<Self, CallError> {
        let mut session = Self::open(request, [0; 32])?;
        session.ledger = Ledger::restore(saved).map_err(CallError::Ledger)?;
        if session.ledger.run_count() == 0 {
            return Err(CallError::Ledger(RestoreError::NoRun));
        }
        session.growing = Growing::restored(&session.ledger, session.growing.run(), None);
        Ok(session)
    }
}

fn parse<'r, T: Deserialize<'r>>(request: &'r str) -> Result<T, CallError> {
    serde_json::from_str(request).map_err(|error| CallError::Request(ReadError::json(&error, 1).to_string()))
}

/// The policy of a profile's name or of the text of a policy file; the default profile where nothing is said.
pub fn policy(said: Option<&str>) -> Result<Policy, CallError> {
    let Some(said) = said else { return profile(crate::policy::DEFAULT_PROFILE).map_err(CallError::Policy) };
    match profile(said) {
        Ok(policy) => Ok(policy),
        Err(error) if !said.contains(['=', '{', '[']) => Err(CallError::Policy(error)),
        Err(_) => load(said).map(|loaded| loaded.policy).map_err(CallError::Policy),
    }
}

/// A record: a text in any format, or a list of items of the own format.
fn record(record: &RawValue, format: &str, which: &'static str) -> Result<Conversation, CallError> {
    let unreadable = |why| CallError::Conversation { which, why };
    let text = match serde_json::from_str::<String>(record.get()) {
        Ok(text) => text,
        Err(_) if format == "auto" || format == own::FORMAT.name => {
            let items: Vec<&RawValue> = parse(record.get())?;
            items.into_iter().map(|item| format!("{}\n", on_one_line(item))).collect()
        }
        Err(_) => record.get().to_owned(),
    };
    let mut conversations = read(text.as_bytes(), Choice::said(format), &Source { name: which })
        .map_err(unreadable)?
        .conversations
        .into_iter();
    match (conversations.next(), conversations.next()) {
        (Some(only), None) => Ok(only),
        (None | Some(_), _) => {
            Err(unreadable(ReadError::unexpected("", "none or several conversations", "one conversation")))
        }
    }
}

/// Line ends between the tokens of a JSON text become spaces.
fn on_one_line(json: &RawValue) -> String {
    json.get().replace(['\n', '\r'], " ")
}

fn json(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    fn field(answer: &str, name: &str) -> String {
        let value: serde_json::Value = serde_json::from_str(answer).unwrap();
        value.pointer(name).map(ToString::to_string).unwrap_or_default()
    }

    #[test]
    fn a_conversation_and_a_call_give_a_verdict() {
        let request = r#"{"conversation":[{"position":"user","text":"Read https://a.example/x please"}],
            "call":{"tool":"web_fetch","arguments":{"url":"http://a.example/x/"}}}"#;
        let answer = check_once(request);
        assert_eq!(field(&answer, "/verdict"), "\"open\"", "{answer}");
        assert_eq!(field(&answer, "/urls/0/send"), "\"https://a.example/x\"");
        let outside = check_once(r#"{"conversation":null,"call":{"tool":"web_fetch","urls":["https://a.example/x"]}}"#);
        assert_eq!(field(&outside, "/reason"), "\"no_context\"");
    }

    #[test]
    fn what_comes_back_for_a_call_that_was_taken_back_opens_nothing() {
        let hits = r#"{"position":"tool_result","id":"s","json":{"results":[{"url":"https://a.example/x"}]}}"#;
        let call = r#"{"position":"tool_call","id":"s","tool":"web_search","arguments":{"query":"q"}}"#;
        let append = |session: &mut Session, items: &str| {
            session.append(&format!(r#"{{"items":[{items}]}}"#));
        };
        let ask = r#"{"call":{"tool":"web_fetch","urls":["https://a.example/x"]}}"#;
        let verdict = |session: &Session| field(&session.ask(ask), "/verdict");
        for (rewind, expected) in [("", "\"open\""), (r#"{"position":"rewind","to":1}"#, "\"refuse\"")] {
            let mut session = Session::open(r#"{"seat":"person"}"#, [7; 32]).unwrap();
            append(&mut session, r#"{"position":"user","text":"Hi"}"#);
            append(&mut session, call);
            // Whoever keeps a session between two items forgets nothing that matters.
            let mut later = Session::restore(r#"{"seat":"person"}"#, &session.save()).unwrap();
            for session in [&mut session, &mut later] {
                append(session, rewind);
                append(session, hits);
                assert_eq!(verdict(session), expected, "{rewind}");
            }
        }
    }

    #[test]
    fn a_session_grows_and_survives_being_saved() {
        let mut session = Session::open(r#"{"seat":"person"}"#, [7; 32]).unwrap();
        let appended = session.append(r#"{"items":[{"position":"assistant","text":"try https://c.example/?d=1"},{"position":"user","text":"no, https://a.example/x"}]}"#);
        assert_eq!(appended, r#"{"length":2,"added":2}"#);
        let saved = session.save();
        let session = Session::restore("{}", &saved).unwrap();
        let asked = |url: &str| session.ask(&format!(r#"{{"call":{{"tool":"web_fetch","urls":["{url}"]}}}}"#));
        assert_eq!(field(&asked("https://a.example/x"), "/verdict"), "\"open\"");
        assert_eq!(field(&asked("https://c.example/?d=1"), "/reason"), "\"model_wrote_first\"");
    }

    #[test]
    fn a_ledger_without_a_run_is_no_session() {
        let saved = Ledger::new([7; 32]).save();
        let error = Session::restore("{}", &saved).unwrap_err();
        assert_eq!(error.to_string(), "the ledger cannot be used: the ledger holds no run");
    }

    #[test]
    fn what_cannot_be_read_opens_nothing_and_loses_nothing() {
        let mut session = Session::open("{}", [7; 32]).unwrap();
        let answer =
            session.append(r#"{"items":[{"position":"user","text":"https://a.example/x"},{"position":"wizard"}]}"#);
        assert_eq!(field(&answer, "/error/kind"), "\"conversation\"");
        assert!(!answer.contains("a.example"), "{answer}");
        assert_eq!(session.append(r#"{"items":[]}"#), r#"{"length":0,"added":0}"#);
        assert_eq!(field(&check_once("{"), "/error/kind"), "\"request\"");
        let unread = r#"{"conversation":"{broken","call":{"tool":"web_fetch","urls":["https://a.example/x"]}}"#;
        assert_eq!(field(&check_once(unread), "/error/kind"), "\"conversation\"");
    }
}
