//! The table of the study: for a terminal, for documents, for programs.

use std::fmt::Write;

use probtest::seed::RunSeed;
use serde_json::{Value, json};

use super::exact::Sight;
use super::study::Row;
use crate::table::{self, Cells};

/// Writes the table as comma-separated values, one line for each bug. Bug 0 is
/// the correct list.
pub fn csv(rows: &[Row]) -> String {
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

fn cells(row: &Row) -> Cells {
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

pub fn text(rows: &[Row], seed: RunSeed) -> String {
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

pub fn markdown(rows: &[Row], seed: RunSeed) -> String {
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

pub fn json(rows: &[Row], seed: RunSeed) -> Value {
    let row = |row: &Row| {
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
        "promise_is_kept": rows.iter().all(Row::promise_is_kept),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The answer in one line.
fn verdict(rows: &[Row]) -> String {
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
