//! Mistakes that the compiler finds in the user's function: it must point
//! there, not at the attribute. One file per mistake in `tests/ui_body`.
//!
//! Not part of the trybuild run, which compiles without `--test`: there the
//! compiler drops every test unseen. Only the place and the first line of each
//! error are recorded, so that the runtime may grow without a new record.
//! After a change, run `TRYBUILD=overwrite cargo test -p probtest-macros --test ui_body`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled runtime, as cargo reports it: several builds may lie around. It is the one of
/// this test in the whole workspace, which `make test` has built before.
fn runtime() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--workspace", "--test", "ui_body", "--no-run"]);
    cargo.args(["--message-format=json", "--quiet"]);
    if cfg!(feature = "tokio") {
        cargo.arg("--all-features");
    }
    let output = cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let messages = String::from_utf8(output.stdout).expect("cargo speaks UTF-8");
    let library = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "probtest")
        .filter_map(|message| Some(message["filenames"][0].as_str()?.to_owned()))
        .next_back();
    let errors = String::from_utf8_lossy(&output.stderr);
    PathBuf::from(library.unwrap_or_else(|| panic!("probtest did not compile: {errors}")))
}

/// What the compiler says about a test file, one line per error or warning.
fn complaints(case: &Path, runtime: &Path) -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = runtime.parent().expect("in a folder");
    let output = Command::new(rustc)
        .args([
            "--test",
            "--edition=2024",
            "--emit=metadata",
            "--error-format=short",
        ])
        .arg("--extern")
        .arg(format!("probtest={}", runtime.display()))
        .arg("-L")
        .arg(format!("dependency={}", folder.display()))
        .arg("--out-dir")
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg(case)
        .env("CARGO_PKG_NAME", "ui_body")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("rustc starts");
    assert!(!output.status.success(), "{} compiles", case.display());
    let shown = String::from_utf8(output.stderr).expect("rustc speaks UTF-8");
    // The last line counts the errors.
    let lines = shown.lines().filter(|line| line.starts_with("tests/"));
    // The words of an unmet bound are the runtime's to choose.
    let bound = "error[E0277]";
    let cut = |line: &str| line.find(bound).map_or(line.len(), |at| at + bound.len());
    lines
        .map(|line| format!("{}\n", &line[..cut(line)]))
        .collect()
}

#[test]
fn the_compiler_points_at_the_function() {
    let runtime = runtime();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui_body");
    let mut wrong = String::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("tests/ui_body") {
        let name = entry.expect("an entry").file_name();
        let case = Path::new("tests/ui_body").join(name);
        if case.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        count += 1;
        let found = complaints(&case, &runtime);
        let record = Path::new(env!("CARGO_MANIFEST_DIR")).join(case.with_extension("stderr"));
        if env::var("TRYBUILD").is_ok_and(|value| value == "overwrite") {
            fs::write(&record, &found).expect("writable");
        }
        let expected = fs::read_to_string(&record).unwrap_or_default();
        if found != expected {
            wrong += &format!(
                "{}\n--- recorded\n{expected}--- found\n{found}",
                case.display()
            );
        }
    }
    assert!(count > 0, "tests/ui_body is empty");
    assert!(wrong.is_empty(), "{wrong}");
}
