//! What does the suite as a whole promise?
//!
//! Each test that passed bounds the chance of missing what its claim names. Of
//! several such chances two things can be said whatever the tests have to do
//! with each other: none is above the largest, and all together they are at
//! most their sum.

use super::status::Status;
use super::suite::{Suite, Test};
use super::words::{plural, round_up};

/// The label of sentences that are those of a file, and so foreign text.
pub const RUN: &str = "the run";

/// What the tests that passed promise together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Promise {
    /// Tests that passed and bound the chance of a miss.
    pub counted: u64,
    /// Tests that passed with a claim that this version cannot count.
    pub uncounted: u64,
    /// Tests that did not pass, or are in doubt.
    pub left_out: u64,
    /// Estimates, which claim nothing.
    pub estimated: u64,
    /// The most likely miss of a single test.
    pub largest: f64,
    /// The sum: bounds the chance of any miss.
    pub sum: f64,
    /// Those among the counted ones that attained less than their claim.
    pub within_budget: u64,
    /// Tests with a bound for false alarms, and the sum of these bounds.
    pub false_alarms: (u64, f64),
    /// What runs of pytest say about themselves.
    runs: Vec<String>,
    has_numeric: bool,
    alarms_numeric: bool,
    /// The smallest and the largest p, as they are written.
    p: Option<[(f64, String); 2]>,
    has_outcomes: bool,
}

impl Promise {
    /// Computes the promise of a suite.
    pub fn of(suite: &Suite) -> Promise {
        let mut promise = Promise {
            runs: suite.promised(),
            ..Promise::default()
        };
        for test in &suite.tests {
            promise.false_alarm(test);
            if test.result.status == Status::Estimated {
                promise.estimated += 1;
            } else if !matches!(test.result.status, Status::Passed | Status::WithinBudget) {
                promise.left_out += 1;
            } else if let Some(miss) = miss(test) {
                promise.counted += 1;
                promise.within_budget += u64::from(test.result.status == Status::WithinBudget);
                promise.largest = promise.largest.max(miss);
                promise.sum += miss;
                promise.note_p(test);
            } else {
                promise.uncounted += 1;
            }
        }
        promise
    }

    fn false_alarm(&mut self, test: &Test) {
        if let Some(chance) = test.result.claim.false_alarm {
            self.false_alarms.0 += 1;
            self.alarms_numeric |= test.result.is_numeric();
            // Each result could have been a false alarm.
            self.false_alarms.1 += chance * (1 + test.others.len()) as f64;
        }
    }

    fn note_p(&mut self, test: &Test) {
        if test.result.is_numeric() {
            self.has_numeric = true;
            return;
        }
        let Some(p) = &test.result.claim.p else {
            self.has_outcomes = true;
            return;
        };
        let own = (p.as_f64(), p.to_string());
        self.p = Some(match self.p.take() {
            None => [own.clone(), own],
            Some([low, high]) => [
                if own.0 < low.0 { own.clone() } else { low },
                if own.0 > high.0 { own } else { high },
            ],
        });
    }

    /// What the tests look for.
    fn fault(&self) -> String {
        let rate = self.p.as_ref().map(|[low, high]| {
            if low.0 == high.0 {
                format!("a violation probability of {} or more", low.1)
            } else {
                format!(
                    "a violation probability of p or more, with the p of that test (here {} to {})",
                    low.1, high.1
                )
            }
        });
        let outcome = "a violation in every execution with one of the outcomes listed";
        let numeric =
            "a mean or a label that is off by what its claim allows and the margin or distance";
        let faults = [
            rate,
            self.has_outcomes.then(|| outcome.to_owned()),
            self.has_numeric.then(|| numeric.to_owned()),
        ];
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        faults.join("; or ")
    }

    /// Says it in sentences: a word for each, and the sentence.
    pub fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.counted == 0 {
            said.push((
                "nothing",
                "No test passed with a promise that can be counted, so the suite as a whole promises nothing.".into(),
            ));
        } else {
            self.say_misses(&mut said);
        }
        if self.left_out + self.uncounted + self.estimated > 0 && self.counted > 0 {
            said.push(("not counted", self.not_counted()));
        }
        if self.within_budget > 0 {
            let (passed, have) = match self.within_budget {
                1 => ("1 of them passed".to_owned(), "It has"),
                n => (format!("{n} of them passed"), "They have"),
            };
            said.push((
                "within budget",
                format!(
                    "{passed} although a limit ended before the plan. {have} attained less than the claim; the chances above are those of what was attained."
                ),
            ));
        }
        for line in &self.runs {
            said.push((RUN, format!("{line}.")));
        }
        if self.false_alarms.0 > 0 {
            said.push(("false alarms", self.say_false_alarms()));
        }
        if self.counted > 0 {
            said.push((
                "read it right",
                format!(
                    "These are chances of the method, with executions that are independent of each other. They are not the probability that the programs are right, and a fault that is {} may well go unnoticed.",
                    if self.has_numeric { "rarer than p, or smaller than the margin," } else { "rarer than p" }
                ),
            ));
        }
        said
    }

    fn say_misses(&self, said: &mut Vec<(&'static str, String)>) {
        let largest = round_up(self.largest);
        said.push((
            "looked for",
            format!(
                "{} passed. {} looks for a fault: {}.",
                plural(self.counted, "test"),
                if self.counted == 1 { "It" } else { "Each" },
                self.fault()
            ),
        ));
        if self.counted == 1 {
            said.push((
                "one fault",
                format!("If the program has that fault, the test passes all the same with probability at most {largest}."),
            ));
            return;
        }
        said.push((
            "one fault",
            format!("If one of the programs has the fault that its test looks for, that test passes all the same with probability at most {largest}. So a suite with such a fault is green with probability at most {largest}."),
        ));
        let most = format!(
            "Whichever and however many of the {} programs have such a fault",
            self.counted
        );
        said.push((
            "all faults",
            if self.sum < 1.0 {
                format!("{most}, at least one of these faults goes unnoticed with probability at most {} (the sum over the tests).", round_up(self.sum))
            } else {
                format!(
                    "{most}, at most {:.1} of these faults go unnoticed on average. That all of them are noticed is not promised: for so many tests, give each an epsilon of 0.05 / {} to miss any with probability at most 0.05.",
                    (self.sum * 10.0).ceil() / 10.0,
                    self.counted
                )
            },
        ));
    }

    fn not_counted(&self) -> String {
        let mut words = Vec::new();
        if self.left_out > 0 {
            words.push(format!(
                "{} did not pass, or passed in doubt",
                plural(self.left_out, "test")
            ));
        }
        if self.uncounted > 0 {
            words.push(format!(
                "{} passed a claim that this version of the report cannot count",
                plural(self.uncounted, "test")
            ));
        }
        if self.estimated > 0 {
            words.push(format!(
                "{} made no claim but an estimate",
                plural(self.estimated, "test")
            ));
        }
        format!("{}.", words.join("; "))
    }

    fn say_false_alarms(&self) -> String {
        let (tests, sum) = self.false_alarms;
        let bound = if sum < 1.0 {
            format!("with probability at most {}", round_up(sum))
        } else {
            format!("{sum:.1} times on average at most")
        };
        let say = if tests == 1 { "says" } else { "say" };
        if self.alarms_numeric {
            return format!(
                "{} {say} which rate, mean or labels a good program has. As long as every program keeps to that, such a test fails nevertheless {bound}. A test that does not say it fails at any violation, however rare.",
                plural(tests, "test")
            );
        }
        format!(
            "{} {say} which rate is tolerated. As long as no program exceeds it, such a test fails nevertheless {bound}. A test without `tolerate` fails at any violation, however rare.",
            plural(tests, "test")
        )
    }
}

/// The chance that the test misses what it looks for; none when that is not known.
fn miss(test: &Test) -> Option<f64> {
    let (claim, facts) = (&test.result.claim, &test.result.facts);
    if !claim.bounds_misses {
        return None;
    }
    if test.result.status == Status::WithinBudget {
        let miss = facts.attained.as_ref()?.miss;
        return miss.filter(|miss| (0.0..=1.0).contains(miss));
    }
    let epsilon = claim.epsilon.as_ref()?.as_f64();
    // The plan is a little better than epsilon. What is written is the core's own
    // number; a larger one than epsilon would contradict the pass.
    // A chance below every float is written as 0, and is not 0.
    let miss = facts.miss.filter(|miss| *miss > 0.0);
    Some(miss.map_or(epsilon, |miss| miss.min(epsilon)))
}
