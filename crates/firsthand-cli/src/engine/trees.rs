//! Conversations, sorted into the trees of runs that they belong to.

use std::collections::BTreeSet;

use firsthand::calls::{fields_of, really_run, result_writer};
use firsthand::check::Circumstances;
use firsthand::conversation::Conversation;
use firsthand::json::Path;
use firsthand::policy::{Field, Policy};
use firsthand::replay::{Told, replay};
use firsthand::writer::Writer;
use firsthand_wire::engine::{Family, Member};
use firsthand_wire::error::shown_id;
use firsthand_wire::format;

use super::{Choice, Opened, Record, Setting, Source, ToolSeen, Unread};

/// Reads the conversations of a file; the bytes are given back as soon as they are read.
pub(super) fn read(record: Record, format: &str) -> Result<(&'static str, Vec<Member>), Unread> {
    let Record { file, bytes } = record;
    match format::read(&bytes, Choice::said(format), &Source { name: &file }) {
        Ok(read) => {
            let member = |conversation| Member { file: file.clone(), conversation };
            Ok((read.format, read.conversations.into_iter().map(member).collect()))
        }
        Err(error) => Err(Unread { skipped: error.is_skipped(), why: error.to_string(), file }),
    }
}

/// Reads the kin of a file. Those that are no conversations by their kind are nothing to wait for; those that cannot be
/// read are an error.
pub(super) fn read_kin(kin: Vec<Record>, format: &str) -> Result<Vec<Member>, Unread> {
    let mut members = Vec::new();
    for record in kin {
        match read(record, format) {
            Ok((_, own)) => members.extend(own),
            Err(unread) if unread.skipped => {}
            Err(unread) => return Err(unread),
        }
    }
    Ok(members)
}

/// The family of the conversation that a command asks about, with that conversation first.
pub(super) fn family(opened: Opened, setting: &Setting) -> Result<Family, Unread> {
    let Opened { record, kin, conversation } = opened;
    let file = record.file.clone();
    let (_, members) = read(record, &setting.format)?;
    let (main, mut rest) = match &conversation {
        Some(id) => named(&file, id, members)?,
        None => only(&file, members)?,
    };
    rest.extend(read_kin(kin, &setting.format)?);
    Ok(setting.around(of(main, rest)).0)
}

/// The conversation of this id, first its own.
pub(super) fn named(file: &str, id: &str, members: Vec<Member>) -> Result<(Member, Vec<Member>), Unread> {
    let mut rest = members;
    match rest.iter().position(|member| member.conversation.id == id) {
        Some(place) => Ok((rest.remove(place), rest)),
        None => {
            let why = format!("found no conversation of the id given; expected one of: {}", ids(rest.iter()));
            Err(Unread { file: file.to_owned(), skipped: false, why })
        }
    }
}

/// The ids of conversations as a message may list them.
fn ids<'m>(members: impl Iterator<Item = &'m Member>) -> String {
    /// More help nobody.
    const MOST: usize = 20;
    let mut ids: Vec<&str> = members.map(|member| member.conversation.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let more = ids.len().saturating_sub(MOST);
    let mut shown: Vec<String> = ids.into_iter().take(MOST).map(shown_id).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

/// The conversation that a file is about: its only one, else the only one that no other run of the file started.
pub(super) fn only(file: &str, members: Vec<Member>) -> Result<(Member, Vec<Member>), Unread> {
    let is_top = |member: &Member| {
        let parent = member.conversation.parent.as_ref();
        parent.is_none_or(|parent| !members.iter().any(|other| other.conversation.id == parent.conversation))
    };
    let tops: Vec<usize> =
        members.iter().enumerate().filter(|(_, member)| is_top(member)).map(|(index, _)| index).collect();
    let [top] = tops.as_slice() else {
        let tops = tops.iter().filter_map(|index| members.get(*index));
        let (count, ids) = (tops.clone().count(), ids(tops));
        let why = format!("found {count} conversations that no other started; expected one, or --conversation: {ids}");
        return Err(Unread { file: file.to_owned(), skipped: false, why });
    };
    let mut rest = members;
    let main = rest.remove(*top);
    Ok((main, rest))
}

/// The family of a conversation, with that conversation first.
pub(super) fn of(main: Member, rest: Vec<Member>) -> Family {
    let (file, id) = (main.file.clone(), main.conversation.id.clone());
    let mut members = vec![main];
    members.extend(rest);
    let is_its =
        |family: &Family| family.members.first().is_some_and(|first| first.file == file && first.conversation.id == id);
    let mut families = Family::split(members);
    let place = families.iter().position(is_its).unwrap_or_default();
    families.swap_remove(place)
}

/// A run above the conversations of a command, with the other runs of its file.
#[derive(Debug)]
pub(super) struct Above {
    main: Member,
    rest: Vec<Member>,
}

impl Above {
    /// Reads the file of a parent.
    pub(super) fn read(record: Record, format: &str) -> Result<Self, Unread> {
        let file = record.file.clone();
        let (_, members) = read(record, format)?;
        let (main, rest) = only(&file, members)?;
        Ok(Self { main, rest })
    }
}

/// Puts the parents above the top of a family, and names the runs that came with them.
pub(super) fn below(mut family: Family, parents: &[Above]) -> (Family, BTreeSet<String>) {
    if parents.is_empty() {
        return (family, BTreeSet::new());
    }
    let copy = |member: &Member| Member { file: member.file.clone(), conversation: member.conversation.clone() };
    let ids: BTreeSet<String> = family.members.iter().map(|member| member.conversation.id.clone()).collect();
    let top = family.members.iter().position(|member| {
        member.conversation.parent.as_ref().is_none_or(|parent| !ids.contains(&parent.conversation))
    });
    family.members.swap(0, top.unwrap_or(0));
    let mut family = family.below(parents.iter().map(|above| copy(&above.main)));
    let mut came: BTreeSet<String> = BTreeSet::new();
    for (place, above) in (1_usize..).zip(parents) {
        let Some(id) = family.members.get(place).map(|member| member.conversation.id.clone()) else {
            continue;
        };
        for member in &above.rest {
            let mut member = copy(member);
            if let Some(parent) = &mut member.conversation.parent
                && parent.conversation == above.main.conversation.id
            {
                parent.conversation.clone_from(&id);
            }
            came.insert(member.conversation.id.clone());
            family.members.push(member);
        }
        came.insert(id);
    }
    (family, came)
}

/// Whose words an item is.
#[derive(Clone, Debug, Default)]
pub(super) struct Whose {
    /// As a whole; `None` for what holds no words.
    pub(super) writer: Option<Writer>,
    /// Who wrote addresses in it.
    of_addresses: Vec<Writer>,
}

impl Whose {
    /// Who wrote addresses in it, beside the writer of the whole.
    pub(super) fn others(&self) -> Vec<&'static str> {
        let others = self.of_addresses.iter().filter(|writer| Some(**writer) != self.writer);
        let names: BTreeSet<&str> = others.map(|writer| writer.name()).collect();
        names.into_iter().collect()
    }
}

/// Whose words each item of a tree is.
pub(super) fn writers(conversations: &[&Conversation], policy: &Policy) -> Vec<Vec<Whose>> {
    let mut writers: Vec<Vec<Whose>> =
        conversations.iter().map(|conversation| vec![Whose::default(); conversation.items.len()]).collect();
    replay(conversations, &[], policy, &Circumstances::default(), &mut |told| match told {
        Told::Seen { conversation, item, seen } => {
            if let Some(whose) = writers.get_mut(conversation).and_then(|items| items.get_mut(item))
                && !whose.of_addresses.contains(&seen.writer)
            {
                whose.of_addresses.push(seen.writer);
            }
        }
        Told::Noted { conversation, item, noted } => {
            if let Some(whose) = writers.get_mut(conversation).and_then(|items| items.get_mut(item)) {
                whose.writer = Some(noted.writer);
            }
        }
    });
    writers
}

/// The tools that a tree called, with the class that the results of each got.
pub(super) fn tools(family: &Family, policy: &Policy, each: &mut dyn FnMut(ToolSeen)) {
    let mut told = BTreeSet::new();
    for Member { file: _, conversation } in &family.members {
        for item in &conversation.items {
            let Some(call) = item.body.call() else { continue };
            let calls = really_run(call, conversation.dialect, policy);
            let whole = result_writer(&calls, call.ran, call.custom, false, policy);
            let class = with_fields(whole, &fields_of(&calls, call.custom, policy));
            let tool = ToolSeen { server: call.server.clone(), tool: call.tool.clone(), class };
            if told.insert(tool.clone()) {
                each(tool);
            }
        }
    }
}

/// A class as a table tells it, with those of the fields that count for something else.
fn with_fields(whole: Writer, fields: &[(Path, Field)]) -> String {
    let names = fields.iter().filter_map(|(_, field)| match field {
        Field::Of(writer) => (*writer != whole).then(|| writer.name()),
        Field::Index => (whole != Writer::World).then_some("index"),
    });
    let names: BTreeSet<&str> = names.collect();
    match names.is_empty() {
        true => whole.name().to_owned(),
        false => format!("{}, but for {} fields", whole.name(), names.into_iter().collect::<Vec<_>>().join(" and ")),
    }
}
