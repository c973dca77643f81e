//! The log of decisions that did not open, as the database keeps it.

use std::sync::Arc;

use firsthand_log::Entry;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use crate::metrics::Metrics;
use crate::store::{Millis, Refusal, Store};

/// How many lines wait at most. Whoever has one more waits.
const WAITING: usize = 10_000;

/// How many lines are written at once.
const AT_ONCE: usize = 500;

/// Takes lines and writes them, many at once.
#[derive(Debug)]
pub struct Refusals {
    lines: Sender<(String, Refusal)>,
    end: Arc<Notify>,
}

impl Refusals {
    /// Begins to write. The task ends when it is told to and all lines are written.
    pub fn begin(store: Arc<dyn Store>, metrics: Arc<Metrics>) -> (Self, JoinHandle<()>) {
        let (lines, received) = mpsc::channel(WAITING);
        let end = Arc::new(Notify::new());
        (Self { lines, end: Arc::clone(&end) }, tokio::spawn(write(received, store, metrics, end)))
    }

    /// Lines that come now are the last.
    pub fn end(&self) {
        self.end.notify_one();
    }

    /// Keeps the line of a session's decision.
    pub async fn keep(&self, tenant: &str, session: &str, now: Millis, entry: &Entry) {
        let refusal = Refusal {
            time: now,
            session: session.to_owned(),
            reason: entry.reason.unwrap_or_default().to_owned(),
            tool: entry.tool.clone(),
            host: entry.host.clone().unwrap_or_default(),
            line: serde_json::to_string(entry).unwrap_or_default(),
        };
        // The task is gone only while the server ends.
        drop(self.lines.send((tenant.to_owned(), refusal)).await);
    }
}

async fn write(
    mut received: Receiver<(String, Refusal)>,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    end: Arc<Notify>,
) {
    let mut lines = Vec::new();
    loop {
        let count = tokio::select! {
            biased;
            count = received.recv_many(&mut lines, AT_ONCE) => count,
            () = end.notified() => {
                received.close();
                continue;
            }
        };
        if count == 0 {
            break;
        }
        lines.sort_by(|(one, _), (other, _)| one.cmp(other));
        for of_one in lines.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((tenant, _)) = of_one.first() else { continue };
            let refusals: Vec<Refusal> = of_one.iter().map(|(_, refusal)| refusal.clone()).collect();
            if store.log(tenant, &refusals).await.is_err() {
                metrics.refusals_lost(refusals.len());
            }
        }
        lines.clear();
    }
}
