//! The words for a claim that tolerates a rate.

use std::fmt;

use serde_json::{Map, Value, json};

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

    pub(super) fn to_json(self) -> Value {
        json!({
            "seen": self.seen(),
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
        })
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
            "probtest: tolerates {}, catches {}; passed after {} of at most {} executions, {violations}{rejected}; a program that fails {} would pass {}",
            one_in(tolerate),
            one_in(p),
            self.counts.executed,
            self.counts.planned,
            one_in(p),
            at_most(self.plan.claim().epsilon())
        )
    }

    pub(super) fn too_high_line(&self, decided: u64) -> String {
        format!(
            "probtest: violated too often: {} of {decided} executions",
            self.counts.violated
        )
    }

    pub(super) fn too_high(&self, index: u64, decided: u64, section: &mut Section) {
        section.head(&self.too_high_line(decided));
        section.fact("executed", &counts(&self.counts, "not needed"));
        section.fact("claim", &super::claim_line(self.plan.claim()));
        if let Some(rate) = self.rate() {
            section.fact("rate", &rate.to_string());
        }
        if let Claim::Tolerate {
            tolerate,
            p,
            false_alarm,
            ..
        } = self.plan.claim()
        {
            section.fact(
                "meaning",
                &format!(
                    "tolerates {}, catches {}; a program that fails {} or less would be stopped like this {}",
                    one_in(tolerate),
                    one_in(p),
                    one_in(tolerate),
                    at_most(false_alarm)
                ),
            );
        }
        section.fact(
            "shown",
            &format!("execution {index}, the first that violated"),
        );
    }
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

/// The facts of a plan that stops when it has seen enough.
pub(super) fn test_json(plan: &Plan, test: &SequentialTest) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("fewest_executions", json!(test.fewest()));
    put("allowed_violations", json!(test.allowed()));
    let rate = |p: Option<&Probability>| p.and_then(|p| plan.expected_executions(p.as_f64()));
    let tolerate = plan.claim().tolerated().map(|(tolerate, _)| tolerate);
    put("expected_at_tolerate", json!(rate(tolerate)));
    put("expected_at_p", json!(rate(plan.claim().p())));
    put("false_alarm_attained", json!(test.false_alarm()));
    put("fixed_executions", json!(test.fixed().executions));
    put("fixed_allowed", json!(test.fixed().allowed));
    object
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
