//! Signs by which a result says that the tool failed, was refused or was not done.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};

use super::super::node::{Key, Node};
use super::names::{LONGEST, fold};

/// Words that say of a result that it is there.
const DONE: &[&[u8]] = &[
    b"available",
    b"complete",
    b"completed",
    b"done",
    b"final",
    b"finished",
    b"inprogress",
    b"interpreting",
    b"ok",
    b"outcomeok",
    b"outputavailable",
    b"result",
    b"searching",
    b"succeeded",
    b"success",
    b"successful",
];

/// What the member of a name says of how a call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It went wrong: a flag.
    Wrong,
    /// What went wrong.
    Why,
    /// It went well: a flag.
    Well,
    /// Whether a person let it be done.
    Approval,
    /// The number with which a command ended.
    Code,
    /// How far it is.
    State,
    Type,
}

fn says(name: &str) -> Option<Says> {
    let mut buffer = [0; LONGEST];
    Some(match fold(name, &mut buffer)? {
        b"aborted" | b"blocked" | b"canceled" | b"cancelled" | b"denied" | b"errored" | b"failed" | b"haserror"
        | b"interrupted" | b"isaborted" | b"iscanceled" | b"iscancelled" | b"isdenied" | b"iserror" | b"isfailed"
        | b"isinterrupt" | b"ispartial" | b"isrejected" | b"partial" | b"preliminary" | b"refused" | b"rejected"
        | b"skipped" | b"timedout" | b"wascanceled" | b"wascancelled" => Says::Wrong,
        b"err" | b"error" | b"errorcode" | b"errordetails" | b"errormessage" | b"errors" | b"errortext"
        | b"errortype" | b"exception" | b"failure" | b"tooldenialkind" => Says::Why,
        b"approved" | b"isapproved" | b"issuccess" | b"issuccessful" | b"ok" | b"succeeded" | b"success"
        | b"successful" => Says::Well,
        b"approval" => Says::Approval,
        b"exitcode" | b"returncode" => Says::Code,
        b"outcome" | b"resultstatus" | b"state" | b"status" => Says::State,
        b"resulttype" | b"subtype" | b"type" => Says::Type,
        _ => return None,
    })
}

/// Whether a sign of a result, or of what it stands in, says that it failed.
pub(in crate::format) fn failed(record: &Node<'_>) -> bool {
    failed_but(record, &[])
}

/// The same for records in which members of these names say nothing of a result.
pub(in crate::format) fn failed_but(record: &Node<'_>, ordinary: &[&str]) -> bool {
    let members = record.members().iter().filter(|(name, _)| !ordinary.contains(&&**name));
    members.into_iter().any(|(name, value)| says(name).is_some_and(|says| fails(says, value)))
}

/// The same for what a tool itself returned. It is data and has states of its own, so only what says that there was an
/// error counts.
pub(in crate::format) fn failed_within(data: &Node<'_>) -> bool {
    data.members().iter().any(|(name, value)| {
        let mut buffer = [0; LONGEST];
        let is_plain = matches!(fold(name, &mut buffer), Some(b"error" | b"errormessage" | b"iserror"));
        is_plain && says(name).is_some_and(|says| fails(says, value))
    })
}

fn fails(says: Says, value: &Node<'_>) -> bool {
    match (says, value) {
        // What is missing, or an empty string, says nothing.
        (_, Node::Null) => false,
        (_, Node::Text(text)) if text.is_empty() => false,
        (Says::Wrong, _) => value.is_said(),
        (Says::Why, _) => value.is_said() && !value.is_empty(),
        (Says::Well, _) => !matches!(value, Node::Bool(true)),
        (Says::Approval, Node::Map(_)) => failed(value),
        (Says::Approval, _) => !matches!(value, Node::Bool(true)),
        (Says::Code, Node::Number(code)) => code.as_i64() != Some(0),
        (Says::Code, Node::Text(code)) => &**code != "0",
        (Says::State, Node::Text(state)) => !is_done(state),
        // The status of a web page.
        (Says::State, Node::Number(number)) => !number.as_u64().is_some_and(|number| (200..300).contains(&number)),
        (Says::State, Node::Map(_)) => value.is_empty() || failed(value),
        (Says::Code | Says::State, _) => !matches!(value, Node::Bool(false)),
        (Says::Type, Node::Text(kind)) => {
            let mut buffer = [0; LONGEST];
            let ends =
                |kind: &[u8]| kind.starts_with(b"error") || kind.ends_with(b"error") || kind.ends_with(b"denied");
            fold(kind, &mut buffer).is_some_and(ends)
        }
        (Says::Type, _) => false,
    }
}

fn is_done(state: &str) -> bool {
    let mut buffer = [0; LONGEST];
    fold(state, &mut buffer).is_some_and(|state| DONE.contains(&state))
}

/// An object with fields of its own, and whether a member of it says that it failed. Such members are not given on to the
/// fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::format) struct Watched<T> {
    inner: T,
    failed: bool,
}

impl<T> Watched<T> {
    /// An object that says nothing of a failure.
    pub(in crate::format) fn of(inner: T) -> Self {
        Self { inner, failed: false }
    }

    /// Whether it failed.
    pub(in crate::format) fn failed(&self) -> bool {
        self.failed
    }
}

impl<T> Deref for Watched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Watched<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WatchedVisitor(PhantomData))
    }
}

struct WatchedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for WatchedVisitor<T> {
    type Value = Watched<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Watched<T>, A::Error> {
        let mut watch = Watch { access, failed: false };
        let inner = T::deserialize(MapAccessDeserializer::new(&mut watch))?;
        Ok(Watched { inner, failed: watch.failed })
    }
}

/// The members of an object on their way to whoever reads it.
struct Watch<A> {
    access: A,
    failed: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Watch<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(Key(name)) = self.access.next_key::<Key<'de>>()? {
            // Whoever reads the object needs its type.
            if let Some(says) = says(&name).filter(|says| *says != Says::Type) {
                self.failed |= fails(says, &self.access.next_value::<Node<'de>>()?);
                continue;
            }
            let key = match name {
                std::borrow::Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                std::borrow::Cow::Owned(name) => seed.deserialize(StrDeserializer::<A::Error>::new(&name)),
            };
            return key.map(Some).map_err(A::Error::custom);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.access.next_value_seed(seed)
    }
}
