//! Texts that each kind of claim has of its own, and those they share.

use std::borrow::Cow;
use std::fmt::Write;
use std::time::Duration;

use probtest_facts as form;

use super::Report;
use super::returned::{CompareWords, FitWords, MeanWords};
use super::violations::{CoverWords, DetectWords, EstimateWords, TolerateWords};
use crate::claim::{Claim, ClaimKind, Probability};
use crate::judge::Reason;
use crate::math::interval::clopper_pearson;
use crate::plan::Plan;
use crate::settings::Progress;

/// The first line of what was achieved, which is enough for a head line.
pub(super) fn first_line(text: Option<String>) -> String {
    let text = text.unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

/// What one kind of claim says in its own words.
pub(super) trait ClaimWords {
    /// The claim as the options that make it.
    fn claim_line(&self) -> String;

    /// What the claim promises.
    fn promise(&self) -> String;

    /// The claim for programs: adds what no other kind has.
    fn facts(&self, shared: form::Claim) -> form::Claim {
        shared
    }

    /// How the claim was missed, by evidence that no other kind can have.
    fn missed(&self, _report: &Report) -> Option<String> {
        None
    }

    /// The plan: the answer first, then the facts.
    fn plan_text(&self, plan: &Plan) -> String {
        let mut section =
            Section::begin(&format!("at most {}", plural(plan.executions(), "execution")));
        section.fact("claim", &self.promise());
        section.text
    }

    /// The head line of a pass, or of a finding that only this claim has.
    fn head(&self, report: &Report) -> String;

    /// The same after a budget, or for an inconclusive test, where it is not the usual one.
    fn undecided_head(&self, report: &Report) -> Option<String> {
        report.is_within_budget().then(|| first_line(self.achieved(report)))
    }

    /// What the verdict means, in a sentence.
    fn meaning(&self, report: &Report) -> Option<String>;

    /// What was seen besides counts, in short.
    fn observed(&self, _report: &Report) -> Option<String> {
        None
    }

    /// What a test that was cut short has achieved; none where that is what was observed.
    fn achieved(&self, _report: &Report) -> Option<String> {
        None
    }

    /// Why there is no verdict, and what to do, where this claim has words of its own: a
    /// budget that ended it, or what it cannot read. `asked` says whether the test would
    /// accept what was attained.
    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)>;

    /// What is said about the execution to look at, after its number.
    fn address_words(&self, _report: &Report) -> String {
        String::new()
    }
}

/// The words for a claim.
pub(super) fn words(claim: &Claim) -> Box<dyn ClaimWords + '_> {
    match &claim.0 {
        ClaimKind::Detect { p, epsilon, .. } => Box::new(DetectWords { claim, p, epsilon }),
        ClaimKind::Cover { outcomes, epsilon } => Box::new(CoverWords { outcomes, epsilon }),
        ClaimKind::Tolerate { tolerate, p, chances } => {
            Box::new(TolerateWords { tolerate, p, chances })
        }
        ClaimKind::Mean { mean, chances } => Box::new(MeanWords { mean, chances }),
        ClaimKind::Fit { fit, chances } => Box::new(FitWords { fit, chances }),
        ClaimKind::Compare { compare, chances } => Box::new(CompareWords { compare, chances }),
        ClaimKind::Estimate { width, confidence } => Box::new(EstimateWords { width, confidence }),
    }
}

/// Writes a claim as the options that make it.
pub fn claim_line(claim: &Claim) -> String {
    words(claim).claim_line()
}

/// What the claim promises, as a sentence.
pub fn promise(claim: &Claim) -> String {
    words(claim).promise()
}

/// Writes a plan: the answer first, then the facts.
pub fn plan_text(plan: &Plan) -> String {
    words(plan.claim()).plan_text(plan)
}

/// Writes a number with its noun, in the plural if needed.
pub fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// How many violations there were.
pub(super) fn violations(count: u64) -> String {
    match count {
        0 => "no violation".into(),
        n => plural(n, "violation"),
    }
}

/// What to print about a test that will take long, once that is known: how many executions, and
/// about how much time. None for one that is over soon.
pub fn long_run(progress: &Progress) -> Option<String> {
    const LONG: f64 = 600.0;
    /// By then the first executions, which load and compile, are not all there is.
    const KNOWN: Duration = Duration::from_secs(2);
    if progress.elapsed < KNOWN || progress.executed == 0 {
        return None;
    }
    let each = progress.elapsed.as_secs_f64() / progress.executed as f64;
    let left = each * progress.planned.saturating_sub(progress.executed) as f64;
    if left < LONG {
        return None;
    }
    let (unit, name) = [(31_557_600.0, "year"), (86_400.0, "day"), (3600.0, "hour")]
        .into_iter()
        .find(|(unit, _)| left >= 2.0 * unit)
        .unwrap_or((60.0, "minute"));
    let about = short((left / unit).round());
    let (left, help) = match progress.may_end_sooner {
        false => ("about", "set a time limit, or raise p or epsilon"),
        true => ("up to", "the verdict may come much sooner; if not, set a time limit"),
    };
    Some(format!(
        "{} of at most {} executions after {:.0} s; {left} {about} {name}s left\n  help   {help}",
        progress.executed,
        progress.planned,
        progress.elapsed.as_secs_f64()
    ))
}

/// How many were rejected, after a comma; nothing when none was.
pub(super) fn rejected(count: u64) -> String {
    match count {
        0 => String::new(),
        n => format!(", {n} rejected"),
    }
}

/// The lowest and the highest share that fit what was seen, with confidence 0.95.
pub(super) fn fitting(seen: u64, executed: u64) -> (f64, f64) {
    // Counts that were made here are in range.
    clopper_pearson(seen, executed.max(1), 0.95).unwrap_or((0.0, 1.0))
}

/// Rounds up to three digits, never below what is given.
pub(crate) fn round_up_exact(p: &Probability) -> String {
    let value = p.as_f64();
    let exponent = value.log10().floor() as i32;
    let places = (2 - exponent).max(0);
    let write = |digits: f64| match places <= 12 {
        true => format!("{:.*}", places as usize, digits / 10_f64.powi(places)),
        false => format!("{}e{exponent}", digits / 100.0),
    };
    let digits = match places <= 12 {
        true => (value * 10_f64.powi(places)).ceil(),
        // The power itself may be more than a float holds.
        false => (10_f64.powf(value.log10() - f64::from(exponent)) * 100.0).ceil(),
    };
    // A product that was rounded down may have lost what is to be rounded up.
    let texts = [digits, digits + 1.0, digits + 2.0].map(write);
    let enough = |text: &&String| Probability::parse(text).is_ok_and(|written| written >= *p);
    texts.iter().find(enough).cloned().unwrap_or_else(|| p.to_string())
}

/// Writes a probability with three digits, rounded down.
pub fn round_down(value: f64) -> String {
    rounded(value, f64::floor)
}

/// Writes a probability with three digits, rounded up: a bound must not promise
/// more than holds.
pub fn round_up(value: f64) -> String {
    rounded(value, f64::ceil)
}

fn rounded(value: f64, round: fn(f64) -> f64) -> String {
    if value <= 0.0 {
        return "0".into();
    }
    // Values are probabilities, or bounds that are cut at 1.
    if value >= 1.0 {
        return "1".into();
    }
    let exponent = value.log10().floor() as i32;
    let scale = 10f64.powi(2 - exponent);
    let scaled = value * scale;
    // 0.05 * 1000 is 50.00000000000001: that is no reason to write 0.051.
    let near = scaled.round();
    let digits = if (scaled - near).abs() < 1e-9 * near.max(1.0) { near } else { round(scaled) };
    if exponent < -5 {
        let (digits, exponent) = match digits {
            d if d >= 1000.0 => (d / 1000.0, exponent + 1),
            d => (d / 100.0, exponent),
        };
        return format!("{}e{exponent}", trimmed(&format!("{digits:.2}")));
    }
    trimmed(&format!("{:.*}", (2 - exponent) as usize, digits / scale)).to_owned()
}

/// A decimal without zeros at its end.
pub(super) fn trimmed(decimal: &str) -> &str {
    match decimal.contains('.') {
        true => decimal.trim_end_matches('0').trim_end_matches('.'),
        false => decimal,
    }
}

/// A label as it is, or quoted where it would not be seen as one: an end of line would
/// begin a fact of its own.
pub(crate) fn legible(label: &str) -> Cow<'_, str> {
    if label.is_empty() || label.trim() != label || label.contains(char::is_control) {
        return format!("{label:?}").into();
    }
    label.into()
}

/// A sum of two floats without the digits that rounding has added.
pub(super) fn short(value: f64) -> String {
    // Twelve digits that count, not twelve behind the point: times and lengths may be tiny.
    format!("{value:.11e}").parse().map_or_else(|_| value.to_string(), plain)
}

/// A number as people write it: very large and very small ones with an exponent.
pub(super) fn plain(value: f64) -> String {
    if value == 0.0 || is_everyday(value) { value.to_string() } else { format!("{value:e}") }
}

/// Whether a number is read at a glance without an exponent.
pub(super) fn is_everyday(value: f64) -> bool {
    (1e-5..1e15).contains(&value.abs())
}

/// A head line and aligned facts below it.
pub(super) struct Section {
    pub(super) text: String,
}

impl Section {
    pub(super) fn begin(head: &str) -> Self {
        Section { text: format!("{head}\n") }
    }

    /// Writes a fact that is copied from here, without a change.
    pub(super) fn line(&mut self, label: &str, value: &str) {
        let _ = writeln!(self.text, "  {label:<9} {value}");
    }

    /// Writes lines without a change, the label before the first of them.
    pub(super) fn lines(&mut self, label: &str, values: impl IntoIterator<Item: AsRef<str>>) {
        for (place, value) in values.into_iter().enumerate() {
            self.line(if place == 0 { label } else { "" }, value.as_ref());
        }
    }

    pub(super) fn fact(&mut self, label: &str, value: &str) {
        self.lines(label, value.lines());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_more_than_ten_minutes_says_how_many_executions_and_how_long() {
        let progress = |executed, planned, seconds| Progress {
            executed,
            planned,
            may_end_sooner: false,
            rejected: 0,
            elapsed: Duration::from_secs(seconds),
        };
        let after = |executed, planned, seconds| long_run(&progress(executed, planned, seconds));
        assert_eq!(after(0, 100, 3), None, "nothing is known yet");
        assert_eq!(after(1000, 2000, 3), None, "soon over");
        assert_eq!(after(1000, 1_000_000_000, 1), None, "too soon to say");
        let words = after(1_000_000, 2_995_732_273_552, 2).unwrap();
        assert!(
            words.starts_with(
                "1000000 of at most 2995732273552 executions after 2 s; about 69 days left\n"
            ),
            "{words}"
        );
        let words = after(10, 10_000, 3).unwrap();
        assert!(words.contains("about 50 minutes left"), "{words}");
        let words = after(10, u64::MAX, 3).unwrap();
        assert!(words.contains(" years left"), "{words}");
        let words = long_run(&Progress { may_end_sooner: true, ..progress(10, 10_000, 3) });
        let words = words.unwrap();
        assert!(words.contains("; up to 50 minutes left\n"), "{words}");
        assert!(!words.contains("epsilon"), "{words}");
    }

    #[test]
    fn a_float_that_lies_a_digit_above_three_is_written_with_three() {
        for (given, written) in [
            (7.530000000000001e-5, "0.0000754"),
            (7.53e-5, "0.0000753"),
            (2.995732273e-14, "3e-14"),
            (1.2000000000000001e-300, "1.21e-300"),
            (0.1, "0.100"),
            // No probability is 1.
            (0.9999, "0.9999"),
        ] {
            let p = Probability::from_f64(given).unwrap();
            assert_eq!(round_up_exact(&p), written);
        }
    }

    #[test]
    fn bounds_are_rounded_outward_and_never_past_a_short_decimal() {
        assert_eq!(round_up(0.05), "0.05");
        assert_eq!(round_up(0.0123456), "0.0124");
        assert_eq!(round_down(0.0123456), "0.0123");
        assert_eq!(round_up(0.99999), "1");
        assert_eq!(round_up(9.999e-7), "1e-6");
        assert_eq!(round_up(1.234e-9), "1.24e-9");
        assert_eq!(round_up(0.0999999), "0.1");
        assert_eq!(round_down(0.0), "0");
        assert_eq!(round_up(3.5), "1");
    }
}
