//! Looking into a saved ledger without reading it whole.

use std::collections::HashMap;

use super::bytes::In;
use super::{Kind, MAGIC, MAX_SECTIONS, RestoreError, VERSION};
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
    /// The byte after the last section.
    end: u64,
}

impl<'s, S: ReadAt + ?Sized> SavedLedger<'s, S> {
    /// Reads the table of sections.
    pub fn open(storage: &'s S) -> Result<Self, RestoreError> {
        let mut head = [0; 16];
        storage.read_at(0, &mut head).map_err(|_| RestoreError::NotALedger)?;
        let mut head = In::new(&head);
        if head.raw(8)? != MAGIC {
            return Err(RestoreError::NotALedger);
        }
        let (version, count) = (head.u32()?, head.u32()?);
        if version != VERSION {
            return Err(RestoreError::Version { found: version });
        }
        if count > MAX_SECTIONS {
            return Err(RestoreError::Malformed);
        }
        let mut sections = HashMap::new();
        // Sections that overlapped could name the same bytes many times over, more than any memory holds.
        let mut end = 16 + u64::from(count) * 24;
        for number in 0..u64::from(count) {
            let mut entry = [0; 24];
            storage.read_at(16 + number * 24, &mut entry)?;
            let mut entry = In::new(&entry);
            let key = (entry.u32()?, entry.u32()?);
            let (start, length) = (entry.u64()?, entry.u64()?);
            if start != end || sections.insert(key, (start, length)).is_some() {
                return Err(RestoreError::Malformed);
            }
            end = start.checked_add(length).ok_or(RestoreError::Malformed)?;
        }
        Ok(Self { storage, sections, end })
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
        u64::try_from(self.sections.len()) == Ok(sections) && u64::try_from(end) == Ok(self.end)
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
        // A length that the storage does not have must not be asked of the memory either.
        if count > 0 {
            let last = offset.checked_add(u64::from(count) - 1).ok_or(RestoreError::Cut)?;
            self.storage.read_at(last, &mut [0])?;
        }
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| RestoreError::Malformed)?];
        self.storage.read_at(offset, &mut bytes)?;
        Ok(bytes)
    }
}
