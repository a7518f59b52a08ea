//! `probtest compare`: two programs, or two revisions, on the same seeds.

mod common;

use std::path::Path;
use std::process::Command;

use common::{command, probtest};
use probtest_testing::Ran;
use serde_json::Value;

/// Violates in so many of 100 executions, by its seed.
fn flaky(percent: u32) -> String {
    format!("test $((PROBTEST_SEED % 100)) -ge {percent}")
}

fn compare(options: &[&str], old: &str, new: &str) -> Ran {
    let programs = ["--", "sh", "-c", old, "---", "sh", "-c", new];
    probtest(&[&["compare", "--seed", "7"], options, &programs].concat())
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[test]
fn a_worse_version_fails_with_a_seed_that_shows_it() {
    let (old, new) = (
        flaky(5),
        format!("{} || {{ echo too late >&2; exit 4; }}", flaky(60)),
    );
    let ran = compare(&["--p-change", "0.1"], &old, &new).exits(1);
    for part in [
        "probtest: worse: the new version violates more often, by 0.",
        "  observed  ",
        "            old violates with a rate of ",
        "            new violates with a rate of ",
        "  claim     p_change = 0.1, epsilon = 0.05, false_alarm = 0.01\n",
        ", where the new version alone violates: exit code 4\n",
        "  replay    probtest replay 0x7:",
    ] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }

    let json = compare(&["--p-change", "0.1", "--json", "--jobs", "3"], &old, &new)
        .exits(1)
        .json();
    assert_eq!(text(&json, "/kind"), "compare");
    assert_eq!(text(&json, "/verdict"), "violated");
    assert_eq!(text(&json, "/finding/kind"), "worse");
    assert!(text(&json, "/finding/violation/details").contains("too late"));
    let change = json.pointer("/observed/change").unwrap();
    assert!(change["low"].as_f64().unwrap() > 0.0, "{change}");
    assert_eq!(change["better"], 0);

    // The line to copy shows both versions on that seed.
    let address = text(&json, "/address");
    let programs = ["--", "sh", "-c", &old, "---", "sh", "-c", &new];
    let again = probtest(&[&["replay", address], &programs[..]].concat()).exits(1);
    for part in [
        "of the old version: PROBTEST_SEED=",
        "of the new version: ",
        "too late\n",
    ] {
        assert!(again.stderr.contains(part), "{}", again.stderr);
    }
}

#[test]
fn a_version_that_does_the_same_is_not_worse_and_one_that_does_better_is_better() {
    let ran = compare(&["--p-change", "0.2"], &flaky(30), &flaky(30)).exits(0);
    let head = "probtest: not worse by 0.2, after 17 pairs\n  observed  0 of 17 pairs differ";
    assert!(ran.stdout.starts_with(head), "{}", ran.stdout);
    let ran = compare(&["--p-change", "0.2"], &flaky(90), &flaky(0)).exits(0);
    assert!(
        ran.stdout.starts_with("probtest: better: "),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_budget_that_ends_first_leaves_it_undecided() {
    let options = ["--p-change", "0.01", "--max-executions", "5"];
    let ran = compare(&options, &flaky(5), &flaky(6)).exits(3);
    assert!(
        ran.stdout
            .starts_with("probtest: undecided after 5 pairs of at most ")
    );
}

#[test]
fn the_means_of_numbers_that_are_written_are_compared() {
    let score = |more: u32| format!("echo note; echo $((PROBTEST_SEED % 5 + {more})).5");
    let options = |worse| ["--change", "1", "--between", "0,10", "--worse", worse];
    let ran = compare(&options("lower"), &score(4), &score(1)).exits(1);
    assert!(
        ran.stdout
            .starts_with("probtest: worse: the new version has a lower mean, by 3.00 ("),
        "{}",
        ran.stdout
    );
    compare(&options("higher"), &score(4), &score(1)).exits(0);
    let ran = compare(&options("lower"), &score(4), "echo fast").exits(3);
    assert!(
        ran.stdout.contains("is no number: \"fast\""),
        "{}",
        ran.stdout
    );
}

#[test]
fn results_that_do_not_depend_on_the_seed_are_compared_as_independent_samples() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    // Holds in every fourth call, whatever the seed: so in one of the four that are made again.
    let count = count.display();
    let new = format!("echo . >> {count}; test $(( $(wc -l < {count}) % 4 )) -eq 0");
    let ran = compare(&["--p-change", "0.05"], "true", &new).exits(1);
    let said = "the versions are compared as independent samples";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert!(!ran.stdout.contains("  replay "), "{}", ran.stdout);
}

#[test]
fn what_is_not_two_programs_or_no_claim_is_refused() {
    let refused = |words: &[&str], what: &str| {
        let ran = probtest(&[&["compare"], words].concat()).exits(2);
        assert!(
            ran.stderr.starts_with(&format!("error: {what}")),
            "{}",
            ran.stderr
        );
    };
    let p = ["--p-change", "0.1", "--"];
    refused(
        &[&p[..], &["true"]].concat(),
        "there is one program, and a comparison needs two",
    );
    refused(
        &[&p[..], &["true", "---"]].concat(),
        "there is a version on one side of `---`",
    );
    refused(
        &[&p[..], &["true", "---", "true", "---", "true"]].concat(),
        "`---` stands between two versions, and there are more",
    );
    refused(
        &[&p[..], &["true", "---", "no-such-program"]].concat(),
        "there is no program `no-such-",
    );
    refused(
        &["--", "true", "---", "true"],
        "the comparison does not say which change",
    );
    refused(
        &["--p-change", "2", "--", "true", "---", "true"],
        "--p-change ",
    );
    refused(
        &[
            "--change",
            "1",
            "--between",
            "ten",
            "--worse",
            "lower",
            "--",
            "true",
            "---",
            "true",
        ],
        "--between is not two numbers",
    );
    // A file that is no program.
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    refused(
        &[&p[..], &["true", "---", empty.to_str().unwrap()]].concat(),
        &format!("`{}` is not executable", empty.display()),
    );
}

/// A repository whose first commit violates never, and whose second one in 60 of 100.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Repository(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        for (percent, tag) in [(0, "before"), (60, "after")] {
            let script = format!("#!/bin/sh\n{}\n", flaky(percent));
            std::fs::write(repository.path().join("check.sh"), script).unwrap();
            repository.git(&["add", "check.sh"]);
            repository.git(&["commit", "--quiet", "--message", tag]);
            repository.git(&["tag", tag]);
        }
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "somebody")
                .env(format!("GIT_{who}_EMAIL"), "somebody@example.org");
        }
        let output = git.args(words).output().expect("git starts");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn compare(&self, words: &[&str]) -> Ran {
        let words = [&["compare", "--seed", "7", "--p-change", "0.1"], words].concat();
        let mut command = command(&words);
        command
            .current_dir(self.path())
            .env("TMPDIR", self.path().parent().unwrap());
        Ran::of(command.output().expect("probtest starts"))
    }

    /// That nothing is left of what was checked out.
    fn is_clean(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
    }
}

#[test]
fn two_revisions_are_checked_out_built_compared_and_removed() {
    let repository = Repository::new();
    let words = ["--git", "before..after", "--", "sh", "check.sh"];
    let ran = repository.compare(&words).exits(1);
    assert!(
        ran.stdout.starts_with("probtest: worse: "),
        "{}",
        ran.stdout
    );
    let commits = ["before", "after"].map(|tag| repository.git(&["rev-parse", tag]));
    let line = format!(
        "--git {}..{} -- sh check.sh",
        commits[0].trim(),
        commits[1].trim()
    );
    assert!(ran.stdout.contains(&line), "{}", ran.stdout);
    repository.is_clean();

    // The other way round, with a build, and what is not committed.
    std::fs::write(repository.path().join("check.sh"), "exit 1").unwrap();
    let build = "cp check.sh built.sh; chmod +x built.sh";
    let words = [
        "--git",
        "after..before",
        "--build",
        build,
        "--",
        "./built.sh",
    ];
    let ran = repository.compare(&words).exits(0);
    assert!(
        ran.stdout.starts_with("probtest: better: "),
        "{}",
        ran.stdout
    );
    for part in ["warning: what is not committed", "builds the old version, "] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    repository.is_clean();
}

#[test]
fn revisions_that_are_none_or_cannot_be_built_are_refused() {
    let repository = Repository::new();
    let refused = |words: &[&str], code, what: &str| {
        let ran = repository.compare(words).exits(code);
        assert!(
            ran.stderr.contains(&format!("error: {what}")),
            "{}",
            ran.stderr
        );
        repository.is_clean();
    };
    let program = ["--", "sh", "check.sh"];
    let with = |words: &[&'static str]| [words, &program].concat();
    refused(&with(&["--git", "main"]), 2, "--git is not two revisions");
    refused(
        &with(&["--git", "before...after"]),
        2,
        "--git is not two revisions",
    );
    refused(
        &with(&["--git", "before..nowhere"]),
        2,
        "there is no revision `nowhere`",
    );
    refused(
        &with(&["--git", "main..after"]),
        2,
        "both revisions are the commit ",
    );
    let build = "grep -q 60 check.sh || { echo no compiler >&2; false; }";
    refused(
        &with(&["--git", "before..", "--build", build]),
        3,
        "the old version, ",
    );
    refused(
        &["--git", "before..after", "--", "true", "---", "true"],
        2,
        "--git compares one command in two revisions",
    );
    refused(
        &["--git", "before..after", "--", "./no-such-program"],
        2,
        "there is no program `",
    );
    let outside = tempfile::tempdir().unwrap();
    let words = [
        "compare",
        "--p-change",
        "0.1",
        "--git",
        "a..b",
        "--",
        "true",
    ];
    let mut elsewhere = command(&words);
    elsewhere
        .current_dir(outside.path())
        .env("GIT_CEILING_DIRECTORIES", "/");
    let ran = Ran::of(elsewhere.output().unwrap()).exits(2);
    assert!(
        ran.stderr.starts_with("error: this is no git repository"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_a_killed_process_has_checked_out_is_removed_by_the_next_one() {
    let repository = Repository::new();
    // Ids of processes are far below that.
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("probtest-compare-2147483000");
    let place = left.join("old");
    repository.git(&[
        "worktree",
        "add",
        "--detach",
        place.to_str().unwrap(),
        "before",
    ]);
    repository
        .compare(&["--git", "before..after", "--", "sh", "check.sh"])
        .exits(1);
    assert!(!left.exists());
    repository.is_clean();
}
