//! Two outcomes: every count known from elsewhere.

use probtest::claim::{Claim, Probability};
use probtest::plan::{Certainty, Plan, smallest_p};

fn plan(p: &str, epsilon: &str) -> Plan {
    let plan = Plan::new(&Claim::detect(p, epsilon).unwrap()).unwrap();
    assert_eq!(plan.certainty(), Certainty::Exact, "p = {p}, epsilon = {epsilon}");
    plan
}

fn executions(p: &str, epsilon: &str) -> u64 {
    plan(p, epsilon).executions()
}

#[test]
fn every_count_that_is_known_comes_out() {
    for (p, epsilon, k) in [
        // Those named in the paper.
        ("0.01", "0.02", 390),
        ("1/1024", "0.02", 4004),
        ("0.25", "0.05", 11),
        ("0.0625", "0.05", 47),
        ("0.0156", "0.05", 191),
        ("0.0039", "0.05", 767),
        ("1/256", "0.05", 766),
        ("0.01", "0.05", 299),
        ("0.001", "0.05", 2995),
        ("0.056", "0.024", 65),
        // Small probabilities keep their last execution.
        ("1e-8", "0.05", 299_573_226),
        ("1e-8", "1e-6", 1_381_551_049),
        ("1e-15", "0.01", 4_605_170_185_988_090),
        ("1e-16", "1e-6", 138_155_105_579_642_735),
        ("0.4", "0.05", 7),
        ("0.5", "0.05", 6),
        ("0.99", "0.05", 299),
        // A tie needs one more execution.
        ("0.3", "0.37", 4),
        ("0.1", "0.6562", 5),
        ("1/2", "1/32", 7),
    ] {
        assert_eq!(executions(p, epsilon), k, "p = {p}, epsilon = {epsilon}");
    }
}

/// Ties at odd k have a smaller denominator than others: `a^k + (b - a)^k` is a multiple of b.
#[test]
fn a_tie_needs_exactly_one_more_execution() {
    for den in (3u128..400).step_by(7).chain([1000, 1021]) {
        for num in [1, den / 3, den / 2].into_iter().filter(|num| *num > 0) {
            for k in 2..11 {
                let tail = (num.checked_pow(k), (den - num).checked_pow(k), den.checked_pow(k));
                let (Some(one), Some(other), Some(all)) = tail else { break };
                let (p, epsilon) = (format!("{num}/{den}"), format!("{}/{all}", one + other));
                assert_eq!(
                    executions(&p, &epsilon),
                    u64::from(k) + 1,
                    "p = {p}, epsilon = {epsilon}"
                );
            }
        }
    }
}

#[test]
fn a_count_of_two_to_the_63_or_more_is_infeasible() {
    let error = |p: f64, epsilon: f64| Plan::new(&Claim::detect(p, epsilon).unwrap()).unwrap_err();
    let most = error(1e-300, 1e-300).what();
    assert!(most.starts_with("the claim needs about 6.908e302 executions"));
    assert_eq!(
        error(1e-20, 0.05).to_string(),
        "the claim needs about 2.996e20 executions, but a plan holds fewer than 2^63\n  \
         given  p = 1e-20, epsilon = 0.05\n  help   raise p or epsilon"
    );
}

#[test]
fn the_misses_of_a_plan_stand_on_both_sides_of_epsilon() {
    let tie = plan("0.3", "0.37");
    assert_eq!(tie.miss_before().display_against(tie.claim().epsilon().unwrap()), "0.3700");
    assert_eq!(tie.miss().to_string(), "0.2482");
    let close = plan("1e-15", "0.01");
    let epsilon = close.claim().epsilon().unwrap();
    assert!(close.miss().display_against(epsilon).starts_with("0.009999"));
    assert!(close.miss_before().display_against(epsilon).starts_with("0.0100000"));
}

#[test]
fn an_epsilon_next_to_one_half_is_reached_from_both_sides() {
    // The tail passes a power of two there, and the counts are out of range for floats.
    let above = format!("0.5{}1", "0".repeat(40));
    let below = format!("0.4{}", "9".repeat(40));
    for digits in 760..1400 {
        let p = format!("{digits}e-22");
        let (few, many) = (executions(&p, &above), executions(&p, &below));
        let half = executions(&p, "0.5");
        assert!(few <= half && half <= many && many - few <= 1, "{p}: {few} {half} {many}");
    }
}

#[test]
fn one_execution_is_told_in_the_singular() {
    let epsilon = Probability::parse("0.05").unwrap();
    assert_eq!(
        smallest_p(1, &epsilon).unwrap_err().to_string(),
        "1 execution catches nothing: even p = 1/2 needs 6\n  given  1 execution, epsilon = 0.05\n  \
         help   allow at least 6 executions or raise epsilon"
    );
    assert!(
        smallest_p(2, &epsilon).unwrap_err().to_string().starts_with(
            "2 executions catch nothing: even p = 1/2 needs 6\n  given  2 executions,"
        )
    );
}

#[test]
fn a_first_order_that_misses_the_goal_by_990_digits_is_enough() {
    // k q is above 1 - epsilon only in its 991st digit.
    let epsilon = format!("1 - 9.{}e-9991", "9".repeat(990));
    assert_eq!(executions("1e-10000", &epsilon), 10_000_000_000);
    assert_eq!(executions("1e-10000", "1 - 1e-9990"), 10_000_000_001);
}
