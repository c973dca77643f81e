//! The root of a source's host and its parent paths: what leaves is a prefix of what the source wrote.

use std::borrow::Cow;

use hashbrown::DefaultHashBuilder;

use super::parents::{Ends, New, Parent, Parents};
use super::{Kept, SEVERAL, Sources, half};
use crate::address::{Address, Asked, Form, View};

/// The sources by their parent paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Above {
    /// By their own spellings.
    written: Parents,
    /// Those that parsers write otherwise, by that.
    serialized: Parents,
}

impl Kept {
    /// The spelling of a source, without a look at it where that is not needed.
    fn spelling(&self, index: u32) -> &str {
        let Some(source) = self.get(index) else { return "" };
        if source.other.get().is_none() { self.texts.get(source.spelling) } else { self.view(source).reveal() }
    }

    fn identity(&self, index: u32) -> &str {
        self.view_of(index).map_or("", View::identity)
    }
}

impl Above {
    /// Enters a source that is not odd; which of its parent paths are new.
    pub(super) fn enter(&mut self, hasher: &DefaultHashBuilder, kept: &Kept, index: u32, address: View<'_>) -> New {
        let new = self.written.enter(hasher, address.reveal(), index, |index| kept.spelling(index));
        if !address.is_given_back() {
            self.serialized.enter(hasher, address.identity(), index, |index| kept.identity(index));
        }
        new
    }

    /// Takes it out.
    pub(super) fn leave(&mut self, hasher: &DefaultHashBuilder, index: u32, address: View<'_>) {
        self.written.leave(hasher, address.reveal(), index);
        if !address.is_given_back() {
            self.serialized.leave(hasher, address.identity(), index);
        }
    }
}

/// The spellings under which an asked parent path is looked for, one after the other: as it is asked for, as parsers write
/// it, and with what the step `loose` folds of scheme and host.
pub(crate) fn spellings_above(asked: &Asked) -> Vec<Cow<'_, str>> {
    let address = asked.address();
    if address.has_query() || address.is_odd() {
        return Vec::new();
    }
    let mut all: Vec<Cow<'_, str>> = vec![address.reveal().into()];
    let Some((scheme, rest)) = address.identity().split_once("://") else { return all };
    let other = if scheme == "https" { "http" } else { "https" };
    let www = match rest.strip_prefix("www.") {
        Some(bare) => bare.to_owned(),
        None => format!("www.{rest}"),
    };
    for (scheme, rest) in [(scheme, rest), (other, rest), (scheme, &*www), (other, &*www)] {
        let spelling = Cow::Owned(format!("{scheme}://{rest}"));
        if !all.contains(&spelling) {
            all.push(spelling);
        }
    }
    all
}

impl Sources {
    /// The first source with the host and path of an asked address.
    pub(crate) fn on_path(&self, asked: &Asked, only_vouched: bool) -> Option<u32> {
        let keys = asked.address().view().keys();
        let first = self.first_of_path(&keys, half(&self.hasher, &keys.path))? & !SEVERAL;
        if !only_vouched || self.is_vouched(first) {
            return Some(first);
        }
        self.vouched().find(|(_, source)| source.loose_without_query() == keys.path).map(|(index, _)| index)
    }

    fn is_vouched(&self, index: u32) -> bool {
        self.get(index).is_some_and(|source| source.named.vouched.get().is_some())
    }

    /// The first source that has the path as a parent path, and the prefix of it that leaves.
    pub(crate) fn below(&self, spelling: &str, only_vouched: bool) -> Option<(u32, Address)> {
        let (parent, slash) = Parent::of(spelling);
        let written = self.above.written.find(&self.hasher, &parent, |index| self.kept.spelling(index));
        let serialized = || self.above.serialized.find(&self.hasher, &parent, |index| self.kept.identity(index));
        let index = written.or_else(serialized)?;
        let index = if !only_vouched || self.is_vouched(index) {
            index
        } else {
            // Only where calls are hidden.
            let written = self.vouched().find(|(_, view)| parent.is_above(view.reveal()));
            written.or_else(|| self.vouched().find(|(_, view)| parent.is_above(view.identity())))?.0
        };
        let source = self.kept.view_of(index)?;
        let prefix = prefix(source.reveal(), parent.depth, slash)?;
        let prefix = Address::written(prefix, Form::Absolute).filter(|prefix| !prefix.is_odd())?;
        let is_meant = [prefix.reveal(), prefix.identity()].iter().any(|own| Parent::of(own).0.path == parent.path);
        is_meant.then_some((index, prefix))
    }
}

/// The first segments of an address, with the slash behind them if it is wanted and stands there.
fn prefix(address: &str, depth: usize, slash: bool) -> Option<&str> {
    let end = Ends::of(address).get(depth)?;
    let has_slash = address.get(end..)?.starts_with('/');
    address.get(..end + usize::from(slash && has_slash))
}
