//! Addresses in running text that would arise where a former link meets what stands beside it.

use std::ops::Range;

use super::edit::NOTHING;
use crate::find;
use crate::link::Syntax;

/// Before and behind which former links an address is to be broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Breaks {
    before: bool,
    behind: bool,
}

impl Breaks {
    /// What stands in the place of a link, with its breaks.
    pub(super) fn around(self, replacement: &str) -> String {
        let (before, behind) = (if self.before { NOTHING } else { "" }, if self.behind { NOTHING } else { "" });
        format!("{before}{replacement}{behind}")
    }

    pub(super) fn any(self) -> bool {
        self.before || self.behind
    }
}

/// Adds breaks where an address reaches over the edge of a place; whether there were such places.
///
/// `breaks` are those of the places, in order.
pub(super) fn add<'b>(after: &str, places: &[Range<usize>], breaks: impl Iterator<Item = &'b mut Breaks>) -> bool {
    if !after.contains("://") {
        return false;
    }
    let bare: Vec<_> = find::find(after).into_iter().filter(|link| link.syntax == Syntax::Bare).collect();
    let crosses = |edge: usize| {
        let next = bare.partition_point(|link| link.range.end <= edge);
        bare.get(next).is_some_and(|link| link.range.start < edge)
    };
    let mut any = false;
    for (place, breaks) in places.iter().zip(breaks) {
        let new = Breaks { before: crosses(place.start), behind: place.start < place.end && crosses(place.end) };
        any |= new.any();
        breaks.before |= new.before;
        breaks.behind |= new.behind;
    }
    any
}
