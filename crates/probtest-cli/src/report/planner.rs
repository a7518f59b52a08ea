//! The planner's table: executions for the p and epsilon that people choose.
//!
//! The page computes no plan. It shows what stands here, from the core.

use probtest::claim::{Claim, Probability};
use probtest::plan::Plan;

use super::suite::Suite;
use super::words::grouped;

/// Values of p: round ones, and those of the paper.
const P: [&str; 18] = [
    "0.5", "0.25", "0.1", "0.0625", "0.05", "0.02", "0.0156", "0.01", "0.005", "0.0039", "0.002",
    "0.001", "1/1024", "0.0005", "0.0002", "0.0001", "0.00001", "0.000001",
];
const EPSILON: [&str; 7] = ["0.1", "0.05", "0.02", "0.01", "0.005", "0.001", "0.000001"];
/// How many values of the suite's own claims are added to each.
const OWN: usize = 8;

pub struct Planner {
    /// The values of epsilon, as columns, the largest first.
    pub epsilons: Vec<Value>,
    /// One row for each p, the largest first.
    pub rows: Vec<Row>,
    /// Seconds of one execution to begin with: the mean of the suite.
    pub seconds: String,
}

/// A probability as it is written.
pub struct Value {
    pub text: String,
    /// Whether a claim of the suite has it.
    pub own: bool,
    pub chosen: bool,
    /// What is left to 1.
    pub caught: String,
}

pub struct Row {
    pub p: Value,
    /// The executions for each epsilon, for programs and for people; nothing for
    /// programs where no plan can hold them.
    pub executions: Vec<(String, String)>,
}

impl Planner {
    /// Plans for the listed values and those of the suite.
    pub fn of(suite: &Suite) -> Planner {
        let claims = || suite.tests.iter().map(|test| &test.result.claim);
        let all_p = merged(&P, claims().filter_map(|claim| claim.p.as_ref()), "0.01");
        let all_epsilon =
            merged(&EPSILON, claims().filter_map(|claim| claim.epsilon.as_ref()), "0.05");
        let rows = all_p.into_iter().map(|(p, value)| Row {
            executions: all_epsilon.iter().map(|(epsilon, _)| executions(&p, epsilon)).collect(),
            p: value,
        });
        Planner {
            rows: rows.collect(),
            epsilons: all_epsilon.into_iter().map(|(_, value)| value).collect(),
            seconds: mean(suite),
        }
    }
}

fn executions(p: &Probability, epsilon: &Probability) -> (String, String) {
    let claim = Claim::detect(p, epsilon).ok();
    match claim.and_then(|claim| Plan::new(&claim).ok()) {
        Some(plan) => (plan.executions().to_string(), grouped(plan.executions())),
        None => (String::new(), "> 2^63".into()),
    }
}

/// The listed values and the suite's own, each once, the largest first.
fn merged<'a>(
    listed: &[&str],
    own: impl Iterator<Item = &'a Probability>,
    chosen: &str,
) -> Vec<(Probability, Value)> {
    let mut all: Vec<(Probability, Value)> = Vec::new();
    let mut add = |p: Probability, text: String, own: bool| match all
        .iter_mut()
        .find(|(known, _)| *known == p)
    {
        Some((_, value)) => value.own |= own,
        None => {
            let value =
                Value { chosen: text == chosen, caught: p.complement().to_string(), text, own };
            all.push((p, value));
        }
    };
    for text in listed {
        if let Ok(p) = Probability::parse(text) {
            add(p, (*text).to_owned(), false);
        }
    }
    let mut distinct: Vec<&Probability> = Vec::new();
    for p in own {
        // A long fraction would burst the table.
        if distinct.len() < OWN && !distinct.contains(&p) && p.to_string().len() <= 12 {
            distinct.push(p);
        }
    }
    for p in distinct {
        add(p.clone(), p.to_string(), true);
    }
    all.sort_by(|(one, _), (two, _)| two.cmp(one));
    all
}

/// The mean time of an execution with two digits; a second where none is known.
fn mean(suite: &Suite) -> String {
    let mean = suite.seconds() / suite.executed() as f64;
    if !(1e-6..1e6).contains(&mean) {
        return "1".into();
    }
    let digits = (1 - mean.log10().floor() as i32).max(0);
    format!("{mean:.*}", digits as usize)
}
