//! `--infrastructure-exit-code`, `--rate` and `--max-cost`: executions that prove nothing, how often
//! they start, and what they cost.

use crate::common::{probtest, run_script};
use probtest_testing::words::{no_violation, violated_at};

/// Fails by its infrastructure, with code 75, the first time that a program runs at all.
const ONCE: &str =
    "[ -e $0.tried ] || { : > $0.tried; echo 429 Too Many Requests >&2; exit 75; }; ";

fn script(folder: &tempfile::TempDir, body: &str) -> Vec<String> {
    let name = folder.path().join("state").display().to_string();
    ["--", "sh", "-c", &format!("{ONCE}{body}"), &name].map(String::from).to_vec()
}

#[test]
fn an_execution_whose_infrastructure_failed_is_made_again_and_does_not_count() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words: Vec<String> = script(&folder, "exit 0");
    let options = ["run", "--p", "0.1", "--infrastructure-exit-code", "75"];
    let all: Vec<&str> = options.into_iter().chain(words.iter().map(String::as_str)).collect();
    probtest(&all)
        .exits(0)
        .says(&no_violation(29))
        .says("1 attempt proved nothing and did not count: exit code 75, once");
}

#[test]
fn the_violation_and_its_line_are_those_without_the_failure() {
    // Another folder makes other seeds: none of 29 violates with a probability of 5e-21.
    let violates = "[ $(($PROBTEST_SEED % 5)) -eq 0 ]";
    let plain = run_script(&["--p", "0.1", "--seed", "3"], violates).exits(1);
    let index: u64 = plain
        .stdout
        .split("execution ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|word| word.parse().ok())
        .expect("an index");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = script(&folder, violates);
    let options = ["run", "--p", "0.1", "--seed", "3", "--infrastructure-exit-code", "75"];
    let all: Vec<&str> = options.into_iter().chain(words.iter().map(String::as_str)).collect();
    let ran = probtest(&all).exits(1);
    // Another program has other seeds, but one that violates has its own line.
    assert!(ran.stdout.contains("--infrastructure-exit-code 75 -- sh"), "{}", ran.stdout);
    assert!(plain.stdout.contains(&violated_at(index, 29)), "{}", plain.stdout);
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
        (&["--rate", "20"], "--rate is not a number of starts in a time"),
        (&["--rate", "0/s"], "--rate is not a number of starts in a time"),
        (&["--max-unavailable", "0"], "--max-unavailable is not a whole number"),
        (&["--max-unavailable", "5"], "but no exit code means that it did"),
        (&["--max-cost", "0"], "--max-cost is not a number above 0"),
    ] {
        let options = [&["--p", "0.5"], options].concat();
        let ran = run_script(&options, "true").exits(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
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
        let ran = run_script(&options, spends).exits(3);
        assert!(ran.stdout.contains("inconclusive after 8 of 59 executions"), "{}", ran.stdout);
        assert!(ran.stdout.contains("max_cost = 6"), "{}", ran.stdout);
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
        let ran = run_script(&["--p", "0.1", "--max-cost", "1"], &spends).exits(3);
        assert!(
            ran.stdout.contains("is not a number of 0 or more") && ran.stdout.contains(cost),
            "{}",
            ran.stdout
        );
    }
}
