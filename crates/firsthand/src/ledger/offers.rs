//! What each site and each author offered, and what each site was told.
//!
//! It belongs to the whole tree and only grows: what was seen or sent is not taken back. Addresses of one text name few hosts,
//! and the public suffix list is long: it is asked once for each host.

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use super::keyed::{Keyed, half};
use super::texts::{Span, Texts};
use crate::address::site_of;
use crate::meter::Bits;

/// How many addresses were offered, and of how many others may be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offered {
    /// Addresses that a person or the world wrote, open or closed.
    pub(crate) addresses: u32,
    /// Those that a person wrote.
    pub(crate) persons: u32,
    /// Parent paths of sources.
    pub(crate) parents: u32,
    /// Roots of hosts.
    pub(crate) roots: u32,
    /// Sources that name the number of a page.
    pub(crate) paged: u32,
}

impl Offered {
    fn add(&mut self, more: Self) {
        let Self { addresses, persons, parents, roots, paged } = more;
        for (count, more) in [
            (&mut self.addresses, addresses),
            (&mut self.persons, persons),
            (&mut self.parents, parents),
            (&mut self.roots, roots),
            (&mut self.paged, paged),
        ] {
            *count = count.saturating_add(more);
        }
    }
}

/// The counts of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    texts: Texts,
    hasher: DefaultHashBuilder,
    /// Each host with the number of its site.
    hosts: Vec<(Span, u32)>,
    by_host: Keyed,
    sites: Vec<Site>,
    by_site: Keyed,
    all: Offered,
    /// By the number of the site of a page, or of a tool, that wrote the addresses first.
    by_author: HashMap<u32, Offered>,
    /// What was told to all sites together.
    told: Bits,
    /// What was sent.
    opened: HashSet<Box<str>>,
}

#[derive(Clone, Copy, Debug)]
struct Site {
    name: Span,
    offered: Offered,
    told: Bits,
}

impl Offers {
    /// Counts what an author wrote of a host.
    pub(crate) fn add(&mut self, host: &str, author: Option<u32>, more: Offered) {
        if let Some(number) = self.site_number(host)
            && let Some(site) = self.site_mut(number)
        {
            site.offered.add(more);
        }
        self.all.add(more);
        if let Some(author) = author {
            self.by_author.entry(author).or_default().add(more);
        }
    }

    /// A redirect led to a host, which learned so much of what the first one was told.
    pub(crate) fn tell_on(&mut self, host: &str, bits: Bits) {
        if let Some(number) = self.site_number(host)
            && let Some(site) = self.site_mut(number)
        {
            site.told = site.told + bits;
        }
    }

    /// An address was opened, which told its receiver so much.
    pub(crate) fn tell(&mut self, host: &str, sent: &str, bits: Bits) {
        self.tell_on(host, bits);
        self.told = self.told + bits;
        if !self.opened.contains(sent) {
            self.opened.insert(sent.into());
        }
    }

    fn site_mut(&mut self, number: u32) -> Option<&mut Site> {
        self.sites.get_mut(usize::try_from(number).ok()?)
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
        let name = piece.or_else(|| self.texts.add(site))?;
        self.sites.push(Site { name, offered: Offered::default(), told: Bits::ZERO });
        self.by_site.add(half(&self.hasher, site), index);
        Some(index)
    }

    fn number_of(&self, site: &str) -> Option<u32> {
        let at = |index: u32| self.sites.get(usize::try_from(index).ok()?);
        let same = |index| at(index).is_some_and(|of| self.texts.get(of.name) == site);
        self.by_site.find(half(&self.hasher, site), same)
    }

    fn at(&self, site: &str) -> Option<&Site> {
        self.number_of(site).and_then(|index| self.sites.get(usize::try_from(index).ok()?))
    }

    /// What was offered at a site.
    pub(crate) fn of(&self, site: &str) -> Offered {
        self.at(site).map_or_else(Offered::default, |site| site.offered)
    }

    /// What was offered at all sites.
    pub(crate) fn of_all(&self) -> Offered {
        self.all
    }

    /// What an author wrote first.
    pub(crate) fn of_author(&self, author: u32) -> Offered {
        self.by_author.get(&author).copied().unwrap_or_default()
    }

    /// What a site was told.
    pub(crate) fn told_to(&self, site: &str) -> Bits {
        self.at(site).map_or(Bits::ZERO, |site| site.told)
    }

    /// What all sites were told.
    pub(crate) fn told(&self) -> Bits {
        self.told
    }

    /// Whether exactly this was sent.
    pub(crate) fn was_opened(&self, sent: &str) -> bool {
        self.opened.contains(sent)
    }

    /// All sites with what they offered and were told, as they were first counted.
    pub(crate) fn sites(&self) -> impl Iterator<Item = (&str, Offered, Bits)> {
        self.sites.iter().map(|site| (self.texts.get(site.name), site.offered, site.told))
    }

    /// All authors.
    pub(crate) fn authors(&self) -> impl Iterator<Item = (u32, Offered)> {
        self.by_author.iter().map(|(author, offered)| (*author, *offered))
    }

    /// Everything that was sent.
    pub(crate) fn opened(&self) -> impl Iterator<Item = &str> {
        self.opened.iter().map(|sent| &**sent)
    }

    /// The counts of a saved ledger.
    pub(crate) fn restored<'s>(
        sites: impl Iterator<Item = (&'s str, Offered, Bits)>,
        by_author: HashMap<u32, Offered>,
        opened: HashSet<Box<str>>,
    ) -> Self {
        let mut all = Self { by_author, opened, ..Self::default() };
        for (name, offered, told) in sites {
            if let Some(number) = all.site(name, None)
                && let Some(site) = all.site_mut(number)
            {
                (site.offered, site.told) = (offered, told);
            }
            all.all.add(offered);
            all.told = all.told + told;
        }
        all
    }
}
