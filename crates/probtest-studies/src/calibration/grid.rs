//! All promises that are looked at.

use super::{Section, cover, detect, estimating, intervals, numeric, suite, tolerate};

/// The promises of every kind of claim, with the programs to hold against them.
///
/// ```
/// use probtest_studies::calibration::{Effort, Verdict, sections};
/// use std::ops::ControlFlow;
///
/// let detect = &sections()[0];
/// let done = || ControlFlow::Continue(());
/// let row = detect.cases[0].answer(Effort::QUICK, 1, &done).unwrap();
/// assert_eq!((row.value(), row.verdict()), (0.015625, Verdict::Kept));
/// ```
pub fn sections() -> Vec<Section> {
    vec![
        detect::section(),
        cover::section(),
        tolerate::section(),
        intervals::section(),
        estimating::section(),
        numeric::means(),
        numeric::labels(),
        suite::section(),
    ]
}
