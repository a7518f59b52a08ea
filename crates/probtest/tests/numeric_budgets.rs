//! Limits of time for claims on numbers and labels, and for estimates, with a clock
//! that the test moves.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use probtest::claim::numeric::{FitClaim, MeanClaim};
use probtest::judge::Reason;
use probtest::judge::numeric::{NumericReason, NumericVerdict, Seen};
use probtest::report::{Estimate, NumericReport};
use probtest::{Error, OnBudget, Options, TestRng};
use rand::RngExt;

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A clock by which each execution takes a second; it may be read on any thread.
struct Seconds {
    gone: AtomicU64,
}

impl Seconds {
    fn new() -> Self {
        let gone = AtomicU64::new(3);
        Seconds { gone }
    }

    fn pass(&self) {
        self.gone.fetch_add(1, Ordering::Relaxed);
    }

    fn options(&self) -> Options<'_> {
        Options::new("returns")
            .seed(0x5eed)
            .clock(|| seconds(self.gone.load(Ordering::Relaxed)))
    }
}

/// A mean that is wanted and is not decided by a hundred executions.
fn mean(limit: impl Fn(Options<'_>) -> Options<'_>) -> NumericReport {
    let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.02).unwrap();
    let clock = Seconds::new();
    probtest::numeric::mean(&claim, limit(clock.options()), |rng| {
        clock.pass();
        rng.random::<f64>()
    })
    .unwrap()
}

fn coin(rng: &mut TestRng) -> &'static str {
    if rng.random::<bool>() {
        "heads"
    } else {
        "tails"
    }
}

fn labels(limit: impl Fn(Options<'_>) -> Options<'_>) -> NumericReport {
    let claim = FitClaim::new([("heads", 0.5), ("tails", 0.5)], 0.02).unwrap();
    let clock = Seconds::new();
    probtest::numeric::fit(&claim, limit(clock.options()), |rng| {
        clock.pass();
        coin(rng)
    })
    .unwrap()
}

fn rate(limit: impl Fn(Options<'_>) -> Options<'_>) -> Estimate {
    let clock = Seconds::new();
    probtest::estimate(0.05, 0.95, limit(clock.options()), |rng| {
        clock.pass();
        rng.random_range(0..10) != 0
    })
    .unwrap()
}

#[test]
fn a_mean_out_of_time_is_inconclusive_and_says_what_is_known() {
    let report = mean(|options| options.max_time(seconds(100)));
    assert_eq!(report.counts.executed, 100);
    assert!(report.time_limit().is_some() && !report.passed());
    let Seen::Numbers { mean, interval, .. } = report.seen else {
        panic!("{report}");
    };
    // The interval holds with confidence 0.95; this seed is none of the others.
    assert!(interval.0 < 0.5 && 0.5 < interval.1, "{interval:?}");
    let planned = report.counts.planned;
    assert_eq!(
        report.to_string(),
        format!(
            "probtest: inconclusive after 100 of at most {planned} executions
  observed  mean {mean:.4} ({:.4} to {:.4} with confidence 0.95)
  claim     mean 0.45 to 0.55, margin = 0.02, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6
  reason    max_time = 1m40s was over before the decision
  help      raise max_time, margin, epsilon or false_alarm; on_budget = \"pass\" is for claims on violations
  seed      0x5eed
",
            interval.0, interval.1
        )
    );
    let json = report.to_json();
    assert_eq!(json["reason"]["kind"], "time");
    assert_eq!(json["attained"]["executions"], 100);
    let words = json["attained"]["words"].as_str().unwrap();
    assert!(words.starts_with("mean 0.") && words.ends_with("with confidence 0.95)"));
}

#[test]
fn labels_out_of_time_are_inconclusive_and_counted() {
    let report = labels(|options| options.suite_max_time(seconds(600), seconds(40)));
    assert_eq!(report.counts.executed, 40);
    let text = report.to_string();
    for words in [
        "  observed  heads ",
        "  reason    the suite's max_time = 10m was over before the decision\n",
        "  help      raise the suite's max_time, distance, epsilon or false_alarm; ",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn an_estimate_out_of_time_has_the_interval_so_far() {
    let cut = rate(|options| options.max_time(seconds(100)));
    assert_eq!(cut.counts.executed, 100);
    assert!(!cut.finished());
    assert!(cut.interval.1 - cut.interval.0 > 0.05 && cut.interval.1 < 0.5);
    let text = cut.to_string();
    assert!(text.starts_with("probtest: unfinished: the violation rate is between "));
    assert!(
        text.contains(
            "  reason    max_time = 1m40s was over before the width was reached\n  help      raise max_time or the width\n"
        ),
        "{text}"
    );
    assert_eq!(cut.to_json()["reason"]["kind"], "time");
}

#[test]
fn what_time_has_cut_is_executed_again_by_its_count() {
    for most in [1, 37, 100] {
        let (by_time, by_count) = (
            mean(|options| options.max_time(seconds(most))),
            mean(|options| options.max_executions(most)),
        );
        assert_eq!(by_time.counts, by_count.counts);
        assert_eq!(by_time.seen, by_count.seen);
        let (by_time, by_count) = (
            labels(|options| options.max_time(seconds(most))),
            labels(|options| options.max_executions(most)),
        );
        assert_eq!(
            (by_time.counts, by_time.seen),
            (by_count.counts, by_count.seen)
        );
        let (by_time, by_count) = (
            rate(|options| options.max_time(seconds(most))),
            rate(|options| options.max_executions(most)),
        );
        assert_eq!(by_time.counts, by_count.counts);
        assert_eq!(by_time.interval, by_count.interval);
    }
}

#[test]
fn time_that_ends_between_two_looks_lets_the_judge_look() {
    // Beyond execution 512 the judge looks at one in two or fewer.
    for seed in 1..=12 {
        let decide = |limit: &dyn Fn(Options<'static>) -> Options<'static>| {
            let claim = MeanClaim::below((0.0, 1.0), 0.5, 0.025).unwrap();
            let now = &*Box::leak(Box::new(AtomicU64::new(0)));
            let options = Options::new("between looks").seed(seed);
            let options = options.clock(|| seconds(now.load(Ordering::Relaxed)));
            probtest::numeric::mean(&claim, limit(options), |rng| {
                now.fetch_add(1, Ordering::Relaxed);
                rng.random::<f64>()
            })
            .unwrap()
        };
        let whole = decide(&|options| options);
        let decided = whole.counts.executed;
        for most in decided - 8..=decided {
            let by_time = decide(&|options| options.max_time(seconds(most)));
            let by_count = decide(&|options| options.max_executions(most));
            assert_eq!(by_time.counts, by_count.counts);
            assert_eq!(by_time.verdict_name(), by_count.verdict_name());
            assert_eq!(by_time.seen, by_count.seen);
        }
        let last = decide(&|options| options.max_time(seconds(decided)));
        assert_eq!(last.verdict, whole.verdict);
    }
}

#[test]
fn at_least_one_execution_counts_however_short_the_time() {
    let short = Duration::from_nanos(1);
    assert_eq!(mean(|o| o.max_time(short)).counts.executed, 1);
    assert_eq!(labels(|o| o.max_time(short)).counts.executed, 1);
    assert_eq!(rate(|o| o.max_time(short)).counts.executed, 1);
}

#[test]
fn a_decision_that_comes_in_time_stands() {
    let decided = rate(|options| options).counts.executed;
    let in_time = rate(|options| options.max_time(seconds(decided)));
    assert!(in_time.finished(), "{in_time}");
    let decided = mean(|options| options).counts.executed;
    let in_time = mean(|options| options.max_time(seconds(decided)));
    assert!(in_time.passed(), "{in_time}");
}

#[test]
fn on_several_threads_the_executions_that_count_are_the_first_ones() {
    let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.02).unwrap();
    let cut = |jobs| {
        let (now, seen) = (Cell::new(0), Mutex::new(Vec::new()));
        let options = Options::new("threads").seed(7).jobs(jobs);
        // Only the judge reads this clock: it goes by what is judged.
        let options = options.max_time(seconds(100)).clock(|| {
            now.set(now.get() + 1);
            seconds(now.get())
        });
        let report = probtest::numeric::mean(&claim, options, |rng| {
            let value = rng.random::<f64>();
            seen.lock().unwrap().push(value);
            value
        })
        .unwrap();
        let executed = report.counts.executed;
        let again = Options::new("threads").seed(7).max_executions(executed);
        let again = probtest::numeric::mean(&claim, again, |rng| rng.random::<f64>()).unwrap();
        assert_eq!(report.seen, again.seen, "{jobs} threads");
        assert!(matches!(
            report.verdict,
            NumericVerdict::Inconclusive(NumericReason::Ended(Reason::Time { .. }))
        ));
    };
    for jobs in [1, 2, 4] {
        cut(jobs);
    }
}

#[test]
fn accepting_a_budget_is_refused_where_nothing_less_is_attained() {
    let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.02).unwrap();
    let options = || Options::new("refused").on_budget(OnBudget::Pass);
    let refused = |rng: &mut TestRng| -> f64 { panic!("executed {}", rng.draw_u64()) };
    let error = probtest::numeric::mean(&claim, options(), refused).unwrap_err();
    assert_eq!(error, Error::OnBudget);
    assert_eq!(
        error.to_string(),
        "a claim on a mean or on labels and an estimate are decided as a whole: nothing less can be accepted\n  given  on_budget = \"pass\"\n  help   leave on_budget out; where time or executions end first, the report says what is known so far"
    );
    let claim = FitClaim::new([("heads", 0.5), ("tails", 0.5)], 0.1).unwrap();
    let error = probtest::numeric::fit(&claim, options(), coin).unwrap_err();
    assert_eq!(error, Error::OnBudget);
    let error = probtest::estimate(0.1, 0.95, options(), |_| true).unwrap_err();
    assert_eq!(error, Error::OnBudget);
}

#[test]
fn a_span_that_is_none_is_refused() {
    let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.02).unwrap();
    let options = Options::new("zero").max_time(Duration::ZERO);
    let error = probtest::numeric::mean(&claim, options, |_| 0.5).unwrap_err();
    assert!(matches!(error, Error::Time(_)), "{error}");
}
