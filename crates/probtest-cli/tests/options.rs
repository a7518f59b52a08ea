//! Values and words that are wrong: each says what was given and what to do.

use crate::common::{Ran, command, probtest};

#[test]
fn what_is_no_probability_is_refused() {
    for (options, words) in [
        (["--p", "1.5"], "error: p is not strictly between 0 and 1\n  given  1.5\n  help   "),
        (["--p", "-0.1"], "error: p is not strictly between 0 and 1"),
        (["--p", ""], "error: p is empty"),
        (["--outcomes", "0.5,0.6"], "error: probabilities sum to 1.1"),
        (["--outcomes", "@/nowhere/at/all"], "cannot be read: No such file"),
        (["--equal", "1"], "error: --equal is not a whole number from 2"),
    ] {
        let plan = probtest(&[&["plan"], &options[..]].concat());
        plan.exits(2).complains(words);
        let run = probtest(&[&["run"], &options[..], &["--", "true"]].concat());
        run.exits(2).complains(words);
    }
    let words = "error: epsilon is not strictly between 0 and 1";
    probtest(&["plan", "--p", "0.1", "--epsilon", "1"]).exits(2).complains(words);
}

#[test]
fn what_is_no_count_is_refused() {
    for executions in ["0", "-1", "99999999999999999999"] {
        probtest(&["plan", "--p", "0.1", "--executions", executions])
            .exits(2)
            .complains("error: --executions is not a whole number of 1 or more")
            .complains(&format!("given  {executions}\n  help   "));
    }
    for (option, value, words) in [
        ("--jobs", "0", "--jobs is not a whole number from 1 to 1024"),
        ("--jobs", "1025", "--jobs is not a whole number from 1 to 1024"),
        ("--max-executions", "0", "--max-executions is not a whole number of 1"),
        ("--reject-code", "0", "--reject-code is not a whole number from 1 to 255"),
        ("--reject-code", "256", "--reject-code is not a whole number from 1 to 255"),
        ("--seed", "-4", "`-4` is not a seed"),
        ("--seed", "seed", "`seed` is not a seed"),
        ("--timeout", "5", "--timeout has no unit\n  given  5\n  help   write 5s"),
        ("--timeout", "0s", "--timeout must be above 0"),
        ("--max-time", "30", "--max-time has no unit\n  given  30\n  help   write 30s"),
        ("--max-time", "9999999h", "--max-time must be above 0 and at most a year"),
        ("--on-budget", "warn", "--on-budget is neither pass nor fail\n  given  warn"),
    ] {
        let option = format!("{option}={value}");
        probtest(&["run", "--p", "0.1", &option, "--", "true"])
            .exits(2)
            .complains(&format!("error: {words}"));
    }
}

#[test]
fn environment_variables_stand_in_for_options_and_flags_win() {
    let run = |variables: &[(&str, &str)], options: &[&str]| {
        let words = [&["run", "--json"], options, &["--", "true"]].concat();
        let mut command = command(&words);
        command.envs(variables.iter().copied());
        Ran::of(command.output().unwrap())
    };
    let set = [
        ("PROBTEST_P", "0.5"),
        ("PROBTEST_EPSILON", "0.1"),
        ("PROBTEST_SEED", "0x5eed"),
        ("PROBTEST_JOBS", "2"),
    ];
    let json = run(&set, &[]).exits(0).json();
    assert_eq!(json["planned"], 5);
    assert_eq!(json["seed"], "0x5eed");
    let json = run(&set, &["--p", "0.4", "--epsilon", "0.05", "--seed", "7"]).exits(0).json();
    assert_eq!(json["planned"], 7);
    assert_eq!(json["seed"], "0x7");
    let json = run(&set, &["--equal", "6"]).exits(0).json();
    assert!(json["claim"]["outcomes"].is_array());
    let json = run(&[("PROBTEST_P", " ")], &["--p", "0.5"]).exits(0).json();
    assert_eq!(json["planned"], 6);
    run(&[("PROBTEST_P", "2")], &[])
        .exits(2)
        .complains("error: the environment variable PROBTEST_P cannot be used: p is not");
    run(&[("PROBTEST_JOBS", "all")], &["--p", "0.5"])
        .exits(2)
        .complains("error: the environment variable PROBTEST_JOBS cannot be used: it is not a whole number from 1 to 1024\n  given  all\n");
}

#[test]
fn a_variable_that_means_nothing_is_warned_about() {
    let warned = |words: &[&str]| {
        let mut command = command(words);
        command.envs([("PROBTEST_SEEDS", "1"), ("PROBTEST_EMPTY", " ")]);
        Ran::of(command.output().unwrap()).exits(0).stderr
    };
    let warning = "probtest: warning: PROBTEST_SEEDS has no effect here and is ignored\n  help   did you mean `PROBTEST_SEED`?\n";
    for words in [&["run", "--p", "0.5", "--", "true"][..], &["replay", "7:1", "--", "true"]] {
        let stderr = warned(words);
        assert!(stderr.starts_with(warning), "{stderr}");
    }
    assert_eq!(warned(&["run", "-q", "--p", "0.5", "--", "true"]), "");
}

#[test]
fn a_replay_variable_is_not_for_programs_and_names_the_command_that_is() {
    let mut command = command(&["run", "--p", "0.5", "--", "true"]);
    command.env("PROBTEST_REPLAY", "7:9");
    Ran::of(command.output().unwrap())
        .exits(0)
        .says("6 executions")
        .complains("probtest: warning: PROBTEST_REPLAY is not read here\n  given  7:9\n  help   write probtest replay 7:9 -- COMMAND to rerun one execution of a program\n");
}

#[test]
fn a_command_that_cannot_be_executed_is_found_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let plain = at("plain", "echo hello\n", 0o644);
    let no_shebang = at("no-shebang", "echo hello\n", 0o755);
    let bad_shebang = at("bad-shebang", "#!/no/such/shell\n", 0o755);
    let folder = folder.path().to_str().unwrap();
    for (program, what, help) in [
        ("no-such-program", "there is no program", "looked up in PATH"),
        ("./no-such-program", "there is no program", "check the spelling of the path"),
        ("echo hello", "there is no program", "as a separate word"),
        ("--json", "there is no program", "go before `--`"),
        ("Cargo.toml", "there is no program", "written ./Cargo.toml"),
        ("", "the command is empty", "after `--`"),
        (folder, "is a folder", "name the program in it"),
        (&plain, "is not executable", "chmod +x"),
        (&no_shebang, "cannot be started: Exec format error", "#!/bin/sh"),
        (&bad_shebang, "cannot be started: No such file", "interpreter"),
    ] {
        for command in [
            vec!["run", "--p", "0.5", "--jobs", "2", "--", program],
            vec!["replay", "7:1", "--", program],
        ] {
            probtest(&command).exits(2).complains(what).complains(help);
        }
    }
}

#[test]
fn a_command_line_without_a_claim_is_refused() {
    probtest(&["run", "--", "true"])
        .exits(2)
        .complains("error: the test does not say which violation probability to catch");
}

#[test]
fn what_names_no_execution_cannot_be_replayed() {
    for address in ["7", "7:0", "x:1", "7:1:1", ""] {
        probtest(&["replay", address, "--", "true"])
            .exits(2)
            .complains(&format!("error: `{address}` does not name an execution"));
    }
}

#[test]
fn with_json_an_error_is_an_object_on_stdout_as_well() {
    let ran = probtest(&["plan", "--p", "1.5", "--json"]).exits(2);
    let json = ran.json();
    assert_eq!(json["error"]["kind"], "usage");
    assert_eq!(json["error"]["message"], "p is not strictly between 0 and 1");
    assert_eq!(json["error"]["given"], "1.5");
    assert_eq!(json["exit_code"], 2);
    ran.complains("error: p is not strictly between 0 and 1");
    let json = probtest(&["plan", "--pp", "--json"]).exits(2).json();
    assert_eq!(json["error"]["message"], "unexpected argument '--pp' found");
    assert_eq!(json["error"]["given"], "--pp");
    assert_eq!(json["error"]["help"], "did you mean `--p`?");
}

#[test]
fn every_wrong_command_line_says_what_was_given_and_what_to_do() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let program = "write the program after `--`, such as -- ./simulate";
    for (words, given, help) in [
        (&["plan", "--epsilom", "0.1"][..], "--epsilom", "did you mean `--epsilon`?"),
        (&["pln"], "pln", "did you mean `plan`?"),
        (&["run", "--p", "0.5"], "probtest run --p 0.5", program),
        (&["run", "--p", "0.5", "--"], "probtest run --p 0.5 --", program),
        (&["replay", "7:1"], "probtest replay 7:1", program),
        (
            &["run", "--p", "0.5", "true"],
            "true",
            "the program and its arguments go after `--`: -- true ...",
        ),
        (&["plan", "--p"], "probtest plan --p", "see probtest plan --help"),
        (
            &["plan", "--p=1", "--equal=3"],
            "probtest plan --p=1 --equal=3",
            "write probtest plan --p <P>, or see probtest plan --help",
        ),
        (&["plan", "--json=yes"], "yes", "write probtest plan --json, or see probtest plan --help"),
        (&["completions", "cmd"], "cmd", "write one of bash, elvish, fish, powershell, zsh"),
        (
            &["replay"],
            "probtest replay",
            "write probtest replay <SEED:INDEX> -- <COMMAND>..., or see probtest replay --help",
        ),
        (
            &["plan", "two\n\nlines"],
            "two  lines",
            "write probtest plan [OPTIONS], or see probtest plan --help",
        ),
    ] {
        let ran = probtest(words).exits(2);
        let lines: Vec<&str> = ran.stderr.lines().collect();
        assert_eq!(lines.len(), 3, "{}", ran.stderr);
        assert!(lines[0].starts_with("error: "), "{}", lines[0]);
        assert_eq!(lines[1], format!("  given  {given}"));
        assert_eq!(lines[2], format!("  help   {help}"));
    }
    let missing = "error: the following required arguments were not provided: <COMMAND>...\n";
    probtest(&["replay", "7:1"]).exits(2).complains(missing);
    probtest(&["pln"]).exits(2).complains("error: unrecognized subcommand 'pln'\n");
    probtest(&["completions", "cmd"]).exits(2).complains("invalid value 'cmd'");
    let mut command = command(&["run", "--p", "0.5", "--", "true"]);
    Ran::of(command.arg(OsStr::from_bytes(b"a\xff")).output().unwrap())
        .exits(2)
        .complains("error: invalid UTF-8 was detected in one or more arguments\n  given  probtest run --p 0.5 -- true a\u{fffd}\n  help   a command is Unicode text");
}
