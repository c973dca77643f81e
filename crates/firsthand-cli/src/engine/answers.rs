//! What a recorded conversation knows of an answer, and where the links of its own answers came from.

use firsthand::conversation::Conversation;
use firsthand_answer::origin::origins;
use firsthand_answer::seen::known;
use firsthand_answer::shortcut::Shortcuts;
use firsthand_answer::{Known, Link};
use firsthand_wire::engine::Family;
use serde::Serialize;

use super::{Answered, Opened, Record, Setting, Unread, cut_off, trees};

/// A line of `sources --origins`: an address of a recorded answer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OriginLine {
    /// Always `link`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The file.
    pub(crate) file: String,
    /// The id of the conversation.
    pub(crate) conversation: String,
    /// The number of the answer's item.
    pub(crate) item: usize,
    /// Its place.
    pub(crate) at: String,
    /// The address as its first link spells it.
    pub(crate) url: String,
    /// How many links of the answer lead to it.
    pub(crate) times: u64,
    /// Where it came from.
    pub(crate) origin: &'static str,
    /// The shortcut rule or the convention.
    pub(crate) rule: Option<String>,
}

/// The answers of a file.
#[derive(Debug)]
pub(crate) struct Origins {
    /// How many conversations it holds.
    pub(crate) conversations: u64,
    /// How many answers they hold.
    pub(crate) answers: u64,
    /// The addresses of the answers, in order.
    pub(crate) lines: Vec<OriginLine>,
}

/// What a conversation knows of the addresses of an answer.
pub(crate) fn known_of(
    opened: Opened,
    setting: &Setting,
    answer: &str,
    links: &[Link],
) -> Result<Answered<Vec<Known>>, Unread> {
    let Opened { record, kin, conversation } = opened;
    let file = record.file.clone();
    let (_, members) = trees::read(record, &setting.format)?;
    let picked = match &conversation {
        Some(id) => trees::named(&file, id, members),
        None => trees::only(&file, members),
    };
    // Here `--conversation` names the file, and the id is asked for by another option.
    let renamed = |unread: Unread| Unread { why: unread.why.replace("--conversation", "--run"), ..unread };
    let (main, mut rest) = picked.map_err(renamed)?;
    rest.extend(trees::read_kin(kin, &setting.format)?);
    let family = trees::of(main, rest);
    let known = known(&conversations(&family), answer, links, &setting.policy);
    Ok(Answered { answer: known, cut_off: cut_off([&family]) })
}

/// Where the links of a file's answers came from.
pub(crate) fn origins_of(record: Record, setting: &Setting, shortcuts: Option<&Shortcuts>) -> Result<Origins, Unread> {
    let (_, members) = trees::read(record, &setting.format)?;
    let conversations_read = u64::try_from(members.len()).unwrap_or(u64::MAX);
    let mut told = Origins { conversations: conversations_read, answers: 0, lines: Vec::new() };
    for family in Family::split(members) {
        for answer in origins(&conversations(&family), shortcuts, &setting.policy) {
            let Some(member) = family.members.get(answer.conversation) else { continue };
            let at = member.conversation.items.get(answer.item).map_or("", |item| item.at.as_str());
            told.answers += 1;
            told.lines.extend(answer.links.into_iter().map(|link| OriginLine {
                kind: "link",
                file: member.file.clone(),
                conversation: member.conversation.id.clone(),
                item: answer.item,
                at: at.to_owned(),
                url: link.url,
                times: link.times,
                origin: link.origin.name(),
                rule: link.rule,
            }));
        }
    }
    Ok(told)
}

fn conversations(family: &Family) -> Vec<&Conversation> {
    family.members.iter().map(|member| &member.conversation).collect()
}
