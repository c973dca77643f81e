//! What spellings were read as, for those that come again.
//!
//! Conversations repeat their addresses: hits, menus of pages, what the model says of either. Where reading a spelling
//! costs a parser and passes over its key, the last ones are kept; plain ones are read faster than they are found again.
//! What is kept follows from the spelling alone and is no part of the record: a copy of a ledger begins without.

use std::borrow::Cow;
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

use crate::address::{Address, Form, Keys, without_fragment};

/// How many spellings are kept.
const PLACES: usize = 1024;

/// The longest spelling that is kept, in bytes.
const LONGEST: usize = 512;

/// A spelling that is an address, with its keys.
pub(crate) struct Reading<'r> {
    pub(crate) keys: Keys<'r>,
    /// The wide key.
    pub(crate) wide: Cow<'r, str>,
    /// Where in the spelling the wide key stands, if it does.
    pub(crate) wide_from: Option<usize>,
}

impl<'r> Reading<'r> {
    /// What a text wrote with this absolute spelling, if no parser is needed to tell.
    pub(crate) fn plain(spelling: &'r str) -> Option<Self> {
        let plain = Keys::plain(spelling).or_else(|| {
            let cut = without_fragment(spelling);
            if cut.len() < spelling.len() { Keys::plain(cut) } else { None }
        });
        plain.map(|(keys, wide, wide_from)| Self { keys, wide, wide_from })
    }
}

/// What a parser read, with its wide key.
pub(crate) struct Parsed {
    address: Address,
    wide: String,
}

impl Parsed {
    pub(crate) fn reading(&self) -> Reading<'_> {
        Reading { keys: self.address.view().keys(), wide: Cow::Borrowed(&self.wide), wide_from: None }
    }
}

impl From<Address> for Parsed {
    fn from(address: Address) -> Self {
        let wide = address.wide();
        Self { address, wide }
    }
}

/// The last spellings.
#[derive(Default)]
pub(crate) struct Readings {
    hasher: DefaultHashBuilder,
    places: Vec<Option<Kept>>,
}

struct Kept {
    spelling: Box<str>,
    form: Form,
    parsed: Option<Arc<Parsed>>,
}

impl Readings {
    /// What a text wrote with this spelling, as [`Address::written`] says.
    pub(crate) fn read(&mut self, spelling: &str, form: Form) -> Option<Arc<Parsed>> {
        let read = || Address::written(spelling, form).map(|address| Arc::new(Parsed::from(address)));
        if spelling.len() > LONGEST {
            return read();
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || None);
        }
        let hash = usize::try_from(self.hasher.hash_one(spelling) % (1 << 31)).unwrap_or_default();
        let Some(place) = self.places.get_mut(hash % PLACES) else { return read() };
        if let Some(kept) = place
            && kept.form == form
            && *kept.spelling == *spelling
        {
            return kept.parsed.clone();
        }
        let parsed = read();
        *place = Some(Kept { spelling: spelling.into(), form, parsed: parsed.clone() });
        parsed
    }
}

impl Clone for Readings {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readings").finish_non_exhaustive()
    }
}
