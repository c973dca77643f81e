//! Messages in the form of the present conventions.

use firsthand::conversation::Speaker;

use super::span::Own;
use crate::format::recorded::node::{Node, Spot};

/// A message in the form of the present conventions: a role and parts.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) role: String,
    pub(super) parts: Vec<(Own, Spot)>,
    pub(super) spot: Spot,
    /// Whose it is, where a sign of it says that no person typed it.
    pub(super) doubt: Option<Speaker>,
    /// A sign of it says that what it returns came of a failure.
    pub(super) failed: bool,
}

impl Message {
    /// A message of which no more is known.
    pub(super) fn new(role: &str, parts: Vec<(Own, Spot)>, spot: Spot) -> Self {
        Self { role: role.to_owned(), parts, spot, doubt: None, failed: false }
    }
}

/// What a span says.
#[derive(Default)]
pub(super) struct Said {
    pub(super) system: Vec<Message>,
    /// The history that the model was given; `None` where the span does not have it.
    pub(super) input: Option<Vec<Message>>,
    pub(super) output: Vec<Message>,
    /// Text of messages that is cut off.
    pub(super) cut: Vec<(String, Spot)>,
}

impl Said {
    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.input.is_none() && self.output.is_empty() && self.cut.is_empty()
    }
}

/// A value that may be a JSON text of itself; `None` where such a text is broken or cut off.
pub(super) fn parsed(value: &Own) -> Option<Own> {
    match value {
        Node::Text(text) => serde_json::from_str::<Node<'_>>(text).ok().map(Node::into_owned),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => Some(value.clone()),
    }
}

/// The parts of a message; a string is a text.
pub(super) fn parts_of(parts: &Own, spot: &Spot) -> Vec<(Own, Spot)> {
    match parts {
        Node::List(parts) => parts.iter().enumerate().map(|(index, part)| (whole(part), spot.at(index))).collect(),
        Node::Null => Vec::new(),
        Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_) => vec![(whole(parts), spot.clone())],
    }
}

fn whole(part: &Own) -> Own {
    part.text().map_or_else(|| part.clone(), text_part)
}

/// A part that is a text.
pub(super) fn text_part(text: &str) -> Own {
    part("text", vec![("content", Node::Text(text.to_owned().into()))])
}

/// A part of this type.
pub(super) fn part(kind: &str, members: Vec<(&'static str, Own)>) -> Own {
    let kind = ("type".into(), Node::Text(kind.to_owned().into()));
    Node::Map(std::iter::once(kind).chain(members.into_iter().map(|(key, value)| (key.into(), value))).collect())
}
