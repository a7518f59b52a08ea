//! Where does a rising condition begin to hold?

/// The first number at which a rising condition holds, sought from `near`.
pub(super) fn first(near: u64, top: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut bad, mut good) = (None, None);
    let mut step = 1;
    let mut here = near;
    loop {
        if holds(here) {
            good = Some(here);
            match bad {
                Some(_) => break,
                None if here == 0 => return good,
                None => here = here.saturating_sub(step),
            }
        } else {
            bad = Some(here);
            match good {
                Some(_) => break,
                None if here == top => return None,
                None => here = here.saturating_add(step).min(top),
            }
        }
        step *= 2;
    }
    Some(first_between(bad?, good?, holds))
}

/// The first number at which a rising condition holds, between one at which it does not
/// and one at which it does.
pub(super) fn first_between(mut bad: u64, mut good: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn the_first_number_is_found_from_anywhere() {
        for near in [0, 1, 5, 63, 64, 100] {
            for wanted in [0, 1, 42, 99, 100] {
                assert_eq!(first(near, 100, |x| x >= wanted), Some(wanted), "{near}");
            }
            assert_eq!(first(near, 100, |_| false), None);
        }
    }
}
