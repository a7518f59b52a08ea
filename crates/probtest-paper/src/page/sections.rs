//! The parts of the page, from the numbers of the studies.

use crate::comparison;
use crate::comparison::table::Needs;
use crate::counts::{self, Published, grid, overestimate};
use crate::finding::{self, Finding};
use crate::skip_list::study::{PUBLISHED_REPEATS, Row as Bug};

use crate::figures;

use super::{File, Line, Section, Table, Verdict};

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
    let findings = counts::remarks(&cells);
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
