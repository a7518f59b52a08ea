//! `probtest report`: input that is no result, or does not fit together.

use std::fs;
use std::path::PathBuf;

use crate::common::{Ran, probtest};
use tempfile::TempDir;

const GOOD: &str = r#"{"probtest": 2, "kind": "detect", "test": "t", "verdict": "passed", "claim": {"p": 0.01, "epsilon": 0.05}, "executed": 299}"#;

struct Given {
    _folder: TempDir,
    file: PathBuf,
}

fn given(content: impl AsRef<[u8]>) -> Given {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("given.json");
    fs::write(&file, content).unwrap();
    Given { _folder: folder, file }
}

fn report(content: impl AsRef<[u8]>) -> Ran {
    let given = given(content);
    probtest(&["report", given.file.to_str().unwrap()])
}

/// The error has its three parts, and names the file.
#[track_caller]
fn refused(content: impl AsRef<[u8]>, words: &str) {
    let ran = report(content).exits(2).complains(words);
    assert_eq!(ran.stdout, "");
    for part in ["error: ", "\n  given  ", "given.json", "\n  help   "] {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
}

#[test]
fn every_truncation_of_a_file_is_refused() {
    for end in 1..GOOD.len() {
        refused(&GOOD[..end], "ends in the middle of a result");
    }
    refused("", "the file is empty");
    refused(" \n", "the file is empty");
    refused(format!("{GOOD}{}", &GOOD[..20]), "ends in the middle");
}

#[test]
fn what_is_not_of_probtest_is_refused() {
    for foreign in [
        "[]",
        "7",
        "null",
        "\"text\"",
        "{}",
        r#"{"tests": []}"#,
        r#"{"probtest": 2}"#,
        r#"{"probtest": "2", "verdict": "passed"}"#,
        r#"{"probtest": 2, "tests": [3]}"#,
        r#"{"name": "package", "version": "1"}"#,
    ] {
        refused(foreign, "the file is not a result of probtest");
    }
    refused("hello", "the file is not JSON: expected value");
    refused(format!("{GOOD} garbage"), "the file is not JSON");
    refused(
        r#"{"probtest": 2, "error": {"kind": "usage", "message": "p is 2"}}"#,
        "the file holds an error, not a result",
    );
    refused(r#"{"probtest": 2, "tests": []}"#, "the results hold no test");
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    refused(&open, "the file ends in the middle of a result");
    refused(
        GOOD.replace("299", &format!("299, \"more\": {open}{close}")),
        "the file is not JSON: recursion limit exceeded",
    );
}

#[test]
fn another_form_is_refused_with_both_numbers() {
    refused(
        GOOD.replace("\"probtest\": 2", "\"probtest\": 1"),
        "its form is 1, but this program reads 2",
    );
    let inner = format!(
        r#"{{"probtest": 2, "tests": [{}]}}"#,
        GOOD.replace("\"probtest\": 2", "\"probtest\": 3")
    );
    refused(inner, "its form is 3, but this program reads 2");
}

#[test]
fn bytes_that_are_no_text_and_numbers_that_are_none_are_refused() {
    refused([&GOOD.as_bytes()[..30], &[0xff, 0xfe], b"\"}"].concat(), "not UTF-8 text: byte 31");
    refused(GOOD.replace("299", "NaN"), "NaN and Infinity are not JSON numbers");
    refused(GOOD.replace("0.05", "-Infinity"), "NaN and Infinity are not JSON numbers");
    refused(GOOD.replace("299", "1e999"), "the file is not JSON: number out of range");
}

#[test]
fn the_place_of_an_error_is_counted_from_the_beginning_of_the_file() {
    let number = GOOD.replace("299", "1e999");
    let column = number.find("1e999").unwrap() + 5;
    refused(format!("{GOOD}\n\n {number}"), &format!("given.json, line 3, column {}", column + 1));
    let inside = number.replace("\"executed\": ", "\n\"executed\":");
    refused(
        format!("{{\"probtest\": 2, \"tests\": [\n{inside}]}}"),
        "given.json, line 3, column 16",
    );
}

#[test]
fn a_file_above_the_limit_is_refused_without_reading_it_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.json");
    // A hole: it takes no place on the disk.
    fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    probtest(&["report", file.to_str().unwrap()])
        .exits(2)
        .complains("the file is too large: more than 64 MiB");
    probtest(&["report", "/dev/zero"]).exits(2).complains("too large");
}

/// A number of the file takes 32 bytes in memory: 2 million of them take 64 MB, and
/// are held once. Twice would be above the limit.
#[cfg(target_os = "linux")]
#[test]
fn what_is_read_is_held_once() {
    within(130_000, &with_numbers("t", 2_000_000), &[]).says("the test passed");
}

/// Twenty results that take 3 MB each. All of them at once would be above the limit.
#[cfg(target_os = "linux")]
#[test]
fn results_are_read_one_at_a_time_and_kept_as_text() {
    let name = |number: usize| with_numbers(&format!("t{number}"), 100_000);
    let results: Vec<String> = (0..20).map(name).collect();
    within(80_000, &results.concat(), &[]).says("all 20 tests passed");
    let pytest = format!(r#"{{"probtest": 2, "tests": [{}]}}"#, results.join(","));
    let json = within(80_000, &pytest, &["--json"]).json();
    let more = json["tests"][19]["more"].as_array().map(Vec::len);
    assert_eq!(more, Some(100_001));
}

/// A result with a list of zeros that nobody reads.
#[cfg(target_os = "linux")]
fn with_numbers(test: &str, count: usize) -> String {
    let numbers = "0,".repeat(count);
    GOOD.replace("\"t\"", &format!("\"{test}\""))
        .replace("299", &format!("299, \"more\": [{numbers}0]"))
}

/// Reports within so many kB of memory.
#[cfg(target_os = "linux")]
#[track_caller]
fn within(most: u32, content: &str, options: &[&str]) -> Ran {
    let given = given(content);
    let ran = std::process::Command::new("sh")
        .args(["-c", "ulimit -v \"$1\"; shift; exec \"$@\"", "sh"])
        .arg(most.to_string())
        .args([env!("CARGO_BIN_EXE_probtest"), "report"])
        .arg(&given.file)
        .args(options)
        .output();
    Ran::of(ran.unwrap()).exits(0)
}

#[test]
fn fields_that_hold_something_else_are_named_with_their_test() {
    for (from, to, words) in [
        (
            "299",
            "-1",
            "`executed` of the test t is wrong: invalid value: integer `-1`, expected u64",
        ),
        (", \"executed\": 299", "", "the result of the test t is wrong: missing field `executed`"),
        ("\"passed\"", "true", "`verdict` of the test t is wrong"),
        ("\"t\"", "5", "`test` of a test without a name is wrong"),
        ("\"test\": \"t\", ", "", "`test` of the test  is not the id of a test"),
        (
            "{\"p\": 0.01, \"epsilon\": 0.05}",
            "[]",
            "`claim` of the test t is wrong: invalid type: sequence",
        ),
        ("0.01", "2", "`claim.p` of the test t is not a probability strictly between 0 and 1"),
        (
            "0.05",
            "\"a\"",
            "`claim.epsilon` of the test t is wrong: invalid type: string \"a\", expected f64",
        ),
        (
            "\"detect\", \"test\": \"t\", \"verdict\": \"passed\", \"claim\": {\"p\": 0.01",
            "\"cover\", \"test\": \"t\", \"verdict\": \"passed\", \"claim\": {\"outcomes\": [0.7, 0.7]",
            "`claim.outcomes` of the test t is not a list of probabilities that sum to at most 1",
        ),
        ("299", "299, \"seconds\": -1", "`seconds` of the test t is not a number from 0 to 1e12"),
        (
            "299",
            "299, \"seconds\": 1.7e308",
            "`seconds` of the test t is not a number from 0 to 1e12",
        ),
        (
            "299",
            "299, \"violated\": 300",
            "`violated` of the test t is not at most the number of executions",
        ),
        ("299", "299, \"notes\": [1]", "`notes[0]` of the test t is wrong"),
        (
            "299",
            "299, \"rate\": {\"low\": 0.5, \"high\": 0.1, \"confidence\": 0.95}",
            "`rate` of the test t is not an interval from `low` to `high` within 0 and 1",
        ),
    ] {
        refused(GOOD.replace(from, to), words);
    }
}

#[test]
fn one_test_with_two_claims_is_refused_and_both_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), GOOD).unwrap();
    fs::write(folder.path().join("b.json"), GOOD.replace("0.01", "0.001")).unwrap();
    probtest(&["report", folder.path().to_str().unwrap()])
        .exits(2)
        .complains("error: the test t has results for different claims\n")
        .complains("p = 0.01, epsilon = 0.05 in ")
        .complains("a.json, and p = 0.001, epsilon = 0.05 in ")
        .complains("b.json");
    // Written in another way it is the same claim.
    fs::write(folder.path().join("b.json"), GOOD.replace("0.01", "1e-2, \"p_exact\": \"1/100\""))
        .unwrap();
    probtest(&["report", folder.path().to_str().unwrap()]).exits(0);
}

#[test]
fn files_and_folders_that_are_not_there_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.json");
    probtest(&["report", missing.to_str().unwrap()])
        .exits(2)
        .complains("the results cannot be read: No such file");
    fs::write(folder.path().join("readme.txt"), "").unwrap();
    probtest(&["report", folder.path().to_str().unwrap()])
        .exits(2)
        .complains("the folder holds no results");
    probtest(&["report"]).exits(2).complains("<RESULTS>...");
}

#[test]
fn a_folder_that_leads_into_itself_ends() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), GOOD).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("self")).unwrap();
    probtest(&["report", folder.path().to_str().unwrap()]).exits(0).says("the test passed");
}

#[test]
fn a_pipe_in_a_folder_is_refused_without_waiting_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    probtest(&["report", folder.path().to_str().unwrap()])
        .exits(2)
        .complains("the folder holds something that is not a file");
}

#[test]
fn the_least_that_a_result_has_is_enough_also_behind_a_mark_for_the_encoding() {
    for mark in ["", "\u{feff}"] {
        report(format!("{mark}{GOOD}")).exits(0).says("the test passed");
    }
}

#[test]
fn the_names_of_files_do_nothing_in_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a\u{1b}[2J\nerror.json"), "x").unwrap();
    let ran = probtest(&["report", folder.path().to_str().unwrap()]).exits(2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    assert!(ran.stderr.contains("a\\u{1b}[2J\\nerror.json"), "{}", ran.stderr);
}

#[test]
fn two_forms_do_not_share_a_file_under_any_name() {
    let given = given(GOOD);
    let file = given.file.to_str().unwrap();
    let folder = given.file.parent().unwrap();
    std::os::unix::fs::symlink(folder, folder.join("link")).unwrap();
    let page = format!("--html={}", folder.join("out").display());
    for other in ["out", "link/out", "./out"] {
        let markdown = format!("--markdown={}", folder.join(other).display());
        probtest(&["report", file, &page, &markdown])
            .exits(2)
            .complains("two forms of the report cannot both go to one file");
    }
    assert!(!folder.join("out").exists());
    probtest(&["report", file, "--html=/dev/null", "--markdown=/dev/null"]).exits(0);
}

#[test]
fn a_report_does_not_replace_its_results_and_two_do_not_share_stdout() {
    let given = given(GOOD);
    let file = given.file.to_str().unwrap();
    for option in ["--html", "--markdown", "--junit"] {
        let written = format!("{option}={file}");
        probtest(&["report", file, &written])
            .exits(2)
            .complains(&format!("{option} names one of the files that hold the results"));
    }
    assert_eq!(fs::read_to_string(&given.file).unwrap(), GOOD);
    probtest(&["report", file, "--markdown", "--junit"])
        .exits(2)
        .complains("two forms of the report cannot both go to stdout\n  given  --markdown --junit");
    let ran = probtest(&["report", file, "--json", "--markdown"]).exits(2);
    assert_eq!(ran.json()["error"]["kind"], "usage");
    probtest(&["report", file, "--html", "/dev/null/page.html"])
        .exits(2)
        .complains("the report cannot be written");
}
