//! The words for claims about violations: how probable they are, which outcomes are seen, which rate
//! is tolerated or measured.

use probtest_facts as form;

use super::reasons::{cut_plan, ended};
use super::words::{
    ClaimWords, Section, first_line, plural, rejected, round_up, round_up_exact, violations,
};
use super::{Note, Report};
use crate::claim::{Chances, Claim, Outcomes, Probability, RateToCatch};
use crate::judge::{Counts, Finding, Observed, Reason, Verdict};
use crate::plan::{Certainty, Plan, of_each, smallest_p};

pub(super) struct DetectWords<'a> {
    pub(super) claim: &'a Claim,
    pub(super) p: &'a Probability,
    pub(super) epsilon: &'a Probability,
}

/// What one violation means where the first one decides.
const COUNTEREXAMPLE: &str =
    "this execution is a counterexample; it does not tell you the violation rate";

/// What one execution proves for a violation probability.
pub(super) const ONE_IS_NOTHING: &str =
    "a plan needs to see both a pass and a violation, and one execution shows only one of them";

impl DetectWords<'_> {
    /// The chance that some executions show no violation.
    fn missed(&self, plan: &Plan, executions: u64) -> String {
        let missed = plan.violation_missed_within(executions);
        missed.display_against(self.epsilon)
    }

    /// What such a violation probability would have come to. The input with the fewest
    /// executions is the one to fear; a second bad one makes a pass less likely.
    fn would_have_been(&self, missed: &str) -> String {
        let p = self.p;
        match self.claim.inputs() {
            None => format!(
                "a violation probability >= {p} would have been missed with probability {missed}"
            ),
            Some(inputs) => format!(
                "a violation probability >= {p} for any of the {inputs} inputs would have been missed with probability at most {missed}; {ONLY_DRAWN}"
            ),
        }
    }
}

/// The least violation probability that some executions would have shown.
pub(super) fn smallest_seen(
    claim: &Claim,
    epsilon: &Probability,
    executed: u64,
) -> Option<Probability> {
    smallest_p(of_each(claim, executed), epsilon).ok()
}

/// What a claim on each input leaves open.
const ONLY_DRAWN: &str = "this says nothing about inputs that were not drawn";

impl ClaimWords for DetectWords<'_> {
    fn claim_line(&self) -> String {
        let line = format!("p = {}, epsilon = {}", self.p, self.epsilon);
        match self.claim.inputs() {
            None => line,
            Some(inputs) => format!("{line}, inputs = {inputs}"),
        }
    }

    fn promise(&self) -> String {
        let any =
            self.claim.inputs().map(|inputs| format!(" for any of the {inputs} drawn inputs"));
        let (p, any, caught) = (self.p, any.unwrap_or_default(), self.epsilon.complement());
        format!("a violation probability of {p} or more{any} is caught with probability > {caught}")
    }

    fn plan_text(&self, plan: &Plan) -> String {
        let mut section = count_text(plan, self.epsilon, &self.promise());
        let both = plan.miss().display_against(self.epsilon);
        let missed = self.missed(plan, plan.executions());
        if both != missed {
            let words = format!(
                "this counts both outcomes, a pass and a violation; a violation alone is missed with probability {missed}"
            );
            section.fact("", &words);
        }
        if self.p > &self.p.complement() {
            section.fact("note", &Note::LargeP.words());
        }
        section.text
    }

    fn head(&self, report: &Report) -> String {
        no_violation(report, self)
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        match &report.verdict {
            Verdict::Passed => {
                Some(self.would_have_been(&self.missed(&report.plan, report.plan.executions())))
            }
            Verdict::Violated(_) => Some(COUNTEREXAMPLE.into()),
            _ => None,
        }
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        report.is_within_budget().then(|| {
            let executed = report.counts.executed;
            match smallest_seen(self.claim, self.epsilon, executed) {
                Some(p) => format!(
                    "a violation probability >= {} would have been seen with probability {}",
                    round_up_exact(&p),
                    self.epsilon.complement()
                ),
                None => first_line(self.achieved(report)),
            }
        })
    }

    fn achieved(&self, report: &Report) -> Option<String> {
        let executed = report.counts.executed;
        Some(match of_each(self.claim, executed) {
            0 if executed > 0 => "nothing: some inputs did not run".into(),
            0 => "nothing: no execution was counted".into(),
            1 => format!("nothing: {ONE_IS_NOTHING}"),
            _ => {
                let mut words = self.would_have_been(&self.missed(&report.plan, executed));
                if let Some(caught) = smallest_seen(self.claim, self.epsilon, executed) {
                    words.push_str(&format!(
                        "\na violation probability >= {} would have been seen with probability {}",
                        round_up_exact(&caught),
                        self.epsilon.complement()
                    ));
                }
                words
            }
        })
    }

    fn address_words(&self, report: &Report) -> String {
        let inputs = self.claim.inputs().zip(report.address());
        inputs.map_or(String::new(), |(inputs, address)| {
            let input = (address.index - 1) % inputs + 1;
            format!(", input {input} of {inputs}")
        })
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        cut_plan(reason, report, &report.names.name("p"), "")
    }
}

/// A plan that is one number.
fn count_text(plan: &Plan, epsilon: &Probability, promise: &str) -> Section {
    let k = plan.for_each_input().unwrap_or(plan.executions());
    let mut section = Section::begin(&plural(plan.executions(), "execution"));
    section.fact("claim", promise);
    if let Some(inputs) = plan.claim().inputs() {
        let each = format!("{k} for each of {}; {ONLY_DRAWN}", plural(inputs, "input"));
        section.fact("inputs", &each);
    }
    let miss = plan.miss().display_against(epsilon);
    let before = plan.miss_before().display_against(epsilon);
    section.fact("miss", &format!("{miss} at {k}, {before} at {}", k - 1));
    if let Certainty::Between { lowest } = plan.certainty() {
        let between = format!("between {lowest} and {}", plan.executions());
        section.fact("certain", &format!("certainly enough; the exact minimum is {between}"));
    }
    section
}

/// The head line of a pass without a violation.
fn no_violation(report: &Report, words: &dyn ClaimWords) -> String {
    let executed = plural(report.counts.executed, "execution");
    let (rejected, meaning) = (rejected(report.counts.rejected), words.meaning(report));
    format!("{executed}{rejected}, no violation; {}", meaning.unwrap_or_default())
}

pub(super) struct CoverWords<'a> {
    pub(super) outcomes: &'a Outcomes,
    pub(super) epsilon: &'a Probability,
}

impl ClaimWords for CoverWords<'_> {
    fn claim_line(&self) -> String {
        let outcomes = outcomes_line(self.outcomes);
        format!("outcomes = {outcomes}, epsilon = {}", self.epsilon)
    }

    fn promise(&self) -> String {
        let count = plural(self.outcomes.len() as u64, "outcome");
        let (outcomes, seen) = (outcomes_line(self.outcomes), self.epsilon.complement());
        format!("{count} ({outcomes}) are all seen with probability > {seen}")
    }

    fn plan_text(&self, plan: &Plan) -> String {
        count_text(plan, self.epsilon, &self.promise()).text
    }

    fn head(&self, report: &Report) -> String {
        match &report.verdict {
            Verdict::Violated(Finding::Unseen { outcomes }) => {
                let executed = plural(report.counts.executed, "execution");
                let was = if outcomes.len() == 1 { "was" } else { "were" };
                format!("{} {was} not seen in {executed}", outcome_numbers(outcomes))
            }
            _ => no_violation(report, self),
        }
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let would = match &report.verdict {
            Verdict::Passed => format!("some of the {} outcomes", self.outcomes.len()),
            Verdict::Violated(Finding::Unseen { .. }) => {
                "if every outcome were as probable as claimed, one".into()
            }
            Verdict::Violated(_) => return Some(COUNTEREXAMPLE.into()),
            _ => return None,
        };
        let miss = report.plan.miss().display_against(self.epsilon);
        Some(format!("{would} would have been missed with probability {miss}"))
    }

    fn achieved(&self, report: &Report) -> Option<String> {
        let executed = report.counts.executed;
        if executed == 0 {
            return Some("nothing: no execution was counted".into());
        }
        let missed = report.plan.miss_within(executed).display_against(self.epsilon);
        Some(format!("some of the outcomes would have been missed with probability {missed}"))
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        cut_plan(reason, report, "the probabilities", ", if every outcome was seen")
    }
}

/// Lists outcomes briefly: equal neighbours once, the rest of a long list by count.
pub(super) fn outcomes_line(outcomes: &Outcomes) -> String {
    const SHOWN: usize = 6;
    let groups = outcomes.runs();
    let mut words: Vec<String> = groups
        .iter()
        .take(SHOWN)
        .map(|(p, count)| match count {
            1 => p.to_string(),
            _ => format!("{count} x {p}"),
        })
        .collect();
    let listed: usize = groups.iter().take(SHOWN).map(|(_, count)| count).sum();
    if listed < outcomes.len() {
        words.push(format!("and {} more", outcomes.len() - listed));
    }
    words.join(", ")
}

/// Names outcomes by number, the first few of many.
fn outcome_numbers(outcomes: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = outcomes.iter().take(SHOWN).map(ToString::to_string).collect();
    let rest = match outcomes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let noun = if outcomes.len() == 1 { "outcome" } else { "outcomes" };
    format!("{noun} {}{rest}", shown.join(", "))
}

pub(super) struct TolerateWords<'a> {
    pub(super) tolerate: &'a Probability,
    pub(super) p: &'a RateToCatch,
    pub(super) chances: &'a Chances,
}

impl TolerateWords<'_> {
    /// Writes `p`, and where it comes from when nobody gave it.
    fn p_with_origin(&self) -> String {
        match self.p.derived {
            true => format!("{} (ten times tolerate)", self.p.p),
            false => self.p.p.to_string(),
        }
    }

    /// What some executions are worth where the plan is cut short after them.
    pub(super) fn worth(&self, plan: &Plan, executions: u64) -> String {
        let Some(caught) = plan.rate_caught_within(executions) else {
            return "nothing: with so few executions, no violation rate would have failed".into();
        };
        let missed = plan.miss_within(executions);
        format!(
            "a violation rate of {} or more would have failed with probability {}\na violation rate of {} would have passed with probability {}",
            round_up(caught),
            self.chances.epsilon.complement(),
            self.p.p,
            missed.display_against(&self.chances.epsilon)
        )
    }

    fn both(&self) -> String {
        let (tolerate, p) = (one_in(self.tolerate), one_in(&self.p.p));
        format!("tolerates {tolerate}, catches {p}")
    }
}

impl ClaimWords for TolerateWords<'_> {
    fn claim_line(&self) -> String {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        let (tolerate, p) = (self.tolerate, self.p_with_origin());
        format!("tolerate = {tolerate}, p = {p}, epsilon = {epsilon}, false_alarm = {false_alarm}")
    }

    fn promise(&self) -> String {
        format!(
            "a rate of {} or less passes with probability >= {}\na rate of {} or more fails with probability >= {}",
            self.tolerate,
            self.chances.false_alarm.complement(),
            self.p_with_origin(),
            self.chances.epsilon.complement()
        )
    }

    fn plan_text(&self, plan: &Plan) -> String {
        let Some(test) = plan.sequential() else {
            return String::new();
        };
        let (fewest, most) = (test.fewest(), plural(test.most(), "execution"));
        let mut section = Section::begin(&format!("{fewest} to {most}"));
        section.fact("claim", &self.promise());
        let [tolerated, bad] = [self.tolerate, &self.p.p].map(|rate| {
            let executions = plan.expected_executions(rate.as_f64()).unwrap_or(0.0);
            format!("{executions:.0} at {rate}")
        });
        let expected = format!("{fewest} without a violation, {tolerated}, {bad}");
        section.fact("expected", &expected);
        let allowed = plural(test.allowed(), "violation");
        section.fact("most", &format!("{most}; a pass has at most {allowed}"));
        let fixed = plural(test.fixed().executions, "execution");
        let allowed = plural(test.fixed().allowed, "violation");
        let fixed = format!("a test that looks only at the end needs {fixed} and allows {allowed}");
        section.fact("compare", &fixed);
        section.fact("miss", &plan.miss().display_against(&self.chances.epsilon));
        if let Some(alarm) = plan.false_alarm() {
            section.fact("alarm", &alarm.display_against(&self.chances.false_alarm));
        }
        section.text
    }

    fn head(&self, report: &Report) -> String {
        let Counts { planned, executed, violated, .. } = report.counts;
        if !report.passed() {
            return format!("violated too often: {violated} of {}", plural(executed, "execution"));
        }
        format!(
            "{}; passed after {executed} of at most {planned} executions, {}{}; {}",
            self.both(),
            violations(violated),
            rejected(report.counts.rejected),
            self.meaning(report).unwrap_or_default()
        )
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        match &report.verdict {
            Verdict::Passed => Some(format!(
                "a program that fails {} would pass {}",
                one_in(&self.p.p),
                at_most(epsilon)
            )),
            Verdict::Violated(Finding::Execution { .. }) => Some(
                "this execution violates when it runs alone; a single violation does not break a claim that tolerates a rate"
                    .into(),
            ),
            Verdict::Violated(_) => Some(format!(
                "{}; a program that fails {} or less would fail this test {}",
                self.both(),
                one_in(self.tolerate),
                at_most(false_alarm)
            )),
            _ => None,
        }
    }

    fn achieved(&self, report: &Report) -> Option<String> {
        Some(self.worth(&report.plan, report.counts.executed))
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        let accept = ", if a rate below 1 would fail and rates below p still fit";
        cut_plan(reason, report, &report.names.name("p"), accept)
    }
}

/// Writes a rate as "1 in 1000", where that is short.
fn one_in(rate: &Probability) -> String {
    let (num, den) = rate.parts();
    let (num, den) = (num.to_string(), den.to_string());
    if den.len() <= 12 { format!("{num} in {den}") } else { format!("with probability {rate}") }
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

pub(super) struct EstimateWords<'a> {
    pub(super) width: &'a f64,
    pub(super) confidence: &'a f64,
}

impl EstimateWords<'_> {
    /// The interval, rounded outward to what the width can show.
    fn sentence(&self, report: &Report) -> String {
        let (low, high) = match &report.observed {
            Observed::Rate { interval, .. } => *interval,
            _ => (0.0, 1.0),
        };
        let digits = (2.0 - self.width.log10()).ceil().clamp(2.0, 15.0) as i32;
        let scale = 10f64.powi(digits);
        format!(
            "the violation rate is between {} and {} with confidence {}, after {}",
            (low * scale).floor() / scale,
            ((high * scale).ceil() / scale).min(1.0),
            self.confidence,
            plural(report.counts.executed, "execution")
        )
    }
}

impl ClaimWords for EstimateWords<'_> {
    fn claim_line(&self) -> String {
        format!("width = {}, confidence = {}", self.width, self.confidence)
    }

    fn promise(&self) -> String {
        format!(
            "an interval no wider than {} contains the violation rate with probability >= {}",
            self.width, self.confidence
        )
    }

    fn head(&self, report: &Report) -> String {
        self.sentence(report)
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        Some(format!("unfinished: {}", self.sentence(report)))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let hoeffding = plural(report.plan.aimed()?.hoeffding(), "execution");
        Some(format!(
            "the interval is valid even though the executions stopped early: it holds after every one of them\nfor comparison, Hoeffding's inequality needs {hoeffding}"
        ))
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let rate = report.rate()?;
        let mut words = match plural(rate.executions, "execution") {
            _ if rate.executions == 0 => "no executions".to_owned(),
            all => format!("{} of {all} violated, a rate of {:.4}", rate.violations, rate.seen()),
        };
        if report.counts.rejected > 0 {
            words.push_str(&format!("; {} rejected", report.counts.rejected));
        }
        let (width, asked) = (rate.high - rate.low, self.width);
        words.push_str(&format!("\nthe interval is {width:.4} wide; you asked for {asked}"));
        Some(words)
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        form::Claim { width: Some(*self.width), confidence: Some(*self.confidence), ..shared }
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        if let Reason::Cancelled = reason {
            return Some((
                "stopped before the interval was narrow enough".into(),
                "the interval so far is valid; run it again for a narrower one".into(),
            ));
        }
        let (why, limit) = ended(reason, "the interval was narrow enough", report.names)?;
        Some((why, format!("raise {limit} or the width")))
    }

    fn address_words(&self, report: &Report) -> String {
        match report.verdict {
            Verdict::Estimated | Verdict::Inconclusive(_) => ", the first violation".into(),
            _ => String::new(),
        }
    }
}
