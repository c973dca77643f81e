//! The sources of one run, and how an asked address finds its source.

mod parents;
mod truncated;
#[cfg(test)]
mod tests;

use hashbrown::DefaultHashBuilder;

pub(crate) use self::parents::New;
use self::truncated::Above;
pub(crate) use self::truncated::spellings_above;
use super::keyed::{Half, Keyed, half};
use super::maybe::Maybe;
use super::texts::{Span, Texts, push};
use crate::address::{Address, Asked, Keys, View};
use crate::verdict::Step;
use crate::writer::Writer;

/// How an address became one that may be opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    /// The item that made it a source.
    pub(crate) item: u32,
    /// The page's site or the tool that wrote it, by its number among the tools.
    pub(crate) author: Maybe,
    /// The first item in which somebody named it who cannot only have repeated what the model wrote.
    pub(crate) vouched: Maybe,
    /// Whose words that item is.
    pub(crate) writer: Writer,
    /// The profile counts it by its position although the text may be somebody else's.
    pub(crate) hole: bool,
}

/// An address that may be opened because of who wrote it first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) named: Named,
    /// The spelling of a plain one.
    spelling: Span,
    /// The number of any other among those.
    other: Maybe,
    has_query: bool,
    /// It is the second of its path.
    is_second: bool,
    /// It is the first of its wide key.
    is_first: bool,
}

/// In the table of paths: further sources have the same.
const SEVERAL: u32 = 1 << 31;

/// The sources in the order in which they were recorded, one for each identity. Their items never fall.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    kept: Kept,
    hasher: DefaultHashBuilder,
    /// The first source of each joint key, where it has a query or is not the first of its path.
    by_loose: Keyed,
    /// Sources by their identity, where they are not the first of their joint key: odd ones never are.
    by_identity: Keyed,
    /// The first source of each joint key without its query, with [`SEVERAL`] where it is not the only one.
    by_path: Keyed,
    /// The first source of each scheme, host and port, as far as somebody asked.
    by_origin: Keyed,
    /// How many sources were entered by their origin.
    origins: u32,
    /// The sources by their parent paths.
    above: Above,
    /// Who vouched for a source in a later item than the one that made it one: the item and the source, as items rise.
    vouched_later: Vec<(u32, u32)>,
}

/// The sources and their texts.
#[derive(Clone, Debug, Default)]
struct Kept {
    sources: Vec<Source>,
    /// The spellings of those that the parser gives back.
    texts: Texts,
    /// The other addresses, in their order.
    others: Vec<Address>,
}

impl Kept {
    fn get(&self, index: u32) -> Option<&Source> {
        self.sources.get(usize::try_from(index & !SEVERAL).ok()?)
    }

    fn view(&self, source: &Source) -> View<'_> {
        let other = source.other.get().and_then(|other| self.others.get(usize::try_from(other).ok()?));
        other.map_or_else(|| View::again(self.texts.get(source.spelling)), Address::view)
    }

    fn view_of(&self, index: u32) -> Option<View<'_>> {
        self.get(index).map(|source| self.view(source))
    }
}

/// What the step `query_dropped` finds.
pub(crate) enum Only {
    Nothing,
    One(u32),
    Several,
}

/// What was found under the keys of an address.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    loose: Half,
    path: Half,
    /// The source of this identity.
    pub(crate) known: Option<u32>,
}

impl Sources {
    pub(crate) fn len(&self) -> usize {
        self.kept.sources.len()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&Source, View<'_>)> {
        self.kept.sources.iter().map(|source| (source, self.kept.view(source)))
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Source> {
        self.kept.get(index)
    }

    fn get_mut(&mut self, index: u32) -> Option<&mut Source> {
        self.kept.sources.get_mut(usize::try_from(index).ok()?)
    }

    /// The address of a source where it stands.
    pub(crate) fn view(&self, source: &Source) -> View<'_> {
        self.kept.view(source)
    }

    /// The source of this identity.
    pub(crate) fn of(&self, address: View<'_>) -> Option<u32> {
        self.look(&address.keys()).known
    }

    /// The same, with what adding it needs.
    pub(crate) fn look(&self, keys: &Keys<'_>) -> Looked {
        let path = half(&self.hasher, &keys.path);
        let loose = if keys.has_query() { half(&self.hasher, &keys.loose) } else { path };
        Looked { loose, path, known: self.known(keys, loose, path) }
    }

    /// Whether some source is this odd spelling.
    pub(crate) fn has_odd(&self, spelling: &str) -> bool {
        let same = |index| self.kept.view_of(index).is_some_and(|other| other.identity() == spelling);
        self.by_identity.find(half(&self.hasher, spelling), same).is_some()
    }

    fn known(&self, keys: &Keys<'_>, loose: Half, path: Half) -> Option<u32> {
        let identity = keys.view.identity();
        let same = |index| self.kept.view_of(index).is_some_and(|other| other.identity() == identity);
        if !keys.view.is_odd() {
            let first = self.first_loose(keys, loose, path);
            if first.is_none_or(same) {
                return first;
            }
        }
        self.by_identity.find(half(&self.hasher, identity), same)
    }

    /// The first source of the joint key.
    fn first_loose(&self, keys: &Keys<'_>, loose: Half, path: Half) -> Option<u32> {
        if !keys.has_query()
            && let Some(first) = self.first_of_path(keys, path).map(|first| first & !SEVERAL)
            && self.get(first).is_some_and(|first| !first.has_query)
        {
            return Some(first);
        }
        self.by_loose.find(loose, |index| self.has_loose(index, keys))
    }

    /// The first source of the joint key without the query, as its table holds it.
    fn first_of_path(&self, keys: &Keys<'_>, path: Half) -> Option<u32> {
        self.by_path.find(path, |index| self.has_path(index, keys))
    }

    fn has_loose(&self, index: u32, keys: &Keys<'_>) -> bool {
        self.kept
            .view_of(index)
            .is_some_and(|other| other.reveal() == keys.view.reveal() || other.loose() == keys.loose)
    }

    fn has_path(&self, index: u32, keys: &Keys<'_>) -> bool {
        self.kept
            .view_of(index)
            .is_some_and(|other| other.reveal() == keys.view.reveal() || other.loose_without_query() == keys.path)
    }

    /// The sources of a saved ledger; `None` where no ledger could have them in this order.
    pub(crate) fn restored(saved: impl IntoIterator<Item = (Address, Named)>) -> Option<Self> {
        let mut all = Self::default();
        for (address, named) in saved {
            let falls = all.kept.sources.last().is_some_and(|before| before.named.item > named.item);
            let (view, later) = (address.view(), named.vouched.get().filter(|item| *item > named.item));
            let keys = view.keys();
            let looked = all.look(&keys);
            if falls || looked.known.is_some() {
                return None;
            }
            let (index, _) = all.add(&keys, looked, named)?;
            all.vouched_later.extend(later.map(|item| (item, index)));
        }
        all.vouched_later.sort_unstable();
        Some(all)
    }

    /// Records a source of an identity that none has, and says which parent paths are new; `None` where there is no room for
    /// it.
    pub(crate) fn add(&mut self, keys: &Keys<'_>, looked: Looked, named: Named) -> Option<(u32, New)> {
        let Kept { sources, texts, others } = &mut self.kept;
        let index = u32::try_from(sources.len()).ok().filter(|index| index & SEVERAL == 0)?;
        let (spelling, other) = if keys.view.is_given_back() {
            (texts.add(keys.view.reveal())?, None)
        } else {
            others.push(keys.view.address());
            (Span::default(), u32::try_from(others.len() - 1).ok())
        };
        let has_query = keys.has_query();
        let (is_second, is_first) = (false, false);
        push(sources, Source { named, spelling, other: other.into(), has_query, is_second, is_first });
        let (is_second, new) = self.enter(index, keys, looked);
        if let Some(source) = self.kept.sources.last_mut() {
            source.is_second = is_second;
        }
        Some((index, new))
    }

    /// A source is named again: whoever names it may take doubts away.
    pub(crate) fn name_again(&mut self, index: u32, vouched: Option<u32>, hole: bool) {
        let Some(source) = self.get_mut(index) else { return };
        source.named.hole &= hole;
        if let (None, Some(item)) = (source.named.vouched.get(), vouched) {
            source.named.vouched = Some(item).into();
            self.vouched_later.push((item, index));
        }
    }

    /// Remembers that no source before this one has its wide key.
    pub(crate) fn set_first(&mut self, index: u32) {
        if let Some(source) = self.get_mut(index) {
            source.is_first = true;
        }
    }

    /// Where the spelling of a plain source stands, and the texts that it stands in.
    pub(crate) fn spelling(&mut self, index: u32) -> (Option<Span>, &mut Texts) {
        let spelling = self.get(index).filter(|source| source.other.get().is_none()).map(|source| source.spelling);
        (spelling, &mut self.kept.texts)
    }

    pub(crate) fn texts(&self) -> &Texts {
        &self.kept.texts
    }

    pub(crate) fn texts_mut(&mut self) -> &mut Texts {
        &mut self.kept.texts
    }

    /// Forgets the sources that stand only in items from this one on, and who vouched there for those that stay. Calls
    /// `gone` with the first sources of their wide keys. Costs what it forgets.
    pub(crate) fn rewind(&mut self, to: u32, gone: &mut dyn FnMut(&Texts, View<'_>)) {
        while let Some((_, index)) = self.vouched_later.pop_if(|(item, _)| *item >= to) {
            if let Some(source) = self.get_mut(index) {
                source.named.vouched = None.into();
            }
        }
        while let Some(source) = self.kept.sources.pop_if(|source| source.named.item >= to) {
            let index = u32::try_from(self.kept.sources.len()).unwrap_or(u32::MAX);
            let address = self.kept.view(&source).address();
            if source.other.get().is_some() {
                self.kept.others.pop();
            }
            if source.is_first {
                gone(&self.kept.texts, address.view());
            }
            self.leave(index, &source, address.view());
        }
    }

    /// Takes a source out of the tables.
    fn leave(&mut self, index: u32, source: &Source, address: View<'_>) {
        let Self { kept, hasher, by_loose, by_identity, by_path, by_origin, origins, above, .. } = self;
        let is = |at: u32| at & !SEVERAL == index;
        by_identity.take_out(half(hasher, address.identity()), is);
        if index < *origins {
            *origins = index;
            by_origin.take_out(half(hasher, address.origin()), is);
        }
        if address.is_odd() {
            return;
        }
        above.leave(hasher, index, address);
        by_loose.take_out(half(hasher, &address.loose()), is);
        let path = address.loose_without_query();
        let hash = half(hasher, &path);
        by_path.take_out(hash, is);
        if source.is_second {
            let same = |index| kept.view_of(index).is_some_and(|other| other.loose_without_query() == path);
            if let Some(index) = by_path.find_mut(hash, same) {
                *index &= !SEVERAL;
            }
        }
    }

    /// Enters the last source under its keys; whether it is the second of its path, and which parent paths are new.
    fn enter(&mut self, index: u32, keys: &Keys<'_>, looked: Looked) -> (bool, New) {
        // An odd spelling never opens, so no step may find it.
        if keys.view.is_odd() {
            self.by_identity.add(half(&self.hasher, keys.view.identity()), index);
            return (false, New::default());
        }
        let new = self.above.enter(&self.hasher, &self.kept, index, keys.view);
        let first = self.first_of_path(keys, looked.path);
        let stands_for_its_path = !keys.has_query() && first.is_none();
        if !stands_for_its_path {
            match self.first_loose(keys, looked.loose, looked.path) {
                None => self.by_loose.add(looked.loose, index),
                // No other source has this identity.
                Some(_) => self.by_identity.add(half(&self.hasher, keys.view.identity()), index),
            }
        }
        let Some(first) = first else {
            self.by_path.add(looked.path, index);
            return (false, new);
        };
        if let Some(entry) = self.by_path.find_mut(looked.path, |other| other == first) {
            *entry |= SEVERAL;
        }
        (first & SEVERAL == 0, new)
    }

    /// Whether some source has this address's scheme, host and port.
    pub(crate) fn on_origin(&mut self, address: View<'_>) -> bool {
        let Self { kept, hasher, by_origin, origins, .. } = self;
        let same = |origin: &str, index| kept.view_of(index).is_some_and(|other| other.origin() == origin);
        while let Some(next) = kept.view_of(*origins) {
            let (origin, index) = (next.origin(), *origins);
            let hash = half(hasher, origin);
            if !next.is_odd() && by_origin.find(hash, |other| same(origin, other)).is_none() {
                by_origin.add(hash, index);
            }
            *origins += 1;
        }
        let wanted = address.origin();
        by_origin.find(half(hasher, wanted), |index| same(wanted, index)).is_some()
    }

    /// The earliest source that the step finds. `query_dropped` has its own function.
    pub(crate) fn find(&self, step: Step, asked: &Asked, keys: &Keys<'_>) -> Option<u32> {
        match step {
            Step::Identical => self
                .look(keys)
                .known
                .filter(|index| self.kept.view_of(*index).is_some_and(|source| source.reveal() == asked.raw())),
            // An escape undone or a scheme added is more than another serialisation.
            Step::Serialized if asked.as_it_stands() => self.look(keys).known,
            Step::Serialized => None,
            Step::Loose => {
                let (loose, path) = (half(&self.hasher, &keys.loose), half(&self.hasher, &keys.path));
                self.first_loose(keys, loose, path)
            }
            Step::QueryDropped | Step::Truncated | Step::Convention | Step::Grant | Step::Reference => None,
        }
    }

    /// The same among the sources that somebody vouched for: asked only where calls are hidden. Looks at each of them where
    /// the first source is none of these.
    pub(crate) fn find_vouched(&self, step: Step, asked: &Asked, keys: &Keys<'_>) -> Option<u32> {
        let first = self.find(step, asked, keys)?;
        let is_vouched = |index: u32| self.get(index).is_some_and(|source| source.named.vouched.get().is_some());
        if is_vouched(first) {
            return Some(first);
        }
        match step {
            Step::Loose => self.vouched().find(|(_, source)| source.loose() == keys.loose).map(|(index, _)| index),
            Step::Identical
            | Step::Serialized
            | Step::QueryDropped
            | Step::Truncated
            | Step::Convention
            | Step::Grant
            | Step::Reference => None,
        }
    }

    /// What of the sources that somebody vouched for has the host and path of an asked address that has no query.
    pub(crate) fn vouched_with_path(&self, keys: &Keys<'_>) -> Only {
        let is_vouched = |index: u32| self.get(index).is_some_and(|source| source.named.vouched.get().is_some());
        match self.with_path(keys) {
            Only::Nothing => return Only::Nothing,
            Only::One(index) if is_vouched(index) => return Only::One(index),
            Only::One(_) => return Only::Nothing,
            Only::Several => {}
        }
        let mut found = self.vouched().filter(|(_, source)| source.loose_without_query() == keys.path);
        match (found.next(), found.next()) {
            (None, _) => Only::Nothing,
            (Some((index, _)), None) => Only::One(index),
            (Some(_), Some(_)) => Only::Several,
        }
    }

    fn vouched(&self) -> impl Iterator<Item = (u32, View<'_>)> {
        let vouched = (0..).zip(&self.kept.sources).filter(|(_, source)| source.named.vouched.get().is_some());
        vouched.map(|(index, source)| (index, self.kept.view(source))).filter(|(_, address)| !address.is_odd())
    }

    /// What has the host and path of an asked address that has no query.
    pub(crate) fn with_path(&self, keys: &Keys<'_>) -> Only {
        match self.first_of_path(keys, half(&self.hasher, &keys.path)) {
            Some(index) if index & SEVERAL == 0 => Only::One(index),
            Some(_) => Only::Several,
            None => Only::Nothing,
        }
    }
}
