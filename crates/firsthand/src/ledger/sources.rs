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
    /// A tool that may echo named it, and no person and no other tool has named it since.
    pub(crate) may_be_echo: bool,
    /// The profile counts it by its position although the text may be somebody else's.
    pub(crate) hole: bool,
}

/// The sources in the order in which they were recorded, one for each identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    hasher: DefaultHashBuilder,
    by_identity: HashTable<u32>,
    /// The first source of each joint key.
    by_loose: HashTable<u32>,
    /// The first source of each joint key without its query, and whether it is the only one.
    by_path: HashTable<(u32, bool)>,
    by_host: HashTable<u32>,
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
        let hash = self.hasher.hash_one(address.identity());
        let same = |index: &u32| self.get(*index).is_some_and(|other| other.address.identity() == address.identity());
        self.by_identity.find(hash, same).copied()
    }

    /// Records a source; the first spelling of an identity stays.
    pub(crate) fn add(&mut self, source: Source) -> u32 {
        if let Some(index) = self.of(&source.address) {
            return index;
        }
        let index = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        self.sources.push(source);
        self.enter(index);
        index
    }

    /// Forgets the sources that stand only in items from this one on.
    pub(crate) fn rewind(&mut self, to: u32) {
        self.sources.retain(|source| source.item < to);
        self.by_identity.clear();
        self.by_loose.clear();
        self.by_path.clear();
        self.by_host.clear();
        for index in 0..u32::try_from(self.sources.len()).unwrap_or(u32::MAX) {
            self.enter(index);
        }
    }

    fn enter(&mut self, index: u32) {
        let Self { sources, hasher, by_identity, by_loose, by_path, by_host } = self;
        let at = |index: u32| usize::try_from(index).ok().and_then(|index| sources.get(index));
        let Some(source) = at(index) else { return };
        let address = &source.address;
        let identity = |index: &u32| at(*index).map_or(0, |source| hasher.hash_one(source.address.identity()));
        by_identity.insert_unique(hasher.hash_one(address.identity()), index, identity);
        // An odd spelling never opens, so no step may find it.
        if address.is_odd() {
            return;
        }
        let loose = address.loose();
        let loose_of = |index: &u32| at(*index).map(|source| source.address.loose());
        let rehash = |index: &u32| hasher.hash_one(loose_of(index).unwrap_or_default());
        let same = |index: &u32| loose_of(index).is_some_and(|other| other == loose);
        if by_loose.find(hasher.hash_one(&loose), same).is_none() {
            by_loose.insert_unique(hasher.hash_one(&loose), index, rehash);
        }
        let path = address.loose_without_query();
        let path_of = |index: u32| at(index).map(|source| source.address.loose_without_query());
        let rehash = |(index, _): &(u32, bool)| hasher.hash_one(path_of(*index).unwrap_or_default());
        let same = |(index, _): &(u32, bool)| path_of(*index).is_some_and(|other| other == path);
        match by_path.find_mut(hasher.hash_one(&path), same) {
            Some((_, only)) => *only = false,
            None => {
                by_path.insert_unique(hasher.hash_one(&path), (index, true), rehash);
            }
        }
        let rehash = |index: &u32| at(*index).map_or(0, |source| hasher.hash_one(source.address.host()));
        let same = |index: &u32| at(*index).is_some_and(|source| source.address.host() == address.host());
        if by_host.find(hasher.hash_one(address.host()), same).is_none() {
            by_host.insert_unique(hasher.hash_one(address.host()), index, rehash);
        }
    }

    /// Whether some source stands on this host.
    pub(crate) fn on_host(&self, host: &str) -> bool {
        let same = |index: &u32| self.get(*index).is_some_and(|source| source.address.host() == host);
        self.by_host.find(self.hasher.hash_one(host), same).is_some()
    }

    /// The earliest source that the step finds. `query_dropped` has its own function.
    pub(crate) fn find(&self, step: Step, asked: &Asked) -> Option<u32> {
        match step {
            Step::Identical => self
                .of(asked.address())
                .filter(|index| self.get(*index).is_some_and(|source| source.address.reveal() == asked.raw())),
            Step::Serialized => self.of(asked.address()),
            Step::Loose => {
                let loose = asked.address().loose();
                let same = |index: &u32| self.get(*index).is_some_and(|source| source.address.loose() == loose);
                self.by_loose.find(self.hasher.hash_one(&loose), same).copied()
            }
            Step::QueryDropped | Step::Truncated | Step::Convention | Step::Grant | Step::Reference => None,
        }
    }

    /// What has the host and path of an asked address that has no query.
    pub(crate) fn with_path(&self, asked: &Asked) -> Only {
        if asked.address().has_query() {
            return Only::Nothing;
        }
        let path = asked.address().loose_without_query();
        let same = |(index, _): &(u32, bool)| {
            self.get(*index).is_some_and(|source| source.address.loose_without_query() == path)
        };
        match self.by_path.find(self.hasher.hash_one(&path), same) {
            Some((index, true)) => Only::One(*index),
            Some((_, false)) => Only::Several,
            None => Only::Nothing,
        }
    }
}
