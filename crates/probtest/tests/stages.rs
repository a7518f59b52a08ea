//! The order of the story: claim, plan, run, judge, report.
//!
//! A stage never imports a later one, words come from `report` alone, and only
//! the front door prints.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of the story. `seed` stands beside `claim`: it
/// imports nothing.
const ORDER: [&str; 10] = [
    "seed", "claim", "math", "budget", "plan", "run", "judge", "report", "check", "cargo",
];

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

fn own_sources() -> Vec<(PathBuf, String)> {
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// Returns the module that a file of this crate belongs to.
fn stage(path: &Path) -> &str {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(source).unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_str()
        .unwrap();
    first.trim_end_matches(".rs")
}

/// Returns the code of a line, without a comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

#[test]
fn no_stage_imports_a_later_one() {
    let place = |name: &str| ORDER.iter().position(|stage| *stage == name);
    let mut seen = 0;
    for (path, text) in own_sources() {
        if path.ends_with("lib.rs") {
            continue;
        }
        let own = place(stage(&path)).unwrap_or_else(|| panic!("{} has no place", path.display()));
        for line in text.lines() {
            for import in code(line).split("crate::").skip(1) {
                let name: String = import
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let Some(other) = place(&name) else { continue };
                seen += 1;
                assert!(
                    other <= own,
                    "{} imports the later stage {name}: {line}",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 20, "only {seen} imports were looked at");
}

#[test]
fn math_knows_probabilities_and_nothing_else_of_a_claim() {
    for (path, text) in own_sources() {
        let foreign = text.lines().find(|line| {
            let imports = code(line).contains("crate::");
            imports && !code(line).contains("crate::claim::Probability;")
        });
        if stage(&path) == "math" {
            assert_eq!(foreign, None, "{}", path.display());
        }
    }
}

#[test]
fn only_the_terminal_of_the_front_door_prints() {
    for (path, text) in own_sources() {
        for line in text.lines() {
            let prints = [
                "print!(",
                "println!(",
                "eprint!(",
                "eprintln!(",
                "dbg!(",
                "io::stderr",
                "io::stdout",
            ];
            let printing = prints.iter().any(|word| code(line).contains(word));
            let allowed =
                path.ends_with("cargo/terminal.rs") || path.ends_with("run/exit_guard.rs");
            assert!(!printing || allowed, "{} prints: {line}", path.display());
        }
    }
}

#[test]
fn no_random_number_is_made_outside_seed() {
    for (path, text) in own_sources() {
        let random = ["RandomState", "rand::", "rand_core", "getrandom"];
        for line in text.lines() {
            let uses = random.iter().any(|word| code(line).contains(word));
            assert!(
                !uses || stage(&path) == "seed",
                "{}: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn files_stay_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = std::process::Command::new("git")
        .args(["ls-files", "*.rs", "*.py"])
        .current_dir(&root)
        .output();
    // A source archive has no git; there is nothing to check there.
    let Ok(listed) = listed else { return };
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        let Ok(text) = fs::read_to_string(root.join(name)) else {
            continue;
        };
        let lines = text.lines().count();
        assert!(
            lines <= 500,
            "{name} has {lines} lines: give its second job a file"
        );
    }
}
