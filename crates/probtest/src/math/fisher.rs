//! Fisher's exact test for two shares.

/// If two shares have the same true value, the chance of a result at least as unlikely as the
/// observed one: `first` of `of_first`, and `second` of `of_second`.
///
/// Computed from the chances of all tables with the same sums, each from the previous one.
pub(crate) fn same_share(first: u64, of_first: u64, second: u64, of_second: u64) -> f64 {
    let with = first + second;
    let low = with.saturating_sub(of_second);
    let high = with.min(of_first);
    // Logarithms up to a common factor: products of many ratios leave the range of a double.
    let mut logs = vec![0.0_f64];
    for seen in low..high {
        let (k, others) = (seen as f64, (with - seen) as f64);
        let up = (of_first as f64 - k) * others;
        let down = (k + 1.0) * (of_second as f64 - others + 1.0);
        logs.push(logs[logs.len() - 1] + (up / down).ln());
    }
    let largest = logs.iter().copied().fold(f64::MIN, f64::max);
    let own = logs[(first - low) as usize];
    // Tables as likely as the observed one count in spite of rounding.
    let as_unlikely = |log: &&f64| **log <= own + 1e-7;
    let sum =
        |logs: &mut dyn Iterator<Item = &f64>| logs.map(|log| (log - largest).exp()).sum::<f64>();
    let (extreme, all) = (sum(&mut logs.iter().filter(as_unlikely)), sum(&mut logs.iter()));
    (extreme / all).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::same_share;

    #[test]
    fn known_tables_have_their_chances() {
        // By hand: 34/70 for the lady tasting tea who gets three of four right.
        assert!((same_share(3, 4, 1, 4) - 34.0 / 70.0).abs() < 1e-12);
        assert!((same_share(4, 4, 0, 4) - 2.0 / 70.0).abs() < 1e-12);
        // Computed from integer binomial coefficients.
        assert!((same_share(8, 10, 1, 6) - 0.034_965_034_965_034_96).abs() < 1e-12);
        assert!((same_share(7, 20, 120, 1000) - 0.007_557_690_712_521_181).abs() < 1e-12);
    }

    #[test]
    fn equal_shares_are_likely_and_empty_ones_certain() {
        assert!((same_share(5, 10, 50, 100) - 1.0).abs() < 1e-9);
        assert_eq!(same_share(0, 10, 0, 100), 1.0);
        assert_eq!(same_share(0, 0, 3, 100), 1.0);
        assert!(same_share(1000, 1000, 0, 1_000_000) < 1e-100);
    }
}
