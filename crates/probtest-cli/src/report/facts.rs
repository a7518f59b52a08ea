//! The facts of one result: one test, executed once to its verdict.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::failure::Failure;

use super::claim::TestedClaim;
use super::fields::Fields;
use super::identity::Identity;
use super::rate::Rate;
use super::status::Status;
use super::words::{NAME, one_line, plural};

/// The most seconds that the executions of one test may have taken.
const MOST_SECONDS: f64 = 1e12;

/// One result of a file.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Which test it is a result of.
    pub identity: Identity,
    /// What the reader should take the verdict for.
    pub status: Status,
    /// The verdict as it is written.
    pub verdict: String,
    /// The claim.
    pub claim: TestedClaim,
    /// Executions that the claim needs.
    pub planned: Option<u64>,
    /// The chance of missing after as many.
    pub miss: Option<f64>,
    /// Executions that count.
    pub executed: u64,
    /// Executions that violated.
    pub violated: u64,
    /// Attempts that were drawn again.
    pub rejected: u64,
    /// The run seed.
    pub seed: Option<String>,
    /// The line that executes the deciding execution again.
    pub replay: Option<String>,
    /// The line that executes the whole test again.
    pub rerun: Option<String>,
    /// What happened: the message, then the place and what was written.
    pub finding: Option<Finding>,
    /// Why there is no verdict, and what to do.
    pub reason: Option<(String, String)>,
    /// What speaks against the promise.
    pub doubts: Vec<String>,
    /// What else the reader should know.
    pub notes: Vec<String>,
    /// Which violation rates fit.
    pub rate: Option<Rate>,
    /// What the executions returned, where the claim is on that.
    pub observed: Option<String>,
    /// What a test that did not come to its end attained.
    pub attained: Option<Attained>,
    /// What the verdict says, where the file says it.
    pub meaning: Option<String>,
    /// How long the executions took.
    pub seconds: f64,
    /// One line.
    pub summary: String,
    /// The file.
    pub source: Rc<str>,
    /// The object as it was read, as JSON on one line; handed over by whoever owns it.
    pub object: String,
}

/// What a deciding execution left.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The message of the assertion.
    pub message: String,
    /// Where it stands.
    pub location: Option<String>,
    /// What else was written.
    pub details: Option<String>,
}

/// What a test that did not come to its end attained.
#[derive(Clone, Debug)]
pub struct Attained {
    /// In words.
    pub words: String,
    /// The chance that what it looks for went unnoticed, where that is known.
    pub miss: Option<f64>,
}

impl Facts {
    /// Reads one result.
    ///
    /// # Errors
    ///
    /// When a field is missing that every result has, or holds something that
    /// it cannot.
    pub fn read(map: &Map<String, Value>, source: &Rc<str>) -> Result<Facts, Failure> {
        let mut fields = Fields {
            map,
            source,
            what: "a result".into(),
        };
        let identity = Identity::read(&fields)?;
        fields.what = format!("the test {}", one_line(&identity.name, NAME));
        let needed = |key: &str, found: Option<u64>| {
            found.ok_or_else(|| fields.wrong(key, "a whole number of 0 or more"))
        };
        let verdict = fields
            .text("verdict")?
            .ok_or_else(|| fields.wrong("verdict", "a verdict"))?;
        let claim = claim(&fields)?;
        let executed = needed("executed", fields.count("executed")?)?;
        let mut facts = Facts {
            status: Status::Unknown,
            planned: fields.count("planned")?,
            miss: fields.number("miss")?,
            violated: fields.count("violated")?.unwrap_or(0),
            rejected: fields.count("rejected")?.unwrap_or(0),
            seed: fields.text("seed")?,
            replay: fields.text("replay")?,
            rerun: fields.text("rerun")?,
            finding: finding(&fields)?,
            reason: reason(&fields)?,
            doubts: Vec::new(),
            notes: notes(&fields)?,
            rate: None,
            observed: observed(&fields)?,
            attained: attained(&fields)?,
            meaning: fields.text("meaning")?,
            seconds: seconds(&fields)?,
            summary: fields.text("summary")?.unwrap_or_default(),
            source: Rc::clone(source),
            object: String::new(),
            executed,
            claim,
            verdict,
            identity,
        };
        if facts.violated > facts.executed {
            return Err(fields.wrong("violated", "at most the number of executions"));
        }
        // How many violated says nothing about numbers and labels.
        if facts.observed.is_none() && !facts.claim.is_numeric {
            facts.rate = Rate::of(&facts, &fields)?;
        }
        facts.doubt();
        Ok(facts)
    }

    /// Finds the status, and what speaks against a pass.
    fn doubt(&mut self) {
        self.status = match self.verdict.as_str() {
            "violated" => Status::Violated,
            "inconclusive" => Status::Inconclusive,
            "passed" => Status::Passed,
            "passed_within_budget" => Status::WithinBudget,
            "estimated" => Status::Estimated,
            _ => return,
        };
        if !matches!(self.status, Status::Passed | Status::WithinBudget) {
            return;
        }
        let (dependent, others) = std::mem::take(&mut self.notes)
            .into_iter()
            .partition(|note| note.contains("not independent"));
        (self.doubts, self.notes) = (dependent, others);
        if self.executed == 0 {
            self.doubts
                .push("no execution counts, and yet the verdict is a pass".into());
        }
        // Other claims may pass early, or in spite of violations.
        if self.claim.exact.is_some() {
            let whole = self.planned.filter(|_| self.status == Status::Passed);
            if let Some(planned) = whole.filter(|planned| self.executed < *planned) {
                self.doubts.push(format!(
                    "{} of {planned} planned executions were executed, and yet the verdict is a pass",
                    self.executed
                ));
            } else if let Some(needed) = self.claim.needs()
                // Where the file has rounded numbers only, one more or less is no sign.
                && self.status == Status::Passed
                && self.executed.saturating_add(1) < needed
            {
                self.doubts.push(format!(
                    "{}, where the claim needs {needed}, and yet the verdict is a pass",
                    plural(self.executed, "execution")
                ));
            }
            if self.violated > 0 {
                self.doubts.push(format!(
                    "{} of the executions violated, and yet the verdict is a pass",
                    self.violated
                ));
            }
        }
        if !self.doubts.is_empty() {
            self.status = Status::Doubtful;
        }
    }

    /// The summary without the word that every line of probtest begins with.
    pub fn summary(&self) -> &str {
        self.summary
            .strip_prefix("probtest: ")
            .unwrap_or(&self.summary)
    }

    /// How many executions of how many, in words.
    pub fn executions(&self) -> String {
        let mut words = match self.planned {
            // Other claims decide as soon as they can.
            Some(most) if self.claim.exact.is_none() => {
                format!("{} of at most {most}", self.executed)
            }
            Some(planned) if planned != self.executed => {
                format!("{} of {planned} planned", self.executed)
            }
            _ => self.executed.to_string(),
        };
        if self.rejected > 0 {
            words.push_str(&format!(", {} rejected", self.rejected));
        }
        words
    }
}

/// The time of the executions. A longer one than any computer ran for is a broken
/// number, and its sums could be none.
fn seconds(fields: &Fields) -> Result<f64, Failure> {
    match fields.number("seconds")?.unwrap_or(0.0) {
        seconds if seconds <= MOST_SECONDS => Ok(seconds),
        _ => Err(fields.wrong("seconds", "a number from 0 to 1e12")),
    }
}

fn claim(fields: &Fields) -> Result<TestedClaim, Failure> {
    if let Some(map) = fields.object("claim")? {
        let inner = Fields {
            map,
            source: fields.source,
            what: format!("the claim of {}", fields.what),
        };
        let kind = fields.text("kind")?;
        return TestedClaim::read(&inner, kind.as_deref(), fields.text("claim_words")?);
    }
    // An estimate claims nothing; how it was asked for is said instead.
    let Some(kind) = fields.text("kind")? else {
        return Err(fields.wrong("claim", "a claim"));
    };
    let mut line = format!("none: {}", one_line(&kind, NAME));
    for key in ["width", "confidence"] {
        if let Some(number) = fields.number(key)? {
            line.push_str(&format!(", {key} = {number}"));
        }
    }
    Ok(TestedClaim::none(line))
}

fn finding(fields: &Fields) -> Result<Option<Finding>, Failure> {
    // An estimate calls it a violation: it is no finding against a claim.
    let found = match fields.object("finding")? {
        Some(map) => Some(map),
        None => fields.object("violation")?,
    };
    let Some(map) = found else {
        return Ok(None);
    };
    let inner = Fields {
        map,
        source: fields.source,
        what: format!("the finding of {}", fields.what),
    };
    Ok(inner.text("message")?.map(|message| {
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        Finding {
            message,
            location: text("location"),
            details: text("details"),
        }
    }))
}

fn observed(fields: &Fields) -> Result<Option<String>, Failure> {
    let words = fields.object("observed")?.and_then(|map| map.get("words"));
    Ok(words.and_then(Value::as_str).map(str::to_owned))
}

fn attained(fields: &Fields) -> Result<Option<Attained>, Failure> {
    let Some(map) = fields.object("attained")? else {
        return Ok(None);
    };
    let inner = Fields {
        map,
        source: fields.source,
        what: format!("what was attained by {}", fields.what),
    };
    let miss = inner.number("miss")?;
    Ok(inner.text("words")?.map(|words| Attained {
        words,
        miss: miss.filter(|miss| *miss <= 1.0),
    }))
}

fn reason(fields: &Fields) -> Result<Option<(String, String)>, Failure> {
    Ok(fields.object("reason")?.map(|map| {
        let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
        (text("message").to_owned(), text("help").to_owned())
    }))
}

fn notes(fields: &Fields) -> Result<Vec<String>, Failure> {
    let mut notes = fields.texts("notes")?;
    let remembered = fields.object("remembered")?;
    if let Some(map) = remembered
        && map.get("kind").and_then(Value::as_str) == Some("mended")
    {
        notes.push("a counterexample of an earlier run no longer violates".into());
    }
    Ok(notes)
}
