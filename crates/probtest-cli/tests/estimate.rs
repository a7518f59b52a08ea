//! `probtest estimate`: the rate of any program.

use crate::common::{Ran, probtest};
use serde_json::Value;

const ONE_IN_TEN: &str = "test $((PROBTEST_SEED % 10)) -ne 0";

fn estimate(options: &[&str], script: &str) -> Ran {
    probtest(&[&["estimate"], options, &["--", "sh", "-c", script]].concat())
}

#[test]
fn the_answer_comes_first_and_is_the_same_for_any_number_of_jobs() {
    let report = "probtest: the violation rate is between 0.031 and 0.228 with confidence 0.95, after 65 executions
  observed  6 of 65 executions violated, a rate of 0.0923
            the interval is 0.1963 wide; you asked for 0.2
  meaning   the interval is valid even though the executions stopped early: it holds after every one of them
            for comparison, Hoeffding's inequality needs 185 executions
  seed      0x5, execution 17, the first violation
  replay    probtest replay 0x5:17 -- sh -c 'test $((PROBTEST_SEED % 10)) -ne 0'
";
    for jobs in ["1", "2", "8"] {
        let options = ["--width", "0.2", "--seed", "5", "--jobs", jobs];
        let ran = estimate(&options, ONE_IN_TEN).exits(0);
        assert_eq!(ran.stdout, report, "{jobs} jobs");
        assert_eq!(ran.stderr, "");
    }
    let json = estimate(&["--width", "0.2", "--seed", "5", "--json"], ONE_IN_TEN).exits(0).json();
    assert_eq!((&json["kind"], &json["hoeffding"]), (&"estimate".into(), &185.into()));
    assert_eq!((&json["violated"], &json["executed"]), (&6.into(), &65.into()));
    assert_eq!(json["address"], "0x5:17");
    probtest(&["replay", "0x5:17", "--", "sh", "-c", ONE_IN_TEN]).exits(1);
    probtest(&["replay", "0x5:16", "--", "sh", "-c", ONE_IN_TEN]).exits(0);
}

#[test]
fn a_program_that_always_violates_is_an_estimate_and_no_failure() {
    let ran = probtest(&["estimate", "--width", "0.3", "--", "false"]).exits(0);
    ran.says(" and 1 with confidence 0.95");
}

#[test]
fn rejected_executions_do_not_count() {
    let script = "test $((PROBTEST_SEED % 3)) -eq 0 && exit 77; exit 0";
    let options = ["--width", "0.3", "--seed", "5", "--reject-code", "77", "--json"];
    let json = estimate(&options, script).exits(0).json();
    assert!(json["rejected"].as_u64().unwrap() > 0);
    assert_eq!(json["violated"], 0);
}

#[test]
fn widths_and_confidences_that_make_no_sense_are_refused() {
    let range = "is not strictly between 0 and 1";
    for (option, value, what) in [
        ("--width", "-0.1", range),
        ("--width", "wide", "is not a number"),
        ("--confidence", "95", range),
    ] {
        let mut words = vec!["estimate", option, value];
        if option != "--width" {
            words.extend(["--width", "0.1"]);
        }
        words.extend(["--", "true"]);
        probtest(&words)
            .exits(2)
            .complains(&format!("error: {option} {what}\n  given  {value}\n  help   "));
    }
    probtest(&["estimate", "--width", "0.1", "--", "no-such-program"])
        .exits(2)
        .complains("there is no program `no-such-program`");
    probtest(&["estimate", "--width", "0.1", "true"])
        .exits(2)
        .complains("the program and its arguments go after `--`: -- true ...");
}

#[test]
fn an_estimate_out_of_time_has_the_interval_so_far_and_a_line_that_repeats_it() {
    let options = ["--width", "0.2", "--seed", "5", "--max-time", "0.000001ms"];
    estimate(&options, ONE_IN_TEN)
        .exits(3)
        .says("probtest: unfinished: ")
        .says("  reason    --max-time 0.000001ms ran out before the interval was narrow enough\n")
        .says("  rerun     probtest estimate --width 0.2 --confidence 0.95 --seed 0x5 --max-executions 1 --max-time off -- sh -c ");
    let again = ["--width", "0.2", "--max-executions", "1", "--max-time", "off", "--json"];
    let again = estimate(&again, ONE_IN_TEN).exits(3).json();
    assert_eq!((&again["executed"], &again["rerun"]), (&1.into(), &Value::Null));
}
