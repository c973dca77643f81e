//! What the models of runs write that go on beside the one that is read: it ranks before what that one reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::cut::{runs, words};
use super::{Voice, Waiting, each_of_the_model};
use crate::address::fold::words as fold;
use crate::convention::Token;
use crate::ledger::spots::Spots;

/// The words of the model of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    argued: HashSet<u32>,
    model: HashSet<u64>,
    spots: HashSet<(Token, String)>,
}

impl Said {
    /// The words of these texts of the model's.
    pub(crate) fn of(texts: &[Waiting]) -> Self {
        let mut said = Self::default();
        for text in texts {
            text.each_text(&mut |inner, _| {
                let folded = fold(inner);
                words(&folded, &mut |_, word| {
                    each_of_the_model(word, &mut |word| {
                        said.model.insert(word);
                    });
                });
                if text.voice == Voice::Arguments {
                    runs(&folded, &mut |run| {
                        said.argued.insert(run);
                    });
                }
            });
            for token in Token::ALL {
                Spots::written(token, text, &mut |key| {
                    said.spots.insert((token, key.to_owned()));
                });
            }
        }
        said
    }
}

/// The words of the models of all runs that go on beside the one that is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    argued: HashMap<u32, Runs>,
    model: HashMap<u64, Runs>,
    spots: BTreeMap<usize, (u32, Arc<Said>)>,
}

/// How many runs hold a word, and since when they count.
#[derive(Clone, Copy, Debug)]
struct Runs {
    count: u32,
    clock: u32,
}

impl Beside {
    pub(super) fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// From this time on the words of a run count.
    pub(super) fn add(&mut self, run: usize, said: &Arc<Said>, clock: u32) {
        said.argued.iter().for_each(|word| add(&mut self.argued, *word, clock));
        said.model.iter().for_each(|word| add(&mut self.model, *word, clock));
        self.spots.insert(run, (clock, Arc::clone(said)));
    }

    /// The words of a run count no more: it is read itself.
    pub(super) fn take_out(&mut self, run: usize, said: &Said) {
        said.argued.iter().for_each(|word| take_out(&mut self.argued, *word));
        said.model.iter().for_each(|word| take_out(&mut self.model, *word));
        self.spots.remove(&run);
    }

    /// Whether arguments hold anything.
    pub(super) fn has_arguments(&self) -> bool {
        !self.argued.is_empty()
    }

    /// Since when a run of bytes counts as one of arguments.
    pub(super) fn argued_at(&self, run: u32) -> Option<u32> {
        self.argued.get(&run).map(|runs| runs.clock)
    }

    /// Since when a word counts as the model's.
    pub(super) fn written_at(&self, word: u64) -> Option<u32> {
        self.model.get(&word).map(|runs| runs.clock)
    }

    /// Whether an identifier that counts before this time is like this.
    pub(super) fn has_spot(&self, token: Token, before: u32, is_like: &dyn Fn(&str) -> bool) -> bool {
        let said = self.spots.values().filter(|(clock, _)| *clock < before);
        said.flat_map(|(_, said)| &said.spots).any(|(other, key)| *other == token && is_like(key))
    }
}

fn add<W: std::hash::Hash + Eq>(words: &mut HashMap<W, Runs>, word: W, clock: u32) {
    words.entry(word).or_insert(Runs { count: 0, clock }).count += 1;
}

fn take_out<W: std::hash::Hash + Eq>(words: &mut HashMap<W, Runs>, word: W) {
    if let Some(runs) = words.get_mut(&word) {
        runs.count = runs.count.saturating_sub(1);
        if runs.count == 0 {
            words.remove(&word);
        }
    }
}
