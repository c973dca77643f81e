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
    /// Brackets that a later definition may make a link or an image, in order, the outermost alone.
    pub(crate) brackets: &'p [Range<usize>],
    /// Those of them that would be an image, whose text holds no links.
    pub(crate) image_brackets: &'p [Range<usize>],
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
        let claimed = match syntax {
            // A link keeps brackets around it from being one.
            Syntax::Inline => self.image_brackets,
            Syntax::Reference | Syntax::Bare | Syntax::Auto | Syntax::Cell => self.brackets,
        };
        // Brackets right behind others may turn out to be the label of those.
        let is_label = ends_at(self.brackets, range.start);
        range.end <= self.settled && is_ended && !may_be_cut && !is_label && !holds(claimed, range)
    }

    /// The same for an image.
    pub(super) fn settles_image(&self, range: &Range<usize>, syntax: Syntax) -> bool {
        self.settles(range, syntax) && !holds(self.brackets, range)
    }
}

fn holds(brackets: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = brackets.partition_point(|pair| pair.end < range.end);
    brackets.get(next).is_some_and(|pair| pair.start < range.start)
}

fn ends_at(brackets: &[Range<usize>], place: usize) -> bool {
    let next = brackets.partition_point(|pair| pair.end < place);
    brackets.get(next).is_some_and(|pair| pair.end == place)
}
