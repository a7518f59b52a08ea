//! The words for people.

use std::fmt::{self, Write};

use super::budget_text::{executions_words, time_words};
use super::plan_text::{claim_line, outcome_numbers};
use super::rate_text::tolerated_meaning;
use super::{Note, Remembered, Report};
use crate::claim::Claim;
use crate::judge::{Counts, Finding, Reason, Verdict};
use crate::run::Violation;

impl fmt::Display for Report {
    /// Writes the full report: what happened in the deciding execution, then the
    /// section that begins with `probtest:`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(violation) = self.violation() {
            writeln!(f, "{violation}")?;
        }
        f.write_str(&self.section())
    }
}

impl fmt::Display for Violation {
    /// Writes the violation as Rust writes a panic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            writeln!(f, "panicked at {location}:")?;
        }
        writeln!(f, "{}", self.message)?;
        if let Some(details) = &self.details {
            writeln!(f, "{}", details.trim_end())?;
        }
        Ok(())
    }
}

impl Report {
    /// Writes the section that begins with `probtest:`, without the violation.
    pub fn section(&self) -> String {
        let mut section = Section::new();
        match &self.verdict {
            Verdict::Passed => return self.pass(),
            Verdict::Violated(Finding::Execution { index, .. }) => {
                self.violated(*index, &mut section);
            }
            Verdict::Violated(Finding::Rate { index, first, .. }) => {
                self.too_high(*index, *first, &mut section);
            }
            Verdict::Violated(Finding::Unseen { outcomes }) => self.unseen(outcomes, &mut section),
            Verdict::Inconclusive(reason) => self.inconclusive(reason, &mut section),
            Verdict::WithinBudget(reason) => self.within_budget(reason, &mut section),
        }
        if matches!(self.verdict, Verdict::Violated(_)) {
            self.suite_facts(&mut section);
        }
        if let Remembered::Mended(replays) = &self.remembered {
            section.fact("earlier", &mended(replays.len()));
        }
        for note in &self.notes {
            section.fact("note", note.words());
        }
        if let Some(address) = self.address {
            section.fact(
                "seed",
                &format!("{}, execution {}", address.seed, address.index),
            );
        } else if self.violation().is_some() && self.is_own_randomness() {
            section.fact("seed", "the program brings its own randomness");
        } else {
            section.fact("seed", &self.seed.to_string());
        }
        if let Some(line) = &self.replay {
            let label = match self.address {
                Some(_) => "replay",
                None => "rerun",
            };
            section.line(label, line);
        }
        section.text
    }

    /// Says in one line what a pass is worth, or what else happened.
    pub fn summary(&self) -> String {
        match &self.verdict {
            Verdict::Passed => self.pass_line(),
            Verdict::Violated(Finding::Execution { index, .. }) => self.violated_line(*index),
            Verdict::Violated(Finding::Rate { .. }) => self.too_high_line(),
            Verdict::Violated(Finding::Unseen { outcomes }) => self.unseen_line(outcomes),
            Verdict::Inconclusive(_) => self.inconclusive_line(),
            Verdict::WithinBudget(_) => self.within_budget_line(),
        }
    }

    fn pass(&self) -> String {
        let mut section = Section::begin(&self.pass_line());
        if let Some(rate) = self.rate() {
            section.fact("rate", &rate.to_string());
        }
        self.suite_facts(&mut section);
        if let Remembered::Mended(replays) = &self.remembered {
            section.fact("earlier", &mended(replays.len()));
        }
        for note in &self.notes {
            section.fact("note", note.words());
        }
        section.text
    }

    fn pass_line(&self) -> String {
        let executed = plural(self.counts.executed, "execution");
        let rejected = match self.counts.rejected {
            0 => String::new(),
            n => format!(", {n} rejected"),
        };
        match self.plan.claim() {
            Claim::Tolerate { tolerate, p, .. } => self.tolerated_line(tolerate, p),
            _ => format!(
                "probtest: {executed}{rejected}, no violation; {}",
                self.pass_meaning()
            ),
        }
    }

    /// What a pass says.
    pub(super) fn pass_meaning(&self) -> String {
        let miss = self
            .plan
            .miss()
            .display_against(self.plan.claim().epsilon());
        match self.plan.claim() {
            Claim::Detect { p, .. } => format!(
                "a violation probability >= {p} would have been missed with probability {miss}"
            ),
            Claim::Cover { outcomes, .. } => format!(
                "some of the {} outcomes would have been missed with probability {miss}",
                outcomes.len()
            ),
            Claim::Tolerate { p, epsilon, .. } => tolerated_meaning(p, epsilon),
        }
    }

    /// What the verdict says, in a sentence.
    pub(super) fn meaning(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Passed => Some(self.pass_meaning()),
            Verdict::Violated(Finding::Execution { .. }) => Some(self.violated_meaning().into()),
            Verdict::Violated(Finding::Unseen { .. }) => Some(self.unseen_meaning()),
            Verdict::Violated(Finding::Rate { .. }) => self.rate_meaning(),
            Verdict::Inconclusive(_) | Verdict::WithinBudget(_) => None,
        }
    }

    fn violated_meaning(&self) -> &'static str {
        match self.plan.claim() {
            Claim::Tolerate { .. } => {
                "this execution, executed alone, violates; alone it does not break a claim that tolerates a rate"
            }
            _ => "this execution is a counterexample; the violation rate is not known from it",
        }
    }

    fn unseen_meaning(&self) -> String {
        let miss = self
            .plan
            .miss()
            .display_against(self.plan.claim().epsilon());
        format!(
            "were every outcome as probable as claimed, one would have been missed with probability {miss}"
        )
    }

    fn violated_line(&self, index: u64) -> String {
        if let Remembered::Again(address) = &self.remembered {
            return format!("probtest: violated again by the remembered execution {address}");
        }
        format!(
            "probtest: violated at execution {index} of {}",
            self.counts.planned
        )
    }

    fn violated(&self, index: u64, section: &mut Section) {
        section.head(&self.violated_line(index));
        if matches!(self.remembered, Remembered::Again(_)) {
            section.fact(
                "executed",
                &format!(
                    "the remembered counterexample alone; {} planned executions not needed",
                    self.counts.planned
                ),
            );
        } else {
            section.fact("executed", &counts(&self.counts, "not needed"));
        }
        section.fact("claim", &claim_line(self.plan.claim()));
        section.fact("meaning", self.violated_meaning());
    }

    fn unseen_line(&self, outcomes: &[usize]) -> String {
        let was = if outcomes.len() == 1 { "was" } else { "were" };
        format!(
            "probtest: {} {was} not seen in {}",
            outcome_numbers(outcomes),
            plural(self.counts.executed, "execution")
        )
    }

    fn unseen(&self, outcomes: &[usize], section: &mut Section) {
        section.head(&self.unseen_line(outcomes));
        section.fact("executed", &counts(&self.counts, "not needed"));
        section.fact("claim", &claim_line(self.plan.claim()));
        section.fact("meaning", &self.unseen_meaning());
    }

    fn inconclusive_line(&self) -> String {
        format!(
            "probtest: inconclusive after {} of {} executions",
            self.counts.executed, self.counts.planned
        )
    }

    fn inconclusive(&self, reason: &Reason, section: &mut Section) {
        section.head(&self.inconclusive_line());
        let (why, help) = self.why(reason);
        section.fact("reason", &why);
        section.fact("executed", &counts(&self.counts, "not executed"));
        section.fact("claim", &claim_line(self.plan.claim()));
        self.attained_facts(section);
        section.fact("help", &help);
    }

    fn is_own_randomness(&self) -> bool {
        self.notes.contains(&Note::OwnRandomness)
    }
}

impl Note {
    /// Says the note in a sentence.
    pub fn words(&self) -> &'static str {
        match self {
            Note::OwnRandomness => {
                "the body takes no random source: its executions cannot be replayed"
            }
            Note::NeverDrew => {
                "no execution drew from its random source; executions that draw nothing may all be the same one. Pass `rng` on to the program, or leave the argument out if the program brings its own randomness"
            }
            Note::Reseeds => {
                "the executions are not independent: the program seeds its own generator, so every execution draws the same numbers. The promise above does not hold; remove the seed from the program"
            }
            Note::Copies => {
                "the executions are not independent: no random number was drawn, and every execution looked at did the same. The promise above does not hold for a program without randomness"
            }
            Note::LargeP => {
                "p is above 1/2: the plan covers both outcomes, so it waits for an execution that passes as well; a violation alone would be seen sooner"
            }
        }
    }
}

/// Says why there is no verdict, and what to do.
pub(crate) fn reason_words(reason: &Reason, rejected: u64) -> (String, String) {
    match reason {
        Reason::Budget { max_executions } => executions_words(*max_executions),
        Reason::Time { limit } => time_words(limit),
        Reason::Cancelled => (
            "stopped before the plan was executed".into(),
            "start the test again".into(),
        ),
        Reason::Rejections {
            allowed,
            in_a_row: true,
        } => (
            format!("one execution was rejected {allowed} times in a row"),
            "draw inputs that are applicable, or weaken the assumption".into(),
        ),
        Reason::Rejections {
            allowed,
            in_a_row: false,
        } => (
            format!("{rejected} rejections, {allowed} allowed"),
            "draw inputs that are applicable, weaken the assumption, or raise max_rejections"
                .into(),
        ),
        Reason::Replayed { index } => (
            format!("execution {index} was executed alone and did not violate"),
            "unset PROBTEST_REPLAY to test the claim".into(),
        ),
        Reason::Broken { index, message } => (
            format!("execution {index} could not be carried out: {message}"),
            "this says nothing about the program; mend the cause and start again".into(),
        ),
        Reason::UnknownOutcome {
            index,
            outcome,
            listed,
        } => unknown_outcome(*index, *outcome, *listed),
    }
}

fn unknown_outcome(index: u64, outcome: Option<usize>, listed: usize) -> (String, String) {
    let returned = match outcome {
        Some(outcome) => format!("outcome {outcome}"),
        None => "an outcome that is not listed".into(),
    };
    if listed == 0 {
        return (
            format!("execution {index} returned {returned}, but the claim has no outcomes"),
            "give `outcomes`, or return (), bool or Result".into(),
        );
    }
    (
        format!(
            "execution {index} returned {returned}, but the claim lists the outcomes 0 to {}",
            listed - 1
        ),
        "list the outcome, or return None for one that is not listed".into(),
    )
}

fn mended(count: usize) -> String {
    if count == 1 {
        "the counterexample of an earlier run was executed first and no longer violates".into()
    } else {
        format!("{count} counterexamples of earlier runs were executed first and no longer violate")
    }
}

pub(super) fn counts(counts: &Counts, rest: &str) -> String {
    let mut words = format!("{} passed, {} violated", counts.passed, counts.violated);
    if counts.rejected > 0 {
        let _ = write!(words, ", {} rejected", counts.rejected);
    }
    let _ = write!(words, ", {} {rest}", counts.not_executed());
    words
}

/// Writes a number with its noun, in the plural where it must be.
pub(super) fn plural(count: u64, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// A head line and aligned facts below it.
pub(super) struct Section {
    pub(super) text: String,
}

impl Section {
    pub(super) fn new() -> Self {
        Section {
            text: String::new(),
        }
    }

    pub(super) fn begin(head: &str) -> Self {
        let mut section = Section::new();
        section.head(head);
        section
    }

    pub(super) fn head(&mut self, head: &str) {
        self.text.push_str(head);
        self.text.push('\n');
    }

    /// Writes a fact that is copied from here, without a change.
    pub(super) fn line(&mut self, label: &str, value: &str) {
        let _ = writeln!(self.text, "  {label:<9} {value}");
    }

    pub(super) fn fact(&mut self, label: &str, value: &str) {
        for (number, line) in value.lines().enumerate() {
            let label = if number == 0 { label } else { "" };
            let _ = writeln!(self.text, "  {label:<9} {line}");
        }
    }
}
