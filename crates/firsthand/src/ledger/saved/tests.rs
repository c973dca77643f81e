#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use super::*;
use crate::address::{Address, Form};
use crate::calls::Noted;
use crate::conversation::{Position, Scope, Seat};
use crate::json::Path;
use crate::ledger::{Entry, Grant, Mark, Named, Offered, RunId, Sightings, Voice};
use crate::meter::Bits;
use crate::policy::Field;
use crate::writer::Writer;

const SOURCES: [&str; 4] = [
    "https://docs.vendor.example/guide?page=2",
    "HTTPS://Files.Vendor.example/a%20b",
    "https://guest@odd.example/x",
    "https://larkhall.example",
];

const MARKS: [&str; 5] =
    ["collector.example", "collector.example/in?d=anna", "collector.example/é", "other.example/1", "zoo.example"];

fn address(spelling: &str) -> Address {
    Address::written(spelling, Form::Absolute).unwrap()
}

/// A ledger with something of each kind in it.
fn ledger() -> Ledger {
    let mut ledger = Ledger::new([7; 32]);
    let top = ledger.begin(None, Seat::Person, "firsthand");
    let below = ledger.begin(Some(top), Seat::ParentModel, "");
    ledger.words.keep_runs();
    ledger.run_mut(top).unwrap().given.note(0, &"the key is sk-example-0000".into());
    let tool = ledger.tool_number("web_fetch");
    for (number, key) in (0..).zip(MARKS) {
        ledger.marks.add(key, Mark { run: 1, item: number, clock: number + 1, copied: 0 });
    }
    for (voice, text, is_json) in [
        (Voice::Person, "the order is ACME-2291-B (see file:9)", false),
        (Voice::Public, "see 2406.01234 and doi:10.5555/S0097(25)1", false),
        (Voice::Arguments, r#"{"q":"margin-41-percent"}"#, true),
        (Voice::Model, "as I said of https://doi.org/10.5555/kiln.7", false),
    ] {
        let clock = ledger.tick();
        ledger.words.note(clock, voice, &text.into(), is_json);
    }
    for (run, seen) in [(top, SOURCES.as_slice()), (below, &SOURCES[..1])] {
        let run = ledger.run_mut(run).unwrap();
        for (item, spelling) in (0..).zip(seen) {
            let source = address(spelling);
            let seen = Sightings { person: Some(item).into(), closed: item == 1, ..Sightings::default() };
            *run.see(&source.wide()).unwrap() = seen;
            let (author, vouched) = (Some(tool).filter(|_| item > 0), Some(item).filter(|_| item > 1));
            let (author, vouched) = (author.into(), vouched.into());
            let named = Named { item, writer: Writer::World, author, vouched, hole: item == 2 };
            let keys = source.view().keys();
            run.sources.add(&keys, run.sources.look(&keys), named).unwrap();
            let position = if item == 0 { Position::User } else { Position::ToolResult };
            let tool = Some(tool).filter(|_| item > 0);
            run.items.push(Entry { clock: item, position, tool, turn: 0, batch: 0, earlier: false, digest: [9; 16] });
            run.live.push(item);
        }
    }
    let run = ledger.run_mut(top).unwrap();
    run.hidden = true;
    for (id, base) in [("call-1", Some(address(SOURCES[0]))), ("", None)] {
        let fields = vec![
            (Path::parse("results[].url").unwrap(), Field::Index),
            (Path::parse("[].note").unwrap(), Field::Of(Writer::Ignored)),
        ];
        let (query, question) = (Some("harbour".into()), None);
        let (writer, error_writer) = (Writer::World, Writer::Ignored);
        let told = base.as_ref().map(|_| Bits::thousandths(2000));
        let (public, may_echo, refused) = (true, false, vec!["sink.example".into()]);
        let noted =
            Noted { writer, error_writer, public, fields, may_echo, base, told, refused, question, query, tool };
        run.calls.insert(id.to_owned(), noted.into());
    }
    for (scope, used) in [(Scope::Once, true), (Scope::Run, false), (Scope::Until(-5), false)] {
        run.grants.push(Grant { address: address("https://granted.example/"), scope, item: 3, used });
    }
    let offers = &mut ledger.offers;
    for (site, count) in [("vendor.example", 2), ("larkhall.example", 1)] {
        offers.add(site, Some(tool), Offered { addresses: count, roots: 1, ..Offered::default() });
    }
    offers.tell("larkhall.example", "https://larkhall.example", Bits::thousandths(1585));
    ledger
}

/// Either an error or a ledger that is saved as it was.
fn restores_as_it_is_or_not(bytes: &[u8]) -> bool {
    match Ledger::restore(bytes) {
        Ok(mut ledger) => {
            assert!(ledger.save() == bytes, "another ledger is saved than was restored");
            true
        }
        Err(_) => false,
    }
}

/// The saved form of a ledger that has several blocks.
fn several_blocks() -> Vec<u8> {
    let mut ledger = ledger();
    for number in 0..120 {
        let key = format!("collector.example/put/case-{number}");
        ledger.marks.add(&key, Mark { run: 1, item: number, clock: number, copied: 0 });
    }
    let saved = ledger.save();
    assert!(saved.len() > 2 * BLOCK, "{}", saved.len());
    saved
}

/// Where the sections start.
fn body(saved: &[u8]) -> usize {
    usize::try_from(u64::from_le_bytes(saved[FRONT + 8..FRONT + 16].try_into().unwrap())).unwrap()
}

/// A changed file with digests that agree with it, so that what stands behind them is looked at. `body` is where its
/// sections started before it was changed.
fn sealed(changed: &[u8], body: usize) -> Vec<u8> {
    let (front, sections) = changed.split_at(body);
    let digests: Vec<u8> = sections.chunks(BLOCK).flat_map(digest).collect();
    let tables = [&front[FRONT..front.len() - digests.len()], &digests].concat();
    let of_tables = digest(&[&front[..16], &tables].concat());
    [&front[..16], &of_tables, &tables, sections].concat()
}

#[test]
fn a_flipped_bit_is_damage_wherever_it_stands() {
    let saved = several_blocks();
    let mut changed = saved.clone();
    for place in 0..saved.len() {
        changed[place] ^= 1 << (place % 8);
        let error = Ledger::restore(&changed).unwrap_err();
        // In the tables it may also look like a file that is cut off.
        assert!(place < body(&saved) || error == RestoreError::Damaged, "{place}: {error}");
        changed[place] = saved[place];
    }
}

#[test]
fn a_restored_ledger_is_saved_as_it_was() {
    assert!(restores_as_it_is_or_not(&ledger().save()));
    assert!(restores_as_it_is_or_not(&Ledger::new([0; 32]).save()));
}

#[test]
fn a_ledger_that_is_cut_off_is_refused_wherever_it_is_cut() {
    let saved = ledger().save();
    for end in 0..saved.len() {
        let cut = saved.get(..end).unwrap();
        let error = Ledger::restore(cut).unwrap_err();
        assert_eq!(error == RestoreError::NotALedger, end < FRONT, "{end}: {error}");
    }
    let longer = [&saved[..], &[0]].concat();
    assert_eq!(Ledger::restore(&longer).unwrap_err(), RestoreError::Malformed);
}

#[test]
fn a_ledger_with_a_changed_byte_and_new_digests_is_refused_or_saved_with_that_byte() {
    let mut saved = ledger().save();
    let body = body(&saved);
    let mut refused = 0;
    for place in 0..saved.len() {
        let was = saved[place];
        for changed in [was ^ 1, was ^ 0x80, !was, 0, u8::MAX].into_iter().filter(|changed| *changed != was) {
            saved[place] = changed;
            refused += u32::from(!restores_as_it_is_or_not(&sealed(&saved, body)));
        }
        saved[place] = was;
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn another_version_is_refused_by_its_number() {
    let mut saved = ledger().save();
    for version in [0, VERSION + 1, u32::MAX] {
        saved[8..12].copy_from_slice(&version.to_le_bytes());
        let error = RestoreError::Version { found: version };
        assert_eq!(Ledger::restore(&saved).unwrap_err(), error);
        assert_eq!(SavedLedger::open(&saved[..]).unwrap_err(), error);
    }
}

#[test]
fn sections_that_share_their_bytes_are_refused() {
    let saved = ledger().save();
    let table = |number: usize| FRONT + number * 24;
    for (number, by) in [(1, -1_i64), (1, 1), (9, -8), (15, 1)] {
        let mut moved = saved.clone();
        let place = table(number) + 8..table(number) + 16;
        let offset = i64::from_le_bytes(moved[place.clone()].try_into().unwrap());
        moved[place].copy_from_slice(&(offset + by).to_le_bytes());
        let moved = sealed(&moved, body(&saved));
        assert_eq!(Ledger::restore(&moved).unwrap_err(), RestoreError::Malformed, "{number} {by}");
    }
}

#[test]
fn a_count_larger_than_the_file_asks_for_no_memory() {
    let saved = ledger().save();
    for place in 12..saved.len() - 4 {
        let mut counted = saved.clone();
        for count in [u32::MAX, u32::MAX / 64] {
            counted[place..place + 4].copy_from_slice(&count.to_le_bytes());
            restores_as_it_is_or_not(&counted);
            restores_as_it_is_or_not(&sealed(&counted, body(&saved)));
        }
    }
}

#[test]
fn a_saved_ledger_answers_like_the_ledger() {
    let mut ledger = ledger();
    let bytes = ledger.save();
    let saved = SavedLedger::open(&bytes[..]).unwrap();
    for key in MARKS {
        assert!(saved.has_mark(key).unwrap(), "{key}");
    }
    for key in ["", "a.example", "collector.example/", "collector.example/in", "zoo.example/z", "é"] {
        assert!(!saved.has_mark(key).unwrap(), "{key}");
    }
    let asked =
        ["https://docs.vendor.example:443/guide?page=2", "https://files.vendor.example/a%20b", "https://a.example/"];
    for run in [RunId(0), RunId(1)] {
        for spelling in SOURCES.into_iter().chain(asked) {
            let (asked, sources) = (address(spelling), &ledger.run(run).unwrap().sources);
            let kept = sources.of(asked.view()).and_then(|index| sources.get(index));
            let kept = kept.map(|source| sources.view(source).reveal());
            assert_eq!(saved.source(run, &asked).unwrap().as_deref(), kept, "{run:?} {spelling}");
        }
    }
    assert_eq!(saved.source(RunId(2), &address(SOURCES[0])).unwrap_err(), RestoreError::Malformed);
}

#[test]
fn looking_into_a_broken_ledger_gives_an_error_or_what_it_held() {
    let bytes = several_blocks();
    let (source, body) = (address(SOURCES[1]), body(&bytes));
    let look = |bytes: &[u8]| {
        let saved = SavedLedger::open(bytes).ok()?;
        Some((saved.has_mark(MARKS[2]), saved.has_mark("a.example"), saved.source(RunId(0), &source)))
    };
    let mut answered = 0;
    for place in 0..bytes.len() {
        look(&bytes[..place]);
        let mut changed = bytes.clone();
        changed[place] = !changed[place];
        if let Some((mark, none, found)) = look(&changed) {
            assert!(mark.unwrap_or(true) && !none.unwrap_or(false), "{place}");
            assert!(found.as_ref().is_ok_and(Option::is_some) || found == Err(RestoreError::Damaged), "{place}");
            answered += u32::from(mark.is_ok()) + u32::from(none.is_ok()) + u32::from(found.is_ok());
        }
        // With digests that agree it ends in some answer.
        look(&sealed(&changed, body));
    }
    assert!(answered > 1000, "{answered}");
}

/// Bytes that cannot be read from some place on.
struct Failing(Vec<u8>, u64);

impl ReadAt for Failing {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), RestoreError> {
        if offset >= self.1 { Err(RestoreError::Unreadable) } else { self.0[..].read_at(offset, buffer) }
    }
}

#[test]
fn storage_that_fails_is_told_and_is_no_missing_mark() {
    let saved = ledger().save();
    let body = u64::try_from(body(&saved)).unwrap();
    let storage = Failing(saved, body);
    let saved = SavedLedger::open(&storage).unwrap();
    assert_eq!(saved.has_mark("a.example").unwrap_err(), RestoreError::Unreadable);
    assert_eq!(saved.source(RunId(0), &address(SOURCES[0])).unwrap_err(), RestoreError::Unreadable);
}

#[test]
fn an_address_is_restored_in_the_spelling_that_it_had() {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    for (item, (spelling, form)) in [
        ("https://a.example/x #part", Form::Absolute),
        ("b.example/p", Form::Bare),
        ("http://c.example:80", Form::Absolute),
        ("https:\\\\d.example\\y", Form::Absolute),
    ]
    .into_iter()
    .enumerate()
    {
        let Some(address) = Address::written(spelling, form) else { continue };
        let item = u32::try_from(item).unwrap();
        let sources = &mut ledger.run_mut(run).unwrap().sources;
        let named = Named { item, writer: Writer::Person, author: None.into(), vouched: None.into(), hole: false };
        let keys = address.view().keys();
        sources.add(&keys, sources.look(&keys), named).unwrap();
    }
    let restored = Ledger::restore(&ledger.save()).unwrap();
    assert!(ledger.sources(run).eq(restored.sources(run)));
    assert!(ledger.source_count(run) > 2);
}
