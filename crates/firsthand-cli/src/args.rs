//! The command line, in one definition: the parser, `--help`, the man pages and the completions all come from it.

mod eval;
mod fetch;
mod mask;
mod serve;
mod sources;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use firsthand_wire::error::without_addresses;

use crate::engine;
use crate::exit::Exit;

pub(crate) use eval::Eval;
pub(crate) use fetch::{Download, Fetch, Leave};
pub(crate) use mask::{Mask, StoreOf};
pub(crate) use serve::{Backup, Database, Migrate, Most, Serve, Token, TokenCommand, TokenScope};
pub(crate) use sources::{PromptPart, Sources, Wanted};

const EXIT_STATUS: &str = "\
Exit status:
  0   done, or open
  1   refused (`check`, `fetch`, `download`, `trace --fail-on`)
  2   bad input or usage
  3   a person has to be asked (`check`, `fetch`, `download`, `trace --fail-on ask`)
  4   open, but the other side failed (`fetch`, `download`)
  70  a fault of this program

FILE may be `-` for standard input, and may be packed with gzip or zstd.
What `--json` prints is described in docs/output.md.
Colours are for terminals only; NO_COLOR and CLICOLOR are heeded.";

/// Tells who wrote each address of a conversation first, and whether it may be opened.
#[derive(Debug, Parser)]
#[command(name = "firsthand", version, max_term_width = 100, after_help = EXIT_STATUS, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Urls(Urls),
    Items(Items),
    Trace(Trace),
    Check(Check),
    Explain(Explain),
    Sources(Sources),
    Fetch(Fetch),
    Download(Download),
    Mask(Mask),
    Policy(Policy),
    Eval(Eval),
    Serve(Serve),
    Token(Token),
    Migrate(Migrate),
    Backup(Backup),
    Completions(Completions),
    Man(Man),
}

/// Find the addresses in a text.
///
/// The source side takes only what somebody wrote as an address; the model side takes every spelling that some tool could
/// turn into one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand urls page.html --as html
  firsthand urls notes.md --json | jq -r .url
  curl -s https://example.org/ | firsthand urls --as html --count")]
pub(crate) struct Urls {
    /// Text to read [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) file: OsString,
    /// How to read the text; `auto` goes by what the text shows
    #[arg(id = "as", long = "as", value_name = "FORMAT", value_enum, default_value_t = TextFormat::Auto)]
    pub(crate) format: TextFormat,
    /// Which side of the rule looks for addresses
    #[arg(long, value_enum, default_value_t = Side::Source)]
    pub(crate) side: Side,
    /// Print only how many there are
    #[arg(long)]
    pub(crate) count: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show a recorded conversation as it is read: item by item, with who wrote each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand items session.jsonl
  firsthand items run.json --format openai-chat --json")]
pub(crate) struct Items {
    /// Recorded conversation
    #[arg(value_name = "FILE")]
    pub(crate) file: OsString,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    /// Print JSON Lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Replay recorded conversations: a line for each call that opens addresses, then a summary.
///
/// A directory is walked; its conversations are judged side by side and told in the order of their names. A walk looks
/// at files that end in json, jsonl, ndjson, yaml, yml, md, txt, log or eval, also packed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand trace session.jsonl
  firsthand trace ~/.claude/projects --json > calls.jsonl
  firsthand trace runs/ --policy managed-agents --fail-on refuse")]
pub(crate) struct Trace {
    /// Recorded conversations, or directories of them
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) files: Vec<OsString>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    #[command(flatten)]
    pub(crate) context: Context,
    /// Exit with 1 when a call is refused; with `ask` also with 3 when one asks. Advice (in brackets) and calls that
    /// cannot be judged do not count
    #[arg(long, value_name = "VERDICT", value_enum, default_value_t = FailOn::Never)]
    pub(crate) fail_on: FailOn,
    /// Work on so many conversations at a time [default: one for each core]
    #[arg(long, short = 'j', value_name = "N", value_parser = count)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Show addresses whole, however wide the tables become
    #[arg(long)]
    pub(crate) full: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Judge a call made at the end of a conversation.
///
/// The conversation must end before the call that is asked about: what the model wrote in that call would mark its own
/// address. To judge the calls that a recording holds, use `trace`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand check session.jsonl --tool web_fetch --url https://example.org/
  firsthand check run.jsonl --tool get_page --server wiki --url \"$URL\" --no-rewrite --json
  firsthand check child.jsonl --parent parent.jsonl --tool web_fetch --url \"$URL\"
  firsthand check runs.jsonl --conversation runs#3 --tool web_fetch --url \"$URL\"")]
pub(crate) struct Check {
    /// Recorded conversation
    #[arg(value_name = "FILE")]
    pub(crate) file: OsString,
    /// Tool that is called
    #[arg(long, value_name = "T", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) tool: String,
    /// MCP server or connector that offers the tool
    #[arg(long, value_name = "S", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) server: Option<String>,
    /// Address that the call asks for; repeat it for a call with several
    #[arg(long = "url", value_name = "U", required = true, allow_hyphen_values = true)]
    pub(crate) urls: Vec<OsString>,
    /// Id of the conversation, where the file holds several; an id that is not there lists those that are
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    #[command(flatten)]
    pub(crate) context: Context,
    /// The caller cannot change the call: only the source's own spelling opens
    #[arg(long)]
    pub(crate) no_rewrite: bool,
    #[command(flatten)]
    pub(crate) kept: StoreOf,
    /// Show addresses whole, however wide the tables become
    #[arg(long)]
    pub(crate) full: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Tell the story of one address: where it stands, who wrote it, and what that did.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand explain session.jsonl --url https://example.org/guide")]
pub(crate) struct Explain {
    /// Recorded conversation
    #[arg(value_name = "FILE")]
    pub(crate) file: OsString,
    /// Address
    #[arg(long, value_name = "U", allow_hyphen_values = true)]
    pub(crate) url: OsString,
    /// Id of the conversation, where the file holds several; an id that is not there lists those that are
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) policy: UnderPolicy,
    #[command(flatten)]
    pub(crate) context: Context,
    /// Show addresses whole, however wide the tables become
    #[arg(long)]
    pub(crate) full: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a profile or a policy as it works out, or a skeleton of one for a conversation.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand policy
  firsthand policy managed-agents
  firsthand policy ./our-policy.toml
  firsthand policy --suggest session.jsonl > our-policy.toml
  firsthand policy --suggest ~/.claude/projects > our-policy.toml")]
pub(crate) struct Policy {
    /// Profile (firsthand, unattended, managed-agents, messages-api or person-only), or policy file
    #[arg(value_name = "NAME", default_value = engine::DEFAULT_PROFILE, conflicts_with = "suggest")]
    pub(crate) name: OsString,
    /// Write a policy for the tools of these conversations, or directories of them, for a person to correct
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) suggest: Vec<OsString>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Print the completions of a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand completions bash > ~/.local/share/bash-completion/completions/firsthand
  firsthand completions fish > ~/.config/fish/completions/firsthand.fish")]
pub(crate) struct Completions {
    /// Shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: clap_complete::Shell,
}

/// Print a man page.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand man | man -l -
  firsthand man trace > firsthand-trace.1")]
pub(crate) struct Man {
    /// Command [default: the program itself]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// The format of a recorded conversation.
#[derive(Debug, Args)]
pub(crate) struct Format {
    /// Format of the conversation; `auto` goes by its signs
    #[arg(id = "format", long = "format", value_name = "FORMAT", default_value = engine::AUTO, value_parser = formats())]
    pub(crate) name: String,
}

/// The policy.
#[derive(Debug, Args)]
pub(crate) struct UnderPolicy {
    /// Profile (firsthand, unattended, managed-agents, messages-api or person-only), or policy file
    #[arg(id = "policy", long = "policy", value_name = "P", default_value = engine::DEFAULT_PROFILE)]
    pub(crate) name: OsString,
}

/// What the conversation does not hold itself.
#[derive(Debug, Args)]
pub(crate) struct Context {
    /// Conversation of the run that started this one; repeat it for the runs above, nearest first
    #[arg(long = "parent", value_name = "FILE")]
    pub(crate) parents: Vec<OsString>,
    /// Earlier turns of the same conversation
    #[arg(long, value_name = "FILE")]
    pub(crate) earlier: Option<PathBuf>,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TextFormat {
    Auto,
    Plain,
    Markdown,
    Html,
    Json,
}

/// Which side of the rule reads a text.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Side {
    Source,
    Model,
}

/// Which verdicts fail a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Refuse,
    Ask,
    Never,
}

fn formats() -> PossibleValuesParser {
    std::iter::once(engine::AUTO).chain(engine::formats()).collect::<Vec<_>>().into()
}

/// A number of things of which there is at least one.
fn count(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1 on")
}

/// Reads the command line. Help and usage errors are printed here.
pub(crate) fn read() -> Result<Command, Exit> {
    match CommandLine::try_parse() {
        Ok(line) => Ok(line.command),
        Err(error) => {
            let error = hide_addresses(error);
            let exit = if error.use_stderr() { Exit::BadInput } else { Exit::Done };
            // A closed pipe is no reason to fail: whoever asked for help has seen enough of it.
            drop(error.print());
            Err(exit)
        }
    }
}

/// The error without the addresses that a wrong command line may hold.
///
/// SECURITY: usage errors repeat the words they do not understand, and go to standard error, which is often kept.
fn hide_addresses(mut error: clap::Error) -> clap::Error {
    let hide = |text: &str| {
        if text.contains("://") { "<address>".to_owned() } else { crate::safe::plain(&without_addresses(text)) }
    };
    for kind in [
        ContextKind::InvalidArg,
        ContextKind::InvalidValue,
        ContextKind::InvalidSubcommand,
        ContextKind::SuggestedValue,
    ] {
        let safe = match error.get(kind) {
            Some(ContextValue::String(text)) => ContextValue::String(hide(text)),
            Some(ContextValue::Strings(texts)) => ContextValue::Strings(texts.iter().map(|text| hide(text)).collect()),
            _ => continue,
        };
        error.insert(kind, safe);
    }
    // A tip may tell how to pass the very word on.
    let tip = matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(tips)) if tips.iter().any(|tip| tip.to_string().contains("://")));
    if tip {
        error.remove(ContextKind::Suggested);
    }
    error
}

impl Completions {
    /// The completions as text.
    pub(crate) fn render(&self) -> Vec<u8> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "firsthand", &mut text);
        text
    }
}

impl Man {
    /// The man page as roff, or the names of the commands where none has the name that was given.
    pub(crate) fn render(&self) -> Result<Vec<u8>, Vec<String>> {
        let mut whole = CommandLine::command();
        whole.build();
        let page = match &self.command {
            None => whole,
            Some(name) => match whole.find_subcommand(name) {
                Some(command) => command.clone(),
                None => {
                    return Err(whole.get_subcommands().map(|command| command.get_name().to_owned()).collect());
                }
            },
        };
        let mut text = Vec::new();
        let version = env!("CARGO_PKG_VERSION");
        let page = clap_mangen::Man::new(page).source(format!("firsthand {version}")).manual("User commands");
        // Writing to memory does not fail.
        drop(page.render(&mut text));
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_holds_together() {
        CommandLine::command().debug_assert();
    }
}
