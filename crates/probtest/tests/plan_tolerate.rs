//! Plans for a tolerated rate: known numbers, and both errors computed in another way.

use crate::common::endings;
use dashu_int::UBig;
use probtest::claim::{Claim, Probability};
use probtest::plan::{Plan, SequentialTest};

fn plan(tolerate: f64, p: f64, false_alarm: f64, epsilon: f64) -> Plan {
    Plan::new(&Claim::tolerate(tolerate, p, epsilon, false_alarm).unwrap()).unwrap()
}

/// What a test did by its last execution, one execution at a time.
struct Steps {
    passed: f64,
    failed: f64,
    executions: f64,
}

fn step_by_step(test: &SequentialTest, rate: f64) -> Steps {
    let mut steps = Steps { passed: 0.0, failed: 0.0, executions: 0.0 };
    for (n, _, passed, chance) in endings(test, rate, test.most()) {
        match passed.expect("decided after the most executions") {
            true => steps.passed += chance,
            false => steps.failed += chance,
        }
        steps.executions += n as f64 * chance;
    }
    steps
}

#[test]
fn plans_reach_or_beat_the_known_truncated_tests() {
    // (tolerate, p, false_alarm, epsilon), expected at tolerate, at p, most.
    for ((tolerate, p, false_alarm, epsilon), at_tolerate, at_p, most) in [
        ((0.005, 0.01, 0.05, 0.05), 1808.0, 1575.0, 3922),
        ((0.001, 0.01, 0.05, 0.05), 405.0, 222.0, 785),
        ((0.05, 0.1, 0.01, 0.01), 281.0, 238.0, 737),
        ((1e-4, 1e-3, 0.05, 0.05), 4059.0, 2218.0, 7868),
    ] {
        let plan = plan(tolerate, p, false_alarm, epsilon);
        let found = |rate| plan.expected_executions(rate).unwrap();
        assert!(found(tolerate) <= at_tolerate, "{}", found(tolerate));
        assert!(found(p) <= at_p, "{}", found(p));
        assert!(plan.executions() <= most, "{}", plan.executions());
    }
}

#[test]
fn a_false_alarm_of_one_in_a_million_costs_a_good_program_almost_nothing() {
    let (rough, fine) = (plan(0.001, 0.01, 0.05, 0.05), plan(0.001, 0.01, 1e-6, 0.05));
    let found = |plan: &Plan| {
        [0.0, 0.001, 0.01].map(|rate| plan.expected_executions(rate).unwrap().round() as u64)
    };
    assert_eq!(found(&rough), [329, 398, 213]);
    assert_eq!(found(&fine), [336, 451, 936]);
    assert_eq!(fine.executions(), 2727);
}

/// The chance of passing as an exact fraction: weighted ways to pass.
fn passing_exactly(test: &SequentialTest, rate: (u64, u64)) -> (UBig, UBig) {
    let (hit, all) = (UBig::from(rate.0), UBig::from(rate.1));
    let miss = &all - &hit;
    let mut going = vec![UBig::ONE];
    let mut passed = UBig::ZERO;
    for n in 1..=test.most() {
        let mut next = vec![UBig::ZERO; going.len() + 1];
        for (x, ways) in going.iter().enumerate() {
            next[x] += ways * &miss;
            if !test.fails(n, x as u64 + 1) {
                next[x + 1] += ways * &hit;
            }
        }
        passed *= &all;
        for (x, ways) in next.iter_mut().enumerate() {
            if test.passes(n, x as u64) {
                passed += &*ways;
                *ways = UBig::ZERO;
            }
        }
        going = next;
    }
    (passed, all.pow(test.most() as usize))
}

#[test]
fn both_errors_are_kept_in_exact_fractions() {
    for (tolerate, p, epsilon, false_alarm) in [
        ((1, 10), (1, 2), (1, 20), (1, 20)),
        ((1, 3), (2, 3), (1, 10), (1, 100)),
        ((1, 1000), (1, 100), (1, 20), (1, 20)),
        ((1, 1000), (1, 100), (1, 20), (1, 1_000_000)),
        ((1, 20), (1, 10), (1, 10), (1, 10)),
        ((1, 2), (3, 5), (1, 20), (1, 20)),
        ((9, 10), (99, 100), (1, 20), (1, 1000)),
        // Ties: one execution would be enough if a tie were.
        ((1, 20), (9, 10), (1, 10), (1, 20)),
        ((1, 10), (1, 2), (1, 8), (271, 1000)),
    ] {
        let ratio = |(num, den)| Probability::from_ratio(num, den).unwrap();
        let claim = Claim::tolerate(ratio(tolerate), ratio(p), ratio(epsilon), ratio(false_alarm));
        let plan = Plan::new(&claim.unwrap()).unwrap();
        let test = plan.sequential().unwrap();
        let (passed, all) = passing_exactly(test, p);
        assert!(&passed * epsilon.1 <= &all * epsilon.0, "misses too often: {p:?}");
        let exact = passed.to_f64().value() / all.to_f64().value();
        if exact.is_finite() {
            assert!((plan.miss().value() / exact - 1.0).abs() < 1e-9);
        }
        let (passed, all) = passing_exactly(test, tolerate);
        let failed = &all - passed;
        assert!(&failed * false_alarm.1 <= &all * false_alarm.0, "cries wolf: {p:?}");
    }
}

/// A few hundred claims, from a separate generator.
fn claims() -> Vec<(f64, f64, f64, f64)> {
    let mut state = 0x5eed_u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..250)
        .map(|_| {
            let p = 10f64.powf(-3.0 * next()) * 0.98;
            let tolerate = p / (1.4 + 20.0 * next() * next());
            let false_alarm = 0.3 * 10f64.powf(-8.0 * next());
            let epsilon = 0.3 * 10f64.powf(-3.0 * next());
            (tolerate, p, false_alarm, epsilon)
        })
        .collect()
}

#[test]
fn both_errors_are_kept_for_claims_of_all_kinds() {
    for (tolerate, p, false_alarm, epsilon) in claims() {
        let plan = plan(tolerate, p, false_alarm, epsilon);
        let test = plan.sequential().unwrap();
        let given = format!("{tolerate} {p} {false_alarm} {epsilon}");
        let fixed = test.fixed().executions;
        assert!(test.most() <= fixed + fixed / 2, "{given}: {} {fixed}", test.most());
        if test.most() > 40_000 {
            continue;
        }
        let (good, bad) = (step_by_step(test, tolerate), step_by_step(test, p));
        // The steps have their own rounding errors, below 1e-9.
        assert!(good.failed <= false_alarm * (1.0 + 1e-9), "{given}: {}", good.failed);
        assert!(bad.passed <= epsilon * (1.0 + 1e-9), "{given}: {}", bad.passed);
        assert!((good.failed / test.false_alarm() - 1.0).abs() < 1e-8, "{given}");
        assert!((bad.passed / test.miss() - 1.0).abs() < 1e-8, "{given}");
        for (steps, rate) in [(good, tolerate), (bad, p)] {
            let expected = plan.expected_executions(rate).unwrap();
            assert!((steps.executions / expected - 1.0).abs() < 1e-8, "{given}");
        }
    }
}

#[test]
fn a_higher_rate_never_passes_more_often() {
    for (tolerate, p, false_alarm, epsilon) in claims().into_iter().take(60) {
        let plan = plan(tolerate, p, false_alarm, epsilon);
        let mut before = 1.0;
        for step in 0..=100 {
            let rate = f64::from(step) / 100.0 * (3.0 * p).min(1.0);
            let passes = plan.chance_of_passing(rate).unwrap();
            assert!(passes <= before + 1e-12, "{tolerate} {p}: {rate}");
            before = passes;
        }
    }
}

#[test]
fn rates_outside_are_no_rates_and_extremes_are_certain() {
    let plan = plan(0.001, 0.01, 1e-6, 0.05);
    assert_eq!(plan.chance_of_passing(-0.1), None);
    assert_eq!(plan.chance_of_passing(f64::NAN), None);
    assert_eq!(plan.expected_executions(1.5), None);
    assert_eq!(plan.chance_of_passing(0.0), Some(1.0));
    assert_eq!(plan.chance_of_passing(1.0), Some(0.0));
    assert_eq!(plan.expected_executions(0.0), Some(336.0));
    let at_one = plan.expected_executions(1.0).unwrap();
    assert!((plan.expected_executions(1.0 - 1e-12).unwrap() - at_one).abs() < 1e-6);
}

#[test]
fn close_rates_stop_early_and_keep_both_errors() {
    for (tolerate, p) in [(0.475, 0.5), (0.085, 0.1), (0.0952, 0.1)] {
        let plan = plan(tolerate, p, 1e-6, 0.05);
        let test = plan.sequential().unwrap();
        let fixed = test.fixed().executions;
        assert!(test.most() <= fixed + fixed / 2, "{tolerate}");
        assert!(test.false_alarm() <= 1e-6 && test.miss() <= 0.05);
        let at = |rate| plan.expected_executions(rate).unwrap() / fixed as f64;
        // A sixth at `tolerate` and two thirds at `p`; a fixed plan would be 1.
        assert!(at(0.0) < 0.02, "{tolerate}: {}", at(0.0));
        assert!(at(tolerate) < 0.2, "{tolerate}: {}", at(tolerate));
        assert!(at(p) < 0.7, "{tolerate}: {}", at(p));
    }
}

#[test]
fn plans_of_many_violations_keep_both_errors_step_by_step() {
    for (tolerate, p, false_alarm, epsilon) in
        [(0.4, 0.5, 1e-3, 0.05), (0.5, 0.6, 0.01, 1e-4), (0.75, 0.8, 0.1, 0.1)]
    {
        let plan = plan(tolerate, p, false_alarm, epsilon);
        let test = plan.sequential().unwrap();
        assert!(test.allowed() > 256, "{tolerate}: {}", test.allowed());
        let (good, bad) = (step_by_step(test, tolerate), step_by_step(test, p));
        assert!(good.failed <= false_alarm * (1.0 + 1e-9), "{}", good.failed);
        assert!(bad.passed <= epsilon * (1.0 + 1e-9), "{}", bad.passed);
        // No further below than one execution more or less would be.
        assert!(good.failed > 0.7 * false_alarm, "{}", good.failed);
        assert!(bad.passed > 0.7 * epsilon, "{}", bad.passed);
    }
}

#[test]
fn a_rate_next_to_zero_needs_the_executions_of_a_perfect_program() {
    let plan = plan(1e-25, 0.1, 1e-6, 0.05);
    let fewest = plan.sequential().unwrap().fewest() as f64;
    for rate in [1e-300, 1e-30, 1e-25, 1e-20, 1e-16, 1e-13, 1e-10] {
        let expected = plan.expected_executions(rate).unwrap();
        assert!((expected / fewest - 1.0).abs() < 1e-7, "{rate}: {expected}");
    }
}

#[test]
fn a_plan_does_not_grow_with_how_rare_the_rates_are() {
    let near = plan(1e-4, 1e-3, 1e-6, 0.05);
    let far = plan(1e-13, 1e-12, 1e-6, 0.05);
    let ratio = far.executions() as f64 / near.executions() as f64 / 1e9;
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    assert!(far.chance_of_passing(1e-12).unwrap() <= 0.05);
    assert!(far.chance_of_passing(0.5).unwrap() == 0.0);
}

#[test]
fn claims_that_cannot_be_planned_are_refused_with_a_reason() {
    let refused = |tolerate: &str, p: &str, epsilon: &str, false_alarm: &str| {
        let claim = Claim::tolerate(tolerate, p, epsilon, false_alarm).unwrap();
        Plan::new(&claim).unwrap_err().to_string()
    };
    assert_eq!(
        refused("0.01", "0.0101", "0.05", "1e-6"),
        "tolerate and p are too close: a plan would allow more than 20000 violations\n  given  tolerate = 0.01, p = 0.0101, epsilon = 0.05, false_alarm = 1e-6\n  help   move tolerate and p apart, or raise epsilon or false_alarm"
    );
    for (tolerate, p) in
        [("0.5", "0.50000000000000000001"), ("1 - 1e-9", "1 - 1e-30"), ("1 - 1e-20", "1 - 1e-21")]
    {
        assert!(
            refused(tolerate, p, "0.05", "1e-6").starts_with("tolerate and p are too close"),
            "{p}"
        );
    }
    for (tolerate, p) in [("1e-20", "1e-17"), ("1e-300", "1e-16"), ("1e-4000", "1e-3999")] {
        assert_eq!(
            refused(tolerate, p, "0.05", "1e-6").lines().next().unwrap(),
            "the claim needs 2^53 executions or more, but a plan with tolerate holds fewer"
        );
    }
    assert_eq!(
        refused("0.01", "0.1", "0.05", "1e-101"),
        "false_alarm is below 1e-100, the smallest value that a plan with tolerate supports\n  given  false_alarm = 1e-101\n  help   raise false_alarm"
    );
}

#[test]
fn extreme_claims_have_a_plan() {
    for (tolerate, p, epsilon, false_alarm) in [
        ("0.01", "0.1", "1e-100", "1e-100"),
        ("1e-200", "0.5", "0.05", "1e-6"),
        ("1e-9", "1 - 1e-9", "0.05", "1e-6"),
        ("0.999", "1 - 1e-12", "0.05", "1e-6"),
        ("0.5", "0.52", "0.05", "1e-6"),
        ("0.4", "0.6", "0.999", "0.999"),
        ("7.8e-8", "8.7e-8", "0.05", "0.88"),
        // Far apart: two violations fail it at any time.
        ("0.0002", "0.32", "0.05", "1e-6"),
        ("1e-7", "0.0005", "0.05", "1e-6"),
        ("0.0005", "0.7", "0.05", "6e-9"),
        ("1e-15", "1e-14", "0.05", "1e-6"),
    ] {
        let claim = Claim::tolerate(tolerate, p, epsilon, false_alarm).unwrap();
        let plan = Plan::new(&claim).unwrap();
        assert!(plan.miss().value() <= claim.epsilon().unwrap().as_f64(), "{p}");
        let test = plan.sequential().unwrap();
        assert!(test.false_alarm() <= claim.false_alarm().unwrap().as_f64(), "{p}");
        assert!(test.fewest() >= 1 && test.fewest() <= test.most(), "{p}");
    }
}

#[test]
fn the_table_of_the_documents_is_what_plans_say() {
    let page = include_str!("../../../docs/explanation/tolerated-rates.md");
    let cells: Vec<String> = [
        (0.005, 0.01, 0.05, 0.05),
        (0.001, 0.01, 0.05, 0.05),
        (0.05, 0.1, 0.01, 0.01),
        (1e-4, 1e-3, 0.05, 0.05),
        (0.001, 0.01, 1e-6, 0.05),
    ]
    .map(|(tolerate, p, false_alarm, epsilon)| {
        let plan = plan(tolerate, p, false_alarm, epsilon);
        let expected = |rate| plan.expected_executions(rate).unwrap();
        let (good, bad) = (expected(tolerate), expected(p));
        format!("{good:.0} / {bad:.0} / {}", plan.executions())
    })
    .to_vec();
    let row = format!("| probtest | {} |", cells.join(" | "));
    assert!(page.contains(&row), "the page lacks {row}");
}
