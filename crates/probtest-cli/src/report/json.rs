//! The suite for programs: pytest's form, so that it can be reported again.

use probtest_facts::{ManyTests, Promise as PromiseFacts, StatusCounts, Totals, Version};
use serde_json::value::RawValue;

use super::promise::Promise;
use super::status::Status;
use super::suite::{Suite, Test};

/// The facts of the suite. The results are written as they were read.
pub fn facts(suite: &Suite) -> ManyTests<&RawValue> {
    let promise = Promise::of(suite);
    let count = |status: Status| suite.count(status) as u64;
    let results = suite.tests.iter().flat_map(Test::results);
    ManyTests {
        probtest: Version,
        tests: results.map(|result| &*result.object).collect(),
        suite: None,
        suites: suite.promised.clone(),
        totals: Some(Totals {
            tests: suite.tests.len() as u64,
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
            executed: suite.executed(),
            rejected: suite.rejected(),
            seconds: suite.seconds(),
        }),
        promise: Some(PromiseFacts {
            counted: promise.counted(),
            within_budget: promise.within_budget(),
            miss_one: promise.largest(),
            miss_any: promise.sum().min(1.0),
            missed_on_average: promise.sum(),
            false_alarm_any: promise.false_alarms().min(1.0),
        }),
        evidence: suite.evidence.clone(),
    }
}
