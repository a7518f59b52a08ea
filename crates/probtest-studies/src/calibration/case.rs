//! A question to be answered: computed at once, or simulated many times.

use super::{Done, Found, Row};
use crate::counting;

/// Simulations between two looks at whether to go on.
const PIECE: u64 = 50;

/// How much is simulated: a part of what the table asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The simulations of the table are divided by this.
    pub divisor: u64,
}

impl Effort {
    /// What the table of the documents is made with.
    pub const FULL: Effort = Effort { divisor: 1 };
    /// Enough to see that everything works, in seconds.
    pub const QUICK: Effort = Effort { divisor: 500 };
}

/// Promises of one kind.
pub struct Section {
    /// What the promises are about.
    pub title: &'static str,
    /// What stands above the table.
    pub about: &'static str,
    /// The promises.
    pub cases: Vec<Case>,
}

/// A promise about a program that is known.
pub struct Case {
    claim: String,
    program: String,
    error: &'static str,
    promised: f64,
    how: How,
}

enum How {
    Compute(Box<dyn Fn() -> Vec<f64> + Send + Sync>),
    Simulate {
        simulations: u64,
        /// The chance that the count has to fit, where it can be computed.
        exact: Option<Box<dyn Fn() -> f64 + Send + Sync>>,
        /// Whether the simulation with this number gives the wrong answer.
        wrong: Box<dyn Fn(u64) -> bool + Send + Sync>,
    },
}

impl Case {
    /// A chance that is computed, in one or more ways that must agree.
    pub(super) fn computed(
        (claim, program): (String, String),
        (error, promised): (&'static str, f64),
        ways: impl Fn() -> Vec<f64> + Send + Sync + 'static,
    ) -> Case {
        Case {
            claim,
            program,
            error,
            promised,
            how: How::Compute(Box::new(ways)),
        }
    }

    /// A chance that is counted. `wrong` must depend on the number of the
    /// simulation alone, which is from 1.
    pub(super) fn simulated(
        (claim, program): (String, String),
        (error, promised): (&'static str, f64),
        simulations: u64,
        wrong: impl Fn(u64) -> bool + Send + Sync + 'static,
    ) -> Case {
        Case {
            claim,
            program,
            error,
            promised,
            how: How::Simulate {
                simulations,
                exact: None,
                wrong: Box::new(wrong),
            },
        }
    }

    /// Says which chance the count has to fit.
    pub(super) fn with_exact(mut self, chance: impl Fn() -> f64 + Send + Sync + 'static) -> Case {
        if let How::Simulate { exact, .. } = &mut self.how {
            *exact = Some(Box::new(chance));
        }
        self
    }

    /// Says whether the chance is computed and not counted.
    pub fn is_exact(&self) -> bool {
        matches!(self.how, How::Compute(_))
    }

    /// How many pieces of work there are, for who shows progress.
    pub fn pieces(&self, effort: Effort) -> u64 {
        match &self.how {
            How::Compute(_) => 1,
            How::Simulate { simulations, .. } => pieces(*simulations, effort),
        }
    }

    /// Answers the question, on `jobs` threads; the answer does not depend on how
    /// many. Nothing when `done` ended it before.
    pub fn answer(&self, effort: Effort, jobs: usize, done: &Done<'_>) -> Option<Row> {
        let found = match &self.how {
            How::Compute(ways) => {
                let ways = ways();
                if done().is_break() {
                    return None;
                }
                Found::Exact(ways)
            }
            How::Simulate {
                simulations,
                exact,
                wrong,
            } => {
                let pieces = pieces(*simulations, effort);
                let errors = counting::sum(pieces, jobs, done, |piece| {
                    let first = (piece - 1) * PIECE + 1;
                    let numbers = first..first + PIECE;
                    numbers.filter(|number| wrong(*number)).count() as u64
                })?;
                Found::Measured {
                    errors,
                    simulations: pieces * PIECE,
                    exact: exact.as_ref().map(|chance| chance()),
                }
            }
        };
        Some(Row {
            claim: self.claim.clone(),
            program: self.program.clone(),
            error: self.error,
            promised: self.promised,
            found,
        })
    }
}

fn pieces(simulations: u64, effort: Effort) -> u64 {
    (simulations / effort.divisor.max(1)).div_ceil(PIECE).max(1)
}
