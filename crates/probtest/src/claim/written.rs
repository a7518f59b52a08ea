//! A claim as text, to store it and read it back without losing a digit.

use probtest_facts::json_object;

use super::terms::{ClaimParts, Subject};
use super::{Claim, ClaimKind, Error, Outcomes, Probability, WantedMean, Worse};

/// The terms of a claim. Numbers are strings: a JSON decimal may be read as a neighbouring float.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenClaim {
    kind: String,
    p: Option<String>,
    epsilon: Option<String>,
    tolerate: Option<String>,
    false_alarm: Option<String>,
    inputs: Option<u64>,
    outcomes: Vec<String>,
    labels: Vec<(String, String)>,
    /// Other numbers, by their names.
    numbers: Vec<(String, String)>,
}

json_object!(WrittenClaim default {
    kind,
    p,
    epsilon,
    tolerate,
    false_alarm,
    inputs,
    outcomes,
    labels,
    numbers,
});

impl WrittenClaim {
    /// Rebuilds the claim.
    pub(crate) fn claim(&self) -> Result<Claim, Error> {
        let number = |name: &str| {
            let found = self.numbers.iter().find(|(other, _)| other == name);
            found?.1.parse::<f64>().ok()
        };
        let between = number("least").zip(number("largest"));
        let (low, high) = (number("low"), number("high"));
        let within = low.zip(high).map(|(low, high)| WantedMean::Within(low, high));
        let wanted = within.or(low.map(WantedMean::Above)).or(high.map(WantedMean::Below));
        let chance = |text: &Option<String>| text.as_deref().map(Probability::parse);
        let labels = self.labels.iter().map(|(label, p)| (label.clone(), Probability::parse(p)));
        let worse = number("higher_is_worse").map_or(Worse::Lower, |_| Worse::Higher);
        let width = number("width").map(Probability::from_f64);
        let parts = ClaimParts {
            p: chance(&self.p),
            epsilon: chance(&self.epsilon),
            tolerate: chance(&self.tolerate),
            false_alarm: chance(&self.false_alarm),
            outcomes: (self.kind == "cover")
                .then(|| Outcomes::new(self.outcomes.iter().map(String::as_str))),
            inputs: self.inputs.map(Ok),
            returned: match self.kind.as_str() {
                "detect" | "tolerate" | "cover" => None,
                "mean" => Some(Subject::Mean),
                "fit" => Some(Subject::Fit),
                "compare" if between.is_some() => Some(Subject::Means),
                "compare" => Some(Subject::Violations),
                "estimate" if width.is_some() => Some(Subject::Estimate),
                kind => {
                    return Err(Error::new(
                        "the claim cannot be read",
                        format!("a claim of the kind {kind:?}"),
                        "use the version of probtest that wrote it",
                    ));
                }
            },
            between,
            wanted: wanted.into_iter().collect(),
            margin: number("margin"),
            labels: labels.collect(),
            distance: number("distance"),
            worse: Some(worse),
            change: number("change").map(Ok),
            width,
            confidence: number("confidence").map(Probability::from_f64),
        };
        parts.claim()
    }
}

impl Claim {
    /// Writes the terms from which this claim can be rebuilt.
    pub(crate) fn written(&self) -> WrittenClaim {
        let parts = self.parts();
        let wanted = parts.wanted.first();
        let float = |given: Option<Result<Probability, Error>>| Some(given?.ok()?.as_f64());
        let numbers = [
            ("least", parts.between.map(|(least, _)| least)),
            ("largest", parts.between.map(|(_, largest)| largest)),
            ("low", wanted.and_then(|wanted| wanted.low())),
            ("high", wanted.and_then(|wanted| wanted.high())),
            ("margin", parts.margin),
            ("distance", parts.distance),
            ("higher_is_worse", (parts.worse == Some(Worse::Higher)).then_some(1.0)),
            ("change", parts.change.and_then(Result::ok)),
            ("width", float(parts.width)),
            ("confidence", float(parts.confidence)),
        ];
        let text =
            |(name, number): (&str, Option<f64>)| Some((name.into(), format!("{:?}", number?)));
        // A derived p is ten times the tolerated rate, and the wording says so.
        let derived = matches!(&self.0, ClaimKind::Tolerate { p, .. } if p.derived);
        let chance = |p: Option<&Probability>| p.map(ToString::to_string);
        let outcomes = self.outcomes().into_iter().flat_map(|outcomes| outcomes.iter());
        let labels = self.labels().unwrap_or_default().iter();
        WrittenClaim {
            kind: self.kind().to_owned(),
            p: chance(self.p().filter(|_| !derived)),
            epsilon: chance(self.epsilon()),
            tolerate: chance(self.tolerated()),
            false_alarm: chance(self.false_alarm()),
            inputs: self.inputs(),
            outcomes: outcomes.map(ToString::to_string).collect(),
            labels: labels.map(|(label, p)| (label.clone(), p.to_string())).collect(),
            numbers: numbers.into_iter().filter_map(text).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use probtest_facts::json::{FromJson, ToJson};

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
            let text = claim.written().to_json().to_string();
            let read = WrittenClaim::from_json(text.parse().unwrap()).unwrap();
            let again = read.claim().unwrap();
            assert_eq!(again, claim, "{text}");
            assert_eq!(format!("{again:?}"), format!("{claim:?}"), "{text}");
        }
    }
}
