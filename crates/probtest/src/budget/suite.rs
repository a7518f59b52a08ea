//! What the tests of a suite may miss together, and the part of each.

use std::num::NonZeroU64;

use crate::claim::{Claim, Probability};

/// An equal part of a chance that all tests of a suite share.
///
/// The chance that something happens in one or more of the tests is at most the sum
/// of their chances, whatever they have to do with each other.
///
/// ```
/// use probtest::budget::Share;
/// use probtest::claim::{Claim, Probability};
/// use std::num::NonZeroU64;
///
/// let total = Probability::parse("0.05")?;
/// let share = Share::new(total, NonZeroU64::new(12).unwrap());
/// assert_eq!(share.each.to_string(), "1/240");
/// // A test keeps a promise of its own that is stronger.
/// let strong = Claim::detect(0.01, 1e-6)?;
/// assert_eq!(share.limit_epsilon(strong.clone()), strong);
/// assert_eq!(share.limit_epsilon(Claim::detect(0.01, 0.02)?).epsilon(), &share.each);
/// # Ok::<(), probtest::claim::ClaimError>(())
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
        Share {
            each: total.divided_by(tests),
            total,
            tests,
        }
    }

    /// Gives a claim this part as its epsilon, unless its own is smaller.
    pub fn limit_epsilon(&self, mut claim: Claim) -> Claim {
        match &mut claim {
            Claim::Detect { epsilon, .. } | Claim::Cover { epsilon, .. } => {
                if *epsilon > self.each {
                    *epsilon = self.each.clone();
                }
            }
        }
        claim
    }
}

/// What a test is part of: the promises that hold for all tests of a run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suite {
    /// The chance that one or more tests pass although their claim is violated.
    pub epsilon: Option<Share>,
}

impl Suite {
    /// Says that tests share an epsilon.
    pub fn sharing_epsilon(mut self, share: Share) -> Suite {
        self.epsilon = Some(share);
        self
    }
}
