//! The record of an answer's sources in the shapes of others, one a file.
//!
//! Each shape is formatting only: nothing is found, judged or left out here, and every source of the record stands in each.
//! Offsets are counted in the unit that the readers of a shape count in; [`offset`] says which are which.

mod offset;
mod openai;
mod anthropic;
mod gemini;
mod ai_sdk;
mod perplexity;
mod langchain;
mod markdown;
mod csv;
mod csl;
mod bibtex;
mod ris;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::record::{Item, Record};

pub use offset::{Offsets, Unit};

/// A shape that a record can be given out in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The record itself.
    Native,
    /// An `output_text` of OpenAI's Responses API with `url_citation` annotations.
    OpenAi,
    /// A message of OpenAI's Chat Completions with `url_citation` annotations.
    OpenAiChat,
    /// Content blocks of Anthropic's Messages API with `search_result_location` citations.
    Anthropic,
    /// A candidate of Gemini with `groundingMetadata`.
    Gemini,
    /// A message of the AI SDK with `source-url` and `source-document` parts.
    AiSdk,
    /// A completion of Perplexity with `citations` and `search_results`.
    Perplexity,
    /// A message of LangChain for Python, with `citation` annotations.
    LangChain,
    /// A message of LangChain for JavaScript, with `citation` annotations.
    LangChainJs,
    /// A numbered list in Markdown.
    Markdown,
    /// A table for spreadsheets.
    Csv,
    /// References in CSL-JSON.
    CslJson,
    /// References in BibTeX.
    BibTex,
    /// References in RIS.
    Ris,
}

/// A record in a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Emitted {
    /// One JSON value.
    Json(Value),
    /// A text, with its line ends.
    Text(String),
}

/// Gives a record out in a shape.
pub fn emit(record: &Record<'_>, shape: Shape) -> Emitted {
    match shape {
        Shape::Native => Emitted::Json(serde_json::to_value(record).unwrap_or_default()),
        Shape::OpenAi => Emitted::Json(openai::responses(record)),
        Shape::OpenAiChat => Emitted::Json(openai::chat(record)),
        Shape::Anthropic => Emitted::Json(anthropic::message(record)),
        Shape::Gemini => Emitted::Json(gemini::candidate(record)),
        Shape::AiSdk => Emitted::Json(ai_sdk::message(record)),
        Shape::Perplexity => Emitted::Json(perplexity::completion(record)),
        Shape::LangChain => Emitted::Json(langchain::python(record)),
        Shape::LangChainJs => Emitted::Json(langchain::javascript(record)),
        Shape::Markdown => Emitted::Text(markdown::list(record)),
        Shape::Csv => Emitted::Text(csv::table(record)),
        Shape::CslJson => Emitted::Json(csl::references(record)),
        Shape::BibTex => Emitted::Text(bibtex::references(record)),
        Shape::Ris => Emitted::Text(ris::references(record)),
    }
}

/// The id of a source in the shapes that want one: it holds within one answer.
fn id(item: &Item<'_>) -> String {
    format!("s{}", item.n)
}

/// One link of a source, with its range in the unit of a shape.
struct Cited<'r> {
    item: &'r Item<'r>,
    start: usize,
    end: usize,
}

/// Every link of every source, in the order of the text.
fn cited<'r>(record: &'r Record<'_>, unit: Unit) -> Vec<Cited<'r>> {
    let offsets = Offsets::of(&record.markdown, unit);
    let mut cited: Vec<Cited<'_>> = record
        .items
        .iter()
        .flat_map(|item| item.occurrences.iter().map(move |at| (item, at)))
        .map(|(item, at)| Cited { item, start: offsets.at(at.start), end: offsets.at(at.end) })
        .collect();
    cited.sort_by_key(|cited| (cited.start, cited.end));
    cited
}
