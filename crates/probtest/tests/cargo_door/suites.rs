//! What all tests of a binary promise together, as the developer sees it.

use std::path::Path;

use crate::fixture::{Fixture, assert_says};

/// How many tests of the fixture the attribute makes.
pub fn tests() -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut before = "";
        for line in text.lines().map(str::trim) {
            let compiled = cfg!(feature = "tokio") || !before.contains("tokio");
            count += usize::from(line.starts_with("#[probtest") && compiled);
            before = line;
        }
    }
    assert!(count > 30, "only {count} tests were found");
    count
}

#[test]
fn epsilon_is_divided_over_all_tests_of_the_binary_whichever_are_executed() {
    let tests = tests();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-suite");
    let _ = std::fs::remove_dir_all(&folder);
    let seen = Fixture::test("passes")
        .set("PROBTEST_SUITE_EPSILON", "0.05")
        .set("PROBTEST_REPORT", folder.to_str().unwrap())
        .argument("--show-output")
        .see();
    assert!(seen.passed, "{}", seen.text);
    let each = probtest::claim::Probability::from_ratio(5, 100 * tests as u64).unwrap();
    assert_says(
        &seen,
        &[
            &format!("  suite     {tests} tests share epsilon = 0.05, "),
            "            the probability that one or more of them pass although their claim is violated is at most 0.05\n",
        ],
    );
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let share = &report["suite"]["epsilon"];
    assert_eq!(share["tests"], tests);
    assert_eq!(share["total_exact"], "0.05");
    let written: probtest::claim::Probability =
        share["each_exact"].as_str().unwrap().parse().unwrap();
    assert_eq!(written, each);
    // Exactly the plan of that part.
    let claim = probtest::Claim::detect(0.01, each).unwrap();
    let plan = probtest::plan::Plan::new(&claim).unwrap();
    assert_eq!(report["planned"], plan.executions());
    assert_eq!(report["claim"]["epsilon_exact"], share["each_exact"]);
}

#[test]
fn a_test_that_was_not_counted_is_an_error_under_any_claim() {
    for name in [
        "doors::builder_has_colons_in_its_id",
        "doors::has_a_test_inside",
        "doors::builder_claims_a_mean",
        "doors::builder_claims_labels",
    ] {
        for variable in ["PROBTEST_SUITE_EPSILON", "PROBTEST_SUITE_FALSE_ALARM"] {
            let seen = Fixture::test(name).set(variable, "0.05").see();
            assert!(!seen.passed);
            assert_says(
                &seen,
                &[
                    "this test was not counted, so its share of the suite is unknown",
                    &format!("  given  {variable}=0.05"),
                    "  help   write the test with #[probtest]; builder tests are created at run time, after the budget was divided",
                ],
            );
        }
    }
}

#[test]
fn false_alarms_are_divided_too_and_it_is_said_for_whom() {
    let tests = tests() as u64;
    let each = probtest::claim::Probability::from_ratio(1, 1_000_000_000 * tests).unwrap();
    let run = |name: &str| {
        Fixture::test(name)
            .set("PROBTEST_SEED", "0x5eed")
            .set("PROBTEST_SUITE_FALSE_ALARM", "1e-9")
            .argument("--show-output")
            .see()
    };
    let shared = format!("  suite     {tests} tests share false_alarm = 1e-9, ");
    let promise = "the probability that one or more that tolerate a rate fail although their programs stay within it is at most 1e-9\n";
    let passed = run("tolerating::is_often_enough_right");
    assert!(passed.passed, "{}", passed.text);
    assert_says(&passed, &[&shared, promise]);
    let failed = run("tolerating::is_wrong_too_often");
    assert!(!failed.passed);
    let share = probtest::settings::Share::new("1e-9".parse().unwrap(), tests.try_into().unwrap());
    assert_eq!(share.each, each);
    assert_says(&failed, &[&shared, promise, &format!("false_alarm = {}\n", share.each)]);
    let strict = run("passes");
    assert!(strict.passed);
    assert_says(
        &strict,
        &[
            &shared,
            "this one tolerates nothing and fails at its first violation, so it promises nothing about false alarms",
        ],
    );
}
