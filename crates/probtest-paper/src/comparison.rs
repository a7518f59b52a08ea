//! Comparison: how many executions do other methods need for the same promise?
//!
//! Hoeffding's and Chernoff's bounds, a hypothesis test, and sequential tests, for [`one_sided`]
//! and [`two_sided`] claims (figure 4). [`findings`] is the paper's own comparison.

use std::collections::VecDeque;

use probtest::Claim;
use probtest::plan::Plan;

use crate::counts::{PublishedCount, executions};
use crate::table::{self, Finding};

/// A two-sided claim: a rate that is accepted, and one that must be caught.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoSided {
    /// The accepted violation rate.
    pub tolerate: f64,
    /// The violation probability to catch.
    pub p: f64,
    /// The chance of failing a program that stays within `tolerate`.
    pub false_alarm: f64,
    /// The chance of missing `p`.
    pub epsilon: f64,
}

impl TwoSided {
    /// The library's plan. Panics if the numbers aren't probabilities, or are too small for a plan.
    pub fn plan(&self) -> Plan {
        let claim = Claim::tolerate(self.tolerate, self.p, self.epsilon, self.false_alarm);
        Plan::new(&claim.expect("four probabilities")).expect("the claim has a plan")
    }
}

/// Executions to estimate a probability within `delta` with confidence
/// `1 - epsilon`, by Hoeffding's bound: `ln(2/epsilon) / (2 delta^2)`.
pub fn hoeffding(delta: f64, epsilon: f64) -> u64 {
    ((2.0 / epsilon).ln() / (2.0 * delta * delta)).ceil() as u64
}

/// The smallest sample of the hypothesis test in the paper's reference: more than 31.
pub const SAMPLE: u64 = 32;

/// Executions of the hypothesis test that the paper compares with:
/// `(2 ceil(-24 ln epsilon) + 1) * sample`.
pub fn hypothesis_test(epsilon: f64, sample: u64) -> u64 {
    (2 * (-24.0 * epsilon.ln()).ceil() as u64 + 1) * sample
}

/// Executions to tell `tolerate` from `p` with both errors bounded by Hoeffding.
pub fn two_sided_hoeffding(claim: &TwoSided) -> u64 {
    let gap = claim.p - claim.tolerate;
    let root = |chance: f64| (1.0 / chance).ln().sqrt();
    let roots = root(claim.false_alarm) + root(claim.epsilon);
    (roots * roots / (2.0 * gap * gap)).ceil() as u64
}

/// The same, with both errors bounded by Chernoff, at the best threshold.
pub fn two_sided_chernoff(claim: &TwoSided) -> u64 {
    let needed_for_alarm = |rate| -claim.false_alarm.ln() / divergence(rate, claim.tolerate);
    let needed_for_miss = |rate| -claim.epsilon.ln() / divergence(rate, claim.p);
    // The first falls with the threshold and the second rises, so they meet once.
    let (mut low, mut high) = (claim.tolerate, claim.p);
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if needed_for_alarm(middle) > needed_for_miss(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    needed_for_alarm(high).ceil() as u64
}

/// The Kullback-Leibler divergence of two coins.
fn divergence(a: f64, b: f64) -> f64 {
    a * (a / b).ln() + (1.0 - a) * ((1.0 - a) / (1.0 - b)).ln()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The expected executions for a program whose rate is `tolerate`.
    pub at_tolerate: f64,
    /// The expected executions for a program whose rate is `p`.
    pub at_p: f64,
    /// The most executions; `None` if there is no such number.
    pub most: Option<u64>,
    /// The chance of failing a program whose rate is `tolerate`.
    pub false_alarm: f64,
    /// The chance of passing a program whose rate is `p`.
    pub miss: f64,
}

/// Wald's sequential probability ratio test with the textbook boundaries, evaluated exactly. It has
/// no last execution, and its errors may exceed those it is made for.
pub fn wald(claim: &TwoSided) -> Cost {
    let (at_tolerate, false_alarm, _) = follow(claim, claim.tolerate);
    let (at_p, _, miss) = follow(claim, claim.p);
    Cost { at_tolerate, at_p, most: None, false_alarm, miss }
}

/// The library's truncated sequential plan: both errors exact, and a last execution.
pub fn truncated(claim: &TwoSided) -> Cost {
    let plan = claim.plan();
    let expected = |rate| plan.expected_executions(rate).unwrap_or(f64::NAN);
    let passes = |rate| plan.chance_of_passing(rate).unwrap_or(f64::NAN);
    Cost {
        at_tolerate: expected(claim.tolerate),
        at_p: expected(claim.p),
        most: Some(plan.executions()),
        false_alarm: 1.0 - passes(claim.tolerate),
        miss: passes(claim.p),
    }
}

/// The remaining probability at which a walk counts as ended.
const REST: f64 = 1e-12;

/// Follows the likelihood ratio between Wald's boundaries: carries the probability of each number
/// of violations from one execution to the next, until almost nothing is undecided. Returns the
/// expected executions, and the chances of failing and of passing.
fn follow(claim: &TwoSided, rate: f64) -> (f64, f64, f64) {
    let violation = (claim.p / claim.tolerate).ln();
    let pass = (-claim.p).ln_1p() - (-claim.tolerate).ln_1p();
    let fail_at = ((1.0 - claim.epsilon) / claim.false_alarm).ln();
    let pass_at = (claim.epsilon / (1.0 - claim.false_alarm)).ln();
    let (mut expected, mut failed, mut passed) = (0.0, 0.0, 0.0);
    // The undecided ones: `first` violations or more.
    let (mut first, mut undecided) = (0_u64, VecDeque::from([1.0]));
    let mut executed = 0_u64;
    let mut left = 1.0;
    while left > REST {
        expected += left;
        executed += 1;
        undecided.push_back(0.0);
        for place in (0..undecided.len()).rev() {
            let before = if place > 0 { undecided[place - 1] } else { 0.0 };
            undecided[place] = undecided[place] * (1.0 - rate) + before * rate;
        }
        let ratio =
            |violations: u64| violations as f64 * violation + (executed - violations) as f64 * pass;
        while !undecided.is_empty() && ratio(first) <= pass_at {
            passed += undecided.pop_front().unwrap_or_default();
            first += 1;
        }
        while !undecided.is_empty() && ratio(first + undecided.len() as u64 - 1) >= fail_at {
            failed += undecided.pop_back().unwrap_or_default();
        }
        left = undecided.iter().sum();
    }
    (expected, failed, passed)
}

/// The claims of the paper's examples, largest p first, and a smaller one of ours: p, epsilon, and
/// where it is in the paper.
const ONE_SIDED: [(&str, &str, &str); 6] = [
    ("0.0625", "0.05", "skip list, R = 2"),
    ("0.01", "0.05", "frozen lake, Q1"),
    ("0.01", "0.02", "random walk"),
    ("0.0039", "0.05", "skip list, R = 4"),
    ("0.001", "0.05", "frozen lake, Q2"),
    ("0.0001", "0.05", ""),
];

pub const TWO_SIDED: [TwoSided; 5] = [
    two(0.05, 0.1, 0.01, 0.01),
    two(0.001, 0.01, 0.05, 0.05),
    two(0.005, 0.01, 0.05, 0.05),
    two(1e-4, 1e-3, 0.05, 0.05),
    // The default false alarm of probtest.
    two(0.001, 0.01, 1e-6, 0.05),
];

const fn two(tolerate: f64, p: f64, false_alarm: f64, epsilon: f64) -> TwoSided {
    TwoSided { tolerate, p, false_alarm, epsilon }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// The method, in the words of the figure.
    pub method: &'static str,
    /// The executions; for a sequential method, those expected at `tolerate`.
    pub executions: u64,
    /// The executions expected at `p`, if the number depends on the program.
    pub at_p: Option<u64>,
    /// The most executions; `None` if there is no such number.
    pub most: Option<u64>,
    /// What a reader must know in addition to the number; usually empty.
    pub note: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    pub claim: String,
    /// Where it is in the paper; empty for ours.
    pub place: &'static str,
    /// The methods, in the order of the figure.
    pub needs: Vec<Needs>,
}

/// The needs of methods that catch one violation.
pub fn one_sided() -> Vec<ComparisonRow> {
    let row = |&(p, epsilon, place): &(&str, &str, &'static str)| {
        let number = |text: &str| text.parse::<f64>().expect("a decimal");
        let test = hypothesis_test(number(epsilon), SAMPLE);
        let bound = hoeffding(number(p), number(epsilon));
        // Where the paper prints another number, and where a count means less: 0.9999^4640 = 0.63,
        // so no rule can tell such a program from a correct one.
        let (test_note, bound_note) = match (p, epsilon) {
            ("0.01", "0.05") => ("the paper prints 4433", "the paper prints > 70000"),
            ("0.0001", _) => ("0.63 of such samples show no violation", ""),
            _ => ("", ""),
        };
        ComparisonRow {
            claim: format!("p = {p}, epsilon = {epsilon}"),
            place,
            needs: vec![
                always("probtest", executions(p, epsilon), ""),
                always("hypothesis test", test, test_note),
                always("Hoeffding", bound, bound_note),
            ],
        }
    };
    ONE_SIDED.iter().map(row).collect()
}

/// The needs of methods that tell `tolerate` from `p`.
pub fn two_sided() -> Vec<ComparisonRow> {
    let sequential = |method, cost: Cost| Needs {
        method,
        executions: cost.at_tolerate.round() as u64,
        at_p: Some(cost.at_p.round() as u64),
        most: cost.most,
        note: "",
    };
    let row = |claim: &TwoSided| {
        let TwoSided { tolerate, p, false_alarm, epsilon } = claim;
        let fixed = claim.plan().sequential().expect("a claim with two sides").fixed().executions;
        ComparisonRow {
            claim: format!(
                "tolerate = {tolerate:?}, p = {p:?}, false_alarm = {false_alarm:?}, epsilon = {epsilon:?}"
            ),
            place: "",
            needs: vec![
                always("Hoeffding", two_sided_hoeffding(claim), ""),
                always("Chernoff", two_sided_chernoff(claim), ""),
                always("fixed binomial", fixed, ""),
                sequential("Wald, sequential", wald(claim)),
                sequential("probtest, sequential", truncated(claim)),
            ],
        }
    };
    TWO_SIDED.iter().map(row).collect()
}

fn always(method: &'static str, executions: u64, note: &'static str) -> Needs {
    Needs { method, executions, at_p: None, most: Some(executions), note }
}

/// Writes both tables as comma-separated values, one line per method.
pub fn csv(rows: &[ComparisonRow]) -> String {
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    let lines = rows.iter().flat_map(|row| row.needs.iter().map(move |needs| (row, needs)));
    table::csv(lines.map(|(row, needs)| {
        vec![
            ("claim", row.claim.clone()),
            ("place", row.place.to_owned()),
            ("method", needs.method.to_owned()),
            ("executions", needs.executions.to_string()),
            ("expected_at_p", number(needs.at_p)),
            ("most", number(needs.most)),
            ("note", needs.note.to_owned()),
        ]
    }))
}

/// What the paper says about other methods, next to what its formulas give.
pub fn findings() -> Vec<Finding> {
    let all = PublishedCount::all();
    let studies = all.iter().filter(|row| row.epsilon == "0.05");
    let largest = studies.map(PublishedCount::computed).max().unwrap_or(1);
    let (bound, test) = (hoeffding(0.01, 0.05), hypothesis_test(0.05, SAMPLE));
    let ratio = |other: u64| other as f64 / largest as f64;
    let below = all.iter().filter(|row| row.computed() < 1000).count();
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
                "{bound} against {largest}; for p = 0.001, an error of 0.01 is useless, and \
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
            ours: format!("{below} of {} claims", all.len()),
            agrees: below > 0 && test / 1000 >= 4,
            why: format!("{test} against less than 1000"),
        },
    ]
}
