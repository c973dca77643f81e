//! A JSON value that borrows from the file and keeps members that repeat a name, and where it stands.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::error::{Place, ReadError, shown_key};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::format) enum Node<'a> {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    /// The members in order, those of one name all kept: a call whose arguments name something twice must show it.
    Map(Vec<(Cow<'a, str>, Self)>),
}

/// What a key that is missing leads to.
static NOTHING: Node<'static> = Node::Null;

impl<'a> Node<'a> {
    /// The member of this name (the last of several, as most parsers take it); null where there is none.
    pub(in crate::format) fn get(&self, key: &str) -> &Self {
        self.find(key).unwrap_or(&NOTHING)
    }

    /// The member of this name, unless it is missing or null.
    pub(in crate::format) fn find(&self, key: &str) -> Option<&Self> {
        let Self::Map(members) = self else { return None };
        members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// The string, if it is one.
    pub(in crate::format) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The elements, if it is an array; none else.
    pub(in crate::format) fn list(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Map(_) => &[],
        }
    }

    /// The members, if it is an object; none else.
    pub(in crate::format) fn members(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Map(members) => members,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        }
    }

    /// The string at a key; empty where there is none.
    pub(in crate::format) fn say(&self, key: &str) -> &str {
        self.get(key).text().unwrap_or_default()
    }

    /// The string or number at a key, as a text; empty where there is none. Some servers number their ids.
    pub(in crate::format) fn word(&self, key: &str) -> Cow<'_, str> {
        match self.get(key) {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Null | Self::Bool(_) | Self::List(_) | Self::Map(_) => Cow::Borrowed(""),
        }
    }

    /// The number, if it is a whole one that is not negative; 0 else.
    pub(in crate::format) fn number(&self) -> u64 {
        match self {
            Self::Number(number) => number.as_u64().unwrap_or_default(),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::List(_) | Self::Map(_) => 0,
        }
    }

    /// Whether it may say yes: for what takes belief away, where anything but a plain no counts.
    pub(in crate::format) fn may_be_yes(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    /// Whether it says something: what is missing, a plain no and an empty string do not.
    pub(in crate::format) fn is_said(&self) -> bool {
        self.may_be_yes() && self.text() != Some("")
    }

    /// Whether it is an object.
    pub(in crate::format) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    /// Whether it is an array.
    pub(in crate::format) fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Whether it is null.
    pub(in crate::format) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether there is nothing in it: null, an empty string, array or object.
    pub(in crate::format) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(_) | Self::Number(_) => false,
            Self::Text(text) => text.is_empty(),
            Self::List(elements) => elements.is_empty(),
            Self::Map(members) => members.is_empty(),
        }
    }

    /// What it is, for an error.
    pub(in crate::format) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Map(_) => "an object",
        }
    }

    /// The value as JSON text.
    pub(in crate::format) fn json(&self) -> String {
        // Writing to memory fails for keys that are no strings only, and these are.
        serde_json::to_string(self).unwrap_or_else(|_| "null".to_owned())
    }

    /// The value as JSON text, members in the order of their names and without those that are null: two that say the same
    /// are equal.
    pub(in crate::format) fn sorted_json(&self) -> String {
        self.sorted().json()
    }

    fn sorted(&self) -> Self {
        match self {
            Self::List(elements) => Self::List(elements.iter().map(Self::sorted).collect()),
            Self::Map(members) => {
                let said = members.iter().filter(|(_, value)| !value.is_null());
                let mut members: Vec<_> = said.map(|(name, value)| (name.clone(), value.sorted())).collect();
                members.sort_by(|one, other| one.0.cmp(&other.0));
                Self::Map(members)
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => self.clone(),
        }
    }

    /// The same value, borrowing from nothing.
    pub(in crate::format) fn into_owned(self) -> Node<'static> {
        match self {
            Self::Null => Node::Null,
            Self::Bool(value) => Node::Bool(value),
            Self::Number(value) => Node::Number(value),
            Self::Text(text) => Node::Text(Cow::Owned(text.into_owned())),
            Self::List(elements) => Node::List(elements.into_iter().map(Node::into_owned).collect()),
            Self::Map(members) => {
                let own = |(name, value): (Cow<'a, str>, Self)| (Cow::Owned(name.into_owned()), value.into_owned());
                Node::Map(members.into_iter().map(own).collect())
            }
        }
    }

    /// An object of those of these members that are there.
    pub(in crate::format) fn only(&self, keys: &[&str]) -> Self {
        let members = self.members().iter().filter(|(name, value)| keys.contains(&&**name) && !value.is_null());
        Self::Map(members.cloned().collect())
    }

    /// The object without these members and those that are null.
    pub(in crate::format) fn without(&self, keys: &[&str]) -> Self {
        let members = self.members().iter().filter(|(name, value)| !keys.contains(&&**name) && !value.is_null());
        Self::Map(members.cloned().collect())
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Node::Text(Cow::Owned(text)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Node::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Node::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(name)) = access.next_key()? {
            members.push((name, access.next_value()?));
        }
        Ok(Node::Map(members))
    }
}

/// A member's name, borrowed where it is written without escapes.
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Reader)? {
            Node::Text(name) => Ok(Self(name)),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => {
                Err(serde::de::Error::custom("a name that is no string"))
            }
        }
    }
}

/// The keys below which what reads differently by its keys stands: messages and what they are made of. What tools were
/// given and returned is data and may repeat its keys.
const STRUCTURE: &[&str] = &[
    "request",
    "response",
    "body",
    "parsed_body",
    "messages",
    "message",
    "choices",
    "delta",
    "content",
    "content_block",
    "source",
    "tool_calls",
    "tool_call",
    "function",
    "custom",
    "function_call",
    "annotations",
    "url_citation",
    "executed_tools",
    "search_results",
    "input",
    "output",
    "item",
    "action",
    "summary",
    "data",
    "history",
    "info",
    "parts",
    "part",
    "state",
    "event",
    "origin",
    "kind",
    "toolRequests",
    "toolCalls",
    "systemPayload",
    "kwargs",
    "values",
    "channel_values",
    "outputs",
    "additional_kwargs",
    "toolResult",
    "toolInvocation",
    "toolInvocations",
    "steps",
    "observation",
    "subagent_trajectories",
    "subagent_trajectory_ref",
    "samples",
    "events",
    "resourceSpans",
    "scopeSpans",
    "spans",
    "attributes",
];

/// Fails where an object of a message's structure has two members of one name: programs read different ones of the two.
///
/// `spot` is where the value stands.
pub(in crate::format) fn keys_once(node: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    for (index, element) in node.list().iter().enumerate() {
        if matches!(element, Node::Map(_) | Node::List(_)) {
            keys_once(element, &spot.at(index))?;
        }
    }
    let mut names: Vec<&str> = node.members().iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    if let Some([name, _]) = names.windows(2).find(|pair| pair.first() == pair.last()) {
        let name = shown_key(name);
        let (found, expected) = (format!("the key {name} twice"), format!("the key {name} once"));
        return Err(ReadError::unexpected(spot.place(), found, expected));
    }
    for (name, value) in node.members().iter().filter(|(name, _)| STRUCTURE.contains(&&**name)) {
        // The arguments of a call are an object, the items of a request a list.
        let is_data = matches!(&**name, "input" | "output" | "data") && value.is_map();
        if !is_data && matches!(value, Node::Map(_) | Node::List(_)) {
            keys_once(value, &spot.at(name))?;
        }
    }
    Ok(())
}

/// Where a value stands: a JSON pointer, in a line if the file is JSON Lines. The names in it are the format's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) struct Spot {
    line: Option<usize>,
    pointer: String,
}

impl Spot {
    /// The top of the document, or of the line of this number.
    pub(in crate::format) fn top(line: Option<usize>) -> Self {
        Self { line, pointer: String::new() }
    }

    /// Whether it is in a line of JSON Lines.
    pub(in crate::format) fn is_in_line(&self) -> bool {
        self.line.is_some()
    }

    /// The member or element below it.
    pub(in crate::format) fn at(&self, step: impl fmt::Display) -> Self {
        Self { line: self.line, pointer: format!("{}/{step}", self.pointer) }
    }

    /// The same place in a document that stands at another place as a string.
    pub(in crate::format) fn below(&self, outer: &Self) -> Self {
        let line = self.line.map(|line| format!("/{line}")).unwrap_or_default();
        Self { line: outer.line, pointer: format!("{}{line}{}", outer.pointer, self.pointer) }
    }

    /// The place for an error.
    pub(in crate::format) fn place(&self) -> Place {
        match self.line {
            Some(line) if self.pointer.is_empty() => Place::Line(line),
            Some(line) => Place::Within { line, pointer: self.pointer.clone() },
            None => Place::Pointer(self.pointer.clone()),
        }
    }

    /// What an item's `at` says.
    pub(in crate::format) fn text(&self) -> String {
        match self.line {
            Some(line) if self.pointer.is_empty() => format!("line {line}"),
            Some(line) => format!("line {line} {}", self.pointer),
            None => self.pointer.clone(),
        }
    }

    /// An error about what stands here.
    pub(in crate::format) fn unexpected(&self, found: &Node<'_>, expected: &str) -> ReadError {
        ReadError::unexpected(self.place(), found.kind(), expected)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn a_name_that_repeats_stays_in_the_text() {
        let node: Node<'_> = serde_json::from_str(r#"{"url":"a","n":1.5,"url":["b\n",null,true]}"#).unwrap();
        assert_eq!(node.json(), r#"{"url":"a","n":1.5,"url":["b\n",null,true]}"#);
        assert_eq!(node.get("url").list().len(), 3);
        assert!(node.get("none").is_null());
    }

    #[test]
    fn a_key_of_a_message_that_repeats_is_an_error_and_one_of_data_is_not() {
        let check = |text: &str| keys_once(&serde_json::from_str(text).unwrap(), &Spot::top(Some(3)));
        let error = check(r#"{"messages":[{"role":"user","content":"a","rol\u0065":"assistant"}]}"#).unwrap_err();
        let wanted = "line 3 at /messages/0: found the key `role` twice; expected the key `role` once";
        assert_eq!(error.to_string(), wanted);
        check(r#"{"content":[{"type":"tool_use","input":{"url":1,"url":2}}]}"#).unwrap();
        check(r#"{"input":[{"role":"user","role":"system"}]}"#).unwrap_err();
    }

    #[test]
    fn a_place_names_line_and_pointer() {
        let spot = Spot::top(Some(3)).at("messages").at(2);
        assert_eq!(spot.text(), "line 3 /messages/2");
        assert_eq!(spot.place().to_string(), "line 3 at /messages/2");
        assert_eq!(Spot::top(None).at("input").text(), "/input");
    }
}
