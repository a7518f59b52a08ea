//! probtest keeps its own promises, and the page that says so is true.
//!
//! All simulations have fixed seeds, so nothing here fails by chance.

#[path = "../examples/calibrate/promises/mod.rs"]
mod promises;

use std::sync::LazyLock;

use promises::{Contrast, Effort, Row, Section, Verdict, contrasts, flakes, page, sections};

const PAGE: &str = include_str!("../../../docs/reference/calibration.md");

static CONTRASTS: LazyLock<Vec<Contrast>> = LazyLock::new(contrasts);

fn answers(section: &Section, effort: Effort, jobs: usize) -> Vec<Row> {
    let cases = section.cases.iter();
    cases.map(|case| case.answer(effort, jobs, &|| ())).collect()
}

/// The lines of the page below a title.
fn lines(title: &str) -> Vec<&'static str> {
    let heading = format!("## {title}\n");
    let (_, rest) = PAGE.split_once(&heading).expect("the page has the section");
    let section = rest.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(1).collect()
}

#[test]
fn every_promise_is_kept_and_the_page_has_the_chances_that_are_computed() {
    for section in sections() {
        let rows = answers(&section, Effort::QUICK, 2);
        let lines = lines(section.title);
        assert_eq!(lines.len(), rows.len(), "{}", section.title);
        for ((row, line), case) in rows.iter().zip(lines).zip(&section.cases) {
            assert_eq!(row.verdict(), Verdict::Kept, "{row:?}");
            if case.is_exact() {
                assert_eq!(line, page::line(row), "run make calibrate");
                continue;
            }
            // The simulations here are a small part of those on the page.
            let begins = case.beginning();
            assert!(line.starts_with(&begins), "{line}\nrun make calibrate: {begins}");
            assert!(line.ends_with(" | kept |"), "{line}");
        }
    }
}

/// They do as much work as the tests they represent, so only `make calibrate` runs them.
#[test]
fn the_page_has_the_flaky_tests_of_others_and_their_promises_are_kept() {
    let flakes = flakes();
    let lines = lines(flakes.title);
    assert_eq!(lines.len(), flakes.cases.len());
    for (case, line) in flakes.cases.iter().zip(lines) {
        let begins = case.beginning();
        assert!(line.starts_with(&begins), "{line}\nrun make calibrate: {begins}");
        assert!(line.ends_with(" | 200 | kept |"), "{line}");
    }
}

#[test]
fn the_page_is_the_one_that_is_written() {
    assert!(PAGE.starts_with(page::HEAD), "run make calibrate");
    for section in sections().into_iter().chain([flakes()]) {
        let about = format!("## {}\n\n{}\n\n", section.title, section.about);
        assert!(PAGE.contains(&about), "run make calibrate: {about}");
    }
}

#[test]
fn the_page_has_what_other_methods_do() {
    let found = &*CONTRASTS;
    let expected: Vec<String> = found.iter().map(page::contrast_line).collect();
    assert_eq!(lines("What other methods do"), expected, "run make calibrate");
    // Known from an independent computation, to two digits.
    let first: Vec<String> =
        found[..4].iter().map(|row| format!("{:.2}", row.true_error)).collect();
    assert_eq!(first, ["0.03", "0.26", "0.45", "0.78"]);
    // Each of the others promises 0.05 or 0.01 and breaks it.
    let believed: Vec<_> = found[4..].iter().filter(|row| row.believed.is_some()).collect();
    assert_eq!(believed.len(), 4);
    for row in believed {
        assert!(row.true_error > row.believed.unwrap(), "{row:?}");
    }
}

#[test]
fn the_explanation_quotes_what_is_computed() {
    let explained = include_str!("../../../docs/explanation/tolerated-rates.md");
    let stopped = CONTRASTS.iter().find(|row| row.method.starts_with("Clopper-Pearson")).unwrap();
    let covered = format!("covers {:.1} %", 100.0 * (1.0 - stopped.true_error));
    assert!(explained.contains(&covered), "the page lacks {covered}");
}

#[test]
fn counts_do_not_depend_on_the_number_of_threads() {
    let sections = sections();
    for section in &sections[..3] {
        let simulated = section.cases.iter().filter(|case| !case.is_exact());
        for case in simulated {
            let on = |jobs| case.answer(Effort::QUICK, jobs, &|| ());
            assert_eq!(on(1), on(3));
        }
    }
}
