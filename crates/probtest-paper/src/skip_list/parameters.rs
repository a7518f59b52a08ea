//! The two numbers that say how random a skip list is.

use rand::Rng;

/// How likely a node is raised to the next level, and how many levels there are.
///
/// ```
/// use probtest_paper::skip_list::Parameters;
///
/// let parameters = Parameters::new(0.5, 3)?;
/// assert_eq!(parameters, Parameters::PAPER);
/// assert!(Parameters::new(1.0, 3).is_err());
/// # Ok::<(), probtest_paper::skip_list::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    raise: f64,
    levels: usize,
}

/// Says which parameter makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The probability of raising a node is no probability.
    #[error(
        "the probability of raising a node is not strictly between 0 and 1\n  given  {given}\n  help   1/2 is the usual choice"
    )]
    Raise {
        /// The number given.
        given: f64,
    },
    /// A list without a level holds nothing.
    #[error("a skip list has at least one level\n  given  0\n  help   3 is the paper's choice")]
    NoLevel,
}

impl Parameters {
    /// The parameters of the paper: a fair coin and three levels.
    pub const PAPER: Parameters = Parameters {
        raise: 0.5,
        levels: 3,
    };

    /// Takes the probability of raising a node, p_r, and the number of levels, M.
    ///
    /// # Errors
    ///
    /// When p_r is not strictly between 0 and 1, or there is no level.
    pub fn new(raise: f64, levels: usize) -> Result<Self, ParameterError> {
        if !(raise > 0.0 && raise < 1.0) {
            return Err(ParameterError::Raise { given: raise });
        }
        if levels == 0 {
            return Err(ParameterError::NoLevel);
        }
        Ok(Parameters { raise, levels })
    }

    /// The probability that a node is raised by one level, p_r.
    pub fn raise(&self) -> f64 {
        self.raise
    }

    /// The most levels that a list has, M.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Tosses the coin: true means that the node is raised.
    ///
    /// One word for each toss, compared with a threshold here and not in `rand`:
    /// the smallest word always raises and the largest never does, which lets
    /// [`super::exact`] walk through all tosses.
    #[inline]
    pub(super) fn toss<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        // A power of two scales without rounding; below 1 it fits into 64 bits.
        let threshold = (self.raise * 2.0_f64.powi(64)) as u64;
        rng.next_u64() < threshold.max(1)
    }

    /// The probability of the least likely shape after some insertions: equation
    /// (2) of the paper.
    ///
    /// A bug that shows in one shape only shows at least this often, provided
    /// that a test builds one list. With p_r up to 1/2 the least likely shape has
    /// every node on the top level, above 1/2 every node on the level below the
    /// top. A single level leaves nothing to chance: the answer is 1.
    ///
    /// ```
    /// use probtest_paper::skip_list::Parameters;
    ///
    /// assert_eq!(Parameters::PAPER.least_likely_shape(4), 1.0 / 256.0);
    /// let mostly_raised = Parameters::new(0.75, 4)?;
    /// assert_eq!(mostly_raised.least_likely_shape(1), 0.75 * 0.75 * 0.25);
    /// # Ok::<(), probtest_paper::skip_list::ParameterError>(())
    /// ```
    pub fn least_likely_shape(&self, insertions: u32) -> f64 {
        let insertions = f64::from(insertions);
        let levels = self.levels as f64;
        if self.levels == 1 {
            1.0
        } else if self.raise <= 0.5 {
            self.raise.powf(insertions * (levels - 1.0))
        } else {
            self.raise.powf(insertions * (levels - 2.0)) * (1.0 - self.raise).powf(insertions)
        }
    }

    /// How many shapes a list can have after some insertions: M^R, or nothing
    /// when that is more than fits into 128 bits.
    pub fn shapes(&self, insertions: u32) -> Option<u128> {
        (self.levels as u128).checked_pow(insertions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equation_two_gives_the_papers_probabilities() {
        let exact = [0.25, 0.0625, 0.015625, 0.00390625];
        for (insertions, p) in (1..).zip(exact) {
            assert_eq!(Parameters::PAPER.least_likely_shape(insertions), p);
        }
    }

    #[test]
    fn equation_two_above_one_half_takes_the_level_below_the_top() {
        let parameters = Parameters::new(0.9, 3).unwrap();
        let least = parameters.least_likely_shape(2);
        assert!((least - 0.9_f64.powi(2) * 0.1_f64.powi(2)).abs() < 1e-15);
        let two_levels = Parameters::new(0.9, 2).unwrap();
        assert!((two_levels.least_likely_shape(3) - 1e-3).abs() < 1e-15);
    }

    /// Level i below M has probability p_r^(i-1) (1 - p_r), level M p_r^(M-1).
    #[test]
    fn equation_two_is_the_least_probability_of_a_level_to_the_power_of_the_insertions() {
        for raise in [0.01, 0.25, 0.5, 0.500001, 0.6, 0.75, 0.99] {
            for levels in 1..=8 {
                let parameters = Parameters::new(raise, levels).unwrap();
                let top = raise.powi(levels as i32 - 1);
                let least = (1..levels)
                    .map(|level| raise.powi(level as i32 - 1) * (1.0 - raise))
                    .fold(top, f64::min);
                for insertions in 0..5 {
                    let expected = least.powi(insertions as i32);
                    let given = parameters.least_likely_shape(insertions);
                    assert!(
                        (given - expected).abs() <= 1e-12 * expected,
                        "p_r {raise}, M {levels}, R {insertions}: {given} instead of {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_shapes_as_levels_to_the_power_of_the_insertions() {
        assert_eq!(Parameters::PAPER.shapes(4), Some(81));
        assert_eq!(Parameters::PAPER.shapes(1000), None);
    }

    #[test]
    fn parameters_that_make_no_sense_are_refused() {
        for raise in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert!(Parameters::new(raise, 3).is_err(), "{raise}");
        }
        assert_eq!(Parameters::new(0.5, 0), Err(ParameterError::NoLevel));
    }
}
