//! Text of a conversation, as a terminal may show it.
//!
//! A recorded conversation may hold anything, also sequences that move a cursor, turn text around or vanish. What stands
//! in a table is therefore spelled out where it would not be seen as it is. JSON output needs none of this.

use firsthand_wire::error::without_addresses;
use unicode_width::UnicodeWidthChar as _;

/// How a command line names standard input.
const STDIN: &str = "-";

/// How many columns of a path are shown in a table before it is cut.
const PATH_COLUMNS: usize = 28;

/// The text with everything that has no width or a hidden meaning written as `\u{...}`.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// A file's name in a message: on one line, with what is hidden spelled out. Somebody may have typed an address, which ends
/// at no space then.
pub(crate) fn file_name(name: &str) -> String {
    if name == STDIN {
        return "standard input".to_owned();
    }
    let name = &plain(name);
    let is_one_word = !name.contains("://") && !name.contains('?');
    if is_one_word {
        name.to_owned()
    } else {
        without_addresses(
            &name.replace(|character: char| character.is_whitespace() || matches!(character, '`' | '"'), "_"),
        )
    }
}

fn is_hidden(character: char) -> bool {
    // Control characters have no width, invisible and combining ones a width of nothing; those that turn the writing
    // direction are named, since some of them count as letters.
    match character.width() {
        None | Some(0) => true,
        Some(_) => matches!(
            character,
            '\u{061c}' | '\u{115f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        ),
    }
}

/// How much of each address a table shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Addresses {
    /// Scheme and host whole, path and query shortened.
    #[default]
    Short,
    /// All of it, for whoever asks for that.
    Whole,
}

impl Addresses {
    /// An address for a table.
    pub(crate) fn show(self, address: &str) -> String {
        match self {
            Self::Short => short_address(address),
            Self::Whole => plain(address),
        }
    }
}

/// An address for a table: scheme and host whole, path and query shortened.
pub(crate) fn short_address(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at(host_end);
    let path_end = tail.find(['?', '#']).unwrap_or(tail.len());
    let (path, query) = tail.split_at(path_end);
    let mut shown = String::new();
    if !scheme.is_empty() {
        shown.push_str(scheme);
        shown.push_str("://");
    }
    shown.push_str(host);
    let path = plain(path);
    let cut = crate::table::cut(&path, PATH_COLUMNS);
    shown = plain(&shown);
    shown.push_str(&cut);
    if query.starts_with('?') {
        shown.push_str("?…");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shortens(address: &str, wanted: &str) {
        assert_eq!(short_address(address), wanted);
    }

    #[test]
    fn a_table_shows_the_host_and_shortens_the_rest() {
        shortens("https://a.example", "https://a.example");
        shortens("https://a.example/guide", "https://a.example/guide");
        shortens("https://a.example/guide?token=secret", "https://a.example/guide?…");
        shortens(
            "https://a.example/a/very/long/path/that/goes/on/and/on",
            "https://a.example/a/very/long/path/that/goes…",
        );
        shortens("a.example/x#y", "a.example/x");
    }

    #[test]
    fn the_name_of_a_file_cannot_begin_a_line_of_its_own() {
        assert_eq!(file_name("a\nfirsthand: b\r\u{1b}[2J.json"), "a\\u{a}firsthand: b\\u{d}\\u{1b}[2J.json");
        assert_eq!(file_name("runs/mühl.json"), "runs/mühl.json");
    }

    #[test]
    fn what_would_move_a_cursor_or_vanish_is_spelled_out() {
        assert_eq!(plain("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(plain("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
        assert_eq!(plain("漢字 mühl"), "漢字 mühl");
    }
}
