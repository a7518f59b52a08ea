//! Tests of means and labels: what `cargo test` shows, and their lines.

use std::fs;

use crate::fixture::{Fixture, Seen, assert_says};

fn address(seen: &Seen) -> String {
    let (_, after) = seen.text.split_once("PROBTEST_REPLAY=").expect(&seen.text);
    after.split(' ').next().unwrap().to_owned()
}

fn seen(name: &str) -> Seen {
    Fixture::test(name).set("PROBTEST_SEED", "7").see()
}

#[test]
fn a_mean_that_is_kept_passes_and_says_what_that_is_worth() {
    let seen = Fixture::test("numeric::mean_is_kept")
        .set("PROBTEST_SEED", "7")
        .argument("--nocapture")
        .see();
    assert!(seen.passed, "{}", seen.text);
    assert_says(
        &seen,
        &["a mean of 0.35 or less, or of 0.65 or more would have passed"],
    );
}

#[test]
fn epsilon_of_the_environment_counts_where_the_test_gives_none() {
    let seen = Fixture::test("numeric::mean_is_kept")
        .set("PROBTEST_EPSILON", "1e-4")
        .argument("--nocapture")
        .see();
    assert_says(&seen, &["would have passed with probability at most 1e-4"]);
}

#[test]
fn a_missed_mean_fails_and_its_line_shows_the_most_extreme_number() {
    let seen = seen("numeric::mean_is_missed");
    assert!(!seen.passed, "{}", seen.text);
    assert_says(
        &seen,
        &[
            "probtest: missed: the mean is above 0.3, after ",
            "which returned the largest number, 0.9",
            "cargo test -p probtest --test fixture numeric::mean_is_missed -- --exact",
        ],
    );
    let again = Fixture::test("numeric::mean_is_missed")
        .set("PROBTEST_REPLAY", &address(&seen))
        .argument("--nocapture")
        .see();
    assert!(again.passed, "{}", again.text);
    assert_says(
        &again,
        &["of numeric::missed alone", "probtest: returned 0.9"],
    );
}

#[test]
fn a_label_that_cannot_come_fails_and_its_line_shows_it() {
    let seen = seen("numeric::label_cannot_come");
    assert!(!seen.passed, "{}", seen.text);
    assert_says(
        &seen,
        &["returned a label that is not listed, which has no probability"],
    );
    let again = Fixture::test("numeric::label_cannot_come")
        .set("PROBTEST_REPLAY", &address(&seen))
        .argument("--nocapture")
        .see();
    assert_says(&again, &["probtest: returned c"]);
}

#[test]
fn a_panic_under_a_claim_on_a_mean_is_shown_and_replayed() {
    let seen = seen("numeric::number_violates");
    assert!(!seen.passed, "{}", seen.text);
    assert_says(&seen, &[" is large", "probtest: violated at execution "]);
    let again = Fixture::test("numeric::number_violates")
        .set("PROBTEST_REPLAY", &address(&seen))
        .see();
    assert!(!again.passed, "{}", again.text);
    assert_says(&again, &[" is large"]);
}

#[test]
fn the_report_of_a_mean_is_written_where_reports_go() {
    let mut fixture = Fixture::test("numeric::mean_is_missed");
    let folder = fixture.memory().join("reports");
    fixture = fixture
        .set("PROBTEST_SEED", "7")
        .set("PROBTEST_REPORT", folder.to_str().unwrap());
    fixture.see();
    let file = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(
        (&json["kind"], &json["verdict"]),
        (&"mean".into(), &"violated".into())
    );
    assert_eq!(json["test"], "numeric::missed");
}
