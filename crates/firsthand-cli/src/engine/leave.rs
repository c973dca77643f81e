//! A call that is about to leave: decided with its ledger at hand, so that redirects can be decided too.

use firsthand::check::{Circumstances, Decision, check_redirect};
use firsthand::ledger::RunId;
use firsthand::policy::Policy;
use firsthand::verdict::{Halt, Pass};
use firsthand_log::{About, Entry, Surface};
use firsthand_wire::answer::CheckAnswer;
use firsthand_wire::engine as wire;

use super::{Answered, Ask, Opened, Setting, Unread, asked_about, cut_off, seconds};

/// A decided call.
#[derive(Debug)]
pub(crate) struct Leaving<'s> {
    family: wire::Family,
    judgement: wire::Judgement,
    policy: &'s Policy,
    about: Named,
}

#[derive(Debug)]
struct Named {
    server: Option<String>,
    tool: String,
    surface: Surface,
    now: i64,
}

/// Decides a call at the end of a conversation. A person at the terminal can be asked where `person` says so.
pub(crate) fn leave<'s>(
    opened: Opened,
    setting: &'s Setting,
    ask: &Ask,
    person: bool,
    surface: Surface,
) -> Result<Answered<Leaving<'s>>, Unread> {
    let family = asked_about(opened, setting, ask)?;
    let now = Circumstances { rewrites: ask.rewrites, person, now: seconds() };
    let asked = wire::Ask::Addresses { tool: &ask.tool, server: ask.server.as_deref(), addresses: &ask.urls };
    let judgement = wire::judge(&family, &asked, &setting.policy, &now);
    let cut_off = cut_off([&family]);
    let about = Named { server: ask.server.clone(), tool: ask.tool.clone(), surface, now: now.now.unwrap_or_default() };
    Ok(Answered { answer: Leaving { family, judgement, policy: &setting.policy, about }, cut_off })
}

impl Leaving<'_> {
    /// What is answered of it.
    pub(crate) fn answer(&self) -> CheckAnswer {
        wire::told(&self.family, &self.judgement)
    }

    /// The decision, once.
    pub(crate) fn decision(&mut self) -> Option<Decision> {
        self.judgement.decision.take()
    }

    /// What of private networks may be reached.
    pub(crate) fn private(&self) -> &firsthand::private::Private {
        &self.policy.private
    }

    /// Decides where a redirect leads.
    pub(crate) fn redirect(&self, from: Pass, location: &str) -> Result<Pass, Halt> {
        match self.run() {
            Some(run) => check_redirect(from, location, &self.judgement.replayed.ledger, run, self.policy),
            None => Err(Halt::Refused(firsthand::verdict::Reason::NoContext)),
        }
    }

    /// The line of the decision for a log.
    pub(crate) fn logged(&self, key: &[u8; 32]) -> Option<Entry> {
        let decision = self.judgement.decision.as_ref()?;
        Some(Entry::of(decision, &self.judgement.replayed.ledger, self.run()?, self.policy, &self.about(key)))
    }

    /// The line of an address that was refused on the way out.
    pub(crate) fn logged_on_the_way(
        &self,
        target: &str,
        reason: firsthand::verdict::Reason,
        key: &[u8; 32],
    ) -> Option<Entry> {
        let (ledger, run) = (&self.judgement.replayed.ledger, self.run()?);
        Some(Entry::of_redirect(target, Some(reason), ledger, run, self.policy, &self.about(key)))
    }

    fn run(&self) -> Option<RunId> {
        self.judgement.replayed.runs.first().copied()
    }

    fn about<'a>(&'a self, key: &'a [u8; 32]) -> About<'a> {
        let Named { server, tool, surface, now } = &self.about;
        let run = self.family.members.first().map_or("", |member| member.conversation.id.as_str());
        About { surface: *surface, run, server: server.as_deref(), tool, now: *now, key }
    }
}
