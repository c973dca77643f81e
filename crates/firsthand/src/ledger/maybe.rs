//! A number that may be missing, in four bytes.

/// One more than the number, or 0: a ledger holds many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Maybe(u32);

impl Maybe {
    pub(crate) fn get(self) -> Option<u32> {
        self.0.checked_sub(1)
    }

    /// This one, or the other where this one is missing.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.0 == 0 { other } else { self }
    }
}

impl From<Option<u32>> for Maybe {
    fn from(number: Option<u32>) -> Self {
        // No run has so many items that the last one would matter.
        Self(number.map_or(0, |number| number.saturating_add(1)))
    }
}
