//! How often may executions be rejected, and do those that share an input agree?

use super::TestRun;
use crate::judge::Reason;
use crate::seed::Stream;

/// How often one execution may be rejected and drawn again.
///
/// A test that accepts one execution in 100 gets there by chance with
/// probability 0.99^1000 = 4e-5, one that accepts one in 10 with 2e-46.
pub const REJECTIONS_IN_A_ROW: u64 = 1000;

/// What is said of an execution that comes to another input than those that share it.
const DISAGREES: &str = "executions that share its input disagree on whether that is applicable, so something that the seed does not control decides it; assume on the input alone, or draw what decides from the random source of the test";

/// Whether an execution that comes to this attempt was rejected too often to go on.
pub fn is_too_often(stream: &Stream, attempt: u64) -> bool {
    let (program, input) = stream.parts(attempt);
    program.max(input) >= REJECTIONS_IN_A_ROW
}

impl TestRun<'_> {
    /// Counts what was rejected before this attempt, each input once for all that share it; says
    /// why the test ends where that was too much.
    #[cold]
    pub(super) fn count_rejections(&mut self, index: u64, attempt: u64) -> Option<Reason> {
        let (rejected, input) = match self.stream.inputs() {
            None => (attempt, 0),
            Some(_) => self.stream.parts(attempt),
        };
        self.counts.rejected += rejected;
        let number = self.stream.input_number(index);
        let known = self.rejected_inputs.get(&number).copied();
        match known.or_else(|| self.is_shared_before(index).then_some(0)) {
            Some(known) if known != input => {
                return Some(Reason::Broken { index, message: DISAGREES.into() });
            }
            None if input > 0 => {
                self.counts.rejected += input;
                self.rejected_inputs.insert(number, input);
                self.stream.learn(index, attempt);
            }
            _ => {}
        }
        (self.counts.rejected > self.max_rejections)
            .then_some(Reason::Rejections { allowed: self.max_rejections, in_a_row: false })
    }

    /// Counts the rejected attempts of a test that ends before an execution was judged; says
    /// whether there were any.
    #[cold]
    pub(super) fn count_only_rejected(&mut self) -> bool {
        let rejected = self.sequencer.rejected_first();
        self.counts.rejected += rejected;
        rejected > 0
    }

    /// Whether an execution that was judged before has the same input.
    fn is_shared_before(&self, index: u64) -> bool {
        let Some(inputs) = self.stream.inputs() else {
            return false;
        };
        let mut before = (1..=(index - 1) / inputs).map(|round| index - round * inputs);
        before.any(|index| self.sequencer.owns(index))
    }
}
