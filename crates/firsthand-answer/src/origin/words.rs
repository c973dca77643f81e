//! The words that stood in a conversation before an answer, letter case aside.

use std::collections::HashSet;

use firsthand::conversation::Item;

use super::text;

/// Longer words are no names or numbers.
const LONGEST: usize = 200;

/// The words of the items so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    words: HashSet<String>,
    /// How many of them were read.
    read: usize,
}

impl Words {
    /// Reads what is new of some of the items, which are in order.
    pub(super) fn read(&mut self, items: &[Item], which: &[usize]) {
        let new = which.iter().skip(self.read).filter_map(|item| items.get(*item));
        for text in new.filter_map(text) {
            for token in text.split(|character: char| !is_part(character)) {
                let token = token.trim_matches(['.', '-', '/']);
                if token.is_empty() || token.len() > LONGEST {
                    continue;
                }
                let token = token.to_lowercase();
                // A name within a path is a word too.
                if token.contains('/') {
                    self.words.extend(token.split('/').map(str::to_owned));
                }
                self.words.insert(token);
            }
        }
        self.read = self.read.max(which.len());
    }

    /// Whether a value stood there: whole, or all words of a title that an underscore joins.
    pub(super) fn hold(&self, value: &str) -> bool {
        let value = value.to_lowercase();
        let mut parts = value.split(|character: char| !is_part(character)).filter(|part| !part.is_empty()).peekable();
        self.words.contains(&value) || parts.peek().is_some() && parts.all(|part| self.words.contains(part))
    }
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '-' | '/')
}
