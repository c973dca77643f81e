//! What the commands ask of the library: bytes and settings in, the documented answers out.
//!
//! Everything that decides is behind this file; everything that reads files, prints and exits is before it.

use std::path::{Path, PathBuf};

use crate::answers::{CheckAnswer, ExplainAnswer, ItemLine, TraceLine};

/// The value of `--format` that goes by the signs of a file.
pub(crate) const AUTO: &str = "auto";

/// The profile that holds where none is named.
pub(crate) const DEFAULT_PROFILE: &str = "firsthand";

/// The bytes of a file, unpacked.
#[derive(Debug)]
pub(crate) struct Record {
    /// The file's name in output.
    pub(crate) file: String,
    /// What it holds. Never trusted to be text.
    pub(crate) bytes: Vec<u8>,
}

/// Why a file could not be read as a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    /// The file.
    pub(crate) file: String,
    /// By its kind it is no conversation: a walk passes over it.
    pub(crate) skipped: bool,
    /// Place, what was found, what was expected; never text of the file.
    pub(crate) why: String,
}

/// A policy, ready to judge by.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    name: String,
}

/// Everything that holds for all conversations of a command.
#[derive(Debug)]
pub(crate) struct Setting {
    policy: Policy,
    format: String,
    parents: Vec<Record>,
    earlier: Option<Record>,
}

/// The files of one tree of runs.
#[derive(Debug)]
pub(crate) struct Family {
    /// The files.
    pub(crate) records: Vec<Record>,
    /// All of them could be read. Where not, marks may be missing, and each line says that the view is incomplete.
    pub(crate) whole: bool,
}

/// What was read of one file of a trace.
#[derive(Debug)]
pub(crate) struct Read {
    /// The file.
    pub(crate) file: String,
    /// The name of its format.
    pub(crate) format: String,
    /// How many conversations it holds.
    pub(crate) conversations: u64,
}

/// A tool of a trace, with the class that its results got.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ToolSeen {
    /// The server that offers it.
    pub(crate) server: Option<String>,
    /// Its name.
    pub(crate) tool: String,
    /// Whose words its results are.
    pub(crate) class: String,
}

/// What a trace says beside its lines.
#[derive(Debug, Default)]
pub(crate) struct Traced {
    /// The files, in order.
    pub(crate) files: Vec<Result<Read, Unread>>,
    /// The tools, each once.
    pub(crate) tools: Vec<ToolSeen>,
}

/// A call to be judged.
#[derive(Debug)]
pub(crate) struct Ask {
    /// The tool.
    pub(crate) tool: String,
    /// The server that offers it.
    pub(crate) server: Option<String>,
    /// The addresses, as they were given.
    pub(crate) urls: Vec<String>,
    /// The caller can send another spelling than the one asked for.
    pub(crate) rewrites: bool,
}

/// The names that `--format` takes, without `auto`.
pub(crate) fn formats() -> Vec<&'static str> {
    vec!["firsthand"]
}

/// The names of the profiles.
pub(crate) fn profiles() -> Vec<&'static str> {
    vec!["firsthand", "managed-agents", "messages-api", "person-only"]
}

impl Policy {
    /// The profile of this name.
    pub(crate) fn profile(name: &str) -> Option<Self> {
        profiles().contains(&name).then(|| Self { name: name.to_owned() })
    }

    /// A policy file, with what of it is not yet enforced; or line, key, what was found, what was expected.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Vec<String>), String> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| "found bytes that are not UTF-8; expected TOML".to_owned())?;
        let name =
            text.lines().next().and_then(|line| line.split('"').nth(1)).unwrap_or(DEFAULT_PROFILE);
        let policy =
            Self::profile(name).ok_or("line 1: `profile`: found an unknown name".to_owned())?;
        Ok((policy, Vec::new()))
    }

    /// The policy as it works out, as a policy file.
    pub(crate) fn render(&self) -> String {
        format!("profile = \"{}\"\n", self.name)
    }
}

impl Setting {
    /// Reads what holds for all conversations.
    pub(crate) fn new(
        policy: Policy,
        format: &str,
        parents: Vec<Record>,
        earlier: Option<Record>,
    ) -> Result<Self, Unread> {
        Ok(Self { policy, format: format.to_owned(), parents, earlier })
    }
}

/// A policy skeleton for the tools of a conversation.
pub(crate) fn suggest(record: Record, setting: &Setting) -> Result<String, Unread> {
    items(record, setting, &mut |_| true)?;
    Ok(setting.policy.render())
}

/// The items of a file, one by one, while `each` wants more.
pub(crate) fn items(
    record: Record,
    setting: &Setting,
    each: &mut dyn FnMut(ItemLine) -> bool,
) -> Result<(), Unread> {
    drop((&setting.format, &setting.parents, &setting.earlier, each));
    Err(interim(&record))
}

/// The calls that open, conversation by conversation, of files that belong together.
pub(crate) fn trace(family: Family, setting: &Setting, each: &mut dyn FnMut(TraceLine)) -> Traced {
    drop((setting, each, family.whole));
    Traced {
        files: family.records.iter().map(|record| Err(interim(record))).collect(),
        tools: Vec::new(),
    }
}

/// The verdict on a call at the end of a conversation. `kin` are the other runs of its tree.
pub(crate) fn check(
    record: Record,
    kin: Vec<Record>,
    setting: &Setting,
    ask: &Ask,
) -> Result<CheckAnswer, Unread> {
    let _ = (kin, setting, &ask.tool, &ask.server, &ask.urls, ask.rewrites);
    Err(interim(&record))
}

/// The story of one address. `kin` are the other runs of the conversation's tree.
pub(crate) fn explain(
    record: Record,
    kin: Vec<Record>,
    setting: &Setting,
    url: &str,
) -> Result<ExplainAnswer, Unread> {
    let _ = (kin, setting, url);
    Err(interim(&record))
}

/// The names under which a file is kin of others; files that share one belong to the same tree of runs.
///
/// `head` gives the beginning of the file, for formats that name their kin there.
pub(crate) fn kin(path: &Path, head: impl FnOnce() -> Vec<u8>) -> Vec<String> {
    let _ = head;
    session_of(path).map(|session| session.to_string_lossy().into_owned()).into_iter().collect()
}

/// Where kin of a file may lie: files and directories to look through.
pub(crate) fn kin_places(path: &Path) -> Vec<PathBuf> {
    match session_of(path) {
        Some(session) => vec![session.with_added_extension("jsonl"), session.join("subagents")],
        None => Vec::new(),
    }
}

/// The path of a Claude Code session without its ending: `X` for `X.jsonl` and for all of `X/subagents/`.
fn session_of(path: &Path) -> Option<PathBuf> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let below =
        path.ancestors().find(|above| above.file_name().is_some_and(|name| name == "subagents"));
    match below {
        Some(subagents) => subagents.parent().map(Path::to_owned),
        None => Some(path.with_extension("")).filter(|session| session.join("subagents").is_dir()),
    }
}

fn interim(record: &Record) -> Unread {
    let (file, skipped) = (record.file.clone(), false);
    if record.bytes.is_empty() {
        return Unread {
            file,
            skipped,
            why: "the file is empty; expected a conversation".to_owned(),
        };
    }
    Unread {
        file,
        skipped,
        why: "found a conversation; expected a format that has a reader".to_owned(),
    }
}
