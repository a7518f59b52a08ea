//! Claims on numbers and labels: both errors, computed exactly where that is
//! possible, simulated elsewhere; and the number of executions at the latest.

use std::collections::BTreeMap;

use probtest::claim::numeric::{FitClaim, MeanClaim, NumericClaim};
use probtest::judge::Limits;
use probtest::judge::numeric::{NumericJudge, NumericReason, NumericVerdict};
use probtest::plan::numeric::NumericPlan;
use probtest::run::{Number, Observation, Record};
use probtest::seed::{RunSeed, Stream};
use rand::RngExt;

fn record(index: u64, observation: Observation) -> Record {
    Record {
        index,
        rejected: 0,
        drew: true,
        observation,
    }
}

/// The exact chances of failing and passing where executions return `one` with
/// probability `rate` and `zero` otherwise. What a judge knows are the counts and
/// what it has ruled out; the order does not matter otherwise.
fn errors(plan: &NumericPlan, rate: f64, zero: &Observation, one: &Observation) -> (f64, f64) {
    let mut states = BTreeMap::from([(
        (0, Vec::new()),
        (NumericJudge::new(plan, Limits::default()), 1.0),
    )]);
    let (mut failed, mut passed) = (0.0, 0.0);
    for index in 1..=plan.executions() {
        let mut next: BTreeMap<(u64, Vec<bool>), (NumericJudge, f64)> = BTreeMap::new();
        for ((ones, _), (judge, chance)) in states {
            for (more, returned, share) in [(0, zero, 1.0 - rate), (1, one, rate)] {
                let mut judge = judge.clone();
                let chance = chance * share;
                if judge.observe(record(index, returned.clone())).is_continue() {
                    let known = (ones + more, judge.ruled_out());
                    next.entry(known).or_insert((judge, 0.0)).1 += chance;
                    continue;
                }
                match judge.conclude().0 {
                    NumericVerdict::Passed => passed += chance,
                    NumericVerdict::Missed(_) => failed += chance,
                    other => panic!("{other:?}"),
                }
            }
        }
        states = next;
    }
    assert!(states.is_empty(), "undecided after the plan");
    assert!((failed + passed - 1.0).abs() < 1e-9);
    (failed, passed)
}

fn number(value: f64) -> Observation {
    Observation::Number(Number(value))
}

#[test]
fn both_errors_of_a_claim_on_a_mean_of_zeros_and_ones_are_kept_exactly() {
    for (bound, margin, epsilon, false_alarm) in [
        (0.3, 0.3, 0.05, 0.01),
        (0.05, 0.25, 0.1, 0.1),
        (0.6, 0.3, 0.01, 1e-6),
    ] {
        let claim = MeanClaim::below((0.0, 1.0), bound, margin)
            .and_then(|claim| claim.epsilon(epsilon))
            .and_then(|claim| claim.false_alarm(false_alarm))
            .unwrap();
        let plan = NumericPlan::new(claim).unwrap();
        let (failed, _) = errors(&plan, bound, &number(0.0), &number(1.0));
        assert!(failed <= false_alarm, "{bound}: {failed} > {false_alarm}");
        let (_, passed) = errors(&plan, bound + margin, &number(0.0), &number(1.0));
        assert!(passed <= epsilon, "{bound}: {passed} > {epsilon}");
        // The mirror image is as good.
        let claim = MeanClaim::above((0.0, 1.0), 1.0 - bound, margin)
            .and_then(|claim| claim.epsilon(epsilon))
            .and_then(|claim| claim.false_alarm(false_alarm))
            .unwrap();
        let mirrored = NumericPlan::new(claim).unwrap();
        assert!(mirrored.executions().abs_diff(plan.executions()) <= 1);
        let (failed, _) = errors(&mirrored, 1.0 - bound, &number(0.0), &number(1.0));
        assert!(failed <= false_alarm, "{bound}: {failed} > {false_alarm}");
    }
}

#[test]
fn both_errors_of_a_fit_of_two_labels_are_kept_exactly() {
    let claim = FitClaim::new([("no", 0.7), ("yes", 0.3)], 0.25)
        .and_then(|claim| claim.false_alarm(0.01))
        .unwrap();
    let plan = NumericPlan::new(claim).unwrap();
    let (no, yes) = (Observation::Outcome(0), Observation::Outcome(1));
    let (failed, _) = errors(&plan, 0.3, &no, &yes);
    assert!(failed <= 0.01, "{failed}");
    for off in [0.05, 0.55] {
        let (_, passed) = errors(&plan, off, &no, &yes);
        assert!(passed <= 0.05, "{off}: {passed}");
    }
}

#[test]
fn a_label_that_never_comes_is_missed_although_the_distance_is_all_of_its_probability() {
    for (share, distance) in [(0.1, 0.1), (0.3, 0.3), (0.15, 0.15), (0.1, 0.099_999_999)] {
        let claim = FitClaim::new([("rare", share), ("other", 1.0 - share)], distance)
            .and_then(|claim| claim.epsilon(0.05))
            .and_then(|claim| claim.false_alarm(0.01))
            .unwrap();
        let plan = NumericPlan::new(claim).unwrap();
        let (rare, other) = (Observation::Outcome(0), Observation::Outcome(1));
        let (failed, passed) = errors(&plan, 0.0, &other, &rare);
        assert_eq!((failed, passed), (1.0, 0.0), "{share}, {distance}");
        let (failed, _) = errors(&plan, share, &other, &rare);
        assert!(failed <= 0.01, "{share}, {distance}: {failed}");
    }
}

#[test]
fn ten_labels_of_which_one_never_comes_are_missed() {
    let labels = (0..10).map(|label| (label.to_string(), 0.1));
    let plan = NumericPlan::new(FitClaim::new(labels, 0.1).unwrap()).unwrap();
    // No execution returns label 0, so nothing that was promised could rule out
    // that it is off by 0.1: this holds for each seed, not with a probability.
    for seed in 1..=20 {
        let label = |rng: &mut probtest::TestRng| Observation::Outcome(rng.random_range(1..10));
        let (verdict, _) = judged(&plan, seed, label);
        assert!(matches!(verdict, NumericVerdict::Missed(_)), "{verdict:?}");
    }
}

/// Judges numbers made by a function of the random source.
fn judged(
    plan: &NumericPlan,
    seed: u64,
    body: impl Fn(&mut probtest::TestRng) -> Observation,
) -> (NumericVerdict, u64) {
    let stream = Stream::new(RunSeed(seed), "numbers");
    let mut judge = NumericJudge::new(plan, Limits::default());
    let mut index = 1;
    while judge
        .observe(record(index, body(&mut stream.execution(index))))
        .is_continue()
    {
        index += 1;
    }
    let (verdict, _, counts) = judge.conclude();
    (verdict, counts.executed)
}

#[test]
fn uniform_numbers_keep_both_errors_in_simulation() {
    // False alarm and epsilon 0.1, 200 runs each: 20 are expected at most. The
    // seeds are fixed; with fresh ones 60 or more had probability below 1e-12.
    let claim = MeanClaim::within((-1.0, 3.0), (1.0, 1.0), 0.5)
        .and_then(|claim| claim.epsilon(0.1))
        .and_then(|claim| claim.false_alarm(0.1))
        .unwrap();
    let plan = NumericPlan::new(claim).unwrap();
    let wrong = |shift: f64, wrong: fn(&NumericVerdict) -> bool| {
        (0..200)
            .filter(|seed| {
                let body =
                    |rng: &mut probtest::TestRng| number(rng.random_range(-0.5..2.5) + shift);
                wrong(&judged(&plan, *seed, body).0)
            })
            .count()
    };
    let alarms = wrong(0.0, |verdict| matches!(verdict, NumericVerdict::Missed(_)));
    assert!(alarms < 60, "{alarms}");
    for shift in [-0.5, 0.5] {
        let missed = wrong(shift, |verdict| *verdict == NumericVerdict::Passed);
        assert!(missed < 60, "{missed} at {shift}");
    }
}

#[test]
fn numbers_that_vary_little_are_decided_after_few_executions() {
    let claim = MeanClaim::within((-2.46, 6.46), (2.0, 2.0), 0.2).unwrap();
    let plan = NumericPlan::new(claim).unwrap();
    assert!(plan.executions() > 10_000, "{}", plan.executions());
    let body = |rng: &mut probtest::TestRng| number(2.0 + 0.3 * (rng.random::<f64>() - 0.5));
    let (verdict, executed) = judged(&plan, 1, body);
    assert_eq!(verdict, NumericVerdict::Passed);
    assert!(executed < 200, "{executed}");
}

#[test]
fn every_pattern_of_numbers_is_decided_by_the_planned_executions() {
    let claims: [NumericClaim; 3] = [
        MeanClaim::within((0.0, 1.0), (0.4, 0.6), 0.2)
            .unwrap()
            .into(),
        MeanClaim::above((0.0, 1.0), 0.9, 0.1).unwrap().into(),
        FitClaim::new([("a", 0.2), ("b", 0.5)], 0.15)
            .unwrap()
            .into(),
    ];
    for claim in claims {
        let plan = NumericPlan::new(claim.clone()).unwrap();
        for split in plan.sides().iter().map(|side| side.split) {
            // Numbers, and ones and zeros, that keep next to where it is hardest.
            for apart in [-1e-3, 0.0, 1e-3] {
                let mut judge = NumericJudge::new(&plan, Limits::default());
                let (mut index, mut ones) = (0, 0.0);
                let mut go_on = true;
                while go_on {
                    index += 1;
                    let mean = split + apart;
                    let one = ones < mean * index as f64;
                    ones += f64::from(u8::from(one));
                    let returned = match &claim {
                        NumericClaim::Mean(_) => number(f64::from(u8::from(one))),
                        NumericClaim::Fit(_) if one => Observation::Outcome(0),
                        NumericClaim::Fit(_) => Observation::Outcome(1),
                    };
                    go_on = judge.observe(record(index, returned)).is_continue();
                }
                let (verdict, _, counts) = judge.conclude();
                assert!(counts.executed <= plan.executions());
                assert!(
                    matches!(verdict, NumericVerdict::Passed | NumericVerdict::Missed(_)),
                    "{verdict:?}"
                );
            }
        }
    }
}

#[test]
fn a_number_outside_of_the_range_ends_the_test_and_names_its_execution() {
    let plan = NumericPlan::new(MeanClaim::below((0.0, 1.0), 0.5, 0.2).unwrap()).unwrap();
    for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let mut judge = NumericJudge::new(&plan, Limits::default());
        assert!(judge.observe(record(1, number(0.5))).is_continue());
        assert!(judge.observe(record(2, number(value))).is_break());
        let (verdict, _, counts) = judge.conclude();
        assert!(
            matches!(
                verdict,
                NumericVerdict::Inconclusive(NumericReason::Outside { index: 2, .. })
            ),
            "{verdict:?}"
        );
        assert_eq!(counts.executed, 1);
    }
    let mut judge = NumericJudge::new(&plan, Limits::default());
    assert!(judge.observe(record(1, Observation::Passed)).is_break());
    assert!(matches!(
        judge.conclude().0,
        NumericVerdict::Inconclusive(NumericReason::Nothing { index: 1 })
    ));
}

#[test]
fn a_label_without_probability_fails_at_once() {
    let plan = NumericPlan::new(FitClaim::new([("a", 0.5), ("b", 0.5)], 0.1).unwrap()).unwrap();
    let mut judge = NumericJudge::new(&plan, Limits::default());
    assert!(
        judge
            .observe(record(1, Observation::Outcome(0)))
            .is_continue()
    );
    assert!(judge.observe(record(2, Observation::Unlisted)).is_break());
    assert!(matches!(
        judge.conclude().0,
        NumericVerdict::Impossible { index: 2, .. }
    ));
    // With room for others it is one of them.
    let plan = NumericPlan::new(FitClaim::new([("a", 0.5)], 0.1).unwrap()).unwrap();
    let mut judge = NumericJudge::new(&plan, Limits::default());
    assert!(
        judge
            .observe(record(1, Observation::Unlisted))
            .is_continue()
    );
}

#[test]
fn claims_that_make_no_sense_are_refused_with_what_was_given() {
    let refused = [
        MeanClaim::within((1.0, 0.0), (0.4, 0.6), 0.1).unwrap_err(),
        MeanClaim::within((0.0, 1.0), (0.6, 0.4), 0.1).unwrap_err(),
        MeanClaim::within((0.0, 1.0), (0.4, 1.6), 0.1).unwrap_err(),
        MeanClaim::above((0.0, 1.0), 0.0, 0.1).unwrap_err(),
        MeanClaim::above((0.0, 1.0), f64::NAN, 0.1).unwrap_err(),
        MeanClaim::above((0.0, 1.0), 0.5, 0.5).unwrap_err(),
        MeanClaim::above((0.0, 1.0), 0.5, 0.0).unwrap_err(),
        MeanClaim::above((0.0, f64::INFINITY), 0.5, 0.1).unwrap_err(),
        MeanClaim::above((0.0, 1.0), 0.5, 0.1)
            .unwrap()
            .epsilon(1.0)
            .unwrap_err(),
        MeanClaim::above((0.0, 1.0), 0.5, 0.1)
            .unwrap()
            .false_alarm(0.0)
            .unwrap_err(),
        FitClaim::new([("a", 0.5), ("a", 0.5)], 0.1).unwrap_err(),
        FitClaim::new([("a", 0.7), ("b", 0.5)], 0.1).unwrap_err(),
        FitClaim::new([("a", 1.5)], 0.1).unwrap_err(),
        FitClaim::new([("a", 0.5), ("b", 0.5)], 0.5).unwrap_err(),
        FitClaim::new([("a", 0.5), ("b", 0.5)], -0.5).unwrap_err(),
        FitClaim::new(Vec::<(String, f64)>::new(), 0.5).unwrap_err(),
    ];
    for error in refused {
        let text = error.to_string();
        assert!(
            text.contains("\n  given  ") && text.contains("\n  help   "),
            "{text}"
        );
    }
    let error = NumericPlan::new(MeanClaim::above((0.0, 1e9), 0.5e9, 1e-3).unwrap()).unwrap_err();
    assert!(
        error.to_string().starts_with("the claim needs about "),
        "{error}"
    );
    // Floats that sum to 1 but for rounding sum to 1.
    assert_eq!(
        FitClaim::new([("a", 5.0 / 6.0), ("b", 1.0 / 6.0)], 0.1)
            .unwrap()
            .rest(),
        0.0
    );
}

#[test]
fn chances_below_every_float_are_planned_for_as_any_others() {
    let executions = |chance: &str| {
        let claim = MeanClaim::above((0.0, 1.0), 0.6, 0.2).unwrap();
        let claim = claim.epsilon(chance).unwrap().false_alarm(chance).unwrap();
        NumericPlan::new(claim).unwrap().executions()
    };
    // Executions grow with the logarithm of both chances.
    let hundreds = ["1e-100", "1e-200", "1e-300", "1e-400", "1e-500"].map(executions);
    for pair in hundreds.windows(3) {
        let (before, after) = (pair[1] - pair[0], pair[2] - pair[1]);
        assert!(before.abs_diff(after) <= 1, "{hundreds:?}");
    }
}

#[test]
fn a_claim_that_takes_too_long_names_its_limit_and_all_that_could_be_raised() {
    let refused = |margin: f64| {
        let claim = MeanClaim::above((0.0, 1.0), 0.9, margin).unwrap();
        NumericPlan::new(claim).unwrap_err().to_string()
    };
    assert_eq!(
        refused(1e-9),
        "the claim needs about 5.909e18 executions, but a plan for a mean or for labels holds at most 2^53\n  \
         given  a margin of 1.000e-9 of the whole range, epsilon = 0.05, false_alarm = 1e-6\n  \
         help   raise the margin or distance, epsilon or false_alarm"
    );
    let endless = refused(1e-30);
    assert!(
        endless.starts_with("the claim needs more executions than can be counted, but"),
        "{endless}"
    );
}

#[test]
fn a_range_too_wide_for_a_float_and_a_fit_of_nothing_are_called_that() {
    let wide = MeanClaim::above((f64::MIN, f64::MAX), 0.5, 0.1).unwrap_err();
    let wide = wide.to_string();
    assert!(
        wide.starts_with("between is wider than a number can be\n"),
        "{wide}"
    );
    let nothing = FitClaim::new(Vec::<(String, f64)>::new(), 0.5).unwrap_err();
    let nothing = nothing.to_string();
    assert!(nothing.starts_with("a fit lists no label\n"), "{nothing}");
}
