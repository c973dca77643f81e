//! What one address in an item becomes: a source, a mark or nothing.
//!
//! The order in which the tests of [`Reader::is_an_echo`] stand is the rule of the world's side.

use std::borrow::Cow;
use std::sync::Arc;

use super::text::Context;
use super::{Effect, Reader, Seen};
use crate::address::{Form, View, fold, is_bare_root, is_site_root, wide_key_extends};
use crate::find::{self, Found};
use crate::ledger::{Ledger, Looked, Mark, Named, New, Offered, Parsed, Reading, RunId, SHORTEST, Sources};
use crate::policy::Reach;
use crate::writer::Writer;

/// Whether a character separates the parts of an address within a part.
fn separates(character: char) -> bool {
    matches!(
        character,
        '/' | '?'
            | '&'
            | '='
            | '#'
            | ';'
            | ','
            | ':'
            | '|'
            | '@'
            | '~'
            | '$'
            | '!'
            | '*'
            | '"'
            | '\''
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
    )
}

/// The author of what a person wrote or brought in.
pub(super) const PERSON: &str = "@";

/// Whether an address that a person or the world wrote had been written before, in any spelling of its wide key.
#[derive(Clone, Copy, Default)]
struct First {
    /// Neither had.
    of_anybody: bool,
    /// The same writer had not.
    of_its_writer: bool,
}

impl Reader<'_, '_> {
    /// One address of a text that is not the model's.
    pub(super) fn one(&mut self, writer: Writer, found: &Found<'_>, context: &Context<'_>, index: bool) {
        if found.form == Form::Absolute
            && let Some(reading) = Reading::plain(&found.spelling)
        {
            return self.read(writer, found, &reading, context, index);
        }
        let parsed = match found.form {
            Form::Absolute | Form::Bare => self.ledger.readings.read(&found.spelling, found.form),
            Form::Relative => {
                let joined = context.base.and_then(|base| base.joined(&found.spelling));
                joined.map(|address| Arc::new(Parsed::from(address)))
            }
        };
        if let Some(parsed) = parsed {
            self.read(writer, found, &parsed.reading(), context, index);
        }
    }

    /// The same once it is read.
    fn read(&mut self, writer: Writer, found: &Found<'_>, reading: &Reading<'_>, context: &Context<'_>, index: bool) {
        // What stands in no result has one author: the person who wrote it or brought it in.
        let author = match writer {
            Writer::Person | Writer::World => context.author.or_else(|| Some(self.ledger.tool_number(PERSON))),
            Writer::Model | Writer::Ignored => None,
        };
        let context = &Context { author, ..*context };
        let Some(run) = self.ledger.run(self.run) else { return };
        let (effect, new) = match writer {
            Writer::Person => {
                let looked = run.sources.look(&reading.keys);
                (Effect::Source, self.source(reading, looked, writer, context, false))
            }
            Writer::World => {
                let looked = run.sources.look(&reading.keys);
                self.outside(reading, looked, context, index)
            }
            Writer::Model | Writer::Ignored => (Effect::None, None),
        };
        let sight = self.sight(reading, writer, effect, new.map(|(index, _)| index));
        self.offer(reading, writer, sight, new.map(|(_, new)| new), author);
        (self.tell)(Seen { writer, key: &reading.wide, spelling: Some(&found.spelling), effect });
    }

    /// What an address in the world's words becomes, and the number of the source that it makes.
    fn outside(
        &mut self,
        reading: &Reading<'_>,
        looked: Looked,
        context: &Context<'_>,
        index: bool,
    ) -> (Effect, Option<(u32, New)>) {
        let Reading { keys, wide, .. } = reading;
        let may_echo = context.may_echo && !index;
        let is_new = looked.known.is_none();
        let extends_what_was_refused = || context.refused.iter().any(|asked| wide_key_extends(wide, asked));
        if is_new && self.policy.order_counts && extends_what_was_refused() {
            return (Effect::Closed, None);
        }
        if is_new && self.policy.order_counts && self.is_an_echo(keys.view, wide, context, index, may_echo) {
            return (Effect::Closed, None);
        }
        (Effect::Source, self.source(reading, looked, Writer::World, context, may_echo))
    }

    /// Whether an address in the world's words may only repeat what the model wrote.
    fn is_an_echo(&mut self, address: View<'_>, key: &str, context: &Context<'_>, index: bool, may_echo: bool) -> bool {
        let root = address.is_root();
        // The root of a site carries no bytes but the host, which an index or another source knows.
        if root && (index || self.has_source_on(address)) {
            return false;
        }
        if index && self.repeats_the_search(address) {
            return true;
        }
        if index && self.policy.index_fields && !self.stands_in_query(key, context) {
            return false;
        }
        if self.ledger.marks.get(key).is_some() {
            return true;
        }
        if !may_echo {
            return false;
        }
        // A site's bare root is no cut of its pages; a root with further labels may carry something in them.
        let names_a_site = root && is_site_root(key);
        let ledger = &*self.ledger;
        let counts = |mark: &str| !is_of_a_source(ledger, self.run, mark, address);
        if !names_a_site && ledger.marks.len() > 0 {
            let mut echo = ledger.marks.near(key, &counts).is_some();
            // An address in this one may be encoded, and its parameters sorted among the outer one's.
            find::written(address.reveal(), &mut |inner| {
                echo |= inner.key != key && ledger.marks.repeated_by(inner.key, &counts).is_some();
            });
            if echo {
                return true;
            }
        }
        self.has_a_part_of_the_models(address)
    }

    fn stands_in_query(&self, key: &str, context: &Context<'_>) -> bool {
        let mut stands = false;
        if let Some(query) = context.query {
            find::written_in_json(query, &mut |written| stands |= overlap(written.key, key));
        }
        stands
    }

    /// Whether an index put the model's words where its engine fills in what was searched for: into a query, or several words
    /// into a path. A host or a segment of one word is found, not made: who searches for a name finds pages called so.
    fn repeats_the_search(&mut self, address: View<'_>) -> bool {
        let words = &mut self.ledger.words;
        if !words.holds_arguments() {
            return false;
        }
        let address = address.reveal();
        let (page, query) = address.split_once('?').unwrap_or((address, ""));
        pairs(query).flat_map(with_pieces).any(|part| words.is_the_models(&part))
            || parts(page).any(|part| part.contains(' ') && words.is_the_models(&part))
    }

    fn has_source_on(&mut self, address: View<'_>) -> bool {
        let mut next = Some(self.run);
        while let Some(run) = next.and_then(|id| self.ledger.run_mut(id)) {
            if run.sources.on_origin(address) {
                return true;
            }
            next = run.parent;
        }
        false
    }

    /// Whether a whole label, path segment or query value stood in arguments before anybody else wrote it.
    fn has_a_part_of_the_models(&mut self, address: View<'_>) -> bool {
        let clock = self.clock;
        let words = &mut self.ledger.words;
        if !words.holds_arguments() {
            return false;
        }
        let any_part = parts(address.reveal()).any(|part| words.is_the_models(&part))
            // Short labels may carry much together.
            || words.may_begin_in_arguments(address.host())
                && words.is_the_models(address.labels_before_site())
                && !words.is_anothers(address.host(), clock);
        match self.policy.echo {
            Reach::Parts => any_part,
            Reach::Substrings => any_part || words.has_a_run_of_the_models(address.reveal()),
        }
    }

    /// Counts an address that a person or the world writes for the first time, in this spelling or in any, with what may be made
    /// of it.
    fn offer(&mut self, reading: &Reading<'_>, writer: Writer, first: First, new: Option<New>, author: Option<u32>) {
        let is_a_persons = writer == Writer::Person && (first.of_its_writer || new.is_some());
        let is_new = first.of_anybody || new.is_some();
        if !is_new && !is_a_persons {
            return;
        }
        let made = new.unwrap_or_default();
        let is_paged =
            new.is_some() && self.policy.conventions && self.policy.rules.number_pages(reading.keys.view.reveal());
        let more = Offered {
            addresses: u32::from(is_new),
            persons: u32::from(is_a_persons),
            parents: made.parents,
            roots: u32::from(made.has_root),
            paged: u32::from(is_paged),
        };
        self.ledger.offers.add(reading.keys.view.host(), author, more);
    }

    /// Records a source, or that the known one is named again; the number of a new one, and which of its parent paths are new.
    fn source(
        &mut self,
        reading: &Reading<'_>,
        looked: Looked,
        writer: Writer,
        context: &Context<'_>,
        may_be_echo: bool,
    ) -> Option<(u32, New)> {
        let (item, hole) = (self.item, context.hole);
        let vouched = (!may_be_echo).then_some(item);
        let run = self.ledger.run_mut(self.run)?;
        if let Some(index) = looked.known {
            // Whoever else names it takes the doubt away that it only came from a tool that may echo.
            run.sources.name_again(index, vouched, hole);
            return None;
        }
        let named = Named { item, author: context.author.into(), vouched: vouched.into(), writer, hole };
        run.sources.add(&reading.keys, looked, named)
    }

    /// Keeps the first sighting of each writer, and which wide keys sources have.
    fn sight(&mut self, reading: &Reading<'_>, writer: Writer, effect: Effect, new: Option<u32>) -> First {
        let item = Some(self.item).into();
        let Some(run) = self.ledger.run_mut(self.run) else { return First::default() };
        let seen = match new {
            Some(new) => run.see_source(&reading.wide, new, reading.wide_from),
            None => run.see(&reading.wide),
        };
        let Some(seen) = seen else { return First::default() };
        let is_offered = seen.person.or(seen.world).get().is_some();
        seen.closed |= effect == Effect::Closed;
        let first = seen.of(writer);
        let of_its_writer = first.get().is_none();
        *first = first.or(item);
        if let Some(new) = new.filter(|_| seen.source.get().is_none()) {
            seen.source = Some(new).into();
            run.sources.set_first(new);
        }
        match writer {
            Writer::Person | Writer::World => First { of_anybody: !is_offered, of_its_writer },
            Writer::Model | Writer::Ignored => First::default(),
        }
    }

    /// Marks what the model wrote, unless it only copies a source in view.
    pub(super) fn mark(&mut self, read: impl FnOnce(&mut dyn FnMut(find::Written<'_>))) {
        // All readings of one occurrence carry the same spelling, one after the other.
        let mut last: Option<(String, Option<u32>)> = None;
        read(&mut |find::Written { key, spelling, beyond }| {
            let copied = spelling.and_then(|spelling| match &last {
                Some((same, copied)) if same == spelling => *copied,
                Some(_) | None => {
                    let copied = self.copied(spelling);
                    last = Some((spelling.to_owned(), copied));
                    copied
                }
            });
            let effect = if copied.is_some() && !beyond { Effect::None } else { Effect::Mark };
            let first = (effect == Effect::Mark).then(|| {
                let copied = copied.unwrap_or_default();
                self.ledger.marks.add(key, Mark { run: self.run.0, item: self.item, clock: self.clock, copied })
            });
            // A mark of the run says itself where its model wrote the address first.
            if first.is_none_or(|first| first.run != self.run.0) {
                let item = Some(self.item).into();
                if let Some(seen) = self.ledger.run_mut(self.run).and_then(|run| run.see_mark(key)) {
                    seen.model = seen.model.or(item);
                }
            }
            (self.tell)(Seen { writer: Writer::Model, key, spelling, effect });
        });
    }

    /// How long the wide key of a spelling is that only copies a source in view: its own, or one that serializes to it.
    fn copied(&mut self, spelling: &str) -> Option<u32> {
        if self.sources_in_view().all(|sources| sources.len() == 0) {
            return None;
        }
        // An address may stand in the path of one without a scheme.
        let has_scheme = |(scheme, _): (&str, &str)| scheme.bytes().all(|byte| byte.is_ascii_alphabetic());
        let form = if spelling.split_once("://").is_some_and(has_scheme) { Form::Absolute } else { Form::Bare };
        if form == Form::Absolute
            && let Some(reading) = Reading::plain(spelling)
        {
            return self.copies(&reading);
        }
        if form == Form::Bare
            && let Some(completed) = completed(spelling)
        {
            if let Some(reading) = Reading::plain(&completed) {
                return self.copies(&reading);
            }
            // Most names with such a host are members and calls of programs, and no source.
            if is_odd_host(spelling) && !self.sources_in_view().any(|sources| sources.has_odd(&completed)) {
                return None;
            }
        }
        let parsed = self.ledger.readings.read(spelling, form)?;
        self.copies(&parsed.reading())
    }

    fn sources_in_view(&self) -> impl Iterator<Item = &Sources> {
        self.ledger.chain(self.run).filter_map(|id| self.ledger.run(id)).map(|run| &run.sources)
    }

    fn copies(&self, Reading { keys, wide, .. }: &Reading<'_>) -> Option<u32> {
        let copies = self.sources_in_view().any(|sources| sources.look(keys).known.is_some());
        copies.then(|| u32::try_from(wide.len()).unwrap_or(u32::MAX))
    }
}

/// What a name without a scheme stands for, as a parser writes the plain ones.
fn completed(spelling: &str) -> Option<String> {
    let host = host(spelling);
    let is_name = host.starts_with(|first: char| first.is_ascii_alphanumeric()) && host.contains('.');
    let is_told = is_name && spelling.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    let root = if host.len() == spelling.len() && host.bytes().all(in_plain_host) { "/" } else { "" };
    is_told.then(|| ["https://", spelling, root].concat())
}

/// Whether a host holds what a parser lets stand in a name although it does not belong there, or is a number of a version.
fn is_odd_host(spelling: &str) -> bool {
    let is_odd = |byte: u8| matches!(byte, b'!' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'{' | b'}' | b'\'');
    let host = host(spelling);
    // A number with four parts is an address, one with others is written oddly.
    let is_version = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && host.matches('.').count() != 3;
    is_version || host.bytes().any(is_odd) && host.bytes().all(|byte| is_odd(byte) || in_plain_host(byte))
}

fn in_plain_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

/// What stands before path and query of a spelling without a scheme.
fn host(spelling: &str) -> &str {
    spelling.split(['/', '?']).next().unwrap_or(spelling)
}

/// Whether what an address has of a mark is a source's: the first of its wide key in the run or in one above it, letter by
/// letter. Another spelling of the source is the model's.
fn is_of_a_source(ledger: &Ledger, run: RunId, mark: &str, address: View<'_>) -> bool {
    let sources = ledger.chain(run).filter_map(|id| ledger.run(id)?.source_under(mark));
    let address = page(address.reveal());
    sources.map(|source| page(source.reveal())).any(|source| address.contains(source) || source.contains(address))
}

/// An address without its scheme, `www.` and a slash at its end.
fn page(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.strip_suffix('/').unwrap_or(rest)
}

/// The labels of the host, the path segments, and the names and values of the query of an address, each also in the pieces
/// that a further separator makes of it: a parameter of a segment, a part of an address within the address.
fn parts(address: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, tail) = rest.split_at_checked(rest.find(['/', '?']).unwrap_or(rest.len())).unwrap_or((rest, ""));
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let whole = host.split(['.', ':', '@']).chain(path.split('/')).chain(pairs(query));
    whole.filter(|part| part.len() >= SHORTEST || !part.is_ascii()).flat_map(with_pieces)
}

/// A part, folded, and its pieces.
fn with_pieces(part: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let part = fold::words(part);
    let has_pieces = part.bytes().any(|byte| separates(char::from(byte))) || part.trim() != part;
    let pieces: Vec<Cow<'_, str>> = if has_pieces {
        part.split(separates).map(|piece| Cow::Owned(piece.trim().to_owned())).collect()
    } else {
        Vec::new()
    };
    std::iter::once(part).chain(pieces)
}

/// The names and values of a query.
fn pairs(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').flat_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        [name, value]
    })
}

/// Whether an address that the model wrote holds another, or stands in it. A bare root stands in all of its pages and
/// says nothing of them.
pub(super) fn overlap(written: &str, key: &str) -> bool {
    written.contains(key) || key.contains(written) && !is_bare_root(written)
}
