//! Counts: how many executions does the paper require, and what if its p is wrong?
//!
//! [`PublishedCount`] has the numbers of executions in the paper, [`grid`] is figure 1, [`cells`]
//! are figure 2, and [`remarks`] the sentences that contain a number. All counts come from
//! [`probtest::plan`]; nothing here is measured.

use probtest::Claim;
use probtest::claim::{IntoProbability, Probability};
use probtest::plan::{self, Plan, Sensitivity, epsilon_attained};

use crate::table::{self, Finding};

/// Panics if p or epsilon isn't a probability; the paper's are.
pub(crate) fn claim(p: impl IntoProbability, epsilon: impl IntoProbability) -> Claim {
    Claim::detect(p, epsilon).expect("p and epsilon are probabilities")
}

pub(crate) fn executions(p: impl IntoProbability, epsilon: impl IntoProbability) -> u64 {
    Plan::new(&claim(p, epsilon)).expect("the claim has a plan").executions()
}

const FILE: &str = include_str!("../data/published_k.csv");

/// A number of executions, and where it is in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedCount {
    pub p: &'static str,
    pub epsilon: &'static str,
    pub executions: u64,
    /// The example in the paper.
    pub place: &'static str,
}

impl PublishedCount {
    /// Every count in the paper, in order.
    pub fn all() -> Vec<PublishedCount> {
        let read = |line: &'static str| {
            let mut cells = line.splitn(4, ',');
            let mut cell = || cells.next().expect("four cells in a line");
            PublishedCount {
                p: cell(),
                epsilon: cell(),
                executions: cell().parse().expect("a whole number"),
                place: cell().trim_matches('"'),
            }
        };
        FILE.lines().skip(1).map(read).collect()
    }

    pub fn computed(&self) -> u64 {
        executions(self.p, self.epsilon)
    }

    pub fn finding(&self) -> Finding {
        let computed = self.computed();
        let agrees = computed == self.executions;
        let why = match (agrees, self.p) {
            (true, "0.0039") => "for p rounded as printed; for p = 1/256 exactly it is 766",
            (true, _) => "the same number",
            (false, _) => "the least k with p^k + (1-p)^k < epsilon is another",
        };
        let (place, p, epsilon) = (self.place, self.p, self.epsilon);
        Finding {
            subject: format!("{place}: executions for p = {p}, epsilon = {epsilon}"),
            published: self.executions.to_string(),
            ours: computed.to_string(),
            agrees,
            why: why.into(),
        }
    }
}

/// The ends of both axes.
pub const RANGE: (f64, f64) = (0.001, 0.1);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridPoint {
    pub p: f64,
    pub epsilon: f64,
    pub executions: u64,
}

/// Places `steps` values evenly on a logarithmic axis, ends included, rounded to four digits.
fn axis(steps: usize) -> Vec<f64> {
    let (low, high) = (RANGE.0.ln(), RANGE.1.ln());
    let last = steps.saturating_sub(1).max(1) as f64;
    let value = |step: usize| (low + (high - low) * step as f64 / last).exp();
    // Rounded, so that the plan is for the number shown in the table.
    let rounded = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    (0..steps).map(value).map(rounded).collect()
}

/// Computes the executions on a grid of `steps` by `steps` points, p first.
pub fn grid(steps: usize) -> Vec<GridPoint> {
    let axis = axis(steps);
    let point = |p, epsilon| GridPoint { p, epsilon, executions: executions(p, epsilon) };
    axis.iter().flat_map(|&p| axis.iter().map(move |&epsilon| point(p, epsilon))).collect()
}

/// The epsilon that this many executions achieve: the line of equal counts through p. `None`
/// outside the range of the axes.
pub fn contour(p: f64, executions: u64) -> Option<f64> {
    let p = Probability::from_f64(p).ok()?;
    let attained = epsilon_attained(&p, executions).ok()?.value();
    (RANGE.0..=RANGE.1).contains(&attained).then_some(attained)
}

pub fn grid_csv(grid: &[GridPoint]) -> String {
    table::csv(grid.iter().map(|point| {
        vec![
            ("p", point.p.to_string()),
            ("epsilon", point.epsilon.to_string()),
            ("executions", point.executions.to_string()),
        ]
    }))
}

/// The two chances of missing in the paper's figure.
pub const EPSILONS: [&str; 2] = ["0.001", "0.01"];

/// The real violation probabilities. The paper's text only names the first; the others cover the
/// range in which the figure has grey cells.
pub const REAL: [&str; 8] = ["0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2"];

pub const FACTORS: u16 = 10;

/// The factor of overestimation at a position, evenly spaced from 0.01 to 5: exactly, and as a
/// number.
pub fn factor(place: u16) -> (String, f64) {
    // The steps of 4.99 / 9 have no finite decimal, so the factors stay fractions.
    let numerator = 9 + 499 * place;
    (format!("{numerator}/900"), f64::from(numerator) / 900.0)
}

/// One cell of figure 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The chance of missing that both plans accept.
    pub epsilon: &'static str,
    /// The real violation probability.
    pub p: &'static str,
    /// The fraction of p by which it is overestimated.
    pub factor: f64,
    /// The plan for the overestimate; `None` if it exceeds 1/2.
    pub effect: Option<Sensitivity>,
}

/// Computes every cell: by epsilon, then by p, then by factor.
pub fn cells() -> Vec<Cell> {
    let cell = |epsilon, p, (exact, factor): (String, f64)| Cell {
        epsilon,
        p,
        factor,
        effect: effect(epsilon, p, &exact),
    };
    let rows = EPSILONS.into_iter().flat_map(|epsilon| REAL.map(|p| (epsilon, p)));
    rows.flat_map(|(epsilon, p)| (0..FACTORS).map(move |f| cell(epsilon, p, factor(f)))).collect()
}

fn effect(epsilon: &str, p: &str, factor: &str) -> Option<Sensitivity> {
    let read = |text| Probability::parse(text).expect("a probability of the figure");
    let (p, epsilon) = (read(p), read(epsilon));
    let believed = plan::overestimated(&p, factor).ok().filter(|p| p.as_f64() <= 0.5)?;
    Some(plan::sensitivity(&p, &believed, &epsilon).expect("both claims have plans"))
}

/// How many executions are missing.
pub fn short(effect: &Sensitivity) -> u64 {
    effect.executions.saturating_sub(effect.executions_believed)
}

/// Writes the cells as comma-separated values; the last four are empty if the overestimate exceeds
/// 1/2.
pub fn cells_csv(cells: &[Cell]) -> String {
    table::csv(cells.iter().map(|cell| {
        let effect =
            |text: fn(&Sensitivity) -> String| cell.effect.as_ref().map_or_else(String::new, text);
        vec![
            ("epsilon", cell.epsilon.to_owned()),
            ("p", cell.p.to_owned()),
            ("factor", format!("{:.6}", cell.factor)),
            ("executions", effect(|it| it.executions.to_string())),
            ("executions_believed", effect(|it| it.executions_believed.to_string())),
            ("short", effect(|it| short(it).to_string())),
            ("added_miss", effect(|it| format!("{:.9}", it.added_miss))),
        ]
    }))
}

/// The paper's remarks on figures 1 and 2, next to what `cells` and the plans say.
pub fn remarks(cells: &[Cell]) -> Vec<Finding> {
    let sixty = executions("0.056", "0.024");
    let p = Probability::parse("0.056").expect("a probability");
    let attained = epsilon_attained(&p, 60).expect("so few executions have a chance");
    let thousands = executions("0.001", "0.001");
    let (low, high) = added(cells, |cell| cell.factor < 0.011);
    vec![
        Finding {
            subject: "figure 1: with at most 60 executions, accuracy 97.6 % at p = 0.056".into(),
            published: "60".into(),
            ours: sixty.to_string(),
            agrees: sixty <= 60,
            why: format!(
                "p = 0.056 and epsilon = 0.024 need {sixty} executions; 60 attain epsilon = {:.4}",
                attained.value()
            ),
        },
        Finding {
            subject: "figure 1: accuracy 99.9 % at p = 0.001".into(),
            published: "less than 7000".into(),
            ours: thousands.to_string(),
            agrees: thousands < 7000,
            why: "the statement is a bound, and it holds".into(),
        },
        Finding {
            subject: "figure 2: added chance of missing at factor 0.01, all cells".into(),
            published: "0".into(),
            ours: format!("{low:.5} to {high:.5}"),
            agrees: high < 0.005,
            why: "zero when rounded to two digits, as the figure is".into(),
        },
        ten_percent(cells, EPSILONS[0], 3),
        ten_percent(cells, EPSILONS[1], 2),
        smaller_epsilon(cells),
        Finding {
            subject: "introduction: what it means that all k executions pass".into(),
            published: "the property holds with probability 1 - epsilon".into(),
            ours: "a violation probability of p or more is missed with probability < epsilon".into(),
            agrees: false,
            why: "the theorem is about executions of a given program; it gives no probability to the \
                  property"
                .into(),
        },
    ]
}

/// The factor, by position, that adds about 0.10 according to the paper.
fn ten_percent(cells: &[Cell], epsilon: &'static str, place: u16) -> Finding {
    let ((_, factor), (_, next)) = (factor(place), factor(place + 1));
    let (low, high) = added(cells, |cell| cell.epsilon == epsilon && cell.factor == factor);
    // "Up to" this factor: it stays around 0.10, and the next one doesn't.
    let (after, _) = added(cells, |cell| cell.epsilon == epsilon && cell.factor == next);
    Finding {
        subject: format!(
            "figure 2: about 0.10 is added up to factor {factor:.2}, epsilon = {epsilon}"
        ),
        published: "0.10".into(),
        ours: format!("{low:.3} to {high:.3}"),
        agrees: low < 0.105 && after > 0.105,
        why: format!("the larger p, the more; the next factor, {next:.2}, adds {after:.3} or more"),
    }
}

fn smaller_epsilon(cells: &[Cell]) -> Finding {
    let half = cells.len() / 2;
    let pairs = cells[..half].iter().zip(&cells[half..]);
    let both = pairs.filter_map(|(small, large)| small.effect.as_ref().zip(large.effect.as_ref()));
    let compared: Vec<bool> =
        both.map(|(small, large)| small.added_miss < large.added_miss).collect();
    let (smaller, all) = (compared.iter().filter(|smaller| **smaller).count(), compared.len());
    Finding {
        subject: "figure 2: a smaller epsilon always adds a smaller chance of missing".into(),
        published: "always".into(),
        ours: format!("{smaller} of {all} cells"),
        agrees: smaller == all,
        why: match smaller == all {
            true => "epsilon = 0.001 against 0.01, cell by cell".into(),
            false => {
                "where no execution is missing (factor 0.01, large p), rounding k up decides".into()
            }
        },
    }
}

/// The smallest and the largest added chance of missing among cells that aren't grey.
fn added(cells: &[Cell], which: impl Fn(&Cell) -> bool) -> (f64, f64) {
    let effects = cells.iter().filter(|cell| which(cell)).filter_map(|cell| cell.effect.as_ref());
    effects.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), effect| {
        (low.min(effect.added_miss), high.max(effect.added_miss))
    })
}
