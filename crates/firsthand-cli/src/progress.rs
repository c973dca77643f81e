//! A bar on standard error, for walks that take longer than a second, on a terminal only.

use std::fmt::Write;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

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
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {left} left");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            // The bar comes late, so that its own estimate would take all that was done before for the work of a moment.
            let style = style.with_key("left", |state: &ProgressState, out: &mut dyn Write| {
                let left = left(state.elapsed(), state.pos(), state.len().unwrap_or_default());
                // Nobody is left to tell where the terminal itself is gone.
                write!(out, "{left:#}").unwrap_or_default();
            });
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

/// The progress of what comes over the network.
#[derive(Debug)]
pub(crate) struct Transfer {
    begun: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Transfer {
    /// Nothing came yet.
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), wanted: io::stderr().is_terminal(), bar: None }
    }

    /// A piece came.
    pub(crate) fn tell(&mut self, progress: firsthand_fetch::open::Progress) {
        if !self.wanted || (self.bar.is_none() && self.begun.elapsed() < PATIENCE) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {bytes} of {total_bytes}, {bytes_per_sec}");
            ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        bar.set_position(progress.so_far);
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How long the rest takes at the pace so far.
fn left(elapsed: Duration, done: u64, total: u64) -> HumanDuration {
    let rest = total.saturating_sub(done);
    let seconds = u128::from(elapsed.as_secs()).saturating_mul(rest.into()) / u128::from(done.max(1));
    HumanDuration(Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_was_done() {
        let shown = |elapsed, done, total| format!("{:#}", left(Duration::from_secs(elapsed), done, total));
        assert_eq!(shown(10, 100, 400), "30s");
        assert_eq!(shown(600, 1, 7), "60m");
        assert_eq!(shown(5, 0, 0), "0s");
    }
}
