//! How a program is executed, whatever for: options of several commands.

use probtest::MOST_JOBS;
use probtest::budget::MaxTime;
use probtest::seed::RunSeed;

use crate::failure::Failure;
use crate::program::Program;
use crate::reading::Reading;
use crate::values::{Given, max_time, whole};

/// What can be said about the executions of a program.
#[derive(clap::Args, Debug)]
pub struct Way {
    /// How many executions run at the same time. No answer depends on it
    /// [default: 1] [env: PROBTEST_JOBS]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    jobs: Option<String>,

    /// Kill an execution that takes longer, such as 5s, 250ms or 2m; it is a
    /// violation [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,

    /// The seed of the run, decimal or hexadecimal: the same seed and command
    /// give the same executions [default: a fresh one] [env: PROBTEST_SEED]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,

    /// End after this many executions if more are needed: without a verdict, or
    /// with a wider interval [default: no limit] [env: PROBTEST_MAX_EXECUTIONS]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_executions: Option<String>,

    /// End in the same way when this much time is over, such as 30s, 2min or 1m30s;
    /// `off` for no limit. Looked at between executions: give --timeout as well for
    /// programs that may hang [env: PROBTEST_MAX_TIME]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    max_time: Option<String>,

    /// The exit code by which the program says that an execution is not
    /// applicable: it does not count and is drawn again
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    reject_code: Option<String>,

    /// The program and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Way {
    /// Reads what turns an ending into an observation.
    ///
    /// # Errors
    ///
    /// When an option makes no sense.
    pub fn reading(&self) -> Result<Reading, Failure> {
        Reading::of(self.timeout.as_ref(), self.reject_code.as_ref())
    }

    /// Reads how the executions are carried out.
    ///
    /// # Errors
    ///
    /// When an option makes no sense.
    pub fn settings<'a>(&self, program: &Program) -> Result<probtest::Options<'a>, Failure> {
        let mut settings = probtest::Options::new(program.id());
        if let Some(jobs) = Given::find("--jobs", self.jobs.as_ref(), "PROBTEST_JOBS") {
            let help = "write how many executions may run at once, or leave it out for one";
            let jobs = jobs.read(|flag, text| whole(flag, text, 1..=MOST_JOBS as u64, help))?;
            settings = settings.jobs(usize::try_from(jobs).unwrap_or(MOST_JOBS));
        }
        if let Some(seed) = Given::find("--seed", self.seed.as_ref(), "PROBTEST_SEED") {
            let seed = seed.read(|_, text| Ok(text.parse::<RunSeed>()?))?;
            settings = settings.seed(seed.0);
        }
        let most = Given::find(
            "--max-executions",
            self.max_executions.as_ref(),
            "PROBTEST_MAX_EXECUTIONS",
        );
        if let Some(most) = most {
            let help =
                "write the most executions that you can afford, or leave it out for no limit";
            let most = most.read(|flag, text| whole(flag, text, 1..=u64::MAX, help))?;
            settings = settings.max_executions(most);
        }
        let time = Given::find("--max-time", self.max_time.as_ref(), "PROBTEST_MAX_TIME");
        if let Some(time) = time
            && let MaxTime::Span(span) = time.read(max_time)?
        {
            settings = settings.max_time(span);
        }
        Ok(settings)
    }
}
