//! The one line to copy that executes the deciding execution again.

use crate::seed::Replay;

/// How a test was started, as far as its replay must be started the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The package that the test belongs to.
    pub package: Option<String>,
    /// The profile, where it is not the default one.
    pub profile: Option<String>,
    /// Whether ignored tests were asked for.
    pub ignored: bool,
    /// Whether nextest started it.
    pub nextest: bool,
}

/// Writes the line for a test under cargo or nextest.
///
/// ```
/// use probtest::report::{Invocation, cargo_line};
///
/// let replay = "0x5eed:9".parse()?;
/// let invocation = Invocation { package: Some("walks".into()), ..Invocation::default() };
/// assert_eq!(
///     cargo_line(replay, "walks::tests::walk_stays_below_ten", &invocation),
///     "PROBTEST_REPLAY=0x5eed:9 cargo test -p walks tests::walk_stays_below_ten -- --exact"
/// );
/// # Ok::<(), probtest::seed::SeedError>(())
/// ```
pub fn cargo_line(replay: Replay, test: &str, invocation: &Invocation) -> String {
    // libtest knows a test by its path without the crate.
    let name = test.split_once("::").map_or(test, |(_, name)| name);
    let mut line = format!("PROBTEST_REPLAY={replay} cargo ");
    line.push_str(if invocation.nextest {
        "nextest run"
    } else {
        "test"
    });
    if let Some(package) = &invocation.package {
        line.push_str(&format!(" -p {package}"));
    }
    match (invocation.profile.as_deref(), invocation.nextest) {
        (None, _) => {}
        (Some("release"), _) => line.push_str(" --release"),
        (Some(profile), true) => line.push_str(&format!(" --cargo-profile {profile}")),
        (Some(profile), false) => line.push_str(&format!(" --profile {profile}")),
    }
    match (invocation.nextest, invocation.ignored) {
        (true, false) => line.push_str(&format!(" -E 'test(={name})'")),
        (true, true) => line.push_str(&format!(" --run-ignored all -E 'test(={name})'")),
        (false, false) => line.push_str(&format!(" {name} -- --exact")),
        (false, true) => line.push_str(&format!(" {name} -- --exact --include-ignored")),
    }
    line
}

/// Writes the line for a program under `probtest run`.
///
/// ```
/// use probtest::report::command_line;
///
/// let command = ["./walk".to_string(), "--seed={seed}".to_string()];
/// assert_eq!(
///     command_line("0x5eed:9".parse()?, &[], &command),
///     "probtest replay 0x5eed:9 -- ./walk '--seed={seed}'"
/// );
/// # Ok::<(), probtest::seed::SeedError>(())
/// ```
pub fn command_line(replay: Replay, options: &[String], command: &[String]) -> String {
    let words = options.iter().map(|word| shell_word(word));
    let command = command.iter().map(|word| shell_word(word));
    let mut line = format!("probtest replay {replay}");
    for word in words.chain(["--".to_owned()]).chain(command) {
        line.push(' ');
        line.push_str(&word);
    }
    line
}

/// Quotes a word for a POSIX shell, where it needs it.
///
/// ```
/// use probtest::report::shell_word;
///
/// assert_eq!(shell_word("plain-word_1.5"), "plain-word_1.5");
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// assert_eq!(shell_word(""), "''");
/// ```
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_starts_the_test_as_it_was_started() {
        let replay = "7:9".parse().unwrap();
        let line = |invocation| cargo_line(replay, "walks::walk", &invocation);
        let plain = Invocation::default();
        assert_eq!(
            line(plain.clone()),
            "PROBTEST_REPLAY=0x7:9 cargo test walk -- --exact"
        );
        let ignored = Invocation {
            ignored: true,
            profile: Some("release".into()),
            ..plain.clone()
        };
        assert_eq!(
            line(ignored.clone()),
            "PROBTEST_REPLAY=0x7:9 cargo test --release walk -- --exact --include-ignored"
        );
        let nextest = Invocation {
            nextest: true,
            profile: Some("ci".into()),
            ..ignored
        };
        assert_eq!(
            line(nextest),
            "PROBTEST_REPLAY=0x7:9 cargo nextest run --cargo-profile ci --run-ignored all -E 'test(=walk)'"
        );
        let profile = Invocation {
            profile: Some("ci".into()),
            ..plain
        };
        assert_eq!(
            line(profile),
            "PROBTEST_REPLAY=0x7:9 cargo test --profile ci walk -- --exact"
        );
    }
}
