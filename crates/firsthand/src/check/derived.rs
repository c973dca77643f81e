//! Addresses that nobody wrote, made of what somebody did: parent paths of sources, and site conventions.

use super::{FoundSource, Resolved, Trust, found, spelled};
use crate::address::{Address, Asked, Form, Keys};
use crate::convention::{Filled, Frame, LAST_PAGE, Made, Rule, Token, page_of};
use crate::ledger::{Ledger, RunId, Spot, Voice, spellings_above};
use crate::policy::Policy;
use crate::verdict::{Reason, Step};
use crate::writer::Writer;

/// What an asked address without a source of its own may be made of.
pub(super) fn resolve(
    ledger: &Ledger,
    run: RunId,
    asked: &Asked,
    keys: &Keys<'_>,
    trust: Trust,
    policy: &Policy,
) -> Option<FoundSource> {
    let record = Record { ledger, run, trust, policy };
    if policy.truncation
        && let Some(found) = record.truncated(asked)
    {
        return Some(found);
    }
    if !policy.conventions {
        return None;
    }
    policy.rules.on().find_map(|rule| record.by_convention(rule, asked, &keys.loose))
}

/// What a run may be told of.
struct Record<'l> {
    ledger: &'l Ledger,
    run: RunId,
    trust: Trust,
    policy: &'l Policy,
}

impl Record<'_> {
    fn spelled(&self, asked: &Asked) -> Option<FoundSource> {
        spelled(self.ledger, self.run, asked, &asked.address().view().keys(), self.trust)
    }

    fn only_vouched(&self) -> bool {
        self.trust == Trust::Vouched
    }

    /// The root of a source's host, or a parent path of a source. Each spelling is tried over the run's own sources and those
    /// above it before the next.
    fn truncated(&self, asked: &Asked) -> Option<FoundSource> {
        for spelling in spellings_above(asked) {
            for id in self.ledger.chain(self.run) {
                let sources = &self.ledger.run(id)?.sources;
                let below = sources.below(&spelling, self.only_vouched());
                if let Some((source, prefix)) = below.and_then(|(index, prefix)| Some((sources.get(index)?, prefix))) {
                    let mut found = found(self.ledger, self.run, id, sources, source, Step::Truncated);
                    found.resolved.address = prefix;
                    return Some(found);
                }
            }
        }
        None
    }

    fn by_convention(&self, rule: &Rule, asked: &Asked, key: &str) -> Option<FoundSource> {
        match &rule.made {
            Made::Slots { opens, tokens, sources } => opens.iter().find_map(|frame| {
                let filled = frame.read(key, &rule.choices)?;
                let of_token = |token: &Token| self.of_token(rule, frame, &filled, *token);
                let of_source = |source: &Frame| self.of_source(frame, &filled, source);
                tokens.iter().find_map(of_token).or_else(|| sources.iter().find_map(of_source))
            }),
            Made::Source(fronts) => fronts.iter().find_map(|front| self.around_a_source(front, key)),
            Made::Root(tails) => tails.iter().find_map(|tail| self.behind_a_root(tail, asked)),
            Made::Page(parameters) => self.of_another_page(parameters, asked),
        }
    }

    /// The slots hold what stands as one token in one text, and the model did not write it before.
    fn of_token(&self, rule: &Rule, frame: &Frame, filled: &Filled, token: Token) -> Option<FoundSource> {
        // A token may hold more than the frame has slots for.
        let says = |spot: &Spot| {
            let mut values = token.slots().iter().zip(&spot.values);
            values.all(|(slot, value)| filled.of(*slot).is_none_or(|wanted| wanted.eq_ignore_ascii_case(value)))
        };
        let mut first: Option<(Spot, RunId, u32)> = None;
        self.ledger.words.each_spot(token, &mut |spot| {
            let earlier = first.as_ref().is_none_or(|(first, ..)| spot.clock < first.clock);
            if earlier
                && says(spot)
                && self.counts(rule, spot)
                && let Some((id, item)) = self.ledger.live_item(self.run, spot.clock)
            {
                first = Some((spot.clone(), id, item));
            }
        });
        let (spot, id, item) = first?;
        let words = &self.ledger.words;
        let is_the_models =
            || words.is_of_a_spot(token, &spot.key, spot.clock) || words.are_the_models(&spot.values, spot.clock);
        if self.policy.order_counts && is_the_models() {
            return None;
        }
        let address = made(&frame.write(&filled.with(token.slots(), &spot.values))?)?;
        let writer = if spot.voice == Voice::Person { Writer::Person } else { Writer::World };
        let first = self.ledger.sighting(self.run, id, item, writer);
        // All that conventions can make is counted, whoever wrote the token.
        let (step, author) = (Step::Convention, None);
        let resolved = Resolved { address, step, first, hole: false, writer, author, within: None };
        Some(FoundSource { resolved, vouched: spot.vouched })
    }

    /// Whether a token fills the slots of a rule, as far as its text goes.
    fn counts(&self, rule: &Rule, spot: &Spot) -> bool {
        let may_fill = match spot.voice {
            Voice::Person | Voice::Public => true,
            Voice::Private => rule.takes_connectors(),
            Voice::Arguments | Voice::Model => false,
        };
        may_fill && (spot.vouched || !self.only_vouched())
    }

    /// The slots hold what a source has in another frame, or what one further down does.
    fn of_source(&self, frame: &Frame, filled: &Filled, source: &Frame) -> Option<FoundSource> {
        let candidate = Asked::parse(&source.write(filled)?).ok()?;
        let mut found = self.at_or_below(&candidate)?;
        let address = &found.resolved.address;
        let key = if candidate.address().has_query() { address.loose() } else { address.loose_without_query() };
        let read = source.read(&key, &[])?;
        let (slots, values): (Vec<_>, Vec<_>) = read.slots.into_iter().unzip();
        found.resolved.address = made(&frame.write(&filled.with(&slots, &values))?)?;
        found.resolved.step = Step::Convention;
        Some(found)
    }

    /// A source with this host and path, or one below it.
    fn at_or_below(&self, candidate: &Asked) -> Option<FoundSource> {
        if candidate.address().has_query() {
            return self.spelled(candidate);
        }
        let on_path = self.ledger.chain(self.run).find_map(|id| {
            let sources = &self.ledger.run(id)?.sources;
            let source = sources.get(sources.on_path(candidate, self.only_vouched())?)?;
            Some(found(self.ledger, self.run, id, sources, source, Step::Convention))
        });
        on_path.or_else(|| if self.policy.truncation { self.truncated(candidate) } else { None })
    }

    /// Fixed bytes with a source behind them.
    fn around_a_source(&self, front: &str, key: &str) -> Option<FoundSource> {
        let fixed = front.strip_prefix("https://").unwrap_or(front);
        let rest = key.strip_prefix(fixed.strip_prefix("www.").unwrap_or(fixed))?;
        let mut found = self.spelled(&Asked::parse(rest).ok()?)?;
        let address = made(&format!("{front}{}", found.resolved.address.reveal()))?;
        found.resolved.within = Some(std::mem::replace(&mut found.resolved.address, address));
        found.resolved.step = Step::Convention;
        Some(found)
    }

    /// The root of a source's host with fixed bytes behind it.
    fn behind_a_root(&self, tail: &str, asked: &Asked) -> Option<FoundSource> {
        let root = Asked::parse(asked.address().reveal().strip_suffix(tail)?).ok()?;
        if !root.address().is_root() {
            return None;
        }
        let mut found = self.truncated(&root)?;
        let root = found.resolved.address.reveal();
        found.resolved.address = made(&format!("{}{tail}", root.strip_suffix('/').unwrap_or(root)))?;
        found.resolved.step = Step::Convention;
        Some(found)
    }

    /// A source that is the same but for the page number.
    fn of_another_page(&self, parameters: &[String], asked: &Asked) -> Option<FoundSource> {
        let address = asked.address().reveal();
        let (_, number, _) = page_of(address, parameters).filter(|(_, number, _)| (2..=LAST_PAGE).contains(number))?;
        let others = || (0..=LAST_PAGE).filter(|other| *other != number);
        let other_page = |other| Asked::parse(&with_page(address, parameters, other)?).ok();
        let same = |asked: &Asked, of: &FoundSource| of.resolved.address.reveal() == asked.address().reveal();
        // The spelling that was asked for comes first, so that each can be asked for.
        let sourced = |asked: Asked| self.spelled(&asked).map(|found| (asked, found));
        let mut sourced = others().filter_map(other_page).filter_map(sourced);
        let mut loose = None;
        let alike = sourced.find_map(|(asked, found)| match same(&asked, &found) {
            true => Some(found),
            false => {
                loose.get_or_insert(found);
                None
            }
        });
        let mut found = alike.or(loose)?;
        found.resolved.address = made(&with_page(found.resolved.address.reveal(), parameters, number)?)?;
        found.resolved.step = Step::Convention;
        Some(found)
    }
}

/// An address that was put together, if it is one that everybody reads alike.
fn made(address: &str) -> Option<Address> {
    Address::written(address, Form::Absolute).filter(|address| !address.is_odd())
}

fn with_page(address: &str, parameters: &[String], number: u32) -> Option<String> {
    let (before, _, behind) = page_of(address, parameters)?;
    Some(format!("{before}{number}{behind}"))
}

/// A source that looks like what was meant by an address that does not open: the same page with another query, the page
/// without the last segment, or one whose last segment is spelled much like it. Reveals it.
pub(super) fn offered(
    ledger: &Ledger,
    run: RunId,
    asked: &Asked,
    listed: &dyn Fn(&Address) -> Option<Reason>,
) -> Option<String> {
    let address = asked.address().reveal();
    let path = address.split('?').next().unwrap_or_default();
    let path = path.strip_suffix('/').unwrap_or(path);
    let (parent, last) = path.rsplit_once('/')?;
    let same_page = Asked::parse(path).ok();
    let above = Asked::parse(parent).ok();
    for id in ledger.chain(run) {
        let sources = &ledger.run(id)?.sources;
        let on_path = |asked: &Option<Asked>| sources.on_path(asked.as_ref()?, false);
        let sibling = || {
            let (index, _) = sources.below(parent, false)?;
            let of_source = sources.view(sources.get(index)?).reveal();
            let (other_parent, other) = of_source.split('?').next()?.rsplit_once('/')?;
            (other_parent == parent && is_alike(last, other)).then_some(index)
        };
        let index = on_path(&same_page).or_else(|| on_path(&above)).or_else(sibling);
        if let Some(source) = index.and_then(|index| sources.get(index)) {
            let source = sources.view(source).address();
            return listed(&source).is_none().then(|| source.reveal().to_owned());
        }
    }
    None
}

/// Whether two segments have more than half of the longer one in common, at their beginning and end.
fn is_alike(one: &str, other: &str) -> bool {
    let beginning = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let shorter = one.len().min(other.len()) - beginning;
    let ends = one.bytes().rev().zip(other.bytes().rev()).take(shorter);
    let end = ends.take_while(|(one, other)| one == other).count();
    2 * (beginning + end) > one.len().max(other.len())
}
