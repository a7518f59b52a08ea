//! What does the suite as a whole promise?
//!
//! Each test that passed bounds the chance of missing what its claim names. Of
//! several such chances two things can be said whatever the tests have to do
//! with each other: none is above the largest, and all together they are at
//! most their sum.

use probtest::claim::Probability;
use probtest_facts::Promise as PromiseFacts;

use super::result::{Status, TestResult};
use super::suite::Suite;
use super::words::{DETAILS, one_line, plural, round_up};

/// The label of sentences that are those of a file, and so foreign text.
pub const RUN: &str = "the run";

#[derive(Default)]
pub struct Promise<'a> {
    pub facts: PromiseFacts,
    /// Tests that passed and bound the chance of a miss.
    counted: Vec<&'a TestResult>,
    /// Tests that passed with a claim that this version cannot count.
    uncounted: u64,
    /// Tests that did not pass, or are in doubt.
    left_out: u64,
    /// Estimates, which claim nothing.
    estimated: u64,
    /// Tests with a bound for false alarms, and the sum of these bounds.
    alarming: Vec<&'a TestResult>,
    alarms: f64,
    /// What runs of pytest say about themselves.
    runs: Vec<String>,
}

impl<'a> Promise<'a> {
    pub fn of(suite: &'a Suite) -> Promise<'a> {
        let mut promise = Promise::default();
        for run in &suite.read.suites {
            // Which run it was matters where there are several.
            let package = run.package.as_ref().filter(|_| suite.read.suites.len() > 1);
            let package = package.map(|name| format!("{name}: ")).unwrap_or_default();
            for line in run.words() {
                let line = line.strip_prefix("suite: ").unwrap_or(line);
                promise.runs.push(one_line(&format!("{package}{line}"), DETAILS));
            }
        }
        let (mut misses, mut alarms) = (Vec::new(), Vec::new());
        for test in &suite.tests {
            let result = &test.result;
            if let Some(chance) = result.claim.false_alarm {
                // Each run could have been a false alarm.
                alarms.push(chance * test.runs() as f64);
                promise.alarming.push(result);
            }
            match (result.status, miss(result)) {
                (Status::Estimated, _) => promise.estimated += 1,
                (Status::Passed | Status::WithinBudget, Some(miss)) => {
                    misses.push(miss);
                    promise.counted.push(result);
                }
                (Status::Passed | Status::WithinBudget, None) => promise.uncounted += 1,
                _ => promise.left_out += 1,
            }
        }
        let within = promise.counted.iter().filter(|one| one.status == Status::WithinBudget);
        let sum = misses.iter().sum();
        promise.alarms = alarms.iter().sum();
        promise.facts = PromiseFacts {
            counted: misses.len() as u64,
            within_budget: within.count() as u64,
            miss_one: misses.iter().copied().fold(0.0, f64::max),
            miss_any: f64::min(sum, 1.0),
            missed_on_average: sum,
            false_alarm_any: promise.alarms.min(1.0),
        };
        promise
    }

    /// Whether claims of counted tests are on what they return.
    fn has_numeric(&self) -> bool {
        self.counted.iter().any(|result| result.is_numeric())
    }

    /// Whether counted tests compare two versions.
    fn compares(&self) -> bool {
        self.counted.iter().any(|result| result.compares())
    }

    fn fault(&self) -> String {
        let others =
            self.counted.iter().filter(|result| !result.is_numeric() && !result.compares());
        let p: Vec<Option<&Probability>> = others.map(|result| result.claim.p.as_ref()).collect();
        let rates = || p.iter().copied().flatten();
        let rate = rates().min().zip(rates().max()).map(|(low, high)| match low == high {
            true => format!("a violation probability of {low} or more"),
            false => format!(
                "a violation probability of p or more, with that test's own p (here {low} to {high})"
            ),
        });
        let faults = [
            (p.contains(&None), "a violation in every execution with one of the listed outcomes"),
            (
                self.has_numeric(),
                "a mean or a label that misses its claim by the margin or distance",
            ),
            (self.compares(), "a new version that is worse by the change of its test"),
        ];
        let faults = faults.into_iter().filter(|(is_there, _)| *is_there);
        let faults = rate.into_iter().chain(faults.map(|(_, words)| words.to_owned()));
        faults.collect::<Vec<String>>().join("; or ")
    }

    /// Says it in sentences: a word for each, and the sentence.
    pub fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut said = match self.counted.is_empty() {
            true => vec![(
                "nothing",
                "No test passed with a promise that can be counted, so the suite as a whole promises nothing.".into(),
            )],
            false => self.misses(),
        };
        said.extend(self.runs.iter().map(|line| (RUN, format!("{line}."))));
        if !self.alarming.is_empty() {
            said.push(("false alarms", self.say_false_alarms()));
        }
        if !self.counted.is_empty() {
            let smaller = match (self.has_numeric(), self.compares()) {
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

    fn misses(&self) -> Vec<(&'static str, String)> {
        let PromiseFacts { counted, within_budget: within, .. } = self.facts;
        let (largest, sum) = (round_up(self.facts.miss_one), self.facts.missed_on_average);
        let (tests, it) = (plural(counted, "test"), if counted == 1 { "It" } else { "Each" });
        let fault = self.fault();
        let mut said =
            vec![("looked for", format!("{tests} passed. {it} looks for a fault: {fault}."))];
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
            let missed = if sum < 1.0 {
                format!(
                    "at least one of these faults is missed with probability at most {} (the sum over the tests).",
                    round_up(sum)
                )
            } else {
                let most = (sum * 10.0).ceil() / 10.0;
                format!(
                    "at most {most:.1} of these faults are missed on average. There is no guarantee that all of them are found: with so many tests, give each an epsilon of 0.05 / {counted} to miss any with probability at most 0.05."
                )
            };
            said.push((
                "all faults",
                format!("Whichever of the {counted} programs have such a fault, {missed}"),
            ));
        }
        let not_counted = [
            (self.left_out, "did not pass, or passed in doubt"),
            (self.uncounted, "passed a claim that this version of the report cannot count"),
            (self.estimated, "made an estimate, not a claim"),
        ];
        let not_counted = not_counted.into_iter().filter(|(tests, _)| *tests > 0);
        let not_counted: Vec<String> =
            not_counted.map(|(tests, why)| format!("{} {why}", plural(tests, "test"))).collect();
        if !not_counted.is_empty() {
            said.push(("not counted", format!("{}.", not_counted.join("; "))));
        }
        if within > 0 {
            let they = if within == 1 { "It" } else { "They" };
            said.push((
                "within budget",
                format!(
                    "{within} of them passed although a budget ran out before the plan was finished. {they} achieved less than the claim; the chances above account for that."
                ),
            ));
        }
        said
    }

    fn say_false_alarms(&self) -> String {
        let (tests, sum) = (self.alarming.len() as u64, self.alarms);
        let bound = match sum < 1.0 {
            true => format!("with probability at most {}", round_up(sum)),
            false => format!("at most {sum:.1} times on average"),
        };
        let s = if tests == 1 { "s" } else { "" };
        let results = || self.alarming.iter();
        let (what, so_long, others) = if results().all(|result| result.compares()) {
            (format!("compare{s} two versions"), "no new version is worse than the old one", "")
        } else if results().any(|result| result.compares()) {
            (
                format!(
                    "say{s} which rate, mean or labels a correct program has, or compare two versions"
                ),
                "every program keeps to that and no new version is worse",
                " Other tests fail at any violation, however rare.",
            )
        } else if results().any(|result| result.is_numeric()) {
            (
                format!("say{s} which rate, mean or labels a correct program has"),
                "every program keeps to that",
                " A test that does not say so fails at any violation, however rare.",
            )
        } else {
            (
                format!("say{s} which rate is tolerated"),
                "no program exceeds it",
                " A test without `tolerate` fails at any violation, however rare.",
            )
        };
        let tests = plural(tests, "test");
        format!("{tests} {what}. As long as {so_long}, such a test still fails {bound}.{others}")
    }
}

/// The chance that the test misses what it looks for; none when that is not known.
fn miss(result: &TestResult) -> Option<f64> {
    let (claim, facts) = (&result.claim, &result.facts);
    if !claim.bounds_misses {
        return None;
    }
    if result.status == Status::WithinBudget {
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
