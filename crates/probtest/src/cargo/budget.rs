//! What a test may use up: its own limits and those of the environment.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::environment::Environment;
use crate::budget::{MaxTime, OnBudget, TimeError};
use crate::check::{Error, Options};

/// The limits that a test gives itself.
#[derive(Debug, Default)]
pub(super) struct Budget {
    pub(super) max_executions: Option<u64>,
    pub(super) max_time: Option<Result<Duration, TimeError>>,
    pub(super) on_budget: Option<OnBudget>,
}

impl Budget {
    /// Adds what the test is when the limits end first.
    pub(super) fn accept<'a>(
        &self,
        environment: &Environment,
        options: Options<'a>,
    ) -> Options<'a> {
        match self.on_budget.or(environment.on_budget) {
            Some(on_budget) => options.on_budget(on_budget),
            None => options,
        }
    }

    /// Adds the limits to the options of a test that begins now.
    pub(super) fn bound<'a>(
        &self,
        environment: &Environment,
        mut options: Options<'a>,
    ) -> Result<Options<'a>, Error> {
        // The smaller one: so a line that repeats a cut run holds for every test.
        let most = [self.max_executions, environment.max_executions];
        if let Some(most) = most.into_iter().flatten().min() {
            options = options.max_executions(most);
        }
        let own = self.max_time.clone().transpose()?;
        let span = match environment.max_time {
            Some(MaxTime::Off) => return Ok(options),
            Some(MaxTime::Span(span)) => own.or(Some(span)),
            None => own,
        };
        if let Some(span) = span {
            options = options.max_time(span);
        }
        if let Some(span) = environment.suite_max_time {
            let left = span.saturating_sub(since_the_first_test());
            options = options.suite_max_time(span, left);
        }
        Ok(options)
    }
}

/// The time since the first test of this process began.
fn since_the_first_test() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}
