//! The addresses of a template, piece by piece.
//!
//! A value is encoded, so that what separates the pieces of an address never stands in one. Within a piece the values are
//! told apart by their patterns together: where one ends may depend on what the next may be.

use std::ops::Range;

use percent_encoding::percent_decode_str;
use regex::Regex;
use regex_syntax::hir::{Hir, HirKind};

/// What separates pieces, and stands in no value.
const SEPARATORS: [char; 4] = ['/', '?', '#', '&'];

/// Stands for a slot between fixed parts; no address holds it.
const SLOT: char = '\0';

/// What a value without a pattern is: in the path not of dots alone and without a slash.
const ANY_IN_PATH: &str = r"[^/\\]*[^/\\.][^/\\]*";
const ANY_IN_QUERY: &str = "(?s:.+)";

/// A slot as its piece sees it.
pub(super) struct Place<'s> {
    pub(super) in_query: bool,
    pub(super) pattern: Option<&'s Hir>,
}

#[derive(Clone, Debug)]
struct Piece {
    separator: Option<char>,
    /// What it is where it has no slot.
    fixed: String,
    /// Its decoded text, each slot a named group.
    expression: Option<Regex>,
    slots: Range<usize>,
}

/// The pieces of a template.
#[derive(Clone, Debug)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// Of the fixed parts as the parser spells them; one more than there are slots.
    pub(super) fn of(fixed: &[String], slots: &[Place<'_>]) -> Option<Self> {
        let mut next = 0;
        let whole = fixed.join(&SLOT.to_string());
        let piece = |(text, separator): (&str, Option<char>)| {
            let from = next;
            next += text.matches(SLOT).count();
            let mut piece = Piece { separator, fixed: text.to_owned(), expression: None, slots: from..next };
            if !piece.slots.is_empty() {
                piece.expression = Some(expression(text, from, slots)?);
            }
            Some(piece)
        };
        split(&whole).map(piece).collect::<Option<_>>().map(Self)
    }

    /// The decoded values of an address in their order, where it has this form.
    pub(super) fn values(&self, address: &str) -> Option<Vec<String>> {
        let mut values = Vec::new();
        let mut texts = split(address);
        for piece in &self.0 {
            let (text, separator) = texts.next()?;
            if separator != piece.separator {
                return None;
            }
            match &piece.expression {
                None if text == piece.fixed => {}
                None => return None,
                Some(expression) => {
                    let decoded = percent_decode_str(text).decode_utf8().ok()?;
                    let groups = expression.captures(&decoded)?;
                    values.extend(piece.slots.clone().map(|slot| {
                        groups.name(&group(slot)).map_or_else(String::new, |value| value.as_str().to_owned())
                    }));
                }
            }
        }
        texts.next().is_none().then_some(values)
    }
}

/// The pieces of an address, each with what stands behind it.
fn split(address: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    address.split_inclusive(SEPARATORS).map(|piece| match piece.chars().next_back() {
        Some(last) if SEPARATORS.contains(&last) => (piece.strip_suffix(last).unwrap_or(piece), Some(last)),
        _ => (piece, None),
    })
}

fn group(slot: usize) -> String {
    format!("slot{slot}")
}

fn expression(text: &str, from: usize, slots: &[Place<'_>]) -> Option<Regex> {
    let mut expression = "^".to_owned();
    for (index, part) in text.split(SLOT).enumerate() {
        if let Some(slot) = index.checked_sub(1).map(|index| from + index) {
            let Place { in_query, pattern } = slots.get(slot)?;
            let value = match pattern {
                Some(pattern) => unanchored(pattern).to_string(),
                None => (if *in_query { ANY_IN_QUERY } else { ANY_IN_PATH }).to_owned(),
            };
            expression.push_str(&format!("(?P<{}>{value})", group(slot)));
        }
        expression.push_str(&regex::escape(&percent_decode_str(part).decode_utf8().ok()?));
    }
    expression.push('$');
    Regex::new(&expression).ok()
}

/// A pattern without its groups and anchors: those see what stands around the value, which is none of it.
///
/// It matches more; each value is held against its own pattern too.
fn unanchored(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(unanchored(&repetition.sub))),
        HirKind::Capture(capture) => unanchored(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(unanchored).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(unanchored).collect()),
    }
}
