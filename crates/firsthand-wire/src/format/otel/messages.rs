//! What a span says: messages that the model was given, messages that it wrote, or a tool that was run.

use super::older;
use super::span::{Kind, Own, Span};
use crate::format::recorded::node::{Node, Spot};

/// A message in the form of the present conventions: a role and parts.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) role: String,
    pub(super) parts: Vec<(Own, Spot)>,
    pub(super) spot: Spot,
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

    fn take(&mut self, value: &Own, spot: &Spot) -> Option<Vec<Message>> {
        match parsed(value) {
            Some(list) => Some(list_of(&list, spot, "user")),
            None => {
                self.cut.push((super::span::word(value), spot.clone()));
                None
            }
        }
    }
}

/// What a span says of messages, by the first convention that it follows.
pub(super) fn said(span: &Span) -> Said {
    let mut said = Said::default();
    current(span, &mut said);
    if said.is_empty() {
        older::events(span, &mut said);
    }
    if said.is_empty() {
        older::indexed(span, &mut said);
    }
    if said.is_empty() && span.kind() == Kind::Model {
        older::bare_output(span, &mut said);
    } else if said.output.is_empty() && span.kind() == Kind::Model {
        older::bare_output(span, &mut said);
    }
    said
}

fn current(span: &Span, said: &mut Said) {
    let events = || span.events.iter().map(|(_, attributes, spot)| (attributes, spot));
    let find = |key: &str| {
        let own = span.get(key).map(|value| (value, &span.spot));
        own.or_else(|| events().find_map(|(attributes, spot)| Some((attributes.get(key)?, spot))))
            .filter(|(value, _)| !value.is_null())
    };
    if let Some((value, spot)) = find("gen_ai.system_instructions") {
        let spot = spot.at("gen_ai.system_instructions");
        let parts = parsed(value).unwrap_or_else(|| value.clone());
        let role = "system".to_owned();
        said.system.push(Message { role, parts: parts_of(&parts, &spot), spot });
    }
    for key in ["gen_ai.input.messages", "pydantic_ai.all_messages"] {
        if let Some((value, spot)) = find(key) {
            said.input = said.take(value, &spot.at(key));
            break;
        }
    }
    if let Some((value, spot)) = find("gen_ai.output.messages") {
        said.output = said.take(value, &spot.at("gen_ai.output.messages")).unwrap_or_default();
        // What stands here is the model's, whatever its role says.
        said.output
            .iter_mut()
            .filter(|message| message.role == "user")
            .for_each(|message| "assistant".clone_into(&mut message.role));
    }
}

/// A value that may be a JSON text of itself; `None` where such a text is broken or cut off.
pub(super) fn parsed(value: &Own) -> Option<Own> {
    match value {
        Node::Text(text) => serde_json::from_str::<Node<'_>>(text).ok().map(Node::into_owned),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => Some(value.clone()),
    }
}

/// The messages of a list; a string in it, or in its place, is one of this role.
fn list_of(list: &Own, spot: &Spot, role: &str) -> Vec<Message> {
    let alone = std::slice::from_ref(list);
    let messages = if list.is_list() { list.list() } else { alone };
    let placed = messages.iter().enumerate().map(|(index, message)| (message, spot.at(index)));
    placed.map(|(message, spot)| older::message(message, &spot, role)).collect()
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
