//! Looking into a saved ledger without reading it whole.
//!
//! Every byte that an answer rests on is checked: the tables when the file is opened, the rest block by block as it is read.

use std::collections::HashMap;
use std::ops::Range;

use super::bytes::In;
use super::{BLOCK, FRONT, Kind, MAGIC, MAX_SECTIONS, RestoreError, VERSION, digest};
use crate::address::Address;
use crate::ledger::{RunId, fingerprint};

/// Storage that can be read at any place.
pub trait ReadAt {
    /// Fills `buffer` from this place on.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), RestoreError>;
}

impl ReadAt for [u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), RestoreError> {
        let start = usize::try_from(offset).map_err(|_| RestoreError::Cut)?;
        let end = start.checked_add(buffer.len()).ok_or(RestoreError::Cut)?;
        buffer.copy_from_slice(self.get(start..end).ok_or(RestoreError::Cut)?);
        Ok(())
    }
}

/// A saved ledger that is looked into: each answer reads a few bytes.
#[derive(Debug)]
pub struct SavedLedger<'s, S: ReadAt + ?Sized> {
    storage: &'s S,
    sections: HashMap<(u32, u32), (u64, u64)>,
    /// The digests of the blocks, one after the other.
    digests: Vec<u8>,
    /// The first byte of the first section, and the byte after the last one.
    body: Range<u64>,
}

impl<'s, S: ReadAt + ?Sized> SavedLedger<'s, S> {
    /// Reads the tables.
    pub fn open(storage: &'s S) -> Result<Self, RestoreError> {
        let mut front = [0; FRONT];
        storage.read_at(0, &mut front).map_err(|_| RestoreError::NotALedger)?;
        let mut head = In::new(&front);
        if head.raw(8)? != MAGIC {
            return Err(RestoreError::NotALedger);
        }
        let (version, count, wanted) = (head.u32()?, head.u32()?, head.array()?);
        if version != VERSION {
            return Err(RestoreError::Version { found: version });
        }
        if count > MAX_SECTIONS {
            return Err(RestoreError::Malformed);
        }
        let table = exactly(storage, wide(FRONT), u64::from(count) * 24)?;
        let mut entries = In::new(&table);
        let mut listed = Vec::new();
        for _ in 0..count {
            listed.push(((entries.u32()?, entries.u32()?), (entries.u64()?, entries.u64()?)));
        }
        let length = listed.iter().try_fold(0_u64, |sum, (_, (_, length))| sum.checked_add(*length));
        let length = length.ok_or(RestoreError::Malformed)?;
        let behind_table = wide(FRONT) + u64::from(count) * 24;
        let digests = exactly(storage, behind_table, length.div_ceil(wide(BLOCK)).saturating_mul(16))?;
        let front = front.get(..16).unwrap_or_default();
        if digest(&[front, &table, &digests].concat()) != wanted {
            return Err(RestoreError::Damaged);
        }
        let start = behind_table + wide(digests.len());
        let mut sections = HashMap::new();
        // Sections that overlapped could name the same bytes many times over, more than any memory holds.
        let mut end = start;
        for (key, (offset, length)) in listed {
            if offset != end || sections.insert(key, (offset, length)).is_some() {
                return Err(RestoreError::Malformed);
            }
            end = offset.checked_add(length).ok_or(RestoreError::Malformed)?;
        }
        Ok(Self { storage, sections, digests, body: start..end })
    }

    /// Whether the tree holds a mark under this wide key.
    pub fn has_mark(&self, key: &str) -> Result<bool, RestoreError> {
        let section = self.section(Kind::Marks, 0)?;
        let (mut low, mut high) = (0, self.number(section, 0)?);
        while low < high {
            let middle = low + (high - low) / 2;
            let start = self.number(section, 4 + u64::from(middle) * 4)?;
            let length = self.number(section, u64::from(start))?;
            let mark = self.bytes(section, u64::from(start) + 4, length)?;
            match mark.as_slice().cmp(key.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The spelling of the run's source with the identity of this address. Reveals it.
    pub fn source(&self, run: RunId, address: &Address) -> Result<Option<String>, RestoreError> {
        let wanted = fingerprint(address.identity());
        let section = self.section(Kind::Identities, run.0)?;
        let (mut low, mut high) = (0, section.1 / 20);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = self.bytes(section, middle * 20, 20)?;
            let mut entry = In::new(&entry);
            match entry.array::<16>()?.cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.spelling(run, entry.u32()?).map(Some),
            }
        }
        Ok(None)
    }

    fn spelling(&self, run: RunId, number: u32) -> Result<String, RestoreError> {
        let section = self.section(Kind::Sources, run.0)?;
        let start = self.number(section, 4 + u64::from(number) * 4)?;
        let length = self.number(section, u64::from(start))?;
        let bytes = self.bytes(section, u64::from(start) + 4, length)?;
        String::from_utf8(bytes).map_err(|_| RestoreError::Malformed)
    }

    /// Whether there are so many sections, and the last of them ends at this byte.
    pub(super) fn is_all(&self, sections: u64, end: usize) -> bool {
        u64::try_from(self.sections.len()) == Ok(sections) && u64::try_from(end) == Ok(self.body.end)
    }

    pub(super) fn whole(&self, kind: Kind, run: u32) -> Result<Vec<u8>, RestoreError> {
        let section = self.section(kind, run)?;
        let length = u32::try_from(section.1).map_err(|_| RestoreError::Malformed)?;
        self.bytes(section, 0, length)
    }

    fn section(&self, kind: Kind, run: u32) -> Result<(u64, u64), RestoreError> {
        self.sections.get(&(kind.number(), run)).copied().ok_or(RestoreError::Malformed)
    }

    fn number(&self, section: (u64, u64), at: u64) -> Result<u32, RestoreError> {
        In::new(&self.bytes(section, at, 4)?).u32()
    }

    fn bytes(&self, (start, length): (u64, u64), at: u64, count: u32) -> Result<Vec<u8>, RestoreError> {
        let end = at.checked_add(u64::from(count)).ok_or(RestoreError::Cut)?;
        if end > length {
            return Err(RestoreError::Cut);
        }
        let offset = start.checked_add(at).ok_or(RestoreError::Cut)?;
        self.checked(offset..offset.checked_add(u64::from(count)).ok_or(RestoreError::Cut)?)
    }

    /// Bytes of the sections, each block of which is what was written.
    fn checked(&self, wanted: Range<u64>) -> Result<Vec<u8>, RestoreError> {
        let mut bytes = Vec::new();
        if wanted.is_empty() {
            return Ok(bytes);
        }
        let first = wanted.start.checked_sub(self.body.start).ok_or(RestoreError::Malformed)? / wide(BLOCK);
        let mut digests = self.digests.chunks_exact(16).skip(usize::try_from(first).map_err(|_| RestoreError::Cut)?);
        let mut from = self.body.start + first * wide(BLOCK);
        while from < wanted.end {
            let length = wide(BLOCK).min(self.body.end.saturating_sub(from));
            let block = exactly(self.storage, from, length)?;
            if digests.next() != Some(digest(&block).as_slice()) {
                return Err(RestoreError::Damaged);
            }
            let cut = |at: u64| usize::try_from(at.saturating_sub(from).min(length)).unwrap_or_default();
            bytes.extend(block.get(cut(wanted.start)..cut(wanted.end)).unwrap_or_default());
            from += wide(BLOCK);
        }
        Ok(bytes)
    }
}

/// So many bytes of a storage. A length that it does not have is not asked of the memory either.
fn exactly<S: ReadAt + ?Sized>(storage: &S, offset: u64, length: u64) -> Result<Vec<u8>, RestoreError> {
    if let Some(last) = length.checked_sub(1) {
        storage.read_at(offset.checked_add(last).ok_or(RestoreError::Cut)?, &mut [0])?;
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| RestoreError::Malformed)?];
    storage.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
