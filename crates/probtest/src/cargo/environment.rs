//! Defaults and overrides for a whole run, from `PROBTEST_*` variables, and everything else that
//! the tests of this process share.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{LazyLock, Once, OnceLock};
use std::time::{Duration, Instant};

use super::terminal;
use crate::claim::Error;
use crate::seed::RunSeed;
use crate::settings::{Given, ignored_variables};

/// What the environment says about a run.
#[derive(Debug, Default)]
pub(super) struct Environment {
    pub(super) given: Given,
    pub(super) memory: Memory,
    pub(super) report: Option<PathBuf>,
    pub(super) journal: Option<PathBuf>,
    /// Unknown names that begin with `PROBTEST_`.
    unknown: Vec<String>,
}

/// Where counterexamples are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Memory {
    /// Under cargo's target folder.
    #[default]
    Target,
    Folder(PathBuf),
    /// In the source tree, to be committed.
    Source,
    Off,
}

impl Environment {
    fn read<N: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Environment {
        let text = |value: &OsStr| value.to_string_lossy().into_owned();
        let mut environment = Environment::default();
        let mut others = Vec::new();
        for (name, value) in variables {
            let (name, value) = (text(&name.into()), value.into());
            // A folder name may not be UTF-8; everything else is text.
            match name.as_str() {
                _ if text(&value).trim().is_empty() => {}
                "PROBTEST_MEMORY" if value.eq_ignore_ascii_case("off") => {
                    environment.memory = Memory::Off;
                }
                "PROBTEST_MEMORY" if value.eq_ignore_ascii_case("source") => {
                    environment.memory = Memory::Source;
                }
                "PROBTEST_MEMORY" => environment.memory = Memory::Folder(value.into()),
                "PROBTEST_REPORT" => environment.report = Some(value.into()),
                "PROBTEST_JOURNAL" => environment.journal = Some(value.into()),
                _ => others.push((name, text(&value))),
            }
        }
        environment.unknown = environment.given.read_environment(others);
        environment
    }
}

/// The environment of this process, even if a value in it is invalid.
pub(super) static READ: LazyLock<Environment> =
    LazyLock::new(|| Environment::read(std::env::vars_os()));

/// Returns the environment of this process, and warns once about unknown names.
pub(super) fn of_process() -> Result<&'static Environment, Error> {
    static WARNED: Once = Once::new();
    READ.given.check()?;
    READ.given.seed()?;
    READ.given.replay()?;
    READ.given.shard()?;
    WARNED.call_once(|| {
        if let Some(warning) = ignored_variables(&READ.unknown, |_| true) {
            terminal::shout(&format!("probtest: {warning}"));
        }
    });
    Ok(&READ)
}

/// The seed that all tests of this process share if none is given.
pub(super) static SEED: LazyLock<RunSeed> = LazyLock::new(RunSeed::fresh);

/// The time since the first test of this process started. Zero for that test, so that it runs
/// however short the time of the suite is.
pub(super) fn since_the_first_test() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let now = Instant::now();
    now.duration_since(*FIRST.get_or_init(|| now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Environment {
        Environment::read(variables.iter().copied())
    }

    #[test]
    fn off_is_off_in_any_case_and_never_a_folder() {
        for word in ["off", "OFF", "Off"] {
            assert_eq!(read(&[("PROBTEST_MEMORY", word)]).memory, Memory::Off);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_whose_name_is_not_utf8_is_that_folder() {
        use std::os::unix::ffi::OsStrExt;
        let folder = OsStr::from_bytes(b"/tmp/\xffrep");
        let given =
            ["PROBTEST_MEMORY", "PROBTEST_REPORT", "PROBTEST_JOURNAL"].map(|name| (name, folder));
        let environment = Environment::read(given);
        assert_eq!(environment.memory, Memory::Folder(folder.into()));
        assert_eq!(environment.report, Some(folder.into()));
        assert_eq!(environment.journal, Some(folder.into()));
    }

    #[test]
    fn an_empty_variable_says_nothing() {
        let environment = read(&[("PATH", "/bin"), ("PROBTEST_P", " ")]);
        assert_eq!(environment.given.probability("p"), Ok(None));
        assert!(environment.unknown.is_empty());
    }

    #[test]
    fn a_bad_value_names_the_variable_and_what_was_given() {
        for (name, value) in [
            ("PROBTEST_P", "2"),
            ("PROBTEST_EPSILON", "x"),
            ("PROBTEST_SUITE_EPSILON", "1"),
            ("PROBTEST_SEED", "-1"),
            ("PROBTEST_REPLAY", "7"),
            ("PROBTEST_JOBS", "0"),
            ("PROBTEST_JOBS", "1025"),
            ("PROBTEST_MAX_EXECUTIONS", "1e6"),
            ("PROBTEST_MAX_TIME", "30"),
            ("PROBTEST_SUITE_MAX_TIME", "off"),
            ("PROBTEST_ON_BUDGET", "maybe"),
            ("PROBTEST_SHARD", "17/16"),
        ] {
            let given = read(&[(name, value)]).given;
            let checked = given.check().and_then(|()| given.seed().map(drop));
            let checked = checked.and_then(|()| given.shard().map(drop));
            let error = checked.and_then(|()| given.replay().map(drop)).unwrap_err();
            assert!(error.what().contains(name), "{error}");
            assert!(error.given().contains(value), "{error}");
        }
    }
}
