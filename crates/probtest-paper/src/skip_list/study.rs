//! Study: how often does probtest find each bug?
//!
//! A suite run draws keys once and then gives each of the 26 properties to [`probtest::check()`],
//! with the paper's p and epsilon. It finds the bug if one of them is violated. The paper reports
//! the share of suite runs that do; here it is next to the exact probability. The tables at the end
//! are for a terminal, for documents and for programs.

use std::fmt::Write;
use std::ops::ControlFlow;

use probtest::seed::{RunSeed, Stream};
use probtest::{Settings, TestRng};
use serde_json::{Value, json};

use super::exact::{ExactAnswer, Sight};
use super::{Bug, Parameters, Property, Scene, Subject, keys};
use crate::counting::{collect, interval};
use crate::counts::{claim, executions};
use crate::table::{self, Cells};

pub use crate::counting::OnPiece;

/// The chance of missing a bug that the paper accepts.
pub const EPSILON: &str = "0.05";
/// The suite runs behind each published share.
pub const PUBLISHED_REPEATS: u64 = 1000;
/// The paper's p for one to four insertions, rounded as printed there.
const P: [&str; 4] = ["0.25", "0.0625", "0.0156", "0.0039"];
/// The published shares, with the correct list first: no bug was found in it.
const PUBLISHED: [f64; 9] = [0.0, 1.0, 0.997, 0.955, 1.0, 0.997, 1.0, 0.960, 1.0];

/// What one row of the table is about: a bug and a number of insertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// `None` for the correct list.
    pub bug: Option<Bug>,
}

impl Case {
    /// The correct list with four insertions, then each bug with the insertions it needs.
    pub fn all() -> [Case; 9] {
        std::array::from_fn(|row| Case { bug: row.checked_sub(1).map(|index| Bug::ALL[index]) })
    }

    /// The number of the bug; 0 for the correct list.
    pub fn number(&self) -> u32 {
        self.bug.map_or(0, Bug::number)
    }

    /// How many keys are inserted, R. The correct list gets four: the most shapes, and the most
    /// executions that could go wrong.
    pub fn insertions(&self) -> u32 {
        self.bug.map_or(4, Bug::insertions)
    }

    pub fn p(&self) -> &'static str {
        P[self.insertions() as usize - 1]
    }

    pub fn published(&self) -> f64 {
        PUBLISHED[self.number() as usize]
    }

    /// The executions of each test for the rounded p, as in the paper.
    pub fn executions(&self) -> u64 {
        executions(self.p(), EPSILON)
    }

    /// The executions of each test for p as equation (2) gives it.
    pub fn executions_for_exact_p(&self) -> u64 {
        executions(Parameters::PAPER.least_likely_shape(self.insertions()), EPSILON)
    }

    pub fn answer(&self) -> ExactAnswer {
        ExactAnswer::of(self.bug, Parameters::PAPER, self.insertions())
    }

    /// Does one suite run, which depends only on seed, bug and index. Returns the number of the
    /// first property that found the bug.
    pub fn suite_run(&self, seed: RunSeed, index: u64) -> Option<usize> {
        let stream = Stream::new(seed, &format!("skip-list/bug-{}", self.number()));
        let mut rng = stream.execution(index);
        let keys = keys::draw(self.insertions(), &mut rng);
        let seed = rng.execution_seed();
        let (claim, list) = (claim(self.p(), EPSILON), Subject::new(self.bug, Parameters::PAPER));
        let violated = |property: &&Property| {
            let settings = Settings::new(property.name).seed(seed).confirm(false);
            let body = |rng: &mut TestRng| (property.check)(&mut Scene::new(&list, &keys, rng));
            !probtest::check(&claim, settings, body).expect("the claim has a plan").passed()
        };
        Property::ALL.iter().find(violated).map(|property| property.number)
    }

    /// Counts the suite runs that find the bug, out of those with the numbers 1 to `repeats`.
    pub fn measure(
        &self,
        seed: RunSeed,
        repeats: u64,
        jobs: usize,
        done: &OnPiece<'_>,
    ) -> Option<u64> {
        let found = collect(repeats, jobs, done, |index| self.suite_run(seed, index).is_some())?;
        Some(found.into_iter().filter(|found| *found).count() as u64)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct BugRow {
    pub case: Case,
    pub repeats: u64,
    pub found: u64,
    /// The 95 % confidence interval of the share.
    pub interval: (f64, f64),
    /// The exact probability that a suite run finds the bug.
    pub exact: f64,
    pub sights: Vec<Sight>,
}

impl BugRow {
    pub fn share(&self) -> f64 {
        self.found as f64 / self.repeats as f64
    }

    /// Whether the exact probability is in the measured interval. In one of twenty rows it need not
    /// be.
    pub fn measured_fits(&self) -> bool {
        (self.interval.0..=self.interval.1).contains(&self.exact)
    }

    /// Whether the exact probability is in the interval of the published share.
    pub fn published_fits(&self) -> bool {
        let found = (self.case.published() * PUBLISHED_REPEATS as f64).round() as u64;
        let (low, high) = interval(found, PUBLISHED_REPEATS);
        (low..=high).contains(&self.exact)
    }

    /// Whether the promise is kept: a bug is found with probability at least 0.95, and nothing is
    /// ever found in the correct list.
    pub fn promise_is_kept(&self) -> bool {
        match self.case.bug {
            Some(_) => self.exact >= 0.95,
            None => self.exact == 0.0 && self.found == 0,
        }
    }
}

/// Computes and measures the whole table, with at least one suite run. The rows depend on seed and
/// repeats, not on the number of threads.
pub fn run(seed: RunSeed, repeats: u64, jobs: usize, done: &OnPiece<'_>) -> Option<Vec<BugRow>> {
    let cases = Case::all();
    let answer = |number: u64| cases[number as usize - 1].answer();
    let go_on = || ControlFlow::Continue(());
    let answers = collect(cases.len() as u64, jobs, &go_on, answer)?;
    let rows = cases.iter().zip(answers).map(|(&case, answer)| {
        let found = case.measure(seed, repeats, jobs, done)?;
        Some(BugRow {
            case,
            repeats,
            found,
            interval: interval(found, repeats),
            exact: answer.found(case.executions()),
            sights: answer.sights(),
        })
    });
    rows.collect()
}

/// Writes the table as comma-separated values, one line for each bug. Bug 0 is the correct list.
pub fn csv(rows: &[BugRow]) -> String {
    table::csv(rows.iter().map(|row| {
        let (case, (low, high)) = (row.case, row.interval);
        vec![
            ("bug", case.number().to_string()),
            ("insertions", case.insertions().to_string()),
            ("p", case.p().to_owned()),
            ("executions", case.executions().to_string()),
            ("found_share", row.share().to_string()),
            ("found_low", format!("{low:.6}")),
            ("found_high", format!("{high:.6}")),
            ("found_exact", format!("{:.12}", row.exact)),
            ("published", case.published().to_string()),
        ]
    }))
}

fn cells(row: &BugRow) -> Cells {
    let (case, (low, high)) = (row.case, row.interval);
    let fits = |fits: bool| if fits { "yes" } else { "no" };
    vec![
        ("bug", case.number().to_string()),
        ("R", case.insertions().to_string()),
        ("p", case.p().to_string()),
        ("k", case.executions().to_string()),
        ("k for exact p", case.executions_for_exact_p().to_string()),
        ("found", format!("{:.4}", row.share())),
        ("95 % interval", format!("{low:.4} to {high:.4}")),
        ("exact", format!("{:.4}", row.exact)),
        ("paper", format!("{:.3}", case.published())),
        ("measured fits", fits(row.measured_fits()).to_owned()),
        ("paper fits", fits(row.published_fits()).to_owned()),
    ]
}

pub fn text(rows: &[BugRow], seed: RunSeed) -> String {
    let repeats = rows.first().map_or(0, |row| row.repeats);
    let cells: Vec<_> = rows.iter().map(cells).collect();
    let mut text = format!(
        "{}\n  suite     26 tests, epsilon 0.05; {repeats} suite runs a row, seed {seed}\n  table     bug 0 is the correct list; k is for the rounded p, next to it k for the exact p\n  fits      the exact probability is inside the 95 % interval of the share; one row in twenty may miss it\n\n{}",
        verdict(rows),
        table::aligned(&cells, 0)
    );
    text.push_str("\nseen by the tests, with the violation probability of one execution\n");
    for row in rows {
        let Some(bug) = row.case.bug else { continue };
        let _ = writeln!(text, "  bug {}  {bug}", bug.number());
        for sight in &row.sights {
            let _ = writeln!(text, "    {:>2} {}", sight.property, seen(sight));
        }
    }
    text
}

pub fn markdown(rows: &[BugRow], seed: RunSeed) -> String {
    let repeats = rows.first().map_or(0, |row| row.repeats);
    let mut text = format!(
        "# Skip list: the probability of finding a bug\n\n{}. {repeats} suite runs a row, seed {seed}, epsilon 0.05. Bug 0 is the\ncorrect list. A share fits when the exact probability is inside its 95 % interval; one row in twenty may miss it.\n\n",
        verdict(rows)
    );
    let cells: Vec<_> = rows.iter().map(cells).collect();
    text.push_str(&table::markdown(&cells));
    text.push_str(
        "\n## Which tests see which bug\n\n| bug | what it does | tests |\n|---|---|---|\n",
    );
    for row in rows {
        let Some(bug) = row.case.bug else { continue };
        let tests: Vec<String> = row.sights.iter().map(seen).collect();
        let _ = writeln!(text, "| {} | {bug} | {} |", bug.number(), tests.join(", "));
    }
    text
}

pub fn json(rows: &[BugRow], seed: RunSeed) -> Value {
    let row = |row: &BugRow| {
        let case = row.case;
        let sights = row.sights.iter().map(|sight| {
            json!({
                "test": sight.name,
                "number": sight.property,
                "keys": sight.keys,
                "violation_low": sight.violation.0,
                "violation_high": sight.violation.1,
            })
        });
        json!({
            "bug": case.number(),
            "insertions": case.insertions(),
            "p": case.p(),
            "executions": case.executions(),
            "executions_for_exact_p": case.executions_for_exact_p(),
            "repeats": row.repeats,
            "found": row.found,
            "found_share": row.share(),
            "found_low": row.interval.0,
            "found_high": row.interval.1,
            "found_exact": row.exact,
            "published": case.published(),
            "measured_fits": row.measured_fits(),
            "published_fits": row.published_fits(),
            "seen_by": sights.collect::<Vec<_>>(),
        })
    };
    json!({
        "study": "skip-list",
        "seed": seed.to_string(),
        "epsilon": 0.05,
        "promise_is_kept": rows.iter().all(BugRow::promise_is_kept),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The answer in one line.
fn verdict(rows: &[BugRow]) -> String {
    let bugs = || rows.iter().filter(|row| row.case.bug.is_some());
    let kept = bugs().filter(|row| row.promise_is_kept()).count();
    let correct = rows.iter().filter(|row| row.case.bug.is_none());
    let alarms: u64 = correct.map(|row| row.found).sum();
    let correct = match alarms {
        0 => "none is reported".to_owned(),
        1 => "1 suite run reports one".to_owned(),
        _ => format!("{alarms} suite runs report one"),
    };
    format!(
        "{kept} of {} bugs are found with an exact probability of 0.95 or more, and {correct} in the correct list",
        bugs().count()
    )
}

/// A test, its violation probability, and for which keys.
fn seen(sight: &Sight) -> String {
    let (low, high) = sight.violation;
    let violation = match low == high {
        true => fraction(low),
        false => format!("{} to {}", fraction(low), fraction(high)),
    };
    // The probabilities of the classes of keys are rounded.
    let keys = match sight.keys > 1.0 - 1e-9 {
        true => String::new(),
        false => format!(", for {:.2} of the keys", sight.keys),
    };
    format!("{} ({violation}{keys})", sight.name)
}

/// Writes a sum of powers of two as a fraction, anything else as a decimal.
fn fraction(p: f64) -> String {
    let mut wholes = (0..=20).map(|power| f64::from(1 << power));
    match wholes.find(|whole| (p * whole).fract() == 0.0) {
        Some(whole) => format!("{}/{whole}", p * whole),
        None => format!("{p:.6}"),
    }
}
