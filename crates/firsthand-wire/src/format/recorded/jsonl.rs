//! A log of JSON Lines that an agent appends to while it works.

use std::collections::HashMap;

use firsthand::conversation::Conversation;

use super::draft::Draft;
use super::node::{Node, Spot, keys_once};
use super::signs;
use crate::error::ReadError;
use crate::format::records::{CUT, each_record};

/// The end of a log.
pub(in crate::format) struct End {
    cut: bool,
    /// A line about the session says that no person is in it.
    is_child: bool,
    last: Spot,
}

/// Calls `each` with every line of a log. A last line that is still being written is left out, and said so by
/// [`End::finish`].
pub(in crate::format) fn each_line(
    bytes: &[u8],
    each: &mut dyn FnMut(&Node<'_>, &Spot) -> Result<(), ReadError>,
) -> Result<End, ReadError> {
    let mut last = Spot::top(None);
    let mut is_child = false;
    let cut = each_record(bytes, &mut |line, node: Node<'_>| {
        last = Spot::top(Some(line.number));
        keys_once(&node, &last)?;
        is_child |=
            HEADERS.contains(&node.say("type")) && [&node, node.get("data")].into_iter().any(signs::is_of_a_child);
        each(&node, &last)
    })?;
    Ok(End { cut, is_child, last })
}

/// The types of lines that speak of the session as a whole.
const HEADERS: &[&str] = &["init", "metadata", "session", "session.start", "session_meta", "session_start"];

impl End {
    /// The conversation that was read.
    pub(in crate::format) fn finish(&self, mut draft: Draft, id: String) -> Conversation {
        if self.cut {
            draft.end_model_message();
            draft.hidden(&self.last, true, CUT);
        }
        if self.is_child {
            draft.be_a_child();
        }
        draft.finish(id)
    }
}

/// The entries of a log that name the entry before them: where one goes on from an older entry than the last, what came
/// after that one was taken back.
#[derive(Default)]
pub(in crate::format) struct Chain {
    /// How many items there were after each entry.
    after: HashMap<String, usize>,
    last: String,
}

impl Chain {
    /// Before an entry is read. An entry that names no entry goes on from the last.
    pub(in crate::format) fn enter(&self, draft: &mut Draft, spot: &Spot, id: &str, parent: &Node<'_>) {
        let Some(parent) = parent.text() else { return };
        // An entry that is written in pieces has the same id in each.
        if parent == self.last || id == self.last {
            return;
        }
        if let Some(after) = self.after.get(parent).copied().filter(|after| *after < draft.len()) {
            draft.rewind(spot, after);
        }
    }

    /// After an entry was read.
    pub(in crate::format) fn leave(&mut self, draft: &Draft, id: &str) {
        if !id.is_empty() {
            self.after.insert(id.to_owned(), draft.len());
            id.clone_into(&mut self.last);
        }
    }
}

/// The texts of a content, each with its place: a string, a list of strings, or blocks with a `text`. Other blocks are
/// given as they are.
pub(in crate::format) fn contents<'n, 'a>(
    content: &'n Node<'a>,
    spot: &Spot,
    each: &mut dyn FnMut(Result<&'n str, &'n Node<'a>>, &Spot),
) {
    let piece = |node: &'n Node<'a>| {
        // Only a block that is known to be text is one.
        let is_text = node.get("type").is_null() || matches!(node.say("type"), "text" | "input_text");
        let text = node.get("text").text().filter(|_| is_text && signs::against(node).is_none());
        node.text().or(text).ok_or(node)
    };
    match content {
        Node::Null => {}
        Node::List(blocks) => {
            blocks.iter().enumerate().for_each(|(index, block)| each(piece(block), &spot.at(index)));
        }
        Node::Text(_) | Node::Bool(_) | Node::Number(_) | Node::Map(_) => each(piece(content), spot),
    }
}
