//! The parts of the page, from the numbers of the studies.

use probtest_studies::comparison;
use probtest_studies::comparison::table::Needs;
use probtest_studies::counts::published::Published;
use probtest_studies::counts::{grid, overestimate, remarks};
use probtest_studies::finding::{self, Finding};
use probtest_studies::reinforcement::curve::{self, Curve};
use probtest_studies::reinforcement::study::Row as Trained;
use probtest_studies::skip_list::study::{PUBLISHED_REPEATS, Row as Bug};

use crate::figures;

use super::section::{File, Section};
use super::table::{Line, Table, Verdict};

/// How many points each axis of figure 1 has.
const STEPS: usize = 61;

/// How many executions: every count of the paper, and figure 1.
pub fn executions() -> Section {
    let findings: Vec<Finding> = Published::all().iter().map(Published::finding).collect();
    let grid = grid::grid(STEPS);
    Section {
        id: "executions",
        title: "How many executions",
        words: vec![
            "The least k with p^k + (1-p)^k < epsilon, exactly. A tenth of p needs ten times the \
             executions; a tenth of epsilon at most twice as many in this range."
                .into(),
        ],
        figures: vec![figures::executions(&grid)],
        tables: vec![Table::of_findings(
            "Every count that the paper names",
            &findings,
        )],
        files: vec![
            File::new("published_executions.csv", finding::csv(&findings)),
            File::new("figure1_executions.csv", grid::csv(&grid)),
        ],
    }
}

/// What if p is too large: figure 2, and what the text says about both figures.
pub fn overestimate() -> Section {
    let cells = overestimate::cells();
    let findings = remarks::findings(&cells);
    Section {
        id: "overestimate",
        title: "A p that is too large",
        words: vec![
            "In bold, k - k^: how many executions are missing when the plan was made for p + factor \
             × p. Below it, how much likelier the violation is missed. Grey: the overestimate \
             passes 1/2. The text of the paper names p = 0.001 only; the other rows are our choice."
                .into(),
        ],
        figures: vec![figures::overestimate(&cells)],
        tables: vec![Table::of_findings("What the paper says about these numbers", &findings)],
        files: vec![
            File::new("figure2_overestimate.csv", overestimate::csv(&cells)),
            File::new("remarks.csv", finding::csv(&findings)),
        ],
    }
}

/// Other methods: figure 4, and the paper's comparison.
pub fn comparison() -> Section {
    let (one, two) = (
        comparison::table::one_sided(),
        comparison::table::two_sided(),
    );
    let findings = comparison::remarks::findings();
    let all = [one.clone(), two.clone()].concat();
    let number = |number: Option<u64>, otherwise: &str| {
        number.map_or_else(|| otherwise.to_owned(), figures::grouped)
    };
    let line = |claim: &str, needs: &Needs| Line {
        cells: vec![
            claim.to_owned(),
            needs.method.name().to_owned(),
            figures::grouped(needs.executions),
            number(needs.at_p, ""),
            number(needs.most, "no limit"),
        ],
        verdict: Verdict::Unpublished,
        why: needs.note.to_owned(),
    };
    let lines = all.iter().flat_map(|row| {
        let line = move |needs| line(&row.claim, needs);
        row.needs.iter().map(line)
    });
    let table = Table {
        caption: "Executions that each method needs; of sequential plans those expected".into(),
        heads: vec!["claim", "method", "executions", "expected at p", "most"],
        lines: lines.collect(),
    };
    Section {
        id: "comparison",
        title: "Other methods",
        words: vec![
            "Hoeffding's bound estimates p within delta = p. The hypothesis test is that of the \
             paper's reference; its number does not depend on p, so for a small p it cannot keep \
             the promise. Below, claims that tolerate a violation rate: both errors of a bound, of \
             the exact binomial distribution, and of a sequential test."
                .into(),
        ],
        figures: vec![figures::comparison(&one, &two)],
        tables: vec![
            Table::of_findings("The comparison of the paper", &findings),
            table,
        ],
        files: vec![
            File::new("figure4_comparison.csv", comparison::table::csv(&all)),
            File::new("comparison_remarks.csv", finding::csv(&findings)),
        ],
    }
}

/// The skip list: how often eight bugs are found.
pub fn skip_list(rows: &[Bug], files: Vec<File>) -> Section {
    let line = |row: &Bug| {
        let (low, high) = row.interval;
        let agrees = row.published_fits();
        let why = match (agrees, row.measured_fits()) {
            (true, true) => "the exact probability lies in the 95 % intervals of both shares",
            (true, false) => {
                "the exact probability lies in the 95 % interval of the published share; that of ours \
                 misses it, as one in twenty does"
            }
            (false, _) => {
                "the exact probability lies outside the 95 % interval of the published share"
            }
        };
        Line {
            cells: vec![
                row.case.bug().map_or_else(
                    || "0: the correct list".to_owned(),
                    |bug| format!("{}: {bug}", bug.number()),
                ),
                row.case.insertions().to_string(),
                row.case.p().to_owned(),
                row.case.executions().to_string(),
                format!("{:.3}", row.case.published()),
                format!("{:.4}", row.exact),
                format!("{:.4} ({low:.4} to {high:.4})", row.share()),
            ],
            verdict: Verdict::of(agrees),
            why: why.to_owned(),
        }
    };
    let repeats = rows.first().map_or(0, |row| row.repeats);
    Section {
        id: "skip-list",
        title: "Skip list",
        words: vec![format!(
            "The share of suite runs in which one of 26 tests finds the bug: published from \
             {PUBLISHED_REPEATS} suite runs, measured here from {repeats}, and exact, from all \
             ways in which the coin can fall. Promised is 0.95 or more."
        )],
        figures: Vec::new(),
        tables: vec![Table {
            caption: "The probability of finding each bug".into(),
            heads: vec![
                "bug",
                "R",
                "p",
                "k",
                "the paper",
                "exact",
                "measured (95 %)",
            ],
            lines: rows.iter().map(line).collect(),
        }],
        files,
    }
}

/// The lakes: figure 3, and how often it is found that agents fail.
pub fn frozen_lake(rows: &[Trained], curves: &[Curve], mut files: Vec<File>) -> Section {
    files.push(File::new("figure3_learning.csv", curve::csv(curves)));
    Section {
        id: "frozen-lake",
        title: "Frozen lake",
        words: vec![
            "Agents learn with the paper's parameters. The text of the paper says 200 steps for the \
             lake of 7 by 7, its numbers were made with 100: both are here."
                .into(),
            "The violation probability of the paper's agent falls to 0 and stays there. That is one \
             agent: with a constant learning rate the policies keep changing, and the mean of many \
             agents stays far above p. What probtest promises holds for each of them."
                .into(),
        ],
        figures: vec![figures::learning(curves, rows)],
        tables: vec![trained("Violation probability, and the probability of finding it", rows)],
        files,
    }
}

/// The cliff: how often it is found that agents fall.
pub fn cliff_walking(rows: &[Trained], files: Vec<File>) -> Section {
    Section {
        id: "cliff-walking",
        title: "Cliff walking",
        words: vec![
            "The paper's agents explored without a seed, so nobody can train them again. Ours learn \
             with the same parameters."
                .into(),
        ],
        figures: Vec::new(),
        tables: vec![trained("Violation probability, and the probability of finding it", rows)],
        files,
    }
}

fn trained(caption: &str, rows: &[Trained]) -> Table {
    let line = |row: &Trained| {
        let (verdict, why) = judged(row);
        let case = row.case;
        let published = case.published();
        let three = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.3}"));
        Line {
            cells: vec![
                format!(
                    "{} {}, {} steps, {} episodes",
                    case.world().name(),
                    case.name(),
                    case.property().steps,
                    figures::grouped(case.episodes())
                ),
                case.p().to_owned(),
                case.executions().to_string(),
                three(published.map(|paper| paper.violation)),
                format!("{:.6}", row.exact),
                format!("{:.6}", row.estimate()),
                three(published.map(|paper| paper.found)),
                format!("{:.4}", row.found_exact),
                format!("{:.3}", row.found_measured()),
            ],
            verdict,
            why,
        }
    };
    Table {
        caption: caption.to_owned(),
        heads: vec![
            "policy and property",
            "p",
            "k",
            "violation, paper",
            "exact",
            "estimate",
            "found, paper",
            "exact",
            "measured",
        ],
        lines: rows.iter().map(line).collect(),
    }
}

/// The published violation probability has three digits; ours agrees when it
/// rounds to the same.
fn judged(row: &Trained) -> (Verdict, String) {
    if !row.fits {
        let why = "what was measured here does not fit what is exact: please report it";
        return (Verdict::Differs, why.to_owned());
    }
    let Some(published) = row.case.published() else {
        return (Verdict::Unpublished, String::new());
    };
    // The text of the paper says 200 steps, its numbers are for 100.
    if row.case.property().steps == 200 {
        return (
            Verdict::Unpublished,
            "the published numbers are for 100 steps".to_owned(),
        );
    }
    if (published.violation - row.exact).abs() <= 0.0005 {
        let why = "the same violation probability, to the three digits that are published";
        return (Verdict::Agrees, why.to_owned());
    }
    let promise = match (row.must_be_found(), row.promise_is_kept()) {
        (true, true) => "; it must be found, and is with 0.95 or more",
        (true, false) => "; it must be found, and is not often enough",
        (false, _) => "; it is below p, so nothing is promised",
    };
    let why = format!("another policy: slips and exploration come from another generator{promise}");
    (Verdict::Differs, why)
}
