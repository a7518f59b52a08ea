//! What the ending of a program means for a claim: options of several commands.

use std::time::Duration;

use probtest::Error;
use probtest::run::{Observation, Violation};
use probtest::settings::{parse_duration, read_count};

use crate::program::Ending;

/// The flags.
#[derive(clap::Args, Debug)]
pub struct EndingFlags {
    /// Kill an execution that takes longer, such as 5s, 250ms or 2m, and count
    /// it as a violation [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,

    /// The exit code that rejects an execution as not applicable:
    /// it does not count and is retried with other numbers
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    reject_code: Option<String>,

    /// The exit code that means the infrastructure failed: the
    /// execution proves nothing and is retried after a pause
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    infrastructure_exit_code: Option<String>,
}

pub struct Endings {
    /// The time that each execution has, and how it was written.
    timeout: Option<(Duration, String)>,
    reject_code: Option<u64>,
    infrastructure_exit_code: Option<u64>,
}

impl EndingFlags {
    pub fn read(&self) -> Result<Endings, Error> {
        let timeout = self.timeout.as_deref().map(|text| {
            let duration = parse_duration(text).map_err(|error| error.about("--timeout"));
            duration.map(|duration| (duration, text.trim().to_owned()))
        });
        let reject_code = self.reject_code.as_deref().map(|text| {
            let help = "write the exit code that rejects, such as 77; 0 is a pass";
            read_count(text, 255).map_err(|error| error.about("--reject-code").with_help(help))
        });
        let infrastructure = self.infrastructure_exit_code.as_deref().map(|text| {
            let help = "write the exit code of failed infrastructure, such as 75; 0 is a pass";
            let name = "--infrastructure-exit-code";
            read_count(text, 255).map_err(|error| error.about(name).with_help(help))
        });
        let endings = Endings {
            timeout: timeout.transpose()?,
            reject_code: reject_code.transpose()?,
            infrastructure_exit_code: infrastructure.transpose()?,
        };
        match (endings.reject_code, endings.infrastructure_exit_code) {
            (Some(one), Some(other)) if one == other => Err(Error::new(
                "one exit code cannot mean both a rejected execution and failed infrastructure",
                format!("--reject-code {one} --infrastructure-exit-code {other}"),
                "give two different codes",
            )),
            _ => Ok(endings),
        }
    }
}

impl Endings {
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout.as_ref().map(|(duration, _)| *duration)
    }

    /// Whether an exit code says that infrastructure failed.
    pub fn tell_of_infrastructure(&self) -> bool {
        self.infrastructure_exit_code.is_some()
    }

    /// The flags that read endings in the same way.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some((_, text)) = &self.timeout {
            words.extend(["--timeout".to_owned(), text.clone()]);
        }
        if let Some(code) = self.reject_code {
            words.extend(["--reject-code".to_owned(), code.to_string()]);
        }
        if let Some(code) = self.infrastructure_exit_code {
            words.extend(["--infrastructure-exit-code".to_owned(), code.to_string()]);
        }
        words
    }

    /// Says what an ending means; `details` is asked for what the program wrote.
    pub fn observe(
        &self,
        ending: &Ending,
        details: impl FnOnce() -> Option<String>,
    ) -> Observation {
        if let Some(message) = ending.broken() {
            return Observation::Broken(message);
        }
        let code = ending.code().and_then(|code| u64::try_from(code).ok());
        if code.is_some() && code == self.reject_code {
            return Observation::Rejected;
        }
        if let Some(code) = code.filter(|code| Some(*code) == self.infrastructure_exit_code) {
            let kind = format!("exit code {code}");
            let wrote = details().unwrap_or_default();
            let last = wrote.lines().rev().find(|line| !line.trim().is_empty());
            return Observation::Unavailable {
                message: last.map_or(kind.clone(), |last| format!("{kind}: {}", last.trim())),
                kind,
            };
        }
        let timeout = self.timeout.as_ref().map(|(_, text)| text.as_str());
        match ending.violation(timeout) {
            Some(message) => Observation::Violated(Box::new(Violation {
                details: details(),
                kind: None,
                ..Violation::new(message)
            })),
            None => Observation::Passed,
        }
    }
}
