//! The saved form of a ledger.
//!
//! A file of sections that can be looked into without being read whole. Numbers are little-endian; a text is its length
//! (`u32`) and its UTF-8 bytes; "maybe" is one more than the number, or 0.
//!
//! ```text
//! 0   "FHLEDGER"            8 bytes
//! 8   version               u32, now 5
//! 12  number of sections    u32
//! 16  digest                16 bytes, of the 16 bytes before it and of both tables
//! 32  for each section      kind u32, run u32, offset u64, length u64
//! ..  for each block        digest of 16 bytes
//! ..  the sections, in the order of the table, without a gap, to the end of the file
//! ```
//!
//! The bytes of all sections together are cut into blocks of 4,096, the last of which may be shorter. A digest is the first
//! half of BLAKE3. Whoever opens the file reads the tables, a 250th of it, and then checks each block that an answer
//! reads: a flipped bit is an error and never a missing mark or a source, although nothing is read whole. The
//! digests find damage. They do not find a forger, who can make them anew; a file that others can write to is kept
//! where they cannot.
//!
//! | kind | run | holds |
//! |---|---|---|
//! | 1 `head` | - | key of the digests (32 bytes), clock `u32`, number of runs `u32`, whether the world's runs of bytes are kept `u8` |
//! | 2 `tools` | - | count, names |
//! | 3 `marks` | - | count, offsets `u32` each, then by rising key: key, run `u32`, item `u32`, clock `u32`, copied `u32` |
//! | 5 `outside` | - | words of a person or the world: hash `u64`, clock `u32`, offset `u32`, voice `u8`; rising |
//! | 6 `model` | - | words of the model: hash `u64`, clock `u32`; rising |
//! | 7 `argued` | - | runs of 8 bytes in arguments: hash `u32`, clock `u32`; rising |
//! | 8 `shown` | - | the same of a person's texts, and of the world's where they are kept |
//! | 9 `spots` | - | identifiers of texts: count, then for each token `u8`, key, count and values, clock `u32`, voice `u8`, vouched `u8`; by token, as noted |
//! | 10 `offers` | - | by site: counts of its addresses (five `u32`), thousandths of a bit that it was told `u64`; by author `u32`: the same counts; the addresses that were opened; each rising |
//! | 16 `run` | yes | parent, seat, items, calls, grants |
//! | 17 `sources` | yes | count, offsets `u32` each, then in order: spelling, item `u32`, writer `u8`, maybe author, maybe item that vouches, hole `u8` |
//! | 18 `identities` | yes | digest of a source's identity (16 bytes), its number `u32`; rising |
//! | 19 `sightings` | yes | digest of a wide key (16 bytes), maybe item of person, world, model (where no mark of the run says it), ignored, closed `u8`; rising |
//! | 20 `given` | yes | keyed digest of a run of letters of a person's or an operator's text (16 bytes), item `u32`; rising |
//!
//! A reader refuses a version that it does not know: a ledger that cannot be read opens nothing.

mod bytes;
mod lookup;
mod read;
mod write;
#[cfg(test)]
mod tests;

pub use lookup::{ReadAt, SavedLedger};

use super::{Fingerprint, Ledger, first_half};

/// The first bytes of a saved ledger.
const MAGIC: &[u8; 8] = b"FHLEDGER";

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 5;

/// Where the table of sections starts, in bytes: behind the digest of the tables.
const FRONT: usize = 32;

/// How many bytes of the sections one digest covers: what storage reads at once anyway.
const BLOCK: usize = 4096;

/// The most sections that a file may have.
const MAX_SECTIONS: u32 = 1 << 24;

/// Why a saved ledger cannot be used. Whoever gets this opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// It does not begin like a saved ledger.
    #[error("not a saved ledger")]
    NotALedger,
    /// It was written by another version.
    #[error("a ledger of version {found}; version {VERSION} can be read")]
    Version {
        /// The version that it names.
        found: u32,
    },
    /// It ends before it should.
    #[error("the ledger is cut off")]
    Cut,
    /// It is not what was written: a digest differs.
    #[error("the ledger is damaged")]
    Damaged,
    /// It holds what no ledger holds.
    #[error("the ledger is malformed")]
    Malformed,
    /// It has no run that could be gone on with.
    #[error("the ledger holds no run")]
    NoRun,
    /// Its storage cannot be read.
    #[error("the ledger cannot be read")]
    Unreadable,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Head = 1,
    Tools = 2,
    Marks = 3,
    Outside = 5,
    Model = 6,
    Argued = 7,
    Shown = 8,
    Spots = 9,
    Offers = 10,
    Run = 16,
    Sources = 17,
    Identities = 18,
    Sightings = 19,
    Given = 20,
}

impl Kind {
    fn number(self) -> u32 {
        match self {
            Self::Head => 1,
            Self::Tools => 2,
            Self::Marks => 3,
            Self::Outside => 5,
            Self::Model => 6,
            Self::Argued => 7,
            Self::Shown => 8,
            Self::Spots => 9,
            Self::Offers => 10,
            Self::Run => 16,
            Self::Sources => 17,
            Self::Identities => 18,
            Self::Sightings => 19,
            Self::Given => 20,
        }
    }
}

/// The digest of a block, or of the tables.
fn digest(bytes: &[u8]) -> Fingerprint {
    first_half(*blake3::hash(bytes).as_bytes())
}

impl Ledger {
    /// The saved form.
    pub fn save(&mut self) -> Vec<u8> {
        self.words.settle();
        self.runs.iter_mut().for_each(|run| run.given.settle(&self.key));
        write::ledger(self)
    }

    /// The ledger of a saved form.
    pub fn restore(bytes: &[u8]) -> Result<Self, RestoreError> {
        read::ledger(bytes)
    }
}
