//! `--max-time`, `--max-executions` and `--on-budget`.
//!
//! A limit of a nanosecond is over when the first program has ended, so no test here waits for a
//! clock.

use crate::common::{Ran, command, run_script};
use probtest_testing::words::{inconclusive_after, seen_with, within_budget};

const CLAIM: [&str; 4] = ["--p", "0.01", "--epsilon", "0.02"];
const AT_ONCE: [&str; 2] = ["--max-time", "0.000001ms"];

#[test]
fn a_run_cut_by_time_is_inconclusive_and_prints_the_line_that_repeats_it() {
    let options = [&CLAIM[..], &AT_ONCE, &["--seed", "7", "--timeout", "9s"]].concat();
    let ran = run_script(&options, "true").exits(3);
    ran.says(&inconclusive_after(1, 390))
        .says("  reason    --max-time 0.000001ms ran out before the plan was finished")
        .says("  help      raise --max-time, --p or --epsilon\n")
        .says("  rerun     probtest run --p 0.01 --epsilon 0.02 --seed 0x7 --max-executions 1 --max-time off --timeout 9s -- sh -c true");
}

#[test]
fn the_line_executes_the_same_executions_again() {
    let script = "echo $PROBTEST_SEED >> told";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = [&["run"], &CLAIM[..], &AT_ONCE, &["--", "sh", "-c", script]].concat();
    let run = |mut command: std::process::Command| {
        let output = command.current_dir(&folder).output().expect("it starts");
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stdout).expect("text")
    };
    let said = run(command(&words));
    let (_, line) = said.split_once("  rerun     probtest ").expect(&said);
    let mut shell = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_probtest");
    shell.args(["-c", &format!("{program} {line}")]);
    let again = run(shell);
    assert!(again.contains("--max-executions 1 is below the plan"), "{again}");
    let told = std::fs::read_to_string(folder.path().join("told")).expect("written");
    let seeds: Vec<&str> = told.lines().collect();
    assert_eq!(seeds.len(), 2, "{told}");
    assert_eq!(seeds[0], seeds[1]);
}

#[test]
fn the_line_has_every_option_that_makes_the_claim() {
    for (options, line) in [
        ("--tolerate 0.01", "--tolerate 0.01 --false-alarm 1e-6 --p 0.1 --epsilon 0.05"),
        ("--equal 6", "--equal 6 --epsilon 0.05"),
        (
            "--outcomes 1/2 --outcomes 1/3 --epsilon 1e-3",
            "--outcomes 1/2 --outcomes 1/3 --epsilon 1e-3",
        ),
    ] {
        let options: Vec<&str> = options.split(' ').chain(AT_ONCE).collect();
        let line = format!("  rerun     probtest run {line} --seed");
        run_script(&options, "true").exits(3).says(&line);
    }
}

#[test]
fn fewer_executions_than_planned_pass_only_where_that_is_accepted_and_are_told_even_when_quiet() {
    let cut = ["--max-executions", "212", "--quiet"];
    run_script(&[&CLAIM[..], &cut].concat(), "true").exits(3).says(&inconclusive_after(212, 390));
    let options = [&CLAIM[..], &cut, &["--on-budget", "pass"]].concat();
    run_script(&options, "true")
        .exits(0)
        .says(&within_budget(212, 390))
        .says(&seen_with(0.0183, 0.98))
        .says("  accepted  by --on-budget pass; this is less than the claim promises");
}

#[test]
fn variables_count_where_no_option_is_given() {
    let words = ["run", "--p", "0.1", "--", "true"];
    let run = |variable: &str, value: &str, more: &[&str]| {
        let words = [&words[..3], more, &words[3..]].concat();
        let output = command(&words).env(variable, value).output();
        Ran::of(output.expect("it starts"))
    };
    run("PROBTEST_MAX_TIME", "0.000001ms", &[]).exits(3);
    run("PROBTEST_MAX_TIME", "0.000001ms", &["--max-time", "off"]).exits(0);
    run("PROBTEST_MAX_TIME", "soon", &[]).exits(2).complains(
        "the environment variable PROBTEST_MAX_TIME cannot be used: it is not a duration",
    );
    let accept = run("PROBTEST_ON_BUDGET", "pass", &["--max-executions", "5"]);
    accept.exits(0).says(&within_budget(5, 29));
}
