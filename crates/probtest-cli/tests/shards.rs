//! `probtest run --shard` and `--journal`, and `probtest merge`.

use std::path::Path;

use crate::common::{Ran, command};
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
        let place = Place(folder);
        place.change(Some(modulus));
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn probtest(&self, words: &[&str]) -> Ran {
        Ran::of(command(words).current_dir(self.path()).output().expect("it starts"))
    }

    /// Makes it another program, which violates as often or for one seed in `modulus`.
    fn change(&self, modulus: Option<u64>) {
        let file = self.path().join("program.sh");
        let text = match modulus {
            Some(modulus) => PROGRAM.replace("MODULUS", &modulus.to_string()),
            None => std::fs::read_to_string(&file).expect("read") + "true\n",
        };
        std::fs::write(file, text).expect("written");
    }

    /// Estimates the rate of the program, and keeps the result as these words say.
    fn estimate(&self, seed: &str, kept: &[&str]) {
        let estimate = ["estimate", "--width", "0.3", "--seed", seed];
        let program = ["--", "sh", "./program.sh"];
        self.probtest(&[&estimate[..], kept, &program].concat()).exits(0);
    }

    fn run(&self, options: &[&str]) -> Ran {
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
                match place.facts("facts.json")["verdict"].as_str() {
                    Some("partial") => {
                        let head = format!("probtest: partial: shard {shard} executed ");
                        assert!(ran.exits(0).stdout.starts_with(&head));
                    }
                    _ => drop(ran.exits(1)),
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
            assert_eq!((merged.stdout, merged.code), (whole.stdout.clone(), whole.code));
        }
    }
}

#[test]
fn shards_that_do_not_go_together_are_refused_and_a_report_of_some_fails() {
    let place = Place::new(u64::MAX >> 1);
    for number in ["1", "2"] {
        let (shard, file) = (format!("{number}/3"), format!("{number}.json"));
        place.run(&["--p", "0.1", "--seed", "7", "--shard", &shard]).exits(0);
        std::fs::rename(place.path().join("facts.json"), place.path().join(file)).expect("moved");
    }
    let merge = ["merge", "1.json", "2.json", "2.json"];
    place.probtest(&merge[..3]).exits(2).complains("shard 3/3 of sh ./program.sh is missing");
    place.probtest(&merge).exits(2).complains("is given twice\n  given  2.json, 2.json");
    place.probtest(&["report", "1.json", "2.json", "--check"]).exits(3).says("partial");
    place.run(&["--p", "0.1", "--shard", "1/3"]).exits(2).complains("given  shard 1/3, no seed");
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
                if ran.code.is_some() {
                    break;
                }
                killed += 1;
            }
            let _ = std::fs::remove_file(place.path().join("dies"));
            let ran = place.run(&[claim, &["--journal", "journal"]].concat());
            assert_eq!(place.facts("facts.json"), expected);
            assert_eq!((ran.stdout, ran.code), (whole.stdout.clone(), whole.code));
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
    place.run(&journal).exits(3);
    place.run(&journal).exits(0);
    assert_eq!(place.facts("facts.json"), expected);
}

#[test]
fn a_journal_of_a_changed_program_begins_anew_and_of_another_claim_is_refused() {
    let place = Place::new(u64::MAX >> 1);
    let options = |p: &'static str| ["--p", p, "--journal", "journal"];
    std::fs::write(place.path().join("dies"), "9").expect("written");
    assert_eq!(place.run(&options("0.1")).code, None);
    let words = "the journal belongs to a different claim: it has p = 0.1, epsilon = 0.05";
    place.run(&options("0.2")).exits(2).complains(words);
    place.change(None);
    place.run(&options("0.2")).exits(0).complains("is from different code");
}

#[test]
fn journals_of_the_same_code_add_up_and_those_of_other_code_do_not() {
    let place = Place::new(u64::MAX >> 1);
    let run = |seed: &str, shard: &[&str]| {
        let options = ["--p", "0.1", "--seed", seed, "--journal", "journal"];
        place.run(&[&options, shard].concat()).exits(0);
    };
    // The same seed again is no new evidence, and neither are its executions in shards.
    for seed in ["1", "2", "3", "2"] {
        run(seed, &[]);
    }
    for shard in ["1/2", "2/2", "1/3", "2/3"] {
        run("3", &["--shard", shard]);
    }
    place.change(None);
    run("4", &[]);
    place
        .probtest(&["report", "journal"])
        .says("3 runs of the same code, 87 executions, 0 violated; together they catch a violation probability of 0.0339 or more with probability > 0.95")
        .says("1 run of the same code, 29 executions");
    let facts = place.probtest(&["report", "journal", "facts.json", "--json"]).json();
    assert_eq!(facts["evidence"][0]["runs"], 3);
    assert_eq!(facts["evidence"][1]["executed"], 29);
}

#[test]
fn earlier_results_of_the_same_code_add_up_and_a_rate_that_changed_is_told() {
    // One seed in two violates with the new program, and none with the old one.
    let place = Place::new(u64::MAX >> 1);
    std::fs::create_dir(place.path().join("nightly")).expect("made");
    for seed in ["1", "2", "3"] {
        place.estimate(seed, &["--json-file", &format!("nightly/{seed}.json")]);
    }
    place.estimate("4", &["--json-file", "same.json"]);
    place.change(Some(2));
    place.estimate("5", &["--json-file", "now.json"]);
    let report = |now: &str| {
        let words = ["report", now, "--earlier", "nightly", "--json"];
        place.probtest(&words).json()["evidence"].clone()
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
    place
        .probtest(&words)
        .says("what the runs show together")
        .says("the rate rose, by more than chance explains");
    for form in ["--markdown", "--html=-"] {
        place.probtest(&[&words[..], &[form]].concat()).says("rose");
    }
    // Without earlier results there is nothing to add up.
    assert!(!place.probtest(&words[..2]).stdout.contains("together"));
}

#[test]
fn runs_with_a_tolerated_rate_add_up_to_an_interval() {
    let place = Place::new(97);
    for seed in ["1", "2"] {
        let claim = ["--tolerate", "0.001", "--p", "0.1"];
        place.run(&[&claim[..], &["--seed", seed, "--journal", "journal"]].concat());
    }
    place
        .probtest(&["report", "journal"])
        .says("2 runs of the same code")
        .says("the violation rate is between");
}

#[test]
fn earlier_runs_are_taken_in_the_order_in_which_they_are_named_whatever_keeps_them() {
    let place = Place::new(u64::MAX >> 1);
    std::fs::create_dir(place.path().join("nights")).expect("made");
    place.estimate("1", &["--json-file", "nights/run-9.json"]);
    place.change(Some(2));
    place.estimate("2", &["--json-file", "nights/run-10.json"]);
    place.estimate("3", &["--journal", "journal"]);
    // The result of now is that of the first night, which came back. Results and the journal of
    // one code are one test.
    for (now, earlier, change, runs) in [
        ("nights/run-9.json", "nights", "differs", None),
        ("nights/run-9.json", "journal", "fell", None),
        ("journal", "nights/run-9.json", "rose", None),
        ("journal", "nights", "rose", Some(2)),
    ] {
        let words = ["report", now, "--json", "--earlier", earlier];
        let told = place.probtest(&words).json()["evidence"][1].clone();
        assert_eq!(told["change"], change, "{words:?}");
        assert!(runs.is_none_or(|runs| told["runs"] == runs), "{words:?}: {told}");
    }
}

#[test]
fn a_journal_that_is_none_is_refused() {
    let place = Place::new(u64::MAX >> 1);
    std::fs::write(place.path().join("own.journal"), "dear diary\n").expect("written");
    let words = "this is not a probtest journal\n  given  own.journal";
    place.probtest(&["report", "own.journal"]).exits(2).complains(words);
}
