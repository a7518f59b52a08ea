//! One promise, what was found, and whether it is kept.

use probtest::judge::interval::clopper_pearson;

use crate::counting::interval;

/// The chance that simulations speak against a promise that is kept, for each row
/// at most and on each side: what it takes to be called broken.
pub const DOUBT: f64 = 1e-9;

/// How far two computations of the same chance may lie apart, relatively: they add
/// up to some ten thousand rounded terms.
const ROUNDING: f64 = 1e-9;
/// What is lost where one of them is the complement of a chance next to 1.
const CANCELLED: f64 = 1e-12;

/// A promise about a program that is known, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is claimed.
    pub claim: String,
    /// What the program does.
    pub program: String,
    /// Which answer would be wrong.
    pub error: &'static str,
    /// The most often that may happen.
    pub promised: f64,
    /// How often it does.
    pub found: Found,
}

/// How often a wrong answer comes.
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
        /// The chance as computed, where it can be.
        exact: Option<f64>,
    },
}

/// Whether a promise is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against it.
    Kept,
    /// Wrong answers come more often than promised.
    Broken,
    /// Two computations of the same chance differ.
    WaysDiffer,
    /// What was counted does not fit what was computed.
    NotAsComputed,
}

impl Verdict {
    /// The word of the table.
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
    ///
    /// ```
    /// use probtest_studies::calibration::{Found, Row, Verdict};
    ///
    /// let row = |errors| Row {
    ///     claim: String::new(),
    ///     program: String::new(),
    ///     error: "passes",
    ///     promised: 0.05,
    ///     found: Found::Measured { errors, simulations: 10_000, exact: None },
    /// };
    /// // 600 or more of 10 000 come with probability 4e-6 at 0.05, 640 with 3e-10.
    /// assert_eq!((row(600).verdict(), row(640).verdict()), (Verdict::Kept, Verdict::Broken));
    /// ```
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
            Found::Measured {
                errors,
                simulations,
                exact,
            } => {
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

    /// The chance as found: computed, or the share that was counted.
    pub fn value(&self) -> f64 {
        match &self.found {
            Found::Exact(ways) => ways.first().copied().unwrap_or(f64::NAN),
            Found::Measured {
                errors,
                simulations,
                ..
            } => *errors as f64 / *simulations as f64,
        }
    }

    /// The chances that what was counted does not speak against, at 95 %.
    pub fn interval(&self) -> Option<(f64, f64)> {
        match &self.found {
            Found::Exact(_) => None,
            Found::Measured {
                errors,
                simulations,
                ..
            } => Some(interval(*errors, *simulations)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(found: Found) -> Verdict {
        let (claim, program) = (String::new(), String::new());
        Row {
            claim,
            program,
            error: "passes",
            promised: 0.05,
            found,
        }
        .verdict()
    }

    #[test]
    fn a_computed_chance_above_the_promise_breaks_it() {
        assert_eq!(verdict(Found::Exact(vec![0.05])), Verdict::Kept);
        assert_eq!(verdict(Found::Exact(vec![0.050001])), Verdict::Broken);
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
        let counted = |errors| {
            verdict(Found::Measured {
                errors,
                simulations: 10_000,
                exact: Some(0.03),
            })
        };
        assert_eq!(counted(300), Verdict::Kept);
        assert_eq!(counted(180), Verdict::NotAsComputed);
        assert_eq!(counted(430), Verdict::NotAsComputed);
    }
}
