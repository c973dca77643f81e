//! One pass over a text: each run of characters in which addresses may start, and all readings of each.

use super::easy;
use super::ends::{closed, ends};
use super::further::{Behind, Line, further, lenient};
use super::sink::{Sink, Spelling};
use super::start::{Start, host_around, host_starts, run_end, scheme_start};
use crate::address::Form;

/// How many starts in one run of characters without a space are read to the end of that run. Later ones, in runs that hardly anybody
/// writes, end where further starts stand, so that the work stays linear.
const LONG_READINGS: usize = 8;

/// How many later starts a reading may take in, where it is not one of the long ones.
const TAKEN_IN: usize = 4;

/// The longest spelling that every reading of a run carries, in bytes; longer ones go to the first readings only.
const SHARED_SPELLING: usize = 1024;

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
    let outer = outer.map(Spelling::new);
    let bytes = text.as_bytes();
    let mut run = Run { end: 0, starts: Vec::new(), schemes: Vec::new(), line: Line::default() };
    // Before this byte no host begins any more.
    let mut host_from = 0;
    for hit in memchr::memchr2_iter(b':', b'.', bytes) {
        let found = if bytes.get(hit) == Some(&b':') {
            [scheme_start(text, hit), None, None, None]
        } else {
            // Most dots end sentences.
            let goes_on = bytes.get(hit + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next >= 0x80);
            if hit < host_from || !goes_on {
                continue;
            }
            let host = host_around(text, hit, host_from);
            host_from = host.end.max(hit + 1);
            host_starts(text, host)
        };
        for start in found.into_iter().flatten() {
            if start.at >= run.end {
                run.flush(text, outer.as_ref(), sink);
                run.end = match together {
                    Together::Runs => run_end(text, start.authority),
                    Together::All => text.len(),
                };
            }
            // A host right behind its scheme is the same address; without slashes the scheme may be a host, too.
            let is_behind = bytes.get(start.authority.saturating_sub(1)) != Some(&b':');
            let again = is_behind
                && run
                    .starts
                    .last()
                    .is_some_and(|last| last.form == Form::Absolute && last.authority == start.authority);
            if !again {
                run.starts.push(start);
            }
        }
    }
    run.flush(text, outer.as_ref(), sink);
}

/// The strict reading of the first address in a text, where one starts.
pub(super) fn first_spelling(text: &str) -> Option<(usize, String)> {
    let start = memchr::memchr2_iter(b':', b'.', text.as_bytes()).find_map(|hit| {
        if text.as_bytes().get(hit) == Some(&b':') {
            scheme_start(text, hit)
        } else {
            host_starts(text, host_around(text, hit, 0)).into_iter().flatten().next()
        }
    })?;
    let ends = ends(text, start, run_end(text, start.authority), false);
    Some((start.at, text.get(start.at..ends.strict)?.to_owned()))
}

/// A run of characters without a hard end, and where addresses may start in it.
struct Run {
    end: usize,
    starts: Vec<Start>,
    /// Where the next two addresses with a scheme start behind each start, last first.
    schemes: Vec<[Option<usize>; 2]>,
    line: Line,
}

/// Whether a run is a name and the end of a sentence, so that it has one reading only.
fn is_plain_name(run: &[u8]) -> bool {
    let mut before = b'.';
    run.iter().all(|byte| {
        let plain = byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || byte.is_ascii_uppercase() && before != b'.'
            || *byte == b'.' && before != b'.';
        before = *byte;
        plain
    })
}

/// What the readings of a run are recognised as copies of: a spelling, and where it ends in the text.
struct Copy<'t> {
    spelling: Spelling<'t>,
    end: usize,
}

impl Run {
    fn flush(&mut self, text: &str, outer: Option<&Spelling<'_>>, sink: &mut Sink<'_>) {
        let Some(first) = self.starts.first() else { return };
        sink.begin_run(first.at);
        sink.is_crowded |= self.starts.len() > LONG_READINGS;
        if !self.put_name(text, outer, sink) && !self.put_easy(text, outer, sink) {
            self.put_all(text, outer, sink);
        }
        self.starts.clear();
    }

    /// Puts a run in which each start has one end only, but for what stands behind the run. As everything here this is for
    /// speed: [`put_all`](Self::put_all) would find the same.
    fn put_easy(&mut self, text: &str, outer: Option<&Spelling<'_>>, sink: &mut Sink<'_>) -> bool {
        let Some((first, further_starts)) = self.starts.split_first().filter(|_| outer.is_none()) else { return false };
        let Some(end) = easy::end(text, &self.starts, self.end).filter(|_| !sink.slowly) else { return false };
        let spelling = Spelling::new(text.get(first.at..end).unwrap_or_default());
        let put = |sink: &mut Sink<'_>, start: &Start, end: usize, copied_to: usize| {
            sink.put_part(text, start.at..end, Some(&spelling), Some(copied_to));
        };
        sink.begin_start();
        put(sink, first, end, end);
        put_closed(text, *first, (end, self.end), sink, &mut |sink, closed| put(sink, first, closed, end));
        let behind = Behind { text, start: *first, end: self.end, spelling: &spelling, copied_to: Some(end) };
        further(behind, &mut self.line, sink);
        for start in further_starts {
            sink.begin_start();
            put(sink, start, end, end);
        }
        true
    }

    /// Puts a run that is nothing but a name.
    fn put_name(&self, text: &str, outer: Option<&Spelling<'_>>, sink: &mut Sink<'_>) -> bool {
        let [Start { at, form: Form::Bare, .. }] = self.starts.as_slice() else { return false };
        let Some(run) = text.get(*at..self.end) else { return false };
        let name = run.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '\'', '*']);
        if !is_plain_name(name.as_bytes()) {
            return false;
        }
        sink.begin_start();
        let own = Spelling::new(name);
        sink.put_part(text, *at..*at + name.len(), outer.or(Some(&own)), None);
        true
    }

    fn put_all(&mut self, text: &str, outer: Option<&Spelling<'_>>, sink: &mut Sink<'_>) {
        // The last address that stands for itself; bare hosts inside of it are nothing that anybody reads alone.
        let mut around: Option<Copy<'_>> = None;
        let mut next = [None, None];
        for start in self.starts.iter().rev() {
            self.schemes.push(next);
            if start.form == Form::Absolute {
                next = [Some(start.at), next[0]];
            }
        }
        for (index, start) in self.starts.iter().enumerate() {
            // A scheme that stands in the host's place ends nothing; the one behind it may.
            let next_scheme =
                self.schemes.pop().unwrap_or_default().into_iter().flatten().find(|next| *next > start.authority);
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
                Copy { spelling: Spelling::new(text.get(start.at..ends.strict).unwrap_or_default()), end: ends.strict };
            let held = around.as_ref().filter(|around| {
                let shared = index < LONG_READINGS || around.spelling.text.len() <= SHARED_SPELLING;
                shared && start.form == Form::Bare && start.at < around.end
            });
            let copy = held.unwrap_or(&own);
            let outer = outer.filter(|outer| index < LONG_READINGS || outer.text.len() <= SHARED_SPELLING);
            let spelling = outer.unwrap_or(&copy.spelling);
            let copied_to = outer.is_none().then_some(copy.end);
            sink.begin_start();
            let mut put = |sink: &mut Sink<'_>, end: usize| {
                sink.put_part(text, start.at..end, Some(spelling), copied_to);
            };
            put(sink, ends.strict);
            put_closed(text, *start, (ends.strict, ends.last), sink, &mut put);
            for end in ends.soft.all() {
                put(sink, *end);
            }
            if ends.last > ends.strict {
                put(sink, ends.last);
            }
            let found = text.get(start.at..ends.last).unwrap_or_default();
            lenient(found, *start, spelling, copied_to.is_some_and(|copied_to| ends.last > copied_to), sink);
            if index == 0 || held.is_none() && index < LONG_READINGS {
                let behind = Behind { text, start: *start, end: self.end, spelling, copied_to };
                further(behind, &mut self.line, sink);
            }
            if held.is_none() {
                around = Some(own);
            }
        }
    }
}

/// Puts the value that an address begins, where something closes it.
fn put_closed(
    text: &str,
    start: Start,
    (strict, last): (usize, usize),
    sink: &mut Sink<'_>,
    put: &mut dyn FnMut(&mut Sink<'_>, usize),
) {
    let Some(end) = closed(text, start.at, strict).filter(|end| *end != last) else { return };
    put(sink, end);
    // The destination of a definition ends with its word.
    let value = text.get(start.at..end).unwrap_or_default();
    if let Some(space) = value.find(char::is_whitespace).filter(|space| start.at + space != last) {
        put(sink, start.at + space);
    }
}
