//! Brackets before a link that it kept from being the label of another link, or of a definition; they become text.
//!
//! In `[a][b](c)`, `[a]` is no link, since a label may follow it. In `[a]:[b c](d)` it is no label of a definition, since
//! what follows is no address alone. Without the link behind them both would be, wherever they may.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::apply;
use crate::target::Target;
use crate::walk;

/// The text with such brackets as text; `None` where there are none.
#[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
pub(super) fn as_text(text: &str) -> Option<String> {
    if ["][", "]:"].iter().all(|signs| memchr::memmem::find(text.as_bytes(), signs.as_bytes()).is_none()) {
        return None;
    }
    let mut events = walk::events(text);
    let defined: HashSet<String> = events.reference_definitions().iter().map(|(label, _)| folded(label)).collect();
    let mut last_end = 0;
    let mut edits: Vec<Range<usize>> = Vec::new();
    for (event, range) in &mut events {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if Target::read(&*dest_url).is_err() => {
                let label = label_before(text, range.start, |label| defined.contains(&folded(label)));
                if let Some(Range { start, end }) = label.filter(|label| label.start >= last_end) {
                    edits.extend([start..start, end - 1..end - 1]);
                    last_end = end;
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => last_end = range.end,
            _ => {}
        }
    }
    (!edits.is_empty()).then(|| apply(text, edits.into_iter().map(|place| (place, Cow::Borrowed("\\")))).0)
}

/// The brackets that end right before a place and hold a label that is defined, or that would define theirs.
fn label_before(text: &str, place: usize, is_defined: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let before = text.get(..place)?;
    let (end, defines) = match before.trim_ascii_end().strip_suffix(':') {
        Some(before) => (before.len(), true),
        None => (place, false),
    };
    let inside = text.get(..end)?.strip_suffix(']')?;
    let start = inside.rfind('[')?;
    let is_escaped = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
    };
    let label = inside.get(start + 1..)?;
    let is_label =
        if defines { begins_block(text.get(..start)?) && !label.starts_with('^') } else { is_defined(label) };
    (is_label && !is_escaped(start) && !is_escaped(end - 1)).then_some(start..end)
}

/// Whether a block may begin behind a text: nothing stands in its last line but marks of quotes and lists.
fn begins_block(text: &str) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'\t' | b'0'..=b'9' | b'>' | b'-' | b'+' | b'*' | b'.' | b')');
    text.bytes().rev().find(|byte| !is_mark(byte)).is_none_or(|byte| byte == b'\n')
}

/// How labels are compared.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
