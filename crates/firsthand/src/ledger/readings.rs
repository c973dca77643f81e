//! What spellings were read as, for those that come again.
//!
//! Conversations repeat their addresses: hits, menus of pages, what the model says of either. Where reading a spelling
//! costs a parser and passes over its key, the last ones are kept; plain ones are read faster than they are found again.
//! What is kept follows from the spelling alone and is no part of the record: a copy of a ledger begins without.

use std::fmt;
use std::hash::BuildHasher as _;
use std::ops::Deref;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

use super::{Fingerprint, fingerprint};
use crate::address::{Address, Form};

/// How many spellings are kept.
const PLACES: usize = 1024;

/// The longest spelling that is kept, in bytes.
const LONGEST: usize = 512;

/// A spelling that is an address.
pub(crate) struct Reading {
    pub(crate) address: Address,
    /// The wide key.
    pub(crate) key: String,
    /// The wide key's digest.
    pub(crate) fingerprint: Fingerprint,
}

impl Reading {
    pub(crate) fn of(address: Address) -> Self {
        let key = address.wide();
        let fingerprint = fingerprint(&key);
        Self { address, key, fingerprint }
    }
}

/// A reading, its own or a kept one.
pub(crate) enum Read {
    Own(Reading),
    Kept(Arc<Reading>),
}

impl Deref for Read {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        match self {
            Self::Own(reading) => reading,
            Self::Kept(reading) => reading,
        }
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
    reading: Option<Arc<Reading>>,
}

impl Readings {
    /// What a text wrote with this spelling, as [`Address::written`] says.
    pub(crate) fn read(&mut self, spelling: &str, form: Form) -> Option<Read> {
        if form == Form::Absolute
            && let Some((address, key)) = Address::plain_with_key(spelling)
        {
            let fingerprint = fingerprint(&key);
            return Some(Read::Own(Reading { address, key, fingerprint }));
        }
        self.read_or_find(spelling, form).map(Read::Kept)
    }

    fn read_or_find(&mut self, spelling: &str, form: Form) -> Option<Arc<Reading>> {
        let read = || Address::written(spelling, form).map(|address| Arc::new(Reading::of(address)));
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
            return kept.reading.clone();
        }
        let reading = read();
        *place = Some(Kept { spelling: spelling.into(), form, reading: reading.clone() });
        reading
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
