//! One result: a test, executed once to its verdict, and what to take the verdict for.

use std::rc::Rc;

use probtest_facts::{Kind, Remembered, TestFacts, Verdict};
use serde_json::value::RawValue;

use crate::failure::Failure;

use super::claim::{TestedClaim, WrongField};
use super::identity::Identity;
use super::rate::SeenRate;
use super::read::AS_WRITTEN;
use super::status::Status;
use super::words::{NAME, one_line, plural};

/// The most seconds that the executions of one test may have taken: a longer time than
/// any computer ran for is a broken number, and its sums could be none.
const MOST_SECONDS: f64 = 1e12;

/// One result of a file.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// What the file says.
    pub facts: TestFacts,
    /// Which test it is a result of.
    pub identity: Identity,
    /// What the reader should take the verdict for.
    pub status: Status,
    /// The claim.
    pub claim: TestedClaim,
    /// Reasons to doubt a pass.
    pub doubts: Vec<String>,
    /// What else the reader should know.
    pub notes: Vec<String>,
    /// Which violation rates fit.
    pub rate: Option<SeenRate>,
    /// The file.
    pub source: Rc<str>,
    /// The object as it was written, on one line.
    pub object: Box<RawValue>,
}

impl TestResult {
    /// Looks at what a file says.
    ///
    /// # Errors
    ///
    /// When the facts contradict each other, or a number is not what it should be.
    pub fn new(
        facts: TestFacts,
        source: &Rc<str>,
        object: Box<RawValue>,
    ) -> Result<TestResult, Failure> {
        let wrong = |(field, given, expected): WrongField| {
            let name = one_line(facts.name(), NAME);
            Failure::given(
                format!("`{field}` of the test {name} is not {expected}"),
                format!("{} in {source}", one_line(&given, NAME)),
                AS_WRITTEN,
            )
        };
        checked(&facts).map_err(wrong)?;
        let claim = TestedClaim::read(&facts).map_err(wrong)?;
        // How many violated says nothing about numbers and labels.
        let rate = match facts.observed.is_some() || is_numeric(&facts) {
            true => None,
            false => SeenRate::of(&facts, claim.exact.is_some()).map_err(wrong)?,
        };
        let mut result = TestResult {
            identity: Identity::of(&facts),
            status: Status::of(&facts.verdict),
            doubts: Vec::new(),
            notes: Vec::new(),
            source: Rc::clone(source),
            claim,
            rate,
            object,
            facts,
        };
        result.look_at_notes();
        result.look_at_counts();
        if !result.doubts.is_empty() {
            result.status = Status::Doubtful;
        }
        Ok(result)
    }

    /// Says whether the claim is on what executions return.
    pub fn is_numeric(&self) -> bool {
        is_numeric(&self.facts)
    }

    /// Tells notes that contradict a pass from others.
    fn look_at_notes(&mut self) {
        for note in &self.facts.notes {
            match note.kind.is_doubt() && self.is_pass() {
                true => self.doubts.push(note.words.clone()),
                false => self.notes.push(note.words.clone()),
            }
        }
        if let Some(Remembered::Fixed { .. }) = self.facts.remembered {
            let words = "a counterexample of an earlier run no longer violates";
            self.notes.push(words.into());
        }
    }

    /// Finds counts that contradict a pass.
    fn look_at_counts(&mut self) {
        if !self.is_pass() {
            return;
        }
        let TestFacts {
            executed, violated, ..
        } = self.facts;
        let mut doubt = |words: String| {
            self.doubts
                .push(format!("{words}, and yet the verdict is a pass"));
        };
        if executed == 0 {
            doubt("no execution counts".into());
        }
        // Other claims may pass early, or in spite of violations.
        if self.claim.exact.is_none() {
            return;
        }
        let is_whole = self.facts.verdict == Verdict::Passed;
        match (self.facts.planned, self.claim.needs()) {
            (Some(planned), _) if is_whole && executed < planned => doubt(format!(
                "{executed} of {planned} planned executions were executed"
            )),
            // Where the file has rounded numbers only, one more or less is no sign.
            (_, Some(needed)) if is_whole && executed.saturating_add(1) < needed => doubt(format!(
                "{}, where the claim needs {needed}",
                plural(executed, "execution")
            )),
            _ => {}
        }
        if violated > 0 {
            doubt(format!("{violated} of the executions violated"));
        }
    }

    fn is_pass(&self) -> bool {
        matches!(
            self.facts.verdict,
            Verdict::Passed | Verdict::PassedWithinBudget
        )
    }

    /// The summary without the word that every line of probtest begins with.
    pub fn summary(&self) -> &str {
        let summary = &self.facts.summary;
        summary.strip_prefix("probtest: ").unwrap_or(summary)
    }

    /// How many executions of how many, in words.
    pub fn executions(&self) -> String {
        let executed = self.facts.executed;
        let mut words = match self.facts.planned {
            // Other claims decide as soon as they can.
            Some(most) if self.claim.exact.is_none() => format!("{executed} of at most {most}"),
            Some(planned) if planned != executed => format!("{executed} of {planned} planned"),
            _ => executed.to_string(),
        };
        if self.facts.rejected > 0 {
            words.push_str(&format!(", {} rejected", self.facts.rejected));
        }
        words
    }
}

fn is_numeric(facts: &TestFacts) -> bool {
    matches!(facts.kind, Some(Kind::Mean | Kind::Fit))
}

fn checked(facts: &TestFacts) -> Result<(), WrongField> {
    if facts.name().trim().is_empty() {
        return Err(("test", "nothing".into(), "the id of a test"));
    }
    if facts.violated > facts.executed {
        let expected = "at most the number of executions";
        return Err(("violated", facts.violated.to_string(), expected));
    }
    if !(0.0..=MOST_SECONDS).contains(&facts.seconds) {
        let expected = "a number from 0 to 1e12";
        return Err(("seconds", facts.seconds.to_string(), expected));
    }
    Ok(())
}
