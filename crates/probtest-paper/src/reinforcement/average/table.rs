//! The means of many agents: for a terminal, for a file, for programs.

use serde_json::{Map, Value, json};

use super::Average;
use crate::reinforcement::table::{aligned, cell, short, twelve_digits};

/// The columns of the CSV file, and the fields of a row in JSON.
pub const COLUMNS: [&str; 15] = [
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
fn values(row: &Average) -> [Value; COLUMNS.len()] {
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
pub fn csv(rows: &[Average]) -> String {
    let line = |row: &Average| values(row).each_ref().map(cell).join(",") + "\n";
    let lines: String = rows.iter().map(line).collect();
    format!("{}\n{lines}", COLUMNS.join(","))
}

/// Puts the rows into a list of JSON objects, each with the reason of its verdict.
pub fn json(rows: &[Average]) -> Value {
    let row = |row: &Average| {
        let names = COLUMNS.iter().map(|name| (*name).to_owned());
        let mut fields: Map<String, Value> = names.zip(values(row)).collect();
        fields.insert("why".into(), json!(row.why()));
        Value::Object(fields)
    };
    rows.iter().map(row).collect()
}

/// Writes the rows for a terminal.
pub fn text(rows: &[Average]) -> String {
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
