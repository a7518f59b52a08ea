//! The stages in a row, for a rate that nobody claims anything about.

use super::drive::Drive;
use super::{Error, Options};
use crate::judge::Estimator;
use crate::judge::confidence::AimedSequence;
use crate::report::{Estimate, Note};
use crate::run::{Conclusion, Work, parallel, serial};
use crate::seed::{RunSeed, Stream, TestRng};

/// Executes the body until its violation rate is known to within `width`.
///
/// The interval comes from a confidence sequence, so it may be quoted although
/// the executions end when it is narrow enough. It takes hardly ever more than
/// Hoeffding's inequality asks for beforehand, at most half a percent more at
/// 95 %, and far fewer where the rate is not next to one half. Violations do not end it. Prints nothing, reads no
/// environment variable, and gives the same for any number of threads.
///
/// # Errors
///
/// When the width or the confidence is not strictly between 0 and 1, or an
/// option is out of range.
///
/// ```
/// use probtest::Options;
/// use rand::RngExt;
///
/// let options = Options::new("a die shows a six").seed(7);
/// let estimate = probtest::estimate(0.1, 0.95, options, |rng| rng.random_range(1..=6) != 6)?;
/// let (low, high) = estimate.interval;
/// assert!(low < 1.0 / 6.0 && 1.0 / 6.0 < high && high - low <= 0.1);
/// assert!(estimate.counts.executed < 500 && estimate.hoeffding() == 738);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn estimate<C: Conclusion>(
    width: f64,
    confidence: f64,
    options: Options<'_>,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Result<Estimate, Error> {
    let jobs = options.jobs;
    let body = |rng: &mut TestRng| body(rng).conclude();
    carry_out(width, confidence, options, |work, drive| {
        parallel(work, jobs, &body, drive);
    })
}

/// Does the same as [`estimate`] for a body that keeps state or cannot be shared
/// between threads. It always executes on the calling thread.
///
/// # Errors
///
/// As [`estimate`].
///
/// ```
/// use probtest::Options;
///
/// let mut called = 0;
/// let options = Options::new("called").seed(1);
/// let estimate = probtest::estimate_local(0.5, 0.9, options, |_| called += 1)?;
/// assert_eq!(estimate.counts.violated, 0);
/// assert_eq!(estimate.counts.executed, called);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn estimate_local<C: Conclusion>(
    width: f64,
    confidence: f64,
    options: Options<'_>,
    mut body: impl FnMut(&mut TestRng) -> C,
) -> Result<Estimate, Error> {
    let mut body = |rng: &mut TestRng| body(rng).conclude();
    carry_out(width, confidence, options, |work, drive| {
        serial(work, &mut body, drive);
    })
}

fn carry_out(
    width: f64,
    confidence: f64,
    mut options: Options<'_>,
    many: impl FnOnce(&Work, &mut Drive<'_, Estimator>),
) -> Result<Estimate, Error> {
    options.check_all_or_nothing()?;
    let sequence = AimedSequence::new(width, confidence)?;
    let estimator = Estimator::new(sequence, options.limits);
    let seed = options.seed.unwrap_or_else(RunSeed::fresh);
    let work = Work {
        stream: Stream::new(seed, &options.test),
        indices: 1..=estimator.max_executions(),
        stop_at_violation: false,
    };
    let mut drive = Drive::new(estimator, &mut options);
    many(&work, &mut drive);
    drive.tell();
    let elapsed = drive.began.elapsed();
    let drew = drive.watch.drew();
    let known = drive.watch.conclude();
    let mut report = Estimate::new(options.test, (width, confidence), seed, known, elapsed);
    if options.own_randomness {
        report.notes.push(Note::OwnRandomness);
        report.address = None;
    } else if !drew && report.counts.executed > 1 {
        report.notes.push(Note::NeverDrew);
    }
    Ok(report)
}
