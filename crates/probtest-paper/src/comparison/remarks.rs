//! The paper's own comparison, computed again.

use super::methods::{SAMPLE, hoeffding, hypothesis_test};
use crate::counts::Published;
use crate::finding::Finding;

/// What the paper says of other methods, beside what its formulas give.
pub fn findings() -> Vec<Finding> {
    let largest = largest();
    let (bound, test) = (hoeffding(0.01, 0.05), hypothesis_test(0.05, SAMPLE));
    let ratio = |other: u64| other as f64 / largest as f64;
    let below = Published::all()
        .iter()
        .filter(|row| row.computed() < 1000)
        .count();
    vec![
        Finding {
            subject: "Hoeffding's bound for delta = 0.01, epsilon = 0.05".into(),
            published: "more than 70000".into(),
            ours: bound.to_string(),
            agrees: bound > 70_000,
            why: format!(
                "ln(2/epsilon) / (2 delta^2) = {bound}; delta = 0.005 gives {}",
                hoeffding(0.005, 0.05)
            ),
        },
        Finding {
            subject: "Hoeffding's bound against the largest k of the case studies".into(),
            published: "an order of magnitude".into(),
            ours: format!("a factor of {:.1}", ratio(bound)),
            agrees: ratio(bound) >= 10.0,
            why: format!(
                "{bound} against {largest}; for p = 0.001 an error of 0.01 says nothing, and \
                 delta = 0.001 needs {}",
                hoeffding(0.001, 0.05)
            ),
        },
        Finding {
            subject: "hypothesis test for epsilon = 0.05".into(),
            published: "4433".into(),
            ours: test.to_string(),
            agrees: test == 4433,
            why: "(2 * 72 + 1) * 32 with the ceiling and n > 31; 4433 = 143 * 31 rounds 71.9 down \
                  and takes n = 31"
                .into(),
        },
        Finding {
            subject: "hypothesis test against the largest k of the case studies".into(),
            published: "about 1000 times more".into(),
            ours: format!("{} more", test - largest),
            agrees: ratio(test) >= 500.0,
            why: format!(
                "a factor of {:.1}; with the published 4433 it is {} more",
                ratio(test),
                4433 - largest
            ),
        },
        Finding {
            subject: "many claims of the paper need less than 1000 executions".into(),
            published: "4 times less than the hypothesis test".into(),
            ours: format!("{below} of {} claims", Published::all().len()),
            agrees: below > 0 && test / 1000 >= 4,
            why: format!("{test} against less than 1000"),
        },
    ]
}

/// The largest number of executions of the case studies.
fn largest() -> u64 {
    let studies = Published::all();
    let studies = studies.iter().filter(|row| row.epsilon == "0.05");
    studies.map(Published::computed).max().unwrap_or(1)
}
