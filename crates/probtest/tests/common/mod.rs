//! Following all ways in which executions can go.

/// The probability that `lost` ever holds, for the ones among the executions so far.
/// Each of at most `most` executions is a one with probability `p`.
pub fn ever(p: f64, most: usize, lost: impl Fn(usize, usize) -> bool) -> f64 {
    let mut inside = vec![1.0];
    let mut total = 0.0;
    for n in 1..=most {
        let mut next = vec![0.0; n + 1];
        for (x, chance) in inside.iter().enumerate() {
            next[x] += chance * (1.0 - p);
            next[x + 1] += chance * p;
        }
        for (x, chance) in next.iter_mut().enumerate() {
            if *chance > 0.0 && lost(x, n) {
                total += *chance;
                *chance = 0.0;
            }
        }
        inside = next;
    }
    total
}
