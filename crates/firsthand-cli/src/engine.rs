//! What the commands ask of the library: bytes and settings in, the documented answers out.
//!
//! Everything that decides is behind this file; everything that reads files, prints and exits is before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use firsthand::calls::{really_run, result_writer};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Conversation};
use firsthand::replay::{Told, replay};
use firsthand::writer::Writer;
use firsthand_wire::answer::{CheckAnswer, ExplainAnswer, ItemLine, TraceLine};
use firsthand_wire::engine::{self, Earlier, Member};
use firsthand_wire::format::{self, Choice, Source};
use firsthand_wire::{items as lines, policy as policies};

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
    policy: firsthand::policy::Policy,
}

/// Everything that holds for all conversations of a command.
#[derive(Debug)]
pub(crate) struct Setting {
    policy: firsthand::policy::Policy,
    format: String,
    parents: Vec<Conversation>,
    earlier: Option<Conversation>,
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
    format::names()
}

/// The names of the profiles.
pub(crate) fn profiles() -> Vec<&'static str> {
    policies::PROFILES.iter().map(|(name, _)| *name).collect()
}

impl Policy {
    /// The profile of this name.
    pub(crate) fn profile(name: &str) -> Option<Self> {
        policies::profile(name).ok().map(|policy| Self { policy })
    }

    /// A policy file, with what of it is not yet enforced; or line, key, what was found, what was expected.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Vec<String>), String> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| "found bytes that are not UTF-8; expected TOML".to_owned())?;
        let loaded = policies::load(text).map_err(|error| error.to_string())?;
        Ok((Self { policy: loaded.policy }, loaded.notes))
    }

    /// The policy as it works out, as a policy file.
    pub(crate) fn render(&self) -> String {
        policies::print(&self.policy)
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
        let parents = parents.iter().map(|parent| only(parent, format)).collect::<Result<_, _>>()?;
        let earlier = earlier.map(|earlier| only(&earlier, format)).transpose()?;
        Ok(Self { policy: policy.policy, format: format.to_owned(), parents, earlier })
    }

    /// The families of what was read, with what the command was given for all of them.
    fn families(&self, members: Vec<Member>, incomplete: bool) -> Vec<engine::Family> {
        let mut families = engine::Family::split(members);
        for family in &mut families {
            family.incomplete = incomplete;
            if let Some(earlier) = &self.earlier {
                family.earlier = Earlier::Items(earlier.items.clone());
            }
            if !self.parents.is_empty() {
                let parents = self
                    .parents
                    .iter()
                    .map(|conversation| Member { file: String::new(), conversation: conversation.clone() });
                let own = std::mem::take(&mut family.members);
                let earlier = std::mem::take(&mut family.earlier);
                *family = engine::Family { members: own, earlier, incomplete }.below(parents.collect::<Vec<_>>());
            }
        }
        families
    }
}

/// Reads the conversations of a file.
fn read(record: &Record, format: &str) -> Result<format::Read, Unread> {
    let source = Source { name: &record.file };
    format::read(&record.bytes, Choice::said(format), &source).map_err(|error| Unread {
        file: record.file.clone(),
        skipped: error.is_skipped(),
        why: error.to_string(),
    })
}

/// The one conversation of a file that is asked about. Of several that belong together it is the one at the top.
fn only(record: &Record, format: &str) -> Result<Conversation, Unread> {
    let conversations = read(record, format)?.conversations;
    let ids: BTreeSet<String> = conversations.iter().map(|conversation| conversation.id.clone()).collect();
    let mut tops = conversations
        .into_iter()
        .filter(|conversation| conversation.parent.as_ref().is_none_or(|parent| !ids.contains(&parent.conversation)));
    match (tops.next(), tops.next()) {
        (Some(only), None) => Ok(only),
        (first, _) => {
            let found = if first.is_some() { "several conversations" } else { "none" };
            let why = format!("found {found}; expected one conversation");
            Err(Unread { file: record.file.clone(), skipped: false, why })
        }
    }
}

/// A policy skeleton for the tools of a conversation.
pub(crate) fn suggest(record: Record, setting: &Setting) -> Result<String, Unread> {
    let read = read(&record, &setting.format)?;
    Ok(policies::suggest::suggest(&read.conversations, &setting.policy))
}

/// The items of a file, one by one, while `each` wants more.
pub(crate) fn items(record: Record, setting: &Setting, each: &mut dyn FnMut(ItemLine) -> bool) -> Result<(), Unread> {
    let read = read(&record, &setting.format)?;
    for conversation in &read.conversations {
        let mut writers: Vec<Option<Writer>> = Vec::with_capacity(conversation.items.len());
        replay(&[conversation], &[], &setting.policy, &now(), &mut |told| match told {
            Told::Noted { noted, .. } => writers.push(Some(noted.writer)),
            Told::Seen { .. } => {}
        });
        for line in lines::lines(conversation, |item, _| writers.get(item).copied().flatten()) {
            if !each(line) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The calls that open, conversation by conversation, of files that belong together.
pub(crate) fn trace(family: Family, setting: &Setting, each: &mut dyn FnMut(TraceLine)) -> Traced {
    let mut traced = Traced::default();
    let mut members = Vec::new();
    let mut whole = family.whole;
    for record in family.records {
        match read(&record, &setting.format) {
            Ok(read) => {
                traced.files.push(Ok(Read {
                    file: record.file.clone(),
                    format: read.format.to_owned(),
                    conversations: u64::try_from(read.conversations.len()).unwrap_or(u64::MAX),
                }));
                members.extend(
                    read.conversations
                        .into_iter()
                        .map(|conversation| Member { file: record.file.clone(), conversation }),
                );
            }
            Err(unread) => {
                whole &= unread.skipped;
                traced.files.push(Err(unread));
            }
        }
    }
    let mut tools = BTreeSet::new();
    for member in &members {
        tools_of(&member.conversation, &setting.policy, &mut tools);
    }
    traced.tools = tools.into_iter().collect();
    let given = setting.parents.len();
    for family in setting.families(members, !whole) {
        engine::trace(&family, &setting.policy, &now(), &mut |line| {
            // Parents that the command names bind, but no line is printed for them.
            if given == 0 || !line.file.is_empty() {
                each(line);
            }
        });
    }
    traced
}

/// The tools that a conversation calls, each with whose words its results are.
fn tools_of(conversation: &Conversation, policy: &firsthand::policy::Policy, tools: &mut BTreeSet<ToolSeen>) {
    for item in &conversation.items {
        let Body::Call(call) = &item.body else { continue };
        let inner = really_run(call, conversation.dialect, policy);
        let class = result_writer(&inner, call.ran, call.custom, false, policy).name().to_owned();
        tools.insert(ToolSeen { server: call.server.clone(), tool: call.tool.clone(), class });
    }
}

/// The verdict on a call at the end of a conversation. `kin` are the other runs of its tree.
pub(crate) fn check(record: Record, kin: Vec<Record>, setting: &Setting, ask: &Ask) -> Result<CheckAnswer, Unread> {
    let family = asked(record, kin, setting)?;
    let Ask { tool, server, urls, rewrites } = ask;
    let question = engine::Ask::Addresses { tool, server: server.as_deref(), addresses: urls };
    let rewrites = *rewrites;
    let now = Circumstances { rewrites, ..now() };
    Ok(engine::check_call(&family, &question, &setting.policy, &now))
}

/// The story of one address. `kin` are the other runs of the conversation's tree.
pub(crate) fn explain(record: Record, kin: Vec<Record>, setting: &Setting, url: &str) -> Result<ExplainAnswer, Unread> {
    let family = asked(record, kin, setting)?;
    Ok(engine::explain(&family, url, &setting.policy, &now()))
}

/// The family of a conversation that is asked about, which stands first in it.
fn asked(record: Record, kin: Vec<Record>, setting: &Setting) -> Result<engine::Family, Unread> {
    let asked = only(&record, &setting.format)?;
    let mut members = vec![Member { file: record.file.clone(), conversation: asked }];
    let own = members.first().map(|member| member.conversation.id.clone()).unwrap_or_default();
    for record in std::iter::once(record).chain(kin) {
        for conversation in read(&record, &setting.format)?.conversations {
            if conversation.id != own {
                members.push(Member { file: record.file.clone(), conversation });
            }
        }
    }
    let mut families = setting.families(members, false);
    // The conversation that is asked about was put first, so its family is the first.
    Ok(families.swap_remove(0))
}

/// Grants end by the clock of whoever asks; nothing else of a verdict depends on it.
fn now() -> Circumstances {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok();
    let seconds = since_1970.and_then(|duration| i64::try_from(duration.as_secs()).ok());
    Circumstances { now: seconds, ..Circumstances::default() }
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
    let below = path.ancestors().find(|above| above.file_name().is_some_and(|name| name == "subagents"));
    match below {
        Some(subagents) => subagents.parent().map(Path::to_owned),
        None => Some(path.with_extension("")).filter(|session| session.join("subagents").is_dir()),
    }
}
