//! The words for a violation probability that must be caught.

use super::reasons::cut_plan;
use super::words::{Section, Words, first_line, plural, rejected, round_up_exact};
use super::{Note, Report};
use crate::claim::{Claim, Probability};
use crate::judge::{Reason, Verdict};
use crate::plan::{Certainty, Plan, of_each, smallest_p};

pub(super) struct Detect<'a> {
    pub(super) claim: &'a Claim,
    pub(super) p: &'a Probability,
    pub(super) epsilon: &'a Probability,
}

/// What one execution proves for a violation probability.
pub(super) const ONE_IS_NOTHING: &str =
    "a plan needs to see both a pass and a violation, and one execution shows only one of them";

impl Detect<'_> {
    /// The chance that some executions show no violation.
    fn missed(&self, plan: &Plan, executions: u64) -> String {
        let missed = plan.violation_missed_within(executions);
        missed.display_against(self.epsilon)
    }

    fn smallest_seen(&self, executed: u64) -> Option<Probability> {
        smallest_seen(self.claim, self.epsilon, executed)
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

impl Words for Detect<'_> {
    fn claim_line(&self) -> String {
        let line = format!("p = {}, epsilon = {}", self.p, self.epsilon);
        match self.claim.inputs() {
            None => line,
            Some(inputs) => format!("{line}, inputs = {inputs}"),
        }
    }

    fn promise(&self) -> String {
        let any = self.claim.inputs();
        format!(
            "a violation probability of {} or more{} is caught with probability > {}",
            self.p,
            any.map_or(String::new(), |inputs| format!(" for any of the {inputs} drawn inputs")),
            self.epsilon.complement()
        )
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
        no_violation(report, &self.meaning(report).unwrap_or_default())
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        match &report.verdict {
            Verdict::Passed => {
                Some(self.would_have_been(&self.missed(&report.plan, report.plan.executions())))
            }
            Verdict::Violated(_) => Some(counterexample()),
            _ => None,
        }
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        report.is_within_budget().then(|| {
            let executed = report.counts.executed;
            match self.smallest_seen(executed) {
                Some(p) => format!(
                    "a violation probability of {} or more would have been seen with probability {}",
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
                if let Some(caught) = self.smallest_seen(executed) {
                    words.push_str(&format!(
                        "\none of {} or more would have been seen with probability {}",
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

    fn why(&self, reason: &Reason, asked: bool) -> Option<(String, String)> {
        cut_plan(reason, asked, "p", "")
    }
}

/// A plan that is one number.
pub(super) fn count_text(plan: &Plan, epsilon: &Probability, promise: &str) -> Section {
    let k = plan.for_each_input().unwrap_or(plan.executions());
    let mut section = Section::begin(&plural(plan.executions(), "execution"));
    section.fact("claim", promise);
    if let Some(inputs) = plan.claim().inputs() {
        let each = format!("{k} for each of {}; {ONLY_DRAWN}", plural(inputs, "input"));
        section.fact("inputs", &each);
    }
    section.fact(
        "miss",
        &format!(
            "{} at {k}, {} at {}",
            plan.miss().display_against(epsilon),
            plan.miss_before().display_against(epsilon),
            k - 1
        ),
    );
    if let Certainty::Between { lowest } = plan.certainty() {
        section.fact(
            "certain",
            &format!(
                "certainly enough; the smallest number is between {lowest} and {}",
                plan.executions()
            ),
        );
    }
    section
}

/// The head line of a pass without a violation.
pub(super) fn no_violation(report: &Report, meaning: &str) -> String {
    format!(
        "{}{}, no violation; {meaning}",
        plural(report.counts.executed, "execution"),
        rejected(report.counts.rejected)
    )
}

/// What one violation means where the first one decides.
pub(super) fn counterexample() -> String {
    "this execution is a counterexample; the violation rate is not known from it".into()
}
