//! Bodies that end the process, or catch what they should not.

use probtest_testing::words::violated_at;

use crate::fixture::Fixture;

#[test]
fn leaving_the_process_is_never_a_pass_and_is_told_with_seed_and_replay_line() {
    for name in [
        "exits_with_success",
        "exits_from_another_thread",
        "endings::report_exits",
        "endings::check_exits",
        "endings::check_local_exits",
    ] {
        Fixture::test(name).fails(&["probtest: the process exited", "that is not a pass"]);
    }
    let words = "while fixture::exits_from_another_thread was running";
    Fixture::test("exits_from_another_thread").fails(&[words]);
    Fixture::test("exits_with_success").set("PROBTEST_SEED", "7").fails(&[
        "in the body of fixture::exits_with_success, in execution 5; that is not a pass",
        "  seed      0x7, execution 5\n",
        "  replay    PROBTEST_REPLAY=0x7:5:",
        " cargo test -p probtest --test fixture exits_with_success -- --exact",
    ]);
}

#[test]
fn an_exit_beside_a_run_or_of_a_forked_child_is_none_of_the_test() {
    Fixture::test("endings::exits_beside_a_run_in_the_background").passes(&[]);
    Fixture::test("endings::a_forked_child_exits").passes(&[]).lacks("the process exited");
}

#[test]
fn panics_that_abort_are_shown() {
    Fixture::test("endings::panics_while_it_unwinds")
        .fails(&["the first panic", "the second panic"]);
    Fixture::test("endings::panics_where_nothing_unwinds")
        .fails(&["endings.rs:", "inside extern C"]);
}

#[test]
fn a_payload_that_panics_when_dropped_neither_hangs_nor_hides() {
    for jobs in ["1", "2"] {
        Fixture::test("endings::payload_panics_when_dropped")
            .set("PROBTEST_JOBS", jobs)
            .fails(&["a panic with a payload that is not text", &violated_at(1, 29)]);
    }
    Fixture::test("endings::payload_panics_when_dropped").set("PROBTEST_REPLAY", "1:1").fails(&[]);
}

#[test]
fn the_panic_that_left_the_body_is_shown_not_one_that_it_caught() {
    let seen = Fixture::test("endings::resumes_the_panic_of_a_thread").fails(&[]);
    let (_, report) = seen.text.split_once("the real one").expect(&seen.text);
    assert!(report.contains("the real one"), "{}", seen.text);
    seen.lacks("harmless");
}

#[test]
fn a_rejection_that_the_body_catches_is_a_rejection() {
    let mut names = vec!["endings::catches_its_rejection"];
    if cfg!(feature = "tokio") {
        names.push("endings::rejects_in_a_task");
    }
    for name in names {
        Fixture::test(name).fails(&["one execution was rejected 1000 times in a row"]);
    }
}

#[test]
fn a_test_whose_process_died_is_unfinished_in_its_report() {
    for name in ["aborts", "endings::leaves_without_a_word", "endings::is_killed"] {
        let (_, report) = Fixture::test(name).reports();
        assert_eq!(report["verdict"], "inconclusive", "{name}");
        assert_eq!(report["reason"]["kind"], "unfinished", "{name}");
        assert_eq!(report["package"], "probtest", "{name}");
    }
}

#[test]
fn a_panic_that_a_strict_run_has_found_is_found_by_its_replay_line() {
    let name = "endings::loses_a_panic_on_a_thread";
    Fixture::test(name)
        .set("PROBTEST_SEED", "7")
        .passes(&["which passed anyway: lost on a thread at "]);
    let strict =
        Fixture::test(name).set("PROBTEST_SEED", "7").set("PROBTEST_STRICT", "1").fails(&[]);
    let (_, line) = strict.text.split_once("PROBTEST_REPLAY=").unwrap();
    let address = line.split_whitespace().next().unwrap();
    Fixture::test(name).set("PROBTEST_REPLAY", address).fails(&["lost on a thread"]);
}
