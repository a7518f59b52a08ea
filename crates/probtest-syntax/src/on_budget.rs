//! What becomes of a test whose budget ends before its plan.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Says what a test is whose executions or time end before its plan.
///
/// ```
/// use probtest_syntax::OnBudget;
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
    /// achieved. A test that achieved nothing is inconclusive anyway.
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

impl FromStr for OnBudget {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        match word.trim() {
            "pass" => Ok(OnBudget::Pass),
            "fail" => Ok(OnBudget::Fail),
            other => Err(Error::of(
                "on_budget",
                "is neither pass nor fail",
                if other.is_empty() { format!("\"{word}\"") } else { other.to_owned() },
                "write pass to accept what was achieved when a budget ends before the plan; fail is the default",
            )),
        }
    }
}
