//! The line to copy that replays the deciding execution.

use crate::seed::{Address, RunSeed, Selection};

/// How a test was started, so that its replay starts in the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The package that the test belongs to.
    pub package: Option<String>,
    /// The words that choose the target of the package, such as `--lib`.
    pub target: Vec<String>,
    /// The name by which libtest knows the test; all tests of the target if none.
    pub test: Option<String>,
    /// The profile, if it isn't the default one.
    pub profile: Option<String>,
    /// Whether ignored tests were included.
    pub ignored: bool,
    /// Whether nextest started it.
    pub nextest: bool,
}

impl Invocation {
    /// Writes the line that replays one execution of a test, with a tape if there is one. The line
    /// names the test, so other tests that run too follow their plan as usual, and it sets the
    /// variables without which the test has no claim.
    pub fn replay(
        &self,
        address: Address,
        test: &str,
        tape: Option<&str>,
        claimed: &[(String, String)],
    ) -> String {
        let tape = tape.map_or(String::new(), |tape| format!(":{tape}"));
        let address = shell_word(&format!("{}{tape}", Selection::of(address, test)));
        format!("{}PROBTEST_REPLAY={address} {}", settings(claimed), self.command())
    }

    /// Writes the line that reruns the whole test, or as many executions as ran before a time
    /// limit. It sets the variables that the claim came from, because another claim may be decided
    /// sooner.
    pub fn rerun(&self, seed: RunSeed, cut: Option<u64>, claimed: &[(String, String)]) -> String {
        let cut = cut.map_or(String::new(), |most| {
            format!("PROBTEST_MAX_EXECUTIONS={most} PROBTEST_MAX_TIME=off ")
        });
        let (claimed, command) = (settings(claimed), self.command());
        format!("{claimed}PROBTEST_SEED={seed} {cut}{command}")
    }

    /// Writes the command that starts the test.
    pub fn command(&self) -> String {
        let mut words = vec!["cargo"];
        words.extend_from_slice(if self.nextest { &["nextest", "run"] } else { &["test"] });
        if let Some(package) = &self.package {
            words.extend(["-p", package]);
        }
        match self.profile.as_deref() {
            None => {}
            Some("release") => words.push("--release"),
            Some(profile) if self.nextest => words.extend(["--cargo-profile", profile]),
            Some(profile) => words.extend(["--profile", profile]),
        }
        words.extend(self.target.iter().map(String::as_str));
        let filter = self.test.as_ref().map(|name| format!("test(={name})"));
        if self.nextest {
            if self.ignored {
                words.extend(["--run-ignored", "all"]);
            }
            if let Some(filter) = &filter {
                words.extend(["-E", filter]);
            }
        } else {
            words.extend(self.test.as_deref());
            if self.test.is_some() || self.ignored {
                words.push("--");
            }
            if self.test.is_some() {
                words.push("--exact");
            }
            if self.ignored {
                words.push("--include-ignored");
            }
        }
        let quoted: Vec<String> = words.into_iter().map(shell_word).collect();
        quoted.join(" ")
    }
}

/// Writes a line of the command `probtest`: how it begins, its options, and the program.
pub fn command_line(begin: &str, options: &[String], program: &[String]) -> String {
    let words = options.iter().map(|word| shell_word(word));
    let program = program.iter().map(|word| shell_word(word));
    let words: Vec<String> = words.chain(["--".to_owned()]).chain(program).collect();
    format!("{begin} {}", words.join(" "))
}

/// Writes variables to put before a command, each followed by a space.
fn settings(variables: &[(String, String)]) -> String {
    let set = |(name, value): &(String, String)| format!("{name}={} ", shell_word(value));
    variables.iter().map(set).collect()
}

/// Quotes a word for a shell if necessary, on one line.
///
/// A control character, such as a newline, is written with `printf`, which every POSIX shell
/// understands. Only a word that *ends* with a newline, which a shell would cut off, needs the
/// `$'..'` of bash, zsh and ksh.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    if word.ends_with('\n') {
        return format!("$'{}'", escaped(word));
    }
    format!("\"$(printf '{}')\"", escaped(word).replace('%', "%%"))
}

/// Writes a word with escapes that `printf` and `$'..'` both understand.
fn escaped(word: &str) -> String {
    let mut text = String::new();
    for (place, c) in word.char_indices() {
        match c {
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\\' => text.push_str("\\\\"),
            // A quote would end the text, `!` is history expansion in an interactive shell, and a
            // word that starts with `-` is an option to printf.
            '\'' | '!' => text.push_str(&octal(c)),
            '-' if place == 0 => text.push_str(&octal(c)),
            c if c.is_control() => text.push_str(&octal(c)),
            c => text.push(c),
        }
    }
    text
}

fn octal(c: char) -> String {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes();
    bytes.map(|byte| format!("\\{byte:03o}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_starts_the_test_as_it_was_started() {
        let command = |test: &str, profile: &str, ignored, nextest| {
            let given = |word: &str| (!word.is_empty()).then(|| word.to_owned());
            let invocation = Invocation {
                test: given(test),
                profile: given(profile),
                ignored,
                nextest,
                ..Invocation::default()
            };
            invocation.command()
        };
        let line = command("walk", "", false, false);
        assert_eq!(line, "cargo test walk -- --exact");
        let line = command("walk", "release", true, false);
        let release = "cargo test --release walk -- --exact --include-ignored";
        assert_eq!(line, release);
        let line = command("walk", "ci", false, false);
        assert_eq!(line, "cargo test --profile ci walk -- --exact");
        let line = command("walk", "ci", true, true);
        let nextest = "cargo nextest run --cargo-profile ci --run-ignored all -E 'test(=walk)'";
        assert_eq!(line, nextest);
        // Without a name, all tests of the target run.
        assert_eq!(command("", "", false, false), "cargo test");
        let line = command("", "", true, false);
        assert_eq!(line, "cargo test -- --include-ignored");
        assert_eq!(command("", "", false, true), "cargo nextest run");
    }

    #[test]
    fn no_word_of_a_command_is_left_to_the_shell() {
        let hostile = Invocation {
            package: Some("$(reboot)".into()),
            target: vec!["--test".into(), "a?b".into()],
            test: Some("`x`; y".into()),
            ..Invocation::default()
        };
        assert_eq!(hostile.command(), "cargo test -p '$(reboot)' --test 'a?b' '`x`; y' -- --exact");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_every_word_from_one_line() {
        let words = [
            "",
            "plain",
            "it's $HOME `x` \"y\" \\ * ? ! #",
            "a\nb",
            "\n\na\tb\r100%d \\n 'q' $HOME !x\u{7}\u{85}é",
            "-n\nx",
            "\u{1b}[31m",
            "ends\n",
            "ends it's -% \\twice!\n\n",
        ];
        for shell in ["sh", "dash", "bash", "zsh"] {
            for word in words {
                if word.ends_with('\n') && matches!(shell, "sh" | "dash") {
                    continue;
                }
                let quoted = shell_word(word);
                assert!(!quoted.contains(char::is_control), "{quoted}");
                let script = format!("printf %s {quoted}");
                let output = std::process::Command::new(shell).args(["-c", &script]).output();
                // Not every machine has every shell.
                let Ok(output) = output else { continue };
                assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{shell}: {script}");
            }
        }
    }
}
