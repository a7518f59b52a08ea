//! Every JSON object that the command writes is one of the types of `probtest-facts`.

use crate::common::probtest;
use probtest_facts::{ErrorFacts, ManyTests, PlanFacts, ReplayFacts, SensitivityFacts, TestFacts};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads the answer as a type and writes it again: nothing is lost, nothing is added.
#[track_caller]
fn is_written_as<T: DeserializeOwned + Serialize>(words: &[&str]) {
    let ran = probtest(words);
    let answer: Value = ran.json();
    let read: T = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), answer, "{words:?}");
}

#[test]
fn the_answer_of_every_command_is_one_of_the_types() {
    for options in [
        ["--p", "0.01", "--epsilon", "0.02"],
        ["--tolerate", "0.001", "--p", "0.01"],
        ["--outcomes", "1/6x6", "--epsilon", "0.05"],
        ["--p", "0.01", "--executions", "299"],
        ["--p", "0.9", "--executions", "1000000"],
        ["--epsilon", "0.05", "--executions", "299"],
    ] {
        is_written_as::<PlanFacts>(&[&["plan", "--json"], &options[..]].concat());
    }
    let sensitivity = "sensitivity --p 0.3 --factor 0.5 --factor 1 --factor 3 --json";
    is_written_as::<SensitivityFacts>(&sensitivity.split(' ').collect::<Vec<_>>());
    for program in ["true", "false"] {
        let run = ["run", "--p", "0.25", "--seed", "1", "--json", "--", program];
        is_written_as::<TestFacts>(&run);
        let estimate = ["estimate", "--width", "0.3", "--json", "--", program];
        is_written_as::<TestFacts>(&estimate);
        is_written_as::<ReplayFacts>(&["replay", "--json", "0x1:1", "--", program]);
    }
    let tolerate = ["run", "--tolerate", "0.05", "--json", "--", "true"];
    is_written_as::<TestFacts>(&tolerate);
    is_written_as::<ErrorFacts>(&["plan", "--p", "2", "--json"]);
}

#[test]
fn the_report_of_a_run_is_one_of_the_types() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let ran = probtest(&["run", "--p", "0.25", "--json", "--", "true"]);
    std::fs::write(&file, ran.stdout).unwrap();
    is_written_as::<ManyTests>(&["report", "--json", file.to_str().unwrap()]);
}
