//! `probtest plan`.

use crate::common::probtest;
use std::io::Write;

#[test]
fn the_example_of_the_paper_needs_390_executions() {
    let ran = probtest(&["plan", "--p", "0.01", "--epsilon", "0.02"]).exits(0);
    assert_eq!(
        ran.stdout,
        "390 executions
  claim     a violation probability of 0.01 or more is caught with probability > 0.98
  miss      0.01985 at 390, 0.02005 at 389
"
    );
    assert_eq!(ran.stderr, "");
    // Epsilon is 0.05 where it is left out.
    probtest(&["plan", "--p", "0.01"]).exits(0).says("299 executions\n");
}

#[test]
fn a_die_needs_27_executions_however_its_outcomes_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("die");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(b"# a die\n1/6, 1/6\n1/6 x 3\n\n1/6 # the last\n").unwrap();
    let from_file = format!("@{}", path.display());
    let ways: [&[&str]; 5] = [
        &["--outcomes", "1/6,1/6,1/6,1/6,1/6,1/6"],
        &["--outcomes", "1/6x6"],
        &["--outcomes", "1/6,1/6", "--outcomes", "1/6*4"],
        &["--equal", "6"],
        &["--outcomes", &from_file],
    ];
    for way in ways {
        let ran = probtest(&[&["plan", "--epsilon", "0.05"], way].concat()).exits(0);
        assert!(ran.stdout.starts_with("27 executions\n"), "{way:?}");
        assert!(ran.stdout.contains("6 outcomes (6 x 1/6) are all seen"));
    }
}

#[test]
fn executions_and_p_give_the_epsilon_attained() {
    let ran = probtest(&["plan", "--p", "0.01", "--executions", "299"]).exits(0);
    assert_eq!(
        ran.stdout,
        "epsilon 0.04954
  claim     299 executions miss a violation probability of 0.01 with probability 0.04954
"
    );
    let outcomes = ["plan", "--equal", "6", "--executions", "27"];
    probtest(&outcomes)
        .exits(0)
        .says("27 executions miss some of 6 outcomes (6 x 1/6) with probability 0.04341");
}

#[test]
fn executions_and_epsilon_give_the_smallest_p_that_is_caught() {
    let words = ["plan", "--epsilon", "0.05", "--executions", "299"];
    let ran = probtest(&words).exits(0);
    assert_eq!(
        ran.stdout,
        "p 0.00997
  claim     299 executions catch a violation probability of 0.00997 or more with probability > 0.95
"
    );
    let json = probtest(&[&words[..], &["--json"]].concat()).exits(0).json();
    let p = json["p"].as_f64().unwrap();
    assert!((0.00996..=0.00997).contains(&p), "{p}");
    assert!(json["miss"].as_f64().unwrap() < 0.05);
}

#[test]
fn json_has_numbers_and_exact_texts() {
    let json = probtest(&["plan", "--p", "1/1024", "--epsilon", "0.02", "--json"]).exits(0).json();
    assert_eq!(json["executions"], 4004);
    assert_eq!(json["p"], 1.0 / 1024.0);
    assert_eq!(json["p_exact"], "1/1024");
    assert_eq!(json["epsilon"], 0.02);
    assert!(json["miss"].as_f64().unwrap() < 0.02);
    let json = probtest(&["plan", "--equal", "3", "--json"]).exits(0).json();
    assert_eq!(json["outcomes"].as_array().unwrap().len(), 3);
}

#[test]
fn probability_epsilon_and_executions_together_leave_nothing_to_answer() {
    let given = ["plan", "--p", "0.1", "--epsilon", "0.1", "--executions", "9"];
    probtest(&given)
        .exits(2)
        .complains("error: there is nothing to compute")
        .complains("leave out --executions to plan");
    probtest(&["plan", "--executions", "9"])
        .exits(2)
        .complains("help   add --p for the epsilon achieved, or --epsilon");
    probtest(&["plan"]).exits(2).complains("error: there is nothing to plan");
}

#[test]
fn a_tolerated_rate_shows_what_to_expect() {
    probtest(&["plan", "--tolerate", "0.001"])
        .exits(0)
        .says("336 to 2727 executions\n")
        .says("  a rate of 0.01 (ten times tolerate) or more fails with probability >= 0.95\n");
    let given = ["plan", "--tolerate", "1e-4", "--p", "1e-3", "--false-alarm", "0.05", "--json"];
    let json = probtest(&given).exits(0).json();
    assert_eq!(json["tolerate"], 1e-4);
    assert_eq!(json["fixed_executions"], 6294);
    assert!(json["expected_at_p"].as_f64().unwrap() < 2218.0);
}

#[test]
fn executions_of_a_plan_with_a_tolerated_rate_are_worth_the_rate_they_do_not_accept() {
    let given = ["plan", "--tolerate", "0.05", "--p", "0.1", "--executions"];
    let ran = probtest(&[&given[..], &["60"]].concat()).exits(0);
    assert_eq!(
        ran.stdout,
        "rate 0.286
  claim     tolerate = 0.05, p = 0.1, epsilon = 0.05, false_alarm = 1e-6
  plan      60 executions of at most 1579
  achieved  a violation rate of 0.286 or more would have failed with probability 0.95
            a violation rate of 0.1 would have passed with probability 0.9854
"
    );
    let json = [&given[..], &["60", "--json", "--epsilon", "0.05"]].concat();
    let json = probtest(&json).exits(0).json();
    assert!((json["rate_caught"].as_f64().unwrap() - 0.285).abs() < 0.001);
    probtest(&[&given[..], &["1"]].concat())
        .exits(0)
        .says("  plan      1 execution of at most 1579\n")
        .says("  achieved  nothing: with so few executions, no violation rate would have failed");
    probtest(&[&given[..], &["2000"]].concat())
        .exits(0)
        .says("  plan      at most 1579 executions, so 2000 are never needed\n");
}

#[test]
fn the_chance_to_miss_a_violation_is_not_that_to_miss_either_outcome() {
    probtest(&["plan", "--p", "0.5"])
        .exits(0)
        .says("6 executions\n")
        .says("  miss      0.03125 at 6, 0.06250 at 5\n            this counts both outcomes, a pass and a violation; a violation alone is missed with probability 0.01563\n");
    probtest(&["plan", "--p", "0.5", "--executions", "6"])
        .exits(0)
        .says("epsilon 0.03125\n  claim     6 executions miss a violation probability of 0.5 with probability 0.01563\n            and one of the two outcomes, a pass or a violation, with 0.03125\n");
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    for (given, says) in [
        (&["--tolerate", "0.1", "--p", "0.1"][..], "tolerate is not below p"),
        (&["--tolerate", "0.5"], "p defaults to ten times tolerate"),
        (&["--tolerate", "2"], "tolerate is not strictly between 0 and 1"),
        (&["--p", "0.1", "--false-alarm", "0.1"], "tolerates no rate"),
        (&["--tolerate", "0.1", "--false-alarm", "x"], "false_alarm is not a number"),
        (&["--tolerate", "0.01", "--p", "0.0101"], "tolerate and p are too close"),
        (&["--tolerate", "0.01", "--equal", "6"], "cannot be used with"),
    ] {
        probtest(&[&["plan"], given].concat()).exits(2).complains(says);
    }
}
