//! Estimates: where they stop, what they say, and that threads do not matter.

use std::sync::atomic::{AtomicU64, Ordering};

use probtest::judge::Reason;
use probtest::report::Estimate;
use probtest::run::{Cancel, Observation};
use probtest::{Options, TestRng, estimate};
use rand::RngExt;

fn at_rate(rate: f64) -> impl Fn(&mut TestRng) -> bool + Sync {
    move |rng| rng.random::<f64>() >= rate
}

fn of(rate: f64, width: f64, seed: u64, jobs: usize) -> Estimate {
    let options = Options::new("rate").seed(seed).jobs(jobs);
    estimate(width, 0.95, options, at_rate(rate)).unwrap()
}

#[test]
fn an_estimate_is_as_narrow_as_asked_after_at_most_the_planned_executions() {
    for rate in [0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0] {
        let found = of(rate, 0.05, 1, 1);
        let (low, high) = found.interval;
        assert!(found.finished());
        assert!(high - low <= 0.05 + 1e-12, "{rate}: {low} {high}");
        assert!(low <= rate && rate <= high, "{rate}: {low} {high}");
        assert!(found.counts.executed <= found.counts.planned);
    }
}

#[test]
fn rates_far_from_one_half_need_far_fewer_than_hoeffdings_number() {
    // Seeded; the number of executions is at most this for the seed.
    for (rate, most) in [(0.0, 370), (0.01, 1_500), (0.1, 7_500), (0.9, 7_500)] {
        let found = of(rate, 0.02, 3, 1);
        assert_eq!(found.hoeffding(), 18_445);
        assert!(
            found.counts.executed <= most,
            "{rate}: {}",
            found.counts.executed
        );
    }
}

#[test]
fn the_true_rate_is_lost_no_more_often_than_the_confidence_leaves() {
    // Confidence 0.9, 400 runs: at most 40 lost are expected. 90 or more have
    // probability below 1e-12 (binomial tail at 0.1); the seeds are fixed anyway.
    let lost = (0..400)
        .filter(|seed| {
            let options = Options::new("rate").seed(*seed);
            let found = estimate(0.1, 0.9, options, at_rate(0.2)).unwrap();
            !(found.interval.0..=found.interval.1).contains(&0.2)
        })
        .count();
    assert!(lost < 90, "{lost} of 400");
}

#[test]
fn interval_and_counts_do_not_depend_on_the_threads() {
    let one = of(0.07, 0.03, 9, 1);
    for jobs in [2, 3, 8] {
        let many = of(0.07, 0.03, 9, jobs);
        assert_eq!(many.interval, one.interval);
        assert_eq!(many.counts, one.counts);
        assert_eq!(many.address, one.address);
        assert_eq!(many.summary(), one.summary());
    }
}

#[test]
fn a_budget_ends_an_estimate_with_the_interval_so_far() {
    let options = Options::new("rate").seed(2).max_executions(100);
    let found = estimate(0.01, 0.95, options, at_rate(0.1)).unwrap();
    assert_eq!(
        found.unfinished,
        Some(Reason::Budget {
            max_executions: 100
        })
    );
    assert_eq!(found.counts.executed, 100);
    let (low, high) = found.interval;
    assert!(low < 0.1 && 0.1 < high && high < 1.0, "{low} {high}");
    let text = found.to_string();
    assert!(
        text.starts_with("probtest: unfinished: the violation rate is between "),
        "{text}"
    );
    assert!(text.contains("reason    max_executions = 100 came before the width was reached"));
    assert_eq!(found.to_json()["verdict"], "inconclusive");
    assert_eq!(found.to_json()["reason"]["kind"], "budget");
}

#[test]
fn the_switch_ends_an_estimate_with_the_interval_so_far() {
    let cancel = Cancel::new();
    let executed = AtomicU64::new(0);
    let options = Options::new("rate").seed(2).cancel(cancel.clone());
    let found = estimate(1e-6, 0.95, options, |_| {
        if executed.fetch_add(1, Ordering::Relaxed) == 50_000 {
            cancel.cancel();
        }
        true
    })
    .unwrap();
    assert_eq!(found.unfinished, Some(Reason::Cancelled));
    assert!(found.interval.1 < 0.01);
}

#[test]
fn an_execution_that_cannot_be_carried_out_leaves_the_interval_so_far() {
    let executed = AtomicU64::new(0);
    let found = estimate(0.01, 0.95, Options::new("rate").seed(2), |_| match executed
        .fetch_add(1, Ordering::Relaxed)
    {
        100 => Observation::Broken("no more files".into()),
        _ => Observation::Passed,
    })
    .unwrap();
    assert!(matches!(
        found.unfinished,
        Some(Reason::Broken { index: 101, .. })
    ));
    assert_eq!(found.counts.executed, 100);
    assert!(found.interval.1 < 0.2, "{:?}", found.interval);
}

#[test]
fn rejected_executions_do_not_count_and_too_many_end_it() {
    let options = Options::new("rate").seed(5);
    let found = estimate(0.2, 0.95, options, |rng| {
        probtest::assume(rng.random_range(0..4) > 0);
        rng.random_range(0..10) > 0
    })
    .unwrap();
    assert!(found.finished() && found.counts.rejected > 0);
    assert_eq!(
        found.counts.passed + found.counts.violated,
        found.counts.executed
    );
    let options = Options::new("rate").seed(5);
    let found = estimate(0.2, 0.95, options, |_| probtest::assume(false)).unwrap();
    assert!(matches!(
        found.unfinished,
        Some(Reason::Rejections { in_a_row: true, .. })
    ));
    assert_eq!(found.interval, (0.0, 1.0));
}

#[test]
fn the_report_has_the_answer_first_and_the_first_violation() {
    let found = of(0.1, 0.1, 7, 1);
    assert_eq!(
        found.to_string(),
        "probtest: the violation rate is between 0.072 and 0.172 with confidence 0.95, after 226 executions
  executed  28 violated of 226 executions, a rate of 0.1239
  width     0.0988 of 0.1 asked for
  meaning   the interval holds at the moment of the stop: it was valid after every execution
  compared  a number fixed beforehand by Hoeffding's inequality is 738 executions
  seed      0x7, first violation at execution 3
"
    );
    let json = found.to_json();
    assert_eq!(json["kind"], "estimate");
    assert_eq!(json["verdict"], "estimated");
    assert_eq!(json["finding"]["message"], "the body returned false");
}

#[test]
fn widths_confidences_and_replays_that_make_no_sense_are_refused() {
    for (width, confidence) in [
        (0.0, 0.9),
        (1.0, 0.9),
        (f64::NAN, 0.9),
        (0.1, 1.0),
        (0.1, -1.0),
    ] {
        let error = estimate(width, confidence, Options::new("rate"), |_| true).unwrap_err();
        assert!(
            error.to_string().contains("strictly between 0 and 1"),
            "{error}"
        );
        assert!(error.to_string().contains("\n  help   "), "{error}");
    }
    let options = Options::new("rate").replay("0x5eed:9".parse().unwrap());
    let error = estimate(0.1, 0.9, options, |_| true).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("one execution alone estimates"),
        "{error}"
    );
    let error = estimate(0.1, 0.9, Options::new("rate").jobs(0), |_| true).unwrap_err();
    assert!(error.to_string().starts_with("jobs is 0"), "{error}");
}
