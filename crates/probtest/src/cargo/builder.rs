//! A test without the attribute, and what the attribute expands to.

use std::sync::OnceLock;

use super::environment::{Environment, EnvironmentError};
use super::invocation::invocation;
use super::memory::{Notebook, file_name, write_whole};
use super::{replay, terminal};
use crate::check::{self, Error, Options};
use crate::claim::{Claim, ClaimError, IntoProbability, Outcomes, Probability};
use crate::judge::Verdict;
use crate::report::{Remembered, Report, cargo_line};
use crate::run::{Conclusion, ExitGuard, Guarded};
use crate::seed::{Replay, RunSeed, TestRng};

/// The chance of missing when nobody says another.
const DEFAULT_EPSILON: &str = "0.05";

/// A test of random behaviour inside any `#[test]` function.
///
/// Options given here win over the environment for the claim (`PROBTEST_P`,
/// `PROBTEST_EPSILON` and `PROBTEST_MAX_EXECUTIONS` are defaults), the
/// environment wins for the way of execution (`PROBTEST_SEED`, `PROBTEST_JOBS`,
/// `PROBTEST_REPLAY`).
///
/// ```
/// use probtest::Probtest;
/// use rand::RngExt;
///
/// Probtest::new("a die shows no seven").p("1/100").epsilon(0.02).check(|rng| {
///     let eyes = rng.random_range(1..=6);
///     assert_ne!(eyes, 7);
/// });
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Probtest {
    id: String,
    package: Option<&'static str>,
    p: Option<Result<Probability, ClaimError>>,
    epsilon: Option<Result<Probability, ClaimError>>,
    outcomes: Option<Result<Outcomes, ClaimError>>,
    jobs: Option<usize>,
    seed: Option<RunSeed>,
    max_executions: Option<u64>,
    max_rejections: Option<u64>,
    own_randomness: bool,
    should_panic: bool,
}

/// Says why a test could not be started. Nothing was executed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A variable of the environment has a value that it cannot have.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The claim or an option is out of range.
    #[error(transparent)]
    Test(#[from] Error),
    /// Nobody said which violation probability must be caught.
    #[error(
        "the test does not say which violation probability must not go unnoticed\n  given  neither p nor outcomes\n  help   write #[probtest(p = 0.01)], or set PROBTEST_P for all tests that do not say it"
    )]
    NoP,
    /// A claim is about one violation probability or about a list of outcomes.
    #[error(
        "the test gives both p and outcomes\n  given  p and outcomes\n  help   keep p to catch violations, or outcomes to see each of them"
    )]
    Both,
    /// An execution that cannot be repeated was asked for.
    #[error(
        "the executions of this test cannot be replayed\n  given  PROBTEST_REPLAY={0}\n  help   let the body take `rng: &mut TestRng` and pass it on to the program"
    )]
    NoReplay(Replay),
}

impl Probtest {
    /// Begins a test with an id of its own, from which its streams are derived.
    pub fn new(id: impl Into<String>) -> Self {
        Probtest {
            id: id.into(),
            package: None,
            p: None,
            epsilon: None,
            outcomes: None,
            jobs: None,
            seed: None,
            max_executions: None,
            max_rejections: None,
            own_randomness: false,
            should_panic: false,
        }
    }

    /// Sets the violation probability that must not go unnoticed.
    pub fn p(mut self, p: impl IntoProbability) -> Self {
        self.p = Some(p.into_probability());
        self
    }

    /// Sets the chance of missing it; 0.05 by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Asks that each of these outcomes is seen. A body that returns the number
    /// of the outcome it showed, from 0, fails when one is never seen.
    pub fn outcomes<I>(mut self, outcomes: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoProbability,
    {
        self.outcomes = Some(Outcomes::new(outcomes));
        self
    }

    /// Executes on this many threads; 1 by default. The verdict and all counts
    /// are the same for any number.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Fixes the run seed of this test, so that it always does the same.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(RunSeed(seed));
        self
    }

    /// Ends without a verdict, which is a failure, when the plan needs more
    /// executions than this.
    pub fn max_executions(mut self, most: u64) -> Self {
        self.max_executions = Some(most);
        self
    }

    /// Allows this many rejections; by default ten for each planned execution,
    /// but at least 1000.
    pub fn max_rejections(mut self, most: u64) -> Self {
        self.max_rejections = Some(most);
        self
    }

    /// Says that the program brings its own randomness and the body ignores its
    /// source. The report then says that executions cannot be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.own_randomness = true;
        self
    }

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When an execution violates the assertion, when the plan was not executed
    /// to its end, and when the claim or the environment makes no sense.
    pub fn check<C: Conclusion>(self, body: impl Fn(&mut TestRng) -> C + Sync) {
        let guard = ExitGuard::new(Guarded {
            test: self.id.clone(),
            command: None,
        });
        let should_panic = self.should_panic;
        let result = match self.replay_address() {
            Err(error) => Err(error),
            Ok(Some(address)) => {
                replay::alone(&self.id, address, body);
                return;
            }
            Ok(None) => self.report(body),
        };
        drop(guard);
        match result {
            Ok(report) if report.passed() => terminal::say(&report.to_string()),
            Ok(report) => {
                let inconclusive = matches!(report.verdict, Verdict::Inconclusive(_));
                fail(&report.to_string(), should_panic && inconclusive);
            }
            Err(error) => fail(&format!("probtest: error: {error}"), should_panic),
        }
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// The environment counts and counterexamples are remembered as in
    /// [`Probtest::check`]; [`fn@crate::run`] is the function without either.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let report = Probtest::new("heads").p(0.1).report(|rng| rng.draw_u64() % 2 == 0)?;
    /// assert!(!report.passed());
    /// # Ok::<(), probtest::SetupError>(())
    /// ```
    pub fn report<C: Conclusion>(
        self,
        body: impl Fn(&mut TestRng) -> C + Sync,
    ) -> Result<Report, SetupError> {
        let environment = environment()?;
        let claim = self.claim(environment)?;
        let notebook = match self.own_randomness {
            true => None,
            false => Notebook::open(&environment.memory, self.package, &self.id),
        };
        let fixed = environment.seed.or(self.seed);
        let options = self.options(environment, fixed, notebook.as_ref());
        let mut report = check::run(&claim, options, body)?;
        report.replay = report
            .address
            .map(|address| cargo_line(address, &report.test, &invocation(self.package)));
        remember(&report, notebook.as_ref());
        if let Some(folder) = &environment.report {
            let name = file_name(self.package, &report.test);
            let file = folder.join(format!("{name}.json"));
            if let Err(error) = write_whole(&file, &format!("{:#}\n", report.to_json())) {
                let file = file.display();
                terminal::shout(&format!("probtest: warning: cannot write {file}: {error}"));
            }
        }
        Ok(report)
    }

    fn claim(&self, environment: &Environment) -> Result<Claim, SetupError> {
        let default = || {
            environment
                .epsilon
                .clone()
                .map_or_else(|| DEFAULT_EPSILON.parse(), Ok)
        };
        let epsilon = self.epsilon.clone().unwrap_or_else(default);
        let epsilon = epsilon.map_err(Error::from)?;
        let given = (&self.p, &self.outcomes, &environment.p);
        let claim = match given {
            (Some(_), Some(_), _) => return Err(SetupError::Both),
            (Some(p), None, _) => Claim::detect(p.clone().map_err(Error::from)?, epsilon),
            (None, Some(outcomes), _) => {
                Claim::cover(outcomes.clone().map_err(Error::from)?, epsilon)
            }
            (None, None, Some(p)) => Claim::detect(p, epsilon),
            (None, None, None) => return Err(SetupError::NoP),
        };
        Ok(claim.map_err(Error::from)?)
    }

    fn options(
        &self,
        environment: &Environment,
        fixed: Option<RunSeed>,
        notebook: Option<&Notebook>,
    ) -> Options<'static> {
        let seed = fixed.unwrap_or_else(seed_of_process);
        let mut options = Options::new(self.id.clone()).seed(seed.0);
        if let Some(jobs) = environment.jobs.or(self.jobs) {
            options = options.jobs(jobs);
        }
        if let Some(most) = self.max_executions.or(environment.max_executions) {
            options = options.max_executions(most);
        }
        if let Some(most) = self.max_rejections {
            options = options.max_rejections(most);
        }
        if self.own_randomness {
            options = options.own_randomness();
        }
        let mut remembered = notebook.map(Notebook::read).unwrap_or_default();
        // Under a fixed seed only what belongs to it is executed first: whether the
        // test passes then depends on the seed alone, not on what lies on the disk.
        remembered.retain(|replay| fixed.is_none_or(|seed| seed == replay.seed));
        options.remembered(remembered)
    }

    fn replay_address(&self) -> Result<Option<Replay>, SetupError> {
        let replay = environment()?.replay;
        match replay {
            Some(address) if self.own_randomness => Err(SetupError::NoReplay(address)),
            replay => Ok(replay),
        }
    }
}

/// Begins a test for the attribute.
#[doc(hidden)]
pub fn test(id: &'static str, package: &'static str) -> Probtest {
    Probtest {
        package: Some(package),
        ..Probtest::new(id)
    }
}

/// Tells a test that `#[should_panic]` stands on it.
#[doc(hidden)]
pub fn should_panic(test: Probtest) -> Probtest {
    Probtest {
        should_panic: true,
        ..test
    }
}

/// Reads the environment, and warns once about names that mean nothing.
fn environment() -> Result<&'static Environment, SetupError> {
    static WARNED: OnceLock<()> = OnceLock::new();
    let environment = Environment::of_process()?;
    WARNED.get_or_init(|| {
        if let Some(warning) = environment.warning() {
            terminal::shout(&warning);
        }
    });
    Ok(environment)
}

/// The seed that all tests of this process share when none is given.
fn seed_of_process() -> RunSeed {
    static SEED: OnceLock<RunSeed> = OnceLock::new();
    *SEED.get_or_init(RunSeed::fresh)
}

fn remember(report: &Report, notebook: Option<&Notebook>) {
    let Some(notebook) = notebook else { return };
    let written = match (&report.remembered, report.address) {
        (Remembered::Mended(mended), None) => notebook.forget(mended),
        (Remembered::Mended(mended), Some(found)) => {
            notebook.forget(mended).and_then(|()| notebook.add(found))
        }
        (_, Some(found)) => notebook.add(found),
        (_, None) => Ok(()),
    };
    if let Err(error) = written {
        terminal::shout(&format!(
            "probtest: warning: the counterexample cannot be remembered: {error}\n  help   set PROBTEST_MEMORY to a folder that can be written, or to off"
        ));
    }
}

/// Fails the test with a text, or returns when returning is the failure.
///
/// A test with `#[should_panic]` fails by not panicking: it asks for a violation,
/// and a test that could not be decided has shown none.
fn fail(text: &str, by_returning: bool) {
    terminal::complain(text);
    if !by_returning {
        // The text is out; the hook would print it again. libtest looks for
        // `#[should_panic(expected = ..)]` in the payload.
        std::panic::resume_unwind(Box::new(text.to_owned()));
    }
}
