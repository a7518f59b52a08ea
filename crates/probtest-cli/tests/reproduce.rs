//! `probtest reproduce`: tables, files, seeds and errors.

mod common;

use std::fs;
use std::path::Path;

use common::{Ran, command, probtest};

fn reproduce(study: &str, folder: &Path, options: &[&str]) -> Ran {
    let out = folder.to_str().unwrap();
    probtest(&[&["reproduce", study, "--out", out], options].concat())
}

fn skip_list(folder: &Path, options: &[&str]) -> Ran {
    reproduce("skip-list", folder, options)
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
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
        assert_eq!(read(&one, name), read(&two, name));
    }
    let csv = read(&one, "skip_list.csv");
    assert!(csv.starts_with("bug,insertions,p,executions,found_share,found_low,found_high,"));
    assert_eq!(csv.lines().count(), 10);

    let first = first
        .says("8 of 8 bugs are found with an exact probability of 0.95 or more, and none is")
        .says("3 suite runs a row, seed 0x7")
        .says("17 meta_insertion_search_delete (1/256, for 0.25 of the keys)");
    let written = format!(
        "written to {}/: skip_list.csv, skip_list.md, index.html",
        one.display()
    );
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
    probtest(&["reproduce", "chess"])
        .exits(2)
        .complains("unrecognized subcommand 'chess'");
}

const COLUMNS: &str = "environment,property,episodes,steps,p,epsilon,executions,published,exact,estimate,estimate_low,estimate_high,samples,published_found,found_exact,found_measured,repeats,verdict";

#[test]
fn the_tables_of_agents_are_the_same_for_any_number_of_jobs() {
    for (study, name, lines) in [
        ("frozen-lake", "frozen_lake", 36 + 1),
        ("cliff-walking", "cliff_walking", 6 + 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let few = ["--samples", "1500", "--repeats", "3"];
        let first = reproduce(study, &one, &[&few[..], &["--jobs", "1"]].concat()).exits(0);
        let second = reproduce(study, &two, &[&few[..], &["-j", "2", "--json"]].concat()).exits(0);
        assert_eq!(first.stderr, "");
        for entry in fs::read_dir(&one).unwrap() {
            let name = entry.unwrap().file_name();
            let [one, two] = [&one, &two].map(|folder| fs::read(folder.join(&name)).unwrap());
            assert!(one == two, "{} depends on jobs", name.display());
        }
        let csv = read(&one, &format!("{name}.csv"));
        assert_eq!(csv.lines().next(), Some(COLUMNS));
        assert_eq!(csv.lines().count(), lines);
        first
            .says(&format!(
                "fits the exact values in {0} of {0} rows",
                lines - 1
            ))
            .says("1500 samples and 3 tests a row, epsilon 0.05")
            .says(&format!("written to {}/: {name}.csv, ", one.display()));

        let json = second.json();
        assert_eq!(
            (&json["study"], &json["measured_fits"]),
            (&study.into(), &true.into())
        );
        assert_eq!(json["rows"].as_array().unwrap().len(), lines - 1);
        for row in json["rows"].as_array().unwrap() {
            for column in COLUMNS.split(',') {
                assert!(row.get(column).is_some(), "{column} is not in {row}");
            }
        }
    }
}

/// Seeds are fixed, and the means do not depend on episodes, samples and tests.
#[test]
fn the_mean_of_many_agents_stands_beside_the_numbers_of_the_cliff() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["--samples", "10", "--repeats", "1", "--episodes", "1"];
    let table = |more: &[&str]| {
        let ran = reproduce("cliff-walking", folder.path(), &[&few[..], more].concat());
        (ran.exits(0), read(folder.path(), "cliff_agents.csv"))
    };
    let (ran, csv) = table(&[]);
    ran.says("3 of 6 rows agree with the paper in the mean of 100 agents")
        .says("Q past the goal  as the numbers were made")
        .says("cliff_walking.csv, cliff_walking.md, cliff_agents.csv, index.html");
    assert!(csv.starts_with(
        "environment,property,episodes,steps,p,executions,agents,published,mean,standard_error,margin,published_found,found_mean,never_violate,verdict\ncliffwalk,Q,15000,30,0.001,2995,100,0.007,0.0,"
    ));
    // Other agents have another mean.
    let (ran, other) = table(&["--json", "--seed", "7"]);
    assert_ne!(other, csv);
    let means = ran.json()["means"].clone();
    let row = &means[3];
    assert_eq!(means.as_array().unwrap().len(), 6);
    assert_eq!(
        (&row["property"], &row["verdict"]),
        (&"Q past the goal".into(), &"agrees".into())
    );
    assert!(row["why"].as_str().unwrap().contains("within the margins"));
}

#[test]
fn lake_episodes_and_seed_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let few = [
        "--samples",
        "10",
        "--repeats",
        "1",
        "--lake",
        "4x4",
        "--episodes",
    ];
    let table = |more: &[&str]| {
        let options = [&few[..], more].concat();
        reproduce("frozen-lake", folder.path(), &options).exits(0);
        read(folder.path(), "frozen_lake.csv")
    };
    let csv = table(&["10, 7,10"]);
    let episodes: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(episodes, ["10", "7", "10", "7"]);
    // What the paper did not train has no published number.
    assert!(csv.contains("4x4,Q1,7,100,0.01,0.05,299,,"), "{csv}");
    assert!(csv.contains("4x4,Q1,10,100,0.01,0.05,299,0.53,"), "{csv}");
    assert_eq!(table(&["10,7", "--seed", "317"]), csv);
    assert_ne!(table(&["10,7", "--seed", "318"]), csv);
}

#[test]
fn what_cannot_be_measured_of_an_agent_is_said_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<String> = (0..1001).map(|number| number.to_string()).collect();
    let many = many.join(",");
    for (option, value, words) in [
        (
            "--episodes",
            "10,many",
            "--episodes is not a whole number from 0 to 10000000\n  given  many\n  help   write numbers of training episodes with commas",
        ),
        ("--episodes", "", "--episodes is not a whole number"),
        ("--episodes", "-5", "--episodes is not a whole number"),
        (
            "--episodes",
            &many,
            "--episodes has more than 1000 numbers\n  given  1001 numbers\n  help",
        ),
        (
            "--samples",
            "0",
            "--samples is not a whole number from 1 to 1000000000",
        ),
        (
            "--repeats",
            "0",
            "--repeats is not a whole number from 1 to 1000000",
        ),
        ("--jobs", "0", "--jobs is not a whole number"),
        ("--seed", "-1", "`-1` is not a seed"),
        (
            "--lake",
            "9x9",
            "invalid value '9x9' for '--lake <LAKE>'\n  given  9x9\n  help   write one of 4x4, 7x7",
        ),
    ] {
        reproduce("frozen-lake", folder.path(), &[option, value])
            .exits(2)
            .complains(words);
    }
    reproduce("cliff-walking", Path::new("/dev/null/tables"), &[])
        .exits(2)
        .complains("error: the tables cannot be written");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Says whether a process listens to the last of the signals that it is to listen
/// to: SIGHUP, the first bit of its mask.
#[cfg(target_os = "linux")]
fn listens(child: &std::process::Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() & 1 == 1
}

/// Each has hours of work before it, so that only the signal can end it.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_study_in_order_and_writes_nothing() {
    use rustix::process::Signal;

    for (study, option, much) in [
        ("frozen-lake", "--samples", "1000000000"),
        ("cliff-walking", "--repeats", "1000000"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let words = ["reproduce", study, option, much, "--out", out];
        let started = common::Started::new(&mut command(&words));
        while !listens(&started.0) {
            std::thread::yield_now();
        }
        started
            .ended_by(&[Signal::INT])
            .exits(3)
            .complains("interrupted before the table was complete; nothing was written");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
