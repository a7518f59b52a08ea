//! Seeing that executions record the same far too often.
//!
//! A body records what should differ from execution to execution: the answer of a model, a
//! trajectory. Executions 1 and 2 are a pair, 3 and 4 the next. Pairs share no execution, so
//! with independent executions each is equal with the same chance, whatever the others are.
//! Where that chance is at most one half, the claim stands: half of the executions are no
//! copies, and the chance of missing is at most the square root of what was asked for. So
//! there is a doubt where as many equal pairs have a chance below [`FALSE_ALARM`] even at
//! one half: by 20 pairs that are all equal, or 32 of 36, or 105 of 150.
//!
//! What executions *return* is not compared. Numbers and labels of a claim may well be the same: a
//! score is 1 in 99 of 100 executions, or 1/3. Independent executions of such a program look as
//! copies do, whatever is counted, so that a doubt would often be wrong.

use crate::math::binomial::{self, Rate};

/// The chance of a doubt about executions that record the same in half of the pairs.
const FALSE_ALARM: f64 = 1e-6;

/// Pairs of neighbours that recorded something.
#[derive(Clone, Copy, Default)]
pub(super) struct Copies {
    last: Option<(u64, u64)>,
    pairs: u64,
    equal: u64,
}

impl Copies {
    /// Adds what the next execution recorded.
    pub(super) fn add(&mut self, index: u64, recorded: u64) {
        if index.is_multiple_of(2)
            && let Some((before, other)) = self.last
            && before + 1 == index
        {
            self.pairs += 1;
            self.equal += u64::from(other == recorded);
        }
        self.last = Some((index, recorded));
    }

    /// How many pairs of how many are equal, where those are too many.
    pub(super) fn too_many(&self) -> Option<(u64, u64)> {
        let Copies { pairs, equal, .. } = *self;
        if equal == 0 {
            return None;
        }
        let chance = binomial::more_than(equal - 1, pairs, Rate::new(0.5));
        (chance < FALSE_ALARM).then_some((equal, pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(equal: u64, pairs: u64) -> bool {
        let mut copies = Copies::default();
        for pair in 0..pairs {
            copies.add(2 * pair + 1, pair);
            copies.add(2 * pair + 2, if pair < equal { pair } else { !pair });
        }
        copies.too_many().is_some()
    }

    #[test]
    fn a_doubt_needs_so_many_equal_pairs() {
        // 2^-20 is the first power below 1e-6.
        assert!(!seen(19, 19) && seen(20, 20));
        assert!(!seen(31, 36) && seen(32, 36));
        assert!(!seen(104, 150) && seen(105, 150));
        assert!(!seen(0, 0) && !seen(500, 1000));
    }

    #[test]
    fn only_neighbours_are_compared() {
        let mut copies = Copies::default();
        for index in (1..=200).filter(|index| index % 4 != 1) {
            copies.add(index, 7);
        }
        // 3 and 4 are a pair; 2 has lost its neighbour.
        assert_eq!((copies.pairs, copies.equal), (50, 50));
    }
}
