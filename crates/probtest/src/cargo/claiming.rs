//! The claim of a test, from what it gives and what the environment adds.

use super::builder::Probtest;
use super::environment::Environment;
use super::error::SetupError;
use crate::check::Error;
use crate::claim::{Claim, ClaimError, Probability};

/// The chance of missing when nobody says another.
const DEFAULT_EPSILON: &str = "0.05";

impl Probtest {
    pub(super) fn claim(&self, environment: &Environment) -> Result<Claim, SetupError> {
        let named = |name, given: &Result<Probability, _>| {
            let why = |why| SetupError::Probability { name, why };
            given.clone().map_err(why)
        };
        let epsilon = match (&self.epsilon, &environment.epsilon) {
            (Some(epsilon), _) => named("epsilon", epsilon)?,
            (None, Some(epsilon)) => epsilon.clone(),
            (None, None) => named("epsilon", &DEFAULT_EPSILON.parse())?,
        };
        if let Some(tolerate) = &self.tolerate {
            if self.outcomes.is_some() {
                return Err(Error::from(ClaimError::TolerateAndOutcomes).into());
            }
            let given =
                |name, value: &Option<_>| value.as_ref().map(|v| named(name, v)).transpose();
            let false_alarm = given("false_alarm", &self.false_alarm)?;
            let claim = Claim::tolerate_or_default(
                named("tolerate", tolerate)?,
                given("p", &self.p)?,
                epsilon,
                false_alarm.or_else(|| environment.false_alarm.clone()),
            );
            return Ok(claim.map_err(Error::from)?);
        }
        if self.false_alarm.is_some() {
            return Err(Error::from(ClaimError::FalseAlarmAlone).into());
        }
        let given = (&self.p, &self.outcomes, &environment.p);
        let claim = match given {
            (Some(_), Some(_), _) => return Err(SetupError::Both),
            (Some(p), None, _) => Claim::detect(named("p", p)?, epsilon),
            (None, Some(outcomes), _) => {
                let name = "outcomes";
                let outcomes = outcomes.clone();
                let why = |why| SetupError::Probability { name, why };
                Claim::cover(outcomes.map_err(why)?, epsilon)
            }
            (None, None, Some(p)) => Claim::detect(p, epsilon),
            (None, None, None) => return Err(SetupError::NoP),
        };
        Ok(claim.map_err(Error::from)?)
    }
}
