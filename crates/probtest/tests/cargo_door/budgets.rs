//! Budgets that end before the plan, as the developer sees them.

use std::path::Path;
use std::process::Command;

use probtest_testing::words::{inconclusive_after, seen_with, within_budget};

use crate::fixture::{Fixture, Seen, assert_says, binary};

fn drawn(seen: &Seen) -> Vec<&str> {
    let lines = seen.text.lines();
    lines.filter(|line| line.starts_with("drew ")).collect()
}

#[test]
fn a_test_out_of_time_fails_and_prints_the_line_that_repeats_it() {
    for (name, of, before) in [
        ("budgets::has_no_time", "390", "the plan was finished"),
        ("claims::has_no_time", "at most ", "the decision"),
    ] {
        let seen = Fixture::test(name).set("PROBTEST_SEED", "0x5eed").see();
        assert!(!seen.passed);
        assert_says(
            &seen,
            &[
                inconclusive_after(1, of).trim_end_matches(" executions"),
                &format!("  reason    max_time = 0.000001ms ran out before {before}\n"),
                &format!(
                    "  rerun     PROBTEST_SEED=0x5eed PROBTEST_MAX_EXECUTIONS=1 PROBTEST_MAX_TIME=off cargo test -p probtest --test fixture {name} -- --exact --include-ignored"
                ),
            ],
        );
    }
}

#[test]
fn limits_of_the_run_reach_claims_on_labels() {
    for (name, value, words) in [
        ("PROBTEST_MAX_TIME", "0.000001ms", "max_time = 0.000001ms ran out"),
        (
            "PROBTEST_SUITE_MAX_TIME",
            "0.000001ms",
            "this test's share of the suite's max_time = 0.000001ms ran out",
        ),
        // The smaller one of two counts.
        ("PROBTEST_MAX_EXECUTIONS", "2", "max_executions = 2 was reached before the decision"),
    ] {
        let seen = Fixture::test("doors::builder_claims_labels")
            .set(name, value)
            .set("PROBTEST_ON_BUDGET", "pass")
            .see();
        // What is accepted elsewhere is a failure here: nothing less is attained.
        assert!(!seen.passed, "{}", seen.text);
        assert_says(
            &seen,
            &[&format!("  reason    {words}"), "on_budget = \"pass\" is for claims on violations"],
        );
    }
}

#[test]
fn the_line_executes_the_same_executions_again() {
    let cut = Fixture::test("budgets::has_an_hour")
        .set("PROBTEST_SEED", "7")
        .set("PROBTEST_SUITE_MAX_TIME", "0.000001ms")
        .see();
    assert!(!cut.passed);
    let words = "the suite's max_time = 0.000001ms ran out before the plan was finished";
    assert_says(&cut, &[words, " PROBTEST_MAX_EXECUTIONS=1 PROBTEST_MAX_TIME=off "]);
    // The test has a larger max_executions and a max_time of its own.
    let again = Fixture::test("budgets::has_an_hour")
        .set("PROBTEST_SEED", "7")
        .set("PROBTEST_MAX_EXECUTIONS", "1")
        .set("PROBTEST_MAX_TIME", "off")
        .set("PROBTEST_SUITE_MAX_TIME", "0.000001ms")
        .see();
    assert_says(&again, &["max_executions = 1 is below the plan"]);
    assert_eq!(drawn(&cut).len(), 1);
    assert_eq!(drawn(&cut), drawn(&again));
}

#[test]
fn the_line_has_the_variables_that_the_claim_came_from() {
    let cut = Fixture::test("budgets::has_no_time")
        .set("PROBTEST_SEED", "7")
        .set("PROBTEST_SUITE_EPSILON", "1/100")
        .see();
    let line =
        "  rerun     PROBTEST_SUITE_EPSILON=1/100 PROBTEST_SEED=0x7 PROBTEST_MAX_EXECUTIONS=1 ";
    assert_says(&cut, &[line]);
}

#[test]
fn off_lifts_the_limit_of_a_test() {
    let seen = Fixture::test("budgets::has_no_time").set("PROBTEST_MAX_TIME", "off").see();
    assert!(seen.passed, "{}", seen.text);
}

#[test]
fn the_test_s_own_time_wins_over_the_variable() {
    let seen = Fixture::test("budgets::has_an_hour").set("PROBTEST_MAX_TIME", "0.000001ms").see();
    assert!(seen.passed, "{}", seen.text);
    let seen = Fixture::test("budgets::has_no_time").set("PROBTEST_MAX_TIME", "1h").see();
    assert!(!seen.passed, "{}", seen.text);
}

#[test]
fn an_accepted_budget_is_shouted_past_libtest() {
    let line =
        format!("{}; a violation probability {}", within_budget(212, 390), seen_with(0.0183, 0.98));
    let seen = Fixture::test("budgets::accepts_its_budget").see();
    assert!(seen.passed, "{}", seen.text);
    let id = "fixture::budgets::accepts_its_budget";
    assert_says(&seen, &[&format!("probtest: warning: {id}: {line}")]);
    let seen = Fixture::test("budgets::builder_accepts_its_budget").see();
    assert!(seen.passed, "{}", seen.text);
    assert_says(&seen, &[&format!("probtest: warning: builder: {}", within_budget(212, 299))]);
}

#[test]
fn a_variable_accepts_budgets_of_tests_that_do_not_say() {
    let seen = Fixture::test("has_a_budget_below_its_plan").set("PROBTEST_ON_BUDGET", "pass").see();
    assert!(seen.passed, "{}", seen.text);
    assert_says(&seen, &[&within_budget(100, 390)]);
    let seen = Fixture::test("budgets::accepts_its_budget").set("PROBTEST_ON_BUDGET", "fail").see();
    assert!(seen.passed, "the test's own word wins: {}", seen.text);
}

#[test]
fn an_accepted_budget_is_no_panic() {
    let seen = Fixture::test("budgets::should_panic_and_is_within_budget").see();
    assert!(!seen.passed, "{}", seen.text);
    assert_says(&seen, &["did not panic as expected"]);
}

#[test]
fn a_report_file_never_calls_an_accepted_budget_passed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-budget");
    let _ = std::fs::remove_dir_all(&folder);
    let folder_name = folder.to_str().unwrap();
    Fixture::test("budgets::accepts_its_budget").set("PROBTEST_REPORT", folder_name).see();
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["verdict"], "passed_within_budget");
    assert_eq!(report["attained"]["executions"], 212);
}

#[test]
fn what_is_no_duration_is_an_error() {
    let seen = Fixture::test("budgets::builder_has_no_duration").see();
    assert!(!seen.passed);
    let words = "probtest: error: max_time is not a duration\n  given  soon\n  help   write";
    assert_says(&seen, &[words]);
    let seen = Fixture::test("passes").set("PROBTEST_SUITE_MAX_TIME", "10").see();
    assert!(!seen.passed);
    let words = "PROBTEST_SUITE_MAX_TIME cannot be used: it has no unit\n  given  10";
    assert_says(&seen, &[words]);
}

#[test]
fn the_time_of_the_suite_is_that_of_all_tests_of_the_process() {
    let mut command = Command::new(binary());
    // The first test spends the time; the second one has none left.
    command.args(["budgets::has_an_hour", "budgets::has_the_time_of_the_suite"]);
    command.arg("--test-threads=1");
    let mut fixture =
        Fixture::with(command, "suite-time").set("PROBTEST_SUITE_MAX_TIME", "0.000001ms");
    let seen = fixture.see();
    assert_eq!(seen.text.matches("the suite's max_time = ").count(), 2, "{}", seen.text);
    // The second one is not reached, which is told from a failure of the program.
    assert_says(
        &seen,
        &[
            "probtest: inconclusive after 1 of ",
            "probtest: not reached: none of ",
            " ran out before the first execution of this test\n",
            "this says nothing about the program; raise the suite's max_time",
        ],
    );
}
