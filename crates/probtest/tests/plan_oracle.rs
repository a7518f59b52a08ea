//! Every row of the tables in `oracle/`, computed by another program with arbitrary precision.

use probtest::claim::{Claim, Outcomes};
use probtest::judge::interval::clopper_pearson;
use probtest::plan::{Certainty, Plan};
use std::fmt::Write;

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(';').collect())
}

/// Collects all differences, so that one failure shows all of them.
fn report(wrong: String) {
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Notes a plan whose count isn't the one in its row, or isn't certain.
fn compare_count(plan: &Plan, row: &[&str], wrong: &mut String) {
    let k: u64 = row[2].parse().unwrap();
    let (executions, certainty) = (plan.executions(), plan.certainty());
    if executions != k || certainty != Certainty::Exact {
        writeln!(wrong, "{row:?}: {executions} {certainty:?}").unwrap();
    }
}

#[test]
fn every_count_for_two_outcomes_is_the_true_minimum() {
    let mut wrong = String::new();
    for row in rows(include_str!("oracle/two_outcomes.csv")) {
        let plan = Plan::new(&Claim::detect(row[0], row[1]).unwrap()).unwrap();
        compare_count(&plan, &row, &mut wrong);
    }
    report(wrong);
}

#[test]
fn every_count_for_many_outcomes_is_the_true_minimum() {
    let mut wrong = String::new();
    let weighted = rows(include_str!("oracle/weighted_outcomes.csv"));
    let skewed = rows(include_str!("oracle/skewed_outcomes.csv"));
    let all = rows(include_str!("oracle/many_outcomes.csv"));
    for row in all.chain(weighted).chain(skewed) {
        let claim = Claim::cover(Outcomes::parse(row[0]).unwrap(), row[1]).unwrap();
        let plan = Plan::new(&claim).unwrap();
        compare_count(&plan, &row, &mut wrong);
    }
    report(wrong);
}

#[test]
fn every_interval_is_right_to_twelve_digits() {
    let mut wrong = String::new();
    let off = |value: f64, truth: f64| {
        if truth == 0.0 { value } else { (value / truth - 1.0).abs() }
    };
    let mut worst: f64 = 0.0;
    for row in rows(include_str!("oracle/intervals.csv")) {
        let (x, n) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let (low, high) = clopper_pearson(x, n, row[2].parse().unwrap()).unwrap();
        let (true_low, true_high) = (row[3].parse().unwrap(), row[4].parse().unwrap());
        let error = off(low, true_low).max(off(high, true_high));
        worst = worst.max(error);
        if error > 1e-12 {
            writeln!(wrong, "{row:?}: {low:e} {high:e}, off by {error:e}").unwrap();
        }
    }
    println!("largest relative error {worst:e}");
    report(wrong);
}
