//! `probtest report`: tests of several packages with the same id.

use crate::common::{changed, report_on};
use serde_json::{Value, json};

const ID: &str = "integration::walk_ends";

/// A pass of `p` = 0.01, with some fields changed.
fn result(changes: Value) -> Value {
    changed(
        json!({
            "probtest": 2,
            "kind": "detect",
            "test": ID,
            "verdict": "passed",
            "claim": { "p": 0.01, "epsilon": 0.05 },
            "executed": 299,
            "seed": "0x5eed",
        }),
        changes,
    )
}

fn other_claim() -> Value {
    json!({ "p": 0.1, "epsilon": 0.05 })
}

/// The first line of each test.
fn heads(text: &str) -> Vec<&str> {
    let verdicts = ["passed: ", "violated: "];
    let begins = |line: &&str| verdicts.iter().any(|verdict| line.starts_with(verdict));
    text.lines().filter(begins).collect()
}

fn two_packages() -> [Value; 2] {
    [
        result(json!({ "package": "beta", "target": "test integration" })),
        result(
            json!({ "package": "alpha", "target": "test integration", "claim": other_claim(), "executed": 29 }),
        ),
    ]
}

#[test]
fn equal_ids_of_two_packages_are_two_tests_whatever_they_claim() {
    let ran = report_on(&two_packages(), &[])
        .exits(0)
        .says("all 2 tests passed\n")
        .says("passed: alpha: integration::walk_ends\n  claim     p = 0.1, epsilon = 0.05\n")
        .says("passed: beta: integration::walk_ends\n  claim     p = 0.01, epsilon = 0.05\n");
    assert!(!ran.stdout.contains("results "), "{}", ran.stdout);
    let same = ["alpha", "beta"].map(|package| result(json!({ "package": package })));
    report_on(&same, &[]).exits(0).says("all 2 tests passed\n");
}

#[test]
fn one_violated_package_does_not_hide_the_other() {
    let [beta, mut alpha] = two_packages();
    alpha["verdict"] = json!("violated");
    alpha["violated"] = json!(1);
    let ran = report_on(&[beta, alpha], &["--check"]).exits(1);
    let order = ["violated: alpha: integration::walk_ends", "passed: beta: integration::walk_ends"];
    assert_eq!(heads(&ran.stdout), order);
}

#[test]
fn the_place_is_said_only_where_two_tests_have_one_id() {
    let [beta, alpha] = two_packages();
    let ran = report_on(std::slice::from_ref(&beta), &[]).exits(0);
    assert_eq!(heads(&ran.stdout), ["passed: integration::walk_ends"]);
    let alone = result(json!({ "test": "integration::alone", "package": "alpha" }));
    let ran = report_on(&[beta, alpha, alone], &[]).exits(0);
    let all = [
        "passed: integration::alone",
        "passed: alpha: integration::walk_ends",
        "passed: beta: integration::walk_ends",
    ];
    assert_eq!(heads(&ran.stdout), all);
}

#[test]
fn equal_ids_of_two_targets_are_two_tests_with_their_targets() {
    let of = |target: &str| result(json!({ "package": "walks", "target": target }));
    let elsewhere = result(json!({ "package": "other", "target": "lib" }));
    let ran = report_on(&[of("lib"), of("bin walks"), elsewhere], &[]).exits(0);
    let all = [
        "passed: other: integration::walk_ends",
        "passed: walks, bin walks: integration::walk_ends",
        "passed: walks, lib: integration::walk_ends",
    ];
    assert_eq!(heads(&ran.stdout), all);
}

#[test]
fn results_of_one_test_of_one_package_are_put_together() {
    let shard = |package: &str, seed: &str| result(json!({ "package": package, "seed": seed }));
    let results =
        [shard("alpha", "0x1"), shard("beta", "0x1"), shard("alpha", "0x2"), shard("alpha", "0x1")];
    report_on(&results, &[])
        .exits(0)
        .says("all 2 tests passed\n")
        .says("1 result was given more than once and is counted once\n")
        .says("results   2 results: 2 passed;");
}

#[test]
fn two_claims_for_one_test_of_one_package_are_refused_with_its_package() {
    let [beta, _] = two_packages();
    let mut other = beta.clone();
    other["claim"] = other_claim();
    let ran = report_on(&[beta, other], &[]).exits(2).complains(
        "error: the test beta, test integration: integration::walk_ends has results for different claims\n",
    );
    assert!(!ran.stderr.contains("`package`"), "{}", ran.stderr);
}

#[test]
fn results_without_a_package_are_known_by_their_id_as_before() {
    let seeds = ["0x1", "0x2"].map(|seed| result(json!({ "seed": seed })));
    report_on(&seeds, &[])
        .exits(0)
        .says("the test passed\n")
        .says("results   2 results: 2 passed;");
    let claims = [result(json!({})), result(json!({ "claim": other_claim() }))];
    report_on(&claims, &[])
        .exits(2)
        .complains("error: the test integration::walk_ends has results for different claims\n")
        .complains(
            "if these are tests of two packages, name them in the `package` field of the results",
        );
    // Nothing says that the one without a package belongs to the other's test.
    let mixed = [result(json!({ "package": null })), two_packages()[1].clone()];
    let ran = report_on(&mixed, &[]).exits(0);
    let all = ["passed: integration::walk_ends", "passed: alpha: integration::walk_ends"];
    assert_eq!(heads(&ran.stdout), all);
}

#[test]
fn every_form_tells_the_packages_apart() {
    let results = two_packages();
    let junit = report_on(&results, &["--junit"]).exits(0).stdout;
    for package in ["alpha", "beta"] {
        let case = format!(r#"name="walk_ends" classname="{package}::integration""#);
        assert_eq!(junit.matches(&case).count(), 1, "{junit}");
        let property = format!(r#"name="probtest_package" value="{package}""#);
        assert_eq!(junit.matches(&property).count(), 1, "{junit}");
    }
    let markdown = report_on(&results, &["--markdown"]).exits(0).stdout;
    let page = report_on(&results, &["--html", "-"]).exits(0).stdout;
    for package in ["alpha", "beta"] {
        let cell = format!("| <code>{package}&#58; integration&#58;&#58;walk&#95;ends</code> |");
        assert_eq!(markdown.matches(&cell).count(), 1, "{markdown}");
        let place = format!(r#"<span class="place">{package}:</span> <span class="id">"#);
        assert_eq!(page.matches(&place).count(), 1, "{page}");
    }
    let json = report_on(&results, &["--json"]).exits(0).json();
    let packages: Vec<&Value> =
        json["tests"].as_array().unwrap().iter().map(|test| &test["package"]).collect();
    assert_eq!(packages, ["alpha", "beta"]);
    let (first, again) = (report_on(&results, &[]), report_on(&[json], &[]));
    assert_eq!(first.stdout, again.exits(0).stdout);
}

#[test]
fn a_junit_class_without_a_path_is_the_package() {
    let named = |package: &str| result(json!({ "test": "walk", "package": package }));
    report_on(&[named("alpha"), named("beta")], &["--junit"]).says(r#"classname="beta""#);
    report_on(&[named("alpha")], &["--junit"]).says(r#"classname="probtest""#);
}

#[test]
fn a_package_is_foreign_text_and_has_to_be_text() {
    let of = |package: &str| result(json!({ "package": package }));
    report_on(&[of("a\u{1b}[2J\n<b>"), of("c")], &[]).exits(0).says("passed: a\\u{1b}[2J\\n<b>: ");
    let page = report_on(&[of("<b>"), of("c")], &["--html", "-"]).exits(0).stdout;
    assert!(!page.contains("<b>:") && page.contains("&#60;b&#62;:"), "{page}");
    for key in ["package", "target"] {
        report_on(&[result(json!({ key: 7 }))], &[])
            .exits(2)
            .complains(&format!("`{key}` of the test {ID} is wrong"));
    }
    // An empty string isn't a name.
    report_on(&[of(""), result(json!({ "seed": "0x2" }))], &[]).exits(0).says("the test passed");
}

#[test]
fn a_test_that_could_not_be_started_needs_attention_beside_those_that_passed() {
    let refused = result(json!({
        "package": "alpha",
        "verdict": "inconclusive",
        "claim": {},
        "claim_words": "not testable",
        "planned": null,
        "executed": 0,
        "seed": null,
        "reason": { "kind": "setup", "message": "the test does not say margin; given none", "help": "say it" },
        "summary": "probtest: inconclusive: the test could not be started",
    }));
    let passed = result(json!({ "package": "beta" }));
    report_on(&[refused, passed], &["--check"])
        .exits(3)
        .says("1 of 2 tests needs attention\n")
        .says("inconclusive: alpha: integration::walk_ends\n")
        .says("  reason    the test does not say margin; given none\n  help      say it\n")
        .says("passed: beta: integration::walk_ends\n");
}
