//! What the environment and the options say, and what is written.

use std::path::Path;

use probtest_testing::words::inconclusive_after;

use crate::fixture::{Fixture, assert_says, index};

#[test]
fn the_environment_gives_what_the_test_leaves_open() {
    let seen = Fixture::test("says_no_p").see();
    assert!(!seen.passed);
    assert_says(&seen, &["does not say which violation probability", "PROBTEST_P sets a default"]);
    let seen = Fixture::test("says_no_p").set("PROBTEST_P", "0.01").argument("--show-output").see();
    assert!(seen.passed, "{}", seen.text);
    assert_says(&seen, &["probtest: 390 executions"]);
    // The test's own numbers are not touched.
    let seen = Fixture::test("passes").set("PROBTEST_P", "0.5").argument("--show-output").see();
    assert_says(&seen, &["probtest: 390 executions"]);
}

#[test]
fn a_constant_out_of_range_is_an_error_before_anything_is_executed() {
    let seen = Fixture::test("has_a_constant_out_of_range").see();
    assert!(!seen.passed);
    assert_says(
        &seen,
        &["probtest: error: p is not strictly between 0 and 1\n  given  1.5\n  help   write"],
    );
}

#[test]
fn bad_variables_fail_the_test_and_unknown_ones_are_warned_about() {
    let seen = Fixture::test("passes").set("PROBTEST_SEED", "later").see();
    assert!(!seen.passed);
    assert_says(&seen, &["PROBTEST_SEED cannot be used", "`later` is not a seed"]);
    let seen = Fixture::test("passes").set("PROBTEST_SEEED", "1").see();
    assert!(seen.passed);
    assert_says(
        &seen,
        &["warning: PROBTEST_SEEED has no effect here", "did you mean `PROBTEST_SEED`?"],
    );
}

#[test]
fn a_budget_below_the_plan_fails_and_says_what_was_attained() {
    let seen = Fixture::test("has_a_budget_below_its_plan").see();
    assert!(!seen.passed);
    assert_says(
        &seen,
        &[
            &inconclusive_after(100, 390),
            "max_executions = 100 is below the plan",
            "would have been seen with probability 0.98",
        ],
    );
}

#[test]
fn reports_are_written_as_json_where_asked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    let _ = std::fs::remove_dir_all(&folder);
    let seen = Fixture::test("violates")
        .set("PROBTEST_SEED", "0x5eed")
        .set("PROBTEST_REPORT", folder.to_str().unwrap())
        .see();
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["probtest"], 2);
    assert_eq!(report["package"], "probtest");
    assert_eq!(report["target"], "test fixture");
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["planned"], 390);
    assert_eq!(report["index"], index(&seen));
    assert_eq!(report["claim"]["p"], 0.01);
}

#[test]
fn a_pass_does_not_replace_the_failure_of_the_same_id() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-twice");
    let _ = std::fs::remove_dir_all(&folder);
    let mut fixture =
        Fixture::test("doors::uses_one_id_twice").set("PROBTEST_REPORT", folder.to_str().unwrap());
    let _ = std::fs::create_dir_all(fixture.memory());
    for _ in 0..2 {
        assert!(fixture.see().passed);
        let remembered = std::fs::read_dir(fixture.memory()).unwrap().count();
        assert_eq!(remembered, 1, "the counterexample was taken for fixed");
    }
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    assert!(text.contains(r#""verdict": "violated""#), "{text}");
}

#[test]
fn a_test_that_could_not_be_started_is_no_pass_in_the_folder_of_reports() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-refused");
    for (name, variable, value, message) in [
        (
            "passes",
            "PROBTEST_JOBS",
            "many",
            "the environment variable PROBTEST_JOBS cannot be used",
        ),
        (
            "claims::mean_is_kept",
            "PROBTEST_EPSILON",
            "2",
            "the environment variable PROBTEST_EPSILON cannot be used",
        ),
        (
            "doors::builder_claims_a_mean",
            "PROBTEST_SUITE_EPSILON",
            "0.05",
            "this test was not counted",
        ),
    ] {
        let _ = std::fs::remove_dir_all(&folder);
        let report = |fixture: Fixture| {
            let seen = fixture
                .set("PROBTEST_REPORT", folder.to_str().unwrap())
                .set("PROBTEST_SEED", "7")
                .see();
            let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
            assert_eq!(files.len(), 1, "{}", seen.text);
            let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            (seen.passed, report)
        };
        let (passed, before) = report(Fixture::test(name));
        assert!(passed);
        assert_eq!(before["verdict"], "passed");
        let (passed, after) = report(Fixture::test(name).set(variable, value));
        assert!(!passed);
        assert_eq!(after["verdict"], "inconclusive");
        assert_eq!(after["reason"]["kind"], "setup");
        let said = after["reason"]["message"].as_str().unwrap();
        assert!(said.starts_with(message), "{said}");
        assert!(said.ends_with(value), "{said}");
        assert_ne!(after["reason"]["help"], "");
        for field in ["test", "package", "target"] {
            assert_eq!(after[field], before[field]);
        }
    }
}

#[test]
fn a_test_that_ends_its_process_leaves_no_pass_of_another_run() {
    for name in ["endings::exits_when_told", "endings::exits_when_told_under_a_claim"] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-ended");
        let _ = std::fs::remove_dir_all(&folder);
        let fixture = || {
            let folder = folder.to_str().unwrap();
            let fixture = Fixture::test(name).unset("FIXTURE_EXITS");
            fixture.set("PROBTEST_REPORT", folder).set("PROBTEST_SEED", "7")
        };
        let written = || {
            let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
            assert_eq!(files.len(), 1);
            let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        };
        assert!(fixture().see().passed);
        assert_eq!(written()["verdict"], "passed");
        assert!(!fixture().set("FIXTURE_EXITS", "1").see().passed);
        assert_eq!(written()["verdict"], "inconclusive");
        assert_eq!(written()["reason"]["kind"], "unfinished");
    }
}
