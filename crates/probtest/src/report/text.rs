//! The words for people: the same layout for every claim.

use std::borrow::Cow;
use std::fmt;

use super::story::write_inputs;
use super::suite_text::suite_facts;
use super::words::{
    Section, counts, legible, plural, rejected, round_down, round_up, violations, words,
};
use super::{Note, Rate, Remembered, Report};
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
            section.fact("achieved", &achieved);
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
            (Some(_), true) => section
                .fact("accepted", "by on_budget = \"pass\"; this is less than the claim promises"),
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
            write_inputs(&self.inputs, "input", &mut section);
        }
        if !self.passed() {
            self.seed_fact(&words.address_words(self), &mut section);
        }
        section.lines("replay", &self.replay);
        section.lines("rerun", &self.rerun);
        if let Some(story) = &self.story {
            story.write(&mut section);
        }
        section.text
    }

    /// Says that the execution that decided did not violate again, and what that may be.
    fn unsteady(&self) -> String {
        let unseeded = match self.sources.as_slice() {
            [] => "an unseeded source".to_owned(),
            sources => format!("unseeded sources: {}", sources.join("; ")),
        };
        if self.claim().is_about_pairs() {
            return format!(
                "a pair gave different results when it ran again: they depend on time, or on {unseeded}\nthe versions are compared as independent samples. That is valid too, but it takes more pairs, since pairs then differ by chance alone"
            );
        }
        format!(
            "did not violate when it ran again alone: it depends on earlier executions, on time, or on {unseeded}"
        )
    }

    /// Says what infrastructure spoiled and what the executions cost.
    fn waiting_facts(&self, section: &mut Section) {
        if !self.unavailable.is_empty() {
            let all: u64 = self.unavailable.iter().map(|(_, count)| count).sum();
            let kinds: Vec<String> = self
                .unavailable
                .iter()
                .map(|(kind, count)| match count {
                    1 => format!("{}, once", legible(kind)),
                    _ => format!("{}, {count} times", legible(kind)),
                })
                .collect();
            let words = format!(
                "{} proved nothing and did not count: {}",
                plural(all, "attempt"),
                kinds.join("; ")
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
                    "only the remembered counterexample; {planned} planned executions not needed"
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
            Note::Schedules { depth, threads, steps } => {
                return format!(
                    "with {threads} threads and {steps} steps, an execution shows a bug of depth {depth} with probability at least p"
                )
                .into();
            }
            Note::OwnRandomness => {
                "the body takes no random source, so its executions cannot be replayed"
            }
            Note::AboveTolerate => {
                "the violation rate is above tolerate: the test only tells tolerate from p, so a rate between the two may pass"
            }
            Note::UnreportedOutcomes => {
                "no execution reported an outcome: there were enough executions to see each of them, but probtest could not check whether they occurred"
            }
            Note::JournalLost => {
                "the journal could not be written completely, so a stopped run cannot continue from it"
            }
            Note::SharedGenerators => {
                "executions ran at the same time and drew from `random` or another global generator, which they share: such an execution cannot be replayed. Draw from probtest_rng, which each execution has to itself"
            }
            Note::LargeP => {
                "p is above 1/2: the plan covers both outcomes, so it also waits for an execution that passes; a violation alone would be seen sooner"
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
            Doubt::Copies => "every execution that was checked did the same".into(),
            Doubt::Unseen(rare) => rare.words(),
            Doubt::Repeated { equal, pairs } => {
                format!("{equal} of {pairs} pairs of neighbours recorded exactly the same values")
            }
            Doubt::Clock => {
                "executions that started within the same second wrote the same output".into()
            }
            Doubt::Order => "what the two versions did depends on which of them ran first".into(),
            Doubt::Larger { executions, threads, steps } => format!(
                "{} had more threads or steps than measured beforehand: up to {threads} threads and {steps} steps",
                plural(*executions, "execution")
            ),
            Doubt::Panicked { index, panic } => {
                let place = panic.location.as_deref();
                let at = place.map(|place| format!(" at {place}")).unwrap_or_default();
                let message = legible(panic.message.lines().next().unwrap_or_default());
                format!(
                    "a thread or a task failed during execution {index}, which passed anyway: {message}{at}"
                )
            }
            Doubt::Returned(value) => format!("the body returned {value}, which is not checked"),
        }
    }

    /// Says the doubt, and what to do about it.
    pub fn words(&self) -> String {
        let help = match self {
            Doubt::NeverDrew => {
                "executions that draw nothing may all be the same. Pass `rng` on to the program, or leave out the argument if the program brings its own randomness. With `schedules`, start threads that can run at the same time"
            }
            Doubt::FewDrew { .. } => {
                "the others reuse what an earlier one left behind, such as a cache or a value that is created once, so they add no evidence. Create it afresh in each execution"
            }
            Doubt::FixedSeeds { .. } => {
                "the program seeds its own generator, so all executions are the same one repeated. Remove the seed, or take it from the test"
            }
            Doubt::Copies => {
                "no random number was drawn, so all executions are the same one repeated, and a program without randomness needs only one"
            }
            Doubt::Unseen(_) => {
                "the test may never have reached the case that it is about. Run it more often, or draw that case more often"
            }
            Doubt::Repeated { .. } => {
                "executions that repeat each other add no evidence; a cache or a model at temperature 0 does that. Turn it off in the test, or record something that should differ"
            }
            Doubt::Clock => {
                "the program seems to take its seed from the clock, so executions only differ from one second to the next. Give it {seed} as an argument, or let it read PROBTEST_SEED"
            }
            Doubt::Order => {
                "the second one finds what the first has left behind, such as a cache or a file, so a pair says little about the versions. Give each version its own place, or clear it before each execution"
            }
            Doubt::Larger { .. } => {
                "a bug in the longer ones may be rarer than the test looks for. Give all executions the same threads and about the same work, or use `schedules = random` with a `p`"
            }
            Doubt::Panicked { .. } => {
                "join the thread or await the task, and let its failure fail the body"
            }
            Doubt::Returned(_) => "assert what you mean to check, or return a bool",
        };
        format!("{}; {help}", self.what())
    }
}

impl Remembered {
    /// Says what became of counterexamples that did not violate, if there were any.
    pub fn words(&self) -> Option<String> {
        let (which, count) = match self.did_not_violate().len() {
            0 => return None,
            1 => ("the counterexample from an earlier run".to_owned(), 1),
            count => (format!("{count} counterexamples from earlier runs"), count),
        };
        let s = if count == 1 { "s" } else { "" };
        Some(match self {
            Remembered::Unsteady(_) => format!(
                "{which} ran first and did not violate, although the program is the same: the result depends on something other than the seed"
            ),
            _ => format!("{which} ran first and no longer violate{s}"),
        })
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

/// Writes a cost without digits that nobody needs.
fn money(spent: f64) -> String {
    let text = format!("{spent:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
