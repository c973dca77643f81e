//! What a span says of messages, in whichever convention.

use super::messages::{Message, Said, parsed, parts_of};
use super::older;
use super::span::{Kind, Own, Span};
use crate::format::recorded::node::{Spot, keys_once};

/// What a span says of messages, by the first convention that it follows.
pub(super) fn of(span: &Span) -> Said {
    let mut said = Said::default();
    current(span, &mut said);
    if said.is_empty() {
        older::events(span, &mut said);
    }
    if said.is_empty() {
        older::indexed(span, &mut said);
    }
    if said.output.is_empty() && span.kind() == Kind::Model {
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
        said.system.push(Message::new("system", parts_of(&parts, &spot), spot));
    }
    for key in ["gen_ai.input.messages", "pydantic_ai.all_messages"] {
        if let Some((value, spot)) = find(key) {
            said.input = take(&mut said.cut, value, &spot.at(key));
            break;
        }
    }
    if let Some((value, spot)) = find("gen_ai.output.messages") {
        said.output = take(&mut said.cut, value, &spot.at("gen_ai.output.messages")).unwrap_or_default();
        // What stands here is the model's, whatever its role says.
        said.output
            .iter_mut()
            .filter(|message| message.role == "user")
            .for_each(|message| "assistant".clone_into(&mut message.role));
    }
}

/// The messages of a value; text that is cut off is put aside.
fn take(cut: &mut Vec<(String, Spot)>, value: &Own, spot: &Spot) -> Option<Vec<Message>> {
    // Programs read different ones of two members of one name.
    match parsed(value).filter(|list| keys_once(list, spot).is_ok()) {
        Some(list) => Some(list_of(&list, spot)),
        None => {
            cut.push((value.text().map_or_else(|| value.json(), str::to_owned), spot.clone()));
            None
        }
    }
}

/// The messages of a list. A string in it, or in its place, may be a whole history: it is nobody's.
fn list_of(list: &Own, spot: &Spot) -> Vec<Message> {
    let alone = std::slice::from_ref(list);
    let messages = if list.is_list() { list.list() } else { alone };
    let placed = messages.iter().enumerate().map(|(index, message)| (message, spot.at(index)));
    placed.map(|(message, spot)| older::message(message, &spot)).collect()
}
