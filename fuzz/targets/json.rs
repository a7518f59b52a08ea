//! A file of results: read, written, read again, and merged as shards. Text is JSON for our own
//! reader if and only if it is for serde_json, with the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probtest::machine::{ShardFacts, merge};
use probtest_facts::TestFacts;
use probtest_facts::json::{ToJson, Value};
use probtest_facts::read::results;

fuzz_target!(|text: &str| {
    let ours = text.parse::<Value>().ok().map(|value| value.to_string());
    let ours = ours.map(|text| serde_json::from_str(&text).expect("what is written is JSON"));
    // Both refuse numbers beyond the largest double, and nesting beyond 128.
    assert_eq!(ours, serde_json::from_str::<serde_json::Value>(text).ok());
    let Ok(found) = results(text) else { return };
    let mut all = Vec::new();
    for result in &found.results {
        let _ = result.on_one_line();
        let Ok(facts) = result.read() else { continue };
        let written = facts.to_json().to_string();
        let again: TestFacts = serde_json::from_str(&written).expect("what is written is read");
        let twice = again.to_json().to_string();
        assert_eq!(written, twice, "nothing is lost between the first and the second time");
        all.push(facts);
    }
    let parts: Vec<ShardFacts<'_>> =
        all.iter().map(|facts| ShardFacts { source: "fuzz", facts }).collect();
    let _ = merge(&parts);
});
