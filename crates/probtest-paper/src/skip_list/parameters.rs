//! The two numbers that say how random a skip list is.

use rand::Rng;

/// How likely a node is raised to the next level, and how many levels there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    raise: f64,
    levels: usize,
}

impl Parameters {
    /// The parameters of the paper: a fair coin and three levels.
    pub const PAPER: Parameters = Parameters {
        raise: 0.5,
        levels: 3,
    };

    /// Takes the probability of raising a node, p_r, and the number of levels, M.
    ///
    /// # Panics
    ///
    /// When p_r is not strictly between 0 and 1, or there is no level.
    pub fn new(raise: f64, levels: usize) -> Self {
        assert!(
            raise > 0.0 && raise < 1.0,
            "{raise} is no chance of raising"
        );
        assert!(levels > 0, "a skip list has at least one level");
        Parameters { raise, levels }
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

    /// Level i below M has probability p_r^(i-1) (1 - p_r), level M p_r^(M-1).
    #[test]
    fn equation_two_is_the_least_probability_of_a_level_to_the_power_of_the_insertions() {
        for raise in [0.01, 0.25, 0.5, 0.500001, 0.6, 0.75, 0.99] {
            for levels in 1..=8 {
                let parameters = Parameters::new(raise, levels);
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
}
