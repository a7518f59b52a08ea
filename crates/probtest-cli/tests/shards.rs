//! `probtest run --shard` and `--journal`, and `probtest merge`.

use std::path::Path;
use std::process::Output;

use crate::common::command;
use probtest::seed::{RunSeed, Stream};
use serde_json::Value;

/// Violates for one seed in 197, and rejects one in 31. Kills probtest in the execution that
/// the file `dies` names, once.
const PROGRAM: &str = r#"#!/bin/sh
if [ -f dies ] && [ "$PROBTEST_EXECUTION" -ge "$(cat dies)" ]; then
  rm dies
  kill -9 "$PPID"
fi
if [ -f ends ] && [ "$PROBTEST_EXECUTION" -ge "$(cat ends)" ]; then
  rm ends
  kill -TERM "$PPID"
  while :; do :; done
fi
[ $((PROBTEST_SEED % 31)) -ne 0 ] || exit 77
[ $((PROBTEST_SEED % MODULUS)) -ne 0 ] || { echo "drew $PROBTEST_SEED"; exit 1; }
"#;

struct Place(tempfile::TempDir);

impl Place {
    fn new(modulus: u64) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = PROGRAM.replace("MODULUS", &modulus.to_string());
        std::fs::write(folder.path().join("program.sh"), text).expect("written");
        Place(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn probtest(&self, words: &[&str]) -> Output {
        let mut command = command(words);
        command.current_dir(self.path()).output().expect("it starts")
    }

    fn run(&self, options: &[&str]) -> Output {
        let begin = ["run", "--reject-code", "77", "--json-file", "facts.json"];
        let words = [&begin, options, &["--", "sh", "./program.sh"]].concat();
        self.probtest(&words)
    }

    /// The facts that a file holds, but for the time.
    fn facts(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path().join(name)).expect("written");
        let mut facts: Value = serde_json::from_str(&text).expect("JSON");
        facts["seconds"] = 0.into();
        facts
    }
}

const CLAIMS: [(u64, &[&str]); 4] = [
    (u64::MAX >> 1, &["--p", "0.02", "--seed", "7"]),
    (97, &["--p", "0.02", "--seed", "7"]),
    (97, &["--tolerate", "0.001", "--p", "0.1", "--seed", "7"]),
    (5, &["--tolerate", "0.01", "--p", "0.1", "--seed", "7"]),
];

#[test]
fn merged_shards_print_and_write_what_one_run_does() {
    for (modulus, claim) in CLAIMS {
        let place = Place::new(modulus);
        let whole = place.run(claim);
        let expected = place.facts("facts.json");
        for of in [2, 3] {
            let mut files = Vec::new();
            for number in 1..=of {
                let shard = format!("{number}/{of}");
                let ran = place.run(&[claim, &["--shard", &shard]].concat());
                let said = String::from_utf8_lossy(&ran.stdout).into_owned();
                let facts = place.facts("facts.json");
                match facts["verdict"].as_str() {
                    Some("partial") => {
                        assert_eq!(ran.status.code(), Some(0));
                        assert!(
                            said.starts_with(&format!(
                                "probtest: partial: shard {shard} executed "
                            ))
                        );
                    }
                    _ => assert_eq!(ran.status.code(), Some(1), "{said}"),
                }
                let file = format!("part-{number}.json");
                std::fs::rename(place.path().join("facts.json"), place.path().join(&file))
                    .expect("moved");
                files.push(file);
            }
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let merged =
                place.probtest(&[&["merge", "--json-file", "whole.json"], &files[..]].concat());
            assert_eq!(place.facts("whole.json"), expected, "{claim:?} in {of}");
            assert_eq!(
                String::from_utf8_lossy(&merged.stdout),
                String::from_utf8_lossy(&whole.stdout)
            );
            assert_eq!(merged.status.code(), whole.status.code());
        }
    }
}

#[test]
fn shards_that_do_not_go_together_are_refused_and_a_report_of_some_fails() {
    let place = Place::new(u64::MAX >> 1);
    let make = |name: &str, options: &[&str]| {
        let file = ["--json-file", name];
        let begin = ["run", "--p", "0.1", "--reject-code", "77"];
        let words = [&begin, options, &file, &["--", "sh", "./program.sh"]].concat();
        let ran = place.probtest(&words);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    };
    make("1.json", &["--seed", "7", "--shard", "1/3"]);
    make("2.json", &["--seed", "7", "--shard", "2/3"]);
    make("other.json", &["--seed", "8", "--shard", "3/3"]);
    make("whole.json", &["--seed", "7"]);
    let refused = |files: &[&str]| {
        let ran = place.probtest(&[&["merge"], files].concat());
        assert_eq!(ran.status.code(), Some(2));
        String::from_utf8_lossy(&ran.stderr).into_owned()
    };
    assert!(refused(&["1.json", "2.json"]).contains("shard 3/3 of sh ./program.sh is missing"));
    assert!(
        refused(&["1.json", "2.json", "2.json"])
            .contains("is given twice\n  given  2.json, 2.json")
    );
    assert!(
        refused(&["1.json", "2.json", "other.json"])
            .contains("the seed is 0x7 in one and 0x8 in the other")
    );
    assert!(refused(&["whole.json"]).contains("is not from a shard"));
    let report = place.probtest(&["report", "1.json", "2.json", "--check"]);
    assert_eq!(report.status.code(), Some(3), "{report:?}");
    assert!(String::from_utf8_lossy(&report.stdout).contains("partial"));
    let unseeded = place.probtest(&["run", "--p", "0.1", "--shard", "1/3", "--", "true"]);
    assert_eq!(unseeded.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unseeded.stderr).contains("given  shard 1/3, no seed"));
}

#[test]
fn a_run_that_is_killed_goes_on_and_ends_as_if_it_had_not() {
    let mut choice = Stream::new(RunSeed(23), "moments").execution(1);
    // Many short runs, whose journals hold little, and some that take a second.
    let cases: [(u64, &[&str], u64, usize); 3] = [
        (97, &["--p", "0.1", "--seed", "7"], 29, 50),
        (u64::MAX >> 1, &["--p", "0.01", "--seed", "7"], 299, 4),
        (40, &["--tolerate", "0.01", "--p", "0.06", "--seed", "7"], 200, 4),
    ];
    let mut killed = 0;
    for (modulus, claim, planned, times) in cases {
        let place = Place::new(modulus);
        let whole = place.run(claim);
        let expected = place.facts("facts.json");
        for _ in 0..times {
            for _ in 0..2 {
                let dies = 1 + choice.draw_u64() % planned;
                std::fs::write(place.path().join("dies"), dies.to_string()).expect("written");
                let ran = place.run(&[claim, &["--journal", "journal"]].concat());
                if ran.status.code().is_some() {
                    break;
                }
                killed += 1;
            }
            let _ = std::fs::remove_file(place.path().join("dies"));
            let ran = place.run(&[claim, &["--journal", "journal"]].concat());
            assert_eq!(place.facts("facts.json"), expected);
            assert_eq!(
                String::from_utf8_lossy(&ran.stdout),
                String::from_utf8_lossy(&whole.stdout)
            );
            assert_eq!(ran.status.code(), whole.status.code());
            std::fs::remove_dir_all(place.path().join("journal")).expect("removed");
        }
    }
    assert!(killed >= 50, "{killed} were killed");
}

#[test]
fn a_run_that_is_asked_to_end_goes_on_too() {
    let place = Place::new(u64::MAX >> 1);
    let claim = ["--p", "0.1", "--seed", "7"];
    let journal = [&claim[..], &["--journal", "journal"]].concat();
    place.run(&claim);
    let expected = place.facts("facts.json");
    std::fs::write(place.path().join("ends"), "9").expect("written");
    assert_eq!(place.run(&journal).status.code(), Some(3));
    assert_eq!(place.run(&journal).status.code(), Some(0));
    assert_eq!(place.facts("facts.json"), expected);
}

#[test]
fn a_journal_of_a_changed_program_begins_anew_and_of_another_claim_is_refused() {
    let place = Place::new(u64::MAX >> 1);
    let options = |p: &'static str| ["--p", p, "--journal", "journal"];
    std::fs::write(place.path().join("dies"), "9").expect("written");
    assert_eq!(place.run(&options("0.1")).status.code(), None);
    let ran = place.run(&options("0.2"));
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        said.contains("the journal belongs to a different claim: it has p = 0.1, epsilon = 0.05"),
        "{said}"
    );
    let program = place.path().join("program.sh");
    let text = std::fs::read_to_string(&program).expect("read");
    std::fs::write(&program, text + "true\n").expect("written");
    let ran = place.run(&options("0.2"));
    assert_eq!(ran.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("belongs to different code"), "{ran:?}");
}

#[test]
fn journals_of_the_same_code_add_up_and_those_of_other_code_do_not() {
    let place = Place::new(u64::MAX >> 1);
    let run = |seed: &str| {
        let ran = place.run(&["--p", "0.1", "--seed", seed, "--journal", "journal"]);
        assert_eq!(ran.status.code(), Some(0));
    };
    // The same seed again is no new evidence.
    for seed in ["1", "2", "3", "2"] {
        run(seed);
    }
    let program = place.path().join("program.sh");
    let text = std::fs::read_to_string(&program).expect("read");
    std::fs::write(&program, text + "true\n").expect("written");
    run("4");
    let report = place.probtest(&["report", "journal"]);
    let said = String::from_utf8_lossy(&report.stdout);
    assert!(
        said.contains("3 runs of the same code, 87 executions, 0 violated; together they catch a violation probability of 0.0339 or more with probability > 0.95"),
        "{said}"
    );
    assert!(said.contains("1 run of the same code, 29 executions"), "{said}");
    let report = place.probtest(&["report", "journal", "facts.json", "--json"]);
    let facts: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(facts["evidence"][0]["runs"], 3);
    assert_eq!(facts["evidence"][1]["executed"], 29);
}

#[test]
fn earlier_results_of_the_same_code_add_up_and_a_rate_that_changed_is_told() {
    // One seed in two violates with the new program, and none with the old one.
    let place = Place::new(u64::MAX >> 1);
    let run = |name: &str, seed: &str| {
        let estimate = ["estimate", "--width", "0.3", "--seed", seed];
        let file = ["--json-file", name];
        let program = ["--", "sh", "./program.sh"];
        let ran = place.probtest(&[&estimate[..], &file, &program].concat());
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    };
    std::fs::create_dir(place.path().join("nightly")).expect("made");
    for seed in ["1", "2", "3"] {
        run(&format!("nightly/{seed}.json"), seed);
    }
    run("same.json", "4");
    let program = place.path().join("program.sh");
    std::fs::write(&program, PROGRAM.replace("MODULUS", "2")).expect("written");
    run("now.json", "5");
    let report = |now: &str| {
        let words = ["report", now, "--earlier", "nightly", "--json"];
        let told: Value = serde_json::from_slice(&place.probtest(&words).stdout).expect("JSON");
        told["evidence"].clone()
    };
    // Old and new executions add up where the code is the same.
    let same = report("same.json");
    assert_eq!(same.as_array().map(Vec::len), Some(1));
    assert_eq!(same[0]["runs"], 4);
    assert_eq!(same[0]["change"], Value::Null);
    let changed = report("now.json");
    assert_eq!(changed[0]["runs"], 3);
    assert_eq!(changed[1]["change"], "rose");
    let words = ["report", "now.json", "--earlier", "nightly"];
    let said = String::from_utf8(place.probtest(&words).stdout).expect("text");
    assert!(
        said.contains("what the runs show together")
            && said.contains("the rate rose, by more than chance explains"),
        "{said}"
    );
    for form in ["--markdown", "--html=-"] {
        let told = place.probtest(&[&words[..], &[form]].concat()).stdout;
        let told = String::from_utf8(told).expect("text");
        assert!(told.contains("rose"), "{form}");
    }
    // Without earlier results there is nothing to add up.
    let alone = place.probtest(&["report", "now.json"]);
    assert!(!String::from_utf8_lossy(&alone.stdout).contains("together"));
}

#[test]
fn the_same_executions_in_shards_are_no_new_evidence() {
    let place = Place::new(u64::MAX >> 1);
    let run = |shard: &[&str]| {
        let options = ["--p", "0.1", "--seed", "7", "--journal", "journal"];
        let ran = place.run(&[&options, shard].concat());
        assert_eq!(ran.status.code(), Some(0));
    };
    run(&[]);
    for shard in ["1/2", "2/2", "1/3", "2/3"] {
        run(&["--shard", shard]);
    }
    let report = place.probtest(&["report", "journal"]);
    let said = String::from_utf8_lossy(&report.stdout);
    assert!(said.contains("1 run of the same code, 29 executions, 0 violated;"), "{said}");
}

#[test]
fn runs_with_a_tolerated_rate_add_up_to_an_interval() {
    let place = Place::new(97);
    for seed in ["1", "2"] {
        let claim = ["--tolerate", "0.001", "--p", "0.1"];
        place.run(&[&claim[..], &["--seed", seed, "--journal", "journal"]].concat());
    }
    let report = place.probtest(&["report", "journal"]);
    let said = String::from_utf8_lossy(&report.stdout);
    assert!(
        said.contains("2 runs of the same code") && said.contains("the violation rate is between"),
        "{said}"
    );
}

#[test]
fn earlier_runs_are_taken_in_the_order_in_which_they_are_named_whatever_keeps_them() {
    let place = Place::new(u64::MAX >> 1);
    std::fs::create_dir(place.path().join("nights")).expect("made");
    let run = |seed: &str, to: &[&str]| {
        let estimate = ["estimate", "--width", "0.3", "--seed", seed];
        let program = ["--", "sh", "./program.sh"];
        let ran = place.probtest(&[&estimate[..], to, &program].concat());
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    };
    run("1", &["--json-file", "nights/run-9.json"]);
    let program = place.path().join("program.sh");
    std::fs::write(&program, PROGRAM.replace("MODULUS", "2")).expect("written");
    run("2", &["--json-file", "nights/run-10.json"]);
    run("3", &["--journal", "journal"]);
    let changes = |earlier: &[&str]| {
        let words = [&["report", "nights/run-9.json", "--json", "--earlier"], earlier].concat();
        let told = place.probtest(&words);
        let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let told = told["evidence"].as_array().expect("evidence").clone();
        told.into_iter().map(|one| one["change"].clone()).collect::<Vec<_>>()
    };
    // The result of now is that of the first night, which came back.
    assert_eq!(changes(&["nights"])[1], "differs");
    assert_eq!(changes(&["journal"])[1], "fell");
    let words = ["report", "journal", "--json", "--earlier", "nights/run-9.json"];
    let told: Value = serde_json::from_slice(&place.probtest(&words).stdout).expect("JSON");
    assert_eq!(told["evidence"][1]["change"], "rose");
    // Results and the journal of one code are one test.
    let words = ["report", "journal", "--json", "--earlier", "nights"];
    let told: Value = serde_json::from_slice(&place.probtest(&words).stdout).expect("JSON");
    assert_eq!(told["evidence"][1]["runs"], 2);
    assert_eq!(told["evidence"][1]["change"], "rose");
}

#[test]
fn a_journal_that_is_none_is_refused() {
    let place = Place::new(u64::MAX >> 1);
    std::fs::write(place.path().join("own.journal"), "dear diary\n").expect("written");
    let ran = place.probtest(&["report", "own.journal"]);
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("this is not a probtest journal\n  given  own.journal"), "{said}");
}
