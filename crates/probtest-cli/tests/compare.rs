//! `probtest compare`: two programs, or two revisions, on the same seeds.

use std::path::Path;
use std::process::Command;

use crate::common::{Ran, Signs, Started, command, probtest};
use rustix::process::Signal;
use serde_json::Value;

/// Violates in this many of 100 executions, depending on its seed.
fn flaky(percent: u32) -> String {
    format!("test $((PROBTEST_SEED % 100)) -ge {percent}")
}

fn compare(options: &[&str], old: &str, new: &str) -> Ran {
    compare_in(Path::new("."), options, old, new)
}

/// Compares in a folder. The command's words affect its random numbers: a script that keeps a file
/// puts it where it runs, since temporary folders have a new name each time.
fn compare_in(folder: &Path, options: &[&str], old: &str, new: &str) -> Ran {
    let programs = ["--", "sh", "-c", old, "---", "sh", "-c", new];
    let mut command = command(&[&["compare", "--seed", "7"], options, &programs].concat());
    Ran::of(command.current_dir(folder).output().expect("it starts"))
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn a_worse_version_fails_with_a_seed_that_shows_it() {
    let (old, new) = (flaky(5), format!("{} || {{ echo too late >&2; exit 4; }}", flaky(60)));
    let ran = compare(&["--p-change", "0.1"], &old, &new).exits(1);
    ran.says("probtest: worse: the new version violates more often, by 0.")
        .says("  claim     p_change = 0.1, epsilon = 0.05, false_alarm = 0.01\n")
        .says(", where the new version alone violates: exit code 4\n")
        .says("  replay    probtest replay 0x7:");

    let json = compare(&["--p-change", "0.1", "--json", "--jobs", "3"], &old, &new).exits(1).json();
    assert_eq!(text(&json, "/kind"), "compare");
    assert_eq!(text(&json, "/verdict"), "violated");
    assert_eq!(text(&json, "/finding/kind"), "worse");
    assert!(text(&json, "/finding/violation/details").contains("too late"));
    let change = json.pointer("/observed/change").unwrap();
    assert!(change["low"].as_f64().unwrap() > 0.0, "{change}");
    assert_eq!(change["better"], 0);

    // The replay line shows both versions on that seed.
    let address = text(&json, "/address");
    let programs = ["--", "sh", "-c", &old, "---", "sh", "-c", &new];
    let again = probtest(&[&["replay", address], &programs[..]].concat()).exits(1);
    again
        .complains("of the old version: PROBTEST_SEED=")
        .complains("of the new version: ")
        .complains("too late\n");
}

#[test]
fn a_version_that_does_the_same_is_not_worse_and_one_that_does_better_is_better() {
    let ran = compare(&["--p-change", "0.2"], &flaky(30), &flaky(30)).exits(0);
    let head = "probtest: not worse by 0.2, after 17 pairs\n  observed  0 of 17 pairs differ";
    assert!(ran.stdout.starts_with(head), "{}", ran.stdout);
    // As shown in the manual.
    let ran = compare(&["--p-change", "0.2"], "exit 0", "exit 0").exits(0);
    let manual = include_str!("../../../docs/reference/command.md");
    for line in ran.stdout.lines() {
        assert!(manual.contains(&format!("\n    {line}\n")), "{line}");
    }
    let ran = compare(&["--p-change", "0.2"], &flaky(90), &flaky(0)).exits(0);
    assert!(ran.stdout.starts_with("probtest: better: "), "{}", ran.stdout);
}

#[test]
fn the_means_of_numbers_that_are_written_are_compared() {
    let score = |more: u32| format!("echo note; echo $((PROBTEST_SEED % 5 + {more})).5");
    let options = |worse| ["--change", "1", "--between", "0,10", "--worse", worse];
    let ran = compare(&options("lower"), &score(4), &score(1)).exits(1);
    assert!(
        ran.stdout.starts_with("probtest: worse: the new version has a lower mean, by 3.00 ("),
        "{}",
        ran.stdout
    );
    compare(&options("higher"), &score(4), &score(1)).exits(0);
    compare(&options("lower"), &score(4), "echo fast").exits(3).says("is not a number: \"fast\"");
    let none = "the old version returned no number: exit code 1";
    compare(&options("lower"), "echo 5; exit 1", "echo 5; exit 1").exits(3).says(none);
}

#[test]
fn results_that_do_not_depend_on_the_seed_are_compared_as_independent_samples() {
    let folder = tempfile::tempdir().unwrap();
    // Holds in every fourth call, whatever the seed: so in one of the four that run again.
    let new = "echo . >> count; test $(( $(wc -l < count) % 4 )) -eq 0";
    let ran = compare_in(folder.path(), &["--p-change", "0.05"], "true", new).exits(1);
    let ran = ran.says("the versions are compared as independent samples");
    assert!(!ran.stdout.contains("  replay "), "{}", ran.stdout);
}

#[test]
fn a_coin_decides_which_version_runs_first_also_in_a_line_to_copy() {
    let folder = tempfile::tempdir().unwrap();
    // Whichever runs second violates.
    let copy = "echo . >> count; test $(( $(wc -l < count) % 2 )) -eq 1";
    let options = ["--p-change", "0.1", "--max-executions", "40", "--json"];
    let json = compare_in(folder.path(), &options, copy, copy).exits(3).json();
    assert_eq!(text(&json, "/doubts/0/kind"), "order");

    let order = |index: u64| {
        let word = "echo $0 >> order";
        let programs = ["--", "sh", "-c", word, "old", "---", "sh", "-c", word, "new"];
        let written = folder.path().join("order");
        std::fs::write(&written, "").unwrap();
        let mut replay = command(&[&["replay", &format!("7:{index}")], &programs[..]].concat());
        let replay = replay.current_dir(folder.path());
        Ran::of(replay.output().expect("it starts")).exits(0);
        std::fs::read_to_string(written).unwrap()
    };
    // The same side eight times has a chance of 1/128, and the seeds are fixed.
    let orders: Vec<String> = (1..=8).map(order).collect();
    assert!(orders.contains(&"old\nnew\n".to_owned()), "{orders:?}");
    assert!(orders.contains(&"new\nold\n".to_owned()), "{orders:?}");
    assert_eq!(order(1), orders[0]);
}

#[test]
fn a_test_that_is_not_there_proves_nothing() {
    let none = "printf 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n'";
    compare(&["--p-change", "0.1"], none, none).exits(3).says(" version: no test ran: ");
    // Even if it was renamed.
    compare(&["--p-change", "0.1"], "true", none).exits(3).says("the new version: no test ran: ");
    crate::common::run_script(&["--p", "0.1"], none).exits(3).says(" could not run: no test ran: ");
}

#[test]
fn each_version_that_is_seeded_from_the_clock_is_in_doubt() {
    // Writes the same in all executions of a second. The doubt is missing if two of at most 13
    // seconds seem to write the same, by 64 bits: that has a probability below 5e-18.
    let clock = ["sh", "-c", "date +%s | md5sum"];
    let others = [&["sh", "-c", "echo $PROBTEST_SEED"][..], &["sh", "-c", "echo $0", "{seed}"]];
    let in_doubt = |other: &[&str]| {
        let begin = ["compare", "--seed", "7", "--p-change", "0.3", "--"];
        probtest(&[&begin[..], other, &["---"], &clock].concat()).exits(0).says("from the clock");
    };
    // In parallel, since both wait for the next second.
    std::thread::scope(|scope| {
        for other in others {
            scope.spawn(move || in_doubt(other));
        }
    });
}

#[test]
fn a_suite_promises_what_its_comparisons_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let report = |names: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| file(name)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let ran = probtest(&[&["report"], &files[..]].concat()).exits(0);
        let words: Vec<&str> = ran.stdout.split_whitespace().collect();
        words.join(" ")
    };
    let run = |name: &str, options: &[&str]| {
        let named = file(name);
        let options = [&["--p-change", "0.2", "--json-file", &named], options].concat();
        let _ = compare(&options, &flaky(30), &flaky(30));
    };
    run("whole.json", &[]);
    let text = report(&["whole.json"]);
    for part in [
        "a new version that is worse by the change of its test",
        "with probability at most 0.05",
        "1 test compares two versions. As long as no new version is worse than the old one, such a test still fails with probability at most 0.01.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let most = ["--max-executions", "40"];
    for shard in ["1/2", "2/2"] {
        let name = format!("{}.json", &shard[..1]);
        run(&name, &[&most[..], &["--shard", shard]].concat());
        let facts: Value =
            serde_json::from_str(&std::fs::read_to_string(file(&name)).unwrap()).unwrap();
        assert!(facts["violated"].as_u64().unwrap() > 0, "{facts}");
    }
    // Two shards are one run.
    let text = report(&["1.json", "2.json"]);
    for part in ["1 test compares two versions", "still fails with probability at most 0.01."] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_is_not_two_programs_or_no_claim_is_refused() {
    let refused = |words: &[&str], what: &str| {
        let ran = probtest(&[&["compare"], words].concat()).exits(2);
        assert!(ran.stderr.starts_with(&format!("error: {what}")), "{}", ran.stderr);
    };
    let p = ["--p-change", "0.1", "--"];
    refused(&[&p[..], &["true"]].concat(), "there is one program, but a comparison needs two");
    refused(&[&p[..], &["true", "---"]].concat(), "there is a version on only one side of `---`");
    refused(
        &[&p[..], &["true", "---", "true", "---", "true"]].concat(),
        "`---` separates two versions, but there are more",
    );
    refused(
        &[&p[..], &["true", "---", "no-such-program"]].concat(),
        "there is no program `no-such-",
    );
    refused(&["--", "true", "---", "true"], "the comparison does not say which change");
    refused(&["--p-change", "2", "--", "true", "---", "true"], "--p-change ");
    refused(
        &["--change", "1", "--between", "ten", "--worse", "lower", "--", "true", "---", "true"],
        "--between is not two numbers",
    );
    // A file that isn't a program.
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    refused(
        &[&p[..], &["true", "---", empty.to_str().unwrap()]].concat(),
        &format!("`{}` is not executable", empty.display()),
    );
}

/// A repository whose first commit never violates, and whose second one violates in 60 of 100
/// executions: as a script, and as a test of a package.
struct Repository(tempfile::TempDir);

const MANIFEST: &str =
    "[package]\nname = \"walks\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const TESTS: &str = r#"
#[test]
fn walk() {
    let seed: u64 = std::env::var("PROBTEST_SEED").unwrap().parse().unwrap();
    assert!(seed % 100 >= PERCENT);
}
"#;

impl Repository {
    fn new() -> Self {
        let repository = Repository(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        std::fs::create_dir(repository.path().join("src")).unwrap();
        for (percent, tag) in [(0, "before"), (60, "after")] {
            let script = format!("#!/bin/sh\n{}\n", flaky(percent));
            let tests = TESTS.replace("PERCENT", &percent.to_string());
            for (name, text) in
                [("check.sh", script.as_str()), ("Cargo.toml", MANIFEST), ("src/lib.rs", &tests)]
            {
                std::fs::write(repository.path().join(name), text).unwrap();
            }
            repository.git(&["add", "."]);
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

    fn command(&self, words: &[&str]) -> Command {
        let words = [&["compare", "--seed", "7", "--p-change", "0.1"], words].concat();
        let mut command = command(&words);
        // A folder inside .git isn't part of what is committed.
        let temporary = self.path().join(".git");
        command.current_dir(self.path()).env("TMPDIR", temporary);
        command
    }

    /// The same elsewhere.
    fn compare_in(&self, folder: &str, temporary: &str, words: &[&str]) -> Ran {
        let mut command = self.command(words);
        command.current_dir(self.path().join(folder)).env("TMPDIR", temporary);
        Ran::of(command.output().expect("probtest starts"))
    }

    fn compare(&self, words: &[&str]) -> Ran {
        Ran::of(self.command(words).output().expect("probtest starts"))
    }

    /// Asserts that nothing is left of what was checked out.
    fn is_clean(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
        let listed = std::fs::read_dir(self.path().join(".git")).unwrap();
        let names = listed.map(|entry| entry.unwrap().file_name());
        let left: Vec<_> =
            names.filter(|name| name.to_string_lossy().starts_with("probtest-compare-")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn two_revisions_are_checked_out_built_compared_and_removed() {
    let repository = Repository::new();
    let words = ["--git", "before..after", "--", "sh", "check.sh"];
    let ran = repository.compare(&words).exits(1);
    assert!(ran.stdout.starts_with("probtest: worse: "), "{}", ran.stdout);
    let commits = ["before", "after"].map(|tag| repository.git(&["rev-parse", tag]));
    let line = format!("--git {}..{} -- sh check.sh", commits[0].trim(), commits[1].trim());
    assert!(ran.stdout.contains(&line), "{}", ran.stdout);
    repository.is_clean();

    // The other way around, with a build, and with uncommitted changes.
    std::fs::write(repository.path().join("check.sh"), "exit 1").unwrap();
    let build = "cp check.sh built.sh; chmod +x built.sh";
    let words = ["--git", "after..before", "--build", build, "--", "./built.sh"];
    let ran = repository.compare(&words).exits(0);
    assert!(ran.stdout.starts_with("probtest: better: "), "{}", ran.stdout);
    ran.complains("warning: uncommitted changes are in neither")
        .complains("building the old version, ");
    repository.is_clean();

    // The line that repeats a run cut short by time names the revisions once, so that it can be
    // run.
    let words = ["--max-time", "1ms", "--git", "before..after", "--", "sh", "check.sh"];
    let ran = repository.compare(&words).exits(3);
    let line = ran.stdout.lines().find(|line| line.contains("--max-time off")).unwrap();
    assert_eq!(line.matches("--git").count(), 1, "{line}");
}

#[test]
fn revisions_of_a_package_are_built_by_cargo_apart() {
    let repository = Repository::new();
    let words = ["--git", "before..after", "--", "cargo", "test", "--offline", "walk"];
    let ran = repository.compare(&words).exits(1);
    assert!(ran.stdout.starts_with("probtest: worse: "), "{}", ran.stdout);
    ran.says("where the new version alone violates: exit code 101")
        .complains("building the old version, ")
        .complains("building the new version, ");
    // Nothing was built in the user's folder.
    assert!(!repository.path().join("target").exists());
    repository.is_clean();
}

#[test]
fn ctrl_c_leaves_neither_processes_nor_folders_of_a_build_or_an_execution() {
    const LINGER: &str =
        "exec 3>$DIR/alive; (sleep 60; echo survived >&3) & echo go > $DIR/ready; wait";
    for words in [&["--build", LINGER, "--", "sh", "check.sh"][..], &["--", "sh", "-c", LINGER]] {
        let (repository, mut signs) = (Repository::new(), Signs::new());
        let words = [&["--git", "before..after"], words].concat();
        let mut command = repository.command(&words);
        let started = Started::new(command.env("DIR", signs.path("")));
        signs.wait_until_ready(1);
        started.ended_by(&[Signal::INT]).exits(3);
        assert_eq!(signs.last_words(), "");
        repository.is_clean();
    }
}

#[test]
fn revisions_that_are_none_or_cannot_be_built_are_refused() {
    let repository = Repository::new();
    let refused = |words: &[&str], code, what: &str| {
        repository.compare(words).exits(code).complains(&format!("error: {what}"));
        repository.is_clean();
    };
    let program = ["--", "sh", "check.sh"];
    let with = |words: &[&'static str]| [words, &program].concat();
    refused(&with(&["--git", "main"]), 2, "--git is not two revisions");
    refused(&with(&["--git", "before...after"]), 2, "--git is not two revisions");
    refused(&with(&["--git", "before..nowhere"]), 2, "there is no revision `nowhere`");
    refused(&with(&["--git", "main..after"]), 2, "both revisions are the commit ");
    let build = "grep -q 60 check.sh || { echo no compiler >&2; false; }";
    refused(&with(&["--git", "before..", "--build", build]), 3, "the old version, ");
    refused(
        &["--git", "before..after", "--", "true", "---", "true"],
        2,
        "--git compares one command in two revisions",
    );
    refused(&["--git", "before..after", "--", "./no-such-program"], 2, "there is no program `");
    let outside = tempfile::tempdir().unwrap();
    let words = ["compare", "--p-change", "0.1", "--git", "a..b", "--", "true"];
    let mut elsewhere = command(&words);
    elsewhere.current_dir(outside.path()).env("GIT_CEILING_DIRECTORIES", "/");
    let ran = Ran::of(elsewhere.output().unwrap()).exits(2);
    assert!(ran.stderr.starts_with("error: this is not a git repository"), "{}", ran.stderr);
}

#[test]
fn what_a_killed_process_has_checked_out_is_removed_by_the_next_one() {
    let repository = Repository::new();
    // Process ids are far below that.
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("probtest-compare-2147483000");
    let place = left.join("old");
    repository.git(&["worktree", "add", "--detach", place.to_str().unwrap(), "before"]);
    repository.compare(&["--git", "before..after", "--", "sh", "check.sh"]).exits(1);
    assert!(!left.exists());
    repository.is_clean();
}

#[test]
fn a_comparison_that_was_stopped_goes_on_where_its_journal_ends() {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls");
    let journal = folder.path().join("journal");
    // Stops probtest in the fifth pair, once.
    let ends = "echo . >> calls; test $(wc -l < calls) -ne 5 || { kill -TERM $PPID; sleep 60; }";
    let old = format!("{ends}; {}", flaky(5));
    let compare = |options: &[&str]| compare_in(folder.path(), options, &old, &flaky(60));
    let options = ["--p-change", "0.1", "--journal", journal.to_str().unwrap()];
    let count = || std::fs::read_to_string(&calls).unwrap().lines().count();
    compare(&options).exits(3);
    assert_eq!(count(), 5);
    let resumed = compare(&options).exits(1);
    let after = count();
    let whole = compare(&options[..2]).exits(1);
    assert_eq!(resumed.stdout, whole.stdout);
    // The four pairs in the journal weren't executed again.
    assert_eq!(after - 5, count() - after - 4);
}

#[test]
fn words_that_mean_one_file_for_both_revisions_or_none_are_refused() {
    let repository = Repository::new();
    let refused = |words: &[&str], what: &str| {
        let words = [&["--git", "before..after", "--"], words].concat();
        repository.compare(&words).exits(2).complains(&format!("error: {what}"));
        repository.is_clean();
    };
    let whole = repository.path().canonicalize().unwrap().join("check.sh");
    let whole = whole.to_str().unwrap();
    let same = format!("`{whole}` is the same file for both revisions");
    refused(&["sh", whole], &same);
    refused(&[whole], &same);
    refused(&["sh", "-c", &format!("sh {whole}; true")], &same);
    refused(&["env", &format!("SCRIPT={whole}"), "sh"], &same);
    std::fs::write(repository.path().join("untracked.sh"), "exit 0").unwrap();
    let lacks = "`untracked.sh` is not in the old version, ";
    refused(&["sh", "untracked.sh"], lacks);
    refused(&["sh", "--file=untracked.sh"], lacks);
    refused(&["sh", "untracked.sh::test_walk"], lacks);
    // A file that only one revision has, whatever is here.
    repository.git(&["mv", "check.sh", "renamed.sh"]);
    repository.git(&["commit", "--quiet", "--message", "renamed"]);
    let words = ["--git", "after..main", "--", "sh", "check.sh"];
    repository.compare(&words).exits(2).complains("`check.sh` is not in the new version, ");
}

#[test]
fn a_folder_that_a_revision_lacks_is_named_and_one_for_temporary_files_may_be_any() {
    let repository = Repository::new();
    std::fs::create_dir(repository.path().join("later")).unwrap();
    let words = ["--git", "before..after", "--", "sh", "../check.sh"];
    let ran = repository.compare_in("later", "../.git", &words).exits(2);
    ran.complains("error: this folder is not in the old version, ");
    repository.is_clean();

    let words = ["--git", "before..after", "--", "sh", "check.sh"];
    repository.compare_in("", "later", &words).exits(1);
    repository.is_clean();
}

#[test]
fn what_a_build_makes_is_other_code() {
    let repository = Repository::new();
    let code = |build: &str| {
        let words = ["--git", "before..after", "--build", build, "--json", "--", "sh", "check.sh"];
        text(&repository.compare(&words).exits(1).json(), "/code").to_owned()
    };
    assert_eq!(code("true"), code("true"));
    assert_ne!(code("true"), code("echo other"));
}
