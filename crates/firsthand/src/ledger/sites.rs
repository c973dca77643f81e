//! The sites of hosts that came last.
//!
//! Addresses of one text name few hosts, and the public suffix list is long. What is kept follows from the host alone and
//! is no part of the record: a copy of a ledger begins without.

use std::fmt;
use std::hash::BuildHasher as _;

use hashbrown::DefaultHashBuilder;

use crate::address::Address;

/// How many hosts are kept.
const PLACES: usize = 1024;

/// The longest host that is kept, in bytes.
const LONGEST: usize = 256;

/// The last hosts, each with the length of its site.
#[derive(Default)]
pub(crate) struct Sites {
    hasher: DefaultHashBuilder,
    places: Vec<(Box<str>, usize)>,
}

impl Sites {
    /// The site of an address, as [`Address::site`] says.
    pub(crate) fn of<'a>(&mut self, address: &'a Address) -> &'a str {
        let host = address.host();
        if host.len() > LONGEST {
            return address.site();
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Default::default);
        }
        let hash = usize::try_from(self.hasher.hash_one(host) % (1 << 31)).unwrap_or_default();
        let Some(place) = self.places.get_mut(hash % PLACES) else { return address.site() };
        if *place.0 == *host {
            return host.get(host.len() - place.1..).unwrap_or(host);
        }
        let site = address.site();
        // A site is the end of its host, but for a dot behind both.
        if host.ends_with(site) {
            *place = (host.into(), site.len());
        }
        site
    }
}

impl Clone for Sites {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Sites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sites").finish_non_exhaustive()
    }
}
