//! `probtest audit` on a real suite of cargo: kinds, forms, exit codes.

use std::fs;
use std::path::Path;

use crate::common::{Ran, command, probtest};
use probtest::report::audit_name;
use probtest_facts::{AuditCause, AuditEnd, AuditFacts, AuditOutcome, AuditedTest};

/// A suite without dependencies, whose randomness is the seed that it is told.
const SUITE: &str = r#"
fn drawn() -> f64 {
    let seed: u64 = std::env::var("PROBTEST_SEED").unwrap().parse().unwrap();
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed;
    for _ in 0..3 {
        x ^= x >> 31;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (x >> 11) as f64 / 2f64.powi(53)
}

#[test]
fn half() {
    assert!(drawn() < 0.5, "the larger half");
}

#[test]
fn never() {}

#[test]
fn always() {
    std::process::abort();
}

#[test]
fn counter() {
    let file = std::path::Path::new("counter.txt");
    let count: u64 = std::fs::read_to_string(file).map_or(0, |text| text.parse().unwrap());
    std::fs::write(file, (count + 1).to_string()).unwrap();
    assert!(count % 3 > 0);
}

#[test]
#[ignore]
fn off() {}
"#;

/// The manifest of a package that belongs to no workspace around it.
fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.3.0\"\nedition = \"2021\"\n")
}

/// Writes files, as far as they are not there: one that is written again is built again.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        if !file.exists() {
            fs::write(file, text).unwrap();
        }
    }
}

/// Audits what a command starts, with these options.
fn audit_by(folder: &Path, options: &[&str], cargo: &[&str]) -> Ran {
    let begin = ["audit", "--time", "10m", "--seed", "7"];
    let words = [&begin, options, &["--"], cargo].concat();
    Ran::of(command(&words).current_dir(folder).output().unwrap())
}

/// Makes the package, and audits it with these options.
fn audit(folder: &Path, options: &[&str], behind: &[&str]) -> Ran {
    let manifest = manifest("flaky") + "[workspace]\n";
    write(folder, &[("Cargo.toml", &manifest), ("src/lib.rs", SUITE)]);
    let cargo = ["cargo", "test", "--offline", "--quiet"];
    audit_by(folder, options, &[&cargo, behind].concat())
}

#[track_caller]
fn test<'a>(facts: &'a AuditFacts, name: &str) -> &'a AuditedTest {
    facts.audited.iter().find(|test| test.test == name).unwrap()
}

#[test]
fn the_tests_of_a_cargo_suite_are_told_apart_and_every_form_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let limit = ["--max-rate", "0.8"];
    let ran = audit(folder.path(), &[&limit[..], &["--json"]].concat(), &[]);
    // Only `always` lies above, and was not known.
    let ran = ran.exits(1);
    let facts: AuditFacts = serde_json::from_value(ran.json()).unwrap();
    let kind = |name| (test(&facts, name).outcome.clone(), test(&facts, name).depends_on.clone());
    assert_eq!(kind("half"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(kind("never"), (AuditOutcome::NeverFailed, None));
    assert_eq!(kind("always"), (AuditOutcome::FailsAlways, None));
    assert_eq!(kind("counter"), (AuditOutcome::Fails, Some(AuditCause::SomethingElse)));
    assert_eq!(kind("off"), (AuditOutcome::Skipped, None));
    let half = test(&facts, "half");
    assert_eq!(half.message.as_deref(), Some("the larger half, at src/lib.rs:14:5"));
    let replay = half.replay.as_deref().unwrap();
    let line = " cargo test --offline --quiet -p flaky --lib half -- --exact";
    assert!(replay.ends_with(line), "{replay}");
    let aborted = Some("killed by signal 6 (SIGABRT, abort)");
    assert_eq!(test(&facts, "always").message.as_deref(), aborted);

    // The facts are told again in other forms, without an execution.
    let file = folder.path().join("facts.json");
    fs::write(&file, &ran.stdout).unwrap();
    let page = folder.path().join("page.html");
    let words = ["audit", "--from", file.to_str().unwrap(), "--html", page.to_str().unwrap()];
    let text = probtest(&words).exits(1).stdout;
    assert!(text.starts_with("2 of 5 tests are flaky, 1 always fails\n"), "{text}");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h3>flaky lib: half</h3>"), "{page}");
    let words = ["audit", "--from", file.to_str().unwrap(), "--markdown"];
    let markdown = probtest(&words).stdout;
    assert!(markdown.contains("### <code>flaky lib&#58; half</code>"), "{markdown}");

    // Tests with expected values are apart from those to look at.
    let mut apart = facts.clone();
    let half = apart.audited.iter_mut().find(|test| test.test == "half");
    half.unwrap().depends_on = Some(AuditCause::ExpectedValues);
    fs::write(&file, serde_json::to_string(&apart).unwrap()).unwrap();
    let page = folder.path().join("apart.html");
    let words = [&words[..], &["--html", page.to_str().unwrap()]].concat();
    let markdown = probtest(&words).stdout;
    let page = fs::read_to_string(page).unwrap();
    for form in [markdown, page] {
        let (before, behind) = form.split_once("Hard-coded expected values").unwrap();
        assert!(!before.contains("lib: half") && !before.contains("lib&#58; half"));
        assert!(behind.contains("Leave them out when you vary seeds"), "{behind}");
    }

    // Known tests are no failure, and a filter of cargo is one here.
    let known = folder.path().join("known.txt");
    fs::write(&known, "always\n").unwrap();
    let options = [&limit[..], &["--known", known.to_str().unwrap(), "--json"]].concat();
    let ran = audit(folder.path(), &options, &["a", "--", "--skip", "half"]);
    let ran = ran.exits(0);
    let facts: AuditFacts = serde_json::from_value(ran.json()).unwrap();
    assert_eq!(facts.audited.len(), 1);
    assert!(test(&facts, "always").known);
}

/// Two packages with tests of one name. A seed that cannot be read fails nothing.
const WALKS: &str = r#"
#[test]
fn seeded() {
    let seed = std::env::var("PROBTEST_SEED").unwrap();
    assert!(seed.parse().is_ok_and(|seed: u64| seed.count_ones() % 2 == 0), "{seed}");
}

#[cfg(feature = "big")]
#[test]
fn big() {
    panic!("too big");
}

#[test]
#[ignore]
fn off() {
    panic!("always");
}
"#;

#[test]
fn every_line_to_copy_fails_again() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = "[workspace]\nmembers = [\"walks\", \"inner\"]\nresolver = \"2\"\n";
    let walks = manifest("walks") + "[features]\nbig = []\n";
    let other = "#[test]\nfn seeded() {}\n";
    let files = [
        ("all/Cargo.toml", workspace),
        ("all/walks/Cargo.toml", &walks),
        ("all/walks/src/lib.rs", ""),
        ("all/walks/tests/walk.rs", WALKS),
        ("all/inner/Cargo.toml", &manifest("inner")),
        ("all/inner/src/lib.rs", ""),
        ("all/inner/tests/walk.rs", other),
    ];
    write(folder.path(), &files);
    let cargo = "cargo --offline test --manifest-path all/Cargo.toml --features big";
    for (command, lines) in [
        (format!("{cargo} -- --include-ignored"), 3),
        (format!("{cargo} -p walks --test walk --config net.retry=1"), 2),
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let ran = audit_by(folder.path(), &["--precision", "0.6", "--json"], &words);
        let facts: AuditFacts = serde_json::from_value(ran.exits(0).json()).unwrap();
        let replayed = facts.audited.iter().filter_map(|test| {
            let line = test.replay.as_deref()?;
            let mut shell = probtest_testing::command("sh", &["-c", line]);
            let ran = Ran::of(shell.current_dir(folder.path()).output().unwrap());
            let failed = format!("test {} ... FAILED", test.test);
            assert!(ran.stdout.contains(&failed), "{line}\n{}{}", ran.stdout, ran.stderr);
            Some(ran.exits(101))
        });
        assert_eq!(replayed.count(), lines, "{facts:?}");
    }
}

/// A package whose tests show what surrounds them.
fn surrounded(folder: &Path) {
    let harness = |name| format!("[[test]]\nname = \"{name}\"\nharness = false\n");
    let manifest = manifest("walks") + &harness("silent") + &harness("loud") + "[workspace]\n";
    let files = [
        ("Cargo.toml", &*manifest),
        (".cargo/config.toml", "[env]\nMY_SETTING = \"1\"\n"),
        ("build.rs", "fn main() {}"),
        ("src/lib.rs", ""),
        ("tests/silent.rs", "fn main() {}"),
        ("tests/loud.rs", "fn main() { println!(\"checking\"); }"),
        ("tests/own.rs", OWN),
    ];
    write(folder, &files);
}

const OWN: &str = r#"
#[test]
fn configured() {
    assert_eq!(std::env::var("MY_SETTING").unwrap(), "1");
    assert_eq!(std::env::var("CARGO_PKG_VERSION").unwrap(), "0.3.0");
    assert!(std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).exists());
    assert!(std::path::Path::new("build.rs").exists());
}

#[test]
fn starts_another_suite() {
    let mut shell = std::process::Command::new("sh");
    let other = "echo running 0 tests; echo 'test result: ok. 0 passed; 0 failed'";
    assert!(shell.args(["-c", other]).status().unwrap().success());
}

#[test]
fn leaves() {
    std::process::exit(0);
}

#[test]
fn returns() -> Result<(), String> {
    Err("an odd number".into())
}

#[test]
#[should_panic(expected = "out of \"range\"")]
fn panics_otherwise() {
    panic!("index 7");
}

#[test]
#[should_panic(expected = "in time")]
fn panics_without_words() {
    std::panic::panic_any(7);
}

#[test]
#[ignore]
fn off() {}
"#;

#[test]
fn a_suite_is_executed_as_cargo_does_it() {
    let folder = tempfile::tempdir().unwrap();
    surrounded(folder.path());
    let options = ["--precision", "0.6", "--json"];
    let ran = audit_by(folder.path(), &options, &["cargo", "test", "--offline"]).exits(0);
    let facts: AuditFacts = serde_json::from_value(ran.json()).unwrap();
    let told: Vec<String> = facts.audited.iter().map(audit_name).collect();
    // What lists no tests is named, with the reason.
    let unlisted = facts.audited.iter().filter(|test| test.test == "all of its tests");
    let unlisted: Vec<_> = unlisted.map(|test| (audit_name(test), &*test.summary)).collect();
    let why = "could not run: its harness does not support --list --format terse; name the targets to audit, such as --lib";
    assert_eq!(unlisted.len(), 2, "{told:?}");
    for target in ["loud", "silent"] {
        let name = format!("walks test {target}: all of its tests");
        assert!(unlisted.contains(&(name, why)), "{unlisted:?}");
    }
    assert_eq!(test(&facts, "off").summary, "skipped: ignored");
    for name in ["configured", "starts_another_suite"] {
        assert_eq!(test(&facts, name).outcome, AuditOutcome::NeverFailed, "{facts:?}");
    }
    let said = |name| test(&facts, name).message.as_deref();
    assert_eq!(said("returns"), Some("Error: \"an odd number\""));
    let leaves = "it exited with code 0 before the test had a result";
    assert_eq!(said("leaves"), Some(leaves));
    let otherwise =
        r#"index 7, at tests/own.rs:30:5; the panic was expected to contain "out of \"range\"""#;
    assert_eq!(said("panics_otherwise"), Some(otherwise));
    let without_words = said("panics_without_words").unwrap();
    let expected = r#"; the panic was expected to contain "in time""#;
    assert!(without_words.ends_with(expected), "{without_words}");
    assert_eq!(facts.audited.len(), 9, "{told:?}");
}

#[test]
fn a_runner_of_the_configuration_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let alone = manifest("run") + "[workspace]\n";
    write(folder.path(), &[("Cargo.toml", &alone), ("src/lib.rs", "#[test]\nfn fine() {}\n")]);
    // By its own triple, and by a condition that holds beside the one of the audit.
    let rustc = probtest_testing::command("rustc", &["-vV"]).output().unwrap();
    let said = String::from_utf8(rustc.stdout).unwrap();
    let triple = said.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    for (key, exit, why) in [
        (triple, 2, "cargo runs the tests through a runner, but an audit starts them itself"),
        ("'cfg(unix)'", 3, "cargo could not start the tests"),
    ] {
        let runner = format!("target.{key}.runner=['sh', '-c', 'exit 0']");
        let cargo = ["cargo", "test", "--offline", "--config", &runner];
        audit_by(folder.path(), &[], &cargo).exits(exit).complains(why);
    }
}

/// Facts of an audit without a limit: tests of packages, with the bounds of their rates.
fn facts(tests: &[(&str, &str, f64, f64)]) -> String {
    let test = |(package, name, low, high): &(&str, &str, f64, f64)| {
        serde_json::json!({
            "test": name, "package": package, "target": "lib", "outcome": "fails", "depends_on": "seed",
            "executed": 100, "failed": 50, "decided": true, "limit": null, "seed": null, "replay": null,
            "rate": {"seen": (low + high) / 2.0, "low": low, "high": high, "confidence": 0.95},
            "message": null, "seconds": 1.0, "summary": "fails"
        })
    };
    let facts = serde_json::json!({
        "probtest": probtest_facts::FORMAT, "audited": tests.iter().map(test).collect::<Vec<_>>(), "seed": "0x7",
        "confidence": 0.95, "precision": 0.05, "max_rate": null, "ended": "decided",
        "executions": 200, "processes": 200, "time": 60.0, "seconds": 2.0
    });
    facts.to_string()
}

#[test]
fn what_was_found_is_compared_with_the_rate_and_the_known_tests_that_are_given_now() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("facts.json");
    let known = folder.path().join("known.txt");
    let (file, known) = (file.to_str().unwrap(), known.to_str().unwrap());
    fs::write(file, facts(&[("a", "half", 0.4, 0.6), ("a", "rare", 0.01, 0.1)])).unwrap();
    fs::write(known, "half\ngone\n").unwrap();
    let from = |words: &[&str]| {
        let words = [&["audit", "--from", file], words].concat();
        probtest(&words)
    };
    from(&[]).exits(0);
    from(&["--max-rate", "0.2"]).exits(1).says("0.2: 1 test has a higher rate");
    let ran = from(&["--max-rate", "0.2", "--known", known, "--json"]).exits(0);
    // Known is what it was, where nobody says otherwise.
    fs::write(file, format!("\u{feff}{}", ran.stdout)).unwrap();
    let gone = "gone is listed as known, but no test with this name was audited";
    from(&[]).exits(0).says(gone);
    from(&["--max-rate", "0.05"]).exits(3);
    fs::write(known, "").unwrap();
    from(&["--known", known]).exits(1);

    // A test has its full name, and a shorter one where it has that alone.
    fs::write(file, facts(&[("a", "half", 0.4, 0.6), ("b", "half", 0.4, 0.6)])).unwrap();
    let both = ["--max-rate", "0.2", "--known", known];
    fs::write(known, "half\n").unwrap();
    from(&both).exits(2).complains("say which one you mean: a lib: half, or b lib: half");
    fs::write(known, "a lib: half\n").unwrap();
    from(&both).exits(1);
    fs::write(known, "a lib: half\nb lib: half\n").unwrap();
    from(&both).exits(0);

    let missing = "the file of known tests cannot be read";
    from(&["--known", "/nowhere.txt"]).exits(2).complains(missing);
    from(&["--max-rate", "7"]).exits(2).complains("--max-rate");
    for option in "time precision confidence seed jobs timeout journal".split(' ') {
        from(&[&format!("--{option}"), "1"]).exits(2).complains("cannot be used with");
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_built() {
    let refused = |words: &[&str]| Ran::of(command(words).output().unwrap()).exits(2).stderr;
    let no_suite = refused(&["audit", "--", "make", "check"]);
    assert!(no_suite.contains("this is not a cargo suite"), "{no_suite}");
    let docs = refused(&["audit", "--", "cargo", "test", "--doc"]);
    assert!(docs.contains("only tests in binaries"), "{docs}");
    let time = refused(&["audit", "--time", "soon", "--", "cargo", "test"]);
    assert!(time.contains("--time"), "{time}");
    let file = refused(&["audit", "--from", "/nowhere.json"]);
    assert!(file.contains("the results of the audit cannot be read"), "{file}");
    let nextest = refused(&["audit", "--", "cargo", "nextest", "run", "--retries", "2"]);
    assert!(nextest.contains("--retries tells nextest how to run"), "{nextest}");
    refused(&["audit"]);
}

#[test]
fn what_could_not_be_listed_or_run_is_never_below_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    surrounded(folder.path());
    let within = |words: &[&str]| {
        let command = [&["cargo", "test", "--offline"][..], words].concat();
        audit_by(folder.path(), &["--max-rate", "0.9"], &command)
    };
    within(&["--test", "silent"])
        .exits(3)
        .says("none of 1 test is known to be flaky, 1 not decided yet")
        .says("could not run: its harness does not support --list");
    for word in ["--nosuch", "--list", "--format=pretty"] {
        let name = word.split('=').next().unwrap();
        within(&["--test", "own", "--", word])
            .exits(2)
            .complains(&format!("an audit cannot pass {name} to the test binaries"));
    }
}

#[test]
fn a_page_that_cannot_be_written_does_not_cost_what_was_found_out() {
    let folder = tempfile::tempdir().unwrap();
    surrounded(folder.path());
    let options = ["--precision", "0.6", "--html", "src"];
    let command = ["cargo", "test", "--offline", "--test", "own", "configured"];
    audit_by(folder.path(), &options, &command)
        .exits(2)
        .says("none of 1 test was flaky")
        .complains("the report cannot be written");
}

/// A binary that somebody builds anew while its test runs for the fourth time.
const EDITED: &str = r#"
#[test]
fn passes() {
    let file = std::path::Path::new("count.txt");
    let count: u64 = std::fs::read_to_string(file).map_or(0, |text| text.parse().unwrap());
    std::fs::write(file, (count + 1).to_string()).unwrap();
    if count == 3 {
        let own = std::env::current_exe().unwrap();
        let new = own.with_extension("new");
        std::fs::copy(&own, &new).unwrap();
        std::fs::rename(new, own).unwrap();
        panic!("half of the new code");
    }
}
"#;

#[test]
fn an_audit_ends_when_a_binary_changes_and_counts_nothing_of_the_new_code() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = manifest("edited") + "[workspace]\n";
    write(folder.path(), &[("Cargo.toml", &manifest), ("src/lib.rs", EDITED)]);
    let options = ["--quiet", "--journal", "journal", "--json"];
    let ran = audit_by(folder.path(), &options, &["cargo", "test", "--offline", "--lib"]).exits(3);
    let facts: AuditFacts = serde_json::from_value(ran.json()).unwrap();
    assert_eq!(facts.ended, AuditEnd::Interrupted);
    let passes = test(&facts, "passes");
    assert_eq!((passes.executed, passes.failed), (3, 0), "{passes:?}");
    let journal = fs::read_to_string(folder.path().join("journal/audit.journal")).unwrap();
    assert_eq!(journal.matches("\"made\"").count(), 3, "{journal}");
    ran.complains("/debug/deps/edited-").complains("start the audit again");
}
