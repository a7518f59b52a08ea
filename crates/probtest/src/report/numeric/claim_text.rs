//! The words for a claim on numbers or labels.

use std::borrow::Cow;

use crate::claim::numeric::{FitClaim, MeanClaim, NumericClaim, Wanted};
use crate::plan::numeric::Side;

/// Writes the claim in one line.
///
/// ```
/// use probtest::claim::numeric::MeanClaim;
/// use probtest::report::numeric_claim_line;
///
/// let claim = MeanClaim::above((0.0, 1.0), 0.9, 0.05)?;
/// assert_eq!(
///     numeric_claim_line(&claim.into()),
///     "mean 0.9 or more, margin = 0.05, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6"
/// );
/// # Ok::<(), probtest::claim::numeric::NumericError>(())
/// ```
pub fn numeric_claim_line(claim: &NumericClaim) -> String {
    let what = match claim {
        NumericClaim::Mean(mean) => {
            let (low, high) = mean.between();
            format!(
                "mean {}, margin = {}, between {} and {}",
                wanted(mean),
                plain(mean.margin()),
                plain(low),
                plain(high)
            )
        }
        NumericClaim::Fit(fit) => {
            format!("{}, distance = {}", listed(fit), plain(fit.distance()))
        }
    };
    format!(
        "{what}, epsilon = {}, false_alarm = {}",
        claim.epsilon(),
        claim.false_alarm()
    )
}

/// Writes what passes and what fails, and how often that is wrong.
pub fn numeric_promise(claim: &NumericClaim) -> String {
    format!(
        "a program with {} fails with probability at most {}; one with {} passes with probability at most {}",
        kept(claim),
        claim.false_alarm(),
        bad(claim),
        claim.epsilon()
    )
}

/// The programs that must pass.
pub(super) fn kept(claim: &NumericClaim) -> String {
    match claim {
        NumericClaim::Mean(mean) => format!("a mean of {}", wanted(mean)),
        NumericClaim::Fit(_) => "exactly these probabilities".into(),
    }
}

/// The programs that must fail.
pub(super) fn bad(claim: &NumericClaim) -> String {
    match claim {
        NumericClaim::Mean(mean) => {
            let margin = mean.margin();
            let low = mean.wanted().low().map(|low| near(low - margin, "less"));
            let high = mean.wanted().high().map(|high| near(high + margin, "more"));
            let both: Vec<String> = low.into_iter().chain(high).collect();
            format!("a mean of {}", both.join(", or of "))
        }
        NumericClaim::Fit(fit) => {
            format!("a label that is off by {} or more", plain(fit.distance()))
        }
    }
}

/// The side of the claim that was missed.
pub(super) fn missed(claim: &NumericClaim, side: &Side) -> String {
    match claim {
        NumericClaim::Mean(mean) => {
            let (word, bound) = match side.mirrored {
                false => ("above", mean.wanted().high()),
                true => ("below", mean.wanted().low()),
            };
            let bound = bound.map_or(String::new(), plain);
            format!("the mean is {word} {bound}")
        }
        NumericClaim::Fit(fit) => {
            let word = if side.mirrored { "less" } else { "more" };
            let (label, p) = label(fit, side.of);
            format!("{label} comes {word} often than with probability {p}")
        }
    }
}

/// A label and its probability.
pub(super) fn label(claim: &FitClaim, of: usize) -> (String, String) {
    match claim.labels().get(of) {
        Some((label, p)) => (format!("label {label:?}"), p.to_string()),
        None => ("a label that is not listed".into(), short(claim.rest())),
    }
}

/// A label as it is, or quoted where it would not be seen as one: an end of line would
/// begin a fact of its own.
pub(crate) fn legible(label: &str) -> Cow<'_, str> {
    if label.is_empty() || label.trim() != label || label.contains(char::is_control) {
        return format!("{label:?}").into();
    }
    label.into()
}

fn wanted(claim: &MeanClaim) -> String {
    match claim.wanted() {
        Wanted::Within(low, high) if low == high => plain(low),
        Wanted::Within(low, high) => format!("{} to {}", plain(low), plain(high)),
        Wanted::Above(low) => format!("{} or more", plain(low)),
        Wanted::Below(high) => format!("{} or less", plain(high)),
    }
}

/// The first labels with their probabilities.
fn listed(claim: &FitClaim) -> String {
    const SHOWN: usize = 8;
    let labels = claim.labels();
    let mut words: Vec<String> = labels
        .iter()
        .take(SHOWN)
        .map(|(label, p)| format!("{} {p}", legible(label)))
        .collect();
    if labels.len() > SHOWN {
        words.push(format!("{} more labels", labels.len() - SHOWN));
    } else if claim.rest() > 0.0 {
        words.push(format!("others {}", short(claim.rest())));
    }
    words.join(", ")
}

fn near(value: f64, word: &str) -> String {
    format!("{} or {word}", short(value))
}

/// A sum of two floats without the digits that rounding has added.
pub(super) fn short(value: f64) -> String {
    // Twelve digits that count, not twelve behind the point: times and lengths may be tiny.
    format!("{value:.11e}")
        .parse()
        .map_or_else(|_| value.to_string(), plain)
}

/// A number as people write it: very large and very small ones with an exponent.
pub(super) fn plain(value: f64) -> String {
    if value == 0.0 || is_everyday(value) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Whether a number is read at a glance without an exponent.
pub(super) fn is_everyday(value: f64) -> bool {
    (1e-5..1e15).contains(&value.abs())
}
