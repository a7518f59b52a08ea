//! Natural numbers: how are fractions with any number of digits computed exactly?
//!
//! Most numbers have 64 to a few thousand bits. Written by hand, with only the operations that
//! fractions and their comparisons need, because a library for large integers takes longer to compile
//! than the rest of this crate. The tests compare each operation with such a library.

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Shl, Shr, Sub};

/// A natural number of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Natural(Words);

/// Lowest word first. Each number has one representation, so equal numbers have equal words.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Words {
    /// Below 2^128, like most numbers, which therefore need no allocation.
    Inline([u64; 2]),
    /// From 2^128 on; the last word isn't zero.
    Heap(Vec<u64>),
}

/// The largest power of ten in a word, and its exponent.
const TENS: u64 = 10u64.pow(TENS_EXPONENT as u32);
const TENS_EXPONENT: usize = 19;

impl Natural {
    /// 0.
    pub const ZERO: Self = Self(Words::Inline([0, 0]));
    /// 1.
    pub const ONE: Self = Self(Words::Inline([1, 0]));

    fn from_words(mut words: Vec<u64>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        match words[..] {
            [] => Self::ZERO,
            [low] => Self(Words::Inline([low, 0])),
            [low, high] => Self(Words::Inline([low, high])),
            _ => Self(Words::Heap(words)),
        }
    }

    /// The words up to the highest non-zero one.
    fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Inline([0, 0]) => &[],
            Words::Inline([low, 0]) => std::slice::from_ref(low),
            Words::Inline(words) => words,
            Words::Heap(words) => words,
        }
    }

    /// Reads decimal digits; `None` if there is anything else, or nothing.
    pub fn from_digits(text: &str) -> Option<Self> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut number = Self::ZERO;
        for chunk in text.as_bytes().chunks(TENS_EXPONENT) {
            let value = chunk.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
            let scale = Self::from(10u64.pow(chunk.len() as u32));
            number = number * scale + Self::from(value);
        }
        Some(number)
    }

    /// The number, if it fits in a word.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0 {
            Words::Inline([low, 0]) => Some(low),
            _ => None,
        }
    }

    /// The number, if it fits in two words.
    pub fn to_u128(&self) -> Option<u128> {
        match self.0 {
            Words::Inline([low, high]) => Some((high as u128) << 64 | low as u128),
            _ => None,
        }
    }

    /// The leading 64 bits, with the last one set if any lower bit is set, and the number of lower
    /// bits. The set bit makes a conversion to a float round like that of the whole number.
    pub fn leading(&self) -> (u64, usize) {
        let behind = self.bit_len().saturating_sub(64);
        let top = (self >> behind).to_u64().unwrap_or(u64::MAX);
        (top | u64::from(self.trailing_zeros() < behind), behind)
    }

    /// The nearest float, ties to even.
    pub fn to_f64(&self) -> f64 {
        let (top, behind) = self.leading();
        top as f64 * 2f64.powi(behind.min(2000) as i32)
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// Whether this is 1.
    pub fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// The number of bits up to the highest one; zero has none.
    pub fn bit_len(&self) -> usize {
        match self.words() {
            [] => 0,
            [rest @ .., top] => 64 * rest.len() + (64 - top.leading_zeros() as usize),
        }
    }

    /// How often two divides this; zero for zero.
    fn trailing_zeros(&self) -> usize {
        let words = self.words();
        match words.iter().position(|word| *word != 0) {
            Some(place) => 64 * place + words[place].trailing_zeros() as usize,
            None => 0,
        }
    }

    /// The number with its lowest bit set.
    pub fn or_one(mut self) -> Self {
        match &mut self.0 {
            Words::Inline(words) => words[0] |= 1,
            Words::Heap(words) => words[0] |= 1,
        }
        self
    }

    fn plus(&self, other: &Self) -> Self {
        if let (Some(own), Some(other)) = (self.to_u128(), other.to_u128())
            && let Some(sum) = own.checked_add(other)
        {
            return sum.into();
        }
        let (mut long, mut short) = (self.words(), other.words());
        if long.len() < short.len() {
            (long, short) = (short, long);
        }
        let mut sum = Vec::with_capacity(long.len() + 1);
        sum.extend_from_slice(long);
        sum.push(0);
        add_words(&mut sum, short);
        Self::from_words(sum)
    }

    fn minus(&self, other: &Self) -> Self {
        assert!(self >= other, "a natural number never falls below zero");
        if let (Some(own), Some(other)) = (self.to_u128(), other.to_u128()) {
            return (own - other).into();
        }
        let mut rest = self.words().to_vec();
        let mut borrow = false;
        for (place, word) in rest.iter_mut().enumerate() {
            let other = other.words().get(place).copied();
            if other.is_none() && !borrow {
                break;
            }
            let (once, under) = word.overflowing_sub(other.unwrap_or(0));
            let (twice, under_again) = once.overflowing_sub(borrow as u64);
            *word = twice;
            borrow = under | under_again;
        }
        Self::from_words(rest)
    }

    fn times(&self, other: &Self) -> Self {
        if let (Some(own), Some(other)) = (self.to_u128(), other.to_u128())
            && let Some(product) = own.checked_mul(other)
        {
            return product.into();
        }
        let (mut long, mut short) = (self.words(), other.words());
        if long.len() < short.len() {
            (long, short) = (short, long);
        }
        let mut product = vec![0; long.len() + short.len()];
        for (place, factor) in short.iter().enumerate() {
            product[place + long.len()] = add_product(&mut product[place..], long, *factor);
        }
        Self::from_words(product)
    }

    /// The number times itself, in about half the time of a product.
    pub fn square(&self) -> Self {
        if let Some(own) = self.to_u64() {
            return (own as u128 * own as u128).into();
        }
        let words = self.words();
        let mut square = vec![0; 2 * words.len()];
        // Each product of two different words counts twice,
        for (place, factor) in words.iter().enumerate() {
            let later = &words[place + 1..];
            square[place + words.len()] = add_product(&mut square[2 * place + 1..], later, *factor);
        }
        // and each word times itself once.
        let mut carry = 0;
        for (pair, word) in square.chunks_exact_mut(2).zip(words) {
            let own = *word as u128 * *word as u128;
            let low = ((pair[0] as u128) << 1) + (own as u64 as u128) + carry;
            let high = ((pair[1] as u128) << 1) + (own >> 64) + (low >> 64);
            (pair[0], pair[1]) = (low as u64, high as u64);
            carry = high >> 64;
        }
        Self::from_words(square)
    }

    /// The number to a power.
    pub fn pow(&self, exponent: usize) -> Self {
        if let (Some(own), Ok(exponent)) = (self.to_u128(), u32::try_from(exponent))
            && let Some(power) = own.checked_pow(exponent)
        {
            return power.into();
        }
        if exponent == 0 {
            return Self::ONE;
        }
        // Powers of two and of ten are common, and a shift costs nothing.
        let zeros = self.trailing_zeros();
        let odd = self >> zeros;
        let mut power = odd.clone();
        if !odd.is_one() {
            for bit in (0..exponent.ilog2()).rev() {
                power = power.square();
                if exponent >> bit & 1 == 1 {
                    power = power * &odd;
                }
            }
        }
        power << (zeros * exponent)
    }

    /// The quotient, rounded down, and the remainder. The divisor must not be zero.
    pub fn div_rem(&self, divisor: &Self) -> (Self, Self) {
        if let (Some(own), Some(divisor)) = (self.to_u128(), divisor.to_u128()) {
            return ((own / divisor).into(), (own % divisor).into());
        }
        if let Some(divisor) = divisor.to_u64() {
            let mut quotient = self.words().to_vec();
            let rest = divide_by_word(&mut quotient, divisor);
            return (Self::from_words(quotient), rest.into());
        }
        if self < divisor {
            return (Self::ZERO, self.clone());
        }
        // Long division (Knuth's algorithm D). If the highest bit of the divisor is set, a digit
        // guessed from the two leading words is at most two too large.
        let shift = divisor.words()[divisor.words().len() - 1].leading_zeros() as usize;
        let (mut rest, divisor) = (shifted_up(self.words(), shift), divisor << shift);
        let divisor = divisor.words();
        let [.., second, first] = *divisor else { unreachable!("one word is handled above") };
        let places = rest.len() - divisor.len();
        let mut quotient = vec![0; places];
        for place in (0..places).rev() {
            let part = &mut rest[place..=place + divisor.len()];
            let digit = guess_digit(part, first, second);
            quotient[place] = subtract_multiple(part, divisor, digit);
        }
        (Self::from_words(quotient), Self::from_words(rest) >> shift)
    }

    fn quotient(&self, divisor: &Self) -> Self {
        self.div_rem(divisor).0
    }

    fn remainder(&self, divisor: &Self) -> Self {
        self.div_rem(divisor).1
    }

    /// The greatest common divisor: Euclid's algorithm, with Lehmer's strides.
    pub fn gcd(&self, other: &Self) -> Self {
        let (mut large, mut small) = (self.clone().max(other.clone()), self.min(other).clone());
        loop {
            if let (Some(large), Some(small)) = (large.to_u128(), small.to_u128()) {
                return small_gcd(large, small).into();
            }
            if small.is_zero() {
                return large;
            }
            (large, small) = match stride(&large, &small) {
                Some([a, b, c, d]) => {
                    (combined(&large, a, &small, b), combined(&large, c, &small, d))
                }
                None => (small.clone(), large % small),
            };
        }
    }

    fn shifted_left(&self, bits: usize) -> Self {
        if let Some(own) = self.to_u128()
            && bits <= own.leading_zeros() as usize
        {
            return own.checked_shl(bits as u32).unwrap_or(0).into();
        }
        Self::from_words(shifted_up(self.words(), bits))
    }

    fn shifted_right(&self, bits: usize) -> Self {
        let (words, bits) = (self.words().get(bits / 64..).unwrap_or_default(), bits % 64);
        // Shifted twice, since a shift by all 64 bits would overflow.
        let word = |place: usize| match (words.get(place), words.get(place + 1)) {
            (Some(low), Some(high)) => low >> bits | high << 1 << (63 - bits),
            (Some(low), None) => low >> bits,
            _ => 0,
        };
        if word(2) == 0 && words.len() <= 3 {
            return Self(Words::Inline([word(0), word(1)]));
        }
        Self::from_words((0..words.len()).map(word).collect())
    }
}

/// Adds a number to one that has at least as many words, and room for the carry.
fn add_words(sum: &mut [u64], other: &[u64]) {
    let mut carry = false;
    for (place, word) in sum.iter_mut().enumerate() {
        let other = other.get(place).copied();
        if other.is_none() && !carry {
            break;
        }
        let (once, over) = word.overflowing_add(other.unwrap_or(0));
        let (twice, over_again) = once.overflowing_add(carry as u64);
        *word = twice;
        carry = over | over_again;
    }
}

/// Adds `other * factor` to as many words of `sum` and returns the carry.
fn add_product(sum: &mut [u64], other: &[u64], factor: u64) -> u64 {
    let mut carry = 0;
    for (word, other) in sum.iter_mut().zip(other) {
        let wide = *other as u128 * factor as u128 + *word as u128 + carry as u128;
        *word = wide as u64;
        carry = (wide >> 64) as u64;
    }
    carry
}

/// The words shifted up, with one more word for the overflow.
fn shifted_up(words: &[u64], bits: usize) -> Vec<u64> {
    let mut shifted = Vec::with_capacity(words.len() + bits / 64 + 1);
    shifted.resize(bits / 64, 0);
    let bits = bits % 64;
    let mut left = 0;
    for word in words {
        shifted.push(word << bits | left);
        left = word >> 1 >> (63 - bits);
    }
    shifted.push(left);
    shifted
}

/// Divides in place and returns the remainder.
fn divide_by_word(words: &mut [u64], divisor: u64) -> u64 {
    let mut rest = 0;
    for word in words.iter_mut().rev() {
        let wide = (rest as u128) << 64 | *word as u128;
        *word = (wide / divisor as u128) as u64;
        rest = (wide % divisor as u128) as u64;
    }
    rest
}

/// A digit of a quotient, from the three leading words of the dividend and two of the divisor: the
/// digit itself or, rarely, one more.
fn guess_digit(part: &[u64], first: u64, second: u64) -> u64 {
    let [.., third_word, second_word, first_word] = *part else {
        unreachable!("a longer dividend")
    };
    let wide = (first_word as u128) << 64 | second_word as u128;
    let mut digit = (wide / first as u128).min(u64::MAX as u128);
    let mut rest = wide - digit * first as u128;
    while rest >> 64 == 0 && digit * second as u128 > rest << 64 | third_word as u128 {
        digit -= 1;
        rest += first as u128;
    }
    digit as u64
}

/// Subtracts `digit` times the divisor from `part`, or once less if that is too much. Returns how
/// often it was subtracted.
fn subtract_multiple(part: &mut [u64], divisor: &[u64], digit: u64) -> u64 {
    let mut borrow = 0;
    for (word, divisor) in part.iter_mut().zip(divisor) {
        let product = *divisor as u128 * digit as u128 + borrow as u128;
        let (difference, under) = word.overflowing_sub(product as u64);
        *word = difference;
        borrow = (product >> 64) as u64 + under as u64;
    }
    let top = &mut part[divisor.len()];
    let is_too_much = *top < borrow;
    *top = top.wrapping_sub(borrow);
    if is_too_much {
        // The carry out of the highest word cancels the borrow.
        add_words(part, divisor);
        return digit - 1;
    }
    digit
}

/// As many of Euclid's steps as the leading words prove, if any: `[a, b, c, d]` for the numbers
/// `a large + b small` and `c large + d small`. One step at a time would take five times as long.
fn stride(large: &Natural, small: &Natural) -> Option<[i64; 4]> {
    // Two bits fewer than a word, to leave room for the sums below.
    let behind = large.bit_len() - 62;
    let leading = |number: &Natural| (number >> behind).to_u64().unwrap_or(0) as i64;
    let (mut x, mut y) = (leading(large), leading(small));
    let [mut a, mut b, mut c, mut d] = [1, 0, 0, 1];
    // Whatever the lower bits are, the true quotient is between these two.
    while y + c != 0 && y + d != 0 && (x + a) / (y + c) == (x + b) / (y + d) {
        let quotient = (x + a) / (y + c);
        (a, c) = (c, a - quotient * c);
        (b, d) = (d, b - quotient * d);
        (x, y) = (y, x - quotient * y);
    }
    (b != 0).then_some([a, b, c, d])
}

/// `a large + b small`, where one of the two terms is negative but the sum isn't.
fn combined(large: &Natural, a: i64, small: &Natural, b: i64) -> Natural {
    let large = large * Natural::from(a.unsigned_abs());
    let small = small * Natural::from(b.unsigned_abs());
    if a > 0 { large - small } else { small - large }
}

/// The greatest common divisor without divisions, which are slow for two words.
fn small_gcd(mut own: u128, mut other: u128) -> u128 {
    if own == 0 || other == 0 {
        return own | other;
    }
    let zeros = (own | other).trailing_zeros();
    own >>= own.trailing_zeros();
    while other != 0 {
        other >>= other.trailing_zeros();
        (own, other) = (own.min(other), own.abs_diff(other));
    }
    own << zeros
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Self(Words::Inline([value, 0]))
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Self(Words::Inline([value as u64, (value >> 64) as u64]))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let (own, other) = (self.words(), other.words());
        own.len().cmp(&other.len()).then_with(|| own.iter().rev().cmp(other.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Operators for numbers and references, on either side.
macro_rules! operators {
    ($($Trait:ident $name:ident $method:ident $Left:ty,)*) => {$(
        impl<R: Borrow<Natural>> $Trait<R> for $Left {
            type Output = Natural;

            fn $name(self, other: R) -> Natural {
                self.$method(other.borrow())
            }
        }
    )*};
}

operators! {
    Add add plus Natural,
    Add add plus &Natural,
    Sub sub minus Natural,
    Sub sub minus &Natural,
    Mul mul times Natural,
    Mul mul times &Natural,
    Div div quotient Natural,
    Div div quotient &Natural,
    Rem rem remainder Natural,
    Rem rem remainder &Natural,
}

impl AddAssign for Natural {
    fn add_assign(&mut self, other: Self) {
        *self = &*self + other;
    }
}

/// Shifts for numbers and references.
macro_rules! shifts {
    ($($Trait:ident $name:ident $method:ident $Left:ty,)*) => {$(
        impl $Trait<usize> for $Left {
            type Output = Natural;

            fn $name(self, bits: usize) -> Natural {
                self.$method(bits)
            }
        }
    )*};
}

shifts! {
    Shl shl shifted_left Natural,
    Shl shl shifted_left &Natural,
    Shr shr shifted_right Natural,
    Shr shr shifted_right &Natural,
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.words().to_vec();
        let mut parts = Vec::new();
        while !rest.is_empty() {
            parts.push(divide_by_word(&mut rest, TENS));
            while rest.last() == Some(&0) {
                rest.pop();
            }
        }
        let mut digits = parts.pop().unwrap_or(0).to_string();
        for part in parts.iter().rev() {
            digits += &format!("{part:0>TENS_EXPONENT$}");
        }
        f.pad_integral(true, "", &digits)
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
