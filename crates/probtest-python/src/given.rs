//! What a test and its run say about options; the core knows who wins.

use probtest::Error;
use probtest::seed::Selection;
use probtest::settings::{self, Given as CoreGiven, GivenBy, OPTIONS, Spec};
use pyo3::prelude::*;

use crate::claims::{self, Claim};
use crate::{properties, refused};

/// Returns the table of options: name, whether the marker and `check` take it, whether
/// pytest takes it as an option and as an ini key, the placeholder of its value, and help.
#[pyfunction]
pub fn options() -> Vec<(&'static str, bool, bool, &'static str, &'static str)> {
    let row = |spec: &Spec| (spec.name, spec.marker, spec.pytest, spec.metavar, spec.help);
    OPTIONS.iter().map(row).collect()
}

/// Returns the help for names that do not exist: those that were meant, or all of this kind.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
pub fn suggestion(given: Vec<String>, kind: &str, names: Vec<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    settings::suggestion(&given, kind, &names)
}

/// What a test and its run say about options.
#[pyclass(module = "probtest._native", from_py_object)]
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub core: CoreGiven,
    /// Whether the run says what tests look for that do not say it themselves.
    #[pyo3(get)]
    has_default: bool,
    has_p: bool,
    /// What the test itself says.
    own: Vec<&'static str>,
}

/// What a claim that is given as a whole has inside.
const PARTS: [&str; 5] = ["p", "epsilon", "tolerate", "false_alarm", "outcomes"];

#[pymethods]
impl Given {
    #[new]
    fn new() -> Self {
        Given::default()
    }

    /// Takes what the test says; None says nothing.
    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(spec) = Spec::find(name) else {
            return Err(refused(format!("there is no option {name}")));
        };
        if value.is_none() {
            return Ok(());
        }
        self.own.push(spec.name);
        if self.own.contains(&"claim") && PARTS.iter().any(|part| self.own.contains(part)) {
            return Err(refused(Error::new(
                "claim is the only claim of a test",
                self.own.join(", "),
                "write claim=probtest.mean(..) or claim=probtest.fit(..); epsilon and false_alarm belong inside",
            )));
        }
        if name == "claim" {
            let Ok(claim) = value.cast::<Claim>() else {
                return Err(refused(Error::new(
                    "claim is not a claim",
                    value.repr()?.to_string(),
                    "write claim=probtest.mean(..), claim=probtest.fit(..) or claim=probtest.estimate(width=..)",
                )));
            };
            self.core.set_claim(&claim.get().core);
            return Ok(());
        }
        let value = claims::option(spec, value)?;
        self.core.set(name, GivenBy::Test, Ok(value));
        // Seeds are read when they are used; a wrong one is refused here.
        self.core.seed().map_err(refused).map(drop)
    }

    /// Reads what a flag such as `--probtest-p`, or an ini key, says. Of several places the
    /// first one to be read says what `p` is: it may be a list of outcomes.
    fn read(&mut self, name: &str, place: String, text: &str) {
        let origin = match place.starts_with('-') {
            true => GivenBy::Flag(place.into()),
            false => GivenBy::Key(place.into()),
        };
        self.read_from(name, origin, text);
    }

    /// Reads the variables of an environment. Returns the warning about names that mean nothing,
    /// and the names that mean something elsewhere, and not to pytest.
    fn read_environment(
        &mut self,
        variables: Vec<(String, String)>,
    ) -> (Option<String>, Vec<String>) {
        let (mut unknown, mut ignored) = (Vec::new(), Vec::new());
        for (name, text) in variables {
            match OPTIONS.iter().find(|spec| spec.variable == Some(&name)) {
                _ if !name.starts_with("PROBTEST_") || text.trim().is_empty() => {}
                Some(spec) if spec.pytest => {
                    self.read_from(spec.name, GivenBy::Variable(name.into()), &text);
                }
                // Set for programs under test, not by the user.
                Some(spec) if ["execution", "cost_file"].contains(&spec.name) => {}
                Some(_) => ignored.push(name),
                None => unknown.push(name),
            }
        }
        unknown.sort();
        ignored.sort();
        (settings::ignored_variables(&unknown, |spec| spec.pytest), ignored)
    }

    /// Refuses values that cannot be read, or do not go together.
    fn check(&self) -> PyResult<()> {
        self.core.check().map_err(refused)?;
        self.core.seed().map_err(refused)?;
        self.core.shard().map_err(refused)?;
        self.core.replay().map_err(refused).map(drop)
    }

    /// Makes the claim.
    fn claim(&self) -> PyResult<Claim> {
        Ok(Claim { core: self.core.claim().map_err(refused)? })
    }

    /// What this says together with what the run says.
    fn with_run(&self, run: &Given) -> Given {
        let mut all = self.clone();
        all.core.extend(&run.core);
        all.has_default |= run.has_default;
        all
    }
}

properties! { Given, self:
    /// The executions that one call of the test makes, where that is a batch.
    batch: PyResult<Option<u64>> = self.core.count("batch").map_err(refused);
    /// How many executions run at the same time, where that is said; 0 for `auto`.
    jobs: PyResult<Option<u64>> = match self.core.is_auto("jobs").map_err(refused)? {
        true => Ok(Some(0)),
        false => self.core.count("jobs").map_err(refused),
    };
    /// Whether the test is executed in a process of its own.
    isolate: PyResult<bool> = self.flag("isolate");
    /// Whether the seed of an execution is mixed into the constant seeds that its code sets.
    vary_seeds: PyResult<bool> = self.flag("vary_seeds");
    /// Whether the body may run on several threads.
    threads: PyResult<bool> = self.flag("threads");
    /// How many executions are under way at the same time, where that is said.
    concurrency: PyResult<Option<u64>> = {
        let concurrency = self.core.count("concurrency").map_err(refused)?;
        if concurrency.is_none() || !self.core.has_of_test("inputs") {
            return Ok(concurrency);
        }
        if !self.core.has_of_test("concurrency") {
            // The run says it for tests that can.
            return Ok(None);
        }
        Err(refused(Error::new(
            "inputs and concurrency do not go together: concurrent executions share generators, so probtest cannot see whether one drew before it rejected its input",
            "inputs and concurrency",
            "leave out inputs or concurrency; use jobs for several processes",
        )))
    };
    /// The run seed, where one is fixed.
    seed: PyResult<Option<u64>> = Ok(self.core.seed().map_err(refused)?.map(|seed| seed.0));
    /// The execution to run alone, and whether it names its test.
    replay: PyResult<Option<(u64, u64, bool)>> = {
        let selection = self.core.replay().map_err(refused)?;
        let parts = |of: Selection| (of.address.seed.0, of.address.index, of.names_a_test());
        Ok(selection.map(parts))
    };
    /// The time that the tests of the suite share, in nanoseconds; None without a limit.
    suite_time: PyResult<Option<u64>> = {
        if self.core.times_are_off() {
            return Ok(None);
        }
        let limit = self.core.duration("suite_max_time").map_err(refused)?;
        Ok(limit.map(|limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX)))
    };
    /// The part of the executions to make, such as `3/16`.
    shard: PyResult<Option<String>> =
        Ok(self.core.shard().map_err(refused)?.map(|shard| shard.to_string()));
    /// The folder of journals, and the key that the user gives for the code.
    journal: PyResult<(Option<String>, Option<String>)> =
        Ok((self.text("journal")?, self.text("journal_key")?));
    /// Where counterexamples are remembered, where that is said.
    memory: PyResult<Option<String>> = self.text("memory");
    /// The cluster that executes, where that is said.
    executor: PyResult<Option<String>> = self.text("executor");
    /// The chances that the tests of the suite share, by name, as text.
    suite: PyResult<Vec<(&'static str, String)>> = {
        let mut chances = Vec::new();
        for (name, option) in [("epsilon", "suite_epsilon"), ("false_alarm", "suite_false_alarm")] {
            let chance = self.core.probability(option).map_err(refused)?;
            chances.extend(chance.map(|chance| (name, chance.to_string())));
        }
        Ok(chances)
    };
}

impl Given {
    fn flag(&self, name: &str) -> PyResult<bool> {
        Ok(self.core.flag(name).map_err(refused)?.unwrap_or(false))
    }

    fn text(&self, name: &str) -> PyResult<Option<String>> {
        self.core.text(name).map_err(refused)
    }

    fn read_from(&mut self, name: &str, origin: GivenBy, text: &str) {
        let name = match name {
            "p" | "outcomes" if std::mem::replace(&mut self.has_p, true) => return,
            "p" if text.contains(',') => "outcomes",
            _ => name,
        };
        self.has_default |= matches!(name, "p" | "outcomes" | "tolerate");
        self.core.read(name, origin, text);
    }
}
