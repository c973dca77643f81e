//! Reading a ledger whole.
//!
//! What is read is what would be written again, byte for byte: an order, an offset or a digest that no writer writes is
//! [`RestoreError::Malformed`].

use std::hash::Hash;
use std::sync::Arc;

use hashbrown::HashMap;

use super::bytes::In;
use super::lookup::SavedLedger;
use super::{Kind, RestoreError, write};
use crate::address::Address;
use crate::calls::Noted;
use crate::convention::Token;
use crate::conversation::{Position, Scope, Seat};
use crate::json::Path;
use crate::ledger::given::Given;
use crate::ledger::marks::{Mark, Marks};
use crate::ledger::offers::{Offered, Offers};
use crate::ledger::readings::Readings;
use crate::ledger::sightings::Sighted;
use crate::ledger::sources::{Named, Sources};
use crate::ledger::spots::{Spots, key as spot_key};
use crate::ledger::words::{Place, Voice, Words};
use crate::ledger::{Entry, Grant, Ledger, Run, RunId, Sightings, Spot};
use crate::meter::Bits;
use crate::policy::Field;
use crate::writer::Writer;

type Read<T> = Result<T, RestoreError>;

pub(super) fn ledger(bytes: &[u8]) -> Read<Ledger> {
    let saved = SavedLedger::open(bytes)?;
    let head = saved.whole(Kind::Head, 0)?;
    let mut head = In::new(&head);
    let (key, clock, runs, keeps_runs) = (head.array()?, head.u32()?, head.u32()?, head.bool()?);
    head.end()?;
    if !saved.is_all(9 + 5 * u64::from(runs), bytes.len()) {
        return Err(RestoreError::Malformed);
    }
    let tools = tools(&saved.whole(Kind::Tools, 0)?)?;
    let marks = marks(&saved.whole(Kind::Marks, 0)?)?;
    let outside = entries(&saved.whole(Kind::Outside, 0)?, |input| {
        Ok(Place { clock: input.u32()?, offset: input.u32()?, voice: voice(input.u8()?)? })
    })?;
    let model = entries(&saved.whole(Kind::Model, 0)?, |input| input.u32())?;
    let argued = entries(&saved.whole(Kind::Argued, 0)?, |input| input.u32())?;
    let shown = entries(&saved.whole(Kind::Shown, 0)?, |input| input.u32())?;
    let words = Words::restored(
        outside.into_iter().map(|(word, place)| (u64::from_be_bytes(word), place)),
        model.into_iter().map(|(word, clock)| (u64::from_be_bytes(word), clock)),
        argued.into_iter().map(|(run, clock)| (u32::from_be_bytes(run), clock)),
        shown.into_iter().map(|(run, clock)| (u32::from_be_bytes(run), clock)),
        keeps_runs,
        spots(&saved.whole(Kind::Spots, 0)?)?,
    );
    let runs = (0..runs).map(|number| run(&saved, number)).collect::<Read<Vec<_>>>()?;
    let tool_numbers: HashMap<_, _> =
        (0..).zip(&tools).map(|(number, tool): (u32, &Arc<str>)| (Arc::clone(tool), number)).collect();
    if tool_numbers.len() != tools.len() {
        return Err(RestoreError::Malformed);
    }
    let offers = offers(&saved.whole(Kind::Offers, 0)?)?;
    let (readings, knows_again) = (Readings::default(), true);
    Ok(Ledger { key, runs, marks, words, readings, offers, tools, tool_numbers, clock, knows_again })
}

/// Entries by rising key until the section ends.
fn entries<const N: usize, T>(bytes: &[u8], mut rest: impl FnMut(&mut In<'_>) -> Read<T>) -> Read<Vec<([u8; N], T)>> {
    let mut input = In::new(bytes);
    let mut all = Vec::new();
    while input.left() > 0 {
        all.push((input.array()?, rest(&mut input)?));
    }
    rising(all)
}

/// The same pairs, if each key is greater than the one before.
fn rising<K: Ord, T>(pairs: Vec<(K, T)>) -> Read<Vec<(K, T)>> {
    if pairs.is_sorted_by(|(one, _), (next, _)| one < next) { Ok(pairs) } else { Err(RestoreError::Malformed) }
}

/// So many pairs by rising key.
fn keyed<'b, K: Ord + Hash, T>(
    input: &mut In<'b>,
    count: usize,
    mut one: impl FnMut(&mut In<'b>) -> Read<(K, T)>,
) -> Read<HashMap<K, T>> {
    let pairs = (0..count).map(|_| one(input)).collect::<Read<Vec<_>>>()?;
    Ok(rising(pairs)?.into_iter().collect())
}

/// Entries behind a table of offsets; the table is for those who look one up.
fn indexed<T>(bytes: &[u8], mut one: impl FnMut(&mut In<'_>) -> Read<T>) -> Read<Vec<T>> {
    let mut input = In::new(bytes);
    let count = input.count(4)?;
    let mut offsets = In::new(input.raw(count * 4)?);
    let mut all = Vec::new();
    for _ in 0..count {
        if usize::try_from(offsets.u32()?) != Ok(bytes.len() - input.left()) {
            return Err(RestoreError::Malformed);
        }
        all.push(one(&mut input)?);
    }
    input.end()?;
    Ok(all)
}

fn tools(bytes: &[u8]) -> Read<Vec<Arc<str>>> {
    let mut input = In::new(bytes);
    let count = input.count(4)?;
    let tools = (0..count).map(|_| input.text().map(Arc::from)).collect::<Read<Vec<_>>>()?;
    input.end()?;
    Ok(tools)
}

fn offers(bytes: &[u8]) -> Read<Offers> {
    let mut input = In::new(bytes);
    let count = input.count(32)?;
    let site = |input: &mut In<'_>| Ok((input.text()?.to_owned(), (offered(input)?, Bits::thousandths(input.u64()?))));
    let sites = rising((0..count).map(|_| site(&mut input)).collect::<Read<Vec<_>>>()?)?;
    let count = input.count(24)?;
    let authors = keyed(&mut input, count, |input| Ok((input.u32()?, offered(input)?)))?;
    let count = input.count(4)?;
    let opened = (0..count).map(|_| Ok((input.text()?.into(), ()))).collect::<Read<Vec<(Box<str>, ())>>>()?;
    let opened = rising(opened)?.into_iter().map(|(sent, ())| sent).collect();
    input.end()?;
    Ok(Offers::restored(sites.iter().map(|(site, (offered, told))| (&**site, *offered, *told)), authors, opened))
}

fn offered(input: &mut In<'_>) -> Read<Offered> {
    let (addresses, persons, parents) = (input.u32()?, input.u32()?, input.u32()?);
    Ok(Offered { addresses, persons, parents, roots: input.u32()?, paged: input.u32()? })
}

fn spots(bytes: &[u8]) -> Read<Spots> {
    let mut input = In::new(bytes);
    let mut spots = Spots::default();
    let mut last = Token::Doi;
    for _ in 0..input.count(15)? {
        let token = Token::ALL.get(usize::from(input.u8()?)).copied().ok_or(RestoreError::Malformed)?;
        let key = input.text()?.to_owned();
        let count = input.count(4)?;
        let values = (0..count).map(|_| input.text().map(str::to_owned)).collect::<Read<Vec<_>>>()?;
        let spot = Spot { key, values, clock: input.u32()?, voice: voice(input.u8()?)?, vouched: input.bool()? };
        // What stands in an address must be of its grammar, whoever wrote the file.
        let fits = token.slots().len() == spot.values.len()
            && token.slots().iter().zip(&spot.values).all(|(slot, value)| slot.fits(value))
            && spot.key == spot_key(&spot.values);
        if token < last || !(spot.is_the_models() && spot.values.is_empty() || !spot.is_the_models() && fits) {
            return Err(RestoreError::Malformed);
        }
        last = token;
        spots.add(token, spot);
    }
    input.end()?;
    Ok(spots)
}

fn marks(bytes: &[u8]) -> Read<Marks> {
    let mut marks = Marks::default();
    let all = indexed(bytes, |input| {
        let key = input.text()?.to_owned();
        Ok((key, Mark { run: input.u32()?, item: input.u32()?, clock: input.u32()?, copied: input.u32()? }))
    })?;
    for (key, mark) in rising(all)? {
        marks.add(&key, mark);
    }
    Ok(marks)
}

fn run(saved: &SavedLedger<'_, [u8]>, number: u32) -> Read<Run> {
    let bytes = saved.whole(Kind::Run, number)?;
    let mut input = In::new(&bytes);
    let parent = input.maybe()?.map(RunId);
    if parent.is_some_and(|parent| parent.0 >= number) {
        return Err(RestoreError::Malformed);
    }
    let seat = match input.u8()? {
        0 => Seat::Presumed,
        1 => Seat::Person,
        2 => Seat::ParentModel,
        _ => return Err(RestoreError::Malformed),
    };
    let hidden = input.bool()?;
    let dialect = Arc::from(input.text()?);
    let count = input.count(34)?;
    let items = (0..count).map(|_| entry(&mut input)).collect::<Read<Vec<_>>>()?;
    let count = input.count(4)?;
    let live = (0..count).map(|_| input.u32()).collect::<Read<Vec<_>>>()?;
    let count = input.count(4)?;
    let calls = keyed(&mut input, count, |input| Ok((input.text()?.to_owned(), Arc::new(noted(input)?))))?;
    let count = input.count(18)?;
    let grants = (0..count).map(|_| grant(&mut input)).collect::<Read<Vec<_>>>()?;
    input.end()?;
    let sources = sources(&saved.whole(Kind::Sources, number)?)?;
    let sighted = Sighted::saved(sightings(&saved.whole(Kind::Sightings, number)?)?);
    let given = entries(&saved.whole(Kind::Given, number)?, |input| input.u32())?;
    let given = Given::restored(given.into_iter().collect());
    let mut run = Run {
        parent,
        seat,
        dialect,
        items,
        live,
        sources,
        sighted,
        calls,
        grants,
        references: HashMap::new(),
        given,
        hidden,
    };
    run.sight_sources();
    // Whoever looks a source up in the file must find what the ledger holds.
    if write::identities(&run) != saved.whole(Kind::Identities, number)? {
        return Err(RestoreError::Malformed);
    }
    Ok(run)
}

fn entry(input: &mut In<'_>) -> Read<Entry> {
    Ok(Entry {
        clock: input.u32()?,
        position: position(input.u8()?)?,
        tool: input.maybe()?,
        turn: input.u32()?,
        batch: input.u32()?,
        earlier: input.bool()?,
        digest: input.array()?,
    })
}

fn noted(input: &mut In<'_>) -> Read<Noted> {
    let (writer_of, error_writer, public) = (writer(input.u8()?)?, writer(input.u8()?)?, input.bool()?);
    let count = input.count(5)?;
    let field = |input: &mut In<'_>| {
        let written = input.text()?;
        let path = Path::parse(written).filter(|path| path.to_string() == written).ok_or(RestoreError::Malformed)?;
        let field = match input.u8()? {
            4 => Field::Index,
            other => Field::Of(writer(other)?),
        };
        Ok((path, field))
    };
    Ok(Noted {
        writer: writer_of,
        error_writer,
        public,
        fields: (0..count).map(|_| field(input)).collect::<Read<Vec<_>>>()?,
        may_echo: input.bool()?,
        base: input.maybe_text()?.map(address).transpose()?,
        told: input.maybe_u64()?.map(Bits::thousandths),
        refused: {
            let count = input.count(4)?;
            (0..count).map(|_| input.text().map(Into::into)).collect::<Read<Vec<_>>>()?
        },
        question: input.maybe_text()?.map(Into::into),
        query: input.maybe_text()?.map(Into::into),
        tool: input.u32()?,
    })
}

fn grant(input: &mut In<'_>) -> Read<Grant> {
    let address = address(input.text()?)?;
    let (tag, until) = (input.u8()?, input.i64()?);
    let scope = match tag {
        0 if until == 0 => Scope::Once,
        1 if until == 0 => Scope::Run,
        2 => Scope::Until(until),
        _ => return Err(RestoreError::Malformed),
    };
    Ok(Grant { address, scope, item: input.u32()?, used: input.bool()? })
}

fn sources(bytes: &[u8]) -> Read<Sources> {
    let all = indexed(bytes, |input| {
        let address = address(input.text()?)?;
        let (item, writer, author) = (input.u32()?, writer(input.u8()?)?, input.maybe()?);
        let (vouched, hole) = (input.maybe()?, input.bool()?);
        let (author, vouched) = (author.into(), vouched.into());
        Ok((address, Named { item, author, vouched, writer, hole }))
    })?;
    Sources::restored(all).ok_or(RestoreError::Malformed)
}

fn sightings(bytes: &[u8]) -> Read<HashMap<[u8; 16], Sightings>> {
    let all = entries(bytes, |input| {
        let (person, world) = (input.maybe()?.into(), input.maybe()?.into());
        let (model, ignored, closed) = (input.maybe()?.into(), input.maybe()?.into(), input.bool()?);
        Ok(Sightings { person, world, model, ignored, closed, source: None.into() })
    })?;
    Ok(all.into_iter().collect())
}

fn address(spelling: &str) -> Read<Address> {
    Address::revealed(spelling).ok_or(RestoreError::Malformed)
}

fn writer(tag: u8) -> Read<Writer> {
    match tag {
        0 => Ok(Writer::Person),
        1 => Ok(Writer::World),
        2 => Ok(Writer::Model),
        3 => Ok(Writer::Ignored),
        _ => Err(RestoreError::Malformed),
    }
}

fn voice(tag: u8) -> Read<Voice> {
    match tag {
        0 => Ok(Voice::Person),
        1 => Ok(Voice::Public),
        2 => Ok(Voice::Private),
        3 => Ok(Voice::Arguments),
        4 => Ok(Voice::Model),
        _ => Err(RestoreError::Malformed),
    }
}

fn position(tag: u8) -> Read<Position> {
    const ALL: [Position; 15] = [
        Position::User,
        Position::Relay,
        Position::System,
        Position::Attachment,
        Position::Assistant,
        Position::Thinking,
        Position::ToolCall,
        Position::ToolResult,
        Position::Task,
        Position::Summary,
        Position::Report,
        Position::Answer,
        Position::Grant,
        Position::Rewind,
        Position::Hidden,
    ];
    ALL.get(usize::from(tag)).copied().ok_or(RestoreError::Malformed)
}
