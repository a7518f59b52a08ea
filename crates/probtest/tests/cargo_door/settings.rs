//! What the environment and the options set, and what is written.

use crate::fixture::{Fixture, index, no_folder, only_report};

#[test]
fn the_environment_gives_what_the_test_leaves_open() {
    Fixture::test("says_no_p")
        .fails(&["does not say which violation probability", "PROBTEST_P sets a default"]);
    Fixture::test("says_no_p")
        .set("PROBTEST_P", "0.01")
        .argument("--show-output")
        .passes(&["probtest: 390 executions"]);
    // The test's own numbers are unchanged.
    Fixture::test("passes")
        .set("PROBTEST_P", "0.5")
        .argument("--show-output")
        .see()
        .says(&["probtest: 390 executions"]);
}

#[test]
fn a_constant_out_of_range_is_an_error_before_anything_is_executed() {
    Fixture::test("has_a_constant_out_of_range").fails(&[
        "probtest: error: p is not strictly between 0 and 1\n  given  1.5\n  help   write",
    ]);
}

#[test]
fn bad_variables_fail_the_test_and_unknown_ones_are_warned_about() {
    Fixture::test("passes")
        .set("PROBTEST_SEED", "later")
        .fails(&["PROBTEST_SEED cannot be used", "`later` is not a seed"]);
    Fixture::test("passes")
        .set("PROBTEST_SEEED", "1")
        .passes(&["warning: PROBTEST_SEEED has no effect here", "did you mean `PROBTEST_SEED`?"]);
}

#[test]
fn reports_are_written_as_json_where_asked() {
    let (seen, report) = Fixture::test("violates").set("PROBTEST_SEED", "0x5eed").reports();
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
    let folder = no_folder("reports-twice");
    let mut fixture =
        Fixture::test("doors::uses_one_id_twice").set("PROBTEST_REPORT", folder.to_str().unwrap());
    let _ = std::fs::create_dir_all(fixture.memory());
    for _ in 0..2 {
        fixture.passes(&[]);
        let remembered = std::fs::read_dir(fixture.memory()).unwrap().count();
        assert_eq!(remembered, 1, "the counterexample was taken for fixed");
    }
    assert_eq!(only_report(&folder)["verdict"], "violated");
}

#[test]
fn a_test_that_could_not_be_started_is_no_pass_in_the_folder_of_reports() {
    for (name, variable, value, message) in [
        ("passes", "JOBS", "many", "the environment variable PROBTEST_JOBS cannot be used"),
        (
            "claims::mean_is_kept",
            "EPSILON",
            "2",
            "the environment variable PROBTEST_EPSILON cannot be used",
        ),
        ("doors::builder_claims_a_mean", "SUITE_EPSILON", "0.05", "this test was not counted"),
    ] {
        let folder = no_folder("reports-refused");
        let fixture = || {
            let fixture = Fixture::test(name).set("PROBTEST_SEED", "7");
            fixture.set("PROBTEST_REPORT", folder.to_str().unwrap())
        };
        fixture().passes(&[]);
        let before = only_report(&folder);
        assert_eq!(before["verdict"], "passed");
        fixture().set(&format!("PROBTEST_{variable}"), value).fails(&[]);
        let after = only_report(&folder);
        assert_eq!(after["verdict"], "inconclusive");
        assert_eq!(after["reason"]["kind"], "setup");
        let said = after["reason"]["message"].as_str().unwrap();
        assert!(said.starts_with(message) && said.ends_with(value), "{said}");
        assert_ne!(after["reason"]["help"], "");
        for field in ["test", "package", "target"] {
            assert_eq!(after[field], before[field]);
        }
    }
}

#[test]
fn a_test_that_ends_its_process_leaves_no_pass_of_another_run() {
    for name in ["endings::exits_when_told", "endings::exits_when_told_under_a_claim"] {
        let folder = no_folder("reports-ended");
        let fixture = || {
            let fixture = Fixture::test(name).set("PROBTEST_REPORT", folder.to_str().unwrap());
            fixture.unset("FIXTURE_EXITS").set("PROBTEST_SEED", "7")
        };
        fixture().passes(&[]);
        assert_eq!(only_report(&folder)["verdict"], "passed");
        fixture().set("FIXTURE_EXITS", "1").fails(&[]);
        assert_eq!(only_report(&folder)["verdict"], "inconclusive");
        assert_eq!(only_report(&folder)["reason"]["kind"], "unfinished");
    }
}
