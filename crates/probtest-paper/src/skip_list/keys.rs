//! The keys of a suite run: how they are drawn, and which of their features matter.

use probtest::TestRng;

use super::Key;

/// The largest key; the smallest is 0.
pub const LARGEST: Key = 100;

/// Draws distinct keys, with each order of each choice equally likely. Panics if more are requested
/// than there are.
pub fn draw(count: u32, rng: &mut TestRng) -> Vec<Key> {
    let there_are = LARGEST as u32 + 1;
    assert!(count <= there_are, "there are {there_are} keys only");
    let mut keys = Vec::with_capacity(count as usize);
    while keys.len() < count as usize {
        let key = below(there_are, rng) as Key;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// A number below a bound, all equally likely.
fn below(bound: u32, rng: &mut TestRng) -> u32 {
    // Words past the last whole multiple of the bound would favour some numbers.
    let whole = u32::MAX - u32::MAX % bound;
    loop {
        let word = rng.draw_u32();
        if word < whole {
            return word % bound;
        }
    }
}

/// Keys that represent all others with the same behaviour, and their total probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    pub keys: Vec<Key>,
    /// The probability that drawn keys belong to it.
    pub probability: f64,
}

/// Splits all ways of drawing keys into classes.
///
/// A list only compares keys, so only their order matters: one class for each of the R! orders.
/// With a bug that decrements a key, it also matters which keys are adjacent: with `neighbours`,
/// each order is split by which differences between sorted keys are 1 and which are larger.
pub fn classes(count: u32, neighbours: bool) -> Vec<Class> {
    let gaps = count.saturating_sub(1);
    let patterns = if neighbours { 1_u32 << gaps } else { 1 };
    let orders = orders(count as usize);
    let all = binomial(LARGEST as u64 + 1, u64::from(count));
    let mut classes = Vec::new();
    for pattern in 0..patterns {
        let wide = |gap: u32| !neighbours || pattern >> gap & 1 == 1;
        let mut sorted = vec![10];
        for gap in 0..gaps {
            sorted.push(sorted[gap as usize] + if wide(gap) { 10 } else { 1 });
        }
        let share = if neighbours {
            // What remains after the smallest differences (1 or 2) is spread over the wide gaps and
            // both ends.
            let wide_gaps = u64::from(pattern.count_ones());
            let left = LARGEST as u64 - u64::from(gaps) - wide_gaps;
            binomial(left + wide_gaps + 1, wide_gaps + 1) / all
        } else {
            1.0
        };
        classes.extend(orders.iter().map(|order| Class {
            keys: order.iter().map(|&rank| sorted[rank]).collect(),
            probability: share / orders.len() as f64,
        }));
    }
    classes
}

/// All orders of the numbers below a count.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for next in 0..count {
        let longer =
            |order: &Vec<usize>, place| [&order[..place], &[next], &order[place..]].concat();
        let places = |order| (0..=next).rev().map(move |place| longer(order, place));
        orders = orders.iter().flat_map(places).collect();
    }
    orders
}

fn binomial(n: u64, k: u64) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}
