//! What becomes of a test whose budget ends before its plan.

use std::fmt;
use std::str::FromStr;

/// Says what a test is whose executions or time end before its plan.
///
/// ```
/// use probtest::OnBudget;
///
/// assert_eq!("pass".parse(), Ok(OnBudget::Pass));
/// assert_eq!(OnBudget::default(), OnBudget::Fail);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBudget {
    /// Inconclusive, which is a failure.
    #[default]
    Fail,
    /// Passed within budget: accepted, and every output says so and what was
    /// attained. A test that attained nothing is inconclusive all the same.
    Pass,
}

impl fmt::Display for OnBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnBudget::Fail => "fail",
            OnBudget::Pass => "pass",
        })
    }
}

/// Says that a word is neither `pass` nor `fail`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "on_budget is neither pass nor fail\n  given  {given}\n  help   write pass to accept what was attained when a budget ends before the plan; fail is the default"
)]
pub struct OnBudgetError {
    /// The word as it was given.
    pub given: String,
}

impl FromStr for OnBudget {
    type Err = OnBudgetError;

    fn from_str(word: &str) -> Result<Self, OnBudgetError> {
        match word.trim() {
            "pass" => Ok(OnBudget::Pass),
            "fail" => Ok(OnBudget::Fail),
            _ => Err(OnBudgetError {
                given: match word.trim() {
                    "" => format!("\"{word}\""),
                    other => other.to_owned(),
                },
            }),
        }
    }
}
