//! Which writers wrote what lies under a wide key, and where first.

use hashbrown::{DefaultHashBuilder, HashMap};

use super::keyed::{Keyed, half};
use super::maybe::Maybe;
use super::texts::{Span, Texts, push};
use super::{Fingerprint, fingerprint};
use crate::writer::Writer;

/// The first item that each writer wrote an address in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Sightings {
    pub(crate) person: Maybe,
    pub(crate) world: Maybe,
    /// Where no mark of the run says it.
    pub(crate) model: Maybe,
    pub(crate) ignored: Maybe,
    /// The world wrote it, but it is no source.
    pub(crate) closed: bool,
    /// The first source of the run that has this wide key.
    pub(crate) source: Maybe,
}

impl Sightings {
    pub(crate) fn of(&mut self, writer: Writer) -> &mut Maybe {
        match writer {
            Writer::Person => &mut self.person,
            Writer::World => &mut self.world,
            Writer::Model => &mut self.model,
            Writer::Ignored => &mut self.ignored,
        }
    }
}

/// What is kept of a wide key.
#[derive(Clone, Copy, Debug)]
enum Key {
    /// Where it stands among the texts of the run's sources.
    Text(Span),
    /// The number of its digest.
    Digest(u32),
}

/// The sightings of a run by wide key. A key that stands in a source's spelling costs no text of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sighted {
    all: Vec<(Key, Sightings)>,
    table: Keyed,
    digests: Vec<Fingerprint>,
    hasher: DefaultHashBuilder,
    /// Those of a saved ledger whose keys were not seen since: only the digests are known.
    saved: HashMap<Fingerprint, Sightings>,
}

impl Sighted {
    pub(crate) fn saved(saved: HashMap<Fingerprint, Sightings>) -> Self {
        Self { saved, ..Self::default() }
    }

    fn index(&self, texts: &Texts, key: &str) -> Option<u32> {
        let mut digest = None;
        self.table.find(half(&self.hasher, key), |index| {
            match usize::try_from(index).ok().and_then(|index| self.all.get(index)) {
                Some((Key::Text(span), _)) => texts.get(*span) == key,
                Some((Key::Digest(number), _)) => {
                    let kept = usize::try_from(*number).ok().and_then(|number| self.digests.get(number));
                    kept == Some(digest.get_or_insert_with(|| fingerprint(key)))
                }
                None => false,
            }
        })
    }

    /// The sightings of a key.
    pub(crate) fn get(&self, texts: &Texts, key: &str) -> Option<&Sightings> {
        if let Some(index) = self.index(texts, key) {
            return self.all.get(usize::try_from(index).ok()?).map(|(_, seen)| seen);
        }
        if self.saved.is_empty() { None } else { self.saved.get(&fingerprint(key)) }
    }

    /// The same, to change.
    pub(crate) fn get_mut(&mut self, texts: &Texts, key: &str) -> Option<&mut Sightings> {
        if let Some(index) = self.index(texts, key) {
            return self.all.get_mut(usize::try_from(index).ok()?).map(|(_, seen)| seen);
        }
        if self.saved.is_empty() { None } else { self.saved.get_mut(&fingerprint(key)) }
    }

    /// The sightings of a key, to change, or new ones. The key stands in this piece of a source's spelling, or is kept as
    /// a text, or as a digest where somebody else keeps the text.
    pub(crate) fn entry(
        &mut self,
        texts: &mut Texts,
        key: &str,
        span: Option<Span>,
        kept_elsewhere: bool,
    ) -> Option<&mut Sightings> {
        let index = match self.index(texts, key) {
            Some(index) => index,
            None => {
                let seen = if self.saved.is_empty() { None } else { self.saved.remove(&fingerprint(key)) };
                let kept = match span {
                    Some(span) => Key::Text(span),
                    None if kept_elsewhere => {
                        self.digests.push(fingerprint(key));
                        Key::Digest(u32::try_from(self.digests.len() - 1).ok()?)
                    }
                    None => Key::Text(texts.add(key)?),
                };
                let index = u32::try_from(self.all.len()).ok()?;
                push(&mut self.all, (kept, seen.unwrap_or_default()));
                self.table.add(half(&self.hasher, key), index);
                index
            }
        };
        self.all.get_mut(usize::try_from(index).ok()?).map(|(_, seen)| seen)
    }

    /// All sightings with the digests of their keys, in no order.
    pub(crate) fn all(&self, texts: &Texts) -> impl Iterator<Item = (Fingerprint, Sightings)> {
        let known = self.all.iter().filter_map(|(key, seen)| {
            let digest = match key {
                Key::Text(span) => fingerprint(texts.get(*span)),
                Key::Digest(number) => *self.digests.get(usize::try_from(*number).ok()?)?,
            };
            Some((digest, *seen))
        });
        known.chain(self.saved.iter().map(|(digest, seen)| (*digest, *seen)))
    }
}
