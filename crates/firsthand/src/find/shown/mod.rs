//! The strict side: addresses that somebody wrote as addresses, read in the text's own format.

mod csv;
mod html;
mod json;
mod layer;
mod link;
mod markdown;
mod recognise;
mod scan;
mod yaml;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::address::Form;
use crate::json::Step;

use layer::{Layer, Reader};

/// The format in which a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// By what the text shows: HTML, JSON, YAML, CSV, else Markdown.
    #[default]
    Auto,
    /// Plain text.
    Plain,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// JSON.
    Json,
}

/// Whose text it is: a person's bare domains count more easily.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A person's.
    Person,
    /// The world's.
    World,
}

/// An address that a text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'t> {
    /// The first byte of it in the text that was given.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// As it is spelled once the format is decoded.
    pub spelling: Cow<'t, str>,
    /// How it is written.
    pub form: Form,
}

/// Calls `each` for every address of the text, in order of appearance.
pub fn shown<'t>(text: &'t str, format: Format, voice: Voice, each: &mut dyn FnMut(Found<'t>)) {
    let layer = Layer::Given(text);
    let mut reader = Reader::new(voice, each);
    let all = 0..text.len();
    match format {
        Format::Auto => recognise::read(&layer, all, &mut reader, 0),
        Format::Plain => scan::plain(&layer, all, &mut reader),
        Format::Markdown => scan::markdown(&layer, all, &mut reader),
        Format::Html => html::read(&layer, all, &mut reader, 0),
        Format::Json => json::read(&layer, all, &mut reader, 0),
    }
}

/// Calls `each` for every address of a JSON text, with the path of the leaf it stands in.
pub fn shown_in_json<'t>(text: &'t str, voice: Voice, each: &mut dyn FnMut(&[Step<'t>], Found<'t>)) {
    json::read_leaves(text, voice, each);
}
