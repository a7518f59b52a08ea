//! The machine in the middle: a test from its first execution to its report.
//!
//! ```text
//! TestRun::begin(claim, settings)      knows the claim, the plan, the seed, budgets, what is remembered or replayed
//!   next()    -> the attempt to make next, or a range of executions, or wait, or done
//!   observe() <- what an attempt did, in any order, perhaps twice; judged in index order
//!   finish()  -> the report
//! ```
//!
//! Only the machine decides what runs next and when to stop. An [`Executor`] answers `next` with
//! `observe` and decides nothing. Nothing here calls user code or prints.
//!
//! Next: [`crate::cargo`], the front door for tests.

#[cfg(feature = "tokio")]
mod at_once;
mod handing;
mod input_shrinker;
mod journal;
mod ledger;
#[cfg(feature = "tools")]
mod merging;
#[cfg(feature = "tools")]
mod past;
mod sequencer;
mod shrinker;
mod test_run;
mod threads;
mod timing;

#[cfg(feature = "tokio")]
pub(crate) use at_once::on_a_runtime;
#[cfg(feature = "tokio")]
pub use at_once::{AsyncBody, AtOnce};
pub use handing::{Attempt, Chunks, Flow, Next, Range, RangeRecord};
#[doc(hidden)]
pub use journal::code_key;
pub(crate) use journal::file_name;
pub use journal::{JOURNAL, Journal};
#[cfg(feature = "tools")]
pub(crate) use ledger::{read_line, write_line};
#[cfg(feature = "tools")]
pub use merging::{ShardFacts, merge};
#[cfg(feature = "tools")]
pub use past::{PastRun, evidence};
pub use test_run::{REJECTIONS_IN_A_ROW, TestRun, is_too_often};
pub use threads::{Serial, Threads};

use std::time::Duration;

use crate::claim::{Error, Terms};
use crate::report::Report;
use crate::run::Conclusion;
use crate::seed::TestRng;
use crate::settings::Settings;

/// How often to ask the run while nothing happens.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Runs executions: answers [`TestRun::next`] with [`TestRun::observe`] until the run is done.
///
/// ```
/// use probtest::machine::{Executor, Next, TestRun};
/// use probtest::run::Observation;
/// use probtest::{Claim, Settings};
///
/// /// Makes executions that all pass.
/// struct Passing;
///
/// impl Executor for Passing {
///     fn execute(&mut self, run: &mut TestRun<'_>) {
///         while let Next::Attempt(attempt) = run.next() {
///             run.observe(attempt.did(Observation::Passed, true));
///         }
///     }
/// }
///
/// let mut run = TestRun::begin(&Claim::detect(0.5, 0.05)?, Settings::new("coin"))?;
/// Passing.execute(&mut run);
/// assert_eq!(run.finish().counts().executed, 6);
/// # Ok::<(), probtest::Error>(())
/// ```
pub trait Executor {
    /// Runs executions until the run is done.
    fn execute(&mut self, run: &mut TestRun<'_>);
}

/// A body that several threads may call.
pub type SharedBody<'a> = &'a (dyn Fn(&mut TestRng) -> crate::run::Observation + Sync);

/// Plans, runs and judges a test, and returns the report.
///
/// It prints nothing, reads no environment variable, and doesn't panic when the body does. The body
/// returns what the claim is about: see [`Conclusion`].
///
/// # Errors
/// When the claim is invalid or has no plan, or a setting is out of range. A violated or
/// inconclusive test isn't an error: the report says so.
///
/// ```
/// use probtest::{Claim, Settings};
/// use rand::RngExt;
///
/// let claim = Claim::detect(0.1, 0.05)?;
/// let report = probtest::check(&claim, Settings::new("die").seed(1), |rng| {
///     assert!(rng.random_range(1..=6) < 6);
/// })?;
/// assert!(!report.passed());
///
/// let claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.1);
/// let report = probtest::check(claim, Settings::new("uniform").seed(7), |rng| rng.random::<f64>())?;
/// assert!(report.passed());
///
/// let settings = Settings::new("a die shows a six").seed(7);
/// let report = probtest::check(probtest::estimate(0.1), settings, |rng| rng.random_range(1..=6) != 6)?;
/// let rate = report.rate().unwrap();
/// assert!(rate.low < 1.0 / 6.0 && 1.0 / 6.0 < rate.high && rate.high - rate.low <= 0.1);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn check<R, C: Conclusion<R>>(
    claim: impl Into<Terms<R>>,
    settings: Settings<'_>,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Result<Report, Error> {
    let jobs = settings.jobs;
    let claim = claim.into().claim()?;
    settings.check_body(&claim, C::SILENT)?;
    let run = TestRun::begin(&claim, settings)?;
    Ok(on_threads(run, jobs, &|rng| body(rng).conclude()))
}

/// Does the same as [`check`] for a body that keeps state or can't be shared between threads. It
/// always runs on the calling thread.
///
/// Executions shouldn't influence each other: the next one sees what one leaves behind, but the
/// plan only keeps its promise for independent executions.
///
/// # Errors
/// Like [`check`].
///
/// ```
/// use probtest::{Claim, Settings};
///
/// let mut sum = 0;
/// let claim = Claim::detect(0.5, 0.05)?;
/// let report = probtest::check_local(&claim, Settings::new("sum"), |rng| {
///     sum += rng.draw_u64() % 2;
/// })?;
/// assert!(report.passed() && sum <= 6);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn check_local<R, C: Conclusion<R>>(
    claim: impl Into<Terms<R>>,
    settings: Settings<'_>,
    mut body: impl FnMut(&mut TestRng) -> C,
) -> Result<Report, Error> {
    let claim = claim.into().claim()?;
    settings.check_body(&claim, C::SILENT)?;
    let mut run = TestRun::begin(&claim, settings)?;
    Serial::new(&mut |rng| body(rng).conclude()).execute(&mut run);
    Ok(run.finish())
}

/// Runs a test on this many threads, and finishes it. Not generic over the body, so that it is
/// compiled once.
pub(crate) fn on_threads(mut run: TestRun<'_>, jobs: usize, body: SharedBody<'_>) -> Report {
    Threads::new(jobs, body).execute(&mut run);
    run.finish()
}
