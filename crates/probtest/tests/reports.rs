//! The words, whole: what a reader sees for each verdict.

use crate::common::as_json;
use probtest::claim::Terms;
use probtest::judge::Reason;
use probtest::machine::{Next, REJECTIONS_IN_A_ROW, TestRun};
use probtest::plan::Plan;
use probtest::report::{Note, plan_text, promise};
use probtest::run::{Conclusion, Observation, Violation};
use probtest::{Claim, Outcomes, Probtest, Report, Settings, TestRng, fit, mean};
use probtest_testing::words::{missed_with, no_violation, violated_again, violated_at};
use rand::RngExt;

/// 390 planned executions of a walk.
fn walk() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

fn settings<'a>() -> Settings<'a> {
    Settings::new("walks::walk_stays_below_ten").seed(0x5eed)
}

/// Executions that pass, then what the last ones do, whatever is left.
fn report<'a>(
    claim: &Claim,
    settings: Settings<'_>,
    passed: usize,
    last: impl IntoIterator<Item = &'a Observation>,
) -> Report {
    let passes = std::iter::repeat_n(&Observation::Passed, passed);
    let mut run = TestRun::begin(claim, settings).unwrap();
    for observation in passes.chain(last) {
        let Next::Attempt(attempt) = run.next() else {
            break;
        };
        if run.observe(attempt.did(observation.clone(), true)).is_done() {
            break;
        }
    }
    run.finish()
}

fn fallen() -> Observation {
    Observation::Violated(Box::new(Violation {
        message: "assertion failed: position < 10".into(),
        location: Some("tests/walk.rs:12:9".into()),
        details: None,
        kind: None,
    }))
}

fn violated(settings: Settings<'_>, passed: usize) -> Report {
    let mut report = report(&walk(), settings, passed, [&fallen()]);
    let line = "PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten";
    report.set_replay(Some(line.into()));
    report
}

#[test]
fn a_violation_is_told_with_panic_facts_and_replay_line() {
    let report = violated(settings(), 8);
    let head = violated_at(9, 390);
    assert_eq!(
        report.to_string(),
        format!(
            "panicked at tests/walk.rs:12:9:
assertion failed: position < 10

{head}
  executed  8 passed, 1 violated, 381 not needed
  claim     p = 0.01, epsilon = 0.02
  meaning   this execution is a counterexample; it does not tell you the violation rate
  seed      0x5eed, execution 9
  replay    PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten
"
        )
    );
    assert_eq!(report.summary(), head);
}

#[test]
fn a_remembered_counterexample_is_told_as_such() {
    let remembered = vec!["0x5eed:9".parse().unwrap()];
    let report = violated(settings().seed(1).remembered(remembered), 0);
    assert_eq!(
        report.section(),
        format!(
            "{}
  executed  only the remembered counterexample; 390 planned executions not needed
  claim     p = 0.01, epsilon = 0.02
  meaning   this execution is a counterexample; it does not tell you the violation rate
  seed      0x5eed, execution 9
  replay    PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten
",
            violated_again("0x5eed:9")
        )
    );
}

#[test]
fn a_pass_is_one_line_that_says_what_it_is_worth() {
    assert_eq!(
        report(&walk(), settings(), 390, []).to_string(),
        format!("probtest: {}; {}\n", no_violation(390), missed_with(0.01, 0.01985))
    );
}

#[test]
fn a_pass_tells_its_notes_and_what_was_fixed() {
    let remembered = settings().remembered(vec!["7:3".parse().unwrap()]);
    let mut report = report(&walk(), remembered, 391, []);
    report.add_note(Note::OwnRandomness);
    let text = report.to_string();
    let facts: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        facts,
        [
            "  earlier   the counterexample from an earlier run ran first and no longer violates",
            "  note      the body takes no random source, so its executions cannot be replayed",
        ]
    );
    let remembered = report.facts().remembered.unwrap();
    assert!(facts[0].ends_with(remembered.words().unwrap()));
}

#[test]
fn every_reason_has_words_and_a_help() {
    let die = probtest::cover(["1/6"; 6]).claim().unwrap();
    let number = mean().between(0, 1).below(0.5).margin(0.1).claim().unwrap();
    let label = fit().label("a", 0.5).distance(0.1).claim().unwrap();
    let rejected = vec![Observation::Rejected; REJECTIONS_IN_A_ROW as usize];
    let alone = settings().replay("7:4".parse().unwrap());
    let broken = Observation::Broken("no more processes".into());
    for (report, words) in [
        (report(&walk(), settings(), 3, []), "stopped before the plan was finished"),
        (report(&walk(), alone, 1, []), "execution 4 ran alone and did not violate"),
        (
            report(&walk(), settings(), 3, &rejected),
            "one execution was rejected 1000 times in a row",
        ),
        (
            report(&walk(), settings().max_rejections(3), 3, &rejected[..4]),
            "stopped before the plan was finished",
        ),
        (report(&walk(), settings(), 3, [&broken]), "execution 4 could not run: no more processes"),
        (
            report(&die, settings(), 0, [&Observation::Outcome(6)]),
            "execution 1 returned outcome 6, but the claim lists the outcomes 0 to 5",
        ),
        (
            report(&walk(), settings(), 3, [&Observation::Unlisted]),
            "execution 4 returned an outcome that is not listed, but the claim has no outcomes",
        ),
        (report(&number, settings(), 1, []), "execution 1 returned no number"),
        (report(&label, settings(), 1, []), "execution 1 returned no label"),
    ] {
        let text = report.to_string();
        assert!(text.contains(words), "{text}");
        assert!(text.contains("\n  help      "), "{text}");
    }
    let some = [&rejected[..4], &[Observation::Passed]].concat();
    let report = report(&walk(), settings().max_rejections(3), 3, &some);
    let (allowed, in_a_row) = (3, false);
    assert_eq!(report.reason(), Some(&Reason::Rejections { allowed, in_a_row }));
    assert!(report.to_string().contains("4 rejections, more than the 3 allowed"), "{report}");
}

#[test]
fn few_executions_attain_nothing_and_say_so() {
    let text = report(&walk(), settings(), 0, []).to_string();
    assert!(text.contains("achieved  nothing: no execution was counted"), "{text}");
    let text = report(&walk(), settings(), 1, []).to_string();
    assert!(text.contains("achieved  nothing: "), "{text}");
    assert!(!text.contains("1.000"), "{text}");
    let p = probtest::Probability::parse("0.1").unwrap();
    let miss = probtest::plan::epsilon_attained(&p, 1).unwrap();
    let (text, _) = probtest::report::attained_epsilon(&p, 1, &miss);
    assert!(text.contains("claim     1 execution catches nothing: "), "{text}");
}

/// A report on outcomes of which only the last one was seen.
fn unseen(outcomes: usize) -> Report {
    let claim = Claim::cover(Outcomes::equal(outcomes).unwrap(), 0.05).unwrap();
    let seen = vec![Observation::Outcome(outcomes - 1); 1000];
    report(&claim, settings(), 0, &seen)
}

#[test]
fn a_line_to_copy_is_written_as_it_is_and_called_by_what_it_does() {
    let line = "PROBTEST_SEED=0x5eed cargo test 'a\nb  c'";
    let mut report = unseen(2);
    // No execution is to be looked at: there is nothing to replay.
    report.set_replay(Some(line.into()));
    report.set_rerun(Some(line.into()));
    let text = report.to_string();
    assert!(text.ends_with(&format!("  rerun     {line}\n")), "{text}");
    assert_eq!((report.rerun(), report.replay()), (Some(line), None));
    assert_eq!(as_json(&report)["rerun"], line);
    assert_eq!(as_json(&report)["replay"], serde_json::Value::Null);
}

#[test]
fn unseen_outcomes_are_named_and_many_are_counted() {
    let text = unseen(2).to_string();
    assert!(text.starts_with("probtest: outcome 0 was not seen in 6 executions\n"), "{text}");
    assert!(text.contains("claim     outcomes = 2 x 1/2, epsilon = 0.05"), "{text}");
    let many = unseen(13);
    let executed = many.counts().executed;
    assert_eq!(
        many.summary(),
        format!(
            "probtest: outcomes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more were not seen in {executed} executions"
        )
    );
}

#[test]
fn a_plan_is_told_with_the_answer_first_and_that_a_large_p_is_symmetric() {
    let plan = Plan::new(&Claim::detect(0.01, 0.02).unwrap()).unwrap();
    assert_eq!(
        plan_text(&plan),
        "390 executions
  claim     a violation probability of 0.01 or more is caught with probability > 0.98
  miss      0.01985 at 390, 0.02005 at 389
"
    );
    let text = plan_text(&Plan::new(&Claim::detect(0.99, 0.05).unwrap()).unwrap());
    assert!(text.starts_with("299 executions\n"), "{text}");
    assert!(text.contains("note      p is above 1/2"), "{text}");
}

#[test]
fn json_has_the_same_facts() {
    let json = as_json(&violated(settings(), 8));
    let told = serde_json::json!({
        "probtest": 2, "kind": "detect", "test": "walks::walk_stays_below_ten",
        "verdict": "violated", "planned": 390, "executed": 9, "passed": 8, "violated": 1,
        "rejected": 0, "not_executed": 381, "seed": "0x5eed", "index": 9, "address": "0x5eed:9",
    });
    for (key, value) in told.as_object().unwrap() {
        assert_eq!(json[key], *value, "{key}");
    }
    assert_eq!(json["claim"]["p"], 0.01);
    assert_eq!(json["claim"]["epsilon_exact"], "0.02");
    assert_eq!(json["finding"]["location"], "tests/walk.rs:12:9");
    assert_eq!(json["reason"], serde_json::Value::Null);
}

fn check<R, C: Conclusion<R>>(
    terms: Terms<R>,
    id: &str,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Report {
    probtest::check(terms, Settings::new(id).seed(7), body).unwrap()
}

#[test]
fn a_mean_that_is_kept_says_what_that_is_worth() {
    let claim = mean().between(0.0, 1.0).within(0.45, 0.55).margin(0.15);
    let report = check(claim, "uniform", |rng| rng.random::<f64>());
    assert_eq!(
        report.to_string(),
        "probtest: 15 executions of at most 703, mean 0.509 (0.314 to 0.695 with confidence 0.95); a mean of 0.3 or less, or of 0.7 or more would have passed with probability at most 0.05\n"
    );
    let json = as_json(&report);
    assert_eq!((&json["kind"], &json["verdict"]), (&"mean".into(), &"passed".into()));
    assert_eq!(json["claim"]["margin"], 0.15);
    assert!(json["observed"]["mean"].as_f64().unwrap() > 0.4);
}

#[test]
fn a_missed_mean_says_which_side_and_shows_the_most_extreme_execution() {
    let claim = mean().between(0.0, 1.0).below(0.3).margin(0.1);
    for jobs in [1, 4] {
        let settings = Settings::new("uniform").seed(7).jobs(jobs);
        let report = probtest::check(claim.clone(), settings, |rng| rng.random::<f64>()).unwrap();
        assert!(!report.passed());
        assert_eq!(
            report.to_string(),
            "probtest: missed: the mean is above 0.3, after 35 of at most 1474 executions
  executed  35 passed, 0 violated, 1439 not needed
  observed  mean 0.554 (0.427 to 0.673 with confidence 0.95)
  claim     mean 0.3 or less, margin = 0.1, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6
  meaning   a program with a mean of 0.3 or less would have failed with probability at most 1e-6
  seed      0x7, execution 3, which returned the largest number, 0.934569224946
"
        );
        assert_eq!(as_json(&report)["finding"]["direction"], "high");
    }
}

#[test]
fn a_label_that_comes_too_often_is_named_with_all_counts() {
    let claim = fit().labels([("red", "1/2"), ("blue", "1/4"), ("green", "1/4")]).distance(0.1);
    let report = check(claim, "colours", |rng| ["red", "blue", "green"][rng.random_range(0..3)]);
    let text = report.to_string();
    assert!(
        text.starts_with(
            "probtest: missed: label \"red\" occurs with probability below 1/2, after "
        ),
        "{text}"
    );
    assert!(text.contains("\n  claim     red 1/2, blue 1/4, green 1/4, distance = 0.1, epsilon = 0.05, false_alarm = 1e-6\n"), "{text}");
    assert_eq!(as_json(&report)["finding"]["kind"], "label");
}

#[test]
fn a_label_that_cannot_come_is_a_miss_at_its_execution() {
    let claim = fit().labels([("a", 0.5), ("b", 0.5)]).distance(0.1);
    let report = check(claim, "labels", |rng| ["a", "b", "c"][rng.random_range(0..3)]);
    let index = report.address().unwrap().index;
    assert!(report.summary().starts_with(&format!(
        "probtest: missed: execution {index} returned the label \"c\", which has no probability"
    )));
    assert_eq!(as_json(&report)["verdict"], "violated");
}

#[test]
fn a_number_outside_names_the_execution_and_what_to_do() {
    let claim = mean().between(0.0, 0.9).below(0.6).margin(0.1);
    let report = check(claim, "uniform", |rng| rng.random::<f64>());
    let text = report.to_string();
    assert_eq!(as_json(&report)["verdict"], "inconclusive");
    for words in [", outside between = (0, 0.9)\n", "\n  help      widen between"] {
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(as_json(&report)["reason"]["kind"], "outside");
}

#[test]
fn a_panic_is_a_violation_and_ends_the_test() {
    let claim = mean().between(0.0, 1.0).below(0.6).margin(0.1);
    let report = check(claim, "uniform", |rng| {
        let value = rng.random::<f64>();
        assert!(value < 0.9, "too large");
        value
    });
    assert_eq!(report.violation().unwrap().message, "too large");
    assert_eq!(report.counts().violated, 1);
    assert!(report.section().contains("the claim was not decided"));
}

#[test]
#[should_panic(expected = "probtest: missed: the mean is below 0.9")]
fn a_missed_mean_fails_its_test() {
    Probtest::new("reports::missed")
        .claim(mean().between(0, 1).above(0.9).margin(0.1))
        .seed(7)
        .check(|rng| rng.random::<f64>());
}

#[test]
fn tiny_and_huge_numbers_are_written_with_all_digits_that_count() {
    // Twelve digits behind the point would make 4e-12 of 4.4e-12, and zeros of what was observed.
    let claim = mean().between(0.0, 1e-11).below(3e-12).margin(1.4e-12);
    assert!(
        promise(&claim.clone().claim().unwrap())
            .contains("one with a mean of 4.4e-12 or more passes"),
    );
    let report = check(claim, "tiny", |rng| rng.random::<f64>() * 1e-11);
    let text = report.to_string();
    for words in [
        "the mean is above 3e-12",
        "observed  mean 4.619e-12 (3.690e-12 to 5.586e-12 with confidence 0.95)",
        "claim     mean 3e-12 or less, margin = 1.4e-12, between 0 and 1e-11,",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let claim = mean().between(-1e300, 1e300).within(0.0, 0.0).margin(2e299);
    let report = check(claim, "huge", |_| 1e300);
    let text = report.to_string();
    assert!(text.contains("observed  mean 1.000e300 ("), "{text}");
    assert!(text.contains("margin = 2e299, between -1e300 and 1e300,"), "{text}");
}

#[test]
fn an_assertion_that_fails_first_leaves_no_mean_behind() {
    let claim = mean().between(0.0, 1.0).above(0.5).margin(0.1);
    let report = check(claim, "fails", |_| -> f64 { panic!("no number") });
    assert!(!report.to_string().contains("observed"), "{report}");
    assert!(as_json(&report)["observed"]["mean"].is_null());
}
