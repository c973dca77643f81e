//! A numbered list in Markdown: each source as a link with its title, the host behind it.

use crate::record::Record;

pub(super) fn list(record: &Record<'_>) -> String {
    let mut text = String::new();
    for item in &record.items {
        text.push_str(&format!("{}. [{}](<{}>)", item.n, literal(&item.title), destination(&item.url)));
        if let Some(host) = item.host.as_ref().filter(|host| **host != item.title) {
            text.push_str(" – ");
            text.push_str(&literal(host));
        }
        text.push('\n');
    }
    text
}

/// A text that Markdown shows as it is: every mark that may mean something within a line is escaped.
///
/// SECURITY: a title may be anybody's text; unescaped, it could bring links, images and HTML of its own.
fn literal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        // Some link `www.example.org` and `a@example.org` wherever they stand.
        let begins_host = character == '.'
            && shown.get(shown.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www"));
        let may_mean = matches!(
            character,
            '\\' | '`'
                | '*'
                | '_'
                | '['
                | ']'
                | '<'
                | '>'
                | '&'
                | '!'
                | '~'
                | '|'
                | '$'
                | '^'
                | ':'
                | '@'
                | '#'
                | '{'
                | '}'
                | '='
        );
        if character == '\n' || character == '\r' {
            shown.push(' ');
        } else {
            if may_mean || begins_host {
                shown.push('\\');
            }
            shown.push(character);
        }
    }
    shown
}

/// An address between `<` and `>`, so that it is read back as it is.
fn destination(address: &str) -> String {
    let mut written = String::with_capacity(address.len());
    for character in address.chars() {
        // What follows `&` may make an entity of it: `?a=1&copy=2` is none, `?a&copy;` is.
        if matches!(character, '<' | '>' | '\\' | '&') {
            written.push('\\');
        }
        written.push(character);
    }
    written
}
