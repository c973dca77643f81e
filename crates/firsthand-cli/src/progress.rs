//! A bar on standard error, for walks that take longer than a second, on a terminal only.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long a walk may take before it shows that it works.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of a walk.
#[derive(Debug)]
pub(crate) struct Progress {
    total: u64,
    begun: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// The progress of a walk over so many pieces of work. A single piece has none.
    pub(crate) fn over(total: usize) -> Self {
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        Self { total, begun: Instant::now(), wanted: total > 1 && io::stderr().is_terminal(), bar: None }
    }

    /// So many pieces are done.
    pub(crate) fn done(&mut self, pieces: usize) {
        if !self.wanted || (self.bar.is_none() && self.begun.elapsed() < PATIENCE) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(self.total).with_style(style).with_elapsed(self.begun.elapsed())
        });
        bar.set_position(u64::try_from(pieces).unwrap_or(self.total));
    }

    /// Runs what writes to the terminal, with the bar out of the way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
