//! References in BibTeX: `@online` entries. When a page was read is not known here.

use super::id;
use crate::record::Record;

pub(super) fn references(record: &Record<'_>) -> String {
    let mut text = String::new();
    for item in &record.items {
        text.push_str(&format!("@online{{{},\n  title = {{{}}},\n", id(item), literal(&item.title)));
        if let Some(host) = &item.host {
            text.push_str(&format!("  organization = {{{}}},\n", literal(host)));
        }
        text.push_str(&format!("  url = {{{}}},\n}}\n", address(&item.url)));
    }
    text
}

/// A text that LaTeX sets as it is.
///
/// SECURITY: a title may be anybody's text; unescaped, it could end its field or be a command. BibTeX counts a brace
/// behind a backslash as it counts others, so that none of the title's stays.
fn literal(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => written.push_str("{\\textbackslash}"),
            '{' => written.push_str("{\\textbraceleft}"),
            '}' => written.push_str("{\\textbraceright}"),
            '~' => written.push_str("{\\textasciitilde}"),
            '^' => written.push_str("{\\textasciicircum}"),
            '$' | '&' | '#' | '%' | '_' => written.extend(['\\', character]),
            // A quote or an at sign may end a field or begin an entry for readers that count no braces.
            '"' => written.push_str("{\"}"),
            '@' => written.push_str("{@}"),
            _ if character.is_control() => written.push(' '),
            _ => written.push(character),
        }
    }
    written
}

/// An address: fields of this name are taken as they stand, but for what would end them.
fn address(address: &str) -> String {
    let mut written = String::with_capacity(address.len());
    for character in address.chars() {
        match character {
            '{' => written.push_str("%7B"),
            '}' => written.push_str("%7D"),
            '\\' => written.push_str("%5C"),
            '"' => written.push_str("%22"),
            _ => written.push(character),
        }
    }
    written
}
