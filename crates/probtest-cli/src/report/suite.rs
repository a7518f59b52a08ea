//! The suite: the results of each test put together, what needs attention first.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use probtest::report::shell_word;
use probtest_facts::{EvidenceFacts, StatusCounts, TestFacts, Totals};

use super::input::AllResults;
use super::result::{Status, TestResult};
use super::words::{NAME, duration, one_line, plural};
use crate::output::Failure;

/// What makes two results those of one test.
///
/// Several packages of a workspace may have tests with one id, and so may several targets
/// of one package. Where the files say nothing about the place, the id is all there is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// pytest's id where there is one, else that of probtest.
    pub name: String,
    pub package: Option<String>,
    pub target: Option<String>,
}

impl Identity {
    pub fn of(facts: &TestFacts) -> Identity {
        let known = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        // The words of a command, between zeros, are the id of a test of `probtest run`.
        let words = facts.name().split('\0');
        Identity {
            name: match facts.name().contains('\0') {
                true => words.map(shell_word).collect::<Vec<_>>().join(" "),
                false => facts.name().to_owned(),
            },
            package: known(&facts.package),
            target: known(&facts.target),
        }
    }

    fn full(&self) -> String {
        let place = self.package.iter().chain(&self.target);
        let place = place.map(String::as_str).collect::<Vec<_>>().join(", ");
        let colon = if place.is_empty() { "" } else { ": " };
        one_line(&format!("{place}{colon}{}", self.name), NAME)
    }
}

pub struct ReportedTest {
    /// What is said before its name, where another test has the same one: the
    /// package, the target.
    pub place: Vec<String>,
    /// The result that needs most attention.
    pub result: TestResult,
    pub others: Vec<TestResult>,
}

impl ReportedTest {
    pub fn results(&self) -> impl Iterator<Item = &TestResult> {
        std::iter::once(&self.result).chain(&self.others)
    }

    /// How many runs the results are of: the shards of one are one.
    pub fn runs(&self) -> usize {
        let of_shard = |result: &&TestResult| result.facts.part.is_some();
        let shards: BTreeSet<_> =
            (self.results().filter(of_shard)).map(|result| &result.facts.seed).collect();
        shards.len() + self.results().filter(|result| !of_shard(result)).count()
    }

    pub fn executed(&self) -> u64 {
        self.results().map(|result| result.facts.executed).fold(0, u64::saturating_add)
    }

    pub fn seconds(&self) -> f64 {
        self.results().map(|result| result.facts.seconds).sum()
    }

    /// Says how the results differ, where there are several.
    pub fn several(&self) -> Option<String> {
        if self.others.is_empty() {
            return None;
        }
        Some(format!(
            "{}: {}; the one that most needs attention is shown, and `meaning` is about that one alone",
            plural(1 + self.others.len() as u64, "result"),
            counts(|status| self.results().filter(|one| one.status == status).count())
        ))
    }

    fn add(&mut self, mut result: TestResult) -> Result<(), Failure> {
        let known = &self.result;
        let is_same = match (&known.claim.exact, &result.claim.exact) {
            (Some(one), Some(two)) => one == two,
            _ => {
                let (one, two) = (&known.facts, &result.facts);
                (&one.kind, &one.claim, &one.claim_words)
                    == (&two.kind, &two.claim, &two.claim_words)
            }
        };
        if !is_same {
            return Err(Failure::given(
                format!("the test {} has results for different claims", known.identity.full()),
                format!(
                    "{} in {}, and {} in {}",
                    known.claim.line, known.source, result.claim.line, result.source
                ),
                format!(
                    "only results of one claim can be combined; report the others separately{}",
                    match known.identity.package {
                        Some(_) => "",
                        None =>
                            ", or, if these are tests of two packages, name them in the `package` field of the results",
                    }
                ),
            ));
        }
        if result.status < known.status {
            std::mem::swap(&mut self.result, &mut result);
        }
        self.others.push(result);
        Ok(())
    }
}

/// All tests and what they come to.
pub struct Suite {
    /// The tests, sorted by what needs attention, then by name.
    pub tests: Vec<ReportedTest>,
    /// What was read, without the results.
    pub read: AllResults,
    /// What runs of the same code show together.
    pub evidence: Vec<EvidenceFacts>,
    pub totals: Totals,
}

impl Suite {
    /// Puts results together.
    ///
    /// # Errors
    /// When there are none, or two results of one test have different claims.
    pub fn new(mut read: AllResults, evidence: Vec<EvidenceFacts>) -> Result<Suite, Failure> {
        let mut tests: BTreeMap<Identity, ReportedTest> = BTreeMap::new();
        for result in std::mem::take(&mut read.results) {
            match tests.entry(result.identity.clone()) {
                Entry::Vacant(free) => {
                    free.insert(ReportedTest { place: Vec::new(), result, others: Vec::new() });
                }
                Entry::Occupied(mut test) => test.get_mut().add(result)?,
            }
        }
        if tests.is_empty() {
            return Err(Failure::given(
                "the results hold no test",
                one_line(&read.sources.join(", "), NAME),
                "run tests with probtest first; a run that selects none writes an empty list",
            ));
        }
        let mut tests: Vec<ReportedTest> = tests.into_values().collect();
        tell_apart(&mut tests);
        // Stable: tests of one status stay in the order of their names.
        tests.sort_by_key(|test| test.result.status);
        let count = |status| count(&tests, status) as u64;
        let results = || tests.iter().flat_map(ReportedTest::results).map(|result| &result.facts);
        let totals = Totals {
            tests: tests.len() as u64,
            status: StatusCounts {
                violated: count(Status::Violated),
                inconclusive: count(Status::Inconclusive),
                unknown: count(Status::Unknown),
                partial: count(Status::Partial),
                doubtful: count(Status::Doubtful),
                within_budget: count(Status::WithinBudget),
                estimated: count(Status::Estimated),
                passed: count(Status::Passed),
            },
            executed: results().map(|facts| facts.executed).fold(0, u64::saturating_add),
            rejected: results().map(|facts| facts.rejected).fold(0, u64::saturating_add),
            seconds: tests.iter().map(ReportedTest::seconds).sum(),
        };
        Ok(Suite { tests, read, evidence, totals })
    }

    /// How many tests need attention.
    pub fn attention(&self) -> usize {
        self.tests.iter().filter(|test| test.result.status.needs_attention()).count()
    }

    /// How many executions there were and how long they took, in words.
    pub fn executions(&self) -> String {
        let Totals { executed, rejected, seconds, .. } = self.totals;
        let rejected = match rejected {
            0 => String::new(),
            rejected => format!(", {rejected} rejected"),
        };
        format!("{} in {}{rejected}", plural(executed, "execution"), duration(seconds))
    }

    /// The answer in one line.
    pub fn headline(&self) -> String {
        let all = self.tests.len() as u64;
        match self.attention() as u64 {
            0 if self.totals.status.passed != all => {
                format!("none of {} needs attention", plural(all, "test"))
            }
            0 if all == 1 => "the test passed".into(),
            0 => format!("all {all} tests passed"),
            1 => format!("1 of {} needs attention", plural(all, "test")),
            some => format!("{some} of {} need attention", plural(all, "test")),
        }
    }

    /// How many tests have which status, in one line.
    pub fn counts(&self) -> String {
        counts(|status| count(&self.tests, status))
    }

    pub fn repeated(&self) -> Option<String> {
        match self.read.repeated {
            0 => None,
            1 => Some("1 result was given more than once and is counted once".into()),
            n => Some(format!("{n} results were given more than once and are counted once")),
        }
    }
}

pub fn count(tests: &[ReportedTest], status: Status) -> usize {
    tests.iter().filter(|test| test.result.status == status).count()
}

fn counts(count: impl Fn(Status) -> usize) -> String {
    let all = Status::all().map(|status| (count(status), status.words()));
    let some = all.filter(|(count, _)| *count > 0);
    some.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

/// Finds what has to be said about the place of tests that share a name. The tests
/// are in the order of their identities.
fn tell_apart(tests: &mut [ReportedTest]) {
    let same = |one: &ReportedTest, two: &ReportedTest| {
        one.result.identity.name == two.result.identity.name
    };
    for namesakes in tests.chunk_by_mut(same).filter(|chunk| chunk.len() > 1) {
        let packages: Vec<Option<String>> =
            namesakes.iter().map(|test| test.result.identity.package.clone()).collect();
        for test in namesakes {
            let own = &test.result.identity;
            let is_alone = packages.iter().filter(|other| **other == own.package).count() == 1;
            let target = own.target.iter().filter(|_| !is_alone);
            let place = own.package.iter().chain(target);
            test.place = place.map(|part| one_line(part, NAME)).collect();
        }
    }
}
