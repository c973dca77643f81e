//! The words of a tree of runs, in first-writer order.
//!
//! A believed tool can put a word of the model's into an address that the model never wrote whole. So each text is kept
//! (shared, not copied) until somebody asks. Then first the arguments that wait are taken apart; the long words of the
//! other texts only if a part of an address stood in some arguments, and the rest only when somebody asks where a word
//! was first written. Most conversations ask for the first alone.

mod beside;
mod cut;
mod identifier;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use hashbrown::{HashMap, HashSet};

pub(crate) use self::beside::Said;
use self::cut::{bare_number, beginnings, hash, mix, parts, runs, words};
use super::spots::{Spot, Spots};
use crate::address::fold::words as fold;
use crate::convention::Token;
use crate::conversation::Text;
use crate::json;

/// The shortest run of bytes that is told apart from chance, in bytes.
pub(crate) const SHORTEST: usize = 8;

/// How many JSON texts in each other's strings are taken apart.
const NESTED: usize = 4;

/// Whose text it is, as far as words are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Voice {
    /// A person's.
    Person,
    /// A search result's or a page's.
    Public,
    /// A connector's or an attachment's.
    Private,
    /// The arguments of a call.
    Arguments,
    /// The model's, but not the arguments of a call.
    Model,
}

/// Where a word was first written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// When its text was noted.
    pub(crate) clock: u32,
    /// The byte of the text at which it starts.
    pub(crate) offset: u32,
    /// Whose text it is.
    pub(crate) voice: Voice,
}

/// A text that was noted and may not have been taken apart yet.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(super) clock: u32,
    pub(super) voice: Voice,
    is_json: bool,
    /// Whoever wrote it cannot only have repeated what the model wrote.
    pub(super) vouched: bool,
    /// It is a piece of a longer text, so that what stands at its ends may be cut.
    pub(super) is_piece: bool,
    text: Text,
    /// The identifiers in it, once somebody asked.
    spots: OnceLock<Vec<(Token, Spot)>>,
}

impl Waiting {
    /// The identifiers that a person or the world wrote in it.
    pub(super) fn spots(&self) -> &[(Token, Spot)] {
        self.spots.get_or_init(|| Spots::outside(self))
    }

    /// Calls `each` with the texts that it holds, and where each starts.
    pub(super) fn each_text(&self, each: &mut dyn FnMut(&str, usize)) {
        if !self.is_json {
            return each(&self.text, 0);
        }
        json::walk(&self.text, &mut |_, leaf| {
            each(&leaf.text, leaf.raw.start);
            // A JSON text in a string is what a dispatcher hands on.
            if self.voice == Voice::Arguments {
                each_inside(&leaf.text, leaf.raw.start, NESTED, each);
            }
        });
    }
}

/// Calls `each` with the texts that a JSON text in a string holds, for so many such texts in each other.
fn each_inside(text: &str, offset: usize, depth: usize, each: &mut dyn FnMut(&str, usize)) {
    if depth > 0 && json::looks_like_json(text) {
        json::walk(text, &mut |_, leaf| {
            each(&leaf.text, offset);
            each_inside(&leaf.text, offset, depth - 1, each);
        });
    }
}

/// The words, and the runs of [`SHORTEST`] bytes that arguments held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    waiting: Vec<Waiting>,
    /// How many of the waiting texts were looked at for arguments.
    argued_to: usize,
    /// How many were looked at for what people and the world showed.
    shown_to: usize,
    outside: HashMap<u64, Place>,
    model: HashMap<u64, u32>,
    /// Runs of bytes in arguments, with the time at which each first stood there.
    argued: HashMap<u32, u32>,
    /// The same of a person's texts, and of the world's where the policy looks for any run.
    shown: HashMap<u32, u32>,
    /// Runs of the world's texts are kept too.
    keeps_runs: bool,
    /// The identifiers of the texts that do not wait any more.
    spots: Spots,
    beside: beside::Beside,
    /// The model's texts since somebody began to listen.
    listened: Option<Vec<Waiting>>,
}

impl Words {
    /// Takes note of a text.
    pub(crate) fn note(&mut self, clock: u32, voice: Voice, text: &Text, is_json: bool) {
        let (vouched, is_piece, text, spots) = (false, false, Text::clone(text), OnceLock::new());
        let waiting = Waiting { clock, voice, is_json, vouched, is_piece, text, spots };
        if let (Some(listened), Voice::Arguments | Voice::Model) = (&mut self.listened, voice) {
            listened.push(waiting.clone());
        }
        self.waiting.push(waiting);
    }

    /// The model's texts since this was asked last; from now on they are kept for it.
    pub(crate) fn listen(&mut self) -> Vec<Waiting> {
        self.listened.replace(Vec::new()).unwrap_or_default()
    }

    /// What the model of a run writes ranks before all that is noted from now on.
    pub(crate) fn expect(&mut self, run: usize, said: &Arc<Said>, clock: u32) {
        self.settle();
        self.beside.add(run, said, clock);
    }

    /// What it writes does no more: it is read itself. What was noted until now was noted behind it.
    pub(crate) fn forget(&mut self, run: usize, said: &Said) {
        self.settle();
        self.beside.take_out(run, said);
    }

    /// Says of the text that was noted last whether it is vouched for, and whether it is a piece of a longer one.
    pub(crate) fn vouch(&mut self, vouched: bool, is_piece: bool) {
        if let Some(last) = self.waiting.last_mut() {
            (last.vouched, last.is_piece) = (vouched, is_piece);
        }
    }

    /// From now on runs of texts of a person or the world are kept too.
    pub(crate) fn keep_runs(&mut self) {
        self.keeps_runs = true;
    }

    /// Takes the waiting texts apart.
    pub(crate) fn settle(&mut self) {
        self.settle_shown();
        self.argued_to = 0;
        self.shown_to = 0;
        for waiting in std::mem::take(&mut self.waiting) {
            let Waiting { clock, voice, .. } = waiting;
            self.spots.take(&waiting);
            waiting.each_text(&mut |text, offset| {
                let folded = fold(text);
                words(&folded, &mut |at, word| match voice {
                    Voice::Arguments | Voice::Model => each_of_the_model(word, &mut |word| {
                        self.model.entry(word).or_insert(clock);
                    }),
                    Voice::Person | Voice::Public | Voice::Private => self.show_short(clock, voice, offset + at, word),
                });
                match voice {
                    Voice::Arguments | Voice::Model => {}
                    Voice::Person | Voice::Public | Voice::Private => parts(&folded, &mut |at, part| {
                        self.show_short(clock, voice, offset + at, part);
                    }),
                }
            });
        }
    }

    /// Takes the runs of bytes from the arguments that wait.
    fn settle_arguments(&mut self) {
        let Self { waiting, argued, argued_to, .. } = self;
        for waiting in waiting.iter().skip(*argued_to).filter(|waiting| waiting.voice == Voice::Arguments) {
            waiting.each_text(&mut |text, _| {
                runs(&fold(text), &mut |run| {
                    argued.entry(run).or_insert(waiting.clock);
                });
            });
        }
        *argued_to = waiting.len();
    }

    /// Takes the words of [`SHORTEST`] bytes and more, and the runs, from the texts of people and the world that wait.
    fn settle_shown(&mut self) {
        self.settle_arguments();
        let waiting = std::mem::take(&mut self.waiting);
        for waiting in waiting.iter().skip(self.shown_to) {
            let Waiting { clock, voice, .. } = *waiting;
            match voice {
                Voice::Arguments | Voice::Model => continue,
                Voice::Person | Voice::Public | Voice::Private => {}
            }
            waiting.each_text(&mut |text, offset| {
                let folded = fold(text);
                let mut enter = |at: usize, word: &str| {
                    // What the arguments held before is an echo here, not the world's word.
                    let echo = || self.stood_in_arguments(word).is_some_and(|argued| argued < clock);
                    if word.len() >= SHORTEST && (voice == Voice::Person || !echo()) {
                        self.show(clock, voice, offset + at, word);
                    }
                };
                words(&folded, &mut enter);
                parts(&folded, &mut enter);
                if voice == Voice::Person || self.keeps_runs {
                    runs(&folded, &mut |run| {
                        let argued = self.argued_at(run).is_some_and(|argued| argued < clock);
                        if voice == Voice::Person || !argued {
                            self.shown.entry(run).or_insert(clock);
                        }
                    });
                }
            });
        }
        self.shown_to = waiting.len();
        self.waiting = waiting;
    }

    /// Shows a word that is too short to be told from chance where it stood in arguments. What runs beside wrote is no
    /// word of the world's all the same.
    fn show_short(&mut self, clock: u32, voice: Voice, offset: usize, word: &str) {
        let is_expected = || self.beside.written_at(hash(word)).is_some_and(|written| written < clock);
        if word.len() < SHORTEST && (voice == Voice::Person || self.beside.is_empty() || !is_expected()) {
            self.show(clock, voice, offset, word);
        }
    }

    fn show(&mut self, clock: u32, voice: Voice, offset: usize, word: &str) {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.outside.entry(hash(word)).or_insert(Place { clock, offset, voice });
    }

    /// Whether any arguments held what could be told apart from chance.
    pub(crate) fn holds_arguments(&mut self) -> bool {
        self.settle_arguments();
        !self.argued.is_empty() || self.beside.has_arguments()
    }

    /// Whether the first run of a host stood in arguments, if it can be told: without it no longer beginning did.
    pub(crate) fn may_begin_in_arguments(&mut self, host: &str) -> bool {
        self.settle_arguments();
        let is_folded = host.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
        let run = host.as_bytes().first_chunk().map(|run| mix(u64::from_le_bytes(*run)));
        !is_folded || run.is_some_and(|run| self.argued_at(run).is_some())
    }

    /// Whether a part of an address is the model's: it stood in arguments before a person or the world wrote it.
    ///
    /// The world must have written it as a word of its own; of a person it is enough that each of its runs stands in some
    /// text.
    pub(crate) fn is_the_models(&mut self, part: &str) -> bool {
        if !self.holds_arguments() {
            return false;
        }
        let part = fold(part);
        if part.len() < SHORTEST || self.stood_in_arguments(&part).is_none() {
            return false;
        }
        self.settle_shown();
        // Where the world's runs are kept too, nobody knows whose they are: only whole words count then.
        let mut by_a_person = !self.keeps_runs;
        runs(&part, &mut |run| by_a_person &= self.shown.contains_key(&run));
        !by_a_person && !self.outside.contains_key(&hash(&part))
    }

    /// Whether a person or the world wrote a word before it stood in arguments, in a text before this time.
    pub(crate) fn is_anothers(&mut self, word: &str, before: u32) -> bool {
        self.settle_shown();
        self.outside.get(&hash(&fold(word))).is_some_and(|place| place.clock < before)
    }

    /// Whether any run of an address stood in arguments and in no text of a person or the world.
    pub(crate) fn has_a_run_of_the_models(&mut self, address: &str) -> bool {
        self.settle_shown();
        let mut found = false;
        runs(&fold(address), &mut |run| {
            found |= self.argued_at(run).is_some() && !self.shown.contains_key(&run);
        });
        found
    }

    /// Where a person or the world first wrote a word before the model did. Call [`settle`](Self::settle) first.
    pub(crate) fn place(&self, word: &str) -> Option<Place> {
        let key = hash(&fold(word));
        let place = self.outside.get(&key).copied()?;
        self.written_at(key).is_none_or(|clock| place.clock < clock).then_some(place)
    }

    /// When all of the part's runs had stood in arguments.
    fn stood_in_arguments(&self, part: &str) -> Option<u32> {
        let mut latest = None;
        for run in part.as_bytes().windows(SHORTEST) {
            let clock = self.argued_at(mix(u64::from_le_bytes(*run.first_chunk()?)))?;
            latest = latest.max(Some(clock));
        }
        latest
    }

    /// When a run of bytes first stood in arguments.
    fn argued_at(&self, run: u32) -> Option<u32> {
        earliest(self.argued.get(&run).copied(), self.beside.argued_at(run))
    }

    /// When the model first wrote a word of this hash.
    fn written_at(&self, word: u64) -> Option<u32> {
        earliest(self.model.get(&word).copied(), self.beside.written_at(word))
    }

    pub(crate) fn outside(&self) -> impl Iterator<Item = (u64, Place)> {
        self.outside.iter().map(|(key, place)| (*key, *place))
    }

    pub(crate) fn model(&self) -> impl Iterator<Item = (u64, u32)> {
        self.model.iter().map(|(key, clock)| (*key, *clock))
    }

    pub(crate) fn argued(&self) -> impl Iterator<Item = (u32, u32)> {
        self.argued.iter().map(|(run, clock)| (*run, *clock))
    }

    pub(crate) fn shown(&self) -> impl Iterator<Item = (u32, u32)> {
        self.shown.iter().map(|(run, clock)| (*run, *clock))
    }

    pub(crate) fn keeps_runs(&self) -> bool {
        self.keeps_runs
    }

    pub(crate) fn restored(
        outside: impl Iterator<Item = (u64, Place)>,
        model: impl Iterator<Item = (u64, u32)>,
        argued: impl Iterator<Item = (u32, u32)>,
        shown: impl Iterator<Item = (u32, u32)>,
        keeps_runs: bool,
        spots: Spots,
    ) -> Self {
        Self {
            waiting: Vec::new(),
            argued_to: 0,
            shown_to: 0,
            outside: outside.collect(),
            model: model.collect(),
            argued: argued.collect(),
            shown: shown.collect(),
            keeps_runs,
            spots,
            ..Self::default()
        }
    }

    pub(crate) fn spots(&self) -> &Spots {
        &self.spots
    }

    /// Calls `each` with the identifiers of this form in texts of a person or the world.
    pub(crate) fn each_spot(&self, token: Token, each: &mut dyn FnMut(&Spot)) {
        self.spots.of(token).filter(|spot| !spot.is_the_models()).for_each(&mut *each);
        let waiting = self.waiting.iter().flat_map(Waiting::spots);
        waiting.filter(|(other, _)| *other == token).for_each(|(_, spot)| each(spot));
    }

    /// How many identifiers of these forms people and the world wrote; with those of connectors and documents, or without.
    pub(crate) fn count_spots(&self, tokens: &[Token], with_private: bool) -> u64 {
        let mut keys: HashSet<(Token, &str)> = HashSet::new();
        for token in tokens {
            let kept = self.spots.of(*token);
            let waiting = self.waiting.iter().flat_map(Waiting::spots).filter(|(other, _)| other == token);
            let all = kept.filter(|spot| !spot.is_the_models()).chain(waiting.map(|(_, spot)| spot));
            let counts = |spot: &&Spot| with_private || spot.voice != Voice::Private;
            keys.extend(all.filter(counts).map(|spot| (*token, &*spot.key)));
        }
        u64::try_from(keys.len()).unwrap_or(u64::MAX)
    }

    /// Whether the model wrote an identifier before this time, a beginning of it, or one that it begins.
    pub(crate) fn is_of_a_spot(&self, token: Token, key: &str, before: u32) -> bool {
        let is_near = |other: &str| key.starts_with(other) || other.starts_with(key);
        let mut found =
            self.spots.of(token).any(|spot| spot.is_the_models() && spot.clock < before && is_near(&spot.key))
                || self.beside.has_spot(token, before, &is_near);
        for waiting in self.waiting.iter().filter(|waiting| waiting.clock < before) {
            Spots::written(token, waiting, &mut |other| found |= is_near(other));
        }
        found
    }
}

/// Calls `each` with the hashes under which a word of the model's is kept: its own, that of its number, those of its
/// beginnings.
fn each_of_the_model(word: &str, each: &mut dyn FnMut(u64)) {
    each(hash(word));
    let number = bare_number(word);
    if number != word {
        each(hash(number));
    }
    beginnings(word).for_each(|beginning| each(hash(beginning)));
}

fn earliest(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    [one, other].into_iter().flatten().min()
}
