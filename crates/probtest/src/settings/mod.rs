//! Settings: how does a test run, as opposed to what it claims?
//!
//! [`Settings`] go into the machine. [`Given`] collects options from the attribute, builder,
//! marker, flags, variables and ini keys, and knows which of them wins: it is the one place where
//! options become a claim and settings. Nothing here reads a clock or the environment.
//!
//! Next stage: [`crate::plan`].

mod given;
mod suite;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use probtest_syntax::Error;

#[doc(hidden)]
pub use given::{Given, GivenBy};
#[doc(hidden)]
pub use probtest_syntax::options::{
    DEFAULT_CONFIDENCE, DEFAULT_EPSILON, MOST_CONCURRENCY, MOST_JOBS, OPTIONS, OptionKind,
    OptionValue, Spec, Wins, closest, ignored_variables, read_count, suggestion,
};
pub use probtest_syntax::{
    IntoDuration, OnBudget, StartRate, check_duration, duration_text, parse_duration,
};
pub use suite::{Shard, Share, Suite};

use crate::claim::Claim;
use crate::seed::{Address, RunSeed, Tape};

/// How long shrinking may take, unless the test sets it.
const SHRINK_TIME: Duration = Duration::from_secs(2);

/// A time limit that a test has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The duration as you gave it.
    pub duration: Duration,
    /// Whether all tests of the run share this time.
    pub of_suite: bool,
}

/// How far a test has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The executions that count so far.
    pub executed: u64,
    /// The most executions there will be.
    pub planned: u64,
    /// Whether the verdict may come earlier, even without a violation.
    pub may_end_sooner: bool,
    /// The rejections so far.
    pub rejected: u64,
    /// The time since the test started.
    pub elapsed: Duration,
}

/// A switch to end a run from another thread or a signal handler.
///
/// Clones share the switch. The run ends before its next execution, and its verdict is
/// inconclusive; the report shows what ran.
///
/// ```
/// use probtest::settings::Cancel;
///
/// let cancel = Cancel::new();
/// let elsewhere = cancel.clone();
/// elsewhere.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Makes a switch that is off.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Turns the switch on, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the switch is on.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long an attempt waits before its first retry.
const FIRST_BACKOFF: Duration = Duration::from_millis(200);

type Observer<'a> = Box<dyn FnMut(Progress) + 'a>;
/// Hears of each execution that only explains a violation: which one that is and its message, and
/// nothing when it has ended.
pub(crate) type Explaining<'a> = Box<dyn FnMut(Option<(Address, &str)>) + 'a>;
type Clock<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// How to run a test, as opposed to what it claims.
///
/// ```
/// use probtest::{Claim, Settings};
///
/// let mut last = 0;
/// let settings = Settings::new("never four")
///     .seed(7)
///     .progress(|progress| last = progress.executed);
/// let claim = Claim::detect(0.01, 0.02)?;
/// let report = probtest::check(&claim, settings, |rng| rng.draw_u64() != 4)?;
/// assert!(report.passed());
/// assert_eq!(report.counts().executed, 390);
/// assert_eq!(last, 390);
/// # Ok::<(), probtest::Error>(())
/// ```
pub struct Settings<'a> {
    pub(crate) test: String,
    pub(crate) seed: Option<RunSeed>,
    pub(crate) jobs: usize,
    pub(crate) max_executions: Option<u64>,
    pub(crate) max_rejections: Option<u64>,
    pub(crate) on_budget: OnBudget,
    /// Time limits, and what is left of each when the test starts.
    pub(crate) times: Vec<(TimeLimit, Duration)>,
    pub(crate) clock: Option<Clock<'a>>,
    pub(crate) suite: Suite,
    pub(crate) own_randomness: bool,
    pub(crate) strict: bool,
    pub(crate) confirm: bool,
    pub(crate) shrink_time: Duration,
    pub(crate) tape: Option<Tape>,
    pub(crate) unreported_outcomes: bool,
    pub(crate) flags: bool,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Option<Observer<'a>>,
    pub(crate) explaining: Option<Explaining<'a>>,
    pub(crate) remembered: Vec<Address>,
    pub(crate) remembered_tapes: Vec<(Address, Tape)>,
    pub(crate) unchanged: bool,
    pub(crate) replay: Option<Address>,
    pub(crate) decided: Option<Box<dyn FnMut(u64) + 'a>>,
    pub(crate) shard: Option<Shard>,
    pub(crate) batch: u64,
    pub(crate) concurrency: Option<u64>,
    pub(crate) rate: Option<StartRate>,
    pub(crate) backoff: Duration,
    pub(crate) max_unavailable: Option<u64>,
    pub(crate) max_cost: Option<f64>,
    /// What the test cost before its first execution.
    pub(crate) spent: f64,
}

/// Makes the setters that only store a value.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        $(
            $(#[$doc])*
            pub fn $name(mut self, $name: $type) -> Self {
                self.$name = $name.into();
                self
            }
        )*
    };
}

impl<'a> Settings<'a> {
    /// Starts with one thread, a fresh seed and no limits.
    ///
    /// The random streams depend on the test's id: the same seed gives other numbers under another
    /// id.
    pub fn new(test: impl Into<String>) -> Self {
        Settings {
            test: test.into(),
            seed: None,
            jobs: 1,
            max_executions: None,
            max_rejections: None,
            on_budget: OnBudget::Fail,
            times: Vec::new(),
            clock: None,
            suite: Suite::default(),
            own_randomness: false,
            strict: false,
            confirm: true,
            shrink_time: SHRINK_TIME,
            tape: None,
            unreported_outcomes: false,
            flags: false,
            cancel: Cancel::new(),
            progress: None,
            explaining: None,
            remembered: Vec::new(),
            remembered_tapes: Vec::new(),
            unchanged: false,
            replay: None,
            decided: None,
            shard: None,
            batch: 1,
            concurrency: None,
            rate: None,
            backoff: FIRST_BACKOFF,
            max_unavailable: None,
            max_cost: None,
            spent: 0.0,
        }
    }

    /// Fixes the run seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(RunSeed(seed));
        self
    }

    /// Stops after this much time. If the claim isn't decided by then, the verdict is inconclusive.
    ///
    /// The clock is checked between executions: at least one counts, and a running one isn't
    /// stopped. To repeat the same executions, use the same seed and the number of executions in
    /// the report as `max_executions`.
    ///
    /// ```
    /// use probtest::{Claim, Settings};
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// // A clock by which each execution takes a second.
    /// let seconds = Cell::new(0);
    /// let settings = Settings::new("slow")
    ///     .max_time(Duration::from_secs(212))
    ///     .clock(|| Duration::from_secs(seconds.get()));
    /// let claim = Claim::detect(0.01, 0.02)?;
    /// let report = probtest::check_local(&claim, settings, |rng| {
    ///     seconds.set(seconds.get() + 1);
    ///     assert!(rng.draw_u64() != 4);
    /// })?;
    /// assert!(!report.passed());
    /// assert_eq!(report.counts().executed, 212);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn max_time(mut self, duration: Duration) -> Self {
        self.times.push((TimeLimit { duration, of_suite: false }, duration));
        self
    }

    /// Stops in the same way when the time of the whole suite is over, of which `left` remains for
    /// this test. If nothing remains, no execution runs, and the test isn't reached.
    pub fn suite_max_time(mut self, duration: Duration, left: Duration) -> Self {
        self.times.push((TimeLimit { duration, of_suite: true }, left));
        self
    }

    /// Stops when executions have cost this much: after the first execution, in index order, that
    /// brings them there. If the claim isn't decided by then, the verdict is inconclusive. The body
    /// reports what an execution costs, see [`fn@crate::cost`].
    ///
    /// ```
    /// use probtest::{Claim, Settings};
    ///
    /// let settings = Settings::new("dear").max_cost(5.0);
    /// let claim = Claim::detect(0.01, 0.02)?;
    /// let report = probtest::check(&claim, settings, |rng| {
    ///     probtest::cost(0.25);
    ///     assert!(rng.draw_u64() != 4);
    /// })?;
    /// assert_eq!(report.counts().executed, 20);
    /// assert!(!report.passed());
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn max_cost(mut self, max_cost: f64) -> Self {
        self.max_cost = Some(max_cost);
        self
    }

    /// Runs only the executions of one shard. Without a violation the verdict is
    /// [`Partial`](crate::judge::Verdict::Partial); [`merge`](crate::machine::merge) puts the
    /// shards together. You must set a seed, the same for all of them.
    ///
    /// ```
    /// use probtest::{Claim, Settings};
    ///
    /// let claim = Claim::detect(0.01, 0.02)?;
    /// let settings = Settings::new("never four").seed(7).shard("1/3".parse()?);
    /// let report = probtest::check(&claim, settings, |rng| rng.draw_u64() != 4)?;
    /// assert!(!report.passed() && report.accepted());
    /// assert_eq!(report.counts().executed, 132);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    setters! {
        /// Runs on this many threads. Verdict and counts don't depend on it.
        jobs: usize,
        /// Stops after this many executions. If the plan needs more, the verdict is inconclusive.
        max_executions: u64,
        /// Sets what happens if a budget ends the test before its plan is finished: it fails by
        /// default. Claims about what executions return, and estimates, are refused with
        /// [`OnBudget::Pass`], because nothing less than the claim can be achieved.
        on_budget: OnBudget,
        /// Sets the suite that the test is part of. The chances in its claim are lowered to its
        /// share.
        suite: Suite,
        /// Stops as inconclusive after this many rejections; by default ten for each planned
        /// execution, but at least 1000.
        max_rejections: u64,
        /// Lets this many executions of an async body wait at the same time.
        concurrency: u64,
        /// Limits how often executions start, such as `"20/s".parse()?`. Starts are spread evenly.
        /// Retries count, too.
        rate: StartRate,
        /// Sets how long an attempt that failed because of its infrastructure waits before its
        /// first retry. Each further retry waits twice as long, up to 30 seconds.
        backoff: Duration,
        /// Stops as inconclusive if more attempts than this fail because of their infrastructure;
        /// by default one for each planned execution, but at least 100. In any case, it stops if
        /// the same attempt fails more than ten times in a row.
        max_unavailable: u64,
        /// Fails a test that would pass with a doubt: if the doubt is a panic that the body didn't
        /// notice, the test is violated; with any other doubt it is inconclusive.
        ///
        /// ```
        /// use probtest::{Claim, Settings};
        ///
        /// let claim = Claim::detect(0.1, 0.05)?;
        /// let report = probtest::check(&claim, Settings::new("draws nothing"), |_| true)?;
        /// assert!(report.passed() && !report.doubts().is_empty());
        /// let report = probtest::check(&claim, Settings::new("draws nothing").strict(true), |_| true)?;
        /// assert!(!report.passed());
        /// # Ok::<(), probtest::Error>(())
        /// ```
        strict: bool,
        /// Sets whether a violation that decides runs a second time, alone, before it is reported;
        /// by default it does. An execution that doesn't violate again has no replay line and isn't
        /// remembered. Turn it off if an execution costs money.
        ///
        /// ```
        /// use probtest::{Claim, Settings};
        ///
        /// let mut calls = 0;
        /// let claim = Claim::detect(0.1, 0.05)?;
        /// let report = probtest::check_local(&claim, Settings::new("third"), |_| {
        ///     calls += 1;
        ///     calls != 3
        /// })?;
        /// assert_eq!(report.violating_index(), Some(3));
        /// assert_eq!(report.confirmed(), Some(false));
        /// assert_eq!(report.address(), None);
        /// # Ok::<(), probtest::Error>(())
        /// ```
        confirm: bool,
        /// Limits how long probtest looks for a smaller execution with the same violation: fewer
        /// draws that aren't zero, and lower numbers. The default is two seconds. The small
        /// execution is reported below the original one and changes nothing else. With no time at
        /// all, or without `confirm`, this is left out.
        ///
        /// ```
        /// use probtest::{Claim, Settings};
        /// use rand::RngExt;
        ///
        /// let claim = Claim::detect(0.01, 0.05)?;
        /// let report = probtest::check(&claim, Settings::new("walk").seed(7), |rng| {
        ///     let up = (0..20).filter(|_| rng.random::<bool>()).count();
        ///     assert!(up < 15);
        /// })?;
        /// let story = report.story().unwrap();
        /// assert_eq!(story.matter, 15);
        /// # Ok::<(), probtest::Error>(())
        /// ```
        shrink_time: Duration,
        /// Plays a tape in the replayed execution, in place of its own draws.
        tape: Tape,
        /// Stops when this switch is turned on.
        cancel: Cancel,
        /// Runs these executions of earlier runs first. They don't count.
        remembered: Vec<Address>,
        /// Plays these tapes too, each after its remembered execution: if the program draws
        /// differently by now, the small execution may still show what the original no longer does.
        remembered_tapes: Vec<(Address, Tape)>,
        /// Declares that the program is the same in which those executions violated: one that
        /// passes now wasn't fixed, but depends on something other than its seed.
        unchanged: bool,
        /// Runs only this execution. The verdict is never a pass, because one execution isn't the
        /// plan.
        ///
        /// ```
        /// use probtest::{Claim, Settings};
        ///
        /// let claim = Claim::detect(0.1, 0.05)?;
        /// let settings = Settings::new("die").replay("0x5eed:9".parse()?);
        /// let report = probtest::check(&claim, settings, |rng| rng.draw_u64() != 4)?;
        /// assert_eq!(report.counts().executed, 1);
        /// assert!(report.summary().starts_with("probtest: inconclusive"));
        /// # Ok::<(), probtest::Error>(())
        /// ```
        replay: Address,
    }

    /// Counts what a test took before its first execution.
    pub(crate) fn after(mut self, time: Duration, cost: f64) -> Self {
        // A test that began comes to one execution; where nothing was left before, none runs.
        let least = Duration::from_nanos(1);
        for (_, left) in self.times.iter_mut().filter(|(_, left)| *left > least) {
            *left = left.saturating_sub(time).max(least);
        }
        self.spent = cost;
        self
    }

    /// Reads the time from this function instead of the system clock, as the duration since any
    /// fixed moment. Time limits use it.
    pub fn clock(mut self, clock: impl FnMut() -> Duration + 'a) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Declares that the body ignores its random source, so no execution can be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.own_randomness = true;
        self
    }

    /// Declares that the body needn't report the outcomes that its claim lists: it runs as often as
    /// it takes to see them all, and the report says that this wasn't checked. Without this, a test
    /// whose body reports none is inconclusive.
    pub fn unreported_outcomes(mut self) -> Self {
        self.unreported_outcomes = true;
        self
    }

    /// Declares that options are flags, so the report calls them `--max-time` rather than
    /// `max_time`.
    pub fn flags(mut self) -> Self {
        self.flags = true;
        self
    }

    /// Calls an observer about ten times a second, and once at the end.
    pub fn progress(mut self, observer: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(observer));
        self
    }

    /// Calls an observer once it is known that no execution after this one is needed: the moment to
    /// end those that are still running.
    pub fn decided(mut self, observer: impl FnMut(u64) + 'a) -> Self {
        self.decided = Some(Box::new(observer));
        self
    }

    /// Sets how many executions one call runs, so that shards and journals keep them together.
    pub fn batch(mut self, size: u64) -> Self {
        self.batch = size.max(1);
        self
    }

    /// Refuses a claim that lists outcomes for a body whose type can report none.
    pub(crate) fn check_body(&self, claim: &Claim, silent: bool) -> Result<(), Error> {
        match claim.outcomes() {
            Some(outcomes) if silent && !self.unreported_outcomes => Err(Error::new(
                "the claim lists outcomes, but the body returns none",
                format!("outcomes = {outcomes}"),
                "return the number of the outcome from the body, as usize or Option<usize>, or claim a violation probability with p",
            )),
            _ => Ok(()),
        }
    }

    fn without_seed(shard: Shard) -> Error {
        Error::new(
            "a shard has no seed, so its executions would belong to a different run than those of the other shards",
            format!("shard {shard}, no seed"),
            "give all shards the same seed, such as the number of the CI run",
        )
    }

    /// Refuses settings that are invalid, alone or for this claim.
    pub(crate) fn check(&self, claim: &Claim) -> Result<(), Error> {
        if self.jobs == 0 || self.jobs as u64 > MOST_JOBS {
            return Err(Error::new(
                format!("jobs is {}, but a test runs on 1 to {MOST_JOBS} threads", self.jobs),
                self.jobs.to_string(),
                "leave out jobs to use one thread",
            ));
        }
        for (name, value) in [
            ("max_executions", self.max_executions),
            ("max_rejections", self.max_rejections),
            ("max_unavailable", self.max_unavailable),
        ] {
            if value == Some(0) {
                return Err(Error::new(
                    format!("{name} is 0, but a test needs at least one"),
                    "0",
                    format!("leave {name} out to use the default limit"),
                ));
            }
        }
        if let Some(shard) = self.shard {
            if self.seed.is_none() && self.replay.is_none() {
                return Err(Settings::without_seed(shard));
            }
            if claim.epsilon().is_none() && self.max_executions.is_none() {
                return Err(Error::new(
                    "an estimate stops when it has seen enough, and no single shard can know that",
                    format!("shard {shard}, no max_executions"),
                    "add max_executions, the number of executions of all shards together",
                ));
            }
        }
        if let Some(cost) = self.max_cost
            && !(cost.is_finite() && cost > 0.0)
        {
            return Err(Error::new(
                "max_cost is not a number above 0",
                cost.to_string(),
                "write a number such as 5.0, or leave max_cost out",
            ));
        }
        if let Some(most) = self.concurrency
            && !(1..=MOST_CONCURRENCY).contains(&most)
        {
            return Err(Error::new(
                format!(
                    "concurrency is {most}, but a test runs 1 to {MOST_CONCURRENCY} executions at once"
                ),
                most.to_string(),
                "leave out concurrency to run one execution after the other",
            ));
        }
        for (limit, _) in &self.times {
            check_duration(limit.duration).map_err(|error| error.about("max_time"))?;
        }
        if self.on_budget == OnBudget::Pass && !claim.is_achieved_in_part() {
            return Err(Error::new(
                "estimates and claims on a mean or on labels are decided as a whole, so there is no partial result to accept",
                "on_budget = \"pass\"",
                "leave out on_budget; if time or executions run out first, the report says what is known so far",
            ));
        }
        Ok(())
    }
}
