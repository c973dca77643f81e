//! The identifiers that texts hold, for the site conventions.
//!
//! Nobody looks for them while a text is noted: they are read from the texts that wait when an address asks for one, once for each
//! text, and kept when the texts go.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::words::{Voice, Waiting};
use crate::address::fold::words as fold;
use crate::convention::Token;

/// An identifier in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Its values, folded, a line each.
    pub(crate) key: String,
    /// The values of its slots as the text writes them; none where the model wrote it.
    pub(crate) values: Vec<String>,
    /// When its text was noted.
    pub(crate) clock: u32,
    /// Whose text it is.
    pub(crate) voice: Voice,
    /// Whoever wrote the text cannot only have repeated what the model wrote.
    pub(crate) vouched: bool,
}

impl Spot {
    pub(crate) fn is_the_models(&self) -> bool {
        matches!(self.voice, Voice::Arguments | Voice::Model)
    }
}

/// The identifiers of texts that are gone, each once for a text, in the order in which they were noted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spots {
    by_token: BTreeMap<Token, Vec<Spot>>,
}

impl Spots {
    pub(crate) fn of(&self, token: Token) -> impl Iterator<Item = &Spot> {
        self.by_token.get(&token).into_iter().flatten()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (Token, &Spot)> {
        self.by_token.iter().flat_map(|(token, spots)| spots.iter().map(|spot| (*token, spot)))
    }

    pub(crate) fn add(&mut self, token: Token, spot: Spot) {
        self.by_token.entry(token).or_default().push(spot);
    }

    /// Keeps the identifiers of a text.
    pub(super) fn take(&mut self, waiting: &Waiting) {
        for (token, spot) in waiting.spots() {
            self.add(*token, spot.clone());
        }
        for token in Token::ALL {
            let mut known = HashSet::new();
            Self::written(token, waiting, &mut |key| {
                if known.insert(key.to_owned()) {
                    let Waiting { clock, voice, .. } = *waiting;
                    self.add(token, Spot { key: key.to_owned(), values: Vec::new(), clock, voice, vouched: false });
                }
            });
        }
    }

    /// The identifiers of a text of a person or the world; one that it names many times once.
    pub(super) fn outside(waiting: &Waiting) -> Vec<(Token, Spot)> {
        let Waiting { clock, voice, vouched, is_piece, .. } = *waiting;
        let forms: Vec<Token> = match voice {
            Voice::Person => Token::ALL.to_vec(),
            Voice::Public | Voice::Private => Token::ALL.into_iter().filter(|token| !token.is_a_persons()).collect(),
            Voice::Arguments | Voice::Model => return Vec::new(),
        };
        let (mut all, mut known) = (Vec::new(), HashSet::new());
        waiting.each_text(&mut |text, _| {
            Token::scan(&forms, text, &mut |token, at, values| {
                let touches_an_end = at.start == 0 || at.end == text.len();
                if !(is_piece && touches_an_end) && known.insert((token, values.join("\n"))) {
                    all.push((token, Spot { key: key(&values), values, clock, voice, vouched }));
                }
            });
        });
        all
    }

    /// Calls `each` with the keys of what looks like an identifier in a text of the model's.
    pub(super) fn written(token: Token, waiting: &Waiting, each: &mut dyn FnMut(&str)) {
        match waiting.voice {
            Voice::Arguments | Voice::Model => {}
            Voice::Person | Voice::Public | Voice::Private => return,
        }
        waiting.each_text(&mut |text, _| {
            token.scan_loosely(&fold(text), &mut |values| each(&key(&values)));
        });
    }
}

/// What identifiers are compared by.
pub(crate) fn key<V: AsRef<str>>(values: &[V]) -> String {
    let folded: Vec<String> = values.iter().map(|value| value.as_ref().to_ascii_lowercase()).collect();
    folded.join("\n")
}
