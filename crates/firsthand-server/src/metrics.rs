//! What the server counts, for Prometheus. No label holds anything of a conversation.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// A decision.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Decision {
    verdict: &'static str,
    reason: String,
    surface: &'static str,
}

/// An answer of a route.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Answer {
    route: String,
    status: u16,
}

/// A route.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Route {
    route: String,
}

/// What the server counts.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    decisions: Family<Decision, Counter>,
    answers: Family<Answer, Counter>,
    latency: Family<Route, Histogram, fn() -> Histogram>,
    items: Counter,
    trees: Gauge,
    bytes: Gauge,
    store_failures: Counter,
    refusals_lost: Counter,
    policy_failed: Gauge<u64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        // From 50 microseconds to 26 seconds.
        let times: fn() -> Histogram = || Histogram::new(exponential_buckets(0.000_05, 2.0, 20));
        let latency = Family::new_with_constructor(times);
        let mut metrics = Self {
            registry: Registry::with_prefix("firsthand"),
            decisions: Family::default(),
            answers: Family::default(),
            latency,
            items: Counter::default(),
            trees: Gauge::default(),
            bytes: Gauge::default(),
            store_failures: Counter::default(),
            refusals_lost: Counter::default(),
            policy_failed: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("decisions", "Decisions by verdict, reason and surface", metrics.decisions.clone());
        registry.register("answers", "Answers by route and status", metrics.answers.clone());
        let help = "Time from the head of a request to its answer";
        registry.register_with_unit("latency", help, Unit::Seconds, metrics.latency.clone());
        registry.register("items", "Items that were appended", metrics.items.clone());
        registry.register("trees", "Trees of sessions in memory", metrics.trees.clone());
        let help = "Bytes of the events of the trees in memory";
        registry.register_with_unit("trees", help, Unit::Bytes, metrics.bytes.clone());
        registry.register(
            "store_failures",
            "Requests that the database did not answer",
            metrics.store_failures.clone(),
        );
        registry.register("refusals_lost", "Lines of refusals that could not be kept", metrics.refusals_lost.clone());
        let help = "1 where the settings could not be read when they were asked for last";
        registry.register("settings_failed", help, metrics.policy_failed.clone());
        metrics
    }
}

impl Metrics {
    /// A decision was made.
    pub fn decided(&self, verdict: &'static str, reason: Option<&str>, surface: &'static str) {
        let reason = reason.unwrap_or_default().to_owned();
        self.decisions.get_or_create(&Decision { verdict, reason, surface }).inc();
    }

    /// A request was answered.
    pub fn answered(&self, route: &str, status: u16, took: Duration) {
        self.answers.get_or_create(&Answer { route: route.to_owned(), status }).inc();
        self.latency.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// Items were appended.
    pub fn appended(&self, items: usize) {
        self.items.inc_by(u64::try_from(items).unwrap_or(u64::MAX));
    }

    /// The database did not answer.
    pub fn store_failed(&self) {
        self.store_failures.inc();
    }

    /// Lines of refusals could not be kept.
    pub fn refusals_lost(&self, lines: usize) {
        self.refusals_lost.inc_by(u64::try_from(lines).unwrap_or(u64::MAX));
    }

    /// Whether the settings could be read when they were asked for last.
    pub fn settings_read(&self, failed: bool) {
        self.policy_failed.set(u64::from(failed));
    }

    /// All counts as Prometheus reads them (OpenMetrics 1.0). `in_memory` is how many trees are there and their bytes.
    pub fn text(&self, in_memory: (usize, usize)) -> String {
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.trees.set(signed(in_memory.0));
        self.bytes.set(signed(in_memory.1));
        let mut text = String::new();
        // Writing to a string does not fail.
        encode(&mut text, &self.registry).unwrap_or_default();
        text
    }
}
