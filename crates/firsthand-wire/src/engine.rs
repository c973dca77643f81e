//! Conversations in, answers out: what every face of firsthand shares.
//!
//! Reading bytes, printing and keeping are the faces'; the rule is the core's. Here the two meet.

use std::collections::{BTreeSet, HashMap};

use firsthand::address::{Address, wide_key};
use firsthand::check::{Circumstances, Decision, check, check_addresses};
use firsthand::conversation::{Body, Call, Conversation, Item, Parent, Producer, Ran, Text};
use firsthand::ledger::RunId;
use firsthand::meter::Bits;
use firsthand::note::Effect;
use firsthand::policy::{EarlierTurns, Policy};
use firsthand::reference::Reference;
use firsthand::replay::{Replayed, Told, replay};
use firsthand::verdict::{self, Judged, Reason};
use firsthand::writer::Writer;

use crate::answer::{CheckAnswer, ExplainAnswer, First, Sighting, TraceLine, UrlVerdict, Verdict};
use crate::format::CUT_OFF;

/// The conversations that belong together, with what a caller knows besides.
#[derive(Debug)]
pub struct Family {
    /// The conversations with the names of their files.
    pub members: Vec<Member>,
    /// Earlier turns of the conversation that is asked about.
    pub earlier: Earlier,
    /// Files of the family could not be read: marks may be missing.
    pub incomplete: bool,
    /// What references of its runs stand for.
    pub references: Vec<HandedOut>,
}

/// What a reference stands for that a run was handed.
#[derive(Clone, Debug)]
pub struct HandedOut {
    /// The number of the run's conversation in the family.
    pub member: usize,
    /// The reference.
    pub reference: Reference,
    /// The address.
    pub address: Address,
    /// When its time is over, in seconds since 1970 (UTC).
    pub expires: i64,
    /// The number of the result that held the address.
    pub item: Option<usize>,
}

/// One conversation of a family.
#[derive(Debug)]
pub struct Member {
    /// The name of its file in answers.
    pub file: String,
    /// The conversation.
    pub conversation: Conversation,
}

/// Earlier turns of a conversation of which a caller holds only the current run.
#[derive(Debug, Default)]
pub enum Earlier {
    /// The caller says nothing of any.
    #[default]
    None,
    /// Their items.
    Items(Vec<Item>),
    /// There are some, but they cannot be read: the current run decides alone.
    Unreadable,
}

/// A call to be judged at the end of a conversation.
#[derive(Debug)]
pub enum Ask<'a> {
    /// These addresses are opened, whatever the tool.
    Addresses {
        /// The tool.
        tool: &'a str,
        /// The server that offers it.
        server: Option<&'a str>,
        /// The addresses as they were given.
        addresses: &'a [String],
    },
    /// A call with its arguments: what it opens is read from them.
    Call(&'a Call),
}

impl Family {
    /// A conversation that stands alone.
    pub fn of(file: &str, conversation: Conversation) -> Self {
        Self {
            members: vec![Member { file: file.to_owned(), conversation }],
            earlier: Earlier::None,
            incomplete: false,
            references: Vec::new(),
        }
    }

    /// The families of conversations that were read together: each run with those that its id makes its kin.
    ///
    /// Records of one id are of one run, and runs that name one parent are kin even where nobody has its record.
    /// Conversations of one file that no id joins have nothing to do with each other.
    pub fn split(members: Vec<Member>) -> Vec<Self> {
        let mut parents: HashMap<&str, &str> = HashMap::new();
        for Member { conversation, .. } in &members {
            if let Some(parent) = &conversation.parent {
                parents.entry(&conversation.id).or_insert(&parent.conversation);
            }
        }
        let top = |member: &Member| {
            let mut at = member.conversation.id.as_str();
            let mut met = BTreeSet::from([at]);
            while let Some(next) = parents.get(at).copied() {
                if !met.insert(next) {
                    // A circle: all of it is one family.
                    return met.first().copied().unwrap_or(at).to_owned();
                }
                at = next;
            }
            at.to_owned()
        };
        let tops: Vec<String> = members.iter().map(top).collect();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut families: Vec<Self> = Vec::new();
        for (member, top) in members.into_iter().zip(tops) {
            let place = *places.entry(top).or_insert(families.len());
            match families.get_mut(place) {
                Some(family) => family.members.push(member),
                None => {
                    let (members, references) = (vec![member], Vec::new());
                    families.push(Self { members, earlier: Earlier::None, incomplete: false, references });
                }
            }
        }
        families
    }

    /// Puts the runs above the first conversation behind it, nearest first, whatever their ids say.
    pub fn below(mut self, parents: impl IntoIterator<Item = Member>) -> Self {
        for (child, mut parent) in parents.into_iter().enumerate() {
            // Ids may be missing or the same; the order of the arguments says who started whom.
            let own = &parent.conversation.id;
            let is_taken = own.is_empty() || self.members.iter().any(|member| member.conversation.id == *own);
            let id = if is_taken { format!("{own}#parent-{}", child + 1) } else { own.clone() };
            parent.conversation.id.clone_from(&id);
            if let Some(member) = self.members.get_mut(child) {
                let call = member.conversation.parent.take().and_then(|parent| parent.call);
                member.conversation.parent = Some(Parent { conversation: id, call });
            }
            parent.conversation.parent = None;
            self.members.insert(child + 1, parent);
        }
        self
    }

    fn conversations(&self) -> Vec<&Conversation> {
        self.members.iter().map(|member| &member.conversation).collect()
    }

    /// The id of the run that stands at the top of a member's tree.
    fn top(&self, member: usize) -> &str {
        let id = |member: usize| self.members.get(member).map_or("", |member| member.conversation.id.as_str());
        let mut at = member;
        for _ in 0..self.members.len() {
            let parent = self.members.get(at).and_then(|member| member.conversation.parent.as_ref());
            let above = parent.and_then(|parent| {
                self.members.iter().position(|member| member.conversation.id == parent.conversation)
            });
            match above {
                Some(above) if above != at => at = above,
                Some(_) | None => break,
            }
        }
        id(at)
    }

    /// What the records of the family do not hold of themselves, because one of them is cut off: the number of the member,
    /// that of its item, and what is missing.
    pub fn cut_off(&self) -> impl Iterator<Item = (usize, usize, &'static str)> {
        self.members.iter().enumerate().filter_map(|(member, of)| {
            let (item, what) = cut_off(&of.conversation)?;
            Some((member, item, what))
        })
    }

    fn earlier_unread(&self) -> bool {
        matches!(self.earlier, Earlier::Unreadable)
    }
}

/// Where a conversation says that its record is cut off, and what is missing.
pub fn cut_off(conversation: &Conversation) -> Option<(usize, &'static str)> {
    let mut items = conversation.items.iter().enumerate().rev();
    items.find_map(|(index, item)| match item.body {
        Body::Hidden { what, .. } if CUT_OFF.contains(&what) => Some((index, what)),
        Body::Hidden { .. }
        | Body::User { .. }
        | Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Call(_)
        | Body::Result(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. } => None,
    })
}

/// The calls that open, in the order in which the family was replayed.
pub fn trace(family: &Family, policy: &Policy, now: &Circumstances, each: &mut dyn FnMut(TraceLine)) {
    let conversations = family.conversations();
    let earlier = earlier_items(family, policy);
    let mut decided: Vec<(usize, usize, Decision)> = Vec::new();
    let replayed = replay(&conversations, &earlier, policy, now, &mut |told| match told {
        Told::Noted { conversation, item, noted } => {
            if let Some(decision) = noted.decision {
                decided.push((conversation, item, decision));
            }
        }
        Told::Seen { .. } => {}
    });
    let unseen: Vec<Option<usize>> = conversations.iter().map(|conversation| unanswered(conversation)).collect();
    for (member, item, decision) in decided {
        let unseen = unseen.get(member).copied().flatten().is_some_and(|first| first < item);
        let line = line(family, &replayed, member, item, unseen, &decision);
        if let Some(line) = line {
            each(line);
        }
    }
}

/// The first call that the model's provider ran and of which the record keeps no result: what it showed the model is not seen.
fn unanswered(conversation: &Conversation) -> Option<usize> {
    let answered: BTreeSet<&str> = conversation.items.iter().filter_map(answers).collect();
    let is_unanswered = |call: &Call| call.ran == Ran::Provider && !answered.contains(call.id.as_str());
    conversation.items.iter().position(|item| item.body.call().is_some_and(is_unanswered))
}

/// The call that an item is the result of.
fn answers(item: &Item) -> Option<&str> {
    match &item.body {
        Body::Result(result) => match &result.from {
            Producer::Call(id) => Some(id.as_str()),
            Producer::Named { .. } => None,
        },
        Body::User { .. }
        | Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Call(_)
        | Body::Answer { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    }
}

fn line(
    family: &Family,
    replayed: &Replayed,
    member: usize,
    item: usize,
    unseen: bool,
    decision: &Decision,
) -> Option<TraceLine> {
    let of = family.members.get(member)?;
    let entry = of.conversation.items.get(item)?;
    let call = entry.body.call()?;
    let incomplete_view = decision.incomplete_view || family.incomplete || call.ran == Ran::Provider && unseen;
    let reason = decision.verdict.reason();
    let unobservable = call.ran == Ran::Provider && incomplete_view && reason.is_some_and(Reason::has_no_source);
    Some(TraceLine {
        kind: "open",
        file: of.file.clone(),
        conversation: family.top(member).to_owned(),
        run: of.conversation.id.clone(),
        item,
        at: entry.at.clone(),
        call: (!call.id.is_empty()).then(|| call.id.clone()),
        server: call.server.clone(),
        tool: call.tool.clone(),
        dialect: of.conversation.dialect.to_owned(),
        verdict: if unobservable { Verdict::Unobservable } else { name(&decision.verdict) },
        reason: reason.map(|reason| reason.code().to_owned()),
        advisory: decision.advisory,
        incomplete_view,
        earlier_unread: family.earlier_unread(),
        bits: decision.bits.map(Bits::to_f64),
        urls: url_verdicts(decision, &|first| place(family, replayed, first)),
    })
}

/// What is decided of a call at the end of a family's first conversation, with the ledger that says so.
#[derive(Debug)]
pub struct Judgement {
    /// The decision; none where the call opens nothing.
    pub decision: Option<Decision>,
    /// The family, replayed. The run of the first conversation is its first.
    pub replayed: Replayed,
}

/// Decides a call made at the end of the family's first conversation.
///
/// Where the policy asks for earlier turns only on a miss, the current run decides first.
pub fn judge(family: &Family, ask: &Ask<'_>, policy: &Policy, now: &Circumstances) -> Judgement {
    let conversations = family.conversations();
    let replayed = |earlier: &[(usize, &[Item])]| {
        let mut replayed = replay(&conversations, earlier, policy, now, &mut |_| {});
        for HandedOut { member, reference, address, expires, item } in &family.references {
            if let Some(run) = replayed.runs.get(*member).copied() {
                replayed.ledger.hand_out(run, reference.clone(), address.clone(), *expires, *item);
            }
        }
        replayed
    };
    let mut judged = replayed(&earlier_items(family, policy));
    let mut decision = decide(&judged, ask, policy, now);
    let missed = decision.as_ref().and_then(|decision| decision.verdict.reason()).is_some_and(Reason::has_no_source);
    if missed
        && policy.earlier == EarlierTurns::OnMiss
        && let Earlier::Items(items) = &family.earlier
    {
        judged = replayed(&[(0, items)]);
        decision = decide(&judged, ask, policy, now);
    }
    Judgement { decision, replayed: judged }
}

/// The verdict on a call made at the end of the family's first conversation.
pub fn check_call(family: &Family, ask: &Ask<'_>, policy: &Policy, now: &Circumstances) -> CheckAnswer {
    told(family, &judge(family, ask, policy, now))
}

/// What is answered of a judgement.
pub fn told(family: &Family, judgement: &Judgement) -> CheckAnswer {
    let Judgement { decision, replayed } = judgement;
    let mut answer = match decision {
        Some(decision) => answer(decision, &|first| place(family, replayed, first)),
        None => opens_nothing(),
    };
    if family.cut_off().next().is_some() {
        let cut = "The record is cut off: what came after its last whole entry is not known.";
        answer.message = Some(answer.message.map_or_else(|| cut.to_owned(), |message| format!("{message} {cut}")));
    }
    answer
}

/// The answer for a call that opens no address.
pub fn opens_nothing() -> CheckAnswer {
    CheckAnswer {
        verdict: Verdict::Open,
        reason: None,
        message: Some("The call opens no address.".to_owned()),
        error_code: None,
        bits: None,
        urls: Vec::new(),
    }
}

fn decide(replayed: &Replayed, ask: &Ask<'_>, policy: &Policy, now: &Circumstances) -> Option<Decision> {
    let run = replayed.runs.first().copied()?;
    match ask {
        Ask::Addresses { tool, server, addresses } => {
            Some(check_addresses(&replayed.ledger, run, *server, tool, addresses, policy, now))
        }
        Ask::Call(call) => check(&replayed.ledger, run, call, policy, now),
    }
}

/// What is answered of a decision. `place` gives the number and the place of the item that a sighting names.
pub fn answer(decision: &Decision, place: &dyn Fn(&verdict::Sighting) -> (usize, String)) -> CheckAnswer {
    let reason = decision.verdict.reason();
    CheckAnswer {
        verdict: name(&decision.verdict),
        reason: reason.map(|reason| reason.code().to_owned()),
        message: message(decision),
        error_code: reason.map(|reason| reason.error_code().to_owned()),
        bits: decision.bits.map(Bits::to_f64),
        urls: url_verdicts(decision, place),
    }
}

fn message(decision: &Decision) -> Option<String> {
    // What has a source and stays closed all the same is no offer.
    let is_offer = |judged: &&Judged| judged.reason.is_some_and(Reason::has_no_source) && judged.send.is_some();
    let mut offers = decision.addresses.iter().filter(is_offer);
    match (decision.verdict.reason(), offers.next()) {
        // Without a step it is another address than the one that was asked for.
        (Some(_), Some(offer)) if offer.step.is_some() => {
            Some("Use the address in `send`, exactly as it is spelled there.".to_owned())
        }
        (Some(reason), Some(_)) => Some(format!(
            "{} If you meant the address in `send`, use it exactly as it is spelled there.",
            reason.message()
        )),
        (Some(reason), None) => Some(reason.message().to_owned()),
        (None, _) if decision.counted_by_position => Some(
            "counted_by_position: this profile counts the text for its position, although it may be somebody else's."
                .to_owned(),
        ),
        (None, _) => None,
    }
}

/// The story of one address: every place of the family where it stands, in the order of the replay.
pub fn explain(family: &Family, url: &str, policy: &Policy, now: &Circumstances) -> ExplainAnswer {
    let conversations = family.conversations();
    let wanted = wide_key(url);
    let mut sightings = Vec::new();
    replay(&conversations, &[], policy, now, &mut |told| {
        let Told::Seen { conversation, item, seen } = told else { return };
        let Some(of) = conversations.get(conversation) else { return };
        let Some(entry) = of.items.get(item) else { return };
        if seen.key != wanted {
            return;
        }
        let sighting = Sighting {
            item,
            at: entry.at.clone(),
            run: of.id.clone(),
            position: entry.body.position().name().to_owned(),
            writer: seen.writer.name().to_owned(),
            tool: tool_of(of, entry),
            spelling: seen.spelling.unwrap_or(seen.key).to_owned(),
            effect: seen.effect.name().to_owned(),
        };
        // One place may be read in several ways; it is one place.
        let same =
            |other: &Sighting| other.item == item && other.run == sighting.run && other.spelling == sighting.spelling;
        match sightings.iter_mut().find(|other| same(other)) {
            Some(other) if other.effect == "none" => other.effect.clone_from(&sighting.effect),
            Some(_) => {}
            None => sightings.push(sighting),
        }
    });
    // What is cut off may hold the address too.
    for (member, item, _) in family.cut_off() {
        let Some(of) = conversations.get(member) else { continue };
        let Some(entry) = of.items.get(item) else { continue };
        sightings.push(Sighting {
            item,
            at: entry.at.clone(),
            run: of.id.clone(),
            position: entry.body.position().name().to_owned(),
            writer: Writer::Ignored.name().to_owned(),
            tool: None,
            spelling: String::new(),
            effect: Effect::None.name().to_owned(),
        });
    }
    ExplainAnswer { url: url.to_owned(), sightings }
}

/// The tool of a call, or of the call that an item answers.
pub fn tool_of(conversation: &Conversation, item: &Item) -> Option<String> {
    let by_id = |id: &str| {
        conversation.items.iter().find_map(|item| match &item.body {
            Body::Call(call) if call.id == id => Some(call.tool.clone()),
            Body::Call(_)
            | Body::User { .. }
            | Body::Said { .. }
            | Body::Attachment { .. }
            | Body::Result(_)
            | Body::Answer { .. }
            | Body::Grant { .. }
            | Body::Rewind { .. }
            | Body::Hidden { .. } => None,
        })
    };
    match &item.body {
        Body::Call(call) => Some(call.tool.clone()),
        Body::Result(result) => match &result.from {
            Producer::Call(id) => by_id(id),
            Producer::Named { tool, .. } => Some(tool.clone()),
        },
        Body::Answer { call, .. } => by_id(call),
        Body::User { .. }
        | Body::Said { .. }
        | Body::Attachment { .. }
        | Body::Grant { .. }
        | Body::Rewind { .. }
        | Body::Hidden { .. } => None,
    }
}

fn earlier_items<'f>(family: &'f Family, policy: &Policy) -> Vec<(usize, &'f [Item])> {
    match (&family.earlier, policy.earlier) {
        (Earlier::Items(items), EarlierTurns::First) => vec![(0, items.as_slice())],
        (Earlier::Items(_), EarlierTurns::OnMiss) | (Earlier::None | Earlier::Unreadable, _) => Vec::new(),
    }
}

fn name(verdict: &verdict::Verdict) -> Verdict {
    match verdict {
        verdict::Verdict::Open(_) => Verdict::Open,
        verdict::Verdict::Ask(_) => Verdict::Ask,
        verdict::Verdict::Refuse(_) => Verdict::Refuse,
    }
}

fn url_verdicts(decision: &Decision, place: &dyn Fn(&verdict::Sighting) -> (usize, String)) -> Vec<UrlVerdict> {
    decision.addresses.iter().map(|judged| url_verdict(judged, &decision.verdict, place)).collect()
}

fn url_verdict(
    judged: &Judged,
    call: &verdict::Verdict,
    place: &dyn Fn(&verdict::Sighting) -> (usize, String),
) -> UrlVerdict {
    let first = judged.first.as_ref().map(|first| {
        let (item, at) = place(first);
        First {
            writer: first.writer.name().to_owned(),
            position: first.position.name().to_owned(),
            item,
            at,
            tool: first.tool.as_deref().map(str::to_owned),
            from: first.from.name().to_owned(),
        }
    });
    let verdict = match (judged.reason, call) {
        (None, _) => Verdict::Open,
        (Some(_), verdict::Verdict::Ask(_)) => Verdict::Ask,
        (Some(_), verdict::Verdict::Open(_) | verdict::Verdict::Refuse(_)) => Verdict::Refuse,
    };
    UrlVerdict {
        url: judged.asked.clone(),
        verdict,
        reason: judged.reason.map(|reason| reason.code().to_owned()),
        // What a reference stands for is told nobody.
        send: judged.send.clone().filter(|_| judged.step != Some(verdict::Step::Reference)),
        step: judged.step.map(|step| step.name().to_owned()),
        first,
    }
}

/// The item of a sighting by the numbers of its own conversation, and its place.
fn place(family: &Family, replayed: &Replayed, first: &verdict::Sighting) -> (usize, String) {
    let member = replayed.runs.iter().position(|run| run.number() == first.run);
    let of = member.and_then(|member| family.members.get(member));
    let (item, entry) = match first.from {
        verdict::From::Earlier => {
            let items = match &family.earlier {
                Earlier::Items(items) => items.as_slice(),
                Earlier::None | Earlier::Unreadable => &[],
            };
            (first.item, items.get(first.item))
        }
        verdict::From::Own | verdict::From::Parent => {
            let item = first.item.saturating_sub(earlier_length(replayed, member, of));
            (item, of.and_then(|of| of.conversation.items.get(item)))
        }
    };
    (item, entry.map(|item| item.at.clone()).unwrap_or_default())
}

/// How many items of earlier turns stand before a member's own in its run.
fn earlier_length(replayed: &Replayed, member: Option<usize>, of: Option<&Member>) -> usize {
    let run: Option<RunId> = member.and_then(|member| replayed.runs.get(member).copied());
    let noted = run.map_or(0, |run| replayed.ledger.len(run));
    noted.saturating_sub(of.map_or(0, |of| of.conversation.items.len()))
}

/// A call whose arguments hold these addresses, for tools of which only that is known.
pub fn call_of(tool: &str, server: Option<&str>, arguments: &str) -> Call {
    Call {
        id: String::new(),
        server: server.map(str::to_owned),
        tool: tool.to_owned(),
        arguments: Text::from(arguments),
        ran: Ran::Client,
        custom: false,
    }
}
