//! A claim as text, to be kept and read back without a digit lost.

use serde::{Deserialize, Serialize};

use super::terms::Parts;
use super::{
    Chances, Claim, Compare, Error, Fit, Kind, Mean, Outcomes, Probability, Wanted, Worse,
};

/// The terms of a claim. Numbers are texts: a decimal of JSON may be read as its neighbour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Written {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Probability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<Probability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerate: Option<Probability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    false_alarm: Option<Probability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<Probability>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<(String, Probability)>,
    /// Other numbers, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<(String, String)>,
}

impl Written {
    /// Makes the claim again.
    pub(crate) fn claim(&self) -> Result<Claim, Error> {
        let strange = || {
            Error::new(
                "the claim cannot be read",
                format!("a claim of the kind {:?}", self.kind),
                "use the version of probtest that wrote it",
            )
        };
        let number = |name: &str| {
            let found = self.numbers.iter().find(|(other, _)| other == name);
            found?.1.parse::<f64>().ok()
        };
        let known = |name| number(name).ok_or_else(strange);
        let between = number("least").zip(number("largest"));
        let both = self.epsilon.clone().zip(self.false_alarm.clone());
        let chances = both.map(|(epsilon, false_alarm)| Chances { epsilon, false_alarm });
        let chances = || chances.clone().ok_or_else(strange);
        Ok(Claim(match self.kind.as_str() {
            "detect" | "tolerate" | "cover" => {
                let parts = Parts {
                    p: self.p.clone().map(Ok),
                    epsilon: self.epsilon.clone().map(Ok),
                    tolerate: self.tolerate.clone().map(Ok),
                    false_alarm: self.false_alarm.clone().map(Ok),
                    outcomes: (self.kind == "cover").then(|| Outcomes::new(&self.outcomes)),
                    inputs: self.inputs.map(Ok),
                    ..Parts::default()
                };
                return parts.claim();
            }
            "mean" => {
                let wanted = match (number("low"), number("high")) {
                    (Some(low), Some(high)) => Wanted::Within(low, high),
                    (Some(low), None) => Wanted::Above(low),
                    (None, Some(high)) => Wanted::Below(high),
                    (None, None) => return Err(strange()),
                };
                let mean = Mean::new(between.ok_or_else(strange)?, wanted, known("margin")?)?;
                Kind::Mean { mean, chances: chances()? }
            }
            "fit" => {
                let fit = Fit::new(self.labels.clone(), known("distance")?)?;
                Kind::Fit { fit, chances: chances()? }
            }
            "compare" => {
                let worse = match number("higher_is_worse") {
                    Some(_) => Worse::Higher,
                    None => Worse::Lower,
                };
                let numbers = between.map(|between| (between, worse));
                Kind::Compare {
                    compare: Compare::new(numbers, known("change")?)?,
                    chances: chances()?,
                }
            }
            "estimate" => {
                Kind::Estimate { width: known("width")?, confidence: known("confidence")? }
            }
            _ => return Err(strange()),
        }))
    }
}

impl Claim {
    /// Writes the terms that make this claim again.
    pub(crate) fn written(&self) -> Written {
        let mut written = Written {
            kind: self.kind().to_owned(),
            p: self.p().cloned(),
            epsilon: self.epsilon().cloned(),
            tolerate: self.tolerated().cloned(),
            false_alarm: self.false_alarm().cloned(),
            inputs: self.inputs(),
            ..Written::default()
        };
        let mut number = |name: &str, value: Option<f64>| {
            let text = value.map(|value| (name.to_owned(), format!("{value:?}")));
            written.numbers.extend(text);
        };
        match &self.0 {
            Kind::Mean { mean, .. } => {
                number("least", Some(mean.between.0));
                number("largest", Some(mean.between.1));
                number("low", mean.wanted.low());
                number("high", mean.wanted.high());
                number("margin", Some(mean.margin));
            }
            Kind::Fit { fit, .. } => {
                number("distance", Some(fit.distance()));
                written.labels = fit.labels().to_vec();
            }
            Kind::Compare { compare, .. } => {
                if let Some(((least, largest), worse)) = compare.numbers {
                    number("least", Some(least));
                    number("largest", Some(largest));
                    number("higher_is_worse", (worse == Worse::Higher).then_some(1.0));
                }
                number("change", Some(compare.change));
            }
            Kind::Estimate { width, confidence } => {
                number("width", Some(*width));
                number("confidence", Some(*confidence));
            }
            // It is ten times the tolerated rate, and the words say so.
            Kind::Tolerate { p, .. } if p.derived => written.p = None,
            Kind::Cover { outcomes, .. } => {
                written.outcomes = outcomes.iter().cloned().collect();
            }
            Kind::Detect { .. } | Kind::Tolerate { .. } => {}
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{compare, compare_means, detect, estimate, fit, mean, tolerate};

    #[test]
    fn every_claim_is_read_back_as_it_was_written() {
        let claims = [
            Claim::detect(0.01, "1/3").unwrap(),
            detect(0.01).inputs(50).claim().unwrap(),
            Claim::cover(Outcomes::new(["1/6", "0.3"]).unwrap(), 0.05).unwrap(),
            tolerate(0.001).claim().unwrap(),
            Claim::tolerate(0.001, 0.02, 0.05, 1e-6).unwrap(),
            mean().between(0.1, 7).within(3.3, 4.4).margin(0.3).claim().unwrap(),
            mean().between(0, 1).above(0.7).margin(0.1).claim().unwrap(),
            mean().between(0, 1).below(0.3).margin(0.1).claim().unwrap(),
            fit().label("a\n", "1/3").label("b", 0.5).distance(0.1).claim().unwrap(),
            compare("1/64").false_alarm(0.05).claim().unwrap(),
            compare_means().between(-1, 3.5).worse(Worse::Lower).change(0.3).claim().unwrap(),
            compare_means().between(0, 1).worse(Worse::Higher).change(0.1).claim().unwrap(),
            estimate(0.07).confidence(0.99).claim().unwrap(),
        ];
        for claim in claims {
            let text = serde_json::to_string(&claim.written()).unwrap();
            let read: Written = serde_json::from_str(&text).unwrap();
            let again = read.claim().unwrap();
            assert_eq!(again, claim, "{text}");
            assert_eq!(format!("{again:?}"), format!("{claim:?}"), "{text}");
        }
    }
}
