//! How to carry out a test.

use std::time::Duration;

use super::Error;
use super::drive::Progress;
use super::timer::Deadline;
use crate::budget::{OnBudget, Suite, TimeLimit, check_time};
use crate::judge::Limits;
use crate::run::Cancel;
use crate::seed::{Replay, RunSeed};

/// The most threads that one test may ask for.
pub const MOST_JOBS: usize = 1024;

/// How to carry out a test, as opposed to what it claims.
///
/// ```
/// use probtest::run::Cancel;
/// use probtest::{Claim, Options};
///
/// let mut last = 0;
/// let options = Options::new("never four")
///     .seed(7)
///     .progress(|progress| last = progress.executed);
/// let claim = Claim::detect(0.01, 0.02)?;
/// let report = probtest::run(&claim, options, |rng| rng.draw_u64() != 4)?;
/// assert!(report.passed());
/// assert_eq!(report.counts.executed, 390);
/// assert_eq!(last, 390);
/// # Ok::<(), probtest::Error>(())
/// ```
pub struct Options<'a> {
    pub(super) test: String,
    pub(super) seed: Option<RunSeed>,
    pub(super) jobs: usize,
    pub(super) limits: Limits,
    pub(super) times: Vec<Deadline>,
    pub(super) clock: Option<Box<dyn FnMut() -> Duration + 'a>>,
    pub(super) suite: Suite,
    pub(super) own_randomness: bool,
    pub(super) cancel: Cancel,
    pub(super) progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    pub(super) remembered: Vec<Replay>,
    pub(super) replay: Option<Replay>,
}

impl<'a> Options<'a> {
    /// Begins with one thread, a fresh seed and no limits.
    ///
    /// The test's id is part of what its streams are derived from: the same seed
    /// under another id gives other numbers.
    pub fn new(test: impl Into<String>) -> Self {
        Options {
            test: test.into(),
            seed: None,
            jobs: 1,
            limits: Limits::default(),
            times: Vec::new(),
            clock: None,
            suite: Suite::default(),
            own_randomness: false,
            cancel: Cancel::new(),
            progress: None,
            remembered: Vec::new(),
            replay: None,
        }
    }

    /// Fixes the run seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(RunSeed(seed));
        self
    }

    /// Executes on this many threads. Verdict and counts do not depend on it.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Ends without a verdict after this many executions, if the plan needs more.
    pub fn max_executions(mut self, most: u64) -> Self {
        self.limits.max_executions = Some(most);
        self
    }

    /// Ends without a verdict when this much time is over and the plan is not.
    ///
    /// The clock is looked at after each execution: at least one counts, and one
    /// that is under way is not stopped. The report has the number of executions;
    /// with the same seed and that number as `max_executions` the same ones are
    /// executed again.
    ///
    /// ```
    /// use probtest::{Claim, Options};
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// // A clock by which each execution takes a second.
    /// let seconds = Cell::new(0);
    /// let options = Options::new("slow")
    ///     .max_time(Duration::from_secs(212))
    ///     .clock(|| Duration::from_secs(seconds.get()));
    /// let claim = Claim::detect(0.01, 0.02)?;
    /// let report = probtest::run_local(&claim, options, |rng| {
    ///     seconds.set(seconds.get() + 1);
    ///     assert!(rng.draw_u64() != 4);
    /// })?;
    /// assert!(!report.passed());
    /// assert_eq!(report.counts.executed, 212);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn max_time(mut self, span: Duration) -> Self {
        let limit = TimeLimit {
            span,
            of_suite: false,
        };
        self.times.push(Deadline { limit, left: span });
        self
    }

    /// Ends in the same way when the time of the whole suite is over: `span` is that
    /// time, and `left` what is left of it for this test.
    pub fn suite_max_time(mut self, span: Duration, left: Duration) -> Self {
        let limit = TimeLimit {
            span,
            of_suite: true,
        };
        self.times.push(Deadline { limit, left });
        self
    }

    /// Says what the test is when the most executions, or the time, end before the
    /// plan: a failure by default. Claims on numbers or labels and estimates are
    /// refused with [`OnBudget::Pass`]: nothing less than them is attained.
    pub fn on_budget(mut self, on_budget: OnBudget) -> Self {
        self.limits.on_budget = on_budget;
        self
    }

    /// Says what the test is part of, for the report. The claim is given as it is to be
    /// tested: see [`crate::budget::Share::limit_epsilon`].
    pub fn suite(mut self, suite: Suite) -> Self {
        self.suite = suite;
        self
    }

    /// Reads the time for `max_time` from this function, as the span since any fixed
    /// moment, and not from the clock of the system.
    pub fn clock(mut self, clock: impl FnMut() -> Duration + 'a) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Ends without a verdict after this many rejections; by default ten for
    /// each planned execution, but at least 1000.
    pub fn max_rejections(mut self, most: u64) -> Self {
        self.limits.max_rejections = Some(most);
        self
    }

    /// Says that the body ignores its source, so that no execution can be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.own_randomness = true;
        self
    }

    /// Stops when this switch is turned on.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Calls an observer about ten times a second, and once at the end.
    pub fn progress(mut self, observer: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(observer));
        self
    }

    /// Executes these executions of earlier runs first. They do not count.
    pub fn remembered(mut self, remembered: Vec<Replay>) -> Self {
        self.remembered = remembered;
        self
    }

    /// Executes this one execution alone. The verdict is never a pass: one
    /// execution is not the plan.
    ///
    /// ```
    /// use probtest::{Claim, Options};
    ///
    /// let claim = Claim::detect(0.1, 0.05)?;
    /// let options = Options::new("die").replay("0x5eed:9".parse()?);
    /// let report = probtest::run(&claim, options, |rng| rng.draw_u64() != 4)?;
    /// assert_eq!(report.counts.executed, 1);
    /// assert!(report.summary().starts_with("probtest: inconclusive"));
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn replay(mut self, address: Replay) -> Self {
        self.replay = Some(address);
        self
    }

    /// Checks the options of a test that ends when it knows enough: it decides all of
    /// its claim or none of it, and one execution alone decides nothing.
    pub(super) fn check_all_or_nothing(&self) -> Result<(), Error> {
        self.check()?;
        if self.limits.on_budget == OnBudget::Pass {
            return Err(Error::OnBudget);
        }
        self.replay
            .map_or(Ok(()), |address| Err(Error::Alone(address)))
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if self.jobs == 0 || self.jobs > MOST_JOBS {
            return Err(Error::Jobs { given: self.jobs });
        }
        for (name, value) in [
            ("max_executions", self.limits.max_executions),
            ("max_rejections", self.limits.max_rejections),
        ] {
            if value == Some(0) {
                return Err(Error::Zero { name });
            }
        }
        for Deadline { limit, .. } in &self.times {
            check_time(limit.span)?;
        }
        Ok(())
    }
}
