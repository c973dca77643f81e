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
    /// Where it leads, or why it must not stay.
    pub target: Result<Target, Reason>,
    /// The destination of a link that must not stay.
    refused: String,
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
    /// A link whose text is not known yet.
    pub(crate) fn to(destination: &str, range: Range<usize>, syntax: Syntax, in_table: bool) -> Self {
        let target = Target::read(destination);
        let refused = if target.is_ok() { String::new() } else { destination.to_owned() };
        Self { range, syntax, in_table, text: String::new(), target, refused }
    }

    /// The destination as Markdown decodes it.
    pub fn destination(&self) -> &str {
        self.target.as_ref().map_or(&self.refused, |target| &target.spelling)
    }

    /// Its form, by syntax alone: a link without a text is a chip.
    pub fn form(&self) -> Form {
        if self.text.is_empty() { Form::Chip } else { Form::Link }
    }
}
