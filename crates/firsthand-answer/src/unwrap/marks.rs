//! Marks of footnotes inside links, which become text.
//!
//! The parser sees no link where brackets hold such a mark, though GitHub does, and every reader that knows no
//! footnotes. With its brackets escaped the mark is text for all of them, and what stands around it a link for all.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::apply;
use crate::walk;

/// The text with the marks inside links as text; `None` where no link holds any.
pub(super) fn as_text(text: &str) -> Option<String> {
    // A sign that hardly any text holds.
    memchr::memchr(b'^', text.as_bytes())?;
    let marks: Vec<Range<usize>> = walk::events(text)
        .filter(|(event, _)| matches!(event, Event::FootnoteReference(_)))
        .filter_map(|(_, range)| inside(text, &range).map(|_| range))
        .collect();
    if marks.is_empty() {
        return None;
    }
    let edit = |mark: &Range<usize>| {
        let inside = inside(text, mark).unwrap_or_default();
        (mark.clone(), Cow::Owned(format!("\\[{inside}\\]")))
    };
    let (all_as_text, places) = apply(text, marks.iter().map(edit));
    let mut in_links = Vec::new();
    let mut next = 0;
    for (event, range) in walk::events(&all_as_text) {
        if !matches!(event, Event::Start(Tag::Link { .. })) {
            continue;
        }
        while let Some(place) = places.get(next).filter(|place| place.start < range.end) {
            if place.start >= range.start {
                in_links.extend(marks.get(next));
            }
            next += 1;
        }
    }
    (!in_links.is_empty()).then(|| apply(text, in_links.into_iter().map(edit)).0)
}

/// What stands between the brackets of a mark.
fn inside<'t>(text: &'t str, mark: &Range<usize>) -> Option<&'t str> {
    text.get(mark.clone())?.strip_prefix('[')?.strip_suffix(']')
}
