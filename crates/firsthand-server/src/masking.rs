//! Results of a session without the addresses that carry their own permission.

use std::collections::HashSet;
use std::sync::Arc;

use firsthand::address::{Address, Form};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Item, ToolResult};
use firsthand::note::{Effect, note_and_tell};
use firsthand::reference::Reference;
use firsthand::writer::Writer;
use firsthand_mask::signed::Setting;
use firsthand_mask::store::KEPT;
use firsthand_mask::{Masked, Signed, mask};

use crate::clock::seconds;
use crate::event::{HandedOut, Happened};
use crate::failure::Failure;
use crate::key::random;
use crate::sessions::{Held, Sessions};
use crate::store::Millis;
use crate::tree::Tree;

/// What masking came to.
#[derive(Debug)]
pub struct Done {
    /// The texts, in the order in which they were given.
    pub texts: Vec<Masked>,
    /// The references that can be opened, in the order in which they were made.
    pub references: Vec<String>,
    /// How many of the references can never be opened.
    pub dead: usize,
}

impl Sessions {
    /// Masks a result that is about to be appended, and other texts of the same result alike. References that can be opened
    /// are made for what is the world's word in it; they are durable before this returns.
    pub async fn mask(
        self: &Arc<Self>,
        held: &Held,
        result: ToolResult,
        others: Vec<String>,
        setting: Setting,
    ) -> Result<Done, Failure> {
        let texts: Vec<String> = std::iter::once(result.content.text().to_string()).chain(others).collect();
        if texts.iter().all(|text| mask(text, setting, &mut |_, _| String::new()).by_provider.is_empty()) {
            let texts = texts.into_iter().map(|text| Masked { text, by_provider: Default::default() });
            return Ok(Done { texts: texts.collect(), references: Vec::new(), dead: 0 });
        }
        let (sessions, session) = (Arc::clone(self), held.clone());
        self.happen(held, move |tree, now| sessions.masked(&session, tree, now, &result, &texts, setting)).await
    }

    fn masked(
        &self,
        held: &Held,
        tree: &Tree,
        now: Millis,
        result: &ToolResult,
        texts: &[String],
        setting: Setting,
    ) -> Result<(Vec<Happened>, Done), Failure> {
        let sources = sources(held, tree, result)?;
        let (item, now) = (tree.len(held.id()), seconds(now));
        let mut made = Made { references: Vec::new(), events: Vec::new(), dead: 0, failed: None };
        // One address has one stand-in in all texts.
        let mut given: Vec<(String, String)> = Vec::new();
        let texts = texts.iter().map(|text| {
            mask(text, setting, &mut |address, signed| {
                let identity = address.map(|address| address.identity().to_owned());
                if let Some(known) = given.iter().find(|(known, _)| Some(known) == identity.as_ref()) {
                    return known.1.clone();
                }
                let source = address.filter(|address| !address.is_odd() && sources.contains(address.identity()));
                let stand_in = made.stand_in(self, held.id(), source, signed, item, now);
                given.extend(identity.map(|identity| (identity, stand_in.clone())));
                stand_in
            })
        });
        let texts = texts.collect();
        let Made { references, events, dead, failed } = made;
        match failed {
            Some(failed) => Err(failed),
            None => Ok((events, Done { texts, references, dead })),
        }
    }
}

/// The references that are made.
struct Made {
    references: Vec<String>,
    events: Vec<Happened>,
    dead: usize,
    failed: Option<Failure>,
}

impl Made {
    fn stand_in(
        &mut self,
        sessions: &Sessions,
        session: &str,
        source: Option<&Address>,
        signed: &Signed,
        item: usize,
        now: i64,
    ) -> String {
        let reference = match random() {
            Ok(random) => Reference::of(random),
            Err(error) => {
                self.failed = Some(error.into());
                return String::new();
            }
        };
        let spelling = reference.reveal().to_owned();
        let Some(address) = source else {
            self.dead += 1;
            return spelling;
        };
        let expires = signed.expires.unwrap_or(now.saturating_add(KEPT));
        match sessions.key().seal(session, &reference, expires, address) {
            Ok(sealed) => {
                let reference = spelling.clone();
                self.events.push(Happened::HandedOut(HandedOut { reference, expires, item, sealed }));
                self.references.push(spelling.clone());
            }
            Err(error) => self.failed = Some(error.into()),
        }
        spelling
    }
}

/// What the world would give the session as a source if it read the result now. What a person gave before is none of it
/// where a script only repeats it.
fn sources(held: &Held, tree: &Tree, result: &ToolResult) -> Result<HashSet<String>, Failure> {
    let session = tree.session(held.id()).ok_or(Failure::NotFound)?;
    let mut ledger = tree.ledger().clone();
    let item = Item::new("", Body::Result(result.clone()));
    let mut given = HashSet::new();
    let now = Circumstances::default();
    note_and_tell(&mut ledger, session.run(), &item, session.policy(), &now, false, &mut |seen| {
        if (seen.writer, seen.effect) == (Writer::World, Effect::Source) {
            let address = seen.spelling.and_then(|spelling| Address::written(spelling, Form::Absolute));
            given.extend(address.map(|address| address.identity().to_owned()));
        }
    });
    let addresses = ledger.sources(session.run()).filter_map(|of| Address::written(of, Form::Absolute));
    let there: HashSet<String> = addresses.map(|address| address.identity().to_owned()).collect();
    given.retain(|address| there.contains(address));
    Ok(given)
}
