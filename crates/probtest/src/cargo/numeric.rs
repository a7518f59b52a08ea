//! Tests of a mean or of labels inside any `#[test]` function.

use std::fmt::Display;
use std::panic::Location;

use super::budget::Budget;
use super::builder::{environment, fail, seed_of_process};
use super::error::SetupError;
use super::place::Origin;
use super::{records, replay, terminal};
use crate::budget::IntoTime;
use crate::check::Options;
use crate::check::numeric::{self, Measure};
use crate::claim::ClaimError;
use crate::claim::numeric::{FitClaim, MeanClaim, NumericError, Wanted};
use crate::claim::{IntoProbability, Probability};
use crate::report::{Note, NumericReport};
use crate::run::{ExitGuard, Guarded, Observation};
use crate::seed::{RunSeed, TestRng};

/// A test of the mean of a number, inside any `#[test]` function.
///
/// A program whose mean is as wanted fails with probability at most
/// `false_alarm`; one whose mean misses that by `margin` passes with probability
/// at most `epsilon`. The environment counts as for [`crate::Probtest`]:
/// `PROBTEST_EPSILON`, `PROBTEST_SEED`, `PROBTEST_JOBS`, `PROBTEST_REPLAY`,
/// `PROBTEST_FALSE_ALARM`, `PROBTEST_MAX_EXECUTIONS`, `PROBTEST_MAX_TIME`,
/// `PROBTEST_SUITE_MAX_TIME`, `PROBTEST_REPORT`. `PROBTEST_ON_BUDGET` does not: a mean is
/// decided as a whole. The suite's chances are divided over the tests of the attribute
/// alone, and the report says so.
///
/// ```
/// use probtest::Mean;
/// use rand::RngExt;
///
/// Mean::new("a die shows 3.5 on average")
///     .between(1.0, 6.0)
///     .within(3.5, 3.5)
///     .margin(0.5)
///     .check(|rng| rng.random_range(1..=6));
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Mean {
    way: Way,
    between: Option<(f64, f64)>,
    wanted: Vec<Wanted>,
    margin: Option<f64>,
}

/// A test of how often each label comes, inside any `#[test]` function.
///
/// A program with exactly these probabilities fails with probability at most
/// `false_alarm`; one with a label that is off by `distance` passes with
/// probability at most `epsilon`.
///
/// ```
/// use probtest::Fit;
/// use rand::RngExt;
///
/// Fit::new("a fair coin")
///     .label("heads", "1/2")
///     .label("tails", "1/2")
///     .distance(0.1)
///     .check(|rng| if rng.random::<bool>() { "heads" } else { "tails" });
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Fit {
    way: Way,
    labels: Vec<(String, Result<Probability, ClaimError>)>,
    distance: Option<f64>,
}

/// How a test is executed, and its two chances of being wrong.
#[derive(Debug)]
struct Way {
    id: String,
    origin: Origin,
    epsilon: Option<Result<Probability, ClaimError>>,
    false_alarm: Option<Result<Probability, ClaimError>>,
    jobs: Option<usize>,
    seed: Option<RunSeed>,
    budget: Budget,
}

macro_rules! shared_options {
    () => {
        /// Sets the chance of passing a program that must fail; 0.05 by default.
        pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
            self.way.epsilon = Some(epsilon.into_probability());
            self
        }

        /// Sets the chance of failing a program that must pass; 1e-6 by default.
        pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
            self.way.false_alarm = Some(false_alarm.into_probability());
            self
        }

        /// Executes on this many threads; 1 by default. The verdict and all counts
        /// are the same for any number.
        pub fn jobs(mut self, jobs: usize) -> Self {
            self.way.jobs = Some(jobs);
            self
        }

        /// Fixes the run seed of this test, so that it always does the same.
        pub fn seed(mut self, seed: u64) -> Self {
            self.way.seed = Some(RunSeed(seed));
            self
        }

        /// Ends without a verdict, which is a failure, when the claim is not
        /// decided after this many executions.
        pub fn max_executions(mut self, most: u64) -> Self {
            self.way.budget.max_executions = Some(most);
            self
        }

        /// Ends without a verdict, which is a failure, when this much time is over and
        /// the claim is not decided: a `Duration`, or text such as `"30s"`. The report
        /// says what is known by then.
        pub fn max_time(mut self, span: impl IntoTime) -> Self {
            self.way.budget.max_time = Some(span.into_time());
            self
        }
    };
}

impl Mean {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Mean {
            way: Way::new(id.into(), Location::caller().file()),
            between: None,
            wanted: Vec::new(),
            margin: None,
        }
    }

    /// Says the least and the largest number that an execution can return.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.between = Some((low, high));
        self
    }

    /// Wants a mean from `low` to `high`, which may be equal.
    pub fn within(mut self, low: f64, high: f64) -> Self {
        self.wanted.push(Wanted::Within(low, high));
        self
    }

    /// Wants this mean or a higher one.
    pub fn above(mut self, low: f64) -> Self {
        self.wanted.push(Wanted::Above(low));
        self
    }

    /// Wants this mean or a lower one.
    pub fn below(mut self, high: f64) -> Self {
        self.wanted.push(Wanted::Below(high));
        self
    }

    /// Says by how much a mean may miss the claim before it must fail.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = Some(margin);
        self
    }

    shared_options!();

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When the mean misses the claim, an execution panics, the claim could not
    /// be decided, or the claim or the environment makes no sense.
    pub fn check<M: Measure>(self, body: impl Fn(&mut TestRng) -> M + Sync) {
        let measured = |rng: &mut TestRng| body(rng).measure();
        if !self.way.replayed(&measured) {
            tell(self.report(&body));
        }
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    pub fn report<M: Measure>(
        self,
        body: impl Fn(&mut TestRng) -> M + Sync,
    ) -> Result<NumericReport, SetupError> {
        let claim = self.claim()?;
        let _guard = self.way.guard();
        let report = numeric::mean(&claim, self.way.options()?, body)?;
        self.way.finish(report)
    }

    fn claim(&self) -> Result<MeanClaim, SetupError> {
        let lacks = |what| SetupError::Incomplete {
            what,
            given: self.way.id.clone(),
        };
        let between = self.between.ok_or_else(|| lacks("between"))?;
        let margin = self.margin.ok_or_else(|| lacks("margin"))?;
        let claim = match *self.wanted.as_slice() {
            [Wanted::Within(low, high)] => MeanClaim::within(between, (low, high), margin),
            [Wanted::Above(low)] => MeanClaim::above(between, low, margin),
            [Wanted::Below(high)] => MeanClaim::below(between, high, margin),
            _ => return Err(lacks("exactly one of within, above and below")),
        }?;
        let claim = match self.way.epsilon()? {
            Some(epsilon) => claim.epsilon(epsilon)?,
            None => claim,
        };
        Ok(match self.way.false_alarm()? {
            Some(false_alarm) => claim.false_alarm(false_alarm)?,
            None => claim,
        })
    }
}

impl Fit {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Fit {
            way: Way::new(id.into(), Location::caller().file()),
            labels: Vec::new(),
            distance: None,
        }
    }

    /// Lists a label with its probability. Where all of them sum to less than 1,
    /// the rest belongs to all other labels together.
    pub fn label(mut self, label: impl Into<String>, p: impl IntoProbability) -> Self {
        self.labels.push((label.into(), p.into_probability()));
        self
    }

    /// Says how far off the probability of a label may be before it must fail.
    pub fn distance(mut self, distance: f64) -> Self {
        self.distance = Some(distance);
        self
    }

    shared_options!();

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When the labels do not fit, an execution panics, the claim could not be
    /// decided, or the claim or the environment makes no sense.
    pub fn check<L: Display>(self, body: impl Fn(&mut TestRng) -> L + Sync) {
        let labelled = |rng: &mut TestRng| {
            terminal::say(&format!("probtest: returned {}", body(rng)));
            Observation::Passed
        };
        if !self.way.replayed(&labelled) {
            tell(self.report(&body));
        }
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    pub fn report<L: Display>(
        self,
        body: impl Fn(&mut TestRng) -> L + Sync,
    ) -> Result<NumericReport, SetupError> {
        let claim = self.claim()?;
        let _guard = self.way.guard();
        let report = numeric::fit(&claim, self.way.options()?, body)?;
        self.way.finish(report)
    }

    fn claim(&self) -> Result<FitClaim, SetupError> {
        let distance = self.distance.ok_or_else(|| SetupError::Incomplete {
            what: "distance",
            given: self.way.id.clone(),
        })?;
        let mut labels = Vec::new();
        for (label, p) in &self.labels {
            labels.push((label.as_str(), read("the probability of a label", p)?));
        }
        let claim = FitClaim::new(labels, distance)?;
        let claim = match self.way.epsilon()? {
            Some(epsilon) => claim.epsilon(epsilon)?,
            None => claim,
        };
        Ok(match self.way.false_alarm()? {
            Some(false_alarm) => claim.false_alarm(false_alarm)?,
            None => claim,
        })
    }
}

impl Way {
    fn new(id: String, file: &'static str) -> Self {
        Way {
            id,
            origin: Origin { place: None, file },
            epsilon: None,
            false_alarm: None,
            jobs: None,
            seed: None,
            budget: Budget::default(),
        }
    }

    fn epsilon(&self) -> Result<Option<Probability>, SetupError> {
        Ok(match &self.epsilon {
            Some(given) => Some(read("epsilon", given)?),
            None => environment()?.epsilon.clone(),
        })
    }

    fn false_alarm(&self) -> Result<Option<Probability>, SetupError> {
        Ok(match &self.false_alarm {
            Some(given) => Some(read("false_alarm", given)?),
            None => environment()?.false_alarm.clone(),
        })
    }

    /// Executes the one execution that `PROBTEST_REPLAY` names, if it is of this
    /// test, and says whether it did.
    fn replayed(&self, body: &impl Fn(&mut TestRng) -> Observation) -> bool {
        let selection = match environment() {
            Ok(environment) => environment.replay,
            Err(error) => {
                fail(&format!("probtest: error: {error}"), false);
                return true;
            }
        };
        let Some(selection) = selection.filter(|selection| selection.covers(&self.id)) else {
            return false;
        };
        let told = |rng: &mut TestRng| {
            let observation = body(rng);
            if let Observation::Number(number) = &observation {
                terminal::say(&format!("probtest: returned {}", number.0));
            }
            observation
        };
        if let Err(text) = replay::alone(&self.id, selection, 0, told) {
            fail(&text, false);
        }
        true
    }

    fn guard(&self) -> ExitGuard {
        ExitGuard::new(Guarded {
            test: self.id.clone(),
            command: Some(self.origin.invocation().command()),
        })
    }

    fn options(&self) -> Result<Options<'static>, SetupError> {
        let environment = environment()?;
        let replayed = environment.replay.map(|replay| replay.address.seed);
        let fixed = environment.seed.or(self.seed).or(replayed);
        let seed = fixed.unwrap_or_else(seed_of_process);
        let mut options = Options::new(self.id.clone()).seed(seed.0);
        if let Some(jobs) = environment.jobs.or(self.jobs) {
            options = options.jobs(jobs);
        }
        // Not what becomes of a test that is cut: this one is then not decided.
        Ok(self.budget.bound(environment, options)?)
    }

    /// Adds the line to copy and writes the report where it is asked for.
    fn finish(&self, mut report: NumericReport) -> Result<NumericReport, SetupError> {
        let environment = environment()?;
        if !report.passed() {
            let invocation = self.origin.invocation();
            report.replay = Some(match report.address {
                Some(address) => invocation.replay(address, &self.id),
                None if report.time_limit().is_some() => {
                    let executed = report.counts.executed;
                    invocation.rerun_cut(report.seed, executed, &environment.claimed())
                }
                None => invocation.rerun(report.seed),
            });
        }
        if environment.suite_epsilon.is_some() || environment.suite_false_alarm.is_some() {
            report.notes.push(Note::OutsideSuite);
        }
        if let Some(folder) = &environment.report {
            let (accepted, json) = (report.passed(), report.to_json());
            records::write_report(folder, &self.origin, &self.id, accepted, json);
        }
        Ok(report)
    }
}

fn read(
    name: &'static str,
    given: &Result<Probability, ClaimError>,
) -> Result<Probability, NumericError> {
    Ok(given.clone().map_err(|error| error.about(name))?)
}

/// Says what a test is worth, or fails it.
fn tell(result: Result<NumericReport, SetupError>) {
    match result {
        Ok(report) if report.passed() => {
            if report.notes.contains(&Note::NeverDrew) {
                let words = Note::NeverDrew.words();
                terminal::shout(&format!("probtest: warning: {}: {words}", report.test));
            }
            terminal::say(&report.to_string());
        }
        Ok(report) => fail(&report.to_string(), false),
        Err(error) => fail(&format!("probtest: error: {error}"), false),
    }
}
