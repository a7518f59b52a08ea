//! Each verdict and each way of ending, as the developer sees it.

use std::process::Command;

use probtest_testing::words::{inconclusive_after, missed_with, no_violation, violated_at};

use crate::fixture::{Fixture, binary, index};

#[test]
fn a_test_that_passes_says_what_the_pass_is_worth_when_asked() {
    Fixture::test("passes").argument("--show-output").passes(&[
        "test result: ok. 1 passed",
        &format!("probtest: {}; {}", no_violation(390), missed_with(0.01, 0.01985)),
    ]);
    Fixture::test("passes").see().lacks("probtest:");
}

#[test]
fn a_violation_shows_the_panic_the_facts_and_the_replay_line() {
    let seen = Fixture::test("violates").set("PROBTEST_SEED", "0x5eed").fails(&[]);
    let index = index(&seen);
    let (passed, rest) = (index - 1, 390 - index);
    assert_eq!(seen.text.matches("drew a seven").count(), 1, "{}", seen.text);
    let told = seen.says(&[
            "panicked at crates/probtest/tests/fixture/main.rs:",
            "drew a seven",
            &format!(
                "{}
  executed  {passed} passed, 1 violated, {rest} not needed
  claim     p = 0.01, epsilon = 0.02
  meaning   this execution is a counterexample; it does not tell you the violation rate
  seed      0x5eed, execution {index}
  replay    PROBTEST_REPLAY=0x5eed:{index}:485a00a5 cargo test -p probtest --test fixture violates -- --exact --include-ignored
",
                violated_at(index, 390)
            ),
    ]);
    // There is no time for that.
    told.lacks("shrunk");
}

#[test]
fn panics_on_many_threads_show_only_the_one_that_decides() {
    let seen = Fixture::test("violates_everywhere_on_four_threads").fails(&[]);
    assert_eq!(seen.text.matches("panicked at").count(), 1, "{}", seen.text);
    assert_eq!(index(&seen), 1);
}

#[test]
fn false_and_err_fail_a_test() {
    for (name, words) in [
        ("returns_false", "the body returned false"),
        ("returns_an_error", "the body returned Err: ParseIntError"),
    ] {
        Fixture::test(name).fails(&[words, &violated_at(1, 6)]);
    }
}

#[test]
fn rejections_are_counted_beside_the_executions() {
    Fixture::test("rejects_half")
        .argument("--show-output")
        .set("PROBTEST_SEED", "1")
        .passes(&["probtest: 29 executions, ", " rejected, no violation"]);
}

#[test]
fn a_test_that_rejects_everything_fails() {
    Fixture::test("rejects_everything").fails(&[
        &inconclusive_after(0, 29),
        "one execution was rejected 1000 times in a row",
        "0 passed, 0 violated, 1000 rejected, 29 not executed",
    ]);
}

#[test]
fn an_execution_that_does_not_violate_again_has_no_line_but_that_of_the_whole_test() {
    let mut fixture = Fixture::test("violates_in_the_seventh_call");
    // Also the second time: nothing is remembered.
    for _ in 0..2 {
        let seen = fixture.fails(&[
            &violated_at(7, 29),
            "again     did not violate when it ran again alone",
            "  rerun     PROBTEST_SEED=",
        ]);
        seen.lacks("  replay ");
    }
}

#[test]
fn should_panic_passes_on_a_violation_only() {
    Fixture::test("should_panic_and_is_violated").set("PROBTEST_SEED", "1").passes(&[]);
    Fixture::test("claims::should_panic_and_is_missed").set("PROBTEST_SEED", "7").passes(&[]);
    for name in [
        "should_panic_and_passes",
        "should_panic_and_rejects_everything",
        "should_panic_and_has_no_probability",
        "should_panic_on_condition_and_has_no_probability",
        "doors::builder_should_panic_and_is_inconclusive",
        "budgets::should_panic_and_is_within_budget",
        "claims::should_panic_and_is_kept",
        "claims::should_panic_and_rejects_everything",
    ] {
        let mut fixture = Fixture::test(name).set("PROBTEST_SEED", "7");
        fixture.fails(&["did not panic as expected"]);
    }
    // The name of the test and the words of the report are not what the body says.
    Fixture::test("should_panic_with_seven_and_violates_otherwise")
        .set("PROBTEST_SEED", "1")
        .fails(&["did not contain expected string"]);
    Fixture::test("has_no_probability").fails(&["there is none"]);
    Fixture::test("doors::builder_should_panic_and_is_violated").passes(&[]);
    Fixture::test("should_panic_and_rejects_everything").set("PROBTEST_REPLAY", "1:1").fails(&[]);
    Fixture::test("should_panic_and_is_violated").set("PROBTEST_SEED", "x").fails(&[]);
}

#[test]
fn an_ignored_test_is_ignored() {
    let mut command = Command::new(binary());
    command.args(["ignored", "--exact"]);
    Fixture::with(command, "ignored")
        .passes(&["ignored, to see that it is ignored", "0 passed; 0 failed; 1 ignored"]);
}

#[test]
fn a_program_with_its_own_randomness_says_that_it_cannot_be_replayed() {
    let words = "its executions cannot be replayed";
    for name in ["", "claims::"] {
        let name = format!("{name}brings_its_own_randomness");
        Fixture::test(&name).argument("--show-output").passes(&[words]);
    }
    for (name, said) in [
        ("brings_its_own_randomness_and_is_violated", "unlucky"),
        ("claims::brings_its_own_randomness_and_is_missed", "missed"),
    ] {
        Fixture::test(name).fails(&[said]).lacks("PROBTEST_");
    }
    Fixture::test("brings_its_own_randomness_and_is_violated").fails(&[words]);
}

#[test]
fn a_body_that_never_draws_is_noticed() {
    let said = "warning: fixture::never_draws: no execution drew from its random source";
    // libtest hides what a test that passes says; this goes past it.
    Fixture::test("never_draws").passes(&[said]);
}

#[test]
fn outcomes_must_all_be_seen() {
    Fixture::test("sees_every_face")
        .argument("--show-output")
        .passes(&["27 executions, no violation; some of the 6 outcomes would have been missed"]);
    Fixture::test("never_sees_a_six").set("PROBTEST_SEED", "1").fails(&[
            "probtest: outcome 5 was not seen in 27 executions",
            "outcomes = 6 x 1/6",
            "  rerun     PROBTEST_SEED=0x1 cargo test -p probtest --test fixture never_sees_a_six -- --exact",
        ]);
}

#[test]
fn an_outcome_that_is_not_listed_is_shown_with_its_replay_line() {
    let name = "doors::returns_an_unknown_outcome";
    Fixture::test(name).set("PROBTEST_SEED", "1").fails(&[
        "execution 1 returned outcome ",
        "seed      0x1, execution 1",
        "  replay    PROBTEST_REPLAY=0x1:1:",
    ]);
    Fixture::test(name).set("PROBTEST_REPLAY", "1:1").fails(&["execution 1 returned outcome "]);
}

#[cfg(feature = "tokio")]
#[test]
fn async_bodies_are_executed_on_a_runtime() {
    Fixture::test("waits").argument("--show-output").passes(&["probtest: 29 executions"]);
    Fixture::test("waits_and_is_violated")
        .set("PROBTEST_SEED", "1")
        .fails(&["Err: \"drew a seven\"", "PROBTEST_REPLAY=0x1:"]);
}

#[test]
fn an_ordinary_test_beside_it_panics_as_ever() {
    Fixture::test("an_ordinary_test_panics_as_ever").see().says(&["panicked at", "ordinary"]);
}
