//! Tests that tolerate a rate: verdicts, replay, intervals, words.

use crate::common::{as_json, endings};
use probtest::claim::Claim;
use probtest::judge::{Finding, Verdict, stopped};
use probtest::plan::Plan;
use probtest::report::Report;
use probtest::{Settings, TestRng};

fn claim() -> Claim {
    Claim::tolerate(0.01, 0.1, 0.05, 1e-6).unwrap()
}

/// A program that violates with a given probability, in millionths.
fn violates(millionths: u64) -> impl Fn(&mut TestRng) + Sync {
    move |rng| assert!(rng.draw_u64() % 1_000_000 >= millionths, "too bad")
}

fn run(settings: Settings<'_>, millionths: u64) -> Report {
    probtest::check(claim(), settings, violates(millionths)).unwrap()
}

#[test]
fn a_program_without_violations_passes_after_the_fewest_executions() {
    let report = run(Settings::new("good").seed(1), 0);
    let plan = Plan::new(&claim()).unwrap();
    assert!(report.passed());
    assert_eq!(report.counts().executed, plan.sequential().unwrap().fewest());
    assert_eq!(
        report.section(),
        "probtest: tolerates 1 in 100, catches 1 in 10; passed after 32 of at most 268 executions, no violation; a program that fails 1 in 10 would pass at most 5 % of the time\n  rate      0 of 32 violated; the violation rate is between 0 and 0.109 with confidence 0.95\n"
    );
}

#[test]
fn violations_within_the_rate_pass_and_are_counted() {
    let seed = (1..).find(|seed| {
        let report = run(Settings::new("fair").seed(*seed), 10_000);
        report.passed() && report.counts().violated == 2
    });
    let report = run(Settings::new("fair").seed(seed.unwrap()), 10_000);
    assert!(report.summary().contains("executions, 2 violations; a program"), "{report}");
    assert_eq!(report.counts().executed, report.counts().passed + 2);
}

#[test]
fn a_failure_shows_the_deciding_violation_and_speaks_of_the_rate() {
    let report = run(Settings::new("bad").seed(3), 300_000);
    let Verdict::Violated(Finding::Rate { index, first, violation }) = report.verdict() else {
        panic!("{report}");
    };
    assert_eq!(violation.message, "too bad");
    assert_eq!(report.counts().executed, *index);
    assert!(first < index);
    assert_eq!(report.address().unwrap().index, *index);
    let rate = report.rate().unwrap();
    assert!(rate.low > 0.01 && rate.low < 0.3 && rate.high > 0.3, "{rate}");
    let violated = report.counts().violated;
    let text = report.section();
    for line in [
        format!("probtest: violated too often: {violated} of {index} executions\n"),
        "  claim     tolerate = 0.01, p = 0.1, epsilon = 0.05, false_alarm = 1e-6\n".into(),
        format!("  rate      {rate}\n"),
        "  meaning   tolerates 1 in 100, catches 1 in 10; a program that fails 1 in 100 or less would fail this test with probability at most 1e-6\n".into(),
        format!("  shown     execution {index}, which decided; the first violation was execution {first}\n"),
        format!("  seed      0x3, execution {index}\n"),
    ] {
        assert!(text.contains(&line), "{text}\nlacks {line}");
    }
}

#[test]
fn the_shown_execution_replays_its_violation() {
    let report = run(Settings::new("bad").seed(3), 300_000);
    let alone = run(Settings::new("bad").replay(report.address().unwrap()), 300_000);
    assert_eq!(alone.violation(), report.violation());
    assert!(alone.rate().is_none());
    let said = "a single violation does not break a claim that tolerates a rate";
    assert!(alone.section().contains(said), "{alone}");
    // One that passes decides nothing, as ever.
    let quiet = run(Settings::new("bad").replay(report.address().unwrap()), 0);
    assert!(matches!(quiet.verdict(), Verdict::Inconclusive(_)));
}

#[test]
fn a_budget_below_the_most_passes_when_the_test_stops_before() {
    assert!(run(Settings::new("good").seed(1).max_executions(40), 0).passed());
    let cut = run(Settings::new("good").seed(1).max_executions(20), 0);
    assert!(matches!(cut.verdict(), Verdict::Inconclusive(_)));
    let said = "  rate      0 of 20 violated; the violation rate is between 0 and 0.169";
    assert!(cut.section().contains(said), "{cut}");
}

#[test]
fn intervals_hold_the_rate_as_often_as_they_say() {
    let plans = [(0.01, 0.1, 0.05, 0.05), (0.1, 0.3, 0.05, 1e-3), (0.2, 0.5, 0.1, 0.1)];
    for (tolerate, p, epsilon, false_alarm) in plans {
        let plan = Plan::new(&Claim::tolerate(tolerate, p, epsilon, false_alarm).unwrap()).unwrap();
        let test = plan.sequential().unwrap();
        for cut in [test.most(), test.most() / 3] {
            let mut known = std::collections::HashMap::new();
            for step in 1..40 {
                let rate = f64::from(step) / 40.0 * f64::min(2.0 * p, 0.99);
                let mut covered = 0.0;
                for (n, x, _, chance) in endings(test, rate, cut) {
                    if chance < 1e-12 {
                        covered += chance;
                        continue;
                    }
                    let (low, high) = *known
                        .entry((n, x))
                        .or_insert_with(|| stopped::interval(test, n, x, 0.95).unwrap());
                    if low <= rate && rate <= high {
                        covered += chance;
                    }
                }
                assert!(covered >= 0.95 - 1e-9, "{plan:?} {cut} {rate}: {covered}");
            }
        }
    }
}

#[test]
fn the_json_form_has_the_claim_the_rate_and_the_finding() {
    let json = as_json(&run(Settings::new("bad").seed(3), 300_000));
    assert_eq!(json["claim"]["tolerate"], 0.01);
    assert_eq!(json["claim"]["false_alarm_exact"], "1e-6");
    assert_eq!(json["finding"]["kind"], "rate");
    assert_eq!(json["index"], json["executed"]);
    assert_eq!(json["rate"]["confidence"], 0.95);
    assert!(json["false_alarm"].as_f64().unwrap() <= 1e-6);
    let plan = probtest::report::plan_facts(&Plan::new(&claim()).unwrap());
    assert_eq!((plan.fewest_executions, plan.executions), (Some(32), 268));
}

#[test]
fn a_plan_says_what_to_expect() {
    let plan = Plan::new(&Claim::tolerate(0.001, 0.01, 0.05, 1e-6).unwrap()).unwrap();
    assert_eq!(
        probtest::report::plan_text(&plan),
        "336 to 2727 executions
  claim     a rate of 0.001 or less passes with probability >= 0.999999
            a rate of 0.01 or more fails with probability >= 0.95
  expected  336 without a violation, 451 at 0.001, 936 at 0.01
  most      2727 executions; a pass has at most 14 violations
  compare   a test that looks only at the end needs 1818 executions and allows 11 violations
  miss      0.04986
  alarm     9.949e-7
"
    );
}
