//! `probtest run` and `probtest replay`: verdicts, seeds, output.

use crate::common::{Ran, command, probtest, run_script};
use probtest_testing::words::{missed_with, no_violation, violated_at};

/// Violates about one execution in ten, by its seed.
const ONE_IN_TEN: &str =
    "echo seed $PROBTEST_SEED; echo oops >&2; test $((PROBTEST_SEED % 10)) -ne 0";

#[test]
fn a_program_that_always_passes_passes() {
    let ran = probtest(&["run", "--p", "0.1", "--", "true"]).exits(0);
    assert_eq!(
        ran.stdout,
        format!("probtest: {}; {}\n", no_violation(29), missed_with("0.1", "0.04710"))
    );
    assert_eq!(ran.stderr, "");
    let quiet = probtest(&["run", "-q", "--p", "0.1", "--", "true"]).exits(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn the_first_violation_decides_and_is_the_same_for_any_number_of_jobs() {
    let report = format!(
        "exit code 1
--- stdout ---
seed 1824495390
--- stderr ---
oops

{}
  executed  8 passed, 1 violated, 20 not needed
  claim     p = 0.1, epsilon = 0.05
  meaning   this execution is a counterexample; it does not tell you the violation rate
  seed      0x5eed, execution 9
  replay    probtest replay 0x5eed:9 -- sh -c '{ONE_IN_TEN}'
",
        violated_at(9, 29)
    );
    for jobs in ["1", "2", "4", "16"] {
        let options = ["--p", "0.1", "--seed", "0x5eed", "--jobs", jobs];
        let ran = run_script(&options, ONE_IN_TEN).exits(1);
        assert_eq!(ran.stdout, report, "{jobs} jobs");
    }
}

#[test]
fn a_replay_tells_the_program_the_same_seed_and_violates_again() {
    let json =
        run_script(&["--p", "0.1", "--seed", "0x5eed", "--json"], ONE_IN_TEN).exits(1).json();
    let address = json["address"].as_str().unwrap();
    let details = json["finding"]["details"].as_str().unwrap();
    let seed = details.split_whitespace().nth(4).unwrap();

    let ran = probtest(&["replay", address, "--", "sh", "-c", ONE_IN_TEN]).exits(1);
    assert_eq!(ran.stdout, format!("seed {seed}\n"));
    let index = json["index"].as_u64().unwrap();
    assert_eq!(
        ran.stderr,
        format!(
            "probtest: execution {address}: PROBTEST_SEED={seed} PROBTEST_EXECUTION={index}
oops
probtest: execution {address} violated: exit code 1
"
        )
    );
    let other = format!("0x5eed:{}", index - 1);
    let ran = probtest(&["replay", &other, "--json", "--", "sh", "-c", ONE_IN_TEN]).exits(0);
    assert_eq!(ran.json()["verdict"], "passed");
    ran.complains("seed ");
}

#[test]
fn the_replay_line_can_be_pasted_into_a_shell() {
    let script = "test \"$1\" = \"it's\" && test $((PROBTEST_SEED % 10)) -ne 0";
    let words = ["run", "--p", "0.1", "--seed", "7", "--timeout", "60s", "--json"];
    let command_words = ["--", "sh", "-c", script, "x", "it's"];
    let ran = probtest(&[&words[..], &command_words].concat()).exits(1);
    let replay = ran.json()["replay"].as_str().unwrap().to_owned();
    let bin = env!("CARGO_BIN_EXE_probtest");
    let rest = replay.strip_prefix("probtest ").unwrap();
    let shell =
        std::process::Command::new("sh").args(["-c", &format!("{bin} {rest}")]).output().unwrap();
    Ran::of(shell).exits(1).complains("violated: exit code 1");
}

#[test]
fn placeholders_and_environment_tell_the_same_seed_and_execution() {
    let script = "test $PROBTEST_SEED = $1 && test $PROBTEST_EXECUTION = $2 && test $3 = $1-$2 && test $1 -lt 2147483648";
    let words = ["run", "--p", "0.1", "--jobs", "2", "--", "sh", "-c", script, "x"];
    probtest(&[&words[..], &["{seed}", "{execution}", "{seed}-{execution}"]].concat()).exits(0);
}

#[test]
fn a_program_is_told_seed_and_execution_and_nothing_else_that_probtest_was_told() {
    // Every variable that probtest knows, with a value that fits; the memory of the tests
    // inside is off, whatever it is outside.
    let outside: Vec<(&str, String)> = probtest::settings::OPTIONS
        .iter()
        .filter_map(|spec| {
            let value = match spec.name {
                "memory" => "outside",
                "execution" => "1000",
                // All executions, and a folder that no other test uses.
                "shard" => "1/1",
                "journal" => concat!(env!("CARGO_TARGET_TMPDIR"), "/told"),
                _ => spec.example.trim_matches('"'),
            };
            let value = match spec.name {
                "journal" => value.to_owned(),
                _ => value.replace('_', ""),
            };
            Some((spec.variable?, value))
        })
        .collect();
    assert!(outside.len() > 10);
    // A file for the cost is there since PROBTEST_MAX_COST is among them; a replay has both files.
    let script = "env | grep '^PROBTEST_' | grep -vE '^PROBTEST_(SEED|COST_FILE|OUTCOME_FILE)=' | sort; exit 1";
    let told = ["PROBTEST_EXECUTION=1", "PROBTEST_MEMORY=off", "PROBTEST_THEIRS=1"];
    for words in [["run", "--jobs=1"], ["replay", "7:1"]] {
        // The first time with a placeholder, which makes each command anew.
        for argument in ["{seed}", "seed"] {
            let mut command = command(&words);
            command.args(["--", "sh", "-c", script, argument]);
            command.envs(outside.clone()).env("PROBTEST_THEIRS", "1");
            let ran = Ran::of(command.output().unwrap()).exits(1);
            let lines = ran.stdout.lines().filter(|line| line.starts_with("PROBTEST_"));
            assert_eq!(lines.collect::<Vec<_>>(), told, "{words:?} {argument}");
        }
    }
}

#[test]
fn only_the_output_of_the_deciding_execution_is_shown() {
    let script = "echo execution $PROBTEST_EXECUTION; echo to stderr $PROBTEST_EXECUTION >&2; test $PROBTEST_EXECUTION -lt 5";
    for jobs in ["1", "4"] {
        let ran = run_script(&["--p", "0.1", "--jobs", jobs], script).exits(1);
        let shown: Vec<&str> = ran.stdout.lines().take(6).collect();
        assert_eq!(
            shown,
            ["exit code 1", "--- stdout ---", "execution 5", "--- stderr ---", "to stderr 5", ""]
        );
    }
}

#[test]
fn long_output_is_cut_at_its_beginning() {
    let script = "head -c 200000 /dev/zero | tr '\\0' a; echo end; exit 1";
    let ran = run_script(&["--p", "0.5"], script)
        .exits(1)
        .says("--- stdout, without its first 134468 bytes ---\na")
        .says("aend\n");
    assert!(ran.stdout.len() < 70_000);
}

#[test]
fn output_that_is_no_text_is_shown_as_far_as_it_is() {
    run_script(&["--p", "0.5"], "printf 'a\\377b'; exit 1").exits(1).says("a\u{fffd}b\n");
}

#[test]
fn a_program_that_opens_stderr_anew_does_not_spoil_what_others_wrote() {
    let script = "echo one; echo two > /dev/stderr; echo three >&2; exit 1";
    run_script(&["--p", "0.5"], script)
        .exits(1)
        .says("--- stdout ---\none\n--- stderr ---\ntwo\nthree\n");
}

#[test]
fn rejected_executions_are_drawn_again_and_do_not_count() {
    let script = "test $((PROBTEST_SEED % 2)) -eq 0 || exit 77";
    let options = ["--p", "0.1", "--seed", "1", "--reject-code", "77"];
    let ran = run_script(&options, script).exits(0);
    assert!(ran.stdout.starts_with("probtest: 29 executions, "));
    assert!(ran.stdout.contains(" rejected, no violation;"));
    for jobs in ["2", "4"] {
        let again = run_script(&[&options[..], &["--jobs", jobs]].concat(), script).exits(0);
        assert_eq!(again.stdout, ran.stdout);
    }
    // Without the option the same exit code violates.
    run_script(&["--p", "0.1", "--seed", "1"], script).exits(1);
}

#[test]
fn a_replay_goes_through_the_same_rejections() {
    let script = "test $((PROBTEST_SEED % 2)) -eq 0 || exit 77; echo $PROBTEST_SEED; test $((PROBTEST_SEED % 10)) -ne 0";
    let options = ["--p", "0.05", "--seed", "3", "--reject-code", "77", "--json"];
    let json = run_script(&options, script).exits(1).json();
    let address = json["address"].as_str().unwrap();
    let details = json["finding"]["details"].as_str().unwrap();
    let words = ["replay", address, "--reject-code", "77", "--"];
    let ran = probtest(&[&words[..], &["sh", "-c", script]].concat()).exits(1);
    assert_eq!(details, format!("--- stdout ---\n{}", ran.stdout));
    let replay = json["replay"].as_str().unwrap();
    assert!(replay.contains(" --reject-code 77 -- sh"), "{replay}");
}

#[test]
fn json_says_the_same_as_the_text() {
    let options = ["--p", "0.1", "--seed", "0x5eed"];
    let text = run_script(&options, ONE_IN_TEN).exits(1).stdout;
    let json = run_script(&[&options[..], &["--json"]].concat(), ONE_IN_TEN).exits(1).json();
    assert_eq!(json["verdict"], "violated");
    let finding = &json["finding"];
    for part in [&json["summary"], &json["replay"], &finding["message"], &finding["details"]] {
        assert!(text.contains(part.as_str().unwrap()), "{part}");
    }
    assert_eq!(json["executed"], json["index"]);
    let json = probtest(&["run", "--p", "0.1", "--json", "--", "true"]).exits(0).json();
    assert_eq!(json["verdict"], "passed");
    assert_eq!(json["executed"], 29);
}

#[test]
fn the_first_word_is_what_the_program_is_called_by() {
    run_script(&["--p", "0.5"], "test $0 = sh").exits(0);
    let words = ["run", "--p", "0.5", "--", "cat"];
    // Its stdin is empty, so it ends.
    probtest(&words).exits(0);
}

#[test]
fn a_tolerated_rate_is_judged_the_same_for_any_number_of_jobs() {
    let given = |jobs| ["--tolerate", "0.01", "--seed", "0x5eed", "--jobs", jobs, "--json"];
    let often = "test $((PROBTEST_SEED % 3)) -ne 0";
    let one = run_script(&given("1"), often).exits(1).json();
    assert_eq!(one["finding"]["kind"], "rate");
    assert!(one["violated"].as_u64().unwrap() > 1);
    let four = run_script(&given("4"), often).exits(1).json();
    for field in ["executed", "violated", "address", "rate", "finding"] {
        assert_eq!(one[field], four[field], "{field}");
    }
    let replayed = one["address"].as_str().unwrap();
    probtest(&["replay", replayed, "--", "sh", "-c", often]).exits(1);
    let rarely = "test $((PROBTEST_SEED % 1000)) -ne 0";
    let ran = run_script(&given("4"), rarely).exits(0);
    assert_eq!(ran.json()["executed"], 32);
}

#[test]
fn a_program_that_is_seeded_from_the_clock_is_in_doubt_though_it_is_done_within_a_second() {
    // It never fails, and writes the same in all executions of a second. The doubt is missing
    // where two of the at most 13 seconds that are looked at seem to write the same. What was
    // written is compared by 64 bits: that has a probability of at most 78 / 2^64 < 5e-18.
    let script = "date +%s | md5sum";
    run_script(&["--p", "0.2"], script).exits(0).says("in doubt").says("clock");
    let steady = run_script(&["--p", "0.2"], "echo ok").exits(0).stdout;
    assert!(!steady.contains("doubt"), "{steady}");
}
