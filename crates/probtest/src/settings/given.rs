//! Options of a test and of its run, and which of them wins.

use std::borrow::Cow;
use std::time::Duration;

use probtest_syntax::options::{OPTIONS, OptionValue, Spec, Wins, apart};
use probtest_syntax::{Error, Probability};

use super::{SHRINK_TIME, Settings, Shard, StartRate, TimeLimit};
use crate::claim::{Claim, ClaimParts, Terms};
use crate::seed::{RunSeed, Selection, Tape};

/// The place where an option was set. Of several places of the run, an earlier one in this list
/// wins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GivenBy {
    /// The test itself: attribute, builder or marker.
    Test,
    /// A flag of the command line, by its name.
    Flag(Cow<'static, str>),
    /// An environment variable, by its name.
    Variable(Cow<'static, str>),
    /// A key of a configuration file, by its name.
    Key(Cow<'static, str>),
}

impl GivenBy {
    /// Says that the value came from here, if that isn't obvious.
    fn blamed_by(&self, error: Error) -> Error {
        let place = match self {
            GivenBy::Variable(variable) => format!("the environment variable {variable}"),
            GivenBy::Key(key) => format!("the key {key}"),
            GivenBy::Test | GivenBy::Flag(_) => return error,
        };
        error.from_place(format!("{place} cannot be used"))
    }

    /// The rank of the place, whatever its name: a lower one wins.
    fn rank(&self) -> u8 {
        match self {
            GivenBy::Test => 0,
            GivenBy::Flag(_) => 1,
            GivenBy::Variable(_) => 2,
            GivenBy::Key(_) => 3,
        }
    }
}

/// The value that one place sets for an option.
type GivenValue = (&'static Spec, GivenBy, Result<OptionValue, Error>);

/// The options that a test and its run set.
#[derive(Clone, Debug, Default)]
pub struct Given {
    values: Vec<GivenValue>,
    /// The claim that the test sets as a value of the language.
    terms: ClaimParts,
}

fn known(name: &str) -> &'static Spec {
    Spec::find(name).unwrap_or_else(|| panic!("there is no option {name}"))
}

/// Reads a tape that was too long for a line.
fn read_tape(path: &str) -> Result<Tape, Error> {
    let read = std::fs::read_to_string(path);
    let text = read.map_err(|error| {
        Error::new(
            format!("the tape cannot be read: {error}"),
            format!("@{path}"),
            "run the command in the folder that the report names, or run the whole test again",
        )
    })?;
    text.parse()
}

impl Given {
    /// Sets an option.
    ///
    /// # Panics
    /// When there is no such option.
    pub fn set(&mut self, name: &str, place: GivenBy, value: Result<OptionValue, Error>) {
        // Said twice in one place, the last word counts.
        self.values.retain(|(other, from, _)| other.name != name || *from != place);
        self.values.push((known(name), place, value));
    }

    /// Sets an option from text. An error is reported when the test starts, and names the place.
    ///
    /// # Panics
    /// When there is no such option.
    pub fn read(&mut self, name: &str, place: GivenBy, text: &str) {
        let called = match &place {
            GivenBy::Test => name,
            GivenBy::Flag(flag) => flag,
            GivenBy::Variable(_) | GivenBy::Key(_) => "it",
        };
        let value = known(name).read(called, text).map_err(|error| place.blamed_by(error));
        self.set(name, place, value);
    }

    /// Sets the claim, or parts of it.
    pub fn set_claim<R>(&mut self, claim: impl Into<Terms<R>>) {
        self.terms = claim.into().parts;
    }

    /// Adds another place's options. What is set in other places stays.
    pub fn extend(&mut self, other: &Given) {
        for (spec, place, value) in &other.values {
            self.set(spec.name, place.clone(), value.clone());
        }
    }

    /// Returns the first error among the options of the run, to report it before a test starts.
    pub fn check(&self) -> Result<(), Error> {
        for (_, _, value) in &self.values {
            value.clone()?;
        }
        Ok(())
    }

    /// The value that the test sets for an option, or the run does; of several places of the run,
    /// the first.
    fn given_value(&self, name: &str, by_test: bool) -> Option<&GivenValue> {
        let said = self
            .values
            .iter()
            .filter(|(spec, place, _)| spec.name == name && (*place == GivenBy::Test) == by_test);
        said.min_by_key(|(_, place, _)| place.rank())
    }

    /// Whether the test itself sets an option.
    pub fn has_of_test(&self, name: &str) -> bool {
        self.given_value(name, true).is_some()
    }

    /// The options that the test sets, except those that it turns off.
    fn in_force(&self) -> impl Iterator<Item = &'static str> {
        let is_off = |spec: &Spec, value: &Result<OptionValue, Error>| match value {
            Ok(OptionValue::Flag(is_on)) => !is_on,
            Ok(OptionValue::Count(count)) => spec.name == "jobs" && *count == 1,
            _ => false,
        };
        let given = self.values.iter();
        given.filter_map(move |(spec, place, value)| {
            (*place == GivenBy::Test && !is_off(spec, value)).then_some(spec.name)
        })
    }

    /// Why this option can't be combined with one that the test sets, if it can't.
    fn beside_test(&self, name: &str) -> Option<Error> {
        self.in_force().find_map(|other| apart(other, name))
    }

    /// Finds the value that wins.
    fn find(&self, name: &str) -> Result<Option<(&OptionValue, &GivenBy)>, Error> {
        let (of_test, of_run) = (self.given_value(name, true), self.given_value(name, false));
        if of_test.is_none() && of_run.is_some() && self.beside_test(name).is_some() {
            // The run says it for tests that can.
            return Ok(None);
        }
        let Some((spec, ..)) = of_test.or(of_run) else { return Ok(None) };
        let test_is_smaller = match (of_test, of_run) {
            (Some((_, _, Ok(of_test))), Some((_, _, Ok(of_run)))) => match (of_test, of_run) {
                (OptionValue::Count(of_test), OptionValue::Count(of_run)) => of_test <= of_run,
                (OptionValue::Cost(of_test), OptionValue::Cost(of_run)) => of_test <= of_run,
                _ => false,
            },
            _ => false,
        };
        let chosen = match spec.wins {
            Wins::Test => of_test.or(of_run),
            Wins::Smaller if test_is_smaller => of_test,
            Wins::Run | Wins::Smaller => of_run.or(of_test),
        };
        chosen
            .map(|(_, place, value)| Ok((value.as_ref().map_err(Error::clone)?, place)))
            .transpose()
    }

    /// Finds a count.
    pub fn count(&self, name: &str) -> Result<Option<u64>, Error> {
        let Some((OptionValue::Count(count), _)) = self.find(name)? else { return Ok(None) };
        Ok(Some(*count))
    }

    /// Whether an option is left to the machine.
    pub fn is_auto(&self, name: &str) -> Result<bool, Error> {
        Ok(matches!(self.find(name)?, Some((OptionValue::Auto, _))))
    }

    /// How many executions run at the same time: one by default, and as many as there are cores for
    /// `auto`.
    pub fn jobs(&self, cores: impl FnOnce() -> usize) -> Result<usize, Error> {
        if self.is_auto("jobs")? {
            return Ok(cores().max(1));
        }
        let jobs = self.count("jobs")?.unwrap_or(1);
        Ok(usize::try_from(jobs).unwrap_or(usize::MAX))
    }

    /// The most that executions may cost together.
    pub fn max_cost(&self) -> Result<Option<f64>, Error> {
        let Some((OptionValue::Cost(cost), _)) = self.find("max_cost")? else { return Ok(None) };
        Ok(Some(*cost))
    }

    /// Finds a probability.
    pub fn probability(&self, name: &str) -> Result<Option<&Probability>, Error> {
        let Some((OptionValue::Probability(p), _)) = self.find(name)? else { return Ok(None) };
        Ok(Some(p))
    }

    /// Finds a duration; none if time limits are turned off.
    pub fn duration(&self, name: &str) -> Result<Option<Duration>, Error> {
        let Some((OptionValue::Duration(duration), _)) = self.find(name)? else { return Ok(None) };
        Ok(Some(*duration))
    }

    /// Finds a string.
    pub fn text(&self, name: &str) -> Result<Option<String>, Error> {
        let Some((OptionValue::Text(text), _)) = self.find(name)? else { return Ok(None) };
        Ok(Some(text.clone()))
    }

    /// Finds a flag.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        let Some((OptionValue::Flag(flag), _)) = self.find(name)? else { return Ok(None) };
        Ok(Some(*flag))
    }

    /// How often executions may start.
    ///
    /// # Errors
    /// When it isn't a rate.
    pub fn rate(&self) -> Result<Option<&StartRate>, Error> {
        let Some((OptionValue::StartRate(rate), _)) = self.find("rate")? else { return Ok(None) };
        Ok(Some(rate))
    }

    /// Whether time limits are turned off for the whole run.
    pub fn times_are_off(&self) -> bool {
        self.values.iter().any(|(spec, place, value)| {
            spec.name == "max_time" && *place != GivenBy::Test && *value == Ok(OptionValue::Off)
        })
    }

    /// The run seed, if the run or the test fixes it.
    pub fn seed(&self) -> Result<Option<RunSeed>, Error> {
        self.parsed("seed")
    }

    /// The execution to replay.
    pub fn replay(&self) -> Result<Option<Selection>, Error> {
        self.parsed("replay")
    }

    /// The draws to play in the replayed execution, if its address has a fourth part.
    pub fn tape(&self) -> Result<Option<Tape>, Error> {
        let Some((OptionValue::Text(text), place)) = self.find("replay")? else { return Ok(None) };
        let tape = Selection::split(text).1.map(|tape| {
            let file = tape.strip_prefix('@').map(read_tape);
            file.unwrap_or_else(|| tape.parse())
        });
        tape.transpose().map_err(|error| place.blamed_by(error))
    }

    /// The shard to run.
    pub fn shard(&self) -> Result<Option<Shard>, Error> {
        self.parsed("shard")
    }

    fn parsed<T: std::str::FromStr<Err = Error>>(&self, name: &str) -> Result<Option<T>, Error> {
        let Some((OptionValue::Text(text), place)) = self.find(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error| place.blamed_by(error))
    }

    /// Makes the claim: from the test, then from the run for what the test leaves open, then from
    /// the defaults.
    ///
    /// # Errors
    /// When a part is missing, out of range, or doesn't go with the others.
    pub fn claim(&self) -> Result<Claim, Error> {
        let mut test = self.terms.clone();
        let own = self.parts(true);
        test.p = test.p.or(own.p);
        test.epsilon = test.epsilon.or(own.epsilon);
        test.tolerate = test.tolerate.or(own.tolerate);
        test.false_alarm = test.false_alarm.or(own.false_alarm);
        test.outcomes = test.outcomes.or(own.outcomes);
        test.inputs = test.inputs.or(own.inputs);
        test.or(&self.parts(false)).claim()
    }

    fn parts(&self, by_test: bool) -> ClaimParts {
        let find = |name: &str| self.given_value(name, by_test).map(|(_, _, value)| value.clone());
        let probability = |name| {
            find(name).map(|value| match value? {
                OptionValue::Probability(p) => Ok(p),
                _ => unreachable!("the table says that it takes a probability"),
            })
        };
        let mut parts = ClaimParts {
            p: probability("p"),
            epsilon: probability("epsilon"),
            tolerate: probability("tolerate"),
            false_alarm: probability("false_alarm"),
            outcomes: find("outcomes").map(|value| match value? {
                OptionValue::Outcomes(outcomes) => Ok(outcomes),
                _ => unreachable!("the table says that it takes outcomes"),
            }),
            inputs: find("inputs").map(|value| match value? {
                OptionValue::Count(inputs) => Ok(inputs),
                _ => unreachable!("the table says that it takes a count"),
            }),
            ..ClaimParts::default()
        };
        // Where they come from different places, the place that wins decides what the
        // claim is about; from one place, both are refused.
        let rank = |name| self.given_value(name, by_test).map(|(_, place, _)| place.rank());
        match (rank("p"), rank("outcomes")) {
            (Some(p), Some(outcomes)) if p < outcomes => parts.outcomes = None,
            (Some(p), Some(outcomes)) if p > outcomes => parts.p = None,
            _ => {}
        }
        parts
    }

    /// Lists the environment variables that a claim may come from, with their values.
    pub fn claiming_variables(&self) -> Vec<(String, String)> {
        const CLAIMING: [&str; 5] =
            ["p", "epsilon", "false_alarm", "suite_epsilon", "suite_false_alarm"];
        let set = |name: &str| {
            self.values.iter().find_map(|(spec, place, value)| match (place, value) {
                (GivenBy::Variable(variable), Ok(OptionValue::Probability(p)))
                    if spec.name == name =>
                {
                    Some((variable.clone().into_owned(), p.to_string()))
                }
                _ => None,
            })
        };
        CLAIMING.into_iter().filter_map(set).collect()
    }

    /// Adds these options to the settings of a test that starts now. `suite_time_used` is the time
    /// since the first test of the suite started; `remaining_tests` is how many tests, including
    /// this one, share the rest of it one after the other.
    pub fn settings<'a>(
        &self,
        mut settings: Settings<'a>,
        claim: &Claim,
        suite_time_used: Duration,
        remaining_tests: u64,
    ) -> Result<Settings<'a>, Error> {
        if let Some(error) = self.in_force().find_map(|name| self.beside_test(name)) {
            return Err(error);
        }
        if let Some(seed) = self.seed()? {
            settings = settings.seed(seed.0);
        }
        let test_lists_outcomes = self.terms.outcomes.is_some() || self.has_of_test("outcomes");
        if claim.outcomes().is_some() && !test_lists_outcomes {
            // The run gives them to tests that do not know of them.
            settings = settings.unreported_outcomes();
        }
        if let Some(jobs) = self.count("jobs")? {
            settings = settings.jobs(usize::try_from(jobs).unwrap_or(usize::MAX));
        }
        if let Some(shard) = self.shard()? {
            if self.seed()?.is_none() && self.replay()?.is_none() {
                // A door may have a fresh one, which the other shards do not know.
                return Err(Settings::without_seed(shard));
            }
            settings = settings.shard(shard);
        }
        settings = settings.batch(self.count("batch")?.unwrap_or(1));
        settings.max_executions = self.count("max_executions")?;
        settings.max_rejections = self.count("max_rejections")?;
        settings.max_unavailable = self.count("max_unavailable")?;
        settings.concurrency = self.count("concurrency")?;
        settings.rate = self.rate()?.cloned().or(settings.rate);
        settings.max_cost = self.max_cost()?;
        settings.strict = self.flag("strict")?.unwrap_or(false);
        settings.confirm = self.flag("confirm")?.unwrap_or(true);
        settings.shrink_time = match self.flag("shrink")? {
            Some(false) => Duration::ZERO,
            _ => self.duration("shrink_time")?.unwrap_or(SHRINK_TIME),
        };
        if let Some((OptionValue::OnBudget(word), place)) = self.find("on_budget")?
            && (*place == GivenBy::Test || claim.is_achieved_in_part())
        {
            // What the run says is for claims that can be achieved in part.
            settings = settings.on_budget(*word);
        }
        settings.times.extend(self.times(suite_time_used, remaining_tests)?);
        Ok(settings)
    }

    /// The time limits, and what is left of each.
    ///
    /// # Errors
    /// When one of them isn't a duration.
    pub fn times(
        &self,
        suite_time_used: Duration,
        remaining_tests: u64,
    ) -> Result<Vec<(TimeLimit, Duration)>, Error> {
        let mut times = Vec::new();
        if self.times_are_off() {
            return Ok(times);
        }
        let limit = |duration, of_suite| TimeLimit { duration, of_suite };
        if let Some(duration) = self.duration("max_time")? {
            times.push((limit(duration, false), duration));
        }
        if let Some(duration) = self.duration("suite_max_time")? {
            let left = duration.saturating_sub(suite_time_used);
            let share = u32::try_from(remaining_tests.max(1)).unwrap_or(u32::MAX);
            // A share of time that is not over is not nothing.
            let share = (left / share).max(left.min(Duration::from_nanos(1)));
            times.push((limit(duration, true), share));
        }
        Ok(times)
    }

    /// Reads every environment variable in the table; an empty one counts as not set. Returns the
    /// names that begin with `PROBTEST_` but aren't options.
    pub fn read_environment(
        &mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Vec<String> {
        let mut unknown: Vec<String> = Vec::new();
        for (name, text) in variables {
            if !name.starts_with("PROBTEST_") || text.trim().is_empty() {
                continue;
            }
            match OPTIONS.iter().find(|spec| spec.variable == Some(&name)) {
                Some(spec) => self.read(spec.name, GivenBy::Variable(name.into()), &text),
                None => {
                    let place = unknown.partition_point(|other| *other < name);
                    unknown.insert(place, name);
                }
            }
        }
        unknown
    }
}
