//! Where does a condition start to hold?

/// Finds the smallest number in `low..=high` for which a condition holds.
///
/// The condition holds from there on, and for `high`, which isn't checked. The search strides away
/// from `near`, so a good guess makes it short.
pub(crate) fn first(
    near: u64,
    (mut low, mut high): (u64, u64),
    mut holds: impl FnMut(u64) -> bool,
) -> u64 {
    let near = near.clamp(low, high);
    let mut stride = 1u64;
    if near == high || holds(near) {
        high = near;
        while low < high {
            let next = high.saturating_sub(stride).max(low);
            if !holds(next) {
                low = next + 1;
                break;
            }
            high = next;
            stride = stride.saturating_mul(2);
        }
    } else {
        low = near + 1;
        while low < high {
            let next = (low - 1).saturating_add(stride).min(high);
            if next == high || holds(next) {
                high = next;
                break;
            }
            low = next + 1;
            stride = stride.saturating_mul(2);
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// Finds where a monotone condition starts to hold between `holds_not` and `holds`, to the last
/// digit, and returns the side where it holds.
pub(crate) fn first_where(
    mut holds_not: f64,
    mut holds: f64,
    condition: impl Fn(f64) -> bool,
) -> f64 {
    // About 60 halvings are needed, more only for ends close to 0. There, the middle of the
    // exponents keeps the relative error small.
    for _ in 0..400 {
        let (low, high) = (holds_not.min(holds), holds_not.max(holds));
        let middle = if low > 0.0 && high > 4.0 * low {
            low.sqrt() * high.sqrt()
        } else if low == 0.0 && high > 1e-300 {
            high / 16.0
        } else {
            low + (high - low) / 2.0
        };
        if middle <= low || middle >= high || high - low <= 1e-15 * high {
            break;
        }
        if condition(middle) {
            holds = middle;
        } else {
            holds_not = middle;
        }
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_is_found_from_anywhere() {
        for near in [0, 1, 5, 63, 64, 100, 200] {
            for wanted in [0, 1, 42, 99, 100] {
                assert_eq!(first(near, (0, 100), |x| x >= wanted), wanted, "{near}");
            }
            assert_eq!(first(near, (7, 100), |x| x >= 3), 7);
        }
        let far = u64::MAX - 3;
        assert_eq!(first(0, (0, u64::MAX), |x| x >= far), far);
    }

    #[test]
    fn the_first_place_is_found_in_both_directions_and_next_to_zero() {
        for place in [1e-200, 1e-9, 0.3, 0.999_999] {
            let up = first_where(0.0, 1.0, |p| p >= place);
            assert!(up >= place && (up / place - 1.0).abs() < 1e-14, "{up}");
            let down = first_where(1.0, 0.0, |p| p <= place);
            assert!(down <= place && (down / place - 1.0).abs() < 1e-14, "{down}");
        }
    }
}
