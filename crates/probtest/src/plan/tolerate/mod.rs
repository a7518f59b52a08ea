//! A plan for a tolerated rate: when to stop, and with which answer?
//!
//! A truncated sequential probability ratio test. Its boundaries are whole numbers: it passes with
//! `x` violations after a given number of executions, and fails if violation number `x` occurs too
//! early. Both error probabilities are computed for these numbers, by dynamic programming over the
//! violations, so nothing relies on an approximation.

mod calibrate;
#[cfg(test)]
mod rounding_tests;
mod walk;

use std::sync::{Arc, Mutex, PoisonError};

use self::calibrate::{Errors, NoFixedPlan};
use self::walk::{Boundaries, WalkState, walk};
use crate::claim::{Error, Probability};
use crate::math::binomial::PreciseRate;
use crate::math::special::logistic;

pub use self::calibrate::FixedPlan;

/// The most violations that a plan may allow; more take too long to calibrate.
const MOST_ALLOWED: u64 = 20_000;
/// The most executions; all numbers up to this are exact as floats.
const MOST_EXECUTIONS: u64 = 1 << 53;
/// Smaller probabilities are too close to the limits of floats.
const SMALLEST_ERROR: f64 = 1e-100;
/// A rate doesn't fit if at most this fraction of tests would show as much at that rate: the lower
/// tail of an interval with confidence 0.95.
const DOES_NOT_FIT: f64 = 0.025;
/// How precisely a rate is found, on the logit scale.
const CLOSE: f64 = 1e-6;
/// Beyond this logit, a rate is 1 for all practical purposes.
const FARTHEST: f64 = 36.0;
/// How many plans are cached; a process that makes more starts over.
const KEPT: usize = 1024;

/// The test for a claim about a tolerated rate, cached if this process made it before.
pub(super) fn plan(
    [tolerate, p, epsilon, false_alarm]: [&Probability; 4],
) -> Result<Arc<SequentialTest>, Error> {
    static KNOWN: Mutex<Vec<([Probability; 4], Arc<SequentialTest>)>> = Mutex::new(Vec::new());
    let key = [tolerate, p, epsilon, false_alarm].map(Clone::clone);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, test)) = known().iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(test));
    }
    for (name, chance) in [("epsilon", epsilon), ("false_alarm", false_alarm)] {
        if chance.as_f64() < SMALLEST_ERROR {
            return Err(Error::new(
                format!(
                    "{name} is below 1e-100, the smallest value that a plan with tolerate supports"
                ),
                format!("{name} = {chance}"),
                format!("raise {name}"),
            ));
        }
    }
    let errors = Errors {
        tolerate: PreciseRate::exact(tolerate),
        p: PreciseRate::exact(p),
        // Rounding by half a unit must not allow more than was written.
        epsilon: epsilon.as_f64() * (1.0 - f64::EPSILON),
        false_alarm: false_alarm.as_f64() * (1.0 - f64::EPSILON),
    };
    let beyond = |which: NoFixedPlan| {
        let (what, help) = match which {
            NoFixedPlan::Executions => (
                "the claim needs 2^53 executions or more, but a plan with tolerate holds fewer",
                "raise p, epsilon or false_alarm",
            ),
            NoFixedPlan::Violations => (
                "tolerate and p are too close: a plan would allow more than 20000 violations",
                "move tolerate and p apart, or raise epsilon or false_alarm",
            ),
        };
        let chances = format!("epsilon = {epsilon}, false_alarm = {false_alarm}");
        Error::new(what, format!("tolerate = {tolerate}, p = {p}, {chances}"), help)
    };
    if p.as_f64() < 1e-16 {
        return Err(beyond(NoFixedPlan::Executions));
    }
    // Too close: their difference is lost in the digits of a float.
    if errors.p.of - errors.tolerate.of < 1e-6 * errors.p.of.min(errors.tolerate.rest) {
        return Err(beyond(NoFixedPlan::Violations));
    }
    let fixed = errors.fixed(MOST_ALLOWED, MOST_EXECUTIONS).map_err(beyond)?;
    let found = errors.cheapest(&fixed).ok_or_else(|| beyond(NoFixedPlan::Violations))?;
    let test = Arc::new(SequentialTest {
        boundaries: found.boundaries,
        fixed,
        errors,
        false_alarm: found.false_alarm,
        miss: found.miss,
    });
    let mut all = known();
    if all.len() >= KEPT {
        all.clear();
    }
    all.push((key, Arc::clone(&test)));
    Ok(test)
}

/// After how many executions and violations to stop, and with which verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialTest {
    boundaries: Boundaries,
    fixed: FixedPlan,
    errors: Errors,
    false_alarm: f64,
    miss: f64,
}

/// The chances, at a given rate, of seeing less or more than the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The chance of the observed result, or of one that suggests a lower rate.
    pub at_most: f64,
    /// The chance of the observed result, or of one that suggests a higher rate.
    pub at_least: f64,
}

impl SequentialTest {
    /// The executions after which a program without a violation passes.
    pub fn fewest(&self) -> u64 {
        self.boundaries.pass[0]
    }

    /// The most executions it can take.
    pub fn most(&self) -> u64 {
        self.boundaries.most()
    }

    /// The most violations with which a program can pass.
    pub fn allowed(&self) -> u64 {
        self.boundaries.allowed() as u64
    }

    /// The plan that looks only once, at the end, for comparison.
    pub fn fixed(&self) -> FixedPlan {
        self.fixed
    }

    /// Whether the test passes after these executions with these violations.
    #[inline]
    pub fn passes(&self, executions: u64, violations: u64) -> bool {
        let passes = self.boundaries.pass.get(violations as usize);
        passes.is_some_and(|passes| *passes <= executions)
    }

    /// Whether the test fails after these executions, the last of which was the last of these
    /// violations.
    #[inline]
    pub fn fails(&self, executions: u64, violations: u64) -> bool {
        let fails = self.boundaries.fail.get(violations as usize);
        fails.is_none_or(|fails| executions <= *fails)
    }

    /// A tight upper bound on the chance that a program at the tolerated rate fails.
    pub fn false_alarm(&self) -> f64 {
        self.false_alarm
    }

    /// A tight upper bound on the chance that a program at the rate `p` passes.
    pub fn miss(&self) -> f64 {
        self.miss
    }

    /// A test that is cut short after this many executions is accepted if it has fewer violations
    /// than this: with as many, rates below `p` no longer fit. The rule is fixed before the first
    /// execution, so its behaviour at any rate can be computed.
    pub fn unacceptable(&self, executions: u64) -> u64 {
        let walked = self.walk(self.errors.p, executions);
        let mut as_many = walked.failed + walked.going.iter().sum::<f64>();
        let fitting = walked.going.iter().take_while(|going| {
            let fits = as_many > DOES_NOT_FIT;
            as_many -= *going;
            fits
        });
        (walked.lowest + fitting.count()) as u64
    }

    /// A tight upper bound on the chance that a program at the rate `p` is accepted when the test
    /// is cut short after this many executions.
    pub(super) fn accepted_within(&self, executions: u64) -> f64 {
        if executions == 0 {
            return 1.0;
        }
        let too_many = self.unacceptable(executions);
        self.walk(self.errors.p, executions).accepted_at_most(too_many)
    }

    /// The smallest violation rate, or one just above it, that is accepted with probability at most
    /// epsilon when the test is cut short after this many executions. `None` if every rate is
    /// accepted more often.
    pub(super) fn rate_caught_within(&self, executions: u64) -> Option<f64> {
        if executions == 0 {
            return None;
        }
        let too_many = self.unacceptable(executions);
        let epsilon = self.errors.epsilon;
        let caught = |logit: f64| {
            let walked = self.walk(PreciseRate::from_logit(logit), executions);
            walked.accepted_at_most(too_many) <= epsilon
        };
        let begin = (self.errors.p.of / self.errors.p.rest).ln();
        let logit = first_above(begin, caught)?;
        Some(logistic(logit)).filter(|rate| *rate < 1.0)
    }

    /// The chance that a program with this violation rate, from 0 to 1, passes.
    pub(super) fn chance_of_passing(&self, rate: f64) -> f64 {
        match rate {
            ..=0.0 => 1.0,
            1.0.. => 0.0,
            _ => self.walk(PreciseRate::new(rate), self.most()).passed.min(1.0),
        }
    }

    /// The expected executions of a program with this violation rate, from 0 to 1.
    pub(super) fn expected_executions(&self, rate: f64) -> f64 {
        // Only one test in 10^12 sees a violation, and the walk would leave out these few, on which
        // the result is based.
        if rate * (self.most() as f64) < 1e-12 {
            return self.fewest() as f64;
        }
        if rate >= 1.0 {
            let certain = (1..=self.most()).find(|n| self.fails(*n, *n));
            return certain.unwrap_or(self.most()) as f64;
        }
        let rate = PreciseRate::new(rate);
        self.walk(rate, self.most()).expected_executions(rate)
    }

    /// The chances, at a rate given by its logit, of seeing at most and at least the observed
    /// result.
    ///
    /// All possible results are ordered: passes first, the soonest one lowest; then tests cut
    /// short, by their violations; then failures, the soonest one highest. A program that violates
    /// more often comes out higher, so the rates that fit the data are an interval.
    pub fn tails(&self, executions: u64, violations: u64, logit: f64) -> Tails {
        let rate = PreciseRate::from_logit(logit);
        let before = executions.saturating_sub(1);
        if self.passes(executions, violations) {
            return Tails {
                at_most: self.walk(rate, executions).passed,
                at_least: 1.0 - self.walk(rate, before).passed,
            };
        }
        if self.fails(executions, violations) {
            return Tails {
                at_most: 1.0 - self.walk(rate, before).failed,
                at_least: self.walk(rate, executions).failed,
            };
        }
        let walked = self.walk(rate, executions);
        let place = (violations as usize).saturating_sub(walked.lowest);
        let fewer = walked.going.iter().take(place + 1).sum::<f64>();
        let more = walked.going.iter().skip(place).sum::<f64>();
        Tails { at_most: walked.passed + fewer, at_least: walked.failed + more }
    }

    fn walk(&self, rate: PreciseRate, until: u64) -> WalkState {
        walk(&self.boundaries, rate, until, self.errors.cut())
    }
}

/// The first logit at which `holds`, or one just above it; `None` if there is none up to a rate of
/// 1.
fn first_above(begin: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut outside, mut step) = (begin, 0.5);
    let mut inside = begin;
    if holds(begin) {
        while holds(outside) {
            if outside <= -FARTHEST * 20.0 {
                return Some(outside);
            }
            inside = outside;
            outside -= step;
            step *= 2.0;
        }
    } else {
        loop {
            inside = (inside + step).min(FARTHEST);
            if holds(inside) {
                break;
            }
            if inside >= FARTHEST {
                return None;
            }
            outside = inside;
            step *= 2.0;
        }
    }
    while inside - outside > CLOSE {
        let middle = outside + (inside - outside) / 2.0;
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Some(inside)
}
