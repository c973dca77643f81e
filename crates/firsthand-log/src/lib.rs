//! What is kept of decisions: a line each, without the address.
//!
//! A line tells an operator what was refused and why, and lets two refusals of one address be recognised. It never holds
//! the address, its path, its query, a header or a body, and of the host no label that only the model may have written.

mod entry;
mod file;

pub use entry::{About, Entry, Surface};
pub use file::{LogFile, Rotation};

use std::fmt;
use std::io;

/// Takes the lines of a log.
pub trait Sink: fmt::Debug + Send + Sync {
    /// Keeps a line. Whoever writes it waits.
    fn keep(&self, entry: &Entry) -> Result<(), LogError>;
}

/// Why a line was not kept. It never holds an address.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The log's file cannot be opened, turned over or written.
    #[error("the log cannot be written: {0}")]
    File(#[from] io::Error),
    /// A sink of the caller's own failed.
    #[error("the log cannot be kept: {0}")]
    Other(String),
}

/// Where the lines of decisions go: to each sink, and to whoever listens to `tracing` events of the target
/// `firsthand::decision`.
#[derive(Debug, Default)]
pub struct Log {
    sinks: Vec<Box<dyn Sink>>,
}

impl Log {
    /// A log that tells only `tracing`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a sink more.
    #[must_use]
    pub fn with(mut self, sink: impl Sink + 'static) -> Self {
        self.sinks.push(Box::new(sink));
        self
    }

    /// Keeps a line. All sinks are told; the first failure is returned.
    pub fn keep(&self, entry: &Entry) -> Result<(), LogError> {
        entry.trace();
        let mut kept = Ok(());
        for sink in &self.sinks {
            kept = kept.and(sink.keep(entry));
        }
        kept
    }
}
