//! Histories that come again, and histories that two sides tell.

use std::collections::HashSet;

use crate::check::Circumstances;
use crate::conversation::{Body, Item, Speaker};
use crate::ledger::{Fingerprint, Ledger, RunId};
use crate::note::{NotedItem, digest, note};
use crate::policy::Policy;

/// Notes a history that a client sends whole each time.
///
/// What the ledger has is matched by content. Where the history diverges, or is shorter, the rest is a rewind: marks stay,
/// sources that stood only there do not count. Gives what the new items came to.
pub fn resend(ledger: &mut Ledger, run: RunId, items: &[Item], policy: &Policy, now: &Circumstances) -> Vec<NotedItem> {
    let known: Vec<(u32, Fingerprint)> = ledger.run(run).map_or_else(Vec::new, |run| {
        let of = |number: &u32| usize::try_from(*number).ok().and_then(|number| run.items.get(number));
        run.live.iter().filter_map(|number| of(number).map(|entry| (*number, entry.digest))).collect()
    });
    let same = known.iter().zip(items).take_while(|((_, digest_of), item)| *digest_of == digest(item)).count();
    if let Some((first_gone, _)) = known.get(same) {
        let to = usize::try_from(*first_gone).unwrap_or(usize::MAX);
        note(ledger, run, &Item::new("", Body::Rewind { to }), policy, now);
    }
    items.iter().skip(same).map(|item| note(ledger, run, item, policy, now)).collect()
}

/// Which of two sequences of one conversation a person's prompt reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusted {
    /// The first.
    First,
    /// The second.
    Second,
}

/// Merges two sequences of one conversation, such as a hook's own record and a transcript that lags behind.
///
/// What both know keeps its order. What the model wrote stands as early as either side allows; what the world wrote and
/// only one side knows stands after all that the model is known to have written; what a person wrote counts only from the
/// side that a person's prompt reached.
pub fn merge(first: &[Item], second: &[Item], trusted: Trusted) -> Vec<Item> {
    let digests = |items: &[Item]| -> Vec<Fingerprint> { items.iter().map(digest).collect() };
    let (one, two) = (digests(first), digests(second));
    let shared = common(&one, &two);
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut late = Vec::new();
    let (mut at_one, mut at_two) = (0, 0);
    for (next_one, next_two) in shared.into_iter().chain([(first.len(), second.len())]) {
        let own = first.get(at_one..next_one).unwrap_or_default().iter().map(|item| (item, Trusted::First));
        let other = second.get(at_two..next_two).unwrap_or_default().iter().map(|item| (item, Trusted::Second));
        for (item, side) in own.chain(other) {
            match standing(&item.body) {
                Standing::Models => merged.push(item.clone()),
                Standing::Persons if side == trusted => merged.push(item.clone()),
                Standing::Persons => {}
                Standing::Outside => late.push(item.clone()),
            }
        }
        merged.extend(first.get(next_one).cloned());
        (at_one, at_two) = (next_one + 1, next_two + 1);
    }
    merged.append(&mut late);
    merged
}

enum Standing {
    Models,
    Persons,
    Outside,
}

fn standing(body: &Body) -> Standing {
    match body {
        Body::Call(_) | Body::Rewind { .. } | Body::Hidden { .. } => Standing::Models,
        Body::Said { by, .. } => match by {
            Speaker::Assistant | Speaker::Thinking | Speaker::Task | Speaker::Summary => Standing::Models,
            Speaker::System | Speaker::Report => Standing::Outside,
        },
        Body::User { .. } | Body::Answer { .. } | Body::Grant { .. } => Standing::Persons,
        Body::Attachment { .. } | Body::Result(_) => Standing::Outside,
    }
}

/// Pairs of places that hold the same item, rising on both sides.
///
/// Items are matched greedily by content: cheap, and what it misses is known to one side only, which is the stricter case.
fn common(one: &[Fingerprint], two: &[Fingerprint]) -> Vec<(usize, usize)> {
    let known: HashSet<&Fingerprint> = one.iter().collect();
    let mut pairs = Vec::new();
    let mut from = 0;
    for (at_two, digest) in two.iter().enumerate().filter(|(_, digest)| known.contains(digest)) {
        let Some(step) = one.get(from..).and_then(|rest| rest.iter().position(|other| other == digest)) else {
            continue;
        };
        pairs.push((from + step, at_two));
        from += step + 1;
    }
    pairs
}
