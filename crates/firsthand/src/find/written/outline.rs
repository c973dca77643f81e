//! Where the parts of a key stand, told once for all readings of one start.
//!
//! The readings of a start differ in their ends. So its host, path and query are looked for in one pass that goes on
//! as far as the longest reading asked for; each end then takes a look at the last bytes only. What is not as most
//! addresses are has no outline, or none for that end, and is left to [`parts`](super::parts).

use std::ops::Range;

use super::parts::{closes, without_end, without_parameter_end};
use crate::find::sign;

/// Behind every byte.
const NOWHERE: usize = usize::MAX;

/// The parts of the readings of one start, as places in what is folded.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    /// Where the readings start.
    pub(super) start: usize,
    /// The name of the host, without `www.`.
    host: Range<usize>,
    question: usize,
    hash: usize,
    /// The first byte that makes a path one with detours or slashes too many.
    odd: usize,
    /// The last parameter but one, and where the last begins.
    before: Range<usize>,
    parameter: usize,
    /// The parameters before the last are not in order, or have ends to cut.
    is_loose: bool,
    /// How far the bytes have been looked at.
    read: usize,
}

/// Whether a byte may stand in the plain name of a host.
fn in_name(byte: u8) -> bool {
    sign::classes(byte) & sign::NAME != 0
}

impl Outline {
    /// The outline of the readings that start at a byte of a folded text, if they begin as most do.
    pub(super) fn new(folded: &[u8], start: usize) -> Option<Self> {
        let rest = folded.get(start..)?;
        let scheme = match rest.strip_prefix(b"http") {
            Some([b':', b'/', b'/', ..]) => b"http://".len(),
            Some([b's', b':', b'/', b'/', ..]) => b"https://".len(),
            Some(_) | None => 0,
        };
        let rest = rest.get(scheme..)?;
        let (mut length, mut before, mut has_two_hyphens) = (0, 0, false);
        for byte in rest.iter().take_while(|byte| in_name(**byte)) {
            has_two_hyphens |= before == b'-' && *byte == b'-';
            before = *byte;
            length += 1;
        }
        let name = without_end(rest.get(..length)?, |byte| byte == b'.');
        let www = name.strip_prefix(b"www.").filter(|rest| memchr::memchr(b'.', rest).is_some_and(|dot| dot > 0));
        let bare = www.unwrap_or(name);
        let last = bare.iter().rposition(|byte| *byte == b'.').and_then(|dot| bare.get(dot + 1)).or(bare.first())?;
        let plain = name.first()?.is_ascii_alphanumeric()
            && last.is_ascii_alphabetic()
            // A dot behind such a name would take it away.
            && !bare.starts_with(b"www.")
            && bare != b"www"
            && !has_two_hyphens;
        let end = start + scheme + name.len();
        plain.then(|| Self {
            start,
            host: end - bare.len()..end,
            question: NOWHERE,
            hash: NOWHERE,
            odd: NOWHERE,
            before: 0..0,
            parameter: NOWHERE,
            is_loose: false,
            read: end,
        })
    }

    /// Where the key of the reading that ends at a byte stands.
    pub(super) fn key(&mut self, folded: &[u8], end: usize) -> Option<Range<usize>> {
        let Range { start: from, end: host } = self.host;
        if !matches!(folded.get(host..end)?.first(), Some(b'/' | b'?' | b'#')) {
            let closing = |byte: &u8| closes(*byte) && !matches!(byte, b':' | b']');
            return folded.get(host..end)?.iter().all(closing).then_some(from..host);
        }
        self.reach(folded, end);
        let end = end.min(self.hash);
        let path_end = end.min(self.question);
        if self.odd < path_end || self.is_loose {
            return None;
        }
        if self.question < end {
            let parameter = without_parameter_end(folded.get(self.parameter..end)?);
            let only = self.parameter == self.question + 1;
            if !parameter.is_empty() {
                // A slash before a query is kept at the root only, and put there where there is none.
                let fits = path_end > host && (path_end == host + 1 || folded.get(path_end - 1) != Some(&b'/'));
                let sorted = only || parameter >= folded.get(self.before.clone())?;
                return (fits && sorted).then_some(from..self.parameter + parameter.len());
            }
            if !only {
                return None;
            }
        }
        let path = without_end(folded.get(host..path_end)?, |byte| byte == b'/' || closes(byte));
        Some(from..host + path.len())
    }

    /// Looks for the signs of the parts up to a byte.
    fn reach(&mut self, folded: &[u8], to: usize) {
        while let Some(bytes) = folded.get(self.read..to) {
            // The signs of a path stand close to each other, those of a query mostly not.
            let at = if self.question == NOWHERE {
                sign::next_in(folded, self.read, to, sign::BORDER)
            } else {
                self.read + memchr::memchr2(b'&', b'#', bytes).unwrap_or(bytes.len())
            };
            if at == to {
                self.read = to;
                return;
            }
            self.read = at + 1;
            match folded.get(at) {
                Some(b'/') => match folded.get(at + 1) {
                    Some(b'/' | b'.') => self.odd = self.odd.min(at + 1),
                    Some(_) => {}
                    // What follows it comes later.
                    None => {
                        self.read = at;
                        return;
                    }
                },
                Some(b'?') => {
                    self.question = at;
                    self.parameter = self.read;
                }
                Some(b'&') => self.next_parameter(folded, at),
                _ => {
                    self.hash = at;
                    self.read = NOWHERE;
                }
            }
        }
    }

    /// A parameter ends before an ampersand.
    fn next_parameter(&mut self, folded: &[u8], ampersand: usize) {
        let parameter = folded.get(self.parameter..ampersand).unwrap_or_default();
        let before = folded.get(self.before.clone()).unwrap_or_default();
        let kept = without_parameter_end(parameter);
        self.is_loose |= kept.is_empty() || kept.len() < parameter.len() || kept < before;
        self.before = self.parameter..ampersand;
        self.parameter = ampersand + 1;
    }
}
