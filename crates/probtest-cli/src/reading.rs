//! What the ending of a program means for a claim.

use probtest::run::{Observation, Violation};
use probtest::seed::RunSeed;

use crate::failure::Failure;
use crate::program::Ending;
use crate::values::{Timeout, timeout, whole};

/// What turns an ending into an observation.
pub struct Reading {
    /// The time that each execution has.
    pub timeout: Option<Timeout>,
    /// The exit code that rejects.
    pub reject_code: Option<i32>,
}

impl Reading {
    /// Reads the two options.
    ///
    /// # Errors
    ///
    /// When one of them makes no sense.
    pub fn of(time: Option<&String>, reject_code: Option<&String>) -> Result<Reading, Failure> {
        let help = "write the exit code that rejects, such as 77; 0 is a pass";
        let reject_code = reject_code
            .map(|text| whole("--reject-code", text, 1..=255, help))
            .transpose()?;
        Ok(Reading {
            timeout: time.map(|text| timeout("--timeout", text)).transpose()?,
            reject_code: reject_code.and_then(|code| i32::try_from(code).ok()),
        })
    }

    /// The options of `replay` that read in the same way.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        if let Some(timeout) = &self.timeout {
            options.extend(["--timeout".to_owned(), timeout.text.clone()]);
        }
        if let Some(code) = self.reject_code {
            options.extend(["--reject-code".to_owned(), code.to_string()]);
        }
        options
    }

    /// The options that make the first executions of a run again, however long they take.
    pub fn options_again(&self, seed: RunSeed, executions: u64) -> Vec<String> {
        let mut options = vec![
            "--seed".to_owned(),
            seed.to_string(),
            "--max-executions".to_owned(),
            executions.to_string(),
            "--max-time".to_owned(),
            "off".to_owned(),
        ];
        options.extend(self.options());
        options
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
        if let (Ending::Exited(status), Some(code)) = (ending, self.reject_code)
            && status.code() == Some(code)
        {
            return Observation::Rejected;
        }
        match ending.violation(self.timeout.as_ref()) {
            Some(message) => Observation::Violated(Box::new(Violation {
                message,
                location: None,
                details: details(),
            })),
            None => Observation::Passed,
        }
    }
}
