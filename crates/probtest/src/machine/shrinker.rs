//! Makes a tape smaller while it still shows the same.
//!
//! Says which tape to try next and takes the result. Smaller means: fewer non-zero draws, then
//! fewer draws, then smaller numbers. It cycles through its steps until none of them removes
//! anything.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::seed::Tape;

/// The most tapes to try for moving a draw, so that it only happens when few draws are left.
const MOST_MOVES: usize = 2048;

pub(super) struct Shrinker {
    /// The draws of the smallest execution so far, including zeros.
    pub(super) best: Vec<u64>,
    step: Step,
    /// Whether something was removed since the first step.
    improved: bool,
    /// Hashes of the tapes tried. A collision only means that one isn't tried.
    tried: HashSet<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// All zeros.
    Simplest,
    /// Fewer draws at the end, by this many.
    Cut { count: usize },
    /// Without one block.
    Delete { at: usize, size: usize },
    /// One block set to zero.
    Zero { at: usize, size: usize },
    /// One non-zero draw less, with another one moved; the number encodes the two draws and the new
    /// place.
    Move { number: usize },
    /// A lower number. `with_equals` lowers all equal draws together.
    Lower { at: usize, by: Lowering, with_equals: bool },
    /// Nothing left to try.
    Done,
}

impl Step {
    fn lower(at: usize, with_equals: bool) -> Self {
        let by = Lowering::Same(0);
        Step::Lower { at, by, with_equals }
    }
}

/// How to lower a number. Values of other draws come first, since they often recur.
#[derive(Clone, Copy, Debug)]
enum Lowering {
    /// To the value of another draw, by its place among them.
    Same(usize),
    /// By one: if that is too low, so is everything lower.
    One,
    /// To the middle; everything up to `low` was too low.
    Half { low: u64 },
    /// To its lowest bits, by a place in `LOWEST`: some programs only use those.
    Low(usize),
}

const LOWEST: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];

/// The lowest bits of a word, or of its upper half if the lower half is zero, as for a 32-bit
/// number.
fn lowest(word: u64, bits: u32) -> u64 {
    let shift = if word as u32 == 0 { 32 } else { 0 };
    word & (((1 << bits) - 1) << shift)
}

impl Shrinker {
    pub(super) fn new(drawn: Vec<u64>) -> Self {
        let tried = HashSet::from([fingerprint(&Tape::new(drawn.clone()))]);
        Shrinker { best: drawn, step: Step::Simplest, improved: false, tried }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.step, Step::Done)
    }

    /// The tape to try next, unless time is up: on a long tape many steps change nothing.
    pub(super) fn next(&mut self, mut is_over: impl FnMut() -> bool) -> Option<Tape> {
        loop {
            if self.is_done() || is_over() {
                return None;
            }
            let Some(words) = self.candidate() else {
                self.step = self.after();
                continue;
            };
            let tape = Tape::new(words);
            if is_smaller(tape.words(), &self.best) && self.tried.insert(fingerprint(&tape)) {
                return Some(tape);
            }
            self.failed();
        }
    }

    /// Takes what the execution on the last tape drew, if it showed the same.
    pub(super) fn observe(&mut self, drawn: Option<Vec<u64>>) {
        match drawn {
            Some(drawn) if is_smaller(&drawn, &self.best) => {
                self.best = drawn;
                self.improved = true;
                match &mut self.step {
                    Step::Simplest => self.step = Step::Done,
                    // Different draws matter now.
                    Step::Move { number } => *number = 0,
                    Step::Lower { by: by @ Lowering::One, .. } => *by = Lowering::Half { low: 0 },
                    Step::Lower { by: by @ Lowering::Low(_), .. } => *by = Lowering::One,
                    _ => {}
                }
            }
            _ => self.failed(),
        }
    }

    /// What the step tries next; `None` when it is finished.
    fn candidate(&self) -> Option<Vec<u64>> {
        let mut words = self.best.clone();
        match self.step {
            Step::Simplest => words.clear(),
            Step::Cut { count } => {
                words.truncate(words.len().checked_sub(count).filter(|_| count > 0)?);
            }
            Step::Delete { at, size } => drop(words.drain(self.block(at, size)?)),
            Step::Zero { at, size } => words[self.block(at, size)?].fill(0),
            Step::Move { number } => {
                let matter: Vec<usize> = (0..words.len()).filter(|at| words[*at] != 0).collect();
                let (length, count) = (words.len(), matter.len());
                if length.saturating_mul(count * count) > MOST_MOVES {
                    return None;
                }
                let pair = number.checked_div(length).filter(|pair| *pair < count * count)?;
                let (moved, left_out) = (matter[pair / count], matter[pair % count]);
                let word = std::mem::take(&mut words[moved]);
                words[left_out] = 0;
                words[number % length] = word;
            }
            Step::Lower { at, by, with_equals } => {
                let own = *words.get(at)?;
                let lower = match by {
                    Lowering::Same(value) => {
                        self.values_below(own).get(value).copied().unwrap_or(own)
                    }
                    Lowering::One => own.saturating_sub(1),
                    Lowering::Half { low } => low + own.saturating_sub(low) / 2,
                    Lowering::Low(place) => lowest(own, LOWEST[place]),
                };
                for (place, word) in words.iter_mut().enumerate() {
                    if place == at || with_equals && *word == own {
                        *word = lower;
                    }
                }
            }
            Step::Done => return None,
        }
        Some(words)
    }

    /// The positions of a block, if there are any.
    fn block(&self, at: usize, size: usize) -> Option<Range<usize>> {
        let end = (at + size).min(self.best.len());
        (at < end).then_some(at..end)
    }

    /// The non-zero values of draws below a word, smallest first.
    fn values_below(&self, word: u64) -> Vec<u64> {
        let mut values: Vec<u64> =
            self.best.iter().copied().filter(|v| (1..word).contains(v)).collect();
        values.sort_unstable();
        values.dedup();
        values.truncate(8);
        values
    }

    /// The first non-zero draw from a position on, or the end.
    fn next_that_matters(&self, at: usize) -> usize {
        let rest = self.best.get(at..).unwrap_or_default();
        let found = rest.iter().position(|word| *word != 0);
        found.map_or(self.best.len(), |place| at + place)
    }

    /// Continues within the step, since the last try didn't help.
    fn failed(&mut self) {
        self.step = match self.step {
            Step::Simplest => self.after(),
            Step::Cut { count } => Step::Cut { count: count / 2 },
            Step::Delete { at, size } => Step::Delete { at: at + size, size },
            Step::Zero { at, size } => Step::Zero { at: self.next_that_matters(at + size), size },
            Step::Move { number } => Step::Move { number: number + 1 },
            Step::Lower { at, by, with_equals } => {
                let own = self.best.get(at).copied().unwrap_or(0);
                let by = match by {
                    Lowering::Same(value) if value + 1 < self.values_below(own).len() => {
                        Some(Lowering::Same(value + 1))
                    }
                    Lowering::Same(_) if own > 0 => Some(Lowering::One),
                    Lowering::One => Some(Lowering::Low(0)),
                    Lowering::Low(place) if place + 1 < LOWEST.len() => {
                        Some(Lowering::Low(place + 1))
                    }
                    Lowering::Half { low } if own.saturating_sub(low) > 1 => {
                        Some(Lowering::Half { low: low + (own - low) / 2 })
                    }
                    _ => None,
                };
                match by {
                    Some(by) => Step::Lower { at, by, with_equals },
                    None => Step::lower(self.next_that_matters(at + 1), with_equals),
                }
            }
            Step::Done => Step::Done,
        };
    }

    fn after(&mut self) -> Step {
        let half = (self.best.len() / 2).max(1);
        match self.step {
            Step::Simplest => Step::Cut { count: half },
            Step::Cut { count } if count > 1 => Step::Cut { count: count / 2 },
            Step::Delete { size, .. } if size > 1 => Step::Delete { at: 0, size: size / 2 },
            Step::Zero { size, .. } if size > 1 => Step::Zero { at: 0, size: size / 2 },
            Step::Cut { .. } => Step::Delete { at: 0, size: half },
            Step::Delete { .. } => Step::Zero { at: 0, size: half },
            Step::Zero { .. } => Step::Move { number: 0 },
            Step::Move { .. } => Step::lower(0, true),
            Step::Lower { with_equals: true, .. } => Step::lower(0, false),
            Step::Lower { .. } if std::mem::take(&mut self.improved) => Step::Cut { count: half },
            Step::Lower { .. } | Step::Done => Step::Done,
        }
    }
}

fn fingerprint(tape: &Tape) -> u64 {
    let mut hasher = DefaultHasher::new();
    tape.hash(&mut hasher);
    hasher.finish()
}

/// Whether `first` is smaller than `second`. Zeros at the end count as draws.
fn is_smaller(first: &[u64], second: &[u64]) -> bool {
    let matter = |words: &[u64]| words.iter().filter(|word| **word != 0).count();
    let order = matter(first)
        .cmp(&matter(second))
        .then(first.len().cmp(&second.len()))
        .then_with(|| first.cmp(second));
    order == Ordering::Less
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shrinks draws for a program that reads words until it has enough and says whether they show
    /// the same.
    fn shrink(drawn: &[u64], length: usize, shows: impl Fn(&[u64]) -> bool) -> (Vec<u64>, usize) {
        let mut shrinker = Shrinker::new(drawn.to_vec());
        let mut executions = 0;
        while let Some(tape) = shrinker.next(|| false) {
            let mut words = tape.words().to_vec();
            words.resize(length, 0);
            executions += 1;
            shrinker.observe(shows(&words).then_some(words));
        }
        (shrinker.best, executions)
    }

    /// Numbers that look random: a multiple of an odd number, with mixed bits.
    fn scrambled(number: u64) -> u64 {
        let word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word ^ word >> 29
    }

    #[test]
    fn fifteen_of_twenty_steps_are_left_and_each_is_as_low_as_it_can_be() {
        let up = |word: &u64| *word >= 1 << 63;
        let shows = |words: &[u64]| words.iter().filter(|word| up(word)).count() >= 15;
        let drawn: Vec<u64> = (1..)
            .map(scrambled)
            .scan(0, |_, word| Some(word | (word % 7).min(1) << 63))
            .take(20)
            .collect();
        assert!(shows(&drawn));
        let (best, executions) = shrink(&drawn, 20, shows);
        let mut sorted = best.clone();
        sorted.sort_unstable();
        assert_eq!(sorted[..5], [0; 5]);
        assert_eq!(sorted[5..], [1 << 63; 15]);
        assert!(executions < 400, "{executions} executions");
    }

    #[test]
    fn a_program_that_looks_at_the_lowest_bits_gets_the_smallest_number() {
        // Like NumPy's older functions, on the 32 bits in the upper half.
        let shows = |words: &[u64]| words.iter().filter(|word| **word >> 32 & 7 == 5).count() >= 3;
        let drawn: Vec<u64> =
            (1..=6).map(|number| (scrambled(number) >> 35 << 3 | 5) << 32).collect();
        let (best, _) = shrink(&drawn, 6, shows);
        let mut sorted = best.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 0, 0, 5 << 32, 5 << 32, 5 << 32]);
    }

    #[test]
    fn nothing_but_zeros_is_found_at_once() {
        let drawn: Vec<u64> = (1..=4000).map(scrambled).collect();
        assert_eq!(shrink(&drawn, 20, |_| true), (vec![0; 20], 1));
    }

    #[test]
    fn zeros_of_a_long_tape_are_passed_over_and_the_clock_is_asked_with_every_step() {
        let mut drawn = vec![0; 2000];
        drawn[1400] = 8;
        let mut shrinker = Shrinker::new(drawn);
        let mut asked = 0;
        while shrinker
            .next(|| {
                asked += 1;
                false
            })
            .is_some()
        {
            shrinker.observe(None);
        }
        // Deleting blocks by halves takes 4000 steps; the draw that matters is moved to 2000
        // places.
        assert!(asked < 6500, "{asked} steps");
        let mut shrinker = Shrinker::new(vec![1; 1000]);
        assert!(shrinker.next(|| true).is_none() && !shrinker.is_done());
    }

    #[test]
    fn what_is_left_is_minimal_for_every_small_program() {
        // All sets of at most three of six draws that a program may need to be high.
        for needed in 0_u32..64 {
            let shows =
                |words: &[u64]| (0..6).all(|place| needed >> place & 1 == 0 || words[place] > 9);
            let drawn: Vec<u64> = (1..=6).map(|number| scrambled(number) | 16).collect();
            let (best, _) = shrink(&drawn, 6, shows);
            let expected: Vec<u64> =
                (0..6).map(|place| u64::from(needed >> place & 1) * 10).collect();
            assert_eq!(best, expected);
        }
    }
}
