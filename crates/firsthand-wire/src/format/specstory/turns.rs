//! The turns of a file: from one header to the next.

use super::blocks;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    User,
    Agent,
    /// A subagent's, or the task that it was given.
    Side,
}

/// A turn.
#[derive(Debug)]
pub(super) struct Turn<'t> {
    /// The line of its header, from 1.
    pub(super) line: usize,
    pub(super) voice: Voice,
    /// Its header names a model.
    pub(super) names_a_model: bool,
    /// It is not before the turns above it. What is may be quoted from another session.
    pub(super) in_order: bool,
    /// What stands below the header.
    pub(super) text: &'t str,
}

/// A header.
#[derive(Clone, Copy)]
struct Header<'t> {
    voice: Voice,
    names_a_model: bool,
    /// The time as far as seconds; empty where it is not written.
    time: &'t str,
}

impl<'t> Header<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let inside = line.strip_prefix("_**")?.strip_suffix("**_")?;
        let (who, said) = match inside.split_once(" (") {
            Some((who, said)) => (who, said.strip_suffix(')')?),
            None => (inside, ""),
        };
        let voice = match who {
            "User" => Voice::User,
            "Agent" | "Assistant" => Voice::Agent,
            "Agent - sidechain" => Voice::Side,
            _ => return None,
        };
        let time = time(said);
        Some(Self { voice, names_a_model: said.len() > time.map_or(0, str::len), time: time.unwrap_or_default() })
    }

    /// Whether it is not before another. Times are written in two ways, `2026-01-12 15:08:38Z` and with a `T` and parts of
    /// seconds.
    fn is_after(&self, before: &str) -> bool {
        let comparable = |time: &str| time.get(..19).map(|time| time.replace('T', " "));
        match (comparable(before), comparable(self.time)) {
            (Some(before), Some(time)) => time >= before,
            _ => true,
        }
    }
}

/// The time at the end of what stands in the brackets of a header.
fn time(said: &str) -> Option<&str> {
    let starts = |at: usize| {
        let digits = said.as_bytes().get(at..at + 4);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)) && said.as_bytes().get(at + 4) == Some(&b'-')
    };
    // The time may hold a space of its own, so it begins at the last but one at the earliest.
    let spaces = said.rmatch_indices(' ').take(2).map(|(at, _)| at + 1);
    let begin = spaces.chain([0]).find(|at| starts(*at))?;
    said.get(begin..).filter(|time| time.ends_with('Z'))
}

/// Cuts a file into its turns.
pub(super) fn split(text: &str) -> Vec<Turn<'_>> {
    let lines: Vec<(usize, &str)> = lines(text).collect();
    let mut found: Vec<(usize, Header<'_>, bool)> = Vec::new();
    let mut latest = "";
    let mut index = 0;
    while let Some((_, line)) = lines.get(index) {
        let header = Header::of(line).filter(|header| {
            let last = found.last().map(|(_, header, _)| header.voice);
            header.voice != Voice::User || follows(&lines, index, last) && header.is_after(latest)
        });
        index += 1;
        let Some(header) = header else { continue };
        let in_order = header.is_after(latest);
        found.push((index - 1, header, in_order));
        if in_order && !header.time.is_empty() {
            latest = header.time;
        }
        if header.voice != Voice::User {
            index = after_block(&lines, index);
        }
    }
    let ends = found.iter().skip(1).map(|(index, _, _)| *index).chain([lines.len()]);
    let turns = found.iter().zip(ends).map(|((index, header, in_order), end)| {
        let start = lines.get(index + 1).map_or(text.len(), |(at, _)| *at);
        let end = lines.get(end).map_or(text.len(), |(at, _)| *at);
        Turn {
            line: index + 1,
            voice: header.voice,
            names_a_model: header.names_a_model,
            in_order: *in_order,
            text: text.get(start..end).unwrap_or_default(),
        }
    });
    turns.collect()
}

/// The lines of a text, each with where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = at;
        at += line.len();
        (begin, line.trim_end_matches(['\n', '\r']))
    })
}

/// Whether a user's header stands where SpecStory writes one: after a rule, another user's turn, or nothing but comments.
fn follows(lines: &[(usize, &str)], index: usize, last: Option<Voice>) -> bool {
    let before = lines.get(..index).unwrap_or_default();
    let before = before.iter().rev().map(|(_, line)| line.trim()).find(|line| !line.is_empty());
    match last {
        None | Some(Voice::User) => true,
        Some(Voice::Agent | Voice::Side) => before == Some("---"),
    }
}

/// Where the block ends that a turn begins with, if it does: headers inside it are text. What a tool returned may hold
/// lines that close a block, so no header counts before the last such line that stands before the next block opens.
fn after_block(lines: &[(usize, &str)], from: usize) -> usize {
    let rest = || lines.iter().enumerate().skip(from);
    let Some((first, (_, line))) = rest().find(|(_, (_, line))| !line.trim().is_empty()) else {
        return from;
    };
    if line.starts_with(blocks::THINK) {
        let end = rest().find(|(_, (_, line))| line.trim_end().ends_with(blocks::THINK_END));
        return end.map_or(lines.len(), |(index, _)| index + 1);
    }
    if !line.starts_with(blocks::TOOL) {
        return from;
    }
    let mut end = None;
    let mut after_header = false;
    for (index, (_, line)) in rest().skip(first + 1 - from) {
        if line.starts_with(blocks::TOOL) && after_header {
            break;
        }
        if line.starts_with(blocks::TOOL_END) {
            end = Some(index + 1);
        }
        after_header = Header::of(line).is_some() || after_header && line.trim().is_empty();
    }
    end.unwrap_or(lines.len())
}
