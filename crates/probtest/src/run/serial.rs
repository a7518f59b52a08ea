//! Executions one after the other, on the calling thread.

use super::execute;
use super::pace::Pace;
use super::{Observation, Sink, Work};
use crate::seed::TestRng;

/// Executes the work on this thread until it ends or the sink says stop.
///
/// The body may keep state and need not be shared between threads.
pub fn serial(
    work: &Work,
    body: &mut impl FnMut(&mut TestRng) -> Observation,
    sink: &mut impl Sink,
) {
    let mut pace = Pace::new();
    let (mut index, last) = (*work.indices.start(), *work.indices.end());
    while index <= last {
        if pace.is_due() && sink.tick().is_break() {
            return;
        }
        let record = execute::count(&work.stream, index, body);
        if sink.record(record).is_break() {
            return;
        }
        index += 1;
    }
}
