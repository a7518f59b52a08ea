//! `docs/explanation/paper.md` has the numbers that the code computes.

use std::ops::ControlFlow;
use std::path::Path;

use probtest_paper::comparison::{self, Needs};
use probtest_paper::counts::{PublishedCount, cells, remarks};
use probtest_paper::figures::grouped;
use probtest_paper::reinforcement::{World, many, paper};
use probtest_paper::skip_list::study::Case;
use probtest_paper::table::{Finding, Verdict};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explanation/paper.md");
    std::fs::read_to_string(path).unwrap()
}

#[track_caller]
fn has(document: &str, line: &str) {
    assert!(document.contains(line), "paper.md lacks this line:\n{line}");
}

fn row(finding: &Finding) -> String {
    format!(
        "| {} | {} | {} | {} | {} |",
        finding.subject,
        finding.published,
        finding.ours,
        Verdict::of(finding.agrees).word(),
        finding.why
    )
}

#[test]
fn every_finding_stands_in_the_document_as_it_comes_out() {
    let document = document();
    let counts: Vec<Finding> = PublishedCount::all().iter().map(PublishedCount::finding).collect();
    let all = [counts, remarks(&cells()), comparison::findings()].concat();
    assert_eq!(all.len(), 20);
    for finding in &all {
        has(&document, &row(finding));
    }
    let agree = all.iter().filter(|finding| finding.agrees).count();
    has(&document, &format!("{agree} of {} agree", all.len()));
}

#[test]
fn exact_probabilities_of_the_skip_list_stand_in_the_document() {
    let document = document();
    for case in &Case::all()[1..] {
        let exact = case.answer().found(case.executions());
        let line = format!(
            "| {} | {} | {} | {:.3} | {exact:.4} |",
            case.number(),
            case.insertions(),
            case.executions(),
            case.published()
        );
        has(&document, &line);
    }
}

#[test]
fn the_papers_policies_stand_in_the_document() {
    let document = document();
    let rows = paper::rows();
    for row in &rows {
        let case = row.case;
        if case.property.steps != 100 && row.agrees() {
            continue;
        }
        let line = format!(
            "| {} | {} | {} | {} | {:.3} | {:.4} | {:.2} | {:.4} | {} |",
            case.world.name(),
            case.name(),
            grouped(case.episodes).replace('\u{202f}', " "),
            case.property.steps,
            row.published.violation,
            row.exact,
            row.published.found,
            row.found_exact,
            Verdict::of(row.agrees()).word()
        );
        has(&document, &line);
    }
}

#[test]
fn the_means_beside_the_cliff_stand_in_the_document() {
    let document = document();
    let go_on = || ControlFlow::Continue(());
    let rows = many::averages(World::Cliff.paper_seed(), 2, &go_on).unwrap();
    for row in &rows {
        let line = format!(
            "| {} | {} | {:.3} | {:.4} | {:.4} | {:.2} | {:.4} | {} of {} | {} |",
            row.case.name(),
            grouped(row.case.episodes).replace('\u{202f}', " "),
            row.published.violation,
            row.violation,
            row.margin(),
            row.published.found,
            row.found,
            row.never,
            row.agents,
            Verdict::of(row.agrees()).word()
        );
        has(&document, &line);
    }
}

#[test]
fn the_comparison_stands_in_the_document() {
    let document = document();
    for row in [comparison::one_sided(), comparison::two_sided()].concat() {
        let number = |needs: &Needs| {
            let grouped = |number| grouped(number).replace('\u{202f}', " ");
            let most = needs.most.map_or("no limit".to_owned(), grouped);
            match needs.at_p {
                Some(at_p) => format!("{} / {} / {most}", grouped(needs.executions), grouped(at_p)),
                None => grouped(needs.executions),
            }
        };
        let numbers: Vec<String> = row.needs.iter().map(number).collect();
        has(&document, &format!("| {} | {} |", row.claim, numbers.join(" | ")));
    }
}
