//! The words for people: the same layout for every claim.

use std::borrow::Cow;
use std::fmt;

use super::suite_text::suite_facts;
use super::words::{
    Section, counts, legible, plural, rejected, round_down, round_up, violations, words,
};
use super::{Input, Note, Rate, Remembered, Report};
use crate::judge::{Doubt, Finding, Reason, Verdict};
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
    /// Says in one line how much a pass proves, or what else happened.
    pub fn summary(&self) -> String {
        let words = words(self.claim());
        let (executed, planned) = (self.counts.executed, self.counts.planned);
        let most = match self.claim().is_achieved_in_part() {
            true => "",
            false => "at most ",
        };
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
            Verdict::Partial => self.partial_head(),
            _ => words.head(self),
        };
        match self.doubts.first() {
            Some(doubt) if self.accepted() => {
                format!("probtest: {head}; in doubt: {}", doubt.what())
            }
            _ => format!("probtest: {head}"),
        }
    }

    /// Says what a shard has done.
    fn partial_head(&self) -> String {
        let shard = self.shard().map(|shard| format!("shard {shard}"));
        format!(
            "partial: {} executed {} of {}, {}; merge all shards for the verdict",
            shard.unwrap_or_default(),
            self.counts.executed,
            self.counts.planned,
            violations(self.counts.violated)
        )
    }

    /// Returns what a test that is not accepted fails with: the words of the violation where
    /// the body has some, else the summary.
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
            self.executed_fact(&mut section);
        }
        if let Some(observed) = words.observed(self)
            && (!self.passed() || words.shows_observed())
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
            section.fact("attained", &achieved);
        }
        if let Some(rate) = self.rate()
            && self.plan.sequential().is_some()
        {
            section.fact("rate", &rate.to_string());
        }
        if (!self.passed() || words.shows_observed())
            && self.verdict != Verdict::Partial
            && let Some(meaning) = words.meaning(self)
        {
            section.fact("meaning", &meaning);
        }
        match (&reason, self.is_within_budget()) {
            (Some(_), true) => section.fact(
                "accepted",
                "by on_budget = \"pass\"; this is less than the claim promises",
            ),
            (Some((_, help)), false) => section.fact("help", help),
            (None, _) => {}
        }
        if let Verdict::Violated(Finding::Rate { index, first, .. }) = &self.verdict {
            let shown = format!(
                "execution {index}, which decided; the first to violate was execution {first}"
            );
            section.fact("shown", &shown);
        }
        suite_facts(self, &mut section);
        if let Some(words) = self.remembered.words() {
            section.fact("earlier", &words);
        }
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
            Input::write(&self.inputs, "input", &mut section);
        }
        if !self.passed() {
            self.seed_fact(&words.address_words(self), &mut section);
        }
        if let Some(line) = &self.replay {
            section.line("replay", line);
        }
        if let Some(line) = &self.rerun {
            section.line("rerun", line);
        }
        if let Some(story) = &self.story {
            story.write(&mut section);
        }
        section.text
    }

    /// Says that the execution that decided did not violate again, and what that may be.
    fn unsteady(&self) -> String {
        let unseeded = match self.sources.as_slice() {
            [] => "a source that was not seeded".to_owned(),
            sources => format!("what was not seeded: {}", sources.join("; ")),
        };
        if self.claim().is_about_pairs() {
            return format!(
                "a pair that was executed again did not give the same results: they depend on time, or on {unseeded}\nthe versions are compared as independent samples. That holds as well, but pairs differ by chance alone, and it takes more of them"
            );
        }
        format!(
            "did not violate when executed again, alone: it depends on earlier executions, on time, or on {unseeded}"
        )
    }

    /// Says what infrastructure spoiled and what the executions cost.
    fn waiting_facts(&self, section: &mut Section) {
        if !self.unavailable.is_empty() {
            let all: u64 = self.unavailable.iter().map(|(_, count)| count).sum();
            let kinds: Vec<String> = self
                .unavailable
                .iter()
                .map(|(kind, count)| format!("{} {count}", legible(kind)))
                .collect();
            let words = format!(
                "{} proved nothing and did not count: {}",
                plural(all, "attempt"),
                kinds.join(", ")
            );
            section.fact("unavailable", &words);
        }
        if let Some((spent, most)) = self.cost {
            let limit = most.map_or(String::new(), |most| format!(", max_cost = {most}"));
            section.fact("cost", &format!("{}{limit}", money(spent)));
        }
    }

    fn executed_fact(&self, section: &mut Section) {
        if matches!(self.remembered, Remembered::Again(_)) {
            let planned = self.counts.planned;
            return section.fact(
                "executed",
                &format!(
                    "the remembered counterexample alone; {planned} planned executions not needed"
                ),
            );
        }
        let rest = match self.reason() {
            Some(_) => "not executed",
            None => "not needed",
        };
        let words = match self.claim().is_about_pairs() {
            true => format!(
                "{}{}, {} {rest}",
                plural(self.counts.executed, "pair"),
                rejected(self.counts.rejected),
                self.counts.not_executed()
            ),
            false => counts(&self.counts, rest),
        };
        section.fact("executed", &words);
    }

    fn seed_fact(&self, about: &str, section: &mut Section) {
        if let Some(address) = self.address {
            let (seed, index) = (address.seed, address.index);
            section.fact("seed", &format!("{seed}, execution {index}{about}"));
        } else if self.violation().is_some() && self.notes.contains(&Note::OwnRandomness) {
            section.fact("seed", "the program brings its own randomness");
        } else {
            section.fact("seed", &self.seed.to_string());
        }
    }
}

impl Note {
    /// Says the note in a sentence.
    pub fn words(&self) -> Cow<'static, str> {
        let words = match self {
            Note::Schedules {
                depth,
                threads,
                steps,
            } => {
                return format!(
                    "with {threads} threads and {steps} steps a bug of depth {depth} shows in an execution with probability p at least"
                )
                .into();
            }
            Note::OwnRandomness => {
                "the body takes no random source: its executions cannot be replayed"
            }
            Note::AboveTolerate => {
                "the violation rate lies above tolerate: the test tells p from tolerate, and a rate between the two may pass"
            }
            Note::UnreportedOutcomes => {
                "no execution reported an outcome: there were enough executions to see each of them, but whether they came was not looked at"
            }
            Note::JournalLost => {
                "the journal could not be written to its end: a run that is stopped does not go on from there"
            }
            Note::SharedGenerators => {
                "executions ran at the same time and drew from `random` or another global generator, which they share: such an execution cannot be replayed; draw from probtest_rng, which each has of its own"
            }
            Note::LargeP => {
                "p is above 1/2: the plan covers both outcomes, so it waits for an execution that passes as well; a violation alone would be seen sooner"
            }
        };
        words.into()
    }
}

impl Doubt {
    /// Says the doubt in a few words.
    pub fn what(&self) -> String {
        match self {
            Doubt::NeverDrew => "no execution drew from its random source".into(),
            Doubt::FewDrew { drew, looked_at } => {
                format!("{drew} of {looked_at} executions drew a random number")
            }
            Doubt::FixedSeeds { places } => match places.first() {
                Some(first) => format!(
                    "every execution draws the same numbers: {first}{}",
                    match places.len() - 1 {
                        0 => String::new(),
                        more => format!(" and {more} more"),
                    }
                ),
                None => "every execution draws the same numbers".into(),
            },
            Doubt::Copies => "every execution that was looked at did the same".into(),
            Doubt::Unseen(rare) => rare.words(),
            Doubt::Repeated { equal, pairs } => {
                format!("{equal} of {pairs} pairs of neighbours recorded the same in all bits")
            }
            Doubt::Clock => "executions that began within one second wrote the same".into(),
            Doubt::Larger {
                executions,
                threads,
                steps,
            } => format!(
                "{} had more threads or steps than were measured before: up to {threads} threads and {steps} steps",
                plural(*executions, "execution")
            ),
            Doubt::Panicked { index, panic } => {
                let place = panic.location.as_deref();
                let at = place
                    .map(|place| format!(" at {place}"))
                    .unwrap_or_default();
                let message = legible(panic.message.lines().next().unwrap_or_default());
                format!(
                    "a thread or a task failed during execution {index}, which passed all the same: {message}{at}"
                )
            }
        }
    }

    /// Says the doubt, and what to do about it.
    pub fn words(&self) -> String {
        let help = match self {
            Doubt::NeverDrew => {
                "executions that draw nothing may all be the same one. Pass `rng` on to the program, or leave the argument out if the program brings its own randomness"
            }
            Doubt::FewDrew { .. } => {
                "the others reuse what an earlier one left behind, such as a cache or a value that is made once, so they are no new evidence. Make it anew in each execution"
            }
            Doubt::FixedSeeds { .. } => {
                "the program seeds its own generator, so the executions are one execution repeated. Remove the seed, or take it from the test"
            }
            Doubt::Copies => {
                "no random number was drawn, so the executions are one execution repeated, and one is enough for a program without randomness"
            }
            Doubt::Unseen(_) => {
                "the test may never have reached the case that it is about. Execute it more often, or draw that case more often"
            }
            Doubt::Repeated { .. } => {
                "executions that repeat each other are no new evidence, as with a cache or a model at temperature 0. Switch that off in the test, or record something that should differ"
            }
            Doubt::Clock => {
                "the program seems to take its seed from the clock, so there were as many different executions as seconds. Give it {seed} as an argument, or let it read PROBTEST_SEED"
            }
            Doubt::Larger { .. } => {
                "a bug in the longer ones may be rarer than the test looks for. Give all executions the same threads and about the same work, or use `schedules = random` with a `p`"
            }
            Doubt::Panicked { .. } => {
                "join the thread or await the task, and let its failure fail the body"
            }
        };
        format!("{}; {help}", self.what())
    }
}

impl Remembered {
    /// Says what became of counterexamples that did not violate, if there were any.
    pub fn words(&self) -> Option<String> {
        let (which, count) = match self.did_not_violate().len() {
            0 => return None,
            1 => ("the counterexample of an earlier run".to_owned(), 1),
            count => (format!("{count} counterexamples of earlier runs"), count),
        };
        let (was, s) = match count {
            1 => ("was", "s"),
            _ => ("were", ""),
        };
        Some(match self {
            Remembered::Unsteady(_) => format!(
                "{which} {was} executed first and did not violate, though the program is the same: what happened depends on something else than the seed"
            ),
            _ => format!("{which} {was} executed first and no longer violate{s}"),
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
            round_down(self.low),
            round_up(self.high),
            self.confidence
        )
    }
}

/// Writes a cost without digits that nobody needs.
fn money(spent: f64) -> String {
    let text = format!("{spent:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
