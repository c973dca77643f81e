//! Labels that a link right behind them kept from being links, which become text.
//!
//! `[a][b](c)` is a link only for its end, since `[a][b]` may be a link of its own. Without the brackets of `b`, `[a]` is
//! one wherever its label is defined.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::apply;
use crate::target::Target;
use crate::walk;

/// The text with such labels as text; `None` where there are none.
pub(super) fn as_text(text: &str) -> Option<String> {
    memchr::memmem::find(text.as_bytes(), b"][")?;
    let mut events = walk::events(text);
    let defined: HashSet<String> = events.reference_definitions().iter().map(|(label, _)| folded(label)).collect();
    if defined.is_empty() {
        return None;
    }
    let mut last_end = 0;
    let mut brackets: Vec<Range<usize>> = Vec::new();
    for (event, range) in &mut events {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if range.start > last_end && Target::read(&*dest_url).is_err() => {
                brackets.extend(label_before(text, range.start).filter(|label| {
                    let inside = text.get(label.start + 1..label.end - 1).unwrap_or_default();
                    defined.contains(&folded(inside))
                }));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => last_end = range.end,
            _ => {}
        }
    }
    if brackets.is_empty() {
        return None;
    }
    let edits = brackets.iter().flat_map(|label| [label.start..label.start, label.end - 1..label.end - 1]);
    Some(apply(text, edits.map(|place| (place, Cow::Borrowed("\\")))).0)
}

/// The brackets that end at a place.
fn label_before(text: &str, end: usize) -> Option<Range<usize>> {
    let inside = text.get(..end)?.strip_suffix(']')?;
    let start = inside.rfind('[')?;
    let escapes = |at: usize| text.get(..at).map_or(0, |before| before.len() - before.trim_end_matches('\\').len());
    (escapes(start) % 2 == 0 && escapes(end - 1) % 2 == 0).then_some(start..end)
}

/// How labels are compared.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
