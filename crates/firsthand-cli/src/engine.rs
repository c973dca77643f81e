//! What the commands ask of the library: bytes and settings in, the documented answers out.
//!
//! Everything that decides is behind this file; everything that reads files, prints and exits is before it.

mod answers;
mod door;
pub(crate) mod evaluation;
mod kin;
mod leave;
mod references;
mod trees;

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use firsthand::check::Circumstances;
use firsthand::conversation::{Conversation, Item};
use firsthand_wire::answer::{CheckAnswer, ExplainAnswer, ItemLine, TraceLine};
use firsthand_wire::engine as wire;
use firsthand_wire::format::{self, Choice, Source};
use firsthand_wire::items::lines;
use firsthand_wire::policy::{self, suggest};

pub(crate) use answers::{Origins, known_of, origins_of};
pub(crate) use door::{NotOpened, WayOut, download, fetch};
pub(crate) use kin::{kin, kin_places};
pub(crate) use leave::{Leaving, leave};
pub(crate) use references::{Given, Returned, given};
use trees::{Above, only};

/// The value of `--format` that goes by the signs of a file.
pub(crate) const AUTO: &str = "auto";

/// The profile that holds where none is named.
pub(crate) const DEFAULT_PROFILE: &str = policy::DEFAULT_PROFILE;

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
    /// The profile's own file, with its comments.
    profile: Option<String>,
}

/// Everything that holds for all conversations of a command.
#[derive(Debug)]
pub(crate) struct Setting {
    policy: firsthand::policy::Policy,
    format: String,
    parents: Vec<Above>,
    earlier: Option<Vec<Item>>,
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
    /// What is missing of it, where it is cut off.
    pub(crate) cut_off: Option<&'static str>,
}

/// A tool of a trace, with the class that its results got.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ToolSeen {
    /// The server that offers it.
    pub(crate) server: Option<String>,
    /// Its name.
    pub(crate) tool: String,
    /// Whose words its results are, and which of their fields are somebody else's.
    pub(crate) class: String,
}

/// What a trace tells.
#[derive(Debug)]
pub(crate) enum Told {
    /// A call that opens.
    Call(Box<TraceLine>),
    /// A tool that was called, each once for each of its classes in a conversation.
    Tool(ToolSeen),
}

/// What a trace is to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The calls that open.
    Calls,
    /// The calls that open, and whose words the results of each tool are.
    CallsAndTools,
}

/// A named file that a command asks about.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The file.
    pub(crate) record: Record,
    /// The other runs of its tree, where its format puts them.
    pub(crate) kin: Vec<Record>,
    /// The id of the conversation that is meant, where the file holds several.
    pub(crate) conversation: Option<String>,
}

/// An answer, and which records it does not rest on in full.
#[derive(Debug)]
pub(crate) struct Answered<A> {
    /// The answer.
    pub(crate) answer: A,
    /// The files that are cut off, and what is missing of each.
    pub(crate) cut_off: Vec<(String, &'static str)>,
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
    /// What keeps the references of the conversation.
    pub(crate) store: Option<firsthand_mask::Store>,
}

/// The names that `--format` takes, without `auto`.
pub(crate) fn formats() -> Vec<&'static str> {
    format::names()
}

/// The names of the profiles.
pub(crate) fn profiles() -> Vec<&'static str> {
    policy::PROFILES.iter().map(|(name, _)| *name).collect()
}

impl Policy {
    /// The profile of this name; `None` where none has it.
    pub(crate) fn profile(name: &str) -> Option<Result<Self, String>> {
        policy::profile_text(name)?;
        let read = policy::profile(name).and_then(|policy| Ok((policy, policy::profile_file(name)?)));
        Some(read.map(|(policy, file)| Self { policy, profile: Some(file) }).map_err(|error| error.to_string()))
    }

    /// A policy file, with what of it has no effect; or line, key, what was found, what was expected.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Vec<String>), String> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            format!("line {line}: found a byte that is not UTF-8; expected TOML")
        })?;
        let policy::Loaded { policy, notes } = policy::load(text).map_err(|error| error.to_string())?;
        Ok((Self { policy, profile: None }, notes))
    }

    /// The policy as it works out, as a policy file.
    pub(crate) fn render(&self) -> String {
        match &self.profile {
            Some(profile) => profile.clone(),
            None => policy::print(&self.policy),
        }
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
        let parents = parents.into_iter().map(|record| Above::read(record, format)).collect::<Result<_, _>>()?;
        let earlier = match earlier {
            Some(record) => {
                let (file, (_, members)) = (record.file.clone(), trees::read(record, format)?);
                Some(only(&file, members)?.0.conversation.items)
            }
            None => None,
        };
        Ok(Self { policy: policy.policy, format: format.to_owned(), parents, earlier })
    }

    /// A family with what the command was given for all of them, and the names of the runs that came with that.
    fn around(&self, mut family: wire::Family) -> (wire::Family, BTreeSet<String>) {
        if let Some(items) = &self.earlier {
            family.earlier = wire::Earlier::Items(items.clone());
        }
        trees::below(family, &self.parents)
    }
}

/// The tools of several conversations, for a policy skeleton.
#[derive(Debug)]
pub(crate) struct Suggestion<'s> {
    setting: &'s Setting,
    tools: suggest::Tools,
}

impl<'s> Suggestion<'s> {
    /// No conversation so far.
    pub(crate) fn under(setting: &'s Setting) -> Self {
        Self { setting, tools: suggest::Tools::default() }
    }

    /// Looks at the conversations of a file.
    pub(crate) fn look(&mut self, record: Record) -> Result<(), Unread> {
        let (_, members) = trees::read(record, &self.setting.format)?;
        for member in members {
            self.tools.look(&member.conversation, &self.setting.policy);
        }
        Ok(())
    }

    /// The skeleton; `None` where no conversation was seen.
    pub(crate) fn render(&self) -> Option<String> {
        (!self.tools.is_empty()).then(|| self.tools.render(&self.setting.policy))
    }
}

/// An item with who wrote addresses in it beside the writer that it has as a whole.
#[derive(Debug)]
pub(crate) struct ItemSeen {
    /// Its line.
    pub(crate) line: ItemLine,
    /// The other writers, in the order of their names.
    pub(crate) others: Vec<&'static str>,
}

/// The items of a file, one by one, while `each` wants more.
pub(crate) fn items(record: Record, setting: &Setting, each: &mut dyn FnMut(ItemSeen) -> bool) -> Result<(), Unread> {
    let (_, members) = trees::read(record, &setting.format)?;
    for family in wire::Family::split(members) {
        let conversations: Vec<&Conversation> = family.members.iter().map(|member| &member.conversation).collect();
        let writers = trees::writers(&conversations, &setting.policy);
        for (conversation, writers) in conversations.iter().zip(&writers) {
            let writer = |item, _: &Item| writers.get(item).and_then(|whose: &trees::Whose| whose.writer);
            let seen = lines(conversation, writer).into_iter().zip(writers);
            if !seen.map(|(line, whose)| ItemSeen { line, others: whose.others() }).all(&mut *each) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What a trace says of the files, in order.
pub(crate) type Files = Vec<Result<Read, Unread>>;

/// Replays files that belong together.
pub(crate) fn trace(family: Family, setting: &Setting, wanted: Wanted, each: &mut dyn FnMut(Told)) -> Files {
    let Family { records, mut whole } = family;
    let mut members = Vec::new();
    let mut files = Vec::new();
    for record in records {
        let file = record.file.clone();
        files.push(trees::read(record, &setting.format).map(|(format, own)| {
            let conversations = u64::try_from(own.len()).unwrap_or(u64::MAX);
            let cut_off = own.iter().find_map(|member| wire::cut_off(&member.conversation)).map(|(_, what)| what);
            members.extend(own);
            Read { file, format: format.to_owned(), conversations, cut_off }
        }));
    }
    whole &=
        files.iter().all(|file| file.as_ref().is_ok_and(|_| true) || file.as_ref().is_err_and(|file| file.skipped));
    // A recording is replayed as it stands: no clock, so that it gives the same answer next year.
    let now = Circumstances::default();
    for mut family in wire::Family::split(members) {
        if wanted == Wanted::CallsAndTools {
            trees::tools(&family, &setting.policy, &mut |tool| each(Told::Tool(tool)));
        }
        family.incomplete = !whole;
        let (family, above) = setting.around(family);
        wire::trace(&family, &setting.policy, &now, &mut |line| {
            if !above.contains(&line.run) {
                each(Told::Call(Box::new(line)));
            }
        });
    }
    files
}

/// The family that a call is made in, with what its references stand for.
fn asked_about(opened: Opened, setting: &Setting, ask: &Ask) -> Result<wire::Family, Unread> {
    let file = opened.record.file.clone();
    let mut family = trees::family(opened, setting)?;
    if let Some(store) = &ask.store {
        references::hand_out(&mut family, store).map_err(|error| Unread {
            file,
            skipped: false,
            why: format!("its references: {error}"),
        })?;
    }
    Ok(family)
}

/// The verdict on a call at the end of a conversation.
pub(crate) fn check(opened: Opened, setting: &Setting, ask: &Ask) -> Result<Answered<CheckAnswer>, Unread> {
    let family = asked_about(opened, setting, ask)?;
    let now = Circumstances { rewrites: ask.rewrites, person: false, now: seconds() };
    let asked = wire::Ask::Addresses { tool: &ask.tool, server: ask.server.as_deref(), addresses: &ask.urls };
    Ok(Answered { answer: wire::check_call(&family, &asked, &setting.policy, &now), cut_off: cut_off([&family]) })
}

/// The story of one address, and what would come of opening it at the end, where one conversation is meant.
#[derive(Debug)]
pub(crate) struct Explained {
    /// The story.
    pub(crate) story: ExplainAnswer,
    /// The verdict on it.
    pub(crate) outcome: Option<CheckAnswer>,
}

/// The tool for which an address is judged where none is named.
const FETCH: &str = "web_fetch";

/// The story of one address: in all conversations of the file, or in the one that is named with its kin.
pub(crate) fn explain(opened: Opened, setting: &Setting, url: &str) -> Result<Answered<Explained>, Unread> {
    let Opened { record, kin, conversation } = opened;
    let file = record.file.clone();
    let (_, mut members) = trees::read(record, &setting.format)?;
    let kin = trees::read_kin(kin, &setting.format)?;
    let families = match &conversation {
        Some(id) => {
            let (main, mut rest) = trees::named(&file, id, members)?;
            rest.extend(kin);
            vec![trees::of(main, rest)]
        }
        None => {
            members.extend(kin);
            wire::Family::split(members)
        }
    };
    let now = Circumstances { now: seconds(), ..Circumstances::default() };
    let mut story = ExplainAnswer { url: url.to_owned(), sightings: Vec::new() };
    let families: Vec<_> = families.into_iter().map(|family| setting.around(family).0).collect();
    for family in &families {
        story.sightings.extend(wire::explain(family, url, &setting.policy, &now).sightings);
    }
    let outcome = match families.as_slice() {
        [only] => {
            let addresses = [url.to_owned()];
            let ask = wire::Ask::Addresses { tool: FETCH, server: None, addresses: &addresses };
            Some(wire::check_call(only, &ask, &setting.policy, &now))
        }
        _ => None,
    };
    Ok(Answered { answer: Explained { story, outcome }, cut_off: cut_off(&families) })
}

/// The files whose records are cut off, and what is missing of each.
fn cut_off<'f>(families: impl IntoIterator<Item = &'f wire::Family>) -> Vec<(String, &'static str)> {
    let mut files = Vec::new();
    for family in families {
        for (member, _, what) in family.cut_off() {
            let file = family.members.get(member).map_or_else(String::new, |member| member.file.clone());
            files.push((file, what));
        }
    }
    files.sort_unstable();
    files.dedup();
    files
}

/// Now, in seconds since 1970: grants with a time end by it.
pub(crate) fn seconds() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}
