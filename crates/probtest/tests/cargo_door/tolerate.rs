//! Tests that tolerate a rate, as the developer sees them.

use crate::fixture::{Fixture, assert_says};

#[test]
fn a_failure_speaks_of_the_rate_and_replays_the_violation_that_decided() {
    let failing = || Fixture::test("tolerating::is_wrong_too_often");
    let seen = failing().set("PROBTEST_SEED", "0x5eed").see();
    assert!(!seen.passed);
    assert_says(
        &seen,
        &[
            "drew little",
            "probtest: violated too often: ",
            "  claim     tolerate = 1/100, p = 0.1 (ten times tolerate), epsilon = 0.05, false_alarm = 1e-6",
            "  meaning   tolerates 1 in 100, catches 1 in 10; a program that fails 1 in 100 or less would be stopped like this with probability at most 1e-6",
            ", which decided; the first to violate was execution ",
            "  replay    PROBTEST_REPLAY=0x5eed:",
        ],
    );
    assert_eq!(seen.text.matches("drew little").count(), 1, "{}", seen.text);
    let address = seen.text.split("PROBTEST_REPLAY=").nth(1).unwrap();
    let address = address.split_whitespace().next().unwrap();
    let again = failing().set("PROBTEST_REPLAY", address).see();
    assert!(!again.passed);
    assert_says(&again, &["drew little"]);
    // The same seed gives the same on one thread.
    let alone = failing().set("PROBTEST_SEED", "0x5eed").set("PROBTEST_JOBS", "1").see();
    let executed = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("  executed"));
        line.map(str::to_owned)
    };
    assert!(executed(&seen.text).is_some());
    assert_eq!(executed(&alone.text), executed(&seen.text));
}

#[test]
fn a_counterexample_is_not_remembered() {
    let mut failing = Fixture::test("tolerating::is_wrong_too_often").unset("PROBTEST_MEMORY");
    assert!(!failing.see().passed);
    let seen = failing.see();
    assert!(!seen.passed);
    assert!(!seen.text.contains("remembered"), "{}", seen.text);
}

#[test]
fn rates_that_contradict_each_other_are_an_error() {
    let seen = Fixture::test("tolerating::tolerates_more_than_it_catches").see();
    assert!(!seen.passed);
    assert_says(
        &seen,
        &[
            "probtest: error: tolerate is not below p, so the same rate would have to both pass and fail\n  given  tolerate = 0.2, p = 0.1\n  help   raise p",
        ],
    );
    let seen = Fixture::test("tolerating::tolerates_a_fifth_and_says_no_p").see();
    assert!(!seen.passed);
    assert_says(
        &seen,
        &[
            "probtest: error: p defaults to ten times tolerate, which is 1 or more here\n  given  tolerate = 0.2, no p\n",
        ],
    );
}

#[test]
fn the_environment_gives_the_false_alarm_that_is_left_open() {
    let rough = Fixture::test("tolerating::is_often_enough_right")
        .set("PROBTEST_SEED", "1")
        .set("PROBTEST_FALSE_ALARM", "0.05")
        .argument("--show-output")
        .see();
    assert!(rough.passed, "{}", rough.text);
    assert!(!rough.text.contains("of at most 268"), "{}", rough.text);
    let bad =
        Fixture::test("tolerating::is_often_enough_right").set("PROBTEST_FALSE_ALARM", "2").see();
    assert!(!bad.passed);
    assert_says(&bad, &["PROBTEST_FALSE_ALARM cannot be used"]);
}
