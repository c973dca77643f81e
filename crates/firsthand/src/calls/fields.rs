//! Whose words single fields of a result are, where they are not the tool's.

use std::collections::BTreeSet;

use crate::conversation::Content;
use crate::json::{self, Path, Step, folded_name};
use crate::policy::{Field, Names};
use crate::writer::Writer;

/// Whose words single fields of a result are.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'f> {
    by_path: &'f [(Path, Field)],
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
    /// The fields that a rule names; of a search also those that are called like a model's answer.
    pub fn new(by_path: &'f [(Path, Field)], is_search: bool, names: &'f Names) -> Self {
        Self { by_path, answers: is_search.then_some(&names.answers) }
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
            Step::Key(name) => self.answers.is_some_and(|answers| answers.contains(&folded_name(name))),
            Step::Index(_) => false,
        };
        let named = self.by_path.iter().find(|(pattern, _)| pattern.covers(path)).map(|(_, field)| *field);
        let is_of_a_writer = matches!(named, Some(Field::Of(_)));
        if !is_of_a_writer && (path.iter().any(is_answer) || may_hold_fields(text) && self.names_an_answer(text)) {
            return Some(Field::Of(Writer::Ignored));
        }
        named
    }

    /// Whether a text names a field for a model's answer: a quoted name before a colon, or how its first line begins.
    fn names_an_answer(&self, text: &str) -> bool {
        let Some(answers) = self.answers else { return false };
        let first_line = text.trim_start_matches(|character: char| !character.is_alphanumeric()).lines().next();
        let heading = first_line.and_then(|line| line.split_once(':')).map(|(name, _)| folded_name(name));
        heading.is_some_and(|name| answers.contains(&name))
            || text.match_indices(':').any(|(colon, _)| {
                let before = text.get(..colon).unwrap_or_default().trim_end();
                let quoted = before.strip_suffix(['"', '\'']).map(|before| before.trim_end_matches('\\'));
                let name = quoted.and_then(|before| before.rsplit(['"', '\'']).next()).unwrap_or_default();
                name.len() <= MAX_NAME && answers.contains(&folded_name(name))
            })
    }
}

/// The longest name of a field that is looked up, in bytes.
const MAX_NAME: usize = 64;

fn may_hold_fields(text: &str) -> bool {
    text.contains(['{', '['])
}
