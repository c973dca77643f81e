//! The formats of recorded conversations: how each is told apart and read.
//!
//! A format is one file that ends in a `FORMAT`, and one line in [`FORMATS`].

pub mod probe;
pub mod text;
mod chars;
mod lax;
mod marked;
mod records;
pub(crate) mod taken_back;
mod recorded;
mod foreign;
pub mod own;
mod agentdojo;
mod agents;
mod autogen;
mod anthropic_messages;
mod cassette;
pub mod claude_code;
pub mod codex;
mod gemini;
mod gemini_cli;
mod gemini_interactions;
mod managed_agents;
mod mcp;
mod openai_chat;
mod openai_responses;
mod qwen_react;
mod specstory;
mod atif;
mod bedrock;
mod inspect;
mod langchain;
mod otel;
mod pydantic_ai;
mod vercel;
#[cfg(test)]
mod tests;

use firsthand::conversation::{Body, Conversation, Item};

use crate::error::{ReadError, shown_key};
use probe::Probe;

/// What a conversation whose record is cut off says to be hidden.
pub const CUT_OFF: &[&str] = &[records::CUT, recorded::log::CUT, cassette::CUT];

/// Every format that has a reader. The order is that in which their signs are looked for: narrow signs first.
pub const FORMATS: &[Format] = &[
    own::FORMAT,
    langchain::FORMAT,
    atif::FORMAT,
    inspect::FORMAT,
    pydantic_ai::FORMAT,
    agentdojo::FORMAT,
    autogen::FORMAT,
    agents::pi::FORMAT,
    agents::copilot::FORMAT,
    agents::kimi::FORMAT,
    agents::droid::FORMAT,
    agents::grok::FORMAT,
    agents::antigravity::FORMAT,
    agents::qwen_code::FORMAT,
    agents::cursor::FORMAT,
    agents::hermes::FORMAT,
    agents::opencode::FORMAT,
    qwen_react::FORMAT,
    specstory::FORMAT,
    managed_agents::FORMAT,
    codex::FORMAT,
    claude_code::FORMAT,
    gemini_cli::FORMAT,
    mcp::FORMAT,
    cassette::FORMAT,
    gemini_interactions::FORMAT,
    gemini::FORMAT,
    otel::FORMAT,
    vercel::FORMAT,
    bedrock::FORMAT,
    openai_responses::FORMAT,
    anthropic_messages::FORMAT,
    openai_chat::FORMAT,
];

/// A format of recorded conversations.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name that `--format` takes; also the dialect of its conversations.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Reads all conversations of a file. The bytes are never empty; they may be anything else.
    ///
    /// A reader that keeps what stands before a cut-off end must say so with a `Body::Hidden` whose `calls` is set.
    pub read: fn(&[u8], &Source<'_>) -> Result<Vec<Conversation>, ReadError>,
    /// Whether the beginning of a file has the signs of this format.
    pub recognises: fn(&Probe) -> bool,
}

/// Where the bytes come from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name or path: ids are made from it where the format has none.
    pub name: &'a str,
}

impl Source<'_> {
    /// The last part of the name without its ending: `session` for `runs/session.jsonl.gz`.
    pub fn stem(&self) -> &str {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        let file = file.strip_suffix(".gz").or(file.strip_suffix(".zst")).unwrap_or(file);
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }
}

/// Which format to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    /// By its signs.
    Auto,
    /// The format of this name.
    Named(&'a str),
}

impl<'a> Choice<'a> {
    /// What a command line says: `auto` or a name.
    pub fn said(name: &'a str) -> Self {
        if name == "auto" { Self::Auto } else { Self::Named(name) }
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The format's name.
    pub format: &'static str,
    /// The conversations of the file, in its order.
    pub conversations: Vec<Conversation>,
}

/// Reads the conversations of a file.
pub fn read(bytes: &[u8], choice: Choice<'_>, source: &Source<'_>) -> Result<Read, ReadError> {
    let format = match choice {
        Choice::Named(name) => named(name)?,
        Choice::Auto => detect(bytes)?,
    };
    if text::is_blank(bytes) {
        return Err(ReadError::Empty);
    }
    let mut conversations = (format.read)(bytes, source).map_err(|error| error.of_many_lines(bytes))?;
    conversations.iter_mut().for_each(taken_back::settle);
    if matches!(choice, Choice::Named(_)) && is_of_another(format, bytes, &conversations) {
        return Err(ReadError::unexpected("", "no conversation of this format", format.title));
    }
    Ok(Read { format: format.name, conversations })
}

/// Whether a file that was read as a named format is none of it.
///
/// Readers of logs pass over what they do not know; of a file of another format that would be all of it.
fn is_of_another(format: &Format, bytes: &[u8], conversations: &[Conversation]) -> bool {
    let mut items = conversations.iter().flat_map(|conversation| &conversation.items);
    items.all(|item: &Item| matches!(item.body, Body::Hidden { .. }))
        && !(format.recognises)(&Probe::of(bytes, bytes.len()))
}

/// The format of this name.
pub fn named(name: &str) -> Result<&'static Format, ReadError> {
    let format = FORMATS.iter().find(|format| format.name == name);
    format.ok_or_else(|| ReadError::UnknownFormat { name: shown_key(name), known: names() })
}

/// The names that `--format` takes, without `auto`.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    names.sort_unstable();
    names
}

/// The format whose signs the beginning of a file has.
///
/// A file that looks like a conversation but has no format's signs is [`ReadError::Undecided`]: writers are not guessed.
pub fn detect(bytes: &[u8]) -> Result<&'static Format, ReadError> {
    if text::is_blank(bytes) {
        return Err(ReadError::Empty);
    }
    let mut probe = Probe::of(bytes, probe::FIRST_LOOK);
    if let Some(decided) = decide(&probe) {
        return decided;
    }
    if bytes.len() > probe::FIRST_LOOK {
        probe = Probe::of(bytes, bytes.len());
        if let Some(decided) = decide(&probe) {
            return decided;
        }
    }
    if probe.values().is_empty() {
        return Err(ReadError::NotAConversation { found: "something that is not JSON" });
    }
    if probe.talks() {
        return Err(ReadError::Undecided { candidates: candidates(bytes) });
    }
    Err(ReadError::NotAConversation { found: "JSON without the signs of one" })
}

/// The formats that may be meant where no signs tell: those whose readers take the file, or all where none does or it is too
/// long to try.
fn candidates(bytes: &[u8]) -> Vec<&'static str> {
    if bytes.len() > probe::FIRST_LOOK {
        return names();
    }
    let takes = |name: &&str| read(bytes, Choice::Named(name), &Source { name: "" }).is_ok();
    let taking: Vec<&str> = names().into_iter().filter(takes).collect();
    if taking.is_empty() { names() } else { taking }
}

fn decide(probe: &Probe) -> Option<Result<&'static Format, ReadError>> {
    // The signs of formats without a reader are narrow and come first, so that none is read as one that it resembles.
    if let Some(error) = foreign::refused(probe) {
        return Some(Err(error));
    }
    FORMATS.iter().find(|format| (format.recognises)(probe)).map(Ok)
}
