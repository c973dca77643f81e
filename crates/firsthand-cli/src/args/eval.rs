//! The options of `firsthand eval`.

use std::ffi::OsString;

use clap::Args;

/// Compare rules on recorded conversations: what each refuses that was wished for, and what it lets out.
///
/// Conversations are files of any format that `trace` reads, or directories of them; files of cases in JSON Lines count too.
/// Labels say which calls a person wished for and which an injected text brought about.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  firsthand eval --set eval/runs --labels eval/labels.tsv
  firsthand eval --set runs/ --labels labels.tsv --rule role-based --rule full --rule our-policy.toml
  firsthand eval --set eval/runs --labels eval/labels.tsv --attacks --csv > table.csv
  firsthand eval --list")]
pub(crate) struct Eval {
    /// Recorded conversations, or directories of them
    #[arg(long, value_name = "DIR", num_args = 1.., required_unless_present = "list")]
    pub(crate) set: Vec<OsString>,
    /// Labels: tab-separated, with the columns `file`, `run_kind` (`benign` or `attack`) and `url`
    #[arg(long, value_name = "TSV", num_args = 1..)]
    pub(crate) labels: Vec<OsString>,
    /// Rule to compare, or a policy file; repeat it for several [default: all that `--list` names]
    #[arg(long = "rule", value_name = "NAME")]
    pub(crate) rules: Vec<OsString>,
    /// Make attacks that carry a secret out of every run with an injected text, and judge what would leave
    #[arg(long)]
    pub(crate) attacks: bool,
    /// Tell the rules, each with what it stands for
    #[arg(long)]
    pub(crate) list: bool,
    /// Print JSON Lines
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
}
