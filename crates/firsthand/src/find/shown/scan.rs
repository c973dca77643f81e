//! The scanner of running text: it stops where an address may start and asks how far it reaches.
//!
//! Three marks are looked for: `://`, a dot between letters, and in Markdown a closing square bracket. Everything
//! between them is skipped at the speed of `memchr`.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Voice;
use super::layer::{Layer, Reader};
use super::{link, markdown};
use crate::address::Form;
use crate::find::extent::{self, Extent, Part, Rules};
use crate::find::{sign, suffix};

/// How far around a name the bars of a table cell are looked for.
const CELL_PADDING: usize = 64;

/// What stands behind the scheme of a web address.
pub(super) static SLASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));

/// How running text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// As it stands.
    Plain,
    /// With Markdown's links and references.
    Markdown,
}

/// Whether the text is a value of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extents {
    /// Running text.
    Running,
    /// A stretch between tags: a bare domain that is all of it counts.
    Node,
    /// A value with ends of its own: an address that is all of it keeps its punctuation too.
    Value,
}

/// Reads a part of a layer as plain text.
pub(super) fn plain<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) {
    read(layer, range, Flavour::Plain, Extents::Running, reader);
}

/// Reads a part of a layer as Markdown.
pub(super) fn markdown<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) {
    read(layer, range, Flavour::Markdown, Extents::Running, reader);
}

/// Reads a part of a layer.
pub(super) fn read<'t>(
    layer: &Layer<'_, 't>,
    range: Range<usize>,
    flavour: Flavour,
    extents: Extents,
    reader: &mut Reader<'_, 't>,
) {
    let text = layer.slice(range.clone());
    let value = match extents {
        Extents::Running => None,
        Extents::Node | Extents::Value => {
            let start = text.len() - text.trim_start().len();
            Some(start..start + text.trim().len())
        }
    };
    let keeps_punctuation = extents == Extents::Value;
    Scan { layer, base: range.start, text, flavour, value, keeps_punctuation, reader, at: 0, names_from: 0 }.run();
}

/// A text that is being scanned. All places count from the start of the part that is read.
pub(super) struct Scan<'s, 'p, 't, 'r, 'e> {
    pub(super) layer: &'s Layer<'p, 't>,
    pub(super) base: usize,
    pub(super) text: &'s str,
    flavour: Flavour,
    value: Option<Range<usize>>,
    keeps_punctuation: bool,
    pub(super) reader: &'r mut Reader<'e, 't>,
    /// Everything before it has been told or given up.
    pub(super) at: usize,
    /// No bare name starts before it.
    names_from: usize,
}

impl Scan<'_, '_, '_, '_, '_> {
    fn run(&mut self) {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut slashes = SLASHES.find_iter(bytes);
        let mut brackets = match self.flavour {
            Flavour::Plain => memchr::memchr_iter(b']', &[]),
            Flavour::Markdown => memchr::memchr_iter(b']', bytes),
        };
        let mut colon = slashes.next().unwrap_or(usize::MAX);
        let mut bracket = brackets.next().unwrap_or(usize::MAX);
        let mut dot = next_name_dot(bytes, 0);
        loop {
            while colon < self.at {
                colon = slashes.next().unwrap_or(usize::MAX);
            }
            while bracket < self.at {
                bracket = brackets.next().unwrap_or(usize::MAX);
            }
            let names_from = self.at.max(self.names_from);
            if dot < names_from {
                dot = next_name_dot(bytes, names_from);
            }
            if dot < colon && dot < bracket {
                self.name(dot);
            } else if colon < bracket {
                self.scheme(colon);
                colon = slashes.next().unwrap_or(usize::MAX);
            } else if bracket < usize::MAX {
                markdown::bracket(self, bracket);
                bracket = brackets.next().unwrap_or(usize::MAX);
            } else {
                return;
            }
        }
    }

    /// An address whose scheme ends at a colon.
    fn scheme(&mut self, colon: usize) {
        let bytes = self.text.as_bytes();
        let Some(start) = extent::scheme_before(bytes, colon, self.at) else { return };
        let authority = colon + 3;
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        if before == Some(&b'<') && self.between_angles(start, authority) {
            return;
        }
        let rules = self.rules(before == Some(&b'\''));
        let run = extent::extent(self.text, authority, self.text.len(), Part::Authority, rules);
        self.at = run.stop.max(authority);
        if run.spoilt {
            self.give_up();
        } else if self.text.get(authority..run.authority).is_some_and(extent::is_authority) {
            self.tell_run(start, authority, &run, rules, Form::Absolute);
        } else {
            self.at = authority;
        }
    }

    /// An address between `<` and `>` is whole, whatever its punctuation.
    fn between_angles(&mut self, start: usize, authority: usize) -> bool {
        let rules = Rules { quoted: false, entities: false, balance: false };
        let run = extent::extent(self.text, authority, self.text.len(), Part::Authority, rules);
        if self.text.as_bytes().get(run.stop) != Some(&b'>') {
            return false;
        }
        self.at = run.stop + 1;
        if !run.spoilt {
            let range = self.base + start..self.base + run.stop;
            match self.flavour {
                Flavour::Plain => link::whole(self.layer, range, self.reader),
                Flavour::Markdown => markdown::autolink(self.layer, range, self.reader),
            };
        }
        true
    }

    /// A bare name around a dot, and the path behind it.
    fn name(&mut self, dot: usize) {
        let bytes = self.text.as_bytes();
        let run = suffix::run_around(self.text, dot, self.at.max(self.names_from));
        self.names_from = run.1.max(dot + 1);
        let easily = self.reader.voice == Voice::Person;
        let Some(name) = suffix::name_in_run(self.text, run, easily, &|start, end| self.is_alone(start, end)) else {
            return;
        };
        let before = name.start.checked_sub(1).and_then(|at| bytes.get(at));
        let rules = self.rules(before == Some(&b'\''));
        if matches!(bytes.get(name.end), Some(b'/' | b'?' | b'#')) {
            let path = extent::extent(self.text, name.end, self.text.len(), Part::Path, rules);
            self.at = path.stop;
            if path.spoilt {
                self.give_up();
            } else {
                self.tell_run(name.start, name.end, &path, rules, Form::Bare);
            }
        } else {
            self.at = name.end;
            self.tell(name.start..name.end, Form::Bare);
        }
    }

    /// Whether a name is all there is: of a value, or of a cell of a table.
    fn is_alone(&self, start: usize, end: usize) -> bool {
        if let Some(value) = &self.value {
            return *value == (start..end);
        }
        if self.flavour == Flavour::Plain {
            return false;
        }
        let bytes = self.text.as_bytes();
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let before = bytes.get(start.saturating_sub(CELL_PADDING)..start).unwrap_or_default();
        let behind = bytes.get(end..).unwrap_or_default();
        before.iter().rev().find(|byte| !is_space(byte)) == Some(&b'|')
            && behind.iter().take(CELL_PADDING).find(|byte| !is_space(byte)) == Some(&b'|')
    }

    fn rules(&self, quoted: bool) -> Rules {
        Rules { quoted, entities: self.flavour == Flavour::Markdown, balance: true }
    }

    /// What follows something invisible is no name: it belongs to what was given up.
    fn give_up(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ends = |character: char| character.is_whitespace() || matches!(character, '<' | '>' | '"' | '|' | '`');
        self.names_from = self.at + rest.find(ends).unwrap_or(rest.len());
    }

    /// Tells of an address in all its readings, and of those within it.
    fn tell_run(&mut self, start: usize, from: usize, run: &Extent, rules: Rules, form: Form) {
        self.tell_whole_value(start, from, run, form);
        self.tell_readings(start, run.end, run.short, run.entity, form);
        for nested in run.nested() {
            let Some(colon) = memchr::memchr(b':', self.text.as_bytes().get(nested.start..run.end).unwrap_or_default())
            else {
                continue;
            };
            let authority = nested.start + colon + 3;
            if nested.level {
                let authority_end = sign::next_in(self.text.as_bytes(), authority, run.end, sign::BORDER);
                if self.text.get(authority..authority_end).is_some_and(extent::is_authority) {
                    let short = run.short.filter(|&short| short > authority);
                    self.tell_readings(nested.start, run.end, short, run.entity, Form::Absolute);
                }
            } else {
                let inner = extent::extent(self.text, authority, run.stop, Part::Authority, rules);
                if !inner.spoilt && self.text.get(authority..inner.authority).is_some_and(extent::is_authority) {
                    self.tell_readings(nested.start, inner.end, inner.short, inner.entity, Form::Absolute);
                }
            }
        }
    }

    /// An address that is all of a value is told with its punctuation too.
    fn tell_whole_value(&mut self, start: usize, from: usize, run: &Extent, form: Form) {
        let Some(value) = self.value.clone().filter(|value| self.keeps_punctuation && value.start == start) else {
            return;
        };
        if run.end == value.end {
            return;
        }
        let part = match form {
            Form::Absolute => Part::Authority,
            Form::Bare | Form::Relative => Part::Path,
        };
        let rules = Rules { quoted: false, entities: false, balance: false };
        let whole = extent::extent(self.text, from, value.end, part, rules);
        if whole.stop == value.end && !whole.spoilt {
            self.tell(value, form);
        }
    }

    fn tell_readings(&mut self, start: usize, end: usize, short: Option<usize>, entity: bool, form: Form) {
        self.tell(start..end, form);
        if entity {
            markdown::decoded_reading(self.layer, self.base + start..self.base + end, form, self.reader);
        }
        if let Some(short) = short {
            self.tell(start..short, form);
        }
    }

    fn tell(&mut self, range: Range<usize>, form: Form) {
        self.reader.tell(self.layer, self.base + range.start..self.base + range.end, form);
    }
}

/// The next dot from `from` on that stands between characters of a name; the end of numbers where there is none.
fn next_name_dot(bytes: &[u8], from: usize) -> usize {
    let in_name = |at: usize| bytes.get(at).is_some_and(|&byte| sign::classes(byte) & sign::LABEL != 0);
    let mut at = from;
    while let Some(dot) = bytes.get(at..).and_then(|rest| memchr::memchr(b'.', rest)).map(|step| at + step) {
        if in_name(dot + 1) && dot > 0 && in_name(dot - 1) {
            return dot;
        }
        // Of several dots in a row none does.
        let behind = bytes.get(dot + 1..).unwrap_or_default();
        at = dot + 1 + behind.iter().take_while(|&&byte| byte == b'.').count();
    }
    usize::MAX
}
