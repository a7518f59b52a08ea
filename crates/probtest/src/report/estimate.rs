//! The words for what a rate is.

use std::fmt;
use std::time::Duration;

use probtest_facts::{Claim, Finding, Kind, Rate as RateFacts, TestFacts, Verdict, Version};
use serde_json::Value;

use super::budget_text::{time_name, time_over};
use super::json::{notes_facts, reason_facts, reason_kind, violation_facts};
use super::text::{Section, plural};
use super::{Note, reason_words};
use crate::budget::TimeLimit;
use crate::judge::confidence::AimedSequence;
use crate::judge::{Counts, Estimated, Reason};
use crate::run::Violation;
use crate::seed::{Replay, RunSeed};

/// What is known about a violation rate after executions that ended when it was
/// known well enough.
///
/// Its `Display` form is the full report; [`Estimate::summary`] is one sentence;
/// [`Estimate::to_json`] has the same facts for programs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Estimate {
    /// The id of the test.
    pub test: String,
    /// The width that was asked for.
    pub width: f64,
    /// The confidence that was asked for.
    pub confidence: f64,
    /// The lowest and the highest rate that fit.
    pub interval: (f64, f64),
    /// How many executions did what; `planned` is the most that there could be.
    pub counts: Counts,
    /// Why the interval is wider than asked for, if it is.
    pub unfinished: Option<Reason>,
    /// The seed of the run.
    pub seed: RunSeed,
    /// How the first violation happened, if there was one.
    pub violation: Option<Box<Violation>>,
    /// Where the first violation is found again.
    pub address: Option<Replay>,
    /// The line to copy that executes the first violation again.
    pub replay: Option<String>,
    /// The line to copy that executes again what a limit of time has cut.
    pub rerun: Option<String>,
    /// What else the reader should know.
    pub notes: Vec<Note>,
    /// How long the executions took.
    pub elapsed: Duration,
}

impl Estimate {
    /// Puts the facts together; `asked` is the width and the confidence.
    pub fn new(
        test: String,
        asked: (f64, f64),
        seed: RunSeed,
        known: Estimated,
        elapsed: Duration,
    ) -> Self {
        let (index, violation) = known.first.unzip();
        Estimate {
            test,
            width: asked.0,
            confidence: asked.1,
            interval: known.interval,
            counts: known.counts,
            unfinished: known.unfinished,
            seed,
            violation,
            address: index.map(|index| Replay { seed, index }),
            replay: None,
            rerun: None,
            notes: Vec::new(),
            elapsed,
        }
    }

    /// Says whether the interval is as narrow as was asked for.
    pub fn finished(&self) -> bool {
        self.unfinished.is_none()
    }

    /// Returns what ended it early, where that was a limit of time.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match self.unfinished {
            Some(Reason::Time { limit }) => Some(limit),
            _ => None,
        }
    }

    /// Returns the observed rate, if anything was executed.
    pub fn rate(&self) -> Option<f64> {
        let Counts {
            violated, executed, ..
        } = self.counts;
        (executed > 0).then(|| violated as f64 / executed as f64)
    }

    /// Returns the executions that Hoeffding's inequality asks for beforehand.
    pub fn hoeffding(&self) -> u64 {
        AimedSequence::new(self.width, self.confidence).map_or(0, |aimed| aimed.hoeffding())
    }

    /// Says it in one sentence.
    pub fn summary(&self) -> String {
        let beginning = match self.unfinished {
            None => "probtest: ",
            Some(_) => "probtest: unfinished: ",
        };
        format!(
            "{beginning}{}, after {}",
            self.meaning(),
            plural(self.counts.executed, "execution")
        )
    }

    fn meaning(&self) -> String {
        let (low, high) = self.shown();
        format!(
            "the violation rate is between {low} and {high} with confidence {}",
            self.confidence
        )
    }

    /// Says why the interval is wider than asked for, and what to do.
    fn why(&self, reason: &Reason) -> (String, String) {
        match reason {
            Reason::Budget { max_executions } => (
                format!("max_executions = {max_executions} came before the width was reached"),
                "raise max_executions or the width".into(),
            ),
            Reason::Time { limit } => (
                time_over(limit, "the width was reached"),
                format!("raise {} or the width", time_name(limit)),
            ),
            Reason::Cancelled => (
                "stopped before the width was reached".into(),
                "the interval so far is valid; start again for a narrower one".into(),
            ),
            other => reason_words(other, self.counts.rejected),
        }
    }

    /// The ends, rounded away from each other to what the width can show.
    fn shown(&self) -> (String, String) {
        let digits = (2.0 - self.width.log10()).ceil().clamp(2.0, 15.0) as i32;
        let scale = 10f64.powi(digits);
        let low = (self.interval.0 * scale).floor() / scale;
        let high = ((self.interval.1 * scale).ceil() / scale).min(1.0);
        (low.to_string(), high.to_string())
    }

    /// Returns the facts for programs, described in `docs/reference/json.md`.
    pub fn facts(&self) -> TestFacts {
        TestFacts {
            probtest: Version,
            kind: Some(Kind::Estimate),
            test: self.test.clone(),
            verdict: match self.finished() {
                true => Verdict::Estimated,
                false => Verdict::Inconclusive,
            },
            claim: Claim {
                width: Some(self.width),
                confidence: Some(self.confidence),
                ..Claim::default()
            },
            claim_words: format!(
                "none: estimate, width = {}, confidence = {}",
                self.width, self.confidence
            ),
            rate: Some(RateFacts {
                seen: self.rate(),
                low: self.interval.0,
                high: self.interval.1,
                confidence: self.confidence,
            }),
            executed: self.counts.executed,
            passed: self.counts.passed,
            violated: self.counts.violated,
            rejected: self.counts.rejected,
            hoeffding: Some(self.hoeffding()),
            seed: Some(self.seed.to_string()),
            index: self.address.map(|address| address.index),
            address: self.address.map(|address| address.to_string()),
            replay: self.replay.clone(),
            rerun: self.rerun.clone(),
            finding: self
                .violation
                .as_ref()
                .map(|violation| Finding::Execution(violation_facts(violation))),
            reason: self
                .unfinished
                .as_ref()
                .map(|reason| reason_facts(reason_kind(reason), self.why(reason))),
            notes: notes_facts(&self.notes),
            seconds: self.elapsed.as_secs_f64(),
            summary: self.summary(),
            meaning: Some(self.meaning()),
            ..TestFacts::default()
        }
    }

    /// Writes the facts as one JSON object.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.facts()).unwrap_or_default()
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let mut section = Section::begin(&self.summary());
        if let Some(rate) = self.rate() {
            let mut words = format!(
                "{} violated of {}, a rate of {rate:.4}",
                counts.violated,
                plural(counts.executed, "execution")
            );
            if counts.rejected > 0 {
                words.push_str(&format!("; {} rejected", counts.rejected));
            }
            section.fact("executed", &words);
        }
        section.fact(
            "width",
            &format!(
                "{:.4} of {} asked for",
                self.interval.1 - self.interval.0,
                self.width
            ),
        );
        if let Some(reason) = &self.unfinished {
            let (why, help) = self.why(reason);
            section.fact("reason", &why);
            section.fact("help", &help);
        }
        section.fact(
            "meaning",
            "the interval holds at the moment of the stop: it was valid after every execution",
        );
        section.fact(
            "compared",
            &format!(
                "a number fixed beforehand by Hoeffding's inequality is {}",
                plural(self.hoeffding(), "execution")
            ),
        );
        for note in &self.notes {
            section.fact("note", note.words());
        }
        match self.address {
            Some(address) => section.fact(
                "seed",
                &format!(
                    "{}, first violation at execution {}",
                    self.seed, address.index
                ),
            ),
            None => section.fact("seed", &self.seed.to_string()),
        }
        if let Some(line) = &self.replay {
            section.line("replay", line);
        }
        if let Some(line) = &self.rerun {
            section.line("rerun", line);
        }
        f.write_str(&section.text)
    }
}
