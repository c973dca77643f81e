//! Taking away the links that must not stay, so that only their text is left.
//!
//! Cutting bytes out of Markdown can make what was not there: a tag, a heading, a code span. So the result is read again
//! and compared with what was there without the links; where it differs, the text that was left is escaped, and no byte
//! outside the former link is touched. Brackets and an address around a former link may turn out to be a link of their
//! own: it is judged like any other, in the next round. What resists is shown as code.

mod bare;
mod edges;
mod edit;
mod labels;
mod marks;
mod outline;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use crate::find;
use crate::link::{Link, Syntax};
use crate::record::Unwrapped;
use crate::title;
use edges::{Addresses, Breaks};
use edit::Level;
use outline::{Left, Outline};

/// How many times links are looked for anew. Each round takes away one layer of links around links; real answers have one.
const ROUNDS: usize = 8;

/// The text without the links that must not stay, and what was unwrapped.
///
/// What comes out, put in again, comes out as it is.
pub fn unwrap(markdown: &str) -> (Cow<'_, str>, Vec<Unwrapped>) {
    let mut unwrapped = Vec::new();
    let mut text = cells(markdown, &mut unwrapped);
    for _ in 0..ROUNDS {
        text = with_none_hidden(text, &mut unwrapped);
        match round(&text, &mut unwrapped) {
            Some(next) => text = Cow::Owned(next),
            None => return (text, unwrapped),
        }
    }
    let text = with_none_hidden(text, &mut unwrapped);
    let outline = Outline::read(&text);
    if outline.doomed.is_empty() {
        return (text, unwrapped);
    }
    let resisting: Vec<usize> = outline.doomed.iter().map(|link| link.block).collect();
    unwrapped.extend(outline.doomed.iter().map(told));
    let coded = as_code(&text, &outline.blocks, &resisting);
    // A block that became code may have held what others refer to; only a text that is made for it comes to this.
    let still = Outline::read(&coded);
    let coded =
        if still.doomed.is_empty() { coded } else { as_code(&coded, std::slice::from_ref(&(0..coded.len())), &[0]) };
    (with_none_hidden(Cow::Owned(coded), &mut unwrapped), unwrapped)
}

/// Whether a text may hold links that are not among these: since they hold the mark of a footnote the parser does not see
/// them, or other renderers read an address on.
pub(crate) fn may_hide_links(markdown: &str, links: &[Link<'_>]) -> bool {
    bare::may_be_in(markdown, links) || marks::as_text(markdown).is_some()
}

/// The text in which every link is one that the parser sees, and no other.
fn with_none_hidden<'t>(text: Cow<'t, str>, unwrapped: &mut Vec<Unwrapped>) -> Cow<'t, str> {
    let text = marks::as_text(&text).map_or(text, Cow::Owned);
    let text = labels::as_text(&text).map_or(text, Cow::Owned);
    bare::as_text(&text, unwrapped).map_or(text, Cow::Owned)
}

/// The cells of table widgets that must not stay links become texts.
fn cells<'t>(markdown: &'t str, unwrapped: &mut Vec<Unwrapped>) -> Cow<'t, str> {
    if memchr::memmem::find(markdown.as_bytes(), crate::widget::NAME.as_bytes()).is_none() {
        return Cow::Borrowed(markdown);
    }
    let is_doomed_cell = |link: &Link<'_>| link.syntax == Syntax::Cell && link.target.is_err();
    let doomed: Vec<Link<'_>> = find::find(markdown).into_iter().filter(is_doomed_cell).collect();
    let edits = doomed.iter().map(|link| (link.range.clone(), json_string(&link.text)));
    let text = apply(markdown, edits).0;
    for link in doomed {
        if let Err(reason) = link.target {
            unwrapped.push(Unwrapped { reason, text: title::short(title::cleaned(link.text)).into_owned() });
        }
    }
    Cow::Owned(text)
}

fn json_string(text: &str) -> Cow<'static, str> {
    Cow::Owned(serde_json::Value::String(text.to_owned()).to_string())
}

fn told(link: &outline::Doomed) -> Unwrapped {
    Unwrapped { reason: link.reason, text: title::short(title::cleaned(Cow::Borrowed(&link.told))).into_owned() }
}

/// The text without the links that it shows to be doomed; `None` if there are none.
fn round(text: &str, unwrapped: &mut Vec<Unwrapped>) -> Option<String> {
    let before = Outline::read(text);
    if before.doomed.is_empty() {
        return None;
    }
    unwrapped.extend(before.doomed.iter().map(told));
    let mut levels: Vec<_> = before.doomed.iter().map(|link| Some(Level::first(text, link))).collect();
    let mut breaks = vec![Breaks::default(); before.doomed.len()];
    let addresses = Addresses::of(text);
    loop {
        let going = before.doomed.iter().zip(&levels).zip(&breaks);
        let edits = going.filter_map(|((link, level), breaks)| {
            let left = edit::replacement(text, link, (*level)?);
            let left = if breaks.any() { Cow::Owned(breaks.around(&left)) } else { left };
            Some((link.range.clone(), left))
        });
        let (after, places) = apply(text, edits);
        let differing = differing(&before, &after, &levels, &places);
        if differing.is_empty() {
            let going = breaks.iter_mut().zip(&levels).filter(|(_, level)| level.is_some());
            let gone = before.doomed.iter().zip(&levels).filter(|(_, level)| level.is_some());
            let gone: Vec<Range<usize>> = gone.map(|(link, _)| link.range.clone()).collect();
            if edges::add(&addresses, &gone, &after, &places, going.map(|(breaks, _)| breaks)) {
                continue;
            }
            return Some(after);
        }
        let mut resisting = Vec::new();
        for (link, level) in before.doomed.iter().zip(&mut levels) {
            if let Some(heavier) = level.filter(|_| differing.contains(&link.block)) {
                *level = heavier.next(is_behind_angle(text, link.range.start));
                if level.is_none() {
                    resisting.push(link.block);
                }
            }
        }
        let without_company = first_alone(text, &before, &mut levels, &resisting);
        if !without_company.is_empty() {
            return Some(as_code(text, &before.blocks, &without_company));
        }
    }
}

/// Leaves all links but the first of each resisting block to the next round, since one may stand in the address of
/// brackets around another; the blocks that resist though one alone goes.
fn first_alone(text: &str, before: &Outline<'_>, levels: &mut [Option<Level>], resisting: &[usize]) -> Vec<usize> {
    let mut alone = Vec::new();
    for same in resisting.chunk_by(|one, other| one == other) {
        let &[block, ..] = same else { continue };
        let first = before.doomed.partition_point(|link| link.block < block);
        let end = before.doomed.partition_point(|link| link.block <= block);
        let first_level = before.doomed.get(first).map(|link| Level::first(text, link));
        match levels.get_mut(first..end) {
            Some([one, others @ ..]) if same.len() > 1 => {
                *one = first_level;
                others.fill(None);
            }
            _ => alone.push(block),
        }
    }
    alone
}

/// The blocks of the text before whose doomed links left something that was not there; empty if all is well.
fn differing(before: &Outline<'_>, after: &str, levels: &[Option<Level>], places: &[Range<usize>]) -> Range<usize> {
    let left = |link: usize| match levels.get(link).copied().flatten() {
        None => Left::Whole,
        Some(Level::Inner) => Left::Inner,
        Some(Level::Escaped | Level::Entity) => Left::Escaped,
        Some(Level::Entities) => Left::Plain,
    };
    let now = Outline::read(after);
    let wanted = before.without_doomed(left);
    let got = now.as_read();
    if wanted == got {
        return 0..0;
    }
    // Links may have come up around a former one, if nothing else did.
    let went: Vec<&Range<usize>> =
        before.doomed.iter().zip(levels).filter(|(_, level)| level.is_some()).map(|(link, _)| &link.range).collect();
    let mut behind = now.behind_outer(places);
    for range in &mut behind {
        let last = places.partition_point(|place| place.end <= range.start).checked_sub(1);
        let ends = last.and_then(|last| Some((places.get(last)?.end, went.get(last)?.end)));
        let (now_end, before_end) = ends.unwrap_or_default();
        *range = range.start - now_end + before_end..range.end - now_end + before_end;
    }
    let wanted_structure = before.structure_without(left, &behind);
    let got_structure = now.structure_without_outer(places);
    let same = |at: usize, from: usize| {
        let around = got_structure.get(from).and_then(Option::as_ref);
        wanted.get(at) == got.get(from) || around.is_some() && wanted_structure.get(at) == around
    };
    let shorter = wanted.len().min(got.len());
    let head = (0..shorter).take_while(|&at| same(at, at)).count();
    let tail = (0..shorter - head).take_while(|&at| same(wanted.len() - 1 - at, got.len() - 1 - at)).count();
    if head == wanted.len() && head == got.len() {
        return 0..0;
    }
    let middle = head..wanted.len() - tail;
    if before.doomed.iter().any(|link| middle.contains(&link.block)) { middle } else { 0..wanted.len().max(1) }
}

/// Whether a tag would start here: its name is all that is missing.
fn is_behind_angle(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('<') || before.ends_with("</"))
}

/// Replaces ranges, which are in order and apart; also says where in the result each replacement stands.
fn apply<'r>(text: &str, edits: impl Iterator<Item = (Range<usize>, Cow<'r, str>)>) -> (String, Vec<Range<usize>>) {
    let mut out = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut at = 0;
    for (range, replacement) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        places.push(out.len()..out.len() + replacement.len());
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (out, places)
}

/// Shows blocks as code. `which` is in order and may repeat itself.
fn as_code(text: &str, blocks: &[Range<usize>], which: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    let mut last = None;
    for &block in which {
        if last.replace(block) == Some(block) {
            continue;
        }
        let Some(range) = blocks.get(block) else { continue };
        let shown = text.get(range.clone()).unwrap_or_default().trim_end_matches(['\n', '\r']);
        // A fence that is indented as far as a line that goes on may be would be code itself.
        let start = text.get(..range.start).unwrap_or_default().trim_end_matches([' ', '\t']).len();
        let fence = "`".repeat(longest_run(shown).max(2) + 1);
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str(&fence);
        out.push('\n');
        out.push_str(shown);
        out.push('\n');
        out.push_str(&fence);
        at = range.start + shown.len();
        if text.get(at..).is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['\n', '\r'])) {
            out.push('\n');
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}
