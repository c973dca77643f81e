//! What goes on behind a run: words after spaces, the next lines, what a lenient parser makes of it.

use std::ops::Range;

use super::ends::{NEAR, REST, floor};
use super::sink::{Sink, Spelling};
use super::start::{Start, run_end, scheme_start};
use crate::address::{Address, Form};

/// How many addresses of a line are read on to its end.
const RESTS: usize = 4;

/// How many further lines are joined to an address that ends with its line.
const LINES: usize = 6;

/// The line that is being read.
#[derive(Default)]
pub(super) struct Line {
    end: usize,
    rests: usize,
}

/// An address whose run has been read.
#[derive(Clone, Copy)]
pub(super) struct Behind<'t, 's> {
    pub(super) text: &'t str,
    pub(super) start: Start,
    /// The end of its run.
    pub(super) end: usize,
    pub(super) spelling: &'s Spelling<'t>,
    /// Where the spelling ends in the text, unless the address stands inside of that, encoded.
    pub(super) copied_to: Option<usize>,
}

/// Puts the address with what goes on behind its run.
pub(super) fn further(behind: Behind<'_, '_>, line: &mut Line, sink: &mut Sink<'_>) {
    let Behind { text, start, end, spelling, copied_to } = behind;
    let bytes = text.as_bytes();
    let run = bytes.get(start.at..end).unwrap_or_default();
    let plain_host = start.form == Form::Bare && memchr::memchr2(b'/', b'?', run).is_none();
    let mut put = |end: usize| sink.put_part(text, start.at..end, Some(spelling), copied_to);
    match bytes.get(end) {
        Some(b'\n' | b'\r') if !plain_host => return join_lines(behind, sink),
        Some(b' ' | b'\t') | Some(0x80..) if !plain_host => {
            if end >= line.end {
                line.end =
                    memchr::memchr(b'\n', bytes.get(end..).unwrap_or_default()).map_or(bytes.len(), |at| end + at);
                line.rests = 0;
            }
            if line.rests < RESTS {
                line.rests += 1;
                let limit = line.end.min(floor(text, end + REST));
                let rest = bytes.get(end..limit).unwrap_or_default();
                put(end + memchr::memchr3(b'"', b'<', b'>', rest).unwrap_or(rest.len()));
                let closed = memchr::memchr3(b')', b'\'', b'`', rest).unwrap_or(rest.len());
                let before = rest.get(..closed).unwrap_or_default();
                let closed = memchr::memchr2(b']', b'|', before).unwrap_or(closed);
                if closed < rest.len() {
                    put(end + closed);
                }
            }
        }
        // A value may hold a tag.
        Some(b'<' | b'>') if start.form == Form::Absolute => {
            let rest = near(bytes, end..floor(text, end + NEAR));
            for quote in [b'"', b'\''] {
                put(end + memchr::memchr2(quote, b'\n', rest).unwrap_or(rest.len()));
            }
        }
        _ => {}
    }
    if matches!(bytes.get(end), Some(b'"' | b'<' | b'>'))
        && let Some(open) = open_in_destination(text, start.at..end)
    {
        let rest = text.get(end..floor(text, end + NEAR)).unwrap_or_default();
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        put(end + word.len());
        if let Err(closed) = brackets(word, open) {
            put(end + closed);
        }
    }
}

fn near(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

/// How many round brackets are open behind an address in the destination of a Markdown link, which ends with its word or
/// with a bracket that closes none, whatever else stands in it. `None` outside of destinations.
fn open_in_destination(text: &str, address: Range<usize>) -> Option<usize> {
    let before = text.get(floor(text, address.start.saturating_sub(NEAR))..address.end).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let in_link = line.rsplit_once("](").and_then(|(_, destination)| brackets(destination, 0).ok());
    in_link.or_else(|| (line.trim_start().starts_with('[') && line.contains("]:")).then_some(0))
}

/// How many round brackets are open behind a text, or where one closes none.
fn brackets(text: &str, mut open: usize) -> Result<usize, usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => {}
            b'(' => open += 1,
            b')' => open = open.checked_sub(1).ok_or(at)?,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    Ok(open)
}

/// The address with the beginnings of the next lines joined to it, as long as they end with their lines too.
fn join_lines(behind: Behind<'_, '_>, sink: &mut Sink<'_>) {
    let Behind { text, start, end, spelling, copied_to } = behind;
    let mut joined = String::new();
    let mut rest = text.get(end..).unwrap_or_default();
    for _ in 0..LINES {
        let margin = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'|')).count();
        rest = rest.get(margin..).unwrap_or_default();
        let next = rest.get(..run_end(rest, 0)).unwrap_or_default();
        let scheme = memchr::memchr(b':', next.as_bytes()).and_then(|colon| scheme_start(next, colon));
        let before = if joined.is_empty() { end - start.at } else { joined.len() };
        if next.is_empty() || before + next.len() > REST || scheme.is_some() {
            return;
        }
        if joined.is_empty() {
            joined.push_str(text.get(start.at..end).unwrap_or_default());
        }
        joined.push_str(next);
        sink.put(&joined, Some(spelling), copied_to.is_some());
        rest = rest.get(next.len()..).unwrap_or_default();
        if !rest.starts_with(['\n', '\r']) {
            return;
        }
    }
}

/// Puts the reading of the most lenient parser, where a plain reading may name another host.
pub(super) fn lenient(found: &str, start: Start, spelling: &Spelling<'_>, beyond: bool, sink: &mut Sink<'_>) {
    let bytes = found.as_bytes();
    if memchr::memchr3(b'@', b'\\', b'%', bytes).is_none() && memchr::memchr2(b'`', b'|', bytes).is_none() {
        return;
    }
    let host = start.authority - start.at;
    // Behind a scheme all of it counts, because user names may hold slashes.
    let end = bytes.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).filter(|end| *end > host);
    let head = bytes.get(host..end.unwrap_or(found.len())).unwrap_or_default();
    let odd = memchr::memchr3(b'@', b'\\', b'%', head).or_else(|| memchr::memchr2(b'`', b'|', head));
    if odd.is_none() && memchr::memchr(b'\\', bytes).is_none() {
        return;
    }
    if let Some(address) = Address::written(found, start.form)
        && address.is_odd()
        && let Some((_, rest)) = address.reveal().split_once(':')
    {
        let rest = rest.replace('\\', "/");
        let rest = rest.trim_start_matches('/');
        sink.put(rest, Some(spelling), beyond);
        let path = rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or_default();
        sink.put(&format!("{}{path}", address.host()), Some(spelling), beyond);
    }
}
