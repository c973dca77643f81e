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
    #[error("two rules have the name `{name}`")]
    NameTwice {
        /// The name.
        name: String,
    },
    /// A name or description is empty.
    #[error("the {what} of rule {rule} is empty")]
    Empty {
        /// Which of them.
        what: &'static str,
        /// Which rule, from 1.
        rule: usize,
    },
    /// A template is bad.
    #[error("the template of `{name}`: {reason}")]
    Template {
        /// The rule.
        name: String,
        /// Why.
        reason: TemplateError,
    },
    /// An example makes no address.
    #[error("the example of `{name}`: {reason}")]
    Example {
        /// The rule.
        name: String,
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
    name: String,
    template: String,
    description: String,
    #[serde(default)]
    example: BTreeMap<String, String>,
    #[serde(default)]
    patterns: BTreeMap<String, String>,
}

impl Shortcuts {
    /// Reads a file of rules.
    pub fn read(file: &str) -> Result<Self, ShortcutError> {
        let raw: RawFile = toml::from_str(file).map_err(|error| ShortcutError::File(error.to_string()))?;
        let mut names = HashSet::new();
        let mut rules = Vec::with_capacity(raw.shortcut.len());
        for (index, raw) in raw.shortcut.into_iter().enumerate() {
            for (what, text) in [("name", &raw.name), ("description", &raw.description)] {
                if text.trim().is_empty() {
                    return Err(ShortcutError::Empty { what, rule: index + 1 });
                }
            }
            if !names.insert(raw.name.clone()) {
                return Err(ShortcutError::NameTwice { name: raw.name });
            }
            rules.push(rule(raw)?);
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

fn rule(raw: RawShortcut) -> Result<Shortcut, ShortcutError> {
    let RawShortcut { name, template, description, example, patterns } = raw;
    let read = match Template::read(&template, &patterns) {
        Ok(read) => read,
        Err(reason) => return Err(ShortcutError::Template { name, reason }),
    };
    let example = if example.is_empty() {
        None
    } else {
        match read.build(&example) {
            Ok(address) => Some(address),
            Err(reason) => return Err(ShortcutError::Example { name, reason }),
        }
    };
    Ok(Shortcut { name, template, description, example, read })
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
