//! A file of results: read, written, read again, and merged as shards.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probtest::machine::{Merged, merge};
use probtest_facts::TestFacts;
use probtest_facts::read::results;

fuzz_target!(|text: &str| {
    let Ok(found) = results(text) else { return };
    let mut all = Vec::new();
    for result in &found.results {
        let _ = result.on_one_line();
        let Ok(facts) = result.read() else { continue };
        let written = serde_json::to_string(&facts).expect("facts are JSON");
        let again: TestFacts = serde_json::from_str(&written).expect("what is written is read");
        let twice = serde_json::to_string(&again).expect("facts are JSON");
        assert_eq!(written, twice, "nothing is lost between the first and the second time");
        all.push(facts);
    }
    let parts: Vec<Merged<'_>> = all.iter().map(|facts| Merged { source: "fuzz", facts }).collect();
    let _ = merge(&parts);
});
