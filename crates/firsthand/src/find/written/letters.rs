//! Letters that are seen as others, or as nothing.

use unicode_normalization::UnicodeNormalization as _;

use crate::address::fold;
use crate::find::sign;

/// Whether a character vanishes, but for those that end lines and separate words.
pub(super) fn hides(letter: char) -> bool {
    !matches!(letter, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}') && fold::vanishes(letter)
}

/// The characters beyond ASCII of a text, and where they stand.
pub(super) fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    const BLOCK: usize = 64;
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        if rest.first()?.is_ascii() {
            let plain = rest.chunks_exact(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
            at += plain + rest.get(plain..)?.iter().position(|byte| !byte.is_ascii())?;
        }
        let letter = sign::character_at(text, at)?;
        at += letter.len_utf8();
        Some((at - letter.len_utf8(), letter))
    })
}

/// Whether letters or dots of another width or style stand in a text (marks of full width are in every Chinese one).
pub(super) fn has_narrowed(text: &str) -> bool {
    beyond_ascii(text).any(|(at, _)| is_narrowed(text, at))
}

/// Whether a letter or dot of another width or style stands at a byte.
pub(super) fn is_narrowed(text: &str, at: usize) -> bool {
    match sign::character_at(text, at) {
        // A stop is one of the address only between two letters.
        Some(stop @ ('\u{3002}' | '\u{ff0e}' | '\u{ff61}')) => {
            let behind = sign::character_at(text, at + stop.len_utf8());
            sign::character_before(text, at).is_some_and(char::is_alphanumeric)
                && behind.is_some_and(|behind| behind.is_ascii_alphanumeric())
        }
        Some('\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}') => true,
        letter => letter.is_some_and(is_styled),
    }
}

/// Whether a letter, digit or mark is one of ASCII in another style: raised, in a circle, bold, joined.
fn is_styled(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0xaa | 0xb2..=0xb3
            | 0xb9..=0xba
            | 0x2b0..=0x2b8
            | 0x2e0..=0x2e4
            | 0x1d2c..=0x1d6a
            | 0x2024
            | 0x2070..=0x209c
            | 0x2100..=0x2115
            | 0x2119..=0x211d
            | 0x2124..=0x2149
            | 0x2160..=0x217f
            | 0x2460..=0x24ea
            | 0x2c7c..=0x2c7d
            | 0xa7f2..=0xa7f4
            | 0xfb00..=0xfb06
            | 0xfe52..=0xfe6b
            | 0x1ccd6..=0x1ccf9
            | 0x1d400..=0x1d7ff
            | 0x1f100..=0x1f14f
    )
}

/// The letters of ASCII that a letter stands for, or the letter.
pub(super) fn narrow(letter: char) -> impl Iterator<Item = char> {
    let (one, styled) = match letter {
        '\u{3002}' | '\u{ff61}' => (Some('.'), None),
        '\u{ff01}'..='\u{ff5e}' => (None, Some(letter)),
        letter if is_styled(letter) => (None, Some(letter)),
        letter => (Some(letter), None),
    };
    one.into_iter().chain(styled.into_iter().nfkc())
}

/// The letter of ASCII that a tag stands for.
pub(super) fn untagged(letter: char) -> char {
    match letter {
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(letter) - 0xe0000).unwrap_or(letter),
        letter => letter,
    }
}
