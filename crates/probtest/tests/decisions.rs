//! Claims on numbers and labels: both errors, computed exactly where that is
//! possible, simulated elsewhere; and the number of executions at the latest.

use std::collections::BTreeMap;

use probtest::claim::{Labels, Numbers, Terms};
use probtest::judge::{self, Counts, Finding, Judge, Reason, Verdict};
use probtest::plan::Plan;
use probtest::run::{Number, Observation};
use probtest::seed::{RunSeed, Stream};
use probtest::{TestRng, fit, mean};
use rand::RngExt;

/// A judge with its counts, as the machine asks it.
pub struct Bench {
    pub judge: Box<dyn Judge>,
    pub counts: Counts,
}

impl Clone for Bench {
    fn clone(&self) -> Self {
        Bench { judge: self.judge.copy(), counts: self.counts }
    }
}

impl Bench {
    pub fn new(plan: &Plan) -> Self {
        Bench { judge: judge::judge(plan), counts: Counts::of(plan) }
    }

    /// Judges the next execution.
    pub fn judge(&mut self, observation: Observation) -> Option<Verdict> {
        let index = self.counts.executed + 1;
        self.judge.observe(index, observation, &mut self.counts)
    }

    /// The same, and decides after the last one.
    fn observe(&mut self, observation: Observation) -> Option<Verdict> {
        let verdict = self.judge(observation);
        let last = self.counts.executed == self.counts.planned;
        verdict.or_else(|| last.then(|| self.judge.end(&self.counts)))
    }

    /// What is ruled out so far, side by side. Only the judge knows, and tells it to
    /// people who debug.
    fn ruled_out(&self) -> Vec<bool> {
        let text = format!("{:?}", self.judge);
        let parts = text.split("ruled_out: ").skip(1);
        parts.map(|part| part.starts_with("true")).collect()
    }
}

fn plan<R>(terms: Terms<R>) -> Plan {
    Plan::new(&terms.claim().unwrap()).unwrap()
}

fn below(bound: f64, margin: f64) -> Terms<Numbers> {
    mean().between(0, 1).below(bound).margin(margin)
}

fn above(bound: f64, margin: f64) -> Terms<Numbers> {
    mean().between(0, 1).above(bound).margin(margin)
}

fn labels<const N: usize>(labels: [(&str, f64); N], distance: f64) -> Terms<Labels> {
    fit().labels(labels).distance(distance)
}

/// The exact chances of failing and passing where executions return `one` with
/// probability `rate` and `zero` otherwise. What a judge knows are the counts and
/// what it has ruled out; the order does not matter otherwise.
fn errors(plan: &Plan, rate: f64, zero: &Observation, one: &Observation) -> (f64, f64) {
    let mut states = BTreeMap::from([((0, Vec::new()), (Bench::new(plan), 1.0))]);
    let (mut failed, mut passed) = (0.0, 0.0);
    while !states.is_empty() {
        let mut next: BTreeMap<(u64, Vec<bool>), (Bench, f64)> = BTreeMap::new();
        for ((ones, _), (bench, chance)) in states {
            for (more, returned, share) in [(0, zero, 1.0 - rate), (1, one, rate)] {
                let mut bench = bench.clone();
                let chance = chance * share;
                match bench.observe(returned.clone()) {
                    None => {
                        let known = (ones + more, bench.ruled_out());
                        next.entry(known).or_insert((bench, 0.0)).1 += chance;
                    }
                    Some(Verdict::Passed) => passed += chance,
                    Some(Verdict::Violated(_)) => failed += chance,
                    Some(other) => panic!("{other:?}"),
                }
            }
        }
        states = next;
    }
    assert!((failed + passed - 1.0).abs() < 1e-9);
    (failed, passed)
}

fn number(value: f64) -> Observation {
    Observation::Number(Number(value))
}

#[test]
fn both_errors_of_a_claim_on_a_mean_of_zeros_and_ones_are_kept_exactly() {
    for (bound, margin, epsilon, false_alarm) in
        [(0.3, 0.3, 0.05, 0.01), (0.05, 0.25, 0.1, 0.1), (0.6, 0.3, 0.01, 1e-6)]
    {
        let chances = |terms: Terms<Numbers>| plan(terms.epsilon(epsilon).false_alarm(false_alarm));
        let upper = chances(below(bound, margin));
        let (failed, _) = errors(&upper, bound, &number(0.0), &number(1.0));
        assert!(failed <= false_alarm, "{bound}: {failed} > {false_alarm}");
        let (_, passed) = errors(&upper, bound + margin, &number(0.0), &number(1.0));
        assert!(passed <= epsilon, "{bound}: {passed} > {epsilon}");
        // The mirror image is as good.
        let mirrored = chances(above(1.0 - bound, margin));
        assert!(mirrored.executions().abs_diff(upper.executions()) <= 1);
        let (failed, _) = errors(&mirrored, 1.0 - bound, &number(0.0), &number(1.0));
        assert!(failed <= false_alarm, "{bound}: {failed} > {false_alarm}");
    }
}

#[test]
fn both_errors_of_a_fit_of_two_labels_are_kept_exactly() {
    let plan = plan(labels([("no", 0.7), ("yes", 0.3)], 0.25).false_alarm(0.01));
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
        let terms = labels([("rare", share), ("other", 1.0 - share)], distance);
        let plan = plan(terms.epsilon(0.05).false_alarm(0.01));
        let (rare, other) = (Observation::Outcome(0), Observation::Outcome(1));
        let (failed, passed) = errors(&plan, 0.0, &other, &rare);
        assert_eq!((failed, passed), (1.0, 0.0), "{share}, {distance}");
        let (failed, _) = errors(&plan, share, &other, &rare);
        assert!(failed <= 0.01, "{share}, {distance}: {failed}");
    }
}

#[test]
fn ten_labels_of_which_one_never_comes_are_missed() {
    let digits = (0..10).map(|label| (label.to_string(), 0.1));
    let plan = plan(fit().labels(digits).distance(0.1));
    // No execution returns label 0, so nothing that was promised could rule out
    // that it is off by 0.1: this holds for each seed, not with a probability.
    for seed in 1..=20 {
        let label = |rng: &mut TestRng| Observation::Outcome(rng.random_range(1..10));
        let (verdict, _) = judged(&plan, seed, label);
        assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    }
}

/// Judges numbers made by a function of the random source.
fn judged(plan: &Plan, seed: u64, body: impl Fn(&mut TestRng) -> Observation) -> (Verdict, u64) {
    let stream = Stream::new(RunSeed(seed), "numbers");
    let mut bench = Bench::new(plan);
    let mut indices = 1..;
    let verdict = indices.find_map(|index| bench.observe(body(&mut stream.execution(index))));
    (verdict.unwrap(), bench.counts.executed)
}

#[test]
fn numbers_that_vary_little_are_decided_after_few_executions() {
    let plan = plan(mean().between(-2.46, 6.46).within(2, 2).margin(0.2));
    assert!(plan.executions() > 10_000, "{}", plan.executions());
    let body = |rng: &mut TestRng| number(2.0 + 0.3 * (rng.random::<f64>() - 0.5));
    let (verdict, executed) = judged(&plan, 1, body);
    assert_eq!(verdict, Verdict::Passed);
    assert!(executed < 200, "{executed}");
}

#[test]
fn every_pattern_of_numbers_is_decided_by_the_planned_executions() {
    let plans = [
        plan(mean().between(0, 1).within(0.4, 0.6).margin(0.2)),
        plan(above(0.9, 0.1)),
        plan(labels([("a", 0.2), ("b", 0.5)], 0.15)),
    ];
    for plan in plans {
        let sides = plan.betting().unwrap().sides();
        for split in sides.iter().map(|side| side.split) {
            // Numbers, and ones and zeros, that keep next to where it is hardest.
            for apart in [-1e-3, 0.0, 1e-3] {
                let mut bench = Bench::new(&plan);
                let mut ones = 0.0;
                let mut indices = 1..=plan.executions();
                let verdict = indices.find_map(|index| {
                    let one = ones < (split + apart) * index as f64;
                    ones += f64::from(u8::from(one));
                    bench.observe(match plan.claim().kind() {
                        "mean" => number(f64::from(u8::from(one))),
                        _ => Observation::Outcome(usize::from(!one)),
                    })
                });
                assert!(
                    matches!(verdict, Some(Verdict::Passed | Verdict::Violated(_))),
                    "{verdict:?}"
                );
            }
        }
    }
}

#[test]
fn a_number_outside_of_the_range_ends_the_test_and_names_its_execution() {
    let plan = plan(below(0.5, 0.2));
    for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let mut bench = Bench::new(&plan);
        assert_eq!(bench.observe(number(0.5)), None);
        let verdict = bench.observe(number(value));
        let Some(Verdict::Inconclusive(Reason::Outside { index: 2, .. })) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(bench.counts.executed, 1);
    }
    let nothing = Verdict::Inconclusive(Reason::Nothing { index: 1 });
    let verdict = Bench::new(&plan).observe(Observation::Passed);
    assert_eq!(verdict, Some(nothing));
}

#[test]
fn a_label_without_probability_fails_at_once() {
    // Also of floats that sum to 1 but for rounding; with room for others it is one of them.
    let sixths = [("a", 5.0 / 6.0), ("b", 1.0 / 6.0)];
    for (plan, fails) in [
        (plan(labels([("a", 0.5), ("b", 0.5)], 0.1)), true),
        (plan(labels(sixths, 0.1)), true),
        (plan(labels([("a", 0.5)], 0.1)), false),
    ] {
        let mut bench = Bench::new(&plan);
        assert_eq!(bench.observe(Observation::Outcome(0)), None);
        let verdict = bench.observe(Observation::Unlisted);
        let impossible =
            matches!(verdict, Some(Verdict::Violated(Finding::Impossible { index: 2, .. })));
        assert!(impossible == fails && (fails || verdict.is_none()), "{verdict:?}");
    }
}

#[test]
fn claims_that_make_no_sense_are_refused_with_what_was_given() {
    let nothing = fit().distance(0.5).claim().unwrap_err();
    assert_eq!(nothing.what(), "a fit needs at least one label");
    let between = |low: f64, high: f64| mean().between(low, high).margin(0.1);
    let wide = between(f64::MIN, f64::MAX).above(0.5).claim().unwrap_err();
    assert_eq!(wide.what(), "between is wider than a number can be");
    let refused = [
        between(1.0, 0.0).within(0.4, 0.6).claim(),
        between(0.0, 1.0).within(0.6, 0.4).claim(),
        between(0.0, 1.0).within(0.4, 1.6).claim(),
        between(0.0, f64::INFINITY).above(0.5).claim(),
        above(0.0, 0.1).claim(),
        above(f64::NAN, 0.1).claim(),
        above(0.5, 0.5).claim(),
        above(0.5, 0.0).claim(),
        above(0.5, 0.1).epsilon(1.0).claim(),
        above(0.5, 0.1).false_alarm(0.0).claim(),
        labels([("a", 0.5), ("a", 0.5)], 0.1).claim(),
        labels([("a", 0.7), ("b", 0.5)], 0.1).claim(),
        labels([("a", 1.5)], 0.1).claim(),
        labels([("a", 0.5), ("b", 0.5)], 0.5).claim(),
        labels([("a", 0.5), ("b", 0.5)], -0.5).claim(),
        Err(nothing),
        Err(wide),
    ];
    for claim in refused {
        let error = claim.unwrap_err();
        assert!(!error.given().is_empty() && !error.help().is_empty(), "{error}");
    }
    let endless = mean().between(0, 1e9).above(0.5e9).margin(1e-3).claim();
    let error = Plan::new(&endless.unwrap()).unwrap_err();
    assert!(error.what().starts_with("the claim needs about "), "{error}");
}

#[test]
fn chances_below_every_float_are_planned_for_as_any_others() {
    let executions =
        |chance: &str| plan(above(0.6, 0.2).epsilon(chance).false_alarm(chance)).executions();
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
        let claim = above(0.9, margin).claim().unwrap();
        Plan::new(&claim).unwrap_err().to_string()
    };
    assert_eq!(
        refused(1e-9),
        "the claim needs about 5.909e18 executions, but a plan for a mean, for labels or for two versions holds at most 2^53\n  \
         given  a margin of 1.000e-9 of the whole range, epsilon = 0.05, false_alarm = 1e-6\n  \
         help   raise the margin, distance or change, epsilon or false_alarm"
    );
    let endless = refused(1e-30);
    assert!(
        endless.starts_with("the claim needs more executions than can be counted, but"),
        "{endless}"
    );
}
