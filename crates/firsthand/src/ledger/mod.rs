//! The record of a conversation: who wrote each address first.
//!
//! One ledger holds a tree of runs: a run with its subagents, and theirs. Sources belong to a run and are inherited by the
//! runs below it; marks belong to the whole tree, so that a place that stores text cannot launder an address from one run
//! to another. A ledger only grows: nothing that the model wrote is ever forgotten.
//!
//! This module keeps and looks up. What is written into it is decided in [`note`](crate::note), what opens in
//! [`check`](crate::check).

mod marks;
mod maybe;
mod texts;
mod keyed;
mod given;
mod readings;
mod offers;
mod sources;
mod spots;
mod words;
mod sightings;
mod saved;

use std::sync::Arc;

use hashbrown::HashMap;

use crate::address::{Address, View, wide_key};
use crate::calls::Noted;
use crate::conversation::{Position, Scope, Seat};
use crate::credential::each_run;
use crate::meter::Bits;
use crate::reference::Reference;
use crate::verdict::{From, Sighting};
use crate::writer::Writer;

pub use saved::{ReadAt, RestoreError, SavedLedger, VERSION};

pub(crate) use marks::Mark;
pub(crate) use maybe::Maybe;
pub(crate) use offers::Offered;
pub(crate) use readings::{Parsed, Reading};
pub(crate) use sightings::Sightings;
pub(crate) use sources::{Looked, Named, New, Only, Source, Sources, spellings_above};
pub(crate) use spots::Spot;
pub(crate) use words::{SHORTEST, Said, Voice, Waiting};

/// Which run of a ledger's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub(crate) u32);

impl RunId {
    /// The number of the run, from 0 in the order in which runs began.
    pub fn number(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The record of a tree of runs.
#[derive(Clone, Debug)]
pub struct Ledger {
    key: [u8; 32],
    pub(crate) runs: Vec<Run>,
    pub(crate) marks: marks::Marks,
    pub(crate) words: words::Words,
    pub(crate) readings: readings::Readings,
    /// What was offered and what was told, for the meter.
    pub(crate) offers: offers::Offers,
    tools: Vec<Arc<str>>,
    tool_numbers: HashMap<Arc<str>, u32>,
    clock: u32,
    /// Items are kept with their digests, so that a history that comes again is recognised.
    pub(crate) knows_again: bool,
}

/// One run of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) parent: Option<RunId>,
    pub(crate) seat: Seat,
    pub(crate) dialect: Arc<str>,
    pub(crate) items: Vec<Entry>,
    /// The items that were not taken back, in order.
    pub(crate) live: Vec<u32>,
    pub(crate) sources: sources::Sources,
    pub(crate) sighted: sightings::Sighted,
    pub(crate) calls: HashMap<String, Arc<Noted>>,
    pub(crate) grants: Vec<Grant>,
    /// What was handed out instead of addresses that carry their own permission. A saved ledger does not hold it.
    pub(crate) references: HashMap<Reference, HandedOut>,
    /// What people and operators wrote, for the credential check.
    pub(crate) given: given::Given,
    /// Calls of this run are hidden.
    pub(crate) hidden: bool,
}

/// What is kept of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) clock: u32,
    pub(crate) position: Position,
    pub(crate) tool: Option<u32>,
    pub(crate) turn: u32,
    pub(crate) batch: u32,
    pub(crate) earlier: bool,
    /// [`UNKNOWN`] in a ledger that recognises none.
    pub(crate) digest: Fingerprint,
}

/// A person's yes to one address.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) address: Address,
    pub(crate) scope: Scope,
    pub(crate) item: u32,
    pub(crate) used: bool,
}

/// What a reference stands for.
#[derive(Clone, Debug)]
pub(crate) struct HandedOut {
    pub(crate) address: Address,
    /// In seconds since 1970 (UTC).
    pub(crate) expires: i64,
    pub(crate) item: Option<u32>,
}

/// What models wrote while somebody listened.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    marks: Vec<(Box<str>, Mark)>,
    texts: Vec<Waiting>,
}

impl Heard {
    /// Takes what was heard later too.
    pub(crate) fn extend(&mut self, later: Self) {
        self.marks.extend(later.marks);
        self.texts.extend(later.texts);
    }
}

/// All that the model of one run writes, as it ranks before what runs beside it read.
#[derive(Debug)]
pub(crate) struct Written {
    marks: Vec<(Box<str>, Mark)>,
    said: Arc<Said>,
}

impl Written {
    /// What was heard of one run.
    pub(crate) fn of(heard: Heard) -> Self {
        let Heard { mut marks, texts } = heard;
        // Of the marks of a key the one that copies least says what is the model's.
        marks.sort_by(|(one, mark), (other, another)| (one, mark.copied).cmp(&(other, another.copied)));
        marks.dedup_by(|(later, _), (earlier, _)| later == earlier);
        Self { marks, said: Arc::new(Said::of(&texts)) }
    }
}

/// A digest of 16 bytes.
pub(crate) type Fingerprint = [u8; 16];

/// The digest of nothing: no item has it.
pub(crate) const UNKNOWN: Fingerprint = [0; 16];

impl Run {
    /// The sightings of a wide key.
    pub(crate) fn seen(&self, key: &str) -> Option<&Sightings> {
        self.sighted.get(self.sources.texts(), key)
    }

    /// The same, to change. Of a wide key that stands in the spelling of a source behind so many bytes.
    pub(crate) fn see_source(&mut self, key: &str, source: u32, from: Option<usize>) -> Option<&mut Sightings> {
        let (spelling, texts) = self.sources.spelling(source);
        let span = spelling.and_then(|spelling| spelling.piece(from?, key.len()));
        self.sighted.entry(texts, key, span, false)
    }

    /// The same of any wide key.
    pub(crate) fn see(&mut self, key: &str) -> Option<&mut Sightings> {
        self.sighted.entry(self.sources.texts_mut(), key, None, false)
    }

    /// The same of one that is marked, whose text the marks keep.
    pub(crate) fn see_mark(&mut self, key: &str) -> Option<&mut Sightings> {
        self.sighted.entry(self.sources.texts_mut(), key, None, true)
    }

    /// The first source of the run that has the wide key. None where the world wrote one that stays closed: without the
    /// model that one might have been the first.
    pub(crate) fn source_under(&self, key: &str) -> Option<View<'_>> {
        let source = self.seen(key).filter(|seen| !seen.closed)?.source.get()?;
        self.sources.get(source).map(|source| self.sources.view(source))
    }

    /// Notes in the sightings which wide keys the sources have, as it follows from them.
    pub(crate) fn sight_sources(&mut self) {
        let count = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        for index in 0..count {
            let source = self.sources.get(index).map(|source| self.sources.view(source));
            let Some(wide) = source.map(|source| wide_key(source.reveal())) else { continue };
            if let Some(seen) =
                self.sighted.get_mut(self.sources.texts(), &wide).filter(|seen| seen.source.get().is_none())
            {
                seen.source = Some(index).into();
                self.sources.set_first(index);
            }
        }
    }

    /// Takes back the items from this one on: sources and grants that stand only there do not count.
    pub(crate) fn rewind(&mut self, to: u32) {
        while self.live.pop_if(|item| *item >= to).is_some() {}
        let sighted = &mut self.sighted;
        self.sources.rewind(to, &mut |texts, gone| {
            if let Some(seen) = sighted.get_mut(texts, &wide_key(gone.reveal())) {
                seen.source = None.into();
            }
        });
        self.grants.retain(|grant| grant.item < to);
        self.given.rewind(to);
    }
}

impl Ledger {
    /// An empty ledger. The key seals digests of the operator's values; take it from the system's random numbers where
    /// the ledger is kept, any constant where it is not.
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            key,
            runs: Vec::new(),
            marks: marks::Marks::default(),
            words: words::Words::default(),
            readings: readings::Readings::default(),
            offers: offers::Offers::default(),
            tools: Vec::new(),
            tool_numbers: HashMap::new(),
            clock: 0,
            knows_again: true,
        }
    }

    /// Begins a run. A parent must be a run of this ledger; one that is not makes a run without parent.
    pub fn begin(&mut self, parent: Option<RunId>, seat: Seat, dialect: &str) -> RunId {
        let id = RunId(u32::try_from(self.runs.len()).unwrap_or(u32::MAX));
        self.runs.push(Run {
            parent: parent.filter(|parent| parent.0 < id.0),
            seat,
            dialect: Arc::from(dialect),
            items: Vec::new(),
            live: Vec::new(),
            sources: sources::Sources::default(),
            sighted: sightings::Sighted::default(),
            calls: HashMap::new(),
            grants: Vec::new(),
            references: HashMap::new(),
            given: given::Given::default(),
            hidden: false,
        });
        id
    }

    /// How many runs began.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// The runs in the order in which they began.
    pub fn all_runs(&self) -> impl Iterator<Item = RunId> {
        (0..u32::try_from(self.runs.len()).unwrap_or(u32::MAX)).map(RunId)
    }

    /// How many items of the run were noted.
    pub fn len(&self, run: RunId) -> usize {
        self.run(run).map_or(0, |run| run.items.len())
    }

    /// Whether nothing of the run was noted.
    pub fn is_empty(&self, run: RunId) -> bool {
        self.len(run) == 0
    }

    /// How many sources the run has of its own.
    pub fn source_count(&self, run: RunId) -> usize {
        self.run(run).map_or(0, |run| run.sources.len())
    }

    /// How many marks the tree holds.
    pub fn mark_count(&self) -> usize {
        self.marks.len()
    }

    /// The sources of a run in the order in which they were recorded. Reveals them.
    pub fn sources(&self, run: RunId) -> impl Iterator<Item = &str> {
        self.run(run).into_iter().flat_map(|run| run.sources.all()).map(|(_, address)| address.reveal())
    }

    /// The wide keys of the tree's marks in their order. Reveals them.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        self.marks.iter().map(|(key, _)| key)
    }

    /// How many addresses of a site a person or the world wrote in the tree, open or closed.
    pub fn offered(&self, site: &str) -> u32 {
        self.offers.of(site).addresses
    }

    /// What opening addresses told a site.
    pub fn told_to(&self, site: &str) -> Bits {
        self.offers.told_to(site)
    }

    /// What opening addresses told all sites together.
    pub fn told(&self) -> Bits {
        self.offers.told()
    }

    /// A reference of a run stands for an address until a time, in seconds since 1970 (UTC). `item` is the result that
    /// held the address.
    ///
    /// Only call this for an address that was a source where the world named it. A saved ledger does not hold references:
    /// whoever keeps them, sealed, hands them out again.
    pub fn hand_out(&mut self, run: RunId, reference: Reference, address: Address, expires: i64, item: Option<usize>) {
        let item = item.and_then(|item| u32::try_from(item).ok());
        if let Some(run) = self.run_mut(run) {
            run.references.insert(reference, HandedOut { address, expires, item });
        }
    }

    /// How many references the run and those above it have.
    pub(crate) fn references_in_view(&self, run: RunId) -> u64 {
        let counts = self.chain(run).filter_map(|id| self.run(id)).map(|run| run.references.len());
        u64::try_from(counts.sum::<usize>()).unwrap_or(u64::MAX)
    }

    /// How many sources the run and those above it have.
    pub fn sources_in_view(&self, run: RunId) -> usize {
        self.chain(run).map(|id| self.source_count(id)).sum()
    }

    /// The name of the host program whose tools the run has; empty where there is no such run.
    pub fn dialect(&self, run: RunId) -> &str {
        self.run(run).map_or("", |run| &run.dialect)
    }

    /// Whether a source of the run or of one above it has this very host. Looks at every source.
    pub fn has_host(&self, run: RunId, host: &str) -> bool {
        let sources = self.chain(run).filter_map(|id| self.run(id)).flat_map(|run| {
            (0..run.sources.len())
                .filter_map(|index| run.sources.get(u32::try_from(index).ok()?).map(|of| run.sources.view(of)))
        });
        sources.filter(|source| !source.is_odd()).any(|source| source.host() == host)
    }

    /// Where a person or the world wrote a word before the model did: the number of the text's item in the order of the
    /// whole tree, and the byte in it. Takes the texts apart that still wait.
    pub fn first_written(&mut self, word: &str) -> Option<(u32, u32)> {
        self.words.settle();
        self.words.place(word).map(|place| (place.clock, place.offset))
    }

    /// What models wrote since this was asked last; from now on it is kept for it.
    pub(crate) fn listen(&mut self) -> Heard {
        Heard { marks: self.marks.listen(), texts: self.words.listen() }
    }

    /// What the model of a run writes ranks before all that is noted until [`forget`](Self::forget).
    pub(crate) fn expect(&mut self, run: usize, written: &Written) {
        let clock = self.clock;
        for (key, mark) in &written.marks {
            self.marks.expect(key, Mark { clock, ..*mark });
        }
        self.words.expect(run, &written.said, clock);
    }

    /// The run is read itself: what its model writes ranks where it stands.
    pub(crate) fn forget(&mut self, run: usize, written: &Written) {
        written.marks.iter().for_each(|(key, _)| self.marks.forget(key));
        self.words.forget(run, &written.said);
    }

    /// Whether calls of the run or of a run above it are hidden.
    pub fn has_hidden_calls(&self, run: RunId) -> bool {
        self.chain(run).any(|id| self.run(id).is_some_and(|run| run.hidden))
    }

    pub(crate) fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(id.number())
    }

    pub(crate) fn run_mut(&mut self, id: RunId) -> Option<&mut Run> {
        self.runs.get_mut(id.number())
    }

    /// The run and those above it, nearest first.
    pub(crate) fn chain(&self, id: RunId) -> impl Iterator<Item = RunId> {
        std::iter::successors(Some(id), |id| self.run(*id).and_then(|run| run.parent))
    }

    pub(crate) fn tick(&mut self) -> u32 {
        // A ledger of so many items does not exist; a restored one may claim to be.
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    pub(crate) fn tool_number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.tool_numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.tools.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = Arc::from(name);
        self.tools.push(Arc::clone(&name));
        self.tool_numbers.insert(name, number);
        number
    }

    /// Whether a person or an operator wrote a value in the run or in one above it: each run of its letters that tells it
    /// apart stands in some text of theirs. Where none does, nobody can tell.
    pub fn is_given(&self, run: RunId, value: &str) -> bool {
        let (mut any, mut all) = (false, true);
        each_run(value, &mut |part| {
            let digest = keyed(&self.key, part);
            any = true;
            all &= self.chain(run).any(|id| self.run(id).is_some_and(|run| run.given.holds(&self.key, &digest)));
        });
        any && all
    }

    /// The sighting in an item of a run.
    pub(crate) fn sighting(&self, asking: RunId, run: RunId, item: u32, writer: Writer) -> Option<Sighting> {
        let entry = self.entry(run, item)?;
        let tool = entry.tool.and_then(|tool| self.tools.get(usize::try_from(tool).ok()?)).cloned();
        let from = match (asking == run, entry.earlier) {
            (true, false) => From::Own,
            (true, true) => From::Earlier,
            (false, _) => From::Parent,
        };
        let item = usize::try_from(item).unwrap_or(usize::MAX);
        Some(Sighting { writer, position: entry.position, run: run.number(), item, tool, from })
    }

    /// The item that was noted at this time in the run or in one above it, if it was not taken back.
    pub(crate) fn live_item(&self, run: RunId, clock: u32) -> Option<(RunId, u32)> {
        self.chain(run).find_map(|id| {
            let run = self.run(id)?;
            let item = run.items.binary_search_by_key(&clock, |entry| entry.clock).ok()?;
            let item = u32::try_from(item).ok()?;
            run.live.binary_search(&item).ok().map(|_| (id, item))
        })
    }

    pub(crate) fn entry(&self, run: RunId, item: u32) -> Option<Entry> {
        self.run(run)?.items.get(usize::try_from(item).ok()?).copied()
    }
}

/// A digest of a text, the same in every process.
pub(crate) fn fingerprint(text: &str) -> Fingerprint {
    first_half(*blake3::hash(text.as_bytes()).as_bytes())
}

fn keyed(key: &[u8; 32], text: &str) -> Fingerprint {
    first_half(*blake3::keyed_hash(key, text.as_bytes()).as_bytes())
}

pub(crate) fn first_half(digest: [u8; 32]) -> Fingerprint {
    let mut half = [0; 16];
    for (to, from) in half.iter_mut().zip(digest) {
        *to = from;
    }
    half
}
