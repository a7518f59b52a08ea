//! Seeds, replay and memory.

use std::process::Command;

#[cfg(feature = "proptest")]
use probtest::seed::Selection;
use probtest_testing::words::violated_again;

use crate::fixture::{Fixture, binary, index, no_folder};

#[test]
fn a_replay_executes_the_violation_alone_with_its_normal_panic() {
    let seen = Fixture::test("violates").set("PROBTEST_SEED", "0x5eed").see();
    let index = index(&seen);
    let address = format!("0x5eed:{index}");
    let again = Fixture::test("violates").set("PROBTEST_REPLAY", &address).fails(&[
        "thread 'violates'",
        "drew a seven",
        &format!("replaying execution {index} of seed 0x5eed of fixture::violates alone"),
    ]);
    again.lacks("of 390");

    let (_, after) = seen.text.split_once("PROBTEST_REPLAY=").unwrap();
    let tag = after.split([':', ' ']).nth(2).unwrap();
    let before = format!("0x5eed:{}:{tag}", index - 1);
    Fixture::test("violates")
        .set("PROBTEST_REPLAY", &before)
        .passes(&["passed\n  note   one execution is not the plan"]);

    // Without a name every test would be green after one execution.
    Fixture::test("violates").set("PROBTEST_REPLAY", &format!("0x5eed:{}", index - 1)).fails(&[
        "PROBTEST_REPLAY names no test",
        &format!("help      write PROBTEST_REPLAY={before} to replay"),
    ]);
}

#[cfg(feature = "proptest")]
#[test]
fn a_replay_shows_the_input_whatever_the_execution_did() {
    for (name, input, passes) in [
        ("strategy_panics", "xs", false),
        ("any_fails", "number", false),
        ("arbitrary_returns_false", "flags", false),
        ("draw_passes", "draw 2", true),
    ] {
        let name = format!("inputs::{name}");
        let selection = Selection::of("0x7:3".parse().unwrap(), &format!("fixture::{name}"));
        let seen = Fixture::test(&name)
            .set("PROBTEST_REPLAY", &selection.to_string())
            .argument("--nocapture")
            .see();
        assert_eq!(seen.passed, passes, "{}", seen.text);
        let (_, drew) = seen.text.split_once("drew ").unwrap();
        let drew = drew.lines().next().unwrap().trim_end_matches('"');
        let shown = format!(" {input} = {drew}\n");
        assert_eq!(seen.text.matches("  input  ").count(), 1, "{}", seen.text);
        seen.says(&[&shown]);
    }
}

#[test]
fn a_replay_fails_whatever_kept_it_from_passing() {
    let given = "rejected 1000 times in a row\n  given     PROBTEST_REPLAY=0x1:1\n";
    for (name, words) in [
        ("returns_false", ["panicked at", "the body returned"]),
        ("returns_an_error", ["panicked at", "the body returned"]),
        ("brings_its_own_randomness", ["cannot be replayed", "help"]),
        ("claims::brings_its_own_randomness_and_is_missed", ["cannot be replayed", "help"]),
        ("rejects_everything", [given, "  help      draw inputs"]),
    ] {
        Fixture::test(name).set("PROBTEST_REPLAY", "1:1").fails(&words);
    }
}

#[test]
fn the_number_of_jobs_changes_nothing_but_the_time() {
    let facts = |jobs| {
        let seen =
            Fixture::test("violates").set("PROBTEST_SEED", "7").set("PROBTEST_JOBS", jobs).see();
        seen.text.split_once("probtest: ").unwrap().1.split_once("\n\n").unwrap().0.to_owned()
    };
    assert_eq!(facts("1"), facts("3"));
}

#[test]
fn without_a_seed_every_run_has_a_fresh_one() {
    let seed = || {
        let seen = Fixture::test("never_sees_a_six").see();
        let (_, after) = seen.text.split_once("seed      ").expect(&seen.text);
        after.lines().next().unwrap().to_owned()
    };
    // Equal by chance with probability 2^-64.
    assert_ne!(seed(), seed());
}

#[test]
fn a_counterexample_is_remembered_executed_first_and_forgotten_when_fixed() {
    let mut first = Fixture::test("violates_until_fixed").set("PROBTEST_SEED", "3");
    let seen = first.fails(&[]);
    let index = index(&seen);

    // The next run has a fresh seed.
    let mut second = first.unset("PROBTEST_SEED");
    let seen = second.fails(&[
        &violated_again(format!("0x3:{index}")),
        &format!("PROBTEST_REPLAY=0x3:{index}:"),
    ]);
    assert_eq!(seen.text.matches("panicked at").count(), 1, "{}", seen.text);

    let mut fixed = second.set("FIXTURE_FIXED", "1").argument("--show-output");
    fixed.passes(&[
        // A variable has fixed it, and not another program.
        "ran first and did not violate, although the program has not changed",
        "390 executions",
    ]);
    fixed.see().lacks("ran first");
}

#[cfg(unix)]
#[test]
fn a_copy_is_the_same_program_and_another_binary_is_not() {
    let name = "violates_until_fixed";
    let folder = no_folder("copy");
    // As cargo has it: in another folder its target is not known.
    let copy = folder.join("deps").join(binary().file_name().unwrap());
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let same = "did not violate, although the program has not changed";
    for (change, says) in [("", same), ("x", "no longer violates")] {
        let mut first = Fixture::test(name).set("PROBTEST_SEED", "3");
        first.fails(&[]);
        // A process of its own copies it: while this one writes to a program, what another
        // test starts may hold the file open, and then it cannot be started.
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"cp "$0" "$1" && touch "$1" && printf %s "$2" >>"$1""#]);
        let copied = shell.arg(binary()).arg(&copy).arg(change).status();
        assert!(copied.unwrap().success());
        let mut command = Command::new(&copy);
        command.args([name, "--exact", "--include-ignored", "--show-output"]);
        Fixture::with(command, "copy")
            .set("PROBTEST_MEMORY", first.memory().to_str().unwrap())
            .set("FIXTURE_FIXED", "1")
            .passes(&[says]);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_fixed_seed_does_not_look_at_counterexamples_of_other_seeds() {
    let mut first = Fixture::test("violates_until_fixed").set("PROBTEST_SEED", "3");
    first.fails(&[]);
    first.set("PROBTEST_SEED", "4").see().lacks("remembered");
}

#[test]
fn memory_is_kept_under_the_target_folder_unless_told_otherwise() {
    let mut fixture = Fixture::test("inner::lies_in_a_module").unset("PROBTEST_MEMORY");
    fixture.fails(&[]);
    fixture.see().says(&[
        &violated_again(""),
        "cargo test -p probtest --test fixture inner::lies_in_a_module -- --exact",
    ]);
    fixture.set("PROBTEST_MEMORY", "off").see().lacks("remembered");
}

#[test]
fn under_nextest_the_replay_line_is_for_nextest() {
    Fixture::test("inner::lies_in_a_module").set("NEXTEST", "1").see().says(&[
            "cargo nextest run -p probtest --test fixture --run-ignored all -E 'test(=inner::lies_in_a_module)'",
        ]);
}
