//! Many outcomes: known counts, large lists, and what is reported if a count stays open.

use probtest::claim::{Claim, Outcomes};
use probtest::plan::{Certainty, Plan, miss};

fn plan(outcomes: Outcomes, epsilon: &str) -> Plan {
    Plan::new(&Claim::cover(outcomes, epsilon).unwrap()).unwrap()
}

fn executions(list: &str, epsilon: &str) -> u64 {
    let plan = plan(Outcomes::parse(list).unwrap(), epsilon);
    assert_eq!(plan.certainty(), Certainty::Exact, "{list}");
    plan.executions()
}

#[test]
fn known_counts_come_out_exactly() {
    for (list, epsilon, count) in [
        ("1/6 x 6", "0.05", 27),
        ("0.01, 0.02", "0.05", 303),
        // One outcome alone may be seen in one execution.
        ("0.96", "0.05", 1),
        ("0.95", "0.05", 2),
        ("0.5", "0.05", 5),
        // A rare outcome that was hardly waited for.
        ("33/500, 3/1000000000", "0.9999999836", 12),
        ("31/50, 9/50, 1/500000000", "0.9999999679", 17),
        // A tie at two executions.
        ("0.5, 0.000001", "0.999999", 3),
        // An epsilon smaller than any float.
        ("0.2, 0.3", "1e-400", 4128),
        // 0.9^n * 2 < 1e-400 for n = 8749; the chance of missing both is negligible.
        ("0.1, 0.1", "1e-400", 8749),
        // Where the union bound is useless: about k * 1e-100 * (1 - 0.7^(k - 1)) passes 1e-98 at
        // 100.
        ("1e-100, 0.3", "1 - 1e-98", 101),
        ("1e-400, 0.3", "1 - 1e-398", 101),
        ("1e-100, 1e-100, 0.3", "1 - 1e-190", 100_001),
    ] {
        assert_eq!(executions(list, epsilon), count, "{list} at {epsilon}");
    }
    // An outcome that isn't listed isn't waited for.
    assert!(executions("0.5, 0.49", "0.05") < executions("0.5, 0.49, 0.01", "0.05"));
    // Frequent outcomes next to a rare one don't change its count.
    assert_eq!(executions("1e-12, 0.3, 0.3, 0.3", "0.05"), executions("1e-12", "0.05"));
}

#[test]
fn ten_thousand_different_outcomes_are_counted_exactly() {
    let total = 10_000 * 10_001 / 2 + 10_000 * 10_000;
    let outcomes = (1..=10_000).map(|i| format!("{}/{total}", 10_000 + i));
    let plan = plan(Outcomes::new(outcomes).unwrap(), "0.05");
    assert_eq!(plan.certainty(), Certainty::Exact);
    let (at, before) = (plan.miss().value(), plan.miss_before().value());
    assert!(at < 0.05 && before >= 0.05 && at > 0.0499, "{before} {at}");
}

#[test]
fn the_miss_is_one_until_every_outcome_could_have_been_seen() {
    let claim = Claim::cover(Outcomes::equal(6).unwrap(), 0.05).unwrap();
    assert_eq!(miss(&claim, 5).value(), 1.0);
    // 6! / 6^6 of the sequences show every face.
    assert!((miss(&claim, 6).value() - (1.0 - 720.0 / 46656.0)).abs() < 1e-15);
}

#[test]
fn a_miss_below_every_float_is_still_told() {
    let claim = Claim::cover(Outcomes::equal(100).unwrap(), 0.05).unwrap();
    assert_eq!(miss(&claim, 200_000).to_string(), "1.094e-871");
}

#[test]
fn a_count_that_stays_open_says_so_and_is_on_the_safe_side() {
    // Thirty different outcomes so rare that one execution more or less changes the tail by less
    // than floating point can tell.
    let outcomes = (1..=30).map(|i| format!("{}e-17", 100 + i));
    let plan = plan(Outcomes::new(outcomes).unwrap(), "0.05");
    match plan.certainty() {
        Certainty::Between { lowest } => {
            assert!(lowest < plan.executions());
            assert!((plan.executions() - lowest) as f64 / (lowest as f64) < 1e-12);
        }
        Certainty::Exact => {}
    }
}

#[test]
fn outcomes_that_are_too_rare_are_infeasible() {
    let claim = Claim::cover(Outcomes::new([1e-25, 0.1, 0.2]).unwrap(), 0.05).unwrap();
    let message = Plan::new(&claim).unwrap_err().to_string();
    assert!(message.starts_with("the claim needs about 2.996e25 executions"), "{message}");
}

#[test]
fn the_miss_falls_with_every_execution() {
    let outcomes = Outcomes::new((1..=60).map(|i| format!("{i}/1830"))).unwrap();
    let claim = Claim::cover(outcomes, 0.05).unwrap();
    let mut last = 1.0;
    for executions in (400..4000).step_by(50) {
        let now = miss(&claim, executions).value();
        assert!(now < last, "{executions}: {now} after {last}");
        last = now;
    }
}
