//! Budgets that end before the plan, as the developer sees them.

use std::process::Command;

use probtest_testing::words::{inconclusive_after, seen_with, within_budget};

use crate::fixture::{Fixture, Seen, binary};

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
        Fixture::test(name).set("PROBTEST_SEED", "0x5eed").fails(&[
            inconclusive_after(1, of).trim_end_matches(" executions"),
            &format!("  reason    max_time = 0.000001ms ran out before {before}\n"),
            &format!(
                "  rerun     PROBTEST_SEED=0x5eed PROBTEST_MAX_EXECUTIONS=1 PROBTEST_MAX_TIME=off cargo test -p probtest --test fixture {name} -- --exact --include-ignored"
            ),
        ]);
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
        // What is accepted elsewhere is a failure here: nothing less is attained.
        Fixture::test("doors::builder_claims_labels")
            .set(name, value)
            .set("PROBTEST_ON_BUDGET", "pass")
            .fails(&[
                &format!("  reason    {words}"),
                "on_budget = \"pass\" only works for claims on violations",
            ]);
    }
}

#[test]
fn the_line_executes_the_same_executions_again() {
    let test = || {
        Fixture::test("budgets::has_an_hour")
            .set("PROBTEST_SEED", "7")
            .set("PROBTEST_SUITE_MAX_TIME", "0.000001ms")
    };
    let words = "the suite's max_time = 0.000001ms ran out before the plan was finished";
    let cut = test().fails(&[words, " PROBTEST_MAX_EXECUTIONS=1 PROBTEST_MAX_TIME=off "]);
    // The test has a larger max_executions and a max_time of its own.
    let mut again = test().set("PROBTEST_MAX_EXECUTIONS", "1").set("PROBTEST_MAX_TIME", "off");
    let again = again.fails(&["max_executions = 1 is below the plan"]);
    assert_eq!(drawn(&cut).len(), 1);
    assert_eq!(drawn(&cut), drawn(&again));
}

#[test]
fn the_line_has_the_variables_that_the_claim_came_from() {
    let mut cut = Fixture::test("budgets::has_no_time")
        .set("PROBTEST_SEED", "7")
        .set("PROBTEST_SUITE_EPSILON", "1/100");
    cut.fails(&[
        "  rerun     PROBTEST_SUITE_EPSILON=1/100 PROBTEST_SEED=0x7 PROBTEST_MAX_EXECUTIONS=1 ",
    ]);
}

#[test]
fn the_test_s_own_word_wins_over_a_variable_and_off_lifts_its_limit() {
    for (name, variable, value, passes) in [
        ("has_no_time", "MAX_TIME", "off", true),
        ("has_no_time", "MAX_TIME", "1h", false),
        ("has_an_hour", "MAX_TIME", "0.000001ms", true),
        ("accepts_its_budget", "ON_BUDGET", "fail", true),
    ] {
        let test = Fixture::test(&format!("budgets::{name}"));
        let seen = test.set(&format!("PROBTEST_{variable}"), value).see();
        assert_eq!(seen.passed, passes, "{name}, {variable}={value}: {}", seen.text);
    }
    let mut silent = Fixture::test("has_a_budget_below_its_plan").set("PROBTEST_ON_BUDGET", "pass");
    silent.passes(&[&within_budget(100, 390)]);
}

#[test]
fn an_accepted_budget_is_shouted_past_libtest() {
    let line = format!("{}; {}", within_budget(212, 390), seen_with(0.0183, 0.98));
    let id = "fixture::budgets::accepts_its_budget";
    let words = format!("probtest: warning: {id}: {line}");
    Fixture::test("budgets::accepts_its_budget").passes(&[&words]);
    let words = format!("probtest: warning: builder: {}", within_budget(212, 299));
    Fixture::test("budgets::builder_accepts_its_budget").passes(&[&words]);
}

#[test]
fn what_is_no_duration_is_an_error() {
    let words = "probtest: error: max_time is not a duration\n  given  soon\n  help   write";
    Fixture::test("budgets::builder_has_no_duration").fails(&[words]);
    let words = "PROBTEST_SUITE_MAX_TIME cannot be used: it has no unit\n  given  10";
    Fixture::test("passes").set("PROBTEST_SUITE_MAX_TIME", "10").fails(&[words]);
}

#[test]
fn the_time_of_the_suite_is_that_of_all_tests_of_the_process() {
    let mut command = Command::new(binary());
    // The first test spends the time; the second one has none left.
    command.args(["budgets::has_an_hour", "budgets::has_the_time_of_the_suite"]);
    command.arg("--test-threads=1");
    let mut fixture =
        Fixture::with(command, "suite-time").set("PROBTEST_SUITE_MAX_TIME", "0.000001ms");
    // The second one is not reached, which is told from a failure of the program.
    let seen = fixture.fails(&[
        "probtest: inconclusive after 1 of ",
        "probtest: not reached: none of ",
        " ran out before the first execution of this test\n",
        "this says nothing about the program; raise the suite's max_time",
    ]);
    assert_eq!(seen.text.matches("the suite's max_time = ").count(), 2, "{}", seen.text);
}
