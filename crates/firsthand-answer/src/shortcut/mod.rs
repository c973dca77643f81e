//! Shortcut rules: templates of the addresses of detail pages, which an administrator registers.
//!
//! A file of rules is TOML:
//!
//! ```toml
//! [[shortcut]]
//! name = "order"
//! template = "https://erp.example/orders/{order_no}"
//! description = "A single order. Use it for every order number in the answer."
//! example = { order_no = "ORD-1234" }
//! patterns = { order_no = "ORD-[0-9]+" }
//! ```
//!
//! `example` and `patterns` may be left out. A pattern is a regular expression that the whole value must match.

mod pieces;
mod template;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use toml::Spanned;

use template::Template;
pub use template::{TemplateError, ValueError};

/// The rules, in the order of their file.
#[derive(Clone, Debug, Default)]
pub struct Shortcuts {
    rules: Vec<Shortcut>,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Shortcut {
    /// Its name.
    pub name: String,
    /// The address with its slots, as `https://erp.example/orders/{order_no}`.
    pub template: String,
    /// When to use it, for the model.
    pub description: String,
    /// An address that the rule makes, where the file gives values for one.
    pub example: Option<String>,
    read: Template,
}

/// Why a file of rules is not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShortcutError {
    /// It is no TOML of this form.
    #[error("not a file of shortcut rules: {0}")]
    File(String),
    /// Two rules have one name.
    #[error("line {line}: two rules have the name `{name}`")]
    NameTwice {
        /// The name.
        name: String,
        /// Where the second one has it.
        line: usize,
    },
    /// A name or description is empty.
    #[error("line {line}: the {what} is empty")]
    Empty {
        /// Which of them.
        what: &'static str,
        /// Where it stands.
        line: usize,
    },
    /// A template is bad.
    #[error("line {line}: the template of `{name}`: {reason}")]
    Template {
        /// The rule.
        name: String,
        /// Where it stands, or the patterns that are to blame.
        line: usize,
        /// Why.
        reason: TemplateError,
    },
    /// An example makes no address.
    #[error("line {line}: the example of `{name}`: {reason}")]
    Example {
        /// The rule.
        name: String,
        /// Where it stands.
        line: usize,
        /// Why.
        reason: ValueError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    shortcut: Vec<RawShortcut>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawShortcut {
    name: Spanned<String>,
    template: Spanned<String>,
    description: Spanned<String>,
    example: Option<Spanned<BTreeMap<String, String>>>,
    patterns: Option<Spanned<BTreeMap<String, String>>>,
}

impl Shortcuts {
    /// Reads a file of rules.
    pub fn read(file: &str) -> Result<Self, ShortcutError> {
        let raw: RawFile = toml::from_str(file).map_err(|error| ShortcutError::File(error.to_string()))?;
        let mut names = HashSet::new();
        let mut rules = Vec::with_capacity(raw.shortcut.len());
        for raw in raw.shortcut {
            for (what, text) in [("name", &raw.name), ("description", &raw.description)] {
                if text.get_ref().trim().is_empty() {
                    return Err(ShortcutError::Empty { what, line: line(file, text) });
                }
            }
            if !names.insert(raw.name.get_ref().clone()) {
                let line = line(file, &raw.name);
                return Err(ShortcutError::NameTwice { name: raw.name.into_inner(), line });
            }
            rules.push(rule(raw, file)?);
        }
        Ok(Self { rules })
    }

    /// The rules, in the order of their file.
    pub fn rules(&self) -> &[Shortcut] {
        &self.rules
    }

    /// The first rule that an address follows. The address is in its WHATWG serialisation.
    pub fn matching(&self, address: &str) -> Option<&Shortcut> {
        self.rules.iter().find(|rule| rule.read.matches(address))
    }
}

fn rule(raw: RawShortcut, file: &str) -> Result<Shortcut, ShortcutError> {
    let RawShortcut { name, template, description, example, patterns } = raw;
    let name = name.into_inner();
    let none = BTreeMap::new();
    let read = match Template::read(template.get_ref(), patterns.as_ref().map_or(&none, Spanned::get_ref)) {
        Ok(read) => read,
        Err(reason) => {
            let patterns = patterns.as_ref().filter(|_| reason.is_of_patterns());
            let line = patterns.map_or_else(|| line(file, &template), |patterns| line(file, patterns));
            return Err(ShortcutError::Template { name, line, reason });
        }
    };
    let example = match example.filter(|example| !example.get_ref().is_empty()) {
        None => None,
        Some(example) => match read.build(example.get_ref()) {
            Ok(address) => Some(address),
            Err(reason) => return Err(ShortcutError::Example { name, line: line(file, &example), reason }),
        },
    };
    let (template, description) = (template.into_inner(), description.into_inner());
    Ok(Shortcut { name, template, description, example, read })
}

/// The line of a file in which something begins, from 1.
fn line<T>(file: &str, what: &Spanned<T>) -> usize {
    let before = file.as_bytes().get(..what.span().start).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() + 1
}

impl Shortcut {
    /// The address with values in its slots, each percent-encoded.
    pub fn build(&self, values: &BTreeMap<String, String>) -> Result<String, ValueError> {
        self.read.build(values)
    }

    /// The names of the slots, in order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.read.slots()
    }
}
