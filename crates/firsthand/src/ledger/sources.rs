//! The sources of one run, and how an asked address finds its source.

#[cfg(test)]
mod tests;

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::maybe::Maybe;
use crate::address::{Address, Asked};
use crate::verdict::Step;
use crate::writer::Writer;

/// An address that may be opened because of who wrote it first.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) address: Address,
    /// The item that made it a source.
    pub(crate) item: u32,
    /// The page's site or the tool that wrote it, by its number among the tools.
    pub(crate) author: Maybe,
    /// The first item in which somebody named it who cannot only have repeated what the model wrote.
    pub(crate) vouched: Maybe,
    /// Whose words that item is.
    pub(crate) writer: Writer,
    /// The profile counts it by its position although the text may be somebody else's.
    pub(crate) hole: bool,
    pub(crate) undo: Undo,
}

/// What taking a source back undoes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undo {
    /// It is the second of its path.
    is_second: bool,
    /// It is the first of its wide key.
    is_first: bool,
}

/// A source under a half of the hash of one of its keys: a ledger holds many, and what agrees is compared in full.
type Keyed = (u32, u32);

/// In the table of paths: further sources have the same.
const SEVERAL: u32 = 1 << 31;

/// The sources in the order in which they were recorded, one for each identity. Their items never fall.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    hasher: DefaultHashBuilder,
    /// The first source of each joint key.
    by_loose: HashTable<Keyed>,
    /// Sources by their identity, where they are not the first of their joint key: odd ones never are.
    by_identity: HashTable<Keyed>,
    /// The first source of each joint key without its query, with [`SEVERAL`] where it is not the only one.
    by_path: HashTable<Keyed>,
    /// The first source of each scheme, host and port.
    by_origin: HashTable<Keyed>,
    /// Who vouched for a source in a later item than the one that made it one: the item and the source, as items rise.
    vouched_later: Vec<(u32, u32)>,
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

    fn get_mut(&mut self, index: u32) -> Option<&mut Source> {
        self.sources.get_mut(usize::try_from(index).ok()?)
    }

    /// The source of this identity.
    pub(crate) fn of(&self, address: &Address) -> Option<u32> {
        let same = |other: &Address| other.identity() == address.identity();
        if !address.is_odd() {
            let loose = address.loose();
            let first = self.first(&self.by_loose, &loose, |other| other.loose() == loose);
            if first.is_none() || first.and_then(|index| self.get(index)).is_some_and(|first| same(&first.address)) {
                return first;
            }
        }
        self.first(&self.by_identity, address.identity(), same)
    }

    /// The sources of a saved ledger; `None` where no ledger could have them in this order.
    pub(crate) fn restored(saved: impl IntoIterator<Item = Source>) -> Option<Self> {
        let mut all = Self::default();
        for source in saved {
            let falls = all.sources.last().is_some_and(|before| before.item > source.item);
            if falls || all.of(&source.address).is_some() {
                return None;
            }
            let later = source.vouched.get().filter(|item| *item > source.item);
            let index = all.add(source);
            all.vouched_later.extend(later.map(|item| (item, index)));
        }
        all.vouched_later.sort_unstable();
        Some(all)
    }

    /// Records a source of an identity that none has.
    pub(crate) fn add(&mut self, source: Source) -> u32 {
        let index = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        // Sources are most of what a ledger holds: a quarter of air is enough.
        if self.sources.len() == self.sources.capacity() {
            self.sources.reserve_exact(self.sources.len() / 4 + 16);
        }
        self.sources.push(source);
        let is_second = self.enter(index);
        if let Some(source) = self.sources.last_mut() {
            source.undo = Undo { is_second, is_first: false };
        }
        index
    }

    /// A source is named again: whoever names it may take doubts away.
    pub(crate) fn name_again(&mut self, index: u32, vouched: Option<u32>, hole: bool) {
        let Some(source) = self.get_mut(index) else { return };
        source.hole &= hole;
        if let (None, Some(item)) = (source.vouched.get(), vouched) {
            source.vouched = Some(item).into();
            self.vouched_later.push((item, index));
        }
    }

    /// Remembers that no source before this one has its wide key.
    pub(crate) fn set_first(&mut self, index: u32) {
        if let Some(source) = self.get_mut(index) {
            source.undo.is_first = true;
        }
    }

    /// Forgets the sources that stand only in items from this one on, and who vouched there for those that stay. Calls
    /// `gone` with the first sources of their wide keys. Costs what it forgets.
    pub(crate) fn rewind(&mut self, to: u32, gone: &mut dyn FnMut(&Address)) {
        while let Some((_, index)) = self.vouched_later.pop_if(|(item, _)| *item >= to) {
            if let Some(source) = self.get_mut(index) {
                source.vouched = None.into();
            }
        }
        while let Some(Source { address, undo, .. }) = self.sources.pop_if(|source| source.item >= to) {
            let index = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
            if undo.is_first {
                gone(&address);
            }
            let hash = |key: &str| short(self.hasher.hash_one(key));
            take_out(&mut self.by_identity, hash(address.identity()), index);
            if address.is_odd() {
                continue;
            }
            take_out(&mut self.by_origin, hash(address.origin()), index);
            take_out(&mut self.by_loose, hash(&address.loose()), index);
            let path = address.loose_without_query();
            take_out(&mut self.by_path, hash(&path), index);
            if undo.is_second {
                let wanted = hash(&path);
                let sources = &self.sources;
                let same = |(hash, index): &Keyed| {
                    *hash == wanted
                        && of_index(sources, *index).is_some_and(|other| other.loose_without_query() == path)
                };
                if let Some((_, index)) = self.by_path.find_mut(spread(wanted), same) {
                    *index &= !SEVERAL;
                }
            }
        }
    }

    /// Enters the last source under its keys; whether it is the second of its path.
    fn enter(&mut self, index: u32) -> bool {
        let Self { sources, hasher, by_identity, by_loose, by_path, by_origin, .. } = self;
        let at = |index: u32| of_index(sources, index);
        let Some(address) = at(index) else { return false };
        let hash = |key: &str| short(hasher.hash_one(key));
        // An odd spelling never opens, so no step may find it.
        if address.is_odd() {
            keep_first(by_identity, (hash(address.identity()), index), |_| false);
            return false;
        }
        let origin = address.origin();
        keep_first(by_origin, (hash(origin), index), |other| at(other).is_some_and(|other| other.origin() == origin));
        let loose = address.loose();
        let same = |other| at(other).is_some_and(|other| other.loose() == loose);
        if !keep_first(by_loose, (hash(&loose), index), same) {
            // No other source has this identity.
            keep_first(by_identity, (hash(address.identity()), index), |_| false);
        }
        let path = address.loose_without_query();
        let hash = hash(&path);
        let same = |(other, index): &Keyed| {
            *other == hash && at(*index).is_some_and(|other| other.loose_without_query() == path)
        };
        match by_path.find_mut(spread(hash), same) {
            Some((_, index)) => {
                let is_second = *index & SEVERAL == 0;
                *index |= SEVERAL;
                is_second
            }
            None => {
                by_path.insert_unique(spread(hash), (hash, index), |(hash, _)| spread(*hash));
                false
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

    /// Whether some source has this address's scheme, host and port.
    pub(crate) fn on_origin(&self, address: &Address) -> bool {
        let wanted = address.origin();
        self.first(&self.by_origin, wanted, |other| other.origin() == wanted).is_some()
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
            Step::Identical | Step::Serialized => self
                .find(step, asked)
                .filter(|index| self.get(*index).is_some_and(|source| source.vouched.get().is_some())),
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
        (0..).zip(&self.sources).filter(|(_, source)| source.vouched.get().is_some() && !source.address.is_odd())
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

/// The address of a source of a table.
fn of_index(sources: &[Source], index: u32) -> Option<&Address> {
    sources.get(usize::try_from(index & !SEVERAL).ok()?).map(|source| &source.address)
}

/// Enters a source unless the table holds the same key already; whether it did.
fn keep_first(table: &mut HashTable<Keyed>, (hash, index): Keyed, same: impl Fn(u32) -> bool) -> bool {
    let is_new = table.find(spread(hash), |(other, index)| *other == hash && same(*index)).is_none();
    if is_new {
        table.insert_unique(spread(hash), (hash, index), |(hash, _)| spread(*hash));
    }
    is_new
}

/// Takes a source out of a table if it stands there.
fn take_out(table: &mut HashTable<Keyed>, hash: u32, index: u32) {
    if let Ok(entry) = table.find_entry(spread(hash), |(other, at)| *other == hash && at & !SEVERAL == index) {
        entry.remove();
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
