//! The command of a suite, as it was written: what cargo builds, and what its binaries are told.

use std::process::Command;

use probtest::Error;
use probtest::report::{command_line, shell_word};

/// Options that choose packages, with a value behind them or without.
const PACKAGES: [&[&str]; 2] = [&["-p", "--package", "--exclude"], &["--workspace", "--all"]];
/// Options that choose targets.
const TARGETS: [&[&str]; 2] = [
    &["--test", "--bin", "--bench", "--example"],
    &["--lib", "--bins", "--tests", "--benches", "--examples", "--all-targets"],
];
/// All others that nextest has as well, and means the same by.
const BUILDING: [&[&str]; 2] = [
    &[
        "-F",
        "--features",
        "--target",
        "--target-dir",
        "--manifest-path",
        "--lockfile-path",
        "--color",
        "--config",
        "-Z",
        "-C",
    ],
    &[
        "--all-features",
        "--no-default-features",
        "-r",
        "--release",
        "--frozen",
        "--locked",
        "--offline",
        "--ignore-rust-version",
        "--future-incompat-report",
        "--no-fail-fast",
        "-v",
        "--verbose",
    ],
];
/// Those with a value that nextest means something else by, or does not have.
const OWN: [&str; 4] = ["-j", "--jobs", "--profile", "--message-format"];
/// What nextest calls otherwise.
const OF_NEXTEST: [(&str, &str); 4] = [
    ("--cargo-profile", "--profile"),
    ("--build-jobs", "--jobs"),
    ("--cargo-quiet", "--quiet"),
    ("--cargo-verbose", "--verbose"),
];
/// What libtest understands, with a value behind it or without.
const OF_HARNESS: [&[&str]; 2] = [
    &["--skip", "--test-threads", "--color"],
    &[
        "--exact",
        "--ignored",
        "--include-ignored",
        "--nocapture",
        "--no-capture",
        "--show-output",
        "-q",
        "--quiet",
    ],
];
/// Those that choose tests.
const CHOOSING: [&str; 4] = ["--exact", "--ignored", "--include-ignored", "--skip"];

/// What the user has written.
#[derive(Debug, Default)]
pub struct Words {
    /// cargo, and what stands before `test`: a toolchain, options of cargo itself.
    cargo: Vec<String>,
    building: Vec<String>,
    packages: Vec<String>,
    targets: Vec<String>,
    /// The filter, and what is for the binaries.
    pub filters: Vec<String>,
}

impl Words {
    pub fn read(command: &[String]) -> Result<Words, Error> {
        let refuse =
            |what: String, help: &str| Error::new(what, command.join(" "), help.to_owned());
        let mut words = Words::default();
        let end = command.iter().position(|word| word == "--");
        let (before, behind) = command.split_at(end.unwrap_or(command.len()));
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
            let known = [PACKAGES, TARGETS, BUILDING].concat().concat();
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
                None if nextest && !known.contains(&name) => {
                    return Err(refuse(
                        format!(
                            "{name} tells nextest how to execute tests, and an audit executes them itself"
                        ),
                        "leave it out: a filter and the options that say what to build mean what they mean to cargo test",
                    ));
                }
                None => word.clone(),
            };
            let value = has_value(&word).then(|| rest.next().cloned()).flatten();
            let list = match self::name(&word) {
                // The answers of cargo are read here.
                "--message-format" => continue,
                name if PACKAGES.concat().contains(&name) => &mut words.packages,
                name if TARGETS.concat().contains(&name) => &mut words.targets,
                _ => &mut words.building,
            };
            list.push(word);
            list.extend(value);
        }
        let mut behind = behind.iter().skip(1);
        while let Some(word) = behind.next() {
            let name = name(word);
            if word.starts_with('-') && !OF_HARNESS.concat().contains(&name) {
                return Err(refuse(
                    format!("an audit cannot tell the binaries {name}"),
                    "leave it out; behind the second -- an audit understands filters, --exact, --skip, --ignored, --include-ignored, and options for what is printed",
                ));
            }
            let value = OF_HARNESS[0].contains(&word.as_str());
            let value = value.then(|| behind.next().cloned()).flatten();
            // All other options say how tests are executed, which the audit decides, or what is printed.
            if !word.starts_with('-') || CHOOSING.contains(&name) {
                words.filters.push(word.clone());
                words.filters.extend(value);
            }
        }
        Ok(words)
    }

    /// The program that builds.
    pub fn cargo(&self) -> &str {
        &self.cargo[0]
    }

    /// The command that starts the suite, with these words more.
    pub fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(self.cargo());
        command.args(&self.cargo[1..]).arg("test").args(more);
        for words in [&self.building, &self.packages, &self.targets] {
            command.args(words);
        }
        command
    }

    /// Whether targets were chosen.
    pub fn chooses_targets(&self) -> bool {
        !self.targets.is_empty()
    }

    /// The line that executes one test with a seed. `package` is given where it is the only
    /// one: among several, what is built depends on all that were chosen. `is_twice` says whether
    /// another of them has a test of the same name in a target of the same name.
    pub fn line(
        &self,
        seed: u64,
        package: Option<&str>,
        target: &[String],
        test: &str,
        is_twice: bool,
    ) -> String {
        let begin = format!("PROBTEST_SEED={seed} {}", shell_word(self.cargo()));
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
        let mut behind = vec!["--exact".to_owned()];
        behind.extend(self.is_ignored().then(|| "--include-ignored".to_owned()));
        command_line(&begin, &words, &behind)
    }

    /// Whether ignored tests were asked for.
    pub fn is_ignored(&self) -> bool {
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

/// Whether the word behind an option is its value.
fn has_value(word: &str) -> bool {
    let with_value = [PACKAGES[0], TARGETS[0], BUILDING[0], &OWN].concat();
    name(word) == word && with_value.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Words, Error> {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        Words::read(&words)
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
}
