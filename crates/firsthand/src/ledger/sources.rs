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

/// A source under the hash of one of its keys.
type Keyed = (u64, u32);

/// The sources in the order in which they were recorded, one for each identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    hasher: DefaultHashBuilder,
    by_identity: HashTable<Keyed>,
    /// The first source of each joint key.
    by_loose: HashTable<Keyed>,
    /// The first source of each joint key without its query, and whether it is the only one.
    by_path: HashTable<(Keyed, bool)>,
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

    /// Forgets the sources that stand only in items from this one on, and who vouched there for those that stay.
    pub(crate) fn rewind(&mut self, to: u32) {
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
            self.enter(index);
        }
    }

    fn enter(&mut self, index: u32) {
        let Some(source) = self.get(index) else { return };
        let address = source.address.clone();
        let hash = |key: &str| self.hasher.hash_one(key);
        let identity = hash(address.identity());
        let (wide, loose, path) = (address.wide(), address.loose(), address.loose_without_query());
        let origin = origin(&address);
        let (wide_hash, loose_hash, path_hash, origin_hash) = (hash(&wide), hash(&loose), hash(&path), hash(origin));
        let new_wide = self.under_wide(&wide).is_none();
        // An odd spelling never opens, so no step may find it.
        let steps = !address.is_odd();
        let new_loose = steps && self.first(&self.by_loose, &loose, |other| other.loose() == loose).is_none();
        let new_origin = steps && self.first(&self.by_origin, origin, |other| self::origin(other) == origin).is_none();
        self.by_identity.insert_unique(identity, (identity, index), |(hash, _)| *hash);
        if new_wide {
            self.by_wide.insert_unique(wide_hash, (wide_hash, index), |(hash, _)| *hash);
        }
        if new_loose {
            self.by_loose.insert_unique(loose_hash, (loose_hash, index), |(hash, _)| *hash);
        }
        if new_origin {
            self.by_origin.insert_unique(origin_hash, (origin_hash, index), |(hash, _)| *hash);
        }
        if !steps {
            return;
        }
        let Self { sources, by_path, .. } = self;
        let at = |index: u32| usize::try_from(index).ok().and_then(|index| sources.get(index));
        let same = |((hash, index), _): &(Keyed, bool)| {
            *hash == path_hash && at(*index).is_some_and(|other| other.address.loose_without_query() == path)
        };
        match by_path.find_mut(path_hash, same) {
            Some((_, only)) => *only = false,
            None => {
                by_path.insert_unique(path_hash, ((path_hash, index), true), |((hash, _), _)| *hash);
            }
        }
    }

    /// The source of a table under a key, compared in full where the hashes agree.
    fn first(&self, table: &HashTable<Keyed>, key: &str, same: impl Fn(&Address) -> bool) -> Option<u32> {
        let wanted = self.hasher.hash_one(key);
        let found = table.find(wanted, |(hash, index)| {
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
        let wanted = self.hasher.hash_one(&path);
        let same = |((hash, index), _): &(Keyed, bool)| {
            *hash == wanted && self.get(*index).is_some_and(|source| source.address.loose_without_query() == path)
        };
        match self.by_path.find(wanted, same) {
            Some(((_, index), true)) => Only::One(*index),
            Some((_, false)) => Only::Several,
            None => Only::Nothing,
        }
    }
}

/// Scheme, host and port.
fn origin(address: &Address) -> &str {
    let identity = address.identity();
    let start = identity.find("://").map_or(0, |at| at + 3);
    let end = identity.get(start..).and_then(|rest| rest.find(['/', '?'])).map_or(identity.len(), |at| start + at);
    identity.get(..end).unwrap_or(identity)
}
