//! How other ways of testing perform, for contrast.

use super::intervals::Endings;
use super::{library, tolerate, walk};

/// A method, what is commonly taken for its error, and its true error.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// What is done.
    pub method: String,
    /// What the program does.
    pub program: String,
    /// Which answer is wrong.
    pub error: &'static str,
    /// What the method is commonly thought to promise; `None` if it promises nothing.
    pub believed: Option<f64>,
    /// How often the wrong answer occurs, exactly.
    pub true_error: f64,
}

/// The number of executions after each of which a test is checked.
const PEEKS: u64 = 400;
const PEEK_RATE: f64 = 0.1;
/// The claim after which an interval is quoted that isn't valid for it.
const STOPPED: [f64; 4] = [0.05, 0.1, 0.01, 0.01];
const RATES: u32 = 40;
/// How often two versions are executed by hand.
const THIRTY: u64 = 30;
/// The number of pairs after each of which Fisher's test is checked.
const PAIRS: usize = 200;
/// The probability that both versions together violate more often is negligible.
const MOST_COUNTED: usize = 110;

/// Computes the errors of methods that promise less than it seems.
pub fn contrasts() -> Vec<Contrast> {
    let mut rows = Vec::new();
    let plan = library::detect(0.01, 0.05);
    for (part, words) in [(0.01, "p / 100"), (0.1, "p / 10"), (0.2, "p / 5"), (0.5, "p / 2")] {
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
        method: format!("Clopper-Pearson at 95 % after the stop of {}", tolerate::name(claim)),
        program: format!("{}, the worst of {RATES} rates", tolerate::program(rate)),
        error: "loses the rate",
        believed: Some(0.05),
        true_error: lost,
    });
    for rate in [0.02, 0.1] {
        rows.push(Contrast {
            method: format!(
                "{THIRTY} executions of each version, worse where the new one violates more often"
            ),
            program: format!("both versions violate at {rate}"),
            error: "is called worse",
            believed: None,
            true_error: more_of(THIRTY, rate),
        });
    }
    rows.push(Contrast {
        method: format!(
            "Fisher's test of two versions at 5 %, looked at after each of {PAIRS} pairs"
        ),
        program: format!("both versions violate at {PEEK_RATE}"),
        error: "is called worse",
        believed: Some(0.05),
        true_error: peeking_at_two(PEEK_RATE, 0.05, PAIRS),
    });
    rows
}

/// The chance that a given one of two versions with the same rate violates more often in this many
/// executions.
fn more_of(executions: u64, rate: f64) -> f64 {
    let counts = (0..executions).fold(vec![1.0], |counts, _| one_more(&counts, rate));
    let fewer = counts.iter().scan(0.0, |sum, chance| {
        let before = *sum;
        *sum += chance;
        Some(before)
    });
    counts.iter().zip(fewer).map(|(new, old)| new * old).sum()
}

/// The chance that Fisher's one-sided test, at a given level, ever calls the second of two versions
/// with the same rate worse if it is checked after each pair.
fn peeking_at_two(rate: f64, level: f64, pairs: usize) -> f64 {
    // The chances of each pair of counts that no check has rejected: old, then new.
    let mut going = vec![vec![1.0]];
    for pair in 1..=pairs {
        let most = pair.min(MOST_COUNTED);
        let mut next = vec![vec![0.0; most + 1]; most + 2];
        for (old, row) in going.iter().enumerate() {
            for (new, chance) in one_more(row, rate).into_iter().take(most + 1).enumerate() {
                next[old][new] += chance * (1.0 - rate);
                next[old + 1][new] += chance * rate;
            }
        }
        next.truncate(most + 1);
        // The logarithms of the binomial coefficients.
        let chosen: Vec<f64> = (0..=most)
            .scan(0.0, |log, k| {
                let now = *log;
                *log += ((pair - k) as f64 / (k + 1) as f64).ln();
                Some(now)
            })
            .collect();
        for sum in 0..=(2 * pair).min(MOST_COUNTED) {
            let counts = sum.saturating_sub(pair)..=sum.min(pair);
            // From the top: the violations of the new version that are too many for that sum.
            let ways = |new: usize| (chosen[new] + chosen[sum - new] - chosen[sum / 2]).exp();
            let all: f64 = counts.clone().map(ways).sum();
            let mut tail = 0.0;
            for new in counts.rev() {
                tail += ways(new);
                if tail > level * all {
                    break;
                }
                next[sum - new][new] = 0.0;
            }
        }
        going = next;
    }
    1.0 - going.iter().flatten().sum::<f64>()
}

/// The rate, from `p` / 20 to 2 `p`, at which the interval loses most.
fn worst_of_clopper_pearson() -> (f64, f64) {
    let claim = tolerate::two_sided(STOPPED);
    let endings = Endings::clopper_pearson(claim);
    let rates = (1..=RATES).map(|step| f64::from(step) * claim.p / 20.0);
    let lost = rates.map(|rate| (rate, endings.lost(rate)));
    lost.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN))
}

/// The chance that a one-sided test of the rate, at a given level, ever rejects the true one if it
/// is checked after each execution.
fn peeking(rate: f64, level: f64, executions: u64) -> f64 {
    // The chances of each count: of all, and of those that no check has rejected.
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
