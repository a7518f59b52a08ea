//! Bodies that end the process, or catch what they should not.

use probtest_testing::words::violated_at;
use std::path::Path;

use crate::fixture::{Fixture, assert_says};

#[test]
fn leaving_the_process_is_never_a_pass() {
    for name in [
        "exits_with_success",
        "exits_from_another_thread",
        "endings::report_exits",
        "endings::check_exits",
        "endings::check_local_exits",
    ] {
        let seen = Fixture::test(name).see();
        assert!(!seen.passed, "{name}: {}", seen.text);
        assert_says(&seen, &["probtest: the process exited", "nothing passed"]);
    }
    let seen = Fixture::test("exits_from_another_thread").see();
    assert_says(&seen, &["while fixture::exits_from_another_thread was running"]);
}

#[test]
fn an_exit_is_told_with_test_seed_and_replay_line() {
    let seen = Fixture::test("exits_with_success").set("PROBTEST_SEED", "7").see();
    assert_says(
        &seen,
        &[
            "in the body of fixture::exits_with_success, in execution 5; nothing passed",
            "  seed      0x7, execution 5\n",
            "  replay    PROBTEST_REPLAY=0x7:5:",
            " cargo test -p probtest --test fixture exits_with_success -- --exact",
        ],
    );
}

#[test]
fn a_program_may_leave_while_a_run_goes_on_in_the_background() {
    let seen = Fixture::test("endings::exits_beside_a_run_in_the_background").see();
    assert!(seen.passed, "{}", seen.text);
}

#[test]
fn an_abort_is_a_failure_and_names_the_execution() {
    for name in ["aborts", "overflows_the_stack"] {
        for jobs in ["1", "2"] {
            let seen =
                Fixture::test(name).set("PROBTEST_JOBS", jobs).set("PROBTEST_SEED", "7").see();
            assert!(!seen.passed);
            if cfg!(unix) {
                assert_says(
                    &seen,
                    &[
                        "probtest: the process was aborted in execution 5 of seed 0x7\n",
                        "set PROBTEST_REPLAY=0x7:5:",
                    ],
                );
            }
        }
    }
}

#[test]
fn panics_that_abort_are_shown() {
    let seen = Fixture::test("endings::panics_while_it_unwinds").see();
    assert!(!seen.passed);
    assert_says(&seen, &["the first panic", "the second panic"]);
    let seen = Fixture::test("endings::panics_where_nothing_unwinds").see();
    assert!(!seen.passed);
    assert_says(&seen, &["endings.rs:", "inside extern C"]);
}

#[test]
fn a_payload_that_panics_when_dropped_neither_hangs_nor_hides() {
    for jobs in ["1", "2"] {
        let seen =
            Fixture::test("endings::payload_panics_when_dropped").set("PROBTEST_JOBS", jobs).see();
        assert!(!seen.passed);
        assert_says(&seen, &["a panic with a payload that is not text", &violated_at(1, 29)]);
    }
    let replayed =
        Fixture::test("endings::payload_panics_when_dropped").set("PROBTEST_REPLAY", "1:1").see();
    assert!(!replayed.passed);
}

#[test]
fn the_panic_that_left_the_body_is_shown_not_one_that_it_caught() {
    let seen = Fixture::test("endings::resumes_the_panic_of_a_thread").see();
    assert!(!seen.passed);
    let (_, report) = seen.text.split_once("the real one").expect(&seen.text);
    assert!(report.contains("the real one"), "{}", seen.text);
    assert!(!seen.text.contains("harmless"), "{}", seen.text);
}

#[test]
fn a_rejection_that_the_body_catches_is_a_rejection() {
    let mut names = vec!["endings::catches_its_rejection"];
    if cfg!(feature = "tokio") {
        names.push("endings::rejects_in_a_task");
    }
    for name in names {
        let seen = Fixture::test(name).see();
        assert!(!seen.passed, "{}", seen.text);
        assert_says(&seen, &["one execution was rejected 1000 times in a row"]);
    }
}

#[test]
fn an_exit_of_a_forked_child_is_none_of_the_test() {
    let seen = Fixture::test("endings::a_forked_child_exits").see();
    assert!(seen.passed, "{}", seen.text);
    assert!(!seen.text.contains("the process exited"), "{}", seen.text);
}

#[test]
fn a_test_whose_process_died_is_unfinished_in_its_report() {
    for name in ["aborts", "endings::leaves_without_a_word", "endings::is_killed"] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-died");
        let _ = std::fs::remove_dir_all(&folder);
        let mut fixture = Fixture::test(name).set("PROBTEST_REPORT", folder.to_str().unwrap());
        fixture.see();
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(files.len(), 1, "{name}");
        let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["verdict"], "inconclusive", "{name}");
        assert_eq!(report["reason"]["kind"], "unfinished", "{name}");
        assert_eq!(report["package"], "probtest", "{name}");
    }
}

#[test]
fn a_panic_that_a_strict_run_has_found_is_found_by_its_replay_line() {
    let name = "endings::loses_a_panic_on_a_thread";
    let seen = Fixture::test(name).set("PROBTEST_SEED", "7").see();
    assert!(seen.passed, "{}", seen.text);
    assert_says(&seen, &["which passed anyway: lost on a thread at "]);
    let strict = Fixture::test(name).set("PROBTEST_SEED", "7").set("PROBTEST_STRICT", "1").see();
    assert!(!strict.passed);
    let (_, line) = strict.text.split_once("PROBTEST_REPLAY=").unwrap();
    let address = line.split_whitespace().next().unwrap();
    let replayed = Fixture::test(name).set("PROBTEST_REPLAY", address).see();
    assert!(!replayed.passed, "{}", replayed.text);
    assert_says(&replayed, &["lost on a thread"]);
}
