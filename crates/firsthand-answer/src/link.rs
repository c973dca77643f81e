//! A link of an answer, with its place.

use std::ops::Range;

use crate::record::{Form, Reason};
use crate::target::Target;

/// A link of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The bytes of the text that are the whole link, brackets and destination included.
    pub range: Range<usize>,
    /// How it is written.
    pub syntax: Syntax,
    /// Whether it stands in a table.
    pub in_table: bool,
    /// Its text: plain text, empty where the address stands alone.
    pub text: String,
    /// The destination as Markdown decodes it.
    pub destination: String,
    /// Where it leads, or why it must not stay.
    pub target: Result<Target, Reason>,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Syntax {
    /// `[text](address)`.
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`.
    Reference,
    /// `<address>`.
    Auto,
    /// An address in running text.
    Bare,
    /// A cell of a table widget.
    Cell,
}

impl Link {
    /// Its form, by syntax alone: a link without a text is a chip.
    pub fn form(&self) -> Form {
        if self.text.is_empty() { Form::Chip } else { Form::Link }
    }
}
