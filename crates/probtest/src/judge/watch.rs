//! What the judges have in common for who feeds them.

use std::ops::ControlFlow;

use super::numeric::NumericJudge;
use super::{Counts, Estimator, Judge};
use crate::budget::TimeLimit;
use crate::run::Record;

/// Something that decides while records come in.
///
/// ```
/// use probtest::judge::confidence::AimedSequence;
/// use probtest::judge::{Estimator, Limits, Watch};
///
/// fn most(watch: &impl Watch) -> u64 {
///     watch.max_executions()
/// }
///
/// let estimator = Estimator::new(AimedSequence::new(0.1, 0.95)?, Limits::default());
/// assert_eq!(most(&estimator), 742);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
pub trait Watch {
    /// Looks at the next record and says whether to go on.
    fn observe(&mut self, record: Record) -> ControlFlow<()>;
    /// Ends the test because its time is over, and says whether to go on: before the
    /// first execution that counts, it does.
    fn time_is_over(&mut self, limit: TimeLimit) -> ControlFlow<()>;
    /// The counts so far.
    fn counts(&self) -> Counts;
    /// The most executions that there will be.
    fn max_executions(&self) -> u64;
}

macro_rules! watching {
    ($($judge:ty),*) => {
        $(impl Watch for $judge {
            #[inline]
            fn observe(&mut self, record: Record) -> ControlFlow<()> {
                <$judge>::observe(self, record)
            }

            fn time_is_over(&mut self, limit: TimeLimit) -> ControlFlow<()> {
                <$judge>::time_is_over(self, limit)
            }

            fn counts(&self) -> Counts {
                <$judge>::counts(self)
            }

            fn max_executions(&self) -> u64 {
                <$judge>::max_executions(self)
            }
        })*
    };
}

watching!(Judge, Estimator, NumericJudge);
