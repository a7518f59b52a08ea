//! The two ways of being wrong.

use super::NumericError;
use crate::claim::{ClaimError, IntoProbability, Probability};

/// The chance of missing when nobody says another.
const EPSILON: &str = "0.05";
/// The chance of a false alarm when nobody says another: it costs little.
const FALSE_ALARM: &str = "1e-6";

/// Both chances of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chances {
    pub(super) epsilon: Probability,
    pub(super) false_alarm: Probability,
}

impl Chances {
    pub(super) fn usual() -> Result<Self, NumericError> {
        SaidChances::default().read()
    }
}

/// Both chances as terms say them, not yet checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SaidChances {
    pub(super) epsilon: Option<Result<Probability, ClaimError>>,
    pub(super) false_alarm: Option<Result<Probability, ClaimError>>,
}

impl SaidChances {
    /// Takes these where nothing is said.
    pub(super) fn or(&mut self, epsilon: Option<&Probability>, false_alarm: Option<&Probability>) {
        let given = |chance: &Probability| Ok(chance.clone());
        self.epsilon = self.epsilon.take().or(epsilon.map(given));
        self.false_alarm = self.false_alarm.take().or(false_alarm.map(given));
    }

    /// Checks them, with the usual ones where nothing is said.
    pub(super) fn read(self) -> Result<Chances, NumericError> {
        let usual = |text| Probability::parse(text);
        let epsilon = self.epsilon.unwrap_or_else(|| usual(EPSILON));
        let false_alarm = self.false_alarm.unwrap_or_else(|| usual(FALSE_ALARM));
        Ok(Chances {
            epsilon: named("epsilon", epsilon)?,
            false_alarm: named("false_alarm", false_alarm)?,
        })
    }
}

impl From<Chances> for SaidChances {
    fn from(chances: Chances) -> Self {
        SaidChances {
            epsilon: Some(Ok(chances.epsilon)),
            false_alarm: Some(Ok(chances.false_alarm)),
        }
    }
}

pub(super) fn read(
    name: &'static str,
    given: impl IntoProbability,
) -> Result<Probability, NumericError> {
    named(name, given.into_probability())
}

/// Says which quantity is wrong.
pub(super) fn named(
    name: &'static str,
    given: Result<Probability, ClaimError>,
) -> Result<Probability, NumericError> {
    Ok(given.map_err(|error| error.about(name))?)
}
