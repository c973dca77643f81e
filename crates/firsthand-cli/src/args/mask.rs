//! The options of `mask`, and those of the store that `check`, `fetch` and `download` resolve references by.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::args::{Context, Format, UnderPolicy};

/// Mask the addresses of a tool's result that open to whoever holds them, before a model sees it.
///
/// Each becomes a reference. With a store, one that the world's words gave in this conversation can be opened by its
/// reference, in this conversation and for a time; every other one is dead. The rest of the result stays byte for byte.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand mask result.json
  (umask 077; head -c 32 /dev/urandom > store.key)
  firsthand mask result.json --conversation run.jsonl --call c7 --store references --key-file store.key
  firsthand fetch ref-4k9xq2m7d1p8t3z --conversation run.jsonl --store references --key-file store.key")]
pub(crate) struct Mask {
    /// Result to mask [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) file: OsString,
    /// Recorded conversation at whose end the result came
    #[arg(long, value_name = "FILE", requires = "producer")]
    pub(crate) conversation: Option<OsString>,
    /// Id of the conversation, where the file holds several
    #[arg(long, value_name = "ID", requires = "conversation")]
    pub(crate) run: Option<String>,
    /// Id of the call that returned it
    #[arg(long, value_name = "ID", group = "producer")]
    pub(crate) call: Option<String>,
    /// Tool that returned it, where the conversation does not hold the call
    #[arg(long, value_name = "T", group = "producer", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) tool: Option<String>,
    /// MCP server or connector that offers the tool
    #[arg(long, value_name = "S", requires = "tool", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) kept: StoreOf,
    /// Mask by names such as `token` too, whoever serves the address; this has false hits
    #[arg(long)]
    pub(crate) generic: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    #[command(flatten)]
    pub(crate) context: Context,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where references are kept.
#[derive(Debug, Args)]
pub(crate) struct StoreOf {
    /// File that keeps, sealed, what references stand for
    #[arg(long, value_name = "FILE", requires = "key_file")]
    pub(crate) store: Option<PathBuf>,
    /// File with the 32 bytes that seal the store, as they are or as 64 hexadecimal digits
    #[arg(long, value_name = "FILE", requires = "store")]
    pub(crate) key_file: Option<PathBuf>,
}
