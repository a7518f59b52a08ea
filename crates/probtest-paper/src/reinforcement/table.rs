//! The tables of the study and of the means: for a terminal, for documents, for programs.

use std::fmt::Write;

use probtest::seed::RunSeed;
use serde_json::{Map, Value, json};

use super::many::Average;
use super::study::{EPSILON, FALSE_ALARM, Row};

/// The columns of the CSV file, and the fields of a row in JSON.
pub const COLUMNS: [&str; 18] = [
    "environment",
    "property",
    "episodes",
    "steps",
    "p",
    "epsilon",
    "executions",
    "published",
    "exact",
    "estimate",
    "estimate_low",
    "estimate_high",
    "samples",
    "published_found",
    "found_exact",
    "found_measured",
    "repeats",
    "verdict",
];

/// The values of a row, in the order of the columns.
fn values(row: &Row) -> [Value; COLUMNS.len()] {
    let case = row.case;
    let published = case.published();
    [
        json!(case.world().name()),
        json!(case.name()),
        json!(case.episodes()),
        json!(case.property().steps),
        json!(decimal(case.p())),
        json!(decimal(EPSILON)),
        json!(case.executions()),
        json!(published.map(|published| published.violation)),
        json!(twelve_digits(row.exact)),
        json!(row.estimate()),
        json!(twelve_digits(row.interval.0)),
        json!(twelve_digits(row.interval.1)),
        json!(row.samples),
        json!(published.map(|published| published.found)),
        json!(twelve_digits(row.found_exact)),
        json!(row.found_measured()),
        json!(row.repeats),
        json!(row.verdict()),
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
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for row in rows {
        let cells = values(row).each_ref().map(cell);
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// A value as it stands in a file.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    }
}

/// Puts the table into one JSON object.
pub fn json(study: &str, rows: &[Row], seed: RunSeed) -> Value {
    let row = |row: &Row| {
        let names = COLUMNS.iter().map(|name| (*name).to_owned());
        let mut fields: Map<String, Value> = names.zip(values(row)).collect();
        fields.insert("violated".into(), json!(row.violated));
        fields.insert("found".into(), json!(row.found));
        fields.insert("must_be_found".into(), json!(row.must_be_found()));
        Value::Object(fields)
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

/// The heads of the columns that people read.
const HEADS: [&str; 14] = [
    "environment",
    "property",
    "s",
    "episodes",
    "p",
    "k",
    "paper",
    "exact",
    "estimate",
    "95 % interval",
    "paper finds",
    "exact finds",
    "probtest finds",
    "verdict",
];

/// What stands under them.
fn cells(row: &Row) -> [String; HEADS.len()] {
    let case = row.case;
    let published = case.published();
    let or_dash = |number: Option<f64>| number.map_or_else(|| "-".into(), |n| format!("{n:.3}"));
    let (low, high) = row.interval;
    [
        case.world().name().into(),
        case.name().into(),
        case.property().steps.to_string(),
        case.episodes().to_string(),
        case.p().into(),
        case.executions().to_string(),
        or_dash(published.map(|published| published.violation)),
        short(row.exact),
        format!("{:.5}", row.estimate()),
        format!("{low:.5} to {high:.5}"),
        or_dash(published.map(|published| published.found)),
        short(row.found_exact),
        format!("{:.3}", row.found_measured()),
        row.verdict().into(),
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

/// Writes the table for a terminal.
pub fn text(rows: &[Row], seed: RunSeed) -> String {
    let heads = HEADS.map(str::to_owned);
    let lines: Vec<_> = std::iter::once(heads)
        .chain(rows.iter().map(cells))
        .collect();
    format!(
        "{}\n{}\n{}",
        answer(rows),
        facts(rows, seed),
        aligned(&lines, 2)
    )
}

/// Puts lines under each other: the first columns are words and begin on the left,
/// numbers end on the right, and the last column is as long as it likes.
fn aligned<const N: usize>(lines: &[[String; N]], words: usize) -> String {
    let mut text = String::new();
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    for line in lines {
        let cells: Vec<String> = std::iter::zip(line, &widths)
            .enumerate()
            .map(|(column, (cell, width))| match column {
                column if column < words => format!("{cell:<width$}"),
                column if column + 1 == N => cell.clone(),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        let _ = writeln!(text, "{}", cells.join("  "));
    }
    text
}

/// Writes the table as Markdown.
pub fn markdown(title: &str, rows: &[Row], seed: RunSeed) -> String {
    let mut text = format!("# {title}\n\n{}.\n\n", answer(rows));
    for fact in facts(rows, seed)
        .lines()
        .map(str::trim)
        .filter(|f| !f.is_empty())
    {
        let (name, words) = fact.split_once(' ').unwrap_or((fact, ""));
        let _ = writeln!(text, "- {name}: {}", words.trim_start());
    }
    let rule = "---|".repeat(HEADS.len());
    let _ = writeln!(text, "\n| {} |\n|{rule}", HEADS.join(" | "));
    for row in rows {
        let _ = writeln!(text, "| {} |", cells(row).join(" | "));
    }
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
        "  policies  trained here with seed {seed}; the paper's are others, so its numbers need not agree
  measured  {samples} samples and {repeats} tests a row, epsilon {EPSILON}; exact is computed, not sampled
  fits      both counts; that a whole table says otherwise by chance has probability {FALSE_ALARM:e} at most
"
    )
}

/// The columns of the CSV file, and the fields of a row in JSON.
pub const MEAN_COLUMNS: [&str; 15] = [
    "environment",
    "property",
    "episodes",
    "steps",
    "p",
    "executions",
    "agents",
    "published",
    "mean",
    "standard_error",
    "margin",
    "published_found",
    "found_mean",
    "never_violate",
    "verdict",
];

/// The values of a row, in the order of the columns.
fn mean_values(row: &Average) -> [Value; MEAN_COLUMNS.len()] {
    let case = row.case;
    [
        json!(case.world().name()),
        json!(case.name()),
        json!(case.episodes()),
        json!(case.property().steps),
        json!(case.p().parse::<f64>().ok()),
        json!(case.executions()),
        json!(row.agents),
        json!(row.published.violation),
        json!(twelve_digits(row.violation)),
        json!(twelve_digits(row.error())),
        json!(twelve_digits(row.margin())),
        json!(row.published.found),
        json!(twelve_digits(row.found)),
        json!(row.never),
        json!(row.verdict()),
    ]
}

/// Writes the rows as comma-separated values.
pub fn means_csv(rows: &[Average]) -> String {
    let line = |row: &Average| mean_values(row).each_ref().map(cell).join(",") + "\n";
    let lines: String = rows.iter().map(line).collect();
    format!("{}\n{lines}", MEAN_COLUMNS.join(","))
}

/// Puts the rows into a list of JSON objects, each with the reason of its verdict.
pub fn means_json(rows: &[Average]) -> Value {
    let row = |row: &Average| {
        let names = MEAN_COLUMNS.iter().map(|name| (*name).to_owned());
        let mut fields: Map<String, Value> = names.zip(mean_values(row)).collect();
        fields.insert("why".into(), json!(row.why()));
        Value::Object(fields)
    };
    rows.iter().map(row).collect()
}

/// Writes the rows for a terminal.
pub fn means_text(rows: &[Average]) -> String {
    let agents = rows.first().map_or(0, |row| row.agents);
    let agree = rows.iter().filter(|row| row.agrees()).count();
    let heads = [
        "property",
        "s",
        "episodes",
        "paper",
        "mean",
        "margin",
        "paper finds",
        "mean finds",
        "never violate",
        "verdict",
    ];
    let cells = |row: &Average| {
        [
            row.case.name().to_owned(),
            row.case.property().steps.to_string(),
            row.case.episodes().to_string(),
            format!("{:.3}", row.published.violation),
            short(row.violation),
            format!("{:.5}", row.margin()),
            format!("{:.3}", row.published.found),
            short(row.found),
            row.never.to_string(),
            row.verdict().to_owned(),
        ]
    };
    let heads = heads.map(str::to_owned);
    let lines: Vec<_> = std::iter::once(heads)
        .chain(rows.iter().map(cells))
        .collect();
    format!(
        "{agree} of {} rows agree with the paper in the mean of {agents} agents
  Q                as the text has it: nothing follows after the goal
  Q past the goal  as the numbers were made: all steps are taken, and falls after the goal count
  margin           how far the paper's number may be from the mean: rounding, and 99.9 % of chance

{}",
        rows.len(),
        aligned(&lines, 1)
    )
}
