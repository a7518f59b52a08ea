//! Measured shares next to exact probabilities, and the table.

use std::ops::ControlFlow;

use probtest::judge::interval::clopper_pearson;
use probtest::seed::RunSeed;
use probtest_paper::skip_list::study::{self, BugRow, Case};

const SEED: RunSeed = RunSeed(20);
const REPEATS: u64 = 200;

fn exact(case: Case) -> f64 {
    case.answer().found(case.executions())
}

fn measure(case: Case, repeats: u64, jobs: usize) -> u64 {
    let go_on = || ControlFlow::Continue(());
    let found = case.measure(SEED, repeats, jobs, &go_on);
    found.expect("nobody ends it")
}

/// If measurements follow the exact probability, the interval misses it with probability at most
/// 1e-10, and one of the eight with 8e-10.
#[test]
fn every_bug_is_found_as_often_as_the_exact_probability_of_at_least_19_in_20_says() {
    for case in &Case::all()[1..] {
        let found = measure(*case, REPEATS, 2);
        let (low, high) = clopper_pearson(found, REPEATS, 1.0 - 1e-10).unwrap();
        let exact = exact(*case);
        assert!(exact >= 0.95, "bug {}: {exact}", case.number());
        assert!(
            (low..=high).contains(&exact),
            "bug {}: {found} of {REPEATS}, exact {exact}",
            case.number()
        );
    }
}

#[test]
fn every_suite_run_finds_bug_three_by_its_only_witness() {
    let case = Case::all()[3];
    for index in 1..=100 {
        let found = case.suite_run(SEED, index);
        assert!(matches!(found, None | Some(7)), "{found:?}");
    }
}

#[test]
fn nothing_is_ever_found_in_the_correct_list() {
    assert_eq!(measure(Case::all()[0], 10, 2), 0);
}

#[test]
fn the_count_does_not_depend_on_the_number_of_threads() {
    let case = Case::all()[3];
    let count = |jobs| measure(case, 300, jobs);
    let one = count(1);
    assert!(one < 300, "all suite runs find it, which tells nothing");
    assert_eq!([count(2), count(7)], [one, one]);
}

#[test]
fn a_study_that_is_ended_has_no_share() {
    let end = || ControlFlow::Break(());
    assert_eq!(Case::all()[1].measure(SEED, 1_000_000, 2, &end), None);
}

fn rows() -> Vec<BugRow> {
    let row = |case: Case| BugRow {
        case,
        repeats: 1000,
        found: if case.number() == 0 { 0 } else { 960 },
        interval: (0.9459, 0.9713),
        exact: if case.number() == 0 { 0.0 } else { 0.9621 },
        sights: Vec::new(),
    };
    Case::all().map(row).to_vec()
}

#[test]
fn the_file_has_the_columns_of_the_study_and_nine_rows() {
    let csv = study::csv(&rows());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "bug,insertions,p,executions,found_share,found_low,found_high,found_exact,published"
    );
    assert_eq!(lines.len(), 10);
    assert!(lines[1].starts_with("0,4,0.0039,767,0,"), "{}", lines[1]);
    let expected = "7,4,0.0039,767,0.96,0.945900,0.971300,0.962100000000,0.96";
    assert_eq!(lines[8], expected);
}

#[test]
fn a_share_fits_when_the_exact_probability_lies_in_the_interval() {
    let row = &rows()[7];
    assert!(row.measured_fits() && row.published_fits() && row.promise_is_kept());
    let mut other = row.clone();
    other.exact = 0.94;
    assert!(!other.measured_fits() && !other.published_fits() && !other.promise_is_kept());
    let mut alarm = rows()[0].clone();
    alarm.found = 1;
    assert!(!alarm.promise_is_kept());
    let words = study::text(&[alarm], SEED);
    assert!(words.contains("1 suite run reports one in the correct list"), "{words}");
}
