//! One program for each possible result of each claim, for tests that compare runs.

use std::time::Duration;

use probtest::claim::Pairs;
use probtest::run::{Conclusion, Number, Observation, Violation, both};
use probtest::{Claim, Outcomes, Settings, TestRng};

pub struct Program {
    pub name: &'static str,
    pub claim: Claim,
    pub body: fn(&mut TestRng) -> Observation,
    pub max_executions: Option<u64>,
    pub max_rejections: Option<u64>,
}

impl Program {
    pub fn settings(&self) -> Settings<'static> {
        // Rates are explained where they are decided, which no shard does.
        let time = match self.claim.tolerated() {
            Some(_) => Duration::ZERO,
            None => Duration::from_secs(600),
        };
        let mut settings = Settings::new("shards").shrink_time(time);
        if let Some(most) = self.max_executions {
            settings = settings.max_executions(most);
        }
        if let Some(most) = self.max_rejections {
            settings = settings.max_rejections(most);
        }
        settings
    }
}

/// Rejects one execution in eight, and violates one in `rarely` of the others.
fn violates(rng: &mut TestRng, rarely: u64) -> Observation {
    match rng.draw_u64() {
        drawn if drawn % 8 == 0 => Observation::Rejected,
        drawn if drawn / 8 % rarely == 0 => {
            let mut violation = Violation::new(format!("drew {drawn}"));
            violation.location = Some("here.rs:1:2".into());
            Observation::Violated(Box::new(violation))
        }
        _ => Observation::Passed,
    }
}

fn uniform(rng: &mut TestRng) -> f64 {
    (rng.draw_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// An old and a new version that violate at these rates.
fn versions(rng: &mut TestRng, old: f64, new: f64) -> Observation {
    let version = |rate| move |rng: &mut TestRng| uniform(rng) >= rate;
    Conclusion::<Pairs>::conclude(both(rng, version(old), version(new)))
}

fn label(text: &str) -> Observation {
    Observation::Label(text.into())
}

pub fn programs() -> Vec<Program> {
    let mean = |low: f64| {
        let terms = probtest::mean().between(0, 1).within(low, low + 0.1);
        terms.margin(0.1).claim().unwrap()
    };
    let fit = || {
        let terms = probtest::fit().label("a", "3/4").label("b", "1/4");
        terms.distance(0.1).claim().unwrap()
    };
    let compare = || probtest::compare(0.1).claim().unwrap();
    let detect = || Claim::detect(0.01, 0.02).unwrap();
    let tolerate = || Claim::tolerate(0.01, 0.05, 0.05, 0.001).unwrap();
    let cover = |list: &[&str]| {
        let outcomes = Outcomes::new(list.iter().copied()).unwrap();
        Claim::cover(outcomes, 0.01).unwrap()
    };
    let program = |name, claim, body| Program {
        name,
        claim,
        body,
        max_executions: None,
        max_rejections: None,
    };
    let short = |name, claim, body, most| Program {
        max_executions: Some(most),
        ..program(name, claim, body)
    };
    vec![
        program("detect, passed", detect(), |rng| violates(rng, u64::MAX)),
        program("detect, violated", detect(), |rng| violates(rng, 100)),
        program("detect, violated at once", detect(), |rng| violates(rng, 2)),
        short("detect, cut", detect(), |rng| violates(rng, u64::MAX), 100),
        Program {
            max_rejections: Some(20),
            ..program("detect, rejected", detect(), |rng| violates(rng, u64::MAX))
        },
        program("detect, outcomes", detect(), |rng| match rng.draw_u64() % 99 {
            0 => Observation::Outcome(3),
            _ => Observation::Passed,
        }),
        program("detect, broken", detect(), |rng| match rng.draw_u64() % 99 {
            0 => Observation::Broken("no room".into()),
            _ => Observation::Passed,
        }),
        program("detect, nothing drawn", detect(), |_| Observation::Passed),
        program("detect, panicked elsewhere", detect(), |rng| match rng.draw_u64() % 40 {
            0 => Observation::Panicked {
                panic: Box::new(Violation::new("a thread")),
                otherwise: Box::new(Observation::Passed),
            },
            _ => Observation::Passed,
        }),
        program("detect, larger", detect(), |rng| match rng.draw_u64() % 40 {
            steps @ 0..3 => {
                Observation::Larger { threads: 3, steps, otherwise: Box::new(Observation::Passed) }
            }
            _ => Observation::Passed,
        }),
        program("cover, passed", cover(&["1/3", "1/3", "1/4"]), |rng| {
            Observation::Outcome((rng.draw_u64() % 3) as usize)
        }),
        program("cover, unseen", cover(&["1/3", "1/3", "1/4"]), |rng| {
            Observation::Outcome((rng.draw_u64() % 2) as usize)
        }),
        program("cover, silent", cover(&["1/3", "1/3", "1/100"]), |rng| violates(rng, u64::MAX)),
        program("tolerate, passed", tolerate(), |rng| violates(rng, 200)),
        program("tolerate, violated", tolerate(), |rng| violates(rng, 12)),
        short("tolerate, cut", tolerate(), |rng| violates(rng, 60), 80),
        program("mean, passed", mean(0.45), |rng| Observation::Number(Number(uniform(rng)))),
        program("mean, violated", mean(0.7), |rng| Observation::Number(Number(uniform(rng)))),
        program("mean, outside", mean(0.45), |rng| {
            Observation::Number(Number(uniform(rng) * 1.01))
        }),
        program("mean, a violation", mean(0.45), |rng| match rng.draw_u64() % 50 {
            0 => Observation::Violated(Box::new(Violation::new("raised"))),
            _ => Observation::Number(Number(uniform(rng))),
        }),
        program("fit, passed", fit(), |rng| match rng.draw_u64() % 4 {
            0 => label("b"),
            _ => label("a"),
        }),
        program("fit, violated", fit(), |rng| match rng.draw_u64() % 2 {
            0 => label("b"),
            _ => label("a"),
        }),
        program("fit, impossible", fit(), |rng| match rng.draw_u64() % 64 {
            0..16 => label("b"),
            16 => label("c"),
            _ => label("a"),
        }),
        short("compare, passed", compare(), |rng| versions(rng, 0.3, 0.3), 400),
        short("compare, worse", compare(), |rng| versions(rng, 0.3, 0.6), 400),
        short("compare, no room", compare(), |rng| versions(rng, 1.0, 1.0), 400),
        short("compare, cut", compare(), |rng| versions(rng, 0.3, 0.3), 20),
        short("estimate", probtest::estimate(0.1).claim().unwrap(), |rng| violates(rng, 9), 2000),
        short(
            "estimate, cut",
            probtest::estimate(0.01).claim().unwrap(),
            |rng| violates(rng, 9),
            200,
        ),
    ]
}
