//! Defaults and orders for a whole run, from `PROBTEST_*` variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use crate::budget::{MaxTime, OnBudget, TimeError, parse_time};
use crate::check::MOST_JOBS;
use crate::claim::Probability;
use crate::seed::{RunSeed, Selection};

/// One variable that this crate reads.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub meaning: &'static str,
}

/// Every variable that has a meaning, in the order of the documentation.
const VARIABLES: [Variable; 15] = [
    Variable {
        name: "PROBTEST_P",
        meaning: "p for tests that give neither p nor outcomes nor tolerate",
    },
    Variable {
        name: "PROBTEST_EPSILON",
        meaning: "epsilon for tests that give none",
    },
    Variable {
        name: "PROBTEST_FALSE_ALARM",
        meaning: "false_alarm for tests that promise one and give none",
    },
    Variable {
        name: "PROBTEST_SUITE_EPSILON",
        meaning: "epsilon of all tests of a binary together, divided over them",
    },
    Variable {
        name: "PROBTEST_SUITE_FALSE_ALARM",
        meaning: "false_alarm of all tests of a binary together, divided over them",
    },
    Variable {
        name: "PROBTEST_SEED",
        meaning: "the run seed, instead of a fresh one or the test's own",
    },
    Variable {
        name: "PROBTEST_REPLAY",
        meaning: "SEED:INDEX or SEED:INDEX:TEST: execute this one execution alone",
    },
    Variable {
        name: "PROBTEST_JOBS",
        meaning: "threads for each test, instead of the test's own",
    },
    Variable {
        name: "PROBTEST_MAX_EXECUTIONS",
        meaning: "the most executions of each test, or its own max_executions if that is smaller",
    },
    Variable {
        name: "PROBTEST_MAX_TIME",
        meaning: "the time of tests that give no max_time, such as 30s; `off` lifts every limit of time",
    },
    Variable {
        name: "PROBTEST_SUITE_MAX_TIME",
        meaning: "the time of all tests of one process together, such as 10m",
    },
    Variable {
        name: "PROBTEST_ON_BUDGET",
        meaning: "`pass` or `fail`, for tests that give no on_budget",
    },
    Variable {
        name: "PROBTEST_MEMORY",
        meaning: "folder for remembered counterexamples, or `off`",
    },
    Variable {
        name: "PROBTEST_REPORT",
        meaning: "folder that receives one JSON file for each test",
    },
    Variable {
        name: "PROBTEST_EXECUTION",
        meaning: "set by `probtest run` for the program under test; not read",
    },
];

/// What the environment says about a run.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub(super) p: Option<Probability>,
    pub(super) epsilon: Option<Probability>,
    pub(super) false_alarm: Option<Probability>,
    pub(super) suite_epsilon: Option<Probability>,
    pub(super) suite_false_alarm: Option<Probability>,
    pub(super) seed: Option<RunSeed>,
    pub(super) replay: Option<Selection>,
    pub(super) jobs: Option<usize>,
    pub(super) max_executions: Option<u64>,
    pub(super) max_time: Option<MaxTime>,
    pub(super) suite_max_time: Option<Duration>,
    pub(super) on_budget: Option<OnBudget>,
    pub(super) memory: Memory,
    pub(super) report: Option<PathBuf>,
    /// Names that begin with `PROBTEST_` and mean nothing.
    pub(super) unknown: Vec<String>,
}

/// Where counterexamples are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Memory {
    /// Under cargo's target folder.
    #[default]
    Target,
    Folder(PathBuf),
    Off,
}

/// Says which variable could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name} cannot be used: {why}")]
pub struct EnvironmentError {
    /// The variable.
    pub name: &'static str,
    /// What was given, what is allowed and what to do.
    pub why: String,
}

impl Environment {
    /// Lists every variable that has a meaning.
    ///
    /// ```
    /// let names: Vec<_> = probtest::Environment::variables().map(|v| v.name).collect();
    /// assert!(names.contains(&"PROBTEST_SEED"));
    /// ```
    pub fn variables() -> impl Iterator<Item = Variable> {
        VARIABLES.into_iter()
    }

    /// Returns the environment of this process, read once.
    pub(super) fn of_process() -> Result<&'static Environment, EnvironmentError> {
        static READ: OnceLock<Result<Environment, EnvironmentError>> = OnceLock::new();
        let read = READ.get_or_init(|| Environment::read(std::env::vars_os()));
        read.as_ref().map_err(Clone::clone)
    }

    /// Reads variables; an empty value counts as not set.
    ///
    /// # Errors
    ///
    /// When a variable has a value that it cannot have.
    ///
    /// ```
    /// use probtest::Environment;
    ///
    /// let variables = [("PROBTEST_JOBS".to_string(), "many".to_string())];
    /// let error = Environment::read(variables).unwrap_err();
    /// assert_eq!(error.name, "PROBTEST_JOBS");
    /// ```
    pub fn read<N, V>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Environment, EnvironmentError>
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let text = |value: &OsStr| value.to_string_lossy().into_owned();
        let mut given: BTreeMap<String, OsString> = variables
            .into_iter()
            .map(|(name, value)| (text(&name.into()), value.into()))
            .filter(|(name, value)| name.starts_with("PROBTEST_") && !text(value).trim().is_empty())
            .collect();
        // A folder may have a name that is not UTF-8; everything else is text.
        let memory = given.remove("PROBTEST_MEMORY");
        let report = given.remove("PROBTEST_REPORT");
        let mut take = |name: &'static str| given.remove(name).map(|value| text(&value));
        let environment = Environment {
            p: parse("PROBTEST_P", take("PROBTEST_P"))?,
            epsilon: parse("PROBTEST_EPSILON", take("PROBTEST_EPSILON"))?,
            false_alarm: parse("PROBTEST_FALSE_ALARM", take("PROBTEST_FALSE_ALARM"))?,
            suite_epsilon: parse("PROBTEST_SUITE_EPSILON", take("PROBTEST_SUITE_EPSILON"))?,
            suite_false_alarm: parse(
                "PROBTEST_SUITE_FALSE_ALARM",
                take("PROBTEST_SUITE_FALSE_ALARM"),
            )?,
            seed: parse("PROBTEST_SEED", take("PROBTEST_SEED"))?,
            replay: parse("PROBTEST_REPLAY", take("PROBTEST_REPLAY"))?,
            jobs: whole("PROBTEST_JOBS", take("PROBTEST_JOBS"), MOST_JOBS as u64)?
                .map(|jobs| jobs as usize),
            max_executions: whole(
                "PROBTEST_MAX_EXECUTIONS",
                take("PROBTEST_MAX_EXECUTIONS"),
                u64::MAX,
            )?,
            max_time: time("PROBTEST_MAX_TIME", take("PROBTEST_MAX_TIME"), |text| {
                text.parse::<MaxTime>()
            })?,
            suite_max_time: time(
                "PROBTEST_SUITE_MAX_TIME",
                take("PROBTEST_SUITE_MAX_TIME"),
                parse_time,
            )?,
            on_budget: parse("PROBTEST_ON_BUDGET", take("PROBTEST_ON_BUDGET"))?,
            memory: match memory {
                None => Memory::Target,
                Some(word) if word.eq_ignore_ascii_case("off") => Memory::Off,
                Some(folder) => Memory::Folder(folder.into()),
            },
            report: report.map(Into::into),
            unknown: Vec::new(),
        };
        take("PROBTEST_EXECUTION");
        Ok(Environment {
            unknown: given.into_keys().collect(),
            ..environment
        })
    }

    /// Lists the variables that a claim may come from, as they are set.
    pub(super) fn claimed(&self) -> Vec<(&'static str, String)> {
        let set = [
            ("PROBTEST_P", &self.p),
            ("PROBTEST_EPSILON", &self.epsilon),
            ("PROBTEST_FALSE_ALARM", &self.false_alarm),
            ("PROBTEST_SUITE_EPSILON", &self.suite_epsilon),
            ("PROBTEST_SUITE_FALSE_ALARM", &self.suite_false_alarm),
        ];
        let set = set.into_iter();
        set.filter_map(|(name, value)| Some((name, value.as_ref()?.to_string())))
            .collect()
    }

    /// Says which names mean nothing, and what does; none when all is well.
    pub(super) fn warning(&self) -> Option<String> {
        if self.unknown.is_empty() {
            return None;
        }
        let mut text = format!(
            "probtest: warning: {} means nothing here and is ignored\n  known",
            self.unknown.join(", ")
        );
        for variable in Environment::variables() {
            text.push_str(&format!(
                "  {:<24} {}\n       ",
                variable.name, variable.meaning
            ));
        }
        Some(text)
    }
}

fn parse<T>(name: &'static str, text: Option<String>) -> Result<Option<T>, EnvironmentError>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    text.map(|text| {
        text.trim()
            .parse()
            .map_err(|error: T::Err| EnvironmentError {
                name,
                why: error.to_string(),
            })
    })
    .transpose()
}

fn time<T>(
    name: &'static str,
    text: Option<String>,
    read: impl FnOnce(&str) -> Result<T, TimeError>,
) -> Result<Option<T>, EnvironmentError> {
    let read = text.map(|text| read(&text)).transpose();
    read.map_err(|error| EnvironmentError {
        name,
        why: error.named("it"),
    })
}

fn whole(
    name: &'static str,
    text: Option<String>,
    most: u64,
) -> Result<Option<u64>, EnvironmentError> {
    let Some(text) = text else { return Ok(None) };
    match text.trim().parse::<u64>() {
        Ok(number) if (1..=most).contains(&number) => Ok(Some(number)),
        _ => Err(EnvironmentError {
            name,
            why: format!(
                "`{text}` is not a whole number from 1 to {most}\n  given  {text}\n  help   write a number such as 4, or unset the variable"
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Environment, EnvironmentError> {
        Environment::read(variables.iter().copied())
    }

    #[test]
    fn off_is_off_in_any_case_and_never_a_folder() {
        for word in ["off", "OFF", "Off"] {
            let environment = read(&[("PROBTEST_MEMORY", word)]).unwrap();
            assert_eq!(environment.memory, Memory::Off);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_whose_name_is_not_utf8_is_that_folder() {
        use std::os::unix::ffi::OsStrExt;
        let folder = OsStr::from_bytes(b"/tmp/\xffrep");
        let given = ["PROBTEST_MEMORY", "PROBTEST_REPORT"].map(|name| (name, folder));
        let environment = Environment::read(given).unwrap();
        assert_eq!(environment.memory, Memory::Folder(folder.into()));
        assert_eq!(environment.report, Some(folder.into()));
    }

    #[test]
    fn an_empty_environment_says_nothing() {
        let environment = read(&[("PATH", "/bin"), ("PROBTEST_P", " ")]).unwrap();
        assert!(environment.p.is_none());
        assert_eq!(environment.warning(), None);
    }

    #[test]
    fn every_variable_is_read() {
        let environment = read(&[
            ("PROBTEST_P", "1/1024"),
            ("PROBTEST_EPSILON", "0.02"),
            ("PROBTEST_SUITE_EPSILON", "0.1"),
            ("PROBTEST_SUITE_FALSE_ALARM", "1e-3"),
            ("PROBTEST_SEED", "0x5eed"),
            ("PROBTEST_REPLAY", "7:9:c0ffee00"),
            ("PROBTEST_JOBS", "4"),
            ("PROBTEST_MAX_EXECUTIONS", "1000"),
            ("PROBTEST_MAX_TIME", "1m30s"),
            ("PROBTEST_SUITE_MAX_TIME", "1h"),
            ("PROBTEST_ON_BUDGET", "pass"),
            ("PROBTEST_MEMORY", "off"),
            ("PROBTEST_REPORT", "out"),
            ("PROBTEST_EXECUTION", "3"),
        ])
        .unwrap();
        assert_eq!(environment.p, Some("1/1024".parse().unwrap()));
        assert_eq!(environment.epsilon, Some("0.02".parse().unwrap()));
        assert_eq!(environment.suite_epsilon, Some("0.1".parse().unwrap()));
        assert_eq!(
            environment.suite_false_alarm,
            Some("0.001".parse().unwrap())
        );
        assert_eq!(environment.seed, Some(RunSeed(0x5eed)));
        assert_eq!(environment.replay, Some("7:9:c0ffee00".parse().unwrap()));
        assert_eq!(environment.jobs, Some(4));
        assert_eq!(environment.max_executions, Some(1000));
        let span = MaxTime::Span(Duration::from_secs(90));
        assert_eq!(environment.max_time, Some(span));
        assert_eq!(environment.suite_max_time, Some(Duration::from_secs(3600)));
        assert_eq!(environment.on_budget, Some(OnBudget::Pass));
        assert_eq!(environment.memory, Memory::Off);
        assert_eq!(environment.report, Some("out".into()));
        assert!(environment.unknown.is_empty());
    }

    #[test]
    fn an_unknown_name_is_warned_about() {
        let environment = read(&[("PROBTEST_SEEDS", "1")]).unwrap();
        let warning = environment.warning().unwrap();
        assert!(
            warning.contains("PROBTEST_SEEDS means nothing here"),
            "{warning}"
        );
        assert!(warning.contains("PROBTEST_SEED "), "{warning}");
    }

    #[test]
    fn a_bad_value_names_the_variable_and_what_was_given() {
        for (name, value) in [
            ("PROBTEST_P", "2"),
            ("PROBTEST_EPSILON", "x"),
            ("PROBTEST_SUITE_EPSILON", "1"),
            ("PROBTEST_SUITE_FALSE_ALARM", "0"),
            ("PROBTEST_SEED", "-1"),
            ("PROBTEST_REPLAY", "7"),
            ("PROBTEST_JOBS", "0"),
            ("PROBTEST_JOBS", "1025"),
            ("PROBTEST_MAX_EXECUTIONS", "1e6"),
            ("PROBTEST_MAX_TIME", "30"),
            ("PROBTEST_MAX_TIME", "0s"),
            ("PROBTEST_SUITE_MAX_TIME", "off"),
            ("PROBTEST_ON_BUDGET", "maybe"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            let text = error.to_string();
            assert_eq!(error.name, name);
            assert!(text.contains(value) && text.contains("help"), "{text}");
        }
    }
}
