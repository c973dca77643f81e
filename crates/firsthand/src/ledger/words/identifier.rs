//! Whose the words of an identifier are.

use hashbrown::HashMap;

use super::cut::{bare_number, beginnings, common, hash, is_joined, runs, runs_with_joints, words};
use super::{SHORTEST, Voice, Words};
use crate::address::fold::words as fold;

/// What is to be known of an identifier: who wrote its words and its runs of bytes when.
struct Known<'i> {
    words: Vec<Word<'i>>,
    runs: HashMap<u32, Run>,
    /// The runs in which something stands between words.
    joints: Vec<u32>,
}

/// A run of bytes of an identifier, with the times at which it first stood in arguments and in a person's text.
#[derive(Default)]
struct Run {
    argued: Option<u32>,
    shown: Option<u32>,
}

/// A word of an identifier, and who wrote it when.
struct Word<'i> {
    word: &'i str,
    runs: Vec<u32>,
    another: Option<u32>,
    model: Option<u32>,
    /// How many bytes of it the model wrote.
    written: usize,
}

impl Words {
    /// Whether the words of an identifier in a text of this time are the model's: it wrote them before anybody else did, in
    /// whole or their beginnings, and they are [`SHORTEST`] bytes together or all that the text has not from others; or
    /// they stood in arguments as they are joined in it.
    pub(crate) fn are_the_models(&self, values: &[String], before: u32) -> bool {
        let folded = fold(&values.join("\n")).into_owned();
        let mut known = Known::of(&folded, values);
        self.look_up(&mut known, before);
        known.were_written(before) || known.were_joined(before)
    }

    /// Finds out who wrote words and runs when, and how much of the words the model wrote before a time.
    fn look_up(&self, known: &mut Known<'_>, before: u32) {
        let Known { words: own, runs: of_runs, .. } = known;
        for (run, Run { argued, shown }) in of_runs.iter_mut() {
            *argued = self.argued_at(*run);
            // Where the world's runs are kept too, nobody knows whose they are.
            *shown = if self.keeps_runs { None } else { self.shown.get(run).copied() };
        }
        for waiting in &self.waiting {
            let is_a_persons = match waiting.voice {
                Voice::Arguments => false,
                Voice::Person if !self.keeps_runs => true,
                Voice::Person | Voice::Public | Voice::Private | Voice::Model => continue,
            };
            waiting.each_text(&mut |text, _| {
                runs(&fold(text), &mut |run| {
                    if let Some(Run { argued, shown }) = of_runs.get_mut(&run) {
                        earlier(if is_a_persons { shown } else { argued }, waiting.clock);
                    }
                });
            });
        }
        for word in own.iter_mut() {
            for beginning in beginnings(word.word).chain([word.word]) {
                if let Some(clock) = self.written_at(hash(beginning)) {
                    word.by_the_model(beginning.len(), clock, before);
                }
            }
            if let Some(place) = self.outside.get(&hash(word.word)) {
                earlier(&mut word.another, place.clock);
            }
            if let Some(argued) = word.stood_in_arguments(of_runs) {
                word.by_the_model(word.word.len(), argued, before);
            }
        }
        for waiting in &self.waiting {
            waiting.each_text(&mut |text, _| {
                words(&fold(text), &mut |_, other| {
                    own.iter_mut().for_each(|word| word.stands(other, waiting.voice, waiting.clock, before, of_runs));
                });
            });
        }
    }
}

impl<'i> Known<'i> {
    /// Nothing is known yet of an identifier of these values, which are folded in `folded`.
    fn of(folded: &'i str, values: &[String]) -> Self {
        let mut known = Self { words: Vec::new(), runs: HashMap::new(), joints: Vec::new() };
        words(folded, &mut |_, word| {
            let word = bare_number(word);
            if !known.words.iter().any(|other| other.word == word) {
                let mut all = Vec::new();
                runs(word, &mut |run| all.push(run));
                known.words.push(Word { word, runs: all, another: None, model: None, written: 0 });
            }
        });
        for value in values {
            let value = fold(value);
            // What stands before the slash of a paper's number is its publisher's.
            let own = value.strip_prefix("10.").and_then(|rest| rest.split_once('/')).map_or(&*value, |(_, own)| own);
            known.joints.extend(runs_with_joints(own));
        }
        if values.len() > 1 {
            // The slots of one token stand beside each other.
            known.joints.extend(runs_with_joints(&fold(&values.join("/"))));
        }
        let of_words = known.words.iter().flat_map(|word| &word.runs);
        known.runs = of_words.chain(&known.joints).map(|run| (*run, Run::default())).collect();
        known
    }

    /// Whether the model wrote enough of the words, or all that nobody else had written.
    fn were_written(&self, before: u32) -> bool {
        let (mut written, mut all) = (0, true);
        for word in self.words.iter().filter(|word| !word.is_anothers(before)) {
            let is_whole = word.written == word.word.len();
            // Words that are joined are the model's as a whole: their words count by themselves.
            if is_joined(word.word) {
                written += if is_whole { word.written } else { 0 };
                continue;
            }
            written += word.written;
            all &= is_whole;
        }
        written >= SHORTEST || written > 0 && all
    }

    /// Whether words stood in arguments as they are joined here before this time, and no person had joined them so:
    /// [`SHORTEST`] bytes with a joint among them.
    fn were_joined(&self, before: u32) -> bool {
        self.joints.iter().filter_map(|run| self.runs.get(run)).any(|Run { argued, shown }| {
            argued.is_some_and(|argued| argued < before && shown.is_none_or(|shown| shown >= argued))
        })
    }
}

impl Word<'_> {
    /// A word of a text of this time may be the same, or its beginning.
    fn stands(&mut self, other: &str, voice: Voice, clock: u32, before: u32, runs: &HashMap<u32, Run>) {
        match voice {
            Voice::Arguments | Voice::Model => {
                let bytes = common(self.word, other).max(common(self.word, bare_number(other)));
                self.by_the_model(bytes, clock, before);
            }
            Voice::Person if self.word == other => earlier(&mut self.another, clock),
            Voice::Public | Voice::Private if self.word == other => {
                // What the arguments held before is an echo here, not the world's word.
                if self.stood_in_arguments(runs).is_none_or(|argued| argued >= clock) {
                    earlier(&mut self.another, clock);
                }
            }
            Voice::Person | Voice::Public | Voice::Private => {}
        }
    }

    /// The model wrote so many bytes of it.
    fn by_the_model(&mut self, bytes: usize, clock: u32, before: u32) {
        if bytes == 0 || clock >= before {
            return;
        }
        earlier(&mut self.model, clock);
        self.written = self.written.max(bytes);
    }

    /// When all of its runs had stood in arguments.
    fn stood_in_arguments(&self, runs: &HashMap<u32, Run>) -> Option<u32> {
        let argued = self.runs.iter().map(|run| runs.get(run)?.argued);
        argued.reduce(|one, two| Some(one?.max(two?))).flatten()
    }

    /// Whether somebody else wrote it before this time and before the model wrote any of it.
    fn is_anothers(&self, before: u32) -> bool {
        self.another.is_some_and(|another| another < self.model.unwrap_or(before))
    }
}

/// Takes the earlier of two times.
fn earlier(known: &mut Option<u32>, clock: u32) {
    *known = Some(known.map_or(clock, |known| known.min(clock)));
}
