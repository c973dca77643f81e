//! The list of an answer's sources.

use crate::link::Link;
use crate::record::{First, LIMIT, Record};
use crate::shortcut::Shortcuts;
use crate::unwrap::unwrap;

/// What is known of addresses besides the text: from the tool results of this turn, and from the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The address, of the web or of a document.
    pub url: String,
    /// The page's title or the document's name, as the tool result says it.
    pub title: Option<String>,
    /// What returned it.
    pub kind: KnownKind,
    /// Where it stood first.
    pub first: Option<First>,
}

/// What returned an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KnownKind {
    /// A search, a page, a person.
    Web,
    /// A connected service.
    Connector,
}

/// What an answer is finished with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// What is known of addresses; of two entries with one address the first that says something counts.
    pub known: &'a [Known],
    /// The registered shortcut rules.
    pub shortcuts: Option<&'a Shortcuts>,
    /// How many links of the researchers' reports the text does not carry.
    pub not_carried_over: Option<u64>,
}

/// A finished answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What is stored and given out.
    pub record: Record,
    /// The links of the finished text, in order; each has a target.
    pub links: Vec<Link>,
    /// What is broken in the text, such as a table widget that is no JSON: a sentence each, with its place.
    pub problems: Vec<String>,
}

/// Unwraps what must not stay, and builds the list of the rest.
pub fn finish(markdown: &str, given: &Given<'_>) -> Finished {
    let (markdown, unwrapped) = unwrap(markdown);
    let record = Record {
        object: "firsthand.sources".to_owned(),
        version: 1,
        markdown: markdown.into_owned(),
        limit: LIMIT,
        total: 0,
        truncated: false,
        items: Vec::new(),
        unwrapped,
        not_carried_over: given.not_carried_over,
    };
    Finished { record, links: Vec::new(), problems: Vec::new() }
}
