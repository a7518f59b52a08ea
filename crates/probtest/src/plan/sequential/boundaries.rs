//! The numbers at which a sequential test stops.

use std::fmt;

/// When to pass and when to fail, for each number of violations.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Boundaries {
    /// With `x` violations the test passes after `pass[x]` executions.
    pub(super) pass: Vec<u64>,
    /// The violation number `x` fails the test when it comes at execution
    /// `fail[x]` or before. One more entry than `pass`: that many always fail.
    pub(super) fail: Vec<u64>,
}

/// What the boundaries are made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Executions for each violation along both boundaries.
    pub(super) spacing: f64,
    /// Violations between two looks; 1 unless there are very many.
    pub(super) group: u64,
    /// The most executions.
    pub(super) most: u64,
    /// The most violations that may pass.
    pub(super) allowed: u64,
}

impl Shape {
    /// Lays the boundaries: a perfect program passes after `fewest` executions,
    /// and failing is late by `delay`.
    pub(super) fn boundaries(&self, fewest: u64, delay: i64) -> Boundaries {
        let Shape {
            spacing,
            group,
            most,
            allowed,
        } = *self;
        let pass: Vec<u64> = (0..=allowed)
            .map(|x| {
                let look = x.div_ceil(group) * group;
                let line = fewest + (look as f64 * spacing).ceil() as u64;
                // All the rest could violate and it would still pass. Worth a look
                // of its own only where there are few.
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
                // The violation number x comes at execution x or later.
                u64::try_from(line).map_or(0, |line| if line < x { 0 } else { line.min(end) })
            })
            .collect();
        Boundaries { pass, fail }
    }
}

impl Boundaries {
    /// The most violations with which the test passes.
    pub(super) fn allowed(&self) -> usize {
        self.pass.len() - 1
    }

    /// The most executions.
    pub(super) fn most(&self) -> u64 {
        self.pass[self.allowed()]
    }

    /// Every number of executions at which something changes, rising.
    pub(super) fn places(&self) -> Vec<u64> {
        let mut places = Vec::with_capacity(self.pass.len() * 2);
        let (mut pass, mut fail) = (self.pass.iter().peekable(), self.fail.iter().peekable());
        loop {
            let next = match (pass.peek(), fail.peek()) {
                (Some(&&a), Some(&&b)) if a <= b => pass.next(),
                (_, Some(_)) => fail.next(),
                (Some(_), None) => pass.next(),
                (None, None) => return places,
            };
            if let Some(&next) = next
                && next > places.last().copied().unwrap_or(0)
            {
                places.push(next);
            }
        }
    }
}

impl fmt::Debug for Boundaries {
    /// Thousands of numbers would hide everything beside them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fewest, most) = (self.pass[0], self.most());
        write!(
            f,
            "Boundaries({fewest}..={most}, {} allowed)",
            self.allowed()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        spacing: 10.0,
        group: 1,
        most: 60,
        allowed: 3,
    };

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
