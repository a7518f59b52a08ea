//! Many outcomes: known counts, large lists, and what is said when a count
//! stays open.

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
fn a_die_shows_every_face_within_27_executions_at_five_percent() {
    assert_eq!(executions("1/6 x 6", "0.05"), 27);
}

#[test]
fn two_rare_outcomes_of_a_larger_program_need_303_executions() {
    assert_eq!(executions("0.01, 0.02", "0.05"), 303);
}

#[test]
fn one_outcome_alone_may_be_seen_by_one_execution() {
    assert_eq!(executions("0.96", "0.05"), 1);
    assert_eq!(executions("0.95", "0.05"), 2);
    assert_eq!(executions("0.5", "0.05"), 5);
}

#[test]
fn an_outcome_that_is_left_out_is_not_waited_for() {
    assert!(executions("0.5, 0.49", "0.05") < executions("0.5, 0.49, 0.01", "0.05"));
}

#[test]
fn frequent_outcomes_beside_a_rare_one_do_not_change_its_count() {
    assert_eq!(executions("1e-12, 0.3, 0.3, 0.3", "0.05"), executions("1e-12", "0.05"));
}

#[test]
fn a_rare_outcome_that_has_hardly_been_waited_for_needs_twelve_executions() {
    assert_eq!(executions("33/500, 3/1000000000", "0.9999999836"), 12);
}

#[test]
fn three_skewed_outcomes_with_epsilon_next_to_one_need_seventeen_executions() {
    assert_eq!(executions("31/50, 9/50, 1/500000000", "0.9999999679"), 17);
}

#[test]
fn a_tie_of_skewed_outcomes_at_two_executions_needs_three() {
    assert_eq!(executions("0.5, 0.000001", "0.999999"), 3);
}

#[test]
fn an_epsilon_below_every_float_is_counted_exactly() {
    assert_eq!(executions("0.2, 0.3", "1e-400"), 4128);
    // 0.9^n * 2 < 1e-400 for n = 8749, where both missing weighs nothing.
    assert_eq!(executions("0.1, 0.1", "1e-400"), 8749);
}

#[test]
fn an_epsilon_next_to_one_is_counted_where_the_union_bound_is_useless() {
    // k * 1e-100 * (1 - 0.7^(k - 1)), about, passes 1e-98 at 100.
    assert_eq!(executions("1e-100, 0.3", "1 - 1e-98"), 101);
    assert_eq!(executions("1e-400, 0.3", "1 - 1e-398"), 101);
    assert_eq!(executions("1e-100, 1e-100, 0.3", "1 - 1e-190"), 100_001);
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
    // Thirty different outcomes so rare that one execution more or less changes
    // the tail by less than floating point can tell.
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
