//! `probtest-paper`: tables, files, the page, seeds, Ctrl-C and errors.

mod binary;

use std::fs;
use std::path::Path;

use binary::{Ran, paper};
use serde_json::Value;

/// Runs the command with its files in a folder.
fn reproduce(folder: &Path, words: &[&str]) -> Ran {
    paper(&[words, &["--out", folder.to_str().unwrap()]].concat())
}

/// The cliff with almost no work.
const LITTLE_CLIFF: [&str; 7] =
    ["cliff-walking", "--episodes", "1", "--samples", "1", "--repeats", "1"];

/// A study with hardly any work at all: one lake, one agent of one episode.
const LITTLE_LAKE: [&str; 9] =
    ["frozen-lake", "--lake", "4x4", "--episodes", "1", "--samples", "1", "--repeats", "1"];

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    };
    // The list of our files is next to them.
    let names = entries.map(name).filter(|name| name != ".probtest-paper");
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_skip_list_table_is_the_same_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let few = ["skip-list", "--repeats", "2", "--seed", "7"];
    let first = reproduce(&one, &[&few[..], &["--jobs", "1"]].concat()).exits(0);
    let second = reproduce(&two, &[&few[..], &["--jobs", "2", "--json"]].concat()).exits(0);
    assert_eq!(first.stderr, "");

    for name in ["skip_list.csv", "skip_list.md"] {
        assert_eq!(read(&one, name), read(&two, name));
    }
    let csv = read(&one, "skip_list.csv");
    assert!(csv.starts_with("bug,insertions,p,executions,found_share,found_low,found_high,"));
    assert_eq!(csv.lines().count(), 10);

    let first = first
        .says("8 of 8 bugs are found with an exact probability of 0.95 or more, and none is")
        .says("2 suite runs a row, seed 0x7")
        .says("17 meta_insertion_search_delete (1/256, for 0.25 of the keys)");
    let written = format!("written to {}/: skip_list.csv, skip_list.md, index.html", one.display());
    first.says(&written);

    let json = second.json();
    assert_eq!(json["promise_is_kept"], true);
    assert_eq!(json["rows"].as_array().unwrap().len(), 9);
    assert_eq!(json["rows"][3]["found_exact"].to_string(), "0.9518440460157562");
    assert_eq!(json["rows"][3]["seen_by"][0]["number"], 7);
}

pub const COLUMNS: &str = "environment,property,episodes,steps,p,epsilon,executions,published,exact,estimate,estimate_low,estimate_high,samples,published_found,found_exact,found_measured,repeats,verdict";

#[test]
fn the_tables_of_agents_are_the_same_for_any_number_of_jobs() {
    for (study, name, lines) in
        [("frozen-lake", "frozen_lake", 36 + 1), ("cliff-walking", "cliff_walking", 6 + 1)]
    {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let few = [study, "--samples", "1500", "--repeats", "3"];
        let first = reproduce(&one, &[&few[..], &["--jobs", "1"]].concat()).exits(0);
        let second = reproduce(&two, &[&few[..], &["-j", "2", "--json"]].concat()).exits(0);
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
            .says(&format!("fits the exact values in {0} of {0} rows", lines - 1))
            .says("1500 samples and 3 tests a row, epsilon 0.05")
            .says(&format!("written to {}/: {name}.csv, ", one.display()));

        let json = second.json();
        assert_eq!((&json["study"], &json["measured_fits"]), (&study.into(), &true.into()));
        assert_eq!(json["rows"].as_array().unwrap().len(), lines - 1);
        for row in json["rows"].as_array().unwrap() {
            for column in COLUMNS.split(',') {
                assert!(row.get(column).is_some(), "{column} is not in {row}");
            }
        }
    }
}

/// Seeds are fixed, and the means don't depend on episodes, samples and tests.
#[test]
fn the_mean_of_many_agents_stands_beside_the_numbers_of_the_cliff() {
    let folder = tempfile::tempdir().unwrap();
    let table = |more: &[&str]| {
        let ran = reproduce(folder.path(), &[&LITTLE_CLIFF[..], more].concat());
        (ran.exits(0), read(folder.path(), "cliff_agents.csv"))
    };
    let (ran, csv) = table(&[]);
    ran.says("3 of 6 rows agree with the paper in the mean of 100 agents")
        .says("Q past the goal  as the numbers were made")
        .says("cliff_walking.csv, cliff_walking.md, cliff_agents.csv, index.html");
    // Other agents have another mean.
    let (ran, other) = table(&["--json", "--seed", "7"]);
    assert_ne!(other, csv);
    let means = ran.json()["means"].clone();
    let row = &means[3];
    assert_eq!(means.as_array().unwrap().len(), 6);
    assert_eq!((&row["property"], &row["verdict"]), (&"Q past the goal".into(), &"agrees".into()));
    assert!(row["why"].as_str().unwrap().contains("within the margins"));
}

#[test]
fn lake_episodes_and_seed_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["frozen-lake", "--samples", "10", "--repeats", "1", "--lake", "4x4", "--episodes"];
    let table = |more: &[&str]| {
        let options = [&few[..], more].concat();
        reproduce(folder.path(), &options).exits(0);
        read(folder.path(), "frozen_lake.csv")
    };
    let csv = table(&["10, 7,10"]);
    let episodes: Vec<&str> = csv.lines().skip(1).map(|l| l.split(',').nth(2).unwrap()).collect();
    assert_eq!(episodes, ["10", "7", "10", "7"]);
    // Rows that the paper didn't train have no published number.
    assert!(csv.contains("4x4,Q1,7,100,0.01,0.05,299,,"), "{csv}");
    assert!(csv.contains("4x4,Q1,10,100,0.01,0.05,299,0.53,"), "{csv}");
    assert_eq!(table(&["10,7", "--seed", "317"]), csv);
    assert_ne!(table(&["10,7", "--seed", "318"]), csv);
}

/// Whether a process listens to the last of the signals it should listen to: SIGHUP, the first bit
/// of its mask.
#[cfg(target_os = "linux")]
fn listens(child: &std::process::Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() & 1 == 1
}

/// Each has hours of work to do, so only the signal can end it.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_study_in_order_and_writes_nothing() {
    use binary::Started;
    use rustix::process::Signal;

    for (study, option, much) in
        [("frozen-lake", "--samples", "1000000000"), ("cliff-walking", "--repeats", "1000000")]
    {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let words = [study, option, much, "--out", out];
        let started = Started::new(&mut binary::command(&words));
        while !listens(&started.0) {
            std::thread::yield_now();
        }
        started
            .ended_by(&[Signal::INT])
            .exits(3)
            .complains("interrupted before a part was finished; nothing was written");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// The false alarm of a row of agents is 1e-9 for the whole table, and the seeds are fixed: these
/// facts can't change by chance.
#[test]
fn everything_is_written_shown_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let json = reproduce(out, &["--quick", "--json"]).exits(0).json();
    assert_eq!((&json["study"], &json["quick"]), (&"all".into(), &true.into()));
    assert_eq!(json["promise_is_kept"], true);
    assert_eq!(json["agree"], 57);
    assert_eq!(json["differ"], 14);

    let figures = ["1_executions", "2_overestimate", "3_learning", "4_comparison"];
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

    // The cliff as in the text, then as the numbers were made.
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
    assert!(page.contains("<dd>probtest-paper --quick</dd>"));
    assert!(!page.contains("This page is incomplete"));
    // Screen readers go from region to region by name.
    let mut regions: Vec<&str> = page.split("role=\"region\" aria-label=\"").skip(1).collect();
    regions.iter_mut().for_each(|region| *region = region.split('"').next().unwrap());
    let distinct: std::collections::BTreeSet<&str> = regions.iter().copied().collect();
    assert!(regions.len() > 10 && distinct.len() == regions.len(), "{regions:?}");
}

#[test]
fn the_comparison_alone_is_the_same_each_time_and_replaces_its_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let answer = reproduce(out, &["comparison"]).exits(0);
    let answer = answer.says("1 of 5 rows agree with the paper, 4 differ, each with the reason");
    answer.says(&format!("open      {}/index.html", out.display()));
    let files = names(out);
    let first: Vec<Vec<u8>> = files.iter().map(|name| fs::read(out.join(name)).unwrap()).collect();
    let json = reproduce(out, &["comparison", "--json", "--jobs", "1"]).exits(0).json();
    assert_eq!(names(out), files);
    for (name, before) in files.iter().zip(first) {
        assert!(fs::read(out.join(name)).unwrap() == before, "{name} differs");
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
    let lake =
        |seed: &str| reproduce(out, &[&LITTLE_LAKE[..], &["--seed", seed]].concat()).exits(0);
    let of_lake = |seed: &str| {
        format!(
            "the page of `probtest-paper {} --seed {seed}`; its other files were left alone\n",
            LITTLE_LAKE.join(" ")
        )
    };
    for answer in [lake("1"), lake("1")] {
        assert!(!answer.stdout.contains("replaced"), "{}", answer.stdout);
    }
    lake("2").says(&format!("\nreplaced {}", of_lake("0x1")));
    let answer = reproduce(out, &["comparison"]).exits(0);
    answer.says(&format!("\n  replaced  {}", of_lake("0x2")));
    // What a page says is shown only if this command could have written it.
    let page =
        read(out, "index.html").replace("probtest-paper comparison<", "probtest-paper \u{1b}[2J<");
    fs::write(out.join("index.html"), page).unwrap();
    let answer = lake("1");
    assert!(!answer.stdout.contains("replaced"), "{}", answer.stdout);
}

#[test]
fn what_another_command_is_writing_stays_and_nothing_half_written_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let theirs = ".frozen_lake.csv.partial";
    fs::write(out.join(theirs), "half").unwrap();
    reproduce(out, &LITTLE_LAKE).exits(0);
    assert_eq!(read(out, theirs), "half");
    let expected = [
        theirs,
        "figure3_learning.csv",
        "figure3_learning.png",
        "figure3_learning.svg",
        "frozen_lake.csv",
        "frozen_lake.md",
        "index.html",
        "published_policies.csv",
    ];
    assert_eq!(names(out), expected);
    // Like any new file here: others may read it if the umask allows.
    let mode = |name: &str| fs::metadata(out.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("index.html"), mode(theirs));
}

#[test]
fn a_file_that_it_did_not_write_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frozen_lake.csv");
    fs::write(&file, "my own numbers\n").unwrap();
    reproduce(folder.path(), &LITTLE_LAKE).exits(2).complains(&format!(
        "a file with that name that probtest-paper didn't write, or that was changed\n  given  {}\n  help   choose another folder",
        file.display()
    ));
    assert_eq!(read(folder.path(), "frozen_lake.csv"), "my own numbers\n");
    fs::remove_file(&file).unwrap();
    // It replaces its own files, also with others.
    reproduce(folder.path(), &LITTLE_LAKE).exits(0);
    reproduce(folder.path(), &[&LITTLE_LAKE[..], &["--seed", "7"]].concat()).exits(0);
    // But not one that was changed since.
    let changed = read(folder.path(), "frozen_lake.md") + "a remark of mine\n";
    fs::write(folder.path().join("frozen_lake.md"), &changed).unwrap();
    reproduce(folder.path(), &LITTLE_LAKE).exits(2).complains("frozen_lake.md");
    assert_eq!(read(folder.path(), "frozen_lake.md"), changed);
    // Nor through a link.
    fs::remove_file(folder.path().join("frozen_lake.md")).unwrap();
    let target = folder.path().join("elsewhere");
    fs::write(&target, "").unwrap();
    std::os::unix::fs::symlink(&target, folder.path().join("frozen_lake.md")).unwrap();
    reproduce(folder.path(), &LITTLE_LAKE).exits(2).complains("frozen_lake.md");
}

#[test]
fn a_page_of_somebody_else_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("index.html");
    fs::write(&page, "<h1>My garden</h1>").unwrap();
    for study in [&["comparison"][..], &[], &["skip-list"]] {
        reproduce(folder.path(), study).exits(2).complains(&format!(
            "error: the folder has an index.html that probtest-paper didn't write\n  given  {}\n  help   choose another folder",
            page.display()
        ));
    }
    assert_eq!(names(folder.path()), ["index.html"]);
    assert_eq!(read(folder.path(), "index.html"), "<h1>My garden</h1>");

    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    reproduce(folder.path(), &["comparison"]).exits(2).complains("an index.html that isn't a file");

    // No one writes to this pipe, so reading it would wait forever.
    fs::remove_dir(&page).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&page).status();
    assert!(made.unwrap().success());
    reproduce(folder.path(), &["comparison"]).exits(2).complains("an index.html that isn't a file");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    // No one may create files in /proc, not even the superuser.
    let places = [file.as_path(), Path::new("/dev/null/tables"), Path::new("/proc")];
    for place in places.into_iter().filter(|place| place.exists() || place.starts_with("/dev")) {
        for study in [&[][..], &["figures"], &["skip-list"], &["cliff-walking"]] {
            let ran = reproduce(place, study).exits(2);
            let ran = ran.complains("error: can't write the tables: ");
            ran.complains(&format!("  given  {}\n  help   choose a folder", place.display()));
        }
    }
}

#[test]
fn options_that_cannot_be_used_are_refused_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<String> = (0..1001).map(|number| number.to_string()).collect();
    let many = many.join(",");
    for (words, complaint) in [
        (&["--jobs", "0"][..], "is not a number of threads from 1 to"),
        (&["--seed", "x"], "`x` is not a seed"),
        (&["figures", "--jobs", "many"], "is not a number of threads from 1 to"),
        (&["chess"], "unrecognized subcommand 'chess'"),
        (&["--quick", "figures"], "the subcommand 'figures' cannot be used with '--quick'"),
        (&["skip-list", "--repeats", "0"], "0 is not in 1..=1000000"),
        (
            &["skip-list", "--quick", "--repeats", "5"],
            "'--quick' cannot be used with '--repeats <N>'",
        ),
        (
            &["frozen-lake", "--quick", "--samples", "5"],
            "'--quick' cannot be used with '--samples <N>'",
        ),
        (
            &["frozen-lake", "--episodes", "10,many"],
            "\"many\" is not a number of episodes up to 10000000",
        ),
        (&["frozen-lake", "--episodes", ""], "is not a number of episodes"),
        (&["frozen-lake", "--episodes", "-5"], "is not a number of episodes"),
        (
            &["frozen-lake", "--episodes", &many],
            "--episodes has more than 1000 numbers\n  given  1001 numbers\n  help",
        ),
        (&["frozen-lake", "--samples", "0"], "0 is not in 1..=1000000000"),
        (&["frozen-lake", "--repeats", "0"], "0 is not in 1..=1000000"),
        (&["frozen-lake", "--seed", "-1"], "`-1` is not a seed"),
        (&["frozen-lake", "--lake", "9x9"], "[possible values: 4x4, 7x7]"),
    ] {
        reproduce(folder.path(), words).exits(2).complains(complaint);
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn errors_are_json_too_where_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for words in [&["--jobs", "0", "--json"][..], &["--json"]] {
        fs::write(folder.path().join("index.html"), "theirs").unwrap();
        let json = reproduce(folder.path(), words).exits(2).json();
        assert_eq!(json["exit_code"], 2);
        assert_eq!(json["error"]["kind"], "usage");
    }
}

#[test]
fn variables_stand_in_for_options_and_empty_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let run = |jobs: &str, seed: &str| {
        let mut command = binary::command(&LITTLE_LAKE);
        command.args(["--out", out]).env("PROBTEST_JOBS", jobs);
        Ran::of(command.env("PROBTEST_SEED", seed).output().unwrap())
    };
    run(" ", "").exits(0).says("seed 0x13d");
    run("1", "9").exits(0).says("seed 0x9");
    run("0", "9").exits(2).complains("error: the environment variable PROBTEST_JOBS can't be used");
}

/// The skip list is the third part, with minutes of work to do.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_the_parts_that_were_complete_and_says_so() {
    use binary::Started;
    use rustix::process::Signal;

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    reproduce(folder.path(), &LITTLE_LAKE).exits(0);
    let started = Started::new(&mut binary::command(&["--out", out]));
    while !folder.path().join("figure2_overestimate.png").exists() {
        std::thread::yield_now();
    }
    started
        .ended_by(&[Signal::INT])
        .exits(3)
        .complains(&format!(
            "error: interrupted; the parts that were finished are in {out}/index.html in place of the page of `probtest-paper frozen-lake --lake 4x4 --episodes 1 "
        ))
        .complains(
            "\n  given  missing: skip-list, frozen-lake, cliff-walking, comparison\n  help   run the same command again",
        );
    let page = read(folder.path(), "index.html");
    assert!(
        page.contains(
            "This page is incomplete, because the run was interrupted. Missing: skip-list,"
        )
    );
    assert!(page.contains("How many executions") && !page.contains("<h2 id=\"skip-list-head\">"));
    assert!(names(folder.path()).iter().all(|name| !name.contains("partial")));
}

#[test]
fn every_option_is_in_the_documentation() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/paper.md");
    let page = fs::read_to_string(path).unwrap();
    for study in ["skip-list", "frozen-lake", "cliff-walking", "figures", "comparison"] {
        assert!(page.contains(&format!("`probtest-paper {study}`")), "{study}");
        let help = paper(&[study, "--help"]).exits(0).stdout;
        let words = help.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        for option in words.filter(|word| word.len() > 2 && word.starts_with("--")) {
            let documented = page.contains(&format!("`{option}`")) || option == "--help";
            assert!(documented, "{option} of {study}");
        }
    }
}
