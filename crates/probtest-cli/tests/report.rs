//! `probtest report`: what it says about a suite, in each format.

use std::fs;
use std::path::Path;

use crate::common::{Ran, changed, probtest, report_tests};
use probtest_testing::words::{inconclusive_after, missed_with, no_violation, violated_at};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A pass of p = 0.01, epsilon = 0.05, with some fields changed.
fn result(test: &str, changes: Value) -> Value {
    let meaning = missed_with(0.01, "0.04954");
    changed(
        json!({
            "probtest": 2,
            "kind": "detect",
            "test": test,
            "verdict": "passed",
            "claim": { "p": 0.01, "p_exact": "0.01", "epsilon": 0.05, "epsilon_exact": "0.05" },
            "planned": 299,
            "miss": 0.04953625654950272,
            "executed": 299,
            "passed": 299,
            "violated": 0,
            "rejected": 0,
            "not_executed": 0,
            "seed": "0x5eed",
            "index": null,
            "notes": [],
            "seconds": 1.5,
            "summary": format!("probtest: {}; {meaning}", no_violation(299)),
            "meaning": meaning,
        }),
        changes,
    )
}

fn violated(test: &str, index: u64, message: &str) -> Value {
    result(
        test,
        json!({
            "verdict": "violated",
            "executed": index,
            "passed": index - 1,
            "violated": 1,
            "index": index,
            "replay": format!("PROBTEST_REPLAY=0x5eed:{index} cargo test it"),
            "finding": { "kind": "execution", "message": message, "location": "it.rs:1:1", "details": null },
            "summary": violated_at(index, 299),
            "meaning": "this execution is a counterexample",
        }),
    )
}

fn unfinished(test: &str) -> Value {
    result(
        test,
        json!({
            "verdict": "inconclusive",
            "executed": 100,
            "reason": { "kind": "budget", "message": "max_executions = 100 is below the plan", "help": "raise it" },
            "attained": { "executions": 100, "words": "it would have been missed with probability 0.3660" },
            "rerun": "cargo test it",
            "meaning": null,
            "summary": inconclusive_after(100, 299),
        }),
    )
}

/// A folder with one file in pytest's format.
fn folder(tests: &[Value]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "results.json", tests);
    folder
}

fn write(folder: &Path, name: &str, tests: &[Value]) {
    let file = json!({ "probtest": 2, "tests": tests });
    fs::write(folder.join(name), file.to_string()).unwrap();
}

fn report(folder: &TempDir, options: &[&str]) -> Ran {
    probtest(&[&["report", folder.path().to_str().unwrap()], options].concat())
}

#[test]
fn what_became_of_earlier_counterexamples_is_told_in_the_words_of_the_file() {
    let words = "2 counterexamples from earlier runs ran first and no longer violate";
    for kind in ["fixed", "unsteady", "of_a_later_version"] {
        let remembered = json!({ "kind": kind, "addresses": ["0x1:9", "0x2:3"], "words": words });
        let mut test = violated("fails", 9, "left != right");
        test["remembered"] = remembered;
        let text = report_tests(&[test], &[]).exits(0).stdout;
        assert!(text.contains(words), "{kind}: {text}");
    }
}

#[test]
fn what_needs_attention_comes_first() {
    let tests = [
        result("passes", json!({})),
        result(
            "copies",
            json!({ "doubts": [{ "kind": "copies", "words": "every execution did the same" }] }),
        ),
        unfinished("is_cut_short"),
        result("is_new", json!({ "verdict": "abstained" })),
        violated("fails", 9, "left != right"),
    ];
    let text = report_tests(&tests, &[]).exits(0).stdout;
    let heads: Vec<&str> =
        text.lines().filter(|line| line.contains(": ") && !line.starts_with(' ')).collect();
    let order = [
        "violated: fails",
        "inconclusive: is_cut_short",
        "unknown verdict: is_new",
        "in doubt: copies",
        "passed: passes",
    ];
    assert_eq!(heads, order, "{text}");
    assert!(text.starts_with("4 of 5 tests need attention\n"), "{text}");
}

#[test]
fn every_fact_of_a_test_is_told() {
    let tests = [
        result("passes", json!({ "seconds": 0.25, "rejected": 3 })),
        violated("fails", 9, "left != right"),
        unfinished("is_cut_short"),
    ];
    report_tests(&tests, &[])
        .exits(0)
        .says("  tests     1 violated, 1 inconclusive, 1 passed\n")
        .says("  executed  408 executions in 3.25 s, 3 rejected\n")
        .says("  executed  299, 3 rejected, in 250 ms\n")
        .says("  claim     p = 0.01, epsilon = 0.05\n")
        // 1 - 0.025^(1/299) is 0.012262.
        .says("  rate      0 of 299; 0 to 0.0123 fits (95 % interval)\n")
        .says(&format!("  meaning   {}\n", missed_with(0.01, "0.04954")))
        .says("  seed      0x5eed\n")
        .says("  message   left != right\n")
        // 1 - 0.975^(1/9) is 0.0028092, 1 - 0.025^(1/8) is 0.36941.
        .says("  rate      1 of 9; 0.0028 to 0.37 fits (95 % interval)\n")
        .says("  meaning   this execution is a counterexample\n")
        .says("  replay    PROBTEST_REPLAY=0x5eed:9 cargo test it\n")
        .says("  meaning   it would have been missed with probability 0.3660\n")
        .says("  reason    max_executions = 100 is below the plan\n")
        .says("  rerun     cargo test it\n");
}

#[test]
fn what_the_command_itself_writes_can_be_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.json");
    let run = |script: &str| {
        let options = ["--p", "0.25", "--seed", "1", "--json"];
        crate::common::run_script(&options, script).stdout
    };
    // Several objects in a row, as `>>` leaves them.
    fs::write(&file, run("exit 0") + &run("exit 7")).unwrap();
    report(&folder, &[])
        .exits(0)
        .says("1 of 2 tests needs attention")
        .says("passed: sh -c 'exit 0'")
        .says("violated: sh -c 'exit 7'")
        .says("probtest replay 0x1:1 -- sh -c 'exit 7'");
}

#[test]
fn the_promise_of_a_suite_is_the_largest_miss_and_the_sum() {
    let named = |n: usize| result(&format!("t{n}"), json!({ "miss": 0.04 + 0.001 * n as f64 }));
    let few: Vec<Value> = (0..3).map(named).collect();
    let text = words(&report_tests(&few, &[]).exits(0).stdout);
    assert!(text.contains("that test still passes with probability at most 0.042."), "{text}");
    assert!(text.contains("is missed with probability at most 0.123 (the sum"), "{text}");
    let many: Vec<Value> = (0..30).map(|n| result(&format!("t{n}"), json!({}))).collect();
    let text = words(&report_tests(&many, &[]).exits(0).stdout);
    // 30 times 0.049536 is 1.486.
    assert!(text.contains("at most 1.5 of these faults are missed on average"), "{text}");
    assert!(text.contains("an epsilon of 0.05 / 30"), "{text}");
    let text = words(&report_tests(&[violated("v", 1, "")], &[]).exits(0).stdout);
    assert!(text.contains("the suite as a whole promises nothing"), "{text}");
}

#[test]
fn tests_that_did_not_pass_or_are_in_doubt_promise_nothing() {
    let tests = [
        result("passes", json!({})),
        result("short", json!({ "executed": 10, "miss": 0.0001 })),
        violated("fails", 9, ""),
    ];
    let ran = report_tests(&tests, &["--json"]).exits(0);
    assert_eq!(ran.json()["promise"]["counted"], 1);
    let miss = ran.json()["promise"]["miss_any"].as_f64().unwrap();
    assert_eq!(miss, 0.04953625654950272);
}

#[test]
fn a_pass_with_fewer_executions_than_its_claim_needs_is_in_doubt_whatever_was_planned() {
    let rounded = json!({ "p": 0.010_000_000_000_000_002, "epsilon": 0.05 });
    let tests = [
        result("no_plan", json!({ "planned": null, "executed": 10 })),
        result("small_plan", json!({ "planned": 1, "executed": 1 })),
        result("whole", json!({ "planned": null })),
        result("rounded", json!({ "claim": rounded, "executed": 299 })),
    ];
    report_tests(&tests, &[])
        .exits(0)
        .says("2 of 4 tests need attention")
        .says("10 executions, but the claim needs 299, yet the verdict is a pass")
        .says("1 execution, but the claim needs 299, yet the verdict is a pass")
        .says("looked for    2 tests passed.");
}

#[test]
fn a_pass_with_fewer_executions_than_planned_is_in_doubt() {
    let tests = [
        result("short", json!({ "executed": 10 })),
        result("seen", json!({ "violated": 1, "passed": 298 })),
        result("none", json!({ "executed": 0, "planned": 0 })),
    ];
    report_tests(&tests, &[])
        .exits(0)
        .says("3 of 3 tests need attention")
        .says("10 of 299 planned executions ran, yet the verdict is a pass")
        .says("1 of the executions violated, yet")
        .says("no execution was counted, yet");
}

#[test]
fn a_pass_that_its_own_file_contradicts_is_in_doubt() {
    let sixths = json!({ "outcomes": [0.16, 0.16, 0.16, 0.16, 0.16, 0.16], "epsilon": 0.05 });
    let tolerated = json!({ "tolerate": 0.01, "p": 0.1, "epsilon": 0.05, "false_alarm": 1e-6 });
    let unplanned = json!({ "p": 1e-30, "epsilon": 0.05 });
    for (changes, words) in [
        (json!({ "kind": null }), "the claim is missing"),
        (json!({ "claim": { "p": 0.01 } }), "the claim is not complete"),
        (json!({ "kind": "cover", "claim": { "epsilon": 0.05 } }), "the claim is not complete"),
        (json!({ "claim": unplanned }), "the claim needs more executions than can be planned"),
        (
            json!({ "kind": "cover", "claim": sixths, "executed": 3, "passed": 3, "planned": null }),
            "3 executions, but the claim needs 28",
        ),
        (
            json!({ "kind": "tolerate", "claim": tolerated, "executed": 29, "violated": 20 }),
            "20 of 29 executions violated",
        ),
        (
            json!({ "kind": "estimate", "verdict": "estimated", "claim": {}, "executed": 0 }),
            "no execution was counted",
        ),
    ] {
        let tests = [result("t", changes)];
        report_tests(&tests, &["--check"]).exits(3).says(words).says(", yet the verdict is a");
    }
}

#[test]
fn claims_of_another_kind_are_shown_and_judged_by_their_file() {
    let claim = json!({ "p": 0.01, "epsilon": 0.05, "tolerate": 0.001, "false_alarm": 1e-6 });
    let tolerated = json!({ "kind": "tolerate", "claim": claim,
        "claim_words": "tolerate = 0.001, p = 0.01", "executed": 345, "passed": 342, "violated": 3, "planned": 950,
        "rate": { "seen": 0.0087, "low": 0.002, "high": 0.04, "confidence": 0.999 } });
    let tests = [
        result("tolerates", tolerated),
        result(
            "strange",
            json!({ "claim": { "p": 0.1, "epsilon": 0.05, "shape": [1, 2] },
                "claim_words": "p = 0.1, shape = 1 2", "violated": 2 }),
        ),
    ];
    let ran = report_tests(&tests, &[])
        .exits(0)
        .says("all 2 tests passed")
        .says("claim     tolerate = 0.001, p = 0.01\n")
        .says("executed  345 of at most 950, in 1.50 s\n")
        .says("rate      3 of 345; 0.002 to 0.04 fits (99.9 % interval)\n")
        .says("claim     p = 0.1, shape = 1 2\n")
        .says("rate      2 of 299\n");
    let text = words(&ran.stdout);
    assert!(text.contains("still fails with probability at most 1e-6"), "{text}");
    assert!(
        text.contains("1 test passed a claim that this version of the report cannot count"),
        "{text}"
    );
}

#[test]
fn an_estimate_claims_nothing_and_needs_no_attention() {
    let estimate = json!({
        "probtest": 2, "kind": "estimate", "test": "e", "verdict": "estimated",
        "rate": { "seen": 0.02, "low": 0.011, "high": 0.029, "confidence": 0.95 },
        "claim": { "width": 0.02, "confidence": 0.95 }, "claim_words": "none: estimate, width = 0.02",
        "executed": 1500,
        "passed": 1470, "violated": 30, "seconds": 1.0, "replay": "cargo test e",
        "finding": { "kind": "execution", "message": "left != right" },
        "summary": "probtest: the violation rate is between 0.011 and 0.029 with confidence 0.95",
    });
    let tests = [result("a", json!({})), estimate];
    report_tests(&tests, &["--check"])
        .exits(0)
        .says("none of 2 tests needs attention\n")
        .says("estimated: e\n")
        .says("claim     none: estimate, width = 0.02\n")
        .says("rate      30 of 1500; 0.011 to 0.029 fits (95 % interval)\n")
        .says("1 test made an estimate, not a claim")
        .says("message   left != right");
}

#[test]
fn an_estimate_can_be_in_doubt_like_a_pass() {
    let words = "every execution draws the same numbers";
    let changes = json!({ "kind": "estimate", "verdict": "estimated", "meaning": "",
        "claim": { "width": 0.02, "confidence": 0.95 },
        "doubts": [{ "kind": "same_draws", "words": words }] });
    report_tests(&[result("e", changes)], &["--check"])
        .exits(3)
        .says("in doubt: e\n")
        .says(words)
        .says("meaning   less than it says, because it is in doubt\n");
}

#[test]
fn shards_are_put_together_and_what_is_given_twice_counts_once() {
    let folder = folder(&[result("a", json!({})), result("b", json!({}))]);
    let shard = folder.path().join("linux/deep");
    fs::create_dir_all(&shard).unwrap();
    write(
        &shard,
        "two.json",
        &[result("b", json!({ "seed": "0x2", "seconds": 2.0 })), result("a", json!({}))],
    );
    fs::write(folder.path().join("notes.txt"), "no JSON").unwrap();
    let once = report(&folder, &[])
        .exits(0)
        .says("all 2 tests passed")
        .says("executed  897 executions in 5.00 s")
        .says("1 result was given more than once and is counted once")
        .says("results   2 results: 2 passed;");
    let path = folder.path().to_str().unwrap();
    let twice =
        probtest(&["report", path, path]).exits(0).says("5 results were given more than once");
    let rest = |text: &str| text.split("\n\n").skip(1).collect::<Vec<_>>().join("\n\n");
    assert_eq!(rest(&once.stdout), rest(&twice.stdout));
}

#[test]
fn of_several_results_the_worst_is_shown() {
    let tests =
        [result("t", json!({})), violated("t", 9, "left"), result("t", json!({ "seed": "0x3" }))];
    report_tests(&tests, &["--check"])
        .exits(1)
        .says("violated: t\n")
        .says("results   3 results: 1 violated, 2 passed;");
}

#[test]
fn the_json_form_can_be_reported_again() {
    let first = folder(&[result("a", json!({})), violated("b", 3, "x")]);
    let json = report(&first, &["--json"]).exits(0);
    assert_eq!(json.json()["totals"]["status"]["violated"], 1);
    let again = tempfile::tempdir().unwrap();
    fs::write(again.path().join("all.json"), &json.stdout).unwrap();
    let (one, two) = (report(&first, &[]).stdout, report(&again, &[]).stdout);
    assert_eq!(one, two);
}

#[test]
fn the_exit_code_is_that_of_the_suite_only_when_asked() {
    for (test, code) in [
        (result("a", json!({})), 0),
        (violated("a", 1, ""), 1),
        (unfinished("a"), 3),
        (result("a", json!({ "executed": 5 })), 3),
        (result("a", json!({ "verdict": "new" })), 3),
    ] {
        let tests = [test];
        report_tests(&tests, &[]).exits(0);
        report_tests(&tests, &["--check"]).exits(code);
    }
}

#[test]
fn a_journal_has_no_verdict_to_check() {
    let folder = folder(&[result("a", json!({}))]);
    let journal = folder.path().join("run.journal");
    let path = journal.to_str().unwrap();
    let run = ["run", "--p", "0.5", "--seed", "1", "--journal", path, "--quiet", "--", "false"];
    probtest(&run).exits(1);
    let words = "a journal has no verdict that --check could look at";
    probtest(&["report", path, "--check"]).exits(2).complains(words);
    report(&folder, &["--check"]).exits(2).complains(words);
    report(&folder, &[]).exits(0);
}

#[test]
fn forms_go_to_files_or_one_of_them_to_stdout() {
    let folder = folder(&[violated("a", 2, "x")]);
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (html, xml) = (at("deep/er/a.html"), at("a.xml"));
    let junit = format!("--junit={xml}");
    report(&folder, &["--html", &html, &junit])
        .exits(0)
        .says("1 of 1 test needs attention")
        .says(&format!("written   {html}, {xml}\n"));
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let ran = report(&folder, &["--markdown", "--html", &html]).exits(0);
    assert!(ran.stdout.starts_with("## probtest: 1 of 1 test needs attention\n"));
    assert!(!ran.stdout.contains("written"));
    assert_eq!(fs::read_dir(out.path().join("deep/er")).unwrap().count(), 1);
}

/// The text without its line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
