//! Estimates: where they stop, and what they say.

use crate::common::as_json;
use std::sync::atomic::{AtomicU64, Ordering};

use probtest::judge::Reason;
use probtest::run::{Conclusion, Observation};
use probtest::settings::Cancel;
use probtest::{Report, Settings, TestRng};
use rand::RngExt;

fn at_rate(rate: f64) -> impl Fn(&mut TestRng) -> bool + Sync {
    move |rng| rng.random::<f64>() >= rate
}

fn estimate<C: Conclusion>(
    width: f64,
    confidence: f64,
    settings: Settings<'_>,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Report {
    let terms = probtest::estimate(width).confidence(confidence);
    probtest::check(terms, settings, body).unwrap()
}

fn of(rate: f64, width: f64, seed: u64) -> Report {
    estimate(width, 0.95, Settings::new("rate").seed(seed), at_rate(rate))
}

fn interval(report: &Report) -> (f64, f64) {
    let rate = report.rate().unwrap();
    (rate.low, rate.high)
}

#[test]
fn an_estimate_is_as_narrow_as_asked_after_at_most_the_planned_executions() {
    for rate in [0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0] {
        let found = of(rate, 0.05, 1);
        let (low, high) = interval(&found);
        assert!(found.accepted());
        assert!(high - low <= 0.05 + 1e-12, "{rate}: {low} {high}");
        assert!(low <= rate && rate <= high, "{rate}: {low} {high}");
        assert!(found.counts().executed <= found.counts().planned);
    }
}

#[test]
fn rates_far_from_one_half_need_far_fewer_than_hoeffdings_number() {
    // Seeded; the number of executions is at most this for the seed.
    for (rate, most) in [(0.0, 370), (0.01, 1_500), (0.1, 7_500), (0.9, 7_500)] {
        let found = of(rate, 0.02, 3);
        assert_eq!(found.facts().hoeffding, Some(18_445));
        assert!(found.counts().executed <= most, "{rate}: {}", found.counts().executed);
    }
}

#[test]
fn the_switch_ends_an_estimate_with_the_interval_so_far() {
    let cancel = Cancel::new();
    let executed = AtomicU64::new(0);
    let settings = Settings::new("rate").seed(2).cancel(cancel.clone());
    let found = estimate(1e-6, 0.95, settings, |_| {
        if executed.fetch_add(1, Ordering::Relaxed) == 50_000 {
            cancel.cancel();
        }
        true
    });
    assert_eq!(found.reason(), Some(&Reason::Cancelled));
    assert!(interval(&found).1 < 0.01);
}

#[test]
fn an_execution_that_cannot_be_run_leaves_the_interval_so_far() {
    let executed = AtomicU64::new(0);
    let found = estimate(0.01, 0.95, Settings::new("rate").seed(2), |_| {
        match executed.fetch_add(1, Ordering::Relaxed) {
            100 => Observation::Broken("no more files".into()),
            _ => Observation::Passed,
        }
    });
    assert!(matches!(found.reason(), Some(Reason::Broken { index: 101, .. })));
    assert_eq!(found.counts().executed, 100);
    assert!(interval(&found).1 < 0.2, "{:?}", interval(&found));
}

#[test]
fn too_many_rejections_leave_everything_open() {
    let settings = Settings::new("rate").seed(5);
    let found = estimate(0.2, 0.95, settings, |_| probtest::assume(false));
    assert!(matches!(found.reason(), Some(Reason::Rejections { in_a_row: true, .. })));
    assert_eq!(interval(&found), (0.0, 1.0));
}

#[test]
fn the_report_has_the_answer_first_and_the_first_violation() {
    let found = of(0.1, 0.1, 7);
    assert_eq!(
        found.to_string(),
        "probtest: the violation rate is between 0.072 and 0.172 with confidence 0.95, after 226 executions
  observed  28 of 226 executions violated, a rate of 0.1239
            the interval is 0.0988 wide; you asked for 0.1
  meaning   the interval is valid even though the executions stopped early: it holds after every one of them
            for comparison, Hoeffding's inequality needs 738 executions
  seed      0x7, execution 3, the first violation
"
    );
    let json = as_json(&found);
    assert_eq!(json["kind"], "estimate");
    assert_eq!(json["verdict"], "estimated");
    assert_eq!(json["finding"]["message"], "the body returned false");
}

#[test]
fn widths_and_confidences_that_make_no_sense_are_refused() {
    let range = "is not strictly between 0 and 1";
    for (width, confidence, what) in [
        (0.0, 0.9, format!("width {range}")),
        (1.0, 0.9, format!("width {range}")),
        (f64::NAN, 0.9, "width is not a number".into()),
        (0.1, 1.0, format!("confidence {range}")),
        (0.1, -1.0, format!("confidence {range}")),
    ] {
        let error = probtest::estimate(width).confidence(confidence).claim();
        let error = error.unwrap_err();
        assert_eq!(error.what(), what);
        assert!(!error.help().is_empty(), "{error}");
    }
}
