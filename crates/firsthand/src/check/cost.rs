//! What opening an address tells whoever receives the request.
//!
//! The charge is the logarithm of a count that is never smaller than the number of addresses that the model could have opened
//! there instead: those that were offered, and those that may be made of them.

use super::Resolved;
use crate::convention::Rule;
use crate::ledger::{Ledger, Offered, RunId};
use crate::meter::{Bits, Budget};
use crate::policy::Policy;
use crate::verdict::Step;
use crate::writer::Writer;

/// The charges of one call.
pub(super) struct Meter<'l> {
    ledger: &'l Ledger,
    policy: &'l Policy,
    /// How many references may be opened instead.
    references: u64,
    /// What this call opens before the address that is charged next, with its site and charge.
    before: Vec<(String, String, Bits)>,
}

impl<'l> Meter<'l> {
    pub(super) fn new(ledger: &'l Ledger, run: RunId, policy: &'l Policy) -> Self {
        Self { ledger, policy, references: ledger.references_in_view(run), before: Vec::new() }
    }

    /// Charges an address; the charge, and whether it is past the budget.
    pub(super) fn charge(&mut self, found: &Resolved) -> (Bits, bool) {
        let (sent, site) = (found.address.reveal(), found.address.site());
        let is_repeated = self.ledger.offers.was_opened(sent) || self.before.iter().any(|(other, ..)| other == sent);
        let bits = if !is_repeated && self.is_the_persons_choice(found, site) {
            Bits::ZERO
        } else {
            Bits::of_one_among(self.choices(found, site))
        };
        self.before.push((sent.to_owned(), site.to_owned(), bits));
        let Budget { per_site, per_tree, over: _ } = self.policy.budget;
        let here = self.before.iter().filter(|(_, other, _)| other == site).map(|(.., bits)| *bits);
        let to_site = self.ledger.offers.told_to(site) + here.sum();
        let to_all = self.ledger.offers.told() + self.before.iter().map(|(.., bits)| *bits).sum();
        let is_past = per_site.is_some_and(|most| to_site > most) || per_tree.is_some_and(|most| to_all > most);
        (bits, is_past)
    }

    /// A person gave the address and no other of its site: that it opens is what was asked for.
    fn is_the_persons_choice(&self, found: &Resolved, site: &str) -> bool {
        let is_given = match found.step {
            Step::Identical | Step::Serialized | Step::Loose | Step::QueryDropped => found.writer == Writer::Person,
            Step::Grant => true,
            Step::Truncated | Step::Convention | Step::Reference => false,
        };
        let given = self.ledger.offers.of(site).persons;
        is_given && given <= 1
    }

    /// Among how many addresses it was chosen.
    fn choices(&self, found: &Resolved, site: &str) -> u64 {
        let here = choices_at(self.ledger, site, self.policy);
        let author = found.author.map_or(0, |author| simple(self.ledger.offers.of_author(author), self.policy));
        let anywhere = match found.step {
            Step::Convention => choices_of_rules(self.ledger, self.policy),
            Step::Reference => self.references,
            Step::Identical | Step::Serialized | Step::Loose | Step::QueryDropped | Step::Truncated | Step::Grant => 0,
        };
        here.max(author).max(anywhere).max(1)
    }
}

/// How many addresses of a site may open: what was offered there, and what may be made.
fn choices_at(ledger: &Ledger, site: &str, policy: &Policy) -> u64 {
    let made = if policy.conventions {
        policy.rules.at(site).map(|rule| freedom(ledger, rule, site, policy)).fold(0, u64::saturating_add)
    } else {
        0
    };
    simple(ledger.offers.of(site), policy).saturating_add(made)
}

/// What was offered, with what may be made of it on its own site.
fn simple(offered: Offered, policy: &Policy) -> u64 {
    let mut all = u64::from(offered.addresses);
    if policy.truncation {
        all = all.saturating_add(with_parents(offered) - u64::from(offered.addresses));
    }
    if policy.conventions {
        let made = policy.rules.on().map(|rule| rule.made_of_one_site(offered.roots, offered.paged));
        all = all.saturating_add(made.fold(0, u64::saturating_add));
    }
    all
}

/// A parent path opens with a slash at its end and without.
fn with_parents(offered: Offered) -> u64 {
    u64::from(offered.addresses) + 2 * u64::from(offered.parents)
}

/// What conventions may make on all sites.
fn choices_of_rules(ledger: &Ledger, policy: &Policy) -> u64 {
    let all = ledger.offers.of_all();
    let of_rule = |rule: &Rule| {
        let sites = rule.sites().map(|site| freedom(ledger, rule, site, policy));
        rule.made_of_one_site(all.roots, all.paged).saturating_add(sites.fold(0, u64::saturating_add))
    };
    policy.rules.on().map(of_rule).fold(0, u64::saturating_add)
}

/// How many addresses of a site a rule can make of what the tree has seen: never fewer than would open.
pub fn freedom(ledger: &Ledger, rule: &Rule, site: &str, policy: &Policy) -> u64 {
    let offered = |site: &str| {
        let offered = ledger.offers.of(site);
        if policy.truncation { with_parents(offered) } else { u64::from(offered.addresses) }
    };
    let own = ledger.offers.of(site);
    let of_own = rule.made_of_one_site(own.roots, own.paged);
    let each = rule.addresses_at(site);
    if each == 0 {
        return of_own;
    }
    let tokens = ledger.words.count_spots(rule.tokens(), rule.takes_connectors());
    let of_sources = rule.source_sites().map(offered).fold(0, u64::saturating_add);
    let whole = if rule.takes_whole_sources() { u64::from(ledger.offers.of_all().addresses) } else { 0 };
    let origins = tokens.saturating_add(of_sources).saturating_add(whole);
    of_own.saturating_add(each.saturating_mul(origins))
}
