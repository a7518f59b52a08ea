//! `probtest reproduce`: tables, files, seeds and errors.

mod common;

use std::fs;
use std::path::Path;

use common::probtest;

fn skip_list(folder: &Path, options: &[&str]) -> common::Ran {
    let out = folder.to_str().unwrap();
    probtest(&[&["reproduce", "skip-list", "--out", out], options].concat())
}

#[test]
fn the_skip_list_table_is_the_same_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let few = ["--repeats", "3", "--seed", "7"];
    let first = skip_list(&one, &[&few[..], &["--jobs", "1"]].concat()).exits(0);
    let second = skip_list(&two, &[&few[..], &["--jobs", "2", "--json"]].concat()).exits(0);
    assert_eq!(first.stderr, "");

    for name in ["skip_list.csv", "skip_list.md"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read(&one), read(&two));
    }
    let csv = fs::read_to_string(one.join("skip_list.csv")).unwrap();
    assert!(csv.starts_with("bug,insertions,p,executions,found_share,found_low,found_high,"));
    assert_eq!(csv.lines().count(), 10);

    let first = first
        .says("8 of 8 bugs are found with an exact probability of 0.95 or more, and none is")
        .says("3 suite runs a row, seed 0x7")
        .says("17 meta_insertion_search_delete (1/256, for 0.25 of the keys)");
    let written = format!("written to {}/skip_list.csv and", one.display());
    first.says(&written);

    let json = second.json();
    assert_eq!(json["promise_is_kept"], true);
    assert_eq!(json["rows"].as_array().unwrap().len(), 9);
    assert_eq!(
        json["rows"][3]["found_exact"].to_string(),
        "0.9518440460157562"
    );
    assert_eq!(json["rows"][3]["seen_by"][0]["number"], 7);
}

#[test]
fn what_cannot_be_reproduced_is_said_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    for (options, words) in [
        (
            ["--repeats", "0"],
            "--repeats is not a whole number from 1 to 1000000",
        ),
        (["--jobs", "none"], "--jobs is not a whole number"),
        (["--seed", "-1"], "`-1` is not a seed"),
    ] {
        skip_list(folder.path(), &options).exits(2).complains(words);
    }
    skip_list(Path::new("/dev/null/tables"), &[])
        .exits(2)
        .complains("error: the tables cannot be written");
    probtest(&["reproduce"]).exits(2);
    probtest(&["reproduce", "chess"])
        .exits(2)
        .complains("unrecognized subcommand 'chess'");
}
