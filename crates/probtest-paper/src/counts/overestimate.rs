//! Figure 2: what a plan is worth that was made for a p too large.

use probtest::Probability;
use probtest::plan::{self, Sensitivity};

/// The two chances of missing of the paper's figure.
pub const EPSILONS: [&str; 2] = ["0.001", "0.01"];

/// The real violation probabilities. The paper's text names the first only; the
/// others spread over the range in which the figure has grey cells.
pub const REAL: [&str; 8] = [
    "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2",
];

pub const FACTORS: u16 = 10;

/// The factor at a place, evenly spaced from 0.01 to 5: exactly, and as a number.
pub fn factor(place: u16) -> (String, f64) {
    // The steps of 4.99 / 9 have no decimal, so the factors stay fractions.
    let numerator = 9 + 499 * place;
    (format!("{numerator}/900"), f64::from(numerator) / 900.0)
}

/// One cell of the figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The chance of missing that both plans accept.
    pub epsilon: &'static str,
    /// The real violation probability.
    pub p: &'static str,
    /// By what part of p it is overestimated.
    pub factor: f64,
    /// The plan for the overestimate; nothing where that passes 1/2.
    pub effect: Option<Sensitivity>,
}

/// Computes every cell: by epsilon, then by p, then by factor.
pub fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for epsilon in EPSILONS {
        for p in REAL {
            cells.extend((0..FACTORS).map(|place| cell(epsilon, p, place)));
        }
    }
    cells
}

fn cell(epsilon: &'static str, p: &'static str, place: u16) -> Cell {
    let (exact, factor) = factor(place);
    Cell {
        epsilon,
        p,
        factor,
        effect: effect(epsilon, p, &exact),
    }
}

fn effect(epsilon: &str, p: &str, factor: &str) -> Option<Sensitivity> {
    let read = |text| Probability::parse(text).expect("a probability of the figure");
    let (p, epsilon) = (read(p), read(epsilon));
    let believed = plan::overestimated(&p, factor).ok()?;
    let effect = || plan::sensitivity(&p, &believed, &epsilon).expect("both claims have plans");
    (believed.as_f64() <= 0.5).then(effect)
}

/// How many executions are missing.
pub fn short(effect: &Sensitivity) -> u64 {
    effect.executions.saturating_sub(effect.executions_believed)
}

/// Writes the cells as comma-separated values; the last four are empty where the
/// overestimate passes 1/2.
pub fn csv(cells: &[Cell]) -> String {
    let mut text =
        String::from("epsilon,p,factor,executions,executions_believed,short,added_miss\n");
    for cell in cells {
        let effect = cell.effect.as_ref().map_or(",,,".to_owned(), |effect| {
            format!(
                "{},{},{},{:.9}",
                effect.executions,
                effect.executions_believed,
                short(effect),
                effect.added_miss
            )
        });
        text.push_str(&format!(
            "{},{},{:.6},{effect}\n",
            cell.epsilon, cell.p, cell.factor
        ));
    }
    text
}
