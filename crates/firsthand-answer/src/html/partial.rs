//! Up to where a text that is still being written may have links; see [`crate::stream`].

use std::ops::Range;

use crate::link::Syntax;

/// A text that is still being written, and up to where it may have links; see [`crate::stream`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial<'p> {
    pub(crate) text: &'p str,
    /// No link that reaches past it is shown as one.
    pub(crate) settled: usize,
    /// Where the last character stands that ends every address before it.
    pub(crate) last_end: Option<usize>,
    /// Where the last paragraph, heading or cell begins, which may still turn out to be a row of a table.
    pub(crate) leaf: usize,
    /// From here on stands the text of a link whose address is coming.
    pub(crate) pending: usize,
}

impl Partial<'_> {
    /// Whether nothing that may still come changes where a link leads.
    pub(super) fn settles(&self, range: &Range<usize>, syntax: Syntax) -> bool {
        let may_be_cut = range.start >= self.leaf && self.text.get(range.clone()).is_none_or(|link| link.contains('|'));
        let is_ended = match syntax {
            // The address of a label may be among what is still being written.
            Syntax::Reference => false,
            Syntax::Bare => self.last_end.is_some_and(|end| range.end <= end),
            Syntax::Inline | Syntax::Auto | Syntax::Cell => true,
        };
        range.end <= self.settled && is_ended && !may_be_cut
    }
}
