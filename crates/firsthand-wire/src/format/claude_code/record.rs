//! A line of a transcript, as far as this reader looks at it.

use std::borrow::Cow;

use serde::Deserialize;

use super::super::lax::{Blocks, Flag, Node, Raw, Word};
use super::super::recorded::signs::Watched;

/// A line with its record.
#[derive(Clone, Debug)]
pub(super) struct Entry<'t> {
    pub(super) place: Where,
    /// The line, or the element.
    pub(super) text: &'t str,
    /// What it says.
    pub(super) record: Watched<Record<'t>>,
}

/// Where an entry stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Where {
    /// In the line of this number, from 1.
    Line(usize),
    /// At this place of a list, from 0.
    Element(usize),
}

impl Entry<'_> {
    /// What an item says of where it stands: a pointer, in the line or in the list.
    pub(super) fn at(&self, pointer: &str) -> String {
        match self.place {
            Where::Line(line) if pointer.is_empty() => format!("line {line}"),
            Where::Line(line) => format!("line {line} {pointer}"),
            Where::Element(index) => format!("/{index}{pointer}"),
        }
    }
}

/// What a line says. The last group of fields is that of the stream which the agent's SDK prints.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) subtype: Word<'t>,
    #[serde(borrow, default)]
    pub(super) uuid: Word<'t>,
    #[serde(borrow, default)]
    pub(super) timestamp: Word<'t>,
    /// [`Word::Absent`] is a root, [`Word::Odd`] a line that says nothing of a parent.
    #[serde(borrow, default = "no_parent_said")]
    pub(super) parent_uuid: Word<'t>,
    #[serde(borrow, default)]
    pub(super) session_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) agent_id: Word<'t>,
    #[serde(default)]
    pub(super) is_sidechain: Flag,
    #[serde(default)]
    pub(super) is_meta: Flag,
    #[serde(default)]
    pub(super) is_compact_summary: Flag,
    #[serde(default)]
    pub(super) is_api_error_message: Flag,
    #[serde(borrow, default)]
    pub(super) forked_from: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) origin: Node<Origin<'t>>,
    #[serde(borrow, default)]
    pub(super) prompt_source: Word<'t>,
    #[serde(borrow, default)]
    pub(super) plan_content: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) message: Node<Watched<Message<'t>>>,
    #[serde(borrow, default)]
    pub(super) attachment: Node<Attachment<'t>>,
    #[serde(borrow, default)]
    pub(super) tool_use_result: Option<Raw<'t>>,
    #[serde(rename = "sourceToolUseID", borrow, default)]
    pub(super) source_tool_use: Word<'t>,
    /// The text of a `system` line.
    #[serde(borrow, default)]
    pub(super) content: Option<Raw<'t>>,
    /// Calls and results that are lines of their own, in the oldest files.
    #[serde(borrow, default)]
    pub(super) name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) input: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) output: Blocks<'t, Watched<Block<'t>>>,

    #[serde(rename = "session_id", borrow, default)]
    pub(super) stream_session: Word<'t>,
    #[serde(rename = "parent_tool_use_id", borrow, default)]
    pub(super) stream_parent_call: Word<'t>,
    #[serde(rename = "tool_use_result", borrow, default)]
    pub(super) stream_result: Option<Raw<'t>>,
    #[serde(default)]
    pub(super) is_synthetic: Flag,
}

fn no_parent_said<'t>() -> Word<'t> {
    Word::Odd
}

impl<'t> Record<'t> {
    /// The session that the line says it is of.
    pub(super) fn session(&self) -> Option<&str> {
        self.session_id.get().or(self.stream_session.get()).filter(|session| !session.is_empty())
    }

    /// Whether a fork copied the line from its parent.
    pub(super) fn is_copied(&self) -> bool {
        self.forked_from.is_some_and(|from| from.text().starts_with('{'))
    }

    /// The structured result.
    pub(super) fn structured(&self) -> Option<Raw<'t>> {
        self.tool_use_result.or(self.stream_result)
    }

    /// Where it stands.
    pub(super) fn structured_at(&self) -> &'static str {
        if self.tool_use_result.is_some() { "/toolUseResult" } else { "/tool_use_result" }
    }
}

/// Who a line in the user's place says it is from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Origin<'t> {
    #[serde(borrow, default)]
    pub(super) kind: Word<'t>,
}

/// A message of the API.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Message<'t> {
    #[serde(borrow, default)]
    pub(super) id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) role: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Blocks<'t, Watched<Block<'t>>>,
}

/// A block of a message or of a result. Which fields it has depends on its type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Block<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) text: Word<'t>,
    #[serde(borrow, default)]
    pub(super) thinking: Word<'t>,
    #[serde(borrow, default)]
    pub(super) id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) server_name: Word<'t>,
    #[serde(borrow, default)]
    pub(super) input: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Blocks<'t, Watched<Self>>,
    #[serde(borrow, default)]
    pub(super) source: Option<Raw<'t>>,
    #[serde(borrow, default)]
    pub(super) title: Word<'t>,
    #[serde(rename = "structuredContent", borrow, default)]
    pub(super) structured: Option<Raw<'t>>,
}

/// Where a document's text is.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct DocumentSource<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) data: Word<'t>,
    #[serde(borrow, default)]
    pub(super) url: Word<'t>,
}

/// What the host put beside a message.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'t> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Word<'t>,
    #[serde(borrow, default)]
    pub(super) prompt: Blocks<'t, Watched<Block<'t>>>,
    #[serde(borrow, default)]
    pub(super) command_mode: Word<'t>,
    #[serde(borrow, default)]
    pub(super) origin: Node<Origin<'t>>,
    #[serde(default)]
    pub(super) human_turn: Flag,
    #[serde(default)]
    pub(super) is_meta: Flag,
    #[serde(borrow, default)]
    pub(super) filename: Word<'t>,
    #[serde(borrow, default)]
    pub(super) content: Option<Raw<'t>>,
}

/// What a `file` attachment holds.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AttachedFile<'t> {
    #[serde(borrow, default)]
    pub(super) file: Node<FileContent<'t>>,
}

/// The text of a file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FileContent<'t> {
    #[serde(borrow, default)]
    pub(super) content: Word<'t>,
}

/// The texts of a message with their places below `pointer`; blocks of other types are left out.
pub(super) fn texts<'b>(content: &'b Blocks<'_, Watched<Block<'_>>>, pointer: &str) -> Vec<(String, Cow<'b, str>)> {
    match content {
        Blocks::Text(text) => vec![(String::new(), Cow::Borrowed(&**text))],
        Blocks::List(blocks) => {
            let with_places = blocks.iter().enumerate();
            with_places
                .filter_map(|(index, block)| {
                    let text = block.get()?.text.get()?;
                    Some((format!("{pointer}/{index}"), Cow::Borrowed(text)))
                })
                .collect()
        }
        Blocks::Absent | Blocks::Odd => Vec::new(),
    }
}
