//! `probtest run`: how executions end, and that nothing is left of them.

use crate::common::{Ran, Signs, Started, probtest, run_script};
use probtest_testing::words::{inconclusive_after, no_violation, violated_at};
use rustix::process::Signal;
use serde_json::Value;

/// Holds `alive` open, in the background too, and would write to it in the end.
const LINGER: &str = "exec 3>$DIR/alive; (sleep 60; echo survived >&3) & ";

/// Runs a script whose first execution violates while the second is under way, which must not
/// be waited for.
fn violates_at_once(script: &str) {
    let mut signs = Signs::new();
    signs
        .script(&["run", "--p", "0.5", "--confirm", "no", "--jobs", "2"], script)
        .exits(1)
        .says(&violated_at(1, 6));
    assert_eq!(signs.last_words(), "");
}

#[test]
fn death_by_a_signal_is_a_violation() {
    run_script(&["--p", "0.5"], "kill -SEGV $$")
        .exits(1)
        .says("killed by signal 11 (SIGSEGV, segmentation fault)\n");
    run_script(&["--p", "0.5"], "kill -KILL $$").exits(1).says("killed by signal 9 (SIGKILL)\n");
}

#[test]
fn an_execution_that_takes_too_long_is_killed_with_all_it_started() {
    let mut signs = Signs::new();
    let script = format!("{LINGER} echo before; wait");
    signs
        .script(&["run", "--p", "0.5", "--timeout", "100ms"], &script)
        .exits(1)
        .says("timed out after 100ms\n--- stdout ---\nbefore\n")
        .says(" --timeout 100ms -- sh -c ");
    assert_eq!(signs.last_words(), "");
}

/// Moves to the group of `probtest`, which nobody kills, and lingers there. Perl,
/// since no shell moves itself to another group.
const ESCAPE: &str = "setpgrp(0, getpgrp(getppid())); open(A, '>', \"$ENV{DIR}/alive\"); open(R, '>', \"$ENV{DIR}/ready\"); print R \"go\\n\"; close(R); sleep(60); print A 'survived'";

#[test]
fn a_program_that_leaves_its_group_is_killed_when_its_time_is_over_and_by_ctrl_c() {
    let mut signs = Signs::new();
    let mut command = signs.command(&["run", "--p", "0.5", "--timeout", "200ms", "--"]);
    let command = command.args(["perl", "-e", ESCAPE]);
    Ran::of(command.output().unwrap()).exits(1).says(
        "timed out after 200ms
",
    );
    assert_eq!(signs.last_words(), "");

    let mut signs = Signs::new();
    let mut command = signs.command(&["run", "--p", "0.5", "--json", "--"]);
    let started = Started::new(command.args(["perl", "-e", ESCAPE]));
    signs.wait_until_ready(1);
    let report = started.ended_by(&[Signal::INT]).exits(3).json();
    assert_eq!(report["reason"]["kind"], "cancelled");
    assert_eq!(signs.last_words(), "");
}

#[test]
fn a_program_that_leaves_its_group_is_killed_when_the_answer_is_known() {
    let script = format!(
        "if [ $PROBTEST_EXECUTION = 1 ]; then read line < $DIR/ready; exit 1; fi; exec perl -e '{}'",
        ESCAPE.replace('\'', "'\\''")
    );
    violates_at_once(&script);
}

#[test]
fn a_replay_is_killed_after_the_same_time() {
    let mut signs = Signs::new();
    let script = format!("{LINGER} wait");
    signs
        .script(&["replay", "7:1", "--timeout", "100ms"], &script)
        .exits(1)
        .complains("violated: timed out after 100ms");
    assert_eq!(signs.last_words(), "");
}

#[test]
fn an_execution_that_ends_in_time_is_not_touched_by_the_time_limit() {
    for jobs in ["1", "4"] {
        run_script(&["--p", "0.1", "--timeout", "60s", "--jobs", jobs], "exit 0").exits(0);
    }
}

#[test]
fn what_an_execution_leaves_behind_is_killed_when_it_ends() {
    let mut signs = Signs::new();
    let script = format!("{LINGER} exit 0");
    signs
        .script(&["run", "--p", "0.1", "--confirm", "no", "--jobs", "2"], &script)
        .exits(0)
        .says(&no_violation(29));
    assert_eq!(signs.last_words(), "");
}

#[test]
fn what_is_left_behind_does_not_write_into_the_output_of_later_executions() {
    // The background process writes as fast as it can until it is killed; not
    // for ever, lest a test that fails keeps the machine busy.
    let script = "(i=0; while [ $i -lt 100000 ]; do echo noise; i=$((i+1)); done) & test $PROBTEST_EXECUTION -lt 20 && exit 0; echo $PROBTEST_EXECUTION >&2; kill $!; exit 1";
    run_script(&["--p", "0.1"], script)
        .exits(1)
        .says(&format!("--- stderr ---\n20\n\n{}", violated_at(20, 29)));
}

#[test]
fn later_executions_are_not_waited_for_once_the_answer_is_known() {
    // Execution 1 violates only when execution 2 is under way.
    let script = format!(
        "if [ $PROBTEST_EXECUTION = 1 ]; then read line < $DIR/ready; exit 1; fi; {LINGER} echo go > $DIR/ready; wait"
    );
    violates_at_once(&script);
}

#[test]
fn later_executions_are_not_waited_for_after_too_many_rejections_in_a_row() {
    let mut signs = Signs::new();
    // Execution 1 rejects only when execution 2 is under way.
    let script = format!(
        "if [ $PROBTEST_EXECUTION = 1 ]; then test -e $DIR/begun || read line < $DIR/ready; : > $DIR/begun; exit 7; fi; {LINGER} echo go > $DIR/ready; wait"
    );
    let options = ["run", "--p", "0.5", "--confirm", "no", "--jobs", "2", "--reject-code", "7"];
    signs.script(&options, &script).exits(3).says("one execution was rejected 1000 times in a row");
    assert_eq!(signs.last_words(), "");
}

/// Interrupts executions from the fourth on, and returns the report.
fn interrupted_by(signals: &[Signal], jobs: &str, running: usize) -> Value {
    let mut signs = Signs::new();
    let script =
        format!("test $PROBTEST_EXECUTION -lt 4 && exit 0; {LINGER} echo go > $DIR/ready; wait");
    let started = signs.start(&["run", "--p", "0.1", "--json", "--jobs", jobs], &script);
    signs.wait_until_ready(running);
    let report = started.ended_by(signals).exits(3).json();
    assert_eq!(signs.last_words(), "");
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["reason"]["kind"], "cancelled");
    assert_eq!(report["violated"], 0);
    report
}

#[test]
fn ctrl_c_ends_everything_and_says_how_far_it_came() {
    let report = interrupted_by(&[Signal::INT], "1", 1);
    assert_eq!(report["summary"], inconclusive_after(3, 29));
    // With several jobs, what has ended may not have been looked at yet.
    let report = interrupted_by(&[Signal::INT], "4", 4);
    assert!(report["executed"].as_u64().unwrap() <= 3);
}

#[test]
fn other_signals_that_end_a_process_do_the_same_as_ctrl_c() {
    interrupted_by(&[Signal::TERM], "2", 2);
    // In quick succession they do not lose the report.
    interrupted_by(&[Signal::INT, Signal::TERM, Signal::HUP], "1", 1);
    for signal in
        [Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::ALARM, Signal::XCPU]
    {
        interrupted_by(&[signal], "1", 1);
    }
}

#[test]
fn an_interrupted_replay_could_not_finish() {
    let mut signs = Signs::new();
    let script = format!("{LINGER} echo go > $DIR/ready; wait");
    let started = signs.start(&["replay", "7:1"], &script);
    signs.wait_until_ready(1);
    started.ended_by(&[Signal::INT]).exits(3).complains("inconclusive: it was interrupted");
    assert_eq!(signs.last_words(), "");
}

#[test]
fn a_program_that_writes_without_end_is_stopped_without_a_verdict() {
    run_script(&["--p", "0.5"], "head -c 400000000 /dev/zero; sleep 60")
        .exits(3)
        .says("execution 1 could not run: it wrote more than 256 MiB to stdout");
}

#[test]
fn what_was_written_is_measured_at_the_end_however_soon_that_is() {
    // A hole as long takes no time to write, so that nobody sees it grow.
    for (size, code) in [("+256M", 0), ("+257M", 3)] {
        for stream in ["stdout", "stderr"] {
            let script = format!("truncate -s {size} /dev/{stream}");
            let ran = run_script(&["--p", "0.5"], &script).exits(code);
            let words = format!("it wrote more than 256 MiB to {stream}\n");
            assert_eq!(ran.stdout.contains(&words), code == 3, "{}", ran.stdout);
        }
    }
    // Its exit code does not count: it might have been killed before.
    run_script(&["--p", "0.5", "--timeout", "60s"], "truncate -s 257M /dev/stdout; exit 1")
        .exits(3);
}

#[test]
fn a_program_that_goes_away_during_the_test_is_no_violation() {
    let signs = Signs::new();
    let program = signs.path("program");
    let script = "#!/bin/sh\ntest $PROBTEST_EXECUTION -lt 3 || rm \"$0\"\n";
    std::fs::write(&program, script).unwrap();
    let mut command = signs.command(&["run", "--p", "0.1", "--"]);
    let made = std::process::Command::new("chmod").arg("+x").arg(&program).status();
    assert!(made.unwrap().success());
    Ran::of(command.arg(&program).output().unwrap())
        .exits(3)
        .says("execution 4 could not run: the program could not be started");
}

#[test]
fn a_result_that_was_begun_and_never_written_is_inconclusive_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walk.json");
    let file = file.to_str().unwrap();
    let options = ["--p", "0.5", "--json-file", file];
    // The program kills who started it.
    let killed = run_script(&options, "kill -KILL $PPID");
    assert_eq!(killed.code, None);
    let read = || -> Value {
        let text = std::fs::read_to_string(file).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(read()["verdict"], "inconclusive");
    assert_eq!(read()["reason"]["kind"], "unfinished");
    probtest(&["report", "--check", file]).exits(3).says("the test started but did not finish");
    run_script(&options, "true").exits(0);
    assert_eq!(read()["verdict"], "passed");
    probtest(&["report", "--check", file]).exits(0);
}

#[test]
fn outcomes_that_no_program_reports_put_its_pass_in_doubt() {
    let silent = run_script(&["--outcomes", "1/2x2"], "true").exits(0);
    silent.says("  doubt     no execution reported an outcome, so ");
    run_script(&["--outcomes", "1/2x2", "--strict"], "true").exits(3);
}

#[test]
fn a_program_reports_its_outcome_and_each_must_occur() {
    let odd = r#"echo $((PROBTEST_SEED % 2)) > "$PROBTEST_OUTCOME_FILE""#;
    let ran = run_script(&["--equal", "2", "--seed", "1", "--strict"], odd).exits(0);
    assert!(!ran.stdout.contains("doubt"), "{}", ran.stdout);
    // The chance that a fair program shows two outcomes of three is none: it never shows the last.
    let ran = run_script(&["--equal", "3", "--seed", "1", "--json"], odd).exits(1);
    assert_eq!(ran.json()["finding"]["outcomes"], serde_json::json!([2]), "{}", ran.stdout);
    for (wrote, names) in
        [("2", "outcomes 0 to 1"), ("two", "one whole number"), ("0\n1", "one whole number")]
    {
        let script = format!(r#"printf '{wrote}\n' > "$PROBTEST_OUTCOME_FILE""#);
        let ran = run_script(&["--equal", "2"], &script).exits(3);
        assert!(ran.stdout.contains(names), "{names}: {}", ran.stdout);
    }
    // Without listed outcomes there is no file.
    run_script(&["--p", "0.1"], r#"[ -z "$PROBTEST_OUTCOME_FILE" ]"#).exits(0);
}

#[test]
fn what_a_replayed_program_reports_goes_nowhere() {
    let reports = r#"set -e; echo 1 > "$PROBTEST_OUTCOME_FILE"; echo 1 > "$PROBTEST_COST_FILE""#;
    probtest(&["replay", "0x1:1", "--", "sh", "-c", reports]).exits(0);
}
