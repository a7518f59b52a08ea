//! Does every operation agree with a widely used library?
//!
//! `dashu` computes the same in another way. Operands have up to forty words: random ones, and
//! those known to break long division and carries.

use super::*;
use dashu_base::{BitTest, DivRem, Gcd};
use dashu_int::UBig;

const MOST_WORDS: usize = 40;

/// A generator that gives the same numbers everywhere (splitmix64).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// Up to `most` words: random ones, or long runs of ones and zeros, which carry furthest and
    /// make a guessed quotient digit too large.
    fn words(&mut self, most: usize) -> Vec<u64> {
        let count = self.below(most + 1);
        let kind = self.below(4);
        let word = |_| match (kind, self.below(5)) {
            (0, _) => self.word(),
            (1, _) => u64::MAX,
            (_, 0) => self.word(),
            (_, 1) => 1 << self.below(64),
            (_, 2) => u64::MAX << self.below(64),
            (2, _) => 0,
            _ => u64::MAX,
        };
        (0..count).map(word).collect()
    }
}

/// The same number in both representations.
#[derive(Clone)]
struct Pair {
    ours: Natural,
    theirs: UBig,
}

fn pair(words: &[u64]) -> Pair {
    let theirs = words.iter().rev().fold(UBig::ZERO, |sum, word| (sum << 64usize) + *word);
    Pair { ours: Natural::from_words(words.to_vec()), theirs }
}

/// Fails unless both are the same number, and ours is in its only representation.
#[track_caller]
fn same(ours: &Natural, theirs: &UBig, what: &str) {
    match &ours.0 {
        Words::Inline(_) => assert!(theirs.bit_len() <= 128, "{what}: a small form"),
        Words::Heap(words) => {
            assert!(words.len() > 2 && words.last() != Some(&0), "{what}: a form of its own")
        }
    }
    let words: Vec<u64> = theirs.to_le_bytes().chunks(8).map(word).collect();
    assert_eq!(ours.words(), words, "{what}");
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Zero, one, powers of two with their neighbours, and all ones.
fn edges() -> Vec<Pair> {
    let mut found = vec![pair(&[])];
    for bits in [0, 1, 31, 52, 53, 62, 63, 64, 65, 127, 128, 129, 191, 192, 193, 256, 1000, 2560] {
        let mut words = vec![0; bits / 64 + 1];
        words[bits / 64] = 1 << (bits % 64);
        let power = pair(&words);
        words[0] |= 1;
        found.push(pair(&words));
        let below = &power.theirs - UBig::ONE;
        let below: Vec<u64> = below.to_le_bytes().chunks(8).map(word).collect();
        found.extend([power, pair(&below)]);
    }
    found
}

/// Every operation on two numbers.
fn check(a: &Pair, b: &Pair) {
    let name = format!("{} and {}", a.theirs, b.theirs);
    let ((x, y), (u, v)) = ((&a.ours, &b.ours), (&a.theirs, &b.theirs));
    same(&(x + y), &(u + v), &name);
    same(&(x * y), &(u * v), &name);
    assert_eq!(x.cmp(y), u.cmp(v), "{name}");
    assert_eq!(x == y, u == v, "{name}");
    if u >= v {
        same(&(x - y), &(u - v), &name);
    }
    if !v.is_zero() {
        let (quotient, rest) = x.div_rem(y);
        let expected = u.div_rem(v);
        same(&quotient, &expected.0, &name);
        same(&rest, &expected.1, &name);
        same(&(x / y), &expected.0, &name);
        same(&(x % y), &expected.1, &name);
        same(&x.gcd(y), &u.gcd(v), &name);
    }
}

/// Every operation on one number.
fn check_alone(a: &Pair, shift: usize) {
    let (x, u) = (&a.ours, &a.theirs);
    let name = u.to_string();
    same(&x.square(), &u.sqr(), &name);
    for shift in [shift, 0, 1, 63, 64, 65, 128, 5000] {
        same(&(x << shift), &(u << shift), &name);
        same(&(x >> shift), &(u >> shift), &name);
    }
    same(&x.clone().or_one(), &(u | UBig::ONE), &name);
    same(&x.gcd(&Natural::ZERO), u, &name);
    same(&Natural::ZERO.gcd(x), u, &name);
    assert_eq!(x.bit_len(), u.bit_len(), "{name}");
    assert_eq!(x.trailing_zeros(), u.trailing_zeros().unwrap_or(0), "{name}");
    assert_eq!((x.is_zero(), x.is_one()), (u.is_zero(), u.is_one()), "{name}");
    assert_eq!(x.to_u64(), u64::try_from(u).ok(), "{name}");
    assert_eq!(x.to_u128(), u128::try_from(u).ok(), "{name}");
    assert_eq!(x.to_f64(), u.to_f64().value(), "{name}");
    assert_eq!(x.to_string(), name);
    assert_eq!(Natural::from_digits(&name).as_ref(), Some(x));
    assert_eq!(Natural::from_digits(&format!("000{name}")).as_ref(), Some(x));
}

#[test]
fn edges_and_their_pairs_are_those_of_dashu() {
    let edges = edges();
    for a in &edges {
        check_alone(a, 17);
        for b in &edges {
            check(a, b);
        }
    }
}

#[test]
fn random_numbers_up_to_forty_words_are_those_of_dashu() {
    let mut random = Random(0x5eed);
    for _ in 0..1500 {
        let a = pair(&random.words(MOST_WORDS));
        let most = 1 + random.below(MOST_WORDS);
        let b = pair(&random.words(most));
        check(&a, &b);
        check(&b, &a);
        check_alone(&a, random.below(300));
        // Multiples, and their neighbours, have the largest digits and remainders.
        if !b.theirs.is_zero() {
            let near = Pair { ours: &a.ours * &b.ours, theirs: &a.theirs * &b.theirs };
            check(&near, &b);
            let below = &b.theirs - UBig::ONE;
            let above =
                Pair { ours: &near.ours + (&b.ours - Natural::ONE), theirs: &near.theirs + below };
            check(&above, &b);
        }
    }
}

#[test]
fn small_numbers_are_those_of_dashu() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let (a, b) = (pair(&random.words(4)), pair(&random.words(3)));
        check(&a, &b);
    }
}

#[test]
fn powers_are_those_of_dashu() {
    let mut random = Random(3);
    for exponent in (0..40).chain([100, 997]) {
        for base in [0u64, 1, 2, 3, 5, 10, 12, u64::MAX] {
            let name = format!("{base}^{exponent}");
            same(&Natural::from(base).pow(exponent), &UBig::from(base).pow(exponent), &name);
        }
        let base = pair(&random.words(5));
        same(&base.ours.pow(exponent), &base.theirs.pow(exponent), "a power");
    }
    assert!((Natural::ONE << 200).pow(0).is_one());
}

/// Adding the divisor back is the rarest step of a division, and random operands may never take it;
/// these do.
#[test]
fn a_digit_that_was_guessed_too_large_is_taken_back() {
    let high = 1 << 63;
    for (dividend, divisor) in [
        // Knuth's example and those from Hacker's Delight, with 64-bit words.
        (vec![3, 0, high], vec![1, 0, high >> 2]),
        (vec![0, 0, high, high - 1], vec![1, 0, high]),
        (vec![0, 0, 0, high, high - 1], vec![u64::MAX, 0, high]),
    ] {
        let mut normal = shifted_up(&dividend, divisor[divisor.len() - 1].leading_zeros() as usize);
        let shifted = &pair(&divisor).ours << divisor[divisor.len() - 1].leading_zeros() as usize;
        let words = shifted.words();
        let mut is_added_back = false;
        for place in (0..normal.len() - words.len()).rev() {
            let part = &mut normal[place..=place + words.len()];
            let digit = guess_digit(part, words[words.len() - 1], words[words.len() - 2]);
            is_added_back |= subtract_multiple(part, words, digit) != digit;
        }
        assert!(is_added_back, "{dividend:?} / {divisor:?}");
        check(&pair(&dividend), &pair(&divisor));
    }
}

#[test]
fn floats_are_rounded_to_the_nearest_and_ties_to_even() {
    for behind in [1usize, 2, 11, 64, 900, 970, 971, 972, 3000] {
        // Odd 54-bit numbers are halfway between two floats, below and above an even one.
        for mantissa in [(1u64 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 54) - 3, (1 << 54) - 1] {
            for (end, sign) in [(0u64, 1), (1, 1), (1, -1)] {
                let half = Natural::from(mantissa) << behind;
                let theirs = UBig::from(mantissa) << behind;
                let (ours, theirs) = match sign {
                    1 => (half + Natural::from(end), theirs + end),
                    _ => (half - Natural::from(end), theirs - end),
                };
                assert_eq!(ours.to_f64(), theirs.to_f64().value(), "{mantissa} {behind} {end}");
            }
        }
    }
}

#[test]
fn only_digits_are_read() {
    for text in ["", "-1", "+1", "1 ", " 1", "1_000", "0x10", "1e3", "12345678901234567890a"] {
        assert_eq!(Natural::from_digits(text), None, "{text:?}");
    }
    assert_eq!(format!("{:>5}|{:05}", Natural::from(42u64), Natural::from(42u64)), "   42|00042");
}

#[test]
#[should_panic(expected = "a natural number never falls below zero")]
fn a_difference_below_zero_is_a_panic() {
    let _ = Natural::ONE - Natural::from(2u64);
}

#[test]
#[should_panic]
fn a_quotient_by_zero_is_a_panic() {
    let _ = (Natural::ONE << 300) / Natural::ZERO;
}
