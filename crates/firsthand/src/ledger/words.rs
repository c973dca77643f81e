//! The words of a tree of runs, in first-writer order.
//!
//! A believed tool can put a word of the model's into an address that the model never wrote whole. So each text is kept
//! (shared, not copied) until somebody asks. Then first the arguments that wait are taken apart; the long words of the
//! other texts only if a part of an address stood in some arguments, and the rest only when somebody asks where a word
//! was first written. Most conversations ask for the first alone.

use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};

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
pub(super) struct Waiting {
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
}

impl Words {
    /// Takes note of a text.
    pub(crate) fn note(&mut self, clock: u32, voice: Voice, text: &Text, is_json: bool) {
        let (vouched, is_piece, text, spots) = (false, false, Text::clone(text), OnceLock::new());
        self.waiting.push(Waiting { clock, voice, is_json, vouched, is_piece, text, spots });
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
                    Voice::Arguments | Voice::Model => {
                        self.model.entry(hash(word)).or_insert(clock);
                        let number = bare_number(word);
                        if number != word {
                            self.model.entry(hash(number)).or_insert(clock);
                        }
                        for beginning in beginnings(word) {
                            self.model.entry(hash(beginning)).or_insert(clock);
                        }
                    }
                    Voice::Person | Voice::Public | Voice::Private if word.len() < SHORTEST => {
                        self.show(clock, voice, offset + at, word);
                    }
                    Voice::Person | Voice::Public | Voice::Private => {}
                });
                match voice {
                    Voice::Arguments | Voice::Model => {}
                    Voice::Person | Voice::Public | Voice::Private => parts(&folded, &mut |at, part| {
                        if part.len() < SHORTEST {
                            self.show(clock, voice, offset + at, part);
                        }
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
                        let argued = self.argued.get(&run).is_some_and(|argued| *argued < clock);
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

    fn show(&mut self, clock: u32, voice: Voice, offset: usize, word: &str) {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.outside.entry(hash(word)).or_insert(Place { clock, offset, voice });
    }

    /// Whether any arguments held what could be told apart from chance.
    pub(crate) fn holds_arguments(&mut self) -> bool {
        self.settle_arguments();
        !self.argued.is_empty()
    }

    /// Whether the first run of a host stood in arguments, if it can be told: without it no longer beginning did.
    pub(crate) fn may_begin_in_arguments(&mut self, host: &str) -> bool {
        self.settle_arguments();
        let is_folded = host.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
        let run = host.as_bytes().first_chunk().map(|run| mix(u64::from_le_bytes(*run)));
        !is_folded || run.is_some_and(|run| self.argued.contains_key(&run))
    }

    /// Whether a part of an address is the model's: it stood in arguments before a person or the world wrote it.
    ///
    /// The world must have written it as a word of its own; of a person it is enough that each of its runs stands in some
    /// text.
    pub(crate) fn is_the_models(&mut self, part: &str) -> bool {
        self.settle_arguments();
        if self.argued.is_empty() {
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

    /// Whether a person or the world wrote a word before it stood in arguments.
    pub(crate) fn is_anothers(&mut self, word: &str) -> bool {
        self.settle_shown();
        self.outside.contains_key(&hash(&fold(word)))
    }

    /// Whether any run of an address stood in arguments and in no text of a person or the world.
    pub(crate) fn has_a_run_of_the_models(&mut self, address: &str) -> bool {
        self.settle_shown();
        let mut found = false;
        runs(&fold(address), &mut |run| {
            found |= self.argued.contains_key(&run) && !self.shown.contains_key(&run);
        });
        found
    }

    /// Where a person or the world first wrote a word before the model did. Call [`settle`](Self::settle) first.
    pub(crate) fn place(&self, word: &str) -> Option<Place> {
        let key = hash(&fold(word));
        let place = self.outside.get(&key).copied()?;
        self.model.get(&key).is_none_or(|clock| place.clock < *clock).then_some(place)
    }

    /// When all of the part's runs had stood in arguments.
    fn stood_in_arguments(&self, part: &str) -> Option<u32> {
        let mut latest = None;
        for run in part.as_bytes().windows(SHORTEST) {
            let clock = self.argued.get(&mix(u64::from_le_bytes(*run.first_chunk()?)))?;
            latest = latest.max(Some(*clock));
        }
        latest
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
            self.spots.of(token).any(|spot| spot.is_the_models() && spot.clock < before && is_near(&spot.key));
        for waiting in self.waiting.iter().filter(|waiting| waiting.clock < before) {
            Spots::written(token, waiting, &mut |other| found |= is_near(other));
        }
        found
    }

    /// Whether the words of an identifier in a text of this time are the model's: it wrote them before anybody else did, in
    /// whole or their beginnings, and they are [`SHORTEST`] bytes together or all that the text has not from others.
    pub(crate) fn are_the_models(&self, values: &[String], before: u32) -> bool {
        let folded = fold(&values.join("\n")).into_owned();
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        words(&folded, &mut |_, word| {
            let word = bare_number(word);
            if !pieces.iter().any(|piece| piece.word == word) {
                pieces.push(Piece::of(word));
            }
        });
        self.look_up(&mut pieces, before);
        let (mut written, mut all) = (0, true);
        for piece in pieces.iter().filter(|piece| !piece.is_anothers(before)) {
            let is_whole = piece.written == piece.word.len();
            // Words that are joined are the model's as a whole: their words count by themselves.
            if is_joined(piece.word) {
                written += if is_whole { piece.written } else { 0 };
                continue;
            }
            written += piece.written;
            all &= is_whole;
        }
        written >= SHORTEST || written > 0 && all || self.was_joined(values, before)
    }

    /// Whether words of an identifier stood in arguments as they are joined in it before this time, and no person had joined
    /// them so: [`SHORTEST`] bytes with a joint among them.
    fn was_joined(&self, values: &[String], before: u32) -> bool {
        let mut joints: HashMap<u32, (Option<u32>, Option<u32>)> = HashMap::new();
        for value in values {
            let value = fold(value);
            // What stands before the slash of a paper's number is its publisher's.
            let own = value.strip_prefix("10.").and_then(|rest| rest.split_once('/')).map_or(&*value, |(_, own)| own);
            joints.extend(runs_with_joints(own).map(|run| (run, (None, None))));
        }
        if values.len() > 1 {
            // The slots of one token stand beside each other.
            joints.extend(runs_with_joints(&fold(&values.join("/"))).map(|run| (run, (None, None))));
        }
        if joints.is_empty() {
            return false;
        }
        let earlier =
            |known: &mut Option<u32>, clock: u32| *known = Some(known.map_or(clock, |known| known.min(clock)));
        for (run, (argued, shown)) in &mut joints {
            *argued = self.argued.get(run).copied();
            // Where the world's runs are kept too, nobody knows whose they are.
            *shown = if self.keeps_runs { None } else { self.shown.get(run).copied() };
        }
        for waiting in &self.waiting {
            match waiting.voice {
                Voice::Person if self.keeps_runs => {}
                Voice::Arguments | Voice::Person => waiting.each_text(&mut |text, _| {
                    runs(&fold(text), &mut |run| {
                        if let Some((argued, shown)) = joints.get_mut(&run) {
                            earlier(if waiting.voice == Voice::Person { shown } else { argued }, waiting.clock);
                        }
                    });
                }),
                Voice::Public | Voice::Private | Voice::Model => {}
            }
        }
        joints.values().any(|(argued, shown)| {
            argued.is_some_and(|argued| argued < before && shown.is_none_or(|shown| shown >= argued))
        })
    }

    /// Finds out of words who wrote them when, and how much of them the model wrote before a time.
    fn look_up(&self, pieces: &mut [Piece<'_>], before: u32) {
        for piece in pieces.iter_mut() {
            for beginning in beginnings(piece.word).chain([piece.word]) {
                if let Some(clock) = self.model.get(&hash(beginning)) {
                    piece.by_the_model(beginning.len(), *clock, before);
                }
            }
            for (run, clock) in &mut piece.runs {
                *clock = self.argued.get(run).copied();
            }
        }
        for waiting in &self.waiting {
            match waiting.voice {
                Voice::Arguments => {
                    waiting.each_text(&mut |text, _| {
                        runs(&fold(text), &mut |run| {
                            for piece in pieces.iter_mut() {
                                piece.argued(run, waiting.clock);
                            }
                        });
                    });
                }
                Voice::Person | Voice::Public | Voice::Private | Voice::Model => {}
            }
        }
        for waiting in &self.waiting {
            let clock = waiting.clock;
            waiting.each_text(&mut |text, _| {
                words(&fold(text), &mut |_, word| {
                    for piece in pieces.iter_mut() {
                        match waiting.voice {
                            Voice::Arguments | Voice::Model => {
                                let bytes = common(piece.word, word).max(common(piece.word, bare_number(word)));
                                piece.by_the_model(bytes, clock, before);
                            }
                            Voice::Person if piece.word == word => piece.by_another(clock),
                            Voice::Public | Voice::Private if piece.word == word => {
                                // What the arguments held before is an echo here, not the world's word.
                                if piece.stood_in_arguments().is_none_or(|argued| argued >= clock) {
                                    piece.by_another(clock);
                                }
                            }
                            Voice::Person | Voice::Public | Voice::Private => {}
                        }
                    }
                });
            });
        }
        for piece in pieces {
            if let Some(place) = self.outside.get(&hash(piece.word)) {
                piece.by_another(place.clock);
            }
            if let Some(argued) = piece.stood_in_arguments() {
                piece.by_the_model(piece.word.len(), argued, before);
            }
        }
    }
}

/// The runs of [`SHORTEST`] bytes in which something stands between words.
fn runs_with_joints(folded: &str) -> impl Iterator<Item = u32> {
    let runs = folded.as_bytes().windows(SHORTEST).filter_map(|run| <[u8; SHORTEST]>::try_from(run).ok());
    let joined = runs.filter(|run| run.iter().any(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()));
    joined.map(|run| mix(u64::from_le_bytes(run)))
}

/// Whether a word is several, joined by what stands inside identifiers.
fn is_joined(word: &str) -> bool {
    word.contains(|letter: char| !letter.is_alphanumeric())
}

/// The number behind the letters of a word and the zeros before it, where it is one.
fn bare_number(word: &str) -> &str {
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim_start_matches('0');
    let is_number = number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { number } else { word }
}

/// A word of an identifier, and who wrote it when.
struct Piece<'w> {
    word: &'w str,
    /// Its runs, with the time at which each first stood in arguments.
    runs: Vec<(u32, Option<u32>)>,
    another: Option<u32>,
    model: Option<u32>,
    /// How many bytes of it the model wrote.
    written: usize,
}

impl<'w> Piece<'w> {
    fn of(word: &'w str) -> Self {
        let mut all = Vec::new();
        runs(word, &mut |run| all.push((run, None)));
        Self { word, runs: all, another: None, model: None, written: 0 }
    }

    fn by_another(&mut self, clock: u32) {
        self.another = Some(self.another.map_or(clock, |known| known.min(clock)));
    }

    /// The model wrote so many bytes of it.
    fn by_the_model(&mut self, bytes: usize, clock: u32, before: u32) {
        if bytes == 0 || clock >= before {
            return;
        }
        self.model = Some(self.model.map_or(clock, |known| known.min(clock)));
        self.written = self.written.max(bytes);
    }

    fn argued(&mut self, run: u32, clock: u32) {
        for (own, argued) in &mut self.runs {
            if *own == run {
                *argued = Some(argued.map_or(clock, |known| known.min(clock)));
            }
        }
    }

    /// When all of its runs had stood in arguments.
    fn stood_in_arguments(&self) -> Option<u32> {
        self.runs.iter().map(|(_, argued)| *argued).reduce(|one, two| Some(one?.max(two?))).flatten()
    }

    /// Whether somebody else wrote it before this time and before the model wrote any of it.
    fn is_anothers(&self, before: u32) -> bool {
        self.another.is_some_and(|another| another < self.model.unwrap_or(before))
    }
}

/// The shortest beginning of a word that is told apart from chance, in bytes.
const SHORTEST_BEGINNING: usize = 4;

/// The longest beginning of a word that is kept, in bytes.
const LONGEST_BEGINNING: usize = 64;

/// The beginnings of a word, as far as they are kept, without the word itself.
fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let longest = if word.contains(|letter: char| !letter.is_alphanumeric()) { 0 } else { LONGEST_BEGINNING };
    (SHORTEST_BEGINNING..word.len().min(longest + 1)).filter_map(|end| word.get(..end))
}

/// How many bytes of a word another is or has in common with it at the beginning, as far as that is kept; 0 where they are
/// too few to tell.
fn common(word: &str, other: &str) -> usize {
    if word == other {
        return word.len();
    }
    if is_joined(word) || is_joined(other) {
        return 0;
    }
    let same = word
        .char_indices()
        .zip(other.chars())
        .take_while(|((at, one), other)| one == other && at + one.len_utf8() <= LONGEST_BEGINNING);
    let bytes = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
    if bytes < SHORTEST_BEGINNING { 0 } else { bytes }
}

/// The words of a folded text with their places: runs of letters and digits, and the same joined by the characters that
/// stand inside identifiers.
fn words<'t>(folded: &'t str, each: &mut dyn FnMut(usize, &'t str)) {
    let joins = |character: char| matches!(character, '-' | '_' | '.' | '~' | '+' | '@' | '$' | '\'');
    let mut start = None;
    let ends = folded.char_indices().chain([(folded.len(), ' ')]);
    for (at, character) in ends {
        if character.is_alphanumeric() || joins(character) {
            start = start.or(Some(at));
            continue;
        }
        let Some(from) = start.take() else { continue };
        let chunk = folded.get(from..at).unwrap_or_default();
        let whole = chunk.trim_matches(joins);
        if whole.is_empty() {
            continue;
        }
        let from = from + (chunk.len() - chunk.trim_start_matches(joins).len());
        each(from, whole);
        if !whole.contains(joins) {
            continue;
        }
        // The labels of a host, and the letters between the joints.
        for cut in [&(|character| character == '.') as &dyn Fn(char) -> bool, &joins] {
            let mut at = from;
            for piece in whole.split(cut) {
                if !piece.is_empty() {
                    each(at, piece);
                }
                at += piece.len() + 1;
            }
        }
    }
}

/// The parts of addresses in a folded text that are no words, such as path segments with brackets.
fn parts<'t>(folded: &'t str, each: &mut dyn FnMut(usize, &'t str)) {
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '/' | '?' | '&' | '=' | '#' | '"' | '<' | '>' | '`' | '|' | ',' | ';' | '\\')
    };
    let mut at = 0;
    for part in folded.split(ends) {
        if part.contains(['(', ')', ':', '%', '!', '*', '[', ']']) {
            each(at, part);
        }
        at += part.len() + folded.get(at + part.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
}

/// The runs of [`SHORTEST`] bytes of a folded text.
fn runs(folded: &str, each: &mut dyn FnMut(u32)) {
    for run in folded.as_bytes().windows(SHORTEST) {
        let Ok(run) = <[u8; SHORTEST]>::try_from(run) else { continue };
        each(mix(u64::from_le_bytes(run)));
    }
}

fn mix(run: u64) -> u32 {
    let product = u128::from(run ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = product.to_le_bytes();
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let high = u64::from_le_bytes([i, j, k, l, m, n, o, p]);
    let [a, b, c, d, ..] = (low ^ high).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A hash that is the same in every process: saved ledgers hold it.
fn hash(word: &str) -> u64 {
    let digest = blake3::hash(word.as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text::from(text)
    }

    #[test]
    fn a_part_is_the_models_when_arguments_held_it_before_anybody_else() {
        let mut words = Words::default();
        words.note(0, Voice::Person, &text("The account is ACME-2291-B."), false);
        words.note(1, Voice::Arguments, &text(r#"{"slug":"margin-41-percent","account":"ACME-2291-B"}"#), true);
        words.note(2, Voice::Private, &text("stored margin-41-percent"), false);
        words.settle();
        assert!(words.is_the_models("margin-41-percent"));
        assert!(words.is_the_models("Margin-41"), "a run of eight bytes or more inside a longer argument");
        assert!(!words.is_the_models("ACME-2291-B"));
        assert!(!words.is_the_models("contract.pdf"));
        assert!(!words.is_the_models("margin"), "shorter than can be told apart");
    }

    #[test]
    fn a_part_with_spaces_and_a_label_with_a_hyphen_are_told_apart() {
        let mut words = Words::default();
        words.note(0, Voice::Public, &text("see https://north-harbour.tracker.example/a"), false);
        words.note(1, Voice::Arguments, &text(r#"{"note":"anna has ward 7","host":"north-harbour"}"#), true);
        words.settle();
        assert!(words.is_the_models("anna%20has%20ward%207") && words.is_the_models("anna+has+ward+7"));
        assert!(!words.is_the_models("north-harbour"));
    }

    #[test]
    fn a_part_is_the_models_however_it_is_escaped() {
        let nested = r#"{"a": "{\"b\": \"{\\\"c\\\": \\\"from\\\\nwithin here\\\"}\"}"}"#;
        let mut words = Words::default();
        words.note(0, Voice::Arguments, &text(r#"{"slug":"straße 41 percent","more":"naïve plans"}"#), true);
        words.note(1, Voice::Arguments, &text(nested), true);
        for part in [
            "strasse%2041%20percent",
            "stra%25C3%259Fe+41+percent",
            "stra&szlig;e 41&#32;percent",
            "ｓｔｒａｓｓｅ-41-percent",
            "𝐒𝐭𝐫𝐚𝐬𝐬𝐞 41 percent",
            "stra\u{200b}sse 41 per\u{e0041}cent",
            "nai\u{308}ve plans",
            r"na\u{ef}ve plans",
            "from+within+here",
        ] {
            let part = part.replace("-41-", " 41 ");
            assert!(words.is_the_models(&part), "{part}");
        }
    }

    #[test]
    fn words_keep_who_wrote_them_first() {
        let mut words = Words::default();
        words.note(0, Voice::Public, &text("see 2406.01234 here"), false);
        words.note(1, Voice::Model, &text("2406.01234 and 2406.98765"), false);
        words.note(2, Voice::Public, &text("2406.98765"), false);
        words.settle();
        assert_eq!(words.place("2406.01234"), Some(Place { clock: 0, offset: 4, voice: Voice::Public }));
        assert_eq!(words.place("2406.98765"), None);
    }

    /// Words of a person, the model and a page, one after the other.
    fn three(person: &str, model: &str, page: &str) -> Words {
        let mut words = Words::default();
        words.note(0, Voice::Person, &text(person), false);
        words.note(1, Voice::Model, &text(model), false);
        words.note(2, Voice::Arguments, &text(r#"{"q":"kiln-draught and xsecretword"}"#), true);
        words.note(3, Voice::Public, &text(page), false);
        words
    }

    #[test]
    fn words_of_an_identifier_are_the_models_alike_before_and_after_the_texts_go() {
        let pages =
            ["10.5555/secretnames", "10.5555/secretname", "10.5555/secret", "10.5555/s.e.c.r", "4711", "10.5555/4711"];
        let more = [
            "10.5555/pond.filter",
            "10.5555/kiln-draught",
            "10.7/nature14539",
            "10.5555/xsecretword",
            "secretword",
            "kiln",
            "draught-kiln",
        ];
        let strange = ["10.5555/stra\u{df}e", "a", "", "10.5555/secretnamesecretname", "10.5555/pondfilterling"];
        for person in ["", "kiln-draught", "10.5555 and pond", "secretname 4711", "xsecretword"] {
            for model in
                ["", "secretname", "see secretnamesake, 4711 and stra\u{df}e", "pond filter nature", "s e c r 10 5555"]
            {
                for page in pages.iter().chain(&more).chain(&strange) {
                    for keeps_runs in [false, true] {
                        let mut words = three(person, model, page);
                        if keeps_runs {
                            words.keep_runs();
                        }
                        let ask = |words: &Words| {
                            [1, 2, 3, 4].map(|before| words.are_the_models(&[(*page).to_owned()], before))
                        };
                        let kept = ask(&words);
                        words.settle_shown();
                        assert_eq!(ask(&words), kept, "half settled: {person}, {model}, {page}");
                        words.settle();
                        assert_eq!(ask(&words), kept, "settled: {person}, {model}, {page}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_of_an_identifier_are_the_models_where_nobody_wrote_them_before() {
        let is_the_models =
            |person, model, page: &str| three(person, model, page).are_the_models(&[page.to_owned()], 3);
        assert!(is_the_models("", "about secretname", "10.5555/secretname"));
        assert!(is_the_models("", "about secretname", "10.5555/secretname-2"), "an extension");
        assert!(is_the_models("", "about secretnamesake", "10.5555/secretname"), "a beginning");
        assert!(is_the_models("", "about secretname", "10.5555/secretnames"), "an extension of a word");
        assert!(is_the_models("", "some secr and name", "10.5555/secr.name"), "a join");
        assert!(is_the_models("", "about 4711", "4711"), "nothing else");
        assert!(is_the_models("see 10.5555", "about anna", "10.5555/anna"), "nothing else that is new");
        assert!(!is_the_models("", "about anna", "10.5555/anna"), "a short word beside others is chance");
        assert!(!is_the_models("of secretname", "about secretname", "10.5555/secretname"));
        assert!(!is_the_models("", "about ponds", "10.5555/secretname"));
    }
}
