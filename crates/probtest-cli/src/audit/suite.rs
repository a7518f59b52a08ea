//! The tests of a cargo suite: binaries by cargo's messages, tests by `--list`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::slice;
use std::sync::{Arc, OnceLock};

use probtest::audit::{Apart, Named};
use probtest::machine::code_key;
use serde::Deserialize;

use super::surroundings::{self, Surroundings};
use super::words::Words;
use crate::output::Failure;

/// What starts the tests of one target.
#[derive(Debug)]
struct Binary {
    path: PathBuf,
    surroundings: Surroundings,
    package: String,
    /// The target in words, such as `lib` or `test walk`.
    target: String,
    /// What tells it from what it becomes when it is built of other code.
    code: OnceLock<String>,
}

/// One test of a binary.
#[derive(Debug)]
pub struct Test {
    binary: Arc<Binary>,
    name: String,
    /// Why it is not executed.
    apart: Option<Apart>,
    /// Whether another package has one of this name in a target of this name.
    is_twice: bool,
    suite: Arc<Whole>,
}

/// What all tests of a suite have in common.
#[derive(Debug)]
struct Whole {
    words: Words,
    /// Whether all of them belong to one package.
    is_one_package: bool,
}

impl Test {
    /// Names it, with its code where that is asked for: it is a hash of the binary.
    pub fn named(&self, with_code: bool) -> Named {
        let Binary { path, code, .. } = &*self.binary;
        // One that cannot be read cannot be started, which is told then.
        let code = || code.get_or_init(|| code_key(slice::from_ref(path)).unwrap_or_default());
        Named {
            test: self.name.clone(),
            package: Some(self.binary.package.clone()),
            target: Some(self.binary.target.clone()),
            apart: self.apart.clone(),
            code: if with_code { code().clone() } else { String::new() },
        }
    }

    /// The words that execute it alone.
    pub fn words(&self) -> Vec<String> {
        let binary = self.binary.path.display().to_string();
        let mut words = vec![binary, self.name.clone(), "--exact".into()];
        if self.suite.words.is_ignored() {
            words.push("--include-ignored".into());
        }
        words
    }

    /// The folder and the variables that cargo starts it with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.binary.surroundings
    }

    /// The line that executes it again with a seed.
    pub fn replay(&self, seed: u64) -> String {
        let Binary { package, target, .. } = &*self.binary;
        let target = match target.split_once(' ') {
            Some((kind, name)) => vec![format!("--{kind}"), name.to_owned()],
            None => vec![format!("--{target}")],
        };
        let Whole { words, is_one_package } = &*self.suite;
        let package = is_one_package.then_some(&**package);
        words.line(seed, package, &target, &self.name, self.is_twice)
    }
}

/// Builds the suite, and lists its tests.
pub fn find(command: &[String]) -> Result<Vec<Test>, Failure> {
    let words = Words::read(command)?;
    let binaries = build(&words)?;
    let mut listed = Vec::new();
    for binary in &binaries {
        let terse = ["--list", "--format", "terse"];
        let names = tests(&list(binary, &words.filters, &terse)?);
        // Nothing may be what is left by a filter, or what a program says that knows no list.
        let is_list = names.as_ref().is_some_and(|names| !names.is_empty())
            || list(binary, &[], &terse[..1])?.is_some_and(|text| is_list(&text));
        let Some(names) = names.filter(|_| is_list) else {
            let why = "its harness does not support --list --format terse; name the targets to audit, such as --lib";
            let apart = Apart::Unlisted(why.to_owned());
            listed.push((binary, "all of its tests".into(), Some(apart)));
            continue;
        };
        let mut off = BTreeSet::new();
        if !words.is_ignored() {
            let only = [words.filters.as_slice(), &["--ignored".into()]].concat();
            off.extend(tests(&list(binary, &only, &terse)?).unwrap_or_default());
        }
        listed.extend(names.into_iter().map(|name: String| {
            let apart = off.contains(&name).then(|| Apart::Ignored("ignored".to_owned()));
            (binary, name, apart)
        }));
    }
    let suite = Arc::new(Whole {
        is_one_package: binaries.windows(2).all(|two| two[0].package == two[1].package),
        words,
    });
    let mut counts = BTreeMap::new();
    for (binary, name, _) in &listed {
        *counts.entry((&binary.target, name.clone())).or_insert(0) += 1;
    }
    let test = |(binary, name, apart): (&Arc<Binary>, String, _)| Test {
        is_twice: counts[&(&binary.target, name.clone())] > 1,
        binary: Arc::clone(binary),
        name,
        apart,
        suite: Arc::clone(&suite),
    };
    let tests: Vec<Test> = listed.into_iter().map(test).collect();
    if tests.is_empty() {
        return Err(Failure::given(
            "no test of the suite matches",
            command.join(" "),
            "leave out the filter, or name a package that has tests",
        ));
    }
    Ok(tests)
}

/// One message of cargo, as far as it is read here.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    package_id: String,
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
fn build(words: &Words) -> Result<Vec<Arc<Binary>>, Failure> {
    let how = ["--no-run", "--message-format=json-render-diagnostics"];
    let built = words.command(&how).stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| {
        Failure::given(
            format!("`{}` cannot be started: {error}", words.cargo()),
            words.cargo(),
            "write -- cargo test with its options",
        )
    })?;
    if !built.status.success() {
        return Err(Failure::Unfinished("cargo could not build the tests".into()));
    }
    let mut surroundings = surroundings::ask(words)?;
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let binaries = messages.filter_map(|message| binary(message, &mut surroundings));
    binaries.map(|binary| binary.map(Arc::new)).collect()
}

/// The binary of a message, if it has tests, with how cargo starts it.
fn binary(
    message: Message,
    known: &mut BTreeMap<PathBuf, Surroundings>,
) -> Option<Result<Binary, Failure>> {
    let (target, path) = (message.target?, message.executable?);
    if !message.profile?.test {
        return None;
    }
    let kind = target.kind.first()?;
    let words = match kind.as_str() {
        "test" | "bin" | "bench" | "example" => format!("{kind} {}", target.name),
        _ => "lib".to_owned(),
    };
    let Some(surroundings) = known.remove(&path) else {
        return Some(Err(Failure::given(
            "cargo starts a binary by a runner, and an audit starts it by itself",
            path.display(),
            "leave the runner of your configuration out",
        )));
    };
    Some(Ok(Binary {
        code: OnceLock::new(),
        surroundings,
        package: package(&message.package_id).to_owned(),
        target: words,
        path,
    }))
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

/// What a binary answers when it is asked for its tests; none where it fails.
fn list(binary: &Binary, filters: &[String], how: &[&str]) -> Result<Option<String>, Failure> {
    let Surroundings { folder, variables } = &binary.surroundings;
    let listed = Command::new(&binary.path)
        .args(filters)
        .args(how)
        .current_dir(folder)
        .envs(variables.iter().cloned())
        .stdin(Stdio::null())
        .output();
    let listed = listed.map_err(|error| {
        let path = binary.path.display();
        Failure::Unfinished(format!("`{path}` cannot be started: {error}"))
    })?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(listed.status.success().then_some(text))
}

/// The tests that an answer names; none where it is no list.
fn tests(answer: &Option<String>) -> Option<Vec<String>> {
    let lines = answer.as_ref()?.lines();
    let lines = lines.filter(|line| !line.ends_with(": benchmark"));
    let names = lines.map(|line| line.strip_suffix(": test").map(String::from));
    names.collect()
}

/// Whether a full list is one: it names a test, or says how many there are.
fn is_list(answer: &str) -> bool {
    let ends = [": test", ": benchmark", " benchmark", " benchmarks"];
    let mut lines = answer.lines();
    lines.any(|line| ends.iter().any(|end| line.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages_are_read_from_every_form_of_their_id() {
        assert_eq!(package("path+file:///a/walks#0.1.0"), "walks");
        assert_eq!(package("path+file:///a/other#walks@0.1.0"), "walks");
        assert_eq!(package("walks 0.1.0 (path+file:///a/walks)"), "walks");
    }
}
