//! The suite for programs: pytest's form, so that it can be reported again.

use probtest::report::FORMAT;
use serde_json::{Map, json};

use super::promise::Promise;
use super::status::Status;
use super::suite::{Suite, Test};

/// Writes the suite as one JSON object on one line. The results are written as they
/// were read.
pub fn json(suite: &Suite) -> String {
    let results = suite.tests.iter().flat_map(Test::results);
    let results: Vec<&str> = results.map(|facts| facts.object.as_str()).collect();
    let counts = Status::ALL
        .iter()
        .map(|status| (status.name().to_owned(), json!(suite.count(*status))));
    let promise = Promise::of(suite);
    let suites = json!(suite.promised);
    let totals = json!({
        "tests": suite.tests.len(),
        "status": Map::from_iter(counts),
        "executed": suite.executed(),
        "rejected": suite.rejected(),
        "seconds": suite.seconds(),
    });
    let promise = json!({
        "counted": promise.counted,
        "within_budget": promise.within_budget,
        "miss_one": promise.largest,
        "miss_any": promise.sum.min(1.0),
        "missed_on_average": promise.sum,
        "false_alarm_any": promise.false_alarms.1.min(1.0),
    });
    let tests = results.join(",");
    format!(
        r#"{{"probtest":{FORMAT},"promise":{promise},"suites":{suites},"tests":[{tests}],"totals":{totals}}}"#
    )
}
