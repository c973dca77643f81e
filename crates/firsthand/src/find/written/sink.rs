//! Where what was found goes.

use std::cell::OnceCell;
use std::hash::BuildHasher as _;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::Written;
use super::stretch::{Key, Stretch};
use crate::address::wide_key;

/// Takes what is found, puts it under its wide key and hands it on.
pub(super) struct Sink<'e> {
    each: &'e mut dyn FnMut(Written<'_>),
    /// What was put before, while the same text is read in several ways.
    before: Option<Before>,
    /// The run that is being read.
    stretch: Stretch,
    /// The keys of one start.
    told: Vec<(Key, bool)>,
    /// The key of what it copies, once somebody asked.
    copied: Option<Key>,
    /// What was put together of several places.
    joined: Stretch,
    /// Some run held more starts than are read to its end.
    pub(super) is_crowded: bool,
    /// What is easy is read like everything else: tests compare both.
    pub(super) slowly: bool,
}

/// What a reading is recognised as a copy by.
#[derive(Debug)]
pub(super) struct Spelling<'t> {
    pub(super) text: &'t str,
    key: OnceCell<String>,
}

impl<'t> Spelling<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, key: OnceCell::new() }
    }

    fn key(&self) -> &str {
        self.key.get_or_init(|| wide_key(self.text))
    }
}

/// The key of a whole text, where it is a plain one.
fn whole(stretch: &mut Stretch, text: &str) -> Option<Key> {
    let text = text.trim();
    stretch.begin(0);
    stretch.key(text, 0..text.len())
}

impl<'e> Sink<'e> {
    pub(super) fn new(each: &'e mut dyn FnMut(Written<'_>)) -> Self {
        Self {
            each,
            before: None,
            stretch: Stretch::default(),
            told: Vec::new(),
            copied: None,
            joined: Stretch::default(),
            is_crowded: false,
            slowly: false,
        }
    }

    /// From here on nothing is put twice.
    pub(super) fn remember(&mut self) {
        self.before.get_or_insert_default();
    }

    /// A run of a text begins; its readings are put by their places.
    pub(super) fn begin_run(&mut self, from: usize) {
        self.stretch.begin(from);
    }

    /// An address of the run begins, whose readings share a spelling.
    pub(super) fn begin_start(&mut self) {
        self.told.clear();
        self.copied = None;
    }

    /// Puts a part of the run. Up to a byte it is a part of its spelling too; what goes on behind that is not.
    pub(super) fn put_part(
        &mut self,
        text: &str,
        part: Range<usize>,
        spelling: Option<&Spelling<'_>>,
        copied_to: Option<usize>,
    ) {
        let copy = copied_to.filter(|end| *end < part.end).map(|end| part.start..end.max(part.start));
        let copied = copy.clone().and_then(|copy| self.copied_key(text, copy));
        let copy = || copy.and_then(|copy| text.get(copy));
        let Some(key) = self.stretch.key(text, part.clone()) else {
            return self.put_slowly(text.get(part).unwrap_or_default(), spelling, copy());
        };
        let Self { each, before, stretch, told, .. } = self;
        let text = stretch.get(&key);
        // What stands behind the spelling may fold away, such as a space at the end of a line.
        let beyond = match copied {
            Some(copied) => stretch.get(&copied) != text,
            None => copy().is_some_and(|copy| wide_key(copy) != text),
        };
        if key != Key::Built {
            let told_already = told.iter().any(|told| *told == (key.clone(), beyond));
            if told_already {
                return;
            }
            told.push((key.clone(), beyond));
        }
        put_key(each, before, text, spelling, beyond);
    }

    /// The key of what a start copies, where it is a part of what is folded.
    fn copied_key(&mut self, text: &str, copy: Range<usize>) -> Option<Key> {
        if self.copied.is_none() {
            self.copied = self.stretch.key(text, copy);
        }
        self.copied.clone().filter(|key| *key != Key::Built)
    }

    /// Puts a text that may stand nowhere as a whole.
    pub(super) fn put(&mut self, text: &str, spelling: Option<&Spelling<'_>>, beyond: bool) {
        let Some(key) = whole(&mut self.joined, text) else {
            let copy = spelling.map_or("", |spelling| spelling.text);
            return self.put_slowly(text, spelling, beyond.then_some(copy));
        };
        let Self { each, before, joined, .. } = self;
        let key = joined.get(&key);
        let beyond = beyond && spelling.is_none_or(|spelling| spelling.key() != key);
        put_key(each, before, key, spelling, beyond);
    }

    /// Puts a text by its wide key; of what goes beyond its spelling with what it copies of that.
    fn put_slowly(&mut self, text: &str, spelling: Option<&Spelling<'_>>, copy: Option<&str>) {
        let words = spelling.map(|spelling| spelling.text);
        let parts = ["", text, words.unwrap_or_default(), copy.unwrap_or_default()];
        if self.before.as_mut().is_some_and(|before| before.holds(&parts, copy.is_some())) {
            return;
        }
        let key = wide_key(text);
        if !key.is_empty() {
            let beyond = copy.is_some_and(|copy| wide_key(copy) != key);
            (self.each)(Written { key: &key, spelling: words, beyond });
        }
    }
}

fn put_key(
    each: &mut dyn FnMut(Written<'_>),
    before: &mut Option<Before>,
    key: &str,
    spelling: Option<&Spelling<'_>>,
    beyond: bool,
) {
    let spelling = spelling.map(|spelling| spelling.text);
    if !before.as_mut().is_some_and(|before| before.holds(&[key, spelling.unwrap_or_default()], beyond)) {
        each(Written { key, spelling, beyond });
    }
}

/// What was put, as one text, and where in it each begins and ends.
#[derive(Default)]
struct Before {
    all: String,
    places: HashTable<Range<usize>>,
    hasher: DefaultHashBuilder,
}

impl Before {
    /// Whether the same was put before; from now on it was.
    fn holds(&mut self, parts: &[&str], beyond: bool) -> bool {
        let Self { all, places, hasher } = self;
        let start = all.len();
        for part in parts {
            all.push_str(part);
            all.push('\n');
        }
        all.push(if beyond { '+' } else { '-' });
        let put = start..all.len();
        let text = |place: &Range<usize>| all.get(place.clone()).unwrap_or_default();
        let hash = hasher.hash_one(text(&put));
        let found = places.find(hash, |place| text(place) == text(&put)).is_some();
        if found {
            all.truncate(start);
        } else {
            places.insert_unique(hash, put, |place| hasher.hash_one(text(place)));
        }
        found
    }
}
