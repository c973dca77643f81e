//! How many addresses of each site a person or the world wrote.
//!
//! Addresses of one text name few hosts, and the public suffix list is long: it is asked once for each host.

use hashbrown::DefaultHashBuilder;

use super::keyed::{Keyed, half};
use super::texts::{Span, Texts};
use crate::address::site_of;

/// The counts of a run, by site.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    texts: Texts,
    hasher: DefaultHashBuilder,
    /// Each host with the number of its site.
    hosts: Vec<(Span, u32)>,
    by_host: Keyed,
    /// Each site with its count.
    sites: Vec<(Span, u32)>,
    by_site: Keyed,
}

impl Offers {
    /// Counts an address of this host.
    pub(crate) fn count(&mut self, host: &str) {
        let count = self.site_number(host).and_then(|site| self.sites.get_mut(usize::try_from(site).ok()?));
        if let Some((_, count)) = count {
            *count = count.saturating_add(1);
        }
    }

    /// The number of a host's site, known or new.
    fn site_number(&mut self, host: &str) -> Option<u32> {
        let hash = half(&self.hasher, host);
        let at = |hosts: &[(Span, u32)], index: u32| hosts.get(usize::try_from(index).ok()?).copied();
        let same = |index| at(&self.hosts, index).is_some_and(|(span, _)| self.texts.get(span) == host);
        if let Some(index) = self.by_host.find(hash, same) {
            return at(&self.hosts, index).map(|(_, site)| site);
        }
        let index = u32::try_from(self.hosts.len()).ok()?;
        let span = self.texts.add(host)?;
        let site = site_of(host);
        // A site is the end of its host, but for a dot behind both.
        let piece = host.strip_suffix(site).and_then(|before| span.piece(before.len(), site.len()));
        let site = self.site(site, piece)?;
        self.hosts.push((span, site));
        self.by_host.add(hash, index);
        Some(site)
    }

    /// The number of a site, known or new.
    fn site(&mut self, site: &str, piece: Option<Span>) -> Option<u32> {
        if let Some(index) = self.number_of(site) {
            return Some(index);
        }
        let index = u32::try_from(self.sites.len()).ok()?;
        let span = piece.or_else(|| self.texts.add(site))?;
        self.sites.push((span, 0));
        self.by_site.add(half(&self.hasher, site), index);
        Some(index)
    }

    fn number_of(&self, site: &str) -> Option<u32> {
        let at = |index: u32| self.sites.get(usize::try_from(index).ok()?);
        let same = |index| at(index).is_some_and(|(span, _)| self.texts.get(*span) == site);
        self.by_site.find(half(&self.hasher, site), same)
    }

    /// The count of a site.
    pub(crate) fn of(&self, site: &str) -> u32 {
        let count = self.number_of(site).and_then(|index| self.sites.get(usize::try_from(index).ok()?));
        count.map_or(0, |(_, count)| *count)
    }

    /// All sites and their counts, as they were first counted.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, u32)> {
        self.sites.iter().map(|(span, count)| (self.texts.get(*span), *count))
    }

    /// Sets the count of a site.
    pub(crate) fn set(&mut self, site: &str, count: u32) {
        let place = self.site(site, None).and_then(|index| self.sites.get_mut(usize::try_from(index).ok()?));
        if let Some((_, kept)) = place {
            *kept = count;
        }
    }
}
