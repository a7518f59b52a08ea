//! `probtest audit` on a real suite of cargo: kinds, forms, exit codes.

mod common;

use std::fs;
use std::path::Path;

use common::{Ran, command};
use probtest_facts::{AuditCause, AuditFacts, AuditOutcome, AuditedTest};

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

/// Makes the package, and audits it with these options.
fn audit(folder: &Path, options: &[&str], behind: &[&str]) -> Ran {
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"flaky\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    for (name, text) in [("Cargo.toml", manifest), ("src/lib.rs", SUITE)] {
        let file = folder.join(name);
        // A file that is written again is built again.
        if !file.exists() {
            fs::write(file, text).unwrap();
        }
    }
    let cargo = ["--", "cargo", "test", "--offline", "--quiet"];
    let words = [
        &["audit", "--time", "10m", "--seed", "7"],
        options,
        &cargo,
        behind,
    ]
    .concat();
    let mut audit = command(&words);
    Ran::of(audit.current_dir(folder).output().unwrap())
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
    let kind = |name| {
        (
            test(&facts, name).outcome.clone(),
            test(&facts, name).depends_on.clone(),
        )
    };
    assert_eq!(kind("half"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(kind("never"), (AuditOutcome::NeverFailed, None));
    assert_eq!(kind("always"), (AuditOutcome::FailsAlways, None));
    assert_eq!(
        kind("counter"),
        (AuditOutcome::Fails, Some(AuditCause::SomethingElse))
    );
    assert_eq!(kind("off"), (AuditOutcome::Skipped, None));
    let half = test(&facts, "half");
    assert_eq!(
        half.message.as_deref(),
        Some("the larger half, at src/lib.rs:14:5")
    );
    let replay = half.replay.as_deref().unwrap();
    assert!(replay.starts_with("PROBTEST_SEED=0x"), "{replay}");
    assert!(
        replay.ends_with(" cargo test -p flaky --lib half -- --exact"),
        "{replay}"
    );
    assert_eq!(
        test(&facts, "always").message.as_deref(),
        Some("killed by signal 6 (SIGABRT, abort)")
    );

    // The facts are told again in other forms, without an execution.
    let file = folder.path().join("facts.json");
    fs::write(&file, &ran.stdout).unwrap();
    let page = folder.path().join("page.html");
    let words = [
        "audit",
        "--from",
        file.to_str().unwrap(),
        "--html",
        page.to_str().unwrap(),
    ];
    let text = Ran::of(command(&words).output().unwrap()).exits(1);
    assert!(
        text.stdout
            .starts_with("2 of 5 tests are flaky, 1 fails always\n"),
        "{}",
        text.stdout
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h3>flaky lib: half</h3>"), "{page}");
    let words = ["audit", "--from", file.to_str().unwrap(), "--markdown"];
    let markdown = Ran::of(command(&words).output().unwrap()).stdout;
    assert!(
        markdown.contains("### <code>flaky lib&#58; half</code>"),
        "{markdown}"
    );

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

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_built() {
    let refused = |words: &[&str]| Ran::of(command(words).output().unwrap()).exits(2).stderr;
    let no_suite = refused(&["audit", "--", "make", "check"]);
    assert!(no_suite.contains("this is no suite of cargo"), "{no_suite}");
    let docs = refused(&["audit", "--", "cargo", "test", "--doc"]);
    assert!(docs.contains("only tests in binaries"), "{docs}");
    let time = refused(&["audit", "--time", "soon", "--", "cargo", "test"]);
    assert!(time.contains("--time"), "{time}");
    let file = refused(&["audit", "--from", "/nowhere.json"]);
    assert!(
        file.contains("the facts of an audit cannot be read"),
        "{file}"
    );
    refused(&["audit"]);
}
