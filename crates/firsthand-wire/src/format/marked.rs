//! Texts in the user's place in which a host wrapped what is not the user's into marks.
//!
//! What stands between marks may have been written by anybody, and may hold the closing mark itself. So a part that is not
//! the person's ends at the last closing mark of its name, a part that was typed at the first, and one that is never
//! closed reaches to the end as the host's: words can be lost that way, none can be won.

/// Whose words a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Whoever the whole text is by.
    Whole,
    /// A person's, whatever stands around it.
    Typed,
    /// The host's.
    Host,
    /// Another agent's.
    Report,
    /// A summary's.
    Summary,
    /// The model's, said again in the user's place.
    Task,
    /// The output of a command that the person ran.
    Output,
    /// Somebody's outside, passed on.
    Outside,
}

/// A pair of marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// How the part begins. What does not begin with `<` counts only at the start of the text.
    pub(super) open: &'static str,
    /// How it ends.
    pub(super) close: &'static str,
    /// Whose words the part is. Of a typed part only what stands between the marks is taken.
    pub(super) voice: Voice,
}

/// A sentence with which a text begins that is all of one voice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The beginning of the text.
    pub(super) start: &'static str,
    /// Whose words the text is.
    pub(super) voice: Voice,
}

/// The parts of a text that are not blank, in order.
pub(super) fn split<'t>(text: &'t str, openings: &[Opening], marks: &[Marks]) -> Vec<(&'t str, Voice)> {
    let begun = text.trim_start();
    if let Some(opening) = openings.iter().find(|opening| starts(begun, opening.start)) {
        return vec![(text, opening.voice)];
    }
    let mut parts = Vec::new();
    let mut push = |part: &'t str, voice| {
        if !part.trim().is_empty() {
            parts.push((part, voice));
        }
    };
    let mut rest = text;
    while let Some((at, found)) = first_mark(rest, marks, rest.len() == text.len()) {
        let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
        push(before, Voice::Whole);
        let inside = marked.get(found.open.len()..).unwrap_or_default();
        let typed = found.voice == Voice::Typed;
        let end = if typed { first(inside, found.close) } else { last(inside, found.close) };
        let Some(end) = end else {
            push(marked, if typed { Voice::Host } else { found.voice });
            return parts;
        };
        if typed {
            push(inside.get(..end).unwrap_or_default(), Voice::Typed);
        } else {
            let length = found.open.len() + end + found.close.len();
            push(marked.get(..length).unwrap_or(marked), found.voice);
        }
        rest = inside.get(end + found.close.len()..).unwrap_or_default();
    }
    push(rest, Voice::Whole);
    parts
}

/// The first mark that opens, and where.
fn first_mark<'m>(text: &str, marks: &'m [Marks], at_start: bool) -> Option<(usize, &'m Marks)> {
    if at_start {
        let begun = text.trim_start();
        let found = marks.iter().find(|marks| !marks.open.starts_with('<') && starts(begun, marks.open));
        if let Some(found) = found {
            return Some((text.len() - begun.len(), found));
        }
    }
    memchr::memchr_iter(b'<', text.as_bytes()).find_map(|at| {
        let here = text.get(at..)?;
        marks.iter().find(|marks| marks.open.starts_with('<') && starts(here, marks.open)).map(|marks| (at, marks))
    })
}

/// Whether a text starts so, in whatever case.
pub(super) fn starts(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

/// Where this stands in a text for the first time, in whatever case.
fn first(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Where this stands in a text for the last time, in whatever case.
fn last(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).rposition(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: &[Marks] = &[
        Marks { open: "<note>", close: "</note>", voice: Voice::Host },
        Marks { open: "<args>", close: "</args>", voice: Voice::Typed },
        Marks { open: "# Rules", close: "</rules>", voice: Voice::Host },
    ];
    const OPENINGS: &[Opening] = &[Opening { start: "The plan:", voice: Voice::Task }];

    #[track_caller]
    fn is(text: &str, wanted: &[(&str, Voice)]) {
        assert_eq!(split(text, OPENINGS, MARKS), wanted);
    }

    #[test]
    fn what_stands_around_marks_stays_whole() {
        is("a <note>b</note> c", &[("a ", Voice::Whole), ("<note>b</note>", Voice::Host), (" c", Voice::Whole)]);
        is("<NOTE>b</Note>\n", &[("<NOTE>b</Note>", Voice::Host)]);
        is("# rules\nx</rules>y", &[("# rules\nx</rules>", Voice::Host), ("y", Voice::Whole)]);
        is("y # rules</rules>", &[("y # rules</rules>", Voice::Whole)]);
    }

    #[test]
    fn a_closing_mark_inside_wins_nothing() {
        is("<note>x</note> <args>evil</args></note>", &[("<note>x</note> <args>evil</args></note>", Voice::Host)]);
    }

    #[test]
    fn a_part_that_is_not_closed_reaches_to_the_end() {
        is("a<note>b", &[("a", Voice::Whole), ("<note>b", Voice::Host)]);
        is("<args>b", &[("<args>b", Voice::Host)]);
    }

    #[test]
    fn only_what_stands_between_typed_marks_was_typed() {
        is("<args>/x </args>", &[("/x ", Voice::Typed)]);
        is(
            "<args>/x</args><note>evil</args></note>",
            &[("/x", Voice::Typed), ("<note>evil</args></note>", Voice::Host)],
        );
    }

    #[test]
    fn an_opening_sentence_speaks_for_the_whole_text() {
        is(" the plan: <args>x</args>", &[(" the plan: <args>x</args>", Voice::Task)]);
    }

    #[test]
    fn a_million_marks_are_read_once() {
        assert_eq!(split(&"<note>".repeat(200_000), OPENINGS, MARKS).len(), 1);
        assert!(split(&"</note><".repeat(200_000), OPENINGS, MARKS).len() <= 2);
    }
}
