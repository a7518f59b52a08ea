//! The words on means and labels, and the builders inside a test.

use probtest::claim::numeric::{FitClaim, MeanClaim};
use probtest::{Fit, Mean, Options, numeric};
use rand::RngExt;

#[test]
fn a_pass_says_what_it_is_worth() {
    let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.15).unwrap();
    let report = numeric::mean(&claim, Options::new("uniform").seed(7), |rng| {
        rng.random::<f64>()
    })
    .unwrap();
    assert_eq!(
        report.to_string(),
        "probtest: 15 executions of at most 703, mean 0.509 (0.314 to 0.695 with confidence 0.95); a mean of 0.3 or less, or of 0.7 or more would have passed with probability at most 0.05\n"
    );
    let json = report.to_json();
    assert_eq!(
        (&json["kind"], &json["verdict"]),
        (&"mean".into(), &"passed".into())
    );
    assert_eq!(json["claim"]["margin"], 0.15);
    assert!(json["observed"]["mean"].as_f64().unwrap() > 0.4);
}

#[test]
fn a_missed_mean_says_which_side_and_shows_the_most_extreme_execution() {
    let claim = MeanClaim::below((0.0, 1.0), 0.3, 0.1).unwrap();
    for jobs in [1, 4] {
        let options = Options::new("uniform").seed(7).jobs(jobs);
        let report = numeric::mean(&claim, options, |rng| rng.random::<f64>()).unwrap();
        assert!(!report.passed());
        assert_eq!(
            report.to_string(),
            "probtest: missed: the mean is above 0.3, after 35 of at most 1474 executions
  observed  mean 0.554 (0.427 to 0.673 with confidence 0.95)
  claim     mean 0.3 or less, margin = 0.1, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6
  meaning   a program with a mean of 0.3 or less would have failed with probability at most 1e-6
  seed      0x7, execution 3, which returned the largest number, 0.934569224946
"
        );
        assert_eq!(report.to_json()["finding"]["direction"], "high");
    }
}

#[test]
fn a_label_that_comes_too_often_is_named_with_all_counts() {
    let claim = FitClaim::new([("red", "1/2"), ("blue", "1/4"), ("green", "1/4")], 0.1).unwrap();
    let report = numeric::fit(&claim, Options::new("colours").seed(7), |rng| {
        ["red", "blue", "green"][rng.random_range(0..3)]
    })
    .unwrap();
    let text = report.to_string();
    assert!(
        text.starts_with(
            "probtest: missed: label \"red\" comes less often than with probability 1/2, after "
        ),
        "{text}"
    );
    assert!(text.contains("\n  claim     red 1/2, blue 1/4, green 1/4, distance = 0.1, epsilon = 0.05, false_alarm = 1e-6\n"), "{text}");
    assert_eq!(report.to_json()["finding"]["kind"], "label");
}

#[test]
fn a_label_that_cannot_come_is_a_miss_at_its_execution() {
    let claim = FitClaim::new([("a", 0.5), ("b", 0.5)], 0.1).unwrap();
    let report = numeric::fit(&claim, Options::new("labels").seed(7), |rng| {
        ["a", "b", "c"][rng.random_range(0..3)]
    })
    .unwrap();
    let index = report.address.unwrap().index;
    assert!(report.summary().starts_with(&format!(
        "probtest: missed: execution {index} returned a label that is not listed"
    )));
    assert_eq!(report.to_json()["verdict"], "violated");
}

#[test]
fn a_number_outside_names_the_execution_and_what_to_do() {
    let claim = MeanClaim::below((0.0, 0.9), 0.6, 0.1).unwrap();
    let report = numeric::mean(&claim, Options::new("uniform").seed(7), |rng| {
        rng.random::<f64>()
    })
    .unwrap();
    let text = report.to_string();
    assert!(text.starts_with("probtest: inconclusive after "), "{text}");
    assert!(
        text.contains(", outside of between = (0, 0.9)\n  help      widen between"),
        "{text}"
    );
    assert_eq!(report.to_json()["reason"]["kind"], "outside");
}

#[test]
fn a_panic_is_a_violation_and_ends_the_test() {
    let claim = MeanClaim::below((0.0, 1.0), 0.6, 0.1).unwrap();
    let report = numeric::mean(&claim, Options::new("uniform").seed(7), |rng| {
        let value = rng.random::<f64>();
        assert!(value < 0.9, "too large");
        value
    })
    .unwrap();
    assert_eq!(report.violation().unwrap().message, "too large");
    assert_eq!(report.counts.violated, 1);
    assert!(report.section().contains("the claim was not decided"));
}

#[test]
fn a_budget_that_is_too_small_is_no_pass() {
    let claim = MeanClaim::below((0.0, 1.0), 0.5, 0.01).unwrap();
    let options = Options::new("uniform").seed(7).max_executions(10);
    let report = numeric::mean(&claim, options, |rng| rng.random::<f64>()).unwrap();
    assert!(!report.passed());
    assert!(
        report
            .section()
            .contains("max_executions = 10 came before the decision")
    );
}

#[test]
fn builders_refuse_claims_without_a_part() {
    let lacks = |error: probtest::SetupError, what: &str| {
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("the test does not say {what}\n")),
            "{text}"
        );
        assert!(text.contains("\n  help   "), "{text}");
    };
    lacks(Mean::new("m").report(|_| 1.0).unwrap_err(), "between");
    let mean = || Mean::new("m").between(0.0, 1.0);
    lacks(
        mean().within(0.4, 0.6).report(|_| 1.0).unwrap_err(),
        "margin",
    );
    lacks(
        mean().margin(0.1).report(|_| 1.0).unwrap_err(),
        "exactly one of within, above and below",
    );
    lacks(
        Fit::new("f").label("a", 0.5).report(|_| "a").unwrap_err(),
        "distance",
    );
    let error = Fit::new("f")
        .label("a", 5.0)
        .distance(0.1)
        .report(|_| "a")
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the probability of a label is not strictly")
    );
}

#[test]
#[should_panic(expected = "probtest: missed: the mean is below 0.9")]
fn a_missed_mean_fails_its_test() {
    Mean::new("numeric_reports::missed")
        .between(0.0, 1.0)
        .above(0.9)
        .margin(0.1)
        .seed(7)
        .check(|rng| rng.random::<f64>());
}

#[test]
fn tiny_and_huge_numbers_are_written_with_all_digits_that_count() {
    // Twelve digits behind the point would make 4e-12 of 4.4e-12, and zeros of what was observed.
    let claim = MeanClaim::below((0.0, 1e-11), 3e-12, 1.4e-12).unwrap();
    assert!(
        probtest::report::numeric_promise(&claim.clone().into())
            .contains("one with a mean of 4.4e-12 or more passes"),
    );
    let report = numeric::mean(&claim, Options::new("tiny").seed(7), |rng| {
        rng.random::<f64>() * 1e-11
    })
    .unwrap();
    let text = report.to_string();
    for words in [
        "the mean is above 3e-12",
        "observed  mean 4.619e-12 (3.690e-12 to 5.586e-12 with confidence 0.95)",
        "claim     mean 3e-12 or less, margin = 1.4e-12, between 0 and 1e-11,",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let claim = MeanClaim::within((-1e300, 1e300), (0.0, 0.0), 2e299).unwrap();
    let report = numeric::mean(&claim, Options::new("huge").seed(7), |_| 1e300).unwrap();
    let text = report.to_string();
    assert!(text.contains("observed  mean 1.000e300 ("), "{text}");
    assert!(
        text.contains("margin = 2e299, between -1e300 and 1e300,"),
        "{text}"
    );
}

#[test]
fn an_assertion_that_fails_first_leaves_no_mean_behind() {
    let claim = MeanClaim::above((0.0, 1.0), 0.5, 0.1).unwrap();
    let report = numeric::mean(&claim, Options::new("fails").seed(7), |_| -> f64 {
        panic!("no number")
    })
    .unwrap();
    assert!(!report.to_string().contains("observed"), "{report}");
    assert!(report.to_json()["observed"]["mean"].is_null());
}
