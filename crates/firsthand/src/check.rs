//! The decision, before any request leaves.
//!
//! [`check`] reads every address that a call opens; one that does not resolve refuses the whole call. The tests stand in
//! the order of [`Reason::ALL`], and the first that fails gives the reason.

mod cost;
mod derived;
mod redirect;
mod reference;

use std::sync::Arc;

use self::cost::Meter;
use crate::address::{Address, AddressError, Asked, Keys};
use crate::calls::{self, Inner, Opens};
use crate::conversation::{Call, Scope, Seat};
use crate::credential;
use crate::ledger::{Ledger, Named, Only, RunId, Source, Sources};
use crate::meter::{Bits, Over};
use crate::policy::{Credentials, Permission, Policy, ShellLiteral};
use crate::reference::Reference;
use crate::verdict::{Bounds, Judged, Permit, Question, Reason, Sighting, Step, Verdict};
use crate::writer::Writer;

pub use cost::freedom;
pub use redirect::{MAX_HOPS, check_redirect};

/// What the caller knows and the conversation does not say.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The caller can send another spelling than the model's. Where it cannot, only the source's own spelling opens.
    pub rewrites: bool,
    /// A person can be asked, whatever the conversation says of it.
    pub person: bool,
    /// Now, in seconds since 1970 (UTC): grants with a time end by it. Without it they do not hold.
    pub now: Option<i64>,
}

impl Default for Circumstances {
    fn default() -> Self {
        Self { rewrites: true, person: false, now: None }
    }
}

/// What is decided of a call, address by address.
#[derive(Debug)]
pub struct Decision {
    /// The decision of the whole call.
    pub verdict: Verdict,
    /// The addresses in argument order.
    pub addresses: Vec<Judged>,
    /// The verdict is advice: the addresses stand in a program, or the tool is not known.
    pub advisory: bool,
    /// Calls of this conversation are hidden.
    pub incomplete_view: bool,
    /// What opening the addresses tells, where all of them have a source.
    pub bits: Option<Bits>,
    /// A vendor's profile counts the source by where it stands although it may be somebody else's: a documented hole.
    pub counted_by_position: bool,
}

/// Decides a call made at the end of a run. `None` where the call opens nothing.
///
/// Of a call that hands several on, those that open addresses decide; a program among them decides only where the policy
/// asks or refuses for programs. A tool that nobody declared may do anything with an address, so it is worth a word only
/// where it would be refused.
pub fn check(ledger: &Ledger, run: RunId, call: &Call, policy: &Policy, now: &Circumstances) -> Option<Decision> {
    let dialect = ledger.run(run).map_or("", |run| &run.dialect);
    check_tools(ledger, run, &calls::really_run(call, dialect, policy), policy, now)
}

/// The same of the tools that a call really runs.
pub(crate) fn check_tools(
    ledger: &Ledger,
    run: RunId,
    inner: &[Inner<'_>],
    policy: &Policy,
    now: &Circumstances,
) -> Option<Decision> {
    let mut groups = [Group::default(), Group::default(), Group::default()];
    for tool in inner {
        let opens = calls::opens(tool);
        if opens.addresses.is_empty() {
            // A tool that opens nothing sends nothing, whatever else it is given.
            continue;
        }
        let [openers, programs, undeclared] = &mut groups;
        let group = match (opens.undeclared, opens.program) {
            (true, _) => undeclared,
            (false, true) => programs,
            (false, false) => openers,
        };
        group.add(tool, opens);
    }
    let [openers, programs, undeclared] = groups;
    let decided = |group: Group<'_>| {
        (!group.opens.addresses.is_empty()).then(|| decide(ledger, run, &group.tools, &group.opens, policy, now))
    };
    let is_open = |decision: &Decision| decision.verdict.reason().is_none();
    let (openers, programs) = (decided(openers), decided(programs));
    match (openers, programs) {
        (Some(openers), Some(programs)) if is_open(&openers) && !programs.advisory && !is_open(&programs) => {
            Some(programs)
        }
        (Some(openers), _) => Some(openers),
        (None, Some(programs)) => Some(programs),
        (None, None) => decided(undeclared).filter(|decision| !is_open(decision)),
    }
}

/// The tools of one call that are decided together.
#[derive(Default)]
struct Group<'c> {
    tools: Vec<&'c Inner<'c>>,
    opens: Opens,
}

impl<'c> Group<'c> {
    fn add(&mut self, tool: &'c Inner<'c>, opens: Opens) {
        self.tools.push(tool);
        self.opens.payload |= opens.payload;
        self.opens.program |= opens.program;
        self.opens.undeclared |= opens.undeclared;
        self.opens.addresses.extend(opens.addresses);
    }
}

/// Decides a call of which the caller says that it opens these addresses, whatever the tool.
pub fn check_addresses(
    ledger: &Ledger,
    run: RunId,
    server: Option<&str>,
    tool: &str,
    addresses: &[String],
    policy: &Policy,
    now: &Circumstances,
) -> Decision {
    let dialect = ledger.run(run).map_or("", |run| &run.dialect);
    let inner = Inner::new(server.map(str::to_owned), tool.to_owned(), "{}".into(), dialect, policy);
    let opens = Opens { addresses: addresses.to_vec(), ..Opens::default() };
    decide(ledger, run, &[&inner], &opens, policy, now)
}

/// Decides a call that came outside a run: there is nothing to check against.
pub fn outside_a_run(addresses: &[String]) -> Decision {
    let judged = |asked: &String| Judged {
        asked: asked.clone(),
        reason: Some(Reason::NoContext),
        send: None,
        step: None,
        first: None,
        bits: None,
    };
    Decision {
        verdict: Verdict::Refuse(Reason::NoContext),
        addresses: addresses.iter().map(judged).collect(),
        advisory: false,
        incomplete_view: false,
        bits: None,
        counted_by_position: false,
    }
}

fn decide(
    ledger: &Ledger,
    run: RunId,
    tools: &[&Inner<'_>],
    opens: &Opens,
    policy: &Policy,
    now: &Circumstances,
) -> Decision {
    let bounds: Arc<[Bounds]> = tools.iter().map(|tool| bounds(tool, policy)).collect();
    let permission = permission(tools);
    let person = now.person || ledger.run(run).is_some_and(|run| run.seat == Seat::Person);
    let hidden = ledger.has_hidden_calls(run);
    let mut addresses = Vec::new();
    let mut send = Vec::new();
    let mut hole = false;
    let mut meter = Meter::new(ledger, run, policy);
    for asked in &opens.addresses {
        let judged = match permission {
            Permission::Deny => closed(asked, Reason::PermissionDenied, None),
            Permission::AlwaysAllow | Permission::AlwaysAsk | Permission::Auto => {
                match judge(ledger, run, asked, &bounds, hidden, policy, now) {
                    Ok(found) => {
                        hole |= found.hole;
                        let (bits, is_past) = meter.charge(&found);
                        let holds_credential = found.holds_credential(ledger, run, opens.payload, policy);
                        let mut judged = found.judged(asked, now);
                        judged.bits = Some(bits);
                        judged.reason = judged
                            .reason
                            .or_else(|| holds_credential.then_some(Reason::CredentialInUrl))
                            .or_else(|| is_past.then_some(Reason::LeakBudgetSpent));
                        send.push(found.address);
                        judged
                    }
                    Err(judged) => judged,
                }
            }
        };
        addresses.push(judged);
    }
    // What costs too much says so only where nothing else is wrong, and a yes opens the whole call or nothing.
    let mut reasons = addresses.iter().filter_map(|judged| judged.reason);
    let beside = reasons.clone().find(|reason| *reason != Reason::LeakBudgetSpent);
    let failing = beside.or_else(|| reasons.next());
    let can_be_healed = addresses.iter().filter_map(|judged| judged.reason).all(Reason::a_person_can_heal_it);
    let permit = || {
        // A person who confirms what has no source confirms the spelling that was asked for.
        let asked = addresses.iter().filter_map(|judged| match judged.reason {
            // These have a source, whose spelling stands among what is sent.
            None | Some(Reason::CredentialInUrl | Reason::LeakBudgetSpent) => None,
            Some(_) => Asked::parse(&judged.asked).ok().map(|asked| asked.address().clone()),
        });
        let told = addresses.iter().filter_map(|judged| judged.bits).sum();
        Permit::new(send.iter().cloned().chain(asked).collect(), Arc::clone(&bounds), told)
    };
    let ask_or_refuse = |reason| match person {
        true => Verdict::Ask(Question::new(reason, permit())),
        false => Verdict::Refuse(reason),
    };
    let verdict = match (failing, permission) {
        (Some(reason @ Reason::LeakBudgetSpent), _) if !opens.program => match policy.budget.over {
            Over::Ask => ask_or_refuse(reason),
            Over::Refuse => Verdict::Refuse(reason),
        },
        (Some(reason), Permission::Auto) if can_be_healed => ask_or_refuse(reason),
        (Some(reason), _) if opens.program => match policy.shell {
            ShellLiteral::Report | ShellLiteral::Refuse => Verdict::Refuse(reason),
            ShellLiteral::Ask if can_be_healed => ask_or_refuse(reason),
            ShellLiteral::Ask => Verdict::Refuse(reason),
        },
        (Some(_), _) if opens.undeclared => Verdict::Refuse(Reason::UnknownToolWithUrl),
        (Some(reason), _) => Verdict::Refuse(reason),
        (None, _) if opens.payload => ask_or_refuse(Reason::CarriesPayload),
        (None, Permission::AlwaysAsk) => ask_or_refuse(Reason::PermissionAsk),
        (None, Permission::AlwaysAllow | Permission::Auto | Permission::Deny) => Verdict::Open(permit()),
    };
    if matches!(verdict, Verdict::Ask(_)) {
        // A person is asked about the address that was asked for, not about another one.
        for judged in addresses.iter_mut().filter(|judged| judged.reason.is_some() && judged.step.is_none()) {
            judged.send = None;
        }
    }
    let bits = addresses.iter().map(|judged| judged.bits).sum();
    Decision {
        verdict,
        addresses,
        bits,
        advisory: opens.undeclared || opens.program && policy.shell == ShellLiteral::Report,
        incomplete_view: hidden,
        counted_by_position: hole,
    }
}

/// What an asked address resolves to.
struct Resolved {
    address: Address,
    step: Step,
    first: Option<Sighting>,
    hole: bool,
    /// Who made it a source.
    writer: Writer,
    /// The page's site or the tool that wrote it first, by its number among the tools.
    author: Option<u32>,
    /// The source that stands whole in the address of a third party.
    within: Option<Address>,
}

impl Resolved {
    /// Whether what leaves carries a value that looks like a credential and that no person or operator wrote, where the
    /// policy looks for one.
    fn holds_credential(&self, ledger: &Ledger, run: RunId, is_write: bool, policy: &Policy) -> bool {
        let is_looked_at = match (self.step, policy.credentials) {
            // A reference stands for an address that carries one, and a yes is a person's to this very address.
            (Step::Reference | Step::Grant, _) | (_, Credentials::Off) => false,
            (_, Credentials::Every) => true,
            (Step::Truncated | Step::Convention, Credentials::Derived) => true,
            (Step::Identical | Step::Serialized | Step::Loose | Step::QueryDropped, Credentials::Derived) => is_write,
        };
        is_looked_at && carries_credential(&self.address, ledger, run)
    }

    fn judged(&self, asked: &str, now: &Circumstances) -> Judged {
        let send = self.address.reveal();
        // A caller that cannot send another spelling opens only this one; nobody wrote any other.
        let reason = (!now.rewrites && asked != send).then_some(Reason::NeverWritten);
        Judged {
            asked: asked.to_owned(),
            reason,
            send: Some(send.to_owned()),
            step: Some(self.step),
            first: self.first.clone(),
            bits: None,
        }
    }
}

fn carries_credential(address: &Address, ledger: &Ledger, run: RunId) -> bool {
    let mut carries = false;
    credential::each_in(address.reveal(), &mut |value, within| {
        carries |= !ledger.is_given(run, value) && !ledger.is_given(run, within);
    });
    carries
}

fn judge(
    ledger: &Ledger,
    run: RunId,
    asked_text: &str,
    bounds: &[Bounds],
    hidden: bool,
    policy: &Policy,
    now: &Circumstances,
) -> Result<Resolved, Judged> {
    let listed = |address: &Address| bounds.iter().find_map(|bounds| bounds.refuse(address));
    // A reference is one before it is an invalid address.
    if let Some(reference) = Reference::parse(asked_text) {
        let found = reference::resolve(ledger, run, &reference, now);
        let found = found.and_then(|found| listed(&found.address).map_or(Ok(found), Err));
        return found.map_err(|reason| closed(asked_text, reason, None));
    }
    if asked_text.len() > policy.longest.saturating_mul(4).max(4096) {
        return Err(closed(asked_text, Reason::UrlTooLong, None));
    }
    let asked = Asked::parse(asked_text).map_err(|error| closed(asked_text, reason_of(error), None))?;
    if let Some(reason) = listed(asked.address()) {
        return Err(closed(asked_text, reason, None));
    }
    let sourced = resolve(ledger, run, &asked, Trust::Any, policy);
    // Where calls are hidden, the word of a tool that may only have repeated them is not enough.
    let doubtful = hidden && sourced.as_ref().is_some_and(|found| !found.vouched);
    let found = match doubtful {
        false => sourced,
        true => resolve(ledger, run, &asked, Trust::Vouched, policy),
    };
    let Some(found) = found.map(|found| found.resolved).or_else(|| granted(ledger, run, &asked, now)) else {
        let (reason, first) = match doubtful {
            true => (
                Reason::IncompleteView,
                resolve(ledger, run, &asked, Trust::Any, policy).and_then(|found| found.resolved.first),
            ),
            false => why_not(ledger, run, asked.address(), policy),
        };
        let send = if hidden { None } else { derived::offered(ledger, run, &asked, &listed) };
        return Err(Judged { send, ..closed(asked_text, reason, first) });
    };
    // What leaves is the source's spelling, so the lists must hold that too.
    if let Some(reason) = listed(&found.address).or_else(|| found.within.as_ref().and_then(listed)) {
        return Err(closed(asked_text, reason, None));
    }
    Ok(found)
}

/// Which sources count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// All.
    Any,
    /// Those that cannot only repeat what the model wrote.
    Vouched,
}

struct FoundSource {
    resolved: Resolved,
    vouched: bool,
}

const STEPS: [Step; 3] = [Step::Identical, Step::Serialized, Step::Loose];

/// What an asked address means.
fn resolve(ledger: &Ledger, run: RunId, asked: &Asked, trust: Trust, policy: &Policy) -> Option<FoundSource> {
    let keys = asked.address().view().keys();
    let without_query = || if asked.address().has_query() { None } else { query_dropped(ledger, run, &keys, trust) };
    spelled(ledger, run, asked, &keys, trust)
        .or_else(without_query)
        .or_else(|| derived::resolve(ledger, run, asked, &keys, trust, policy))
}

/// A source that is spelled like the asked address. Each step is tried over the run's own sources and those above it before
/// the next.
fn spelled(ledger: &Ledger, run: RunId, asked: &Asked, keys: &Keys<'_>, trust: Trust) -> Option<FoundSource> {
    for step in STEPS {
        for id in ledger.chain(run) {
            let Some(sources) = ledger.run(id).map(|run| &run.sources) else { continue };
            let index = match trust {
                Trust::Any => sources.find(step, asked, keys),
                Trust::Vouched => sources.find_vouched(step, asked, keys),
            };
            if let Some(source) = index.and_then(|index| sources.get(index)) {
                return Some(found(ledger, run, id, sources, source, step));
            }
        }
    }
    None
}

/// Exactly one source of the run and those above it has the asked host and path.
fn query_dropped(ledger: &Ledger, run: RunId, keys: &Keys<'_>, trust: Trust) -> Option<FoundSource> {
    let mut only: Option<(RunId, &Sources, &Source)> = None;
    for id in ledger.chain(run) {
        let sources = &ledger.run(id)?.sources;
        let with_path = match trust {
            Trust::Any => sources.with_path(keys),
            Trust::Vouched => sources.vouched_with_path(keys),
        };
        match (with_path, only) {
            (Only::Nothing, _) => {}
            (Only::Several, _) => return None,
            (Only::One(index), None) => only = sources.get(index).map(|source| (id, sources, source)),
            (Only::One(index), Some((_, others, other))) => {
                let other = others.view(other).identity();
                if sources.get(index).is_none_or(|source| sources.view(source).identity() != other) {
                    return None;
                }
            }
        }
    }
    only.map(|(id, sources, source)| found(ledger, run, id, sources, source, Step::QueryDropped))
}

/// A grant opens its own address and nothing derived from it.
fn granted(ledger: &Ledger, run: RunId, asked: &Asked, now: &Circumstances) -> Option<Resolved> {
    ledger.chain(run).find_map(|id| {
        let holds = |grant: &&crate::ledger::Grant| {
            let in_time = match grant.scope {
                Scope::Once => !grant.used && id == run,
                Scope::Run => true,
                Scope::Until(end) => now.now.is_some_and(|now| now < end),
            };
            in_time && grant.address.identity() == asked.address().identity()
        };
        let grant = ledger.run(id)?.grants.iter().find(holds)?;
        let first = ledger.sighting(run, id, grant.item, Writer::Person);
        let address = grant.address.clone();
        let (writer, author) = (Writer::Person, None);
        Some(Resolved { address, step: Step::Grant, first, hole: false, writer, author, within: None })
    })
}

fn found(ledger: &Ledger, asking: RunId, id: RunId, sources: &Sources, source: &Source, step: Step) -> FoundSource {
    let Named { item, writer, hole, vouched, author } = source.named;
    let first = ledger.sighting(asking, id, item, writer);
    let (address, author) = (sources.view(source).address(), author.get());
    let resolved = Resolved { address, step, first, hole, writer, author, within: None };
    FoundSource { resolved, vouched: vouched.get().is_some() }
}

/// Why an address has no source, and the sighting that says so.
fn why_not(ledger: &Ledger, run: RunId, address: &Address, policy: &Policy) -> (Reason, Option<Sighting>) {
    let key = address.wide();
    let mark = ledger.marks.get(&key).filter(|_| policy.order_counts);
    let mut ignored: Option<(u32, RunId, u32)> = None;
    let mut echoed: Option<(RunId, u32)> = None;
    for id in ledger.chain(run) {
        let Some(sightings) = ledger.run(id).and_then(|run| run.seen(&key)) else { continue };
        if let Some(item) = sightings.ignored.get()
            && let Some(entry) = ledger.entry(id, item)
            && ignored.is_none_or(|(clock, ..)| entry.clock < clock)
        {
            ignored = Some((entry.clock, id, item));
        }
        if sightings.closed && echoed.is_none() {
            echoed = sightings.world.get().map(|item| (id, item));
        }
    }
    match (mark, ignored) {
        (Some(mark), ignored) if ignored.is_none_or(|(clock, ..)| mark.clock < clock) => {
            (Reason::ModelWroteFirst, ledger.sighting(run, RunId(mark.run), mark.item, Writer::Model))
        }
        (_, Some((_, id, item))) => (Reason::CountsNowhere, ledger.sighting(run, id, item, Writer::Ignored)),
        (_, None) => match echoed {
            Some((id, item)) => (Reason::ModelWroteFirst, ledger.sighting(run, id, item, Writer::World)),
            None => (Reason::NeverWritten, None),
        },
    }
}

fn closed(asked: &str, reason: Reason, first: Option<Sighting>) -> Judged {
    Judged { asked: asked.to_owned(), reason: Some(reason), send: None, step: None, first, bits: None }
}

fn reason_of(error: AddressError) -> Reason {
    match error {
        AddressError::Invalid => Reason::InvalidUrl,
        AddressError::Odd => Reason::OddSpelling,
    }
}

fn bounds(tool: &Inner<'_>, policy: &Policy) -> Bounds {
    Bounds {
        networking: policy.networking.clone(),
        allowed: tool.rule.and_then(|rule| rule.allowed_domains.clone()),
        blocked: tool.rule.and_then(|rule| rule.blocked_domains.clone()),
        longest: policy.longest,
    }
}

/// The strictest permission of the tools that really run.
fn permission(tools: &[&Inner<'_>]) -> Permission {
    let strictness = |permission: &Permission| match permission {
        Permission::AlwaysAllow => 0,
        Permission::Auto => 1,
        Permission::AlwaysAsk => 2,
        Permission::Deny => 3,
    };
    tools
        .iter()
        .map(|tool| tool.rule.map_or(Permission::AlwaysAllow, |rule| rule.permission))
        .max_by_key(strictness)
        .unwrap_or_default()
}
