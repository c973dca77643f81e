//! How much is taken.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::store::Millis;

/// How much is taken of one caller, one session and one tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest body of a request, in bytes.
    pub body: usize,
    /// The most entries of one append.
    pub entries: usize,
    /// The most items of a session.
    pub items: usize,
    /// The most bytes of what happened in a tree.
    pub tree: usize,
    /// The most sessions of a tenant.
    pub sessions: u64,
    /// How long a tree is kept after something was appended to it, in milliseconds.
    pub kept: Millis,
    /// How long a question waits for a person, and a yes for its call, in milliseconds.
    pub asks: Millis,
    /// The most questions of a session that wait at once.
    pub waiting: usize,
    /// From how many bytes of events on trees that nobody uses leave memory. A ledger takes some times as much.
    pub memory: usize,
    /// How long the head of a request may take, and each pause in its body.
    pub patience: Duration,
    /// The most requests of one token in a second; none where nobody counts.
    pub rate: Option<NonZeroU32>,
    /// The most shortcuts, and the most documents, of a tenant.
    pub shelf: usize,
}

/// A day in milliseconds.
const DAY: Millis = 24 * 60 * 60 * 1000;

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            entries: 10_000,
            items: 1_000_000,
            tree: 512 << 20,
            sessions: 100_000,
            kept: 30 * DAY,
            asks: 10 * 60 * 1000,
            waiting: 100,
            memory: 256 << 20,
            patience: Duration::from_secs(15),
            rate: None,
            shelf: 10_000,
        }
    }
}
