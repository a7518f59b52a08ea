//! What other ways of testing do, for contrast.

use super::intervals::Endings;
use super::{library, tolerate, walk};

/// A method, what is commonly taken for its error, and its true one.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// What is done.
    pub method: String,
    /// What the program does.
    pub program: String,
    /// Which answer is wrong.
    pub error: &'static str,
    /// What the method is commonly thought to promise; nothing if no promise is made.
    pub believed: Option<f64>,
    /// How often the wrong answer comes, exactly.
    pub true_error: f64,
}

/// The executions over which a test is looked at again and again.
const PEEKS: u64 = 400;
const PEEK_RATE: f64 = 0.1;
/// The claim after which an interval is quoted that is not made for that.
const STOPPED: [f64; 4] = [0.05, 0.1, 0.01, 0.01];
const RATES: u32 = 40;

/// Computes the errors of methods that promise less than it seems.
pub fn contrasts() -> Vec<Contrast> {
    let mut rows = Vec::new();
    let plan = library::detect(0.01, 0.05);
    for (part, words) in [
        (0.01, "p / 100"),
        (0.1, "p / 10"),
        (0.2, "p / 5"),
        (0.5, "p / 2"),
    ] {
        let passes = plan.chance_of_passing(0.01 * part).unwrap_or(f64::NAN);
        rows.push(Contrast {
            method: "fail at the first violation: p = 0.01, epsilon = 0.05, 299 executions"
                .to_owned(),
            program: format!("violates at {words}"),
            error: "fails",
            believed: None,
            true_error: 1.0 - passes,
        });
    }
    rows.push(Contrast {
        method: format!("a binomial test at 5 %, looked at after each of {PEEKS} executions"),
        program: format!("violates at {PEEK_RATE}, as it may"),
        error: "fails",
        believed: Some(0.05),
        true_error: peeking(PEEK_RATE, 0.05, PEEKS),
    });
    let claim = tolerate::two_sided([0.001, 0.01, 0.05, 0.05]);
    rows.push(Contrast {
        method: format!("Wald's textbook boundaries: {}", tolerate::name(claim)),
        program: "violates at p".to_owned(),
        error: "passes",
        believed: Some(claim.epsilon),
        true_error: walk::wald_misses(&claim),
    });
    let (rate, lost) = worst_of_clopper_pearson();
    let claim = tolerate::two_sided(STOPPED);
    rows.push(Contrast {
        method: format!(
            "Clopper-Pearson at 95 % after the stop of {}",
            tolerate::name(claim)
        ),
        program: format!("{}, the worst of {RATES} rates", tolerate::program(rate)),
        error: "loses the rate",
        believed: Some(0.05),
        true_error: lost,
    });
    rows
}

/// The rate, from `p` / 20 to 2 `p`, at which the interval loses most.
fn worst_of_clopper_pearson() -> (f64, f64) {
    let claim = tolerate::two_sided(STOPPED);
    let endings = Endings::clopper_pearson(claim);
    let rates = (1..=RATES).map(|step| f64::from(step) * claim.p / 20.0);
    let lost = rates.map(|rate| (rate, endings.lost(rate)));
    lost.max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((f64::NAN, f64::NAN))
}

/// The chance that a one-sided test of the rate, at a level, ever rejects the true
/// one when it is looked at after each execution.
fn peeking(rate: f64, level: f64, executions: u64) -> f64 {
    // Chances of each count: of all, and of those that no look has rejected.
    let (mut all, mut going) = (vec![1.0], vec![1.0]);
    for _ in 1..=executions {
        all = one_more(&all, rate);
        going = one_more(&going, rate);
        // From the top: the counts that are too high to be chance.
        let mut tail = 0.0;
        for (chance, undecided) in all.iter().zip(&mut going).rev() {
            tail += chance;
            if tail > level {
                break;
            }
            *undecided = 0.0;
        }
    }
    1.0 - going.iter().sum::<f64>()
}

fn one_more(counts: &[f64], rate: f64) -> Vec<f64> {
    let mut next = vec![0.0; counts.len() + 1];
    for (count, chance) in counts.iter().enumerate() {
        next[count] += chance * (1.0 - rate);
        next[count + 1] += chance * rate;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_once_at_a_fair_coin_rejects_as_often_as_it_says() {
        // One execution can only reject at a level of one half.
        assert_eq!(peeking(0.5, 0.5, 1), 0.5);
        // Heads first; or tails, then nothing within one look: 3 of 4 heads are 5/16.
        assert_eq!(peeking(0.5, 0.25, 2), 0.25);
    }
}
