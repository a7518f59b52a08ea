//! The words for a belief in a violation probability that is too large.

use std::fmt::Write;

use probtest_facts::{BelievedFacts, BelievedNote, SensitivityFacts};

use super::facts::log10;
use super::words::plural;
use crate::claim::{Claim, Probability};
use crate::plan::{Plan, Sensitivity};

/// What believing in p + p * factor costs; none where that is 1 or more.
pub type Believed = Option<Sensitivity>;

/// The names of the fields in [`sensitivity_facts`].
const HEADS: [&str; 7] =
    ["factor", "believed", "executions_believed", "executions", "short", "miss", "added_miss"];

/// Writes the table: the answer for the real p first, then one line for each
/// factor.
pub fn sensitivity_text(
    p: &Probability,
    epsilon: &Probability,
    rows: &[(f64, Believed)],
) -> String {
    let mut lines = vec![HEADS.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|(factor, believed)| cells(*factor, believed)));
    let mut widths = [0; HEADS.len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = head(p, epsilon);
    for line in &lines {
        let mut row = String::new();
        for (number, cell) in line.iter().enumerate() {
            let width = widths.get(number).copied().unwrap_or_default();
            let _ = write!(row, "  {cell:<width$}");
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn head(p: &Probability, epsilon: &Probability) -> String {
    let claim = Claim::detect(p, epsilon).ok();
    match claim.and_then(|claim| Plan::new(&claim).ok()) {
        Some(plan) => format!(
            "{} for the real p = {p}, epsilon = {epsilon}\n",
            plural(plan.executions(), "execution")
        ),
        None => format!("the real p = {p}, epsilon = {epsilon}\n"),
    }
}

fn cells(factor: f64, believed: &Believed) -> Vec<String> {
    let factor = short(factor, 4);
    match believed {
        None => vec![factor, "1 or more".into(), "not a probability".into()],
        Some(row) => {
            let mut cells = vec![
                factor,
                short(row.believed.as_f64(), 4),
                row.executions_believed.to_string(),
                row.executions.to_string(),
                row.short.to_string(),
                row.miss.to_string(),
                short(row.added_miss, 4),
            ];
            if is_symmetric(row) {
                let mirror = short(row.believed.complement().as_f64(), 4);
                cells.push(format!("symmetric to {mirror}"));
            }
            cells
        }
    }
}

/// Writes the same facts for programs.
pub fn sensitivity_facts(
    p: &Probability,
    epsilon: &Probability,
    rows: &[(f64, Believed)],
) -> SensitivityFacts {
    SensitivityFacts {
        p: p.as_f64(),
        p_exact: p.to_string(),
        epsilon: epsilon.as_f64(),
        epsilon_exact: epsilon.to_string(),
        rows: rows.iter().map(|(factor, believed)| row_facts(*factor, believed)).collect(),
        ..SensitivityFacts::default()
    }
}

fn row_facts(factor: f64, believed: &Believed) -> BelievedFacts {
    match believed {
        None => BelievedFacts {
            factor,
            note: Some(BelievedNote::NotAProbability),
            ..BelievedFacts::default()
        },
        Some(row) => BelievedFacts {
            factor,
            believed: Some(row.believed.as_f64()),
            believed_exact: Some(row.believed.to_string()),
            executions: Some(row.executions),
            executions_believed: Some(row.executions_believed),
            short: i64::try_from(row.short).ok(),
            miss: Some(row.miss.value()),
            miss_log10: log10(&row.miss),
            added_miss: Some(row.added_miss),
            note: is_symmetric(row).then_some(BelievedNote::Symmetric),
        },
    }
}

fn is_symmetric(row: &Sensitivity) -> bool {
    row.believed > row.believed.complement()
}

/// Rounds for reading, without zeros at the end.
fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.*e}", digits - 1);
    // Back from the rounded form, which prints without the digits behind.
    match text.parse::<f64>() {
        Ok(rounded) if (1e-4..1e6).contains(&rounded.abs()) => format!("{rounded}"),
        Ok(rounded) => format!("{rounded:e}"),
        Err(_) => text,
    }
}
