//! What the tests of a suite may miss together, and the part of each.

use std::num::NonZeroU64;

use crate::claim::numeric::NumericClaim;
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
            Claim::Detect { epsilon, .. }
            | Claim::Cover { epsilon, .. }
            | Claim::Tolerate { epsilon, .. } => self.limit(epsilon),
        }
        claim
    }

    /// Gives a claim that tolerates a rate this part as its `false_alarm`, unless its
    /// own is smaller. Other claims fail at the first violation, whatever the rate.
    pub fn limit_false_alarm(&self, mut claim: Claim) -> Claim {
        match &mut claim {
            Claim::Tolerate { false_alarm, .. } => self.limit(false_alarm),
            Claim::Detect { .. } | Claim::Cover { .. } => {}
        }
        claim
    }

    /// Takes the smaller one of a chance and this part.
    fn limit(&self, chance: &mut Probability) {
        if *chance > self.each {
            *chance = self.each.clone();
        }
    }
}

/// What a test is part of: the promises that hold for all tests of a run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// The chance that one or more tests pass although their claim is violated.
    pub epsilon: Option<Share>,
    /// The chance that one or more tests with a tolerated rate, or with a claim on
    /// numbers or labels, are violated although their programs stay within it.
    pub false_alarm: Option<Share>,
}

impl Suite {
    /// Gives a claim its parts.
    pub fn limit(&self, mut claim: Claim) -> Claim {
        if let Some(share) = &self.epsilon {
            claim = share.limit_epsilon(claim);
        }
        if let Some(share) = &self.false_alarm {
            claim = share.limit_false_alarm(claim);
        }
        claim
    }

    /// Gives a claim on numbers or labels its parts. It bounds both chances, so that it
    /// has a part of each.
    ///
    /// ```
    /// use probtest::budget::{Share, Suite};
    /// use probtest::claim::numeric::MeanClaim;
    /// use std::num::NonZeroU64;
    ///
    /// let tests = NonZeroU64::new(10).unwrap();
    /// let epsilon = Some(Share::new("0.1".parse()?, tests));
    /// let suite = Suite { epsilon, false_alarm: None };
    /// let claim = MeanClaim::above((0.0, 1.0), 0.9, 0.05)?;
    /// let part = suite.limit_numeric(claim.into());
    /// assert_eq!(part.epsilon().to_string(), "0.01");
    /// assert_eq!(part.false_alarm().to_string(), "1e-6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limit_numeric(&self, mut claim: NumericClaim) -> NumericClaim {
        let (epsilon, false_alarm) = claim.both_chances();
        if let Some(share) = &self.epsilon {
            share.limit(epsilon);
        }
        if let Some(share) = &self.false_alarm {
            share.limit(false_alarm);
        }
        claim
    }
}
