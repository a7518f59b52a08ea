//! The words for what all tests of a suite promise together.

use serde_json::{Value, json};

use super::Report;
use super::plan_text::round_up;
use super::text::{Section, plural};
use crate::budget::{Share, Suite};
use crate::claim::Probability;

/// What became of the tests that share an epsilon.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteEpsilon {
    /// The part of each.
    pub share: Share,
    /// How many of them were executed.
    pub executed: u64,
    /// What those that passed within budget would have missed their claims with.
    pub within_budget: Vec<f64>,
    /// How many were executed more than once.
    pub repeated: u64,
}

impl SuiteEpsilon {
    /// The chance that one or more tests pass although their claim is violated, with
    /// what was attained within budget; none when nothing is bounded.
    pub fn bound(&self) -> Option<Probability> {
        if self.repeated > 0 {
            return None;
        }
        if self.within_budget.is_empty() {
            return Some(self.share.total.clone());
        }
        let all = self.share.tests.get() as f64;
        let kept = self.share.total.as_f64() * (all - self.within_budget.len() as f64) / all;
        let sum = kept + self.within_budget.iter().sum::<f64>();
        // Upwards by more than the sum can have rounded.
        Probability::from_f64(sum * (1.0 + 1e-12)).ok()
    }

    /// Says what the suite promises, one sentence a line.
    ///
    /// ```
    /// use probtest::budget::Share;
    /// use probtest::report::SuiteEpsilon;
    ///
    /// let share = Share::new("0.05".parse()?, 12.try_into().unwrap());
    /// let suite = SuiteEpsilon { share, executed: 12, within_budget: vec![], repeated: 0 };
    /// assert_eq!(
    ///     suite.lines(),
    ///     ["suite: 12 tests share epsilon = 0.05, 1/240 or less for each: the probability that one or more of them pass although their claim is violated is at most 0.05"]
    /// );
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn lines(&self) -> Vec<String> {
        let share = &self.share;
        let tests = share.tests.get();
        let mut first = format!("suite: {}", shared(share));
        let within = self.within_budget.len();
        if within == 0 && self.repeated == 0 {
            first.push_str(&format!(": {}", promise(share)));
        }
        let mut lines = vec![first];
        if within > 0 {
            let have = if within == 1 { "it has" } else { "they have" };
            lines.push(format!(
                "suite: {within} of them passed within budget, where {have} attained less"
            ));
        }
        if self.repeated > 0 {
            let were = if self.repeated == 1 { "was" } else { "were" };
            lines.push(format!(
                "suite: {} of them {were} executed more than once; a test that may try again until it passes promises nothing",
                self.repeated
            ));
        }
        if within > 0 || self.repeated > 0 {
            lines.push(match self.bound() {
                Some(bound) => format!(
                    "suite: the probability that one or more of them pass although their claim is violated is at most {}, not {}",
                    round_up(&bound),
                    share.total
                ),
                None => "suite: nothing bounds the probability that one of them passes although its claim is violated".to_owned(),
            });
        }
        if let Some(missing @ 1..) = tests.checked_sub(self.executed) {
            let were = if missing == 1 { "was" } else { "were" };
            lines.push(format!("suite: {missing} of them {were} not executed"));
        }
        lines
    }

    /// Writes the same for programs.
    pub fn to_json(&self) -> Value {
        let mut object = share_json(&self.share);
        object["executed"] = json!(self.executed);
        object["within_budget"] = json!(self.within_budget.len());
        object["repeated"] = json!(self.repeated);
        object["bound"] = json!(self.bound().map(|bound| bound.as_f64()));
        object["words"] = json!(self.lines());
        object
    }
}

impl Report {
    /// Says what a pass means for the suite that the test is part of.
    pub(super) fn suite_facts(&self, section: &mut Section) {
        let Some(share) = &self.suite.epsilon else {
            return;
        };
        if self.passed() {
            section.fact("suite", &format!("{}\n{}", shared(share), promise(share)));
        } else if self.is_within_budget() {
            section.fact(
                "suite",
                &format!("{}; this one has attained less", shared(share)),
            );
        }
    }
}

/// Writes what a test is part of; null when it is part of nothing.
pub(super) fn suite_json(suite: &Suite) -> Value {
    match &suite.epsilon {
        Some(share) => json!({ "epsilon": share_json(share) }),
        None => Value::Null,
    }
}

fn share_json(share: &Share) -> Value {
    json!({
        "total": share.total.as_f64(),
        "total_exact": share.total.to_string(),
        "tests": share.tests.get(),
        "each": share.each.as_f64(),
        "each_exact": share.each.to_string(),
    })
}

fn shared(share: &Share) -> String {
    let tests = share.tests.get();
    let (verb, part) = match tests {
        1 => ("has", String::new()),
        _ => ("share", format!(", {} or less for each", share.each)),
    };
    format!(
        "{} {verb} epsilon = {}{part}",
        plural(tests, "test"),
        share.total
    )
}

fn promise(share: &Share) -> String {
    format!(
        "the probability that one or more of them pass although their claim is violated is at most {}",
        share.total
    )
}
