//! Quicksort with random pivots, twice: with a bug, and without.
//!
//! The bug is a shortcut. A partition that moved nothing is taken as a sign that the slice is
//! sorted. Usually it is: for a list of 20 numbers in random order, the shortcut is wrong for few
//! of the pivots, and a list written down for a test may never show it.

use rand::{Rng, RngExt};

/// Shorter slices are sorted by insertion.
const SHORT: usize = 8;

/// Sorts, but assumes that a slice is sorted if a partition moves nothing.
pub fn hasty_sort(xs: &mut [u32], rng: &mut impl Rng) {
    sort(xs, rng, true);
}

/// Sorts.
pub fn quick_sort(xs: &mut [u32], rng: &mut impl Rng) {
    sort(xs, rng, false);
}

fn sort(xs: &mut [u32], rng: &mut impl Rng, hasty: bool) {
    if xs.len() < SHORT {
        return insertion_sort(xs);
    }
    let pivot = xs[rng.random_range(0..xs.len())];
    let less = gather(xs, 0, |x| x < pivot);
    let equal = gather(xs, less.end, |x| x == pivot);
    if hasty && !less.moved && !equal.moved {
        return;
    }
    sort(&mut xs[..less.end], rng, hasty);
    sort(&mut xs[equal.end..], rng, hasty);
}

/// Where a part of a slice ends, and whether anything was moved.
struct Part {
    end: usize,
    moved: bool,
}

/// Moves the numbers that belong to a part to where it starts.
fn gather(xs: &mut [u32], begin: usize, belongs: impl Fn(u32) -> bool) -> Part {
    let mut part = Part { end: begin, moved: false };
    for place in begin..xs.len() {
        if belongs(xs[place]) {
            part.moved |= place != part.end;
            xs.swap(place, part.end);
            part.end += 1;
        }
    }
    part
}

fn insertion_sort(xs: &mut [u32]) {
    for end in 1..xs.len() {
        for place in (1..=end).rev() {
            if xs[place - 1] <= xs[place] {
                break;
            }
            xs.swap(place - 1, place);
        }
    }
}
