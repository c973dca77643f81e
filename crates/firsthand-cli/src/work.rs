//! Pieces of work done side by side, answered in their order, within bounds of memory.
//!
//! Workers take pieces in order. One starts only while what is at work and what waits to be written stay small: a large
//! piece runs alone, many small ones together. So a walk over any number of files needs the memory of its largest.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, thread};

use crate::fault::{Fault, caught};

/// How much may be at work at a time, in bytes of input, unless a single piece is larger.
const BUDGET: u64 = 8 << 20;

/// How many pieces each worker may be ahead of the one that is written next.
const AHEAD: usize = 16;

/// The stack of a worker, in bytes: that of a main thread.
const STACK: usize = 8 << 20;

struct State<T> {
    next: usize,
    written: usize,
    weight: u64,
    done: std::collections::BTreeMap<usize, Result<T, Fault>>,
    stopped: bool,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // A panic inside a piece is caught before the lock is taken again, so the state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State<T>>) -> MutexGuard<'s, State<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does `count` pieces of work with `jobs` workers and hands each answer to `each`, in order.
///
/// `weigh` says how many bytes a piece reads. A piece that panics gives a [`Fault`] and harms no other. `each` may stop.
pub(crate) fn in_order<T: Send>(
    count: usize,
    jobs: usize,
    weigh: impl Fn(usize) -> u64 + Sync,
    work: impl Fn(usize) -> T + Sync,
    mut each: impl FnMut(usize, Result<T, Fault>) -> ControlFlow<()>,
) -> io::Result<()> {
    let state = State { next: 0, written: 0, weight: 0, done: std::collections::BTreeMap::new(), stopped: false };
    let shared = Shared { state: Mutex::new(state), changed: Condvar::new() };
    let jobs = jobs.min(count).max(1);
    let toil = || {
        while let Some((piece, weight)) = take(&shared, count, jobs, &weigh) {
            let answer = caught(|| work(piece));
            let mut state = shared.lock();
            state.done.insert(piece, answer);
            state.weight -= weight;
            shared.changed.notify_all();
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, toil);
            if let Err(error) = started {
                shared.lock().stopped = true;
                shared.changed.notify_all();
                return Err(error);
            }
        }
        for piece in 0..count {
            let mut state = shared.lock();
            let answer = loop {
                match state.done.remove(&piece) {
                    Some(answer) => break answer,
                    None => state = shared.wait(state),
                }
            };
            state.written = piece + 1;
            drop(state);
            shared.changed.notify_all();
            if each(piece, answer).is_break() {
                break;
            }
        }
        shared.lock().stopped = true;
        shared.changed.notify_all();
        Ok(())
    })
}

/// The next piece, once it may begin; `None` when there is none left.
fn take<T>(shared: &Shared<T>, count: usize, jobs: usize, weigh: &impl Fn(usize) -> u64) -> Option<(usize, u64)> {
    let mut state = shared.lock();
    loop {
        if state.stopped || state.next >= count {
            return None;
        }
        let piece = state.next;
        let weight = weigh(piece);
        let near = piece < state.written + jobs * AHEAD;
        if near && (state.weight == 0 || state.weight.saturating_add(weight) <= BUDGET) {
            state.next += 1;
            state.weight = state.weight.saturating_add(weight);
            return Some((piece, weight));
        }
        state = shared.wait(state);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a panic is the report of a test")]

    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn answers_come_in_order_however_long_each_piece_takes() {
        for jobs in [1, 2, 7] {
            let mut answers = Vec::new();
            let work = |piece: usize| {
                thread::sleep(Duration::from_micros(u64::try_from(piece * 7919 % 300).unwrap()));
                piece
            };
            in_order(
                200,
                jobs,
                |_| 1,
                work,
                |_, answer| {
                    answers.push(answer.unwrap());
                    ControlFlow::Continue(())
                },
            )
            .unwrap();
            assert_eq!(answers, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_piece_that_panics_harms_no_other() {
        crate::fault::keep_panics_quiet();
        let mut faults = Vec::new();
        let work = |piece: usize| if piece == 3 { panic!("on purpose") } else { piece };
        in_order(
            10,
            2,
            |_| 1,
            work,
            |piece, answer| {
                if answer.is_err() {
                    faults.push(piece);
                }
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        assert_eq!(faults, [3]);
    }

    #[test]
    fn large_pieces_run_one_at_a_time() {
        let at_work = AtomicU64::new(0);
        let work = |_| {
            let now = at_work.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(2));
            at_work.fetch_sub(1, Ordering::SeqCst);
            now
        };
        in_order(
            8,
            4,
            |_| BUDGET,
            work,
            |_, answer| {
                assert_eq!(answer.unwrap(), 0);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    }

    #[test]
    fn whoever_reads_may_stop() {
        let mut seen = 0;
        in_order(
            1_000_000,
            2,
            |_| 1,
            |piece| piece,
            |_, _| {
                seen += 1;
                if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
        assert_eq!(seen, 5);
    }
}
