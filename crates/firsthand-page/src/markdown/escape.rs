//! Which characters of a text need a backslash, so that they stay text.

use super::destination::is_entity;

/// Where a character stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'t> {
    /// The character before it in the line, `\n` at the line's beginning.
    pub(super) before: char,
    /// The text behind it, as far as it is known.
    pub(super) after: &'t str,
    /// Whether white space follows that text.
    pub(super) is_end_of_word: bool,
    /// How many digits are all that the line has.
    pub(super) digits: Option<usize>,
    pub(super) is_in_link: bool,
    pub(super) is_in_cell: bool,
    pub(super) is_in_heading: bool,
}

/// Whether a character needs a backslash before it.
///
/// Where it is not known what follows, it is taken to be what needs one.
pub(super) fn needs_backslash(character: char, place: Place<'_>) -> bool {
    let Place { before, after, is_end_of_word, digits, is_in_link, is_in_cell, is_in_heading } = place;
    let next = after.chars().next().or(is_end_of_word.then_some(' '));
    let is_at_start = before == '\n';
    let ends_here = next.is_none_or(char::is_whitespace);
    match character {
        '`' | '*' | '[' => true,
        ']' => is_in_link,
        // The space behind it may be the last of its block and be left out.
        '\\' => after.chars().next().is_none_or(|next| next.is_ascii_punctuation()),
        '<' => next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
        '_' => !(before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)),
        '~' => !next.is_some_and(char::is_whitespace),
        '|' => is_in_cell || is_at_start,
        '&' => is_entity(after).unwrap_or(!is_end_of_word),
        '#' if is_in_heading => before.is_whitespace(),
        '#' => is_at_start && (ends_here || next == Some('#')),
        '>' | '=' => is_at_start,
        '-' => is_at_start && (ends_here || next == Some('-')),
        '+' => is_at_start && ends_here,
        ':' => is_at_start && (ends_here || next == Some('-')),
        '.' | ')' => ends_here && digits.is_some_and(|digits| (1..10).contains(&digits)),
        '^' => is_in_link && before == '[',
        _ => false,
    }
}
