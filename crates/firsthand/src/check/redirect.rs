//! The decision of where a redirect leads.
//!
//! The world wrote the target, so it needs no source; all else holds for it like for any address.

use super::{carries_credential, reason_of};
use crate::address::{Address, Asked};
use crate::ledger::{Ledger, RunId};
use crate::policy::{Credentials, Policy};
use crate::verdict::{Halt, Pass, Reason};

/// How many redirects a request may follow.
pub const MAX_HOPS: u8 = 5;

/// Decides the target of a redirect: a pass for it in the place of the one that was used, or why it is not followed.
///
/// `location` is what the server sent, resolved against the address that was opened. Ask before the call of the pass is noted;
/// where it is noted already, what it tells counts twice, which refuses sooner.
pub fn check_redirect(pass: Pass, location: &str, ledger: &Ledger, run: RunId, policy: &Policy) -> Result<Pass, Halt> {
    let from = pass.address();
    let target = target(from, location).map_err(Halt::Refused)?;
    if let Some(reason) = pass.refuse(&target) {
        return Err(Halt::Refused(reason));
    }
    if is_secure(from) && !is_secure(&target) {
        return Err(Halt::Insecure);
    }
    if pass.hops() >= MAX_HOPS {
        return Err(Halt::TooMany);
    }
    let is_source =
        || ledger.chain(run).any(|id| ledger.run(id).is_some_and(|run| run.sources.of(target.view()).is_some()));
    if policy.order_counts && ledger.marks.get(&target.wide()).is_some() && !is_source() {
        return Err(Halt::Refused(Reason::ModelWroteFirst));
    }
    if policy.credentials == Credentials::Every && carries_credential(&target, ledger, run) {
        return Err(Halt::Refused(Reason::CredentialInUrl));
    }
    // Another site learns what the choice told the first one. To all sites together it tells nothing more.
    let is_past = |most| ledger.offers.told_to(target.site()) + pass.told() > most;
    if target.site() != from.site() && policy.budget.per_site.is_some_and(is_past) {
        return Err(Halt::Refused(Reason::LeakBudgetSpent));
    }
    Ok(pass.after_redirect(target))
}

fn target(from: &Address, location: &str) -> Result<Address, Reason> {
    let joined = from.joined(location).ok_or(Reason::InvalidUrl)?;
    Asked::parse(joined.reveal()).map(|asked| asked.address().clone()).map_err(reason_of)
}

fn is_secure(address: &Address) -> bool {
    address.identity().starts_with("https:")
}
