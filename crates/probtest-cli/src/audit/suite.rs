//! The tests of a cargo suite: binaries by cargo's messages, tests by `--list`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use probtest::Error;
use probtest::audit::{Apart, Named};
use probtest::report::Invocation;
use probtest::seed::RunSeed;
use serde::Deserialize;

use crate::failure::Failure;

/// Options of `cargo test` that have a value behind them.
const WITH_VALUE: [&str; 19] = [
    "-p",
    "--package",
    "--exclude",
    "-j",
    "--jobs",
    "--test",
    "--bin",
    "--bench",
    "--example",
    "-F",
    "--features",
    "--profile",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--color",
    "--config",
    "-Z",
    "-C",
];

/// What starts the tests of one target.
#[derive(Debug)]
struct Binary {
    path: PathBuf,
    folder: PathBuf,
    package: String,
    /// The target in words, such as `lib` or `test walk`.
    target: String,
    libraries: String,
    profile: Option<String>,
}

/// One test of a binary.
#[derive(Debug)]
pub struct Test {
    binary: Arc<Binary>,
    name: String,
    /// Why it is not executed.
    apart: Option<String>,
    /// Whether ignored tests were asked for.
    ignored: bool,
}

impl Test {
    pub fn named(&self) -> Named {
        Named {
            test: self.name.clone(),
            package: Some(self.binary.package.clone()),
            target: Some(self.binary.target.clone()),
            apart: self.apart.clone().map(Apart::Ignored),
        }
    }

    pub fn binary(&self) -> &Path {
        &self.binary.path
    }

    /// The words that execute it alone.
    pub fn words(&self) -> Vec<String> {
        let binary = self.binary.path.display().to_string();
        let mut words = vec![binary, self.name.clone(), "--exact".into()];
        if self.ignored {
            words.push("--include-ignored".into());
        }
        words
    }

    /// The folder and the variables that cargo starts it with.
    pub fn surroundings(&self) -> (&Path, [(&'static str, PathBuf); 3]) {
        let Binary {
            folder, package, ..
        } = &*self.binary;
        let variables = [
            ("CARGO_MANIFEST_DIR", folder.clone()),
            ("CARGO_PKG_NAME", package.into()),
            ("LD_LIBRARY_PATH", (&self.binary.libraries).into()),
        ];
        (folder, variables)
    }

    /// The line that executes it again with a seed.
    pub fn replay(&self, seed: u64) -> Option<String> {
        let target = match self.binary.target.split_once(' ') {
            Some((kind, name)) => vec![format!("--{kind}"), name.to_owned()],
            None => vec![format!("--{}", self.binary.target)],
        };
        let invocation = Invocation {
            package: Some(self.binary.package.clone()),
            target,
            test: Some(self.name.clone()),
            profile: self.binary.profile.clone(),
            ignored: self.ignored,
            nextest: false,
        };
        Some(invocation.rerun(RunSeed(seed), None, &[]))
    }
}

/// What the user has written: options of cargo, a filter, and what is for the binaries.
struct Words {
    cargo: String,
    options: Vec<String>,
    filters: Vec<String>,
    profile: Option<String>,
}

/// Builds the suite, and lists its tests.
pub fn find(command: &[String]) -> Result<Vec<Test>, Failure> {
    let words = Words::read(command)?;
    let mut tests = Vec::new();
    for binary in build(&words)? {
        let binary = Arc::new(binary);
        let asked = |word: &&str| words.filters.iter().any(|filter| filter == word);
        let ignored = ["--ignored", "--include-ignored"].iter().any(asked);
        let Some(names) = list(&binary, &words.filters)? else {
            let name = "all of its tests".to_owned();
            let apart = Some("its harness does not list its tests by --list --format terse".into());
            tests.push(Test {
                binary,
                name,
                apart,
                ignored,
            });
            continue;
        };
        let mut off = BTreeSet::new();
        if !ignored {
            let only = [words.filters.as_slice(), &["--ignored".into()]].concat();
            off.extend(list(&binary, &only)?.unwrap_or_default());
        }
        tests.extend(names.into_iter().map(|name| Test {
            apart: off.contains(&name).then(|| "ignored".into()),
            binary: Arc::clone(&binary),
            name,
            ignored,
        }));
    }
    if tests.is_empty() {
        return Err(Failure::given(
            "the suite has no test that is asked for",
            command.join(" "),
            "leave the filter out, or name a package that has tests",
        ));
    }
    Ok(tests)
}

impl Words {
    fn read(command: &[String]) -> Result<Words, Error> {
        let refuse = |what: &str, help: &str| {
            Error::new(what.to_owned(), command.join(" "), help.to_owned())
        };
        let end = command.iter().position(|word| word == "--");
        let (before, behind) = command.split_at(end.unwrap_or(command.len()));
        let rest = match before {
            [_, word, rest @ ..] if word == "test" || word == "t" => rest,
            [_, one, two, rest @ ..] if one == "nextest" && two == "run" => rest,
            _ => {
                return Err(refuse(
                    "this is no suite of cargo",
                    "write -- cargo test with its options; for pytest, start pytest --probtest-audit",
                ));
            }
        };
        let mut words = Words {
            cargo: before[0].clone(),
            options: Vec::new(),
            filters: Vec::new(),
            profile: None,
        };
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "--doc" | "--no-run" => {
                    return Err(refuse(
                        "only tests in binaries can be audited",
                        "leave --doc and --no-run out",
                    ));
                }
                "--release" | "-r" => words.profile = Some("release".into()),
                _ => {}
            }
            if !word.starts_with('-') {
                words.filters.push(word.clone());
                continue;
            }
            words.options.push(word.clone());
            if WITH_VALUE.contains(&word.as_str()) {
                let value = rest.next();
                if word == "--profile" {
                    words.profile = value.cloned();
                }
                words.options.extend(value.cloned());
            }
        }
        words.filters.extend(behind.iter().skip(1).cloned());
        Ok(words)
    }
}

/// One message of cargo, as far as it is read here.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    executable: Option<PathBuf>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Has cargo build the tests, and returns their binaries.
fn build(words: &Words) -> Result<Vec<Binary>, Failure> {
    let mut command = Command::new(&words.cargo);
    command
        .args([
            "test",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ])
        .args(&words.options)
        .stderr(Stdio::inherit());
    let built = command.output().map_err(|error| {
        Failure::given(
            format!("`{}` cannot be started: {error}", words.cargo),
            &words.cargo,
            "write -- cargo test with its options",
        )
    })?;
    if !built.status.success() {
        return Err(Failure::unfinished("cargo could not build the tests"));
    }
    let libraries = libraries();
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(messages
        .filter_map(|message: Message| binary(message, &libraries, words.profile.as_deref()))
        .collect())
}

fn binary(message: Message, libraries: &str, profile: Option<&str>) -> Option<Binary> {
    let (target, path) = (message.target?, message.executable?);
    if !message.profile?.test {
        return None;
    }
    let kind = target.kind.first()?;
    let words = match kind.as_str() {
        "test" | "bin" | "bench" | "example" => format!("{kind} {}", target.name),
        _ => "lib".to_owned(),
    };
    let near = path.parent()?.display().to_string();
    Some(Binary {
        folder: message.manifest_path.parent()?.to_owned(),
        package: package(&message.package_id).to_owned(),
        target: words,
        libraries: [&near, libraries].map(String::from).join(":"),
        profile: profile.map(String::from),
        path,
    })
}

/// The name of a package in an id such as `path+file:///walks#0.1.0` or `..#walks@0.1.0`.
fn package(id: &str) -> &str {
    match id.split_once('#') {
        Some((place, version)) => match version.split_once('@') {
            Some((name, _)) => name,
            None => place.rsplit('/').next().unwrap_or(place),
        },
        // As cargo wrote it before 1.77.
        None => id.split(' ').next().unwrap_or(id),
    }
}

/// Where libraries of Rust itself lie, which tests of procedural macros need.
fn libraries() -> String {
    let asked = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .output();
    let found = asked.map(|asked| String::from_utf8_lossy(&asked.stdout).trim().to_owned());
    let set = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    [found.unwrap_or_default(), set].join(":")
}

/// The tests of a binary; none where it does not list them.
fn list(binary: &Binary, filters: &[String]) -> Result<Option<Vec<String>>, Failure> {
    let listed = Command::new(&binary.path)
        .args(filters)
        .args(["--list", "--format", "terse"])
        .current_dir(&binary.folder)
        .env("LD_LIBRARY_PATH", &binary.libraries)
        .stdin(Stdio::null())
        .output();
    let listed = listed.map_err(|error| {
        let path = binary.path.display();
        Failure::unfinished(format!("`{path}` cannot be started: {error}"))
    })?;
    if !listed.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    let lines = text.lines().filter(|line| !line.ends_with(": benchmark"));
    let names = lines.map(|line| line.strip_suffix(": test").map(String::from));
    Ok(names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_cargo_are_told_from_filters_and_from_those_of_the_binaries() {
        let line = "cargo test -p walks --release walk --features a,b -- --skip slow";
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        let read = Words::read(&words).unwrap();
        assert_eq!(read.options.join(" "), "-p walks --release --features a,b");
        assert_eq!(read.filters, ["walk", "--skip", "slow"]);
        assert_eq!(read.profile.as_deref(), Some("release"));
    }

    #[test]
    fn names_of_packages_are_read_from_every_form_of_their_id() {
        assert_eq!(package("path+file:///a/walks#0.1.0"), "walks");
        assert_eq!(package("path+file:///a/other#walks@0.1.0"), "walks");
        assert_eq!(package("walks 0.1.0 (path+file:///a/walks)"), "walks");
    }
}
