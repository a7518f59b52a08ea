//! Journals and shards: processes that are killed, and parts that are merged.

use std::path::Path;

use probtest::machine::{ShardFacts, merge};
use probtest_facts::TestFacts;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::fixture::{Fixture, no_folder as folder, only_report};

const TESTS: [&str; 4] = ["never_violates", "violates_late", "tolerates", "averages"];

fn fixture(test: &str, folder: &Path) -> Fixture {
    Fixture::test(&format!("journals::{test}"))
        .set("PROBTEST_MEMORY", "off")
        .set("PROBTEST_REPORT", folder.to_str().unwrap())
}

fn facts(folder: &Path) -> TestFacts {
    without_time(serde_json::from_value(only_report(folder)).unwrap())
}

fn without_time(facts: TestFacts) -> TestFacts {
    TestFacts { seconds: 0.0, ..facts }
}

fn serial(test: &str) -> (TestFacts, String) {
    let reports = folder(&format!("serial-{test}"));
    let seen = fixture(test, &reports).set("PROBTEST_SEED", "11").see();
    (facts(&reports), section(&seen.text))
}

/// The report of a failure, without what libtest says around it.
fn section(text: &str) -> String {
    let begin = text.find("drew a").or_else(|| text.find("probtest: "));
    let rest = &text[begin.unwrap_or(text.len())..];
    rest.split("\n\n").next().unwrap_or_default().to_owned()
}

#[test]
fn a_test_whose_process_is_killed_again_and_again_ends_as_if_it_had_not() {
    let mut choice = Pcg64::seed_from_u64(19);
    let mut killed = 0_u32;
    for test in TESTS {
        let (expected, words) = serial(test);
        for round in 0..3 {
            let (journal, reports) =
                (folder(&format!("journal-{test}-{round}")), folder("reports"));
            let start = |dies: Option<u64>| {
                let fixture =
                    fixture(test, &reports).set("PROBTEST_JOURNAL", journal.to_str().unwrap());
                // Only the first one is told: the seed is that of the journal.
                let mut fixture = match journal.exists() {
                    true => fixture,
                    false => fixture.set("PROBTEST_SEED", "11"),
                };
                match dies {
                    Some(call) => fixture.set("FIXTURE_DIES", &call.to_string()).see(),
                    None => fixture.see(),
                }
            };
            // Until it ends, at the latest after three deaths.
            let mut seen = start(Some(choice.random_range(1..120)));
            for left in [2, 1, 0] {
                if seen.text.contains("test result") {
                    break;
                }
                killed += 1;
                seen = start((left > 0).then(|| choice.random_range(1..120)));
            }
            assert_eq!(facts(&reports), expected, "{}", seen.text);
            assert_eq!(section(&seen.text), words);
            let _ = std::fs::remove_dir_all(&journal);
        }
    }
    // Three of the tests take more executions than the first call that they may die in.
    assert!(killed >= 9, "{killed} were killed");
}

#[test]
fn merged_shards_are_the_whole_test() {
    for test in TESTS {
        let (expected, _) = serial(test);
        for of in [1, 2, 3] {
            let shards: Vec<TestFacts> = (1..=of)
                .map(|number| {
                    let reports = folder(&format!("shard-{test}"));
                    let seen = fixture(test, &reports)
                        .set("PROBTEST_SEED", "11")
                        .set("PROBTEST_SHARD", &format!("{number}/{of}"))
                        .argument("--nocapture")
                        .see();
                    let facts = facts(&reports);
                    let partial = facts.verdict == probtest_facts::Verdict::Partial;
                    assert_eq!(seen.passed, partial, "{}", seen.text);
                    if partial {
                        seen.says(&[&format!("partial: shard {number}/{of} executed")]);
                    }
                    facts
                })
                .collect();
            let parts: Vec<ShardFacts<'_>> =
                shards.iter().map(|facts| ShardFacts { source: "a file", facts }).collect();
            let merged = TestFacts {
                package: expected.package.clone(),
                target: expected.target.clone(),
                code: expected.code.clone(),
                ..merge(&parts).unwrap().facts()
            };
            // As a file has it: a decimal may be read as its neighbour.
            let text = serde_json::to_string(&merged).unwrap();
            let merged = without_time(serde_json::from_str(&text).unwrap());
            assert_eq!(merged, expected, "{test} in {of}");
        }
    }
}

#[test]
fn a_journal_of_other_code_begins_anew_and_one_of_another_run_is_refused() {
    let (reports, journal) = (folder("refused"), folder("refused-journal"));
    let start =
        || fixture("never_violates", &reports).set("PROBTEST_JOURNAL", journal.to_str().unwrap());
    let _ = start().set("FIXTURE_DIES", "3").see();
    let words =
        "the journal belongs to a different max_executions: it has none, and this run has 9";
    start().set("PROBTEST_MAX_EXECUTIONS", "9").fails(&[words]);
    let words = "is from different code, which does not count here, so a new journal begins";
    start().set("PROBTEST_JOURNAL_KEY", "two").argument("--nocapture").passes(&[words]);
}
