//! The tests of a cargo suite: binaries by cargo's messages, tests by `--list`, and how cargo starts them.
//!
//! Cargo sets variables of the package, of the build script, of `[env]` in its configuration and
//! of the loader, and other versions set others. So it is asked: it starts the suite once with this
//! program as the runner of all binaries, which writes down how it was started.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::slice;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use probtest::Error;
use probtest::audit::{Exclusion, NamedTest};
use probtest::machine::code_key;
use probtest::report::{command_line, shell_word};
use serde_json::Value;

use crate::output::{Failure, unfinished};
use crate::program::{
    Background, Capture, Ending, ExecutionSeed, Program, Reports, Running, Watchdog,
};

/// Options that choose packages, those with a value first.
const PACKAGES: [&str; 2] = ["-p --package --exclude", "--workspace --all"];
/// Options that choose targets.
const TARGETS: [&str; 2] =
    ["--test --bin --bench --example", "--lib --bins --tests --benches --examples --all-targets"];
/// All others that nextest has as well, with the same meaning.
const BUILDING: [&str; 2] = [
    "-F --features --target --target-dir --manifest-path --lockfile-path --color --config -Z -C",
    "--all-features --no-default-features -r --release --frozen --locked --offline --ignore-rust-version --future-incompat-report --no-fail-fast -v --verbose",
];
/// Those with a value that mean something else to nextest, or that it does not have.
const OWN: &str = "-j --jobs --profile --message-format";
/// What nextest calls otherwise.
const OF_NEXTEST: [(&str, &str); 4] = [
    ("--cargo-profile", "--profile"),
    ("--build-jobs", "--jobs"),
    ("--cargo-quiet", "--quiet"),
    ("--cargo-verbose", "--verbose"),
];
/// What libtest understands, with a value or without.
const OF_HARNESS: [&str; 2] = [
    "--skip --test-threads --color",
    "--exact --ignored --include-ignored --nocapture --no-capture --show-output -q --quiet",
];
/// Those that choose tests.
const CHOOSING: &str = "--exact --ignored --include-ignored --skip";
/// How long a binary may take to list its tests.
const LISTING: Duration = Duration::from_secs(30);
/// What to do about a binary that lists none.
const NAME_TARGETS: &str = "name the targets to audit, such as --lib";
/// The word by which this program knows that it is the runner.
const RUNNER: &str = "--as-runner-of-an-audit";

/// Whether an option is in one of these lists.
fn among(name: &str, lists: &[&str]) -> bool {
    lists.iter().flat_map(|list| list.split(' ')).any(|one| one == name)
}

/// Where a binary is started, and the variables that it has beyond those of this process.
struct BinaryEnvironment {
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

/// What starts the tests of one target.
struct Binary {
    path: PathBuf,
    surroundings: BinaryEnvironment,
    package: String,
    /// The target in words, such as `lib` or `test walk`.
    target: String,
    /// What its file was like when its tests were listed.
    stamp: Option<Stamp>,
}

impl Binary {
    /// The program that cargo starts, with these words.
    fn program(&self, words: &[String]) -> Result<Program, Error> {
        let BinaryEnvironment { folder, variables } = &self.surroundings;
        let words = [&[self.path.display().to_string()], words].concat();
        let mut program = Program::find(Some(folder), &words)?;
        program.variables.clone_from(variables);
        Ok(program)
    }
}

/// The size of a file and when it was written: a hash would take longer than most tests.
type Stamp = (u64, SystemTime);

/// What tells a file from what it becomes when it is built again; none where it is gone.
fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok()?))
}

struct ListedTest {
    binary: usize,
    name: String,
    /// Why it is not executed.
    apart: Option<Exclusion>,
}

/// The tests of a suite, by their numbers.
pub struct CargoSuite {
    words: CargoCommand,
    binaries: Vec<Binary>,
    tests: Vec<ListedTest>,
}

impl CargoSuite {
    /// Builds the suite, and lists its tests.
    pub fn find(command: &[String]) -> Result<CargoSuite, Failure> {
        let words = CargoCommand::read(command)?;
        let binaries = build(&words)?;
        let running = Running::new(Some(LISTING));
        let watch = Watchdog::start(&running, false);
        let watch = watch.map_err(unfinished("the tests could not be listed"))?;
        let mut tests = Vec::new();
        for (number, binary) in binaries.iter().enumerate() {
            let found = match list(binary, &words, &running) {
                Ok(found) => found,
                Err(Unlisted::Binary(why)) => {
                    vec![("all of its tests".into(), Some(Exclusion::Unlisted(why)))]
                }
                Err(Unlisted::CargoSuite(failure)) => return Err(failure),
            };
            let test = |(name, apart)| ListedTest { binary: number, name, apart };
            tests.extend(found.into_iter().map(test));
        }
        drop(watch);
        if tests.is_empty() {
            return Err(Failure::given(
                "no test in the suite matches",
                command.join(" "),
                "leave out the filter, or name a package that has tests",
            ));
        }
        Ok(CargoSuite { words, binaries, tests })
    }

    /// Names the tests, with their code where that is asked for: it is a hash of the binary.
    pub fn named(&self, with_code: bool) -> Vec<NamedTest> {
        let code = |binary: &Binary| match with_code {
            // One that cannot be read cannot be started, which is reported then.
            true => code_key(slice::from_ref(&binary.path)).unwrap_or_default(),
            false => String::new(),
        };
        let codes: Vec<String> = self.binaries.iter().map(code).collect();
        let named = |test: &ListedTest| NamedTest {
            test: test.name.clone(),
            package: Some(self.binaries[test.binary].package.clone()),
            target: Some(self.binaries[test.binary].target.clone()),
            apart: test.apart.clone(),
            code: codes[test.binary].clone(),
        };
        self.tests.iter().map(named).collect()
    }

    /// The program that executes a test alone, as cargo starts it.
    pub fn program(&self, test: usize) -> Result<Program, Error> {
        let ListedTest { binary, name, .. } = &self.tests[test];
        let words = [vec![name.clone()], self.words.exactly()].concat();
        self.binaries[*binary].program(&words)
    }

    /// The binary of a test, if it is not the one whose tests were listed.
    pub fn changed(&self, test: usize) -> Option<&Path> {
        let Binary { path, stamp, .. } = &self.binaries[self.tests[test].binary];
        (self::stamp(path) != *stamp).then_some(path)
    }

    /// The line that executes a test again with a seed.
    pub fn replay(&self, test: usize, seed: u64) -> String {
        let ListedTest { binary, name, .. } = &self.tests[test];
        let Binary { package, target, .. } = &self.binaries[*binary];
        let options = match target.split_once(' ') {
            Some((kind, name)) => vec![format!("--{kind}"), name.to_owned()],
            None => vec![format!("--{target}")],
        };
        let is_one_package = self.binaries.iter().all(|other| other.package == *package);
        let package = is_one_package.then_some(package.as_str());
        let same = |other: &&ListedTest| {
            other.name == *name && self.binaries[other.binary].target == *target
        };
        let is_twice = self.tests.iter().filter(same).count() > 1;
        self.words.line(seed, package, &options, name, is_twice)
    }
}

/// What the user has written.
#[derive(Debug, Default)]
struct CargoCommand {
    /// cargo, and what comes before `test`: a toolchain, options of cargo itself.
    cargo: Vec<String>,
    building: Vec<String>,
    packages: Vec<String>,
    targets: Vec<String>,
    /// The filter, and what is for the binaries.
    filters: Vec<String>,
}

impl CargoCommand {
    fn read(command: &[String]) -> Result<CargoCommand, Error> {
        let refuse =
            |what: String, help: &str| Error::new(what, command.join(" "), help.to_owned());
        let mut words = CargoCommand::default();
        let end = command.iter().position(|word| word == "--");
        let (before, after) = command.split_at(end.unwrap_or(command.len()));
        let mut rest = before.iter().peekable();
        words.cargo.extend(rest.next().cloned());
        while let Some(word) = rest.next_if(|word| word.starts_with(['+', '-'])) {
            words.cargo.push(word.clone());
            if has_value(word) {
                words.cargo.extend(rest.next().cloned());
            }
        }
        let begin = [rest.next(), rest.peek().copied()].map(|word| word.map(String::as_str));
        let nextest = match begin {
            [Some("test" | "t"), _] => false,
            [Some("nextest"), Some("run" | "r")] => rest.next().is_some(),
            _ => {
                return Err(refuse(
                    "this is not a cargo suite".into(),
                    "write -- cargo test with its options; for pytest, start pytest --probtest-audit",
                ));
            }
        };
        while let Some(word) = rest.next() {
            if !word.starts_with('-') {
                words.filters.push(word.clone());
                continue;
            }
            let name = name(word);
            if ["--doc", "--no-run"].contains(&name) {
                return Err(refuse(
                    "only tests in binaries can be audited".into(),
                    "leave --doc and --no-run out",
                ));
            }
            let alias = OF_NEXTEST.iter().find(|(alias, _)| *alias == name);
            let known = [PACKAGES, TARGETS, BUILDING].concat();
            let word = match alias.filter(|_| nextest) {
                Some((alias, word_of_cargo)) => word.replacen(alias, word_of_cargo, 1),
                None if nextest && name == "--run-ignored" => {
                    let value = word.split_once('=').map(|(_, value)| value.to_owned());
                    match value.or_else(|| rest.next().cloned()).as_deref() {
                        Some("all") => words.filters.push("--include-ignored".into()),
                        Some("only" | "ignored-only") => words.filters.push("--ignored".into()),
                        _ => {}
                    }
                    continue;
                }
                None if nextest && !among(name, &known) => {
                    return Err(refuse(
                        format!(
                            "{name} tells nextest how to run tests, but an audit runs them itself"
                        ),
                        "leave it out; filters and options that choose what to build work as they do with cargo test",
                    ));
                }
                None => word.clone(),
            };
            let value = has_value(&word).then(|| rest.next().cloned()).flatten();
            let list = match self::name(&word) {
                // The answers of cargo are read here.
                "--message-format" => continue,
                name if among(name, &PACKAGES) => &mut words.packages,
                name if among(name, &TARGETS) => &mut words.targets,
                _ => &mut words.building,
            };
            list.push(word);
            list.extend(value);
        }
        let mut after = after.iter().skip(1);
        while let Some(word) = after.next() {
            let name = name(word);
            if word.starts_with('-') && !among(name, &OF_HARNESS) {
                return Err(refuse(
                    format!("an audit cannot pass {name} to the test binaries"),
                    "leave it out; after the second --, an audit takes filters, --exact, --skip, --ignored, --include-ignored, and options that only change what is printed",
                ));
            }
            let value = among(word, &OF_HARNESS[..1]).then(|| after.next().cloned()).flatten();
            // All other options say how tests are executed, which the audit decides, or what is printed.
            if !word.starts_with('-') || among(name, &[CHOOSING]) {
                words.filters.push(word.clone());
                words.filters.extend(value);
            }
        }
        Ok(words)
    }

    /// The command that starts the suite, with these words more.
    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(&self.cargo[0]);
        command.args(&self.cargo[1..]).arg("test").args(more);
        for words in [&self.building, &self.packages, &self.targets] {
            command.args(words);
        }
        command
    }

    /// The line that executes one test with a seed. `package` is given where it is the only
    /// one: among several, what is built depends on all that were chosen. `is_twice` says whether
    /// another of them has a test of the same name in a target of the same name.
    fn line(
        &self,
        seed: u64,
        package: Option<&str>,
        target: &[String],
        test: &str,
        is_twice: bool,
    ) -> String {
        let begin = format!("PROBTEST_SEED={seed} {}", shell_word(&self.cargo[0]));
        let mut words = self.cargo[1..].to_vec();
        words.push("test".into());
        words.extend_from_slice(&self.building);
        match package {
            Some(package) => words.extend(["-p".into(), package.into()]),
            None => words.extend_from_slice(&self.packages),
        }
        let go_on = "--no-fail-fast".to_owned();
        if is_twice && !words.contains(&go_on) {
            words.push(go_on);
        }
        words.extend_from_slice(target);
        words.push(test.into());
        command_line(&begin, &words, &self.exactly())
    }

    /// What tells a binary to execute one test.
    fn exactly(&self) -> Vec<String> {
        let ignored = self.is_ignored().then_some("--include-ignored");
        ["--exact"].into_iter().chain(ignored).map(String::from).collect()
    }

    fn is_ignored(&self) -> bool {
        let asked = |word: &String| word == "--ignored" || word == "--include-ignored";
        self.filters.iter().any(asked)
    }
}

/// The name of an option, without a value that it is written together with.
fn name(word: &str) -> &str {
    match word.split_once('=') {
        Some((name, _)) => name,
        None if word.starts_with("--") => word,
        None => word.get(..2).unwrap_or(word),
    }
}

/// Whether the word after an option is its value.
fn has_value(word: &str) -> bool {
    name(word) == word && among(word, &[PACKAGES[0], TARGETS[0], BUILDING[0], OWN])
}

/// Has cargo build the tests, and returns their binaries.
fn build(words: &CargoCommand) -> Result<Vec<Binary>, Failure> {
    let how = ["--no-run", "--message-format=json-render-diagnostics"];
    let built = words.command(&how).stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| {
        Failure::given(
            format!("`{}` cannot be started: {error}", words.cargo[0]),
            &words.cargo[0],
            "write -- cargo test with its options",
        )
    })?;
    if !built.status.success() {
        return Err(Failure::Unfinished("cargo could not build the tests".into()));
    }
    let mut surroundings = ask(words)?;
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    messages.filter_map(|message: Value| binary(&message, &mut surroundings)).collect()
}

/// The binary of a message, if it has tests, with how cargo starts it.
fn binary(
    message: &Value,
    known: &mut BTreeMap<PathBuf, BinaryEnvironment>,
) -> Option<Result<Binary, Failure>> {
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true {
        return None;
    }
    let target = &message["target"];
    let target = match (target["kind"][0].as_str()?, target["name"].as_str()?) {
        (kind @ ("test" | "bin" | "bench" | "example"), name) => format!("{kind} {name}"),
        _ => "lib".to_owned(),
    };
    let Some(surroundings) = known.remove(&path) else {
        return Some(Err(Failure::given(
            "cargo runs the tests through a runner, but an audit starts them itself",
            path.display(),
            "remove the runner from cargo's configuration while you audit",
        )));
    };
    Some(Ok(Binary {
        surroundings,
        package: package(message["package_id"].as_str().unwrap_or_default()).to_owned(),
        target,
        stamp: stamp(&path),
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

/// Why tests could not be listed.
#[derive(Debug)]
enum Unlisted {
    /// Those of one binary: it does not answer as libtest does.
    Binary(String),
    /// Any.
    CargoSuite(Failure),
}

/// The tests of a binary, each with the reason if it is not executed.
fn list(
    binary: &Binary,
    words: &CargoCommand,
    running: &Arc<Running>,
) -> Result<Vec<(String, Option<Exclusion>)>, Unlisted> {
    let terse = ["--list", "--format", "terse"];
    let names = listed(answer(binary, &words.filters, &terse, running)?);
    // Nothing may be what is left by a filter, or what a program says that knows no list.
    let is_list = names.as_ref().is_some_and(|names| !names.is_empty())
        || answer(binary, &[], &terse[..1], running)?.is_some_and(|text| is_list(&text));
    let Some(names) = names.filter(|_| is_list) else {
        let why = "its harness does not support --list --format terse";
        return Err(Unlisted::Binary(format!("{why}; {NAME_TARGETS}")));
    };
    let mut off = BTreeSet::new();
    if !words.is_ignored() {
        let only = [words.filters.as_slice(), &["--ignored".into()]].concat();
        off.extend(listed(answer(binary, &only, &terse, running)?).unwrap_or_default());
    }
    let with_reason = |name| {
        let apart = off.contains(&name).then(|| Exclusion::Ignored("ignored".to_owned()));
        (name, apart)
    };
    Ok(names.into_iter().map(with_reason).collect())
}

/// What a binary answers when it is asked for its tests; none where it fails.
fn answer(
    binary: &Binary,
    filters: &[String],
    how: &[&str],
    running: &Arc<Running>,
) -> Result<Option<String>, Unlisted> {
    let how: Vec<String> = how.iter().map(|word| (*word).to_owned()).collect();
    let program = binary.program(&[filters, &how].concat());
    let program = program.map_err(|error| Unlisted::CargoSuite(error.into()))?;
    let path = binary.path.display();
    let cannot = |error: io::Error| {
        Unlisted::CargoSuite(unfinished(&format!("`{path}` could not list its tests"))(error))
    };
    let background =
        Background::new(program, Arc::clone(running), Reports::default()).map_err(cannot)?;
    let told = ExecutionSeed { seed: 0, execution: 1 };
    let look = |ending: Ending, capture: &Capture| match ending {
        Ending::Exited(status) if status.success() => {
            capture.whole_stdout().map(Some).map_err(cannot)
        }
        Ending::Exited(_) => Ok(None),
        Ending::TimedOut => {
            let most = LISTING.as_secs();
            let why = format!("`{path} --list` did not end within {most} s");
            Err(Unlisted::Binary(format!("{why}; {NAME_TARGETS}")))
        }
        Ending::Unstartable(error) | Ending::Lost(error) => Err(cannot(error)),
        Ending::Stopped => {
            let why = "interrupted while the tests were listed";
            Err(Unlisted::CargoSuite(Failure::Unfinished(why.into())))
        }
        ending => Err(Unlisted::Binary(ending.broken().unwrap_or_default())),
    };
    background.execute(told, look).map_err(cannot)?
}

/// The tests that an answer names; none where it is no list.
fn listed(answer: Option<String>) -> Option<Vec<String>> {
    let answer = answer?;
    let lines = answer.lines().filter(|line| !line.ends_with(": benchmark"));
    let names = lines.map(|line| line.strip_suffix(": test").map(String::from));
    names.collect()
}

/// Whether a full list is one: it names a test, or says how many there are.
fn is_list(answer: &str) -> bool {
    let ends = [": test", ": benchmark", " benchmark", " benchmarks"];
    let mut lines = answer.lines();
    lines.any(|line| ends.iter().any(|end| line.ends_with(end)))
}

/// One line of the file: a binary, its folder, all of its variables.
type Started = (OsString, OsString, Vec<(OsString, OsString)>);

/// Asks cargo how it starts each binary. One that it starts by a runner of its own is not there.
fn ask(words: &CargoCommand) -> Result<BTreeMap<PathBuf, BinaryEnvironment>, Failure> {
    let broken = unfinished("cargo cannot say how it starts the tests");
    let file = tempfile::NamedTempFile::new().map_err(&broken)?;
    let own = std::env::current_exe().map_err(&broken)?;
    let own = [&own.to_string_lossy(), RUNNER, &file.path().to_string_lossy()];
    // A list of texts is the same in JSON and in TOML.
    let runner = format!("target.'cfg(all())'.runner={}", serde_json::json!(own));
    // Doctests are no binaries, and take long to build.
    let tests = words.targets.is_empty().then_some("--tests");
    let mut more = vec!["--config", &*runner];
    more.extend(tests);
    let mut command = words.command(&more);
    // A runner of the user's own is not to execute the tests.
    let asked = command.args(["--", "--list"]).stdin(Stdio::null()).output();
    let asked = asked.map_err(&broken)?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let said = said.trim_end();
        return Err(Failure::Unfinished(format!("cargo could not start the tests:\n{said}")));
    }
    let text = std::fs::read_to_string(file.path()).map_err(&broken)?;
    let started = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let own: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    Ok(started
        .map(|(binary, folder, mut variables): Started| {
            variables.retain(|(name, value)| own.get(name) != Some(value));
            let folder = folder.into();
            (binary.into(), BinaryEnvironment { folder, variables })
        })
        .collect())
}

/// Writes down how a binary is started, where cargo has started this program for that.
pub fn write_down() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != RUNNER {
        return None;
    }
    let (file, binary) = (words.next()?, words.next()?);
    let started: io::Result<Started> = std::env::current_dir()
        .map(|folder| (binary, folder.into(), std::env::vars_os().collect()));
    let written = started.and_then(|started| {
        let line = serde_json::to_string(&started)? + "\n";
        let mut file = OpenOptions::new().append(true).open(file)?;
        file.write_all(line.as_bytes())
    });
    Some(ExitCode::from(u8::from(written.is_err())))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn read(line: &str) -> Result<CargoCommand, Error> {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        CargoCommand::read(&words)
    }

    #[test]
    fn the_words_of_cargo_are_told_from_filters_and_from_those_of_the_binaries() {
        let line = "cargo test -p walks --release walk --features a,b --test=x -j2 -- --skip slow";
        let words = read(line).unwrap();
        assert_eq!(words.building.join(" "), "--release --features a,b -j2");
        assert_eq!(words.packages.join(" "), "-p walks");
        assert_eq!(words.targets.join(" "), "--test=x");
        assert_eq!(words.filters, ["walk", "--skip", "slow"]);
        let words = read("cargo +stable --offline --config a=1 t -pwalks walk").unwrap();
        assert_eq!(words.cargo.join(" "), "cargo +stable --offline --config a=1");
        assert_eq!(words.packages, ["-pwalks"]);
        assert_eq!(words.filters, ["walk"]);
    }

    #[test]
    fn words_of_nextest_are_those_of_cargo_or_refused() {
        let line = "cargo nextest run --cargo-profile ci --run-ignored all -p walks a b";
        let words = read(line).unwrap();
        assert_eq!(words.building, ["--profile", "ci"]);
        assert_eq!(words.filters, ["--include-ignored", "a", "b"]);
        for option in ["-E test(a)", "--retries 2", "--retries=2", "-j 2", "--profile ci"] {
            let error = read(&format!("cargo nextest run {option}")).unwrap_err();
            let name = name(option.split(' ').next().unwrap());
            assert!(error.to_string().contains(&format!("{name} tells nextest")), "{error}");
        }
    }

    #[test]
    fn a_line_starts_one_test_of_what_was_built() {
        let words =
            read("cargo +x test --features big --workspace --tests a -- --ignored").unwrap();
        let target = ["--test".to_owned(), "walk".to_owned()];
        assert_eq!(
            words.line(7, Some("walks"), &target, "a", false),
            "PROBTEST_SEED=7 cargo +x test --features big -p walks --test walk a -- --exact --include-ignored"
        );
        assert_eq!(
            words.line(7, None, &target, "a", true),
            "PROBTEST_SEED=7 cargo +x test --features big --workspace --no-fail-fast --test walk a -- --exact --include-ignored"
        );
    }

    #[test]
    fn a_binary_that_does_not_end_its_list_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        // What it has started keeps its output open.
        let script = "sleep 600 & echo $! > started; wait";
        let words =
            CargoCommand { filters: vec!["-c".into(), script.into()], ..CargoCommand::default() };
        let path = PathBuf::from("/bin/sh");
        let surroundings =
            BinaryEnvironment { folder: folder.path().to_owned(), variables: Vec::new() };
        let (package, target) = ("walks".to_owned(), "test hangs".to_owned());
        let binary = Binary { stamp: stamp(&path), path, surroundings, package, target };
        let running = Running::new(Some(Duration::from_secs(2)));
        let _watch = Watchdog::start(&running, false).unwrap();
        let Err(Unlisted::Binary(why)) = list(&binary, &words, &running) else {
            panic!("it has listed tests");
        };
        assert!(why.starts_with("`/bin/sh --list` did not end within"), "{why}");
        assert!(why.ends_with("name the targets to audit, such as --lib"), "{why}");
        let started = fs::read_to_string(folder.path().join("started")).unwrap();
        let state = || fs::read_to_string(format!("/proc/{}/stat", started.trim()));
        let is_gone = || state().map_or(true, |state| state.contains(") Z "));
        let until = Instant::now() + Duration::from_secs(20);
        while !is_gone() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(is_gone());
    }

    #[test]
    fn names_of_packages_are_read_from_every_form_of_their_id() {
        assert_eq!(package("path+file:///a/walks#0.1.0"), "walks");
        assert_eq!(package("path+file:///a/other#walks@0.1.0"), "walks");
        assert_eq!(package("walks 0.1.0 (path+file:///a/walks)"), "walks");
    }
}
