//! Reports for people: the same layout for every claim.

use std::fmt;

use probtest_facts as form;

use super::story::{write_inputs, write_story};
use super::suite_text::suite_facts;
use super::words::{
    Section, legible, plural, rejected, round_down, round_up, trimmed, violations, words,
};
use super::{Note, Rate, Remembered, Report};
use crate::judge::{Counts, Finding, Reason, Verdict};
use crate::run::Violation;
use crate::seed::Address;

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
    /// One line that says how much a pass proves, or what else happened.
    pub fn summary(&self) -> String {
        let words = words(self.claim());
        let (executed, planned) = (self.counts.executed, self.counts.planned);
        let most = if self.claim().is_achieved_in_part() { "" } else { "at most " };
        let head = match &self.verdict {
            Verdict::Violated(Finding::Execution { index, .. }) => match &self.remembered {
                Remembered::Again(address) => {
                    format!("violated again by the remembered execution {address}")
                }
                _ => format!("violated at execution {index} of {most}{planned}"),
            },
            Verdict::Inconclusive(Reason::NotReached { .. }) => {
                format!("not reached: none of {most}{planned} executions ran")
            }
            Verdict::Inconclusive(_) => words.undecided_head(self).unwrap_or_else(|| {
                format!("inconclusive after {executed} of {most}{planned} executions")
            }),
            Verdict::WithinBudget(_) => format!(
                "passed within budget after {executed} of {most}{planned} executions, {}; {}",
                violations(self.counts.violated),
                words.undecided_head(self).unwrap_or_default()
            ),
            Verdict::Partial => {
                let shard = self.shard().map(|shard| format!("shard {shard}"));
                format!(
                    "partial: {} executed {executed} of {planned}, {}; merge all shards for the verdict",
                    shard.unwrap_or_default(),
                    violations(self.counts.violated)
                )
            }
            _ => words.head(self),
        };
        match self.doubts.first() {
            Some(doubt) if self.accepted() => {
                format!("probtest: {head}; in doubt: {}", doubt.what())
            }
            _ => format!("probtest: {head}"),
        }
    }

    /// Returns the message that a test fails with: that of the violation if there is one, else the
    /// summary.
    pub fn failure(&self) -> String {
        match self.violation() {
            Some(violation) => violation.message.clone(),
            None => self.summary(),
        }
    }

    /// Writes the section that begins with `probtest:`, without the violation.
    pub fn section(&self) -> String {
        let words = words(self.claim());
        let mut section = Section::begin(&self.summary());
        let reason = self.reason().map(|reason| self.why(reason));
        let failed = !self.accepted() || self.is_within_budget();
        if let Some((why, _)) = &reason {
            section.fact("reason", why);
        }
        if failed {
            section.fact("executed", &self.executed_words());
        }
        // A pass says it in its head line, where there is room for it.
        let apart = !self.passed() || self.claim().is_about_pairs();
        if let Some(observed) = words.observed(self)
            && apart
        {
            section.fact("observed", &observed);
        }
        self.waiting_facts(&mut section);
        if failed {
            section.fact("claim", &words.claim_line());
        }
        if reason.is_some()
            && let Some(achieved) = words.achieved(self)
        {
            section.fact("achieved", &achieved);
        }
        if let Some(rate) = self.rate()
            && self.plan.sequential().is_some()
        {
            section.fact("rate", &rate.to_string());
        }
        if apart
            && self.verdict != Verdict::Partial
            && let Some(meaning) = words.meaning(self)
        {
            section.fact("meaning", &meaning);
        }
        match (&reason, self.is_within_budget()) {
            (Some(_), true) => section.fact(
                "accepted",
                &format!("by {}; this is less than the claim promises", self.names.accepting()),
            ),
            (Some((_, help)), false) => section.fact("help", help),
            (None, _) => {}
        }
        if let Verdict::Violated(Finding::Rate { index, first, .. }) = &self.verdict {
            let first = format!("the first violation was execution {first}");
            section.fact("shown", &format!("execution {index}, which decided; {first}"));
        }
        suite_facts(self, &mut section);
        let remembered = self.remembered.facts();
        section.lines("earlier", remembered.iter().filter_map(form::Remembered::words));
        if self.confirmed == Some(false) {
            section.fact("again", &self.unsteady());
        }
        self.label_facts(&mut section);
        for doubt in &self.doubts {
            section.fact("doubt", &doubt.words());
        }
        for note in &self.notes {
            section.fact("note", &note.words());
        }
        if self.violation().is_some() {
            write_inputs(&self.inputs, "input", &mut section);
        }
        if !self.passed() {
            section.fact("seed", &self.seed_words());
        }
        section.lines("replay", &self.replay);
        section.lines("rerun", &self.rerun);
        if let Some(story) = &self.story {
            write_story(story, &mut section);
        }
        section.text
    }

    /// Says that the deciding execution didn't violate again, and what the cause may be.
    fn unsteady(&self) -> String {
        let unseeded = match self.sources.as_slice() {
            [] => "an unseeded source".to_owned(),
            sources => format!("unseeded sources: {}", sources.join("; ")),
        };
        if self.claim().is_about_pairs() {
            return format!(
                "a pair gave different results when it ran again: they depend on time, or on {unseeded}\nso the versions are compared as independent samples, which is just as valid but takes more pairs"
            );
        }
        format!(
            "did not violate when it ran again alone: it depends on earlier executions, on time, or on {unseeded}"
        )
    }

    /// Says how often the infrastructure failed and what the executions cost.
    fn waiting_facts(&self, section: &mut Section) {
        if !self.unavailable.is_empty() {
            let all = plural(self.unavailable.iter().map(|(_, count)| count).sum(), "attempt");
            let kinds = self.unavailable.iter().map(|(kind, count)| match count {
                1 => format!("{}, once", legible(kind)),
                _ => format!("{}, {count} times", legible(kind)),
            });
            let kinds = kinds.collect::<Vec<_>>().join("; ");
            let words = format!("{all} proved nothing and did not count: {kinds}");
            section.fact("unavailable", &words);
        }
        if let Some((spent, most)) = self.cost {
            let limit = most.map_or(String::new(), |most| format!(", max_cost = {most}"));
            section.fact("cost", &format!("{}{limit}", trimmed(&format!("{spent:.6}"))));
        }
    }

    fn executed_words(&self) -> String {
        let Counts { planned, executed, passed, violated, .. } = self.counts;
        if let Remembered::Again(_) = self.remembered {
            return format!(
                "only the remembered counterexample; {planned} planned executions not needed"
            );
        }
        let did = match self.claim().is_about_pairs() {
            true => plural(executed, "pair"),
            false => format!("{passed} passed, {violated} violated"),
        };
        let (rejected, left) = (rejected(self.counts.rejected), self.counts.not_executed());
        let rest = if self.reason().is_some() { "not executed" } else { "not needed" };
        format!("{did}{rejected}, {left} {rest}")
    }

    fn seed_words(&self) -> String {
        match self.address {
            Some(Address { seed, index }) => {
                format!("{seed}, execution {index}{}", words(self.claim()).address_words(self))
            }
            None if self.violation().is_some() && self.notes.contains(&Note::OwnRandomness) => {
                "the program brings its own randomness".into()
            }
            None => self.seed.to_string(),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} violated; the violation rate is between {} and {} with confidence {}",
            self.violations,
            self.executions,
            round_down(self.low),
            round_up(self.high),
            self.confidence
        )
    }
}
