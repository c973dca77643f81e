//! Addresses in running text that would arise, or be lost, where a former link meets what stands beside it.

use std::ops::Range;

use super::edit::NOTHING;
use crate::find::find;
use crate::link::{Link, Syntax};

/// Before and behind which former links an address is to be broken, or kept apart.
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

/// The addresses in the running text of a text, in order.
#[derive(Debug)]
pub(super) struct Addresses(Vec<Range<usize>>);

impl Addresses {
    pub(super) fn of(text: &str) -> Self {
        if memchr::memmem::find(text.as_bytes(), b"://").is_none() {
            return Self(Vec::new());
        }
        Self(bare(text).map(|link| link.range).collect())
    }

    /// The same, and those in the texts of links that will not stay, if a place stands in such a text.
    fn also_to_come(text: &str, places: &[Range<usize>]) -> Self {
        if memchr::memmem::find(text.as_bytes(), b"://").is_none() {
            return Self(Vec::new());
        }
        let mut addresses = Vec::new();
        for link in find(text) {
            let Range { start, end } = link.range;
            if link.syntax == Syntax::Bare {
                addresses.push(start..end);
                continue;
            }
            let first = places.partition_point(|place| place.end < start);
            if link.target.is_err() && places.get(first).is_some_and(|place| place.start < end) {
                let inner = text.get(start + 1..end).unwrap_or_default();
                let moved = |one: Link<'_>| start + 1 + one.range.start..start + 1 + one.range.end;
                addresses.extend(bare(inner).map(moved));
            }
        }
        Self(addresses)
    }

    /// The address that starts at a place.
    fn at(&self, start: usize) -> Option<&Range<usize>> {
        let next = self.0.partition_point(|address| address.start < start);
        self.0.get(next).filter(|address| address.start == start)
    }

    fn cross(&self, edge: usize) -> bool {
        let next = self.0.partition_point(|address| address.end <= edge);
        self.0.get(next).is_some_and(|address| address.start < edge)
    }
}

fn bare(text: &str) -> impl Iterator<Item = Link<'_>> {
    find(text).into_iter().filter(|link| link.syntax == Syntax::Bare)
}

/// Adds breaks where an address reaches over the edge of a place, and where one stood right behind a link and is not what
/// it was; whether there were such places.
///
/// `went` are the ranges of the links that went, in order; `places` and `breaks` are theirs in the text after.
pub(super) fn add<'b>(
    before: &Addresses,
    went: &[Range<usize>],
    after: &str,
    places: &[Range<usize>],
    breaks: impl Iterator<Item = &'b mut Breaks>,
) -> bool {
    let now = Addresses::also_to_come(after, places);
    let mut any = false;
    for ((place, went), breaks) in places.iter().zip(went).zip(breaks) {
        let is_lost = before.at(went.end).is_some_and(|was| now.at(place.end).is_none_or(|is| is.len() != was.len()));
        let new = Breaks {
            before: now.cross(place.start),
            behind: place.start < place.end && now.cross(place.end) || is_lost && !breaks.behind,
        };
        any |= new.any();
        breaks.before |= new.before;
        breaks.behind |= new.behind;
    }
    any
}
