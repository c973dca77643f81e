//! Which characters are seen.
//!
//! What a person does not see in a page is no text for a model either: controls, characters that turn the direction of
//! writing, and those that leave no trace, in which instructions are hidden.

use std::borrow::Cow;

/// Takes the characters of a text one after another and says which stay.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The last character that stayed.
    before: char,
}

impl Seen {
    /// Whether a character stays behind those that stayed before it.
    ///
    /// Joiners and selectors stay where scripts and emoji need them: one behind a character beyond ASCII.
    fn stays(&mut self, character: char) -> bool {
        let stays = match character {
            '\u{200c}' | '\u{200d}' => !self.before.is_ascii() && !is_joiner(self.before),
            '\u{fe0e}' | '\u{fe0f}' => {
                let has_pictures = !self.before.is_ascii() || matches!(self.before, '0'..='9' | '#' | '*');
                has_pictures && !is_joiner(self.before) && !is_selector(self.before)
            }
            '\n' | '\t' => true,
            other => !is_unseen(other),
        };
        if stays {
            self.before = character;
        }
        stays
    }
}

fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether nothing of a character is seen: the controls, and what Unicode lets a renderer ignore.
pub(crate) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text without what is not seen; its lines end with `\n`.
pub(crate) fn seen(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| matches!(character, '\n' | '\t') || !is_unseen(character);
    let Some(first) = text.find(|character| !is_plain(character)) else { return Cow::Borrowed(text) };
    let (whole, rest) = text.split_at_checked(first).unwrap_or(("", text));
    let mut kept = String::with_capacity(text.len());
    kept.push_str(whole);
    let mut seen = Seen { before: whole.chars().next_back().unwrap_or(' ') };
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_a_line = match character {
            '\r' => characters.peek() != Some(&'\n'),
            '\u{2028}' | '\u{2029}' => true,
            _ => false,
        };
        if ends_a_line {
            kept.push('\n');
        } else if seen.stays(character) {
            kept.push(character);
        }
    }
    Cow::Owned(kept)
}
