//! The suite for programs: pytest's form, so that it can be reported again.

use probtest::report::FORMAT;
use serde_json::{Map, Value, json};

use super::promise::Promise;
use super::status::Status;
use super::suite::{Suite, Test};

/// Writes the suite as one JSON object.
pub fn json(suite: &Suite) -> Value {
    let results = suite.tests.iter().flat_map(Test::results);
    let tests: Vec<&Map<String, Value>> = results.map(|facts| &facts.object).collect();
    let counts = Status::ALL
        .iter()
        .map(|status| (status.name().to_owned(), json!(suite.count(*status))));
    let promise = Promise::of(suite);
    json!({
        "suites": suite.promised,
        "probtest": FORMAT,
        "tests": tests,
        "totals": {
            "tests": suite.tests.len(),
            "status": Map::from_iter(counts),
            "executed": suite.executed(),
            "rejected": suite.rejected(),
            "seconds": suite.seconds(),
        },
        "promise": {
            "counted": promise.counted,
            "within_budget": promise.within_budget,
            "miss_one": promise.largest,
            "miss_any": promise.sum.min(1.0),
            "missed_on_average": promise.sum,
            "false_alarm_any": promise.false_alarms.1.min(1.0),
        },
    })
}
