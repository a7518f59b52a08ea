//! The words for a claim that tolerates a rate.

use std::fmt;

use probtest_facts::{PlanFacts, Rate as RateFacts};

use super::Report;
use super::text::{Section, counts, plural};
use crate::claim::{Claim, Probability};
use crate::judge::{Finding, Reason, Verdict, stopped};
use crate::plan::{Plan, SequentialTest};

/// The confidence of the interval that is reported for a rate.
pub const RATE_CONFIDENCE: f64 = 0.95;

/// The violation rate that was seen, and those that fit it.
///
/// ```
/// use probtest::{Claim, Options};
///
/// let claim = Claim::tolerate(0.01, 0.1, 0.05, 1e-6)?;
/// let report = probtest::run(&claim, Options::new("rare").seed(1), |rng| {
///     rng.draw_u64() % 1000 != 0
/// })?;
/// let rate = report.rate().unwrap();
/// assert!(rate.low <= 0.001 && 0.001 <= rate.high);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The executions that violated.
    pub violations: u64,
    /// The executions that counted.
    pub executions: u64,
    /// The lowest rate that fits.
    pub low: f64,
    /// The highest rate that fits.
    pub high: f64,
    /// How often such an interval holds the true rate, at least.
    pub confidence: f64,
}

impl Rate {
    /// The part of the executions that violated.
    pub fn seen(&self) -> f64 {
        self.violations as f64 / self.executions as f64
    }

    pub(super) fn facts(self) -> RateFacts {
        RateFacts {
            seen: Some(self.seen()),
            low: self.low,
            high: self.high,
            confidence: self.confidence,
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} violated; the violation rate lies between {} and {} with confidence {}",
            self.violations,
            self.executions,
            outward(self.low, false),
            outward(self.high, true),
            self.confidence
        )
    }
}

/// Three digits, rounded away from the interval.
fn outward(value: f64, up: bool) -> String {
    if value <= 0.0 {
        return "0".into();
    }
    if value >= 1.0 {
        return "1".into();
    }
    let power = value.log10().floor() as i32;
    let scale = 10f64.powi(2 - power);
    let scaled = value * scale;
    let digits = if up { scaled.ceil() } else { scaled.floor() };
    if power >= -4 {
        let places = usize::try_from(2 - power).unwrap_or(0);
        let text = format!("{:.places$}", digits / scale);
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{:e}", (digits / 100.0) * 10f64.powi(power))
    }
}

impl Report {
    /// Returns the violation rate with an interval that is valid although the
    /// test stopped when it had seen enough. None where no rate is tolerated:
    /// a test that ends at its first violation says nothing about a rate.
    pub fn rate(&self) -> Option<Rate> {
        let test = self.plan.sequential()?;
        if matches!(
            self.verdict,
            Verdict::Violated(Finding::Execution { .. })
                | Verdict::Inconclusive(Reason::Replayed { .. })
        ) {
            return None;
        }
        let (executions, violations) = (self.counts.executed, self.counts.violated);
        let found = stopped::interval(test, executions, violations, RATE_CONFIDENCE);
        let (low, high) = found.ok()?;
        Some(Rate {
            violations,
            executions,
            low,
            high,
            confidence: RATE_CONFIDENCE,
        })
    }

    pub(super) fn tolerated_line(&self, tolerate: &Probability, p: &Probability) -> String {
        let violations = match self.counts.violated {
            0 => "no violation".into(),
            n => plural(n, "violation"),
        };
        let rejected = match self.counts.rejected {
            0 => String::new(),
            n => format!(", {n} rejected"),
        };
        format!(
            "probtest: tolerates {}, catches {}; passed after {} of at most {} executions, {violations}{rejected}; {}",
            one_in(tolerate),
            one_in(p),
            self.counts.executed,
            self.counts.planned,
            self.pass_meaning()
        )
    }

    pub(super) fn too_high_line(&self) -> String {
        format!(
            "probtest: violated too often: {} of {}",
            self.counts.violated,
            plural(self.counts.executed, "execution")
        )
    }

    pub(super) fn too_high(&self, index: u64, first: u64, section: &mut Section) {
        section.head(&self.too_high_line());
        section.fact("executed", &counts(&self.counts, "not needed"));
        section.fact("claim", &super::claim_line(self.plan.claim()));
        if let Some(rate) = self.rate() {
            section.fact("rate", &rate.to_string());
        }
        if let Some(meaning) = self.rate_meaning() {
            section.fact("meaning", &meaning);
        }
        section.fact(
            "shown",
            &format!(
                "execution {index}, which decided; the first to violate was execution {first}"
            ),
        );
    }

    /// What it says that a rate is too high.
    pub(super) fn rate_meaning(&self) -> Option<String> {
        let Claim::Tolerate {
            tolerate,
            p,
            false_alarm,
            ..
        } = self.plan.claim()
        else {
            return None;
        };
        Some(format!(
            "tolerates {}, catches {}; a program that fails {} or less would be stopped like this {}",
            one_in(tolerate),
            one_in(p),
            one_in(tolerate),
            at_most(false_alarm)
        ))
    }
}

/// What it says that a rate was tolerated.
pub(super) fn tolerated_meaning(p: &Probability, epsilon: &Probability) -> String {
    format!(
        "a program that fails {} would pass {}",
        one_in(p),
        at_most(epsilon)
    )
}

/// Writes a plan that stops when it has seen enough.
pub(super) fn plan_text(plan: &Plan, test: &SequentialTest) -> String {
    let claim = plan.claim();
    let mut section = Section::begin(&format!(
        "{} to {}",
        test.fewest(),
        plural(test.most(), "execution")
    ));
    section.fact("claim", &super::promise(claim));
    if let Claim::Tolerate {
        tolerate,
        p,
        epsilon,
        false_alarm,
    } = claim
    {
        let expected = |rate: f64| {
            let executions = plan.expected_executions(rate).unwrap_or(0.0);
            format!("{executions:.0}")
        };
        section.fact(
            "expected",
            &format!(
                "{} without a violation, {} at {tolerate}, {} at {p}",
                test.fewest(),
                expected(tolerate.as_f64()),
                expected(p.as_f64())
            ),
        );
        section.fact(
            "most",
            &format!(
                "{}; at most {} may pass",
                plural(test.most(), "execution"),
                plural(test.allowed(), "violation")
            ),
        );
        let fixed = test.fixed();
        section.fact(
            "compare",
            &format!(
                "{} for a test that looks only at the end and allows {}",
                plural(fixed.executions, "execution"),
                plural(fixed.allowed, "violation")
            ),
        );
        section.fact("miss", &plan.miss().display_against(epsilon));
        if let Some(alarm) = plan.false_alarm() {
            section.fact("alarm", &alarm.display_against(false_alarm));
        }
    }
    section.text
}

/// Adds the facts of a plan that stops when it has seen enough.
pub(super) fn sequential_facts(plan: &Plan, test: &SequentialTest, facts: PlanFacts) -> PlanFacts {
    let expected = |p: Option<&Probability>| p.and_then(|p| plan.expected_executions(p.as_f64()));
    let tolerate = plan.claim().tolerated().map(|(tolerate, _)| tolerate);
    PlanFacts {
        fewest_executions: Some(test.fewest()),
        allowed_violations: Some(test.allowed()),
        expected_at_tolerate: expected(tolerate),
        expected_at_p: expected(plan.claim().p()),
        false_alarm_attained: Some(test.false_alarm()),
        fixed_executions: Some(test.fixed().executions),
        fixed_allowed: Some(test.fixed().allowed),
        ..facts
    }
}

/// Writes `p`, and that it is ten times `tolerate` where it is.
pub(super) fn with_origin(tolerate: &Probability, p: &Probability) -> String {
    match Claim::p_beside(tolerate) {
        Ok(ten_times) if ten_times == *p => format!("{p} (ten times tolerate)"),
        _ => p.to_string(),
    }
}

/// Writes a rate as "1 in 1000", where that is short.
fn one_in(rate: &Probability) -> String {
    let (num, den) = rate.parts();
    let (num, den) = (num.to_string(), den.to_string());
    if den.len() <= 12 {
        format!("{num} in {den}")
    } else {
        format!("with probability {rate}")
    }
}

/// Writes how often something may happen: in percent, where that reads well.
fn at_most(chance: &Probability) -> String {
    let text = chance.to_string();
    let percent = chance.as_f64() * 100.0;
    let rounded = (percent * 1e6).round() / 1e6;
    if percent >= 0.1 && (rounded - percent).abs() < 1e-9 && !text.contains('/') {
        format!("at most {rounded} % of the time")
    } else {
        format!("with probability at most {text}")
    }
}
