//! How far an address in running text reaches.
//!
//! The text around it may be written without spaces, so what ends an address is not white space alone: brackets that it
//! did not open, quotes, and every sign beyond ASCII that is neither letter nor digit. Letters of any script go on.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::target::joins;

/// The scheme that ends at a colon: `http` or `https`, in any case, with no letter before it.
pub(crate) fn scheme_before(text: &str, colon: usize, floor: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let starts = |length: usize, name: &[u8]| {
        let start = colon.checked_sub(length)?;
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_whole = !before.is_some_and(u8::is_ascii_alphabetic);
        (start >= floor && is_whole && bytes.get(start..colon)?.eq_ignore_ascii_case(name)).then_some(start)
    };
    starts(5, b"https").or_else(|| starts(4, b"http"))
}

/// Whether a host may start with the character.
pub(crate) fn starts_host(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphanumeric() || character == '[' } else { is_letter(character) }
}

/// An address that is read on piece by piece, as it is shown.
#[derive(Debug)]
pub(crate) struct Extent {
    /// The last character that was read.
    last: Option<char>,
    /// How many round, square and curly brackets are open.
    open: [u32; 3],
    /// An apostrophe stands before it, so the next one ends it.
    quoted: bool,
}

impl Extent {
    /// Starts reading. `before` is the character before the scheme.
    pub(crate) fn new(before: Option<char>) -> Self {
        Self { last: None, open: [0; 3], quoted: before == Some('\'') }
    }

    /// Reads on; the byte of the piece at which the address has ended, or `None` if all of it may belong to it.
    pub(crate) fn read(&mut self, piece: &str) -> Option<usize> {
        let mut rest = piece;
        loop {
            let plain = rest.bytes().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
            let (before, behind) = rest.split_at_checked(plain)?;
            self.last = before.chars().next_back().or(self.last);
            let mut characters = behind.chars();
            let character = characters.next()?;
            rest = characters.as_str();
            if self.ends_at(character, characters.next()) {
                return Some(piece.len() - behind.len());
            }
            self.last = Some(character);
        }
    }

    fn ends_at(&mut self, character: char, next: Option<char>) -> bool {
        match character {
            '\0'..=' ' | '\u{7f}' | '<' | '>' | '"' | '`' | '\\' => true,
            '\'' => self.quoted,
            '(' => self.opens(0),
            ')' => self.closes(0),
            '[' => self.opens(1),
            ']' => self.closes(1),
            '{' => self.opens(2),
            '}' => self.closes(2),
            '!'..='~' => false,
            other if is_letter(other) => false,
            other => !goes_between(other, self.last, next),
        }
    }

    fn opens(&mut self, bracket: usize) -> bool {
        if let Some(open) = self.open.get_mut(bracket) {
            *open += 1;
        }
        false
    }

    /// Whether a closing bracket ends the address: no bracket of its kind is open.
    fn closes(&mut self, bracket: usize) -> bool {
        let Some(open) = self.open.get_mut(bracket).filter(|open| **open > 0) else { return true };
        *open -= 1;
        false
    }
}

/// What was read without the punctuation of the sentence at its end.
pub(crate) fn without_sentence(shown: &str) -> &str {
    let mut end = shown.len();
    let bytes = shown.as_bytes();
    while let Some(last) = end.checked_sub(1) {
        match bytes.get(last) {
            Some(b'?' | b'!' | b'.' | b',' | b':' | b';' | b'*' | b'_' | b'~' | b'\'' | b'(' | b'[' | b'{') => {
                end = last
            }
            Some(b's') if last > 0 && bytes.get(last - 1) == Some(&b'\'') => end = last - 1,
            _ => break,
        }
    }
    shown.get(..end).unwrap_or_default()
}

/// Whether a byte is a character of an address wherever it stands there.
fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)).copied().unwrap_or(false)
}

static PLAIN: [bool; 256] = plain();

const fn plain() -> [bool; 256] {
    let mut plain = [false; 256];
    let mut byte = b'!';
    #[expect(clippy::indexing_slicing, reason = "the index is below 127 and the table is built by the compiler")]
    while byte <= b'~' {
        plain[byte as usize] =
            !matches!(byte, b'<' | b'>' | b'"' | b'`' | b'\\' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        byte += 1;
    }
    plain
}

/// Whether a character ends every address that it stands behind, whatever else stands around.
pub(crate) fn always_ends(character: char) -> bool {
    match character {
        '\0'..=' ' | '\u{7f}' | '<' | '>' | '"' | '`' => true,
        other => other.is_whitespace(),
    }
}

/// Whether a character beyond ASCII is a letter, a mark upon one, or a digit.
fn is_letter(character: char) -> bool {
    match character.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark | GeneralCategoryGroup::Number => {
            // Variation selectors are marks by their category.
            !matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{34f}' | '\u{180b}'..='\u{180f}')
                && !matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        }
        GeneralCategoryGroup::Punctuation
        | GeneralCategoryGroup::Symbol
        | GeneralCategoryGroup::Separator
        | GeneralCategoryGroup::Other => false,
    }
}

/// Signs that belong to words when they stand between their letters: the dots of Catalan and of Japanese names, the dash
/// of names and years, and joiners.
fn goes_between(sign: char, before: Option<char>, next: Option<char>) -> bool {
    let wide = |letter: Option<char>| letter.is_some_and(|letter| !letter.is_ascii() && is_letter(letter));
    let letter = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
    let digit_or_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    match sign {
        '\u{b7}' => letter(before) && letter(next),
        '\u{2013}' => digit_or_letter(before) && digit_or_letter(next),
        '\u{30fb}' => wide(before) && wide(next),
        _ => joins(sign) && wide(before) && wide(next),
    }
}
