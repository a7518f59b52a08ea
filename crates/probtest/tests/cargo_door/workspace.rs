//! Packages whose tests have the same id.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use probtest_testing::{built, rustc};
use serde_json::Value;

use crate::fixture::Fixture;

/// The same names in both packages; the claims differ.
const TESTS: &str = r#"
use probtest::{Probtest, TestRng, probtest};

#[probtest(p = CLAIMED, epsilon = 0.05)]
fn by_the_attribute(rng: &mut TestRng) -> bool {
    rng.draw_u64() != 0
}

#[test]
fn by_the_builder() {
    let test = Probtest::new("integration::by_the_builder").p(CLAIMED);
    test.check(|rng: &mut TestRng| rng.draw_u64() != 0);
}
"#;

/// Compiles the tests of two packages, like cargo, and returns their binaries. Cargo itself would
/// compile the library again, since another workspace's library is a different one for it.
fn binaries(workspace: &Path) -> Vec<(&'static str, PathBuf)> {
    let library = built("fixture", cfg!(feature = "tokio"), "probtest");
    let deps = workspace.join("target/debug/deps");
    let packages = [("alpha", "0.1", "-000000000000000a"), ("beta", "0.2", "-000000000000000b")];
    let compiled = packages.map(|(package, p, hash)| {
        let tests = workspace.join(package).join("tests");
        fs::create_dir_all(&tests).unwrap();
        fs::write(tests.join("integration.rs"), TESTS.replace("CLAIMED", p)).unwrap();
        let output = rustc(&library)
            .current_dir(workspace)
            .args(["--test", "-Cdebuginfo=0", &format!("-Cextra-filename={hash}")])
            .arg("--out-dir")
            .arg(&deps)
            .arg(format!("{package}/tests/integration.rs"))
            .env("CARGO_PKG_NAME", package)
            .env("CARGO_TARGET_TMPDIR", workspace.join("target/tmp"))
            .output()
            .expect("rustc starts");
        let problems = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{problems}");
        (package, deps.join(format!("integration{hash}")))
    });
    compiled.into()
}

/// The contents of the files in a folder: test, package, target and claim, sorted.
fn written(folder: &Path) -> Vec<[String; 4]> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let result: Value = serde_json::from_str(&text).unwrap();
        let fields = ["test", "package", "target"].map(|key| match &result[key] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let [test, package, target] = fields;
        let claim = result["claim"]["p"].to_string();
        all.push([test, package, target, claim]);
    }
    all.sort();
    all
}

#[test]
fn tests_with_one_id_in_two_packages_are_written_apart_and_name_their_package() {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workspace");
    let binaries = binaries(&workspace);
    let reports = workspace.join("reports");
    let (attribute, builder) = ("integration::by_the_attribute", "integration::by_the_builder");
    let run = |named: bool| {
        let _ = fs::remove_dir_all(&reports);
        for (package, binary) in &binaries {
            let fixture = Fixture::with(Command::new(binary), "workspace")
                .set("PROBTEST_REPORT", reports.to_str().unwrap());
            // Started like cargo does, and without cargo.
            let seen = match named {
                true => fixture.set("CARGO_PKG_NAME", package).see(),
                false => fixture.unset("CARGO_PKG_NAME").see(),
            };
            assert!(seen.passed, "{}", seen.text);
        }
        written(&reports)
    };

    let target = "test integration";
    let known = [
        [attribute, "alpha", target, "0.1"],
        [attribute, "beta", target, "0.2"],
        [builder, "alpha", target, "0.1"],
        [builder, "beta", target, "0.2"],
    ];
    assert_eq!(run(true), known);

    // Without cargo, nothing says which package the binaries belong to. Then the builder knows no
    // package, and yet no file replaces another.
    let unknown = [
        [attribute, "alpha", target, "0.1"],
        [attribute, "beta", target, "0.2"],
        [builder, "null", target, "0.1"],
        [builder, "null", target, "0.2"],
    ];
    assert_eq!(run(false), unknown);
}
