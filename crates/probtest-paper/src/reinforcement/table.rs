//! The tables of the study and of the means: for a terminal, for documents, for programs.

use std::fmt::Write;

use probtest::seed::RunSeed;
use serde_json::{Value, json};

use super::many::Average;
use super::study::{Case, EPSILON, FALSE_ALARM, Row};
use crate::finding::verdict;
use crate::table::{self, Cells};

/// The columns of the CSV file, and the fields of a row in JSON.
fn fields_of(row: &Row) -> Cells<Value> {
    let published = row.case.published();
    let mut fields = fields_of_case(&row.case);
    fields.extend([
        ("epsilon", json!(decimal(EPSILON))),
        ("executions", json!(row.case.executions())),
        ("published", json!(published.map(|paper| paper.violation))),
        ("exact", json!(twelve_digits(row.exact))),
        ("estimate", json!(row.estimate())),
        ("estimate_low", json!(twelve_digits(row.interval.0))),
        ("estimate_high", json!(twelve_digits(row.interval.1))),
        ("samples", json!(row.samples)),
        ("published_found", json!(published.map(|paper| paper.found))),
        ("found_exact", json!(twelve_digits(row.found_exact))),
        ("found_measured", json!(row.found_measured())),
        ("repeats", json!(row.repeats)),
        ("verdict", json!(row.verdict())),
    ]);
    fields
}

fn fields_of_case(case: &Case) -> Cells<Value> {
    vec![
        ("environment", json!(case.world.name())),
        ("property", json!(case.name())),
        ("episodes", json!(case.episodes)),
        ("steps", json!(case.property.steps)),
        ("p", json!(decimal(case.p()))),
    ]
}

fn decimal(text: &str) -> f64 {
    text.parse().expect("p and epsilon are decimals")
}

/// The last digits depend on the machine's mathematics.
fn twelve_digits(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

/// Writes the table as comma-separated values. What the paper has no number for
/// is empty.
pub fn csv(rows: &[Row]) -> String {
    table::csv(rows.iter().map(fields_of).map(table::texts))
}

pub fn json(study: &str, rows: &[Row], seed: RunSeed) -> Value {
    let row = |row: &Row| {
        let mut fields = fields_of(row);
        fields.push(("violated", json!(row.violated)));
        fields.push(("found", json!(row.found)));
        fields.push(("must_be_found", json!(row.must_be_found())));
        table::object(fields)
    };
    json!({
        "study": study,
        "seed": seed.to_string(),
        "false_alarm": FALSE_ALARM,
        "measured_fits": rows.iter().all(|row| row.fits),
        "promise_is_kept": rows.iter().all(Row::promise_is_kept),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn cells(row: &Row) -> Cells {
    let case = row.case;
    let published = case.published();
    let or_dash = |number: Option<f64>| number.map_or_else(|| "-".into(), |n| format!("{n:.3}"));
    let (low, high) = row.interval;
    vec![
        ("environment", case.world.name().into()),
        ("property", case.name().into()),
        ("s", case.property.steps.to_string()),
        ("episodes", case.episodes.to_string()),
        ("p", case.p().into()),
        ("k", case.executions().to_string()),
        ("paper", or_dash(published.map(|paper| paper.violation))),
        ("exact", short(row.exact)),
        ("estimate", format!("{:.5}", row.estimate())),
        ("95 % interval", format!("{low:.5} to {high:.5}")),
        ("paper finds", or_dash(published.map(|paper| paper.found))),
        ("exact finds", short(row.found_exact)),
        ("probtest finds", format!("{:.3}", row.found_measured())),
        ("verdict", row.verdict().into()),
    ]
}

/// Five digits. Only 0 itself looks like 0: what is that small has its power of
/// ten.
fn short(number: f64) -> String {
    if number == 0.0 {
        "0".into()
    } else if number < 1e-5 {
        format!("{number:.1e}")
    } else {
        format!("{number:.5}")
    }
}

pub fn text(rows: &[Row], seed: RunSeed) -> String {
    let cells: Vec<_> = rows.iter().map(cells).collect();
    let table = table::aligned(&cells, 2);
    format!("{}\n{}\n{table}", answer(rows), facts(rows, seed))
}

pub fn markdown(title: &str, rows: &[Row], seed: RunSeed) -> String {
    let mut text = format!("# {title}\n\n{}.\n\n", answer(rows));
    for fact in facts(rows, seed).lines().map(str::trim) {
        let (name, words) = fact.split_once(' ').unwrap_or((fact, ""));
        let _ = writeln!(text, "- {name}: {}", words.trim_start());
    }
    let cells: Vec<_> = rows.iter().map(cells).collect();
    let _ = write!(text, "\n{}", table::markdown(&cells));
    text
}

/// The answer in one line.
fn answer(rows: &[Row]) -> String {
    let fit = rows.iter().filter(|row| row.fits).count();
    let must = rows.iter().filter(|row| row.must_be_found());
    let kept = must.clone().filter(|row| row.promise_is_kept()).count();
    format!(
        "{kept} of {} violation probabilities of p or more are found with an exact probability of 0.95 or more; what was measured fits the exact values in {fit} of {} rows",
        must.count(),
        rows.len()
    )
}

/// What is needed to read the table.
fn facts(rows: &[Row], seed: RunSeed) -> String {
    let first = rows.first();
    let (samples, repeats) = first.map_or((0, 0), |row| (row.samples, row.repeats));
    format!(
        "  policies  trained here with seed {seed}; the paper's policies differ, so its numbers need not agree
  measured  {samples} samples and {repeats} tests a row, epsilon {EPSILON}; exact is computed, not sampled
  fits      both counts; a whole table has a wrong `no` with probability {FALSE_ALARM:e} at most
"
    )
}

/// The columns of the CSV file, and the fields of a row in JSON.
fn fields_of_means(row: &Average) -> Cells<Value> {
    let mut fields = fields_of_case(&row.case);
    fields.extend([
        ("executions", json!(row.case.executions())),
        ("agents", json!(row.agents)),
        ("published", json!(row.published.violation)),
        ("mean", json!(twelve_digits(row.violation))),
        ("standard_error", json!(twelve_digits(row.error()))),
        ("margin", json!(twelve_digits(row.margin()))),
        ("published_found", json!(row.published.found)),
        ("found_mean", json!(twelve_digits(row.found))),
        ("never_violate", json!(row.never)),
        ("verdict", json!(verdict(row.agrees()))),
    ]);
    fields
}

pub fn means_csv(rows: &[Average]) -> String {
    table::csv(rows.iter().map(fields_of_means).map(table::texts))
}

/// Puts means into a list of JSON objects, each with the reason of its verdict.
pub fn means_json(rows: &[Average]) -> Value {
    let row = |row: &Average| {
        let mut fields = fields_of_means(row);
        fields.push(("why", json!(row.why())));
        table::object(fields)
    };
    rows.iter().map(row).collect()
}

pub fn means_text(rows: &[Average]) -> String {
    let agents = rows.first().map_or(0, |row| row.agents);
    let agree = rows.iter().filter(|row| row.agrees()).count();
    let cells = |row: &Average| {
        vec![
            ("property", row.case.name().to_owned()),
            ("s", row.case.property.steps.to_string()),
            ("episodes", row.case.episodes.to_string()),
            ("paper", format!("{:.3}", row.published.violation)),
            ("mean", short(row.violation)),
            ("margin", format!("{:.5}", row.margin())),
            ("paper finds", format!("{:.3}", row.published.found)),
            ("mean finds", short(row.found)),
            ("never violate", row.never.to_string()),
            ("verdict", verdict(row.agrees()).to_owned()),
        ]
    };
    let cells: Vec<_> = rows.iter().map(cells).collect();
    format!(
        "{agree} of {} rows agree with the paper in the mean of {agents} agents
  Q                as the text has it: nothing follows after the goal
  Q past the goal  as the numbers were made: all steps are taken, and falls after the goal count
  margin           how far the paper's number may be from the mean: rounding, and 99.9 % of chance

{}",
        rows.len(),
        table::aligned(&cells, 1)
    )
}
