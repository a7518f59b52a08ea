//! Calibrating once for each claim.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::super::error;
use super::fixed::{Beyond, Errors};
use super::jump::Rate;
use super::sequential_test::SequentialTest;
use crate::claim::{Error, Probability};

/// The most violations that a plan may allow; more take too long to calibrate.
const MOST_ALLOWED: u64 = 20_000;
/// The most executions; all numbers below are exact as floats.
const MOST_EXECUTIONS: u64 = 1 << 53;
/// Below this a probability is too close to what a float can hold.
const SMALLEST_ERROR: f64 = 1e-100;
/// Claims that are kept; a process that makes more begins anew.
const KEPT: usize = 1024;

type Kept = Mutex<HashMap<[Probability; 4], Arc<SequentialTest>>>;

/// The test for a claim about a tolerated rate, from memory where it was made
/// before in this process.
pub(in crate::plan) fn plan(
    [tolerate, p, epsilon, false_alarm]: [&Probability; 4],
) -> Result<Arc<SequentialTest>, Error> {
    static KNOWN: OnceLock<Kept> = OnceLock::new();
    let key = [tolerate, p, epsilon, false_alarm].map(Clone::clone);
    let known = KNOWN.get_or_init(Kept::default);
    let found = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(test) = found().get(&key) {
        return Ok(Arc::clone(test));
    }
    let given = || {
        format!("tolerate = {tolerate}, p = {p}, epsilon = {epsilon}, false_alarm = {false_alarm}")
    };
    for (name, chance) in [("epsilon", epsilon), ("false_alarm", false_alarm)] {
        if chance.as_f64() < SMALLEST_ERROR {
            return Err(error::too_small(name, chance));
        }
    }
    let errors = Errors {
        tolerate: Rate::exact(tolerate),
        p: Rate::exact(p),
        // Half a unit of rounding must not allow more than was written.
        epsilon: epsilon.as_f64() * (1.0 - f64::EPSILON),
        false_alarm: false_alarm.as_f64() * (1.0 - f64::EPSILON),
    };
    let too_rare = || error::too_rare(given());
    if p.as_f64() < 1e-16 {
        return Err(too_rare());
    }
    let too_close = || error::too_close(given());
    // So close that their difference is lost among the digits of a float.
    if errors.p.of - errors.tolerate.of < 1e-6 * errors.p.of.min(errors.tolerate.rest) {
        return Err(too_close());
    }
    let fixed = errors
        .fixed(MOST_ALLOWED, MOST_EXECUTIONS)
        .map_err(|beyond| match beyond {
            Beyond::Executions => too_rare(),
            Beyond::Violations => too_close(),
        })?;
    let found_test = errors.cheapest(&fixed).ok_or_else(too_close)?;
    let test = Arc::new(SequentialTest::new(found_test, fixed, errors));
    let mut all = found();
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(key, Arc::clone(&test));
    Ok(test)
}
