//! Every refusal, as the user sees it, and mistakes that the compiler finds in the user's function:
//! one file per kind of mistake.
//!
//! `PROBTEST_WRITE=1 cargo test -p probtest --test ui` writes the records; read the
//! difference.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use probtest_testing::{built, rustc};

/// The library that the files use.
fn library() -> PathBuf {
    built("ui", cfg!(feature = "tokio"), "probtest")
}

/// What the compiler says about a file, which must not compile.
fn complaints(case: &Path, rustc: &mut Command) -> String {
    let output = rustc
        .args(["--emit=metadata", "--out-dir", env!("CARGO_TARGET_TMPDIR")])
        .arg(case)
        .env("CARGO_PKG_NAME", "ui")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("rustc starts");
    assert!(!output.status.success(), "{} compiles", case.display());
    String::from_utf8(output.stderr).expect("rustc speaks UTF-8")
}

/// Compares what is said about each file in a folder with its record.
fn compare_with_records(folder: &str, said: impl Fn(&Path) -> String) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = String::new();
    let mut count = 0;
    for entry in fs::read_dir(here.join(folder)).expect(folder) {
        let case = Path::new(folder).join(entry.expect("an entry").file_name());
        if case.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        count += 1;
        let found = said(&case);
        let record = here.join(case.with_extension("stderr"));
        if env::var_os("PROBTEST_WRITE").is_some() {
            fs::write(&record, &found).expect("writable");
        }
        let expected = fs::read_to_string(&record).unwrap_or_default();
        if found != expected {
            wrong += &format!("{}\n--- recorded\n{expected}--- found\n{found}", case.display());
        }
    }
    assert!(count > 0, "{folder} is empty");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_refusal_reads_as_recorded() {
    let library = library();
    let folders = [
        ("tests/ui", true),
        ("tests/ui_without_tokio", !cfg!(feature = "tokio")),
        ("tests/ui_with_shuttle", cfg!(feature = "shuttle")),
        ("tests/ui_without_shuttle", !cfg!(feature = "shuttle")),
        ("tests/ui_without_inputs", !cfg!(any(feature = "proptest", feature = "arbitrary"))),
    ];
    for (folder, _) in folders.into_iter().filter(|(_, applies)| *applies) {
        compare_with_records(folder, |case| {
            let said = complaints(case, &mut rustc(&library));
            // The last paragraph counts the errors.
            let end = said.find("\n\nerror: aborting").map_or(said.len(), |at| at + 1);
            said[..end].to_owned()
        });
    }
}

/// Only the place and the first line of each error are recorded, so that the runtime may change
/// without a new record.
#[test]
fn the_compiler_points_at_the_function() {
    let library = library();
    compare_with_records("tests/ui_body", |case| {
        let mut rustc = rustc(&library);
        // Without `--test` the compiler drops every test unseen.
        rustc.args(["--test", "--error-format=short"]);
        let said = complaints(case, &mut rustc);
        let lines = said.lines().filter(|line| line.starts_with("tests/"));
        // The text of an unmet bound is up to the runtime.
        let bound = "error[E0277]";
        let cut = |line: &str| line.find(bound).map_or(line.len(), |at| at + bound.len());
        lines.map(|line| format!("{}\n", &line[..cut(line)])).collect()
    });
}
