//! Writes the table of `docs/explanation/tolerated-rates.md`.
//!
//!     cargo run --release -p probtest --example tolerated_rates
//!
//! Executions expected at `tolerate`, expected at `p`, and the most, for several ways to tell two
//! violation rates apart.

use probtest::claim::Claim;
use probtest::plan::Plan;

/// tolerate, p, false_alarm, epsilon.
type Setting = (f64, f64, f64, f64);

const SETTINGS: [Setting; 5] = [
    (0.005, 0.01, 0.05, 0.05),
    (0.001, 0.01, 0.05, 0.05),
    (0.05, 0.1, 0.01, 0.01),
    (1e-4, 1e-3, 0.05, 0.05),
    (0.001, 0.01, 1e-6, 0.05),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let row = |name: &str, cell: &dyn Fn(Setting) -> String| {
        let cells: Vec<String> = SETTINGS.iter().map(|setting| cell(*setting)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    };
    row("tolerate, p, false_alarm, epsilon", &|setting| {
        let (tolerate, p, false_alarm, epsilon) = setting;
        format!("{tolerate}, {p}, {false_alarm:?}, {epsilon}")
    });
    println!("|{}", "---|".repeat(SETTINGS.len() + 1));
    row("Hoeffding, fixed", &|setting| hoeffding(setting).to_string());
    let mut plans = Vec::new();
    for (tolerate, p, false_alarm, epsilon) in SETTINGS {
        plans.push(Plan::new(&Claim::tolerate(tolerate, p, epsilon, false_alarm)?)?);
    }
    let plan = |setting| {
        let place = SETTINGS.iter().position(|other| *other == setting);
        &plans[place.unwrap_or_default()]
    };
    row("binomial, fixed", &|setting| {
        let fixed = plan(setting).sequential().map(|test| test.fixed());
        fixed.map_or(String::new(), |fixed| fixed.executions.to_string())
    });
    row("Wald's boundaries, no cap", &|setting| {
        let most = plan(setting).executions() * 12;
        let (tolerate, p, false_alarm, epsilon) = setting;
        let (alarm, at_tolerate, _) = wald(setting, tolerate, most);
        let (caught, at_p, _) = wald(setting, p, most);
        let worse = match () {
            () if 1.0 - caught > epsilon => format!(", misses {:.4}", 1.0 - caught),
            () if alarm > false_alarm => format!(", alarms {alarm:.2e}"),
            () => String::new(),
        };
        format!("{at_tolerate:.0} / {at_p:.0} / none{worse}")
    });
    row("probtest", &|setting| {
        let plan = plan(setting);
        let expected = |rate| plan.expected_executions(rate).unwrap_or(f64::NAN);
        let (tolerate, p) = (expected(setting.0), expected(setting.1));
        format!("{tolerate:.0} / {p:.0} / {}", plan.executions())
    });
    row("probtest, no violation", &|setting| {
        let fewest = plan(setting).sequential().map(|test| test.fewest());
        fewest.map_or(String::new(), |fewest| fewest.to_string())
    });
    Ok(())
}

/// Executions after which Hoeffding's bound keeps both errors.
fn hoeffding((tolerate, p, false_alarm, epsilon): Setting) -> u64 {
    let part = |error: f64| ((1.0 / error).ln() / 2.0).sqrt();
    let both = (part(false_alarm) + part(epsilon)) / (p - tolerate);
    (both * both).ceil() as u64
}

/// The chance of failing, and the executions, with the textbook boundaries of the sequential
/// probability ratio test: execution by execution.
fn wald(setting: Setting, rate: f64, most: u64) -> (f64, f64, f64) {
    let (tolerate, p, false_alarm, epsilon) = setting;
    let upper = ((1.0 - epsilon) / false_alarm).ln();
    let lower = (epsilon / (1.0 - false_alarm)).ln();
    let (hit, miss) = ((p / tolerate).ln(), ((1.0 - p) / (1.0 - tolerate)).ln());
    let mut going = std::collections::BTreeMap::from([(0_u64, 1.0)]);
    let (mut failed, mut executions) = (0.0, 0.0);
    for n in 1..=most {
        executions += going.values().sum::<f64>();
        let mut next = std::collections::BTreeMap::new();
        for (x, chance) in &going {
            for (x, chance) in [(*x, chance * (1.0 - rate)), (x + 1, chance * rate)] {
                let ratio = x as f64 * hit + (n - x) as f64 * miss;
                if ratio >= upper {
                    failed += chance;
                } else if ratio > lower && chance > 1e-18 {
                    *next.entry(x).or_insert(0.0) += chance;
                }
            }
        }
        going = next;
    }
    (failed, executions, going.values().sum())
}
