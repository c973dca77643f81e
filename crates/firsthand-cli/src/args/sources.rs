//! The command line of `firsthand sources`.

use std::ffi::OsString;

use clap::{ArgGroup, Args, ValueEnum};
use firsthand_answer::emit::Shape;
use firsthand_answer::prompt::{LANGUAGES, Part};

use super::{Format, UnderPolicy};

/// List the sources of a finished answer, and give them out in the shapes of others.
///
/// A source is an address that the answer links to. Links that must not stay are unwrapped; the text and its list then
/// belong together. docs/answers.md describes the rules, the record and the shapes.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("recorded").args(["conversation", "origins"])))]
#[command(group(ArgGroup::new("read").args(["policy", "format"]).multiple(true).requires("recorded")))]
#[command(after_help = "\
Examples:
  firsthand sources answer.md
  firsthand sources answer.md --conversation session.jsonl --json
  firsthand sources answer.md --shortcuts rules.toml --emit html > answer.html
  firsthand sources final.md --report one.md two.md
  firsthand sources --emit prompt --language ko --shortcuts rules.toml
  firsthand sources --origins ~/.claude/projects")]
pub(crate) struct Sources {
    /// Answer in Markdown; with `--origins`, recorded conversations or directories of them
    #[arg(value_name = "ANSWER")]
    pub(crate) files: Vec<OsString>,
    /// Recorded conversation that the answer belongs to: it gives titles, kinds, and who wrote each address first
    #[arg(long, value_name = "FILE")]
    pub(crate) conversation: Option<OsString>,
    /// Id of the conversation, where the file holds several; an id that is not there lists those that are
    #[arg(long, value_name = "ID", requires = "conversation")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    /// Shortcut rules
    #[arg(long, value_name = "FILE")]
    pub(crate) shortcuts: Option<OsString>,
    /// Reports that the answer rests on, named behind it: links that it does not carry over are counted and listed
    #[arg(long = "report", value_name = "FILE", num_args = 1..)]
    pub(crate) reports: Vec<OsString>,
    /// Print in this shape
    #[arg(long, value_name = "SHAPE", value_enum)]
    pub(crate) emit: Option<Emit>,
    /// Language of the prompt parts, and of the heading in HTML
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = languages(), requires = "emit")]
    pub(crate) language: String,
    /// Prompt part to print; repeat it for several [default: all]
    #[arg(long = "part", value_name = "PART", value_enum)]
    pub(crate) parts: Vec<PromptPart>,
    /// Tell where the links of recorded answers came from: copied, built, or from nowhere
    #[arg(long, conflicts_with_all = ["emit", "conversation", "reports"])]
    pub(crate) origins: bool,
    /// Print the native record as one JSON object; with `--origins` JSON Lines
    #[arg(long, conflicts_with = "emit")]
    pub(crate) json: bool,
}

/// What `--emit` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// The native record
    Native,
    /// OpenAI Responses: an output_text with url_citation annotations
    #[value(name = "openai")]
    OpenAi,
    /// OpenAI Chat Completions: a message with url_citation annotations
    #[value(name = "openai-chat")]
    OpenAiChat,
    /// Anthropic Messages: a text block with search_result_location citations
    Anthropic,
    /// Gemini: a candidate with groundingMetadata
    Gemini,
    /// AI SDK: a message with source-url and source-document parts
    AiSdk,
    /// Perplexity: citations and search_results
    Perplexity,
    /// LangChain for Python: citation annotations
    #[value(name = "langchain")]
    LangChain,
    /// LangChain for JavaScript: citation annotations
    #[value(name = "langchain-js")]
    LangChainJs,
    /// Numbered list in Markdown
    Markdown,
    /// Table for spreadsheets
    Csv,
    /// References in CSL-JSON
    CslJson,
    /// References in BibTeX
    #[value(name = "bibtex")]
    BibTex,
    /// References in RIS
    Ris,
    /// The answer with its list as safe HTML: a fragment in UTF-8, for a page of yours
    Html,
    /// What the reports link to and the answer does not
    CarryOver,
    /// Prompt parts for the model that writes answers
    Prompt,
}

/// What `--emit` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The record in a shape.
    Shape(Shape),
    /// The page.
    Html,
    /// The links that were not carried over.
    CarryOver,
    /// Prompt parts.
    Prompt,
}

impl Emit {
    /// What is asked for.
    pub(crate) fn wanted(self) -> Wanted {
        Wanted::Shape(match self {
            Self::Native => Shape::Native,
            Self::OpenAi => Shape::OpenAi,
            Self::OpenAiChat => Shape::OpenAiChat,
            Self::Anthropic => Shape::Anthropic,
            Self::Gemini => Shape::Gemini,
            Self::AiSdk => Shape::AiSdk,
            Self::Perplexity => Shape::Perplexity,
            Self::LangChain => Shape::LangChain,
            Self::LangChainJs => Shape::LangChainJs,
            Self::Markdown => Shape::Markdown,
            Self::Csv => Shape::Csv,
            Self::CslJson => Shape::CslJson,
            Self::BibTex => Shape::BibTex,
            Self::Ris => Shape::Ris,
            Self::Html => return Wanted::Html,
            Self::CarryOver => return Wanted::CarryOver,
            Self::Prompt => return Wanted::Prompt,
        })
    }
}

/// What `--part` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptPart {
    /// How to write links
    Links,
    /// Registered shortcut rules
    Shortcuts,
    /// How to carry over the links of reports
    CarryOver,
}

impl From<PromptPart> for Part {
    fn from(part: PromptPart) -> Self {
        match part {
            PromptPart::Links => Self::Links,
            PromptPart::Shortcuts => Self::Shortcuts,
            PromptPart::CarryOver => Self::CarryOver,
        }
    }
}

fn languages() -> clap::builder::PossibleValuesParser {
    LANGUAGES.iter().map(|(tag, _)| *tag).collect::<Vec<_>>().into()
}
