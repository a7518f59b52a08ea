//! `probtest report` on what the library itself writes, for every kind of claim.

use crate::common::{Ran, report_on};
use probtest::claim::{Numbers, Terms};
use probtest::report::suite_promises;
use probtest::settings::{Share, Suite};
use probtest::{Claim, OnBudget, Settings};
use probtest_facts::TestFacts;
use serde_json::{Value, json};

fn as_json(report: &probtest::Report) -> Value {
    serde_json::from_str(&report.to_json()).expect("a report is written as JSON")
}

fn options(test: &str) -> Settings<'static> {
    Settings::new(test).seed(0x5eed)
}

/// A number below 1, the same in each run.
fn uniform(rng: &mut probtest::TestRng) -> f64 {
    (rng.draw_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn detect() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

fn within_budget() -> Value {
    let options = options("within").max_executions(212);
    let report = probtest::check(detect(), options.on_budget(OnBudget::Pass), |rng| {
        rng.draw_u64();
    });
    as_json(&report.unwrap())
}

fn tolerated(test: &str, limit: f64) -> Value {
    let claim = Claim::tolerate(0.01, 0.1, 0.05, 1e-6).unwrap();
    let report = probtest::check(&claim, options(test), |rng| uniform(rng) < limit);
    as_json(&report.unwrap())
}

fn within(low: f64, high: f64) -> Terms<Numbers> {
    probtest::mean().between(0, 1).within(low, high).margin(0.1)
}

fn mean(test: &str, wanted: (f64, f64), most: Option<u64>) -> Value {
    let mut options = options(test);
    if let Some(most) = most {
        options = options.max_executions(most);
    }
    let report = probtest::check(within(wanted.0, wanted.1), options, uniform);
    as_json(&report.unwrap())
}

fn labels(test: &str, heads: f64) -> Value {
    let claim = probtest::fit().label("he<ads", heads);
    let claim = claim.label("tails", 1.0 - heads).distance(0.1);
    let report = probtest::check(claim, options(test), |rng| {
        if rng.draw_u64() % 2 == 0 { "he<ads" } else { "tails" }
    });
    as_json(&report.unwrap())
}

fn estimated() -> Value {
    let claim = probtest::estimate(0.2);
    let estimate = probtest::check(claim, options("estimate"), |rng| uniform(rng) < 0.9);
    as_json(&estimate.unwrap())
}

/// One result of every kind.
fn every_kind() -> Vec<Value> {
    let passed = probtest::check(detect(), options("detect"), |rng| rng.draw_u64() != 4);
    vec![
        as_json(&passed.unwrap()),
        within_budget(),
        tolerated("tolerates", 0.999),
        tolerated("too often", 0.5),
        mean("mean", (0.45, 0.55), None),
        mean("mean is off", (0.2, 0.25), None),
        mean("mean is cut", (0.45, 0.55), Some(9)),
        labels("labels", 0.5),
        labels("labels are off", 0.8),
        estimated(),
    ]
}

/// Reports results in the form of pytest.
fn report(tests: &[Value], suite: Value, options: &[&str]) -> Ran {
    report_on(&[json!({ "probtest": 2, "tests": tests, "suite": suite })], options)
}

/// The part of a text report on one test.
fn part(text: &str, head: &str) -> String {
    let begin = text.find(&format!("\n{head}\n")).expect(text);
    let rest = &text[begin + 1..];
    rest.split("\n\n").next().unwrap().to_owned()
}

#[test]
fn every_kind_is_told_in_the_words_of_the_library() {
    let ran = report(&every_kind(), Value::Null, &[]).exits(0);
    let text = &ran.stdout;
    let head = "5 of 10 tests need attention\n  tests     3 violated, 1 inconclusive, 1 passed within budget, 1 estimated, 4 passed\n";
    assert!(text.starts_with(head), "{text}");
    let mean = part(text, "passed: mean");
    for words in [
        "  claim     mean 0.45 to 0.55, margin = 0.1, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6\n",
        "  observed  mean 0.",
        "  meaning   a mean of 0.35 or less, or of 0.65 or more would have passed with probability at most",
    ] {
        assert!(mean.contains(words), "{mean}");
    }
    let off = part(text, "violated: mean is off");
    for words in [
        "  message   the mean is above 0.25\n",
        "  meaning   a program with a mean of 0.2 to 0.25 would have failed",
    ] {
        assert!(off.contains(words), "{off}");
    }
    let cut = part(text, "inconclusive: mean is cut");
    assert!(cut.contains("  observed  mean 0.") && !cut.contains("meaning"), "{cut}");
    let labels = part(text, "passed: labels");
    assert!(
        labels.contains("  claim     he<ads 0.5, tails 0.5, distance = 0.1, ")
            && labels.contains("  observed  he<ads "),
        "{labels}"
    );
    for told in [&mean, &off, &cut, &labels] {
        assert!(!told.contains("\n  rate ") && !told.contains('{'), "{told}");
    }
    let tolerates = part(text, "passed: tolerates");
    assert!(tolerates.contains("  claim     tolerate = 0.01, p = 0.1, epsilon"), "{tolerates}");
}

#[test]
fn a_pass_within_budget_is_no_pass_and_no_failure() {
    let ran = report(&[within_budget()], Value::Null, &["--check"]);
    let ran = ran.exits(0);
    let told = part(&ran.stdout, "passed within budget: within");
    for words in [
        "  reason    max_executions = 212 is below the plan\n",
        "  meaning   less than the claim, which the test accepts: a violation probability >= 0.01 would have\n            been missed with probability 0.1188;",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains("  help "), "{told}");
    assert!(ran.stdout.starts_with("1 of 1 test needs attention\n"));
    let text = ran.stdout.replace("\n                ", " ");
    assert!(text.contains("with probability at most 0.119."), "{text}");
}

#[test]
fn misses_and_false_alarms_of_every_kind_are_counted() {
    let tests = every_kind();
    let ran = report(&tests, Value::Null, &["--json"]).exits(0);
    let promise = ran.json()["promise"].clone();
    // detect, tolerates, mean, labels, and the one within budget.
    assert_eq!((&promise["counted"], &promise["within_budget"]), (&5.into(), &1.into()));
    let detect = tests[0]["miss"].as_f64().unwrap();
    let within = tests[1]["attained"]["miss"].as_f64().unwrap();
    let tolerates = tests[2]["miss"].as_f64().unwrap();
    let sum = detect + within + tolerates + 0.05 + 0.05;
    assert!((promise["miss_any"].as_f64().unwrap() - sum).abs() < 1e-12, "{promise}");
    // Two that tolerate a rate, three means and two with labels, 1e-6 each.
    let alarms = promise["false_alarm_any"].as_f64().unwrap();
    assert!((alarms - 7e-6).abs() < 1e-15, "{promise}");
    let text = report(&tests, Value::Null, &[]).exits(0).stdout;
    for words in [
        "or a mean or a label that misses its claim",
        "7 tests say which rate, mean or labels a correct program has.",
        "1 of them passed although a budget ran out before the plan was finished.",
    ] {
        let text = text.replace("\n                ", " ");
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn what_a_run_of_pytest_promises_is_told_in_its_words() {
    let share = Share::new("0.05".parse().unwrap(), 12.try_into().unwrap());
    let part_of = Suite { epsilon: Some(share), false_alarm: None };
    let claim = part_of.limit(detect());
    let passed = probtest::check(&claim, options("part").suite(part_of), |rng| rng.draw_u64() != 4);
    let passed = passed.unwrap();
    let all: Vec<TestFacts> = (0..12)
        .map(|number| TestFacts { test: format!("part {number}"), ..passed.facts() })
        .collect();
    let suite = suite_promises(&all).unwrap().epsilon.unwrap();
    let tests = [as_json(&passed)];
    let written = json!({ "epsilon": suite });
    let ran = report(&tests, written.clone(), &[]).exits(0);
    let told = ran.stdout.replace("\n                ", " ");
    let line = suite.words[0].replace("suite: ", "");
    assert!(told.contains(&format!("  the run       {line}.\n")), "{told}");
    // Reported again from its own JSON, nothing is lost.
    let again = report(&tests, written, &["--json"]).exits(0);
    let again = report_on(&[again.json()], &[]).exits(0);
    assert_eq!(again.stdout, ran.stdout);
}

#[test]
fn junit_has_estimates_and_accepted_budgets_as_successes_with_their_verdicts() {
    let ran = report(&every_kind(), Value::Null, &["--junit"]).exits(0);
    let xml = &ran.stdout;
    assert!(xml.contains("tests=\"10\"") && xml.contains("failures=\"3\" errors=\"1\""), "{xml}");
    for words in [
        "value=\"passed_within_budget\"",
        "value=\"estimated\"",
        "<property name=\"probtest_claim\" value=\"he&lt;ads 0.5, tails 0.5, distance = 0.1, epsilon = 0.05, false_alarm = 1e-6\"/>",
        "<property name=\"probtest_observed\" value=\"mean 0.",
        "<property name=\"probtest_attained\" value=\"a violation probability &gt;= 0.01 would",
    ] {
        assert!(xml.contains(words), "{words} in {xml}");
    }
}

#[test]
fn the_page_and_the_comment_tell_every_kind_and_escape_labels() {
    let page = report(&every_kind(), Value::Null, &["--html", "-"]).exits(0);
    let page = &page.stdout;
    for words in [
        "badge is-within_budget",
        "data-status=\"within_budget\"",
        "mean 0.45 to 0.55, margin = 0.1",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("he<ads") && page.contains("he&#60;ads"));
    let comment = report(&every_kind(), Value::Null, &["--markdown"]).exits(0);
    let comment = &comment.stdout;
    assert!(!comment.contains("he<ads"), "{comment}");
    assert!(comment.contains("<b>passed within budget</b> <code>within</code>"), "{comment}");
    assert!(comment.contains("| rates or means that fit |") && comment.contains("| mean 0."));
}
