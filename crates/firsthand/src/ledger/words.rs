//! The words of a tree of runs, in first-writer order.
//!
//! A believed tool can put a word of the model's into an address that the model never wrote whole. So each text is kept
//! (shared, not copied) until somebody asks. Then first the arguments that wait are taken apart; the long words of the
//! other texts only if a part of an address stood in some arguments, and the rest only when somebody asks where a word
//! was first written. Most conversations ask for the first alone.

use hashbrown::HashMap;

use crate::address::fold::words as fold;
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

#[derive(Clone, Debug)]
struct Waiting {
    clock: u32,
    voice: Voice,
    is_json: bool,
    text: Text,
}

impl Waiting {
    /// Calls `each` with the texts that it holds, and where each starts.
    fn each_text(&self, each: &mut dyn FnMut(&str, usize)) {
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
}

impl Words {
    /// Takes note of a text.
    pub(crate) fn note(&mut self, clock: u32, voice: Voice, text: &Text, is_json: bool) {
        self.waiting.push(Waiting { clock, voice, is_json, text: Text::clone(text) });
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
            waiting.each_text(&mut |text, offset| {
                let folded = fold(text);
                words(&folded, &mut |at, word| match voice {
                    Voice::Arguments | Voice::Model => {
                        self.model.entry(hash(word)).or_insert(clock);
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
        let mut by_a_person = true;
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
        }
    }
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
}
