//! Intervals quoted after a sequential stop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use probtest::judge::{interval::clopper_pearson, stopped};
use probtest::plan::{Plan, SequentialTest};

use super::library::TwoSided;
use super::{Case, Section, tolerate, walk};

const CONFIDENCE: f64 = 0.95;
/// How often an interval may miss at that confidence.
const LEFT: f64 = 0.05;
const SIMULATIONS: u64 = 20_000;
/// Endings with at most this probability count as missed: they aren't worth an interval.
const NEVER: f64 = 1e-12;

/// Claims with few enough endings: tolerate, p, false_alarm, epsilon.
const CLAIMS: [[f64; 4]; 3] =
    [[0.1, 0.5, 0.05, 0.05], [0.02, 0.2, 0.05, 0.05], [0.01, 0.1, 1e-6, 0.05]];

/// The violation rates to check, as fractions of `p`.
const PARTS: [f64; 5] = [0.1, 0.2, 0.5, 1.0, 1.6];

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for claim in CLAIMS.map(tolerate::two_sided) {
        let endings = Arc::new(Endings::reported(claim));
        for rate in PARTS.map(|part| part * claim.p) {
            cases.push(computed(claim, &endings, rate));
        }
    }
    let claim = tolerate::two_sided(CLAIMS[1]);
    for rate in [claim.tolerate, 1.6 * claim.p] {
        cases.push(simulated(claim, rate));
    }
    Section {
        title: "The interval after a sequential stop",
        about: "The exact rows add up the chances of all endings of a test whose 95 % interval does not contain the true rate. The simulated rows use the intervals of reports.",
        cases,
    }
}

type Interval = (f64, f64);

/// How to find an interval for a test that stopped after this many executions, with this many
/// violations.
type Find = fn(&SequentialTest, u64, u64) -> Option<Interval>;

/// The intervals for all ways in which a test can end, each found once.
pub(super) struct Endings {
    plan: Plan,
    find: Find,
    known: Mutex<BTreeMap<(u64, u64), Interval>>,
}

impl Endings {
    /// The intervals that the library reports.
    fn reported(claim: TwoSided) -> Self {
        Endings::new(claim, |test, executions, violations| {
            stopped::interval(test, executions, violations, CONFIDENCE).ok()
        })
    }

    /// Clopper-Pearson intervals, which aren't valid for a test that stopped.
    pub(super) fn clopper_pearson(claim: TwoSided) -> Self {
        Endings::new(claim, |_, executions, violations| {
            clopper_pearson(violations, executions, CONFIDENCE).ok()
        })
    }

    fn new(claim: TwoSided, find: Find) -> Self {
        Endings { plan: claim.plan(), find, known: Mutex::default() }
    }

    /// The chance that the interval doesn't contain the rate, over all endings.
    pub(super) fn lost(&self, rate: f64) -> f64 {
        let Some(test) = self.plan.sequential() else {
            return f64::NAN;
        };
        let held = |stop: &walk::Stop| {
            stop.chance > NEVER
                && self
                    .interval(test, stop.executions, stop.violations)
                    .is_some_and(|(low, high)| low <= rate && rate <= high)
        };
        let stops = walk::stops(test, rate);
        let lost = stops.iter().filter(|stop| !held(stop));
        lost.map(|stop| stop.chance).sum()
    }

    fn interval(
        &self,
        test: &SequentialTest,
        executions: u64,
        violations: u64,
    ) -> Option<Interval> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&(executions, violations)) {
            return Some(*found);
        }
        let found = (self.find)(test, executions, violations)?;
        known.insert((executions, violations), found);
        Some(found)
    }
}

fn computed(claim: TwoSided, endings: &Arc<Endings>, rate: f64) -> Case {
    let names = (tolerate::name(claim), tolerate::program(rate));
    let endings = Arc::clone(endings);
    Case::computed(names, ("loses the rate", LEFT), move || vec![endings.lost(rate)])
}

fn simulated(claim: TwoSided, rate: f64) -> Case {
    let plan = claim.plan();
    let names = (tolerate::name(claim), tolerate::program(rate));
    let wrong = move |number| {
        let report = tolerate::tested_at(rate, plan.claim(), number);
        let rate_found = report.and_then(|report| report.rate());
        !rate_found.is_some_and(|found| found.low <= rate && rate <= found.high)
    };
    Case::simulated(names, ("loses the rate", LEFT), SIMULATIONS, wrong)
        .with_exact(move || Endings::reported(claim).lost(rate))
}
