//! What constant seeds hide: is a test that passes with its own seeds right for others, too?

use super::confidence::ConfidenceSequence;

/// A failure rate that is high enough to say "almost every seed".
const ALMOST_EVERY: f64 = 0.8;

/// What other seeds did to a test, beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherSeeds {
    /// It fails with its own seeds, so that other ones tell nothing new.
    FailsWithItsOwn,
    /// None of them failed.
    NoneFailed,
    /// Some failed: the test passes for its lucky seeds.
    SomeFail,
    /// Almost every one fails: the test compares with values that belong to its own seeds.
    ExpectedValues,
    /// All failed, and they were too few to tell the last two apart.
    Undecided,
}

impl OtherSeeds {
    /// Says what executions under other seeds mean for a test: so many of them failed.
    ///
    /// `sequence` has the intervals, which hold whenever the executions ended.
    ///
    /// ```
    /// use probtest::judge::{OtherSeeds, confidence::ConfidenceSequence};
    ///
    /// let sequence = ConfidenceSequence::new(0.95)?;
    /// let seen = |failed, executed| OtherSeeds::of(true, failed, executed, &sequence);
    /// assert_eq!(seen(0, 30), OtherSeeds::NoneFailed);
    /// assert_eq!(seen(4, 30), OtherSeeds::SomeFail);
    /// assert_eq!(seen(30, 30), OtherSeeds::ExpectedValues);
    /// assert_eq!(seen(3, 3), OtherSeeds::Undecided);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn of(
        passes_with_its_own: bool,
        failed: u64,
        executed: u64,
        sequence: &ConfidenceSequence,
    ) -> OtherSeeds {
        if !passes_with_its_own {
            return OtherSeeds::FailsWithItsOwn;
        }
        if failed == 0 {
            return OtherSeeds::NoneFailed;
        }
        let (low, _) = sequence.interval(failed, executed);
        // A value that belongs to one seed is not met by chance: one pass under another seed is
        // evidence against it, unless passes are rare.
        match (low >= ALMOST_EVERY, failed == executed) {
            (true, _) => OtherSeeds::ExpectedValues,
            (false, true) => OtherSeeds::Undecided,
            (false, false) => OtherSeeds::SomeFail,
        }
    }

    /// The word for it, as facts have it.
    pub fn word(self) -> &'static str {
        match self {
            OtherSeeds::FailsWithItsOwn => "fails_with_its_own",
            OtherSeeds::NoneFailed => "none_failed",
            OtherSeeds::SomeFail => "some_fail",
            OtherSeeds::ExpectedValues => "expected_values",
            OtherSeeds::Undecided => "undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(failed: u64, executed: u64) -> OtherSeeds {
        let sequence = ConfidenceSequence::new(0.95).unwrap();
        OtherSeeds::of(true, failed, executed, &sequence)
    }

    #[test]
    fn almost_every_seed_is_a_rate_whose_interval_lies_above_four_fifths() {
        let least = (1..).find(|n| seen(*n, *n) == OtherSeeds::ExpectedValues);
        assert_eq!(least, Some(24));
        assert_eq!(seen(200, 210), OtherSeeds::ExpectedValues);
        assert_eq!(seen(200, 250), OtherSeeds::SomeFail);
    }

    #[test]
    fn one_pass_among_few_is_no_value_that_belongs_to_a_seed() {
        assert_eq!(seen(9, 10), OtherSeeds::SomeFail);
        assert_eq!(seen(1, 1), OtherSeeds::Undecided);
    }

    #[test]
    fn a_test_that_fails_with_its_own_seeds_is_not_told_by_others() {
        let sequence = ConfidenceSequence::new(0.95).unwrap();
        for failed in [0, 3, 30] {
            let found = OtherSeeds::of(false, failed, 30, &sequence);
            assert_eq!(found, OtherSeeds::FailsWithItsOwn);
        }
    }
}
