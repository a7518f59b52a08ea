//! `--infrastructure-exit-code`, `--rate` and `--max-cost`: executions that prove nothing, how often
//! they start, and what they cost.

use crate::common::{Ran, probtest, run_script};
use probtest_testing::words::no_violation;

/// Fails by its infrastructure, with code 75, the first time that a program runs at all.
const ONCE: &str =
    "[ -e $0.tried ] || { : > $0.tried; echo 429 Too Many Requests >&2; exit 75; }; ";

/// Runs a body that does so.
fn run_once(options: &[&str], body: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder.path().join("state").display().to_string();
    let begin = ["run", "--p", "0.1", "--infrastructure-exit-code", "75"];
    let script = format!("{ONCE}{body}");
    probtest(&[&begin, options, &["--", "sh", "-c", &script, &name]].concat())
}

#[test]
fn an_execution_whose_infrastructure_failed_is_made_again_and_does_not_count() {
    run_once(&[], "exit 0")
        .exits(0)
        .says(&no_violation(29))
        .says("1 attempt proved nothing and did not count: exit code 75, once");
}

#[test]
fn the_line_of_a_violation_has_the_code_that_proves_nothing() {
    // Another folder makes other seeds: none of 29 violates with a probability of 5e-21.
    let violates = "[ $(($PROBTEST_SEED % 5)) -eq 0 ]";
    run_once(&["--seed", "3"], violates).exits(1).says("--infrastructure-exit-code 75 -- sh");
}

#[test]
fn codes_and_rates_that_make_no_sense_are_refused() {
    for (options, words) in [
        (
            &["--infrastructure-exit-code", "0"][..],
            "--infrastructure-exit-code is not a whole number from 1 to 255",
        ),
        (
            &["--infrastructure-exit-code", "77", "--reject-code", "77"],
            "one exit code cannot mean both a rejected execution",
        ),
        (&["--rate", "20"], "--rate is not a number of executions per unit of time"),
        (&["--rate", "0/s"], "--rate is not a number of executions per unit of time"),
        (&["--max-unavailable", "0"], "--max-unavailable is not a whole number"),
        (&["--max-unavailable", "5"], "but no exit code means that it did"),
        (&["--max-cost", "0"], "--max-cost is not a number above 0"),
    ] {
        let options = [&["--p", "0.5"], options].concat();
        run_script(&options, "true").exits(2).complains(words);
    }
}

#[test]
fn a_rate_is_taken_and_changes_nothing_else() {
    run_script(&["--p", "0.5", "--rate", "100000/s"], "true").exits(0).says(&no_violation(6));
}

#[test]
fn a_program_writes_what_it_cost_and_the_sum_ends_the_test() {
    // Two lines, which are added up; 0.25 and 0.5 have no rounding.
    let spends = r#"echo 0.25 > "$PROBTEST_COST_FILE"; echo 0.5 >> "$PROBTEST_COST_FILE""#;
    for jobs in ["1", "3"] {
        let options = ["--p", "0.05", "--max-cost", "6", "--jobs", jobs];
        run_script(&options, spends)
            .exits(3)
            .says("inconclusive after 8 of 59 executions")
            .says("max_cost = 6");
    }
    run_script(&["--p", "0.1", "--max-cost", "100", "--json"], spends)
        .exits(0)
        .says("\"cost\":{\"spent\":21.75,\"max\":100.0}");
    // One that says nothing costs nothing, and without the option there is no file.
    run_script(&["--p", "0.1", "--max-cost", "1"], "true").exits(0);
    run_script(&["--p", "0.1"], r#"[ -z "$PROBTEST_COST_FILE" ]"#).exits(0);
}

#[test]
fn a_cost_that_is_no_number_ends_without_a_verdict() {
    for cost in ["-1", "dear", "inf", "NaN"] {
        let spends = format!(r#"echo {cost} > "$PROBTEST_COST_FILE""#);
        run_script(&["--p", "0.1", "--max-cost", "1"], &spends)
            .exits(3)
            .says("is not a number of 0 or more")
            .says(cost);
    }
}

#[test]
fn a_replay_whose_infrastructure_stays_down_ends() {
    let words = ["replay", "5:3", "--infrastructure-exit-code", "7", "--", "sh", "-c", "exit 7"];
    let ran = probtest(&words).exits(3);
    assert!(
        ran.stderr.contains("the infrastructure failed in more than 3 attempts"),
        "{}",
        ran.stderr
    );
}
