//! Random inputs under a claim: what to sort is drawn too.

use probtest::{TestRng, probtest};
use proptest::collection::vec;
use quick_sort::{hasty_sort, quick_sort};

/// The kind of list that such a test is often written with: no pivot shows the bug.
#[probtest(p = 0.01)]
fn one_list_does_not_show_it(rng: &mut TestRng) {
    let mut xs = [5, 3, 9, 1, 7, 2, 8, 6, 4];
    hasty_sort(&mut xs, rng);
    assert_eq!(xs, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

/// The input and the pivots are drawn together. The seed is fixed, so that the bug is found each
/// time.
#[probtest(p = 0.01, seed = 7)]
#[should_panic(expected = "is not sorted")]
fn random_lists_show_it(rng: &mut TestRng, #[strategy(vec(0..100u32, 0..50))] mut xs: Vec<u32>) {
    hasty_sort(&mut xs, rng);
    assert!(xs.is_sorted(), "{xs:?} is not sorted");
}

/// Each of 20 lists is sorted often enough to catch one that fails with probability 0.1.
#[probtest(inputs = 20, p = 0.1)]
fn every_list_is_sorted(rng: &mut TestRng, #[strategy(vec(0..100u32, 0..50))] mut xs: Vec<u32>) {
    let mut sorted = xs.clone();
    sorted.sort_unstable();
    quick_sort(&mut xs, rng);
    assert_eq!(xs, sorted);
}
