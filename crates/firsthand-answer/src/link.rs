//! A link of an answer, with its place.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use crate::record::{Form, Reason};
use crate::target::Target;

/// A link of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link<'t> {
    /// The bytes of the text that are the whole link, brackets and destination included.
    pub range: Range<usize>,
    /// How it is written.
    pub syntax: Syntax,
    /// Whether it stands in a table.
    pub in_table: bool,
    /// Its text: plain text, empty where the address stands alone.
    pub text: Cow<'t, str>,
    /// Where it leads, or why it must not stay.
    pub target: Result<Target<'t>, Reason>,
    /// The destination of a link that must not stay.
    refused: Cow<'t, str>,
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

impl<'t> Link<'t> {
    /// A link whose text is not known yet.
    pub(crate) fn to(destination: Cow<'t, str>, range: Range<usize>, syntax: Syntax, in_table: bool) -> Self {
        // To copy what is borrowed costs nothing; what is not is seldom.
        let target = Target::read(destination.clone());
        let refused = if target.is_ok() { Cow::Borrowed("") } else { destination };
        Self { range, syntax, in_table, text: Cow::Borrowed(""), target, refused }
    }

    /// The same, whatever becomes of the text that it stands in.
    pub fn into_owned(self) -> Link<'static> {
        let Self { range, syntax, in_table, text, target, refused } = self;
        let (text, refused) = (Cow::Owned(text.into_owned()), Cow::Owned(refused.into_owned()));
        Link { range, syntax, in_table, text, target: target.map(Target::into_owned), refused }
    }

    /// Adds to the text.
    pub(crate) fn push(&mut self, piece: Cow<'t, str>) {
        if self.text.is_empty() {
            self.text = piece;
        } else {
            self.text.to_mut().push_str(&piece);
        }
    }

    /// The destination as Markdown decodes it.
    pub fn destination(&self) -> &str {
        self.target.as_ref().map_or(&self.refused, |target| &target.spelling)
    }

    /// Whether a browser would open the address, be it one that must not stay.
    pub(crate) fn opens(&self) -> bool {
        self.target.is_ok() || Url::parse(&self.refused).is_ok()
    }

    /// Its form, by syntax alone: a link without a text is a chip.
    pub fn form(&self) -> Form {
        if self.text.is_empty() { Form::Chip } else { Form::Link }
    }
}
