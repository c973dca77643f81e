//! A YAML document as a node, the strings of which borrow from the file.
//!
//! Recorders write plain YAML: what is not one of the words for nothing, yes and no, and no number, is a string. Binary
//! strings are unpacked where a text is in them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::packed;
use crate::error::{Place, ReadError};
use crate::format::recorded::node::Node;

/// How deep lists and mappings may stand in each other: as deep as JSON may.
const DEEPEST: usize = 127;

/// How much the copies that aliases make may come to, in bytes, about. A short text can be made to name a long one often.
const MOST_COPIED: usize = 64 << 20;

/// Reads a document.
pub(super) fn document(text: &str) -> Result<Node<'_>, ReadError> {
    let mut builder = Builder { open: Vec::new(), anchors: BTreeMap::new(), copied: 0, done: None };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| broken(&error))?;
        match builder.take(event) {
            Ok(()) => {}
            Err(found) => return Err(ReadError::unexpected(place(&span.start), found, "one plain YAML document")),
        }
    }
    builder.done.ok_or_else(|| ReadError::unexpected("", "no YAML", "a YAML document"))
}

fn broken(error: &ScanError) -> ReadError {
    ReadError::unexpected(place(error.marker()), format!("broken YAML ({})", error.info()), "YAML")
}

fn place(marker: &Marker) -> Place {
    Place::Column { line: marker.line(), column: marker.col() + 1 }
}

struct Builder<'a> {
    open: Vec<Open<'a>>,
    anchors: BTreeMap<usize, Node<'a>>,
    copied: usize,
    done: Option<Node<'a>>,
}

/// A list or mapping that is being read.
struct Open<'a> {
    anchor: usize,
    inside: Inside<'a>,
}

enum Inside<'a> {
    List(Vec<Node<'a>>),
    Map { members: Vec<(Cow<'a, str>, Node<'a>)>, names: HashSet<Cow<'a, str>>, name: Option<Cow<'a, str>> },
}

impl<'a> Builder<'a> {
    fn take(&mut self, event: Event<'a>) -> Result<(), &'static str> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => self.put(scalar(text, style, tag.as_deref()), anchor),
            Event::SequenceStart(anchor, _) => self.begin(anchor, Inside::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                self.begin(anchor, Inside::Map { members: Vec::new(), names: HashSet::new(), name: None })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { anchor, inside }) = self.open.pop() else { return Err("an end without a beginning") };
                let node = match inside {
                    Inside::List(elements) => Node::List(elements),
                    Inside::Map { members, .. } => Node::Map(members),
                };
                self.put(node, anchor)
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else { return Err("an alias within what it names") };
                self.copied = self.copied.saturating_add(weight(node));
                if self.copied > MOST_COPIED {
                    return Err("aliases that stand for too much");
                }
                let node = node.clone();
                self.put(node, 0)
            }
        }
    }

    fn begin(&mut self, anchor: usize, inside: Inside<'a>) -> Result<(), &'static str> {
        if self.open.len() >= DEEPEST {
            return Err("lists in lists, too deep");
        }
        self.open.push(Open { anchor, inside });
        Ok(())
    }

    fn put(&mut self, node: Node<'a>, anchor: usize) -> Result<(), &'static str> {
        if anchor > 0 {
            self.copied = self.copied.saturating_add(weight(&node));
            if self.copied > MOST_COPIED {
                return Err("aliases that stand for too much");
            }
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.inside) {
            Some(Inside::List(elements)) => elements.push(node),
            Some(Inside::Map { members, names, name }) => match name.take() {
                Some(name) => members.push((name, node)),
                None => {
                    let own = name_of(node);
                    // Programs read different ones of two members of one name.
                    if !names.insert(own.clone()) {
                        return Err("a key twice in one mapping");
                    }
                    *name = Some(own);
                }
            },
            None if self.done.is_some() => return Err("a second document"),
            None => self.done = Some(node),
        }
        Ok(())
    }
}

/// What a node takes, in bytes, about.
fn weight(node: &Node<'_>) -> usize {
    let inside = match node {
        Node::Null | Node::Bool(_) | Node::Number(_) => 0,
        Node::Text(text) => text.len(),
        Node::List(elements) => elements.iter().map(weight).sum(),
        Node::Map(members) => members.iter().map(|(name, value)| name.len() + weight(value)).sum(),
    };
    inside + size_of::<Node<'_>>()
}

/// A member's name. One that is no string is the JSON text of what it is.
fn name_of(node: Node<'_>) -> Cow<'_, str> {
    match node {
        Node::Text(text) => text,
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => node.json().into(),
    }
}

fn scalar<'a>(text: Cow<'a, str>, style: ScalarStyle, tag: Option<&Tag>) -> Node<'a> {
    let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    if core == Some("binary") {
        return packed::text_of(&text).map_or_else(packed::unreadable, |text| Node::Text(text.into()));
    }
    if style != ScalarStyle::Plain || tag.is_some() {
        return Node::Text(text);
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Node::Null,
        "true" | "True" | "TRUE" => Node::Bool(true),
        "false" | "False" | "FALSE" => Node::Bool(false),
        number if number.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
            serde_json::from_str(number).map_or(Node::Text(text), Node::Number)
        }
        _ => Node::Text(text),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[track_caller]
    fn reads(yaml: &str, json: &str) {
        assert_eq!(document(yaml).unwrap().json(), json);
    }

    #[test]
    fn plain_words_are_what_they_say_and_all_else_is_text() {
        reads(
            "a: 1\nb: -2.5\nc: '1'\nd: 2026-11-02\ne: true\nf: null\ng:\nh: 10.0.0.1\ni: yes\n7: x\n",
            r#"{"a":1,"b":-2.5,"c":"1","d":"2026-11-02","e":true,"f":null,"g":null,"h":"10.0.0.1","i":"yes","7":"x"}"#,
        );
        reads("- |\n  a: b\n  c\n- \"x\\ny\"\n- !!str 5\n", r#"["a: b\nc\n","x\ny","5"]"#);
    }

    #[test]
    fn binary_text_is_unpacked_and_other_bytes_are_not_read() {
        reads("a: !!binary |\n  aGVs\n  bG8=\n", r#"{"a":"hello"}"#);
        reads("a: !!binary /w==\n", r#"{"a":{"unreadable":true}}"#);
    }

    #[test]
    fn an_alias_is_what_it_names_and_cannot_be_made_to_stand_for_everything() {
        reads("a: &x [1]\nb: *x\n", r#"{"a":[1],"b":[1]}"#);
        let mut bomb = format!("a0: &x0 {}\n", "y".repeat(1000));
        for level in 1..12 {
            let below = format!("*x{},", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &x{level} [{below}]\n"));
        }
        let error = document(&bomb).unwrap_err().to_string();
        assert!(error.ends_with("found aliases that stand for too much; expected one plain YAML document"), "{error}");
    }

    #[test]
    fn what_is_broken_names_its_line() {
        for (yaml, wanted) in [
            ("a: 1\nb: [1\nc: 2\n", "line 3 column 2: found broken YAML"),
            ("a: &x [*x]\n", "line 1 column"),
            ("a: 1\n---\nb: 2\n", "line 4 column 1: found a second document"),
            ("a:\n- b: 1\n  c: 2\n  'b': 3\n", "line 4 column 3: found a key twice in one mapping"),
            ("", "at the top: found no YAML"),
        ] {
            let error = document(yaml).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
        for deep in ["[", "a: [", "- "] {
            assert!(document(&deep.repeat(100_000)).is_err());
        }
    }
}
