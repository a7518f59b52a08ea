//! The boundaries at which a sequential test stops, and how it behaves at a given rate.
//!
//! Between two places where a boundary changes, the violations are binomial and the count that
//! fails is constant. So one step of the dynamic program is one such stretch, however many
//! executions it has: the cost depends on how close `tolerate` is to `p`, not on how small they
//! are.

use std::fmt;

use crate::math::binomial::{Jump, PreciseRate};

/// When to pass and when to fail, for each number of violations.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Boundaries {
    /// With `x` violations the test passes after `pass[x]` executions.
    pub(super) pass: Vec<u64>,
    /// Violation number `x` fails the test if it occurs at execution `fail[x]` or before. It has
    /// one more entry than `pass`: that many violations always fail.
    pub(super) fail: Vec<u64>,
}

/// What the boundaries are derived from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Executions per violation along both boundaries.
    pub(super) spacing: f64,
    /// Violations between two looks; 1 unless there are very many.
    pub(super) group: u64,
    pub(super) most: u64,
    pub(super) allowed: u64,
}

impl Shape {
    /// The delay with which nothing fails before the end. If the rates are far apart, the spacing
    /// of a few violations is longer than the whole plan.
    pub(super) fn longest_delay(&self) -> i64 {
        let last = (self.allowed as f64 * self.spacing).ceil() as i64;
        last.max(self.most as i64)
    }

    /// Builds the boundaries: a perfect program passes after `fewest` executions, and failing is
    /// delayed by `delay`.
    pub(super) fn boundaries(&self, fewest: u64, delay: i64) -> Boundaries {
        let Shape { spacing, group, most, allowed } = *self;
        let pass: Vec<u64> = (0..=allowed)
            .map(|x| {
                let look = x.div_ceil(group) * group;
                let line = fewest + (look as f64 * spacing).ceil() as u64;
                // It would pass even if all the rest violated. Worth a separate look only if
                // violations are few.
                let spare = if group == 1 { allowed - x } else { 0 };
                line.min(most - spare)
            })
            .collect();
        // Nothing is undecided after the last pass.
        let end = pass[pass.len() - 1];
        let fail = (0..=allowed + 1)
            .map(|x| {
                if x == 0 {
                    return 0;
                }
                if x > allowed {
                    return end;
                }
                let look = x / group * group;
                let line = (look as f64 * spacing).floor() as i64 - delay;
                // Violation number x can't occur before execution x.
                u64::try_from(line).map_or(0, |line| if line < x { 0 } else { line.min(end) })
            })
            .collect();
        Boundaries { pass, fail }
    }
}

impl Boundaries {
    pub(super) fn allowed(&self) -> usize {
        self.pass.len() - 1
    }

    pub(super) fn most(&self) -> u64 {
        self.pass[self.allowed()]
    }

    /// Every number of executions at which something changes, in increasing order.
    pub(super) fn places(&self) -> Vec<u64> {
        let mut places = [&self.pass[..], &self.fail[..]].concat();
        // Two increasing runs, which a stable sort merges.
        places.sort();
        places.dedup();
        places.retain(|place| *place > 0);
        places
    }
}

impl fmt::Debug for Boundaries {
    /// Leaves out its thousands of numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fewest, most) = (self.pass[0], self.most());
        write!(f, "Boundaries({fewest}..={most}, {} allowed)", self.allowed())
    }
}

/// What has happened by a given execution, with probabilities.
#[derive(Debug, Default)]
pub(super) struct WalkState {
    pub(super) passed: f64,
    pub(super) failed: f64,
    /// The expected violations of the tests that have stopped.
    violations: f64,
    /// Tests that are still running, by violations from `lowest` on.
    pub(super) going: Vec<f64>,
    pub(super) lowest: usize,
    /// Bounds the relative error of each of these sums.
    relative: f64,
    /// Bounds what was left out.
    neglected: f64,
    /// How many products it took.
    pub(super) work: u64,
}

impl WalkState {
    /// An upper bound on the probability of passing.
    pub(super) fn passed_at_most(&self) -> f64 {
        self.passed * (1.0 + self.relative) + self.neglected
    }

    /// An upper bound on the probability of failing.
    pub(super) fn failed_at_most(&self) -> f64 {
        self.failed * (1.0 + self.relative) + self.neglected
    }

    /// An upper bound on the probability of having passed, or of still running with fewer
    /// violations than `too_many`.
    pub(super) fn accepted_at_most(&self, too_many: u64) -> f64 {
        let states = too_many.saturating_sub(self.lowest as u64) as usize;
        let sum = self.passed + self.going.iter().take(states).sum::<f64>();
        (sum * (1.0 + self.relative) + self.neglected).min(1.0)
    }

    /// The expected executions of a complete walk.
    ///
    /// By Wald's identity, the expected number of violations at the stop is the rate times the
    /// expected number of executions. A failing test stops with exactly the count that fails, so
    /// all terms are known.
    pub(super) fn expected_executions(&self, rate: PreciseRate) -> f64 {
        self.violations / rate.of
    }
}

/// Follows the test up to and including the execution `until`.
pub(super) fn walk(boundaries: &Boundaries, rate: PreciseRate, until: u64, cut: f64) -> WalkState {
    let allowed = boundaries.allowed();
    // Below the range of floats: far below the smallest planned error.
    let neglected = 1e-290;
    let mut walked = WalkState { going: vec![1.0], neglected, ..WalkState::default() };
    let mut jumps: Vec<(u64, Jump)> = Vec::new();
    let mut units = 0.0;
    let (mut done, mut fails) = (0, 1);
    let mut next = Vec::new();
    for place in boundaries.places() {
        let place = place.min(until);
        if place == done || walked.lowest > allowed {
            break;
        }
        // No `fail` is inside the stretch, so this count fails throughout.
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
        walked.neglected += jump.neglected;
        units += jump.units() + 3.0 * next.len() as f64;
        while walked.lowest <= allowed && boundaries.pass[walked.lowest] <= place {
            if !walked.going.is_empty() {
                let passing = walked.going.remove(0);
                walked.passed += passing;
                walked.violations += passing * walked.lowest as f64;
            }
            walked.lowest += 1;
        }
        done = place;
    }
    // The rate itself may be off by a unit, which counts once for each violation and each expected
    // violation; doubled for the second order.
    units += 4.0 * (done as f64 * rate.of + allowed as f64) + 16.0;
    walked.relative = 2.0 * units * f64::EPSILON;
    walked
}

impl WalkState {
    /// Advances by one stretch of executions, in which `fails` violations fail.
    fn step(&mut self, jump: &Jump, fails: usize, next: &mut Vec<f64>) {
        let width = fails.saturating_sub(self.lowest);
        let (first, chances) = jump.chances();
        // Not beyond a count that can be reached.
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

/// Adds to each target its chance times `going`; both slices have the same length.
///
/// This takes nearly all of the time. It uses indices because iterators take twice as long in a
/// debug build, which is what tests usually are.
fn add(targets: &mut [f64], going: f64, chances: &[f64]) {
    let mut place = 0;
    while place < targets.len() && place < chances.len() {
        targets[place] += going * chances[place];
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { spacing: 10.0, group: 1, most: 60, allowed: 3 };

    #[test]
    fn boundaries_rise_by_the_spacing_and_end_at_the_most() {
        let boundaries = SHAPE.boundaries(25, 12);
        assert_eq!(boundaries.pass, [25, 35, 45, 55]);
        assert_eq!(boundaries.fail, [0, 0, 8, 18, 55]);
        assert_eq!(boundaries.places(), [8, 18, 25, 35, 45, 55]);
    }

    #[test]
    fn a_pass_that_nothing_can_prevent_is_not_waited_for() {
        assert_eq!(SHAPE.boundaries(60, 60).pass, [57, 58, 59, 60]);
    }

    #[test]
    fn groups_share_a_look() {
        let shape = Shape { group: 2, ..SHAPE };
        assert_eq!(shape.boundaries(20, 5).pass, [20, 40, 40, 60]);
        assert_eq!(shape.boundaries(20, 5).fail, [0, 0, 15, 15, 60]);
    }
}
