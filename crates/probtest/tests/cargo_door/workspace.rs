//! A workspace whose packages have tests with one id.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Makes the workspace, with the versions of the dependencies that are there.
fn workspace() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workspace");
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"alpha\", \"beta\"]\nresolver = \"3\"\n\n[profile.dev]\ndebug = false\n",
    );
    fs::copy(own.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for (package, p) in [("alpha", "0.1"), ("beta", "0.2")] {
        let manifest = format!(
            "[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dev-dependencies]\nprobtest = {{ path = {own:?} }}\n"
        );
        write(&format!("{package}/Cargo.toml"), &manifest);
        write(&format!("{package}/src/lib.rs"), "");
        let tests = TESTS.replace("CLAIMED", p);
        write(&format!("{package}/tests/integration.rs"), &tests);
    }
    folder
}

fn cargo(workspace: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(workspace).args(["test", "--offline"]);
    cargo.args(["--test", "integration"]).args(words);
    cargo.env("CARGO_TARGET_DIR", workspace.join("target"));
    cargo
}

/// The binaries of the tests of both packages.
fn binaries(workspace: &Path) -> Vec<PathBuf> {
    let words = ["--no-run", "--quiet", "--message-format=json"];
    let output = cargo(workspace, &words).output().expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    let binaries: Vec<PathBuf> = messages.collect();
    let problems = String::from_utf8_lossy(&output.stderr);
    assert_eq!(binaries.len(), 2, "{text}\n{problems}");
    binaries
}

/// What the files of a folder say: test, package, target and claim, in order.
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
    let workspace = workspace();
    let binaries = binaries(&workspace);
    let reports = workspace.join("reports");
    let (attribute, builder) = (
        "integration::by_the_attribute",
        "integration::by_the_builder",
    );

    let _ = fs::remove_dir_all(&reports);
    let mut all = Fixture::with(cargo(&workspace, &[]), "workspace")
        .set("PROBTEST_REPORT", reports.to_str().unwrap());
    let seen = all.see();
    assert!(seen.passed, "{}", seen.text);
    let target = "test integration";
    let known = [
        [attribute, "alpha", target, "0.1"],
        [attribute, "beta", target, "0.2"],
        [builder, "alpha", target, "0.1"],
        [builder, "beta", target, "0.2"],
    ];
    assert_eq!(written(&reports), known);

    // Whoever starts the binaries alone does not say whose they are. The builder
    // then knows no package, and yet no file takes the place of another.
    let _ = fs::remove_dir_all(&reports);
    for binary in binaries {
        let mut alone = Fixture::with(Command::new(binary), "workspace-alone")
            .set("PROBTEST_REPORT", reports.to_str().unwrap())
            .unset("CARGO_PKG_NAME");
        let seen = alone.see();
        assert!(seen.passed, "{}", seen.text);
    }
    let unknown = [
        [attribute, "alpha", target, "0.1"],
        [attribute, "beta", target, "0.2"],
        [builder, "null", target, "0.1"],
        [builder, "null", target, "0.2"],
    ];
    assert_eq!(written(&reports), unknown);
}
