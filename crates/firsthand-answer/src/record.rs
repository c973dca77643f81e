//! The native record of an answer's sources: what is stored with the answer and given out as JSON.
//!
//! Every key is always present. Ranges are bytes of [`Record::markdown`], the finished text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How many sources are listed at most; links past it stay in the text only.
pub const LIMIT: usize = 100;

/// The finished answer and its sources.
///
/// As long as nothing was unwrapped, its texts are those of the answer that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record<'a> {
    /// Always `firsthand.sources`.
    pub object: Cow<'a, str>,
    /// The version of this form.
    pub version: u32,
    /// The finished text.
    pub markdown: Cow<'a, str>,
    /// How many sources are listed at most.
    pub limit: usize,
    /// How many different addresses the text links to.
    pub total: usize,
    /// Whether more addresses are linked than are listed.
    pub truncated: bool,
    /// The sources in the order in which they appear first.
    pub items: Vec<Item<'a>>,
    /// The links that were unwrapped, in the order in which that was done.
    pub unwrapped: Vec<Unwrapped>,
    /// How many links of the researchers' reports the text does not carry, where reports were given.
    pub not_carried_over: Option<u64>,
}

impl Record<'_> {
    /// The same, whatever becomes of the answer that was given.
    pub fn into_owned(self) -> Record<'static> {
        Record {
            object: owned(self.object),
            version: self.version,
            markdown: owned(self.markdown),
            limit: self.limit,
            total: self.total,
            truncated: self.truncated,
            items: self.items.into_iter().map(Item::into_owned).collect(),
            unwrapped: self.unwrapped,
            not_carried_over: self.not_carried_over,
        }
    }
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// One source: an address, with every place that links to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item<'a> {
    /// Its number, from 1.
    pub n: usize,
    /// The address as its first link spells it.
    pub url: Cow<'a, str>,
    /// What it leads to.
    pub kind: Kind,
    /// Its title: plain text.
    pub title: Cow<'a, str>,
    /// Where the title comes from.
    pub title_from: TitleFrom,
    /// The host; `None` for a document.
    pub host: Option<Cow<'a, str>>,
    /// Where the address stood first, where a conversation was given and holds it.
    pub first: Option<First>,
    /// The shortcut rule that the address follows.
    pub shortcut: Option<String>,
    /// The links that lead to it, in order.
    pub occurrences: Vec<Occurrence<'a>>,
}

impl Item<'_> {
    /// The same, whatever becomes of the answer that it is of.
    pub(crate) fn into_owned(self) -> Item<'static> {
        let Self { n, url, kind, title, title_from, host, first, shortcut, occurrences } = self;
        let occurrences = occurrences.into_iter().map(|one| Occurrence { text: owned(one.text), ..one }).collect();
        let (url, title, host) = (owned(url), owned(title), host.map(owned));
        Item { n, url, kind, title, title_from, host, first, shortcut, occurrences }
    }
}

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A web page.
    Web,
    /// What a connected service returned.
    Connector,
    /// A record that a shortcut rule leads to.
    Record,
    /// A document of the application.
    Document,
}

/// Where a title comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleFrom {
    /// The text of the first link that has one.
    LinkText,
    /// A tool result of this turn.
    ToolResult,
    /// The host, or the address of a document that nobody named.
    Host,
}

/// Where an address stood first in the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First {
    /// `person`, `world`, `model` or `ignored`.
    pub writer: String,
    /// The position of the item.
    pub position: String,
    /// The item, from 0.
    pub item: u64,
    /// The tool, where it stood in a call or result.
    pub tool: Option<String>,
}

/// One link that leads to a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence<'a> {
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// Whether it has a text of its own.
    pub form: Form,
    /// Whether it stands in a table, where every link is shown underlined.
    pub in_table: bool,
    /// Its text: plain text, empty for a chip.
    pub text: Cow<'a, str>,
}

/// The form of a link, by its syntax alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// With a text: shown underlined.
    Link,
    /// An address alone: shown as a chip, but for tables.
    Chip,
}

/// A link that must not stay: only its text is left.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unwrapped {
    /// Why.
    pub reason: Reason,
    /// The text that is left: plain text. The address is not kept.
    pub text: String,
}

/// Why a link must not stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its scheme is neither `http` nor `https`.
    Scheme,
    /// It is a reference to a masked address.
    Reference,
    /// It is no whole address of a web page or document, or one that readers take differently.
    Invalid,
}
