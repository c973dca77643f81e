//! Numbers and texts as bytes: little-endian, texts with their length before them.

use super::RestoreError;

/// Bytes being written.
#[derive(Debug, Default)]
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
}

impl Out {
    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn count(&mut self, value: usize) {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX));
    }

    /// A number that may be missing.
    pub(super) fn maybe(&mut self, value: Option<u32>) {
        self.u32(value.map_or(0, |value| value.saturating_add(1)));
    }

    /// A large number that may be missing.
    pub(super) fn maybe_u64(&mut self, value: Option<u64>) {
        self.bool(value.is_some());
        if let Some(value) = value {
            self.u64(value);
        }
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    pub(super) fn maybe_text(&mut self, text: Option<&str>) {
        self.bool(text.is_some());
        if let Some(text) = text {
            self.text(text);
        }
    }
}

/// Bytes being read.
#[derive(Clone, Debug)]
pub(super) struct In<'b> {
    bytes: &'b [u8],
}

impl<'b> In<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn raw(&mut self, length: usize) -> Result<&'b [u8], RestoreError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(RestoreError::Cut)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], RestoreError> {
        self.raw(N)?.try_into().map_err(|_| RestoreError::Cut)
    }

    pub(super) fn u8(&mut self) -> Result<u8, RestoreError> {
        self.array::<1>().map(u8::from_le_bytes)
    }

    pub(super) fn bool(&mut self) -> Result<bool, RestoreError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(RestoreError::Malformed),
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32, RestoreError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, RestoreError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, RestoreError> {
        self.array().map(i64::from_le_bytes)
    }

    /// A count of entries of at least `least` bytes each, so that a wrong count cannot ask for more than there is.
    pub(super) fn count(&mut self, least: usize) -> Result<usize, RestoreError> {
        let count = usize::try_from(self.u32()?).map_err(|_| RestoreError::Malformed)?;
        match count.checked_mul(least) {
            Some(bytes) if bytes <= self.bytes.len() => Ok(count),
            Some(_) | None => Err(RestoreError::Cut),
        }
    }

    pub(super) fn maybe(&mut self) -> Result<Option<u32>, RestoreError> {
        Ok(self.u32()?.checked_sub(1))
    }

    pub(super) fn maybe_u64(&mut self) -> Result<Option<u64>, RestoreError> {
        self.bool()?.then(|| self.u64()).transpose()
    }

    pub(super) fn text(&mut self) -> Result<&'b str, RestoreError> {
        let length = self.count(1)?;
        std::str::from_utf8(self.raw(length)?).map_err(|_| RestoreError::Malformed)
    }

    pub(super) fn maybe_text(&mut self) -> Result<Option<&'b str>, RestoreError> {
        self.bool()?.then(|| self.text()).transpose()
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn end(&self) -> Result<(), RestoreError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(RestoreError::Malformed) }
    }
}
