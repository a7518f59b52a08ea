//! Claims about means and labels.

use probtest::claim::{Numbers, Terms};
use probtest::judge::{Finding, Verdict};
use probtest::{Error, Report, Settings, TestRng};
use rand::RngExt;

use super::{Case, Section};

const SIMULATIONS: u64 = 20_000;
const EPSILON: f64 = 0.05;
const FALSE_ALARM: f64 = 0.05;

pub(super) fn means() -> Section {
    let mut cases = Vec::new();
    for shape in Shape::ALL {
        // The means at the edges of what is accepted, and those that must fail.
        for (mean, good) in [(0.4, true), (0.5, true), (0.3, false), (0.6, false)] {
            cases.push(of_mean(&within(), "within 0.4 to 0.5", shape, mean, good));
        }
    }
    for shape in [Shape::TwoPoints, Shape::Power] {
        for (mean, good) in [(0.1, true), (0.2, false)] {
            cases.push(of_mean(&below(), "below 0.1", shape, mean, good));
        }
    }
    Section {
        title: "Means of bounded numbers",
        about: "Numbers between 0 and 1, a margin of 0.1, epsilon = 0.05 and false_alarm = 0.05. The programs are at the edges of the claim, where it is hardest to keep.",
        cases,
    }
}

pub(super) fn labels() -> Section {
    let mut cases = Vec::new();
    for (program, shares, good) in [
        ("as claimed", [0.5, 0.25, 0.25], true),
        ("one label is off by 0.1, upwards", [0.6, 0.15, 0.25], false),
        ("one label is off by 0.1, downwards", [0.4, 0.3, 0.3], false),
        ("a rarer label is off by 0.1", [0.45, 0.35, 0.2], false),
        ("one label never comes", [0.5, 0.5, 0.0], false),
    ] {
        cases.push(of_labels(program, shares, good));
    }
    Section {
        title: "How often each label comes up",
        about: "Labels with the probabilities 0.5, 0.25 and 0.25, a distance of 0.1, epsilon = 0.05 and false_alarm = 0.05.",
        cases,
    }
}

/// How the numbers of a program are distributed around their mean.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// 0 or 1: as far from the mean as possible.
    TwoPoints,
    /// Evenly, up to 0.3 from the mean.
    Uniform,
    /// A power of a uniform number: most of them close to 0, a beta distribution.
    Power,
    /// Always the mean itself.
    Constant,
}

impl Shape {
    const ALL: [Shape; 4] = [Shape::TwoPoints, Shape::Uniform, Shape::Power, Shape::Constant];

    fn name(self, mean: f64) -> String {
        match self {
            Shape::TwoPoints => format!("0 or 1, mean {mean}"),
            Shape::Uniform => {
                let (low, high) = (mean - 0.3, mean + 0.3);
                format!("uniform from {low:.1} to {high:.1}")
            }
            Shape::Power => format!("beta({:.3}, 1), mean {mean}", mean / (1.0 - mean)),
            Shape::Constant => format!("always {mean}"),
        }
    }

    fn draw(self, mean: f64, rng: &mut TestRng) -> f64 {
        match self {
            Shape::TwoPoints => f64::from(u8::from(rng.random::<f64>() < mean)),
            // Rounding must not push a number out of its range.
            Shape::Uniform => (mean + 0.6 * (rng.random::<f64>() - 0.5)).clamp(0.0, 1.0),
            Shape::Power => rng.random::<f64>().powf(1.0 / mean - 1.0),
            Shape::Constant => mean,
        }
    }
}

fn within() -> Terms<Numbers> {
    bounded().within(0.4, 0.5)
}

fn below() -> Terms<Numbers> {
    bounded().below(0.1)
}

fn bounded() -> Terms<Numbers> {
    let terms = probtest::mean().between(0, 1).margin(0.1);
    terms.epsilon(EPSILON).false_alarm(FALSE_ALARM)
}

fn of_mean(claim: &Terms<Numbers>, words: &str, shape: Shape, mean: f64, good: bool) -> Case {
    let claim = claim.clone();
    let names = (format!("mean {words}"), shape.name(mean));
    case(names, good, move |settings| {
        probtest::check(claim.clone(), settings, |rng| shape.draw(mean, rng))
    })
}

fn of_labels(program: &str, shares: [f64; 3], good: bool) -> Case {
    let labels = [("a", 0.5), ("b", 0.25), ("c", 0.25)];
    let claim = probtest::fit().labels(labels).distance(0.1);
    let claim = claim.epsilon(EPSILON).false_alarm(FALSE_ALARM);
    let shown = shares.map(|share| share.to_string()).join(", ");
    let names = ("fit 0.5, 0.25, 0.25".to_owned(), format!("{program}: {shown}"));
    case(names, good, move |settings| {
        probtest::check(claim.clone(), settings, |rng| {
            let drawn = rng.random::<f64>();
            if drawn < shares[0] {
                "a"
            } else if drawn < shares[0] + shares[1] {
                "b"
            } else {
                "c"
            }
        })
    })
}

fn case(
    names: (String, String),
    good: bool,
    test: impl Fn(Settings<'_>) -> Result<Report, Error> + Send + Sync + 'static,
) -> Case {
    let error = match good {
        true => ("fails", FALSE_ALARM),
        false => ("passes", EPSILON),
    };
    Case::simulated(names, error, SIMULATIONS, move |number| {
        let report = test(Settings::new("numeric").seed(number).confirm(false));
        !report.is_ok_and(|report| match good {
            true => report.passed(),
            false => matches!(
                report.verdict(),
                Verdict::Violated(Finding::Mean { .. } | Finding::Label { .. })
            ),
        })
    })
}
