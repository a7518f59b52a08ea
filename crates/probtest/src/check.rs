//! The stages in a row, for use as a plain function.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::claim::{Claim, ClaimError};
use crate::judge::interval::IntervalError;
use crate::judge::{Counts, Finding, Judge, Limits, Reason, Verdict};
use crate::plan::{Plan, PlanError};
use crate::report::{Note, Remembered, Report, is_large};
use crate::run::{Cancel, Conclusion, Observation, Record, Sink, Work, count, parallel, serial};
use crate::seed::{Replay, RunSeed, SeedError, Stream, TestRng};

/// The most threads that one test may ask for.
pub const MOST_JOBS: usize = 1024;

/// How often an observer hears of progress.
pub(crate) const PROGRESS_EVERY: Duration = Duration::from_millis(100);

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
    pub(crate) test: String,
    pub(crate) seed: Option<RunSeed>,
    pub(crate) jobs: usize,
    pub(crate) limits: Limits,
    pub(crate) own_randomness: bool,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    remembered: Vec<Replay>,
    pub(crate) replay: Option<Replay>,
}

/// How far a test has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The executions that count so far.
    pub executed: u64,
    /// The most executions that there will be.
    pub planned: u64,
    /// The rejections so far.
    pub rejected: u64,
    /// The time since the first execution began.
    pub elapsed: Duration,
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

    pub(crate) fn check(&self) -> Result<(), Error> {
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
        Ok(())
    }
}

/// Says why a test could not be started. Nothing was executed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The claim makes no sense.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The claim has no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A seed or replay address cannot be read.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// A width or a confidence makes no interval.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// One execution estimates nothing.
    #[error(
        "one execution alone estimates and decides nothing\n  given  {0}\n  help   give the seed to execute all of it again, or replay the execution alone with probtest::run"
    )]
    ReplayedEstimate(Replay),
    /// The number of threads is out of range.
    #[error(
        "jobs is {given}, but a test runs on 1 to {MOST_JOBS} threads\n  given  {given}\n  help   leave jobs out for one thread"
    )]
    Jobs {
        /// The number given.
        given: usize,
    },
    /// A limit of zero leaves nothing to execute.
    #[error(
        "{name} is 0, but a test needs at least one\n  given  0\n  help   leave {name} out for no limit of your own"
    )]
    Zero {
        /// The limit.
        name: &'static str,
    },
}

/// Plans, executes and judges a test, and returns the report.
///
/// Prints nothing, reads no environment variable, and does not panic when the
/// body does. The body may return whatever implements [`Conclusion`].
///
/// # Errors
///
/// When the claim has no plan or an option is out of range. That a test was
/// violated or inconclusive is in the report, not an error.
///
/// ```
/// use probtest::{Claim, Options};
/// use rand::RngExt;
///
/// let claim = Claim::detect(0.1, 0.05)?;
/// let report = probtest::run(&claim, Options::new("die").seed(1), |rng| {
///     assert!(rng.random_range(1..=6) < 6);
/// })?;
/// assert!(!report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn run<C: Conclusion>(
    claim: &Claim,
    options: Options<'_>,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Result<Report, Error> {
    let jobs = options.jobs;
    let body = |rng: &mut TestRng| body(rng).conclude();
    carry_out(
        claim,
        options,
        &mut |stream, index| count(stream, index, &mut &body),
        &mut |work, driver| parallel(work, jobs, &body, driver),
    )
}

/// Does the same as [`run`] for a body that keeps state or cannot be shared
/// between threads. It always executes on the calling thread.
///
/// Executions should not influence each other: what one leaves behind, the next
/// one sees, and the promise of the plan is for independent executions.
///
/// # Errors
///
/// As [`run`].
///
/// ```
/// use probtest::{Claim, Options};
///
/// let mut sum = 0;
/// let claim = Claim::detect(0.5, 0.05)?;
/// let report = probtest::run_local(&claim, Options::new("sum"), |rng| {
///     sum += rng.draw_u64() % 2;
/// })?;
/// assert!(report.passed() && sum <= 6);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn run_local<C: Conclusion>(
    claim: &Claim,
    options: Options<'_>,
    mut body: impl FnMut(&mut TestRng) -> C,
) -> Result<Report, Error> {
    // Both closures below need the body, one after the other.
    let body = std::cell::RefCell::new(move |rng: &mut TestRng| body(rng).conclude());
    carry_out(
        claim,
        options,
        &mut |stream, index| count(stream, index, &mut *body.borrow_mut()),
        &mut |work, driver| serial(work, &mut *body.borrow_mut(), driver),
    )
}

fn carry_out(
    claim: &Claim,
    options: Options<'_>,
    one: &mut dyn FnMut(&Stream, u64) -> Record,
    many: &mut dyn FnMut(&Work, &mut Driver<'_>),
) -> Result<Report, Error> {
    options.check()?;
    let plan = Plan::new(claim)?;
    let given = options.replay.map(|address| address.seed).or(options.seed);
    let seed = given.unwrap_or_else(RunSeed::fresh);
    let began = Instant::now();
    let judge = Judge::new(&plan, options.limits);
    let mut report = Report {
        test: options.test,
        verdict: Verdict::Passed,
        counts: judge.counts(),
        plan,
        seed,
        address: None,
        replay: None,
        remembered: Remembered::None,
        notes: Vec::new(),
        elapsed: Duration::ZERO,
    };
    if options.own_randomness {
        report.notes.push(Note::OwnRandomness);
    }
    if let Some(address) = options.replay {
        execute_alone(&mut report, judge, address, one);
        report.elapsed = began.elapsed();
        return Ok(report);
    }
    if !options.own_randomness
        && execute_remembered(&mut report, &options.remembered, &options.cancel, one)
    {
        report.elapsed = began.elapsed();
        return Ok(report);
    }
    let work = Work {
        stream: Stream::new(seed, &report.test),
        indices: 1..=judge.max_executions(),
        stop_at_violation: true,
    };
    let mut driver = Driver {
        judge,
        began,
        cancel: options.cancel,
        progress: options.progress,
        told: began,
    };
    many(&work, &mut driver);
    driver.tell();
    let drew = driver.judge.drew();
    (report.verdict, report.counts) = driver.judge.conclude();
    report.elapsed = began.elapsed();
    if !options.own_randomness {
        report.address = deciding(&report.verdict).map(|index| Replay { seed, index });
        if !drew && report.counts.executed > 1 {
            report.notes.push(Note::NeverDrew);
        }
    }
    if is_large(claim) {
        report.notes.push(Note::LargeP);
    }
    Ok(report)
}

/// Returns the number of the execution that decided alone, if one did.
fn deciding(verdict: &Verdict) -> Option<u64> {
    match verdict {
        Verdict::Violated(Finding::Execution { index, .. })
        | Verdict::Inconclusive(Reason::UnknownOutcome { index, .. }) => Some(*index),
        _ => None,
    }
}

/// Executes one execution and judges it; one that passes decides nothing.
fn execute_alone(
    report: &mut Report,
    mut judge: Judge,
    address: Replay,
    one: &mut dyn FnMut(&Stream, u64) -> Record,
) {
    let index = address.index;
    let record = one(&Stream::new(address.seed, &report.test), index);
    let _ = judge.observe(record);
    (report.verdict, report.counts) = judge.conclude();
    if let Some(index) = deciding(&report.verdict) {
        let seed = address.seed;
        report.address = Some(Replay { seed, index });
    }
    if matches!(
        report.verdict,
        Verdict::Passed
            | Verdict::Violated(Finding::Unseen { .. })
            | Verdict::Inconclusive(Reason::Cancelled | Reason::Budget { .. })
    ) {
        report.verdict = Verdict::Inconclusive(Reason::Replayed { index });
    }
}

/// Executes remembered counterexamples; true when one still violates.
fn execute_remembered(
    report: &mut Report,
    remembered: &[Replay],
    cancel: &Cancel,
    one: &mut dyn FnMut(&Stream, u64) -> Record,
) -> bool {
    let mut mended = Vec::new();
    for &address in remembered {
        if cancel.is_cancelled() {
            break;
        }
        let record = one(&Stream::new(address.seed, &report.test), address.index);
        if let Observation::Violated(violation) = record.observation {
            report.verdict = Verdict::Violated(Finding::Execution {
                index: address.index,
                violation,
            });
            report.counts = Counts {
                planned: report.counts.planned,
                executed: 1,
                violated: 1,
                rejected: record.rejected,
                passed: 0,
            };
            report.address = Some(address);
            report.remembered = Remembered::Again(address);
            return true;
        }
        // An execution that is rejected now, or cannot be carried out, says nothing.
        let passed = matches!(
            record.observation,
            Observation::Passed | Observation::Outcome(_) | Observation::Unlisted
        );
        if passed {
            mended.push(address);
        }
    }
    if !mended.is_empty() {
        report.remembered = Remembered::Mended(mended);
    }
    false
}

/// Puts the judge where the records come out.
struct Driver<'a> {
    judge: Judge,
    began: Instant,
    cancel: Cancel,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    told: Instant,
}

impl Driver<'_> {
    fn tell(&mut self) {
        let counts = self.judge.counts();
        if let Some(observer) = &mut self.progress {
            observer(Progress {
                executed: counts.executed,
                planned: self.judge.max_executions(),
                rejected: counts.rejected,
                elapsed: self.began.elapsed(),
            });
        }
    }
}

impl Sink for Driver<'_> {
    #[inline]
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.judge.observe(record)
    }

    fn tick(&mut self) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        if self.progress.is_some() && self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Instant::now();
            self.tell();
        }
        ControlFlow::Continue(())
    }
}
