//! Bets that the mean of numbers from 0 to 1 is higher than somebody says.
//!
//! A bet of size `s` multiplies its capital by `(1 + s x) / (1 + s m)` when the
//! number `x` is seen. Were the mean `m` or lower, the capital would not grow on
//! average, so by Ville's inequality it ever reaches `c` with probability at
//! most `1 / c`, and so does any average of such bets. The numerators do not
//! depend on `m`: a sum for each size is all that is kept, whatever is asked of
//! it later.

/// What each size of bet has won, but for the mean that it bets against.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    sizes: Vec<f64>,
    /// The logarithm of the product of `1 + s x`.
    gains: Vec<f64>,
    executions: u64,
}

impl Bank {
    /// Opens with some sizes of bets, all above 0.
    pub(crate) fn new(sizes: Vec<f64>) -> Self {
        Bank {
            gains: vec![0.0; sizes.len()],
            sizes,
            executions: 0,
        }
    }

    /// Plays a number from 0 to 1.
    pub(crate) fn add(&mut self, x: f64) {
        self.executions += 1;
        if x == 0.0 {
            return;
        }
        for (gain, size) in self.gains.iter_mut().zip(&self.sizes) {
            *gain += (size * x).ln_1p();
        }
    }

    /// Takes so many ones among so many zeros and ones for what was played.
    pub(crate) fn set(&mut self, ones: u64, executions: u64) {
        self.executions = executions;
        for (gain, size) in self.gains.iter_mut().zip(&self.sizes) {
            *gain = ones as f64 * size.ln_1p();
        }
    }

    /// The logarithm of the capital of a bet.
    pub(crate) fn log_capital(&self, bet: &Bet) -> f64 {
        let n = self.executions as f64;
        let bets = bet.parts.iter().zip(&self.gains);
        log_sum(bets.map(|((weight, fair), gain)| weight + gain - n * fair))
    }

    /// Finds the lowest mean that the bets, equally weighted, have not won
    /// `threshold` (a logarithm) against.
    pub(crate) fn lowest(&self, threshold: f64) -> f64 {
        let weight = -(self.sizes.len() as f64).ln();
        let n = self.executions as f64;
        let won = |mean: f64| {
            let bets = self.sizes.iter().zip(&self.gains);
            log_sum(bets.map(|(size, gain)| weight + gain - n * (size * mean).ln_1p())) >= threshold
        };
        if !won(0.0) {
            return 0.0;
        }
        // Capital falls as the mean rises; at 1 nothing can be won.
        crate::plan::deviance::first_where(1.0, 0.0, won)
    }
}

/// Weights on the sizes of a bank, against one mean.
#[derive(Clone, Debug)]
pub(crate) struct Bet {
    /// The logarithm of the weight, and of `1 + s m`.
    parts: Vec<(f64, f64)>,
}

impl Bet {
    /// Bets against a mean: half on one size, half spread over the others.
    pub(crate) fn new(bank: &Bank, against: f64, favourite: usize) -> Self {
        let others = bank.sizes.len().saturating_sub(1) as f64;
        let part = |(index, size): (usize, &f64)| {
            let weight = match index == favourite {
                true => 0.5_f64,
                false => 0.5 / others,
            };
            (weight.ln(), (size * against).ln_1p())
        };
        Bet {
            parts: bank.sizes.iter().enumerate().map(part).collect(),
        }
    }
}

/// The logarithm of the sum of numbers given by their logarithms.
fn log_sum(logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = logarithms.map(|log| (log - largest).exp()).sum();
    largest + sum.ln()
}
