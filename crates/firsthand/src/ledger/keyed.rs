//! Numbers of entries under a half of the hash of one of their keys: a ledger holds many, and what agrees is compared in full.

use std::hash::{BuildHasher as _, Hasher as _};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A table of entries that somebody else keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyed {
    table: HashTable<(u32, u32)>,
}

/// Half of a key's hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Half(u32);

impl Half {
    /// Half of a hash.
    pub(super) fn of(hash: u64) -> Self {
        let [a, b, c, d, ..] = hash.to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }
}

/// The hash of a key.
pub(super) fn half(hasher: &DefaultHashBuilder, key: &str) -> Half {
    let mut hasher = hasher.build_hasher();
    hasher.write(key.as_bytes());
    Half::of(hasher.finish())
}

impl Keyed {
    /// The entry that `same` says has the key.
    pub(super) fn find(&self, key: Half, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        self.table.find(spread(key.0), |(hash, index)| *hash == key.0 && same(*index)).map(|(_, index)| *index)
    }

    /// The same, to change.
    pub(super) fn find_mut(&mut self, key: Half, mut same: impl FnMut(u32) -> bool) -> Option<&mut u32> {
        self.table.find_mut(spread(key.0), |(hash, index)| *hash == key.0 && same(*index)).map(|(_, index)| index)
    }

    /// Enters an entry whose key none has.
    pub(super) fn add(&mut self, key: Half, index: u32) {
        self.table.insert_unique(spread(key.0), (key.0, index), |(hash, _)| spread(*hash));
    }

    /// Takes an entry out if it stands there.
    pub(super) fn take_out(&mut self, key: Half, mut is: impl FnMut(u32) -> bool) {
        if let Ok(entry) = self.table.find_entry(spread(key.0), |(hash, index)| *hash == key.0 && is(*index)) {
            entry.remove();
        }
    }
}

/// Half of a hash as a table wants it: with bits at both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
