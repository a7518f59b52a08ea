//! What does the suite as a whole promise?
//!
//! Each test that passed bounds the chance of missing what its claim names. Of
//! several such chances two things can be said whatever the tests have to do
//! with each other: none is above the largest, and all together they are at
//! most their sum.

use probtest::claim::Probability;

use super::result::Status;
use super::suite::{Suite, Test};
use super::words::{plural, round_up};

/// The label of sentences that are those of a file, and so foreign text.
pub const RUN: &str = "the run";

pub struct Promise<'a> {
    /// Tests that passed and bound the chance of a miss, each with that chance.
    counted: Vec<(&'a Test, f64)>,
    /// Tests that passed with a claim that this version cannot count.
    uncounted: u64,
    /// Tests that did not pass, or are in doubt.
    left_out: u64,
    /// Estimates, which claim nothing.
    estimated: u64,
    /// Tests with a bound for false alarms, each with that of its results.
    alarming: Vec<(&'a Test, f64)>,
    /// What runs of pytest say about themselves.
    runs: Vec<String>,
}

impl<'a> Promise<'a> {
    pub fn of(suite: &'a Suite) -> Promise<'a> {
        let mut promise = Promise {
            counted: Vec::new(),
            uncounted: 0,
            left_out: 0,
            estimated: 0,
            alarming: Vec::new(),
            runs: suite.promised(),
        };
        for test in &suite.tests {
            if let Some(chance) = test.result.claim.false_alarm {
                // Each run could have been a false alarm.
                let all = chance * test.runs() as f64;
                promise.alarming.push((test, all));
            }
            match (test.result.status, miss(test)) {
                (Status::Estimated, _) => promise.estimated += 1,
                (Status::Passed | Status::WithinBudget, Some(miss)) => {
                    promise.counted.push((test, miss));
                }
                (Status::Passed | Status::WithinBudget, None) => promise.uncounted += 1,
                _ => promise.left_out += 1,
            }
        }
        promise
    }

    /// How many tests passed and bound the chance of a miss.
    pub fn counted(&self) -> u64 {
        self.counted.len() as u64
    }

    /// Those among them that attained less than their claim.
    pub fn within_budget(&self) -> u64 {
        let within = |(test, _): &&(&Test, f64)| test.result.status == Status::WithinBudget;
        self.counted.iter().filter(within).count() as u64
    }

    /// The most likely miss of a single test.
    pub fn largest(&self) -> f64 {
        let misses = self.counted.iter().map(|(_, miss)| *miss);
        misses.fold(0.0, f64::max)
    }

    /// The sum of the chances: bounds that of any miss.
    pub fn sum(&self) -> f64 {
        self.counted.iter().map(|(_, miss)| miss).sum()
    }

    pub fn false_alarms(&self) -> f64 {
        self.alarming.iter().map(|(_, chance)| chance).sum()
    }

    /// The tests that are counted and whose claim is on what they return.
    fn has_numeric(&self) -> bool {
        self.counted.iter().any(|(test, _)| test.result.is_numeric())
    }

    /// Whether some of these tests compare two versions.
    fn compares(tests: &[(&Test, f64)]) -> bool {
        tests.iter().any(|(test, _)| test.result.compares())
    }

    fn fault(&self) -> String {
        let others = self.counted.iter().map(|(test, _)| &test.result);
        let others = others.filter(|result| !result.is_numeric() && !result.compares());
        let p: Vec<Option<&Probability>> = others.map(|result| result.claim.p.as_ref()).collect();
        let rates = || p.iter().copied().flatten();
        let rate = rates().min().zip(rates().max()).map(|(low, high)| {
            if low == high {
                format!("a violation probability of {low} or more")
            } else {
                format!(
                    "a violation probability of p or more, with that test's own p (here {low} to {high})"
                )
            }
        });
        let outcome = "a violation in every execution with one of the listed outcomes";
        let numeric = "a mean or a label that misses its claim by the margin or distance";
        let faults = [
            rate,
            p.contains(&None).then(|| outcome.to_owned()),
            self.has_numeric().then(|| numeric.to_owned()),
            Promise::compares(&self.counted)
                .then(|| "a new version that is worse by the change of its test".to_owned()),
        ];
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        faults.join("; or ")
    }

    /// Says it in sentences: a word for each, and the sentence.
    pub fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        if self.counted.is_empty() {
            said.push((
                "nothing",
                "No test passed with a promise that can be counted, so the suite as a whole promises nothing.".into(),
            ));
        } else {
            self.say_misses(&mut said);
        }
        for line in &self.runs {
            said.push((RUN, format!("{line}.")));
        }
        if !self.alarming.is_empty() {
            said.push(("false alarms", self.say_false_alarms()));
        }
        if !self.counted.is_empty() {
            let smaller = match (self.has_numeric(), Promise::compares(&self.counted)) {
                (false, false) => "rarer than p",
                (true, false) => "rarer than p, or smaller than the margin,",
                (_, true) => "rarer than p, or smaller than the margin or the change,",
            };
            said.push((
                "read it right",
                format!(
                    "These chances are about the method, and assume independent executions. They are not the probability that the programs are correct, and a fault that is {smaller} may well be missed."
                ),
            ));
        }
        said
    }

    fn say_misses(&self, said: &mut Vec<(&'static str, String)>) {
        let (counted, sum, largest) = (self.counted(), self.sum(), round_up(self.largest()));
        said.push((
            "looked for",
            format!(
                "{} passed. {} looks for a fault: {}.",
                plural(counted, "test"),
                if counted == 1 { "It" } else { "Each" },
                self.fault()
            ),
        ));
        if counted == 1 {
            said.push((
                "one fault",
                format!("If the program has that fault, the test still passes with probability at most {largest}."),
            ));
        } else {
            said.push((
                "one fault",
                format!("If one of the programs has the fault that its test looks for, that test still passes with probability at most {largest}. So a suite with such a fault is green with probability at most {largest}."),
            ));
            let most =
                format!("No matter which and how many of the {counted} programs have such a fault");
            said.push((
                "all faults",
                if sum < 1.0 {
                    format!("{most}, at least one of these faults is missed with probability at most {} (the sum over the tests).", round_up(sum))
                } else {
                    format!(
                        "{most}, at most {:.1} of these faults are missed on average. There is no guarantee that all of them are found: with so many tests, give each an epsilon of 0.05 / {counted} to miss any with probability at most 0.05.",
                        (sum * 10.0).ceil() / 10.0
                    )
                },
            ));
        }
        let not_counted = self.not_counted();
        if !not_counted.is_empty() {
            said.push(("not counted", format!("{not_counted}.")));
        }
        let within = self.within_budget();
        if within > 0 {
            let they = if within == 1 { "It" } else { "They" };
            said.push((
                "within budget",
                format!(
                    "{within} of them passed although a limit came before the end of the plan. {they} achieved less than the claim; the chances above account for that."
                ),
            ));
        }
    }

    fn not_counted(&self) -> String {
        let words = [
            (self.left_out, "did not pass, or passed in doubt"),
            (self.uncounted, "passed a claim that this version of the report cannot count"),
            (self.estimated, "made an estimate, not a claim"),
        ];
        let some = words.iter().filter(|(tests, _)| *tests > 0);
        let words: Vec<String> =
            some.map(|(tests, words)| format!("{} {words}", plural(*tests, "test"))).collect();
        words.join("; ")
    }

    fn say_false_alarms(&self) -> String {
        let (tests, sum) = (self.alarming.len() as u64, self.false_alarms());
        let bound = if sum < 1.0 {
            format!("with probability at most {}", round_up(sum))
        } else {
            format!("at most {sum:.1} times on average")
        };
        let (say, compare) = match tests {
            1 => ("says", "compares"),
            _ => ("say", "compare"),
        };
        let tests = plural(tests, "test");
        let mut alarming = self.alarming.iter();
        if alarming.all(|(test, _)| test.result.compares()) {
            return format!(
                "{tests} {compare} two versions. As long as no new version is worse than the old one, such a test still fails {bound}."
            );
        }
        if Promise::compares(&self.alarming) {
            return format!(
                "{tests} {say} which rate, mean or labels a correct program has, or compare two versions. As long as every program keeps to that and no new version is worse, such a test still fails {bound}. Other tests fail at any violation, however rare."
            );
        }
        let mut alarming = self.alarming.iter();
        if alarming.any(|(test, _)| test.result.is_numeric()) {
            return format!(
                "{tests} {say} which rate, mean or labels a correct program has. As long as every program keeps to that, such a test still fails {bound}. A test that does not say so fails at any violation, however rare."
            );
        }
        format!(
            "{tests} {say} which rate is tolerated. As long as no program exceeds it, such a test still fails {bound}. A test without `tolerate` fails at any violation, however rare."
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
