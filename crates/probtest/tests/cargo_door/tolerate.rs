//! Tests that tolerate a rate, as the developer sees them.

use crate::fixture::Fixture;

#[test]
fn a_failure_speaks_of_the_rate_and_replays_the_violation_that_decided() {
    let failing = || Fixture::test("tolerating::is_wrong_too_often");
    let seen = failing().set("PROBTEST_SEED", "0x5eed").fails(&[
            "drew little",
            "probtest: violated too often: ",
            "  claim     tolerate = 1/100, p = 0.1 (ten times tolerate), epsilon = 0.05, false_alarm = 1e-6",
            "  meaning   tolerates 1 in 100, catches 1 in 10; a program that fails 1 in 100 or less would fail this test with probability at most 1e-6",
            ", which decided; the first violation was execution ",
            "  replay    PROBTEST_REPLAY=0x5eed:",
        ]);
    assert_eq!(seen.text.matches("drew little").count(), 1, "{}", seen.text);
    let address = seen.text.split("PROBTEST_REPLAY=").nth(1).unwrap();
    let address = address.split_whitespace().next().unwrap();
    failing().set("PROBTEST_REPLAY", address).fails(&["drew little"]);
}

#[test]
fn a_counterexample_is_not_remembered() {
    let mut failing = Fixture::test("tolerating::is_wrong_too_often").unset("PROBTEST_MEMORY");
    failing.fails(&[]);
    failing.fails(&[]).lacks("remembered");
}
