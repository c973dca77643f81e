//! The end of a text that is still being written: what of it is shown, and up to where links are settled.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use crate::bare;
use crate::html::Partial;
use crate::{walk, widget};

/// How many bytes of an address are waited for. What is longer is shown as the text that it is so far.
const LONGEST_WAIT: usize = 4096;

/// How many bytes of a link's text are waited for.
const LONGEST_TEXT: usize = 512;

/// How many signs that open something are looked at.
const MOST_OPEN: usize = 64;

/// The end of a text.
#[derive(Debug)]
pub(super) struct Tail<'t> {
    /// The text as it is to be read: without brackets and half addresses at its end.
    pub(super) shown: Cow<'t, str>,
    /// Where the first sign stands that may turn what follows it into something else.
    settled: usize,
    /// Where the last paragraph, heading or cell begins.
    leaf: usize,
    /// Where the text of a link begins whose address is coming.
    pending: usize,
    brackets: Brackets,
}

impl Tail<'_> {
    pub(super) fn partial(&self) -> Partial<'_> {
        let last_end = self.shown.rfind(bare::always_ends);
        Partial {
            text: &self.shown,
            settled: self.settled,
            last_end,
            leaf: self.leaf,
            pending: self.pending,
            brackets: &self.brackets.all,
            image_brackets: &self.brackets.images,
        }
    }
}

/// Pairs of brackets in running text, in order, the outermost alone.
#[derive(Debug, Default)]
struct Brackets {
    all: Vec<Range<usize>>,
    images: Vec<Range<usize>>,
}

impl Brackets {
    fn add(&mut self, text: &str, pair: Range<usize>) {
        if text.get(..pair.start).is_some_and(|before| before.ends_with('!')) {
            push_outermost(&mut self.images, pair.clone());
        }
        push_outermost(&mut self.all, pair);
    }
}

/// A pair ends behind all that it holds.
fn push_outermost(pairs: &mut Vec<Range<usize>>, pair: Range<usize>) {
    while pairs.last().is_some_and(|last| last.start > pair.start) {
        pairs.pop();
    }
    pairs.push(pair);
}

/// What the events say about the last paragraph, heading or cell.
#[derive(Default)]
struct Leaf {
    start: usize,
    /// Signs in it that open something and were not closed: brackets, backticks, angles.
    open: Vec<usize>,
    is_paragraph: bool,
    in_table: bool,
    /// It is a table widget at the end of the text.
    is_widget: bool,
}

pub(super) fn read(text: &str) -> Tail<'_> {
    let mut brackets = Brackets::default();
    let leaf = last_leaf(text, &mut brackets);
    let settled = leaf.open.first().copied().unwrap_or(text.len());
    let settled = if may_be_title(text, leaf.start) { leaf.start } else { settled };
    let cut = |at: usize, brackets| {
        let shown = text.get(..at).unwrap_or_default();
        Tail { shown: Cow::Borrowed(shown), settled: settled.min(at), leaf: leaf.start.min(at), pending: at, brackets }
    };
    if leaf.in_table && !text.ends_with('\n') {
        // What is left may be a paragraph again, if the line below a head is cut away.
        return read(text.get(..text.rfind('\n').map_or(0, |at| at + 1)).unwrap_or_default());
    }
    // Half a widget is no table, and the head of a table is a paragraph until the line below it has come.
    if leaf.is_widget || leaf.is_paragraph && text.get(leaf.start..).is_some_and(|rest| rest.starts_with('|')) {
        return cut(leaf.start, brackets);
    }
    let near = leaf.open.partition_point(|&at| text.len() - at > LONGEST_TEXT + LONGEST_WAIT);
    for &at in leaf.open.get(near..).unwrap_or_default().iter().take(MOST_OPEN) {
        let Some((seen, waits)) = awaited(text.get(at..).unwrap_or_default()) else { continue };
        let is_image = text.get(..at).is_some_and(|before| before.ends_with('!'));
        if is_image {
            return cut(at - 1, brackets);
        }
        let mut shown = text.get(..at).unwrap_or_default().to_owned();
        if begins_line(&shown, leaf.start)
            && !text.get(at + seen.start..).is_some_and(|t| t.starts_with(char::is_alphabetic))
        {
            // What follows the bracket would begin a block.
            shown.push_str("&#8203;");
        }
        shown.push_str(text.get(at + seen.start..at + seen.end).unwrap_or_default());
        let pending = if waits { at } else { shown.len() };
        return Tail { shown: Cow::Owned(shown), settled: settled.min(at), leaf: leaf.start, pending, brackets };
    }
    Tail { shown: Cow::Borrowed(text), settled, leaf: leaf.start, pending: text.len(), brackets }
}

/// Whether nothing but signs stands before the end of a text in its line, or in the block that begins there.
fn begins_line(text: &str, leaf: usize) -> bool {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    text.len() == leaf || text.get(line..).is_some_and(|line| !line.contains(char::is_alphanumeric))
}

/// Whether a paragraph at the end may turn out to be the title of the definition before it.
fn may_be_title(text: &str, leaf: usize) -> bool {
    let (before, rest) = text.split_at_checked(leaf).unwrap_or_default();
    rest.starts_with(['"', '\'', '('])
        && before.trim_end_matches(|sign: char| sign != '\n').lines().rev().take(2).any(|line| line.contains("]:"))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
fn last_leaf(text: &str, brackets: &mut Brackets) -> Leaf {
    let mut opening: Vec<usize> = Vec::new();
    let mut leaf = Leaf::default();
    let mut tables = 0_usize;
    let mut in_code = false;
    let mut last_end = 0;
    for (event, range) in walk::events(text) {
        match &event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }) => {}
            Event::Start(tag) => {
                in_code = matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock);
                tables += usize::from(matches!(tag, Tag::Table(_)));
                let is_paragraph = matches!(tag, Tag::Paragraph);
                let is_widget = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(info)) if widget::is_named(info))
                    && range.end == text.len();
                opening.clear();
                leaf = Leaf { start: range.start, open: Vec::new(), is_paragraph, in_table: tables > 0, is_widget };
            }
            Event::End(end) if is_block(end) => {
                in_code = false;
                if matches!(end, pulldown_cmark::TagEnd::Table) {
                    tables = tables.saturating_sub(1);
                }
            }
            Event::Text(shown) if !in_code && shown.len() == range.len() => {
                let is_escaped = range.start > last_end && text.as_bytes().get(range.start - 1) == Some(&b'\\');
                let signs = shown.bytes().enumerate().skip(usize::from(is_escaped));
                for (at, byte) in signs {
                    let at = range.start + at;
                    match byte {
                        b'[' => opening.push(at),
                        b']' => opening.pop().into_iter().for_each(|start| brackets.add(text, start..at + 1)),
                        _ => {}
                    }
                    if matches!(byte, b'[' | b'`' | b'<') {
                        leaf.open.push(at);
                    }
                }
            }
            _ => {}
        }
        last_end = match event {
            Event::Start(_) => range.start,
            _ => range.end,
        };
    }
    leaf
}

fn is_block(end: &pulldown_cmark::TagEnd) -> bool {
    use pulldown_cmark::TagEnd;
    !matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Where the text stands of a link that has begun and not ended, and whether its address has begun; `None` where what
/// stands here will not become one.
fn awaited(rest: &str) -> Option<(Range<usize>, bool)> {
    if let Some(address) = rest.strip_prefix('<') {
        let is_coming = address.get(..4).is_none_or(|start| start.eq_ignore_ascii_case("http"));
        let is_open = address.len() <= LONGEST_WAIT && !address.contains(|c: char| c.is_whitespace() || c == '<');
        return (is_coming && is_open).then_some((1..rest.len(), false));
    }
    let inside = rest.strip_prefix('[')?;
    if let Some(end) = inside.find("](") {
        let is_coming = may_be_address(inside.get(end + 2..).unwrap_or_default());
        return is_coming.then_some((1..end + 1, true));
    }
    let text = inside.strip_suffix(']').unwrap_or(inside);
    let is_open = inside.len() <= LONGEST_TEXT && !text.contains([']', '\n']);
    is_open.then_some((1..1 + text.len(), false))
}

/// Whether an address, and a title behind it, may still be coming.
fn may_be_address(written: &str) -> bool {
    if written.len() > LONGEST_WAIT {
        return false;
    }
    if let Some(in_angles) = written.strip_prefix('<') {
        return !in_angles.contains(['>', '<', '\n']);
    }
    let address = written.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
    let behind = written.get(address.len()..).unwrap_or_default().trim_ascii_start();
    let is_address = !address.is_empty() || behind.is_empty();
    is_address && (behind.is_empty() || behind.starts_with(['"', '\'', '(']) && !behind.contains("\n\n"))
}
