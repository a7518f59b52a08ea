//! The command as a whole: help, manual, completions, exit codes, streams.

use std::fs::OpenOptions;

use crate::common::{Ran, command, probtest};

#[test]
fn the_exit_codes_of_the_help_are_those_of_the_documentation() {
    let help = probtest(&["--help"]).exits(0).stdout;
    let rows = |text: &str, separator: &str| -> Vec<(String, String)> {
        text.lines()
            .filter_map(|line| {
                let line = line.trim().trim_matches('|').trim();
                let (code, meaning) = line.split_once(separator)?;
                let code = code.trim().trim_matches('`');
                code.parse::<u8>().ok()?;
                Some((code.to_owned(), meaning.trim().to_owned()))
            })
            .collect()
    };
    let helped = rows(&help, "  ");
    assert_eq!(helped.len(), 4, "{help}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/exit-codes.md");
    let documented = rows(&std::fs::read_to_string(path).unwrap(), "|");
    assert_eq!(helped, documented);
}

#[test]
fn every_option_is_in_the_documentation_of_the_command() {
    let read = |page: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference");
        std::fs::read_to_string(format!("{folder}/{page}")).unwrap()
    };
    // The flags of `run` are options of tests, except for its own.
    let (page, options) = (read("command.md"), read("options.md"));
    for name in ["plan", "sensitivity", "run", "audit", "replay", "report", "completions", "man"] {
        assert!(page.contains(&format!("`probtest {name}`")), "{name}");
        let words: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        let help = probtest(&words).exits(0).stdout;
        for word in help.split_whitespace() {
            if let Some(option) = word.strip_prefix("--").filter(|rest| !rest.is_empty()) {
                let end = option.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                let option = &option[..end.unwrap_or(option.len())];
                let row = format!("\n| `{}` |", option.replace('-', "_"));
                let listed = name == "run" && options.contains(&row);
                assert!(listed || page.contains(&format!("`--{option}")), "--{option} of {name}");
            }
        }
    }
}

#[test]
fn help_says_default_and_environment_variable() {
    let help = probtest(&["run", "--help"]).exits(0).stdout;
    let help: Vec<&str> = help.split_whitespace().collect();
    let help = help.join(" ");
    for words in [
        "[env: PROBTEST_P]",
        "(default 0.05) [env: PROBTEST_EPSILON]",
        "(default 1) [env: PROBTEST_JOBS]",
        "(default: a fresh one) [env: PROBTEST_SEED]",
    ] {
        assert!(help.contains(words), "{words}\n{help}");
    }
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        probtest(&["completions", shell]).exits(0).says("sensitivity");
    }
}

#[test]
fn manual_pages_are_written_to_stdout_or_a_folder() {
    probtest(&["man"]).exits(0).says(".TH probtest 1");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    probtest(&["man", "--out", out.to_str().unwrap()]).exits(0);
    for page in ["probtest.1", "probtest-plan.1", "probtest-run.1"] {
        assert!(out.join(page).is_file(), "{page}");
    }
    probtest(&["man", "--out", "/dev/null/man1"])
        .exits(2)
        .complains("error: the manual pages cannot be written");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for words in [
        &["--help"][..],
        &["plan", "--p", "0.1"],
        &["sensitivity", "--p", "0.1", "--json"],
        &["completions", "zsh"],
        &["man"],
        &["run", "--p", "0.5", "--", "true"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(words).stdout(writer).output().unwrap();
        let ran = Ran::of(output).exits(0);
        assert_eq!(ran.stderr, "", "{words:?}");
    }
    // A violation stays one, and a closed stderr doesn't cause a panic either.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(&["run", "--p", "0.5", "--", "false"]);
    command.stderr(writer.try_clone().unwrap()).stdout(writer);
    assert_eq!(command.status().unwrap().code(), Some(1));
}

#[test]
fn a_full_disk_is_told() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = command(&["plan", "--p", "0.1"]);
    Ran::of(command.stdout(full).output().unwrap())
        .exits(3)
        .complains("error: the answer could not be written to stdout");
}

#[test]
fn there_is_no_progress_where_there_is_no_terminal() {
    let ran = probtest(&["run", "--p", "0.01", "--", "true"]).exits(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn version_and_help_end_well_and_no_command_does_not() {
    probtest(&["--version"]).exits(0).says("probtest 0.");
    probtest(&["help", "run"]).exits(0).says("Usage: probtest run");
    probtest(&[]).exits(2).complains("Usage: probtest <COMMAND>");
}
