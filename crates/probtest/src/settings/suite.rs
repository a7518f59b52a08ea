//! What the tests of a suite may get wrong together, and the part of each.

use std::num::NonZeroU64;

use crate::claim::{Claim, Probability};

/// An equal part of a chance that all tests of a suite share.
///
/// The chance that something happens in one or more of the tests is at most the sum
/// of their chances, whatever they have to do with each other.
///
/// ```
/// use probtest::settings::Share;
///
/// let share = Share::new("0.05".parse()?, 12.try_into().unwrap());
/// assert_eq!(share.each.to_string(), "1/240");
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The chance that all tests have together.
    pub total: Probability,
    /// How many tests share it.
    pub tests: NonZeroU64,
    /// The part of each, exactly.
    pub each: Probability,
}

impl Share {
    /// Divides a chance over tests.
    pub fn new(total: Probability, tests: NonZeroU64) -> Share {
        Share { each: total.divided_by(tests), total, tests }
    }

    /// Lowers a chance to this part, unless it is smaller already.
    fn limit(&self, chance: Option<&mut Probability>) {
        if let Some(chance) = chance
            && *chance > self.each
        {
            *chance = self.each.clone();
        }
    }
}

/// What a test is part of: the promises that hold for all tests of a run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// The chance that one or more tests pass although their claim is violated.
    pub epsilon: Option<Share>,
    /// The chance that one or more tests whose claim bounds false alarms are violated
    /// although their programs keep it.
    pub false_alarm: Option<Share>,
}

impl Suite {
    /// Gives a claim its parts. A test keeps a promise of its own that is stronger.
    pub fn limit(&self, mut claim: Claim) -> Claim {
        let (epsilon, false_alarm) = claim.chances_mut();
        if let Some(share) = &self.epsilon {
            share.limit(epsilon);
        }
        if let Some(share) = &self.false_alarm {
            share.limit(false_alarm);
        }
        claim
    }
}
