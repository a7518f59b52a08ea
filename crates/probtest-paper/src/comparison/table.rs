//! The comparison as a table.

use probtest::Claim;
use probtest::plan::Plan;

use super::TwoSided;
use super::methods::{self, Cost, truncated, wald};

/// The claims of the paper's examples, largest p first, and a smaller one of ours: p,
/// epsilon, and where the paper has it.
const ONE_SIDED: [(&str, &str, &str); 6] = [
    ("0.0625", "0.05", "skip list, R = 2"),
    ("0.01", "0.05", "frozen lake, Q1"),
    ("0.01", "0.02", "random walk"),
    ("0.0039", "0.05", "skip list, R = 4"),
    ("0.001", "0.05", "frozen lake, Q2"),
    ("0.0001", "0.05", ""),
];

/// Claims that tolerate some violations.
pub const TWO_SIDED: [TwoSided; 5] = [
    two(0.05, 0.1, 0.01, 0.01),
    two(0.001, 0.01, 0.05, 0.05),
    two(0.005, 0.01, 0.05, 0.05),
    two(1e-4, 1e-3, 0.05, 0.05),
    // The false alarm that probtest has when none is given.
    two(0.001, 0.01, 1e-6, 0.05),
];

const fn two(tolerate: f64, p: f64, false_alarm: f64, epsilon: f64) -> TwoSided {
    TwoSided {
        tolerate,
        p,
        false_alarm,
        epsilon,
    }
}

/// A method, in the words of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The least number of executions that shows one violation: the paper's.
    Probtest,
    /// The hypothesis test of the paper's reference.
    HypothesisTest,
    Hoeffding,
    Chernoff,
    /// A fixed number of executions, with the exact binomial distribution.
    Binomial,
    Wald,
    /// The truncated sequential plan of probtest.
    Sequential,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Probtest => "probtest",
            Method::HypothesisTest => "hypothesis test",
            Method::Hoeffding => "Hoeffding",
            Method::Chernoff => "Chernoff",
            Method::Binomial => "fixed binomial",
            Method::Wald => "Wald, sequential",
            Method::Sequential => "probtest, sequential",
        }
    }
}

/// What a method needs for a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    pub method: Method,
    /// The executions; for a sequential method those expected at `tolerate`.
    pub executions: u64,
    /// The executions expected at `p`, where the number depends on the program.
    pub at_p: Option<u64>,
    /// The most executions; nothing when there is no such number.
    pub most: Option<u64>,
    /// What a reader must know beside the number; mostly empty.
    pub note: &'static str,
}

/// A claim and what each method needs for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub claim: String,
    /// Where the paper has it; empty for one of ours.
    pub place: String,
    /// The methods, in the order of the figure.
    pub needs: Vec<Needs>,
}

/// What the methods need that see one violation.
pub fn one_sided() -> Vec<Row> {
    let row = |&(p, epsilon, place): &(&str, &str, &str)| {
        let plan = Claim::detect(p, epsilon).map(|claim| Plan::new(&claim));
        let plan = plan.expect("two probabilities").expect("a plan");
        let number = |text: &str| text.parse::<f64>().expect("a decimal");
        let test = methods::hypothesis_test(number(epsilon), methods::SAMPLE);
        let bound = methods::hoeffding(number(p), number(epsilon));
        // Where the paper prints another number, and where a count means less:
        // 0.9999^4640 = 0.63, so no rule can tell such a program from a correct one.
        let (test_note, bound_note) = match (p, epsilon) {
            ("0.01", "0.05") => ("the paper prints 4433", "the paper prints > 70000"),
            ("0.0001", _) => ("0.63 of such samples show no violation", ""),
            _ => ("", ""),
        };
        Row {
            claim: format!("p = {p}, epsilon = {epsilon}"),
            place: place.to_owned(),
            needs: vec![
                always(Method::Probtest, plan.executions(), ""),
                always(Method::HypothesisTest, test, test_note),
                always(Method::Hoeffding, bound, bound_note),
            ],
        }
    };
    ONE_SIDED.iter().map(row).collect()
}

/// What the methods need that tell `tolerate` from `p`.
pub fn two_sided() -> Vec<Row> {
    TWO_SIDED.iter().map(two_sided_row).collect()
}

fn two_sided_row(claim: &TwoSided) -> Row {
    let sequential = |method, cost: Cost| Needs {
        method,
        executions: cost.at_tolerate.round() as u64,
        at_p: Some(cost.at_p.round() as u64),
        most: cost.most,
        note: "",
    };
    let mut needs = vec![
        always(Method::Hoeffding, methods::two_sided_hoeffding(claim), ""),
        always(Method::Chernoff, methods::two_sided_chernoff(claim), ""),
    ];
    let plan = claim.plan();
    let fixed = plan.sequential().map(|test| test.fixed().executions);
    needs.extend(fixed.map(|executions| always(Method::Binomial, executions, "")));
    needs.push(sequential(Method::Wald, wald(claim)));
    needs.push(sequential(Method::Sequential, truncated(claim)));
    Row {
        claim: format!(
            "tolerate = {:?}, p = {:?}, false_alarm = {:?}, epsilon = {:?}",
            claim.tolerate, claim.p, claim.false_alarm, claim.epsilon
        ),
        place: String::new(),
        needs,
    }
}

fn always(method: Method, executions: u64, note: &'static str) -> Needs {
    Needs {
        method,
        executions,
        at_p: None,
        most: Some(executions),
        note,
    }
}

/// Writes both tables as comma-separated values, one line for each method.
pub fn csv(rows: &[Row]) -> String {
    use crate::finding::quoted;
    let mut text = String::from("claim,place,method,executions,expected_at_p,most,note\n");
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    for row in rows {
        for needs in &row.needs {
            text.push_str(&format!(
                "{},{},{},{},{},{},{}\n",
                quoted(&row.claim),
                quoted(&row.place),
                quoted(needs.method.name()),
                needs.executions,
                number(needs.at_p),
                number(needs.most),
                quoted(needs.note)
            ));
        }
    }
    text
}
