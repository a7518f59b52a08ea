//! How a test is executed, whatever it claims: what it says, and what the
//! environment says.

use super::budget::Budget;
use super::builder::fail;
use super::environment::Environment;
use super::error::SetupError;
use super::place::{Origin, Place};
use super::{process, records, terminal};
use crate::check::Options;
use crate::report::Invocation;
use crate::run::{ExitGuard, Guarded};
use crate::seed::{Replay, RunSeed, Selection};

/// What every kind of test says about its execution.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) id: String,
    pub(super) origin: Origin,
    pub(super) jobs: Option<usize>,
    pub(super) seed: Option<RunSeed>,
    pub(super) budget: Budget,
    pub(super) max_rejections: Option<u64>,
    pub(super) own_randomness: bool,
    pub(super) should_panic: bool,
}

/// The methods of a builder that say how its test is executed.
macro_rules! ways_of_execution {
    () => {
        /// Executes on this many threads; 1 by default. The verdict and all counts
        /// are the same for any number.
        pub fn jobs(mut self, jobs: usize) -> Self {
            self.way.jobs = Some(jobs);
            self
        }

        /// Fixes the run seed of this test, so that it always does the same.
        pub fn seed(mut self, seed: u64) -> Self {
            self.way.seed = Some($crate::seed::RunSeed(seed));
            self
        }

        /// Ends without a verdict, which is a failure, when the claim is not decided
        /// after this many executions.
        pub fn max_executions(mut self, most: u64) -> Self {
            self.way.budget.max_executions = Some(most);
            self
        }

        /// Ends without a verdict, which is a failure, when this much time is over and
        /// the claim is not decided: a `Duration`, or text such as `"30s"`, `"500ms"`
        /// or `"1m30s"`. The report says what is known by then.
        ///
        /// The clock is looked at after each execution. At least one counts, and one
        /// that hangs is not stopped.
        pub fn max_time(mut self, span: impl $crate::budget::IntoTime) -> Self {
            self.way.budget.max_time = Some(span.into_time());
            self
        }

        /// Allows this many rejections; by default ten for each planned execution,
        /// but at least 1000.
        pub fn max_rejections(mut self, most: u64) -> Self {
            self.way.max_rejections = Some(most);
            self
        }

        /// Says that the program brings its own randomness and the body ignores its
        /// source. The report then says that executions cannot be replayed.
        pub fn own_randomness(mut self) -> Self {
            self.way.own_randomness = true;
            self
        }

        /// Says that `#[should_panic]` stands on the test: it asks for a violation.
        ///
        /// `check` then returns, which fails such a test, when the verdict is
        /// inconclusive or the test could not be started. Without this,
        /// `#[should_panic]` passes in those cases too. The attribute does the same by
        /// itself.
        pub fn should_panic(mut self) -> Self {
            self.way.should_panic = true;
            self
        }
    };
}
pub(super) use ways_of_execution;

impl Way {
    pub(super) fn new(id: String, place: Option<Place>, file: &'static str) -> Self {
        Way {
            id,
            origin: Origin { place, file },
            jobs: None,
            seed: None,
            budget: Budget::default(),
            max_rejections: None,
            own_randomness: false,
            should_panic: false,
        }
    }

    /// Makes leaving the process a failure from now on.
    pub(super) fn guard(&self) -> ExitGuard {
        ExitGuard::new(Guarded {
            test: self.id.clone(),
            command: (!self.own_randomness).then(|| self.origin.invocation().command()),
        })
    }

    /// Returns the execution of this test that is to be executed alone, if any.
    pub(super) fn selected(&self) -> Result<Option<Selection>, SetupError> {
        match process::environment()?.replay {
            Some(selection) if !selection.covers(&self.id) => {
                terminal::shout_once(&format!(
                    "probtest: PROBTEST_REPLAY={selection} is about another test; {} executes its plan",
                    self.id
                ));
                Ok(None)
            }
            Some(selection) if self.own_randomness => Err(SetupError::NoReplay(selection.address)),
            selection => Ok(selection),
        }
    }

    /// The seed that the environment or the test fixes, if one does.
    pub(super) fn fixed_seed(&self, environment: &Environment) -> Option<RunSeed> {
        environment.seed.or(self.seed)
    }

    /// Returns the options of a test that begins now.
    pub(super) fn options(
        &self,
        environment: &Environment,
    ) -> Result<Options<'static>, SetupError> {
        // Beside a replayed test the others have its seed: one of them may be part
        // of it.
        let replayed = environment.replay.map(|replay| replay.address.seed);
        let fixed = self.fixed_seed(environment).or(replayed);
        let seed = fixed.unwrap_or_else(process::seed);
        let mut options = Options::new(self.id.clone()).seed(seed.0);
        if let Some(jobs) = environment.jobs.or(self.jobs) {
            options = options.jobs(jobs);
        }
        if let Some(most) = self.max_rejections {
            options = options.max_rejections(most);
        }
        if self.own_randomness {
            options = options.own_randomness();
        }
        Ok(self.budget.bound(environment, options)?)
    }

    /// Fails a test that could not be started, also in the folder of reports: there a
    /// pass of another day would stand for it.
    pub(super) fn refuse(&self, error: &SetupError) {
        if let Some(folder) = process::report_folder() {
            let report = records::refusal(&self.id, error);
            records::write_report(&folder, &self.origin, &self.id, false, report);
        }
        fail(&format!("probtest: error: {error}"), self.should_panic);
    }

    /// Writes the line that executes an execution again, or where none is to be looked
    /// at, the whole test: as many of its executions as time has left.
    pub(super) fn line(&self, address: Option<Replay>, seed: RunSeed, cut: Option<u64>) -> String {
        let invocation: Invocation = self.origin.invocation();
        if let Some(address) = address {
            return invocation.replay(address, &self.id);
        }
        let environment = process::environment();
        let claimed = environment.map(Environment::claimed).unwrap_or_default();
        match cut {
            Some(executed) => invocation.rerun_cut(seed, executed, &claimed),
            None => invocation.rerun(seed, &claimed),
        }
    }
}
