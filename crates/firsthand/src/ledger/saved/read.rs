//! Reading a ledger whole.

use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

use super::bytes::In;
use super::lookup::SavedLedger;
use super::{Kind, RestoreError};
use crate::address::{Address, Form};
use crate::calls::Noted;
use crate::conversation::{Position, Scope, Seat};
use crate::json::Path;
use crate::ledger::marks::{Mark, Marks};
use crate::ledger::sources::{Source, Sources};
use crate::ledger::words::{Place, Voice, Words};
use crate::ledger::{Entry, Grant, Ledger, Run, RunId, Sightings};
use crate::policy::Field;
use crate::writer::Writer;

type Read<T> = Result<T, RestoreError>;

pub(super) fn ledger(bytes: &[u8]) -> Read<Ledger> {
    let saved = SavedLedger::open(bytes)?;
    let head = saved.whole(Kind::Head, 0)?;
    let mut head = In::new(&head);
    let (key, clock, runs, keeps_runs) = (head.array()?, head.u32()?, head.u32()?, head.bool()?);
    head.end()?;
    let tools = tools(&saved.whole(Kind::Tools, 0)?)?;
    let marks = marks(&saved.whole(Kind::Marks, 0)?)?;
    let operator: HashSet<[u8; 16]> =
        entries(&saved.whole(Kind::Operator, 0)?, |input| input.array())?.into_iter().collect();
    let outside = entries(&saved.whole(Kind::Outside, 0)?, |input| {
        let word = input.array().map(u64::from_be_bytes)?;
        Ok((word, Place { clock: input.u32()?, offset: input.u32()?, voice: voice(input.u8()?)? }))
    })?;
    let model =
        entries(&saved.whole(Kind::Model, 0)?, |input| Ok((input.array().map(u64::from_be_bytes)?, input.u32()?)))?;
    let pair = |input: &mut In<'_>| Ok((input.array().map(u32::from_be_bytes)?, input.u32()?));
    let argued = entries(&saved.whole(Kind::Argued, 0)?, pair)?;
    let shown = entries(&saved.whole(Kind::Shown, 0)?, pair)?;
    let words =
        Words::restored(outside.into_iter(), model.into_iter(), argued.into_iter(), shown.into_iter(), keeps_runs);
    let runs = (0..runs).map(|number| run(&saved, number)).collect::<Read<Vec<_>>>()?;
    let tool_numbers = (0..).zip(&tools).map(|(number, tool): (u32, &Arc<str>)| (Arc::clone(tool), number)).collect();
    Ok(Ledger { key, runs, marks, words, operator, tools, tool_numbers, clock })
}

/// Entries until the section ends.
fn entries<T>(bytes: &[u8], mut one: impl FnMut(&mut In<'_>) -> Read<T>) -> Read<Vec<T>> {
    let mut input = In::new(bytes);
    let mut all = Vec::new();
    while input.end().is_err() {
        all.push(one(&mut input)?);
    }
    Ok(all)
}

/// Entries behind a table of offsets; the table is for those who look one up.
fn indexed<T>(bytes: &[u8], mut one: impl FnMut(&mut In<'_>) -> Read<T>) -> Read<Vec<T>> {
    let mut input = In::new(bytes);
    let count = input.count(4)?;
    input.raw(count * 4)?;
    let all = (0..count).map(|_| one(&mut input)).collect::<Read<Vec<_>>>()?;
    input.end()?;
    Ok(all)
}

fn tools(bytes: &[u8]) -> Read<Vec<Arc<str>>> {
    let mut input = In::new(bytes);
    let count = input.count(4)?;
    (0..count).map(|_| input.text().map(Arc::from)).collect()
}

fn marks(bytes: &[u8]) -> Read<Marks> {
    let mut marks = Marks::default();
    for (key, mark) in indexed(bytes, |input| {
        let key = input.text()?.to_owned();
        Ok((key, Mark { run: input.u32()?, item: input.u32()?, clock: input.u32()?, copied: input.u32()? }))
    })? {
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
    let calls =
        (0..count).map(|_| Ok((input.text()?.to_owned(), noted(&mut input)?))).collect::<Read<HashMap<_, _>>>()?;
    let count = input.count(18)?;
    let grants = (0..count).map(|_| grant(&mut input)).collect::<Read<Vec<_>>>()?;
    let count = input.count(8)?;
    let offers = (0..count).map(|_| Ok((input.text()?.into(), input.u32()?))).collect::<Read<HashMap<_, _>>>()?;
    let count = input.count(8)?;
    let authored = (0..count).map(|_| Ok((input.u32()?, input.u32()?))).collect::<Read<HashMap<_, _>>>()?;
    let count = input.count(4)?;
    let opened = (0..count).map(|_| input.text().map(Into::into)).collect::<Read<Vec<_>>>()?;
    input.end()?;
    let sources = sources(&saved.whole(Kind::Sources, number)?)?;
    let sightings = sightings(&saved.whole(Kind::Sightings, number)?)?;
    Ok(Run { parent, seat, dialect, items, live, sources, sightings, calls, grants, hidden, offers, authored, opened })
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
        let path = Path::parse(input.text()?).ok_or(RestoreError::Malformed)?;
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
        question: input.maybe_text()?.map(Into::into),
        query: input.maybe_text()?.map(Into::into),
        tool: input.u32()?,
    })
}

fn grant(input: &mut In<'_>) -> Read<Grant> {
    let address = address(input.text()?)?;
    let (tag, until) = (input.u8()?, input.i64()?);
    let scope = match tag {
        0 => Scope::Once,
        1 => Scope::Run,
        2 => Scope::Until(until),
        _ => return Err(RestoreError::Malformed),
    };
    Ok(Grant { address, scope, item: input.u32()?, used: input.bool()? })
}

fn sources(bytes: &[u8]) -> Read<Sources> {
    let mut sources = Sources::default();
    for source in indexed(bytes, |input| {
        let address = address(input.text()?)?;
        let (item, writer, author) = (input.u32()?, writer(input.u8()?)?, input.maybe()?);
        let (vouched, hole) = (input.maybe()?, input.bool()?);
        Ok(Source { address, item, writer, author, vouched, hole })
    })? {
        sources.add(source);
    }
    Ok(sources)
}

fn sightings(bytes: &[u8]) -> Read<HashMap<[u8; 16], Sightings>> {
    let all = entries(bytes, |input| {
        let key = input.array()?;
        let (person, world) = (input.maybe()?, input.maybe()?);
        let (model, ignored, closed) = (input.maybe()?, input.maybe()?, input.bool()?);
        Ok((key, Sightings { person, world, model, ignored, closed }))
    })?;
    Ok(all.into_iter().collect())
}

fn address(spelling: &str) -> Read<Address> {
    Address::written(spelling, Form::Absolute).ok_or(RestoreError::Malformed)
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
