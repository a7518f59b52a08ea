//! A promise about a known program: the question, the answer, and whether it is kept.
//!
//! A chance is computed directly, or counted over many simulations.

use std::sync::atomic::{AtomicU64, Ordering};

use probtest::judge::interval::clopper_pearson;

/// Simulations in one piece of work.
const PIECE: u64 = 50;

/// The chance, for each row and on each side, that simulations contradict a promise that is kept:
/// what it takes to call it broken.
pub const DOUBT: f64 = 1e-9;

/// The confidence of the displayed intervals.
const CONFIDENCE: f64 = 0.95;

/// How much two computations of the same chance may differ, relatively: they add up tens of
/// thousands of rounded terms.
const ROUNDING: f64 = 1e-9;
/// The precision lost if one of them is the complement of a chance close to 1.
const CANCELLED: f64 = 1e-12;

/// How much to simulate: a fraction of what the table requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The simulations in the table are divided by this.
    pub divisor: u64,
}

impl Effort {
    /// The effort for the documented table.
    pub const FULL: Effort = Effort { divisor: 1 };
    /// Enough to see that everything works, in seconds.
    pub const QUICK: Effort = Effort { divisor: 500 };
}

/// Promises of one kind.
pub struct Section {
    /// What the promises are about.
    pub title: &'static str,
    /// The text above the table.
    pub about: &'static str,
    /// The promises.
    pub cases: Vec<Case>,
}

/// A promise about a known program.
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
        /// The chance that the count must fit, if it can be computed.
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
        Case { claim, program, error, promised, how: How::Compute(Box::new(ways)) }
    }

    /// A chance that is counted. `wrong` must depend only on the number of the simulation, from 1.
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
            how: How::Simulate { simulations, exact: None, wrong: Box::new(wrong) },
        }
    }

    /// Sets the chance that the count must fit.
    pub(super) fn with_exact(mut self, chance: impl Fn() -> f64 + Send + Sync + 'static) -> Case {
        if let How::Simulate { exact, .. } = &mut self.how {
            *exact = Some(Box::new(chance));
        }
        self
    }

    /// The cells of its row that are known before it is answered.
    pub fn beginning(&self) -> String {
        super::page::beginning(&self.claim, &self.program, self.error, self.promised)
    }

    /// Whether the chance is computed rather than counted.
    pub fn is_exact(&self) -> bool {
        matches!(self.how, How::Compute(_))
    }

    /// How many pieces of work there are, to show progress.
    pub fn pieces(&self, effort: Effort) -> u64 {
        match &self.how {
            How::Compute(_) => 1,
            How::Simulate { simulations, .. } => pieces(*simulations, effort),
        }
    }

    /// Answers the question on `jobs` threads; the answer doesn't depend on how many. Calls `done`
    /// after each piece of work.
    pub fn answer(&self, effort: Effort, jobs: usize, done: &(dyn Fn() + Sync)) -> Row {
        let found = match &self.how {
            How::Compute(ways) => {
                let ways = ways();
                done();
                Found::Exact(ways)
            }
            How::Simulate { simulations, exact, wrong } => {
                let pieces = pieces(*simulations, effort);
                let (next, errors) = (AtomicU64::new(0), AtomicU64::new(0));
                let work = || {
                    loop {
                        let piece = next.fetch_add(1, Ordering::Relaxed);
                        if piece >= pieces {
                            break;
                        }
                        let numbers = piece * PIECE + 1..=(piece + 1) * PIECE;
                        let wrong = numbers.filter(|number| wrong(*number)).count() as u64;
                        errors.fetch_add(wrong, Ordering::Relaxed);
                        done();
                    }
                };
                std::thread::scope(|scope| {
                    (0..jobs).for_each(|_| {
                        scope.spawn(work);
                    });
                });
                Found::Measured {
                    errors: errors.into_inner(),
                    simulations: pieces * PIECE,
                    exact: exact.as_ref().map(|chance| chance()),
                }
            }
        };
        Row {
            claim: self.claim.clone(),
            program: self.program.clone(),
            error: self.error,
            promised: self.promised,
            found,
        }
    }
}

fn pieces(simulations: u64, effort: Effort) -> u64 {
    (simulations / effort.divisor.max(1)).div_ceil(PIECE).max(1)
}

/// A promise about a known program, and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is claimed.
    pub claim: String,
    /// What the program does.
    pub program: String,
    /// Which answer would be wrong.
    pub error: &'static str,
    /// How often it may happen at most.
    pub promised: f64,
    /// How often it happens.
    pub found: Found,
}

/// How often a wrong answer occurs.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Computed, in several ways that must agree. The first one is shown.
    Exact(Vec<f64>),
    /// Counted.
    Measured {
        /// The simulations with a wrong answer.
        errors: u64,
        /// All simulations.
        simulations: u64,
        /// The computed chance, if there is one.
        exact: Option<f64>,
    },
}

/// Whether a promise is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing contradicts it.
    Kept,
    /// Wrong answers occur more often than promised.
    Broken,
    /// Two computations of the same chance differ.
    WaysDiffer,
    /// The count doesn't fit the computed chance.
    NotAsComputed,
}

impl Verdict {
    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Kept => "kept",
            Verdict::Broken => "BROKEN",
            Verdict::WaysDiffer => "BROKEN: the ways to compute it differ",
            Verdict::NotAsComputed => "BROKEN: the count does not fit the computed chance",
        }
    }
}

impl Row {
    /// Decides whether the promise is kept.
    pub fn verdict(&self) -> Verdict {
        match &self.found {
            Found::Exact(ways) => {
                let value = ways.first().copied().unwrap_or(f64::NAN);
                let agree = |other: &f64| (other - value).abs() <= ROUNDING * value + CANCELLED;
                if !ways.iter().all(agree) {
                    Verdict::WaysDiffer
                } else if value <= self.promised * (1.0 + ROUNDING) {
                    Verdict::Kept
                } else {
                    Verdict::Broken
                }
            }
            Found::Measured { errors, simulations, exact } => {
                let (low, high) = clopper_pearson(*errors, *simulations, 1.0 - 2.0 * DOUBT)
                    .expect("something was simulated");
                let fits = |exact: f64| {
                    let slack = ROUNDING * exact + CANCELLED;
                    low <= exact + slack && exact <= high + slack
                };
                if low > self.promised {
                    Verdict::Broken
                } else if exact.is_some_and(|exact| !fits(exact)) {
                    Verdict::NotAsComputed
                } else {
                    Verdict::Kept
                }
            }
        }
    }

    /// The chance found: computed, or the counted share.
    pub fn value(&self) -> f64 {
        match &self.found {
            Found::Exact(ways) => ways.first().copied().unwrap_or(f64::NAN),
            Found::Measured { errors, simulations, .. } => *errors as f64 / *simulations as f64,
        }
    }

    /// The chances that fit the count, at 95 %.
    pub fn interval(&self) -> Option<(f64, f64)> {
        match &self.found {
            Found::Exact(_) => None,
            Found::Measured { errors, simulations, .. } => {
                clopper_pearson(*errors, *simulations, CONFIDENCE).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(found: Found) -> Verdict {
        let (claim, program) = (String::new(), String::new());
        Row { claim, program, error: "passes", promised: 0.05, found }.verdict()
    }

    #[test]
    fn a_computed_chance_above_the_promise_breaks_it() {
        assert_eq!(verdict(Found::Exact(vec![0.05])), Verdict::Kept);
        assert_eq!(verdict(Found::Exact(vec![0.050001])), Verdict::Broken);
    }

    /// At 0.05, 600 or more of 10 000 have probability 4e-6, and 640 or more 3e-10.
    #[test]
    fn a_count_breaks_a_promise_when_chance_does_not_explain_it() {
        let counted =
            |errors| verdict(Found::Measured { errors, simulations: 10_000, exact: None });
        assert_eq!(counted(600), Verdict::Kept);
        assert_eq!(counted(640), Verdict::Broken);
    }

    #[test]
    fn ways_that_differ_are_never_a_kept_promise() {
        let ways = vec![0.04, 0.04 + 1e-8];
        assert_eq!(verdict(Found::Exact(ways)), Verdict::WaysDiffer);
        assert_eq!(verdict(Found::Exact(vec![f64::NAN])), Verdict::WaysDiffer);
        assert_eq!(verdict(Found::Exact(vec![])), Verdict::Broken);
    }

    #[test]
    fn a_count_far_from_the_computed_chance_is_noticed_on_both_sides() {
        let counted =
            |errors| verdict(Found::Measured { errors, simulations: 10_000, exact: Some(0.03) });
        assert_eq!(counted(300), Verdict::Kept);
        assert_eq!(counted(180), Verdict::NotAsComputed);
        assert_eq!(counted(430), Verdict::NotAsComputed);
    }
}
