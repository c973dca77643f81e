//! The sources of one run, and how an asked address finds its source.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher as _;

use crate::address::{Address, Asked};
use crate::verdict::Step;
use crate::writer::Writer;

/// An address that may be opened because of who wrote it first.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) address: Address,
    /// The item that made it a source.
    pub(crate) item: u32,
    /// Whose words that item is.
    pub(crate) writer: Writer,
    /// The page's site or the tool that wrote it, by its number among the tools.
    pub(crate) author: Option<u32>,
    /// The first item in which somebody named it who cannot only have repeated what the model wrote.
    pub(crate) vouched: Option<u32>,
    /// The profile counts it by its position although the text may be somebody else's.
    pub(crate) hole: bool,
}

/// A source under a half of the hash of one of its keys: a ledger holds many, and what agrees is compared in full.
type Keyed = (u32, u32);

/// In the table of paths: further sources have the same.
const SEVERAL: u32 = 1 << 31;

/// The sources in the order in which they were recorded, one for each identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    hasher: DefaultHashBuilder,
    by_identity: HashTable<Keyed>,
    /// The first source of each joint key.
    by_loose: HashTable<Keyed>,
    /// The first source of each joint key without its query, with [`SEVERAL`] where it is not the only one.
    by_path: HashTable<Keyed>,
    /// The first source of each wide key.
    by_wide: HashTable<Keyed>,
    /// The first source of each scheme, host and port.
    by_origin: HashTable<Keyed>,
}

/// What the step `query_dropped` finds.
pub(crate) enum Only {
    Nothing,
    One(u32),
    Several,
}

impl Sources {
    pub(crate) fn all(&self) -> &[Source] {
        &self.sources
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Source> {
        self.sources.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut Source> {
        self.sources.get_mut(usize::try_from(index).ok()?)
    }

    /// The source of this identity.
    pub(crate) fn of(&self, address: &Address) -> Option<u32> {
        self.first(&self.by_identity, address.identity(), |other| other.identity() == address.identity())
    }

    /// Records a source with its wide key; the first spelling of an identity stays.
    pub(crate) fn add(&mut self, source: Source, wide: &str) -> u32 {
        if let Some(index) = self.of(&source.address) {
            return index;
        }
        let index = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        self.sources.push(source);
        self.enter(index, wide);
        index
    }

    /// Forgets the sources that stand only in items from this one on, and who vouched there for those that stay.
    pub(crate) fn rewind(&mut self, to: u32) {
        let stays = |source: &Source| source.item < to && source.vouched.is_none_or(|item| item < to);
        if self.sources.iter().all(stays) {
            return;
        }
        self.sources.retain(|source| source.item < to);
        for source in &mut self.sources {
            source.vouched = source.vouched.filter(|item| *item < to);
        }
        self.by_identity.clear();
        self.by_loose.clear();
        self.by_path.clear();
        self.by_wide.clear();
        self.by_origin.clear();
        for index in 0..u32::try_from(self.sources.len()).unwrap_or(u32::MAX) {
            let wide = self.get(index).map(|source| source.address.wide()).unwrap_or_default();
            self.enter(index, &wide);
        }
    }

    fn enter(&mut self, index: u32, wide: &str) {
        let Self { sources, hasher, by_identity, by_loose, by_path, by_wide, by_origin } = self;
        let at = |index: u32| usize::try_from(index).ok().and_then(|at| sources.get(at)).map(|source| &source.address);
        let Some(address) = at(index) else { return };
        let hash = |key: &str| short(hasher.hash_one(key));
        // No other source has this identity.
        keep_first(by_identity, (hash(address.identity()), index), |_| false);
        keep_first(by_wide, (hash(wide), index), |other| at(other).is_some_and(|other| other.wide() == wide));
        // An odd spelling never opens, so no step may find it.
        if address.is_odd() {
            return;
        }
        let origin = origin(address);
        keep_first(by_origin, (hash(origin), index), |other| {
            at(other).is_some_and(|other| self::origin(other) == origin)
        });
        let loose = address.loose();
        keep_first(by_loose, (hash(&loose), index), |other| at(other).is_some_and(|other| other.loose() == loose));
        let path = address.loose_without_query();
        let hash = hash(&path);
        let same = |(other, index): &Keyed| {
            *other == hash && at(*index & !SEVERAL).is_some_and(|other| other.loose_without_query() == path)
        };
        match by_path.find_mut(spread(hash), same) {
            Some((_, index)) => *index |= SEVERAL,
            None => {
                by_path.insert_unique(spread(hash), (hash, index), |(hash, _)| spread(*hash));
            }
        }
    }

    /// The source of a table under a key, compared in full where the hashes agree.
    fn first(&self, table: &HashTable<Keyed>, key: &str, same: impl Fn(&Address) -> bool) -> Option<u32> {
        let wanted = short(self.hasher.hash_one(key));
        let found = table.find(spread(wanted), |(hash, index)| {
            *hash == wanted && self.get(*index).is_some_and(|source| same(&source.address))
        });
        found.map(|(_, index)| *index)
    }

    /// The first source with this wide key.
    pub(crate) fn under_wide(&self, key: &str) -> Option<u32> {
        self.first(&self.by_wide, key, |other| other.wide() == key)
    }

    /// Whether some source has this address's scheme, host and port.
    pub(crate) fn on_origin(&self, address: &Address) -> bool {
        let wanted = origin(address);
        self.first(&self.by_origin, wanted, |other| origin(other) == wanted).is_some()
    }

    /// The earliest source that the step finds. `query_dropped` has its own function.
    pub(crate) fn find(&self, step: Step, asked: &Asked) -> Option<u32> {
        match step {
            Step::Identical => self
                .of(asked.address())
                .filter(|index| self.get(*index).is_some_and(|source| source.address.reveal() == asked.raw())),
            // An escape undone or a scheme added is more than another serialisation.
            Step::Serialized if asked.as_it_stands() => self.of(asked.address()),
            Step::Serialized => None,
            Step::Loose => {
                let loose = asked.address().loose();
                self.first(&self.by_loose, &loose, |other| other.loose() == loose)
            }
            Step::QueryDropped | Step::Truncated | Step::Convention | Step::Grant | Step::Reference => None,
        }
    }

    /// The same among the sources that somebody vouched for. Looks at each of them: asked only where calls are hidden.
    pub(crate) fn find_vouched(&self, step: Step, asked: &Asked) -> Option<u32> {
        match step {
            Step::Identical | Step::Serialized => {
                self.find(step, asked).filter(|index| self.get(*index).is_some_and(|source| source.vouched.is_some()))
            }
            Step::Loose => {
                let loose = asked.address().loose();
                self.vouched().find(|(_, source)| source.address.loose() == loose).map(|(index, _)| index)
            }
            Step::QueryDropped | Step::Truncated | Step::Convention | Step::Grant | Step::Reference => None,
        }
    }

    /// What of the sources that somebody vouched for has the host and path of an asked address that has no query.
    pub(crate) fn vouched_with_path(&self, asked: &Asked) -> Only {
        if asked.address().has_query() {
            return Only::Nothing;
        }
        let path = asked.address().loose_without_query();
        let mut found = self.vouched().filter(|(_, source)| source.address.loose_without_query() == path);
        match (found.next(), found.next()) {
            (None, _) => Only::Nothing,
            (Some((index, _)), None) => Only::One(index),
            (Some(_), Some(_)) => Only::Several,
        }
    }

    fn vouched(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0..).zip(&self.sources).filter(|(_, source)| source.vouched.is_some() && !source.address.is_odd())
    }

    /// What has the host and path of an asked address that has no query.
    pub(crate) fn with_path(&self, asked: &Asked) -> Only {
        if asked.address().has_query() {
            return Only::Nothing;
        }
        let path = asked.address().loose_without_query();
        let wanted = short(self.hasher.hash_one(&path));
        let same = |(hash, index): &Keyed| {
            *hash == wanted
                && self.get(*index & !SEVERAL).is_some_and(|source| source.address.loose_without_query() == path)
        };
        match self.by_path.find(spread(wanted), same) {
            Some((_, index)) if index & SEVERAL == 0 => Only::One(*index),
            Some(_) => Only::Several,
            None => Only::Nothing,
        }
    }
}

/// Enters a source unless the table holds the same key already.
fn keep_first(table: &mut HashTable<Keyed>, (hash, index): Keyed, same: impl Fn(u32) -> bool) {
    let found = table.find(spread(hash), |(other, index)| *other == hash && same(*index));
    if found.is_none() {
        table.insert_unique(spread(hash), (hash, index), |(hash, _)| spread(*hash));
    }
}

/// Half of a hash.
fn short(hash: u64) -> u32 {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Half of a hash as a table wants it: with bits at both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Scheme, host and port.
fn origin(address: &Address) -> &str {
    let identity = address.identity();
    let start = identity.find("://").map_or(0, |at| at + 3);
    let end = identity.get(start..).and_then(|rest| rest.find(['/', '?'])).map_or(identity.len(), |at| start + at);
    identity.get(..end).unwrap_or(identity)
}
