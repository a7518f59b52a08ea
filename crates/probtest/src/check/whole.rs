//! The stages in a row.

use std::time::Duration;

use super::drive::Drive;
use super::{Error, Options};
use crate::claim::Claim;
use crate::judge::{Counts, Finding, Judge, Reason, Verdict};
use crate::plan::Plan;
use crate::report::{Note, Remembered, Report, is_large};
use crate::run::{Cancel, Conclusion, Observation, Record, Work, count, parallel, serial};
use crate::seed::{Replay, RunSeed, Stream, TestRng};

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
        &mut |work, drive| parallel(work, jobs, &body, drive),
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
        &mut |work, drive| serial(work, &mut *body.borrow_mut(), drive),
    )
}

fn carry_out(
    claim: &Claim,
    mut options: Options<'_>,
    one: &mut dyn FnMut(&Stream, u64) -> Record,
    many: &mut dyn FnMut(&Work, &mut Drive<'_, Judge>),
) -> Result<Report, Error> {
    options.check()?;
    let plan = Plan::new(claim)?;
    let given = options.replay.map(|address| address.seed).or(options.seed);
    let seed = given.unwrap_or_else(RunSeed::fresh);
    // From here on time counts, also that of remembered executions.
    let mut drive = Drive::new(Judge::new(&plan, options.limits), &mut options);
    let began = drive.began;
    let mut report = Report {
        test: options.test,
        verdict: Verdict::Passed,
        counts: drive.watch.counts(),
        plan,
        seed,
        address: None,
        replay: None,
        remembered: Remembered::None,
        suite: options.suite,
        notes: Vec::new(),
        elapsed: Duration::ZERO,
    };
    if options.own_randomness {
        report.notes.push(Note::OwnRandomness);
    }
    if let Some(address) = options.replay {
        execute_alone(&mut report, drive.watch.alone(), address, one);
        report.elapsed = began.elapsed();
        return Ok(report);
    }
    // A tolerated rate is not broken by one counterexample, new or old.
    let first_violation_decides = report.plan.sequential().is_none();
    if first_violation_decides
        && !options.own_randomness
        && execute_remembered(&mut report, &options.remembered, &options.cancel, one)
    {
        report.elapsed = began.elapsed();
        return Ok(report);
    }
    let work = Work {
        stream: Stream::new(seed, &report.test),
        indices: 1..=drive.watch.max_executions(),
        stop_at_violation: first_violation_decides,
    };
    many(&work, &mut drive);
    drive.tell();
    let drew = drive.watch.drew();
    (report.verdict, report.counts) = drive.watch.conclude();
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

/// Returns the number of the execution that decided, if one did.
fn deciding(verdict: &Verdict) -> Option<u64> {
    match verdict {
        Verdict::Violated(Finding::Execution { index, .. } | Finding::Rate { index, .. })
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
            | Verdict::WithinBudget(_)
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
