//! One pass over a text: where an address may start, and where it may end.

use std::ops::Range;

use hashbrown::HashSet;
use unicode_normalization::char::is_combining_mark;

use super::Written;
use crate::address::{Address, Form, wide_key};
use crate::find::extent::{Part, Rules, extent};
use crate::find::sign::{self, Sign};

/// How many starts in one run of characters without a space are read to the end of that run. Later ones, in runs that hardly anybody
/// writes, end where further starts stand, so that the work stays linear.
pub(super) const LONG_READINGS: usize = 8;

/// How many later starts a reading may take in, where it is not one of the long ones.
const TAKEN_IN: usize = 4;

/// How many ends inside of a run are taken besides the first and the last.
const SOFT_ENDS: usize = 6;

/// The longest spelling that every reading of a run carries, in bytes; longer ones go to the first readings only.
const SHARED_SPELLING: usize = 1024;

/// How far behind a run an address may go on after spaces, in bytes: more than any argument that is an address.
const REST: usize = 4096;

/// How much space may stand between a quote and an address, in bytes.
const PADDING: usize = 16;

/// How far the end of a value without quotes is looked for, in bytes.
const NEAR: usize = 512;

/// How many addresses of a line are read on to its end.
const RESTS: usize = 4;

/// How many further lines are joined to an address that ends with its line.
const LINES: usize = 6;

/// Where what was found goes.
pub(super) struct Sink<'e> {
    each: &'e mut dyn FnMut(Written),
    /// What was put before, while the same text is read in several ways.
    before: Option<HashSet<String>>,
}

/// An address may start here.
#[derive(Clone, Copy, Debug)]
struct Start {
    at: usize,
    /// The first byte of the host, or of what stands in its place.
    authority: usize,
    form: Form,
}

impl<'e> Sink<'e> {
    pub(super) fn new(each: &'e mut dyn FnMut(Written)) -> Self {
        Self { each, before: None }
    }

    /// From here on nothing is put twice.
    pub(super) fn remember(&mut self) {
        self.before.get_or_insert_default();
    }

    pub(super) fn put(&mut self, text: &str, spelling: Option<&str>, beyond: bool) {
        if let Some(before) = &mut self.before {
            let put = format!("{text}\n{}\n{beyond}", spelling.unwrap_or_default());
            if !before.insert(put) {
                return;
            }
        }
        let key = wide_key(text);
        if !key.is_empty() {
            // What stands behind the spelling may fold away, such as a space at the end of a line.
            let beyond = beyond && spelling.is_none_or(|spelling| wide_key(spelling) != key);
            (self.each)(Written { key, spelling: spelling.map(str::to_owned), beyond });
        }
    }
}

/// What belongs together in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// What stands between spaces, quotes and angle brackets.
    Runs,
    /// All of it, because it is one run whose escapes are undone.
    All,
}

/// Finds every address of a text as it stands. `outer` is the spelling of the address in which the text is encoded.
pub(super) fn scan(text: &str, together: Together, outer: Option<&str>, sink: &mut Sink<'_>) {
    let mut run = Run { end: 0, starts: Vec::new() };
    let mut line = Line { end: 0, rests: 0 };
    // Before this byte no host begins any more.
    let mut host_from = 0;
    for hit in memchr::memchr2_iter(b':', b'.', text.as_bytes()) {
        if hit < host_from && text.as_bytes().get(hit) == Some(&b'.') {
            continue;
        }
        let mut found = [None; 4];
        // Most dots end sentences.
        let goes_on = text.as_bytes().get(hit + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next >= 0x80);
        if !goes_on && text.as_bytes().get(hit) == Some(&b'.') {
            continue;
        }
        if text.as_bytes().get(hit) == Some(&b':') {
            found[0] = scheme_start(text, hit);
        } else {
            let host = host_around(text, hit, host_from);
            host_from = host.end.max(hit + 1);
            found = host_starts(text, host);
        }
        for start in found.into_iter().flatten() {
            if start.at >= run.end {
                run.flush(text, outer, &mut line, sink);
                run.end = match together {
                    Together::Runs => run_end(text, start.authority),
                    Together::All => text.len(),
                };
            }
            // A host right behind its scheme is the same address.
            let again =
                run.starts.last().is_some_and(|last| last.form == Form::Absolute && last.authority == start.authority);
            if !again {
                run.starts.push(start);
            }
        }
    }
    run.flush(text, outer, &mut line, sink);
}

/// The strict reading of the first address in a text, where one starts.
pub(super) fn first_spelling(text: &str) -> Option<(usize, String)> {
    let mut first: Option<Start> = None;
    for hit in memchr::memchr2_iter(b':', b'.', text.as_bytes()) {
        let start = if text.as_bytes().get(hit) == Some(&b':') {
            scheme_start(text, hit)
        } else {
            host_starts(text, host_around(text, hit, 0)).into_iter().flatten().next()
        };
        if start.is_some() {
            first = start;
            break;
        }
    }
    let start = first?;
    let ends = ends(text, start, run_end(text, start.authority), false);
    Some((start.at, text.get(start.at..ends.strict)?.to_owned()))
}

/// A run of characters without a hard end, and where addresses may start in it.
struct Run {
    end: usize,
    starts: Vec<Start>,
}

/// The line that is being read.
struct Line {
    end: usize,
    rests: usize,
}

/// Whether a run is a name and the end of a sentence, so that it has one reading only.
fn is_plain_name(run: &str) -> bool {
    let name = run.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '\'', '*']);
    let mut before = b'.';
    name.bytes().all(|byte| {
        let plain = byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || byte.is_ascii_uppercase() && before != b'.'
            || byte == b'.' && before != b'.';
        before = byte;
        plain
    })
}

/// What the readings of a run are recognised as copies of: a spelling, and where it ends in the text.
struct Copy {
    spelling: String,
    end: usize,
}

impl Run {
    fn flush(&mut self, text: &str, outer: Option<&str>, line: &mut Line, sink: &mut Sink<'_>) {
        if let [start] = self.starts.as_slice()
            && let Some(name) = text.get(start.at..self.end)
            && start.form == Form::Bare
            && is_plain_name(name)
        {
            let name = name.trim_end_matches(|last: char| !last.is_ascii_alphanumeric());
            sink.put(name, outer.or(Some(name)), false);
            self.starts.clear();
            return;
        }
        // The last address that stands for itself; bare hosts inside of it are nothing that anybody reads alone.
        let mut around: Option<Copy> = None;
        // Where the next two addresses with a scheme start behind each start.
        let mut next_schemes: Vec<[Option<usize>; 2]> = Vec::with_capacity(self.starts.len());
        let mut next = [None, None];
        for start in self.starts.iter().rev() {
            next_schemes.push(next);
            if start.form == Form::Absolute {
                next = [Some(start.at), next[0]];
            }
        }
        for (index, start) in self.starts.iter().enumerate() {
            // A scheme that stands in the host's place ends nothing; the one behind it may.
            let next_scheme =
                next_schemes.pop().unwrap_or_default().into_iter().flatten().find(|next| *next > start.authority);
            let limit = if index < LONG_READINGS {
                self.end
            } else {
                self.starts.get(index + 1 + TAKEN_IN).map_or(self.end, |far| far.at)
            };
            let mut ends = ends(text, *start, limit, index > 0);
            if let Some(next) = next_scheme.filter(|next| *next < ends.last) {
                ends.soft.push(next);
            }
            let own =
                Copy { spelling: text.get(start.at..ends.strict).unwrap_or_default().to_owned(), end: ends.strict };
            let held = around.as_ref().filter(|around| {
                let shared = index < LONG_READINGS || around.spelling.len() <= SHARED_SPELLING;
                shared && start.form == Form::Bare && start.at < around.end
            });
            let copy = held.unwrap_or(&own);
            let outer = outer.filter(|outer| index < LONG_READINGS || outer.len() <= SHARED_SPELLING);
            let spelling = Some(outer.unwrap_or(&copy.spelling));
            let mut put = |end: usize| {
                let beyond = outer.is_none() && end > copy.end;
                sink.put(text.get(start.at..end).unwrap_or_default(), spelling, beyond);
            };
            put(ends.strict);
            if let Some(end) = closed(text, start.at, ends.strict).filter(|end| *end != ends.last) {
                put(end);
                // The destination of a definition ends with its word.
                let value = text.get(start.at..end).unwrap_or_default();
                if let Some(space) = value.find(char::is_whitespace).filter(|space| start.at + space != ends.last) {
                    put(start.at + space);
                }
            }
            for end in &ends.soft {
                put(*end);
            }
            if ends.last > ends.strict {
                put(ends.last);
            }
            let inside = outer.is_some();
            lenient(
                text.get(start.at..ends.last).unwrap_or_default(),
                *start,
                spelling,
                !inside && ends.last > copy.end,
                sink,
            );
            if index == 0 || held.is_none() && index < LONG_READINGS {
                further(text, *start, self.end, spelling, inside, line, sink);
            }
            if held.is_none() {
                around = Some(own);
            }
        }
        self.starts.clear();
    }
}

/// The end of a value that an address begins: where the quote or bracket before it is closed, or the text ends.
fn closed(text: &str, start: usize, strict: usize) -> Option<usize> {
    let before = text.get(floor(text, start.saturating_sub(PADDING))..start)?;
    let spaced = before.ends_with([' ', '\t']);
    let before = before.trim_end();
    let (close, reach): (&[char], usize) = match before.chars().next_back() {
        Some('"') => (&['"'], REST),
        Some('\'') => (&['\''], REST),
        Some('`') => (&['`'], REST),
        Some('|') => (&['|'], REST),
        Some('(') => (&[')'], REST),
        Some('<') => (&['>'], REST),
        Some('[') => (&[']'], REST),
        Some(',' | ';') => (&[',', ';', '\n'], NEAR),
        Some(':' | '-') if spaced => (&['\n', '\r'], NEAR),
        Some(_) => return None,
        None => (&[], REST),
    };
    let limit = floor(text, strict + reach);
    let rest = text.get(strict..limit)?;
    let end = rest.find(close).or((limit == text.len()).then_some(rest.len()))?;
    // A title or a comment behind it is no part of a value.
    Some(strict + rest.get(..end).unwrap_or_default().trim_end().len())
}

/// What goes on behind the run: words after spaces, the next lines.
fn further(
    text: &str,
    start: Start,
    end: usize,
    spelling: Option<&str>,
    inside: bool,
    line: &mut Line,
    sink: &mut Sink<'_>,
) {
    let bytes = text.as_bytes();
    let plain_host = start.form == Form::Bare && !text.get(start.at..end).unwrap_or_default().contains(['/', '?']);
    match bytes.get(end) {
        Some(b'\n' | b'\r') if !plain_host => join_lines(text, start, end, spelling, inside, sink),
        Some(b' ' | b'\t') | Some(0x80..) if !plain_host => {
            if end >= line.end {
                line.end =
                    memchr::memchr(b'\n', bytes.get(end..).unwrap_or_default()).map_or(bytes.len(), |at| end + at);
                line.rests = 0;
            }
            if line.rests < RESTS {
                line.rests += 1;
                let limit = line.end.min(floor(text, end + REST));
                let rest = text.get(end..limit).unwrap_or_default();
                let quote = end + rest.find(['"', '<', '>']).unwrap_or(rest.len());
                sink.put(text.get(start.at..quote).unwrap_or_default(), spelling, !inside);
                if let Some(closed) = rest.find([')', '\'', '`', ']', '|']) {
                    sink.put(text.get(start.at..end + closed).unwrap_or_default(), spelling, !inside);
                }
            }
        }
        // A value may hold a tag.
        Some(b'<' | b'>') if start.form == Form::Absolute => {
            let rest = text.get(end..floor(text, end + NEAR)).unwrap_or_default();
            for quotes in [['"', '\n'], ['\'', '\n']] {
                let quote = end + rest.find(quotes).unwrap_or(rest.len());
                sink.put(text.get(start.at..quote).unwrap_or_default(), spelling, !inside);
            }
        }
        Some(b'"') if in_destination(text, start.at) => {
            let rest = text.get(end..floor(text, end + NEAR)).unwrap_or_default();
            let space = end + rest.find(char::is_whitespace).unwrap_or(rest.len());
            sink.put(text.get(start.at..space).unwrap_or_default(), spelling, !inside);
        }
        _ => {}
    }
}

/// Whether the destination of a Markdown link goes on here, which ends with its word whatever stands in it.
fn in_destination(text: &str, start: usize) -> bool {
    let before = text.get(floor(text, start.saturating_sub(NEAR))..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let definition = line.trim_start().starts_with('[') && line.contains("]:");
    definition || line.rsplit_once("](").is_some_and(|(_, destination)| !destination.contains(')'))
}

/// The address with the beginnings of the next lines joined to it, as long as they end with their lines too.
fn join_lines(text: &str, start: Start, end: usize, spelling: Option<&str>, inside: bool, sink: &mut Sink<'_>) {
    let mut joined = text.get(start.at..end).unwrap_or_default().to_owned();
    let mut rest = text.get(end..).unwrap_or_default();
    for _ in 0..LINES {
        let next = rest.trim_start_matches([' ', '\t', '\r', '\n', '>', '|']);
        let next = next.get(..run_end(next, 0)).unwrap_or_default();
        let scheme = memchr::memchr(b':', next.as_bytes()).and_then(|colon| scheme_start(next, colon));
        if next.is_empty() || joined.len() + next.len() > REST || scheme.is_some() {
            return;
        }
        joined.push_str(next);
        sink.put(&joined, spelling, !inside);
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '>', '|']).get(next.len()..).unwrap_or_default();
        if !rest.starts_with(['\n', '\r']) {
            return;
        }
    }
}

/// The reading of the most lenient parser, where a plain reading may name another host.
fn lenient(found: &str, start: Start, spelling: Option<&str>, beyond: bool, sink: &mut Sink<'_>) {
    let end = found.find(['/', '?', '#']).filter(|end| *end > start.authority - start.at).unwrap_or(found.len());
    let head = found.get(start.authority - start.at..end).unwrap_or_default();
    if !head.contains(['@', '\\', '%', '`', '|']) && !found.contains('\\') {
        return;
    }
    if let Some(address) = Address::written(found, start.form)
        && address.is_odd()
        && let Some((_, rest)) = address.reveal().split_once(':')
    {
        let rest = rest.replace('\\', "/");
        let rest = rest.trim_start_matches('/');
        sink.put(rest, spelling, beyond);
        let path = rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or_default();
        sink.put(&format!("{}{path}", address.host()), spelling, beyond);
    }
}

/// The start of an address whose scheme ends with the colon at `colon`, whatever is glued to it.
fn scheme_start(text: &str, colon: usize) -> Option<Start> {
    let bytes = text.as_bytes();
    let before = bytes.get(colon.saturating_sub(5)..colon)?;
    let secure = matches!(before.last()?, b's' | b'S');
    let word = before.get(..before.len() - usize::from(secure))?;
    let word = word.get(word.len().checked_sub(4)?..)?;
    if !(word.eq_ignore_ascii_case(b"http") || word.eq_ignore_ascii_case(b"hxxp")) {
        return None;
    }
    let slashes = bytes.get(colon + 1..)?.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    let authority = colon + 1 + slashes;
    // Something that can begin a host must follow.
    let first = text.get(authority..)?.chars().next()?;
    let begins = !first.is_whitespace() && !first.is_control() && !matches!(first, '"' | '<' | '>');
    let at = colon - 4 - usize::from(secure);
    (begins && (slashes > 0 || first.is_ascii_alphanumeric())).then_some(Start { at, authority, form: Form::Absolute })
}

/// The letters, digits, dots and hyphens around a dot, not before `from`.
fn host_around(text: &str, dot: usize, from: usize) -> Range<usize> {
    let before = text.get(from..dot).unwrap_or_default();
    let before = before.len() - before.trim_end_matches(in_host).len();
    let after = text.get(dot..).unwrap_or_default();
    let after = after.find(|letter| !in_host(letter)).unwrap_or(after.len());
    dot - before..dot + after
}

fn in_host(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    }
    match sign::sign(letter) {
        Sign::Data | Sign::Ideograph | Sign::Joiner => letter.is_alphanumeric() || is_combining_mark(letter),
        Sign::Stop | Sign::Opening | Sign::Ellipsis | Sign::Break | Sign::Invisible => false,
    }
}

/// Where addresses without a scheme start in a run of host letters: at the run, and behind letters that are not ASCII.
fn host_starts(text: &str, host: Range<usize>) -> [Option<Start>; 4] {
    let run = text.get(host.clone()).unwrap_or_default();
    let start = |offset: usize| {
        let name = run.get(offset..)?;
        // The first label that a dot and another label follow.
        let mut label = 0;
        for dot in memchr::memchr_iter(b'.', name.as_bytes()) {
            let tail = name.get(dot + 1..)?;
            let first = name.get(label..dot)?.find(char::is_alphanumeric);
            if let Some(first) = first.filter(|_| tail.starts_with(char::is_alphanumeric)) {
                let at = host.start + offset + label + first;
                return Some(Start { at, authority: at, form: Form::Bare });
            }
            label = dot + 1;
        }
        None
    };
    if run.is_ascii() {
        return [start(0), None, None, None];
    }
    // The last letter outside ASCII in front of the first dot may be of the sentence, not of the host; so may a mark.
    let dot = run.find('.').unwrap_or(run.len());
    let after = |found: Option<(usize, char)>| found.map(|(at, letter)| at + letter.len_utf8());
    let head = run.get(..dot).unwrap_or_default();
    let glued = after(head.char_indices().rev().find(|(_, letter)| !letter.is_ascii()));
    let marked = |name: &str| after(name.char_indices().rev().find(|(_, letter)| is_combining_mark(*letter)));
    let behind = marked(run).filter(|at| *at > dot);
    [start(0), glued.and_then(start), marked(head).and_then(start), behind.and_then(start)]
}

/// Where the run of characters that belong together ends.
fn run_end(text: &str, from: usize) -> usize {
    let tail = text.get(from..).unwrap_or_default();
    let mut at = 0;
    while let Some(byte) = tail.as_bytes().get(at) {
        match byte {
            0..=b' ' | 0x7f | b'"' | b'<' | b'>' => break,
            0x80.. => {
                let letter = tail.get(at..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
                if letter.is_whitespace() {
                    break;
                }
                at += letter.len_utf8();
            }
            _ => at += 1,
        }
    }
    from + at
}

/// Where an address may end.
struct Ends {
    /// Where the strict side ends it.
    strict: usize,
    /// Other ends inside of the run.
    soft: Vec<usize>,
    /// The end of the run, or of what is read of it.
    last: usize,
}

fn ends(text: &str, start: Start, limit: usize, nested: bool) -> Ends {
    let quoted = text.get(..start.at).is_some_and(|before| before.ends_with('\''));
    // A host may be called like a scheme.
    let mut from = start.authority;
    for _ in 0..TAKEN_IN {
        let rest = text.get(from..limit).unwrap_or_default();
        let Some(behind) = rest.strip_prefix("http://").or_else(|| rest.strip_prefix("https://")) else { break };
        from = limit - behind.len();
    }
    let read = |entities: bool, balance: bool| {
        let rules = Rules { quoted: quoted && balance, entities, balance };
        extent(text, from, limit, Part::Authority, rules)
    };
    let plain = read(false, true);
    let mut found = Ends { strict: plain.end, soft: vec![plain.stop], last: limit };
    found.soft.extend(plain.short);
    let span = text.get(start.authority..limit).unwrap_or_default();
    if span.contains('&') {
        let decoded = read(true, true);
        found.soft.extend([decoded.stop, decoded.end]);
        found.soft.extend(decoded.short);
    }
    // The fragment of one reader is the entity of another.
    found.soft.extend(memchr::memmem::find(span.as_bytes(), b"&#").map(|at| start.authority + at + 1));
    if span.contains([')', ']', '}', '\'']) {
        found.soft.push(read(false, false).end);
    }
    let mut open = [0_usize; 3];
    let mut before = '/';
    let mut in_name = start.form == Form::Bare;
    let mut in_port = false;
    let most = found.soft.len() + SOFT_ENDS;
    for (at, letter) in span.char_indices() {
        let port_ends = in_port && !letter.is_ascii_digit();
        in_port &= !port_ends;
        let soft = match letter {
            _ if port_ends => true,
            // Behind a name anything may end it.
            _ if in_name && !in_host(letter) && !matches!(letter, '/' | '?' | '#') => {
                in_name = false;
                in_port = letter == ':';
                true
            }
            '.' | '-' | '_' => in_name && matches!(before, '.' | '-'),
            'a'..='z' | '0'..='9' => false,
            // The next sentence, where a space is missing.
            'A'..='Z' => in_name && before == '.',
            '/' | '?' | '#' => std::mem::take(&mut in_name) && matches!(before, '.' | '-'),
            '(' => count(&mut open, 0),
            '[' => count(&mut open, 1),
            '{' => count(&mut open, 2),
            ')' => surplus(&mut open, 0),
            ']' => surplus(&mut open, 1),
            '}' => surplus(&mut open, 2),
            '\'' | '`' | '|' | '\\' | '"' | '<' | '>' | ..=' ' => true,
            ',' | ';' => true,
            '*' | '&' => nested || start.form == Form::Bare,
            '\u{80}'.. => before.is_ascii() || !in_host(letter) || sign::sign(letter) == Sign::Ideograph,
            _ => false,
        };
        if soft && found.soft.len() < most {
            found.soft.push(start.authority + at);
        }
        before = letter;
    }
    // Emphasis with underscores is no part of an address.
    let strict = text.get(start.at..found.strict).unwrap_or_default();
    if strict.ends_with('_') {
        found.soft.push(start.at + strict.trim_end_matches('_').len());
    }
    found.soft.retain(|end| *end > start.authority && *end != found.strict && *end != found.last);
    found.soft.sort_unstable();
    found.soft.dedup();
    found
}

fn count(open: &mut [usize; 3], kind: usize) -> bool {
    if let Some(open) = open.get_mut(kind) {
        *open += 1;
    }
    false
}

fn surplus(open: &mut [usize; 3], kind: usize) -> bool {
    match open.get_mut(kind) {
        Some(open) if *open > 0 => {
            *open -= 1;
            false
        }
        _ => true,
    }
}

/// The next lower place where a character begins.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
