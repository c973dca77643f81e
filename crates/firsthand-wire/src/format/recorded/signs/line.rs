//! Lines that a reader takes apart as far as it knows them, looked at once more as a whole.

use firsthand::conversation::{Body, Speaker, Text};

use super::super::node::Node;
use super::names::{Sign, sign};
use super::{DEEPEST, against_but, is_member_of_a_child};

/// Takes from a person what a line gave as theirs, where a sign of the line speaks against it. Only such lines are read
/// again. Members of the names in `ordinary` say nothing here.
pub(in crate::format) fn settle<'b>(bodies: impl Iterator<Item = &'b mut Body>, json: &str, ordinary: &[&str]) {
    let mut said = None;
    for body in bodies.filter(|body| is_a_persons(body)) {
        if let Some(by) = *said.get_or_insert_with(|| of_line(json, ordinary)) {
            take(body, by);
        }
    }
}

/// Whose the texts in the user's place of a line are, where a sign of it says that they are no person's.
pub(in crate::format) fn of_line(json: &str, ordinary: &[&str]) -> Option<Speaker> {
    let Ok(line) = serde_json::from_str::<Node<'_>>(json) else { return Some(Speaker::Task) };
    let of_a_child = |name: &str, value: &Node<'_>| !ordinary.contains(&name) && is_member_of_a_child(name, value);
    let is_a_childs = || line.members().iter().any(|(name, value)| of_a_child(name, value));
    against_but(&line, ordinary)
        .or_else(|| is_a_childs().then_some(Speaker::Task))
        .or_else(|| texts(&line, 0).into_iter().find_map(|text| against_but(text, ordinary)))
}

/// The blocks with a text of the messages in a line.
fn texts<'n, 'a>(record: &'n Node<'a>, depth: usize) -> Vec<&'n Node<'a>> {
    let mut found = Vec::new();
    for (name, value) in record.members().iter().filter(|_| depth < DEEPEST) {
        match (sign(name), value) {
            (Some(Sign::Message), Node::Map(_)) => found.extend(texts(value, depth + 1)),
            (None, Node::List(blocks)) if matches!(&**name, "content" | "parts" | "prompt") => {
                found.extend(blocks.iter().filter(|block| block.get("text").text().is_some()));
            }
            _ => {}
        }
    }
    found
}

/// Makes what is a person's somebody else's, said in the user's place.
pub(in crate::format) fn take(body: &mut Body, by: Speaker) {
    if let Body::User { text, .. } | Body::Attachment { text, from_agent_path: false, .. } = body {
        let text = std::mem::replace(text, Text::from(""));
        *body = Body::Said { by, text };
    }
}

fn is_a_persons(body: &Body) -> bool {
    matches!(body, Body::User { .. } | Body::Attachment { from_agent_path: false, .. })
}
