//! The plan itself, and the questions it answers in reverse: what do given executions catch, and
//! what if the believed `p` is too large or too small?

use std::fmt::Display;
use std::sync::Arc;

use super::detect::{CountTooLarge, SettledCount, Tail, TailSide};
use super::{Betting, Chance, SequentialTest, cover, tolerate};
use crate::claim::{Chances, Claim, ClaimKind, Error, Probability};
use crate::math::confidence::AimedSequence;
use crate::math::search::first;

/// How many executions a claim needs, and why no fewer are enough.
///
/// ```
/// use probtest::{Claim, plan::{Certainty, Plan}};
///
/// let plan = Plan::new(&Claim::detect(0.01, 0.02)?).unwrap();
/// assert_eq!(plan.executions(), 390);
/// assert_eq!(plan.miss().to_string(), "0.01985");
/// assert_eq!(plan.miss_before().to_string(), "0.02005");
/// assert_eq!(plan.certainty(), Certainty::Exact);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    claim: Claim,
    executions: u64,
    lowest: u64,
    method: Method,
}

/// How a claim is decided.
#[derive(Debug, Clone, PartialEq)]
enum Method {
    /// By all executions together.
    Count,
    /// As they come in, by how many violated.
    Sequential(Arc<SequentialTest>),
    /// As they come in, by bets on what they return.
    Betting(Arc<Betting>),
    /// Once the interval is narrow enough.
    Aimed(AimedSequence),
}

/// Whether a count is proven to be the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The count is enough, and one execution fewer isn't.
    Exact,
    /// The count is enough; the smallest one is between `lowest` and this count.
    Between {
        /// Every count below this one is too small.
        lowest: u64,
    },
}

impl Plan {
    /// Finds the smallest number of executions that keeps the claim. With a tolerated rate, it
    /// finds the test that stops soonest; for returned values and estimates, the most executions
    /// the test can take.
    ///
    /// # Errors
    /// When that number is 2^63 or more, or `tolerate` and `p` are too close.
    pub fn new(claim: &Claim) -> Result<Plan, Error> {
        let plan =
            |executions, lowest, method| Plan { claim: claim.clone(), executions, lowest, method };
        let settled = match &claim.0 {
            ClaimKind::Detect { p, epsilon, .. } => Tail::of_both(p).settle(epsilon),
            ClaimKind::Cover { outcomes, epsilon } => cover::settle(outcomes, epsilon),
            ClaimKind::Tolerate { tolerate: rate, p, chances } => {
                let Chances { epsilon, false_alarm } = chances;
                let test = tolerate::plan([rate, &p.p, epsilon, false_alarm])?;
                let most = test.most();
                return Ok(plan(most, most, Method::Sequential(test)));
            }
            ClaimKind::Mean { .. } | ClaimKind::Fit { .. } | ClaimKind::Compare { .. } => {
                let betting = Arc::new(Betting::new(claim)?);
                let most = betting.executions();
                return Ok(plan(most, most, Method::Betting(betting)));
            }
            ClaimKind::Estimate { width, confidence } => {
                let sequence = AimedSequence::new(*width, *confidence)?;
                let most = sequence.most_executions();
                return Ok(plan(most, most, Method::Aimed(sequence)));
            }
        };
        let inputs = claim.inputs().unwrap_or(1);
        let log10 = match settled {
            Ok(SettledCount { count, lowest }) => match count.checked_mul(inputs) {
                Some(all) if all < 1 << 63 => return Ok(plan(all, lowest * inputs, Method::Count)),
                _ => (count as f64).log10(),
            },
            Err(CountTooLarge { log10 }) => log10,
        };
        Err(infeasible(claim, log10 + (inputs as f64).log10()))
    }

    /// The claim that this plan keeps.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// How many executions each input gets, if the claim is about each of several inputs.
    ///
    /// ```
    /// use probtest::plan::Plan;
    ///
    /// let plan = Plan::new(&probtest::detect(0.01).epsilon(0.02).inputs(50).claim()?)?;
    /// assert_eq!((plan.executions(), plan.for_each_input()), (19_500, Some(390)));
    /// assert_eq!(plan.miss().to_string(), "0.01985");
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn for_each_input(&self) -> Option<u64> {
        Some(self.executions / self.claim.inputs()?)
    }

    /// How many executions are enough; for a claim with `tolerate`, the most it can take.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// The test that decides while executions come in, if a rate is tolerated.
    pub fn sequential(&self) -> Option<&SequentialTest> {
        let Method::Sequential(test) = &self.method else { return None };
        Some(test)
    }

    /// The bets that decide a claim on what executions return.
    pub fn betting(&self) -> Option<&Betting> {
        let Method::Betting(betting) = &self.method else { return None };
        Some(betting)
    }

    /// The intervals of an estimate.
    pub(crate) fn aimed(&self) -> Option<AimedSequence> {
        let Method::Aimed(sequence) = &self.method else { return None };
        Some(*sequence)
    }

    /// The chance of missing what the test looks for: below epsilon, or with `tolerate` at most
    /// epsilon.
    pub fn miss(&self) -> Chance {
        self.miss_within(self.executions)
    }

    /// The chance that the first `executions` of the plan don't catch a program with the violation
    /// probability you must catch. If a rate is tolerated: the chance that such a program is
    /// accepted when the test is cut short after them.
    ///
    /// ```
    /// use probtest::{Claim, plan::Plan};
    ///
    /// let detect = Plan::new(&Claim::detect(0.01, 0.02)?)?;
    /// assert_eq!(detect.miss_within(212).to_string(), "0.1188");
    /// let tolerate = Plan::new(&Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?)?;
    /// assert!(tolerate.miss_within(3).value() > 0.999);
    /// assert!(tolerate.miss_within(1500).value() < 0.2);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn miss_within(&self, executions: u64) -> Chance {
        match self.sequential() {
            Some(test) if executions >= test.most() => of_walk(test.miss()),
            Some(test) => match test.accepted_within(executions) {
                certain if certain >= 1.0 => Chance::one(),
                value => of_walk(value),
            },
            None => match of_each(&self.claim, executions) {
                0 => Chance::one(),
                _ => miss(&self.claim, executions),
            },
        }
    }

    /// The chance that this many executions show no violation, for a program with the violation
    /// probability you must catch. For a claim about violations, [`Plan::miss_within`] is larger:
    /// the plan must also show a pass, so it counts missing either.
    ///
    /// ```
    /// use probtest::{Claim, plan::Plan};
    ///
    /// let coin = Plan::new(&Claim::detect(0.5, 0.05)?)?;
    /// assert_eq!(coin.violation_missed_within(6).to_string(), "0.01563");
    /// assert_eq!(coin.miss_within(6).to_string(), "0.03125");
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn violation_missed_within(&self, executions: u64) -> Chance {
        match &self.claim.0 {
            ClaimKind::Detect { p, epsilon, .. } if of_each(&self.claim, executions) > 0 => {
                Tail::of_one(p).chance(of_each(&self.claim, executions), Some(epsilon))
            }
            _ => self.miss_within(executions),
        }
    }

    /// The rate that is still caught when a plan with a tolerated rate is cut short after this many
    /// executions: this violation rate, and every larger one, is accepted with probability at most
    /// epsilon. `None` if no rate below 1 is, or if the claim tolerates no rate.
    ///
    /// ```
    /// use probtest::{Claim, plan::Plan};
    ///
    /// let plan = Plan::new(&Claim::tolerate(0.05, 0.1, 0.05, 1e-6)?)?;
    /// assert_eq!(format!("{:.3}", plan.rate_caught_within(60).unwrap()), "0.285");
    /// assert_eq!(format!("{:.3}", plan.rate_caught_within(3).unwrap()), "0.983");
    /// assert_eq!(plan.rate_caught_within(0), None);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn rate_caught_within(&self, executions: u64) -> Option<f64> {
        self.sequential()?.rate_caught_within(executions)
    }

    /// The chance of failing a program at the tolerated rate; at most `false_alarm`. `None` if
    /// nothing is tolerated.
    pub fn false_alarm(&self) -> Option<Chance> {
        Some(of_walk(self.sequential()?.false_alarm()))
    }

    /// The chance that a program with this violation rate passes.
    ///
    /// `None` for a rate outside 0 to 1, and for a claim about outcomes, whose verdict doesn't
    /// depend on the violation rate alone.
    ///
    /// ```
    /// use probtest::{Claim, plan::Plan};
    ///
    /// let detect = Plan::new(&Claim::detect(0.01, 0.05)?)?;
    /// assert_eq!(format!("{:.2}", detect.chance_of_passing(0.001).unwrap()), "0.74");
    /// let tolerate = Plan::new(&Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?)?;
    /// assert!(tolerate.chance_of_passing(0.001).unwrap() >= 1.0 - 1e-6);
    /// assert!(tolerate.chance_of_passing(0.01).unwrap() <= 0.05);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn chance_of_passing(&self, rate: f64) -> Option<f64> {
        let rate = known_rate(rate)?;
        match (&self.claim.0, self.sequential()) {
            (_, Some(test)) => Some(test.chance_of_passing(rate)),
            (ClaimKind::Detect { .. }, None) => {
                Some((self.executions as f64 * (-rate).ln_1p()).exp())
            }
            _ => None,
        }
    }

    /// The expected number of executions for a program with this violation rate.
    ///
    /// `None` whenever [`Plan::chance_of_passing`] is.
    ///
    /// ```
    /// use probtest::{Claim, plan::Plan};
    ///
    /// let plan = Plan::new(&Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?)?;
    /// let expected = |rate| plan.expected_executions(rate).unwrap().round();
    /// assert_eq!((expected(0.0), expected(0.001), expected(0.01)), (336.0, 451.0, 936.0));
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn expected_executions(&self, rate: f64) -> Option<f64> {
        let rate = known_rate(rate)?;
        match (&self.claim.0, self.sequential()) {
            (_, Some(test)) => Some(test.expected_executions(rate)),
            (ClaimKind::Detect { .. }, None) if rate == 0.0 => Some(self.executions as f64),
            (ClaimKind::Detect { .. }, None) => {
                Some(-(self.executions as f64 * (-rate).ln_1p()).exp_m1() / rate)
            }
            _ => None,
        }
    }

    /// The same chance as [`Plan::miss`] for one execution fewer; at least epsilon. With `tolerate`
    /// it is 1, because a test that is cut short promises nothing.
    pub fn miss_before(&self) -> Chance {
        miss(&self.claim, self.executions - 1)
    }

    /// Whether the count is proven to be the smallest.
    pub fn certainty(&self) -> Certainty {
        if self.lowest == self.executions {
            Certainty::Exact
        } else {
            Certainty::Between { lowest: self.lowest }
        }
    }
}

fn infeasible(claim: &Claim, log10: f64) -> Error {
    let power = log10.floor();
    let about = format!("{:.3}e{power}", 10f64.powf(log10 - power));
    let (given, raise) = match &claim.0 {
        ClaimKind::Detect { p, epsilon, .. } => (format!("p = {p}, epsilon = {epsilon}"), "p"),
        ClaimKind::Cover { outcomes, epsilon } => {
            (format!("outcomes = {outcomes}, epsilon = {epsilon}"), "the rarest outcome")
        }
        _ => unreachable!("other plans have errors of their own"),
    };
    Error::new(
        format!("the claim needs about {about} executions, but a plan holds fewer than 2^63"),
        given,
        format!("raise {raise} or epsilon"),
    )
}

fn known_rate(rate: f64) -> Option<f64> {
    (0.0..=1.0).contains(&rate).then_some(rate)
}

/// A chance from a walk, correct to at least nine digits.
fn of_walk(value: f64) -> Chance {
    Chance::from_f64(value, 30)
}

/// How many of these executions go to the input that gets the fewest, because inputs take turns.
/// All of them if each execution has its own input.
pub(crate) fn of_each(claim: &Claim, executions: u64) -> u64 {
    executions / claim.inputs().unwrap_or(1)
}

/// The chance of missing what the claim looks for after this many executions; the claim's epsilon
/// only sets how precisely it is computed. A test with `tolerate` that is cut short promises
/// nothing: its chance is 1 until its plan is finished.
pub fn miss(claim: &Claim, executions: u64) -> Chance {
    match &claim.0 {
        ClaimKind::Detect { p, epsilon, .. } => {
            Tail::of_both(p).chance(of_each(claim, executions), Some(epsilon))
        }
        ClaimKind::Cover { outcomes, epsilon } => cover::chance(outcomes, executions, epsilon),
        ClaimKind::Tolerate { .. } => match Plan::new(claim) {
            Ok(plan) if executions >= plan.executions() => plan.miss(),
            _ => Chance::one(),
        },
        // The others promise epsilon once they decide, and nothing before.
        _ => Chance::one(),
    }
}

/// The chance that this many executions show no violation.
pub fn violation_missed(p: &Probability, executions: u64) -> Chance {
    Tail::of_one(p).chance(executions, None)
}

/// The epsilon that this many executions achieve for a violation probability.
///
/// # Errors
/// When there are no executions.
pub fn epsilon_attained(p: &Probability, executions: u64) -> Result<Chance, Error> {
    if executions == 0 {
        return Err(Error::new(
            "0 executions show nothing",
            "0 executions",
            "ask about at least 1 execution",
        ));
    }
    Ok(Tail::of_both(p).chance(executions, None))
}

/// Compares the plan for a believed `p` with the plan that the true `p` needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The true violation probability.
    pub p: Probability,
    /// The violation probability that the plan was made for.
    pub believed: Probability,
    /// The executions that `p` needs.
    pub executions: u64,
    /// The executions that were planned.
    pub executions_believed: u64,
    /// How many executions are missing; negative if there are more than needed.
    pub short: i128,
    /// The chance of missing `p` with the planned executions.
    pub miss: Chance,
    /// How far that is above epsilon; negative if it is below.
    pub added_miss: f64,
}

/// What a plan for `believed` achieves when the violation probability is `p`.
///
/// # Errors
/// When one of the two plans needs 2^63 executions or more.
pub fn sensitivity(
    p: &Probability,
    believed: &Probability,
    epsilon: &Probability,
) -> Result<Sensitivity, Error> {
    let executions = Plan::new(&Claim::detect(p, epsilon)?)?.executions();
    let executions_believed = Plan::new(&Claim::detect(believed, epsilon)?)?.executions();
    let miss = epsilon_attained(p, executions_believed)?;
    Ok(Sensitivity {
        p: p.clone(),
        believed: believed.clone(),
        executions,
        executions_believed,
        short: i128::from(executions) - i128::from(executions_believed),
        added_miss: miss.above(epsilon),
        miss,
    })
}

/// Overestimates `p` by a factor: `p + p * factor`, exactly.
///
/// The factor is a number or a string: `0.56`, `"1/3"`, or a negative one above -1 to
/// underestimate.
///
/// # Errors
/// When the factor isn't a number, or the result isn't strictly between 0 and 1.
pub fn overestimated(p: &Probability, factor: impl Display) -> Result<Probability, Error> {
    p.enlarged(&factor.to_string())
}

/// Finds the smallest `p`, as a float, for which this many executions are enough.
///
/// # Errors
/// When so few executions don't even catch `p = 1/2`, which is caught soonest. The error says how
/// many it would take.
///
/// ```
/// use probtest::{claim::{Claim, Probability}, plan::{Plan, smallest_p}};
///
/// let epsilon = Probability::from_f64(0.05)?;
/// let p = smallest_p(299, &epsilon).unwrap();
/// assert_eq!(p.to_string(), "0.009969146792899272");
/// assert_eq!(Plan::new(&Claim::detect(&p, &epsilon)?).unwrap().executions(), 299);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn smallest_p(executions: u64, epsilon: &Probability) -> Result<Probability, Error> {
    let enough = |p: &Probability| Tail::of_both(p).side(epsilon, executions) == TailSide::Below;
    let half = Probability::from_ratio(1, 2)?;
    if !enough(&half) {
        let needed = Plan::new(&Claim::detect(half, epsilon)?)?.executions();
        let counted = |count: u64| match count {
            1 => "1 execution".to_owned(),
            more => format!("{more} executions"),
        };
        let catch = if executions == 1 { "catches" } else { "catch" };
        return Err(Error::new(
            format!("{} {catch} nothing: even p = 1/2 needs {needed}", counted(executions)),
            format!("{}, epsilon = {epsilon}", counted(executions)),
            format!("allow at least {} or raise epsilon", counted(needed)),
        ));
    }
    // Positive floats sort like their bits, and so do their decimals.
    let float = |bits| Probability::from_f64(f64::from_bits(bits));
    let near = -epsilon.ln() / executions as f64;
    let bits =
        first(near.to_bits(), (1, 0.5f64.to_bits()), |bits| float(bits).is_ok_and(|p| enough(&p)));
    float(bits)
}
