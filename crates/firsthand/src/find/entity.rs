//! HTML's character references: what one at a given place stands for.

use std::borrow::Cow;
use std::ops::Range;

/// A character reference.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    /// How many bytes it takes in the text.
    pub(crate) length: usize,
    /// What it stands for.
    pub(crate) text: Cow<'static, str>,
}

/// The longest name of HTML's list, with its ampersand and semicolon.
const MAX_NAME: usize = 33;
/// The longest name that needs no semicolon.
const MAX_BARE_NAME: usize = 7;

/// Where a text with references stands, which decides about names without a semicolon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between tags.
    Text,
    /// In the value of an attribute: a name that runs on into `=` or a letter is none.
    Attribute,
}

/// The reference at an ampersand, if it is closed by a semicolon.
pub(crate) fn closed(text: &str, at: usize) -> Option<Entity> {
    match text.as_bytes().get(at + 1)? {
        b'#' => numeric(text, at).filter(|entity| text.as_bytes().get(at + entity.length - 1) == Some(&b';')),
        _ => {
            let length = 1 + name_length(text, at + 1, MAX_NAME);
            (text.as_bytes().get(at + length) == Some(&b';')).then(|| named(text, at, length + 1)).flatten()
        }
    }
}

/// The reference at an ampersand, as HTML reads it.
pub(crate) fn html(text: &str, at: usize, place: Place) -> Option<Entity> {
    if text.as_bytes().get(at + 1) == Some(&b'#') {
        return numeric(text, at);
    }
    if let Some(entity) = closed(text, at) {
        return Some(entity);
    }
    let longest = name_length(text, at + 1, MAX_BARE_NAME);
    let entity = (2..=longest).rev().find_map(|length| named(text, at, length + 1))?;
    let behind = text.as_bytes().get(at + entity.length);
    let runs_on = behind.is_some_and(|&byte| byte == b'=' || byte.is_ascii_alphanumeric());
    (place == Place::Text || !runs_on).then_some(entity)
}

/// Decodes all references of a text, piece by piece, each with the bytes that it stands for.
pub(crate) fn decode_with(text: &str, place: Place, each: &mut dyn FnMut(Range<usize>, &str)) {
    let mut done = 0;
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        if at < done {
            continue;
        }
        let Some(entity) = html(text, at, place) else { continue };
        if let Some(before) = text.get(done..at).filter(|before| !before.is_empty()) {
            each(done..at, before);
        }
        done = at + entity.length;
        each(at..done, &entity.text);
    }
    if let Some(rest) = text.get(done..).filter(|rest| !rest.is_empty()) {
        each(done..text.len(), rest);
    }
}

fn name_length(text: &str, from: usize, most: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    rest.iter().take(most).take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

fn named(text: &str, at: usize, length: usize) -> Option<Entity> {
    let name = text.as_bytes().get(at..at + length)?;
    // Nearly every reference in an address is this one.
    if name == b"&amp;" {
        return Some(Entity { length, text: Cow::Borrowed("&") });
    }
    let stands_for = std::str::from_utf8(htmlize::ENTITIES.get(name)?).ok()?;
    Some(Entity { length, text: Cow::Borrowed(stands_for) })
}

fn numeric(text: &str, at: usize) -> Option<Entity> {
    let bytes = text.as_bytes();
    let hex = matches!(bytes.get(at + 2), Some(b'x' | b'X'));
    let from = if hex { at + 3 } else { at + 2 };
    let rest = bytes.get(from..)?;
    let is_digit = |byte: &&u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let digits = rest.iter().take_while(is_digit).count();
    if digits == 0 {
        return None;
    }
    let end = from + digits;
    let length = end - at + usize::from(bytes.get(end) == Some(&b';'));
    let digits = text.get(from..end)?.trim_start_matches('0');
    let number = match digits.len() {
        0 => 0,
        1..=7 => u32::from_str_radix(digits, if hex { 16 } else { 10 }).unwrap_or(u32::MAX),
        _ => u32::MAX,
    };
    Some(Entity { length, text: Cow::Owned(character(number).to_string()) })
}

/// HTML reads numbers between 0x80 and 0x9F as Windows-1252 and replaces what is no character.
fn character(number: u32) -> char {
    const WINDOWS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let windows = number.checked_sub(0x80).and_then(|index| WINDOWS.get(usize::try_from(index).ok()?));
    match windows {
        Some(&character) => character,
        None => char::from_u32(number).filter(|&character| character != '\0').unwrap_or('\u{fffd}'),
    }
}
