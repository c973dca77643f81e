//! Writing a ledger.

use super::bytes::Out;
use super::{BLOCK, FRONT, Kind, MAGIC, VERSION, digest};
use crate::address::View;
use crate::calls::Noted;
use crate::convention::Token;
use crate::conversation::{Scope, Seat};
use crate::json::Path;
use crate::ledger::offers::Offers;
use crate::ledger::{Grant, Ledger, Maybe, Named, Offered, Run, Source, Spot, Voice, fingerprint};
use crate::meter::Bits;
use crate::policy::Field;
use crate::writer::Writer;

pub(super) fn ledger(ledger: &Ledger) -> Vec<u8> {
    let mut sections = vec![
        (Kind::Head, 0, head(ledger)),
        (Kind::Tools, 0, tools(ledger)),
        (Kind::Marks, 0, marks(ledger)),
        (Kind::Outside, 0, outside(ledger)),
        (Kind::Model, 0, sorted(ledger.words.model().map(|(word, clock)| (word.to_be_bytes(), words(&[clock]))))),
        (Kind::Argued, 0, runs_of_bytes(ledger.words.argued())),
    ];
    sections.push((Kind::Shown, 0, runs_of_bytes(ledger.words.shown())));
    sections.push((Kind::Spots, 0, spots(ledger)));
    sections.push((Kind::Offers, 0, offers(&ledger.offers)));
    for (number, run) in (0..).zip(&ledger.runs) {
        sections.push((Kind::Run, number, of_run(run)));
        sections.push((Kind::Sources, number, sources(run)));
        sections.push((Kind::Identities, number, identities(run)));
        sections.push((Kind::Sightings, number, sightings(run)));
        sections.push((Kind::Given, number, sorted(run.given.all().map(|(digest, item)| (digest, words(&[item]))))));
    }
    let body: Vec<u8> = sections.iter().flat_map(|(_, _, bytes)| bytes).copied().collect();
    let mut out = Out::default();
    out.raw(MAGIC);
    out.u32(VERSION);
    out.count(sections.len());
    let mut tables = Out::default();
    let mut offset = FRONT + sections.len() * 24 + body.len().div_ceil(BLOCK) * 16;
    for (kind, run, bytes) in &sections {
        tables.u32(kind.number());
        tables.u32(*run);
        tables.u64(u64::try_from(offset).unwrap_or(u64::MAX));
        tables.u64(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        offset += bytes.len();
    }
    body.chunks(BLOCK).for_each(|block| tables.raw(&digest(block)));
    let of_tables = digest(&[&*out.bytes, &tables.bytes].concat());
    out.raw(&of_tables);
    out.raw(&tables.bytes);
    out.raw(&body);
    out.bytes
}

fn head(ledger: &Ledger) -> Vec<u8> {
    let mut out = Out::default();
    out.raw(&ledger.key);
    out.u32(ledger.clock);
    out.count(ledger.runs.len());
    out.bool(ledger.words.keeps_runs());
    out.bytes
}

fn tools(ledger: &Ledger) -> Vec<u8> {
    let mut out = Out::default();
    out.count(ledger.tools.len());
    for tool in &ledger.tools {
        out.text(tool);
    }
    out.bytes
}

/// Entries with an offset table before them, so that one can be read alone.
fn indexed(entries: Vec<Vec<u8>>) -> Vec<u8> {
    let mut out = Out::default();
    out.count(entries.len());
    let mut offset = 4 + entries.len() * 4;
    for entry in &entries {
        out.count(offset);
        offset += entry.len();
    }
    for entry in &entries {
        out.raw(entry);
    }
    out.bytes
}

fn marks(ledger: &Ledger) -> Vec<u8> {
    let entry = |(key, mark): (&str, crate::ledger::Mark)| {
        let mut out = Out::default();
        out.text(key);
        out.u32(mark.run);
        out.u32(mark.item);
        out.u32(mark.clock);
        out.u32(mark.copied);
        out.bytes
    };
    indexed(ledger.marks.iter().map(entry).collect())
}

/// Entries of one length by rising key. Keys are compared byte by byte.
fn sorted<const N: usize>(entries: impl Iterator<Item = ([u8; N], Vec<u8>)>) -> Vec<u8> {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable();
    let mut out = Out::default();
    for (key, value) in entries {
        out.raw(&key);
        out.raw(&value);
    }
    out.bytes
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn runs_of_bytes(runs: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
    sorted(runs.map(|(run, clock)| (run.to_be_bytes(), words(&[clock]))))
}

fn outside(ledger: &Ledger) -> Vec<u8> {
    sorted(ledger.words.outside().map(|(word, place)| {
        let mut value = words(&[place.clock, place.offset]);
        value.push(voice(place.voice));
        (word.to_be_bytes(), value)
    }))
}

fn spots(ledger: &Ledger) -> Vec<u8> {
    let mut out = Out::default();
    out.count(ledger.words.spots().all().count());
    for (token, Spot { key, values, clock, voice: of, vouched }) in ledger.words.spots().all() {
        out.u8(Token::ALL.iter().zip(0..).find(|(other, _)| **other == token).map_or(u8::MAX, |(_, number)| number));
        out.text(key);
        out.count(values.len());
        values.iter().for_each(|value| out.text(value));
        out.u32(*clock);
        out.u8(voice(*of));
        out.bool(*vouched);
    }
    out.bytes
}

fn offers(offers: &Offers) -> Vec<u8> {
    let mut out = Out::default();
    let mut sites: Vec<_> = offers.sites().collect();
    sites.sort_unstable();
    out.count(sites.len());
    for (site, of, told) in sites {
        out.text(site);
        offered(&mut out, of);
        out.u64(told.in_thousandths());
    }
    let mut authors: Vec<_> = offers.authors().collect();
    authors.sort_unstable();
    out.count(authors.len());
    for (author, of) in authors {
        out.u32(author);
        offered(&mut out, of);
    }
    let mut opened: Vec<_> = offers.opened().collect();
    opened.sort_unstable();
    out.count(opened.len());
    opened.into_iter().for_each(|sent| out.text(sent));
    out.bytes
}

fn offered(out: &mut Out, Offered { addresses, persons, parents, roots, paged }: Offered) {
    [addresses, persons, parents, roots, paged].into_iter().for_each(|count| out.u32(count));
}

fn voice(voice: Voice) -> u8 {
    match voice {
        Voice::Person => 0,
        Voice::Public => 1,
        Voice::Private => 2,
        Voice::Arguments => 3,
        Voice::Model => 4,
    }
}

fn writer(writer: Writer) -> u8 {
    match writer {
        Writer::Person => 0,
        Writer::World => 1,
        Writer::Model => 2,
        Writer::Ignored => 3,
    }
}

fn of_run(run: &Run) -> Vec<u8> {
    let mut out = Out::default();
    out.maybe(run.parent.map(|parent| parent.0));
    out.u8(match run.seat {
        Seat::Presumed => 0,
        Seat::Person => 1,
        Seat::ParentModel => 2,
    });
    out.bool(run.hidden);
    out.text(&run.dialect);
    out.count(run.items.len());
    for item in &run.items {
        out.u32(item.clock);
        out.u8(position(item.position));
        out.maybe(item.tool);
        out.u32(item.turn);
        out.u32(item.batch);
        out.bool(item.earlier);
        out.raw(&item.digest);
    }
    out.count(run.live.len());
    for item in &run.live {
        out.u32(*item);
    }
    let mut calls: Vec<_> = run.calls.iter().collect();
    calls.sort_unstable_by_key(|(id, _)| id.as_str());
    out.count(calls.len());
    for (id, call) in calls {
        out.text(id);
        noted(&mut out, call);
    }
    out.count(run.grants.len());
    for Grant { address, scope, item, used } in &run.grants {
        out.text(address.reveal());
        let (tag, until) = match scope {
            Scope::Once => (0, 0),
            Scope::Run => (1, 0),
            Scope::Until(until) => (2, *until),
        };
        out.u8(tag);
        out.raw(&until.to_le_bytes());
        out.u32(*item);
        out.bool(*used);
    }
    out.bytes
}

fn noted(out: &mut Out, call: &Noted) {
    let Noted { writer: of, error_writer, public, fields, may_echo, base, told, refused, question, query, tool } = call;
    out.u8(writer(*of));
    out.u8(writer(*error_writer));
    out.bool(*public);
    out.count(fields.len());
    for (path, field) in fields {
        out.text(&Path::to_string(path));
        out.u8(match field {
            Field::Of(of) => writer(*of),
            Field::Index => 4,
        });
    }
    out.bool(*may_echo);
    out.maybe_text(base.as_ref().map(|base| base.reveal()));
    out.maybe_u64(told.map(Bits::in_thousandths));
    out.count(refused.len());
    refused.iter().for_each(|asked| out.text(asked));
    out.maybe_text(question.as_deref());
    out.maybe_text(query.as_deref());
    out.u32(*tool);
}

fn position(position: crate::conversation::Position) -> u8 {
    use crate::conversation::Position;
    match position {
        Position::User => 0,
        Position::Relay => 1,
        Position::System => 2,
        Position::Attachment => 3,
        Position::Assistant => 4,
        Position::Thinking => 5,
        Position::ToolCall => 6,
        Position::ToolResult => 7,
        Position::Task => 8,
        Position::Summary => 9,
        Position::Report => 10,
        Position::Answer => 11,
        Position::Grant => 12,
        Position::Rewind => 13,
        Position::Hidden => 14,
    }
}

fn sources(run: &Run) -> Vec<u8> {
    let entry = |(source, address): (&Source, View<'_>)| {
        let Named { item, author, vouched, writer: of, hole } = source.named;
        let mut out = Out::default();
        out.text(address.reveal());
        out.u32(item);
        out.u8(writer(of));
        out.maybe(author.get());
        out.maybe(vouched.get());
        out.bool(hole);
        out.bytes
    };
    indexed(run.sources.all().map(entry).collect())
}

pub(super) fn identities(run: &Run) -> Vec<u8> {
    let numbered = (0_u32..).zip(run.sources.all());
    sorted(numbered.map(|(number, (_, address))| (fingerprint(address.identity()), words(&[number]))))
}

fn sightings(run: &Run) -> Vec<u8> {
    sorted(run.sighted.all(run.sources.texts()).map(|(key, seen)| {
        let maybe = |item: Maybe| item.get().map_or(0, |item| item.saturating_add(1));
        let mut value = words(&[maybe(seen.person), maybe(seen.world), maybe(seen.model), maybe(seen.ignored)]);
        value.push(u8::from(seen.closed));
        (key, value)
    }))
}
