//! What an audit is to find out, as it is given.

use std::time::Duration;

use probtest_syntax::parse_duration;

use crate::claim::{Error, Probability};
use crate::seed::RunSeed;

/// What an audit is to find out.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// The seed that those of all executions are derived from.
    pub seed: RunSeed,
    /// How often all intervals together hold the true rates, at least.
    pub confidence: f64,
    /// The width of an interval that is narrow enough. One that is half as wide as the rate
    /// that was seen is, too.
    pub precision: f64,
    /// The highest rate that is accepted: with it, a test is known well enough when all
    /// rates that fit are on one side of it.
    pub max_rate: Option<f64>,
    /// Tests of which it is known that they are flaky.
    pub known: Vec<String>,
    /// How long the audit may take.
    pub time: Option<Duration>,
    /// How long one execution may take: one that takes longer has failed.
    pub timeout: Option<Duration>,
    /// How many interpreters must have agreed on a test; 1 where every process is one.
    pub interpreters: u64,
    /// The hash seed that all interpreters have, where it is given.
    pub hash_seed: Option<u64>,
    /// Whether several executions may run in one process, one after the other.
    pub chains: bool,
    /// Whether seeds that the code sets are varied: each test is then executed with its own as well.
    pub varies: bool,
}

impl AuditSettings {
    /// The defaults: 95 %, a width of 0.05, no limits.
    pub fn new(seed: RunSeed) -> Self {
        AuditSettings {
            seed,
            confidence: 0.95,
            precision: 0.05,
            max_rate: None,
            known: Vec::new(),
            time: None,
            timeout: None,
            interpreters: 1,
            hash_seed: None,
            chains: true,
            varies: false,
        }
    }

    /// Reads an option, `time`, `timeout`, `max_rate`, `precision`, `confidence`, `interpreters` or `known`
    /// (a file with the id of a test in each line), that was given by a flag.
    ///
    /// # Errors
    /// When the text makes no sense, or the file cannot be read.
    pub fn read(&mut self, option: &str, flag: &'static str, text: &str) -> Result<(), Error> {
        let share = || {
            let read = Probability::parse(text).map_err(|error| error.about(flag));
            read.map(|share| share.as_f64())
        };
        let duration = || parse_duration(text).map_err(|error| error.about(flag));
        match option {
            "time" => self.time = Some(duration()?),
            "timeout" => self.timeout = Some(duration()?),
            "max_rate" => self.max_rate = Some(share()?),
            "precision" => self.precision = share()?,
            "confidence" => self.confidence = share()?,
            "interpreters" => {
                let given = text.trim().parse().ok().filter(|count| *count >= 2);
                let refused = || {
                    Error::new(
                        "an audit needs at least two interpreters: a single one cannot show what depends on it",
                        format!("{flag} {text}"),
                        "write a whole number of 2 or more, such as 8",
                    )
                };
                self.interpreters = given.ok_or_else(refused)?;
            }
            _ => {
                let read = std::fs::read_to_string(text).map_err(|error| {
                    Error::new(
                        format!("the file of known tests cannot be read: {error}"),
                        format!("{flag} {text}"),
                        "name a text file with one test id per line",
                    )
                })?;
                let lines = read.lines().map(str::trim);
                let names = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
                self.known = names.map(String::from).collect();
            }
        }
        Ok(())
    }
}
