//! Facts: what a test found out, as JSON.
//!
//! All JSON that probtest writes or reads is one of these types: [`TestFacts`] for one test,
//! [`ManyTests`] for a whole run, [`PlanFacts`], [`SensitivityFacts`], [`AuditFacts`],
//! [`ReplayFacts`] and [`ErrorFacts`]. Nothing here decides or computes anything.
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
//! [`FORMAT`] goes up when a field changes its meaning or is removed. New fields and new words may
//! appear under the same version: unknown fields are skipped, and an enum keeps an unknown word as
//! `Other`. Build values with `..Default::default()`, because fields may be added.
//!
//! You can write these types without any feature: [`json::ToJson`] is how probtest itself does it.
//! The feature `serde` implements `Serialize`, which writes the same JSON, and `Deserialize`, and
//! adds a reader for files whose errors name the place. The feature `schema` derives
//! `schemars::JsonSchema`; the schema itself is checked in as
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

/// Any JSON object that probtest writes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum Document {
    /// The result of one test.
    Test(Box<TestFacts>),
    /// The results of a run.
    Many(Box<ManyTests>),
    /// How many executions are enough, or what a number of them proves.
    Plan(Box<PlanFacts>),
    /// What it costs to overestimate p.
    Sensitivity(SensitivityFacts),
    /// How flaky each test of a suite is.
    Audit(Box<AuditFacts>),
    /// One execution, replayed.
    Replay(ReplayFacts),
    /// Why there is no answer.
    Error(ErrorFacts),
}
