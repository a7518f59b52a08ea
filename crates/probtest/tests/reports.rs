//! The words, whole: what a reader sees for each verdict.

use std::time::Duration;

use probtest::budget::Suite;
use probtest::claim::{Claim, Outcomes};
use probtest::judge::{Counts, Finding, Reason, Verdict};
use probtest::plan::Plan;
use probtest::report::{Note, Remembered, Report, plan_text};
use probtest::run::Violation;
use probtest::seed::RunSeed;

/// A report on 390 planned executions of a walk.
fn report(verdict: Verdict, executed: u64, violated: u64) -> Report {
    let plan = Plan::new(&Claim::detect(0.01, 0.02).unwrap()).unwrap();
    Report {
        test: "walks::walk_stays_below_ten".into(),
        counts: Counts {
            planned: plan.executions(),
            executed,
            passed: executed - violated,
            violated,
            rejected: 0,
        },
        plan,
        verdict,
        seed: RunSeed(0x5eed),
        address: None,
        replay: None,
        remembered: Remembered::None,
        suite: Suite::default(),
        notes: Vec::new(),
        elapsed: Duration::from_millis(1500),
    }
}

fn violated() -> Report {
    let violation = Violation {
        message: "assertion failed: position < 10".into(),
        location: Some("tests/walk.rs:12:9".into()),
        details: None,
    };
    let verdict = Verdict::Violated(Finding::Execution {
        index: 9,
        violation: Box::new(violation),
    });
    Report {
        address: Some("0x5eed:9".parse().unwrap()),
        replay: Some("PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten".into()),
        ..report(verdict, 9, 1)
    }
}

#[test]
fn a_violation_is_told_with_panic_facts_and_replay_line() {
    assert_eq!(
        violated().to_string(),
        "panicked at tests/walk.rs:12:9:
assertion failed: position < 10

probtest: violated at execution 9 of 390
  executed  8 passed, 1 violated, 381 not needed
  claim     p = 0.01, epsilon = 0.02
  meaning   this execution is a counterexample; the violation rate is not known from it
  seed      0x5eed, execution 9
  replay    PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten
"
    );
    assert_eq!(
        violated().summary(),
        "probtest: violated at execution 9 of 390"
    );
}

#[test]
fn a_remembered_counterexample_is_told_as_such() {
    let report = Report {
        remembered: Remembered::Again("0x5eed:9".parse().unwrap()),
        seed: RunSeed(1),
        ..violated()
    };
    assert_eq!(
        report.section(),
        "probtest: violated again by the remembered execution 0x5eed:9
  executed  the remembered counterexample alone; 390 planned executions not needed
  claim     p = 0.01, epsilon = 0.02
  meaning   this execution is a counterexample; the violation rate is not known from it
  seed      0x5eed, execution 9
  replay    PROBTEST_REPLAY=0x5eed:9 cargo test walk_stays_below_ten
"
    );
}

#[test]
fn a_pass_is_one_line_that_says_what_it_is_worth() {
    assert_eq!(
        report(Verdict::Passed, 390, 0).to_string(),
        "probtest: 390 executions, no violation; a violation probability >= 0.01 would have been missed with probability 0.01985
"
    );
}

#[test]
fn a_pass_tells_its_notes_and_what_was_mended() {
    let report = Report {
        remembered: Remembered::Mended(vec!["7:3".parse().unwrap()]),
        notes: vec![Note::OwnRandomness],
        ..report(Verdict::Passed, 390, 0)
    };
    let text = report.to_string();
    let facts: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        facts,
        [
            "  earlier   the counterexample of an earlier run was executed first and no longer violates",
            "  note      the body takes no random source: its executions cannot be replayed",
        ]
    );
}

#[test]
fn an_inconclusive_test_says_why_what_was_attained_and_what_to_do() {
    let verdict = Verdict::Inconclusive(Reason::Budget {
        max_executions: 212,
    });
    assert_eq!(
        report(verdict, 212, 0).to_string(),
        "probtest: inconclusive after 212 of 390 executions
  reason    max_executions = 212 is below the plan
  executed  212 passed, 0 violated, 178 not executed
  claim     p = 0.01, epsilon = 0.02
  attained  a violation probability >= 0.01 would have been missed with probability 0.1188
            one of 0.0183 or more would have been seen with probability 0.98
  help      raise max_executions, p or epsilon, or accept what was attained with on_budget = \"pass\"
  seed      0x5eed
"
    );
}

#[test]
fn every_reason_has_words_and_a_help() {
    for (reason, words) in [
        (Reason::Cancelled, "stopped before the plan was executed"),
        (
            Reason::Replayed { index: 4 },
            "execution 4 was executed alone and did not violate",
        ),
        (
            Reason::Rejections {
                allowed: 1000,
                in_a_row: true,
            },
            "one execution was rejected 1000 times in a row",
        ),
        (
            Reason::Rejections {
                allowed: 3900,
                in_a_row: false,
            },
            "0 rejections, 3900 allowed",
        ),
        (
            Reason::Broken {
                index: 4,
                message: "no more processes".into(),
            },
            "execution 4 could not be carried out: no more processes",
        ),
        (
            Reason::UnknownOutcome {
                index: 4,
                outcome: Some(6),
                listed: 6,
            },
            "execution 4 returned outcome 6, but the claim lists the outcomes 0 to 5",
        ),
        (
            Reason::UnknownOutcome {
                index: 4,
                outcome: None,
                listed: 0,
            },
            "execution 4 returned an outcome that is not listed, but the claim has no outcomes",
        ),
    ] {
        let text = report(Verdict::Inconclusive(reason), 3, 0).to_string();
        assert!(text.contains(words), "{text}");
        assert!(text.contains("\n  help      "), "{text}");
    }
}

#[test]
fn nothing_executed_attains_nothing() {
    let text = report(Verdict::Inconclusive(Reason::Cancelled), 0, 0).to_string();
    assert!(
        text.contains("attained  nothing: no execution counted"),
        "{text}"
    );
}

#[test]
fn one_execution_catches_nothing() {
    let text = report(Verdict::Inconclusive(Reason::Cancelled), 1, 0).to_string();
    assert!(text.contains("attained  nothing: "), "{text}");
    assert!(!text.contains("1.000"), "{text}");
    let p = probtest::claim::Probability::parse("0.1").unwrap();
    let miss = probtest::plan::epsilon_attained(&p, 1).unwrap();
    let text = probtest::report::epsilon_text(&p, 1, &miss);
    assert!(
        text.contains("claim     1 execution catches nothing: "),
        "{text}"
    );
}

#[test]
fn a_line_to_copy_is_written_as_it_is_and_called_by_what_it_does() {
    let line = "PROBTEST_SEED=0x5eed cargo test 'a\nb  c'";
    let outcomes = vec![5];
    let report = Report {
        replay: Some(line.into()),
        ..report(Verdict::Violated(Finding::Unseen { outcomes }), 27, 0)
    };
    let text = report.to_string();
    assert!(text.ends_with(&format!("  rerun     {line}\n")), "{text}");
    assert_eq!(report.to_json()["rerun"], line);
    assert_eq!(report.to_json()["replay"], serde_json::Value::Null);
}

#[test]
fn unseen_outcomes_are_named_and_many_are_counted() {
    let outcomes = Outcomes::equal(6).unwrap();
    let plan = Plan::new(&Claim::cover(outcomes, 0.05).unwrap()).unwrap();
    let unseen = |outcomes: Vec<usize>| Report {
        plan: plan.clone(),
        ..report(Verdict::Violated(Finding::Unseen { outcomes }), 27, 0)
    };
    let text = unseen(vec![5]).to_string();
    assert!(
        text.starts_with("probtest: outcome 5 was not seen in 27 executions\n"),
        "{text}"
    );
    assert!(
        text.contains("claim     outcomes = 6 x 1/6, epsilon = 0.05"),
        "{text}"
    );
    let text = unseen((0..12).collect()).summary();
    assert_eq!(
        text,
        "probtest: outcomes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more were not seen in 27 executions"
    );
}

#[test]
fn a_plan_is_told_with_the_answer_first() {
    let plan = Plan::new(&Claim::detect(0.01, 0.02).unwrap()).unwrap();
    assert_eq!(
        plan_text(&plan),
        "390 executions
  claim     a violation probability of 0.01 or more is caught with probability > 0.98
  miss      0.01985 at 390, 0.02005 at 389
"
    );
}

#[test]
fn a_plan_for_p_above_one_half_says_that_it_is_symmetric() {
    let plan = Plan::new(&Claim::detect(0.99, 0.05).unwrap()).unwrap();
    let text = plan_text(&plan);
    assert!(text.starts_with("299 executions\n"), "{text}");
    assert!(text.contains("note      p is above 1/2"), "{text}");
}

#[test]
fn json_has_the_same_facts() {
    let json = violated().to_json();
    for (key, value) in [
        ("probtest", serde_json::json!(2)),
        ("test", serde_json::json!("walks::walk_stays_below_ten")),
        ("verdict", serde_json::json!("violated")),
        ("planned", serde_json::json!(390)),
        ("executed", serde_json::json!(9)),
        ("passed", serde_json::json!(8)),
        ("violated", serde_json::json!(1)),
        ("rejected", serde_json::json!(0)),
        ("not_executed", serde_json::json!(381)),
        ("seed", serde_json::json!("0x5eed")),
        ("index", serde_json::json!(9)),
        ("address", serde_json::json!("0x5eed:9")),
        ("seconds", serde_json::json!(1.5)),
    ] {
        assert_eq!(json[key], value, "{key}");
    }
    assert_eq!(json["claim"]["p"], 0.01);
    assert_eq!(json["claim"]["epsilon_exact"], "0.02");
    assert_eq!(json["finding"]["location"], "tests/walk.rs:12:9");
    assert_eq!(json["reason"], serde_json::Value::Null);
}
