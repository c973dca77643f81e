//! What an application adds to its system prompt, so that the model writes links that can be listed.
//!
//! A language is one file beside this one and one line in [`LANGUAGES`]. A file has a section for each [`Part`], and
//! lines that are filled in for each shortcut rule.

#[cfg(test)]
mod tests;

use crate::shortcut::{Shortcut, Shortcuts};
use crate::title::clean;

/// The languages, by their tags, with their texts.
pub const LANGUAGES: &[(&str, &str)] = &[("en", include_str!("en.txt")), ("ko", include_str!("ko.txt"))];

/// A part of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// How links are written, and when none is.
    Links,
    /// The registered shortcut rules; nothing where there are none.
    Shortcuts,
    /// How the links of researchers' reports are carried into the final report.
    CarryOver,
}

impl Part {
    /// All parts, in the order in which they stand in a prompt.
    pub const ALL: [Self; 3] = [Self::Links, Self::Shortcuts, Self::CarryOver];

    fn section(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Shortcuts => "shortcuts",
            Self::CarryOver => "carry over",
        }
    }
}

/// The parts in a language; `None` where there is no text in that language.
pub fn prompt(language: &str, parts: &[Part], shortcuts: &Shortcuts) -> Option<String> {
    let (_, text) = LANGUAGES.iter().find(|(tag, _)| *tag == language)?;
    let mut filled: Vec<String> = Vec::new();
    for part in parts {
        let words = section(text, part.section());
        match part {
            Part::Links | Part::CarryOver => filled.push(words.to_owned()),
            Part::Shortcuts if shortcuts.rules().is_empty() => {}
            Part::Shortcuts => {
                let rules: Vec<String> = shortcuts.rules().iter().map(|rule| told(text, rule)).collect();
                filled.push(format!("{words}\n\n{}", rules.join("\n")));
            }
        }
    }
    Some(if filled.is_empty() { String::new() } else { filled.join("\n\n") + "\n" })
}

/// The heading of the list of sources in a language; `None` where there is no text in that language.
pub fn heading(language: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(tag, _)| *tag == language).map(|(_, text)| section(text, "heading"))
}

/// A rule in the words of a language, on one line.
fn told(text: &str, rule: &Shortcut) -> String {
    let words = section(text, "shortcut");
    let line = words.replace("{template}", &clean(&rule.template)).replace("{description}", &clean(&rule.description));
    match &rule.example {
        Some(example) => line + " " + &section(text, "example").replace("{example}", example),
        None => line,
    }
}

/// What stands under a heading of a language's file.
fn section<'t>(text: &'t str, name: &str) -> &'t str {
    let behind = text.split("\n## ").find_map(|section| section.strip_prefix(name)?.strip_prefix('\n'));
    behind.unwrap_or_default().trim()
}
