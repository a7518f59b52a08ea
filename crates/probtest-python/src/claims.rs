//! Claims, their plans, and options, from whatever values Python has; the core knows who wins.

use std::time::Duration;

use probtest::claim::{Terms, Worse};
use probtest::plan::{self as planning, Plan};
use probtest::report::{self, claim_line, plan_facts, plan_text};
use probtest::seed::Selection;
use probtest::settings::{
    self, Given as CoreGiven, GivenBy, OPTIONS, OptionKind, OptionValue, Spec, check_duration,
};
use probtest::{Claim as CoreClaim, Error, Outcomes, Probability};
use probtest_facts::TestFacts;
use probtest_facts::json::ToJson;
use probtest_syntax::options::DEFAULT_EPSILON;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PySet, PyString};

use crate::{properties, refused};

/// What a test promises.
#[pyclass(module = "probtest._native", frozen, from_py_object)]
#[derive(Clone, Debug)]
pub struct Claim {
    pub core: CoreClaim,
}

properties! { Claim, self:
    /// The kind of claim: detect, cover, tolerate, mean, fit, compare or estimate.
    kind: &'static str = self.core.kind();
    /// p as text, exactly as you gave it, or None.
    p: Option<String> = self.core.p().map(ToString::to_string);
    /// epsilon as text, exactly as you gave it; None for an estimate.
    epsilon: Option<String> = self.core.epsilon().map(ToString::to_string);
    /// The tolerated rate as text, or None.
    tolerate: Option<String> = self.core.tolerated().map(ToString::to_string);
    /// The chance of a false alarm as text; None if the claim doesn't bound it.
    false_alarm: Option<String> = self.core.false_alarm().map(ToString::to_string);
    /// The outcomes as text, or None.
    outcomes: Option<Vec<String>> =
        Some(self.core.outcomes()?.iter().map(ToString::to_string).collect());
    /// The promise as a sentence.
    promise: String = report::promise(&self.core);
    /// The most executions that the claim needs.
    planned: PyResult<u64> = Ok(Plan::new(&self.core).map_err(refused)?.executions());
    /// Whether the claim is about what executions return.
    is_about_returned: bool = self.core.is_about_returned();
    /// Whether the first violation decides. It doesn't if a rate is tolerated, measured or
    /// compared.
    first_violation_decides: bool = self.core.first_violation_decides();
}

#[pymethods]
impl Claim {
    fn __repr__(&self) -> String {
        format!("<probtest claim: {}>", claim_line(&self.core))
    }
}

/// Claims that a mean is within, above or below something.
#[pyfunction]
#[pyo3(signature = (between, margin, within=None, above=None, below=None, epsilon=None, false_alarm=None))]
pub fn mean(
    between: &Bound<'_, PyAny>,
    margin: &Bound<'_, PyAny>,
    within: Option<&Bound<'_, PyAny>>,
    above: Option<&Bound<'_, PyAny>>,
    below: Option<&Bound<'_, PyAny>>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let (low, high) = pair("between", between)?;
    let mut terms = probtest::mean().between(low, high).margin(number("margin", margin)?);
    if let Some(within) = within {
        let (low, high) = pair("within", within)?;
        terms = terms.within(low, high);
    }
    if let Some(low) = above {
        terms = terms.above(number("above", low)?);
    }
    if let Some(high) = below {
        terms = terms.below(number("below", high)?);
    }
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that each label is returned with its probability.
#[pyfunction]
#[pyo3(signature = (labels, distance, epsilon=None, false_alarm=None))]
pub fn fit(
    labels: Vec<(String, Bound<'_, PyAny>)>,
    distance: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let mut terms = probtest::fit().distance(number("distance", distance)?);
    for (label, p) in labels {
        terms = terms.label(label, probability("the probability of a label", &p)?);
    }
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that a new version doesn't violate more often than an old one.
#[pyfunction]
#[pyo3(signature = (p_change, epsilon=None, false_alarm=None))]
pub fn compare(
    p_change: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let terms = probtest::compare(probability("p_change", p_change)?);
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that the mean of a new version isn't worse than that of an old one.
#[pyfunction]
#[pyo3(signature = (change, between, worse, epsilon=None, false_alarm=None))]
pub fn compare_means(
    change: &Bound<'_, PyAny>,
    between: &Bound<'_, PyAny>,
    worse: &str,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let (low, high) = pair("between", between)?;
    let worse = match worse {
        "higher" => Worse::Higher,
        "lower" => Worse::Lower,
        other => {
            return Err(refused(Error::new(
                "worse does not say which numbers are worse",
                format!("worse = {other:?}"),
                "write worse=\"higher\" or worse=\"lower\"",
            )));
        }
    };
    let terms = probtest::compare_means().between(low, high).worse(worse);
    with_chances(terms.change(number("change", change)?), epsilon, false_alarm)
}

/// Measures the violation rate, with an interval of at most this width.
#[pyfunction]
#[pyo3(signature = (width, confidence=None))]
pub fn estimate(
    width: &Bound<'_, PyAny>,
    confidence: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    // Numbers: a float says how close the end of an interval can come to 0 or 1.
    let mut terms = probtest::estimate(number("width", width)?);
    if let Some(confidence) = confidence {
        terms = terms.confidence(number("confidence", confidence)?);
    }
    Ok(Claim { core: terms.claim().map_err(refused)? })
}

fn with_chances<R>(
    mut terms: Terms<R>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    if let Some(epsilon) = epsilon {
        terms = terms.epsilon(probability("epsilon", epsilon)?);
    }
    if let Some(false_alarm) = false_alarm {
        terms = terms.false_alarm(probability("false_alarm", false_alarm)?);
    }
    Ok(Claim { core: terms.claim().map_err(refused)? })
}

/// Plans a claim: the facts as JSON text, and the text for people.
#[pyfunction]
pub fn plan(claim: &Claim) -> PyResult<(String, String)> {
    let plan = Plan::new(&claim.core).map_err(refused)?;
    Ok((plan_facts(&plan).to_json().to_string(), plan_text(&plan)))
}

/// Returns the chance of passing and the expected executions at a violation rate; None
/// where they do not depend on a rate.
#[pyfunction]
pub fn at_rate(claim: &Claim, rate: f64) -> PyResult<Option<(f64, f64)>> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(refused(Error::new(
            "a violation rate must be between 0 and 1",
            format!("{rate:?}"),
            "write a number such as 0.001",
        )));
    }
    let plan = Plan::new(&claim.core).map_err(refused)?;
    let passing = plan.chance_of_passing(rate);
    Ok(passing.zip(plan.expected_executions(rate)))
}

/// Reads an epsilon, or returns the one that holds where none is given.
fn epsilon_or_default(epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<Probability> {
    match epsilon {
        Some(epsilon) => probability("epsilon", epsilon),
        None => Probability::parse(DEFAULT_EPSILON).map_err(refused),
    }
}

/// Returns the smallest p that this many executions catch.
#[pyfunction]
#[pyo3(signature = (executions, epsilon=None))]
pub fn smallest_p(executions: u64, epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    let p = planning::smallest_p(executions, &epsilon_or_default(epsilon)?).map_err(refused)?;
    Ok(p.as_f64())
}

/// Returns the chance of missing a claim's p after this many executions.
#[pyfunction]
pub fn epsilon_attained(executions: u64, p: &Bound<'_, PyAny>) -> PyResult<f64> {
    let chance = planning::epsilon_attained(&probability("p", p)?, executions);
    Ok(chance.map_err(refused)?.value())
}

/// What it costs to plan for a p that isn't the true one: executions needed, executions planned,
/// how many are missing, chance of missing, how far that is above epsilon.
#[pyfunction]
#[pyo3(signature = (p, believed, epsilon=None))]
pub fn sensitivity(
    p: &Bound<'_, PyAny>,
    believed: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, u64, i128, f64, f64)> {
    let (p, believed) = (probability("p", p)?, probability("believed", believed)?);
    let found = planning::sensitivity(&p, &believed, &epsilon_or_default(epsilon)?);
    let found = found.map_err(refused)?;
    let (needed, planned) = (found.executions, found.executions_believed);
    Ok((needed, planned, found.short, found.miss.value(), found.added_miss))
}

/// Returns the Clopper-Pearson interval of a rate.
#[pyfunction]
pub fn interval(violations: u64, executions: u64, confidence: f64) -> PyResult<(f64, f64)> {
    probtest::judge::interval::clopper_pearson(violations, executions, confidence).map_err(refused)
}

/// Says what tests promise together, as JSON text, from the JSON text of their facts.
#[pyfunction]
pub fn suite_promises(tests: &str) -> PyResult<String> {
    let tests: Vec<TestFacts> = serde_json::from_str(tests).map_err(refused)?;
    let promises = report::suite_promises(&tests).map_err(refused)?;
    Ok(promises.to_json().to_string())
}

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
        let value = option(spec, value)?;
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
                Some(spec) if ["execution", "cost_file", "outcome_file"].contains(&spec.name) => {}
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

/// Returns a value as text. Python refuses to write numbers of thousands of digits.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(match value.str() {
        Ok(text) => text.to_string(),
        Err(_) => format!("a very long {}", value.get_type().name()?),
    })
}

/// Reads a probability, so that an error calls it by its name. A float is the decimal that
/// it prints as, a `Fraction` prints as `1/6`, a `Decimal` as `0.01`.
fn probability(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Probability> {
    let read = match value.cast::<PyFloat>() {
        // Python would write an exponent of two digits.
        Ok(number) => Probability::from_f64(number.value()),
        Err(_) => Probability::parse(&text(value)?),
    };
    read.map_err(|error| refused(error.about(name)))
}

/// Reads a number; a text or a boolean is none.
fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let textual = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyBool>();
    if !textual && let Ok(number) = value.extract() {
        return Ok(number);
    }
    let given = match value.is_instance_of::<PyInt>() {
        true => text(value)?,
        false => value.repr()?.to_string(),
    };
    Err(refused(Error::new(
        format!("{name} is not a number"),
        given,
        "write a plain number such as 0.1, not a string",
    )))
}

/// Reads the lower and the higher of two numbers.
fn pair(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    // A set has no order, and a text is no pair although it can be taken apart.
    let whole = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PySet>();
    if !whole
        && let Ok(parts) = value.try_iter().and_then(|parts| parts.collect::<PyResult<Vec<_>>>())
        && let [low, high] = parts.as_slice()
    {
        return Ok((number(name, low)?, number(name, high)?));
    }
    Err(refused(Error::new(
        format!("{name} is not a pair of numbers"),
        value.repr()?.to_string(),
        format!("write the lower and the higher one, such as {name}=(0, 1)"),
    )))
}

/// Reads the value of an option that a test gives.
fn option(spec: &'static Spec, value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    match spec.kind {
        // Types of Python, which stay there.
        OptionKind::Exceptions => Ok(OptionValue::Text(value.repr()?.to_string())),
        OptionKind::Probability => probability(spec.name, value).map(OptionValue::Probability),
        OptionKind::Outcomes if !value.is_instance_of::<PyString>() => {
            outcomes(value).map(OptionValue::Outcomes)
        }
        OptionKind::Duration | OptionKind::DurationOrOff if !value.is_instance_of::<PyString>() => {
            duration(spec.name, value).map(OptionValue::Duration)
        }
        _ => spec.read(spec.name, &text(value)?).map_err(refused),
    }
}

fn outcomes(value: &Bound<'_, PyAny>) -> PyResult<Outcomes> {
    let Ok(entries) = value.try_iter() else {
        return Err(refused(Error::new(
            "outcomes is not a list of probabilities",
            text(value)?,
            "write one for each outcome, such as outcomes=[0.5, 0.5]",
        )));
    };
    let list = entries.map(|p| probability("an outcome's probability", &p?));
    Outcomes::new(list.collect::<PyResult<Vec<_>>>()?).map_err(refused)
}

/// Reads a number of seconds or a `timedelta`.
fn duration(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = match value.getattr_opt("total_seconds")? {
        Some(seconds) => seconds.call0()?,
        None => value.clone(),
    };
    let plain = seconds.is_instance_of::<PyInt>() || seconds.is_instance_of::<PyFloat>();
    if !plain || seconds.is_instance_of::<PyBool>() {
        return Err(refused(Error::new(
            format!("{name} is not a duration"),
            value.repr()?.to_string(),
            "write a string such as '30s' or '1m30s', a number of seconds, or a timedelta",
        )));
    }
    // A whole number may be too large for a float.
    let seconds: f64 = seconds.extract().unwrap_or(f64::MAX);
    let beyond = if seconds > 0.0 { Duration::MAX } else { Duration::ZERO };
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(beyond);
    let given = text(value)?;
    check_duration(duration).map_err(|error| refused(error.about(name).with_given(given)))
}
