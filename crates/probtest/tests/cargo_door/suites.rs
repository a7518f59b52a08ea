//! What all tests of a binary promise together, as the developer sees it.

use std::path::Path;

use crate::fixture::Fixture;

/// How many tests in the fixture use the attribute.
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
fn a_test_that_was_not_counted_is_an_error_under_any_claim() {
    for name in [
        "doors::builder_has_colons_in_its_id",
        "doors::has_a_test_inside",
        "doors::builder_claims_a_mean",
        "doors::builder_claims_labels",
    ] {
        for variable in ["PROBTEST_SUITE_EPSILON", "PROBTEST_SUITE_FALSE_ALARM"] {
            Fixture::test(name).set(variable, "0.05").fails(&[
                    "this test was not counted, so its share of the suite is unknown",
                    &format!("  given  {variable}=0.05"),
                    "  help   write the test with #[probtest]; builder tests are created at run time, after the budget was divided",
                ]);
        }
    }
}
