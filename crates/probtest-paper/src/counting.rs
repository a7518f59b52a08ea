//! Counting on several threads, with the same result for any number of them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use probtest::judge::interval::clopper_pearson;

/// Is called after each piece of work, from any thread, and may end the study.
pub type Done<'a> = dyn Fn() -> ControlFlow<()> + Sync + 'a;

/// The confidence of the intervals that are shown.
const CONFIDENCE: f64 = 0.95;

/// Adds up what the pieces with the numbers 1 to `pieces` count. Nothing when
/// `done` ended it before.
///
/// A piece must depend on its number alone.
pub(crate) fn sum(
    pieces: u64,
    jobs: usize,
    done: &Done<'_>,
    piece: impl Fn(u64) -> u64 + Sync,
) -> Option<u64> {
    let (next, counted) = (AtomicU64::new(1), AtomicU64::new(0));
    let stopped = AtomicBool::new(false);
    on_threads(jobs, || {
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > pieces {
                break;
            }
            counted.fetch_add(piece(number), Ordering::Relaxed);
            if done().is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    });
    (!stopped.into_inner()).then(|| counted.into_inner())
}

/// Does the same on several threads, and waits for all.
pub(crate) fn on_threads(jobs: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(&work);
        }
        work();
    });
}

/// The rates that a count does not speak against, at 95 %.
pub(crate) fn interval(counted: u64, of: u64) -> (f64, f64) {
    clopper_pearson(counted, of, CONFIDENCE).expect("something was counted")
}
