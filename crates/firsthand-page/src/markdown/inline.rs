//! What stands in a line: text, links, code.

use std::ops::Range;

use firsthand::address::Address;

use super::escape::{Place, needs_backslash};
use super::{Gap, Line, Writer, beginning, destination, longest_run};
use crate::limits::{MAX_ADDRESS, MAX_LINK_TEXT};
use crate::seen::seen;

/// A link that began.
#[derive(Debug)]
pub(super) struct Link {
    destination: String,
    /// Where it stands, once its text began.
    start: Option<usize>,
}

impl Writer {
    /// A link begins. It ends with its block at the latest.
    pub(crate) fn link_start(&mut self, address: &Address) {
        self.link_end();
        self.flush_code();
        self.link = destination::destination(address).map(|destination| Link { destination, start: None });
    }

    /// The link ends; without a text it is left out.
    pub(crate) fn link_end(&mut self) {
        self.flush_code();
        let Some(Link { destination, start: Some(start) }) = self.link.take() else { return };
        self.out.push_str("](");
        for character in destination.chars() {
            if character == '|' && self.line == Line::Cell {
                self.out.push('\\');
            }
            self.out.push(character);
        }
        self.push_plain(")");
        self.last = ')';
        self.links.push(start..self.out.len());
    }

    /// Whether a link began that has no text yet.
    pub(crate) fn is_link_empty(&self) -> bool {
        let has_code = self.code.as_ref().is_some_and(|code| !code.trim().is_empty());
        !has_code && self.link.as_ref().is_some_and(|link| link.start.is_none())
    }

    /// Whether a link began.
    pub(crate) fn is_in_link(&self) -> bool {
        self.link.is_some()
    }

    /// Code in a line begins.
    pub(crate) fn code_start(&mut self) {
        if self.code.is_none() {
            self.code = Some(String::new());
        }
    }

    /// Code in a line ends.
    pub(crate) fn code_end(&mut self) {
        self.flush_code();
        self.code = None;
    }

    /// Raised text begins: a number behind a number or a letter must not become one with it.
    pub(crate) fn raise(&mut self) {
        self.raised = !self.space && self.gap == Gap::Nothing && self.link.is_none();
    }

    /// Raised text ends.
    pub(crate) fn end_raise(&mut self) {
        self.raised = false;
    }

    /// Ends what may not go on in another block.
    pub(super) fn end_inline(&mut self) {
        self.link_end();
        self.raised = false;
    }

    /// Text: white space is one space, what could be markup gets a backslash, what is not seen is left out.
    pub(crate) fn text(&mut self, text: &str) {
        let mut words = text.split(is_space).enumerate().peekable();
        while let Some((at, word)) = words.next() {
            if self.is_full {
                return;
            }
            if at > 0 {
                self.white_space();
            }
            if word.is_empty() {
                continue;
            }
            match &mut self.code {
                Some(code) => {
                    code.push_str(&seen(word));
                    self.is_full |= code.len() > self.limit;
                }
                None => self.word(&seen(word), words.peek().is_some()),
            }
        }
    }

    fn white_space(&mut self) {
        match &mut self.code {
            Some(code) if !code.is_empty() => code.push(' '),
            Some(_) | None => self.space = true,
        }
    }

    fn word(&mut self, word: &str, is_end: bool) {
        let mut rest = word;
        while let Some(found) = address_in(rest) {
            let address = rest.get(found.clone()).unwrap_or_default();
            // A bracket may follow, as the address may need one.
            self.characters(rest.get(..found.start).unwrap_or_default(), false);
            self.address(address, is_end && found.end == rest.len());
            rest = rest.get(found.end..).unwrap_or_default();
        }
        self.characters(rest, is_end);
    }

    /// An address in the text, which a model may copy: written without backslashes.
    fn address(&mut self, address: &str, is_end: bool) {
        let needs = |(at, character): (usize, char)| {
            let after = address.get(at + character.len_utf8()..).unwrap_or_default();
            let before = address.get(..at).and_then(|before| before.chars().next_back()).unwrap_or(' ');
            matches!(character, '*' | '[' | ']' | '\\' | '|' | '~')
                || matches!(character, '_' | '&') && needs_backslash(character, self.place(before, after, is_end))
        };
        if self.link.is_some() || address.len() > MAX_ADDRESS || address.contains(['\\', '|']) {
            return self.characters(address, is_end);
        }
        let needs_brackets = address.char_indices().any(needs);
        self.begin_text();
        if needs_brackets {
            let start = self.out.len();
            self.out.push('<');
            self.push_plain(address);
            self.out.push('>');
            self.links.push(start..self.out.len());
        } else {
            self.push_plain(address);
        }
        self.last = address.chars().next_back().unwrap_or(' ');
        self.digits = None;
    }

    fn place<'t>(&self, before: char, after: &'t str, is_end_of_word: bool) -> Place<'t> {
        Place {
            before,
            after,
            is_end_of_word,
            digits: self.digits,
            is_in_link: self.link.is_some(),
            is_in_cell: self.line == Line::Cell,
            is_in_heading: self.line == Line::Heading,
        }
    }

    /// Writes characters of a word, behind which white space may follow.
    fn characters(&mut self, text: &str, is_end: bool) {
        for (at, character) in text.char_indices() {
            if self.is_full {
                return;
            }
            self.begin_text();
            if std::mem::take(&mut self.raised) && self.last.is_alphanumeric() && is_number(character) {
                self.out.push('^');
            }
            let after = text.get(at + character.len_utf8()..).unwrap_or_default();
            if needs_backslash(character, self.place(self.last, after, is_end)) {
                self.out.push('\\');
            }
            self.digits = self.digits.filter(|_| character.is_ascii_digit()).map(|digits| digits + 1);
            self.out.push(character);
            self.last = character;
            self.is_full = self.out.len() > self.limit;
        }
        let start = self.link.as_ref().and_then(|link| link.start);
        if start.is_some_and(|start| self.out.len() > start + MAX_LINK_TEXT) {
            self.link_end();
        }
    }

    /// Writes what stands before the next text: a gap or a space, and the beginning of a link.
    fn begin_text(&mut self) {
        if self.gap == Gap::Nothing && !self.out.is_empty() {
            if self.space {
                self.out.push(' ');
                self.last = ' ';
            }
        } else {
            self.start();
        }
        self.space = false;
        if let Some(link) = self.link.as_mut().filter(|link| link.start.is_none()) {
            if self.out.ends_with('!') {
                self.out.pop();
                self.out.push_str("\\!");
            }
            link.start = Some(self.out.len());
            self.out.push('[');
            self.last = '[';
            self.digits = None;
        }
    }

    /// Writes the code that was collected.
    fn flush_code(&mut self) {
        let Some(code) = self.code.as_mut() else { return };
        let code = std::mem::take(code);
        let text = code.trim_end_matches(' ');
        if !text.is_empty() {
            self.code_span(text);
        }
        self.space |= text.len() < code.len();
    }

    fn code_span(&mut self, code: &str) {
        if code.len() > MAX_LINK_TEXT && self.link.is_some() {
            self.link_without_code();
        }
        self.begin_text();
        let code = beginning(code, self.limit.saturating_sub(self.out.len()));
        let is_cut_by_pipes = self.line == Line::Cell && code.contains('|');
        if self.last == '`' || is_cut_by_pipes {
            // Two pieces of code without a space between would be one; in a cell a pipe needs a backslash, which code has
            // not.
            let words: Vec<&str> = code.split(' ').collect();
            for (at, word) in words.into_iter().enumerate() {
                self.space = at > 0;
                self.characters(word, false);
            }
            return;
        }
        let fence = "`".repeat(longest_run(code) + 1);
        let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
        for piece in [&fence, pad, code, pad, &fence] {
            self.push_plain(piece);
        }
        self.last = '`';
        self.digits = None;
    }

    fn link_without_code(&mut self) {
        let code = self.code.take();
        self.link_end();
        self.code = code;
    }
}

/// White space of HTML, and spaces that only keep a line together.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_number(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '-' | '+' | '\u{2212}')
}

/// The first address with a scheme in a word, without the punctuation behind it.
fn address_in(word: &str) -> Option<Range<usize>> {
    let mark = word.match_indices("://").find_map(|(mark, _)| {
        let before = word.get(..mark)?;
        let scheme = ["https", "http"].into_iter().find(|scheme| {
            before
                .len()
                .checked_sub(scheme.len())
                .and_then(|at| before.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
        })?;
        Some((mark - scheme.len(), mark + 3))
    });
    let (start, host) = mark?;
    let rest = word.get(host..)?;
    let end = rest.find(['<', '>', '"', '`']).unwrap_or(rest.len());
    let kept = rest.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '_', '~']);
    (!kept.is_empty()).then(|| start..host + kept.len())
}
