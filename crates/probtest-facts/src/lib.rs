//! Facts: what a test found out, as JSON.
//!
//! Everything that probtest writes for programs is one of these types, and what it reads
//! is read by them: [`TestFacts`] of one test, [`ManyTests`] of a whole run, [`PlanFacts`],
//! [`SensitivityFacts`], [`AuditFacts`], [`ReplayFacts`] and [`ErrorFacts`]. Nothing here decides or
//! computes anything.
//!
//! ```
//! use probtest_facts::{TestFacts, Verdict};
//!
//! let text = r#"{"probtest": 2, "test": "walk", "verdict": "passed",
//!     "claim": {"p": 0.01, "epsilon": 0.05}, "executed": 299}"#;
//! let facts: TestFacts = serde_json::from_str(text)?;
//! assert_eq!(facts.verdict, Verdict::Passed);
//! assert_eq!(facts.claim.p, Some(0.01));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Versions
//!
//! [`FORMAT`] grows when a field changes its meaning or goes away. New fields and new words
//! may appear under the same version, so a field that is not known is passed over, and an
//! enum keeps a word that it does not know as `Other`. Write values with
//! `..Default::default()`: fields may be added.
//!
//! Writing needs no feature: [`json::ToJson`] is how probtest itself writes these types. The feature `serde`
//! implements `Serialize`, which writes the same, and `Deserialize` for all types, and has the reader of files, with
//! errors that name the place. The feature `schema` derives `schemars::JsonSchema`; the schema itself is checked in as
//! `docs/reference/probtest.schema.json`.

mod answers;
mod audit;
mod form;
pub mod json;
mod many;
mod parts;
#[cfg(feature = "serde")]
pub mod read;
mod test;

pub use answers::{
    BelievedFacts, BelievedNote, ErrorFacts, ErrorKind, ErrorWords, PlanFacts, ReplayFacts,
    SensitivityFacts,
};
pub use audit::{AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome, AuditedTest};
pub use form::{FORMAT, Version};
pub use many::{
    EvidenceFacts, ManyTests, Promise, RateChange, StatusCounts, SuiteEpsilon, SuiteFacts,
    SuiteFalseAlarm, Totals,
};
pub use parts::{
    Answer, Change, Claim, Decider, Input, LabelClaim, LabelFacts, LabelShare, Level, Story,
    StoryRow,
};
pub use test::{
    Attained, Cost, Direction, Doubt, DoubtKind, Extreme, Finding, Kind, Note, NoteKind, Observed,
    Part, Rate, Reason, ReasonKind, Remembered, Share, Shares, TestFacts, Unavailable, Verdict,
    Violation,
};

/// Any object that probtest writes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum Document {
    /// The result of one test.
    Test(Box<TestFacts>),
    /// The results of a run.
    Many(Box<ManyTests>),
    /// How many executions are enough, or what a number of them proves.
    Plan(Box<PlanFacts>),
    /// What a belief in a larger p costs.
    Sensitivity(SensitivityFacts),
    /// How flaky each test of a suite is.
    Audit(Box<AuditFacts>),
    /// One execution, executed again.
    Replay(ReplayFacts),
    /// Why there is no answer.
    Error(ErrorFacts),
}
