//! `probtest reproduce` as a whole: files, page, verdicts, Ctrl-C, folders.

mod common;

use std::fs;
use std::path::Path;

use common::{Ran, probtest};
use serde_json::Value;

fn reproduce(folder: &Path, words: &[&str]) -> Ran {
    let out = folder.to_str().unwrap();
    probtest(&[&["reproduce"], words, &["--out", out]].concat())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The false alarm of a row of agents is 1e-9 for the whole table, and the seeds
/// are fixed: what is stated here cannot change by chance.
#[test]
fn everything_is_written_shown_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let json = reproduce(out, &["--quick", "--json"]).exits(0).json();
    assert_eq!(
        (&json["study"], &json["quick"]),
        (&"all".into(), &true.into())
    );
    assert_eq!(json["promise_is_kept"], true);
    assert_eq!(json["agree"], 57);
    assert_eq!(json["differ"], 14);

    let figures = [
        "1_executions",
        "2_overestimate",
        "3_learning",
        "4_comparison",
    ];
    let mut expected: Vec<String> = figures
        .iter()
        .flat_map(|figure| ["csv", "png", "svg"].map(|kind| format!("figure{figure}.{kind}")))
        .collect();
    expected.extend(
        [
            "cliff_agents.csv",
            "cliff_walking.csv",
            "cliff_walking.md",
            "comparison_remarks.csv",
            "frozen_lake.csv",
            "frozen_lake.md",
            "index.html",
            "published_executions.csv",
            "published_policies.csv",
            "remarks.csv",
            "skip_list.csv",
            "skip_list.md",
        ]
        .map(str::to_owned),
    );
    expected.sort();
    assert_eq!(names(out), expected);
    assert_eq!(json["files"].as_array().unwrap().len(), expected.len());

    let counts = read(out, "published_executions.csv");
    assert_eq!(counts.lines().count(), 9);
    assert!(counts.lines().skip(1).all(|line| line.contains(",agrees,")));

    // The cliff as the text has it, then as the numbers were made.
    let cliff = read(out, "cliff_agents.csv");
    let verdicts = cliff.lines().skip(1).map(|line| line.rsplit(',').next());
    let verdicts: Vec<&str> = verdicts.map(Option::unwrap).collect();
    assert_eq!(verdicts[..3], ["differs"; 3]);
    assert_eq!(verdicts[3..], ["agrees"; 3]);
    let section = &json["sections"][4];
    assert_eq!(section["id"], "cliff-walking");
    let rows = section["tables"][0]["rows"].as_array().unwrap();
    for (row, verdict) in rows.iter().zip(&verdicts) {
        assert_eq!(row["verdict"], *verdict);
    }
    let why = rows[0]["why"].as_str().unwrap();
    assert!(why.contains("falls after the goal was reached"), "{why}");

    let page = read(out, "index.html");
    for name in expected.iter().filter(|name| *name != "index.html") {
        assert!(page.contains(&format!("href=\"{name}\"")), "{name}");
    }
    assert!(page.contains("57 of 71 rows agree with the paper, 14 differ"));
    assert!(page.contains("<dd>probtest reproduce --quick</dd>"));
    assert!(!page.contains("This page is not whole"));
    // Whoever hears the page goes from region to region, by their names.
    let mut regions: Vec<&str> = page
        .split("role=\"region\" aria-label=\"")
        .skip(1)
        .collect();
    regions
        .iter_mut()
        .for_each(|region| *region = region.split('"').next().unwrap());
    let distinct: std::collections::BTreeSet<&str> = regions.iter().copied().collect();
    assert!(
        regions.len() > 10 && distinct.len() == regions.len(),
        "{regions:?}"
    );
}

#[test]
fn the_comparison_alone_is_the_same_each_time_and_replaces_its_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let answer = reproduce(out, &["comparison"]).exits(0);
    let answer = answer.says("1 of 5 rows agree with the paper, 4 differ for a reason");
    answer.says(&format!("look at   {}/index.html", out.display()));
    let files = names(out);
    let first: Vec<Vec<u8>> = files
        .iter()
        .map(|name| fs::read(out.join(name)).unwrap())
        .collect();
    let json = reproduce(out, &["comparison", "--json", "--jobs", "1"])
        .exits(0)
        .json();
    assert_eq!(names(out), files);
    for (name, before) in files.iter().zip(first) {
        assert!(
            fs::read(out.join(name)).unwrap() == before,
            "{name} differs"
        );
    }
    let rows = &json["sections"][0]["tables"][0]["rows"];
    let row = |at: usize, field: &str| rows[at][field].clone();
    assert_eq!(row(0, "verdict"), "differs");
    assert_eq!(row(0, "cells")[2], "18445");
    assert_eq!(row(4, "verdict"), "agrees");
    assert!(matches!(row(0, "why"), Value::String(why) if why.contains("73778")));
}

#[test]
fn that_a_page_with_something_else_is_replaced_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let cliff = |seed: &str| {
        let little = ["--episodes", "1", "--samples", "1", "--repeats", "1"];
        let words = [&["cliff-walking", "--seed", seed], &little[..]].concat();
        reproduce(out, &words).exits(0)
    };
    let of_cliff = |seed: &str| {
        format!(
            "the page of `probtest reproduce cliff-walking --episodes 1 --samples 1 --repeats 1 --seed {seed}`; its other files are as they were\n"
        )
    };
    for answer in [cliff("1"), cliff("1")] {
        assert!(!answer.stdout.contains("replaced"), "{}", answer.stdout);
    }
    cliff("2").says(&format!("\nreplaced {}", of_cliff("0x1")));
    let answer = reproduce(out, &["comparison"]).exits(0);
    answer.says(&format!("\n  replaced  {}", of_cliff("0x2")));
    // What a page says is shown only if this command could have written it.
    let page = read(out, "index.html").replace("reproduce comparison<", "reproduce \u{1b}[2J<");
    fs::write(out.join("index.html"), page).unwrap();
    let answer = cliff("1");
    assert!(!answer.stdout.contains("replaced"), "{}", answer.stdout);
}

#[test]
fn what_another_command_is_writing_stays_and_nothing_half_written_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let theirs = ".cliff_walking.csv.partial";
    fs::write(out.join(theirs), "half").unwrap();
    let little = ["--episodes", "1", "--samples", "1", "--repeats", "1"];
    reproduce(out, &[&["cliff-walking"], &little[..]].concat()).exits(0);
    assert_eq!(read(out, theirs), "half");
    let expected = [
        theirs,
        "cliff_agents.csv",
        "cliff_walking.csv",
        "cliff_walking.md",
        "index.html",
    ];
    assert_eq!(names(out), expected);
    // As any new file here: others may read it if the mask lets them.
    let mode = |name: &str| fs::metadata(out.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("index.html"), mode(theirs));
}

#[test]
fn options_before_a_study_are_refused_with_the_order_that_works() {
    probtest(&["reproduce", "--quick", "figures"])
        .exits(2)
        .complains("the subcommand 'figures' cannot be used with '--quick'")
        .complains("help   options stand behind the study: probtest reproduce figures [OPTIONS]");
}

#[test]
fn a_page_of_somebody_else_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("index.html");
    fs::write(&page, "<h1>My garden</h1>").unwrap();
    for study in [&["comparison"][..], &[], &["skip-list"]] {
        reproduce(folder.path(), study).exits(2).complains(&format!(
            "error: the folder has an index.html that probtest did not write\n  given  {}\n  help   name another folder",
            page.display()
        ));
    }
    assert_eq!(names(folder.path()), ["index.html"]);
    assert_eq!(read(folder.path(), "index.html"), "<h1>My garden</h1>");

    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    reproduce(folder.path(), &["comparison"])
        .exits(2)
        .complains("an index.html that is no file");

    // Nobody writes to this pipe: whoever reads it waits for ever.
    fs::remove_dir(&page).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&page).status();
    assert!(made.unwrap().success());
    reproduce(folder.path(), &["comparison"])
        .exits(2)
        .complains("an index.html that is no file");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    // Nobody may make files in /proc, not even the superuser.
    let places = [
        file.as_path(),
        Path::new("/dev/null/tables"),
        Path::new("/proc"),
    ];
    for place in places
        .into_iter()
        .filter(|place| place.exists() || place.starts_with("/dev"))
    {
        for study in [&[][..], &["figures"], &["skip-list"], &["cliff-walking"]] {
            let ran = reproduce(place, study).exits(2);
            let ran = ran.complains("error: the tables cannot be written: ");
            ran.complains(&format!(
                "  given  {}\n  help   name a folder",
                place.display()
            ));
        }
    }
}

#[test]
fn options_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (words, complaint) in [
        (
            &["--jobs", "0"][..],
            "--jobs is not a whole number from 1 to",
        ),
        (&["--seed", "x"], "`x` is not a seed"),
        (
            &["figures", "--jobs", "many"],
            "--jobs is not a whole number",
        ),
        (&["chess"], "unrecognized subcommand 'chess'"),
        (
            &["skip-list", "--quick", "--repeats", "5"],
            "'--quick' cannot be used with '--repeats <N>'",
        ),
        (
            &["frozen-lake", "--quick", "--samples", "5"],
            "'--quick' cannot be used with '--samples <N>'",
        ),
    ] {
        reproduce(folder.path(), words)
            .exits(2)
            .complains(complaint);
    }
    assert!(names(folder.path()).is_empty());
}

/// The skip list is the third part, with minutes of work before it.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_the_parts_that_were_complete_and_says_so() {
    use rustix::process::Signal;

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let little = ["--episodes", "1", "--samples", "1", "--repeats", "1"];
    reproduce(folder.path(), &[&["cliff-walking"], &little[..]].concat()).exits(0);
    let started = common::Started::new(&mut common::command(&["reproduce", "--out", out]));
    while !folder.path().join("figure2_overestimate.png").exists() {
        std::thread::yield_now();
    }
    started
        .ended_by(&[Signal::INT])
        .exits(3)
        .complains(&format!(
            "error: interrupted; the parts that were complete are in {out}/index.html in place of the page of `probtest reproduce cliff-walking --episodes 1 "
        ))
        .complains(
            "\n  given  missing: skip-list, frozen-lake, cliff-walking, comparison\n  help   start the same command again",
        );
    let page = read(folder.path(), "index.html");
    assert!(page.contains("This page is not whole: it was interrupted. Missing: skip-list,"));
    assert!(page.contains("How many executions") && !page.contains("<h2 id=\"skip-list-head\">"));
    assert!(
        names(folder.path())
            .iter()
            .all(|name| !name.contains("partial"))
    );
}
