//! Report: how much does the verdict prove?
//!
//! All texts for people are written here. A [`Report`] has the facts of a test and turns them into
//! text for people and JSON for programs. Nothing here decides or prints anything.

#[cfg(feature = "tools")]
mod answers;
#[cfg(feature = "tools")]
mod audit_text;
mod facts;
mod labels;
mod reasons;
mod replay_line;
mod returned;
mod story;
mod suite_text;
mod text;
mod violations;
mod words;

use std::time::Duration;

use probtest_facts::Part;

use crate::claim::{Claim, ClaimKind, Probability};
use crate::judge::{
    Counts, Direction, Doubt, Finding, LabelTally, Observed, Reason, Verdict, stopped,
};
use crate::plan::Plan;
use crate::run::{Observation, VersionResult, Violation};
use crate::seed::{Address, RunSeed, Tape};
use crate::settings::{Shard, Suite, TimeLimit};

pub use probtest_facts::{Decider, FORMAT, Input, Story, StoryRow};
#[cfg(feature = "tools")]
pub(crate) use words::round_up_exact;
pub(crate) use {
    facts::verdict_facts,
    reasons::OptionNames,
    story::{inputs_of, set_small, unexplained, with_words},
    words::legible,
};

// Shared by the front ends of probtest; not for direct use.
#[doc(hidden)]
#[cfg(feature = "tools")]
pub use {
    answers::{
        Believed, attained_cover, attained_epsilon, attained_p, attained_rate, sensitivity_answer,
    },
    audit_text::{
        AuditGroup, AuditLine, audit_entry, audit_groups, audit_headline, audit_limit, audit_lines,
        audit_name, audit_rank, audit_summary, audit_text, audit_totals, full_name,
    },
    story::explain_story,
};
#[doc(hidden)]
pub use {
    facts::{plan_facts, refusal_facts, unfinished_facts},
    replay_line::{Invocation, command_line, shell_word},
    suite_text::suite_promises,
    words::{claim_line, long_run, plan_text, plural, promise, round_down, round_up},
};

/// A placeholder for an index that isn't known yet, in a line to copy.
#[doc(hidden)]
pub const ANY_INDEX: u64 = 18_446_744_073_709_551_557;

/// The facts of one test.
///
/// `Display` writes the full report; [`Report::summary`] is one line; [`Report::facts`] has the
/// same facts for programs.
#[derive(Clone, Debug)]
#[must_use = "a report does not fail the test by itself: check `passed()` or `accepted()`"]
pub struct Report {
    pub(crate) test: String,
    pub(crate) plan: Plan,
    pub(crate) verdict: Verdict,
    /// Whether the test accepts what was achieved when a budget ends it.
    pub(crate) asked: bool,
    /// How options are spelled.
    pub(crate) names: OptionNames,
    pub(crate) counts: Counts,
    pub(crate) observed: Observed,
    pub(crate) seed: RunSeed,
    pub(crate) address: Option<Address>,
    pub(crate) replay: Option<String>,
    pub(crate) rerun: Option<String>,
    pub(crate) remembered: Remembered,
    pub(crate) returned: Option<String>,
    pub(crate) suite: Suite,
    pub(crate) notes: Vec<Note>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) confirmed: Option<bool>,
    /// What a shard passes on, so that all shards can be judged together.
    pub(crate) part: Option<(Shard, Box<Part>)>,
    pub(crate) sources: Vec<String>,
    pub(crate) story: Option<Story>,
    /// The inputs of the execution to look at.
    pub(crate) inputs: Vec<Input>,
    pub(crate) tally: LabelTally,
    /// How often which infrastructure failed.
    pub(crate) unavailable: Vec<(String, u64)>,
    /// What the executions cost, and the limit.
    pub(crate) cost: Option<(f64, Option<f64>)>,
    pub(crate) played: Option<Tape>,
    pub(crate) elapsed: Duration,
}

/// What happened to counterexamples that were remembered from earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Remembered {
    /// There were none.
    #[default]
    None,
    /// One of them violated the assertion again; nothing else ran.
    Again(Address),
    /// None of these violates the assertion anymore.
    Fixed(Vec<Address>),
    /// None of these violated the assertion, although the program is the same: their results depend
    /// on something other than the seed.
    Unsteady(Vec<Address>),
}

impl Remembered {
    /// Adds one that didn't violate; `unchanged` says whether the program is the same.
    pub(crate) fn passed(&mut self, address: Address, unchanged: bool) {
        match self {
            Remembered::Fixed(addresses) | Remembered::Unsteady(addresses) => {
                addresses.push(address);
            }
            _ if unchanged => *self = Remembered::Unsteady(vec![address]),
            _ => *self = Remembered::Fixed(vec![address]),
        }
    }

    /// The counterexamples that didn't violate.
    pub fn did_not_violate(&self) -> &[Address] {
        match self {
            Remembered::Fixed(addresses) | Remembered::Unsteady(addresses) => addresses,
            Remembered::None | Remembered::Again(_) => &[],
        }
    }
}

/// What a single execution returned, if the claim is about that.
pub(crate) fn returned(observation: &Observation) -> Option<String> {
    let did = |did: &VersionResult| match did {
        VersionResult::Held => "held".to_owned(),
        VersionResult::Violated(violation) => format!("violated: {}", legible(&violation.message)),
        VersionResult::Number(number) => number.0.to_string(),
    };
    match observation {
        Observation::Number(number) => Some(number.0.to_string()),
        Observation::Pair(pair) => {
            Some(format!("a pair: old {}, new {}", did(&pair.old), did(&pair.new)))
        }
        Observation::Label(label) => Some(legible(label).into_owned()),
        _ => None,
    }
}

/// Something you should know besides the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The program brings its own randomness, so no execution can be replayed.
    OwnRandomness,
    /// With p above one half, the plan also waits for an execution that passes.
    LargeP,
    /// The test passed at a violation rate above the tolerated one.
    AboveTolerate,
    /// The journal couldn't be written completely.
    JournalLost,
    /// Executions ran at the same time and drew from generators they share.
    SharedGenerators,
    /// p was computed from the number of threads and steps, for bugs of a given depth.
    Schedules {
        /// The depth of the bugs to find.
        depth: u32,
        /// The most threads of an execution.
        threads: u64,
        /// The most steps of an execution, plus a quarter.
        steps: u64,
    },
}

/// The observed violation rate, and the rates that fit the data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rate {
    /// The executions that violated.
    pub violations: u64,
    /// The executions that counted.
    pub executions: u64,
    /// The lowest rate that fits the data.
    pub low: f64,
    /// The highest rate that fits the data.
    pub high: f64,
    /// The probability, at least, that this interval contains the true rate.
    pub confidence: f64,
}

impl Rate {
    /// The share of executions that violated.
    pub fn seen(&self) -> f64 {
        self.violations as f64 / self.executions as f64
    }
}

impl Report {
    /// The id of the test.
    pub fn test(&self) -> &str {
        &self.test
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The claim, with its chances lowered to the test's share of the suite's.
    pub fn claim(&self) -> &Claim {
        self.plan.claim()
    }

    /// What the executions show about the claim.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// How many executions passed, violated or were rejected.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What was observed besides counts.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// The seed of the run.
    pub fn seed(&self) -> RunSeed {
        self.seed
    }

    /// The execution to look at, if there is one that can be replayed: the one that decided, the
    /// most extreme one, or the first violation of an estimate.
    pub fn address(&self) -> Option<Address> {
        self.address
    }

    /// A line you can copy to replay that execution.
    pub fn replay(&self) -> Option<&str> {
        self.replay.as_deref()
    }

    /// A line you can copy to rerun the whole test.
    pub fn rerun(&self) -> Option<&str> {
        self.rerun.as_deref()
    }

    /// Adds the line to copy that replays the execution to look at.
    pub fn set_replay(&mut self, line: Option<String>) {
        self.replay = line.filter(|_| self.address.is_some());
    }

    /// Adds the line to copy that reruns the whole test.
    pub fn set_rerun(&mut self, line: Option<String>) {
        self.rerun = line;
    }

    /// The shard that these executions belong to, if the test is divided.
    pub fn shard(&self) -> Option<Shard> {
        self.part.as_ref().map(|(shard, _)| *shard)
    }

    /// Keeps a shard's lines to copy for whoever merges it. The index in `replay` is [`ANY_INDEX`].
    #[doc(hidden)]
    pub fn set_part_lines(
        &mut self,
        replay: Option<String>,
        rerun: Option<String>,
        reruns_unseen: bool,
    ) {
        if let Some((_, part)) = &mut self.part {
            part.replay = replay;
            part.rerun = rerun;
            part.reruns_unseen = reruns_unseen;
        }
    }

    /// What happened to counterexamples that were remembered from earlier runs.
    pub fn remembered(&self) -> &Remembered {
        &self.remembered
    }

    /// Leaves counterexamples that didn't violate out of the report.
    #[doc(hidden)]
    pub fn forget_what_passed(&mut self) {
        if !self.remembered.did_not_violate().is_empty() {
            self.remembered = Remembered::None;
        }
    }

    /// What a replayed execution returned, as text.
    pub fn returned(&self) -> Option<&str> {
        self.returned.as_deref()
    }

    /// What else you should know.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Adds a note.
    pub fn add_note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Reasons to believe that the executions weren't independent or weren't random, or that
    /// something failed unnoticed. A pass with a doubt proves less than it seems to.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Whether the deciding execution violated again when it ran a second time, alone; `None` if
    /// that wasn't tried.
    pub fn confirmed(&self) -> Option<bool> {
        self.confirmed
    }

    /// Names sources of randomness that were noticed but aren't controlled. The report shows them
    /// if an execution didn't violate again.
    pub fn set_sources(&mut self, sources: Vec<String>) {
        self.sources = sources;
    }

    /// The labels that executions reported.
    pub fn labels(&self) -> &LabelTally {
        &self.tally
    }

    /// The smallest execution found that shows the same violation, and the draws that decide it.
    pub fn story(&self) -> Option<&Story> {
        self.story.as_ref()
    }

    /// The inputs of the execution to look at, if they were recorded.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The draws of the small execution, if one was found.
    pub fn small_tape(&self) -> Option<Tape> {
        let story = self.story.as_ref();
        let found = story.filter(|story| story.holds && story.executions > 0);
        found?.tape.parse().ok()
    }

    /// The tape with which a remembered execution violated, if its own draws no longer do.
    pub fn played(&self) -> Option<&Tape> {
        self.played.as_ref()
    }

    /// Adds the line to copy that runs the small execution.
    pub fn set_story_line(&mut self, line: impl FnOnce(&Tape) -> Option<String>) {
        if let (Some(tape), Some(story)) = (self.small_tape(), &mut self.story) {
            story.replay = line(&tape);
        }
    }

    /// How often which infrastructure failed, most frequent first. Such attempts prove nothing:
    /// they were retried, and are counted nowhere else.
    pub fn unavailable(&self) -> &[(String, u64)] {
        &self.unavailable
    }

    /// What the executions cost, if the body reported it.
    pub fn cost(&self) -> Option<f64> {
        self.cost.map(|(spent, _)| spent)
    }

    /// How long the test took.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Whether the claim was kept.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// Whether the test passed, finished its estimate, accepts what it achieved within a budget, or
    /// is a shard that did its part.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn accepted(&self) -> bool {
        self.verdict.is_accepted()
    }

    /// Whether a budget ran out before the plan was finished, and the test accepts that.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn is_within_budget(&self) -> bool {
        matches!(self.verdict, Verdict::WithinBudget(_))
    }

    /// Returns why there is no verdict, or less than the claim.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn reason(&self) -> Option<&Reason> {
        match &self.verdict {
            Verdict::Inconclusive(reason) | Verdict::WithinBudget(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns the time limit that cut the test short, if one did.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match self.reason() {
            Some(Reason::Time { limit }) => Some(*limit),
            _ => None,
        }
    }

    /// Returns what happened in the deciding execution, if it violated.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn violation(&self) -> Option<&Violation> {
        match &self.verdict {
            Verdict::Violated(
                Finding::Execution { violation, .. } | Finding::Rate { violation, .. },
            ) => Some(violation),
            _ => None,
        }
    }

    /// Returns the index of the deciding execution, if it violated.
    pub fn violating_index(&self) -> Option<u64> {
        match &self.verdict {
            Verdict::Violated(Finding::Execution { index, .. } | Finding::Rate { index, .. }) => {
                Some(*index)
            }
            _ => None,
        }
    }

    /// The execution to look at: the one that decided, or the most extreme one.
    pub(crate) fn deciding(&self) -> Option<u64> {
        match (&self.verdict, &self.observed) {
            (
                Verdict::Violated(
                    Finding::Execution { index, .. }
                    | Finding::Rate { index, .. }
                    | Finding::Impossible { index, .. },
                )
                | Verdict::Inconclusive(
                    Reason::UnknownOutcome { index, .. }
                    | Reason::Outside { index, .. }
                    | Reason::Nothing { index }
                    | Reason::TwoResults { index },
                ),
                _,
            ) => Some(*index),
            (
                Verdict::Violated(Finding::Mean { direction }),
                Observed::Numbers { extremes, .. },
            ) => extremes.map(|(least, largest)| match direction {
                Direction::Low => least.index,
                Direction::High => largest.index,
            }),
            (_, Observed::Rate { first, .. }) => first.as_ref().map(|(index, _)| *index),
            (_, Observed::Change(change)) => change.shown.as_ref().map(|(index, _)| *index),
            _ => None,
        }
    }

    /// Whether a test was accepted although the rates that fit the data are above the tolerated
    /// one.
    pub(crate) fn lies_above_tolerate(&self) -> bool {
        let Some(tolerate) = self.claim().tolerated().map(Probability::as_f64) else {
            return false;
        };
        let seen = self.counts.violated as f64 / self.counts.executed as f64;
        self.accepted() && seen > tolerate && self.rate().is_some_and(|rate| rate.low > tolerate)
    }

    /// Returns the violation rate, with an interval that is valid even though the test stopped when
    /// it had seen enough. `None` unless the claim tolerates or measures a rate: a test that ends
    /// at its first violation says nothing about the rate.
    pub fn rate(&self) -> Option<Rate> {
        let (executions, violations) = (self.counts.executed, self.counts.violated);
        if self.part.is_some() {
            // A shard has only some of the executions after which the test would stop.
            return None;
        }
        let rate = |(low, high), confidence| Rate { violations, executions, low, high, confidence };
        if let (Observed::Rate { interval, .. }, ClaimKind::Estimate { confidence, .. }) =
            (&self.observed, &self.claim().0)
        {
            return Some(rate(*interval, *confidence));
        }
        let test = self.plan.sequential()?;
        if matches!(
            self.verdict,
            Verdict::Violated(Finding::Execution { .. })
                | Verdict::Inconclusive(Reason::Replayed { .. })
        ) {
            return None;
        }
        let confidence = 0.95;
        let found = stopped::interval(test, executions, violations, confidence);
        Some(rate(found.ok()?, confidence))
    }
}
