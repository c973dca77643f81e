//! Whose words single fields of a result are, where they are not the tool's.

use std::collections::BTreeSet;

use super::Inner;
use super::class::fields_may_raise;
use crate::conversation::{Content, ToolResult};
use crate::json::{self, Path, Step, folded_name};
use crate::policy::{Errors, Field, Policy};
use crate::writer::Writer;

/// The fields of the result of these calls that are told apart.
///
/// Of several tools nobody knows whose a field is, and of a call that nobody knows the use of, what it holds: then only those
/// fields are told that count for less than the result.
pub fn fields_of(calls: &[Inner<'_>], custom: bool, policy: &Policy) -> Vec<(Path, Field)> {
    let rules = calls.iter().filter_map(|call| call.rule);
    let may_raise = match calls {
        [only] => fields_may_raise(only, custom, policy),
        _ => false,
    };
    let told = |(_, field): &&(Path, Field)| may_raise || counts_for_less(*field);
    rules.flat_map(|rule| rule.fields.iter()).filter(told).cloned().collect()
}

/// Whether a field counts for less than the result that it stands in.
pub(crate) fn counts_for_less(field: Field) -> bool {
    matches!(field, Field::Of(Writer::Ignored | Writer::Model))
}

/// Whose words single fields of a result are.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'f> {
    by_path: &'f [(Path, Field)],
    /// What the result as a whole is.
    result: Writer,
    is_error: bool,
    is_text: bool,
    // Of a search: the fields that a model wrote, wherever they stand.
    answers: Option<&'f BTreeSet<String>>,
}

/// How a result is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Leaf by leaf, each by its own writer.
    Leaves,
    /// As one text of the tool's.
    Whole,
    /// As nobody's words: a model wrote some of it, and nobody can tell which.
    Mixed,
}

impl<'f> Fields<'f> {
    /// The fields that are told apart in a result of this writer; of a search also those that are called like a model's answer.
    pub fn new(
        by_path: &'f [(Path, Field)],
        is_search: bool,
        result: Writer,
        of: &ToolResult,
        policy: &'f Policy,
    ) -> Self {
        let is_error = of.is_error && policy.results.error == Errors::Ignored;
        let is_text = matches!(of.content, Content::Text(_));
        Self { by_path, result, is_error, is_text, answers: is_search.then_some(&policy.names.answers) }
    }

    /// How this result is read.
    pub fn shape(&self, content: &Content) -> Shape {
        if self.by_path.is_empty() && self.answers.is_none() {
            return Shape::Whole;
        }
        let text = content.text();
        // A result that shows itself as JSON is read as that, or its fields could not be told apart.
        let is_json = matches!(content, Content::Json(_)) || json::looks_like_json(text);
        let is_whole = is_json && json::walk(text, &mut |_, _| {}).whole;
        match (is_json, is_whole || !self.names_an_answer(text)) {
            (_, false) => Shape::Mixed,
            (true, true) => Shape::Leaves,
            (false, true) => Shape::Whole,
        }
    }

    /// Whose words a leaf is; `None` where they are the tool's.
    pub fn at(&self, path: &[Step<'_>], text: &str) -> Option<Field> {
        let is_answer = |step: &Step<'_>| match step {
            Step::Key(name) => self.answers.is_some_and(|answers| answers.contains(&*folded_name(name))),
            Step::Index(_) => false,
        };
        let named = self.by_path.iter().find(|(pattern, _)| pattern.covers(path)).map(|(_, field)| *field);
        let named = named.filter(|field| self.counts(*field));
        let is_of_a_writer = matches!(named, Some(Field::Of(_)));
        if !is_of_a_writer && (path.iter().any(is_answer) || may_hold_fields(text) && self.names_an_answer(text)) {
            return Some(Field::Of(Writer::Ignored));
        }
        named
    }

    /// Whether the result lets a field be what it is called: an error is nobody's words whatever stands in it, and what a model
    /// wrote may look like the fields of an index.
    fn counts(&self, field: Field) -> bool {
        let is_the_worlds = self.result == Writer::World;
        let index_in_prose = field == Field::Index && self.is_text && !is_the_worlds;
        counts_for_less(field) || !self.is_error && !index_in_prose
    }

    /// Whether a text names a field for a model's answer: a quoted name before a colon, or how its first line begins.
    fn names_an_answer(&self, text: &str) -> bool {
        let Some(answers) = self.answers else { return false };
        let first_line = text.trim_start_matches(|character: char| !character.is_alphanumeric()).lines().next();
        let heading = first_line.and_then(|line| line.split_once(':')).map(|(name, _)| folded_name(name));
        heading.is_some_and(|name| answers.contains(&*name))
            || memchr::memchr_iter(b':', text.as_bytes()).any(|colon| {
                // Most colons end a word or a scheme.
                let last = colon.checked_sub(1).and_then(|last| text.as_bytes().get(last));
                if last.is_none_or(u8::is_ascii_alphanumeric) {
                    return false;
                }
                let before = text.get(..colon).unwrap_or_default().trim_end();
                let quoted = before.strip_suffix(['"', '\'']).map(|before| before.trim_end_matches('\\'));
                let name = quoted.and_then(|before| before.rsplit(['"', '\'']).next()).unwrap_or_default();
                name.len() <= MAX_NAME && answers.contains(&*folded_name(name))
            })
    }
}

/// The longest name of a field that is looked up, in bytes.
const MAX_NAME: usize = 64;

fn may_hold_fields(text: &str) -> bool {
    text.contains(['{', '['])
}
