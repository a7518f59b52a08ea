//! Counts: how many executions does the paper ask for, and what if its p is off?
//!
//! - [`Published`]: every number of executions that the paper names;
//! - [`grid`]: the number of executions for p and epsilon from 0.001 to 0.1
//!   (figure 1);
//! - [`overestimate`]: plans for a p that is too large (figure 2);
//! - [`remarks()`]: sentences of the paper that have a number in them.
//!
//! All counts come from [`probtest::plan`]; nothing here is measured.

pub mod grid;
pub mod overestimate;

use overestimate::{Cell, EPSILONS};
use probtest::Claim;
use probtest::claim::{IntoProbability, Probability};
use probtest::plan::{Plan, epsilon_attained};

use crate::finding::Finding;

/// The executions that a claim needs.
///
/// # Panics
///
/// When p or epsilon is no probability: those of the paper are.
fn executions(p: impl IntoProbability, epsilon: impl IntoProbability) -> u64 {
    let claim = Claim::detect(p, epsilon).expect("p and epsilon are probabilities");
    let plan = Plan::new(&claim).expect("the claim has a plan");
    plan.executions()
}

/// The file of published counts.
const FILE: &str = include_str!("../../data/published_k.csv");

/// A number of executions, and where the paper names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    pub p: &'static str,
    pub epsilon: &'static str,
    pub executions: u64,
    /// The example of the paper.
    pub place: &'static str,
}

impl Published {
    /// Every count that the paper names, in its order.
    pub fn all() -> Vec<Published> {
        FILE.lines().skip(1).map(read).collect()
    }

    /// The number of executions for the same p and epsilon.
    pub fn computed(&self) -> u64 {
        executions(self.p, self.epsilon)
    }

    /// The published count beside the computed one.
    pub fn finding(&self) -> Finding {
        let computed = self.computed();
        let agrees = computed == self.executions;
        let why = match (agrees, self.p) {
            (true, "0.0039") => {
                "for p rounded as printed; for p = 1/256 exactly it is 766".to_owned()
            }
            (true, _) => "the same number".to_owned(),
            (false, _) => "the least k with p^k + (1-p)^k < epsilon is another".to_owned(),
        };
        Finding {
            subject: format!(
                "{}: executions for p = {}, epsilon = {}",
                self.place, self.p, self.epsilon
            ),
            published: self.executions.to_string(),
            ours: computed.to_string(),
            agrees,
            why,
        }
    }
}

fn read(line: &'static str) -> Published {
    let mut cells = line.splitn(4, ',');
    let mut cell = || cells.next().expect("four cells in a line");
    Published {
        p: cell(),
        epsilon: cell(),
        executions: cell().parse().expect("a whole number"),
        place: cell().trim_matches('"'),
    }
}

/// The paper's remarks on figures 1 and 2, beside what `cells` and the plans say.
pub fn remarks(cells: &[Cell]) -> Vec<Finding> {
    vec![
        sixty_executions(),
        seven_thousand_executions(),
        smallest_factor(cells),
        ten_percent(cells, EPSILONS[0], 3),
        ten_percent(cells, EPSILONS[1], 2),
        smaller_epsilon(cells),
        what_a_pass_means(),
    ]
}

fn sixty_executions() -> Finding {
    let needed = executions("0.056", "0.024");
    Finding {
        subject: "figure 1: with at most 60 executions, accuracy 97.6 % at p = 0.056".into(),
        published: "60".into(),
        ours: needed.to_string(),
        agrees: needed <= 60,
        why: format!(
            "p = 0.056 and epsilon = 0.024 need {needed} executions; 60 attain epsilon = {:.4}",
            attained("0.056", 60)
        ),
    }
}

fn seven_thousand_executions() -> Finding {
    let needed = executions("0.001", "0.001");
    Finding {
        subject: "figure 1: accuracy 99.9 % at p = 0.001".into(),
        published: "less than 7000".into(),
        ours: needed.to_string(),
        agrees: needed < 7000,
        why: "the statement is a bound, and it holds".into(),
    }
}

fn smallest_factor(cells: &[Cell]) -> Finding {
    let (low, high) = added(cells, |cell| cell.factor < 0.011);
    Finding {
        subject: "figure 2: added chance of missing at factor 0.01, all cells".into(),
        published: "0".into(),
        ours: format!("{low:.5} to {high:.5}"),
        agrees: high < 0.005,
        why: "zero when rounded to two digits, as the figure is".into(),
    }
}

/// The factor, by its place, that adds about 0.10 according to the paper.
fn ten_percent(cells: &[Cell], epsilon: &'static str, place: u16) -> Finding {
    let (_, factor) = overestimate::factor(place);
    let here = |cell: &Cell| cell.epsilon == epsilon && cell.factor == factor;
    let (low, high) = added(cells, here);
    // "Up to" this factor: it stays at 0.10 or so, and the next one does not.
    let (_, next) = overestimate::factor(place + 1);
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
    let (mut smaller, mut all) = (0, 0);
    for (small, large) in both {
        all += 1;
        smaller += usize::from(small.added_miss < large.added_miss);
    }
    Finding {
        subject: "figure 2: a smaller epsilon always adds a smaller chance of missing".into(),
        published: "always".into(),
        ours: format!("{smaller} of {all} cells"),
        agrees: smaller == all,
        why: if smaller == all {
            "epsilon = 0.001 against 0.01, cell by cell".into()
        } else {
            "where no execution is missing (factor 0.01, large p), rounding k up decides".into()
        },
    }
}

fn what_a_pass_means() -> Finding {
    Finding {
        subject: "introduction: what it means that all k executions pass".into(),
        published: "the property holds with probability 1 - epsilon".into(),
        ours: "a violation probability of p or more is missed with probability < epsilon".into(),
        agrees: false,
        why: "the theorem is about executions of a given program; it gives no probability to the \
              property"
            .into(),
    }
}

/// The least and the greatest added chance of missing, of the cells that are not
/// grey.
fn added(cells: &[Cell], which: impl Fn(&Cell) -> bool) -> (f64, f64) {
    let chosen = cells.iter().filter(|cell| which(cell));
    let effects = chosen.filter_map(|cell| cell.effect.as_ref());
    effects.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), effect| {
        (low.min(effect.added_miss), high.max(effect.added_miss))
    })
}

fn attained(p: &str, executions: u64) -> f64 {
    let p = Probability::parse(p).expect("a probability");
    let chance = epsilon_attained(&p, executions);
    chance.expect("so few executions have a chance").value()
}
