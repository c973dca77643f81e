//! What a reference stands for, where a call opens it.

use super::{Circumstances, Resolved};
use crate::ledger::{HandedOut, Ledger, RunId};
use crate::reference::Reference;
use crate::verdict::{Reason, Step};
use crate::writer::Writer;

/// The address of a reference that was handed out in the run or in one above it, and whose time is not over.
///
/// The world wrote it before the reference was made of it, so it is not asked again who did.
pub(super) fn resolve(
    ledger: &Ledger,
    run: RunId,
    reference: &Reference,
    now: &Circumstances,
) -> Result<Resolved, Reason> {
    let handed_out = ledger.chain(run).find_map(|id| Some((id, ledger.run(id)?.references.get(reference)?)));
    let Some((id, HandedOut { address, expires, item })) = handed_out else { return Err(Reason::ReferenceUnknown) };
    // Without a clock nobody knows that it is still good.
    if now.now.is_none_or(|now| now >= *expires) {
        return Err(Reason::ReferenceExpired);
    }
    // A caller that opens what the model wrote has nothing to put in its place.
    if !now.rewrites {
        return Err(Reason::ReferenceUnknown);
    }
    if address.is_odd() {
        return Err(Reason::OddSpelling);
    }
    let first = item.and_then(|item| ledger.sighting(run, id, item, Writer::World));
    let (writer, author) = (Writer::World, None);
    let address = address.clone();
    Ok(Resolved { address, step: Step::Reference, first, hole: false, writer, author, within: None })
}
