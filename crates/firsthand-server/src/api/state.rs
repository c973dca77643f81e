//! What all routes share.

use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};

use firsthand_log::Log;
use firsthand_wire::answer;
use governor::DefaultKeyedRateLimiter;

use super::problem::Problem;
use crate::clock;
use crate::decide::Decided;
use crate::failure::Failure;
use crate::leave::WayOut;
use crate::metrics::Metrics;
use crate::refusals::Refusals;
use crate::sessions::{Held, Sessions};
use crate::token::{Caller, Tokens};

/// What all routes share.
#[derive(Clone, Debug)]
pub struct State(Arc<Shared>);

/// What all routes share.
#[derive(Debug)]
pub struct Shared {
    /// Sessions.
    pub sessions: Arc<Sessions>,
    /// Who may.
    pub tokens: Tokens,
    /// The log of what did not open.
    pub refusals: Refusals,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// How requests leave.
    pub way: WayOut,
    /// How often each token may ask; nobody counts where there is none.
    pub rate: Option<DefaultKeyedRateLimiter<String>>,
    /// The server ends: it is ready for nothing new.
    pub ending: AtomicBool,
    /// The policy of sessions that name none.
    pub policy: RwLock<Option<String>>,
}

impl State {
    /// Shares.
    pub fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// A session of the caller, with all that is durable of it.
    pub(super) async fn held(&self, caller: &Caller, id: &str) -> Result<Held, Problem> {
        self.sessions.held(&caller.tenant, id).await.map_err(|failure| self.problem(failure))
    }

    /// A failure as a problem, counted.
    pub(super) fn problem(&self, failure: Failure) -> Problem {
        if let Failure::Store(error) = &failure {
            self.metrics.store_failed();
            // It says nothing of what is kept.
            tracing::error!(target: "firsthand::store", %error, "the database gives no answer");
        }
        failure.into()
    }

    /// Counts a decision, and keeps its line where the call stays closed.
    pub(super) async fn decided(&self, caller: &Caller, held: &Held, decided: &Decided, surface: &'static str) {
        let verdict = match decided.answer.verdict {
            answer::Verdict::Open => "open",
            answer::Verdict::Ask => "ask",
            answer::Verdict::Refuse | answer::Verdict::Unobservable => "refuse",
        };
        self.metrics.decided(verdict, decided.answer.reason.as_deref(), surface);
        if let Some(entry) = &decided.line {
            // Whoever listens to `tracing` is told the same line.
            Log::new().keep(entry).unwrap_or_default();
            self.refusals.keep(&caller.tenant, held.id(), clock::now(), entry).await;
        }
    }
}

impl Deref for State {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
