//! What people and operators wrote in a run, as far as it tells whose a credential is.
//!
//! Texts are kept, shared, until somebody asks; then only keyed digests of their runs of letters are looked at. A saved
//! ledger holds the digests alone.

use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};

use super::{Fingerprint, keyed};
use crate::address::fold::unescaped;
use crate::conversation::Text;
use crate::credential::each_run;

/// The runs of letters of the texts of people and operators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Digests of runs, each with the first item that has it.
    kept: HashMap<Fingerprint, u32>,
    waiting: Vec<Waiting>,
}

/// A text that may not have been looked at yet.
#[derive(Clone, Debug)]
struct Waiting {
    item: u32,
    text: Text,
    digests: OnceLock<HashSet<Fingerprint>>,
}

impl Waiting {
    /// Digests of the runs of the text as it stands and with its escapes undone.
    fn digests(&self, key: &[u8; 32]) -> &HashSet<Fingerprint> {
        self.digests.get_or_init(|| {
            let mut digests = HashSet::new();
            let mut note = |run: &str| {
                digests.insert(keyed(key, run));
            };
            each_run(&self.text, &mut note);
            if memchr::memchr3(b'%', b'&', b'\\', self.text.as_bytes()).is_some() {
                each_run(&unescaped(&self.text), &mut note);
            }
            digests
        })
    }
}

impl Given {
    pub(super) fn restored(kept: HashMap<Fingerprint, u32>) -> Self {
        Self { kept, waiting: Vec::new() }
    }

    /// Takes note of a text.
    pub(crate) fn note(&mut self, item: u32, text: &Text) {
        self.waiting.push(Waiting { item, text: Text::clone(text), digests: OnceLock::new() });
    }

    /// Whether some text has the run of this digest.
    pub(super) fn holds(&self, key: &[u8; 32], digest: &Fingerprint) -> bool {
        self.kept.contains_key(digest) || self.waiting.iter().any(|waiting| waiting.digests(key).contains(digest))
    }

    /// Forgets the items from this one on.
    pub(super) fn rewind(&mut self, to: u32) {
        self.kept.retain(|_, item| *item < to);
        self.waiting.retain(|waiting| waiting.item < to);
    }

    /// Keeps digests in the place of the texts.
    pub(super) fn settle(&mut self, key: &[u8; 32]) {
        for waiting in std::mem::take(&mut self.waiting) {
            for digest in waiting.digests(key) {
                self.kept.entry(*digest).or_insert(waiting.item);
            }
        }
    }

    /// The digests, with the item of each. Call [`settle`](Self::settle) first.
    pub(super) fn all(&self) -> impl Iterator<Item = (Fingerprint, u32)> {
        self.kept.iter().map(|(digest, item)| (*digest, *item))
    }
}
