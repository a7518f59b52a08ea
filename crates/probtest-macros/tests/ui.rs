//! Every refusal, as the user sees it: one file for each kind of mistake in `tests/ui`.
//!
//! After changing a message, run `TRYBUILD=overwrite cargo test -p probtest-macros --test ui`
//! and read the difference.

#[test]
fn every_refusal_reads_as_recorded() {
    // One object and failures only: then all files are one compilation.
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    #[cfg(not(feature = "tokio"))]
    cases.compile_fail("tests/ui_without_tokio/*.rs");
    #[cfg(feature = "shuttle")]
    cases.compile_fail("tests/ui_with_shuttle/*.rs");
    #[cfg(not(feature = "shuttle"))]
    cases.compile_fail("tests/ui_without_shuttle/*.rs");
    #[cfg(not(any(feature = "proptest", feature = "arbitrary")))]
    cases.compile_fail("tests/ui_without_inputs/*.rs");
}
