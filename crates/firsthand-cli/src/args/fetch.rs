//! The options of what leaves: `fetch` and `download`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::args::{Context, Format, StoreOf, UnderPolicy};

/// Open addresses for a model, where the rule lets them be opened, and print what stands there as text.
///
/// All addresses of a call open or none does, and nothing is sent before all are decided: no query of a name either. HTML
/// becomes Markdown. Where a person has to confirm the call, you are asked if this is a terminal; otherwise nothing opens.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand fetch https://example.org/guide --conversation session.jsonl
  firsthand fetch \"$URL\" --conversation run.jsonl --append
  firsthand fetch \"$URL\" --conversation run.jsonl --offset 20000 -o page.md
  firsthand fetch \"$URL\" --conversation run.jsonl --policy ./our-policy.toml --log refusals.jsonl --json")]
pub(crate) struct Fetch {
    #[command(flatten)]
    pub(crate) leave: Leave,
    /// Write the text to this file; it appears when it is whole
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Byte of the text to go on from, as the mark at the end of a part names it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// The most bytes of text that are printed
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) limit: usize,
    /// Append the call and what it returned to the conversation, which must be in firsthand's own format
    #[arg(long)]
    pub(crate) append: bool,
}

/// Save what addresses hold in files, where the rule lets them be opened.
///
/// A file appears under its name when it is whole. Without `-o` the server names it; its name is made safe, and nothing
/// that exists is replaced.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand download https://example.org/report.pdf --conversation session.jsonl -o report.pdf
  firsthand download \"$URL\" --conversation run.jsonl --into downloads/")]
pub(crate) struct Download {
    #[command(flatten)]
    pub(crate) leave: Leave,
    /// Save as this file, also where it exists; for one address
    #[arg(short, long, value_name = "FILE", conflicts_with = "into")]
    pub(crate) output: Option<PathBuf>,
    /// Folder for files that the server names [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
}

/// What both need to decide and to send.
#[derive(Debug, Args)]
pub(crate) struct Leave {
    /// Addresses that the call asks for
    #[arg(value_name = "URL", required = true, num_args = 1..)]
    pub(crate) urls: Vec<OsString>,
    /// Recorded conversation at whose end the call is made
    #[arg(long, value_name = "FILE")]
    pub(crate) conversation: OsString,
    /// Id of the conversation, where the file holds several; an id that is not there lists those that are
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Tool that is called [default: web_fetch, download_file]
    #[arg(long, value_name = "T", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) tool: Option<String>,
    /// MCP server or connector that offers the tool
    #[arg(long, value_name = "S", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    #[command(flatten)]
    pub(crate) context: Context,
    #[command(flatten)]
    pub(crate) kept: StoreOf,
    /// Ask the site's robots.txt first
    #[arg(long)]
    pub(crate) robots: bool,
    /// Send requests through this proxy, which then resolves names itself
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Trust the certificates of this PEM file too
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Append a line for each decision to this file; it never holds an address
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Print one JSON object for each address
    #[arg(long)]
    pub(crate) json: bool,
}
