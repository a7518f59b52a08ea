//! What is published is whole: packages have what they need and nothing from outside, and every
//! file names the same versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns what cargo says about the packages of the workspace.
fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Returns the packages that are published.
fn published() -> Vec<Value> {
    let mut all = packages();
    all.retain(|package| package["publish"].is_null());
    assert!(all.len() >= 5, "{} packages are published", all.len());
    all
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(text(package, "manifest_path"));
    manifest.parent().unwrap().to_owned()
}

/// Returns the value of the first line that begins with the key, without quotes.
fn value<'a>(file: &'a str, key: &str) -> &'a str {
    let line = file.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap_or_else(|| panic!("no line begins with {key:?}")).trim_matches([' ', '=', ':', '"'])
}

fn version() -> String {
    let manifest = read("Cargo.toml");
    let (_, package) = manifest.split_once("[workspace.package]").unwrap();
    value(package, "version").to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the literal paths that a source includes when it is compiled.
fn included(source: &str) -> Vec<&str> {
    let openings = ["include_str!(\"", "include_bytes!(\"", "include!(\"", "#[path = \""];
    let opened = openings.iter().flat_map(|opening| source.split(opening).skip(1));
    opened.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn nothing_that_a_package_includes_lies_outside_of_it() {
    let mut seen = 0;
    for package in published() {
        let home = folder(&package);
        let mut files = Vec::new();
        sources(&home.join("src"), &mut files);
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            for path in included(&source) {
                seen += 1;
                let target = file.parent().unwrap().join(path).canonicalize().unwrap();
                let inside = ["src", "templates"].map(|part| home.join(part));
                assert!(
                    inside.iter().any(|part| target.starts_with(part)),
                    "{} includes {path}, which is not packaged",
                    file.display()
                );
            }
        }
    }
    assert!(seen >= 3, "only {seen} includes were looked at");
}

#[test]
fn published_packages_say_where_they_come_from() {
    for package in published() {
        let name = text(&package, "name");
        for key in ["description", "homepage", "repository", "license", "readme", "rust_version"] {
            assert!(!text(&package, key).is_empty(), "{name} has no {key}");
        }
        assert_eq!(text(&package, "documentation"), format!("https://docs.rs/{name}"));
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = fs::read_to_string(folder(&package).join(file)).unwrap();
            assert_eq!(own, read(file), "{file} of {name}");
        }
        let features = package["features"].as_object().unwrap();
        let documented = &package["metadata"]["docs"]["rs"]["all-features"];
        assert!(features.is_empty() || documented == true, "docs.rs shows {name} in part");
    }
}

#[test]
fn packages_that_are_published_need_only_those_that_are() {
    let published = published();
    let names: Vec<&str> = published.iter().map(|package| text(package, "name")).collect();
    for package in &published {
        for dependency in package["dependencies"].as_array().unwrap() {
            // What is for development and has no version is left out of a package.
            let (kind, name) = (text(dependency, "kind"), text(dependency, "name"));
            if dependency["path"].is_null() || kind == "dev" {
                continue;
            }
            let by = text(package, "name");
            assert!(names.contains(&name), "{by} needs {name}");
            assert_eq!(text(dependency, "req"), format!("={}", version()), "{name} in {by}");
        }
    }
}

#[test]
fn every_file_names_the_same_version() {
    let version = version();
    for package in packages() {
        assert_eq!(text(&package, "version"), version, "{}", text(&package, "name"));
    }
    assert_eq!(value(&read("CITATION.cff"), "version:"), version);
    // maturin takes the version of the wheel from the manifest of its crate.
    let project = read("pyproject.toml");
    assert!(project.contains("dynamic = [\"version\"]"));
    assert!(project.contains("manifest-path = \"crates/probtest-python/Cargo.toml\""));
    let changes = read("CHANGELOG.md");
    let released = changes.lines().filter_map(|line| line.strip_prefix("## ["));
    let newest =
        released.filter_map(|rest| rest.split(']').next()).find(|name| *name != "Unreleased");
    assert!(newest.is_none_or(|newest| newest == version), "CHANGELOG.md ends at {newest:?}");
}

#[test]
fn every_file_names_the_same_oldest_rust_and_python() {
    let rust = value(&read("Cargo.toml"), "rust-version").to_owned();
    let matrix = read(".github/workflows/test.yml");
    assert!(matrix.contains(&format!("\"{rust}\"")), "the workflow does not try Rust {rust}");
    assert!(read("CONTRIBUTING.md").contains(&format!("Rust version is {rust} ")));
    let project = read("pyproject.toml");
    let python = value(&project, "requires-python").trim_start_matches(">=");
    let short = python.replace('.', "");
    assert_eq!(value(&project, "target-version"), format!("py{short}"));
    assert_eq!(value(&project, "python_version"), python);
    assert!(read("crates/probtest-python/Cargo.toml").contains(&format!("\"abi3-py{short}\"")));
    assert!(matrix.contains(&format!("\"{python}\"")), "the workflow does not try Python {python}");
}

/// Every user of the attribute compiles these, from nothing and for each target.
#[test]
fn tests_with_the_attribute_compile_two_dependencies() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = "tree -p probtest --edges=normal,build --prefix=none --format={p} --offline";
    let output = Command::new(cargo).args(words.split(' ')).current_dir(root()).output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    let ours = |name: &&str| name.starts_with("probtest");
    let (ours, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(ours);
    assert_eq!(ours, ["probtest", "probtest-facts", "probtest-macros", "probtest-syntax"]);
    assert_eq!(others, ["rand_core", "siphasher"]);
}

/// The target compiles the files of the attribute on its own, and `make test` doesn't build it.
#[test]
fn fuzzing_reads_every_file_of_the_attribute() {
    let (attribute, target) =
        (read("crates/probtest-macros/src/lib.rs"), read("fuzz/targets/attribute.rs"));
    let modules: Vec<&str> = attribute.lines().filter(|line| line.starts_with("mod ")).collect();
    assert!(modules.len() > 5, "{modules:?}");
    for module in modules {
        assert!(
            target.lines().any(|line| line == module),
            "fuzz/targets/attribute.rs lacks {module}"
        );
    }
}
