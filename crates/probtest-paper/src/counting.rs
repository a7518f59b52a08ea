//! Work on several threads, with the same result for any number of them.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use probtest::judge::interval::clopper_pearson;

/// Called after each piece of work, from any thread. It may end the study, which then returns
/// nothing.
pub type OnPiece<'a> = dyn Fn() -> ControlFlow<()> + Sync + 'a;

const CONFIDENCE: f64 = 0.95;

/// The results of the pieces 1 to `pieces`, in order. A piece must depend only on its number.
pub(crate) fn collect<T: Send>(
    pieces: u64,
    jobs: usize,
    done: &OnPiece<'_>,
    piece: impl Fn(u64) -> T + Sync,
) -> Option<Vec<T>> {
    let next = AtomicU64::new(1);
    let stopped = AtomicBool::new(false);
    let work = || {
        let mut finished = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > pieces {
                break;
            }
            finished.push((number, piece(number)));
            if done().is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
        finished
    };
    let mut finished = std::thread::scope(|scope| {
        let others: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
        let mut finished = work();
        for other in others {
            finished.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        finished
    });
    finished.sort_unstable_by_key(|(number, _)| *number);
    let in_order = finished.into_iter().map(|(_, piece)| piece).collect();
    (!stopped.into_inner()).then_some(in_order)
}

/// The 95 % confidence interval of a rate.
pub(crate) fn interval(counted: u64, of: u64) -> (f64, f64) {
    clopper_pearson(counted, of, CONFIDENCE).expect("something was counted")
}
