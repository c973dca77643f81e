//! What is wrong with a policy: where, under which key, what stands there, what should.
//!
//! A policy is the operator's own text, so its words are shown, but for what follows the host of an address: whoever
//! mistakes a list for one of addresses may have pasted a secret.

use std::fmt;
use std::ops::Range;

use crate::error::without_addresses;

/// Why a policy could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyError {
    /// The line and column, both from 1, where the text has them.
    pub place: Option<(usize, usize)>,
    /// The key, as far as it is known.
    pub key: Option<String>,
    /// What stands there, or what is wrong.
    pub found: String,
    /// What should stand there; empty where that is said already.
    pub expected: String,
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line} column {column}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{}`: ", without_addresses(key))?;
        }
        let found = without_addresses(&self.found);
        match self.expected.as_str() {
            "" => f.write_str(&found),
            expected => write!(f, "found {found}; expected {expected}"),
        }
    }
}

impl PolicyError {
    /// An error whose place is not known yet.
    pub(super) fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: None, key: None, found: found.into(), expected: expected.into() }
    }

    /// The same error at a place of the text, under a key.
    pub(super) fn at(mut self, text: &str, span: Range<usize>, key: &str) -> Self {
        self.place = Some(line_and_column(text, span.start));
        self.key = Some(key.to_owned());
        self
    }

    /// The same error under a key.
    pub(super) fn keyed(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(super) fn unknown_profile(name: &str) -> Self {
        let names: Vec<&str> = super::PROFILES.iter().map(|(name, _)| *name).collect();
        Self::new(format!("no profile `{name}`"), format!("one of {}", names.join(", ")))
    }

    /// What the TOML parser says, taken apart.
    pub(super) fn toml(error: &toml::de::Error, text: &str) -> Self {
        let (found, expected) = parts(error.message());
        let mut own = Self::new(found, expected);
        if let Some(span) = error.span() {
            own.place = Some(line_and_column(text, span.start));
            own.key = key_at(text, span);
        }
        own
    }

    /// What the JSON parser says, taken apart.
    pub(super) fn json(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let (found, expected) = parts(message);
        Self { place: Some((error.line(), error.column())), ..Self::new(found, expected) }
    }
}

/// The halves of a serde message: what was found, what was expected.
fn parts(message: &str) -> (String, String) {
    let message = message.trim();
    let named = |rest: &str| rest.split('`').next().unwrap_or_default().to_owned();
    if let Some(rest) = message.strip_prefix("missing field `") {
        return (format!("no key `{}`", named(rest)), "the key".to_owned());
    }
    if let Some(rest) = message.strip_prefix("duplicate field `") {
        return (format!("the key `{}` twice", named(rest)), "the key once".to_owned());
    }
    if message == "duplicate key" {
        return ("a key that stands twice".to_owned(), "each key once".to_owned());
    }
    let Some((found, expected)) = message.split_once(", expected ") else {
        return (message.to_owned(), String::new());
    };
    let found = match found.split_once("`") {
        Some(("unknown field ", name)) => format!("the unknown key `{name}"),
        Some(("unknown variant ", name)) => format!("the value `{name}"),
        Some(_) | None => found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ").to_owned(),
    };
    (found, expected.to_owned())
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// The key whose value (or which itself) stands at a span: the last table header before it, and what its line sets.
fn key_at(text: &str, span: Range<usize>) -> Option<String> {
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
    let header = text.get(..start)?.lines().rev().map(str::trim).find(|line| line.starts_with('['));
    let header = header.map(|line| line.split(']').next().unwrap_or(line).trim_start_matches('[').trim());
    let line = text.get(start..)?.lines().next()?.trim();
    if line.starts_with('[') {
        return Some(line.split(']').next()?.trim_start_matches('[').trim().to_owned());
    }
    let name = line.split_once('=').map(|(name, _)| name.trim()).filter(|name| !name.is_empty());
    match (header, name) {
        (Some(header), Some(name)) => Some(format!("{header}.{name}")),
        (None, Some(name)) => Some(name.to_owned()),
        (Some(header), None) => Some(header.to_owned()),
        (None, None) => None,
    }
}
