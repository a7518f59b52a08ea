//! What does the test do at a given rate, exactly?
//!
//! Between two places where a boundary changes, the violations are binomial and
//! the count that fails is constant. So one step of the dynamic program is one
//! such stretch, however many executions it has: the cost depends on how close
//! `tolerate` is to `p`, not on how small they are.

use super::boundaries::Boundaries;
use super::jump::{Jump, Rate};

/// What has happened by some execution, with which probability.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) passed: f64,
    pub(super) failed: f64,
    /// The expected violations of the tests that have stopped.
    violations: f64,
    /// Tests that have not stopped, by violations from `lowest` on.
    pub(super) going: Vec<f64>,
    pub(super) lowest: usize,
    /// Bounds the relative error of every sum above.
    relative: f64,
    /// Bounds what was left out.
    neglected: f64,
    /// How many products it took.
    pub(super) work: u64,
}

impl Walked {
    /// A number that the probability of passing is certainly not above.
    pub(super) fn passed_at_most(&self) -> f64 {
        self.passed * (1.0 + self.relative) + self.neglected
    }

    /// A number that the probability of failing is certainly not above.
    pub(super) fn failed_at_most(&self) -> f64 {
        self.failed * (1.0 + self.relative) + self.neglected
    }

    /// A number that the probability of not having failed is certainly not above.
    pub(super) fn not_failed_at_most(&self) -> f64 {
        let sum = self.passed + self.going.iter().sum::<f64>();
        (sum * (1.0 + self.relative) + self.neglected).min(1.0)
    }

    /// The expected executions of a walk to the end.
    ///
    /// Wald's identity: the expected violations at the stop are the rate times
    /// the expected executions. A failing test stops with exactly the count
    /// that fails, so all of them are known.
    pub(super) fn expected_executions(&self, rate: Rate) -> f64 {
        self.violations / rate.of
    }
}

/// Follows the test up to and including the execution `until`.
pub(super) fn walk(boundaries: &Boundaries, rate: Rate, until: u64, cut: f64) -> Walked {
    let allowed = boundaries.allowed();
    let mut walked = Walked {
        passed: 0.0,
        failed: 0.0,
        violations: 0.0,
        going: vec![1.0],
        lowest: 0,
        relative: 0.0,
        // What floats cannot hold: far below the smallest error that is planned for.
        neglected: 1e-290,
        work: 0,
    };
    let mut jumps: Vec<(u64, Jump)> = Vec::new();
    let mut units = 0.0;
    let (mut done, mut fails) = (0, 1);
    let mut next = Vec::new();
    for place in boundaries.places() {
        let place = place.min(until);
        if place == done || walked.lowest > allowed {
            break;
        }
        // No `fail` lies inside the stretch, so this count fails all along it.
        while boundaries.fail[fails] < place {
            fails += 1;
        }
        let stretch = place - done;
        let jump = match jumps.iter().position(|(length, _)| *length == stretch) {
            Some(found) => &jumps[found].1,
            None => {
                let jump = Jump::new(stretch, rate, allowed + 2, cut);
                jumps.push((stretch, jump));
                &jumps[jumps.len() - 1].1
            }
        };
        walked.step(jump, fails, &mut next);
        walked.neglected += jump.neglected();
        units += jump.units() + 3.0 * next.len() as f64;
        while walked.lowest <= allowed && boundaries.pass[walked.lowest] <= place {
            let passing = walked.going.first().copied().unwrap_or(0.0);
            walked.passed += passing;
            walked.violations += passing * walked.lowest as f64;
            if !walked.going.is_empty() {
                walked.going.remove(0);
            }
            walked.lowest += 1;
        }
        done = place;
    }
    // The rate itself may be off by a unit, which counts once for each violation
    // and each expected violation; twice all that for the second order.
    units += 4.0 * (done as f64 * rate.of + allowed as f64) + 16.0;
    walked.relative = 2.0 * units * f64::EPSILON;
    walked
}

impl Walked {
    /// Lets one stretch of executions pass, in which `fails` violations fail.
    fn step(&mut self, jump: &Jump, fails: usize, next: &mut Vec<f64>) {
        let width = fails.saturating_sub(self.lowest);
        let (first, chances) = jump.chances();
        // No further than a count that can be reached.
        let reached = (self.going.len() + chances.len()).saturating_add(first);
        next.clear();
        next.resize(width.min(reached), 0.0);
        for (place, &going) in self.going.iter().enumerate() {
            if going == 0.0 {
                continue;
            }
            let failing = going * jump.at_least(width - place);
            self.failed += failing;
            self.violations += failing * fails as f64;
            if let Some(targets) = next.get_mut(place.saturating_add(first)..) {
                let length = targets.len().min(chances.len());
                self.work += length as u64;
                add(&mut targets[..length], going, &chances[..length]);
            }
        }
        std::mem::swap(&mut self.going, next);
    }
}

/// Adds to each target its chance times `going`; both are of one length.
///
/// All the time is spent here. By index, because iterators take twice as long in
/// a build without optimization, which those of tests usually are.
fn add(targets: &mut [f64], going: f64, chances: &[f64]) {
    let mut place = 0;
    while place < targets.len() && place < chances.len() {
        targets[place] += going * chances[place];
        place += 1;
    }
}
