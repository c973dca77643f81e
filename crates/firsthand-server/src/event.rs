//! What happens in a tree of sessions, as it is kept.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::rules::Rules;
use crate::store::{Event, Millis};

/// What happened.
#[derive(Debug)]
pub enum Happened {
    /// A session began.
    Began(Began),
    /// Other rules hold for what comes later in a session.
    Ruled(Rules),
    /// An entry of the conversation.
    Entry(Entry),
    /// A reference was handed out.
    HandedOut(HandedOut),
    /// A person has to be asked about a call.
    Asked(Question),
    /// A person answered.
    Answered(Answered),
    /// What a person's yes allowed was done.
    Spent(Spent),
}

/// How a session begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Began {
    /// The session above it.
    pub parent: Option<String>,
    /// `person`, `parent_model`, `presumed`, or none where nobody says.
    pub seat: Option<String>,
    /// The host program whose tools the session has.
    pub dialect: String,
    /// What holds for it.
    pub rules: Rules,
}

/// An entry of a conversation as it was sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The format's name.
    pub format: String,
    /// The entry in that format.
    pub item: Box<RawValue>,
}

/// A reference that was handed out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HandedOut {
    /// The reference.
    pub reference: String,
    /// When its time is over, in seconds since 1970 (UTC).
    pub expires: i64,
    /// The number of the result that held the address.
    pub item: usize,
    /// What it stands for, sealed.
    pub sealed: String,
}

/// A question that waits for a person.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// Its id.
    pub ask: String,
    /// A digest of the call, by which it is known when it is made again.
    pub digest: String,
    /// The call, as JSON.
    pub call: Box<RawValue>,
    /// The verdict, as JSON.
    pub verdict: Box<RawValue>,
    /// Until when a yes counts.
    pub expires: Millis,
}

/// A person's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answered {
    /// The question.
    pub ask: String,
    /// Whether the call may be made.
    pub yes: bool,
}

/// A yes that was used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spent {
    /// The question.
    pub ask: String,
}

/// An event that this program cannot read. Whoever meets one decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event cannot be read")]
pub struct Unreadable;

impl Happened {
    /// The event of it.
    pub fn event(&self, session: &str, item: Option<String>, time: Millis) -> Result<Event, Unreadable> {
        let (kind, body) = match self {
            Self::Began(began) => ("began", serde_json::to_string(began)),
            Self::Ruled(rules) => ("ruled", serde_json::to_string(rules)),
            Self::Entry(entry) => ("entry", serde_json::to_string(entry)),
            Self::HandedOut(handed_out) => ("handed_out", serde_json::to_string(handed_out)),
            Self::Asked(question) => ("asked", serde_json::to_string(question)),
            Self::Answered(answered) => ("answered", serde_json::to_string(answered)),
            Self::Spent(spent) => ("spent", serde_json::to_string(spent)),
        };
        let body = body.map_err(|_| Unreadable)?;
        Ok(Event { session: session.to_owned(), item, kind: kind.to_owned(), time, body })
    }

    /// What an event says.
    pub fn read(event: &Event) -> Result<Self, Unreadable> {
        fn body<'e, T: Deserialize<'e>>(event: &'e Event) -> Result<T, Unreadable> {
            serde_json::from_str(&event.body).map_err(|_| Unreadable)
        }
        match event.kind.as_str() {
            "began" => body(event).map(Self::Began),
            "ruled" => body(event).map(Self::Ruled),
            "entry" => body(event).map(Self::Entry),
            "handed_out" => body(event).map(Self::HandedOut),
            "asked" => body(event).map(Self::Asked),
            "answered" => body(event).map(Self::Answered),
            "spent" => body(event).map(Self::Spent),
            _ => Err(Unreadable),
        }
    }
}
