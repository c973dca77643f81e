//! How far an address reaches once its start is known.
//!
//! The rules of start, stop and end are the same for every text; formats only say which of them apply ([`Rules`]).

use super::entity;
use super::sign::{self, Sign};
use super::suffix;

/// How many addresses that stand in the path or query of another one are recorded. Without a limit a text of nothing
/// but `http://a/` would hold as many addresses as bytes, each as long as the text.
pub(crate) const MAX_NESTED: usize = 4;

/// Which rules of ending apply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// An apostrophe opened before the address, so the next one ends it.
    pub(crate) quoted: bool,
    /// An entity that stands for a stop ends it, as in Markdown.
    pub(crate) entities: bool,
    /// A closing bracket that was not opened inside ends it.
    pub(crate) balance: bool,
}

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Behind the two slashes.
    Authority,
    /// Behind the host and port.
    Path,
}

/// An address within another one's path or query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nested {
    /// Where its scheme starts.
    pub(crate) start: usize,
    /// No bracket of the outer address is open there, so that both end alike.
    pub(crate) level: bool,
}

/// How far an address reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The end of the run: the first byte that cannot belong to it.
    pub(crate) stop: usize,
    /// The end of the address: the run without the punctuation at its end.
    pub(crate) end: usize,
    /// The end of the second reading, where ideographs follow an ASCII path directly.
    pub(crate) short: Option<usize>,
    /// The end of the authority.
    pub(crate) authority: usize,
    /// The run holds an entity.
    pub(crate) entity: bool,
    /// Something invisible stands in it, or it was cut off: it is not recorded.
    pub(crate) spoilt: bool,
    nested: [Option<Nested>; MAX_NESTED],
}

impl Extent {
    /// The addresses within its path or query, in order.
    pub(crate) fn nested(&self) -> impl Iterator<Item = Nested> {
        self.nested.into_iter().flatten().filter(|nested| nested.start < self.end)
    }
}

/// Where the scheme starts that ends at a colon, if it is `http` or `https` and the colon is followed by two slashes.
pub(crate) fn scheme_before(bytes: &[u8], colon: usize, floor: usize) -> Option<usize> {
    if bytes.get(colon..colon + 3) != Some(b"://") {
        return None;
    }
    let starts = |length: usize, name: &[u8]| {
        let start = colon.checked_sub(length)?;
        (start >= floor && bytes.get(start..colon)?.eq_ignore_ascii_case(name)).then_some(start)
    };
    starts(5, b"https").or_else(|| starts(4, b"http"))
}

/// Reads on from the start of an authority or path, up to `limit` at most.
pub(crate) fn extent(text: &str, from: usize, limit: usize, part: Part, rules: Rules) -> Extent {
    let mut run = Run {
        text,
        bytes: text.as_bytes(),
        from,
        at: from,
        limit: limit.min(text.len()),
        part,
        rules,
        open: [0; 3],
        wide: false,
        last_entity: 0,
        found: Extent {
            stop: from,
            end: from,
            short: None,
            authority: from,
            entity: false,
            spoilt: false,
            nested: [None; MAX_NESTED],
        },
    };
    run.read();
    run.found.stop = run.at;
    if run.part == Part::Authority {
        run.found.authority = run.at;
    }
    run.found.end = trimmed(run.bytes, from, run.at, run.last_entity);
    run.found.authority = run.found.authority.min(run.found.end);
    run.found.short = run.found.short.filter(|&short| short < run.found.end);
    run.found
}

/// Whether the text between two slashes and a path may be an authority that somebody means: there is a host that
/// starts like one.
pub(crate) fn is_authority(authority: &str) -> bool {
    let host = memchr::memrchr(b'@', authority.as_bytes()).and_then(|at| authority.get(at + 1..)).unwrap_or(authority);
    match host.chars().next() {
        Some('[') => host.contains(']'),
        Some('%') => host.as_bytes().get(1..3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
        Some(first) if first.is_ascii() => first.is_ascii_alphanumeric() || first == '_',
        Some(first) => matches!(sign::sign(first), Sign::Data | Sign::Ideograph),
        None => false,
    }
}

struct Run<'a> {
    text: &'a str,
    bytes: &'a [u8],
    from: usize,
    at: usize,
    limit: usize,
    part: Part,
    rules: Rules,
    /// How many round, square and curly brackets are open.
    open: [usize; 3],
    /// The part that is read holds a character beyond ASCII.
    wide: bool,
    /// The end of the last entity.
    last_entity: usize,
    found: Extent,
}

/// Whether the run goes on.
enum Next {
    On,
    End,
}

impl Run<'_> {
    fn read(&mut self) {
        loop {
            self.at = sign::next_in(self.bytes, self.at, self.limit, self.mask());
            if self.at >= self.limit {
                return;
            }
            let Some(&byte) = self.bytes.get(self.at) else { return };
            let next = match byte {
                b'/' | b'?' | b'#' => self.border(),
                b':' => self.colon(),
                b'&' => self.ampersand(),
                b'(' => self.opens(0),
                b'[' => self.opens(1),
                b'{' => self.opens(2),
                b')' => self.closes(0),
                b']' => self.closes(1),
                b'}' => self.closes(2),
                0x80.. => self.beyond_ascii(),
                0..=0x1f | 0x7f => self.control(byte),
                _ => Next::End,
            };
            match next {
                Next::On => {}
                Next::End => return,
            }
        }
    }

    fn mask(&self) -> u16 {
        let Rules { quoted, entities, balance } = self.rules;
        let only = |wanted: bool, class: u16| if wanted { class } else { 0 };
        sign::SPECIAL
            | only(self.part == Part::Authority, sign::BORDER)
            | only(quoted, sign::QUOTE)
            | only(entities, sign::AMPERSAND)
            | only(balance, sign::BRACKET)
    }

    fn border(&mut self) -> Next {
        self.found.authority = self.at;
        self.part = Part::Path;
        self.wide = false;
        self.at += 1;
        Next::On
    }

    /// A known scheme inside: after a separator of a path or query it is a part of this address and one of its own, else
    /// it starts the next address.
    fn colon(&mut self) -> Next {
        let Some(start) = scheme_before(self.bytes, self.at, self.from) else {
            self.at += 1;
            return Next::On;
        };
        let before = start.checked_sub(1).filter(|&at| at >= self.from).and_then(|at| self.bytes.get(at));
        let inside =
            self.part == Part::Path && before.is_some_and(|byte| matches!(byte, b'/' | b'=' | b'?' | b'&' | b'#'));
        if !inside {
            self.at = start;
            return Next::End;
        }
        if let Some(free) = self.found.nested.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(Nested { start, level: self.open == [0; 3] });
        }
        self.at += 3;
        Next::On
    }

    fn ampersand(&mut self) -> Next {
        let Some(entity) = entity::closed(self.text, self.at) else {
            self.at += 1;
            return Next::On;
        };
        let stops = entity.text.chars().next().is_none_or(|first| match first {
            '\'' => true,
            _ if first.is_ascii() => {
                first != ':' && sign::classes(u8::try_from(first).unwrap_or(0)) & sign::SPECIAL != 0
            }
            _ => sign::sign(first) == Sign::Stop,
        });
        if stops {
            return Next::End;
        }
        self.found.entity = true;
        self.at += entity.length;
        self.last_entity = self.at;
        Next::On
    }

    fn opens(&mut self, kind: usize) -> Next {
        if let Some(open) = self.open.get_mut(kind) {
            *open += 1;
        }
        self.at += 1;
        Next::On
    }

    fn closes(&mut self, kind: usize) -> Next {
        match self.open.get_mut(kind) {
            Some(open @ 1..) => {
                *open -= 1;
                self.at += 1;
                Next::On
            }
            _ => Next::End,
        }
    }

    /// White space and what drives a terminal end an address anywhere; other controls spoil an authority.
    fn control(&mut self, byte: u8) -> Next {
        if self.part == Part::Authority && !matches!(byte, b'\t'..=b'\r' | 0x07 | 0x1b) && self.goes_on_behind() {
            self.found.spoilt = true;
        }
        Next::End
    }

    fn beyond_ascii(&mut self) -> Next {
        let Some(character) = sign::character_at(self.text, self.at) else { return Next::End };
        let before = sign::character_before(self.text, self.at).filter(|_| self.at > self.from);
        match sign::sign(character) {
            Sign::Data => {}
            Sign::Ideograph => {
                if !self.wide && before.is_some_and(|before| before.is_ascii_alphanumeric()) {
                    match self.part {
                        Part::Path => self.found.short = self.found.short.or(Some(self.at)),
                        Part::Authority => {
                            if self.host_ends_here() {
                                return Next::End;
                            }
                        }
                    }
                }
            }
            Sign::Stop => return Next::End,
            Sign::Opening => {
                if before.is_none_or(char::is_alphanumeric) {
                    return Next::End;
                }
            }
            Sign::Ellipsis => {
                self.found.spoilt = true;
                return Next::End;
            }
            Sign::Break => {
                self.found.spoilt = self.part == Part::Authority && self.goes_on_behind();
                return Next::End;
            }
            Sign::Invisible => {
                self.found.spoilt = self.goes_on_behind();
                return Next::End;
            }
            Sign::Joiner => {
                let behind = sign::character_at(self.text, self.at + character.len_utf8());
                let presents = matches!(character, '\u{fe0e}' | '\u{fe0f}');
                if before.is_none_or(|before| before.is_ascii())
                    || !presents && behind.is_none_or(|behind| behind.is_ascii())
                {
                    self.found.spoilt = self.goes_on_behind();
                    return Next::End;
                }
            }
        }
        self.wide = true;
        self.at += character.len_utf8();
        Next::On
    }

    /// Whether the host so far is a name under a known suffix, while the label that goes on here would not be one.
    fn host_ends_here(&self) -> bool {
        let so_far = self.text.get(self.from..self.at).unwrap_or_default();
        let host = so_far.rsplit_once('@').map_or(so_far, |(_, host)| host);
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        if !suffix::is_registered(host) {
            return false;
        }
        let rest = self.text.get(self.from..self.limit).unwrap_or_default();
        let end = rest
            .char_indices()
            .take(suffix::MAX_HOST)
            .find(|&(_, character)| !matches!(character, '.' | '-') && !character.is_alphanumeric())
            .map_or(rest.len().min(suffix::MAX_HOST), |(at, _)| at);
        !rest.get(..end).is_some_and(suffix::is_registered)
    }

    /// Whether behind the invisible characters at the cursor something follows that would belong to the address.
    fn goes_on_behind(&self) -> bool {
        let rest = self.text.get(self.at..self.limit).unwrap_or_default();
        let unseen = |character: char| {
            sign::is_invisible(character) || character.is_ascii_control() && !character.is_ascii_whitespace()
        };
        let behind = rest.chars().find(|&character| !unseen(character));
        behind.is_some_and(|character| {
            if character.is_ascii() {
                character.is_ascii_alphanumeric()
                    || matches!(character, '/' | '-' | '_' | '.' | '%' | '?' | '=' | '&' | '@')
            } else {
                match sign::sign(character) {
                    Sign::Data | Sign::Ideograph | Sign::Ellipsis => true,
                    Sign::Stop | Sign::Opening | Sign::Break | Sign::Invisible | Sign::Joiner => false,
                }
            }
        })
    }
}

/// The end without sentence punctuation, brackets that were only opened, and a genitive.
fn trimmed(bytes: &[u8], from: usize, stop: usize, last_entity: usize) -> usize {
    let mut end = stop;
    while end > from && end != last_entity {
        match bytes.get(end - 1) {
            Some(b'.' | b',' | b':' | b';' | b'!' | b'?' | b'\'' | b'"' | b'*' | b'~' | b'(' | b'[' | b'{') => end -= 1,
            Some(b's') if end >= from + 2 && bytes.get(end - 2) == Some(&b'\'') => end -= 2,
            _ => break,
        }
    }
    end
}
